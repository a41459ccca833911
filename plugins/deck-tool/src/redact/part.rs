//! Blackens hits in one XML part. All other bytes of it stay.

use crate::error::Result;
use crate::escape::{escape, unescape};
use crate::redact::policy::{self, Role};
use crate::redact::terms::{BLOCK, Terms, is_invisible};
use crate::xml::{Id, Splices, Xml};
use std::collections::BTreeSet;
use std::ops::Range;

/// Where links lead whose address had a hit.
const NOWHERE: &str = "about:blank";

/// What was done to a part.
#[derive(Debug, Default)]
pub(crate) struct Cleaned {
    /// The new content; `None` if there is no hit.
    pub(crate) text: Option<String>,
    pub(crate) hits: usize,
    /// Words of the format that stay.
    pub(crate) keywords: BTreeSet<String>,
    /// Addresses of links that were removed.
    pub(crate) links: usize,
    /// A hit that cannot be blackened alone.
    pub(crate) stuck: Option<String>,
}

struct Cleaner<'a> {
    part: &'a str,
    xml: &'a Xml,
    terms: &'a Terms,
    out: Cleaned,
    splices: Splices,
}

/// Cleans a part, of which the package knows the name.
///
/// # Errors
/// One phrase: the part cannot be changed.
pub(crate) fn clean(part: &str, xml: &Xml, terms: &Terms) -> Result<Cleaned, String> {
    let mut cleaner =
        Cleaner { part, xml, terms, out: Cleaned::default(), splices: Splices::default() };
    cleaner.run();
    let mut out = cleaner.out;
    if !cleaner.splices.is_empty() {
        let new = xml.splice(cleaner.splices)?;
        if has_equal_columns(&new) {
            out.stuck = Some("columns of a table would have one name".to_owned());
        }
        out.text = Some(new.into_text());
    }
    Ok(out)
}

impl Cleaner<'_> {
    fn run(&mut self) {
        if self.part.eq_ignore_ascii_case("[Content_Types].xml") {
            return;
        }
        let is_relations = self.part.ends_with(".rels");
        for id in 0..self.xml.count() {
            if is_relations {
                self.link(id);
            } else {
                self.attributes(id);
            }
        }
        let mut id = 0;
        while id < self.xml.count() {
            if policy::is_block(self.xml.local(id)) || has_own_text(self.xml, id) {
                self.block(id);
                let end = self.xml.range(id).end;
                while id < self.xml.count() && self.xml.range(id).start < end {
                    id += 1;
                }
            } else {
                id += 1;
            }
        }
        self.notes();
    }

    /// Makes a link with a hit in its address lead nowhere: half of an address is none.
    fn link(&mut self, id: Id) {
        let is_external =
            self.xml.attr(id, "TargetMode").is_some_and(|it| it.eq_ignore_ascii_case("external"));
        let Some(target) = self.xml.attr(id, "Target").filter(|_| is_external) else { return };
        let hits = self.terms.find(&target).len().max(self.terms.find(&decoded(&target)).len());
        if hits > 0 {
            self.xml.set_attr(id, "Target", NOWHERE, &mut self.splices);
            self.out.hits += hits;
            self.out.links += 1;
        }
    }

    fn attributes(&mut self, id: Id) {
        let text = self.xml.text();
        for (name, range) in self.xml.attributes(id) {
            let name = &text[name];
            let raw = &text[range.clone()];
            if raw.is_empty() || name == "xmlns" || name.starts_with("xmlns:") {
                continue;
            }
            let value = unescape(raw);
            let Some((new, hits)) = self.terms.blacken(&value) else { continue };
            let local = name.rsplit(':').next().unwrap_or(name);
            match policy::attribute(self.part, self.xml.local(id), local, &value) {
                Role::Number => {}
                Role::Text => {
                    self.splices.replace(range, escape(&new));
                    self.out.hits += hits;
                }
                Role::NumberFormat => {
                    self.splices.replace(range, "General");
                    self.out.hits += hits;
                }
                Role::Keyword => {
                    let short: String = value.chars().take(80).collect();
                    self.out.keywords.insert(format!("{local}=\"{short}\""));
                }
                Role::Reference => self.stuck(id),
            }
        }
    }

    fn stuck(&mut self, id: Id) {
        self.out.hits += 1;
        let place = format!("`{}` in `{}`", self.xml.local(id), self.part);
        self.out.stuck.get_or_insert(place);
    }

    fn block(&mut self, id: Id) {
        let pieces = pieces(self.xml, self.xml.inner(id));
        let mut text = String::new();
        for piece in &pieces {
            match piece {
                Piece::Break => text.push('\n'),
                Piece::Raw(range) => text.push_str(&unescape(&self.xml.text()[range.clone()])),
                Piece::Data(range) => text.push_str(&self.xml.text()[range.clone()]),
            }
        }
        let hits = self.terms.find(&text);
        if hits.is_empty() {
            return;
        }
        let xml = self.xml;
        let parent = xml.parent(id);
        let above = [parent, parent.and_then(|it| xml.parent(it))];
        let locals = above.map(|it| it.map_or("", |it| xml.local(it)));
        let kind = parent.and_then(|it| xml.attr(it, "t")).unwrap_or_default();
        match policy::text(self.part, xml.local(id), locals, &kind, &text) {
            Role::Number => return,
            Role::Keyword => {
                self.out.keywords.insert(format!("{} {text}", xml.local(id)));
                return;
            }
            Role::Reference => return self.stuck(id),
            Role::NumberFormat => xml.set_inner(id, "General", &mut self.splices),
            Role::Text => match self.whole(id, parent, locals, &kind) {
                Whole::Remove(id) => {
                    self.splices.clear(&xml.range(id));
                    xml.remove(id, &mut self.splices);
                }
                Whole::Stuck => return self.stuck(id),
                Whole::Text(cell) => {
                    if let Some(cell) = cell {
                        xml.set_attr(cell, "t", "str", &mut self.splices);
                    }
                    self.blacken(&pieces, &hits);
                }
            },
        }
        self.out.hits += hits.len();
    }

    /// Decides what happens to a block with a hit: text in which it stands, or a value that must have a form.
    fn whole(&self, id: Id, parent: Option<Id>, above: [&str; 2], kind: &str) -> Whole {
        let xml = self.xml;
        let local = xml.local(id);
        let Some(parent) = parent else { return Whole::Text(None) };
        if local == "v" && above[0] == "pt" && matches!(above[1], "numCache" | "numLit") {
            return Whole::Remove(parent);
        }
        if local == "pt" && xml.parent(parent).is_some_and(|it| xml.local(it) == "numDim") {
            return Whole::Remove(id);
        }
        if local == "v" && above[0] == "c" {
            // A formula would bring its result back.
            return match (xml.any(parent, "f"), kind) {
                (Some(_), _) => Whole::Stuck,
                (None, "" | "n" | "d") => Whole::Text(Some(parent)),
                (None, _) => Whole::Text(None),
            };
        }
        let is_typed = matches!(local, "created" | "modified" | "lastPrinted" | "revision");
        if self.part.ends_with("core.xml") && is_typed {
            return Whole::Remove(id);
        }
        if above[0] == "property" && !matches!(local, "lpstr" | "lpwstr" | "bstr") {
            return Whole::Remove(parent);
        }
        Whole::Text(None)
    }

    fn blacken(&mut self, pieces: &[Piece], hits: &[Range<usize>]) {
        let mut at = 0;
        let mut next = hits.iter().peekable();
        let mut put = |range: Range<usize>, c: char, at: usize, splices: &mut Splices| {
            while next.peek().is_some_and(|it| it.end <= at) {
                next.next();
            }
            if next.peek().is_some_and(|it| it.contains(&at)) {
                let new = if is_invisible(c) { String::new() } else { BLOCK.to_string() };
                splices.replace(range, new);
            }
        };
        for piece in pieces {
            match piece {
                Piece::Break => at += 1,
                Piece::Data(range) => {
                    for (offset, c) in self.xml.text()[range.clone()].char_indices() {
                        let start = range.start + offset;
                        put(start..start + c.len_utf8(), c, at, &mut self.splices);
                        at += 1;
                    }
                }
                Piece::Raw(range) => {
                    let raw = &self.xml.text()[range.clone()];
                    let mut offset = 0;
                    while let Some(c) = raw[offset..].chars().next() {
                        let (length, c) = entity(&raw[offset..]).unwrap_or((c.len_utf8(), c));
                        let start = range.start + offset;
                        put(start..start + length, c, at, &mut self.splices);
                        offset += length;
                        at += 1;
                    }
                }
            }
        }
    }

    /// Removes comments and instructions with a hit.
    fn notes(&mut self) {
        for (open, close) in [("<!--", "-->"), ("<?", "?>")] {
            let text = self.xml.text();
            let mut at = 0;
            while let Some(start) = text[at..].find(open).map(|it| at + it) {
                let end =
                    text[start..].find(close).map_or(text.len(), |it| start + it + close.len());
                if !text[start..].starts_with("<?xml ") && self.terms.hit(&text[start..end]) {
                    self.splices.replace(start..end, "");
                    self.out.hits += 1;
                }
                at = end;
            }
        }
    }
}

enum Whole {
    /// The hits in it, and a cell that becomes one of text.
    Text(Option<Id>),
    Remove(Id),
    Stuck,
}

enum Piece {
    Break,
    /// Character data with entities.
    Raw(Range<usize>),
    /// A section of plain character data.
    Data(Range<usize>),
}

/// Returns the character data of a range of XML.
fn pieces(xml: &Xml, range: Range<usize>) -> Vec<Piece> {
    let text = xml.text();
    let mut out = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let rest = &text[at..range.end];
        let length = |end: &str| rest.find(end).map_or(rest.len(), |it| it + end.len());
        if rest.starts_with("<![CDATA[") {
            let end = at + length("]]>");
            out.push(Piece::Data(at + 9..end.saturating_sub(3).max(at + 9)));
            at = end;
        } else if rest.starts_with("<!--") {
            at += length("-->");
        } else if rest.starts_with("<?") {
            at += length("?>");
        } else if let Some(name) = rest.strip_prefix('<') {
            let name = name.trim_start_matches('/');
            let name = name.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next();
            let local = name.and_then(|it| it.rsplit(':').next()).unwrap_or_default();
            if policy::breaks(local) {
                out.push(Piece::Break);
            }
            at += tag_length(rest);
        } else {
            let end = at + rest.find('<').unwrap_or(rest.len());
            out.push(Piece::Raw(at..end));
            at = end;
        }
    }
    out
}

/// Returns the length of a tag, skipping `>` in values.
fn tag_length(tag: &str) -> usize {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return at + 1,
            _ => {}
        }
    }
    tag.len()
}

/// Returns the length and the character of the entity that a text begins with.
fn entity(text: &str) -> Option<(usize, char)> {
    if !text.starts_with('&') {
        return None;
    }
    let length = text.bytes().take(12).position(|it| it == b';')? + 1;
    let decoded = unescape(&text[..length]);
    let mut chars = decoded.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Some((length, c)),
        _ => None,
    }
}

/// Returns `true` if an element has text of its own, and not only elements.
fn has_own_text(xml: &Xml, id: Id) -> bool {
    let inner = xml.inner(id);
    let mut at = inner.start;
    let is_text = |range: Range<usize>| {
        let text = xml.text();
        let is_shown = |it: &Piece| match it {
            Piece::Break => false,
            Piece::Raw(range) | Piece::Data(range) => !text[range.clone()].trim().is_empty(),
        };
        !text[range.clone()].trim().is_empty() && pieces(xml, range).iter().any(is_shown)
    };
    for child in xml.children(id) {
        let range = xml.range(child);
        if is_text(at..range.start) {
            return true;
        }
        at = range.end;
    }
    is_text(at..inner.end)
}

/// Returns an address without percent signs.
pub(crate) fn decoded(address: &str) -> String {
    let bytes = address.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = address.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match hex.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn has_equal_columns(xml: &Xml) -> bool {
    let mut seen = BTreeSet::new();
    let columns = xml.below(xml.root()).filter(|&it| xml.local(it) == "tableColumn");
    let names = columns.filter_map(|it| xml.attr(it, "name").map(|it| it.to_lowercase()));
    names.into_iter().any(|name| !seen.insert(name))
}
