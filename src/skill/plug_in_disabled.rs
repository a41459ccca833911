//! Replacement for `plug_in.rs` in builds without the feature.

use std::path::Path;

use super::Manifest;
use mitt_base::{Error, ErrorKind, Result};

/// See `plug_in.rs`.
pub(super) fn is_manifest(file: &str) -> bool {
    file.ends_with(".json")
}

/// Always fails.
pub(super) fn component(path: &Path) -> Result<Vec<u8>> {
    let message = format!("{}: this build has no plug-ins of Extism", path.display());
    Err(Error::new(ErrorKind::Disabled("extism"), message)
        .hint("use a build of mitt with the feature `extism`"))
}

/// Always fails.
pub(super) fn without_modules(path: &Path) -> Result<Vec<u8>> {
    component(path)
}

/// Returns `false`.
pub(super) fn is_without_modules(_: &Path) -> bool {
    false
}

/// Does nothing.
pub(super) fn narrow(_: &mut Manifest, _: &Path) -> Result<Vec<String>> {
    Ok(Vec::new())
}
