//! Expands folders to the files in them.

use std::path::{Path, PathBuf};

use crate::output::note;
use mitt::url_of;
use mitt_base::{Error, ErrorKind, Result};

/// Most files in all folders of a command.
const MOST: usize = 100_000;

/// Deepest folders that are visited.
const DEPTH: usize = 64;

/// Returns files as they are, and the files in folders in the order of their names. Hidden files and links are skipped, with
/// a note.
///
/// # Errors
///
/// [`ErrorKind::Input`] - a folder cannot be read, has no file, or has too many.
pub(super) fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if url_of(path).is_some() || !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let (before, mut left_out) = (files.len(), 0);
        walk(path, DEPTH, &mut files, &mut left_out)?;
        if left_out > 0 {
            let these = if left_out == 1 {
                "1 hidden file or link is"
            } else {
                &format!("{left_out} hidden files and links are")
            };
            note(&format!("warning: {}: {these} left out", path.display()));
        }
        if files.len() == before {
            return Err(
                Error::new(ErrorKind::Input, "there is no file in this folder").at(path.display())
            );
        }
    }
    Ok(files)
}

fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>, left_out: &mut usize) -> Result<()> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Input, "the folder cannot be read")
            .at(folder.display())
            .caused_by(error)
    };
    if depth == 0 {
        let message = format!("folders lie more than {DEPTH} deep in one another");
        return Err(Error::new(ErrorKind::Input, message).at(folder.display()));
    }
    let mut entries = std::fs::read_dir(folder)
        .and_then(|entries| entries.take(MOST).collect::<std::io::Result<Vec<_>>>())
        .map_err(unreadable)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().map_err(unreadable)?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if is_hidden || !(kind.is_file() || kind.is_dir()) {
            *left_out += 1;
        } else if kind.is_dir() {
            walk(&entry.path(), depth - 1, files, left_out)?;
        } else {
            files.push(entry.path());
        }
        if files.len() >= MOST {
            let message = format!("expected fewer than {MOST} files");
            return Err(Error::new(ErrorKind::Input, message)
                .at(folder.display())
                .hint("name a folder with fewer of them"));
        }
    }
    Ok(())
}
