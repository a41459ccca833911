//! Formatting of paragraphs, runs and tables, and addresses of links: listed, and tracked where Word can.

use super::DifferenceKind;
use super::align::Block;
use super::formats::{Property, Side, difference};
use super::redline::Worker;
use crate::diff::Hunk;
use crate::marks::keep_old;
use crate::props;
use crate::story::shorten;
use crate::text::{Editor, Line, Piece};
use crate::xml::{Id, Tree};
use std::collections::HashMap;
use std::ops::Range;

/// Most stretches of other formatting in one paragraph. Each reads the paragraph anew.
const MAX_STRETCHES: usize = 1_000;

/// A stretch of equal text with other formatting.
struct Stretch {
    /// Bytes of the new text.
    range: Range<usize>,
    /// A run of the old document that is formatted so.
    run: Id,
    old: Vec<Property>,
    new: Vec<Property>,
}

impl Worker<'_> {
    fn old_side(&self) -> Side<'_> {
        Side { tree: self.old, styles: self.old_styles, same_numbering: self.same_numbering }
    }

    fn new_side(&self) -> Side<'_> {
        Side { tree: self.new, styles: self.styles, same_numbering: self.same_numbering }
    }

    /// Records other properties of a paragraph as a tracked change.
    pub(super) fn paragraph_format(&mut self, old: &Block, new: &Block) {
        let style = |properties: &mut Vec<Property>, default: Option<&str>| -> String {
            let at = properties.iter().position(|it| it.0 == "pStyle");
            let own = at.map(|at| properties.remove(at).1);
            let own = own.and_then(|it| it.strip_prefix("style ").map(str::to_owned));
            own.unwrap_or_else(|| default.unwrap_or_default().to_owned())
        };
        let default = |styles: &crate::styles::Styles| {
            styles.default_paragraph().and_then(|it| styles.get(it)).map(|it| it.name.clone())
        };
        let mut before = self.old_side().properties(self.old.child(old.node, "pPr"));
        let mut after = self.new_side().properties(self.new.child(new.node, "pPr"));
        let old_style = style(&mut before, default(self.old_styles).as_deref());
        let new_style = style(&mut after, default(self.styles).as_deref());
        let has_other_style =
            old_style != new_style && !old_style.is_empty() && !new_style.is_empty();
        let changed = difference(&before, &after);
        if !has_other_style && changed.is_none() {
            return;
        }
        let excerpt = shorten(&new.text, 60);
        if has_other_style {
            let at = format!("style of \"{excerpt}\"");
            self.report(DifferenceKind::Formatted, &at, &old_style, &new_style);
            if self.styles.find(&old_style, "paragraph").is_err() {
                self.lost.insert("a style");
            }
        }
        if let Some((before, after)) = changed {
            let at = format!("paragraph \"{excerpt}\"");
            self.report(DifferenceKind::Formatted, &at, &before, &after);
        }
        let own = self.old.child(old.node, "pPr");
        let xml = own.map(|it| self.copy_properties(it)).unwrap_or_default();
        let xml = if xml.is_empty() { "<w:pPr></w:pPr>".to_owned() } else { xml };
        let previous = self.new.element(&xml);
        let properties = props::ensure(self.new, new.node, "pPr");
        if !self.same_numbering && own.is_some_and(|it| self.old.child(it, "numPr").is_some()) {
            match self.new.child(properties, "numPr") {
                Some(list) => {
                    let copy = self.new.copy(list);
                    props::put(self.new, previous, copy);
                }
                None => {
                    self.lost.insert("a list item");
                }
            }
        }
        keep_old(self.new, properties, previous, self.marks);
    }

    /// Records other formatting of equal text as tracked changes. `hunks` are the differences of the texts.
    pub(super) fn run_formats(&mut self, old: &Block, new: &Block, hunks: &[Hunk]) {
        let mut stretches = self.stretches(old, new, hunks);
        if stretches.len() > MAX_STRETCHES {
            self.lost.insert("some formatting of a paragraph with very many runs");
            stretches.truncate(MAX_STRETCHES);
        }
        for it in &stretches {
            if let Some((before, after)) = difference(&it.old, &it.new) {
                let text = new.text.get(it.range.clone()).unwrap_or_default();
                let at = format!("text \"{}\"", shorten(text, 60));
                self.report(DifferenceKind::Formatted, &at, &before, &after);
            }
        }
        for it in stretches.into_iter().rev() {
            let properties = self.old.child(it.run, "rPr");
            let xml = properties.map(|it| self.copy_properties(it)).unwrap_or_default();
            let xml = if xml.is_empty() { "<w:rPr></w:rPr>".to_owned() } else { xml };
            let mut editor = Editor {
                tree: self.new,
                paragraph: new.node,
                codes: self.new_codes,
                marks: self.marks,
                has_breaks: true,
            };
            for run in editor.isolate(it.range) {
                let tree = &mut *editor.tree;
                let previous = tree.element(&xml);
                let properties = props::ensure(tree, run, "rPr");
                keep_old(tree, properties, previous, editor.marks);
            }
        }
    }

    fn stretches(&self, old: &Block, new: &Block, hunks: &[Hunk]) -> Vec<Stretch> {
        let old_line = Line::read_with_breaks(self.old, old.node, self.old_codes);
        let new_line = Line::read_with_breaks(self.new, new.node, self.new_codes);
        let visible = |line: &Line| -> Vec<Piece> {
            let all = line.pieces.iter().filter(|it| it.deleted.is_none() && !it.text.is_empty());
            all.cloned().collect()
        };
        let (old_pieces, new_pieces) = (visible(&old_line), visible(&new_line));
        let mut old_known: HashMap<Id, Vec<Property>> = HashMap::new();
        let mut new_known: HashMap<Id, Vec<Property>> = HashMap::new();
        let mut out: Vec<Stretch> = Vec::new();
        let (mut old_at, mut new_at) = (0, 0);
        let (mut from, mut to) = (0, 0);
        let ends = hunks.iter().map(|it| (it.old.clone(), it.new.clone()));
        let end = (old.text.len()..old.text.len(), new.text.len()..new.text.len());
        for (old_gap, new_gap) in ends.chain([end]) {
            while to < new_gap.start && from < old_gap.start {
                while old_pieces.get(old_at).is_some_and(|it| it.end() <= from) {
                    old_at += 1;
                }
                while new_pieces.get(new_at).is_some_and(|it| it.end() <= to) {
                    new_at += 1;
                }
                let (Some(before), Some(after)) = (old_pieces.get(old_at), new_pieces.get(new_at))
                else {
                    return out;
                };
                let length = (before.end() - from)
                    .min(after.end() - to)
                    .min(new_gap.start - to)
                    .min(old_gap.start - from);
                let old_format = old_known.entry(before.run).or_insert_with(|| {
                    self.old_side().properties(self.old.child(before.run, "rPr"))
                });
                let new_format = new_known.entry(after.run).or_insert_with(|| {
                    self.new_side().properties(self.new.child(after.run, "rPr"))
                });
                if old_format != new_format {
                    match out.last_mut() {
                        Some(last)
                            if last.range.end == to
                                && last.old == *old_format
                                && last.new == *new_format =>
                        {
                            last.range.end += length;
                        }
                        _ => out.push(Stretch {
                            range: to..to + length,
                            run: before.run,
                            old: old_format.clone(),
                            new: new_format.clone(),
                        }),
                    }
                }
                from += length;
                to += length;
                if out.len() > MAX_STRETCHES {
                    return out;
                }
            }
            (from, to) = (old_gap.end, new_gap.end);
        }
        out
    }

    /// Lists other properties of two tables, rows or cells, which are not tracked.
    pub(super) fn table_format(&mut self, old: Id, new: Id, name: &str, what: &str) {
        let before = self.old_side().properties(self.old.child(old, name));
        let after = self.new_side().properties(self.new.child(new, name));
        if let Some((before, after)) = difference(&before, &after) {
            self.report(DifferenceKind::Formatted, what, &before, &after);
            self.untracked.insert("formatting of tables");
        }
    }

    /// Lists other addresses of links, instructions of fields and descriptions of pictures, which are not tracked.
    pub(super) fn hidden_texts(&mut self, old: Id, new: &Block) {
        let before = hidden(self.old, old, self.old_links);
        let after = hidden(self.new, new.node, self.new_links);
        for ((name, before), (_, after)) in before.into_iter().zip(after) {
            if before != after {
                let at = format!("{name} in \"{}\"", shorten(&new.text, 60));
                self.report(DifferenceKind::Changed, &at, &before.join(", "), &after.join(", "));
                self.untracked.insert(name);
            }
        }
    }
}

/// Returns what a paragraph has that no reader sees.
fn hidden(
    tree: &Tree,
    paragraph: Id,
    links: &HashMap<String, String>,
) -> [(&'static str, Vec<String>); 3] {
    let (mut addresses, mut fields, mut descriptions) = (Vec::new(), Vec::new(), Vec::new());
    let mut below = tree.descendants(paragraph);
    while let Some(it) = below.next() {
        match tree.name(it) {
            "txbxContent" => below.skip_children(),
            "hyperlink" => {
                let target = tree.attr(it, "id").and_then(|id| links.get(&*id).cloned());
                let anchor = tree.attr(it, "anchor").map(|it| format!("#{}", stable(&it)));
                addresses.extend(target.or(anchor));
            }
            "instrText" => fields.push(stable(tree.text(it).trim())),
            "fldSimple" => fields.push(stable(tree.attr(it, "instr").unwrap_or_default().trim())),
            "" if tree.local(it) == "docPr" => {
                let text = tree.attr(it, "descr").or_else(|| tree.attr(it, "title"));
                descriptions.push(text.unwrap_or_default().into_owned());
            }
            _ => {}
        }
    }
    let fields = vec![fields.concat()];
    [("an address of a link", addresses), ("a field", fields), ("a description", descriptions)]
}

/// Takes the numbers from names of bookmarks that programs give anew: `_Toc1234`.
fn stable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_Toc").into_iter().chain(rest.find("_Ref")).min() {
        let (head, tail) = rest.split_at(at + 4);
        out.push_str(head);
        rest = tail.trim_start_matches(|it: char| it.is_ascii_digit());
    }
    out.push_str(rest);
    out
}
