//! Why a document is not read or not edited.

/// The kinds are those of the host's contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An argument cannot be used. One problem each line.
    Invalid(String),
    /// What was named does not exist.
    NotFound(String),
    /// The document is damaged, or beyond a limit.
    Malformed(String),
    /// The document is of a kind that is not edited.
    Unsupported(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Invalid(text)
            | Self::NotFound(text)
            | Self::Malformed(text)
            | Self::Unsupported(text) => out.write_str(text),
        }
    }
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

pub(crate) fn invalid<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::Invalid(text.into()))
}
