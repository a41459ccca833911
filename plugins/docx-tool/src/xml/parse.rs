//! Parsing of parts and of new XML.

use super::escape::{attributes, is_name_byte, unescape};
use super::{DOCUMENT, Id, Kind, NIL, Node, Ns, Span, Tree, namespace};
use std::ops::Range;

/// Deepest level of elements. Word itself stops far below: a table in ten tables has about 60 levels.
const MAX_DEPTH: usize = 400;
/// Most nodes of a part, which bounds their memory to 240 MB: 48 bytes each. A page has about 500.
const MAX_NODES: usize = 5_000_000;

impl Tree {
    /// Parses a part.
    ///
    /// # Errors
    /// One phrase: not well-formed, a document type declaration, or beyond a limit.
    pub(crate) fn parse(text: String) -> Result<Self, String> {
        if text.len() > (u32::MAX / 2) as usize {
            return Err("it is too large".to_owned());
        }
        // All at once, because a vector that grows needs its memory twice.
        let nodes = Vec::with_capacity(estimate(&text).min(MAX_NODES) + 64);
        let mut tree =
            Self { text, nodes, is_changed: false, keeps_space: false, scope: Vec::new() };
        tree.push(Kind::Other, Ns::None, Span::default(), Span::default());
        let range = 0..tree.text.len();
        tree.parse_range(range, DOCUMENT)?;
        let root = tree.root().ok_or("it has no root element")?;
        if tree.children(DOCUMENT).filter(|&id| tree.kind(id) == Kind::Element).count() > 1 {
            return Err("it has several root elements".to_owned());
        }
        tree.scope = tree.declarations(root);
        let keeps_space =
            tree.attrs(root).any(|(name, value)| name == "xml:space" && value == "preserve");
        tree.keeps_space = keeps_space;
        Ok(tree)
    }

    /// Parses new XML, and returns its nodes, which have no parent yet. Prefixes are those of the root element.
    pub(crate) fn fragment(&mut self, xml: &str) -> Vec<Id> {
        let start = self.text.len();
        self.push_text(xml);
        let holder = self.push(Kind::Other, Ns::None, Span::default(), Span::default());
        // Callers escape every text, so this fails only on a mistake in this crate.
        self.parse_range(start..start + xml.len(), holder).expect("new XML is well-formed");
        let ids: Vec<Id> = self.children(holder).collect();
        for &id in &ids {
            self.unlink(id);
        }
        self.is_changed = true;
        ids
    }

    /// Parses new XML of one element.
    pub(crate) fn element(&mut self, xml: &str) -> Id {
        self.fragment(xml)[0]
    }

    pub(super) fn push(&mut self, kind: Kind, ns: Ns, local: Span, open: Span) -> Id {
        let (close, parent, first, last, next, previous) =
            (Span::default(), NIL, NIL, NIL, NIL, NIL);
        self.nodes.push(Node { kind, ns, local, open, close, parent, first, last, next, previous });
        (self.nodes.len() - 1) as Id
    }

    fn parse_range(&mut self, range: Range<usize>, top: Id) -> Result<(), String> {
        // Taken out for the time of parsing, because nodes are added meanwhile.
        let text = std::mem::take(&mut self.text);
        let result = self.parse_text(&text, range, top);
        self.text = text;
        result
    }

    fn parse_text(&mut self, text: &str, range: Range<usize>, top: Id) -> Result<(), String> {
        let bytes = text.as_bytes();
        let span = |start: usize, end: usize| Span { start: start as u32, end: end as u32 };
        let mut scope: Vec<(String, Ns)> = self.scope.clone();
        // Open elements, each with the length of `scope` outside of it.
        let mut open: Vec<(Id, usize)> = Vec::new();
        // The prefix that came last, and its namespace. Nearly all names of a part have one prefix, and `scope` may have forty.
        let mut last: Option<(&str, Ns)> = None;
        let mut at = range.start;
        while at < range.end {
            if self.nodes.len() > MAX_NODES {
                return Err(format!("it has more than {MAX_NODES} nodes"));
            }
            let parent = open.last().map_or(top, |&(id, _)| id);
            if bytes[at] != b'<' {
                let end = find(bytes, at, range.end, b"<").unwrap_or(range.end);
                let id = self.push(Kind::Text, Ns::None, Span::default(), span(at, end));
                self.link_last(parent, id);
                at = end;
                continue;
            }
            let rest = &bytes[at..range.end];
            let other = if rest.starts_with(b"<!--") {
                Some((&b"-->"[..], Kind::Other, 4))
            } else if rest.starts_with(b"<![CDATA[") {
                Some((&b"]]>"[..], Kind::Text, 9))
            } else if rest.starts_with(b"<?") {
                Some((&b"?>"[..], Kind::Other, 2))
            } else if rest.starts_with(b"<!") {
                return Err("it has a document type declaration".to_owned());
            } else {
                None
            };
            if let Some((mark, kind, skip)) = other {
                let end = find(bytes, at + skip, range.end, mark)
                    .ok_or_else(|| format!("a token at byte {at} has no end"))?
                    + mark.len();
                let id = self.push(kind, Ns::None, Span::default(), span(at, end));
                self.link_last(parent, id);
                at = end;
                continue;
            }
            let end = tag_end(bytes, at, range.end)
                .ok_or_else(|| format!("a tag at byte {at} has no end"))?;
            if rest.starts_with(b"</") {
                let (id, outside) =
                    open.pop().ok_or_else(|| format!("an end tag at byte {at} has no start"))?;
                let name = text[at + 2..end - 1].trim_end();
                let node = &mut self.nodes[id as usize];
                let start = &text[node.open.range()];
                let wanted = &start[1..];
                if !wanted.starts_with(name)
                    || wanted.as_bytes().get(name.len()).is_none_or(|&it| is_name_byte(it))
                {
                    return Err(format!(
                        "the end tag `{name}` at byte {at} closes another element"
                    ));
                }
                node.close = span(at, end);
                if outside < scope.len() {
                    scope.truncate(outside);
                    last = None;
                }
                at = end;
                continue;
            }
            let is_empty = bytes[end - 2] == b'/';
            let name_end = (at + 1..end).find(|&it| !is_name_byte(bytes[it])).unwrap_or(end - 1);
            if name_end == at + 1 {
                return Err(format!("a tag at byte {at} has no name"));
            }
            let outside = scope.len();
            let tag = &text[at..end];
            if may_declare(tag) {
                last = None;
                for (name, value) in attributes(tag) {
                    if let Some(prefix) = name.strip_prefix("xmlns:") {
                        scope.push((prefix.to_owned(), namespace(&unescape(value))));
                    } else if name == "xmlns" {
                        scope.push((String::new(), namespace(&unescape(value))));
                    }
                }
            }
            let name = &text[at + 1..name_end];
            let (prefix, local) = name.split_once(':').unwrap_or(("", name));
            let ns = match last {
                Some((known, ns)) if known == prefix => ns,
                _ => {
                    let ns = scope.iter().rev().find(|(it, _)| it == prefix).map(|&(_, ns)| ns);
                    ns.unwrap_or(if prefix.is_empty() { Ns::None } else { Ns::Other })
                }
            };
            last = Some((prefix, ns));
            let local = span(name_end - local.len(), name_end);
            let id = self.push(Kind::Element, ns, local, span(at, end));
            self.link_last(parent, id);
            if is_empty {
                if outside < scope.len() {
                    scope.truncate(outside);
                    last = None;
                }
            } else {
                if open.len() >= MAX_DEPTH {
                    return Err(format!("its elements are nested deeper than {MAX_DEPTH}"));
                }
                open.push((id, outside));
            }
            at = end;
        }
        match open.last() {
            Some(&(id, _)) => {
                let name = &text[self.nodes[id as usize].local.range()];
                Err(format!("the element `{name}` has no end"))
            }
            None => Ok(()),
        }
    }

    /// Returns the prefixes that an element declares.
    fn declarations(&self, id: Id) -> Vec<(String, Ns)> {
        attributes(self.open_tag(id))
            .filter_map(|(name, value)| {
                let prefix = match name {
                    "xmlns" => "",
                    _ => name.strip_prefix("xmlns:")?,
                };
                Some((prefix.to_owned(), namespace(&unescape(value))))
            })
            .collect()
    }

    /// Makes `prefix` usable in new XML: declares it at the root element unless it is there.
    ///
    /// # Errors
    /// One phrase: the prefix belongs to another namespace.
    pub(crate) fn declare(&mut self, prefix: &str, uri: &str) -> Result<(), String> {
        let wanted = namespace(uri);
        match self.scope.iter().find(|(it, _)| it == prefix) {
            Some((_, ns)) if *ns == wanted => Ok(()),
            Some(_) => Err(format!("it uses the prefix `{prefix}` for another namespace")),
            None => {
                let Some(root) = self.root() else { return Ok(()) };
                self.set_attr(root, &format!("xmlns:{prefix}"), uri);
                self.scope.push((prefix.to_owned(), wanted));
                Ok(())
            }
        }
    }
}

fn find(bytes: &[u8], from: usize, to: usize, wanted: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..to)?;
    match wanted {
        [one] => rest.iter().position(|byte| byte == one).map(|at| from + at),
        _ => rest.windows(wanted.len()).position(|part| part == wanted).map(|at| from + at),
    }
}

/// Returns `false` for a tag that declares no prefix. Faster than a search for the whole word, because each search prepares itself.
fn may_declare(tag: &str) -> bool {
    let mut rest = tag.as_bytes();
    while let Some(at) = rest.iter().position(|it| *it == b'x') {
        rest = &rest[at..];
        if rest.starts_with(b"xmlns") {
            return true;
        }
        rest = &rest[1..];
    }
    false
}

/// Returns about how many nodes a part has: its tags and the texts behind them.
fn estimate(text: &str) -> usize {
    let bytes = text.as_bytes();
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let found = pairs.filter(|&(first, second)| {
        (*first == b'<') & (*second != b'/') | (*first == b'>') & (*second != b'<')
    });
    found.count() + 2
}

/// Returns the offset behind a tag. `>` in an attribute does not end it.
fn tag_end(bytes: &[u8], at: usize, to: usize) -> Option<usize> {
    let mut quote = None;
    for (offset, &byte) in bytes.get(at + 1..to)?.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + offset + 2),
            (None, b'<') => return None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml::W_URI;

    const M_URI: &str = "http://schemas.openxmlformats.org/officeDocument/2006/math";

    #[test]
    fn a_prefix_has_the_namespace_of_its_place() {
        let xml = format!(
            "<w:a xmlns:w=\"{W_URI}\"><w:b/><w:c xmlns:w=\"{M_URI}\"><w:d/></w:c><w:e xmlns:w=\"{M_URI}\"/><w:f x=\"xmlns\"/><g/><w:h/></w:a>"
        );
        let tree = Tree::parse(xml).unwrap();
        let root = tree.root().unwrap();
        let all = std::iter::once(root).chain(tree.descendants(root));
        let found: Vec<_> = all.map(|it| (tree.local(it), tree.ns(it))).collect();
        assert_eq!(
            found,
            [
                ("a", Ns::W),
                ("b", Ns::W),
                ("c", Ns::M),
                ("d", Ns::M),
                ("e", Ns::M),
                ("f", Ns::W),
                ("g", Ns::None),
                ("h", Ns::W),
            ]
        );
    }

    #[test]
    fn the_root_says_if_white_space_counts_everywhere() {
        for (root, expected) in [
            ("<a xml:space=\"preserve\"/>", true),
            ("<a xml:space=\"default\"/>", false),
            ("<a space=\"preserve\"/>", false),
            ("<a><b xml:space=\"preserve\"/></a>", false),
        ] {
            assert_eq!(Tree::parse(root.to_owned()).unwrap().keeps_space(), expected, "{root}");
        }
    }
}
