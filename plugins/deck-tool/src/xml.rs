//! An XML part as its text and the places of its elements, so that edits replace ranges of the text and nothing else.
//!
//! Knows the namespaces of presentations. A document type declaration is refused, so there are no entities to expand.

use crate::escape::{escape, unescape};
use std::borrow::Cow;
use std::ops::Range;

/// Deepest level of elements; PowerPoint stops far below.
const MAX_DEPTH: usize = 400;
/// Most elements of a part, which bounds its memory to about 40 bytes each.
const MAX_NODES: usize = 4_000_000;

/// A namespace that this crate knows, transitional or strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ns {
    None,
    /// DrawingML.
    A,
    /// PresentationML.
    P,
    /// Charts.
    C,
    /// Relationships of Office documents.
    R,
    /// Markup compatibility.
    Mc,
    /// Office math.
    M,
    P14,
    /// Any other, also those of parts that have only one.
    Other,
}

pub(crate) const A_URI: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";
pub(crate) const P_URI: &str = "http://schemas.openxmlformats.org/presentationml/2006/main";
pub(crate) const C_URI: &str = "http://schemas.openxmlformats.org/drawingml/2006/chart";
pub(crate) const R_URI: &str =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn namespace(uri: &str) -> Ns {
    match uri {
        "" => Ns::None,
        A_URI | "http://purl.oclc.org/ooxml/drawingml/main" => Ns::A,
        P_URI | "http://purl.oclc.org/ooxml/presentationml/main" => Ns::P,
        C_URI | "http://purl.oclc.org/ooxml/drawingml/chart" => Ns::C,
        R_URI | "http://purl.oclc.org/ooxml/officeDocument/relationships" => Ns::R,
        "http://schemas.openxmlformats.org/markup-compatibility/2006" => Ns::Mc,
        "http://schemas.openxmlformats.org/officeDocument/2006/math"
        | "http://purl.oclc.org/ooxml/officeDocument/math" => Ns::M,
        "http://schemas.microsoft.com/office/powerpoint/2010/main" => Ns::P14,
        _ => Ns::Other,
    }
}

/// Index of an element; 0 is the root.
pub(crate) type Id = u32;
const NIL: Id = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    ns: Ns,
    start: u32,
    /// Length of the prefix with its colon.
    prefix: u16,
    name_end: u32,
    /// End of the start tag.
    open: u32,
    /// Start of the end tag; equal to `open` for an empty element without one.
    close: u32,
    end: u32,
    parent: Id,
    first: Id,
    next: Id,
}

/// A part that was parsed.
#[derive(Clone, Debug)]
pub(crate) struct Xml {
    text: String,
    nodes: Vec<Node>,
}

/// Replacements of ranges, applied at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Splices(Vec<(Range<usize>, String)>);

impl Splices {
    pub(crate) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.0.push((range, text.into()));
    }

    pub(crate) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// Forgets the replacements in a range, which is replaced as a whole.
    pub(crate) fn clear(&mut self, range: &Range<usize>) {
        self.0.retain(|(it, _)| it.start < range.start || it.end > range.end);
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Xml {
    /// Parses a part.
    ///
    /// # Errors
    /// One phrase: not well-formed, a document type declaration, or beyond a limit.
    pub(crate) fn parse(text: String) -> Result<Self, String> {
        if text.len() > (u32::MAX / 2) as usize {
            return Err("it is too large".to_owned());
        }
        let mut parser =
            Parser { text: &text, nodes: Vec::new(), open: Vec::new(), scope: Vec::new() };
        parser.run()?;
        let nodes = parser.nodes;
        Ok(Self { text, nodes })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Applies replacements, of which none may overlap, and parses the result.
    ///
    /// # Errors
    /// As [`Self::parse`]; ranges that overlap.
    pub(crate) fn splice(&self, mut splices: Splices) -> Result<Self, String> {
        // Insertions at one place keep their order.
        splices.0.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(self.text.len() + 256);
        let mut copied = 0;
        for (range, text) in &splices.0 {
            if range.start < copied {
                return Err("two changes of one place".to_owned());
            }
            out.push_str(&self.text[copied..range.start]);
            out.push_str(text);
            copied = range.end;
        }
        out.push_str(&self.text[copied..]);
        Self::parse(out)
    }

    /// Returns a range of the text with replacements, which lie in it.
    pub(crate) fn cut(&self, range: Range<usize>, mut splices: Splices) -> String {
        splices.0.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::new();
        let mut copied = range.start;
        for (place, text) in splices.0.iter().filter(|(place, _)| place.end <= range.end) {
            if place.start >= copied {
                out.push_str(&self.text[copied..place.start]);
                out.push_str(text);
                copied = place.end;
            }
        }
        out.push_str(&self.text[copied..range.end]);
        out
    }

    pub(crate) fn root(&self) -> Id {
        0
    }

    /// Returns how many elements there are; their ids are those below.
    pub(crate) fn count(&self) -> Id {
        self.nodes.len() as Id
    }

    fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    pub(crate) fn ns(&self, id: Id) -> Ns {
        self.node(id).ns
    }

    /// Returns the name without its prefix.
    pub(crate) fn local(&self, id: Id) -> &str {
        let node = self.node(id);
        &self.text[node.start as usize + 1 + usize::from(node.prefix)..node.name_end as usize]
    }

    /// Returns the prefix with its colon; empty if there is none.
    pub(crate) fn prefix(&self, id: Id) -> &str {
        let node = self.node(id);
        let start = node.start as usize + 1;
        &self.text[start..start + usize::from(node.prefix)]
    }

    pub(crate) fn is(&self, id: Id, ns: Ns, local: &str) -> bool {
        self.ns(id) == ns && self.local(id) == local
    }

    pub(crate) fn range(&self, id: Id) -> Range<usize> {
        let node = self.node(id);
        node.start as usize..node.end as usize
    }

    pub(crate) fn xml(&self, id: Id) -> &str {
        &self.text[self.range(id)]
    }

    /// Returns what stands between the tags.
    pub(crate) fn inner(&self, id: Id) -> Range<usize> {
        let node = self.node(id);
        node.open as usize..node.close as usize
    }

    pub(crate) fn parent(&self, id: Id) -> Option<Id> {
        Some(self.node(id).parent).filter(|&it| it != NIL)
    }

    pub(crate) fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let first = Some(self.node(id).first).filter(|&it| it != NIL);
        std::iter::successors(first, |&it| Some(self.node(it).next).filter(|&it| it != NIL))
    }

    pub(crate) fn named<'a>(
        &'a self,
        id: Id,
        ns: Ns,
        local: &'a str,
    ) -> impl Iterator<Item = Id> + 'a {
        self.children(id).filter(move |&it| self.is(it, ns, local))
    }

    pub(crate) fn child(&self, id: Id, ns: Ns, local: &str) -> Option<Id> {
        self.children(id).find(|&it| self.is(it, ns, local))
    }

    /// Returns a child by its local name in any namespace.
    pub(crate) fn any(&self, id: Id, local: &str) -> Option<Id> {
        self.children(id).find(|&it| self.local(it) == local)
    }

    /// Follows local names of one namespace downwards.
    pub(crate) fn path(&self, id: Id, ns: Ns, locals: &[&str]) -> Option<Id> {
        locals.iter().try_fold(id, |at, local| self.child(at, ns, local))
    }

    /// Returns all elements below one, in the order of the text.
    pub(crate) fn below(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let end = self.node(id).end;
        // Elements are numbered in the order of their start tags.
        (id + 1..self.nodes.len() as Id).take_while(move |&it| self.node(it).start < end)
    }

    /// Returns the character data of an element and of all below it.
    pub(crate) fn content(&self, id: Id) -> String {
        let mut out = String::new();
        let mut rest = &self.text[self.inner(id)];
        while let Some(at) = rest.find('<') {
            out.push_str(&unescape(&rest[..at]));
            rest = &rest[at..];
            let (skip, data) = if let Some(data) = rest.strip_prefix("<![CDATA[") {
                let length = data.find("]]>").unwrap_or(data.len());
                (9 + length + 3, &data[..length])
            } else if rest.starts_with("<!--") {
                (rest.find("-->").map_or(rest.len(), |it| it + 3), "")
            } else {
                (rest.find('>').map_or(rest.len(), |it| it + 1), "")
            };
            out.push_str(data);
            rest = rest.get(skip..).unwrap_or("");
        }
        out.push_str(&unescape(rest));
        out
    }

    /// Returns the attributes of an element: the range of the name, and that of the value.
    pub(crate) fn attributes(&self, id: Id) -> impl Iterator<Item = Attribute> + '_ {
        let node = self.node(id);
        let mut at = node.name_end as usize;
        let end = node.open as usize;
        std::iter::from_fn(move || attribute(&self.text, &mut at, end).ok().flatten())
    }

    /// Returns an attribute by its name as written, without a prefix.
    pub(crate) fn attr(&self, id: Id, name: &str) -> Option<Cow<'_, str>> {
        let found = self.attributes(id).find(|(at, _)| &self.text[at.clone()] == name);
        found.map(|(_, value)| unescape(&self.text[value]))
    }

    pub(crate) fn number<T: std::str::FromStr>(&self, id: Id, name: &str) -> Option<T> {
        self.attr(id, name)?.trim().parse().ok()
    }

    /// Returns `Some(true)` for `1` and `true`, `Some(false)` for other values.
    pub(crate) fn flag(&self, id: Id, name: &str) -> Option<bool> {
        self.attr(id, name).map(|value| matches!(&*value, "1" | "true" | "on"))
    }

    /// Returns the attribute `r:local`, whatever its prefix is.
    pub(crate) fn relation(&self, id: Id, local: &str) -> Option<Cow<'_, str>> {
        let found = self.attributes(id).find(|(at, _)| {
            let name = &self.text[at.clone()];
            name.split_once(':').is_some_and(|(prefix, it)| {
                it == local && prefix != "xmlns" && self.scope(id, prefix) == Some(Ns::R)
            })
        });
        found.map(|(_, value)| unescape(&self.text[value]))
    }

    /// Returns all relationship ids of an element's attributes, with the ranges of the values.
    pub(crate) fn relations(&self, id: Id) -> Vec<(Range<usize>, String)> {
        let mut out = Vec::new();
        for (name, value) in self.attributes(id) {
            if let Some((prefix, _)) = self.text[name].split_once(':')
                && prefix != "xmlns"
                && self.scope(id, prefix) == Some(Ns::R)
            {
                let text = unescape(&self.text[value.clone()]).into_owned();
                out.push((value, text));
            }
        }
        out
    }

    /// Returns the namespace that a prefix has at an element.
    fn scope(&self, id: Id, prefix: &str) -> Option<Ns> {
        let wanted = format!("xmlns:{prefix}");
        std::iter::successors(Some(id), |&at| self.parent(at))
            .find_map(|at| self.attr(at, &wanted))
            .map(|uri| namespace(&uri))
    }

    /// Replaces or adds an attribute without a prefix, or one as it is written.
    pub(crate) fn set_attr(&self, id: Id, name: &str, value: &str, out: &mut Splices) {
        let found = self.attributes(id).find(|(at, _)| &self.text[at.clone()] == name);
        match found {
            Some((_, range)) => out.replace(range, escape(value)),
            None => {
                let at = self.node(id).name_end as usize;
                out.insert(at, format!(" {name}=\"{}\"", escape(value)));
            }
        }
    }

    pub(crate) fn remove_attr(&self, id: Id, name: &str, out: &mut Splices) {
        if let Some((at, value)) =
            self.attributes(id).find(|(at, _)| &self.text[at.clone()] == name)
        {
            // The quote behind it, and the white space in front of it.
            let start = self.text[..at.start].trim_end().len();
            out.replace(start..value.end + 1, "");
        }
    }

    /// Replaces what stands between the tags.
    pub(crate) fn set_inner(&self, id: Id, xml: &str, out: &mut Splices) {
        let node = self.node(id);
        if node.close < node.end {
            out.replace(self.inner(id), xml);
        } else {
            self.append(id, xml, out);
        }
    }

    /// Inserts XML as the last content of an element.
    pub(crate) fn append(&self, id: Id, xml: &str, out: &mut Splices) {
        let node = self.node(id);
        if node.close < node.end {
            out.insert(node.close as usize, xml);
        } else {
            let name = &self.text[node.start as usize + 1..node.name_end as usize];
            // `<a/>` becomes `<a>…</a>`.
            let slash = self.text[..node.open as usize].rfind('/').unwrap_or(node.open as usize);
            out.replace(slash..node.open as usize, format!(">{xml}</{name}>"));
        }
    }

    /// Inserts XML as the first content of an element.
    pub(crate) fn prepend(&self, id: Id, xml: &str, out: &mut Splices) {
        let node = self.node(id);
        if node.close < node.end {
            out.insert(node.open as usize, xml);
        } else {
            self.append(id, xml, out);
        }
    }

    pub(crate) fn remove(&self, id: Id, out: &mut Splices) {
        out.replace(self.range(id), "");
    }

    /// Declares on a new element the prefixes `a`, `p`, `c` and `r` that it uses and that are not declared at its parent.
    pub(crate) fn declared(&self, parent: Id, xml: String) -> String {
        let mut declarations = String::new();
        for (prefix, ns, uri) in
            [("a", Ns::A, A_URI), ("p", Ns::P, P_URI), ("c", Ns::C, C_URI), ("r", Ns::R, R_URI)]
        {
            let is_used =
                xml.contains(&format!("<{prefix}:")) || xml.contains(&format!(" {prefix}:"));
            if is_used && self.scope(parent, prefix) != Some(ns) {
                declarations.push_str(&format!(" xmlns:{prefix}=\"{uri}\""));
            }
        }
        if declarations.is_empty() {
            return xml;
        }
        let at = xml.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(xml.len());
        format!("{}{declarations}{}", &xml[..at], &xml[at..])
    }
}

/// The ranges of the name and of the value of an attribute.
pub(crate) type Attribute = (Range<usize>, Range<usize>);

struct Parser<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    open: Vec<Id>,
    /// Prefixes that are declared, with the level of the element.
    scope: Vec<(usize, &'a str, Ns)>,
}

impl<'a> Parser<'a> {
    fn run(&mut self) -> Result<(), String> {
        let text = self.text;
        let mut at = 0;
        // The last child of each open element, to link the next one.
        let mut last: Vec<Id> = Vec::new();
        while let Some(next) = text[at..].find('<') {
            at += next;
            let rest = &text[at..];
            let skip = |end: &str| rest.find(end).map(|it| at + it + end.len());
            let unclosed = || format!("markup at byte {at} has no end");
            if rest.starts_with("<!--") {
                at = skip("-->").ok_or_else(unclosed)?;
            } else if rest.starts_with("<?") {
                at = skip("?>").ok_or_else(unclosed)?;
            } else if rest.starts_with("<![CDATA[") && !self.open.is_empty() {
                at = skip("]]>").ok_or_else(unclosed)?;
            } else if rest.starts_with("<!") {
                return Err("it has a document type declaration".to_owned());
            } else if rest.starts_with("</") {
                let end = skip(">").ok_or_else(unclosed)?;
                let id = self
                    .open
                    .pop()
                    .ok_or_else(|| format!("an end tag at byte {at} has no start"))?;
                last.pop();
                let node = &mut self.nodes[id as usize];
                let name = &text[node.start as usize + 1..node.name_end as usize];
                if text[at + 2..end - 1].trim_end() != name {
                    return Err(format!("the end tag at byte {at} is not that of `{name}`"));
                }
                node.close = at as u32;
                node.end = end as u32;
                let level = self.open.len();
                while self.scope.last().is_some_and(|it| it.0 > level) {
                    self.scope.pop();
                }
                at = end;
            } else {
                at = self.start(at, &mut last)?;
            }
        }
        if !self.open.is_empty() || self.nodes.is_empty() {
            return Err("it ends too early".to_owned());
        }
        Ok(())
    }

    fn start(&mut self, at: usize, last: &mut Vec<Id>) -> Result<usize, String> {
        let text = self.text;
        if self.open.len() >= MAX_DEPTH {
            return Err(format!(
                "its elements are nested deeper than {MAX_DEPTH} levels at byte {at}"
            ));
        }
        if self.nodes.len() >= MAX_NODES {
            return Err(format!("it has more than {MAX_NODES} elements"));
        }
        if self.open.is_empty() && !self.nodes.is_empty() {
            return Err("it has several root elements".to_owned());
        }
        let name_end = text[at + 1..]
            .find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/')
            .map(|it| at + 1 + it)
            .ok_or_else(|| format!("the tag at byte {at} has no end"))?;
        let end =
            tag_end(text, name_end).ok_or_else(|| format!("the tag at byte {at} has no end"))?;
        let level = self.open.len() + 1;
        let mut next = name_end;
        while let Some((name, value)) = attribute(text, &mut next, end)? {
            if let Some(prefix) = text[name.clone()].strip_prefix("xmlns:") {
                self.scope.push((level, prefix, namespace(&unescape(&text[value]))));
            } else if &text[name] == "xmlns" {
                self.scope.push((level, "", namespace(&unescape(&text[value]))));
            }
        }
        let name = &text[at + 1..name_end];
        let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
        let ns = self.scope.iter().rev().find(|it| it.1 == prefix).map(|it| it.2);
        let ns = match ns {
            Some(ns) => ns,
            None if prefix.is_empty() => Ns::None,
            None => Ns::Other,
        };
        let id = self.nodes.len() as Id;
        let prefix = if prefix.is_empty() { 0 } else { prefix.len() + 1 };
        let prefix = u16::try_from(prefix).map_err(|_| "a name is too long".to_owned())?;
        self.nodes.push(Node {
            ns,
            start: at as u32,
            prefix,
            name_end: name_end as u32,
            open: end as u32,
            close: end as u32,
            end: end as u32,
            parent: self.open.last().copied().unwrap_or(NIL),
            first: NIL,
            next: NIL,
        });
        if let (Some(&parent), Some(before)) = (self.open.last(), last.last_mut()) {
            match *before {
                NIL => self.nodes[parent as usize].first = id,
                before => self.nodes[before as usize].next = id,
            }
            *before = id;
        }
        if text[..end].ends_with("/>") {
            while self.scope.last().is_some_and(|it| it.0 >= level) {
                self.scope.pop();
            }
        } else {
            self.open.push(id);
            last.push(NIL);
        }
        Ok(end)
    }
}

/// Returns the end of a start tag, skipping `>` in values.
fn tag_end(text: &str, from: usize) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + 1),
            (None, b'<') => return None,
            (None, _) => {}
        }
    }
    None
}

/// Returns the next attribute of a start tag that ends at `end`, and moves behind it.
fn attribute(text: &str, at: &mut usize, end: usize) -> Result<Option<Attribute>, String> {
    let rest = &text[*at..end];
    let name = *at + (rest.len() - rest.trim_start().len());
    if text[name..end].starts_with(['>', '/']) {
        return Ok(None);
    }
    let wrong = || format!("an attribute at byte {name} has no value");
    let equals = text[name..end].find('=').map(|it| name + it).ok_or_else(wrong)?;
    let name_end = name + text[name..equals].trim_end().len();
    let after = &text[equals + 1..end];
    let open = equals + 1 + (after.len() - after.trim_start().len());
    let quote =
        text[open..end].chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(wrong)?;
    let close = text[open + 1..end].find(quote).map(|it| open + 1 + it).ok_or_else(wrong)?;
    *at = close + 1;
    Ok(Some((name..name_end, open + 1..close)))
}
