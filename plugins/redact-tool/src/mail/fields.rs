//! Headers of a message or a part.

use super::MAX_FIELD;
use super::parameters::Parameters;
use super::split::line_length;
use super::words::{self, Piece};
use crate::decoded::{self, Escapes};
use crate::error::{Error, Result, shorten};
use crate::marks::Marks;
use crate::matcher::{BLOCK, Matcher, STAR};
use crate::view::View;

/// A header with its continuation lines.
#[derive(Debug)]
pub(super) struct Field {
    /// Empty for a line that is no header.
    pub(super) name: String,
    /// All behind the colon, or the whole line, with its line end.
    value: String,
    /// Bytes as they are, unless it changed.
    raw: Option<Vec<u8>>,
}

/// All headers.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) fields: Vec<Field>,
}

impl Field {
    pub(super) fn new(name: &str, value: &str, eol: &str) -> Self {
        Self { name: name.to_owned(), value: format!("{value}{eol}"), raw: None }
    }

    /// Returns the name for people.
    pub(super) fn shown_name(&self) -> String {
        if self.name.is_empty() { "without a name".to_owned() } else { shorten(&self.name, 60) }
    }

    /// Takes the hits out. Returns their number.
    pub(super) fn redact(&mut self, matcher: &Matcher, eol: &str) -> usize {
        let in_name = self.redact_name(matcher);
        in_name + self.redact_value(matcher, eol)
    }

    /// Makes a name with a hit that belongs to no standard another one.
    fn redact_name(&mut self, matcher: &Matcher) -> usize {
        let is_free = self.name.get(..2).is_some_and(|it| it.eq_ignore_ascii_case("x-"));
        if !is_free || !matcher.is_in(&self.name) {
            return 0;
        }
        self.name = "X-Redacted".to_owned();
        self.raw = None;
        1
    }

    fn redact_value(&mut self, matcher: &Matcher, eol: &str) -> usize {
        if self.has_parameters() {
            let mut found = Parameters::parse(&self.value);
            let hits = found.redact(matcher);
            if hits > 0 {
                self.set(found.to_value(eol));
            }
            return hits;
        }
        let pieces = words::pieces(&self.value);
        let mut view = View::default();
        // The source of a character is its place in this text.
        let mut shown = String::new();
        for piece in &pieces {
            let text = match piece {
                Piece::Raw(range) => &self.value[range.clone()],
                Piece::Words(_, text) => text.as_str(),
            };
            for it in text.chars() {
                let at = shown.len();
                shown.push(it);
                // A folded line goes on.
                if !(matches!(it, '\r' | '\n') && matches!(piece, Piece::Raw(_))) {
                    view.push(it, at..shown.len());
                }
            }
        }
        let mut marks = Marks::default();
        marks.add_view(&view, matcher);
        let escapes = Escapes { percent: true, entities: true, ..Escapes::default() };
        decoded::mark(&shown, escapes, matcher, &mut marks);
        let changes = marks.changes();
        if changes.is_empty() {
            return 0;
        }
        let is_marked = |at: usize| {
            let next = changes.partition_point(|it| it.range.end <= at);
            changes.get(next).is_some_and(|it| it.range.start <= at)
        };
        let mut out = String::with_capacity(self.value.len());
        let mut at = 0;
        for piece in &pieces {
            match piece {
                Piece::Raw(range) => {
                    for it in self.value[range.clone()].chars() {
                        out.push(if is_marked(at) && !is_structure(it) { STAR } else { it });
                        at += it.len_utf8();
                    }
                }
                Piece::Words(range, text) => {
                    let is_changed = text.char_indices().any(|(from, _)| is_marked(at + from));
                    if !is_changed {
                        out.push_str(&self.value[range.clone()]);
                        at += text.len();
                        continue;
                    }
                    let mut masked = String::new();
                    for it in text.chars() {
                        masked.push(if is_marked(at) { BLOCK } else { it });
                        at += it.len_utf8();
                    }
                    out.push_str(&words::encode(&masked, eol));
                }
            }
        }
        self.set(out);
        marks.hits().len()
    }

    fn set(&mut self, value: String) {
        self.value = value;
        self.raw = None;
    }

    fn has_parameters(&self) -> bool {
        ["content-type", "content-disposition"].iter().any(|it| self.name.eq_ignore_ascii_case(it))
    }
}

/// Returns `true` for a sign by which mail programs take a header apart.
fn is_structure(it: char) -> bool {
    it.is_whitespace() || matches!(it, '<' | '>' | '"' | '(' | ')' | ',' | ';' | ':' | '[' | ']')
}

impl Head {
    /// # Errors
    /// [`Error::Unsupported`] - a header is too long.
    pub(super) fn new(bytes: &[u8]) -> Result<Self> {
        let mut fields: Vec<Field> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let mut end = at + line_length(&bytes[at..]);
            while matches!(bytes.get(end), Some(b' ' | b'\t')) {
                end += line_length(&bytes[end..]);
            }
            let raw = &bytes[at..end];
            if raw.len() > MAX_FIELD {
                return Err(Error::Unsupported(format!(
                    "expected headers of at most {MAX_FIELD} bytes, got one of {}; delete it and redact that file",
                    raw.len()
                )));
            }
            let colon = raw.iter().position(|it| *it == b':').filter(|colon| {
                *colon > 0 && raw[..*colon].trim_ascii_end().iter().all(u8::is_ascii_graphic)
            });
            let text = |bytes: &[u8]| match std::str::from_utf8(bytes) {
                Ok(text) => text.to_owned(),
                Err(_) => mitt_text::decode::decode_only(bytes.to_vec()).text,
            };
            let (name, value) = match colon {
                Some(colon) => (text(raw[..colon].trim_ascii_end()), text(&raw[colon + 1..])),
                None => (String::new(), text(raw)),
            };
            fields.push(Field { name, value, raw: Some(raw.to_vec()) });
            at = end;
        }
        Ok(Self { fields })
    }

    pub(super) fn to_bytes(&self, eol: &str) -> Vec<u8> {
        let mut out = Vec::new();
        for field in &self.fields {
            match &field.raw {
                Some(raw) => out.extend(raw),
                None => {
                    if !field.name.is_empty() {
                        out.extend(field.name.bytes());
                        out.push(b':');
                    }
                    out.extend(field.value.bytes());
                    if !field.value.ends_with('\n') {
                        out.extend(eol.bytes());
                    }
                }
            }
        }
        out
    }

    /// Returns the value of the first header of a name in lower case, on one line.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let field = self.fields.iter().find(|it| it.name.eq_ignore_ascii_case(name))?;
        Some(field.value.replace(['\r', '\n'], "").trim().to_owned())
    }

    pub(super) fn content_type(&self) -> Parameters {
        Parameters::parse(self.value("content-type").as_deref().unwrap_or_default())
    }

    pub(super) fn is_signature(&self) -> bool {
        let kind = self.content_type().kind;
        kind.ends_with("signature")
    }

    /// Returns the name of a file for people, or its type.
    pub(super) fn shown_file(&self) -> String {
        let disposition =
            Parameters::parse(self.value("content-disposition").as_deref().unwrap_or_default());
        let kind = self.content_type();
        let name = disposition.get("filename").or_else(|| kind.get("name"));
        let name = name.unwrap_or(if kind.kind.is_empty() { "text/plain" } else { &kind.kind });
        shorten(name, 100)
    }

    pub(super) fn set_boundary(&mut self, boundary: &str, eol: &str) {
        let mut found = self.content_type();
        found.set("boundary", boundary);
        self.set("Content-Type", found.to_value(eol), eol);
    }

    pub(super) fn set_mixed(&mut self, eol: &str) {
        let mut found = self.content_type();
        found.kind = "multipart/mixed".to_owned();
        found.list.retain(|it| it.name == "boundary");
        self.set("Content-Type", found.to_value(eol), eol);
    }

    fn set(&mut self, name: &str, value: String, eol: &str) {
        match self.fields.iter_mut().find(|it| it.name.eq_ignore_ascii_case(name)) {
            Some(field) => field.set(value),
            None => self.fields.push(Field::new(name, &value, eol)),
        }
    }
}
