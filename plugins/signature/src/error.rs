//! Errors: what is wrong, where, and what helps.

use std::fmt;

/// The class of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The bytes are not what they should be.
    Malformed,
    /// A bound of this crate is exceeded.
    Limit,
    /// The form or the algorithm is not supported.
    Unsupported,
    /// The password is missing or wrong.
    Password,
    /// The key cannot sign, or does not belong to the certificate.
    Key,
    /// The certificate is not fit to sign with.
    Certificate,
    /// The signature does not fit into the place that was kept for it.
    Room,
}

/// What is wrong, as one sentence without a final period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    /// Returns an error of this class. A key outside of this crate reports its failures with it.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into() }
    }

    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    /// Returns the class of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
