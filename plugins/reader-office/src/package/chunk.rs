//! Documents that a Word document inserts when it is opened (`altChunk`): report generators put the whole text there.

use crate::notes::Notes;
use mitt_reader_kit::{Content, single_line};

/// Documents inserted in documents that were inserted.
const MAX_DEPTH: usize = 3;

/// What an inserted part becomes.
pub(super) enum Chunk {
    /// A document of its own.
    Document(Box<Content>),
    /// Paragraphs.
    Lines(Vec<String>),
}

/// Read an inserted part; `None`, with a warning, if it cannot be.
pub(super) fn read(bytes: &[u8], name: &str, depth: usize, notes: &mut Notes) -> Option<Chunk> {
    let start = bytes.trim_ascii_start();
    let kind = if bytes.starts_with(b"PK") {
        if depth >= MAX_DEPTH {
            return refuse(name, "it lies too deep in others", notes);
        }
        return match crate::read_at(bytes.to_vec(), "docx", depth + 1) {
            Ok(content) => Some(Chunk::Document(Box::new(content))),
            Err(error) => refuse(name, &format!("{error:?}"), notes),
        };
    } else if start.starts_with(b"{\\rtf") {
        "RTF"
    } else if start.len() > 12 && start[..12].eq_ignore_ascii_case(b"mime-version") {
        "MHT"
    } else {
        ""
    };
    if !kind.is_empty() {
        return refuse(name, &format!("{kind} is not read inside a document"), notes);
    }
    let text = decode(bytes);
    let lower = text.get(..2048).unwrap_or(&text).to_ascii_lowercase();
    let is_html = name.to_ascii_lowercase().contains("htm")
        || ["<html", "<body", "<p", "<div", "<table"].iter().any(|tag| lower.contains(tag));
    let text = if is_html { from_html(&text) } else { text };
    let lines = text.lines().map(single_line).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    if is_html {
        notes.warnings.push(format!("an inserted web page was read as bare text: {name}"));
    }
    Some(Chunk::Lines(lines))
}

fn refuse(name: &str, reason: &str, notes: &mut Notes) -> Option<Chunk> {
    notes.warnings.push(format!("an inserted part was not read: {name}: {}", single_line(reason)));
    None
}

fn decode(bytes: &[u8]) -> String {
    if encoding_rs::Encoding::for_bom(bytes).is_some() || std::str::from_utf8(bytes).is_ok() {
        return encoding_rs::UTF_8.decode(bytes).0.into_owned();
    }
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).to_ascii_lowercase();
    let label = start.split_once("charset=").map(|(_, rest)| {
        rest.trim_start_matches(['"', '\''])
            .split(['"', '\'', '>', ';', ' ', '/'])
            .next()
            .unwrap_or_default()
            .to_owned()
    });
    let encoding = label
        .and_then(|label| encoding_rs::Encoding::for_label(label.as_bytes()))
        .unwrap_or(encoding_rs::WINDOWS_1252);
    encoding.decode(bytes).0.into_owned()
}

/// The text of a web page: a line per block, a bar between the cells of a row.
fn from_html(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&single_space(&rest[..at]));
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            continue;
        }
        let (tag, behind) = rest[1..].split_once('>').unwrap_or((&rest[1..], ""));
        rest = behind;
        let name: String = tag
            .chars()
            .take_while(|character| !character.is_whitespace())
            .collect::<String>()
            .to_ascii_lowercase();
        match name.trim_end_matches('/') {
            "script" | "style" | "head" => {
                let end = format!("</{name}");
                let at = rest.to_ascii_lowercase().find(&end).unwrap_or(rest.len());
                rest = rest[at..].split_once('>').map_or("", |(_, rest)| rest);
            }
            "/td" | "/th" => out.push_str(" | "),
            "p" | "/p" | "div" | "/div" | "br" | "li" | "tr" | "table" | "/table" | "h1" | "h2"
            | "h3" | "h4" | "h5" | "h6" | "/h1" | "/h2" | "/h3" | "/h4" | "/h5" | "/h6" => {
                out.push('\n');
            }
            "sup" => out.push('^'),
            "sub" => out.push('_'),
            _ => {}
        }
    }
    out.push_str(&single_space(rest));
    entities(&out)
        .lines()
        .map(|line| line.trim().trim_end_matches('|').trim().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

fn single_space(text: &str) -> String {
    text.replace(['\n', '\r', '\t'], " ")
}

fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let name = rest[1..].split(|c: char| !c.is_ascii_alphanumeric() && c != '#').next();
        let name = name.unwrap_or_default();
        let character = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            "nbsp" => Some(' '),
            _ => name
                .strip_prefix('#')
                .and_then(|code| match code.strip_prefix(['x', 'X']) {
                    Some(code) => u32::from_str_radix(code, 16).ok(),
                    None => code.parse().ok(),
                })
                .and_then(char::from_u32),
        };
        match character {
            Some(character) => {
                out.push(character);
                rest = &rest[1 + name.len()..];
                rest = rest.strip_prefix(';').unwrap_or(rest);
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_web_page_keeps_its_cells_apart() {
        let html = "<html><head><title>x</title></head><body><p>a &lt; b&#8212;c &copy</p>\n<table><tr><td>1</td><td>2</td></tr>\
                    <tr><td>3</td><td>4</td></tr></table><!-- no --><script>no</script>m<sup>2</sup>";
        let text = from_html(html);
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, ["a < b—c &copy", "1 | 2", "3 | 4", "m^2"]);
        assert_eq!(decode(b"<meta charset=gbk>\xC4\xEA"), "<meta charset=gbk>年");
    }

    #[test]
    fn what_cannot_be_inserted_is_told() {
        let mut notes = Notes::default();
        assert!(read(b"{\\rtf1 x}", "a.rtf", 0, &mut notes).is_none());
        assert!(read(b"MIME-Version: 1.0", "a.mht", 0, &mut notes).is_none());
        assert!(read(b"PKxx", "a.docx", 0, &mut notes).is_none());
        assert!(read(b"PKxx", "a.docx", 3, &mut notes).is_none());
        assert_eq!(notes.into_warnings().len(), 4);
    }
}
