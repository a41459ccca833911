//! Named reasons why an input was not read, which programs can act on.

use serde::{Deserialize, Serialize};

/// A named reason why an input was not read, for programs. The message of the error says it in words.
///
/// A limit that was reached and a block have their own kinds of errors: see [`Error::input_problem`](super::Error::input_problem).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum InputProblem {
    /// It is encrypted, and there is no password or a wrong one.
    Encrypted,
    /// No reader supports its type.
    UnsupportedType,
    /// It is larger than the limit, or holds more.
    TooLarge,
    /// It is damaged.
    Corrupt,
    /// All its text is in pictures.
    NeedsOcr,
    /// It is empty.
    Empty,
    /// Its address may not be fetched.
    FetchRefused,
    /// Its address may be fetched, but is missing or does not answer.
    FetchFailed,
}

impl InputProblem {
    /// Returns the name, as in JSON: `encrypted`, `unsupported-type`, `too-large`, `corrupt`, `needs-ocr`, `empty`,
    /// `fetch-refused`, `fetch-failed`.
    pub fn name(self) -> &'static str {
        match self {
            InputProblem::Encrypted => "encrypted",
            InputProblem::UnsupportedType => "unsupported-type",
            InputProblem::TooLarge => "too-large",
            InputProblem::Corrupt => "corrupt",
            InputProblem::NeedsOcr => "needs-ocr",
            InputProblem::Empty => "empty",
            InputProblem::FetchRefused => "fetch-refused",
            InputProblem::FetchFailed => "fetch-failed",
        }
    }
}
