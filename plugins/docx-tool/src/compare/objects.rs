//! What a paragraph has beside its text.

use crate::text::Editor;
use crate::xml::{Id, Ns, Tree};

/// Kinds of objects.
pub(super) const OBJECTS: &[&str] = &["a note", "a picture or object", "an equation", "a symbol"];

/// Returns the kind of an object of a run.
pub(super) fn object(tree: &Tree, node: Id) -> Option<&'static str> {
    Some(match tree.name(node) {
        "footnoteReference" | "endnoteReference" => "a note",
        "drawing" | "pict" | "object" => "a picture or object",
        "sym" => "a symbol",
        "" if tree.local(node) == "AlternateContent" => "a picture or object",
        _ => return None,
    })
}

/// Returns the runs of a paragraph that have objects, and its equations, with their kinds.
pub(super) fn objects(tree: &Tree, paragraph: Id) -> Vec<(Id, &'static str)> {
    let mut out = Vec::new();
    let mut below = tree.descendants(paragraph);
    while let Some(it) = below.next() {
        if tree.is(it, "r") {
            let kind = tree.elements(it).find_map(|it| object(tree, it));
            out.extend(kind.map(|kind| (it, kind)));
            below.skip_children();
        } else if tree.ns(it) == Ns::M && tree.local(it) == "oMath" {
            out.push((it, "an equation"));
            below.skip_children();
        }
    }
    out
}

/// Puts a node at an offset of a paragraph's text, between runs.
pub(super) fn put_at(editor: &mut Editor<'_>, at: usize, node: Id) {
    let line = editor.line();
    let inside = line
        .pieces
        .iter()
        .find(|it| it.deleted.is_none() && !it.text.is_empty() && it.start < at && at <= it.end());
    match inside {
        Some(piece) => {
            let start = piece.start;
            let runs = editor.isolate(start..at);
            if let Some(&last) = runs.last() {
                let tree = &mut *editor.tree;
                let parent = tree.parent(last).filter(|&it| tree.is(it, "ins"));
                tree.insert_after(parent.unwrap_or(last), node);
            }
        }
        None => {
            let tree = &mut *editor.tree;
            match tree.child(editor.paragraph, "pPr") {
                Some(properties) => tree.insert_after(properties, node),
                None => tree.prepend(editor.paragraph, node),
            }
        }
    }
}
