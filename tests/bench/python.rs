//! The interpreter of the peers.

use std::path::PathBuf;

/// The one that `PYTHON` names, else `python3`.
pub(crate) fn interpreter() -> PathBuf {
    std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into()).into()
}
