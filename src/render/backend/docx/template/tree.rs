//! A part of an untrusted package as a tree that is written back as it was read: unknown content stays as it is.
//!
//! Knows XML and its limits, and no format.

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::attributes::Attributes;
use quick_xml::events::{BytesStart, Event};

use mitt_base::{Error, ErrorKind, Result};

/// Most levels of nested elements. Word writes about forty for a table in a text box in a table.
pub(super) const MAX_DEPTH: usize = 200;

/// Most elements of all parts that are read.
pub(super) const MAX_ELEMENTS: usize = 500_000;

/// A part.
#[derive(Debug)]
pub(super) struct Tree {
    /// Text before the root.
    prolog: String,
    pub(super) root: Element,
    /// Text behind the root.
    epilog: String,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Element(Element),
    /// Escaped text.
    Text(String),
    /// A comment, an instruction or a CDATA section, as written.
    Other(String),
}

#[derive(Clone, Debug)]
pub(super) struct Element {
    /// Name with its prefix.
    pub(super) name: String,
    /// Source of the tag behind the name, without the slash of an empty element.
    attributes: String,
    pub(super) children: Vec<Node>,
    /// `true` if it consists of a single tag.
    is_empty: bool,
}

impl Tree {
    /// Reads a part. `left` is the number of elements that may still be read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - it is no XML in UTF-8, has a document type, is nested too deeply or has too many elements.
    pub(super) fn read(name: &str, bytes: &[u8], left: &mut usize) -> Result<Tree> {
        let broken = |what: &str| {
            Error::new(ErrorKind::Input, format!("template: part `{name}` {what}"))
                .hint("open the template in Word and save it again as `.docx`")
        };
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|_| broken("is not in UTF-8"))?;
        let mut reader = Reader::from_str(text);
        let mut open: Vec<Element> = Vec::new();
        let (mut prolog, mut epilog, mut root) = (String::new(), String::new(), None);
        loop {
            let from = position(&reader);
            let event = reader.read_event().map_err(|error| {
                broken(&format!("is no well-formed XML at byte {from}: {error}"))
            })?;
            let raw = text.get(from..position(&reader)).unwrap_or_default();
            let node = match event {
                Event::Eof => break,
                Event::DocType(_) => {
                    return Err(broken("has a document type, which no Word file has"));
                }
                Event::Start(start) => {
                    *left = left.checked_sub(1).ok_or_else(|| too_many(name))?;
                    if open.len() >= MAX_DEPTH {
                        let what = format!("is nested deeper than {MAX_DEPTH} elements");
                        return Err(broken(&what));
                    }
                    if root.is_some() {
                        return Err(broken("has two roots"));
                    }
                    open.push(Element::of(&start, false));
                    continue;
                }
                Event::Empty(start) => {
                    *left = left.checked_sub(1).ok_or_else(|| too_many(name))?;
                    Node::Element(Element::of(&start, true))
                }
                Event::End(_) => match open.pop() {
                    Some(element) => Node::Element(element),
                    None => return Err(broken("ends an element that did not begin")),
                },
                Event::Text(_) | Event::GeneralRef(_) => Node::Text(raw.to_owned()),
                Event::CData(_) | Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {
                    Node::Other(raw.to_owned())
                }
            };
            match (open.last_mut(), node) {
                (Some(parent), Node::Text(more)) => match parent.children.last_mut() {
                    Some(Node::Text(text)) => text.push_str(&more),
                    _ => parent.children.push(Node::Text(more)),
                },
                (Some(parent), node) => parent.children.push(node),
                (None, Node::Element(element)) if root.is_none() => root = Some(element),
                (None, Node::Element(_)) => return Err(broken("has two roots")),
                (None, Node::Text(raw) | Node::Other(raw)) => {
                    if root.is_none() { &mut prolog } else { &mut epilog }.push_str(&raw);
                }
            }
        }
        match root {
            Some(root) if open.is_empty() => Ok(Tree { prolog, root, epilog }),
            _ => Err(broken("ends before its elements do")),
        }
    }

    /// Returns its source.
    pub(super) fn to_xml(&self) -> String {
        let mut xml = self.prolog.clone();
        self.root.write(&mut xml);
        xml.push_str(&self.epilog);
        xml
    }
}

#[cold]
pub(super) fn too_many(name: &str) -> Error {
    let message = format!("template: expected at most {MAX_ELEMENTS} elements, `{name}` has more");
    Error::new(ErrorKind::Input, message).hint("shorten the template")
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

impl Element {
    fn of(start: &BytesStart<'_>, is_empty: bool) -> Element {
        let name = start.name();
        let name: &str = name.as_ref();
        let attributes = start.attributes_raw().trim_end().to_owned();
        Element { name: name.to_owned(), attributes, children: Vec::new(), is_empty }
    }

    /// Creates an element, with attributes in source form: ` w:val="1"`.
    pub(super) fn new(name: &str, attributes: &str) -> Element {
        let attributes = attributes.to_owned();
        Element { name: name.to_owned(), attributes, children: Vec::new(), is_empty: true }
    }

    /// Creates an element with this unescaped text, which must not contain characters that XML cannot hold.
    pub(super) fn with_text(name: &str, attributes: &str, text: &str) -> Element {
        let mut element = Element::new(name, attributes);
        element.children.push(Node::Text(escaped(text)));
        element
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// Returns the value of an attribute.
    pub(super) fn get(&self, key: &str) -> Option<String> {
        let found = self.pairs().find(|(name, _)| *name == key)?;
        unescape(found.1).ok().map(std::borrow::Cow::into_owned)
    }

    /// Sets or removes an attribute.
    pub(super) fn set(&mut self, key: &str, value: Option<&str>) {
        let mut written = String::with_capacity(self.attributes.len() + 20);
        let mut push = |name: &str, raw: &str| {
            // A value in single quotes may contain double ones.
            let raw = raw.replace('"', "&quot;");
            written.push_str(&format!(" {name}=\"{raw}\""));
        };
        let mut is_set = false;
        for (name, raw) in self.pairs() {
            match value {
                _ if name != key => push(name, raw),
                Some(value) if !is_set => {
                    push(name, &escaped(value));
                    is_set = true;
                }
                _ => {}
            }
        }
        if let Some(value) = value.filter(|_| !is_set) {
            push(key, &escaped(value));
        }
        self.attributes = written;
    }

    /// Returns names and raw values of the attributes, up to the first invalid one.
    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut attributes = Attributes::new(&self.attributes, 0);
        attributes.with_checks(false);
        attributes.map_while(|pair| {
            let pair = pair.ok()?;
            let raw = match pair.value {
                std::borrow::Cow::Borrowed(raw) => raw,
                std::borrow::Cow::Owned(_) => return None,
            };
            Some((pair.key.into_inner(), raw))
        })
    }

    /// Returns names and values of the attributes that begin with this prefix.
    pub(super) fn with_prefix(&self, prefix: &str) -> Vec<(String, String)> {
        let named = self.pairs().filter(|(name, _)| name.starts_with(prefix));
        named.map(|(name, raw)| (name.to_owned(), raw.to_owned())).collect()
    }

    /// Returns its child elements.
    pub(super) fn elements(&self) -> impl DoubleEndedIterator<Item = &Element> {
        self.children.iter().filter_map(Node::element)
    }

    pub(super) fn elements_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Element> {
        self.children.iter_mut().filter_map(Node::element_mut)
    }

    /// Returns its first child element of this name.
    pub(super) fn find(&self, name: &str) -> Option<&Element> {
        self.elements().find(|element| element.is(name))
    }

    pub(super) fn find_mut(&mut self, name: &str) -> Option<&mut Element> {
        self.elements_mut().find(|element| element.is(name))
    }

    /// Calls `visit` for it and every element within it, outer ones first.
    pub(super) fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Element)) {
        visit(self);
        self.elements().for_each(|element| element.visit(visit));
    }

    /// Does what [`Element::visit`] does with mutable elements.
    pub(super) fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Element)) {
        visit(self);
        self.elements_mut().for_each(|element| element.visit_mut(visit));
    }

    /// Returns its text and that of the elements within it, unescaped.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for node in &self.children {
            match node {
                Node::Text(raw) => match unescape(raw) {
                    Ok(plain) => text.push_str(&plain),
                    Err(_) => text.push_str(raw),
                },
                Node::Element(element) => text.push_str(&element.text()),
                Node::Other(raw) => {
                    let inner =
                        raw.strip_prefix("<![CDATA[").and_then(|raw| raw.strip_suffix("]]>"));
                    text.push_str(inner.unwrap_or_default());
                }
            }
        }
        text
    }

    /// Returns its number of elements, including itself.
    pub(super) fn count(&self) -> usize {
        1 + self.elements().map(Element::count).sum::<usize>()
    }

    fn write(&self, xml: &mut String) {
        xml.push('<');
        xml.push_str(&self.name);
        xml.push_str(&self.attributes);
        if self.is_empty && self.children.is_empty() {
            xml.push_str("/>");
            return;
        }
        xml.push('>');
        for node in &self.children {
            match node {
                Node::Element(element) => element.write(xml),
                Node::Text(raw) | Node::Other(raw) => xml.push_str(raw),
            }
        }
        xml.push_str("</");
        xml.push_str(&self.name);
        xml.push('>');
    }
}

impl Node {
    pub(super) fn element(&self) -> Option<&Element> {
        match self {
            Node::Element(element) => Some(element),
            _ => None,
        }
    }

    pub(super) fn element_mut(&mut self) -> Option<&mut Element> {
        match self {
            Node::Element(element) => Some(element),
            _ => None,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.element().map_or(0, Element::count)
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // The caller has reported characters that XML cannot hold.
    crate::shared::xml::push_text(&mut out, text, &mut crate::shared::losses::Losses::default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(xml: &str) -> Result<Tree> {
        Tree::read("a.xml", xml.as_bytes(), &mut 1_000)
    }

    #[test]
    fn what_is_read_is_written_as_it_was() {
        for xml in [
            "<?xml version=\"1.0\"?>\r\n<a:b  x='1' y=\"&amp;\"><!-- c --><d/><e>中 &lt;x&#10;</e><f></f><![CDATA[<z>]]></a:b>\n<!-- end -->",
            "<a/>",
        ] {
            assert_eq!(read(xml).unwrap().to_xml(), xml);
        }
    }

    #[test]
    fn attributes_are_read_set_and_taken_away() {
        let mut tree = read("<a x='1\"' w:y=\"a&amp;b\"/>").unwrap();
        assert_eq!(tree.root.get("w:y").as_deref(), Some("a&b"));
        assert_eq!(tree.root.get("x").as_deref(), Some("1\""));
        tree.root.set("w:y", Some("<"));
        tree.root.set("z", Some("2"));
        assert_eq!(tree.to_xml(), "<a x=\"1&quot;\" w:y=\"&lt;\" z=\"2\"/>");
        tree.root.set("w:y", None);
        assert_eq!(tree.to_xml(), "<a x=\"1&quot;\" z=\"2\"/>");
    }

    #[test]
    fn what_is_hostile_or_broken_is_refused() {
        let deep = format!("{}{}", "<a>".repeat(201), "</a>".repeat(201));
        for (xml, expected) in [
            ("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "document type"),
            (deep.as_str(), "nested deeper than 200"),
            ("<a><b></a>", "no well-formed XML"),
            ("<a>", "ends before its elements do"),
            ("<a/><b/>", "two roots"),
            ("", "ends before its elements do"),
            ("</a>", "no well-formed XML"),
        ] {
            let error = read(xml).unwrap_err().to_string();
            assert!(error.contains(expected), "{xml}: {error}");
        }
        assert!(Tree::read("a", b"<a>\xff</a>", &mut 9).unwrap_err().to_string().contains("UTF-8"));
        let many = format!("<a>{}</a>", "<b/>".repeat(1_000));
        assert!(read(&many).unwrap_err().to_string().contains("at most 500000 elements"));
        // Deep trees are dropped and cloned within the stack of a thread.
        let deep = format!("{}{}", "<a>".repeat(200), "</a>".repeat(200));
        assert_eq!(read(&deep).unwrap().root.clone().count(), 200);
    }
}
