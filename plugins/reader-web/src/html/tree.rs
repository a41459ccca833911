//! The visible part of a page as a tree, without hidden elements, scripts and styles.

use super::sheet::Sheet;
use super::sight::{self, Hidden};
use dom_query::{Document, NodeData, NodeRef};
use std::collections::{HashMap, HashSet};

/// Deepest nesting of elements. The text of deeper ones stays.
const MAX_DEPTH: usize = 100;

/// Most nodes of a page.
const MAX_NODES: usize = 2_000_000;

/// Fewest characters of hidden text that may be the text of the page.
const MIN_APPEARING: usize = 200;

/// Index of a node, in the order of the page.
pub(crate) type Id = usize;

/// A page, or a chapter.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Places of late parts of the page, by name.
    pub(super) places: Vec<(String, Id)>,
    /// Hidden text that was left out.
    pub(crate) hidden: Amount,
    /// Characters of text that scripts show. It was kept because there is hardly any other.
    pub(crate) appearing: usize,
    /// Characters of folded text, which was kept.
    pub(crate) folded: usize,
    /// Characters of text for browsers without scripts. It was kept because there is hardly any other.
    pub(crate) fallback: usize,
    /// `true` if the style sheets have more than is read.
    pub(crate) is_style_too_large: bool,
    /// `true` if elements are nested deeper than [`MAX_DEPTH`].
    pub(crate) is_too_deep: bool,
    /// `true` if the page has more nodes than [`MAX_NODES`].
    pub(crate) is_too_large: bool,
}

/// Number of pieces and their characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    pub(crate) pieces: usize,
    pub(crate) characters: usize,
}

#[derive(Debug)]
struct Node {
    data: Data,
    parent: Id,
    children: Vec<Id>,
}

#[derive(Debug)]
enum Data {
    Text(String),
    Element(Element),
}

/// An element with its name and its attributes. The names are in lower case.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    /// Returns whether a space-separated list in an attribute has one of these words.
    pub(crate) fn has_word(&self, attribute: &str, words: &[&str]) -> bool {
        let value = self.attribute(attribute).unwrap_or_default();
        value
            .split_ascii_whitespace()
            .any(|it| words.iter().any(|word| it.eq_ignore_ascii_case(word)))
    }
}

impl Tree {
    /// Reads the body of a page.
    pub(crate) fn new(document: &Document) -> Tree {
        let mut tree = Tree::default();
        let first = document.body().unwrap_or_else(|| document.root());
        let attributes = element(first).unwrap_or_default().attributes;
        let root = Element { name: "body".into(), attributes };
        tree.nodes.push(Node { data: Data::Element(root), parent: 0, children: Vec::new() });
        let mut open = Vec::new();
        let ahead = |node: NodeRef<'_>, parent: Id, depth: usize| {
            let children = node.children_it(true);
            children.map(|child| (child.id, parent, depth)).collect::<Vec<_>>()
        };
        open.extend(ahead(first, 0, 0));
        while let Some((id, parent, depth)) = open.pop() {
            if tree.nodes.len() >= MAX_NODES {
                tree.is_too_large = true;
                break;
            }
            let Some(node) = document.tree.get(&id) else { continue };
            let Some(id) = tree.add(node, parent) else { continue };
            let is_too_deep = depth >= MAX_DEPTH;
            tree.is_too_deep |= is_too_deep;
            open.extend(ahead(node, if is_too_deep { parent } else { id }, depth + 1));
        }
        tree.look(document);
        tree
    }

    /// Leaves out hidden elements.
    fn look(&mut self, document: &Document) {
        let html = document.select_single("html");
        let html = html.nodes().first().and_then(|it| element(*it)).unwrap_or_default();
        let mut sheet = Sheet::default();
        let mut is_styled = document.select_single("link[rel~=stylesheet]").exists();
        for style in document.select("style").iter() {
            is_styled = true;
            let is_fallback = |it: &NodeRef<'_>| it.has_name("noscript");
            let ancestors = style.nodes().first().map(|it| it.ancestors(None));
            if !ancestors.unwrap_or_default().iter().any(is_fallback) {
                let media = style.attr("media").unwrap_or_default();
                sheet.add(&style.text(), &media);
            }
        }
        let hidden = sight::find(self, &html, &mut sheet, is_styled);
        self.is_style_too_large = sheet.is_too_large;
        self.settle(hidden);
    }

    /// Decides which hidden texts are left out, and counts them.
    fn settle(&mut self, mut hidden: Vec<Hidden>) {
        let mut amounts = Hidden::ALL.map(|how| (how, 0));
        // The outermost hidden element counts.
        let mut roots: Vec<Id> = (0..self.len()).collect();
        for id in 0..self.len() {
            let parent = self.parent(id);
            let outer = hidden.get(parent).copied().unwrap_or_default();
            if id != 0 && outer != Hidden::No {
                if let Some(place) = hidden.get_mut(id) {
                    *place = outer;
                }
                let root = roots.get(parent).copied().unwrap_or(parent);
                if let Some(place) = roots.get_mut(id) {
                    *place = root;
                }
            }
            let how = hidden.get(id).copied().unwrap_or_default();
            if let Some(amount) = amounts.iter_mut().find(|(it, _)| *it == how) {
                amount.1 += self.characters(id);
            }
        }
        let amount = |how| amounts.iter().find(|(it, _)| *it == how).map_or(0, |it| it.1);
        self.streamed();
        let mut seen = amount(Hidden::No) + amount(Hidden::Streamed) + amount(Hidden::Folded);
        let mut kept = vec![Hidden::No, Hidden::Streamed];
        self.appearing = amount(Hidden::Streamed);
        // Text that is most of a page is the page.
        for how in [Hidden::Faded, Hidden::ByRule, Hidden::Fallback] {
            if amount(how) > seen.max(MIN_APPEARING) {
                kept.push(how);
                seen += amount(how);
                if how == Hidden::Fallback {
                    self.fallback = amount(how);
                } else {
                    self.appearing += amount(how);
                }
            }
        }
        let mut kept_roots = HashSet::new();
        let mut is_gone = vec![false; self.len()];
        let mut last = None;
        for id in 0..self.len() {
            let how = hidden.get(id).copied().unwrap_or_default();
            let root = roots.get(id).copied().unwrap_or(id);
            if how == Hidden::Folded && root == id {
                let (all, linked) = self.linked(id);
                if linked * 2 <= all {
                    self.folded += all;
                    kept_roots.insert(id);
                }
            }
            if kept.contains(&how) || kept_roots.contains(&root) {
                continue;
            }
            let characters = self.characters(id);
            if characters > 0 && how != Hidden::Fallback {
                self.hidden.characters += characters;
                self.hidden.pieces += usize::from(last != Some(root));
                last = Some(root);
            }
            if let Some(place) = is_gone.get_mut(id) {
                *place = true;
            }
            if let Some(node) = self.nodes.get_mut(id) {
                node.data = Data::Text(String::new());
            }
        }
        for node in &mut self.nodes {
            node.children.retain(|it| is_gone.get(*it) != Some(&true));
        }
    }

    /// Moves late parts to their places.
    fn streamed(&mut self) {
        let name = |id: Id| self.element(id)?.attribute("id")?.strip_prefix("S:");
        let parts = (0..self.len()).rev().filter_map(|id| Some((name(id)?.to_owned(), id)));
        let parts: HashMap<String, Id> = parts.collect();
        // The parts come after the page, so that no part is put into itself.
        let mut part_at: HashMap<Id, Id> = HashMap::new();
        let mut moved: HashSet<Id> = HashSet::new();
        for (name, place) in std::mem::take(&mut self.places) {
            let Some(part) = parts.get(&name).copied().filter(|it| *it > place) else { continue };
            if moved.insert(part) {
                part_at.insert(place, part);
            }
        }
        if moved.is_empty() {
            return;
        }
        // A single pass over all children, because a page can have a hundred thousand parts.
        for id in 0..self.len() {
            let children = self.nodes.get_mut(id).map(|it| std::mem::take(&mut it.children));
            let mut ordered = Vec::new();
            for child in children.unwrap_or_default() {
                if let Some(part) = part_at.get(&child).copied() {
                    ordered.push(part);
                    if let Some(part) = self.nodes.get_mut(part) {
                        part.parent = id;
                    }
                }
                if !moved.contains(&child) {
                    ordered.push(child);
                }
            }
            if let Some(node) = self.nodes.get_mut(id) {
                node.children = ordered;
            }
        }
    }

    /// Counts the letters of all text below a node, and those in links.
    fn linked(&self, id: Id) -> (usize, usize) {
        let (mut all, mut linked) = (0, 0);
        self.walk(id, |id| {
            all += self.characters(id);
            if self.is(id, &["a"]) {
                self.walk(id, |id| {
                    linked += self.characters(id);
                    true
                });
            }
            true
        });
        (all, linked)
    }

    /// Counts the letters of a text, without white space.
    fn characters(&self, id: Id) -> usize {
        let text = self.text(id).unwrap_or_default();
        text.chars().filter(|it| !it.is_whitespace()).count()
    }

    /// Adds a node. Returns it if it is an element whose children have to be added.
    fn add(&mut self, node: NodeRef<'_>, parent: Id) -> Option<Id> {
        let text = node.query_or(None, |it| match &it.data {
            NodeData::Text { contents } => Some(contents.to_string()),
            _ => None,
        });
        if let Some(text) = text {
            self.push(Data::Text(text), parent);
            return None;
        }
        let element = element(node)?;
        let is_template = element.is(&["template"]);
        let place = element.attribute("id").filter(|_| is_template);
        if let Some(place) = place.and_then(|it| it.strip_prefix("B:").or(it.strip_prefix("P:"))) {
            let place = place.to_owned();
            let id = self.push(Data::Text(String::new()), parent);
            self.places.push((place, id));
            return None;
        }
        (!is_no_text(&element)).then(|| self.push(Data::Element(element), parent))
    }

    fn push(&mut self, data: Data, parent: Id) -> Id {
        let id = self.nodes.len();
        self.nodes.push(Node { data, parent, children: Vec::new() });
        if let Some(parent) = self.nodes.get_mut(parent) {
            parent.children.push(id);
        }
        id
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn children(&self, id: Id) -> &[Id] {
        self.nodes.get(id).map_or(&[], |node| &node.children)
    }

    pub(crate) fn parent(&self, id: Id) -> Id {
        self.nodes.get(id).map_or(0, |node| node.parent)
    }

    pub(crate) fn element(&self, id: Id) -> Option<&Element> {
        match &self.nodes.get(id)?.data {
            Data::Element(element) => Some(element),
            Data::Text(_) => None,
        }
    }

    pub(crate) fn text(&self, id: Id) -> Option<&str> {
        match &self.nodes.get(id)?.data {
            Data::Text(text) => Some(text),
            Data::Element(_) => None,
        }
    }

    /// Returns whether a node is an element with one of these names.
    pub(crate) fn is(&self, id: Id, names: &[&str]) -> bool {
        self.element(id).is_some_and(|it| it.is(names))
    }

    /// Calls `enter` for a node and the nodes below it, in order, and skips those below elements for which it returns
    /// `false`.
    pub(crate) fn walk(&self, from: Id, mut enter: impl FnMut(Id) -> bool) {
        let mut open = vec![from];
        while let Some(id) = open.pop() {
            if enter(id) {
                open.extend(self.children(id).iter().rev());
            }
        }
    }

    /// Returns all text of a node, unchanged.
    pub(crate) fn text_of(&self, from: Id) -> String {
        let mut out = String::new();
        self.walk(from, |id| {
            match self.text(id) {
                Some(text) => out.push_str(text),
                None if self.is(id, &["br"]) => out.push('\n'),
                None => {}
            }
            true
        });
        out
    }

    /// Returns whether an element with one of these names is below a node.
    pub(crate) fn has_below(&self, from: Id, names: &[&str]) -> bool {
        let mut found = false;
        self.walk(from, |id| {
            found |= id != from && self.is(id, names);
            !found
        });
        found
    }
}

fn element(node: NodeRef<'_>) -> Option<Element> {
    let element = node.element_ref()?;
    let name = element.name.local.to_string();
    let attributes = element.attrs.iter();
    let attributes = attributes.map(|it| {
        let prefix = it.name.prefix.as_ref().map(|it| format!("{it}:")).unwrap_or_default();
        (format!("{prefix}{}", it.name.local), it.value.to_string())
    });
    Some(Element { name, attributes: attributes.collect() })
}

/// Returns whether an element is for the browser, or a fallback.
fn is_no_text(element: &Element) -> bool {
    element.is(&[
        "script", "style", "template", "iframe", "object", "embed", "canvas", "audio", "video",
        "svg", "head", "meta", "link", "title", "base", "datalist", "noframes", "applet", "rp",
    ])
}
