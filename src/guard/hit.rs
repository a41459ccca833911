//! What was found, and what comes of it. Never holds a word of a rule.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use mitt_base::{Error, ErrorKind};
use serde::{Deserialize, Serialize};

/// What happens where a rule finds something. The later one is the stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It is told, and the text stays as it is.
    Flag,
    /// [`REDACTED`](crate::REDACTED) stands in its place.
    Redact,
    /// The text goes nowhere, and what wanted it ends.
    Block,
}

/// How bad a hit is, in the eyes of who wrote the rule. The guard does nothing with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth a look.
    Low,
    /// Between the others.
    Medium,
    /// Worth a call. What rules have that say nothing.
    High,
}

impl Severity {
    /// That of a hit that is doubtful.
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
    /// As the rule does, once both are folded.
    Plain,
    /// With separators that can only be there to hide it, such as one between all letters.
    Spread,
    /// Perhaps not at all: the letters are those of two neighbours (`有机。密码`), or all of them are of another script.
    Doubtful,
}

/// One place where a rule found something.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hit {
    /// Id of the rule. `name/12` of one that has none: the name of its set, and its line or number there.
    pub rule: Arc<str>,
    /// What comes of it; of a doubtful spelling what the set says of those.
    pub action: Action,
    /// That of the rule; one lower for a doubtful spelling.
    pub severity: Severity,
    /// How it is spelled.
    pub spelling: Spelling,
    /// Where, in bytes of the text, on borders of characters. In a stream, from its beginning.
    pub range: Range<usize>,
    /// What stands around it, up to 24 characters on each side, with everything that was found left out. Empty in a stream.
    pub context: String,
}

/// A text that may be passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked<'a> {
    /// The text, redacted. Borrowed where nothing was.
    pub text: Cow<'a, str>,
    /// What was found and does not block, in the order of the text; at most 1 000.
    pub hits: Vec<Hit>,
    /// How many more there were. They are redacted all the same.
    pub more: usize,
    /// What was redacted: bytes of the original, in their order and apart from each other.
    pub left_out: Vec<Range<usize>>,
}

/// A text that must not be passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Blocked {
    /// The first hit that blocks.
    pub hit: Hit,
    /// What was found before it, at most 1 000.
    pub before: Vec<Hit>,
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blocked by the rule `{}`", self.hit.rule)
    }
}

impl std::error::Error for Blocked {}

impl From<Blocked> for Error {
    /// [`ErrorKind::Blocked`] with the id of the rule. Say with [`Error::at`] what was blocked.
    fn from(blocked: Blocked) -> Error {
        Error::new(ErrorKind::Blocked, blocked.to_string())
    }
}
