//! Finds footnotes: references in the text that lead to a place in the page, and links back.

use super::tree::{Id, Tree};
use mitt_reader_kit::single_line;
use std::collections::{HashMap, HashSet};

/// Longest text of a reference.
const MAX_MARK: usize = 8;

/// References, notes, and links back.
#[derive(Debug, Default)]
pub(super) struct Notes {
    references: HashMap<Id, usize>,
    notes: HashMap<Id, usize>,
    backlinks: HashSet<Id>,
}

impl Notes {
    /// Finds all notes. They are numbered in the order of their first references, from `last` on.
    pub(super) fn find(tree: &Tree, last: &mut usize) -> Notes {
        let mut places: HashMap<&str, Id> = HashMap::new();
        let mut links = Vec::new();
        for id in 0..tree.len() {
            let Some(element) = tree.element(id) else { continue };
            let named = element.is(&["a"]).then(|| element.attribute("name")).flatten();
            for name in [element.attribute("id"), named].into_iter().flatten() {
                places.entry(name).or_insert(id);
            }
            if element.is(&["a"])
                && let Some(target) =
                    element.attribute("href").and_then(|it| it.trim().strip_prefix('#'))
                && !target.is_empty()
            {
                links.push((id, target));
            }
        }
        let mut found = Notes::default();
        // Names of the references. A link to one of them leads back.
        let mut marks: HashSet<&str> = HashSet::new();
        for (id, target) in links {
            if marks.contains(target) || is_back(tree, id) {
                found.backlinks.insert(id);
                continue;
            }
            let Some(place) = places.get(target) else { continue };
            if !is_mark(tree, id) {
                continue;
            }
            let note = block_of(tree, *place);
            // A note that contains its own reference is a paragraph with a link.
            if note == 0
                || tree.is(note, &["body", "section", "article", "table"])
                || holds(tree, note, id)
            {
                continue;
            }
            let label = *found.notes.entry(note).or_insert_with(|| {
                *last += 1;
                *last
            });
            found.references.insert(id, label);
            let mut near = id;
            for _ in 0..3 {
                if let Some(name) = tree.element(near).and_then(|it| it.attribute("id")) {
                    marks.insert(name);
                }
                near = tree.parent(near);
            }
            for child in tree.children(id) {
                if let Some(name) = tree.element(*child).and_then(|it| it.attribute("id")) {
                    marks.insert(name);
                }
            }
        }
        found
    }

    pub(super) fn reference(&self, id: Id) -> Option<usize> {
        self.references.get(&id).copied()
    }

    /// Returns the number of the note that begins at a node.
    pub(super) fn label(&self, id: Id) -> Option<usize> {
        self.notes.get(&id).copied()
    }

    pub(super) fn is_backlink(&self, id: Id) -> bool {
        self.backlinks.contains(&id)
    }
}

fn is_mark(tree: &Tree, id: Id) -> bool {
    let Some(element) = tree.element(id) else { return false };
    let text = single_line(&tree.text_of(id));
    let text = text.trim_matches(['[', ']', '(', ')', '（', '）', '〔', '〕', ' ']);
    if text.is_empty() || text.chars().count() > MAX_MARK {
        return false;
    }
    let is_declared = element.has_word("role", &["doc-noteref"])
        || element.has_word("epub:type", &["noteref"])
        || element.has_word(
            "class",
            &["footnote-ref", "footnote-reference", "noteref", "footnoteref", "fnref"],
        );
    let upper = tree.parent(id);
    let is_raised = tree.is(upper, &["sup"])
        || tree.is(tree.parent(upper), &["sup"])
        || tree.has_below(id, &["sup"]);
    let is_number = text.chars().all(|it| it.is_ascii_digit() || "*†‡§¶①②③④⑤⑥⑦⑧⑨⑩注".contains(it))
        || text.chars().count() <= 2 && text.is_ascii();
    is_declared || is_raised && (is_number || text.chars().any(|it| it.is_ascii_digit()))
}

fn is_back(tree: &Tree, id: Id) -> bool {
    let is_declared = tree.element(id).is_some_and(|it| {
        it.has_word("role", &["doc-backlink"])
            || it.has_word(
                "class",
                &["footnote-back", "footnote-backref", "reversefootnote", "fn-backref"],
            )
            || it.has_word("epub:type", &["backlink"])
    });
    is_declared || matches!(tree.text_of(id).trim(), "↩" | "↩︎" | "↑" | "^" | "⏎" | "↵")
}

/// Returns the block that a place belongs to.
fn block_of(tree: &Tree, mut id: Id) -> Id {
    const NOTES: [&str; 10] =
        ["li", "p", "div", "aside", "dd", "td", "blockquote", "section", "tr", "dt"];
    while id != 0 && !tree.is(id, &NOTES) {
        id = tree.parent(id);
    }
    id
}

fn holds(tree: &Tree, upper: Id, mut id: Id) -> bool {
    while id != 0 {
        if id == upper {
            return true;
        }
        id = tree.parent(id);
    }
    false
}
