//! The redline: differences of two documents as tracked changes in the new one.

use super::align::{Block, Step, align, blocks, is_last, moves, readable, row_text, settle_ends};
use super::objects::{OBJECTS, objects, put_at};
use super::{Difference, DifferenceKind};
use crate::diff::{self, Hunk};
use crate::edit::Where;
use crate::marks::{Marks, mark_paragraph};
use crate::props;
use crate::story::{self, Story, shorten};
use crate::styles::Styles;
use crate::text::{Editor, Line, View};
use crate::xml::{Id, Tree};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What is said where a page or cell ended with a table and paragraphs that are deleted.
pub(super) const EMPTY_END: &str =
    "an empty paragraph stays at the end when all changes are accepted";

/// One part at work.
pub(super) struct Worker<'a> {
    pub(super) old: &'a Tree,
    pub(super) old_codes: &'a HashSet<Id>,
    pub(super) new: &'a mut Tree,
    pub(super) new_codes: &'a HashSet<Id>,
    pub(super) old_styles: &'a Styles,
    pub(super) styles: &'a Styles,
    pub(super) marks: &'a mut Marks,
    pub(super) same_numbering: bool,
    /// Addresses of links by their ids.
    pub(super) old_links: &'a HashMap<String, String>,
    pub(super) new_links: &'a HashMap<String, String>,
    pub(super) differences: Vec<Difference>,
    /// What deleted text had and cannot be shown.
    pub(super) lost: BTreeSet<&'static str>,
    /// What differs, is listed and cannot be tracked.
    pub(super) untracked: BTreeSet<&'static str>,
    pub(super) place: String,
}

impl Worker<'_> {
    pub(super) fn part(&mut self, story: Story) {
        let (Some(old_root), Some(new_root)) = (self.old.root(), self.new.root()) else { return };
        match story {
            Story::Body => {
                let old = self.old.child(old_root, "body");
                let new = self.new.child(new_root, "body");
                if let (Some(old), Some(new)) = (old, new) {
                    self.container(old, new, true);
                }
            }
            Story::Header | Story::Footer => self.container(old_root, new_root, true),
            Story::Footnote | Story::Endnote => {
                let notes = |tree: &Tree, root: Id| -> Vec<Id> {
                    let all = tree.elements(root);
                    all.filter(|&it| {
                        matches!(tree.name(it), "footnote" | "endnote")
                            && tree.attr(it, "type").is_none_or(|it| &*it == "normal")
                    })
                    .collect()
                };
                let (old, new) = (notes(self.old, old_root), notes(self.new, new_root));
                let texts = |tree: &Tree, codes: &HashSet<Id>, all: &[Id]| -> Vec<String> {
                    all.iter()
                        .map(|&it| story::container_text(tree, it, codes, View::Accepted))
                        .collect()
                };
                let old_texts = texts(self.old, self.old_codes, &old);
                let new_texts = texts(self.new, self.new_codes, &new);
                // A note that came or went does so with its reference in the body.
                for step in align(&old_texts, &new_texts, &[], &[]) {
                    if let Step::Changed(from, to) | Step::Equal(from, to) = step {
                        self.container(old[from], new[to], true);
                    }
                }
            }
        }
    }

    /// Compares what stands in two containers, and marks the differences in the new one.
    fn container(&mut self, old: Id, new: Id, finds_moves: bool) {
        let old_blocks = blocks(self.old, self.old_codes, old);
        let new_blocks = blocks(self.new, self.new_codes, new);
        let texts = |blocks: &[Block]| -> Vec<String> {
            let text =
                |it: &Block| format!("{}{}", if it.is_table { "\u{1}" } else { "" }, it.text);
            blocks.iter().map(text).collect()
        };
        let kinds =
            |blocks: &[Block]| -> Vec<bool> { blocks.iter().map(|it| it.is_table).collect() };
        let mut steps = align(
            &texts(&old_blocks),
            &texts(&new_blocks),
            &kinds(&old_blocks),
            &kinds(&new_blocks),
        );
        settle_ends(self.new, &mut steps, &old_blocks, &new_blocks);
        let moved = if finds_moves { moves(&steps, &old_blocks, &new_blocks) } else { Vec::new() };
        self.apply(&steps, &old_blocks, &new_blocks, &moved, new);
    }

    pub(super) fn report(&mut self, kind: DifferenceKind, at: &str, before: &str, after: &str) {
        if self.differences.len() < 20_000 {
            self.differences.push(Difference {
                kind,
                place: format!("{}{at}", self.place),
                before: shorten(&readable(before), 400),
                after: shorten(&readable(after), 400),
            });
        }
    }

    fn apply(
        &mut self,
        steps: &[Step],
        old: &[Block],
        new: &[Block],
        moved: &[(usize, usize)],
        container: Id,
    ) {
        let moved_from: HashMap<usize, usize> =
            moved.iter().enumerate().map(|(name, it)| (it.0, name)).collect();
        let moved_to: HashMap<usize, usize> =
            moved.iter().enumerate().map(|(name, it)| (it.1, name)).collect();
        let base = self.marks.id();
        // The block behind which a deleted one comes.
        let mut last: Option<Id> = None;
        for (number, &step) in steps.iter().enumerate() {
            match step {
                Step::Equal(from, to) => {
                    if !old[from].is_table {
                        self.paragraph_format(&old[from], &new[to]);
                        self.run_formats(&old[from], &new[to], &[]);
                        self.hidden_texts(old[from].node, &new[to]);
                        self.objects(old[from].node, new[to].node);
                    } else {
                        self.table(old[from].node, new[to].node);
                    }
                    last = Some(new[to].node);
                }
                Step::Changed(from, to) => {
                    if old[from].is_table {
                        self.table(old[from].node, new[to].node);
                    } else {
                        let hunks = diff::words(&old[from].text, &new[to].text, false);
                        self.run_formats(&old[from], &new[to], &hunks);
                        self.paragraph(&old[from], &new[to], hunks);
                        self.report(
                            DifferenceKind::Changed,
                            &format!("paragraph {}", to + 1),
                            &old[from].text,
                            &new[to].text,
                        );
                        self.paragraph_format(&old[from], &new[to]);
                        self.hidden_texts(old[from].node, &new[to]);
                        self.objects(old[from].node, new[to].node);
                    }
                    last = Some(new[to].node);
                }
                Step::Inserted(to) => {
                    let block = &new[to];
                    let name = moved_to.get(&to);
                    if block.is_table {
                        self.insert_table(block.node);
                    } else {
                        self.insert_paragraph(block.node, steps, number, new, name.is_some());
                        if let Some(name) = name {
                            let name = format!("move{}", base + *name as u32);
                            crate::edit::surround(
                                self.new,
                                block.node,
                                "moveToRange",
                                &name,
                                self.marks,
                            );
                        }
                    }
                    if name.is_none() {
                        let kind = if block.is_table { "table" } else { "paragraph" };
                        let at = format!("{kind} {}", to + 1);
                        self.report(DifferenceKind::Inserted, &at, "", &readable(&block.text));
                    } else {
                        let at = format!("paragraph {}", to + 1);
                        self.report(DifferenceKind::Moved, &at, &block.text, &block.text);
                    }
                    last = Some(block.node);
                }
                Step::Deleted(from) => {
                    let block = &old[from];
                    let name = moved_from.get(&from);
                    let node = if block.is_table {
                        self.deleted_table(block.node)
                    } else {
                        let mark = if name.is_some() { "moveFrom" } else { "del" };
                        self.deleted_paragraph(block.node, mark)
                    };
                    match last {
                        Some(place) => self.new.insert_after(place, node),
                        None => match new.first() {
                            Some(first) => self.new.insert_before(first.node, node),
                            None => self.new.prepend(container, node),
                        },
                    }
                    if !block.is_table {
                        let mark = if name.is_some() { "moveFrom" } else { "del" };
                        if !crate::edit::delete_marked(self.new, node, mark, self.marks) {
                            self.lost.insert(EMPTY_END);
                        }
                        if let Some(name) = name {
                            let name = format!("move{}", base + *name as u32);
                            crate::edit::surround(
                                self.new,
                                node,
                                "moveFromRange",
                                &name,
                                self.marks,
                            );
                        }
                    }
                    if name.is_none() {
                        let kind = if block.is_table { "table" } else { "paragraph" };
                        let at = format!("old {kind} {}", from + 1);
                        self.report(DifferenceKind::Deleted, &at, &readable(&block.text), "");
                    }
                    last = Some(node);
                }
            }
        }
    }

    /// Marks a paragraph of the new document as inserted.
    fn insert_paragraph(
        &mut self,
        node: Id,
        steps: &[Step],
        number: usize,
        new: &[Block],
        is_moved: bool,
    ) {
        let mark = if is_moved { "moveTo" } else { "ins" };
        self.mark_runs(node, mark);
        let is_last = is_last(self.new, node);
        let before = steps[..number].iter().rev().find_map(|step| match step {
            Step::Equal(_, to) | Step::Changed(_, to) | Step::Inserted(to) => Some(&new[*to]),
            Step::Deleted(_) => None,
        });
        let previous = crate::changes::previous_block(self.new, node);
        match before.filter(|it| is_last && !it.is_table && previous == Some(it.node)) {
            Some(before) => {
                let at = before.node;
                crate::edit::mark_new(self.new, at, Where::After, node, mark, self.marks);
            }
            None => mark_paragraph(self.new, node, mark, self.marks),
        }
    }

    /// Compares what two paragraphs have beside their texts: objects that only the new one has are inserted, and text boxes
    /// are compared if there are as many.
    fn objects(&mut self, old: Id, new: Id) {
        let old_objects = objects(self.old, old);
        let new_objects = objects(self.new, new);
        for kind in OBJECTS {
            let count = |all: &[(Id, &str)]| all.iter().filter(|it| it.1 == *kind).count();
            match (count(&old_objects), count(&new_objects)) {
                (before, after) if before == after => {}
                (0, _) => {
                    for (run, _) in new_objects.iter().filter(|it| it.1 == *kind) {
                        let is_marked = self
                            .new
                            .ancestors(*run)
                            .take_while(|&it| it != new)
                            .any(|it| matches!(self.new.name(it), "ins" | "moveTo"));
                        if !is_marked {
                            let mark = self.marks.element(self.new, "ins");
                            self.new.wrap(*run, mark);
                        }
                    }
                }
                _ => {
                    self.lost.insert(kind);
                }
            }
        }
        self.boxes(old, new);
    }

    /// Compares the text boxes of two paragraphs, if there are as many.
    fn boxes(&mut self, old: Id, new: Id) {
        let old_boxes = story::boxes(self.old, old);
        let new_boxes = story::boxes(self.new, new);
        if old_boxes.len() != new_boxes.len() {
            return;
        }
        for ((old, old_twin), (new, new_twin)) in old_boxes.into_iter().zip(new_boxes) {
            let outer = self.place.clone();
            self.place = format!("{outer}text box ");
            self.container(old, new, false);
            if let Some(twin) = new_twin {
                let count = self.differences.len();
                self.container(old_twin.unwrap_or(old), twin, false);
                self.differences.truncate(count);
            }
            self.place = outer;
        }
    }

    /// Puts all runs of a paragraph into marks.
    fn mark_runs(&mut self, node: Id, mark: &str) {
        mark_runs(self.new, node, mark, self.marks);
    }

    /// Marks the differences of two paragraphs in the new one: new words are inserted, old words stand there as deleted.
    fn paragraph(&mut self, old: &Block, new: &Block, hunks: Vec<Hunk>) {
        let old_line = Line::read_with_breaks(self.old, old.node, self.old_codes);
        for hunk in hunks.into_iter().rev() {
            let deleted = self.old_runs(&old_line, hunk.old.clone());
            let mut editor = Editor {
                tree: self.new,
                paragraph: new.node,
                codes: self.new_codes,
                marks: self.marks,
                has_breaks: true,
            };
            let runs = editor.isolate(hunk.new.clone());
            let tree = &mut *editor.tree;
            for &run in &runs {
                let joined = tree
                    .previous(run)
                    .filter(|&it| tree.is(it, "ins") && editor.marks.is_same(tree, it));
                match joined {
                    Some(found) => tree.append(found, run),
                    None => {
                        let mark = editor.marks.element(tree, "ins");
                        tree.wrap(run, mark);
                    }
                }
            }
            if deleted.is_empty() {
                continue;
            }
            let xml = format!("<w:del {}>{deleted}</w:del>", editor.marks.attributes());
            let mark = tree.element(&xml);
            match runs.first() {
                Some(&first) => {
                    let place =
                        tree.parent(first).filter(|&it| tree.is(it, "ins")).unwrap_or(first);
                    tree.insert_before(place, mark);
                }
                None => put_at(&mut editor, hunk.new.start, mark),
            }
        }
    }

    fn insert_table(&mut self, table: Id) {
        for row in story::rows(self.new, table) {
            self.insert_row(row);
        }
    }

    fn insert_row(&mut self, row: Id) {
        let properties = props::ensure(self.new, row, "trPr");
        let mark = self.marks.element(self.new, "ins");
        props::put(self.new, properties, mark);
        let all: Vec<Id> = self.new.descendants(row).filter(|&it| self.new.is(it, "p")).collect();
        for paragraph in all {
            self.mark_runs(paragraph, "ins");
            mark_paragraph(self.new, paragraph, "ins", self.marks);
        }
    }

    /// Compares two tables row by row, and rows of the same number of cells cell by cell.
    fn table(&mut self, old: Id, new: Id) {
        for name in ["tblPr", "tblGrid"] {
            self.table_format(old, new, name, "table");
        }
        let old_rows = story::rows(self.old, old);
        let new_rows = story::rows(self.new, new);
        let old_texts: Vec<String> =
            old_rows.iter().map(|&it| row_text(self.old, it, self.old_codes)).collect();
        let new_texts: Vec<String> =
            new_rows.iter().map(|&it| row_text(self.new, it, self.new_codes)).collect();
        let counts = |tree: &Tree, rows: &[Id]| -> Vec<usize> {
            rows.iter().map(|&it| story::cells(tree, it).len()).collect()
        };
        let old_counts = counts(self.old, &old_rows);
        let new_counts = counts(self.new, &new_rows);
        let mut last: Option<Id> = None;
        for step in align(&old_texts, &new_texts, &[], &[]) {
            let step = match step {
                // Rows of another shape are other rows.
                Step::Changed(from, to) if old_counts[from] != new_counts[to] => {
                    vec![Step::Deleted(from), Step::Inserted(to)]
                }
                other => vec![other],
            };
            for step in step {
                match step {
                    Step::Equal(from, to) | Step::Changed(from, to) => {
                        let at = format!("table row {}", to + 1);
                        self.table_format(old_rows[from], new_rows[to], "trPr", &at);
                        let old_cells = story::cells(self.old, old_rows[from]);
                        let new_cells = story::cells(self.new, new_rows[to]);
                        for (column, (old, new)) in old_cells.into_iter().zip(new_cells).enumerate()
                        {
                            let outer = self.place.clone();
                            self.place = format!("{outer}table r{} c{} ", to + 1, column + 1);
                            self.table_format(old, new, "tcPr", "cell");
                            self.container(old, new, false);
                            self.place = outer;
                        }
                        last = Some(new_rows[to]);
                    }
                    Step::Inserted(to) => {
                        self.insert_row(new_rows[to]);
                        let at = format!("table row {}", to + 1);
                        self.report(DifferenceKind::Inserted, &at, "", &readable(&new_texts[to]));
                        last = Some(new_rows[to]);
                    }
                    Step::Deleted(from) => {
                        let row = self.deleted_row(old_rows[from]);
                        match (last, new_rows.first()) {
                            (Some(place), _) => self.new.insert_after(place, row),
                            (None, Some(&first)) => self.new.insert_before(first, row),
                            (None, None) => self.new.append(new, row),
                        }
                        let at = format!("old table row {}", from + 1);
                        self.report(DifferenceKind::Deleted, &at, &readable(&old_texts[from]), "");
                        last = Some(row);
                    }
                }
            }
        }
    }
}

/// Puts all runs of a paragraph into marks.
fn mark_runs(tree: &mut Tree, node: Id, mark: &str, marks: &mut Marks) {
    let mut below = tree.descendants(node);
    let mut runs = Vec::new();
    while let Some(it) = below.next() {
        if tree.is(it, "r") {
            runs.push(it);
            below.skip_children();
        } else if tree.is(it, "pPr") || tree.is(it, "sdtPr") {
            below.skip_children();
        }
    }
    for run in runs {
        let joined = tree.previous(run).filter(|&it| tree.is(it, mark) && marks.is_same(tree, it));
        match joined {
            Some(found) => tree.append(found, run),
            None => {
                let new = marks.element(tree, mark);
                tree.wrap(run, new);
            }
        }
    }
}

/// Marks everything in a header or footer as inserted.
pub(super) fn insert_all(tree: &mut Tree, marks: &mut Marks) {
    let Some(root) = tree.root() else { return };
    let all: Vec<Id> = tree.descendants(root).filter(|&it| tree.is(it, "p")).collect();
    for paragraph in all {
        mark_runs(tree, paragraph, "ins", marks);
    }
}
