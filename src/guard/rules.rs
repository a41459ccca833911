//! What a rule can say beside its word, and the limits of a file of rules.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::hit::{Action, Severity};

/// Most bytes of a file of rules. A hundred thousand Chinese words take about one megabyte.
pub const MAX_SET_BYTES: usize = 4 * 1024 * 1024;

/// Most letters of a folded word.
pub const MAX_WORD_LETTERS: usize = 128;

/// Most patterns of a file. Each costs a search of its own.
pub const MAX_PATTERNS: usize = 100;

/// Most memory of all compiled patterns of a file, in bytes. A pattern of plain letters takes a few thousand, one with `\w{1,20}`
/// some hundred thousand.
pub(crate) const MAX_PATTERNS_BYTES: usize = 16 * 1024 * 1024;

/// Where a word counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleKind {
    /// Wherever its letters stand. The default for words with a letter of a script that has no spaces, such as Chinese.
    Substring,
    /// Where neither a letter nor a digit of a script with word boundaries, such as Latin or Cyrillic, stands directly
    /// beside it: `ass` is not in `classic`. The default for all other words.
    Word,
}

/// What happens to a doubtful spelling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubtful {
    /// It is flagged, with a lower severity.
    #[default]
    Flag,
    /// The action of the rule, with a lower severity.
    Same,
    /// Nothing.
    Ignore,
}

/// What a rule says beside its word.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) id: Arc<str>,
    pub(crate) action: Action,
    pub(crate) severity: Severity,
}
