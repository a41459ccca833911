//! Unpacks a skill's archive into an empty folder. Every byte of the archive is untrusted.
//!
//! Decides only if the archive matches its record; other code checks the skill.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;

use ruzstd::decoding::StreamingDecoder;

use super::archive::{FORMAT, MAX_ARCHIVE_BYTES, RECORD, Record, RecordFile};
use super::files::{MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES, Paths, check_path, is_native_name};
use mitt_base::digest::sha256;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Remedy, Result, text};
use mitt_engine::is_native_code;

/// Most bytes out for one byte in. Text with many repetitions reaches 50, a bomb has thousands.
pub(super) const MAX_RATIO: u64 = 200;

/// Size up to which the ratio does not count: a few bytes of zeros compress well and do no harm.
const SMALL_BYTES: u64 = MIB;

/// Most bytes of the window of the compression: the size that the zstd format recommends decoders to support.
pub(super) const MAX_WINDOW_BYTES: u64 = 8 * MIB;

/// Most bytes of the record.
const MAX_RECORD_BYTES: u64 = MIB;

const BLOCK: usize = 512;

/// Unpacks `archive` into `folder`, which is empty, as a subfolder with the skill's name.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the archive is damaged, too large, or holds something that no skill has. [`ErrorKind::Host`] - a
/// file cannot be written. Files may be left in `folder` in both cases.
pub(super) fn unpack(archive: &[u8], folder: &Path) -> Result<Record> {
    let tar = decompress(archive)?;
    let mut entries = Entries { tar: &tar, at: 0 };
    let record = record(&mut entries)?;
    let root = folder.join(&record.name);
    fs::create_dir(&root).map_err(|error| unwritable(&root, error))?;
    for file in &record.files {
        let wanted = format!("{}/{}", record.name, file.path);
        let Some((path, content)) = entries.next()? else {
            return Err(refused(format!("`{wanted}` is in the record, but not in the archive")));
        };
        if path != wanted {
            let path = text::one_line(&path);
            return Err(refused(format!("expected `{wanted}` next, got `{path}`")));
        }
        verify(file, content)?;
        no_native_code(file, content)?;
        write(&root, &file.path, content)?;
    }
    if let Some((path, _)) = entries.next()? {
        let path = text::one_line(&path);
        return Err(refused(format!("`{path}` is in the archive, but not in the record")));
    }
    entries.only_zeros_are_left()?;
    Ok(record)
}

/// Returns the decompressed tar file, whose size is limited absolutely and in proportion to the archive.
fn decompress(archive: &[u8]) -> Result<Vec<u8>> {
    if archive.len() as u64 > MAX_ARCHIVE_BYTES {
        return Err(refused(format!(
            "expected at most {MAX_ARCHIVE_BYTES} bytes, got {}",
            archive.len()
        )));
    }
    let damaged = |error: &dyn std::fmt::Display| {
        refused("not a zstd archive, or damaged").caused_by(error.to_string())
    };
    let mut decoder = StreamingDecoder::new_with_max_window_size(archive, MAX_WINDOW_BYTES)
        .map_err(|error| damaged(&error))?;
    // Headers and padding of the most files, and the record.
    let most = MAX_TOTAL_BYTES + MAX_RECORD_BYTES + 2 * (MAX_FILES * BLOCK) as u64;
    let ratio = (archive.len() as u64 * MAX_RATIO).max(SMALL_BYTES);
    let limit = most.min(ratio);
    let mut tar = Vec::new();
    decoder.by_ref().take(limit + 1).read_to_end(&mut tar).map_err(|error| damaged(&error))?;
    if tar.len() as u64 > limit {
        return Err(if limit == ratio {
            refused(format!(
                "expected at most {MAX_RATIO} bytes out for one in, got more: {} bytes become more than {limit}",
                archive.len()
            ))
        } else {
            refused(format!("expected at most {most} bytes when unpacked, got more"))
        });
    }
    if !decoder.get_ref().is_empty() {
        return Err(refused("something follows the compressed data"));
    }
    Ok(tar)
}

/// Reads the record, which is the first entry, and checks everything in it.
fn record(entries: &mut Entries<'_>) -> Result<Record> {
    let json = match entries.next()? {
        Some((path, json)) if path == RECORD => json,
        _ => {
            return Err(refused(format!("not a packed skill: expected `{RECORD}` first"))
                .remedy(Remedy::PackSkill));
        }
    };
    let wrong = |message: String| refused(format!("{RECORD}: {message}"));
    if json.len() as u64 > MAX_RECORD_BYTES {
        return Err(wrong(format!(
            "expected at most {MAX_RECORD_BYTES} bytes, got {}",
            json.len()
        )));
    }
    let record: Record = serde_json::from_slice(json)
        .map_err(|error| wrong(text::one_line(text::cut_bytes(&error.to_string(), 400))))?;
    if record.format != FORMAT {
        return Err(wrong(format!("format: expected {FORMAT}, got {}", record.format))
            .hint("use a newer version of mitt"));
    }
    if record.name.contains('/') {
        return Err(wrong(format!(
            "name: expected a name, got `{}`",
            text::one_line(text::cut_bytes(&record.name, 80))
        )));
    }
    check_path(&record.name).map_err(|problem| wrong(format!("name: {problem}")))?;
    if record.files.len() > MAX_FILES {
        return Err(wrong(format!(
            "expected at most {MAX_FILES} files, got {}",
            record.files.len()
        )));
    }
    let mut paths = Paths::default();
    let mut total: u64 = 0;
    for file in &record.files {
        paths.insert(&file.path).map_err(wrong)?;
        if file.size > MAX_FILE_BYTES {
            let path = text::one_line(&file.path);
            return Err(wrong(format!(
                "`{path}`: expected at most {MAX_FILE_BYTES} bytes, got {}",
                file.size
            )));
        }
        total += file.size;
    }
    if total > MAX_TOTAL_BYTES {
        return Err(wrong(format!(
            "expected files of at most {MAX_TOTAL_BYTES} bytes in all, got {total}"
        )));
    }
    Ok(record)
}

fn verify(file: &RecordFile, content: &[u8]) -> Result<()> {
    let path = text::one_line(&file.path);
    if content.len() as u64 != file.size {
        return Err(refused(format!(
            "`{path}`: expected {} bytes, got {}",
            file.size,
            content.len()
        )));
    }
    let found = sha256(content);
    if found != file.sha256 {
        let wanted = text::one_line(text::cut_bytes(&file.sha256, 64));
        return Err(refused(format!("`{path}`: expected digest `{wanted}`, got `{found}`")));
    }
    Ok(())
}

/// Refuses native code, which runs with the rights of the host: it is compiled where it is used, never distributed. The
/// content is checked as well as the name, since the file could be renamed later.
fn no_native_code(file: &RecordFile, content: &[u8]) -> Result<()> {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    if is_native_name(name) || is_native_code(content) {
        let path = text::one_line(&file.path);
        return Err(refused(format!("`{path}`: native code, which no skill may bring along"))
            .hint(
                "ask its author for an archive without it; the host compiles the component itself",
            ));
    }
    Ok(())
}

fn write(root: &Path, path: &str, content: &[u8]) -> Result<()> {
    // Part by part, because every part was checked to be a plain name.
    let target = path.split('/').fold(root.to_owned(), |folder, part| folder.join(part));
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent).map_err(|error| unwritable(parent, error))?;
    }
    // Never through something that exists already.
    let mut file = fs::File::create_new(&target).map_err(|error| unwritable(&target, error))?;
    file.write_all(content)
        .and_then(|()| file.sync_all())
        .map_err(|error| unwritable(&target, error))
}

/// The entries of a tar file, which must be plain files with plain headers.
struct Entries<'a> {
    tar: &'a [u8],
    at: usize,
}

impl<'a> Entries<'a> {
    /// Returns the next file; `None` at the end of the archive.
    fn next(&mut self) -> Result<Option<(String, &'a [u8])>> {
        let Some(block) = self.tar.get(self.at..self.at + BLOCK) else {
            return Err(refused("the archive is cut off"));
        };
        if block.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        // Each header stands alone: extended headers, which can contradict the header itself, are refused below instead of
        // being followed.
        let header = tar::Header::from_byte_slice(block);
        let mut check = header.clone();
        check.set_cksum();
        if header.cksum().ok() != check.cksum().ok() {
            return Err(refused("damaged: an entry's checksum does not fit"));
        }
        let bytes = header.path_bytes().into_owned();
        let path = String::from_utf8(bytes).map_err(|error| {
            refused(format!("expected a path in UTF-8, got `{}`", error.as_bytes().escape_ascii()))
        })?;
        let shown = text::one_line(text::cut_bytes(&path, 120));
        let kind = header.entry_type();
        if !kind.is_file() {
            return Err(refused(format!(
                "`{shown}`: expected a plain file, got {}",
                kind_name(kind)
            )));
        }
        if header.as_ustar().is_none() {
            return Err(refused(format!("`{shown}`: expected a ustar header, got another kind")));
        }
        for part in path.split('/') {
            check_path(part).map_err(refused)?;
        }
        let size = header.entry_size().ok().and_then(|size| usize::try_from(size).ok());
        let start = self.at + BLOCK;
        let content = size
            .and_then(|size| self.tar.get(start..start.checked_add(size)?))
            .ok_or_else(|| refused(format!("`{shown}`: the archive is cut off")))?;
        self.at = start + content.len().next_multiple_of(BLOCK);
        Ok(Some((path, content)))
    }

    /// Checks that only zeros follow the end of the archive, so that nothing is hidden there.
    fn only_zeros_are_left(&self) -> Result<()> {
        let rest = self.tar.get(self.at..).unwrap_or_default();
        if rest.iter().all(|byte| *byte == 0) {
            Ok(())
        } else {
            Err(refused("something follows the last file"))
        }
    }
}

fn kind_name(kind: tar::EntryType) -> &'static str {
    match kind.as_byte() {
        b'1' => "a hard link",
        b'2' => "a symbolic link",
        b'3' | b'4' => "a device",
        b'5' => "a folder",
        b'6' => "a named pipe",
        b'S' => "a sparse file",
        b'x' | b'g' => "an extended header",
        b'L' | b'K' => "a long name",
        _ => "something else",
    }
}

fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Input, message)
}

fn unwritable(path: &Path, error: std::io::Error) -> Error {
    Error::new(ErrorKind::Host, format!("cannot write {}", path.display()))
        .remedy(Remedy::InstallElsewhere)
        .caused_by(error)
}
