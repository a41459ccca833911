//! Reads a redacted file again, byte by byte and without the code that made it, and looks for what is left.

use super::parts::{STRUCTURE, is_text};
use super::terms::Terms;
use crate::error::{Error, Result};
use crate::zip::Zip;

/// Between texts that do not belong together.
const GAP: char = '\u{1}';
/// Tags that do not end a word.
const RUNS: [&str; 8] = ["r", "t", "rPr", "b", "i", "u", "span", "font"];

/// Checks that a file has no hits.
///
/// # Errors
/// [`Error::Malformed`] names the part and the kind of text where something is left.
pub(super) fn check(bytes: Vec<u8>, terms: &Terms) -> Result<()> {
    let archive = Zip::open(bytes).map_err(Error::Malformed)?;
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    for name in names {
        let content = archive.read(&name).map_err(Error::Malformed)?.unwrap_or_default();
        let left = match std::str::from_utf8(&content) {
            // Letters of two bytes.
            Ok(text) if text.contains('\0') => {
                in_bytes(&content, terms).then(|| "its bytes".to_owned())
            }
            Ok(xml) if xml.trim_start_matches('\u{feff}').trim_start().starts_with('<') => {
                in_xml(&name, xml, terms)
            }
            Ok(text) => terms.has(text).then(|| "its text".to_owned()),
            Err(_) if is_packed(&content) => None,
            Err(_) => in_bytes(&content, terms).then(|| "its bytes".to_owned()),
        };
        if let Some(what) = left {
            return Err(Error::Malformed(format!(
                "the redaction is not complete, so nothing was delivered: {what} in `{name}` still has a hit"
            )));
        }
    }
    Ok(())
}

/// Returns `true` for pictures and archives, whose bytes are packed. They are named in the warnings.
fn is_packed(bytes: &[u8]) -> bool {
    [&b"\x89PNG"[..], b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"II*\0", b"MM\0*", b"\x1f\x8b"]
        .iter()
        .any(|it| bytes.starts_with(it))
}

/// Returns where a part of XML still has a hit.
fn in_xml(part: &str, xml: &str, terms: &Terms) -> Option<String> {
    let is_sheet = xml.contains("<sheetData") || xml.contains(":sheetData");
    let mut text = String::new();
    let mut rest = xml;
    let mut path: Vec<String> = Vec::new();
    let mut is_index = false;
    // Numbers of properties are contents.
    let is_typed = part.ends_with("custom.xml");
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        add(&mut text, &decoded(before), &path, is_index, is_typed);
        if let Some(inner) = tag.strip_prefix("<![CDATA[") {
            let end = inner.find("]]>").unwrap_or(inner.len());
            add(&mut text, &inner[..end], &path, is_index, is_typed);
            rest = inner.get(end + 3..).unwrap_or_default();
            continue;
        }
        if tag.starts_with("<!--") {
            let end = tag.find("-->").map_or(tag.len(), |it| it + 3);
            if terms.has(&tag[..end]) {
                return Some("a comment of the XML".to_owned());
            }
            rest = &tag[end..];
            continue;
        }
        let end = closing(tag);
        let inner = tag[1..end].trim_end_matches('>');
        let name = inner.trim_start_matches('/');
        let name = name.split([' ', '\t', '\r', '\n', '/']).next().unwrap_or_default();
        let name = name.rsplit(':').next().unwrap_or_default().to_owned();
        for (attribute, value) in attributes(inner) {
            let local = attribute.rsplit(':').next().unwrap_or_default();
            let value = decoded(value);
            // Links between parts and types of contents are no contents.
            let is_package = part.ends_with(".rels") || part == "[Content_Types].xml";
            let is_outside = local == "Target" && inner.contains("External");
            if (is_outside || !is_package && is_text(&name, local, &value)) && terms.has(&value) {
                return Some(format!("the attribute `{local}` of `{name}`"));
            }
            if name == "c" && local == "t" && is_sheet {
                is_index = value == "s";
            }
        }
        if name == "c" && is_sheet && !inner.starts_with('/') && !inner.contains(" t=") {
            is_index = false;
        }
        if !RUNS.contains(&name.as_str()) {
            text.push(GAP);
        }
        if inner.starts_with('/') {
            path.pop();
        } else if !inner.ends_with('/') && !inner.starts_with(['?', '!']) && path.len() < 1_000 {
            path.push(name);
        }
        rest = &tag[end..];
        // Paragraphs are looked at on the way, so that a large part needs little memory.
        if text.len() > 1 << 16 && text.ends_with(GAP) {
            if terms.has(&text) {
                return Some("a text".to_owned());
            }
            text.clear();
        }
    }
    add(&mut text, &decoded(rest), &path, false, is_typed);
    terms.has(&text).then(|| "a text".to_owned())
}

fn add(text: &mut String, more: &str, path: &[String], is_index: bool, is_typed: bool) {
    let name = path.last().map_or("", String::as_str);
    let is_run = matches!(name, "r" | "rPr" | "si" | "is" | "p");
    // Errors in the place of formulas and numbers are no contents.
    let is_number = is_index && name == "v" || matches!(more.trim(), "#REF!" | "#N/A");
    let is_structure = !is_typed && STRUCTURE.contains(&name);
    let is_blank = is_run && more.trim().is_empty();
    if !is_number && !is_structure && !is_blank {
        text.push_str(more);
    }
}

/// Returns the length of a tag, whose attributes may have a `>`.
fn closing(tag: &str) -> usize {
    let mut mark = 0;
    for (at, byte) in tag.bytes().enumerate() {
        match byte {
            b'"' | b'\'' if mark == 0 => mark = byte,
            byte if byte == mark => mark = 0,
            b'>' if mark == 0 => return at + 1,
            _ => {}
        }
    }
    tag.len()
}

fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = tag;
    while let Some(equals) = rest.find('=') {
        let name = rest[..equals].trim_end();
        let start = name.rfind(|it: char| it.is_whitespace()).map_or(0, |at| at + 1);
        let behind = rest[equals + 1..].trim_start();
        let Some(mark) = behind.chars().next().filter(|it| matches!(it, '"' | '\'')) else { break };
        let Some(end) = behind[1..].find(mark) else { break };
        found.push((&name[start..], &behind[1..=end]));
        rest = &behind[end + 2..];
    }
    found
}

/// Replaces entities by their characters.
fn decoded(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut parts = raw.split('&');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let Some((name, behind)) = part.split_once(';') else {
            out.push('&');
            out.push_str(part);
            continue;
        };
        let code = name.strip_prefix('#').and_then(|it| match it.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => it.parse().ok(),
        });
        match (name, code.and_then(char::from_u32)) {
            (_, Some(c)) => out.push(c),
            ("amp", _) => out.push('&'),
            ("lt", _) => out.push('<'),
            ("gt", _) => out.push('>'),
            ("quot", _) => out.push('"'),
            ("apos", _) => out.push('\''),
            _ => {
                out.push('&');
                out.push_str(name);
                out.push(';');
            }
        }
        out.push_str(behind);
    }
    out
}

/// Looks for hits in bytes that are no text: as letters of one byte, and as those of two.
pub(super) fn in_bytes(bytes: &[u8], terms: &Terms) -> bool {
    // Shorter ones stand everywhere by chance.
    let has = |text: &str| terms.hits(text).into_iter().any(|it| text[it].chars().count() > 3);
    let narrow: String = bytes.iter().map(|it| printable(u16::from(*it))).collect();
    if has(&narrow) {
        return true;
    }
    drop(narrow);
    [0, 1].into_iter().any(|from| {
        let units = bytes.get(from..).unwrap_or_default().chunks_exact(2);
        let wide: String = units.map(|it| printable(u16::from_le_bytes([it[0], it[1]]))).collect();
        has(&wide)
    })
}

fn printable(unit: u16) -> char {
    char::from_u32(u32::from(unit)).filter(|it| !it.is_control()).unwrap_or(GAP)
}
