//! Finds captions of pictures. They are kept apart from the text, in place of the picture.

use super::main_text::within;
use super::names::names;
use super::size::Size;
use super::tree::{Id, Tree};
use mitt_sight::words;
use std::collections::HashSet;

/// Most characters of a caption. Longer ones are text.
const LONGEST: usize = 1_000;

/// Names of captions that are not a `figcaption`.
const NAMES: [&str; 8] = [
    "bildunterschrift",
    "caption",
    "credit",
    "credits",
    "figcaption",
    "imagecaption",
    "legend",
    "subcaption",
];

/// Finds the captions of a page. On a page of pictures, the captions are the text, so it has none.
pub(super) fn find(tree: &Tree, sizes: &[Size], is_left_out: &[bool]) -> HashSet<Id> {
    let size = |id: Id| sizes.get(id).copied().unwrap_or_default();
    let total = size(0).all;
    let mut found = HashSet::new();
    let (mut captions, mut rest) = (0, 0);
    tree.walk(0, |id| {
        if is_left_out.get(id) == Some(&true) {
            return false;
        }
        let is = is_caption(tree, id, size(id), total);
        if is {
            found.insert(id);
            captions += size(id).all;
        } else if tree.text(id).is_some() {
            rest += size(id).all;
        }
        !is
    });
    if captions * 2 > rest { HashSet::new() } else { found }
}

/// Marks whether captions are left out. They are while the main text is searched.
pub(super) fn mark(captions: &HashSet<Id>, is_left_out: &mut [bool], is: bool) {
    for (id, place) in is_left_out.iter_mut().enumerate() {
        if captions.contains(&id) {
            *place = is;
        }
    }
}

fn is_caption(tree: &Tree, id: Id, size: Size, total: usize) -> bool {
    if size.all == 0 || size.all >= LONGEST || size.all * 4 >= total {
        return false;
    }
    let Some(element) = tree.element(id) else { return false };
    if element.is(&["figcaption"]) {
        // A figure may also hold a table, a quotation or a program.
        let figure = tree.parent(id);
        return !tree.has_below(figure, &["table", "pre", "code", "blockquote"]);
    }
    element.is(&["div", "p", "span", "small", "figure"])
        && names(element).flat_map(words).any(|it| NAMES.contains(&it.as_str()))
        && !tree.has_below(
            id,
            &["img", "picture", "video", "h1", "h2", "h3", "h4", "ul", "table", "pre"],
        )
        && !within(tree, id, &["table"])
}
