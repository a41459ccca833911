//! Values with parameters (RFC 2045, RFC 2231): `attachment; filename*0*=utf-8''%E5`.

use super::words::{self, Piece};
use crate::decoded::{self, Escapes};
use crate::marks::Marks;
use crate::matcher::{BLOCK, Matcher};

/// Parameters that belong to the format. A hit in one of them stays; the boundary is made anew.
pub(super) fn is_fixed(name: &str) -> bool {
    matches!(
        name,
        "charset"
            | "boundary"
            | "format"
            | "delsp"
            | "micalg"
            | "protocol"
            | "type"
            | "smime-type"
            | "report-type"
            | "method"
            | "size"
    )
}

#[derive(Debug, Default)]
pub(super) struct Parameters {
    /// The value before the parameters, in lower case.
    pub(super) kind: String,
    pub(super) list: Vec<Parameter>,
}

#[derive(Debug)]
pub(super) struct Parameter {
    /// In lower case.
    pub(super) name: String,
    pub(super) value: String,
}

impl Parameters {
    pub(super) fn parse(value: &str) -> Self {
        let value = value.replace(['\r', '\n'], "");
        let mut pieces = split(&value).into_iter();
        let kind = without_comments(&pieces.next().unwrap_or_default()).trim().to_ascii_lowercase();
        // Sections of a parameter, in their order.
        let mut sections: Vec<(String, u32, bool, String)> = Vec::new();
        for piece in pieces {
            let Some((name, value)) = piece.split_once('=') else {
                if !piece.trim().is_empty() {
                    sections.push((String::new(), 0, false, piece.trim().to_owned()));
                }
                continue;
            };
            let name = name.trim().to_ascii_lowercase();
            let is_extended = name.ends_with('*');
            let name = name.trim_end_matches('*');
            let (name, number) = match name.rsplit_once('*') {
                Some((name, number)) => (name, number.parse().unwrap_or(0)),
                None => (name, 0),
            };
            sections.push((name.to_owned(), number, is_extended, unquoted(value.trim())));
        }
        let mut list: Vec<Parameter> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for (name, ..) in &sections {
            if !names.contains(&name.as_str()) && names.len() < 200 {
                names.push(name);
            }
        }
        for name in names {
            let mut own: Vec<_> = sections.iter().filter(|it| it.0 == *name).collect();
            own.sort_by_key(|it| it.1);
            list.push(Parameter { name: name.to_owned(), value: joined(&own) });
        }
        Self { kind, list }
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.list.iter().find(|it| it.name == name).map(|it| it.value.as_str())
    }

    pub(super) fn set(&mut self, name: &str, value: &str) {
        match self.list.iter_mut().find(|it| it.name == name) {
            Some(found) => found.value = value.to_owned(),
            None => self.list.push(Parameter { name: name.to_owned(), value: value.to_owned() }),
        }
    }

    /// Takes the hits out of values. Returns their number.
    pub(super) fn redact(&mut self, matcher: &Matcher) -> usize {
        let mut total = 0;
        for it in self.list.iter_mut().filter(|it| !is_fixed(&it.name)) {
            let mut marks = Marks::default();
            marks.add_source(&it.value, 0, matcher);
            let escapes = Escapes { percent: true, entities: true, ..Escapes::default() };
            decoded::mark(&it.value, escapes, matcher, &mut marks);
            let mut value = String::new();
            let mut at = 0;
            for change in marks.changes() {
                value.push_str(&it.value[at..change.range.start]);
                let masked = it.value[change.range.clone()].chars();
                // The extension says how a file is opened.
                value.extend(masked.map(|it| if it == '.' { it } else { BLOCK }));
                at = change.range.end;
            }
            value.push_str(&it.value[at..]);
            it.value = value;
            total += marks.hits().len();
        }
        total
    }

    /// Returns the value of the header, folded.
    pub(super) fn to_value(&self, eol: &str) -> String {
        let mut out = format!(" {}", self.kind);
        for it in &self.list {
            out.push_str(&format!(";{eol} "));
            let is_plain = it.value.bytes().all(|it| (b' '..0x7f).contains(&it));
            if it.name.is_empty() {
                out.push_str(&it.value);
            } else if is_plain {
                let value = it.value.replace('\\', "\\\\").replace('"', "\\\"");
                out.push_str(&format!("{}=\"{value}\"", it.name));
            } else {
                out.push_str(&sections(&it.name, &it.value, eol));
            }
        }
        out
    }
}

/// Returns a value that is not ASCII as sections in UTF-8.
fn sections(name: &str, value: &str, eol: &str) -> String {
    let mut parts = vec![String::from("utf-8''")];
    for it in value.chars() {
        let mut buffer = [0; 4];
        let written: String = if it.is_ascii_alphanumeric() || matches!(it, '.' | '-' | '_') {
            it.to_string()
        } else {
            it.encode_utf8(&mut buffer).bytes().map(|it| format!("%{it:02X}")).collect()
        };
        if parts.last().is_some_and(|it| it.len() + written.len() > 60) {
            parts.push(String::new());
        }
        if let Some(last) = parts.last_mut() {
            last.push_str(&written);
        }
    }
    match parts.len() {
        1 => format!("{name}*={}", parts[0]),
        _ => {
            let numbered = parts.iter().enumerate();
            let all: Vec<_> = numbered.map(|(at, it)| format!("{name}*{at}*={it}")).collect();
            all.join(&format!(";{eol} "))
        }
    }
}

/// Joins the sections of a value.
fn joined(sections: &[&(String, u32, bool, String)]) -> String {
    if sections.iter().all(|it| !it.2) {
        let text: String = sections.iter().map(|it| it.3.as_str()).collect();
        // Many programs write encoded words here.
        let shown = words::pieces(&text).into_iter().map(|piece| match piece {
            Piece::Raw(range) => text[range].to_owned(),
            Piece::Words(_, shown) => shown,
        });
        return shown.collect();
    }
    let mut charset = "utf-8".to_owned();
    let mut bytes = Vec::new();
    for (index, (_, _, is_extended, value)) in sections.iter().enumerate() {
        let mut value = value.as_str();
        if !is_extended {
            bytes.extend(value.bytes());
            continue;
        }
        if index == 0 {
            let mut pieces = value.splitn(3, '\'');
            if let (Some(label), Some(_), Some(rest)) =
                (pieces.next(), pieces.next(), pieces.next())
            {
                charset = label.to_owned();
                value = rest;
            }
        }
        // The signs of quoted-printable text are those of percents with another mark.
        bytes.extend(words::quoted(value.replace('=', "=3D").replace('%', "=").as_bytes()));
    }
    words::decode(&charset, &bytes)
}

/// Splits at semicolons outside of quotes and comments.
fn split(value: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let (mut is_quoted, mut is_escaped, mut depth) = (false, false, 0_u32);
    for it in value.chars() {
        let is_end = it == ';' && !is_quoted && depth == 0;
        if is_escaped {
            is_escaped = false;
        } else {
            match it {
                '\\' if is_quoted => is_escaped = true,
                '"' if depth == 0 => is_quoted = !is_quoted,
                '(' if !is_quoted => depth += 1,
                ')' if !is_quoted => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        match out.last_mut() {
            Some(last) if !is_end => last.push(it),
            _ => out.push(String::new()),
        }
    }
    out
}

fn without_comments(text: &str) -> String {
    let mut depth = 0_u32;
    let mut out = String::new();
    for it in text.chars() {
        match it {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(it),
            _ => {}
        }
    }
    out
}

fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"') else {
        return value.split(" (").next().unwrap_or_default().trim().to_owned();
    };
    let mut out = String::new();
    let mut signs = inner.chars();
    while let Some(it) = signs.next() {
        match it {
            '"' => break,
            '\\' => out.extend(signs.next()),
            _ => out.push(it),
        }
    }
    out
}
