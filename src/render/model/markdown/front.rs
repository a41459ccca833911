//! The front matter of a text: properties between two lines of `---`, in the subset of YAML that people write there.
//!
//! One key and its value in a line, lists of authors, quotation marks, comments. A value may contain a colon, which YAML
//! refuses and models write. Knows nothing of Markdown.

use super::super::doc::{Meta, Paper};
use super::super::language::Language;
use mitt_base::text;

/// Most bytes of front matter. Anything longer is text.
const MAX_BYTES: usize = 16 * 1024;
/// Most characters of a value that are kept.
const MAX_VALUE: u64 = 1_000;
/// Most authors, keywords or lines of an address that are kept.
const MAX_SEVERAL: usize = 50;
/// Most keys in a warning.
const MAX_LISTED: usize = 10;

/// The head of a text.
#[derive(Debug, Default)]
pub(super) struct Front<'a> {
    pub(super) meta: Meta,
    /// The text behind it.
    pub(super) rest: &'a str,
    pub(super) warnings: Vec<String>,
}

/// Splits the front matter off a text. A text that begins with a horizontal rule has none.
pub(super) fn front(source: &str) -> Front<'_> {
    let text = source.strip_prefix('\u{FEFF}').unwrap_or(source);
    let Some((entries, rest)) = entries(text) else {
        return Front { rest: source, ..Front::default() };
    };
    let mut front = Front { rest, ..Front::default() };
    let mut unknown = Vec::new();
    for (key, values) in entries {
        front.take(&key, values, &mut unknown);
    }
    if !unknown.is_empty() {
        let more = unknown.len().saturating_sub(MAX_LISTED);
        unknown.truncate(MAX_LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        front.warnings.push(format!(
            "front matter: only `title`, `author`, `date`, `language`, `paper`, `keywords`, `to` are read, got {}{more}",
            unknown.join(", ")
        ));
    }
    front
}

impl Front<'_> {
    fn take(&mut self, key: &str, values: Vec<String>, unknown: &mut Vec<String>) {
        let first = values.first().cloned().filter(|value| !value.is_empty());
        match key.to_ascii_lowercase().as_str() {
            "title" => self.meta.title = first,
            "author" | "authors" => self.meta.authors = several(values.into_iter()),
            "date" => self.meta.date = first,
            "keywords" | "tags" => {
                let parted =
                    values.iter().flat_map(|value| value.split([',', '，', ';', '；', '、']));
                self.meta.keywords = several(parted.map(|word| word.trim().to_owned()));
            }
            "to" | "recipient" => self.meta.recipient = several(values.into_iter()),
            "language" | "lang" => match first {
                Some(tag) if Language::parse(&tag).is_none() => {
                    self.warnings.push(wrong("language", "a tag such as `zh-CN` or `en`", &tag));
                }
                tag => self.meta.language = tag,
            },
            "paper" | "papersize" => match first.as_deref().map(str::to_ascii_lowercase).as_deref()
            {
                None => {}
                Some("a4") => self.meta.paper = Some(Paper::A4),
                Some("letter" | "us-letter") => self.meta.paper = Some(Paper::Letter),
                Some(other) => self.warnings.push(wrong("paper", "`a4` or `letter`", other)),
            },
            _ => unknown.push(format!("`{}`", text::cut_chars(key, 40).0)),
        }
    }
}

fn several(values: impl Iterator<Item = String>) -> Vec<String> {
    values.filter(|value| !value.is_empty()).take(MAX_SEVERAL).collect()
}

fn wrong(key: &str, expected: &str, got: &str) -> String {
    format!("front matter: `{key}`: expected {expected}, got `{}`", text::cut_chars(got, 40).0)
}

/// A key and its values.
type KeyValues = (String, Vec<String>);

/// Returns the entries of the front matter, and the text behind it; `None` if a line does not belong into front matter.
fn entries(text: &str) -> Option<(Vec<KeyValues>, &str)> {
    let mut lines = text.split_inclusive('\n');
    let mut length = lines.next().filter(|line| line.trim_end() == "---")?.len();
    let mut entries: Vec<KeyValues> = Vec::new();
    for line in lines {
        length += line.len();
        if length > MAX_BYTES {
            return None;
        }
        let is_indented = line.starts_with([' ', '\t']);
        let content = line.trim();
        match content {
            "---" | "..." if !is_indented => {
                return (!entries.is_empty())
                    .then(|| (entries, text.get(length..).unwrap_or_default()));
            }
            // A horizontal rule has an empty line below it.
            "" if entries.is_empty() => return None,
            "" => {}
            _ if content.starts_with('#') => {}
            _ if is_indented || content.starts_with("- ") => {
                let (_, values) = entries.last_mut()?;
                go_on(values, content);
            }
            _ => {
                let (key, value) = key_and_value(content)?;
                entries.push((key.to_owned(), value));
            }
        }
    }
    None
}

/// Adds a line to the key above it: an item of its list, or more text.
fn go_on(values: &mut Vec<String>, content: &str) {
    if let Some(item) = content.strip_prefix("- ") {
        values.push(plain(item));
    } else if let Some(last) = values.last_mut() {
        if !last.is_empty() {
            last.push(' ');
        }
        last.push_str(&plain(content));
    } else {
        values.push(plain(content));
    }
    if let Some(last) = values.last_mut() {
        *last = text::cut_chars(last, MAX_VALUE).0.to_owned();
    }
}

fn key_and_value(content: &str) -> Option<(&str, Vec<String>)> {
    let (key, value) = content.split_once(':')?;
    let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
        && (value.is_empty() || value.starts_with([' ', '\t']));
    let value = value.trim();
    is_key.then(|| match value {
        // A list, or lines of text, begin below.
        "" | "|" | ">" | "|-" | ">-" => (key, Vec::new()),
        _ => match value.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
            Some(list) => (key, items(list)),
            None => (key, vec![plain(value)]),
        },
    })
}

/// Returns the items of a list in brackets. A comma within quotation marks divides nothing.
fn items(list: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut open = None;
    for c in list.chars() {
        match (c, open) {
            (',' | '，' | '、', None) => items.push(String::new()),
            _ => {
                if open == Some(c) {
                    open = None;
                } else if open.is_none() && matches!(c, '"' | '\'') {
                    open = Some(c);
                }
                if let Some(item) = items.last_mut() {
                    item.push(c);
                }
            }
        }
    }
    items.iter().map(|item| plain(item)).collect()
}

/// Returns a value without quotation marks, or without the comment behind it.
fn plain(value: &str) -> String {
    let value = value.trim();
    let quoted =
        |mark: char| value.strip_prefix(mark)?.strip_suffix(mark).filter(|_| value.len() > 1);
    let plain = if let Some(inner) = quoted('"') {
        inner.replace("\\\"", "\"").replace("\\\\", "\\")
    } else if let Some(inner) = quoted('\'') {
        inner.replace("''", "'")
    } else {
        value.split(" #").next().unwrap_or_default().trim_end().to_owned()
    };
    text::cut_chars(&plain, MAX_VALUE).0.to_owned()
}
