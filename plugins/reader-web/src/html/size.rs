//! Counts the text below each node of a page, and how much of it is links.

use super::tree::Tree;

/// The characters without white space below a node, and those of links.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    pub(super) all: usize,
    pub(super) linked: usize,
}

impl Size {
    /// Returns the characters outside of links.
    pub(super) fn plain(self) -> usize {
        self.all - self.linked.min(self.all)
    }

    pub(super) fn density(self) -> f64 {
        if self.all == 0 { 0.0 } else { self.linked as f64 / self.all as f64 }
    }
}

/// Returns the sizes of all nodes. A node that is left out, and all nodes below it, have size 0.
pub(super) fn sizes(tree: &Tree, is_left_out: &[bool]) -> Vec<Size> {
    let mut sizes = vec![Size::default(); tree.len()];
    let mut is_gone = vec![false; tree.len()];
    // A node comes after its parent.
    for id in 0..tree.len() {
        let is_inside = id > 0 && is_gone.get(tree.parent(id)) == Some(&true);
        if let Some(place) = is_gone.get_mut(id) {
            *place = is_inside || is_left_out.get(id) == Some(&true);
        }
    }
    for id in (0..tree.len()).rev() {
        if is_gone.get(id) == Some(&true) {
            continue;
        }
        let mut size = match tree.text(id) {
            Some(text) => {
                Size { all: text.chars().filter(|it| !it.is_whitespace()).count(), linked: 0 }
            }
            None => Size::default(),
        };
        for child in tree.children(id) {
            let child = sizes.get(*child).copied().unwrap_or_default();
            size.all += child.all;
            size.linked += child.linked;
        }
        if tree.is(id, &["a"]) {
            size.linked = size.all;
        }
        if let Some(place) = sizes.get_mut(id) {
            *place = size;
        }
    }
    sizes
}
