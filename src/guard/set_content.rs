//! What a set of rules holds, as it was read.

use std::sync::Arc;

use crate::expression::Expression;
use crate::pattern::Pattern;
use crate::personal::Personal;
use crate::rules::{Doubtful, RuleKind, Verdict};

/// Rules, allowed phrases and kinds of personal data of one file.
pub(crate) struct SetContent {
    pub(crate) name: String,
    pub(crate) rules: Vec<Rule>,
    pub(crate) expressions: Vec<ExpressionRule>,
    pub(crate) allowed: Vec<Pattern>,
    pub(crate) doubtful: Doubtful,
    pub(crate) personal: Personal,
}

impl SetContent {
    /// Returns `true` if it searches for nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.expressions.is_empty() && self.personal.is_empty()
    }
}

/// A rule with an expression.
#[derive(Clone, Debug)]
pub(crate) struct ExpressionRule {
    pub(crate) expression: Arc<Expression>,
    pub(crate) verdict: Verdict,
}

/// A rule with a word.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) pattern: Pattern,
    pub(crate) kind: RuleKind,
    pub(crate) verdict: Verdict,
}
