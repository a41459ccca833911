//! Removes what people do not see from a parsed page.

use std::collections::HashSet;
use std::rc::Rc;

use htmd::Node;
use markup5ever_rcdom::NodeData;
use mitt_sight::{Element, Id, Sheet, Tree, Viewer};

/// Elements whose end tag may be missing. They are not counted as levels.
const WITHOUT_END: [&str; 10] =
    ["dd", "dt", "html", "li", "option", "p", "tbody", "td", "th", "tr"];

/// What is known of a page whose hidden text was removed.
pub(crate) struct Visible {
    /// Warnings about the hidden text.
    pub(crate) warnings: Vec<String>,
    /// Most elements in one another.
    pub(crate) depth: usize,
    /// The tree of the page.
    tree: Tree,
}

impl Visible {
    /// Removes from `document` what `viewer` does not show.
    pub(crate) fn of(document: &Rc<Node>, viewer: Viewer) -> Visible {
        let Some(html) = child(document, "html") else {
            return Visible { warnings: Vec::new(), depth: 0, tree: Tree::new(Vec::new()) };
        };
        let body = child(&html, "body").unwrap_or_else(|| html.clone());
        let mut sheet = Sheet::default();
        let is_styled = add_styles(&html, &mut sheet);
        let root = element(&html).unwrap_or_default();
        let mut tree = Tree::new(attributes(&body));
        let (nodes, depth) = fill(&mut tree, &body);
        let is_gone = tree.look(&root, &mut sheet, is_styled, viewer);
        let gone: HashSet<*const Node> = nodes
            .iter()
            .filter(|(id, _)| id.is_none_or(|id| is_gone.get(id) == Some(&true)))
            .map(|(_, node)| Rc::as_ptr(node))
            .collect();
        let is_left = |node: &Rc<Node>| !gone.contains(&Rc::as_ptr(node));
        for (_, node) in &nodes {
            node.children.borrow_mut().retain(is_left);
        }
        match is_gone.first() {
            Some(true) => body.children.borrow_mut().clear(),
            _ => body.children.borrow_mut().retain(is_left),
        }
        let mut warnings = tree.warnings();
        if tree.is_too_large {
            warnings.push("the page has more elements than are read: its end was left out".into());
        }
        Visible { warnings, depth, tree }
    }

    /// Returns the text without its structure.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        self.tree.walk(0, |id| {
            match self.tree.text(id) {
                Some(text) => out.push_str(&text.replace(['\n', '\r', '\t'], " ")),
                None if self.tree.is(id, &INLINE) => {}
                None => out.push('\n'),
            }
            true
        });
        let lines = out.lines().map(mitt_reader_kit::single_line).filter(|line| !line.is_empty());
        mitt_reader_kit::escape(&lines.collect::<Vec<_>>().join("\n\n"))
    }
}

/// Elements that begin no line of their own.
const INLINE: [&str; 20] = [
    "a", "abbr", "b", "big", "cite", "code", "em", "font", "i", "img", "label", "mark", "s",
    "small", "span", "strong", "sub", "sup", "tt", "u",
];

/// A node in the tree and its node in the document. A node that is not in the tree has no number.
type Place = (Option<Id>, Rc<Node>);

/// Fills the tree from the body. Returns all nodes, and the most elements in one another.
fn fill(tree: &mut Tree, body: &Rc<Node>) -> (Vec<Place>, usize) {
    let mut nodes = Vec::new();
    let mut deepest = 0;
    let below = |node: &Rc<Node>, id: Id, depth: usize| {
        let children = node.children.borrow();
        children.iter().rev().map(|child| (child.clone(), id, depth)).collect::<Vec<_>>()
    };
    let mut open = below(body, 0, 0);
    while let Some((node, outer, depth)) = open.pop() {
        match &node.data {
            NodeData::Text { contents } => {
                let id = tree.add_text(contents.borrow().to_string(), outer);
                nodes.push((id, node.clone()));
            }
            NodeData::Element { name, .. } => {
                let depth = depth + usize::from(!WITHOUT_END.contains(&&*name.local));
                deepest = deepest.max(depth);
                let id = element(&node).and_then(|it| tree.add_element(it, outer));
                nodes.push((id, node.clone()));
                if let Some(id) = id {
                    open.extend(below(&node, id, depth));
                }
            }
            _ => {}
        }
    }
    (nodes, deepest)
}

/// Reads the style sheets of a page. Returns `true` if it has one, or names one.
fn add_styles(html: &Rc<Node>, sheet: &mut Sheet) -> bool {
    let mut is_styled = false;
    let mut open = vec![html.clone()];
    while let Some(node) = open.pop() {
        if let Some(element) = element(&node) {
            is_styled |= element.is(&["link"]) && element.has_word("rel", &["stylesheet"]);
            if element.is(&["style"]) {
                is_styled = true;
                let children = node.children.borrow();
                let texts = children.iter().filter_map(|child| match &child.data {
                    NodeData::Text { contents } => Some(contents.borrow().to_string()),
                    _ => None,
                });
                let css: String = texts.collect();
                sheet.add(&css, element.attribute("media").unwrap_or_default());
                continue;
            }
        }
        open.extend(node.children.borrow().iter().rev().cloned());
    }
    is_styled
}

fn child(node: &Rc<Node>, name: &str) -> Option<Rc<Node>> {
    let children = node.children.borrow();
    children.iter().find(|child| crate::tag(child) == Some(name)).cloned()
}

fn element(node: &Rc<Node>) -> Option<Element> {
    let NodeData::Element { name, .. } = &node.data else { return None };
    Some(Element::new(&*name.local, attributes(node)))
}

fn attributes(node: &Rc<Node>) -> Vec<(String, String)> {
    let NodeData::Element { attrs, .. } = &node.data else { return Vec::new() };
    let attrs = attrs.borrow();
    attrs.iter().map(|it| (it.name.local.to_string(), it.value.to_string())).collect()
}
