//! Why a file is not redacted.

/// The kinds are those of the host's contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An argument cannot be used. One problem each line.
    Invalid(String),
    /// Nothing to remove was found.
    NotFound(String),
    /// The file is damaged.
    Malformed(String),
    /// The file is of a kind that is not redacted, or something would be left.
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

impl std::error::Error for Error {}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// Returns the error for a hit that the second reader found.
pub(crate) fn left<T>(place: &str) -> Result<T> {
    Err(Error::Unsupported(format!(
        "a hit is left in {place}; nothing was delivered; edit the file there, or give fewer words"
    )))
}

/// Returns the error of a file without hits.
pub(crate) fn nothing<T>(how: &str) -> Result<T> {
    Err(Error::NotFound(format!("nothing to remove was found{how}")))
}

/// Returns a text of at most `most` characters on one line.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    let mut out: String =
        text.chars().take(most).map(|it| if it.is_control() { ' ' } else { it }).collect();
    if text.chars().nth(most).is_some() {
        out.push('…');
    }
    out
}
