//! Marks of tracked changes: author, date, ids, and where they stand.

use crate::props;
use crate::xml::{Id, Tree, escape_attr};

/// Who changes a document, when, and whether the changes are tracked.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    pub(crate) is_tracked: bool,
    pub(crate) author: String,
    /// In the form of Word: `2026-11-27T10:00:00Z`.
    pub(crate) date: Option<String>,
    next_id: u32,
}

impl Marks {
    pub(crate) fn new(is_tracked: bool, author: &str, date: Option<String>, first_id: u32) -> Self {
        Self { is_tracked, author: author.to_owned(), date, next_id: first_id }
    }

    /// Returns a new id, unique in the document.
    pub(crate) fn id(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    /// Returns the attributes of a new mark.
    pub(crate) fn attributes(&mut self) -> String {
        let id = self.id();
        format!("w:id=\"{id}\" {}", self.signature())
    }

    /// Returns author and date as attributes.
    pub(crate) fn signature(&self) -> String {
        let author = escape_attr(&self.author);
        match &self.date {
            Some(date) => format!("w:author=\"{author}\" w:date=\"{}\"", escape_attr(date)),
            None => format!("w:author=\"{author}\""),
        }
    }

    /// Makes an empty mark: `<w:ins w:id=… w:author=… w:date=…></w:ins>`.
    pub(crate) fn element(&mut self, tree: &mut Tree, name: &str) -> Id {
        let attributes = self.attributes();
        tree.element(&format!("<w:{name} {attributes}></w:{name}>"))
    }

    /// Returns `true` if a mark has the author of these changes.
    pub(crate) fn is_own(&self, tree: &Tree, mark: Id) -> bool {
        tree.attr(mark, "author").is_some_and(|author| *author == self.author)
    }

    /// Returns `true` if a mark has both author and date of these changes.
    pub(crate) fn is_same(&self, tree: &Tree, mark: Id) -> bool {
        self.is_own(tree, mark) && tree.attr(mark, "date").as_deref() == self.date.as_deref()
    }
}

/// Returns the greatest id of an annotation in a part. Ids of content controls are attributes of another name.
pub(crate) fn greatest_id(tree: &Tree) -> u32 {
    let Some(root) = tree.root() else { return 0 };
    tree.descendants(root)
        .filter(|&it| {
            let name = tree.name(it);
            matches!(
                name,
                "ins" | "del" | "moveFrom" | "moveTo" | "cellIns" | "cellDel" | "cellMerge"
            ) || name.ends_with("Start")
                || name.ends_with("End")
                || name.ends_with("Change")
        })
        .filter_map(|it| tree.attr(it, "id")?.parse::<u32>().ok())
        .filter(|&id| id < u32::MAX / 2)
        .max()
        .unwrap_or(0)
}

/// Returns the mark of a paragraph's end: `ins`, `del`, `moveFrom` or `moveTo` in its properties.
pub(crate) fn of_paragraph(tree: &Tree, paragraph: Id, name: &str) -> Option<Id> {
    let properties = tree.child(paragraph, "pPr")?;
    tree.child(tree.child(properties, "rPr")?, name)
}

/// Returns `true` if the end of a paragraph is deleted or moved away.
pub(crate) fn is_end_deleted(tree: &Tree, paragraph: Id) -> bool {
    of_paragraph(tree, paragraph, "del").or(of_paragraph(tree, paragraph, "moveFrom")).is_some()
}

/// Marks the end of a paragraph.
pub(crate) fn mark_paragraph(tree: &mut Tree, paragraph: Id, name: &str, marks: &mut Marks) {
    let properties = props::ensure(tree, paragraph, "pPr");
    let run = props::ensure(tree, properties, "rPr");
    let mark = marks.element(tree, name);
    props::put(tree, run, mark);
}

/// Keeps the present properties as those before a change: `rPrChange` in `rPr`, `pPrChange` in `pPr`. A change that is
/// there stays, because it has the properties before all changes.
pub(crate) fn keep_old(tree: &mut Tree, properties: Id, old: Id, marks: &mut Marks) {
    let name = tree.name(properties).to_owned();
    let change = format!("{name}Change");
    if tree.child(properties, &change).is_some() {
        return;
    }
    // Neither the mark of a paragraph nor its section belong to the old properties.
    for other in ["rPr", "sectPr", "ins", "del", "moveFrom", "moveTo", &change] {
        props::remove(tree, old, other);
    }
    let mark = marks.element(tree, &change);
    tree.append(mark, old);
    props::put(tree, properties, mark);
}
