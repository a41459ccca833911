//! Footnotes and endnotes, and the references to them.

use crate::error::{Error, Result};
use crate::story::{Document, Story};
use crate::xml::{Id, Tree};
use std::collections::HashSet;

/// A kind of note with its names in the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NoteKind {
    Footnote,
    Endnote,
}

impl NoteKind {
    /// Returns the name of the element of a note.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Footnote => "footnote",
            Self::Endnote => "endnote",
        }
    }

    pub(crate) fn story(self) -> Story {
        match self {
            Self::Footnote => Story::Footnote,
            Self::Endnote => Story::Endnote,
        }
    }

    fn of_reference(name: &str) -> Option<Self> {
        match name {
            "footnoteReference" => Some(Self::Footnote),
            "endnoteReference" => Some(Self::Endnote),
            _ => None,
        }
    }
}

/// A reference to a note.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) part: usize,
    pub(crate) node: Id,
    pub(crate) kind: NoteKind,
    pub(crate) id: String,
}

/// Finds the references of all parts.
pub(crate) fn references(document: &Document) -> Vec<Reference> {
    let mut out = Vec::new();
    for part in 0..document.parts.len() {
        let tree = document.tree(part);
        let Some(root) = tree.root() else { continue };
        for node in tree.descendants(root) {
            if let Some(kind) = NoteKind::of_reference(tree.name(node)) {
                let id = tree.attr(node, "id").unwrap_or_default().into_owned();
                out.push(Reference { part, node, kind, id });
            }
        }
    }
    out
}

/// Finds the element of a note and the index of its part.
pub(crate) fn find(document: &Document, kind: NoteKind, id: &str) -> Option<(usize, Id)> {
    let part = document.parts.iter().position(|it| it.story == kind.story())?;
    let tree = document.tree(part);
    let mut notes = tree.elements(tree.root()?);
    let found = notes.find(|&it| {
        tree.is(it, kind.name())
            && is_text(tree, it)
            && tree.attr(it, "id").is_some_and(|it| *it == *id)
    })?;
    Some((part, found))
}

/// Returns `true` for a note with text, not one of the lines above the notes.
pub(crate) fn is_text(tree: &Tree, note: Id) -> bool {
    tree.attr(note, "type").is_none_or(|it| &*it == "normal")
}

/// Returns the notes that references of the document name.
pub(crate) fn referenced(document: &Document) -> HashSet<(NoteKind, String)> {
    let has_notes =
        document.parts.iter().any(|it| matches!(it.story, Story::Footnote | Story::Endnote));
    if has_notes {
        references(document).into_iter().map(|it| (it.kind, it.id)).collect()
    } else {
        HashSet::new()
    }
}

/// Removes notes whose references are gone. `before` are the notes that had one.
pub(crate) fn drop_unreferenced(document: &mut Document, before: &HashSet<(NoteKind, String)>) {
    if before.is_empty() {
        return;
    }
    let left = referenced(document);
    for (kind, id) in before.difference(&left) {
        if let Some((part, note)) = find(document, *kind, id) {
            let name = document.parts[part].name.clone();
            document.package.get_mut(&name).detach(note);
        }
    }
}

/// Reads the name of a note: `footnote 3`, or the anchor of one of its paragraphs.
///
/// # Errors
/// [`Error::Invalid`] - there is no such note; the message lists those that there are.
pub(crate) fn named(document: &Document, name: &str) -> Result<(NoteKind, String)> {
    let wanted = name.trim().to_lowercase();
    let by_number = [NoteKind::Footnote, NoteKind::Endnote].into_iter().find_map(|kind| {
        let id = wanted.strip_prefix(kind.name())?.trim();
        find(document, kind, id).map(|_| (kind, id.to_owned()))
    });
    if let Some(found) = by_number {
        return Ok(found);
    }
    if let Ok(at) = document.find(name) {
        let paragraph = &document.paragraphs[at];
        let kind = match document.parts[paragraph.part].story {
            Story::Footnote => Some(NoteKind::Footnote),
            Story::Endnote => Some(NoteKind::Endnote),
            _ => None,
        };
        if let (Some(kind), Some(id)) = (kind, &paragraph.note) {
            return Ok((kind, id.clone()));
        }
    }
    let mut known = Vec::new();
    for paragraph in document.paragraphs.iter().filter(|it| it.note.is_some()) {
        let place = format!("`{}`", document.place(paragraph));
        if known.last() != Some(&place) && known.len() < 50 {
            known.push(place);
        }
    }
    Err(Error::Invalid(if known.is_empty() {
        format!("there is no note `{name}`; the document has none")
    } else {
        format!("there is no note `{name}`; there are {}", known.join(", "))
    }))
}
