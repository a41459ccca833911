//! Reads small parts of an XML text as trees. Names have no prefixes, because other producers write `ns0:p` for `w:p`.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::ops::Range;

/// Deepest level of a tree, so that recursion over it is safe. Deeper elements become children of the element at this
/// depth.
const MAX_DEPTH: usize = 100;

/// An element.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// Local name, without its prefix.
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Child>,
    /// Where it is in the text, if it is not the element that a tree was read from.
    pub(crate) range: Range<usize>,
}

#[derive(Debug)]
pub(crate) enum Child {
    Node(Node),
    Text(String),
}

impl Node {
    /// Makes an element without children.
    pub(crate) fn leaf(start: &BytesStart<'_>) -> Self {
        let attributes = start
            .attributes()
            .with_checks(false)
            .flatten()
            .map(|attribute| {
                let value = quick_xml::escape::unescape(&attribute.value)
                    .map_or_else(|_| attribute.value.to_string(), |value| value.into_owned());
                (attribute.key.local_name().as_ref().to_owned(), value)
            })
            .collect();
        Self {
            name: start.local_name().as_ref().to_owned(),
            attributes,
            children: Vec::new(),
            range: 0..0,
        }
    }

    /// Returns an attribute by its local name.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.children.iter().filter_map(|child| match child {
            Child::Node(node) => Some(node),
            Child::Text(_) => None,
        })
    }

    pub(crate) fn child(&self, name: &str) -> Option<&Node> {
        self.nodes().find(|node| node.name == name)
    }

    /// Returns the attribute `val` of a child. Office writes most properties like that.
    pub(crate) fn value(&self, child: &str) -> Option<&str> {
        self.child(child)?.attribute("val")
    }

    /// Returns whether a child is there and switched on.
    pub(crate) fn is_on(&self, child: &str) -> bool {
        self.child(child).is_some_and(|node| {
            !node.attribute("val").is_some_and(|value| matches!(value, "0" | "false" | "off"))
        })
    }

    /// Returns all text below, in order.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        self.push_text(&mut out);
        out
    }

    fn push_text(&self, out: &mut String) {
        for child in &self.children {
            match child {
                Child::Text(text) => out.push_str(text),
                Child::Node(node) => node.push_text(out),
            }
        }
    }
}

/// Returns a reader that tolerates XML which is not well-formed.
pub(crate) fn reader(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.check_comments = false;
    reader
}

/// Reads the element that `start` begins up to its end; `None` if the text ends before.
pub(crate) fn tree(reader: &mut Reader<&[u8]>, start: &BytesStart<'_>) -> Option<Node> {
    let mut open = vec![Node::leaf(start)];
    // Number of open elements beyond the greatest depth, which have no node of their own.
    let mut flat = 0_usize;
    loop {
        let from = reader.buffer_position() as usize;
        match reader.read_event().ok()? {
            Event::Start(_) if open.len() >= MAX_DEPTH => flat += 1,
            Event::Start(start) => {
                let mut node = Node::leaf(&start);
                node.range = from..from;
                open.push(node);
            }
            Event::Empty(empty) => {
                let mut node = Node::leaf(&empty);
                node.range = from..reader.buffer_position() as usize;
                open.last_mut()?.children.push(Child::Node(node));
            }
            Event::End(_) if flat > 0 => flat -= 1,
            Event::End(_) => {
                let mut done = open.pop()?;
                done.range.end = reader.buffer_position() as usize;
                match open.last_mut() {
                    Some(parent) => parent.children.push(Child::Node(done)),
                    None => return Some(done),
                }
            }
            Event::Text(text) => push_text(open.last_mut()?, &text),
            Event::CData(text) => push_text(open.last_mut()?, &text),
            Event::GeneralRef(reference) => push_text(open.last_mut()?, &resolve(&reference)),
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// Returns the root element of an XML text.
pub(crate) fn root(text: &str) -> Option<Node> {
    let mut reader = reader(text);
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) => {
                let start = start.into_owned();
                return tree(&mut reader, &start);
            }
            Event::Empty(empty) => return Some(Node::leaf(&empty)),
            Event::Eof => return None,
            _ => {}
        }
    }
}

fn push_text(node: &mut Node, text: &str) {
    if let Some(Child::Text(last)) = node.children.last_mut() {
        last.push_str(text);
    } else {
        node.children.push(Child::Text(text.to_owned()));
    }
}

/// Returns the text of a reference such as `&amp;`. An unknown reference stays as it is.
fn resolve(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    let name: &str = reference;
    match quick_xml::escape::resolve_predefined_entity(name) {
        Some(text) => text.to_owned(),
        None => format!("&{name};"),
    }
}

/// Escapes text for XML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_names_without_prefixes() {
        let root =
            root("<?xml version='1.0'?><a:b x:val='1 &amp; 2'><c/>t&lt;&#x41;<d>u</d></a:b>");
        let root = root.unwrap();
        assert_eq!((root.name.as_str(), root.attribute("val")), ("b", Some("1 & 2")));
        assert_eq!(root.text(), "t<Au");
        assert!(root.is_on("c") && !root.is_on("e"));
    }

    #[test]
    fn depth_is_bounded_and_text_is_kept() {
        let deep = format!("{}x{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
        assert_eq!(root(&deep).unwrap().text(), "x");
        assert!(root("<a><b>").is_none());
    }
}
