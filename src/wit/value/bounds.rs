//! Bounds on the values of a type, from `skill.yaml`.
//!
//! Knows no types: `violation.rs` checks values against bounds; `narrow.rs` reads bounds, and checks that they are narrower
//! than their type.

use super::json::Json;
use super::number::Number;
use regex::Regex;

/// The accepted values of a type. A bound that is not set has no effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Least number, inclusive.
    pub minimum: Option<Number>,
    /// Greatest number, inclusive.
    pub maximum: Option<Number>,
    /// The number must be greater. Not used for integers, which have an inclusive bound instead.
    pub exclusive_minimum: Option<Number>,
    /// The number must be less. Not used for integers, which have an inclusive bound instead.
    pub exclusive_maximum: Option<Number>,
    /// The integer must be a multiple of it.
    pub multiple_of: Option<u64>,
    /// Least length of a string, in Unicode scalar values.
    pub min_length: Option<u64>,
    /// Greatest length of a string, in Unicode scalar values.
    pub max_length: Option<u64>,
    /// The pattern that some part of a string must match.
    pub pattern: Option<Pattern>,
    /// Least number of items of an array.
    pub min_items: Option<u64>,
    /// Greatest number of items of an array.
    pub max_items: Option<u64>,
    /// `true` if no two items may be equal.
    pub unique_items: bool,
    /// The only accepted values; empty if all are accepted.
    pub one_of: Vec<Json>,
    /// `true` if a number must be written as a number, although its type also accepts a string of digits.
    pub plain_number: bool,
}

/// What `skill.yaml` adds to the type of a parameter or field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refinement {
    /// The value if it is left out.
    pub default: Option<Json>,
    /// `true` if it must be given and not be null, although its type is an option.
    pub required: bool,
    /// A short name to display.
    pub title: Option<String>,
    /// Accepted values, as examples.
    pub examples: Vec<Json>,
}

/// A regular expression in the common subset of ECMA 262 and the `regex` crate.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    regex: Regex,
}

impl Pattern {
    /// Largest compiled pattern, in bytes.
    const MAX_PROGRAM: usize = 1 << 20;

    /// Compiles `source`. Matching takes time linear in the text.
    ///
    /// # Errors
    ///
    /// What is wrong: a syntax error, or a construct such as look-around that is not in both dialects.
    pub fn new(source: &str) -> Result<Pattern, String> {
        let regex = regex::RegexBuilder::new(&translated(source)?)
            .size_limit(Pattern::MAX_PROGRAM)
            .dfa_size_limit(Pattern::MAX_PROGRAM)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(limit) => {
                    format!("expected a pattern that compiles to at most {limit} bytes")
                }
                // The last line of the report has the message; the others show the position.
                error => {
                    let text = error.to_string();
                    let last = text.lines().last().unwrap_or_default();
                    last.trim().trim_start_matches("error: ").to_owned()
                }
            })?;
        Ok(Pattern { source: source.to_owned(), regex })
    }

    /// Returns the source.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Returns `true` if some part of `text` matches.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.source == other.source
    }
}

/// Translates `source` for the `regex` crate: in ECMA 262, `\d` and `\w` are ASCII, and a dot does not match line
/// separators.
fn translated(source: &str) -> Result<String, String> {
    let mut text = String::with_capacity(source.len());
    let (mut class, mut characters) = (false, source.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let escaped =
                    characters.next().ok_or("expected a character after the last `\\`")?;
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
            // Set operations of the `regex` crate, which ECMA 262 does not have.
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
            ("\\", "expected a character"),
            ("[\\D]", "inside `[…]` is not supported"),
        ] {
            let error = Pattern::new(pattern).unwrap_err();
            assert!(error.contains(problem), "{pattern}: {error}");
        }
    }

    #[test]
    fn patterns_are_equal_if_their_sources_are() {
        let pattern = |source: &str| Pattern::new(source).unwrap();
        assert_eq!(pattern("^a$"), pattern("^a$"));
        assert_ne!(pattern("^a$"), pattern("^b$"));
    }
}
