//! Documents by others, where they lie beside the project. The tests of each reader take it in by its path.

use std::path::{Path, PathBuf};

/// Their folder; none, and that is told, where it is not there.
pub(crate) fn corpora() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no folder `shared/corpora` beside the project");
    None
}

/// All files in a folder and those below it, in order.
pub(crate) fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() { files(&entry, found) } else { found.push(entry) }
    }
}
