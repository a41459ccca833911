//! A tree of an XML part that loses nothing: each node keeps the bytes of its tags, so that what is not changed is
//! written as it was read.
//!
//! Knows namespaces, and no Word. A document type declaration is refused, so there are no entities to expand.

mod change;
mod escape;
mod parse;

pub(crate) use escape::{escape, escape_attr, is_xml_char, unescape};

use escape::attributes;
use std::borrow::Cow;
use std::ops::Range;

/// A namespace that this crate knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ns {
    None,
    /// WordprocessingML, transitional or strict.
    W,
    /// Office math.
    M,
    W14,
    W15,
    /// Markup compatibility.
    Mc,
    /// Relationships of Office documents.
    R,
    Other,
}

pub(crate) const W14_URI: &str = "http://schemas.microsoft.com/office/word/2010/wordml";
pub(crate) const W15_URI: &str = "http://schemas.microsoft.com/office/word/2012/wordml";
pub(crate) const MC_URI: &str = "http://schemas.openxmlformats.org/markup-compatibility/2006";
pub(crate) const W_URI: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
pub(crate) const R_URI: &str =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn namespace(uri: &str) -> Ns {
    match uri {
        "" => Ns::None,
        W_URI | "http://purl.oclc.org/ooxml/wordprocessingml/main" => Ns::W,
        "http://schemas.openxmlformats.org/officeDocument/2006/math"
        | "http://purl.oclc.org/ooxml/officeDocument/math" => Ns::M,
        W14_URI => Ns::W14,
        W15_URI => Ns::W15,
        MC_URI => Ns::Mc,
        R_URI | "http://purl.oclc.org/ooxml/officeDocument/relationships" => Ns::R,
        _ => Ns::Other,
    }
}

/// Index of a node.
pub(crate) type Id = u32;
/// The document itself, which has the root element as a child.
pub(crate) const DOCUMENT: Id = 0;
const NIL: Id = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Element,
    /// Character data, or a CDATA section.
    Text,
    /// A comment, a processing instruction or the declaration.
    Other,
}

/// A part of the text buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    ns: Ns,
    /// Local name of an element.
    local: Span,
    /// Start tag, or the whole token.
    open: Span,
    /// End tag; empty for an empty element.
    close: Span,
    parent: Id,
    first: Id,
    last: Id,
    next: Id,
    previous: Id,
}

/// A part. Its buffer only grows: new tags and texts are appended to it.
#[derive(Debug)]
pub(crate) struct Tree {
    text: String,
    nodes: Vec<Node>,
    is_changed: bool,
    /// `true` if white space counts everywhere.
    keeps_space: bool,
    /// Prefixes that new XML may use, with their namespaces.
    scope: Vec<(String, Ns)>,
}

impl Tree {
    pub(crate) fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Returns `true` if the root element, as it was read, says that white space counts everywhere.
    pub(crate) fn keeps_space(&self) -> bool {
        self.keeps_space
    }

    pub(crate) fn root(&self) -> Option<Id> {
        self.children(DOCUMENT).find(|&id| self.kind(id) == Kind::Element)
    }

    /// Writes the part.
    pub(crate) fn serialize(&self) -> String {
        // All at once, because a text that grows needs its memory twice.
        let mut out = String::with_capacity(self.text.len());
        self.write(DOCUMENT, &mut out);
        out
    }

    /// Writes a node with everything in it.
    pub(crate) fn outer_xml(&self, top: Id) -> String {
        let mut out = String::new();
        self.write(top, &mut out);
        out
    }

    fn write(&self, top: Id, out: &mut String) {
        let mut at = top;
        'down: loop {
            let node = &self.nodes[at as usize];
            out.push_str(&self.text[node.open.range()]);
            if node.first != NIL {
                at = node.first;
                continue;
            }
            loop {
                let node = &self.nodes[at as usize];
                out.push_str(&self.text[node.close.range()]);
                if at == top {
                    return;
                }
                if node.next != NIL {
                    at = node.next;
                    continue 'down;
                }
                at = node.parent;
            }
        }
    }

    pub(crate) fn kind(&self, id: Id) -> Kind {
        self.nodes[id as usize].kind
    }

    pub(crate) fn ns(&self, id: Id) -> Ns {
        self.nodes[id as usize].ns
    }

    pub(crate) fn local(&self, id: Id) -> &str {
        &self.text[self.nodes[id as usize].local.range()]
    }

    /// Returns the prefix of an element; empty if it has none.
    pub(crate) fn prefix(&self, id: Id) -> &str {
        let node = &self.nodes[id as usize];
        let end = (node.local.start as usize).saturating_sub(1);
        self.text.get(node.open.start as usize + 1..end).unwrap_or("")
    }

    fn open_tag(&self, id: Id) -> &str {
        &self.text[self.nodes[id as usize].open.range()]
    }

    /// Returns `true` for an element of WordprocessingML with this name.
    pub(crate) fn is(&self, id: Id, local: &str) -> bool {
        let node = &self.nodes[id as usize];
        node.ns == Ns::W && &self.text[node.local.range()] == local
    }

    /// Returns the local name of an element of WordprocessingML, and an empty text for any other node.
    pub(crate) fn name(&self, id: Id) -> &str {
        match self.ns(id) {
            Ns::W => self.local(id),
            _ => "",
        }
    }

    pub(crate) fn parent(&self, id: Id) -> Option<Id> {
        some(self.nodes[id as usize].parent)
    }

    pub(crate) fn next(&self, id: Id) -> Option<Id> {
        some(self.nodes[id as usize].next)
    }

    pub(crate) fn previous(&self, id: Id) -> Option<Id> {
        some(self.nodes[id as usize].previous)
    }

    pub(crate) fn first(&self, id: Id) -> Option<Id> {
        some(self.nodes[id as usize].first)
    }

    pub(crate) fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(self.first(id), |&it| self.next(it))
    }

    /// Returns the elements among the children.
    pub(crate) fn elements(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        self.children(id).filter(|&it| self.kind(it) == Kind::Element)
    }

    /// Returns the first child of WordprocessingML with this name.
    pub(crate) fn child(&self, id: Id, local: &str) -> Option<Id> {
        self.children(id).find(|&it| self.is(it, local))
    }

    /// Returns the first child with this local name in any namespace.
    pub(crate) fn any_child(&self, id: Id, local: &str) -> Option<Id> {
        self.elements(id).find(|&it| self.local(it) == local)
    }

    /// Returns the nodes above, from the parent to the document.
    pub(crate) fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(self.parent(id), |&it| self.parent(it))
    }

    /// Returns all nodes below in document order.
    pub(crate) fn descendants(&self, top: Id) -> Descendants<'_> {
        Descendants { tree: self, top, at: top }
    }

    /// Returns the node behind a whole subtree in document order, below `top`.
    pub(crate) fn after(&self, id: Id, top: Id) -> Option<Id> {
        let mut at = id;
        while at != top {
            if let Some(next) = self.next(at) {
                return Some(next);
            }
            at = self.parent(at)?;
        }
        None
    }

    /// Returns `true` if the node is still part of the document.
    pub(crate) fn is_attached(&self, id: Id) -> bool {
        self.ancestors(id).last() == Some(DOCUMENT)
    }

    /// Returns an attribute by its local name.
    pub(crate) fn attr(&self, id: Id, local: &str) -> Option<Cow<'_, str>> {
        attributes(self.open_tag(id))
            .find(|(name, _)| name.rsplit(':').next() == Some(local) && !name.starts_with("xmlns"))
            .map(|(_, value)| unescape(value))
    }

    /// Returns the attribute `val` of a child of WordprocessingML.
    pub(crate) fn value(&self, id: Id, child: &str) -> Option<Cow<'_, str>> {
        self.attr(self.child(id, child)?, "val")
    }

    /// Returns the attributes with their names as written and their values.
    pub(crate) fn attrs(&self, id: Id) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        attributes(self.open_tag(id)).map(|(name, value)| (name, unescape(value)))
    }

    /// Returns the decoded character data among the children.
    pub(crate) fn text(&self, id: Id) -> String {
        let all = self.children(id).filter(|&it| self.kind(it) == Kind::Text);
        all.map(|it| self.text_of(it)).collect()
    }

    /// Returns the decoded character data of one node.
    pub(crate) fn text_of(&self, id: Id) -> String {
        let token = self.open_tag(id);
        match token.strip_prefix("<![CDATA[") {
            Some(data) => data.strip_suffix("]]>").unwrap_or(data).to_owned(),
            None => unescape(token).into_owned(),
        }
    }

    /// Returns a comment or a processing instruction as it is written.
    pub(crate) fn token(&self, id: Id) -> &str {
        self.open_tag(id)
    }
}

/// All nodes below a node.
pub(crate) struct Descendants<'a> {
    tree: &'a Tree,
    top: Id,
    at: Id,
}

impl Descendants<'_> {
    /// Leaves out what is below the node that came last.
    pub(crate) fn skip_children(&mut self) {
        let mut at = self.at;
        // Stands at the last node below, so that the next step leaves the subtree.
        while let Some(last) = some(self.tree.nodes[at as usize].last) {
            at = last;
        }
        self.at = at;
    }
}

impl Iterator for Descendants<'_> {
    type Item = Id;

    fn next(&mut self) -> Option<Id> {
        let next = match self.tree.first(self.at) {
            Some(first) => Some(first),
            None => self.tree.after(self.at, self.top),
        };
        self.at = next?;
        next
    }
}

fn some(id: Id) -> Option<Id> {
    (id != NIL).then_some(id)
}
