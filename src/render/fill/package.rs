//! The package of a workbook: parts that are read within limits, parts that are rewritten, and all others, which are copied
//! in their compressed form, byte for byte.
//!
//! Knows nothing of the contents but relationships.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::xml_tokens::{XmlToken, xml_tokens};
use mitt_base::error::InputProblem;
use mitt_base::{Error, ErrorKind, Result};

/// Most bytes of a file, most entries, and most unpacked bytes of each and of all.
pub(super) const MAX_FILE_BYTES: usize = 64 << 20;
pub(super) const MAX_ENTRIES: usize = 10_000;
pub(super) const MAX_UNPACKED_BYTES: u64 = 512 << 20;
/// Largest ratio of unpacked to packed size for a larger part: sheets of equal rows reach a hundred.
const RATIO_FROM_BYTES: u64 = 16 << 20;
const MAX_RATIO: u64 = 400;
/// Most bytes that are written.
const MAX_WRITTEN_BYTES: usize = 256 << 20;

/// The beginning of OLE files: encrypted packages and workbooks of old Excel versions.
const OLE: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

pub(super) struct Package<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// Indices of the entries by their names in lower case, because names of parts are not case-sensitive.
    entries: BTreeMap<String, usize>,
    names: Vec<String>,
    written: BTreeMap<usize, Option<String>>,
    unpacked: u64,
}

impl<'a> Package<'a> {
    /// Opens a file. Checks its entries without unpacking them.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Package<'a>> {
        if bytes.len() > MAX_FILE_BYTES {
            let message = format!(
                "expected a template of at most {MAX_FILE_BYTES} bytes, got {}",
                bytes.len()
            );
            return Err(Error::input(message).with_problem(InputProblem::TooLarge));
        }
        if bytes.starts_with(&OLE) {
            return Err(ole(bytes));
        }
        let mut zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| damaged("it is no package of Excel, or cut off").caused_by(error))?;
        if zip.len() > MAX_ENTRIES {
            let message =
                format!("expected a package of at most {MAX_ENTRIES} parts, got {}", zip.len());
            return Err(Error::input(message).with_problem(InputProblem::TooLarge));
        }
        let overlaps = zip.has_duplicate_names()
            || zip
                .has_overlapping_files()
                .map_err(|error| damaged("its parts").caused_by(error))?;
        if overlaps {
            return Err(damaged("two of its parts share a name or their bytes"));
        }
        let mut package = Package {
            entries: BTreeMap::new(),
            names: Vec::new(),
            written: BTreeMap::new(),
            unpacked: 0,
            zip: ZipArchive::new(Cursor::new(bytes))
                .map_err(|error| damaged("it").caused_by(error))?,
        };
        let mut total = 0_u64;
        for number in 0..zip.len() {
            let entry = zip
                .by_index_raw(number)
                .map_err(|error| damaged(&format!("its part {number}")).caused_by(error))?;
            let name = entry.name().map(std::borrow::Cow::into_owned).unwrap_or_default();
            check_name(&name)?;
            if entry.encrypted() {
                let message = format!("its part `{name}` is encrypted");
                return Err(Error::input(message).with_problem(InputProblem::Encrypted));
            }
            total = total.saturating_add(entry.size());
            let tight = entry.size() > RATIO_FROM_BYTES
                && entry.size() / entry.compressed_size().max(1) > MAX_RATIO;
            if tight || total > MAX_UNPACKED_BYTES {
                return Err(bomb(&name));
            }
            if package.entries.insert(name.to_lowercase(), number).is_some() {
                return Err(damaged(&format!("two of its parts are called `{name}`")));
            }
            package.names.push(name);
        }
        Ok(package)
    }

    /// Returns the names of all parts, as in the file.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let removed = |number: &usize| matches!(self.written.get(number), Some(None));
        self.names
            .iter()
            .enumerate()
            .filter(move |(number, _)| !removed(number))
            .map(|(_, name)| name.as_str())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(&name.to_lowercase())
    }

    /// Returns the text of a part, if there is one of this name.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>> {
        let Some(&number) = self.entries.get(&name.to_lowercase()) else { return Ok(None) };
        if let Some(written) = self.written.get(&number) {
            return Ok(written.clone());
        }
        let failed = |error: &dyn std::fmt::Display| {
            damaged(&format!("its part `{name}` cannot be unpacked")).caused_by(error.to_string())
        };
        let entry = self.zip.by_index(number).map_err(|error| failed(&error))?;
        let left = MAX_UNPACKED_BYTES - self.unpacked.min(MAX_UNPACKED_BYTES);
        // The size that an entry states may be wrong.
        let most = entry.size().min(left);
        let mut bytes = Vec::new();
        entry.take(most + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        if bytes.len() as u64 > most {
            return Err(bomb(name));
        }
        self.unpacked += bytes.len() as u64;
        let text = String::from_utf8(bytes).map_err(|_| {
            Error::input(format!("its part `{name}`: expected UTF-8"))
                .with_problem(InputProblem::UnsupportedType)
                .hint("open the workbook in Excel or LibreOffice and save it once")
        })?;
        let declares = xml_tokens(&text).any(|token| {
            matches!(token, XmlToken::Other(text) if text.starts_with("<!") && !text.starts_with("<!--") && !text.starts_with("<![CDATA["))
        });
        if declares && !name.to_lowercase().ends_with(".vml") {
            return Err(damaged(&format!(
                "its part `{name}` declares entities or a document type, which no workbook has"
            )));
        }
        Ok(Some(text))
    }

    /// Rewrites an existing part.
    pub(super) fn set(&mut self, name: &str, text: String) {
        if let Some(&number) = self.entries.get(&name.to_lowercase()) {
            self.written.insert(number, Some(text));
        }
    }

    /// Removes a part.
    pub(super) fn remove(&mut self, name: &str) {
        if let Some(&number) = self.entries.get(&name.to_lowercase()) {
            self.written.insert(number, None);
        }
    }

    /// Returns the relationships of a part: identifier, kind (the end of its address), and the name of the target part or an
    /// external address.
    pub(super) fn relationships(&mut self, part: &str) -> Result<Vec<Relationship>> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let rels = match folder {
            "" => format!("_rels/{name}.rels"),
            folder => format!("{folder}/_rels/{name}.rels"),
        };
        let Some(text) = self.text(&rels)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for token in xml_tokens(&text) {
            let XmlToken::Tag(tag) = token else { continue };
            if !tag.opens("Relationship") {
                continue;
            }
            let attribute = |name: &str| tag.text(name).unwrap_or_default();
            let external = attribute("TargetMode") == "External";
            let target = attribute("Target");
            found.push(Relationship {
                id: attribute("Id"),
                kind: attribute("Type").rsplit('/').next().unwrap_or_default().to_owned(),
                target: if external { target } else { resolve(folder, &target) },
                external,
            });
        }
        Ok(found)
    }

    /// Returns the file.
    pub(super) fn finish(mut self) -> Result<Vec<u8>> {
        let failed = |error: &dyn std::fmt::Display| {
            Error::bug(format!("the workbook cannot be packed: {error}"))
        };
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::DEFAULT);
        let mut out = ZipWriter::new(Cursor::new(Vec::new()));
        for (number, name) in self.names.iter().enumerate() {
            match self.written.remove(&number) {
                Some(None) => {}
                Some(Some(text)) => {
                    out.start_file(name.as_str(), options).map_err(|error| failed(&error))?;
                    out.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
                }
                None => {
                    let entry = self.zip.by_index_raw(number).map_err(|error| failed(&error))?;
                    out.raw_copy_file(entry).map_err(|error| failed(&error))?;
                }
            }
        }
        let bytes = out.finish().map_err(|error| failed(&error))?.into_inner();
        if bytes.len() > MAX_WRITTEN_BYTES {
            let message = format!("the workbook would have more than {MAX_WRITTEN_BYTES} bytes");
            return Err(Error::new(ErrorKind::Arguments, message).hint("give fewer rows"));
        }
        Ok(bytes)
    }
}

/// A relationship of a part.
#[derive(Clone, Debug)]
pub(super) struct Relationship {
    pub(super) id: String,
    /// The last segment of its type, which is the same in both dialects of the format.
    pub(super) kind: String,
    pub(super) target: String,
    pub(super) external: bool,
}

/// Resolves a target within `folder` to the name of a part.
fn resolve(folder: &str, target: &str) -> String {
    let (mut parts, target) = match target.strip_prefix('/') {
        Some(whole) => (Vec::new(), whole),
        None => (folder.split('/').filter(|it| !it.is_empty()).collect(), target),
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn check_name(name: &str) -> Result<()> {
    let is_odd = name.is_empty()
        || name.len() > 1_024
        || name.starts_with('/')
        || name.contains(['\\', ':', '\0'])
        || name.split('/').any(|part| part == "..");
    match is_odd {
        true => {
            let shown: String = name.chars().take(80).flat_map(char::escape_debug).collect();
            Err(damaged(&format!("its part `{shown}` would lead out of the package")))
        }
        false => Ok(()),
    }
}

#[cold]
pub(super) fn damaged(what: &str) -> Error {
    Error::input(format!("the template is damaged: {what}"))
        .with_problem(InputProblem::Corrupt)
        .hint("open it in Excel or LibreOffice, save it as `.xlsx` and give that file")
}

#[cold]
fn bomb(name: &str) -> Error {
    let shown: String = name.chars().take(80).flat_map(char::escape_debug).collect();
    let message = format!(
        "the template holds more than {} MiB, or its part `{shown}` far more than it says",
        MAX_UNPACKED_BYTES >> 20
    );
    Error::input(message).with_problem(InputProblem::TooLarge)
}

/// Returns the error for an OLE file, by the names of its streams.
#[cold]
fn ole(bytes: &[u8]) -> Error {
    let has = |name: &str| {
        let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        memchr::memmem::find(bytes, &wide).is_some()
    };
    if has("EncryptedPackage") {
        return Error::input("the template is encrypted")
            .with_problem(InputProblem::Encrypted)
            .hint("save it without a password");
    }
    Error::input("the template is a file of Excel 97 to 2003 (`.xls`), or none of Excel")
        .with_problem(InputProblem::UnsupportedType)
        .hint("open it in Excel or LibreOffice and save it as `.xlsx`")
}
