//! Tracked changes: which there are, and accepting or rejecting them.

use crate::story::{self, Document};
use crate::text::{self, View};
use crate::xml::{Id, Ns, Tree};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    Insertion,
    Deletion,
    MovedFrom,
    MovedTo,
    /// The end of a paragraph, which joins it with the next one.
    ParagraphInsertion,
    ParagraphDeletion,
    RowInsertion,
    RowDeletion,
    CellInsertion,
    CellDeletion,
    Formatting,
    ParagraphFormatting,
    OtherFormatting,
}

impl ChangeKind {
    fn is_insertion(self) -> bool {
        matches!(
            self,
            Self::Insertion
                | Self::MovedTo
                | Self::ParagraphInsertion
                | Self::RowInsertion
                | Self::CellInsertion
        )
    }

    fn is_formatting(self) -> bool {
        matches!(self, Self::Formatting | Self::ParagraphFormatting | Self::OtherFormatting)
    }
}

/// A tracked change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its number and a hash, such as `r3-9c1e`.
    pub id: String,
    pub kind: ChangeKind,
    pub author: String,
    pub date: Option<String>,
    /// The text that it inserts, deletes or formats.
    pub text: String,
    /// Anchor of its paragraph.
    pub at: Option<String>,
}

/// Where a change stands in its tree.
#[derive(Clone, Debug)]
struct Mark {
    node: Id,
    kind: ChangeKind,
    /// `true` in the form of a text box for old programs.
    is_twin: bool,
}

/// Which changes are meant. Without any condition, all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeFilter {
    pub ids: Vec<String>,
    pub author: Option<String>,
    /// First and last date, such as `2026-11-01` or `2026-11-01T12:00:00Z`.
    pub from: Option<String>,
    pub to: Option<String>,
}

/// Finds the marks of a part in document order.
fn marks(tree: &Tree) -> Vec<Mark> {
    let mut out = Vec::new();
    let Some(root) = tree.root() else { return out };
    let mut below = tree.descendants(root);
    let mut twin_end: Option<Id> = None;
    let mut is_twin = false;
    while let Some(node) = below.next() {
        if twin_end == Some(node) {
            is_twin = false;
        }
        if tree.ns(node) == Ns::Mc && tree.local(node) == "Fallback" {
            is_twin = true;
            twin_end = tree.after(node, root);
        }
        let name = tree.name(node);
        let kind = match name {
            "ins" | "del" | "moveFrom" | "moveTo" => match content_kind(tree, node, name) {
                Some(kind) => kind,
                None => continue,
            },
            "cellIns" => ChangeKind::CellInsertion,
            "cellDel" => ChangeKind::CellDeletion,
            "rPrChange" => ChangeKind::Formatting,
            "pPrChange" => ChangeKind::ParagraphFormatting,
            "cellMerge" => ChangeKind::OtherFormatting,
            "sectPrChange" | "tblPrChange" | "tblGridChange" | "trPrChange" | "tcPrChange"
            | "tblPrExChange" | "numberingChange" => ChangeKind::OtherFormatting,
            _ => continue,
        };
        if kind.is_formatting() {
            // Old properties have no changes of their own.
            below.skip_children();
        }
        out.push(Mark { node, kind, is_twin });
    }
    out
}

fn content_kind(tree: &Tree, node: Id, name: &str) -> Option<ChangeKind> {
    let is_insertion = matches!(name, "ins" | "moveTo");
    let parent = tree.parent(node)?;
    Some(match (tree.name(parent), is_insertion) {
        ("rPr", true) => ChangeKind::ParagraphInsertion,
        ("rPr", false) => ChangeKind::ParagraphDeletion,
        ("trPr", true) => ChangeKind::RowInsertion,
        ("trPr", false) => ChangeKind::RowDeletion,
        ("numPr", _) => ChangeKind::OtherFormatting,
        _ => match name {
            "ins" => ChangeKind::Insertion,
            "del" => ChangeKind::Deletion,
            "moveFrom" => ChangeKind::MovedFrom,
            _ => ChangeKind::MovedTo,
        },
    })
}

/// Returns the text that a mark is about.
fn mark_text(tree: &Tree, mark: &Mark, codes: &HashSet<Id>) -> String {
    let above = |name: &str| tree.ancestors(mark.node).find(|&it| tree.is(it, name));
    match mark.kind {
        ChangeKind::Insertion
        | ChangeKind::Deletion
        | ChangeKind::MovedFrom
        | ChangeKind::MovedTo => {
            let mut out = String::new();
            for node in tree.descendants(mark.node) {
                match tree.name(node) {
                    "t" | "delText"
                        if !tree.parent(node).is_some_and(|run| codes.contains(&run)) =>
                    {
                        out.push_str(&tree.text(node));
                    }
                    "tab" => out.push('\t'),
                    "br" | "cr" => out.push('\n'),
                    _ => {}
                }
                if out.len() > 2_000 {
                    break;
                }
            }
            out
        }
        ChangeKind::Formatting => match above("r") {
            Some(run) => {
                let texts =
                    tree.elements(run).filter(|&it| matches!(tree.name(it), "t" | "delText"));
                texts.map(|it| tree.text(it)).collect()
            }
            None => String::new(),
        },
        ChangeKind::RowInsertion | ChangeKind::RowDeletion => above("tr")
            .map(|row| {
                let cells = story::cells(tree, row);
                let texts = cells.iter().map(|&it| {
                    let accepted = story::container_text(tree, it, codes, View::Accepted);
                    if accepted.is_empty() {
                        story::container_text(tree, it, codes, View::Original)
                    } else {
                        accepted
                    }
                });
                texts.collect::<Vec<_>>().join(" | ")
            })
            .unwrap_or_default(),
        _ => String::new(),
    }
}

impl Document {
    /// Lists the tracked changes of all parts in document order.
    pub fn changes(&self) -> Vec<Change> {
        self.all_marks().into_iter().map(|(_, _, change)| change).collect()
    }

    fn all_marks(&self) -> Vec<(usize, Mark, Change)> {
        let mut anchors = story::Anchors::new(self);
        let mut out = Vec::new();
        let mut number = 0;
        for (index, part) in self.parts.iter().enumerate() {
            let tree = self.tree(index);
            for mark in marks(tree) {
                let text = mark_text(tree, &mark, &part.codes);
                let author = tree.attr(mark.node, "author").unwrap_or_default().into_owned();
                let date = tree.attr(mark.node, "date").map(|it| it.into_owned());
                let key = format!("{:?}|{author}|{date:?}|{text}", mark.kind);
                let at = anchors.around(index, mark.node);
                let id = format!("r{number}-{}", story::hash(&key));
                let kind = mark.kind;
                out.push((index, mark, Change { id, kind, author, date, text, at }));
                if !out.last().is_some_and(|(_, mark, _)| mark.is_twin) {
                    number += 1;
                }
            }
        }
        out
    }

    /// Accepts or rejects the changes that a filter selects. Returns them.
    ///
    /// # Errors
    /// One sentence: there is no change with an id of the filter.
    pub(crate) fn resolve(
        &mut self,
        filter: &ChangeFilter,
        is_accepted: bool,
    ) -> Result<Vec<Change>, String> {
        let all = self.all_marks();
        for id in &filter.ids {
            let is_known = |(_, mark, change): &(usize, Mark, Change)| {
                !mark.is_twin && change.id.eq_ignore_ascii_case(id.trim())
            };
            if !all.iter().any(is_known) {
                return Err(format!(
                    "there is no tracked change `{id}`; `list_changes` lists them"
                ));
            }
        }
        let mut selected: Vec<bool> =
            all.iter().map(|(_, _, change)| filter.selects(change)).collect();
        self.select_whole_moves(&all, &mut selected);
        let mut by_part: BTreeMap<usize, Vec<Mark>> = BTreeMap::new();
        let mut done = Vec::new();
        for ((part, mark, change), is_selected) in all.into_iter().zip(selected) {
            if is_selected {
                if !mark.is_twin {
                    done.push(change);
                }
                by_part.entry(part).or_default().push(mark);
            }
        }
        for (part, marks) in by_part {
            let name = self.parts[part].name.clone();
            resolve_marks(self.package.get_mut(&name), &marks, is_accepted);
        }
        Ok(done)
    }

    /// Selects both sides of each move, and the other form of each text box.
    fn select_whole_moves(&self, all: &[(usize, Mark, Change)], selected: &mut [bool]) {
        let mut chosen_moves = HashSet::new();
        let mut chosen_texts = HashSet::new();
        let mut names = HashMap::new();
        for index in 0..self.parts.len() {
            for (node, name) in move_names(self.tree(index)) {
                names.insert((index, node), name);
            }
        }
        let text_key = |change: &Change| {
            (change.kind, change.author.clone(), change.date.clone(), change.text.clone())
        };
        for (at, (part, mark, change)) in all.iter().enumerate() {
            if selected[at] {
                if let Some(name) = names.get(&(*part, mark.node)) {
                    chosen_moves.insert(name.clone());
                }
                chosen_texts.insert(text_key(change));
            }
        }
        for (at, (part, mark, change)) in all.iter().enumerate() {
            let name = names.get(&(*part, mark.node));
            selected[at] |= name.is_some_and(|it| chosen_moves.contains(it))
                || mark.is_twin && chosen_texts.contains(&text_key(change));
        }
    }
}

impl ChangeFilter {
    fn selects(&self, change: &Change) -> bool {
        // A shorter date is a prefix: the whole day, or the whole month.
        let date = change.date.as_deref().unwrap_or("");
        let is_after = |from: &str| !date.is_empty() && date >= from;
        let is_before = |to: &str| !date.is_empty() && (date <= to || date.starts_with(to));
        (self.ids.is_empty()
            || self.ids.iter().any(|id| id.trim().eq_ignore_ascii_case(&change.id)))
            && self.author.as_ref().is_none_or(|it| *it == change.author)
            && self.from.as_deref().is_none_or(is_after)
            && self.to.as_deref().is_none_or(is_before)
    }
}

/// Returns the name of the move that each mark of a move belongs to.
fn move_names(tree: &Tree) -> Vec<(Id, String)> {
    let mut out = Vec::new();
    // Open ranges: ids and names.
    let mut open: Vec<(String, String)> = Vec::new();
    let Some(root) = tree.root() else { return out };
    for node in tree.descendants(root) {
        let attribute = |name: &str| tree.attr(node, name).unwrap_or_default().into_owned();
        match tree.name(node) {
            // Word opens one range at a time. Beyond a hundred, ends are missing.
            "moveFromRangeStart" | "moveToRangeStart" if open.len() < 100 => {
                open.push((attribute("id"), attribute("name")));
            }
            "moveFromRangeEnd" | "moveToRangeEnd" => {
                let id = attribute("id");
                open.retain(|(it, _)| *it != id);
            }
            "moveFrom" | "moveTo" => {
                if let Some((_, name)) = open.last() {
                    out.push((node, name.clone()));
                }
            }
            _ => {}
        }
    }
    out
}

/// Accepts or rejects all changes of a tree.
pub(crate) fn resolve_all(tree: &mut Tree, is_accepted: bool) {
    let all = marks(tree);
    resolve_marks(tree, &all, is_accepted);
}

fn resolve_marks(tree: &mut Tree, marks: &[Mark], is_accepted: bool) {
    // Ends of paragraphs that go, in document order.
    let mut joined = Vec::new();
    for mark in marks {
        let node = mark.node;
        if mark.kind.is_formatting() {
            resolve_formatting(tree, node, is_accepted);
            continue;
        }
        let stays = is_accepted == mark.kind.is_insertion();
        let parent_of =
            |tree: &Tree, name: &str| tree.ancestors(node).find(|&it| tree.is(it, name));
        match mark.kind {
            ChangeKind::ParagraphInsertion | ChangeKind::ParagraphDeletion => {
                let properties = tree.parent(node);
                let paragraph = parent_of(tree, "p").filter(|_| parent_of(tree, "pPr").is_some());
                tree.detach(node);
                drop_if_empty(tree, properties);
                if let Some(paragraph) = paragraph.filter(|_| !stays) {
                    joined.push(paragraph);
                }
            }
            ChangeKind::RowInsertion | ChangeKind::RowDeletion => {
                let row = parent_of(tree, "tr");
                let properties = tree.parent(node);
                tree.detach(node);
                drop_if_empty(tree, properties);
                if let Some(row) = row.filter(|_| !stays) {
                    remove_row(tree, row);
                }
            }
            ChangeKind::CellInsertion | ChangeKind::CellDeletion => {
                let cell = parent_of(tree, "tc");
                let properties = tree.parent(node);
                tree.detach(node);
                drop_if_empty(tree, properties);
                if let Some(cell) = cell.filter(|_| !stays) {
                    let row = tree.parent(cell);
                    remove_keeping_marks(tree, cell);
                    if let Some(row) = row.filter(|&it| story::cells(tree, it).is_empty()) {
                        remove_row(tree, row);
                    }
                }
            }
            _ if stays => {
                if mark.kind == ChangeKind::Deletion {
                    text::mark_text_deleted(tree, node, false);
                }
                if tree.parent(node).is_some() {
                    tree.unwrap(node);
                }
            }
            _ => remove_keeping_marks(tree, node),
        }
    }
    for &paragraph in joined.iter().rev() {
        join_with_next(tree, paragraph);
    }
    drop_move_ranges(tree);
}

fn drop_if_empty(tree: &mut Tree, properties: Option<Id>) {
    if let Some(it) = properties
        && tree.elements(it).next().is_none()
        && let Some(parent) = tree.parent(it)
    {
        tree.detach(it);
        if tree.is(parent, "pPr") {
            drop_if_empty(tree, Some(parent));
        }
    }
}

/// Removes a row, and its table if that was the last one.
pub(crate) fn remove_row(tree: &mut Tree, row: Id) {
    let table = tree.ancestors(row).find(|&it| tree.is(it, "tbl"));
    remove_keeping_marks(tree, row);
    if let Some(table) = table.filter(|&it| story::rows(tree, it).is_empty()) {
        remove_keeping_marks(tree, table);
    }
}

fn resolve_formatting(tree: &mut Tree, change: Id, is_accepted: bool) {
    let Some(properties) = tree.parent(change) else { return };
    let name = tree.name(change).to_owned();
    if name == "ins" || name == "del" || name == "numberingChange" || name == "cellMerge" {
        // Numbering that was inserted goes with its mark.
        tree.detach(change);
        if name == "ins" && !is_accepted {
            tree.detach(properties);
        }
        return;
    }
    tree.detach(change);
    if !is_accepted {
        let kept: &[&str] = match name.as_str() {
            "rPrChange" => &["ins", "del", "moveFrom", "moveTo"],
            "pPrChange" => &["rPr", "sectPr"],
            "trPrChange" => &["ins", "del"],
            "tcPrChange" => &["cellIns", "cellDel", "cellMerge"],
            "sectPrChange" => &["headerReference", "footerReference"],
            _ => &[],
        };
        let old: Vec<Id> = tree.elements(properties).collect();
        for it in old {
            if !kept.contains(&tree.name(it)) {
                tree.detach(it);
            }
        }
        let before = tree.elements(change).next();
        if let Some(before) = before {
            let restored: Vec<Id> = tree.elements(before).collect();
            // Marks of an end stand first, its other children last.
            let is_first = matches!(name.as_str(), "pPrChange" | "trPrChange" | "tcPrChange");
            for it in restored.into_iter().rev() {
                let last_kept = tree
                    .elements(properties)
                    .filter(|&it| !is_first && kept.contains(&tree.name(it)))
                    .last();
                match last_kept {
                    Some(place) => tree.insert_after(place, it),
                    None => tree.prepend(properties, it),
                }
            }
        }
    }
    if matches!(tree.name(properties), "rPr" | "pPr" | "trPr" | "tblPrEx") {
        drop_if_empty(tree, Some(properties));
    }
}

/// Removes a node. Marks of ranges in it whose other end is outside stay in its place.
pub(crate) fn remove_keeping_marks(tree: &mut Tree, node: Id) {
    if tree.parent(node).is_none() {
        return;
    }
    let mut ranges: Vec<(Id, String, String)> = Vec::new();
    for it in tree.descendants(node) {
        let name = tree.name(it);
        let Some(base) = name.strip_suffix("Start").or_else(|| name.strip_suffix("End")) else {
            continue;
        };
        let is_range = matches!(base, "bookmark" | "perm") || base.ends_with("Range");
        if is_range && let Some(id) = tree.attr(it, "id") {
            ranges.push((it, base.to_owned(), id.into_owned()));
        }
    }
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    for (_, base, id) in &ranges {
        *counts.entry((base, id)).or_default() += 1;
    }
    let unpaired: Vec<Id> = ranges
        .iter()
        .filter(|(_, base, id)| counts.get(&(base.as_str(), id.as_str())) == Some(&1))
        .map(|(it, ..)| *it)
        .collect();
    for it in unpaired {
        tree.insert_before(node, it);
    }
    let parent = tree.parent(node);
    tree.detach(node);
    // A link or smart tag without content would be left.
    if let Some(parent) = parent
        && matches!(tree.name(parent), "hyperlink" | "smartTag" | "fldSimple" | "ins" | "del")
        && tree.elements(parent).all(|it| tree.is(it, "smartTagPr"))
    {
        remove_keeping_marks(tree, parent);
    }
}

/// Returns the block behind a paragraph, leaving out marks of ranges.
pub(crate) fn next_block(tree: &Tree, paragraph: Id) -> Option<Id> {
    std::iter::successors(tree.next(paragraph), |&it| tree.next(it)).find(|&it| is_block(tree, it))
}

/// Returns the block in front of a paragraph, leaving out marks of ranges.
pub(crate) fn previous_block(tree: &Tree, paragraph: Id) -> Option<Id> {
    std::iter::successors(tree.previous(paragraph), |&it| tree.previous(it))
        .find(|&it| is_block(tree, it))
}

fn is_block(tree: &Tree, node: Id) -> bool {
    match tree.name(node) {
        "p" | "tbl" | "sdt" | "customXml" | "sectPr" | "altChunk" => true,
        "" => tree.ns(node) == Ns::Mc || tree.ns(node) == Ns::M,
        _ => false,
    }
}

/// Removes the end of a paragraph: its content moves to the front of the next one, whose properties stay. If no paragraph
/// follows, an empty one goes, unless the container needs it.
pub(crate) fn join_with_next(tree: &mut Tree, paragraph: Id) {
    if tree.parent(paragraph).is_none() {
        return;
    }
    let next = next_block(tree, paragraph);
    match next {
        Some(next) if tree.is(next, "p") && text::is_empty(tree, paragraph) => {
            // Its content controls have no content either.
            remove_keeping_marks(tree, paragraph);
        }
        Some(next) if tree.is(next, "p") => {
            // What stands between them moves too, such as ends of bookmarks.
            let mut between = Vec::new();
            let mut at = tree.next(paragraph);
            while let Some(it) = at.filter(|&it| it != next) {
                between.push(it);
                at = tree.next(it);
            }
            let own: Vec<Id> = tree.children(paragraph).filter(|&it| !tree.is(it, "pPr")).collect();
            let mut place = tree.child(next, "pPr");
            for it in own.into_iter().chain(between) {
                if tree.kind(it) != crate::xml::Kind::Element {
                    continue;
                }
                match place {
                    Some(before) => tree.insert_after(before, it),
                    None => tree.prepend(next, it),
                }
                place = Some(it);
            }
            tree.detach(paragraph);
        }
        Some(next)
            if matches!(tree.name(next), "tbl" | "sdt" | "altChunk")
                && text::is_empty(tree, paragraph) =>
        {
            remove_keeping_marks(tree, paragraph);
        }
        _ => {}
    }
}

/// Removes the marks around moves that have nothing moved any more.
fn drop_move_ranges(tree: &mut Tree) {
    let Some(root) = tree.root() else { return };
    // Open ranges by their ids, with the number of moved contents before them.
    let mut open: HashMap<String, (Id, usize)> = HashMap::new();
    let mut count = 0;
    let mut gone = Vec::new();
    for node in tree.descendants(root) {
        match tree.name(node) {
            "moveFromRangeStart" | "moveToRangeStart" => {
                let id = tree.attr(node, "id").unwrap_or_default().into_owned();
                // Two ranges with one id are no range.
                if let Some((other, _)) = open.insert(id, (node, count)) {
                    gone.push(other);
                }
            }
            "moveFrom" | "moveTo" => count += 1,
            "moveFromRangeEnd" | "moveToRangeEnd" => {
                match open.remove(&*tree.attr(node, "id").unwrap_or_default()) {
                    Some((start, before)) if before == count => gone.extend([start, node]),
                    Some(_) => {}
                    None => gone.push(node),
                }
            }
            _ => {}
        }
    }
    let unended = open.into_values().filter(|(_, before)| *before == count);
    gone.extend(unended.map(|(start, _)| start));
    for node in gone {
        tree.detach(node);
    }
}
