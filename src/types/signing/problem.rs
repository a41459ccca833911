//! Errors of files that are no keys.

use mitt_base::{Error, ErrorKind};

/// Returns the error of a file that is broken, or has too much of something.
pub(super) fn malformed(problem: &str) -> Error {
    Error::new(ErrorKind::Input, problem)
}

/// Returns the error of a file of a kind that is not read.
pub(super) fn unsupported(problem: &str) -> Error {
    Error::new(ErrorKind::Input, problem)
}
