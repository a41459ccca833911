//! Reads a file that a caller names, up to a limit.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use mitt_base::{Error, ErrorKind, Resource, Result};

/// Reads a whole file of at most `limit` bytes.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it is missing, unreadable or not a file. [`ErrorKind::Limit`] - it is larger.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Input, format!("cannot read {}", path.display()))
            .hint("name an existing file that you may read")
            .caused_by(error)
    };
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(Error::new(
            ErrorKind::Input,
            format!("cannot read {}: it is a folder", path.display()),
        )
        .hint("name the files in it, one by one"));
    }
    let too_large = |size| Error::limit(Resource::Document, limit, size).at(path.display());
    if metadata.len() > limit {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    // The size may be unknown, as for a pipe, or may have grown since.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}
