//! Characters that mislead the reader of a text: they move the cursor, reorder or hide their neighbours, or are invisible.
//! No other module knows them: terminals, messages, approvals, manifests and file names all ask here.
//!
//! Emoji and scripts keep the characters that they need: a joiner between pictures or in a script with joined letters, a
//! selector after a picture or an ideograph. Anywhere else the same characters can carry hidden text.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// Combining marks on one letter, such as accents. No language stacks more; with more, a text paints over its neighbours.
const MAX_MARKS: usize = 4;

/// Which characters are shown unchanged besides those that never mislead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Line ends and tabs, for a text of several lines.
    Many,
    /// Neither, for a text that must not forge a line.
    One,
}

/// Returns `text` with every misleading character escaped, as in `\u{202e}`.
pub fn visible(text: &str, lines: Lines) -> Cow<'_, str> {
    let shown = escaped(text, lines, push_escaped);
    // `\r\n` counts as one line end; a lone `\r` was escaped before.
    match lines {
        Lines::Many if shown.contains('\r') => Cow::Owned(shown.replace("\r\n", "\n")),
        _ => shown,
    }
}

/// Returns `text` with every misleading character written by `push`.
fn escaped(text: &str, lines: Lines, push: fn(&mut String, char)) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut done = 0;
    for (at, c) in misleading(text, lines) {
        shown.push_str(&text[done..at]);
        push(&mut shown, c);
        done = at + c.len_utf8();
    }
    match done {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(shown + &text[done..]),
    }
}

fn push_escaped(text: &mut String, c: char) {
    match c {
        '\n' | '\r' | '\t' => text.extend(c.escape_default()),
        _ => {
            let _ = write!(text, "{}", c.escape_unicode());
        }
    }
}

/// Returns the first misleading character of `text`, with its line and column from 1.
///
/// A selector of ideographs counts from the fifth one on, and earlier if it is not among the first four values: a choice of
/// 240 after each letter can encode a hidden text that every model reads.
pub fn first(text: &str, lines: Lines) -> Option<(usize, usize, char)> {
    if plain_bytes(text.as_bytes(), lines) == text.len() {
        return None;
    }
    let selectors = text.char_indices().filter(|(_, c)| is_ideographic_selector(*c));
    let mut too_many = selectors.enumerate().filter(|(n, (_, c))| *n >= 4 || *c > '\u{e0103}');
    let hidden = too_many.next().map(|(_, selector)| selector);
    let (at, c) = [misleading(text, lines).next(), hidden].into_iter().flatten().min()?;
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    Some((line, column, c))
}

/// Returns the misleading characters of `text` with their positions.
fn misleading(text: &str, lines: Lines) -> impl Iterator<Item = (usize, char)> {
    let mut before: Option<char> = None;
    let mut marks = 0;
    let mut at_next = 0;
    std::iter::from_fn(move || {
        loop {
            // Skills and messages are mostly such text, and a start checks all of those of the bundled skills.
            let plain = plain_bytes(&text.as_bytes()[at_next..], lines);
            if plain > 0 {
                at_next += plain;
                before = Some(char::from(text.as_bytes()[at_next - 1]));
                marks = 0;
            }
            let at = at_next;
            let mut rest = text[at..].chars();
            let c = rest.next()?;
            at_next += c.len_utf8();
            let after = rest.next();
            let previous = before.replace(c);
            marks = if is_mark(c) { marks + 1 } else { 0 };
            let is_plain = match c {
                '\n' | '\t' => lines == Lines::Many,
                '\r' => lines == Lines::Many && after == Some('\n'),
                '\u{200c}' | '\u{200d}' => joins(previous, c, after),
                '\u{fe0e}' | '\u{fe0f}' => previous.is_some_and(|it| takes_selector(it, after)),
                c if is_ideographic_selector(c) => previous.is_some_and(is_ideograph),
                c => !is_hidden(c) && marks <= MAX_MARKS,
            };
            if !is_plain {
                // An escaped character neither joins nor selects anything.
                before = None;
                return Some((at, c));
            }
        }
    })
}

/// Returns the number of bytes at the beginning of a text that are printable ASCII, or line ends and tabs if `lines` allows them.
fn plain_bytes(bytes: &[u8], lines: Lines) -> usize {
    let is_plain = |byte: &u8| {
        matches!(byte, b' '..=b'~') || lines == Lines::Many && matches!(byte, b'\n' | b'\t')
    };
    // Blocks without an early end become vector instructions.
    let blocks = bytes.chunks_exact(32);
    let blocks = blocks.take_while(|block| block.iter().fold(true, |all, it| all & is_plain(it)));
    let whole = blocks.count() * 32;
    whole + bytes[whole..].iter().take_while(|byte| is_plain(byte)).count()
}

/// Returns `true` for control characters, direction marks, characters without width, and those that each font shows
/// differently.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
            // Private use: the reader's font decides what they look like.
            | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// Returns `true` for marks that combine with the letter before.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{6d6}'..='\u{6ed}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}'
        | '\u{eb1}' | '\u{eb4}'..='\u{ebc}' | '\u{ec8}'..='\u{ece}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{302a}'..='\u{302f}' | '\u{3099}' | '\u{309a}'
        | '\u{fe20}'..='\u{fe2f}')
}

/// Returns `true` if a joiner belongs to the text: between two pictures, or between letters of a script that joins them.
fn joins(before: Option<char>, joiner: char, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let is_joined = |c: char| matches!(c, '\u{620}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{900}'..='\u{dff}');
    if is_joined(before) && is_joined(after) {
        return true;
    }
    let is_selector = before == '\u{fe0f}';
    joiner == '\u{200d}' && (is_picture(before) || is_selector) && is_picture(after)
}

fn is_picture(c: char) -> bool {
    matches!(c, '\u{203c}'..='\u{2049}' | '\u{2100}'..='\u{27ff}' | '\u{2900}'..='\u{2bff}' | '\u{3030}' | '\u{303d}'
        | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Returns `true` for characters that a selector after them switches between colour and monochrome.
fn takes_selector(c: char, after: Option<char>) -> bool {
    let is_key = matches!(c, '0'..='9' | '#' | '*') && after == Some('\u{20e3}');
    is_picture(c) || is_key || matches!(c, '©' | '®')
}

/// Returns `true` for characters that select one of several forms of an ideograph.
fn is_ideographic_selector(c: char) -> bool {
    matches!(c, '\u{e0100}'..='\u{e01ef}')
}

/// Returns `text` with selectors of ideographs escaped: where a person decides, nothing must be hidden after a letter.
pub fn without_selectors(text: &str) -> Cow<'_, str> {
    if !text.contains(is_ideographic_selector) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for c in text.chars() {
        if is_ideographic_selector(c) { push_escaped(&mut shown, c) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns JSON text with every misleading character in its strings escaped, as in `\u202e`: the same value for a machine.
pub fn json(text: &str) -> Cow<'_, str> {
    // Outside of strings there is only white space, which stays.
    escaped(text, Lines::Many, push_json)
}

fn push_json(text: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        let _ = write!(text, "\\u{unit:04x}");
    }
}

/// Returns `value` as indented JSON without misleading characters.
pub fn pretty_json(value: &serde_json::Value) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, PrettyFormatter::new());
    match value.serialize(&mut serializer) {
        Ok(()) => {
            let text = String::from_utf8(text).unwrap_or_default();
            match json(&text) {
                Cow::Borrowed(_) => text,
                Cow::Owned(escaped) => escaped,
            }
        }
        Err(_) => value.to_string(),
    }
}

/// Writes `value` as one line of JSON that is safe wherever the file ends up: no character misleads, and none has a meaning
/// for a shell inside double quotes.
///
/// # Errors
///
/// Those of `serde_json::to_writer`.
pub fn write_inert_json(out: &mut Vec<u8>, value: &impl Serialize) -> serde_json::Result<()> {
    value.serialize(&mut Serializer::with_formatter(out, Inert(CompactFormatter)))
}

/// Compact JSON with more escapes than JSON needs.
struct Inert(CompactFormatter);

impl Formatter for Inert {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let is_inert =
            |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'$' | b'`' | b'!');
        if fragment.bytes().all(is_inert) {
            return self.0.write_string_fragment(writer, fragment);
        }
        let mut text = String::with_capacity(fragment.len() + 8);
        let mut hidden = misleading(fragment, Lines::One).peekable();
        for (at, c) in fragment.char_indices() {
            let is_hidden = hidden.next_if(|(hidden, _)| *hidden == at).is_some();
            match c {
                c if is_hidden || matches!(c, '$' | '`' | '!') => push_json(&mut text, c),
                c => text.push(c),
            }
        }
        self.0.write_string_fragment(writer, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_told_by_choosing_forms_of_ideographs() {
        // Japanese names are written this way.
        let name = "葛\u{e0100}飾区の辻\u{e0101}さん";
        assert_eq!(first(name, Lines::One), None);
        assert_eq!(visible(name, Lines::One), name);
        assert_eq!(first("a\n葛\u{e0155}", Lines::Many), Some((2, 2, '\u{e0155}')));
        let message = "葛\u{e0100}".repeat(5);
        assert_eq!(first(&message, Lines::Many), Some((1, 10, '\u{e0100}')));
        assert_eq!(without_selectors("葛\u{e0100}x"), "葛\\u{e0100}x");
        assert_eq!(without_selectors("葛"), "葛");
    }

    #[test]
    fn plain_text_before_and_after_changes_nothing() {
        for text in [
            "a\x1bb",
            "\r\n",
            "x\r",
            "年\u{200b}",
            "e\u{301}\u{301}",
            "👩\u{200d}💻",
            "\u{e0100}",
            "葛\u{e0100}",
        ] {
            for length in [0, 1, 31, 32, 33, 64, 100] {
                let plain = "p".repeat(length);
                // A mark or a joiner depends on the character before it.
                let long = format!("{plain}年{text}年{plain}");
                let shown = visible(&format!("年{text}年"), Lines::Many).into_owned();
                assert_eq!(
                    visible(&long, Lines::Many),
                    format!("{plain}{shown}{plain}"),
                    "{text:?}"
                );
                let place = first(&format!("年{text}年"), Lines::Many);
                let place = place.map(|(line, column, c)| (line, column + length, c));
                assert_eq!(first(&long, Lines::Many), place, "{text:?}");
            }
        }
    }

    #[test]
    fn what_misleads_is_written_out() {
        for (text, shown) in [
            ("plain 年报 é ß", "plain 年报 é ß"),
            ("a\x1b[31mb\x07\x08c\x7f", "a\\u{1b}[31mb\\u{7}\\u{8}c\\u{7f}"),
            ("\u{9b}2K\u{85}", "\\u{9b}2K\\u{85}"),
            ("safe\rrm", "safe\\rrm"),
            ("one\r\ntwo\tthree\n", "one\ntwo\tthree\n"),
            ("pdf\u{202e}exe\u{2066}x\u{2069}", "pdf\\u{202e}exe\\u{2066}x\\u{2069}"),
            (
                "a\u{200b}b\u{200c}c\u{200d}d\u{2060}e\u{feff}",
                "a\\u{200b}b\\u{200c}c\\u{200d}d\\u{2060}e\\u{feff}",
            ),
            ("x\u{e0041}\u{e0042}", "x\\u{e0041}\\u{e0042}"),
            (
                "a\u{fe0f}\u{e0101}\u{ad}\u{3164}\u{e000}",
                "a\\u{fe0f}\\u{e0101}\\u{ad}\\u{3164}\\u{e000}",
            ),
            // Texts that people write.
            ("❤️ 1️⃣ 👩‍💻 葛\u{e0100}", "❤️ 1️⃣ 👩‍💻 葛\u{e0100}"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("👩‍", "👩\\u{200d}"),
        ] {
            assert_eq!(visible(text, Lines::Many), shown, "{text:?}");
        }
        assert_eq!(visible("a\nb\tc\r\n", Lines::One), "a\\nb\\tc\\r\\n");
    }

    /// Whatever stands next to a character: the output holds nothing that misleads, and keeps everything that did not.
    #[test]
    fn what_is_shown_never_misleads() {
        const PARTS: [&str; 20] = [
            "a",
            "年",
            "\n",
            "\r",
            "\t",
            "\u{200d}",
            "\u{200c}",
            "\u{fe0f}",
            "👩",
            "❤",
            "\u{301}",
            "\u{e0101}",
            "葛",
            "1",
            "\u{20e3}",
            "م",
            "\u{202e}",
            "\x1b",
            "\u{9b}",
            "\u{e0041}",
        ];
        let mut state: u64 = 7;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..8 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(PARTS[usize::try_from(state >> 33).unwrap() % PARTS.len()]);
            }
            for lines in [Lines::Many, Lines::One] {
                let shown = visible(&text, lines);
                assert_eq!(first(&shown, lines), None, "{text:?}: {shown:?}");
                let letters = |text: &str| text.matches(['年', '葛', '👩']).count();
                assert_eq!(letters(&shown), letters(&text));
            }
            let quoted = serde_json::to_string(&text).unwrap();
            assert_eq!(serde_json::from_str::<String>(&json(&quoted)).unwrap(), text);
        }
    }

    #[test]
    fn a_flood_of_marks_is_cut_down() {
        let flood = format!("a{}", "\u{301}".repeat(100));
        let shown = visible(&flood, Lines::One);
        assert_eq!(shown.chars().filter(|c| *c == '\u{301}').count(), MAX_MARKS);
        assert_eq!(shown.matches("\\u{301}").count(), 100 - MAX_MARKS);
        assert_eq!(visible("e\u{301}\u{323}", Lines::One), "e\u{301}\u{323}");
    }

    #[test]
    fn the_first_one_is_named_by_its_place() {
        assert_eq!(first("a\nbc\u{202e}", Lines::Many), Some((2, 3, '\u{202e}')));
        assert_eq!(first("a\nb", Lines::Many), None);
        assert_eq!(first("a\nb", Lines::One), Some((1, 2, '\n')));
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({ "a\u{202e}": "\u{9b}\u{e0041}\x1b$(x)`y`!\u{7f}\"\\年❤️" });
        for text in [pretty_json(&value), json(&value.to_string()).into_owned()] {
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
            assert_eq!(first(&text, Lines::Many), None, "{text}");
        }
        let mut line = Vec::new();
        write_inert_json(&mut line, &value).unwrap();
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&line).unwrap(), value);
        let line = String::from_utf8(line).unwrap();
        assert!(!line.contains(['$', '`', '!']) && first(&line, Lines::One).is_none(), "{line}");
    }
}
