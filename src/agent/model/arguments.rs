//! Arguments of calls as the text that a model wrote, with every digit and with repeated keys.
//!
//! Knows no wire and no tool.

use mitt_base::Error;
use serde_json::value::RawValue;

/// Returns `{}` for empty arguments, which services send for a tool without parameters.
pub(super) fn or_empty(arguments: String) -> String {
    if arguments.trim().is_empty() { "{}".to_owned() } else { arguments }
}

pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Returns arguments as text: the contents of a JSON string, or any other JSON as it was written.
pub(super) fn arguments(value: Option<&RawValue>) -> String {
    let Some(value) = value else { return String::new() };
    match value.get() {
        "null" => String::new(),
        text if text.starts_with('"') => serde_json::from_str(text).unwrap_or_default(),
        text => text.to_owned(),
    }
}

/// Most calls of one answer. A whole run has fewer; an answer with more is broken.
pub(super) const MAX_CALLS: usize = 1_000;

/// Returns the error for an answer that makes too many calls.
pub(super) fn too_many_calls() -> Error {
    Error::model(format!("the answer makes more than {MAX_CALLS} calls"))
        .hint("ask for less at a time, or choose another model")
}

/// Tracks brackets and strings of JSON text that grows. Each byte is read once; parsing the whole text with every new piece
/// would take quadratic time.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    /// Bytes that were read.
    seen: usize,
    open: usize,
    is_string: bool,
    is_escaped: bool,
    /// `true` once everything opened was closed again.
    has_closed: bool,
    /// `true` if something follows behind that.
    goes_on: bool,
}

impl Brackets {
    /// Reads the part of `text` that is new.
    pub(super) fn see(&mut self, text: &str) {
        for byte in text.as_bytes().get(self.seen..).unwrap_or_default() {
            if self.is_string {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => self.is_string = false,
                    _ => {}
                }
                continue;
            }
            if byte.is_ascii_whitespace() {
                continue;
            }
            self.goes_on |= self.has_closed && self.open == 0;
            match byte {
                b'"' => self.is_string = true,
                b'[' | b'{' => self.open += 1,
                b']' | b'}' => {
                    self.open = self.open.saturating_sub(1);
                    self.has_closed = true;
                }
                _ => {}
            }
        }
        self.seen = self.seen.max(text.len());
    }

    /// Returns `true` if the text ends within a string.
    pub(super) fn is_string(&self) -> bool {
        self.is_string
    }

    /// Returns `true` if everything opened is closed and nothing follows: only then can the text be one whole object or
    /// list.
    #[cfg_attr(
        not(feature = "http"),
        allow(dead_code, reason = "only streams of services need it")
    )]
    pub(super) fn is_one(&self) -> bool {
        self.has_closed && self.open == 0 && !self.is_string && !self.goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_those_of_the_whole_text_however_it_is_cut() {
        for (text, is_one, is_string) in [
            (r#"{"a": [1, "}]"]}"#, true, false),
            (r#"{"a": [1, "}]"]} "#, true, false),
            (r#"{"a": "\\"}"#, true, false),
            (r#"{"a": "\"}"#, false, true),
            (r#"{"a": 1}{}"#, false, false),
            (r#"{"a": 1} x"#, false, false),
            ("]", true, false),
            ("}{", false, false),
            ("", false, false),
            ("12", false, false),
            ("\"年", false, true),
        ] {
            for step in [1, 2, 100] {
                let mut brackets = Brackets::default();
                let ends = (0..=text.len()).step_by(step).chain([text.len()]);
                for end in ends.filter(|end| text.is_char_boundary(*end)) {
                    brackets.see(&text[..end]);
                }
                assert_eq!(
                    (brackets.is_one(), brackets.is_string()),
                    (is_one, is_string),
                    "{text}"
                );
            }
        }
    }
}
