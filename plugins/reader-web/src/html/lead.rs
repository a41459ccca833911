//! Adds the heading of a page and the sentences below it, which are often apart from the rest of the text.

use super::main_text::{above, is_below};
use super::size::Size;
use super::tree::{Id, Tree};
use std::collections::HashSet;

/// Blocks that contain text.
const BLOCKS: [&str; 20] = [
    "p",
    "div",
    "section",
    "article",
    "ul",
    "ol",
    "li",
    "table",
    "figure",
    "header",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "blockquote",
    "dl",
    "aside",
    "nav",
    "footer",
];

/// Adds the heading of the page, which is often above the text that was found.
pub(super) fn add_heading(tree: &Tree, sizes: &[Size], roots: &mut Vec<Id>) {
    let known: HashSet<Id> = roots.iter().copied().collect();
    let is_inside = |id: Id| {
        known.contains(&id) || known.contains(&0) || above(tree, id).any(|it| known.contains(&it))
    };
    let headings: Vec<Id> = (0..tree.len()).filter(|id| tree.is(*id, &["h1"])).collect();
    if headings.iter().any(|id| is_inside(*id)) {
        return;
    }
    let has_text = |id: &&Id| sizes.get(**id).is_some_and(|it| it.all > 0);
    if let Some(heading) = headings.iter().find(has_text) {
        roots.insert(0, *heading);
    }
}

/// Adds the sentences between the heading of the page and its text. Some pages put the first paragraph in a place of
/// its own.
pub(super) fn add_lead(tree: &Tree, sizes: &[Size], is_left_out: &[bool], roots: &mut Vec<Id>) {
    let [heading, rest @ ..] = &roots[..] else { return };
    let heading = *heading;
    if !tree.is(heading, &["h1"]) || rest.is_empty() {
        return;
    }
    let Some(first) = rest.iter().copied().min().filter(|first| heading < *first) else { return };
    let size = |id: Id| sizes.get(id).copied().unwrap_or_default();
    let found: usize = rest.iter().map(|id| size(*id).all).sum();
    let mut leads = Vec::new();
    let mut characters = 0;
    let mut id = heading + 1;
    while id < first {
        let here = id;
        id += 1;
        if is_below(tree, here, heading) || tree.element(here).is_none() {
            continue;
        }
        let end = end_of(tree, here);
        if is_left_out.get(here) == Some(&true)
            || tree.is(
                here,
                &["figure", "figcaption", "form", "nav", "ul", "ol", "table", "dl", "footer"],
            )
        {
            id = id.max(end.min(first));
            continue;
        }
        // An element that contains the text itself, or more blocks, is searched inside.
        if end > first
            || !tree.is(here, &["p", "div", "h2", "h3", "h4", "section", "strong", "blockquote"])
            || tree.has_below(here, &BLOCKS)
        {
            continue;
        }
        let it = size(here);
        if it.all >= 50 && it.density() < 0.3 {
            leads.push(here);
            characters += it.all;
        }
        id = id.max(end);
    }
    if characters > 3_000 || characters > found {
        return;
    }
    roots.splice(1..1, leads);
}

/// Returns the first node after a node and all nodes below it.
fn end_of(tree: &Tree, id: Id) -> Id {
    let mut last = id;
    while let Some(child) = tree.children(last).last() {
        last = *child;
    }
    last + 1
}
