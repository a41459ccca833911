//! Why a draft is not written.

/// The kinds are those of the host's contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An argument cannot be used. One problem each line.
    Invalid(String),
    /// What was named does not exist.
    NotFound(String),
    /// The mail that is replied to is damaged.
    Malformed(String),
    /// A file is of a kind that is not used here.
    Unsupported(String),
    /// The draft would be larger than mail servers take.
    Quota(String),
    /// Another error of the host.
    Other(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.text())
    }
}

impl Error {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Invalid(text)
            | Self::NotFound(text)
            | Self::Malformed(text)
            | Self::Unsupported(text)
            | Self::Quota(text)
            | Self::Other(text) => text,
        }
    }

    /// Returns an error of the same kind with another text.
    pub(crate) fn with(&self, text: String) -> Self {
        match self {
            Self::Invalid(_) => Self::Invalid(text),
            Self::NotFound(_) => Self::NotFound(text),
            Self::Malformed(_) => Self::Malformed(text),
            Self::Unsupported(_) => Self::Unsupported(text),
            Self::Quota(_) => Self::Quota(text),
            Self::Other(_) => Self::Other(text),
        }
    }

    /// Returns the error with the place of the argument before its text.
    pub(crate) fn at(&self, place: &str) -> Self {
        self.with(format!("{place}: {}", self.text()))
    }
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

pub(crate) fn invalid<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::Invalid(text.into()))
}
