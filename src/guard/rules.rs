//! Rules as plain data, and the bounds of what a file of them may say.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::expression::Expression;
use crate::hit::{Action, Severity};
use crate::pattern::Pattern;

/// The longest file of rules, in bytes. A hundred thousand words of Chinese take about one megabyte.
pub const MAX_SET_BYTES: usize = 4 * 1024 * 1024;

/// The longest word, in letters as they are folded.
pub const MAX_WORD_LETTERS: usize = 128;

/// The most patterns of a file: each is looked for by itself.
pub const MAX_PATTERNS: usize = 100;

/// Where a word counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Wherever its letters stand. The default of words with a letter of a script that has no spaces, such as Chinese.
    Substring,
    /// Where neither a letter nor a digit of such a script as Latin or Cyrillic stands directly beside it: `ass` is not in
    /// `classic`. The default of all other words.
    Word,
}

/// What comes of a doubtful spelling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubtful {
    /// It is flagged, with a lower severity.
    #[default]
    Flag,
    /// What the rule says, with a lower severity.
    Same,
    /// Nothing.
    Ignore,
}

/// What a rule says, beside its word.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) id: Arc<str>,
    pub(crate) action: Action,
    pub(crate) severity: Severity,
}

/// One expression that is looked for.
#[derive(Clone, Debug)]
pub(crate) struct ExpressionRule {
    pub(crate) expression: Arc<Expression>,
    pub(crate) verdict: Verdict,
}

/// One word that is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) pattern: Pattern,
    pub(crate) kind: Kind,
    pub(crate) verdict: Verdict,
}
