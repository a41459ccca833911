//! Folder of a session, with its journal and its artifacts. It is opened once, by [`OutputFolder`].
//!
//! A repository may contain a prepared folder of this kind: a file's name alone does not prove that Mitt wrote it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::sync::Arc;

use memchr::memmem;
use serde_json::Value;

use super::file_records::{FileRecord, FileRecords, RECOVERED};
use super::truncated;
use mitt_base::limits::MIB;
use mitt_base::output_folder::{OutputFolder, Readable};
use mitt_base::scratch;
use mitt_base::{Error, ErrorKind, Remedy, Result};

/// Name of the journal's file.
pub(in crate::session) const JOURNAL: &str = "journal.jsonl";

/// Most bytes of an earlier journal that are read to find the files that Mitt wrote.
const MAX_EARLIER_BYTES: u64 = 64 * MIB;

/// Bytes of an earlier journal that are read at once.
const READ_BYTES: usize = 64 * 1024;

/// Opens the folder of a session, and creates it if it is missing.
///
/// # Errors
///
/// [`ErrorKind::Host`] - it is a link, or it cannot be created or written to.
pub(in crate::session) fn open(path: &Path) -> Result<Arc<OutputFolder>> {
    let folder = OutputFolder::create(path).map_err(|error| {
        Error::new(ErrorKind::Host, format!("cannot write to the folder {}", path.display()))
            .hint("name a folder that you may write to, on a disk with free space; of a link, name the folder that it leads to")
            .caused_by(error)
    })?;
    Ok(Arc::new(folder))
}

/// Opens the journal in `folder` for appending. Also returns its records of files that earlier sessions delivered into the
/// folder.
///
/// # Errors
///
/// [`ErrorKind::Host`] - the file of that name is a link, not a plain file of this user, or not a journal.
pub(in crate::session) fn journal(folder: &OutputFolder) -> Result<(File, FileRecords)> {
    let name = JOURNAL;
    let failed = || {
        let path = folder.path().join(name);
        Error::new(ErrorKind::Host, format!("cannot write the journal {}", path.display()))
    };
    // Errors and messages in it may quote documents, so only its owner may read it.
    let file = folder
        .append(OsStr::new(name), Readable::Owner)
        .map_err(|error| failed().remedy(Remedy::OutFolder).caused_by(error))?;
    let first_line = truncated::first_line(&file).map_err(|error| failed().caused_by(error))?;
    if truncated::is_partial(&first_line) {
        file.set_len(0).map_err(|error| failed().caused_by(error))?;
        return Ok((file, FileRecords::new()));
    }
    if !is_journal(&first_line) {
        return Err(failed().remedy(Remedy::OutFolderJournal));
    }
    let artifacts = artifacts(&file);
    truncated::end_last_line(&file).map_err(|error| failed().caused_by(error))?;
    Ok((file, artifacts))
}

/// Returns whether a file with this first line is empty or begins with the entry of a session, as every journal does.
fn is_journal(first_line: &[u8]) -> bool {
    let line = first_line.get(..truncated::MAX_FIRST_LINE_BYTES).unwrap_or(first_line);
    let entry: Option<Value> = serde_json::from_slice(line).ok();
    line.is_empty() || entry.is_some_and(|it| it["kind"] == "session" && it["mitt"].is_string())
}

/// Returns the records of files in a journal. They may be forged, as anybody may have written the journal.
fn artifacts(file: &File) -> FileRecords {
    use std::io::{Seek as _, SeekFrom};

    let mut file = file;
    if file.seek(SeekFrom::Start(0)).is_err() {
        return FileRecords::new();
    }
    let file_entries = FileEntries::new();
    let mut reader = BufReader::with_capacity(READ_BYTES, file.take(MAX_EARLIER_BYTES));
    let (mut records, mut line) = (FileRecords::new(), Vec::new());
    // A line may be cut in the middle of a character.
    while reader.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
        records.extend(file_entries.record(&line));
        line.clear();
    }
    records
}

/// Finds the entries of a journal that record files. A folder that many commands use has a long journal, and each command
/// reads it: entries of other kinds are not parsed.
struct FileEntries {
    kinds: [memmem::Finder<'static>; 2],
}

impl FileEntries {
    fn new() -> FileEntries {
        // As the journal writes them. Every entry of a call has the key `artifacts`, so the kind alone says too little.
        let kinds = ["artifact", RECOVERED].map(|kind| format!("\"kind\":\"{kind}\""));
        FileEntries { kinds: kinds.map(|kind| memmem::Finder::new(&kind).into_owned()) }
    }

    /// Returns `false` if this line records no file.
    fn is_likely(&self, line: &[u8]) -> bool {
        self.kinds.iter().any(|kind| kind.find(line).is_some())
    }

    /// Returns the file that this line records.
    fn record(&self, line: &[u8]) -> Option<(String, FileRecord)> {
        if !self.is_likely(line) {
            return None;
        }
        let entry: Value = serde_json::from_slice(line).ok()?;
        let is_file = entry["kind"] == "artifact" || entry["kind"] == RECOVERED;
        is_file.then(|| FileRecord::read(&entry))?
    }
}

/// Writes a file that only its owner may read, under a temporary name beside the target, and renames it. The temporary file is
/// removed on any failure. `folder` was named by the user; a link at `name` is replaced, not followed.
pub fn write_private(folder: &Path, name: &str, content: &[u8]) -> Result<()> {
    let write = || {
        scratch::sweep(folder);
        let folder = Arc::new(OutputFolder::existing(folder)?);
        folder.write(content, Readable::Owner)?.persist(OsStr::new(name), true).map(drop)
    };
    write().map_err(|error| cannot_write(folder, name, error))
}

/// Creates the folder `name` in `folder`, which the user named and which is created, too. A link of this name is refused.
///
/// # Errors
///
/// [`ErrorKind::Host`] - it is a link, or it cannot be created.
pub fn make_subfolder(folder: &Path, name: &str) -> Result<()> {
    std::fs::create_dir_all(folder)
        .and_then(|()| OutputFolder::existing(folder)?.subfolder(OsStr::new(name)))
        .map(drop)
        .map_err(|error| {
            let path = folder.join(name);
            Error::new(ErrorKind::Host, format!("cannot create the folder {}", path.display()))
                .caused_by(error)
        })
}

/// Opens the file that keeps variables, and creates it if it is missing. It must be a plain file of this user.
///
/// # Errors
///
/// The file is something else, such as a link.
pub fn state_file(folder: &Path, name: &OsStr) -> std::io::Result<File> {
    OutputFolder::existing(folder)?.read_or_create(name, Readable::Owner)
}

#[cold]
pub(in crate::session) fn cannot_write(folder: &Path, name: &str, error: std::io::Error) -> Error {
    Error::new(ErrorKind::Host, format!("cannot write {}", folder.join(name).display()))
        .remedy(Remedy::OutFolderSpace)
        .caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_entries_of_files_are_parsed() {
        let entries = FileEntries::new();
        for (line, is_likely) in [
            (r#"{"time":"t","kind":"artifact","name":"a.md","size":1,"sha256":"0"}"#, true),
            (r#"{"time":"t","kind":"recovered","name":"a.md","size":1,"sha256":"0"}"#, true),
            // Entries of calls and documents, which may name files and quote the journal.
            (r#"{"time":"t","kind":"call","call":1,"message":null,"artifacts":["a.md"]}"#, false),
            (
                r#"{"time":"t","kind":"call","message":"\"kind\":\"artifact\"","artifacts":[]}"#,
                false,
            ),
            (r#"{"time":"t","kind":"document","name":"recovered","size":1,"sha256":"0"}"#, false),
        ] {
            assert_eq!(entries.is_likely(line.as_bytes()), is_likely, "{line}");
            assert_eq!(entries.record(line.as_bytes()).is_some(), is_likely, "{line}");
        }
    }
}
