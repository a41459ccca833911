//! Decides which dollar signs enclose a formula, and which are money.
//!
//! The parser takes `$5到$10` for a formula, because there is no space before the second sign. Signs of money are escaped
//! before the text is read; the parser itself finds them, because it knows what is code.

use pulldown_cmark::{Event, Options, Parser};

use super::super::cjk::is_cjk;
use crate::Cancel;
use mitt_base::Result;

/// Most passes over a text. Each finds every second price of a paragraph, and there are few of them.
const ROUNDS: usize = 6;

/// Commands that contain words.
const WORDS: [&str; 5] = ["\\text", "\\mathrm", "\\mbox", "\\operatorname", "\\mathit"];

/// Returns the text with a backslash before each dollar sign that does not open a formula.
pub(super) fn escape_prices(text: String, options: Options, cancel: &Cancel) -> Result<String> {
    let mut text = text;
    for _ in 0..ROUNDS {
        if text.bytes().filter(|byte| *byte == b'$').take(2).count() < 2 {
            break;
        }
        cancel.check()?;
        let places: Vec<usize> = Parser::new_ext(&text, options)
            .into_offset_iter()
            .filter_map(|(event, range)| match event {
                Event::InlineMath(math) => {
                    let behind = text.get(range.end..).and_then(|rest| rest.chars().next());
                    (!is_formula(&math, behind)).then_some(range.start)
                }
                _ => None,
            })
            .collect();
        if places.is_empty() {
            break;
        }
        let mut escaped = String::with_capacity(text.len() + places.len());
        let mut from = 0;
        for place in places {
            escaped.push_str(text.get(from..place).unwrap_or_default());
            escaped.push('\\');
            from = place;
        }
        escaped.push_str(text.get(from..).unwrap_or_default());
        text = escaped;
    }
    Ok(text)
}

/// Returns `true` if the text between two dollar signs is a formula: it has Chinese only within words, no digit follows, and
/// it is not a sum of money with words before the next one.
pub(super) fn is_formula(math: &str, behind: Option<char>) -> bool {
    let has_words = WORDS.iter().any(|command| math.contains(command));
    if math.contains(is_cjk) && !has_words {
        return false;
    }
    let is_sum = math.starts_with(|c: char| c.is_ascii_digit());
    let has_word = || {
        let is_word = |part: &str| part.len() >= 3 && part.bytes().all(|b| b.is_ascii_alphabetic());
        math.split([' ', '\n']).any(is_word)
    };
    let is_before_figure = behind.is_some_and(|c| c.is_ascii_digit());
    !(is_before_figure || (is_sum && !has_words && has_word()))
}
