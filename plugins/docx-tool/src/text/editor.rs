//! Changes of the text of one paragraph.

use super::line::{Line, Piece};
use super::runs::{Side, delete_run, has_special, insert_run, inserted, new_run};
use super::runs::{run_xml, set_run_text, split_run, split_text, tidy_run};
use crate::marks::Marks;
use crate::xml::{Id, Kind, Tree};
use std::collections::HashSet;
use std::ops::Range;

/// The text of one paragraph while it is changed.
#[derive(Debug)]
pub(crate) struct Editor<'a> {
    pub(crate) tree: &'a mut Tree,
    pub(crate) paragraph: Id,
    pub(crate) codes: &'a HashSet<Id>,
    pub(crate) marks: &'a mut Marks,
    /// `true` if page breaks and column breaks are characters of the text.
    pub(crate) has_breaks: bool,
}

impl Editor<'_> {
    pub(crate) fn line(&self) -> Line {
        if self.has_breaks {
            Line::read_with_breaks(self.tree, self.paragraph, self.codes)
        } else {
            Line::read(self.tree, self.paragraph, self.codes)
        }
    }

    /// Splits runs so that whole runs have the text of the range and nothing else. Returns them in order.
    pub(crate) fn isolate(&mut self, range: Range<usize>) -> Vec<Id> {
        for at in [range.end, range.start] {
            let line = self.line();
            let inside = |it: &&Piece| it.is_visible() && it.start < at && at < it.end();
            if let Some(piece) = line.pieces.iter().find(inside) {
                split_text(self.tree, piece.node, &piece.text, at - piece.start);
            }
        }
        let line = self.line();
        let selected: Vec<&Piece> = line
            .pieces
            .iter()
            .filter(|it| it.is_visible() && it.start >= range.start && it.end() <= range.end)
            .collect();
        let nodes: HashSet<Id> = selected.iter().map(|it| it.node).collect();
        let mut runs: Vec<Id> = selected.iter().map(|it| it.run).collect();
        runs.dedup();
        let mut isolated = Vec::new();
        for run in runs {
            // Each part of the run is either inside the range or outside of it.
            let children: Vec<Id> = self
                .tree
                .children(run)
                .filter(|&it| !self.tree.is(it, "rPr"))
                .filter(|&it| !self.tree.is(it, "lastRenderedPageBreak"))
                .filter(|&it| self.tree.kind(it) == Kind::Element)
                .collect();
            let mut run = run;
            let mut is_inside = children.first().is_some_and(|it| nodes.contains(it));
            for &child in &children {
                if nodes.contains(&child) != is_inside {
                    let second = split_run(self.tree, run, child, self.marks);
                    if is_inside {
                        isolated.push(run);
                    }
                    run = second;
                    is_inside = !is_inside;
                }
            }
            if is_inside {
                isolated.push(run);
            }
        }
        isolated
    }

    /// Replaces a range by a text, which has the formatting of the first replaced character.
    pub(crate) fn replace(&mut self, range: Range<usize>, new: &str) {
        if range.is_empty() {
            if !new.is_empty() {
                self.insert(range.start, new);
            }
        } else if self.marks.is_tracked {
            let runs = self.isolate(range);
            if let (Some(&first), Some(&last), false) = (runs.first(), runs.last(), new.is_empty())
            {
                let run = new_run(self.tree, Some(first), new);
                insert_run(self.tree, last, run, Side::After, self.marks);
            }
            for run in runs {
                delete_run(self.tree, run, self.marks);
            }
        } else {
            self.replace_plainly(range, new);
        }
    }

    /// Replaces a range without a mark. Texts are changed where they stand, so that no run is split.
    fn replace_plainly(&mut self, range: Range<usize>, new: &str) {
        let line = self.line();
        let mut new = Some(new).filter(|it| !it.is_empty());
        let overlapping =
            |it: &&Piece| it.is_visible() && it.start < range.end && it.end() > range.start;
        for piece in line.pieces.iter().filter(overlapping) {
            let from = range.start.saturating_sub(piece.start);
            let to = range.end.min(piece.end()) - piece.start;
            let is_text = self.tree.is(piece.node, "t");
            let (head, tail) = (&piece.text[..from], &piece.text[to..]);
            match new.take() {
                Some(text) if is_text && !has_special(text) => {
                    set_run_text(self.tree, piece.node, &format!("{head}{text}{tail}"));
                }
                Some(text) => {
                    let xml = run_xml(&format!("{head}{text}{tail}"), false);
                    let nodes = self.tree.fragment(&xml);
                    self.tree.insert_all_after(piece.node, &nodes);
                    self.tree.detach(piece.node);
                }
                None if is_text && head.len() + tail.len() > 0 => {
                    set_run_text(self.tree, piece.node, &format!("{head}{tail}"));
                }
                None => {
                    self.tree.detach(piece.node);
                    tidy_run(self.tree, piece.run);
                }
            }
        }
    }

    /// Inserts a text with the formatting of the character before it; at the start of a paragraph, of the one behind it.
    fn insert(&mut self, at: usize, new: &str) {
        if !self.marks.is_tracked && !has_special(new) && self.insert_into_text(at, new) {
            return;
        }
        self.insert_run_with(at, &mut |tree, like| new_run(tree, like, new));
    }

    /// Inserts a text into an element that has text already. Returns `false` if no such element is there.
    fn insert_into_text(&mut self, at: usize, new: &str) -> bool {
        let line = self.line();
        let (before, after) = neighbours(&line, at);
        let inside =
            line.pieces.iter().find(|it| it.is_visible() && it.start < at && at < it.end());
        let (piece, offset) = match (inside, before, after) {
            (Some(piece), ..) => (piece, at - piece.start),
            (None, Some(before), after) if !leaves(before, after) => (before, before.text.len()),
            (None, before, Some(after)) if !leaves(after, before) => (after, 0),
            _ => return false,
        };
        if !self.tree.is(piece.node, "t") {
            return false;
        }
        let (head, tail) = piece.text.split_at(offset);
        set_run_text(self.tree, piece.node, &format!("{head}{new}{tail}"));
        true
    }

    /// Inserts a run, which `make` makes with the formatting of another one. Returns it.
    pub(crate) fn insert_run_with(
        &mut self,
        at: usize,
        make: &mut dyn FnMut(&mut Tree, Option<Id>) -> Id,
    ) -> Id {
        let line = self.line();
        let inside = |it: &&Piece| it.is_visible() && it.start < at && at < it.end();
        if let Some(piece) = line.pieces.iter().find(inside) {
            let second = split_text(self.tree, piece.node, &piece.text, at - piece.start);
            split_run(self.tree, piece.run, second, self.marks);
            let run = make(self.tree, Some(piece.run));
            insert_run(self.tree, piece.run, run, Side::After, self.marks);
            return run;
        }
        let run;
        match neighbours(&line, at) {
            (Some(before), after) if !leaves(before, after) => {
                if let Some(next) = self.next_content(before.node) {
                    split_run(self.tree, before.run, next, self.marks);
                }
                run = make(self.tree, Some(before.run));
                insert_run(self.tree, before.run, run, Side::After, self.marks);
            }
            (before, Some(after)) if !leaves(after, before) => {
                let place = match self.previous_content(after.node) {
                    Some(_) => split_run(self.tree, after.run, after.node, self.marks),
                    None => after.run,
                };
                run = make(self.tree, Some(place));
                insert_run(self.tree, place, run, Side::Before, self.marks);
            }
            (Some(before), _) => {
                let format = self.mark_format();
                run = make(self.tree, format);
                let place = self.outside(before);
                insert_run(self.tree, place, run, Side::After, self.marks);
            }
            (None, Some(after)) => {
                let format = self.mark_format();
                run = make(self.tree, format);
                let place = self.top(after.run);
                insert_run(self.tree, place, run, Side::Before, self.marks);
            }
            (None, None) => {
                let format = self.mark_format();
                run = make(self.tree, format);
                let marked = inserted(self.tree, run, self.marks);
                self.tree.append(self.paragraph, marked);
            }
        }
        run
    }

    /// Returns the formatting of the paragraph's mark.
    fn mark_format(&self) -> Option<Id> {
        self.tree.child(self.tree.child(self.paragraph, "pPr")?, "rPr")
    }

    fn next_content(&self, node: Id) -> Option<Id> {
        std::iter::successors(self.tree.next(node), |&it| self.tree.next(it))
            .find(|&it| self.tree.kind(it) == Kind::Element)
    }

    fn previous_content(&self, node: Id) -> Option<Id> {
        std::iter::successors(self.tree.previous(node), |&it| self.tree.previous(it))
            .find(|&it| self.tree.kind(it) == Kind::Element && !self.tree.is(it, "rPr"))
    }

    /// Returns the child of the paragraph that contains a node.
    fn top(&self, node: Id) -> Id {
        let mut top = node;
        for above in self.tree.ancestors(node) {
            if above == self.paragraph {
                break;
            }
            top = above;
        }
        top
    }

    /// Returns the node behind which text is no longer in the link, content control or field of a piece.
    fn outside(&self, piece: &Piece) -> Id {
        let top = self.top(piece.run);
        if piece.field.is_none_or(|it| self.tree.is(it, "fldSimple")) {
            return top;
        }
        let mut depth = 0;
        let mut at = Some(top);
        while let Some(node) = at {
            for it in std::iter::once(node).chain(self.tree.descendants(node)) {
                if self.tree.is(it, "fldChar") {
                    match self.tree.attr(it, "fldCharType").as_deref() {
                        Some("begin") => depth += 1,
                        Some("end") if depth == 0 => return node,
                        Some("end") => depth -= 1,
                        _ => {}
                    }
                }
            }
            at = self.tree.next(node);
        }
        top
    }
}

/// Returns the characters that end and begin at an offset.
fn neighbours(line: &Line, at: usize) -> (Option<&Piece>, Option<&Piece>) {
    let before = line.pieces.iter().rev().find(|it| it.is_visible() && it.end() == at);
    (before, line.pieces.iter().find(|it| it.is_visible() && it.start == at))
}

/// Returns `true` if what stands between two neighbours leaves the link, the content control or the result of a field that
/// the first one is in. These do not grow at their ends.
fn leaves(from: &Piece, to: Option<&Piece>) -> bool {
    (from.link.is_some() && to.is_none_or(|to| to.link != from.link))
        || (from.control.is_some() && to.is_none_or(|to| to.control != from.control))
        || (from.field.is_some() && to.is_none_or(|to| to.field != from.field))
}
