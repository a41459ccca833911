//! Fills the tree of the visible text of a page from the parser.

use dom_query::{Document, NodeData, NodeRef};
pub(crate) use mitt_sight::{Amount, Element, Id, Tree};
use mitt_sight::{Sheet, Viewer};

/// Returns the visible part of the body of a page.
pub(crate) fn read(document: &Document) -> Tree {
    let first = document.body().unwrap_or_else(|| document.root());
    let mut tree = Tree::new(attributes(first));
    let children =
        |node: NodeRef<'_>| node.children_it(true).map(|child| child.id).collect::<Vec<_>>();
    let mut open: Vec<_> = children(first).into_iter().map(|child| (child, 0)).collect();
    while let Some((id, parent)) = open.pop() {
        if tree.is_too_large {
            break;
        }
        let Some(node) = document.tree.get(&id) else { continue };
        let Some(id) = add(&mut tree, node, parent) else { continue };
        open.extend(children(node).into_iter().map(|child| (child, id)));
    }
    look(&mut tree, document);
    tree.flatten();
    tree
}

/// Leaves out hidden elements.
fn look(tree: &mut Tree, document: &Document) {
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
    tree.look(&html, &mut sheet, is_styled, Viewer::Browser);
}

/// Adds a node. Returns it if it is an element whose children have to be added.
fn add(tree: &mut Tree, node: NodeRef<'_>, parent: Id) -> Option<Id> {
    let text = node.query_or(None, |it| match &it.data {
        NodeData::Text { contents } => Some(contents.to_string()),
        _ => None,
    });
    if let Some(text) = text {
        tree.add_text(text, parent);
        return None;
    }
    tree.add_element(element(node)?, parent)
}

fn element(node: NodeRef<'_>) -> Option<Element> {
    let name = node.element_ref()?.name.local.to_string();
    Some(Element::new(name, attributes(node)))
}

fn attributes(node: NodeRef<'_>) -> Vec<(String, String)> {
    let Some(element) = node.element_ref() else { return Vec::new() };
    let attributes = element.attrs.iter().map(|it| {
        let prefix = it.name.prefix.as_ref().map(|it| format!("{it}:")).unwrap_or_default();
        (format!("{prefix}{}", it.name.local), it.value.to_string())
    });
    attributes.collect()
}
