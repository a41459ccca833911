//! In the place of `plug_in.rs` where the feature is missing.

use std::path::Path;

use super::Manifest;
use mitt_base::{Error, ErrorKind, Result};

/// As in `plug_in.rs`.
pub(super) fn is_manifest(file: &str) -> bool {
    file.ends_with(".json")
}

/// As in `plug_in.rs`: refused.
pub(super) fn component(path: &Path) -> Result<Vec<u8>> {
    let message = format!("{}: this build has no plug-ins of Extism", path.display());
    Err(Error::new(ErrorKind::Disabled("extism"), message)
        .hint("use a build of mitt with the feature `extism`"))
}

/// As in `plug_in.rs`: refused.
pub(super) fn without_modules(path: &Path) -> Result<Vec<u8>> {
    component(path)
}

/// As in `plug_in.rs`.
pub(super) fn is_without_modules(_: &Path) -> bool {
    false
}

/// As in `plug_in.rs`.
pub(super) fn narrow(_: &mut Manifest, _: &Path) -> Result<Vec<String>> {
    Ok(Vec::new())
}
