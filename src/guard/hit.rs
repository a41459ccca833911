//! Results of a check: hits, actions and blocked texts. They never hold a word of a rule.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use mitt_base::{Error, ErrorKind};
use serde::{Deserialize, Serialize};

/// Most hits that are reported of one text.
pub(crate) const MAX_HITS: usize = 1_000;

/// What happens where a rule finds something, from weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Reports it, and leaves the text as it is.
    Flag,
    /// Replaces it by [`REDACTED`](crate::REDACTED).
    Redact,
    /// Stops the text and the operation that needs it.
    Block,
}

/// How serious the author of the rule considers a hit. It changes nothing in the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth a look.
    Low,
    /// Between the two others.
    Medium,
    /// Worth a call. The default.
    High,
}

impl Severity {
    /// Returns the severity of a doubtful hit of this rule.
    pub(crate) fn lower(self) -> Severity {
        match self {
            Severity::High => Severity::Medium,
            Severity::Medium | Severity::Low => Severity::Low,
        }
    }
}

/// How the text spells the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spelling {
    /// As in the rule, once both are folded.
    Plain,
    /// With separators that have no other purpose than hiding it, such as one between all letters.
    Spread,
    /// Perhaps no match: the letters belong to two neighbouring words (`有机。密码`), or all of them are of another script.
    Doubtful,
}

/// One place where a rule found something.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hit {
    /// Id of the rule; for a rule without one the name of its set and its line or number there: `name/12`.
    pub rule: Arc<str>,
    /// Action of the rule; for a doubtful spelling the one that the set says.
    pub action: Action,
    /// Severity of the rule; one lower for a doubtful spelling.
    pub severity: Severity,
    /// How the text spells the word.
    pub spelling: Spelling,
    /// Range in bytes, on character boundaries. In a stream it counts from the beginning of the whole text.
    pub range: Range<usize>,
    /// Up to 24 characters on each side, with everything left out that was found. Empty in a stream.
    pub context: String,
}

/// A text that may be passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked<'a> {
    /// The redacted text; borrowed if nothing was redacted.
    pub text: Cow<'a, str>,
    /// Hits that do not block, in the order of the text; at most 1 000.
    pub hits: Vec<Hit>,
    /// Number of further hits. They are redacted as well.
    pub more: usize,
    /// Ranges of the original that were redacted, in order and not adjacent.
    pub left_out: Vec<Range<usize>>,
}

/// A text that must not be passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Blocked {
    /// The first hit that blocks.
    pub hit: Hit,
    /// Hits before it, at most 1 000.
    pub before: Vec<Hit>,
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blocked by the rule `{}`", self.hit.rule)
    }
}

impl std::error::Error for Blocked {}

impl From<Blocked> for Error {
    /// Returns [`ErrorKind::Blocked`] with the id of the rule. [`Error::at`] adds what was blocked.
    fn from(blocked: Blocked) -> Error {
        Error::new(ErrorKind::Blocked, blocked.to_string())
    }
}
