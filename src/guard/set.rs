//! A set of rules: the contents of one file.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use mitt_base::{Error, ErrorKind, Result};

use crate::hit::{Action, Severity};
use crate::mistakes::{Mistake, Mistakes};
use crate::pattern::Pattern;
use crate::personal::{Data, Personal};
use crate::rules::{Doubtful, MAX_SET_BYTES, Verdict};
use crate::set_content::{Rule, SetContent};
use crate::yaml;

/// Rules, allowed phrases and kinds of personal data. A clone shares them.
///
/// An allowed phrase counts only for the rules of its own set: a tenant's set takes nothing away from the operator's.
#[derive(Clone)]
pub struct RuleSet {
    inner: Arc<SetContent>,
}

impl RuleSet {
    /// Reads the contents of the file `name`: YAML if it ends in `.yaml` or `.yml`, otherwise lines. The set is named after
    /// the file, without folder and ending.
    ///
    /// # Errors
    ///
    /// Those of [`RuleSet::lines`] and [`RuleSet::yaml`].
    pub fn parse(name: &str, text: &str) -> Result<RuleSet> {
        let path = Path::new(name);
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let read = match ending.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => RuleSet::read_yaml,
            _ => RuleSet::read_lines,
        };
        read(stem, name, text)
    }

    /// Reads one word per line. Empty lines and those that begin with `#` are skipped. Each word blocks, with high severity;
    /// its rule is named after set and line: `name/12`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - lines without letters or digits, with a single Latin letter, or with more than
    /// [`MAX_WORD_LETTERS`](crate::MAX_WORD_LETTERS), all of them; no word at all; more than [`MAX_SET_BYTES`].
    pub fn lines(name: &str, text: &str) -> Result<RuleSet> {
        RuleSet::read_lines(name, name, text)
    }

    /// Reads YAML: `action`, `severity`, `doubtful` (defaults for all rules), `rules` (each with `word`, `words` or
    /// `pattern`, `kind`, `action`, `severity`, `id`), `allow`, `personal-data`. Each key may be missing, but not all of
    /// them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - not YAML; unknown keys and values, words and patterns that cannot be looked for, ids that hold a word of
    /// their rule: all of them, each with its line.
    pub fn yaml(name: &str, text: &str) -> Result<RuleSet> {
        RuleSet::read_yaml(name, name, text)
    }

    fn read_lines(name: &str, place: &str, text: &str) -> Result<RuleSet> {
        let text = bounded(place, text)?;
        let (mut rules, mut mistakes) = (Vec::new(), Mistakes::new(place));
        for (number, line) in (1..).zip(text.lines()) {
            let word = line.trim();
            if word.is_empty() || word.starts_with('#') {
                continue;
            }
            let pattern = match Pattern::new(word) {
                Ok(pattern) => pattern,
                Err(why) => {
                    mistakes.add(Mistake::unusable(number, why));
                    continue;
                }
            };
            let id: Arc<str> = format!("{name}/{number}").into();
            let verdict = Verdict { id, action: Action::Block, severity: Severity::High };
            rules.push(Rule { kind: pattern.default_kind(), pattern, verdict });
        }
        mistakes.finish()?;
        if rules.is_empty() {
            return Err(empty(place, "expected a word in a line"));
        }
        Ok(RuleSet::new(SetContent {
            name: name.to_owned(),
            rules,
            expressions: Vec::new(),
            allowed: Vec::new(),
            doubtful: Doubtful::default(),
            personal: Personal::default(),
        }))
    }

    fn read_yaml(name: &str, place: &str, text: &str) -> Result<RuleSet> {
        let inner = yaml::read(name, place, bounded(place, text)?)?;
        if inner.is_empty() {
            return Err(empty(place, "expected `rules:` or `personal-data:`"));
        }
        Ok(RuleSet::new(inner))
    }

    fn new(inner: SetContent) -> RuleSet {
        RuleSet { inner: Arc::new(inner) }
    }

    /// Returns the name with which ids of its rules begin.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Returns the number of its words and patterns.
    pub fn words(&self) -> usize {
        self.inner.rules.len() + self.inner.expressions.len()
    }

    /// Returns the ids of its rules, each once: those of words and patterns in their order, then those of kinds of personal data.
    pub fn rule_ids(&self) -> Vec<Arc<str>> {
        let inner = &*self.inner;
        let words = inner.rules.iter().map(|rule| &rule.verdict);
        let patterns = inner.expressions.iter().map(|rule| &rule.verdict);
        let written = words.chain(patterns).map(|verdict| verdict.id.clone());
        let of_data = |data| Some(inner.personal.verdict(&inner.name, data)?.id);
        let mut seen = HashSet::new();
        written
            .chain(Data::ALL.into_iter().filter_map(of_data))
            .filter(|id| seen.insert(id.clone()))
            .collect()
    }

    /// Returns a set with those of its rules whose ids `keep` accepts. Allowed phrases, countries of phones and what is done with
    /// doubtful spellings stay.
    #[must_use]
    pub fn only(&self, keep: impl Fn(&str) -> bool) -> RuleSet {
        let inner = &*self.inner;
        let mut personal = inner.personal.clone();
        for (data, action) in Data::ALL.into_iter().zip(&mut personal.actions) {
            let id = inner.personal.verdict(&inner.name, data).map(|verdict| verdict.id);
            if id.is_some_and(|id| !keep(&id)) {
                *action = None;
            }
        }
        RuleSet::new(SetContent {
            name: inner.name.clone(),
            rules: inner.rules.iter().filter(|rule| keep(&rule.verdict.id)).cloned().collect(),
            expressions: inner
                .expressions
                .iter()
                .filter(|rule| keep(&rule.verdict.id))
                .cloned()
                .collect(),
            allowed: inner.allowed.clone(),
            doubtful: inner.doubtful,
            personal,
        })
    }

    pub(crate) fn inner(&self) -> &SetContent {
        &self.inner
    }
}

/// Shows no words.
impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleSet")
            .field("name", &self.inner.name)
            .field("words", &self.words())
            .field("personal", &self.inner.personal)
            .finish_non_exhaustive()
    }
}

fn bounded<'a>(place: &str, text: &'a str) -> Result<&'a str> {
    if text.len() > MAX_SET_BYTES {
        let message =
            format!("{place}: expected at most {MAX_SET_BYTES} bytes of rules, got {}", text.len());
        return Err(Error::new(ErrorKind::Input, message).hint("split the file"));
    }
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

#[cold]
fn empty(place: &str, expected: &str) -> Error {
    Error::input(format!("{place}: {expected}, got nothing"))
        .hint("a set without rules would let everything pass; leave the file out instead")
}
