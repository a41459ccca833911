//! Foreign documents in a folder beside the project. The tests of each reader include this file by its path.

use std::path::{Path, PathBuf};

/// Returns the folder. If it does not exist, prints that and returns `None`.
pub(crate) fn corpora() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no folder `shared/corpora` beside the project");
    None
}

/// Adds all files in a folder and its subfolders to `found`, in order.
pub(crate) fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() { files(&entry, found) } else { found.push(entry) }
    }
}
