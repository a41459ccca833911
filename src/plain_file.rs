//! Reading files that somebody else put there: only plain ones, and only so much of them.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// The content of a plain file, one byte more than `max_bytes` at most, so that a longer one can be told.
///
/// A pipe or a device would keep the reader waiting or never end: what is no plain file, links followed, is refused.
pub(crate) fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    let mut content = Vec::new();
    File::open(path)?.take(max_bytes.saturating_add(1)).read_to_end(&mut content)?;
    Ok(content)
}
