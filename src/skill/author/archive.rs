//! A skill as one file: a tar archive, compressed with zstd, that begins with a record of its files and their digests.
//!
//! ```text
//! mitt-skill.json          {"format": 1, "name": …, "version": …, "files": [{"path", "size", "sha256"}, …]}
//! <name>/SKILL.md          the files, sorted by path, in the order of the record
//! <name>/skill.yaml
//! ```
//!
//! Holds plain files only, all with the same mode, owner and time, so that the same folder gives the same bytes. Tar is read
//! from start to end, so its contents are unambiguous; the directory of a ZIP archive can contradict its entries.

use std::fs;
use std::path::Path;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde::{Deserialize, Serialize};

use super::check::{Passed, check_with_progress};
use super::files::{self, SkillFile};
use crate::{CompilingSink, Finding};
use mitt_base::digest::sha256;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result};
use mitt_engine::Engine;

/// Name of the record in the archive.
pub(super) const RECORD: &str = "mitt-skill.json";

/// The format that this version writes and reads.
pub(super) const FORMAT: u32 = 1;

/// Most bytes of an archive.
pub const MAX_ARCHIVE_BYTES: u64 = 64 * MIB;

/// Ending of the name of an archive.
const ENDING: &str = "skill.tar.zst";

/// The record at the beginning of an archive.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    pub(super) format: u32,
    pub(super) name: String,
    /// Version in `skill.yaml`; `None` for a skill without one.
    pub(super) version: Option<String>,
    pub(super) files: Vec<RecordFile>,
}

/// A file in the record.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordFile {
    /// Path below the skill's folder.
    pub(super) path: String,
    pub(super) size: u64,
    /// 64 lower-case hexadecimal digits.
    pub(super) sha256: String,
}

/// A packed skill.
#[derive(Clone, Debug)]
pub struct Packed {
    /// Name of the skill.
    pub name: String,
    /// Version in its `skill.yaml`, if it has one.
    pub version: Option<String>,
    /// The archive.
    pub bytes: Vec<u8>,
    /// SHA-256 of the archive, as `sha256:` and 64 hexadecimal digits.
    pub digest: String,
    /// Number of files in it, without the record.
    pub files: usize,
    /// Warnings of the check, which found no errors.
    pub warnings: Vec<Finding>,
}

impl Packed {
    /// Returns the usual name of the archive: `report-0.1.0.skill.tar.zst`.
    pub fn file_name(&self) -> String {
        match &self.version {
            Some(version) => format!("{}-{version}.{ENDING}", self.name),
            None => format!("{}.{ENDING}", self.name),
        }
    }
}

/// Returns the digest of an archive, as it is printed and compared.
pub(super) fn digest(archive: &[u8]) -> String {
    format!("sha256:{}", sha256(archive))
}

/// Checks a skill folder and packs it. The same folder gives the same bytes. Hidden files and leftovers of tools are left
/// out. May take seconds, as [`check`](super::check) does.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the folder is missing or unreadable, or too large for an archive. [`ErrorKind::Load`] - the skill
/// does not pass its check; the details say why.
pub fn pack(engine: &Engine, folder: &Path) -> Result<Packed> {
    pack_with_progress(engine, folder, &|_| ())
}

/// Does what [`pack`] does, and calls `on_compiling` if the component must be compiled, on a thread of its own.
///
/// # Errors
///
/// Those of [`pack`].
pub fn pack_with_progress(
    engine: &Engine,
    folder: &Path,
    on_compiling: CompilingSink<'_>,
) -> Result<Packed> {
    let Passed { name, version, warnings } =
        check_with_progress(engine, folder, on_compiling)?.into_result()?;
    let (files, _) = files::files(folder)?;
    let bytes = archive(&name, version.as_deref(), &files)?;
    Ok(Packed { name, version, digest: digest(&bytes), bytes, files: files.len(), warnings })
}

fn archive(name: &str, version: Option<&str>, files: &[SkillFile]) -> Result<Vec<u8>> {
    let mut record = Record {
        format: FORMAT,
        name: name.to_owned(),
        version: version.map(str::to_owned),
        files: Vec::with_capacity(files.len()),
    };
    let mut contents = Vec::with_capacity(files.len());
    for file in files {
        let content = fs::read(&file.source).map_err(|error| {
            Error::new(ErrorKind::Input, format!("cannot read {}", file.source.display()))
                .caused_by(error)
        })?;
        if content.len() as u64 != file.size {
            let message = format!("{} changes while it is packed", file.source.display());
            return Err(Error::new(ErrorKind::Input, message)
                .hint("pack again when nothing writes to the folder"));
        }
        record.files.push(RecordFile {
            path: file.path.clone(),
            size: file.size,
            sha256: sha256(&content),
        });
        contents.push(content);
    }
    let json = serde_json::to_vec_pretty(&record)
        .map_err(|error| Error::bug(format!("a record cannot be written as JSON: {error}")))?;
    let failed =
        |error: std::io::Error| Error::bug(format!("an archive cannot be written: {error}"));
    let mut tar = tar::Builder::new(Vec::new());
    append(&mut tar, RECORD, &json).map_err(failed)?;
    for (file, content) in files.iter().zip(&contents) {
        append(&mut tar, &format!("{name}/{}", file.path), content).map_err(failed)?;
    }
    let tar = tar.into_inner().map_err(failed)?;
    let bytes = compress_to_vec(&tar[..], CompressionLevel::Fastest);
    if bytes.len() as u64 > MAX_ARCHIVE_BYTES {
        let message = format!(
            "expected an archive of at most {MAX_ARCHIVE_BYTES} bytes, got {}",
            bytes.len()
        );
        return Err(Error::new(ErrorKind::Input, message).hint("make the skill's files smaller"));
    }
    Ok(bytes)
}

fn append(tar: &mut tar::Builder<Vec<u8>>, path: &str, content: &[u8]) -> std::io::Result<()> {
    let mut header = tar::Header::new_ustar();
    header.set_path(path)?;
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_cksum();
    tar.append(&header, content)
}
