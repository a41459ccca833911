//! A redline: the new document with the differences to the old one as tracked changes.
//!
//! Accepting all of them gives the new document, rejecting all gives the texts and the formatting of the old one.
//! Pictures, links, notes and equations that only the old document has are left out of deleted text, with a warning. What
//! Word cannot track is listed: page settings, styles, comments, properties.

mod align;
mod formats;
mod formatting;
mod headers;
mod objects;
mod old;
mod redline;
mod whole;

use crate::edit::{Batch, EditOptions};
use crate::error::{Error, Result};
use crate::story::{Document, Story, container_text, shorten};
use crate::styles::Styles;
use crate::text::View;
use mitt_package::{counted, either};
use redline::{EMPTY_END, Worker};
use std::collections::{BTreeSet, HashMap};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    Changed,
    Inserted,
    Deleted,
    Moved,
    Formatted,
}

/// A difference of two documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub kind: DifferenceKind,
    pub place: String,
    pub before: String,
    pub after: String,
}

#[derive(Debug)]
pub struct Comparison {
    /// The new document with the differences as tracked changes.
    pub redline: Vec<u8>,
    pub differences: Vec<Difference>,
    pub warnings: Vec<String>,
}

/// Compares two documents.
///
/// # Errors
/// Those of [`Document::open`].
pub fn compare(old: Vec<u8>, new: Vec<u8>, options: &EditOptions) -> Result<Comparison> {
    let mut old = Document::open(old)?;
    let mut new = Document::open(new)?;
    if new.package.has_macros() {
        return Err(Error::Unsupported(
            "expected a new document without macros (.docx), got one with macros".to_owned(),
        ));
    }
    let mut warnings = Vec::new();
    for (document, name) in [(&mut old, "old"), (&mut new, "new")] {
        let count = document.changes().len();
        if count > 0 {
            warnings.push(format!(
                "the {name} document has {}, which {} accepted first",
                counted(count, "tracked change"),
                either(count, "was", "were")
            ));
            for part in &document.parts {
                crate::changes::resolve_all(document.package.get_mut(&part.name), true);
            }
        }
    }
    let options = EditOptions { is_tracked: true, ..options.clone() };
    let old_styles = Styles::read(&mut old.package)?;
    let same_numbering =
        whole::text_of(&mut old, "numbering")? == whole::text_of(&mut new, "numbering")?;
    let mut beside = whole::compare(&mut old, &mut new, same_numbering)?;
    let paired = headers::pair(&mut old, &mut new)?;
    let mut links = Vec::new();
    for document in [&mut old, &mut new] {
        let names: Vec<String> = document.parts.iter().map(|it| it.name.clone()).collect();
        let mut all = Vec::new();
        for name in names {
            let relations = document.package.relations(&name)?.into_iter();
            all.push(relations.filter(|it| it.is_external).map(|it| (it.id, it.target)).collect());
        }
        links.push(all);
    }
    let [old_links, new_links] =
        <[Vec<HashMap<String, String>>; 2]>::try_from(links).unwrap_or_default();
    let none = |name: &str| Err(format!("no document `{name}`"));
    let mut batch = Batch::new(new, &options, &none)?;
    for part in 0..batch.document.parts.len() {
        batch.prepare(part)?;
    }
    let mut comparison = Vec::new();
    let mut untracked = BTreeSet::new();
    for &(old_part, new_part) in &paired.pairs {
        let name = batch.document.parts[new_part].name.clone();
        let story = batch.document.parts[new_part].story;
        let Batch { document, marks, styles, .. } = &mut batch;
        let Document { package, parts, .. } = document;
        let mut worker = Worker {
            old: old.tree(old_part),
            old_codes: &old.parts[old_part].codes,
            new: package.get_mut(&name),
            new_codes: &parts[new_part].codes,
            old_styles: &old_styles,
            styles,
            marks,
            same_numbering,
            old_links: &old_links[old_part],
            new_links: &new_links[new_part],
            differences: Vec::new(),
            lost: BTreeSet::new(),
            untracked: BTreeSet::new(),
            place: match story {
                Story::Body => String::new(),
                other => format!("{other:?} ").to_lowercase(),
            },
        };
        worker.part(story);
        comparison.append(&mut worker.differences);
        untracked.append(&mut worker.untracked);
        for lost in std::mem::take(&mut worker.lost) {
            if lost == EMPTY_END {
                warnings.push(EMPTY_END.to_owned());
                continue;
            }
            warnings.push(format!(
                "{lost} that only the old document has is not in the redline, and cannot be restored from it"
            ));
        }
    }
    for (part, place) in paired.old_only {
        let before = part_text(&old, part);
        if !before.is_empty() {
            comparison.push(Difference {
                kind: DifferenceKind::Deleted,
                place: place.clone(),
                before: shorten(&before, 400),
                after: String::new(),
            });
            warnings.push(format!(
                "the {place} is only in the old document, and cannot be restored from the redline"
            ));
        }
    }
    for (part, place) in paired.new_only {
        let after = part_text(&batch.document, part);
        if !after.is_empty() {
            let Batch { document, marks, .. } = &mut batch;
            let tree = document.package.get_mut(&document.parts[part].name);
            redline::insert_all(tree, marks);
            comparison.push(Difference {
                kind: DifferenceKind::Inserted,
                place: place.clone(),
                before: String::new(),
                after: shorten(&after, 400),
            });
            warnings.push(format!(
                "the {place} is only in the new document; rejecting its text leaves an empty one"
            ));
        }
    }
    for what in untracked {
        warnings.push(format!(
            "{what} differs and is listed, but is not a tracked change: rejecting all leaves that of the new document"
        ));
    }
    comparison.append(&mut beside.differences);
    warnings.append(&mut beside.warnings);
    batch.document.package.make_document()?;
    warnings.dedup();
    Ok(Comparison { redline: batch.document.save()?, differences: comparison, warnings })
}

/// Returns the text of a header or footer, and what it has if it has no text.
fn part_text(document: &Document, part: usize) -> String {
    let tree = document.tree(part);
    let Some(root) = tree.root() else { return String::new() };
    let text = container_text(tree, root, &document.parts[part].codes, View::Accepted);
    let has_objects =
        tree.descendants(root).any(|it| matches!(tree.name(it), "drawing" | "pict" | "object"));
    if !text.trim().is_empty() {
        text
    } else if has_objects {
        "[a picture]".to_owned()
    } else {
        String::new()
    }
}
