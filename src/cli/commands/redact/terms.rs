//! What rules found, as the words and patterns that the tools remove.

use std::collections::BTreeSet;

use mitt_base::{Error, ErrorKind, Result};

/// Most different texts that are removed from a file. The tools take some hundreds in a call, and a call reads the whole file.
const MAX_TERMS: usize = 10_000;

/// Most words of a call; each of the tools takes as many.
pub(super) const WORDS: usize = 400;

/// Most patterns of a call; each of the tools takes as many.
const PATTERNS: usize = 50;

/// Most bytes of a pattern; each of the tools takes as many.
const MAX_PATTERN: usize = 1_000;

/// Most characters of a word; each of the tools takes as many.
const MAX_WORD: usize = 200;

/// Fewest characters of the beginning of a text that a message may not quote.
const MIN_QUOTED: usize = 6;

/// First character behind the Latin letters. The tools make others alike before they compare them with a pattern.
const BEHIND_LATIN: char = '\u{250}';

/// A text that is to be removed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Term {
    /// Wherever it stands, also in longer words.
    Anywhere(String),
    /// Only as a whole word: a rule for `ass` means nothing in `classic`.
    Whole(String),
}

impl Term {
    /// Returns the term for a text that was found between two characters.
    pub(super) fn new(text: &str, before: Option<char>, after: Option<char>) -> Term {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_latin = text.chars().all(|it| it < BEHIND_LATIN);
        let has_letters = text.chars().any(char::is_alphabetic);
        let is_word = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
        let has_borders = is_word(text.chars().next()) && is_word(text.chars().next_back());
        let whole = Term::Whole(text.clone());
        if is_latin
            && has_letters
            && has_borders
            && !is_word(before)
            && !is_word(after)
            && whole.pattern().len() <= MAX_PATTERN
        {
            whole
        } else {
            Term::Anywhere(text)
        }
    }

    /// Returns what is removed for a text that was found between two characters. A text that is longer than a word may be becomes
    /// pieces of about the same length. They do not overlap: one that is removed must not hide a part of the next one.
    pub(super) fn of(text: &str, before: Option<char>, after: Option<char>) -> Vec<Term> {
        let term = Term::new(text, before, after);
        let characters: Vec<char> = match &term {
            Term::Anywhere(text) => text.chars().collect(),
            Term::Whole(_) => Vec::new(),
        };
        if characters.len() <= MAX_WORD {
            return vec![term];
        }
        let length = characters.len().div_ceil(characters.len().div_ceil(MAX_WORD));
        let piece = |piece: &[char]| piece.iter().collect::<String>().trim().to_owned();
        characters.chunks(length).map(piece).map(Term::Anywhere).collect()
    }

    /// Returns the pattern of the places where the text stands.
    pub(super) fn place(&self) -> String {
        match self {
            Term::Anywhere(text) => format!("(?i){}", regex::escape(text)),
            Term::Whole(_) => self.pattern(),
        }
    }

    /// Returns the text.
    pub(super) fn text(&self) -> &str {
        match self {
            Term::Anywhere(text) | Term::Whole(text) => text,
        }
    }

    /// Returns the pattern of a whole word, which may go on in the next line.
    fn pattern(&self) -> String {
        let mut pattern = r"(?i)\b".to_owned();
        let mut is_first = true;
        for character in self.text().chars() {
            if character == ' ' {
                pattern.push_str(r"\s+");
                is_first = true;
                continue;
            }
            if !is_first {
                pattern.push_str(r"(?:-?\n\s*)?");
            }
            is_first = false;
            pattern.push_str(&regex::escape(character.encode_utf8(&mut [0; 4])));
        }
        pattern.push_str(r"\b");
        pattern
    }
}

/// Texts that are to be removed, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms(BTreeSet<Term>);

/// The words and patterns of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) words: Vec<String>,
    pub(super) patterns: Vec<String>,
}

impl Terms {
    /// Adds a text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there are too many.
    pub(super) fn add(&mut self, term: Term) -> Result<()> {
        if self.0.insert(term) && self.0.len() > MAX_TERMS {
            let message =
                format!("the rules find more than {MAX_TERMS} different texts in this file");
            return Err(Error::new(ErrorKind::Input, message)
                .hint("split the file, or name fewer rules at once"));
        }
        Ok(())
    }

    /// Adds the texts of others.
    ///
    /// # Errors
    ///
    /// Those of [`Terms::add`].
    pub(super) fn add_all(&mut self, others: &Terms) -> Result<()> {
        others.iter().try_for_each(|term| self.add(term.clone()))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Term> {
        self.0.iter()
    }

    /// Returns `true` if some are whole words.
    pub(super) fn has_whole(&self) -> bool {
        self.iter().any(|term| matches!(term, Term::Whole(_)))
    }

    /// Returns what is removed by each call. If `is_loose`, whole words are removed wherever they stand: the tool has not found them
    /// otherwise, because the file has no blanks where people see some.
    pub(super) fn batches(&self, is_loose: bool, words_of_call: usize) -> Vec<Batch> {
        let mut words: BTreeSet<String> = BTreeSet::new();
        let mut patterns: BTreeSet<String> = BTreeSet::new();
        for term in &self.0 {
            match term {
                // Patterns ignore case, so spellings that differ in it only are one.
                Term::Whole(text) if !is_loose => {
                    patterns.insert(Term::Whole(text.to_lowercase()).pattern());
                }
                other => {
                    words.insert(other.text().to_owned());
                }
            }
        }
        let (words, patterns): (Vec<_>, Vec<_>) =
            (words.into_iter().collect(), patterns.into_iter().collect());
        let (mut words, mut patterns) = (words.chunks(words_of_call), patterns.chunks(PATTERNS));
        std::iter::from_fn(|| {
            let (words, patterns): (Option<&[String]>, Option<&[String]>) =
                (words.next(), patterns.next());
            (words.is_some() || patterns.is_some()).then(|| Batch {
                words: words.unwrap_or_default().to_vec(),
                patterns: patterns.unwrap_or_default().to_vec(),
            })
        })
        .collect()
    }

    /// Hides texts that are to be removed in a message of a tool, which may quote what stood in the file.
    pub(super) fn hidden_in(&self, message: &str) -> String {
        let mut out = String::with_capacity(message.len());
        // A quotation stands between backticks.
        for (at, part) in message.split('`').enumerate() {
            if at > 0 {
                out.push('`');
            }
            let tight = tight(part);
            // A long text is quoted by its beginning.
            let start = Some(tight.trim_end_matches('…'));
            let start = start.filter(|it| it.chars().nth(MIN_QUOTED - 1).is_some());
            let is_of = |term: &Term| {
                let term = self::tight(term.text());
                tight.contains(&term) || start.is_some_and(|start| term.contains(start))
            };
            let is_quoted = at % 2 == 1 && self.iter().any(is_of);
            out.push_str(if is_quoted { "███" } else { part });
        }
        out
    }
}

/// Returns a text without blanks, in small letters.
pub(super) fn tight(text: &str) -> String {
    text.chars().filter(|it| !it.is_whitespace()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(texts: &[Term]) -> Terms {
        let mut terms = Terms::default();
        texts.iter().try_for_each(|term| terms.add(term.clone())).unwrap();
        terms
    }

    #[test]
    fn words_with_borders_are_removed_as_whole_words() {
        let term = |text: &str, before, after| Term::new(text, before, after);
        assert_eq!(term("ass", Some(' '), Some('.')), Term::Whole("ass".into()));
        assert_eq!(term("Blue\n heron", None, None), Term::Whole("Blue heron".into()));
        for (text, before, after) in [
            ("heron", Some('张'), None),
            ("heron", None, Some('s')),
            ("138 0013 8000", Some(' '), Some(' ')),
            ("机密", None, None),
            ("ｈｅｒｏｎ", None, None),
            ("+44 20 a", None, None),
        ] {
            assert_eq!(term(text, before, after), Term::Anywhere(text.into()), "{text}");
        }
        // A pattern for this would be longer than the tools take.
        let long = "abcdefghij".repeat(12);
        assert_eq!(term(&long, None, None), Term::Anywhere(long.clone()));
    }

    #[test]
    fn a_long_text_becomes_pieces_of_the_same_length() {
        for length in [201, 400, 401, 1_700] {
            let text: String =
                (0..length).map(|it| char::from(b'a' + u8::try_from(it % 26).unwrap())).collect();
            let pieces = Term::of(&text, None, None);
            let texts: Vec<&str> = pieces.iter().map(Term::text).collect();
            assert_eq!(texts.concat(), text);
            let is_sound = |it: &&str| (100..=MAX_WORD).contains(&it.len());
            assert!(texts.iter().all(is_sound), "{length}: {texts:?}");
        }
        assert_eq!(Term::of(&"张".repeat(200), None, None).len(), 1);
        let terms = terms(&Term::of(&"张伟".repeat(850), None, None));
        let batches = terms.batches(false, WORDS);
        assert!(batches[0].words.iter().all(|it| it.chars().count() <= MAX_WORD));
        assert_eq!(terms.hidden_in(&format!("`{}…` stays", "张伟".repeat(30))), "`███` stays");
    }

    #[test]
    fn patterns_find_whole_words_over_lines_and_in_any_case() {
        let batches = terms(&[Term::Whole("Blue heron".into()), Term::Whole("BLUE HERON".into())]);
        let batches = batches.batches(false, WORDS);
        let [Batch { words, patterns }] = &batches[..] else { panic!("{batches:?}") };
        assert!(words.is_empty() && patterns.len() == 1, "{patterns:?}");
        let pattern = regex::Regex::new(&patterns[0]).unwrap();
        for text in ["a blue heron.", "Blue\nHeron", "blue her-\non", "blue  heron"] {
            assert!(pattern.is_match(text), "{text}");
        }
        for text in ["blue herons", "ablue heron", "blueheron", "blue hero"] {
            assert!(!pattern.is_match(text), "{text}");
        }
    }

    #[test]
    fn a_call_removes_as_much_as_the_tools_take() {
        let words = (0..950).map(|it| Term::Anywhere(format!("1380013{it:04}")));
        let patterns = (0..60).map(|it| Term::Whole(format!("name{it}")));
        let terms = terms(&words.chain(patterns).collect::<Vec<_>>());
        let batches = terms.batches(false, WORDS);
        let sizes: Vec<_> = batches.iter().map(|it| (it.words.len(), it.patterns.len())).collect();
        assert_eq!(sizes, [(400, 50), (400, 10), (150, 0)]);
        assert!(Terms::default().batches(false, WORDS).is_empty());
        // What was not found as a whole word is removed anywhere.
        let loose = terms.batches(true, 600);
        let sizes: Vec<_> = loose.iter().map(|it| (it.words.len(), it.patterns.len())).collect();
        assert_eq!(sizes, [(600, 0), (410, 0)]);
        assert!(batches.iter().flat_map(|it| &it.patterns).all(|it| it.len() <= MAX_PATTERN));
    }

    #[test]
    fn more_texts_than_the_bound_are_refused() {
        let mut terms = Terms::default();
        (0..MAX_TERMS).try_for_each(|it| terms.add(Term::Anywhere(it.to_string()))).unwrap();
        terms.add(Term::Anywhere("7".into())).unwrap();
        let error = terms.add(Term::Anywhere("new".into())).unwrap_err().render();
        assert!(error.contains("more than 10000 different texts"), "{error}");
    }

    #[test]
    fn messages_quote_nothing_that_is_removed() {
        let terms = terms(&[Term::Anywhere("138 0013 8000".into())]);
        assert_eq!(
            terms.hidden_in("`1380013 8000` on page 2 was removed, too; see `font A`."),
            "`███` on page 2 was removed, too; see `font A`."
        );
        assert_eq!(terms.hidden_in("nothing"), "nothing");
    }
}
