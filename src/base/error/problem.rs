//! Why an input was not read, by a name that programs can act on.

use serde::{Deserialize, Serialize};

/// Why an input was not read. An error of such a kind says it in words and what to do; this is the name for programs.
///
/// A limit that was reached and a block are kinds of errors of their own: see [`Error::outcome`](super::Error::outcome).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum InputProblem {
    /// It is encrypted, and there is no password or a wrong one.
    Encrypted,
    /// Nothing here reads files of its type.
    UnsupportedType,
    /// It is larger, or holds more, than is read.
    TooLarge,
    /// It is damaged.
    Corrupt,
    /// Its text is in pictures only.
    NeedsOcr,
    /// There is nothing in it.
    Empty,
    /// Its address may not be fetched.
    FetchRefused,
    /// Its address may be fetched, and is not there or does not answer.
    FetchFailed,
}

impl InputProblem {
    /// Its name, as in JSON: `encrypted`, `unsupported-type`, `too-large`, `corrupt`, `needs-ocr`, `empty`, `fetch-refused`,
    /// `fetch-failed`.
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
