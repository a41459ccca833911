//! A message taken apart at its empty line and at its boundaries, byte for byte.

/// Returns the headers with their line ends, and the rest with the empty line at its beginning.
pub(super) fn head(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"\r\n") || rest.starts_with(b"\n") {
            return bytes.split_at(at);
        }
        at += line_length(rest);
    }
    (bytes, &[])
}

/// Returns a body without the empty line before it.
pub(super) fn without_blank(body: &[u8]) -> &[u8] {
    let body = body.strip_prefix(b"\r").unwrap_or(body);
    body.strip_prefix(b"\n").unwrap_or(body)
}

/// Returns the length of the first line with its end.
pub(super) fn line_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|it| *it == b'\n').map_or(bytes.len(), |it| it + 1)
}

/// A part between two boundaries.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) content: Vec<u8>,
    /// Line end that belongs to the boundary behind it.
    end: Vec<u8>,
}

/// The parts of a multipart body.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) boundary: String,
    pub(super) before: Vec<u8>,
    pub(super) list: Vec<Part>,
    pub(super) after: Vec<u8>,
    is_closed: bool,
}

/// Splits a body. Without any boundary, all of it is before the parts.
pub(super) fn parts(body: &[u8], boundary: &str) -> Parts {
    let mut out = Parts {
        boundary: boundary.to_owned(),
        before: Vec::new(),
        list: Vec::new(),
        after: Vec::new(),
        is_closed: false,
    };
    let (mut at, mut start) = (0, None);
    while at < body.len() {
        let length = line_length(&body[at..]);
        let line = body[at..at + length].trim_ascii_end();
        let mark = line.strip_prefix(b"--").and_then(|it| it.strip_prefix(boundary.as_bytes()));
        let is_last = mark == Some(b"--");
        if mark.is_some_and(|it| it.is_empty() || is_last) {
            match start {
                None => out.before = body[..at].to_vec(),
                Some(from) => out.list.push(part(&body[from..at])),
            }
            start = Some(at + length);
            if is_last {
                out.is_closed = true;
                out.after = body[at + length..].to_vec();
                return out;
            }
        }
        at += length;
    }
    match start {
        None => out.before = body.to_vec(),
        Some(from) => out.list.push(part(&body[from..])),
    }
    out
}

fn part(bytes: &[u8]) -> Part {
    let content = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let content = content.strip_suffix(b"\r").unwrap_or(content);
    Part { content: content.to_vec(), end: bytes[content.len()..].to_vec() }
}

impl Parts {
    pub(super) fn to_bytes(&self, eol: &str) -> Vec<u8> {
        let mut out = self.before.clone();
        for part in &self.list {
            out.extend(format!("--{}{eol}", self.boundary).bytes());
            out.extend(&part.content);
            if part.end.is_empty() { out.extend(eol.bytes()) } else { out.extend(&part.end) }
        }
        if self.is_closed {
            out.extend(format!("--{}--{eol}", self.boundary).bytes());
            out.extend(&self.after);
        }
        out
    }
}
