//! Why a document or a page is not drawn.

/// The kinds are those of the host's contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An argument cannot be used.
    Invalid(String),
    /// The document or a page is damaged.
    Malformed(String),
    /// The document is of a kind that is not drawn.
    Unsupported(String),
    /// A limit is reached.
    Quota(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Invalid(text)
            | Self::Malformed(text)
            | Self::Unsupported(text)
            | Self::Quota(text) => out.write_str(text),
        }
    }
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

pub(crate) fn invalid<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::Invalid(text.into()))
}
