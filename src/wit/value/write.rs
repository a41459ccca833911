//! JSON text out of a [`Json`] tree.

use super::json::Json;
use std::fmt::{self, Write};

/// Compact JSON; with `{:#}` indented by two spaces.
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

/// `text` as a JSON string, in double quotes.
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
