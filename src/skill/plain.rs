//! Texts of skills that people decide by: no character in them may hide, reorder or overwrite other text.
//!
//! Such characters are refused in all of `skill.yaml`, even as escapes, and in the front matter of `SKILL.md`. In the
//! instructions after it, which are for models, they only cause a warning: people should know that models read something there
//! that they cannot see.

use serde_json::Value;

use mitt_base::text::{one_line, shortened};
use mitt_base::visible::{self, Lines};

const WAY_OUT: &str = "remove it; it hides or changes what people see";

/// Refuses a text with such a character, and reports its place.
///
/// # Errors
///
/// `line 2, column 3: …`
pub(super) fn check_text(text: &str) -> Result<(), String> {
    match visible::first(text, Lines::Many) {
        None => Ok(()),
        Some((line, column, c)) => Err(format!(
            "line {line}, column {column}: the character {} is there; {WAY_OUT}",
            code(c)
        )),
    }
}

/// Like [`check_text`], for YAML, in which escapes are refused, too.
///
/// # Errors
///
/// `line 2, column 3: …`, or the key for an escaped character.
pub(super) fn check_yaml(yaml: &str) -> Result<(), String> {
    check_text(yaml)?;
    // Without escapes, the values contain no other characters than the text. Invalid YAML is reported elsewhere.
    if !yaml.contains('\\') {
        return Ok(());
    }
    match serde_saphyr::from_str::<Value>(yaml) {
        Ok(value) => check_value("", &value),
        Err(_) => Ok(()),
    }
}

fn check_value(place: &str, value: &Value) -> Result<(), String> {
    match value {
        Value::String(text) => check_string(place, text),
        Value::Array(values) => values
            .iter()
            .enumerate()
            .try_for_each(|(index, value)| check_value(&format!("{place}/{index}"), value)),
        Value::Object(entries) => entries.iter().try_for_each(|(key, value)| {
            let inside = format!("{place}/{}", one_line(&shortened(key, 64)));
            check_string(&inside, key)?;
            check_value(&inside, value)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn check_string(place: &str, text: &str) -> Result<(), String> {
    match visible::first(text, Lines::Many) {
        None => Ok(()),
        Some((_, _, c)) => Err(format!(
            "{place}: the character {} is there, written with an escape; {WAY_OUT}",
            code(c)
        )),
    }
}

/// Returns a warning if instructions contain characters that people cannot see but models read.
pub(super) fn hidden_text(instructions: &str) -> Option<String> {
    check_text(instructions.trim_start_matches('\u{feff}'))
        .err()
        .map(|problem| format!("SKILL.md: {problem}"))
}

/// Returns the front matter of a `SKILL.md`, including its delimiters.
pub(super) fn front_matter(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = text.trim_start();
    let Some(rest) = start.strip_prefix("---") else { return "" };
    let skipped = text.len() - start.len();
    // Without a closing delimiter, everything may be front matter.
    let length = rest.find("\n---").map_or(start.len(), |end| "---".len() + end);
    &text[..skipped + length]
}

fn code(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named() {
        assert_eq!(check_yaml("a: 年报 ❤️\r\nb: 'x\\y'\n"), Ok(()));
        assert_eq!(
            check_yaml("a: b\ncd\u{202e}: x").unwrap_err(),
            "line 2, column 3: the character U+202E is there; remove it; it hides or changes what people see"
        );
        for (yaml, place) in [
            (r#"a: "x\u202ey""#, "/a: the character U+202E"),
            (r#"a: [b, { "c\x9b": 1 }]"#, "/a/1/c\\u{9b}: the character U+009B"),
            (r#"a: { b: "\e[31m" }"#, "/a/b: the character U+001B"),
            (r#"a: "\U000E0041""#, "/a: the character U+E0041"),
        ] {
            let error = check_yaml(yaml).unwrap_err();
            assert!(error.starts_with(place), "{yaml}: {error}");
        }
        // A line end or a tab misleads nobody.
        assert_eq!(check_yaml(r#"a: "x\ny\tz""#), Ok(()));
    }

    #[test]
    fn hidden_instructions_are_told() {
        assert_eq!(hidden_text("\u{feff}---\nx\r\n---\nText 👩‍💻.\n"), None);
        let text = hidden_text("Text.\nDo \u{e0064}\u{e0072}this.").unwrap();
        assert!(text.starts_with("SKILL.md: line 2, column 4: the character U+E0064"), "{text}");
    }

    #[test]
    fn front_matters() {
        for (text, front) in [
            ("---\na: b\n---\nbody", "---\na: b"),
            ("\u{feff}\n---\na\n---", "\n---\na"),
            ("---\nnever closed", "---\nnever closed"),
            ("body only\n---\n", ""),
        ] {
            assert_eq!(front_matter(text), front, "{text:?}");
        }
    }
}
