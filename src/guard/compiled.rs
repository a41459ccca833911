//! Sets of rules, compiled so that one pass over a text finds all of them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, MatchKind};
use mitt_base::{Error, ErrorKind, Result};

use crate::expression::Expression;
use crate::pattern::Pattern;
use crate::personal::{Data, KINDS};
use crate::phones::Country;
use crate::rules::{Doubtful, RuleKind, Verdict};
use crate::set::RuleSet;

/// What a pattern of the automaton stands for.
pub(crate) struct PatternEntry {
    pub(crate) pattern: Pattern,
    /// Where the word counts, and its verdict; `None` for an allowed phrase.
    pub(crate) rule: Option<(RuleKind, usize)>,
    pub(crate) set: usize,
}

pub(crate) struct Compiled {
    /// `None` if no rule has a word.
    pub(crate) words: Option<Words>,
    pub(crate) entries: Vec<PatternEntry>,
    /// Expressions, each with the index of its verdict and of its set.
    pub(crate) expressions: Vec<(Arc<Expression>, usize, usize)>,
    pub(crate) verdicts: Vec<Verdict>,
    /// What each set does with doubtful spellings.
    pub(crate) doubtful: Vec<Doubtful>,
    /// Verdict and set for each kind of personal data.
    pub(crate) personal: [Option<(usize, usize)>; KINDS],
    /// Countries whose national notation of phone numbers is recognised.
    pub(crate) countries: Vec<Country>,
    /// Verdict for hidden text; `None` in a guard without rules.
    pub(crate) hidden: Option<usize>,
    /// Letters of the longest pattern.
    pub(crate) longest: usize,
    /// The sets that it was made of, for a guard with more of them.
    pub(crate) sets: Vec<RuleSet>,
}

/// The automaton over the letters of all patterns.
pub(crate) struct Words {
    pub(crate) nfa: NFA,
    pub(crate) root: StateID,
    /// Number of letters that lead to a state.
    pub(crate) depths: HashMap<u32, u16>,
}

impl Compiled {
    pub(crate) fn verdict(&mut self, verdict: Verdict) -> usize {
        self.verdicts.push(verdict);
        self.verdicts.len() - 1
    }

    pub(crate) fn add(&mut self, set: &RuleSet) {
        self.sets.push(set.clone());
        let inner = set.inner();
        let number = self.doubtful.len();
        self.doubtful.push(inner.doubtful);
        for rule in &inner.rules {
            let verdict = self.verdict(rule.verdict.clone());
            self.entry(&rule.pattern, Some((rule.kind, verdict)), number);
        }
        for rule in &inner.expressions {
            let verdict = self.verdict(rule.verdict.clone());
            self.expressions.push((rule.expression.clone(), verdict, number));
        }
        if !inner.is_empty() {
            inner.allowed.iter().for_each(|pattern| self.entry(pattern, None, number));
        }
        for country in &inner.personal.countries {
            if !self.countries.contains(country) {
                self.countries.push(*country);
            }
        }
        for (slot, data) in Data::ALL.into_iter().enumerate() {
            let Some(verdict) = inner.personal.verdict(&inner.name, data) else { continue };
            let before = self.personal.get(slot).copied().flatten();
            let before = before.and_then(|(at, _)| self.verdicts.get(at));
            // If several sets search for the same kind, the strongest action counts: no set can weaken another one's.
            if before.is_none_or(|before| before.action < verdict.action) {
                let verdict = self.verdict(verdict);
                if let Some(slot) = self.personal.get_mut(slot) {
                    *slot = Some((verdict, number));
                }
            }
        }
    }

    fn entry(&mut self, pattern: &Pattern, rule: Option<(RuleKind, usize)>, set: usize) {
        self.longest = self.longest.max(pattern.letters().len());
        self.entries.push(PatternEntry { pattern: pattern.clone(), rule, set });
    }
}

impl Words {
    pub(crate) fn new(entries: &[PatternEntry]) -> Result<Words> {
        let too_many = |error: &dyn fmt::Display| {
            Error::new(
                ErrorKind::Input,
                format!("the words cannot be looked for all at once: {error}"),
            )
            .hint("use fewer words")
        };
        let texts = entries.iter().map(|entry| entry.pattern.text.as_str());
        // All matches are needed, also overlapping ones: which of them count is decided later.
        let nfa = NFA::builder()
            .match_kind(MatchKind::Standard)
            .build(texts)
            .map_err(|error| too_many(&error))?;
        let start = |anchored| nfa.start_state(anchored).map_err(|error| too_many(&error));
        let (root, fixed) = (start(Anchored::No)?, start(Anchored::Yes)?);
        let mut depths = HashMap::new();
        for entry in entries {
            let mut state = fixed;
            for (depth, letter) in (1..).zip(entry.pattern.letters()) {
                let mut bytes = [0; 4];
                for byte in letter.letter.encode_utf8(&mut bytes).bytes() {
                    state = nfa.next_state(Anchored::Yes, state, byte);
                }
                depths.insert(state.as_u32(), depth);
            }
        }
        Ok(Words { nfa, root, depths })
    }
}
