//! The proof of `mitt redact` for a PDF: the reader of documents, which is another parser than the tool that redacted, reads the
//! new file in a session of its own, and nothing of what was to be removed may be in what it read.

use regex::RegexBuilder;

use super::work::Work;
use crate::interrupt::unless_interrupted;
use mitt::{Document, DocumentOptions};
use mitt_base::{Error, ErrorKind, Result};

/// The name of the new file in the session of the proof.
const NAME: &str = "redacted.pdf";

/// A word with fewer letters is not searched without regard to blanks, because it would be found between two words.
const LONG: usize = 4;

/// Metadata that the reader writes in its own form, and that holds no text of a person.
const OWN_METADATA: [&str; 3] = ["created", "modified", "pages"];

/// Refuses a redacted PDF in which the reader of documents still finds a word or pattern.
///
/// # Errors
///
/// [`ErrorKind::Plugin`] - something is left; the message names what and where. [`ErrorKind::Cancelled`] - a signal came.
/// The errors of [`mitt::Session::add_document_bytes_with`], if the new file cannot be read.
pub(super) async fn prove(
    work: &Work,
    content: &[u8],
    words: &[String],
    patterns: &[String],
) -> Result<()> {
    if words.is_empty() && patterns.is_empty() {
        return Ok(());
    }
    let wanted = Wanted::new(words, patterns)?;
    let again = work.again()?;
    // A scan has no text, which is no reason against it.
    let mut options = DocumentOptions::default();
    options.keeps_unread = true;
    again.progress.call_it("reading the new file by another reader".to_owned());
    let read = again.session.add_document_bytes_with(NAME, content.to_vec(), &options);
    let read = unless_interrupted(read).await;
    again.progress.finish();
    match read? {
        Ok(_) => {}
        // Rules about content turn `keeps_unread` off.
        Err(error) if matches!(error.input_problem(), Some("needs-ocr" | "empty")) => return Ok(()),
        Err(error) => {
            let hint = "nothing is written, because the new file cannot be read again as a proof";
            return Err(error.at("the redacted file").hint(hint));
        }
    }
    match again.session.documents().iter().find_map(|it| wanted.find_in(it)) {
        None => Ok(()),
        Some(left) => Err(Error::new(
            ErrorKind::Plugin,
            format!("another reader still finds {left}, and nothing is written"),
        )
        .hint("remove that place by `--area`, or the page by `--pages`")),
    }
}

/// Words and patterns, as they are compared.
struct Wanted {
    words: Vec<Word>,
    patterns: Vec<(String, regex::Regex)>,
}

struct Word {
    given: String,
    /// With one blank for each white space.
    spaced: String,
    /// Without blanks; empty if it is too short.
    tight: String,
}

impl Wanted {
    fn new(words: &[String], patterns: &[String]) -> Result<Wanted> {
        let word = |given: &String| {
            let (spaced, tight) = (spaced(given), tight(given));
            let letters = tight.chars().count();
            let is_long = letters >= LONG || (letters > 1 && !tight.is_ascii() && is_dense(&tight));
            let tight = if is_long { tight } else { String::new() };
            Word { given: given.clone(), spaced, tight }
        };
        let pattern = |given: &String| {
            let built = RegexBuilder::new(given).case_insensitive(true).build();
            let refused =
                |error| Error::new(ErrorKind::Input, format!("`{given}` is no pattern: {error}"));
            built.map(|regex| (given.clone(), regex)).map_err(refused)
        };
        Ok(Wanted {
            words: words.iter().map(word).collect(),
            patterns: patterns.iter().map(pattern).collect::<Result<_>>()?,
        })
    }

    /// Returns what is left in a document, and where; `None` if nothing is.
    fn find_in(&self, document: &Document) -> Option<String> {
        let inside = document.name.strip_prefix(NAME).unwrap_or_default();
        let of = match inside.trim_start_matches('/') {
            "" => String::new(),
            name => {
                if let Some(what) = self.find(name) {
                    return Some(format!("{what} in the name of an attached file"));
                }
                format!(" of the attached file `{name}`")
            }
        };
        for (label, text) in parts(document) {
            if let Some(what) = self.find(&text) {
                return Some(format!("{what} on {label}{of}"));
            }
        }
        for table in document.tables.iter() {
            if let Some(what) = self.find(&table.name) {
                return Some(format!("{what} in the name of a table{of}"));
            }
        }
        let title = document.title.iter().map(|title| ("title", title.as_str()));
        let others = document.metadata.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let metadata = title.chain(others).filter(|(name, _)| !OWN_METADATA.contains(name));
        for (name, value) in metadata {
            if let Some(what) = self.find(value) {
                return Some(format!("{what} in the metadata `{name}`{of}"));
            }
        }
        None
    }

    /// Returns what a text has.
    fn find(&self, text: &str) -> Option<String> {
        for (given, pattern) in &self.patterns {
            if pattern.find_iter(text).any(|found| !found.is_empty()) {
                return Some(format!("a text of the pattern `{given}`"));
            }
        }
        // A word does not go from one paragraph into the next.
        for paragraph in text.split("\n\n") {
            let (spaced, tight) = (spaced(paragraph), tight(paragraph));
            let is_left = |word: &&Word| {
                (!word.spaced.is_empty() && spaced.contains(&word.spaced))
                    || (!word.tight.is_empty() && tight.contains(&word.tight))
            };
            if let Some(word) = self.words.iter().find(is_left) {
                return Some(format!("`{}`", word.given));
            }
        }
        None
    }
}

/// Returns the text of each place with the name of the place, without what the reader itself wrote.
fn parts(document: &Document) -> Vec<(String, String)> {
    let part = |(label, text): (&str, &str)| (label.to_owned(), without_marks(text, label));
    text_by_place(document).into_iter().map(part).collect()
}

/// Returns the text of each place as it was read, with the name of the place.
pub(super) fn text_by_place(document: &Document) -> Vec<(&str, &str)> {
    let mut parts = Vec::new();
    let mut starts: Vec<(u64, &str)> =
        document.places.iter().map(|place| (place.offset, place.label.as_str())).collect();
    if starts.first().is_none_or(|first| first.0 > 0) {
        starts.insert(0, (0, "the first page"));
    }
    let mut rest = document.text.as_str();
    for (at, (offset, label)) in starts.iter().enumerate() {
        let end = starts.get(at + 1).map_or(u64::MAX, |next| next.0);
        let length = usize::try_from(end.saturating_sub(*offset)).unwrap_or(usize::MAX);
        let split = rest.char_indices().nth(length).map_or(rest.len(), |(index, _)| index);
        let (part, further) = rest.split_at(split);
        rest = further;
        parts.push((*label, part));
    }
    parts
}

/// Returns a text without the marks of Markdown and without lines that the reader wrote itself.
fn without_marks(text: &str, label: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let is_own = match label {
            "form" => matches!(line, "## Form" | "| field | value |"),
            "attached files" => line == "Attached:",
            _ => false,
        };
        let is_rule = line.starts_with("| -") || line.starts_with("|-") || line.starts_with("```");
        if is_own || is_rule {
            continue;
        }
        let line = line.trim_start_matches(['#', '>', ' ']);
        let line = line.strip_prefix("- ").unwrap_or(line).replace("<br>", " ");
        push_line(&mut out, &line);
        out.push('\n');
    }
    out
}

/// Appends a line without marks: escapes, emphasis, bars of a table, references to notes.
fn push_line(out: &mut String, line: &str) {
    let is_row = line.starts_with('|');
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' if characters.peek().is_some_and(char::is_ascii_punctuation) => {
                out.extend(characters.next());
            }
            '[' if characters.peek() == Some(&'^') => {
                characters.by_ref().take_while(|c| *c != ']').for_each(drop);
            }
            '*' => {}
            '|' if is_row => out.push(' '),
            other => out.push(other),
        }
    }
}

/// Returns a text in small letters, with one blank for each white space, and with one form of characters that look alike.
fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.trim().chars() {
        match c {
            'ﬀ' => out.push_str("ff"),
            'ﬁ' => out.push_str("fi"),
            'ﬂ' => out.push_str("fl"),
            'ﬃ' => out.push_str("ffi"),
            'ﬄ' => out.push_str("ffl"),
            'ﬅ' | 'ﬆ' => out.push_str("st"),
            '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{feff}' | '*' | '`' | '\\' => {}
            '‘' | '’' | '‛' => out.push('\''),
            '“' | '”' => out.push('"'),
            '‐' | '‑' | '‒' | '–' | '−' => out.push('-'),
            '\u{ff01}'..='\u{ff5e}' => {
                let narrow = char::from_u32(u32::from(c) - 0xfee0);
                out.extend(narrow.into_iter().flat_map(char::to_lowercase));
            }
            c if c.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// Does what [`spaced`] does, without any blank.
fn tight(text: &str) -> String {
    let mut text = spaced(text);
    text.retain(|c| c != ' ');
    text
}

/// Returns `true` for words of writing systems that set no blanks between words.
fn is_dense(word: &str) -> bool {
    word.chars().any(|c| matches!(c, '\u{e00}'..='\u{eff}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt::Place;

    /// The second page begins with `Mit`.
    fn document(text: &str) -> Document {
        let second = text.find("Mit").unwrap_or(1_000) as u64;
        Document {
            name: NAME.to_owned(),
            media_type: "application/pdf".to_owned(),
            title: Some("A title".to_owned()),
            metadata: vec![
                ("author".to_owned(), "Ms Gray".to_owned()),
                ("created".to_owned(), "2024-05-06T07:08:09".to_owned()),
            ],
            characters: text.chars().count() as u64,
            text: text.to_owned(),
            places: vec![
                Place { offset: 0, label: "page 1".to_owned() },
                Place { offset: second, label: "page 2".to_owned() },
            ],
            tables: Vec::new().into(),
            warnings: Vec::new(),
            sha256: String::new(),
            size: 0,
        }
    }

    fn left(text: &str, words: &[&str], patterns: &[&str]) -> Option<String> {
        let owned =
            |list: &[&str]| -> Vec<String> { list.iter().map(ToString::to_string).collect() };
        Wanted::new(&owned(words), &owned(patterns)).unwrap().find_in(&document(text))
    }

    #[test]
    fn what_is_left_is_found_over_blanks_and_marks() {
        for (text, word, expected) in [
            ("aaaaaaaaa\nMit arbei terinnen\n", "Mitarbeiter", Some("`Mitarbeiter` on page 2")),
            ("**Sec**r\\*et", "secr*et", Some("`secr*et` on page 1")),
            ("| a | Li<br>Wei |", "li wei", Some("`li wei` on page 1")),
            ("oﬃce", "OFFICE", Some("`OFFICE` on page 1")),
            ("张 伟", "张伟", Some("`张伟` on page 1")),
            ("all in one", "Li", None),
            ("one\n\ntwo", "onetwo", None),
            ("none", "title", Some("`title` in the metadata `title`")),
            ("none", "gray", Some("`gray` in the metadata `author`")),
        ] {
            assert_eq!(left(text, &[word], &[]).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn patterns_are_not_found_in_what_the_reader_wrote() {
        assert_eq!(left("word[^3-1] and", &[], &[r"\d"]), None);
        assert_eq!(left("no date", &[], &[r"\d{4}-\d{2}"]), None);
        let found = left("Tel. 555\\-1234", &[], &[r"\d{3}-\d{4}"]).unwrap();
        assert!(found.contains("pattern") && found.ends_with("on page 1"), "{found}");
        assert!(Wanted::new(&[], &["(".to_owned()]).is_err());
    }

    #[test]
    fn names_of_the_form_are_not_those_of_the_document() {
        let mut document = document("## Form\n\n| field | value |\n| --- | --- |\n| a | b |\n");
        document.places = vec![Place { offset: 0, label: "form".to_owned() }];
        let wanted = |word: &str| Wanted::new(&[word.to_owned()], &[]).unwrap();
        assert_eq!(wanted("value").find_in(&document), None);
        document.places[0].label = "page 1".to_owned();
        assert!(wanted("value").find_in(&document).is_some());
    }
}
