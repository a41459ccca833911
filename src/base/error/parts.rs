//! An error as plain data, to send it to another process.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Error, ErrorKind, InputProblem, Limit, Remedy};

/// Features whose absence is an error kind.
const FEATURES: [&str; 5] = ["bundled", "compile", "pdf", "watch", "xlsx"];

/// All visible parts of an [`Error`]; causes are kept as their texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorParts {
    kind: String,
    limit: Option<Limit>,
    /// The missing feature, for [`ErrorKind::Disabled`].
    feature: Option<String>,
    /// For [`ErrorKind::Busy`].
    retry_after: Option<Duration>,
    message: String,
    #[serde(default)]
    place: Option<String>,
    details: Vec<String>,
    hints: Vec<String>,
    /// The hints that are remedies, each with its position in `hints`.
    remedies: Vec<(usize, Remedy)>,
    is_retryable: bool,
    problem: Option<InputProblem>,
    /// From the nearest to the first.
    causes: Vec<String>,
}

impl ErrorParts {
    /// Returns the parts of `error`.
    pub fn of(error: &Error) -> ErrorParts {
        let mut causes = Vec::new();
        let mut cause = std::error::Error::source(error);
        while let Some(error) = cause {
            causes.push(error.to_string());
            cause = error.source();
        }
        ErrorParts {
            kind: error.kind().name().to_owned(),
            limit: error.limit_reached().cloned(),
            feature: match error.kind() {
                ErrorKind::Disabled(feature) => Some((*feature).to_owned()),
                _ => None,
            },
            retry_after: match error.kind() {
                ErrorKind::Busy { retry_after } => Some(*retry_after),
                _ => None,
            },
            message: error.message().to_owned(),
            place: error.place().map(str::to_owned),
            details: error.details().to_vec(),
            hints: error.hints().to_vec(),
            remedies: error.0.remedies.clone(),
            is_retryable: error.is_retryable(),
            problem: error.0.problem,
            causes,
        }
    }

    /// Restores the error, with its remedies in the words of this process. An unknown kind becomes a fault of the host.
    pub fn into_error(self) -> Error {
        let mut error = Error::new(self.kind(), self.message);
        let inner = &mut error.0;
        inner.place = self.place;
        inner.details = self.details;
        inner.hints = self.hints;
        inner.remedies = self.remedies;
        inner.is_retryable = self.is_retryable;
        inner.problem = self.problem;
        for text in self.causes.into_iter().rev() {
            inner.source = Some(Arc::new(SourceText { text, source: inner.source.take() }));
        }
        // The other process may have another wording, or none.
        error.reworded(|remedy| Some(remedy.text()))
    }

    fn kind(&self) -> ErrorKind {
        match self.kind.as_str() {
            "unknown-tool" => ErrorKind::UnknownTool,
            "arguments" => ErrorKind::Arguments,
            "denied" => ErrorKind::Denied,
            "blocked" => ErrorKind::Blocked,
            "limit" => self.limit.clone().map_or(ErrorKind::Host, ErrorKind::Limit),
            "trap" => ErrorKind::Trap,
            "plugin" => ErrorKind::Plugin,
            "input" => ErrorKind::Input,
            "load" => ErrorKind::Load,
            "model" => ErrorKind::Model,
            "disabled" => {
                let feature = FEATURES.iter().find(|it| self.feature.as_deref() == Some(**it));
                feature.map_or(ErrorKind::Host, |feature| ErrorKind::Disabled(feature))
            }
            "paused" => ErrorKind::Paused,
            "busy" => ErrorKind::Busy { retry_after: self.retry_after.unwrap_or_default() },
            _ => ErrorKind::Host,
        }
    }
}

/// A cause of which only the text is left.
#[derive(Debug)]
struct SourceText {
    text: String,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl fmt::Display for SourceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for SourceText {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resource;

    #[test]
    fn what_is_seen_of_an_error_survives() {
        let io = || std::io::Error::other(std::io::Error::other("the first cause"));
        let errors = [
            Error::new(ErrorKind::Arguments, "no font has these characters: 한")
                .detail("a")
                .hint("b"),
            Error::limit(Resource::Memory, 10, 11).at("rendering"),
            Error::new(ErrorKind::Load, "it cannot be compiled").caused_by(io()),
            Error::new(ErrorKind::Disabled("pdf"), "no PDF").retryable(true),
            Error::new(ErrorKind::Busy { retry_after: Duration::from_millis(7) }, "later"),
            Error::input("it is encrypted").with_problem(InputProblem::Encrypted),
            Error::new(ErrorKind::Blocked, "blocked by the rule `a/1`"),
            Error::bug("a thread panicked"),
            Error::input("no font")
                .hint("first")
                .remedy(Remedy::Title)
                .remedy(Remedy::AllowHost { host: "a.test".into() }),
        ];
        for error in errors {
            let json = serde_json::to_vec(&ErrorParts::of(&error)).unwrap();
            let parts: ErrorParts = serde_json::from_slice(&json).unwrap();
            let again = parts.into_error();
            assert_eq!(again.kind(), error.kind());
            assert_eq!(again.render(), error.render());
            assert_eq!(again.place(), error.place());
            assert_eq!(again.to_string(), error.to_string());
            assert!(again.remedies().eq(error.remedies()));
            assert_eq!(again.is_retryable(), error.is_retryable());
            assert_eq!(again.input_problem(), error.input_problem());
        }
    }

    #[test]
    fn remedies_are_worded_by_the_process_that_reads_them() {
        let mut parts = ErrorParts::of(&Error::input("a").hint("b").remedy(Remedy::Title));
        parts.hints[1] = "the words of another process".into();
        // One whose hint is missing changes nothing.
        parts.remedies.push((usize::MAX, Remedy::FontFile));
        assert_eq!(parts.into_error().hints(), ["b", "give a title"]);
    }

    #[test]
    fn strange_parts_are_a_fault_of_the_host() {
        let good = ErrorParts::of(&Error::new(ErrorKind::Load, "x"));
        for kind in ["", "limit", "disabled", "Host", "\u{0}"] {
            let parts = ErrorParts { kind: kind.into(), ..good.clone() };
            assert_eq!(*parts.into_error().kind(), ErrorKind::Host, "{kind}");
        }
    }
}
