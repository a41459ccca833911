//! Writes a [`Json`] tree as text: as it was written, or in a canonical form.

use super::json::Json;
use std::fmt::{self, Write};

/// Writes compact JSON; `{:#}` indents by two spaces.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = f.alternate().then_some(0);
        write_json(f, self, indent)
    }
}

fn write_json(out: &mut impl Write, json: &Json, indent: Option<usize>) -> fmt::Result {
    match json {
        Json::Null => out.write_str("null"),
        Json::Bool(true) => out.write_str("true"),
        Json::Bool(false) => out.write_str("false"),
        Json::Number(number) => out.write_str(number.as_str()),
        Json::String(text) => write_string(out, text),
        Json::Array(items) if items.is_empty() => out.write_str("[]"),
        Json::Object(entries) if entries.is_empty() => out.write_str("{}"),
        Json::Array(items) => {
            let inner = indent.map(|indent| indent + 1);
            for (position, item) in items.iter().enumerate() {
                out.write_char(if position == 0 { '[' } else { ',' })?;
                new_line(out, inner)?;
                write_json(out, item, inner)?;
            }
            new_line(out, indent)?;
            out.write_char(']')
        }
        Json::Object(entries) => {
            let inner = indent.map(|indent| indent + 1);
            for (position, (key, value)) in entries.iter().enumerate() {
                out.write_char(if position == 0 { '{' } else { ',' })?;
                new_line(out, inner)?;
                write_string(out, key)?;
                out.write_str(if inner.is_some() { ": " } else { ":" })?;
                write_json(out, value, inner)?;
            }
            new_line(out, indent)?;
            out.write_char('}')
        }
    }
}

fn new_line(out: &mut impl Write, indent: Option<usize>) -> fmt::Result {
    if let Some(indent) = indent {
        out.write_char('\n')?;
        for _ in 0..indent {
            out.write_str("  ")?;
        }
    }
    Ok(())
}

/// Writes `text` as a JSON string in double quotes.
pub(super) fn write_string(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut start = 0;
    for (position, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0..=0x1f => "",
            _ => continue,
        };
        // The byte is ASCII, so both cuts fall between characters.
        out.write_str(&text[start..position])?;
        start = position + 1;
        if escape.is_empty() {
            write!(out, "\\u{byte:04x}")?;
        } else {
            out.write_str(escape)?;
        }
    }
    out.write_str(&text[start..])?;
    out.write_char('"')
}

impl Json {
    /// Returns a text that is the same for two values exactly if JSON Schema calls them equal: numbers are compared by
    /// value, and objects without regard to the order of members.
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
    let _ = write_string(&mut quoted, text);
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

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
