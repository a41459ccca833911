//! Writes indented JSON with readable letters. The text is scanned without recursion, so any depth is safe.

use super::raw::elements;
use super::records::{ArrayTable, compact};
use serde_json::value::RawValue;

/// Most bytes of an array or object on one line.
const MAX_LINE: usize = 100;

/// Deepest indentation.
const MAX_INDENT: usize = 40;

/// Number of records that are shown of an array in a table.
const SHOWN: usize = 3;

pub(super) struct Pretty<'a> {
    tables: &'a [ArrayTable<'a>],
}

impl<'a> Pretty<'a> {
    /// Makes a writer that shows only the first records of the arrays in `tables`.
    pub(super) fn new(tables: &'a [ArrayTable<'a>]) -> Pretty<'a> {
        Pretty { tables }
    }

    pub(super) fn write(&self, raw: &RawValue) -> String {
        let mut out = String::with_capacity(raw.get().len() * 2);
        self.scan(raw.get(), 0, &mut out);
        out.push('\n');
        out
    }

    fn scan(&self, text: &str, outer: usize, out: &mut String) {
        let mut depth = outer;
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|it| !it.is_empty()) {
            let Some(first) = rest.chars().next() else { break };
            let mut taken = first.len_utf8();
            match first {
                '"' => {
                    taken = string_end(rest);
                    out.push_str(&legible(rest.get(..taken).unwrap_or_default()));
                }
                '[' | '{' => {
                    let table = self
                        .tables
                        .iter()
                        .find(|it| std::ptr::eq(it.source.get().as_ptr(), rest.as_ptr()));
                    if let Some(found) = table.filter(|_| first == '[') {
                        self.beginning(found, depth, out);
                        taken = found.source.get().len();
                    } else if let Some(end) = short(rest) {
                        taken = end;
                        spaced(&compact(rest.get(..end).unwrap_or_default()), out);
                    } else {
                        depth += 1;
                        out.push(first);
                        line(depth, out);
                    }
                }
                ']' | '}' => {
                    depth = depth.saturating_sub(1);
                    line(depth, out);
                    out.push(first);
                }
                ',' => {
                    out.push(',');
                    line(depth, out);
                }
                ':' => out.push_str(": "),
                it if it.is_ascii_whitespace() => {}
                it => out.push(it),
            }
            at += taken;
        }
    }

    /// Writes the first records of an array, and how many more there are.
    fn beginning(&self, found: &ArrayTable<'_>, depth: usize, out: &mut String) {
        let records = elements(found.source);
        out.push('[');
        for record in records.iter().take(SHOWN) {
            line(depth + 1, out);
            self.scan(record.get(), depth + 1, out);
            out.push(',');
        }
        match records.len().checked_sub(SHOWN) {
            None | Some(0) => {
                out.pop();
            }
            Some(more) => {
                line(depth + 1, out);
                out.push_str(&format!("… {more} more, in the table `{}`", found.name));
            }
        }
        line(depth, out);
        out.push(']');
    }
}

fn line(depth: usize, out: &mut String) {
    out.push('\n');
    for _ in 0..depth.min(MAX_INDENT) {
        out.push_str("  ");
    }
}

/// Returns the end of the string that begins here.
pub(super) fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns a string with letters in place of escapes.
pub(super) fn legible(string: &str) -> String {
    if !string.contains("\\u") && !string.contains("\\/") {
        return string.to_owned();
    }
    let text = serde_json::from_str::<String>(string).and_then(|it| serde_json::to_string(&it));
    text.unwrap_or_else(|_| string.to_owned())
}

/// Returns the end of an array or object without nested ones that fits on one line.
fn short(text: &str) -> Option<usize> {
    let mut at = 1;
    while at < MAX_LINE {
        let rest = text.get(at..)?;
        match rest.bytes().next()? {
            b'"' => at += string_end(rest),
            b'[' | b'{' => return None,
            b']' | b'}' => return Some(at + 1),
            _ => at += rest.chars().next()?.len_utf8(),
        }
    }
    None
}

/// Writes compact JSON with spaces after commas and colons.
fn spaced(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['"', ',', ':']) {
        let (before, mark) = rest.split_at(at);
        out.push_str(before);
        let taken = if mark.starts_with('"') { string_end(mark) } else { 1 };
        let (mark, after) = mark.split_at(taken);
        out.push_str(mark);
        if taken == 1 {
            out.push(' ');
        }
        rest = after;
    }
    out.push_str(rest);
}
