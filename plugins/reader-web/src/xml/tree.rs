//! Parses XML into a tree, without declared entities and without external files.

use mitt_reader_kit::clean;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Most elements, and their deepest nesting.
const MAX_NODES: usize = 2_000_000;
const MAX_DEPTH: usize = 500;

/// An element. Names have no prefixes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) name: String,
    /// Its prefix: `dc` of `dc:date`.
    pub(crate) prefix: String,
    pub(crate) attributes: Vec<(String, String)>,
    /// Text and child elements, in order. Children are indices of nodes.
    pub(crate) content: Vec<Part>,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    Element(usize),
}

/// A document. Parents come before their children, and the root is first.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
}

/// Where and why a text is not XML.
#[derive(Debug)]
pub(crate) struct Damage {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) reason: String,
}

impl Tree {
    pub(crate) fn parse(text: &str) -> Result<Tree, Damage> {
        let mut reader = Reader::from_str(text);
        let mut tree = Tree::default();
        let mut open: Vec<usize> = Vec::new();
        loop {
            let damage = |reader: &Reader<&[u8]>, reason: String| {
                let (line, column) =
                    place(text, reader.error_position().max(reader.buffer_position()));
                Damage { line, column, reason }
            };
            let event = match reader.read_event() {
                Ok(event) => event,
                Err(error) => {
                    let (line, column) = place(text, reader.error_position());
                    return Err(Damage { line, column, reason: error.to_string() });
                }
            };
            match event {
                Event::Eof if !open.is_empty() => {
                    return Err(damage(&reader, "an element is not closed".into()));
                }
                Event::Eof if tree.nodes.is_empty() => {
                    return Err(damage(&reader, "there is no element".into()));
                }
                Event::Eof => return Ok(tree),
                Event::Start(start) => {
                    let id = tree.add(&start, &open).map_err(|it| damage(&reader, it))?;
                    open.push(id);
                }
                Event::Empty(start) => {
                    tree.add(&start, &open).map_err(|it| damage(&reader, it))?;
                }
                Event::End(_) => {
                    open.pop();
                }
                Event::Text(it) => tree.text(&open, &it.xml10_content()),
                Event::CData(it) => tree.text(&open, &it),
                Event::GeneralRef(it) => {
                    tree.text(&open, &entity(&it));
                }
                Event::Comment(_) | Event::Decl(_) | Event::DocType(_) | Event::PI(_) => {}
            }
        }
    }

    fn add(&mut self, start: &BytesStart<'_>, open: &[usize]) -> Result<usize, String> {
        if self.nodes.len() >= MAX_NODES || open.len() >= MAX_DEPTH {
            return Err(format!("more than {MAX_NODES} elements, or {MAX_DEPTH} in one another"));
        }
        if open.is_empty() && !self.nodes.is_empty() {
            return Err("a second root element".into());
        }
        let name = start.name();
        let mut node = Node {
            name: name.local_name().as_ref().to_owned(),
            prefix: name.prefix().map(|it| it.as_ref().to_owned()).unwrap_or_default(),
            ..Node::default()
        };
        for attribute in start.attributes().with_checks(false) {
            let attribute = attribute.map_err(|it| it.to_string())?;
            let key = attribute.key.as_ref().to_owned();
            if key != "xmlns" && !key.starts_with("xmlns:") {
                node.attributes.push((key, clean(&unescape(&attribute.value))));
            }
        }
        let id = self.nodes.len();
        self.nodes.push(node);
        if let Some(parent) = open.last().and_then(|it| self.nodes.get_mut(*it)) {
            parent.content.push(Part::Element(id));
        }
        Ok(id)
    }

    fn text(&mut self, open: &[usize], text: &str) {
        if let Some(node) = open.last().and_then(|it| self.nodes.get_mut(*it)) {
            match node.content.last_mut() {
                Some(Part::Text(last)) => last.push_str(text),
                _ => node.content.push(Part::Text(text.to_owned())),
            }
        }
    }

    pub(crate) fn get(&self, id: usize) -> Option<&Node> {
        self.nodes.get(id)
    }

    pub(crate) fn children(&self, id: usize) -> impl Iterator<Item = (usize, &Node)> {
        let content = self.nodes.get(id).map_or(&[][..], |it| &it.content);
        content.iter().filter_map(|part| match part {
            Part::Element(id) => Some((*id, self.nodes.get(*id)?)),
            Part::Text(_) => None,
        })
    }

    /// Returns the first child element with a name.
    pub(crate) fn child(&self, id: usize, name: &str) -> Option<usize> {
        self.children(id).find(|(_, node)| node.name == name).map(|(id, _)| id)
    }

    pub(crate) fn text_of(&self, id: usize) -> String {
        let mut out = String::new();
        let Some(node) = self.get(id) else { return out };
        let mut open: Vec<&Part> = node.content.iter().rev().collect();
        while let Some(part) = open.pop() {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Element(id) => {
                    open.extend(self.nodes.get(*id).map_or(&[][..], |it| &it.content).iter().rev())
                }
            }
        }
        clean(&out)
    }
}

impl Node {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Returns the line and column of a byte, from 1.
fn place(text: &str, at: u64) -> (usize, usize) {
    let mut at = (at as usize).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        match after.split_once(';') {
            Some((name, after)) if name.len() <= 32 => {
                out.push_str(&entity(name));
                rest = after;
            }
            _ => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Returns the text of a reference. A reference to a declared entity stays as it is, because nothing is expanded.
fn entity(name: &str) -> String {
    let code = match name.strip_prefix('#') {
        Some(digits) => match digits.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => digits.parse().ok(),
        },
        None => None,
    };
    if let Some(letter) = code.and_then(char::from_u32) {
        return letter.to_string();
    }
    match name {
        "lt" => "<".into(),
        "gt" => ">".into(),
        "amp" => "&".into(),
        "quot" => "\"".into(),
        "apos" => "'".into(),
        // Feeds use these without declaring them.
        "nbsp" => "\u{a0}".into(),
        "mdash" => "—".into(),
        "ndash" => "–".into(),
        "hellip" => "…".into(),
        "copy" => "©".into(),
        "rsquo" => "’".into(),
        "lsquo" => "‘".into(),
        "rdquo" => "”".into(),
        "ldquo" => "“".into(),
        _ => format!("&{name};"),
    }
}
