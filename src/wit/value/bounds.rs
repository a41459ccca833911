//! Bounds within a type, as `skill.yaml` sets them.
//!
//! Knows no types: whether a value keeps to its bounds is in `violation.rs`; how bounds are read, and that they are narrower
//! than their type, in `narrow.rs`.

use super::json::Json;
use super::number::Number;
use regex::Regex;

/// Which values of a type are accepted. A bound that is not set bounds nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Least number, inclusive.
    pub minimum: Option<Number>,
    /// Greatest number, inclusive.
    pub maximum: Option<Number>,
    /// The number must be greater. Never of an integer, which has an inclusive bound instead.
    pub exclusive_minimum: Option<Number>,
    /// The number must be less. Never of an integer, which has an inclusive bound instead.
    pub exclusive_maximum: Option<Number>,
    /// The integer must be a multiple of it.
    pub multiple_of: Option<u64>,
    /// Least length of a string, in Unicode scalar values.
    pub min_length: Option<u64>,
    /// Greatest length of a string, in Unicode scalar values.
    pub max_length: Option<u64>,
    /// What a string must match somewhere.
    pub pattern: Option<Pattern>,
    /// Least number of items of an array.
    pub min_items: Option<u64>,
    /// Greatest number of items of an array.
    pub max_items: Option<u64>,
    /// Whether no two items may be equal.
    pub unique_items: bool,
    /// The only values that are accepted; empty if it is not bound to any.
    pub one_of: Vec<Json>,
    /// Whether a number must be written as a number, where its type also accepts a string of digits.
    pub plain_number: bool,
}

/// What `skill.yaml` says of a parameter or field beyond its type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refinement {
    /// What it is when it is left out.
    pub default: Option<Json>,
    /// Whether it must be given, and not be null, although its type is an option.
    pub required: bool,
    /// A short name for people.
    pub title: Option<String>,
    /// Values that are accepted, to learn from.
    pub examples: Vec<Json>,
}

/// A regular expression, in the common part of ECMA 262 and of the `regex` crate.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    regex: Regex,
}

impl Pattern {
    /// Largest program of a pattern, in bytes.
    const MAX_PROGRAM: usize = 1 << 20;

    /// Compile `source`. Matching takes time linear in the text.
    ///
    /// # Errors
    ///
    /// What is wrong with it: a syntax error, or a construct such as look-around that is not of both dialects.
    pub fn new(source: &str) -> Result<Pattern, String> {
        let regex = regex::RegexBuilder::new(&translated(source)?)
            .size_limit(Pattern::MAX_PROGRAM)
            .dfa_size_limit(Pattern::MAX_PROGRAM)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(limit) => {
                    format!("a pattern that compiles to at most {limit} bytes expected")
                }
                // The last line of the report says what; the others draw where.
                error => {
                    let text = error.to_string();
                    let last = text.lines().last().unwrap_or_default();
                    last.trim().trim_start_matches("error: ").to_owned()
                }
            })?;
        Ok(Pattern { source: source.to_owned(), regex })
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether some part of `text` matches.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.source == other.source
    }
}

/// `source` in the words of the `regex` crate: in ECMA 262, `\d` and `\w` are ASCII, and a dot matches no line separator.
fn translated(source: &str) -> Result<String, String> {
    let mut text = String::with_capacity(source.len());
    let (mut class, mut characters) = (false, source.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let escaped =
                    characters.next().ok_or("a character expected after the last `\\`")?;
                let set = match escaped {
                    'd' | 'D' => "0-9",
                    'w' | 'W' => "A-Za-z0-9_",
                    'p' | 'P' | 's' | 'S' | 'b' | 'B' | 'u' | 'x' | 'n' | 'r' | 't' | 'f' | 'v' => {
                        ""
                    }
                    other if other.is_ascii_alphanumeric() => {
                        return Err(format!("`\\{other}` is not supported"));
                    }
                    _ => "",
                };
                match (set, escaped.is_ascii_uppercase(), class) {
                    ("", ..) => text.extend(['\\', escaped]),
                    (set, false, true) => text.push_str(set),
                    (set, false, false) => text.extend(["[", set, "]"]),
                    (set, true, false) => text.extend(["[^", set, "]"]),
                    (_, true, true) => {
                        return Err(format!("`\\{escaped}` inside `[…]` is not supported"));
                    }
                }
            }
            '[' if class => text.push_str("\\["),
            '[' => {
                class = true;
                text.push('[');
            }
            ']' if class => {
                class = false;
                text.push(']');
            }
            // Set operations of the `regex` crate that ECMA 262 does not know.
            '&' | '~' if class => text.extend(['\\', character]),
            '.' if !class => text.push_str("[^\\n\\r\\u{2028}\\u{2029}]"),
            other => text.push(other),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_in_json_schema() {
        let matches = |pattern: &str, text: &str| Pattern::new(pattern).unwrap().matches(text);
        assert!(matches("^\\d+$", "12"));
        assert!(!matches("^\\d+$", "１２"), "digits are ASCII");
        assert!(!matches("^\\w$", "é"));
        assert!(matches("^[\\w.-]+$", "a_b.c-1"));
        assert!(matches("^\\W$", "é"));
        assert!(!matches("^.$", "\u{2028}"));
        assert!(matches("^[a&&b]$", "&"), "no set operation");
        assert!(matches("^[[a]$", "["));
        assert!(matches("b", "abc"), "not anchored");
        assert!(!matches("^a$", "a\n"));
    }

    #[test]
    fn patterns_that_are_refused() {
        for (pattern, problem) in [
            ("(", "unclosed group"),
            ("(?=a)", "look-around"),
            ("(a)\\1", "`\\1` is not supported"),
            ("a{2000}{2000}", "at most 1048576 bytes"),
            ("\\", "a character expected"),
            ("[\\D]", "inside `[…]` is not supported"),
        ] {
            let error = Pattern::new(pattern).unwrap_err();
            assert!(error.contains(problem), "{pattern}: {error}");
        }
    }
}
