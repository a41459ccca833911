//! Finds the phrases of `words.txt` in a text, in one pass.
//!
//! Knows kinds of phrases and their positions. Does not decide what they mean together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::text::{folded_phrase, is_dense};

const LISTS: &str = include_str!("words.txt");

/// Least number of letters of a verb in which a typo is recognised.
const SLIP_LETTERS: usize = 5;

/// Most letters of a stem in which a typo is recognised.
const MAX_STEM: usize = 12;

/// Kinds of phrases; the comments in `words.txt` explain them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PhraseKind {
    Chat,
    Beside,
    Alone,
    About,
    Ability,
    Have,
    You,
    Particle,
    Howto,
    Polite,
    Request,
    Want,
    Verb,
    Vague,
    Capable,
    /// Named `kind` in the list.
    Format,
    Thing,
    Object,
    Specific,
    Ask,
    Why,
    Output,
    Not,
    Done,
    Nothing,
}

const NAMES: [(&str, PhraseKind); 25] = [
    ("chat", PhraseKind::Chat),
    ("beside", PhraseKind::Beside),
    ("alone", PhraseKind::Alone),
    ("about", PhraseKind::About),
    ("ability", PhraseKind::Ability),
    ("have", PhraseKind::Have),
    ("you", PhraseKind::You),
    ("particle", PhraseKind::Particle),
    ("howto", PhraseKind::Howto),
    ("polite", PhraseKind::Polite),
    ("request", PhraseKind::Request),
    ("want", PhraseKind::Want),
    ("verb", PhraseKind::Verb),
    ("vague", PhraseKind::Vague),
    ("capable", PhraseKind::Capable),
    ("kind", PhraseKind::Format),
    ("thing", PhraseKind::Thing),
    ("object", PhraseKind::Object),
    ("specific", PhraseKind::Specific),
    ("ask", PhraseKind::Ask),
    ("why", PhraseKind::Why),
    ("output", PhraseKind::Output),
    ("not", PhraseKind::Not),
    ("done", PhraseKind::Done),
    ("nothing", PhraseKind::Nothing),
];

/// Name of the list of words that look like a verb with a typo.
const NO_SLIP: &str = "no-slip";

/// Set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PhraseKinds(u32);

impl PhraseKinds {
    const fn of(kind: PhraseKind) -> PhraseKinds {
        PhraseKinds(1 << kind as u32)
    }

    pub(super) fn has(self, kind: PhraseKind) -> bool {
        self.0 & PhraseKinds::of(kind).0 != 0
    }

    /// Kinds of small talk, which hide nothing: `麻烦你了` also begins a request.
    const SMALL_TALK: PhraseKinds = PhraseKinds(
        PhraseKinds::of(PhraseKind::Chat).0
            | PhraseKinds::of(PhraseKind::Beside).0
            | PhraseKinds::of(PhraseKind::Alone).0,
    );

    fn without(self, others: PhraseKinds) -> PhraseKinds {
        PhraseKinds(self.0 & !others.0)
    }

    fn and(self, others: PhraseKinds) -> PhraseKinds {
        PhraseKinds(self.0 | others.0)
    }
}

/// Phrase in a text, without surrounding blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kinds: PhraseKinds,
}

/// All phrases, ready to be searched.
#[derive(Default)]
struct Words {
    /// `None` only if the list were invalid, which tests rule out: nothing is found then, and every text is ambiguous.
    finder: Option<AhoCorasick>,
    /// Kinds of each pattern, and whether its last word may continue.
    patterns: Vec<(PhraseKinds, bool)>,
    /// Verbs with one typo: a missing or doubled letter, or two swapped ones; then those that may continue.
    slips: [BTreeSet<String>; 2],
}

static WORDS: LazyLock<Words> = LazyLock::new(|| Words::read(LISTS).unwrap_or_default());

/// Returns the phrases of a folded text, in order, without those that a longer one covers and without small talk.
pub(super) fn marks(folded: &str) -> Vec<Mark> {
    let mut found = WORDS.all(folded);
    for mark in &mut found {
        mark.kinds = mark.kinds.without(PhraseKinds::SMALL_TALK);
    }
    found.retain(|mark| mark.kinds != PhraseKinds::default());
    found.sort_unstable_by_key(|mark| (mark.start, std::cmp::Reverse(mark.end)));
    let mut reached = 0;
    found.retain(|mark| {
        let is_seen = mark.end > reached;
        reached = reached.max(mark.end);
        is_seen
    });
    found.extend(WORDS.slipped(folded, &found));
    found.sort_unstable_by_key(|mark| mark.start);
    found
}

/// Returns the phrases of small talk in a folded text, at any position.
pub(super) fn small_talk(folded: &str) -> Vec<Mark> {
    let mut found = WORDS.all(folded);
    found.retain(|mark| mark.kinds.0 & PhraseKinds::SMALL_TALK.0 != 0);
    found
}

impl Words {
    /// Parses the lists. The error says what is invalid.
    fn read(lists: &str) -> Result<Words, String> {
        let mut phrases = BTreeMap::<(String, bool), PhraseKinds>::new();
        let (mut slips, mut no_slips) = ([BTreeSet::new(), BTreeSet::new()], BTreeSet::new());
        for (name, entries) in paragraphs(lists) {
            for entry in entries.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                if name == NO_SLIP {
                    no_slips.insert(entry.to_owned());
                    continue;
                }
                let kind = NAMES.iter().find(|(other, _)| *other == name);
                let kind = kind.map(|(_, kind)| *kind).ok_or(format!("no list `{name}`"))?;
                for (phrase, is_open) in forms(entry) {
                    if kind == PhraseKind::Verb && !phrase.contains(' ') {
                        slips[usize::from(is_open)].extend(slips_of(&phrase));
                    }
                    let kinds = phrases.entry((folded_phrase(&phrase), is_open)).or_default();
                    *kinds = kinds.and(PhraseKinds::of(kind));
                }
            }
        }
        let is_known = |word: &str| phrases.contains_key(&(format!(" {word} "), false));
        for slips in &mut slips {
            slips.retain(|word| !no_slips.contains(word) && !is_known(word));
        }
        let written = |(phrase, is_open): &(String, bool)| {
            if *is_open { phrase.trim_end().to_owned() } else { phrase.clone() }
        };
        let finder = AhoCorasick::new(phrases.keys().map(written)).map_err(|it| it.to_string())?;
        let patterns = phrases.into_iter().map(|((_, is_open), kinds)| (kinds, is_open)).collect();
        Ok(Words { finder: Some(finder), patterns, slips })
    }

    /// Returns every phrase at any position, including those inside of others.
    fn all(&self, folded: &str) -> Vec<Mark> {
        let Some(finder) = &self.finder else { return Vec::new() };
        let mark = |found: aho_corasick::Match| {
            let (kinds, is_open) = self.patterns.get(found.pattern().as_usize()).copied()?;
            let mut end = found.end();
            if is_open {
                let rest = &folded[end..];
                end += rest
                    .find(|letter: char| !letter.is_alphanumeric() || is_dense(letter))
                    .unwrap_or(rest.len());
            }
            let text = &folded[found.start()..end];
            let start = found.start() + (text.len() - text.trim_start().len());
            Some(Mark { start, end: start + text.trim().len(), kinds })
        };
        finder.find_overlapping_iter(folded).filter_map(mark).collect()
    }

    /// Returns words that are in no phrase and look like a verb with a typo.
    fn slipped(&self, folded: &str, known: &[Mark]) -> Vec<Mark> {
        let mut found = Vec::new();
        let mut at = 0;
        for word in folded.split_inclusive(|letter: char| !letter.is_ascii_alphabetic()) {
            let (start, length) =
                (at, word.trim_end_matches(|letter: char| !letter.is_ascii_alphabetic()).len());
            at += word.len();
            let word = &folded[start..start + length];
            let [whole, open] = &self.slips;
            let mut stems = (SLIP_LETTERS - 1..=length.min(MAX_STEM)).map(|to| &word[..to]);
            let is_slip = whole.contains(word) || stems.any(|stem| open.contains(stem));
            if is_slip && !known.iter().any(|mark| mark.start <= start && start < mark.end) {
                found.push(Mark {
                    start,
                    end: start + length,
                    kinds: PhraseKinds::of(PhraseKind::Verb),
                });
            }
        }
        found
    }
}

/// Returns the lists by name. Lines that begin with `#` are comments.
fn paragraphs(lists: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in lists.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        match (line.split_once(": "), found.last_mut()) {
            (Some((name, entries)), _) if !line.starts_with(' ') => {
                found.push((name, entries.to_owned()))
            }
            (_, Some((_, last))) => {
                last.push(' ');
                last.push_str(line);
            }
            _ => {}
        }
    }
    found
}

/// Returns the forms of a phrase, each with whether its last word may continue.
fn forms(entry: &str) -> Vec<(String, bool)> {
    if let Some(stem) = entry.strip_suffix('*') {
        return vec![(stem.to_owned(), true)];
    }
    let Some((verb, rest)) = entry.split_once('+') else { return vec![(entry.to_owned(), false)] };
    let short = verb.strip_suffix('e').unwrap_or(verb);
    let last = verb.chars().next_back().unwrap_or_default();
    let ends = match last {
        's' | 'x' | 'h' => "es",
        _ => "s",
    };
    let mut forms: Vec<String> =
        ["".to_owned(), ends.to_owned()].map(|end| format!("{verb}{end}")).into();
    forms.extend([
        format!("{short}ed"),
        format!("{short}ing"),
        format!("{verb}{last}ed"),
        format!("{verb}{last}ing"),
    ]);
    forms.into_iter().map(|form| (format!("{form}{rest}"), false)).collect()
}

/// Returns a verb with each recognised typo.
fn slips_of(verb: &str) -> Vec<String> {
    let letters: Vec<char> = verb.chars().collect();
    if letters.len() < SLIP_LETTERS || !verb.is_ascii() {
        return Vec::new();
    }
    let mut slips = Vec::new();
    for at in 0..letters.len() {
        let (before, after) = letters.split_at(at);
        let word = |middle: &[char], rest: &[char]| -> String {
            before.iter().chain(middle).chain(rest).collect()
        };
        // The first letter is hardly ever missing.
        if at > 0 {
            slips.push(word(&[], &after[1..]));
        }
        slips.push(word(&[after[0], after[0]], &after[1..]));
        if let [a, b, rest @ ..] = after
            && a != b
        {
            slips.push(word(&[*b, *a], rest));
        }
    }
    slips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_read_and_every_kind_has_phrases() {
        let words = Words::read(LISTS).unwrap();
        let all =
            words.patterns.iter().fold(PhraseKinds::default(), |all, (kinds, _)| all.and(*kinds));
        for (name, kind) in NAMES {
            assert!(all.has(kind), "{name}");
        }
        assert!(words.patterns.len() > 1_000 && words.slips.iter().all(|slips| slips.len() > 200));
    }

    #[test]
    fn longer_phrases_hide_shorter_ones() {
        let kinds = |text: &str, kind| {
            marks(&folded_phrase(text)).iter().filter(|it| it.kinds.has(kind)).count()
        };
        assert_eq!(kinds("数据分析", PhraseKind::Verb), 0);
        assert_eq!(kinds("分析数据", PhraseKind::Verb), 1);
        assert_eq!(kinds("能不能", PhraseKind::Not), 0);
        assert_eq!(kinds("sorting sorted sort resort", PhraseKind::Verb), 3);
        assert_eq!(kinds("sumarize genrate conver exprot", PhraseKind::Verb), 4);
        assert_eq!(kinds("covert crate country ready", PhraseKind::Verb), 0);
    }
}
