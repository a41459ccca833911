//! Bounds within a type, as `skill.yaml` sets them, and whether a value keeps to them.
//!
//! Works on JSON before it meets its type. How bounds are read, and that they are narrower than their type, is in
//! `narrow.rs`.

use super::json::Json;
use super::number::Number;
use super::problem::{cut, expected, shown, suggestion};
use super::types::Type;
use regex::Regex;
use std::cmp::Ordering;
use std::fmt::Write;

/// Longest pattern or list of values that is shown in a problem, in characters.
const SHOWN: usize = 120;

/// A type of which only a part is accepted. Never around an option or an alias, but inside of them. Around another narrowed
/// type, both bounds hold.
#[derive(Clone, Debug, PartialEq)]
pub struct NarrowedType {
    /// The type.
    pub ty: Type,
    /// What of it is accepted.
    pub bounds: Bounds,
}

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

impl Bounds {
    /// How `json`, a value of `ty` given where `told` is expected, breaks a bound; none if it keeps to all, or is of another kind than
    /// they bound.
    pub(super) fn violation(&self, ty: &Type, told: &Type, json: &Json) -> Option<String> {
        let broken = match json {
            Json::String(_) if self.plain_number => {
                Some("; write the number without quotes".to_owned())
            }
            Json::Number(number) => self.number(number),
            // A string of digits where a number of 64 bits is expected.
            Json::String(text) if matches!(ty.target(), Type::U64 | Type::S64) => {
                Number::parse(text.as_str()).and_then(|number| self.number(&number))
            }
            Json::String(text) => self.text(text),
            Json::Array(items) => self.items(items),
            _ => None,
        };
        let broken = broken.or_else(|| self.other_value(json))?;
        Some(format!("expected {}, got {}{broken}", expected(told), shown(json)))
    }

    fn number(&self, number: &Number) -> Option<String> {
        let beyond = |bound: &Option<Number>, wrong: &[Ordering]| {
            let order = number.compare(bound.as_ref()?);
            Some(order.is_none_or(|order| wrong.contains(&order)))
        };
        let outside = [
            beyond(&self.minimum, &[Ordering::Less]),
            beyond(&self.maximum, &[Ordering::Greater]),
            beyond(&self.exclusive_minimum, &[Ordering::Less, Ordering::Equal]),
            beyond(&self.exclusive_maximum, &[Ordering::Greater, Ordering::Equal]),
        ];
        if outside.contains(&Some(true)) {
            return Some(self.range_text());
        }
        let unit = self.multiple_of?;
        let multiple = number.to_integer().is_some_and(|value| value % i128::from(unit) == 0);
        (!multiple).then(|| format!("; a multiple of {unit} is needed"))
    }

    /// `; the range here is 1 to 10`
    fn range_text(&self) -> String {
        if let (Some(minimum), Some(maximum)) = (&self.minimum, &self.maximum) {
            return format!("; the range here is {minimum} to {maximum}");
        }
        let sides = [
            ("at least", &self.minimum),
            ("more than", &self.exclusive_minimum),
            ("at most", &self.maximum),
            ("less than", &self.exclusive_maximum),
        ];
        let mut text = String::new();
        for (word, bound) in sides {
            if let Some(bound) = bound {
                let joint = if text.is_empty() { "; " } else { " and " };
                // Writing to a string cannot fail.
                let _ = write!(text, "{joint}{word} {bound}");
            }
        }
        text.push_str(" is needed here");
        text
    }

    fn text(&self, text: &str) -> Option<String> {
        let (least, most) = (self.min_length.unwrap_or(0), self.max_length.unwrap_or(u64::MAX));
        if least > 0 || most < u64::MAX {
            let length = text.chars().count() as u64;
            if length < least {
                return Some(format!(
                    "; its length of {length} is less than the {least} needed here"
                ));
            }
            if length > most {
                return Some(format!(
                    "; its length of {length} is more than the {most} allowed here"
                ));
            }
        }
        let pattern = self.pattern.as_ref()?;
        (!pattern.matches(text))
            .then(|| format!("; it must match `{}`", cut(pattern.as_str(), SHOWN)))
    }

    fn items(&self, items: &[Json]) -> Option<String> {
        let count = items.len() as u64;
        if let Some(least) = self.min_items.filter(|least| count < *least) {
            return Some(format!("; the number of items must be at least {least} here"));
        }
        if let Some(most) = self.max_items.filter(|most| count > *most) {
            return Some(format!("; the number of items must be at most {most} here"));
        }
        if !self.unique_items {
            return None;
        }
        let mut keys: Vec<(String, usize)> =
            items.iter().enumerate().map(|(index, item)| (item.canonical(), index)).collect();
        keys.sort_unstable();
        let twice = keys.windows(2).find(|pair| pair[0].0 == pair[1].0)?;
        Some(format!("; the items {} and {} are equal", twice[0].1, twice[1].1))
    }

    fn other_value(&self, json: &Json) -> Option<String> {
        if self.one_of.is_empty() {
            return None;
        }
        let key = json.canonical();
        if self.one_of.iter().any(|value| value.canonical() == key) {
            return None;
        }
        let texts = self.one_of.iter().filter_map(Json::as_str);
        if let Json::String(text) = json
            && texts.clone().count() == self.one_of.len()
        {
            return Some(suggestion(text, texts, "the values here are"));
        }
        let values: Vec<String> = self.one_of.iter().map(Json::to_string).collect();
        Some(format!("; the values here are {}", cut(&values.join(", "), SHOWN)))
    }
}

impl Json {
    /// A text that is the same for two values exactly if JSON Schema calls them equal: numbers by value, objects whatever
    /// the order of their members.
    pub(super) fn canonical(&self) -> String {
        let mut text = String::new();
        self.write_canonical(&mut text);
        text
    }

    fn write_canonical(&self, text: &mut String) {
        match self {
            Json::Number(number) => text.push_str(&number.canonical()),
            Json::Array(items) => {
                text.push('[');
                for item in items {
                    item.write_canonical(text);
                    text.push(',');
                }
                text.push(']');
            }
            Json::Object(entries) => {
                let mut sorted: Vec<&(String, Json)> = entries.iter().collect();
                sorted.sort_unstable_by(|left, right| left.0.cmp(&right.0));
                text.push('{');
                for (key, value) in sorted {
                    text.push_str(&quoted_whole(key));
                    value.write_canonical(text);
                    text.push(',');
                }
                text.push('}');
            }
            Json::String(string) => text.push_str(&quoted_whole(string)),
            other => {
                let _ = write!(text, "{other}");
            }
        }
    }
}

fn quoted_whole(text: &str) -> String {
    let mut quoted = String::new();
    let _ = super::write::write_string(&mut quoted, text);
    quoted
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

    #[test]
    fn equality_is_that_of_json_schema() {
        let same = |left: &str, right: &str| {
            let parse = |text| Json::parse(text, 100, 10).unwrap().canonical();
            parse(left) == parse(right)
        };
        assert!(same("1", "1.0"));
        assert!(same("100", "1e2"));
        assert!(same("0", "-0.0"));
        assert!(same(r#"{"a": 1, "b": [2.50]}"#, r#"{"b": [2.5], "a": 1}"#));
        assert!(!same("1", "\"1\""));
        assert!(!same("[1, 2]", "[2, 1]"));
        assert!(!same("1e99999999999999999999", "2e99999999999999999999"));
        assert!(!same("null", "false"));
    }
}
