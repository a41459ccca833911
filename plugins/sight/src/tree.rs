//! The visible part of a page as a tree, without hidden elements, scripts and styles.

use crate::Viewer;
use crate::sheet::Sheet;
use crate::sight::{self, Hidden};
use crate::values::is_seen;
use std::collections::{HashMap, HashSet};

/// Deepest nesting of elements. The text of deeper ones stays.
const MAX_DEPTH: usize = 100;

/// Most nodes of a page.
const MAX_NODES: usize = 2_000_000;

/// Fewest characters of hidden text that may be the text of the page.
const MIN_APPEARING: usize = 200;

/// Index of a node, in the order of the page.
pub type Id = usize;

/// A page, a mail or a chapter.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Places of late parts of the page, by name.
    pub(crate) places: Vec<(String, Id)>,
    /// Hidden text that was left out.
    pub hidden: Amount,
    /// Characters of text that scripts show. It was kept because there is hardly any other.
    pub appearing: usize,
    /// Characters of folded text, which was kept.
    pub folded: usize,
    /// Characters of text for browsers without scripts. It was kept because there is hardly any other.
    pub fallback: usize,
    /// `true` if the style sheets have more than is read.
    pub is_style_too_large: bool,
    /// `true` if elements are nested deeper than [`MAX_DEPTH`].
    pub is_too_deep: bool,
    /// `true` if the page has more nodes than [`MAX_NODES`].
    pub is_too_large: bool,
}

/// Number of pieces and their characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Pieces, one for each outermost element.
    pub pieces: usize,
    /// Characters, without spaces and characters without width.
    pub characters: usize,
}

#[derive(Debug)]
struct Node {
    data: Data,
    parent: Id,
    children: Vec<Id>,
    /// The place of an element among its siblings, from 1.
    place: usize,
    /// The number of elements directly below it, those that are no text too.
    elements: usize,
}

impl Node {
    fn new(data: Data, parent: Id) -> Node {
        Node { data, parent, children: Vec::new(), place: 1, elements: 0 }
    }
}

#[derive(Debug)]
enum Data {
    Text(String),
    Element(Element),
}

/// An element with its name and its attributes. The names are in lower case.
#[derive(Debug, Default)]
pub struct Element {
    /// Its name.
    pub name: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    /// Makes an element. All names are in lower case.
    pub fn new(name: impl Into<String>, attributes: Vec<(String, String)>) -> Element {
        Element { name: name.into(), attributes }
    }

    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns whether the element has one of these names.
    pub fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    /// Returns whether a space-separated list in an attribute has one of these words.
    pub fn has_word(&self, attribute: &str, words: &[&str]) -> bool {
        let value = self.attribute(attribute).unwrap_or_default();
        value
            .split_ascii_whitespace()
            .any(|it| words.iter().any(|word| it.eq_ignore_ascii_case(word)))
    }
}

impl Tree {
    /// Makes the tree of a page whose body has these attributes. The body is node 0.
    pub fn new(attributes: Vec<(String, String)>) -> Tree {
        let mut tree = Tree::default();
        let body = Data::Element(Element::new("body", attributes));
        tree.nodes.push(Node::new(body, 0));
        tree
    }

    /// Adds a text below `parent`. Nodes are added in the order of the page. Returns `None` if the page has too many.
    pub fn add_text(&mut self, text: String, parent: Id) -> Option<Id> {
        self.has_room().then(|| self.push(Data::Text(text), parent))
    }

    /// Adds an element below `parent`. Returns `None` if the page has too many nodes, or if nothing below the element is
    /// text of the page, such as a script.
    pub fn add_element(&mut self, element: Element, parent: Id) -> Option<Id> {
        if !self.has_room() {
            return None;
        }
        let place = self.nodes.get_mut(parent).map_or(1, |it| {
            it.elements += 1;
            it.elements
        });
        let is_template = element.is(&["template"]);
        let name = element.attribute("id").filter(|_| is_template);
        if let Some(name) = name.and_then(|it| it.strip_prefix("B:").or(it.strip_prefix("P:"))) {
            let name = name.to_owned();
            let id = self.push(Data::Text(String::new()), parent);
            self.places.push((name, id));
            return None;
        }
        if is_no_text(&element) {
            return None;
        }
        let id = self.push(Data::Element(element), parent);
        if let Some(node) = self.nodes.get_mut(id) {
            node.place = place;
        }
        Some(id)
    }

    fn has_room(&mut self) -> bool {
        self.is_too_large |= self.nodes.len() >= MAX_NODES;
        !self.is_too_large
    }

    /// Leaves out hidden elements. `html` is the root element. `is_styled` is `true` if the page has style sheets, known
    /// or not. Returns `true` for each node that was left out.
    pub fn look(
        &mut self,
        html: &Element,
        sheet: &mut Sheet,
        is_styled: bool,
        viewer: Viewer,
    ) -> Vec<bool> {
        let hidden = sight::find(self, html, sheet, is_styled, viewer);
        self.is_style_too_large = sheet.is_too_large;
        self.settle(hidden, viewer)
    }

    /// Moves what is nested deeper than [`MAX_DEPTH`] to the elements at this depth, in the order of the page.
    pub fn flatten(&mut self) {
        let mut open = vec![(0, 0)];
        while let Some((id, depth)) = open.pop() {
            if depth < MAX_DEPTH {
                open.extend(self.children(id).iter().map(|it| (*it, depth + 1)));
                continue;
            }
            let mut flat = Vec::new();
            for child in self.children(id) {
                self.walk(*child, |it| {
                    flat.push(it);
                    true
                });
            }
            if flat.len() == self.children(id).len() {
                continue;
            }
            self.is_too_deep = true;
            for moved in &flat {
                if let Some(node) = self.nodes.get_mut(*moved) {
                    node.parent = id;
                    node.children.clear();
                }
            }
            if let Some(node) = self.nodes.get_mut(id) {
                node.children = flat;
            }
        }
    }

    /// Returns warnings about hidden text: what was left out, and what was kept and why.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let Amount { pieces, characters } = self.hidden;
        if characters > 0 {
            warnings.push(format!(
                "text that the page hides from people was left out: {characters} characters in {pieces} places"
            ));
        }
        if self.appearing > 0 {
            warnings.push(format!(
                "text that is hidden until a script lets it appear was kept, as it is most of the page: {} characters",
                self.appearing
            ));
        }
        if self.folded > 0 {
            warnings.push(format!(
                "text that is folded or behind tabs was kept: {} characters",
                self.folded
            ));
        }
        if self.fallback > 0 {
            warnings.push(format!(
                "the page shows hardly any text without scripts; what it has for readers without them was taken: {} characters",
                self.fallback
            ));
        }
        if self.is_style_too_large {
            warnings.push(
                "the style sheets in the page are larger than are read: text that they hide may be among what was kept".into(),
            );
        }
        warnings
    }

    /// Decides which hidden texts are left out, and counts them. Returns `true` for each node that is.
    fn settle(&mut self, mut hidden: Vec<Hidden>, viewer: Viewer) -> Vec<bool> {
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
        let mut kept = vec![Hidden::No];
        let mut seen = amount(Hidden::No);
        if viewer.runs_scripts() {
            self.streamed();
            seen += amount(Hidden::Streamed) + amount(Hidden::Folded);
            kept.push(Hidden::Streamed);
            self.appearing = amount(Hidden::Streamed);
        }
        // Text that is most of a page is the page, if a script can show it.
        let shown: &[Hidden] = if viewer.runs_scripts() {
            &[Hidden::Faded, Hidden::ByRule, Hidden::Fallback]
        } else {
            &[]
        };
        for how in shown.iter().copied() {
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
            let characters = self.characters(id) + self.alternative(id);
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
        is_gone
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

    /// Counts the letters of a text, without white space and characters without width.
    fn characters(&self, id: Id) -> usize {
        self.text(id).unwrap_or_default().chars().filter(|it| is_seen(*it)).count()
    }

    /// Counts the letters of the text that stands for a picture.
    fn alternative(&self, id: Id) -> usize {
        let picture = self.element(id).filter(|it| it.is(&["img"]));
        let text = picture.and_then(|it| it.attribute("alt")).unwrap_or_default();
        text.chars().filter(|it| is_seen(*it)).count()
    }

    fn push(&mut self, data: Data, parent: Id) -> Id {
        let id = self.nodes.len();
        self.nodes.push(Node::new(data, parent));
        if let Some(parent) = self.nodes.get_mut(parent) {
            parent.children.push(id);
        }
        id
    }

    /// Returns the number of nodes. A tree is never empty.
    #[allow(clippy::len_without_is_empty, reason = "the body is always there")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the nodes directly below a node.
    pub fn children(&self, id: Id) -> &[Id] {
        self.nodes.get(id).map_or(&[], |node| &node.children)
    }

    /// Returns the node around a node. The body is in itself.
    pub fn parent(&self, id: Id) -> Id {
        self.nodes.get(id).map_or(0, |node| node.parent)
    }

    /// Returns the place of an element among its siblings, from 1.
    pub(crate) fn place(&self, id: Id) -> usize {
        self.nodes.get(id).map_or(1, |node| node.place)
    }

    /// Returns the number of elements directly below a node.
    pub(crate) fn elements(&self, id: Id) -> usize {
        self.nodes.get(id).map_or(0, |node| node.elements)
    }

    /// Returns the element at a node; `None` for a text.
    pub fn element(&self, id: Id) -> Option<&Element> {
        match &self.nodes.get(id)?.data {
            Data::Element(element) => Some(element),
            Data::Text(_) => None,
        }
    }

    /// Returns the text at a node; `None` for an element.
    pub fn text(&self, id: Id) -> Option<&str> {
        match &self.nodes.get(id)?.data {
            Data::Text(text) => Some(text),
            Data::Element(_) => None,
        }
    }

    /// Returns whether a node is an element with one of these names.
    pub fn is(&self, id: Id, names: &[&str]) -> bool {
        self.element(id).is_some_and(|it| it.is(names))
    }

    /// Calls `enter` for a node and the nodes below it, in order, and skips those below elements for which it returns
    /// `false`.
    pub fn walk(&self, from: Id, mut enter: impl FnMut(Id) -> bool) {
        let mut open = vec![from];
        while let Some(id) = open.pop() {
            if enter(id) {
                open.extend(self.children(id).iter().rev());
            }
        }
    }

    /// Returns all text of a node, unchanged.
    pub fn text_of(&self, from: Id) -> String {
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
    pub fn has_below(&self, from: Id, names: &[&str]) -> bool {
        let mut found = false;
        self.walk(from, |id| {
            found |= id != from && self.is(id, names);
            !found
        });
        found
    }
}

/// Returns whether an element is for the browser, or a fallback.
fn is_no_text(element: &Element) -> bool {
    element.is(&[
        "script", "style", "template", "iframe", "object", "embed", "canvas", "audio", "video",
        "svg", "head", "meta", "link", "title", "base", "datalist", "noframes", "applet", "rp",
        "noembed",
    ])
}
