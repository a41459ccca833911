//! Marks within a paragraph. Word splits text into runs anywhere, so a mark may begin in one and end in another: the texts
//! of all runs are read as one, and the value goes into the run in which its mark begins.

use std::collections::BTreeMap;
use std::ops::Range;

use super::filler::{CONTENT, DRAWING, Filler};
use super::marks::{self, Extent, Mark, MarkSpan, marks};
use super::tree::{Element, Node};
use super::{foreign, insertion};
use crate::shared::losses::Losses;
use mitt_base::{Result, text};

/// Most names in a warning.
const MAX_LISTED: usize = 20;

/// A replacement of a range of text.
struct Edit {
    at: Range<usize>,
    text: String,
}

/// Returns the text of a paragraph or row, without nested paragraphs and tables. Cells are separated by line breaks.
pub(super) fn text_of(element: &Element) -> String {
    let mut full_text = String::new();
    if element.is("w:p") {
        read(element, &mut full_text, &mut Vec::new())
    } else {
        cells(element, &mut full_text)
    }
    full_text
}

/// Adds the texts of the cells of a row, except for nested tables.
fn cells(element: &Element, full_text: &mut String) {
    for inner in element.elements() {
        match inner.name.as_str() {
            "w:p" => {
                read(inner, full_text, &mut Vec::new());
                full_text.push('\n');
            }
            "w:tbl" => {}
            _ => cells(inner, full_text),
        }
    }
}

/// Adds the texts of runs, and the range of each.
fn read(element: &Element, full_text: &mut String, texts: &mut Vec<Range<usize>>) {
    for inner in element.elements() {
        match inner.name.as_str() {
            "w:t" => {
                let start = full_text.len();
                full_text.push_str(&inner.text());
                texts.push(start..full_text.len());
            }
            "w:tab" | "w:br" | "w:cr" if element.is("w:r") => full_text.push('\n'),
            "w:pPr" | "w:rPr" => {}
            // Text boxes have paragraphs of their own.
            _ if is_other(inner) => {}
            _ => read(inner, full_text, texts),
        }
    }
}

fn is_other(element: &Element) -> bool {
    matches!(element.name.as_str(), "w:p" | "w:tbl" | "w:txbxContent")
}

/// Fills the marks of a paragraph, except for its text boxes, which the caller visits.
pub(super) fn fill(filler: &mut Filler<'_, '_>, paragraph: &mut Element) -> Result<()> {
    let (mut full_text, mut texts) = (String::new(), Vec::new());
    read(paragraph, &mut full_text, &mut texts);
    if let Some(almost) = marks::almost(&full_text)
        && filler.almost.len() < MAX_LISTED
    {
        filler.almost.push(format!("`{}` ({})", text::one_line(almost), filler.part));
    }
    if full_text.contains('{') {
        note_foreign(filler, &full_text);
    }
    let found = marks(&full_text);
    if found.is_empty() {
        return Ok(());
    }
    let named = found.iter().enumerate().map(|(index, it)| (index, it.mark.clone(), ()));
    let all = All { full_text: &full_text, extents: marks::extents(named), found: &found };
    let mut edits = Vec::new();
    let mut index = 0;
    while let Some(here) = found.get(index) {
        let last = all.extents.get(&index).map_or(index, |it| it.end);
        let at = here.start..found.get(last).map_or(here.end, |last| last.end);
        let mut text = String::new();
        all.write(filler, index..last + 1, at.clone(), &mut text)?;
        edits.push(Edit { at, text });
        index = last + 1;
    }
    put(paragraph, &texts, &edits, &full_text, &filler.drawings);
    filler.drawings.clear();
    Ok(())
}

/// Reports the marks of other programs: as problems if they have a sign and name a value, or else as warnings. Text in braces
/// that names no value is text.
fn note_foreign(filler: &mut Filler<'_, '_>, full_text: &str) {
    for tag in foreign::tags(full_text, MAX_LISTED) {
        let source = text::one_line(tag.source);
        let is_known = filler.scope.has_name(tag.name);
        let has_sign = tag.source[1..].starts_with(['#', '/', '%', '^', '@', '~', ':']);
        if tag.is_certain || (is_known && has_sign) {
            filler.scope.problem(format!(
                "`{source}` ({}) is a mark of another program: write {} here",
                filler.part, tag.form
            ));
        } else if (is_known || has_sign) && filler.foreign.len() < MAX_LISTED {
            filler.foreign.push(format!("`{source}` ({}; here {})", filler.part, tag.form));
        }
    }
}

/// Removes the marks that begin and end the repeated part of a row: the first and the last one.
pub(super) fn strip(row: &mut Element, name: &str) {
    let mut first = true;
    let mut last: Option<usize> = None;
    let mut count = 0_usize;
    // Position of the last end mark of this name in the row.
    each_paragraph(row, &mut |paragraph| {
        let full_text = text_of(paragraph);
        for found in marks(&full_text) {
            if found.mark == Mark::End(name) {
                last = Some(count);
            }
            count += 1;
        }
    });
    let mut at = 0_usize;
    each_paragraph(row, &mut |paragraph| {
        let (mut full_text, mut texts) = (String::new(), Vec::new());
        read(paragraph, &mut full_text, &mut texts);
        let mut edits = Vec::new();
        for found in marks(&full_text) {
            let is_first = first
                && (found.mark == Mark::Begin(name)
                    || (name == marks::IF && matches!(found.mark, Mark::If(_))));
            if is_first || last == Some(at) {
                edits.push(Edit { at: found.start..found.end, text: String::new() });
                first &= !is_first;
            }
            at += 1;
        }
        if !edits.is_empty() {
            put(paragraph, &texts, &edits, &full_text, &[]);
        }
    });
}

/// Replaces the names in the marks of a paragraph: `change` returns the new text of a mark, if it changes.
pub(super) fn rename(paragraph: &mut Element, change: &mut dyn FnMut(&str) -> Option<String>) {
    let (mut full_text, mut texts) = (String::new(), Vec::new());
    read(paragraph, &mut full_text, &mut texts);
    let mut edits = Vec::new();
    for found in marks(&full_text) {
        let at = found.start..found.end;
        if let Some(text) = full_text.get(at.clone()).and_then(&mut *change) {
            edits.push(Edit { at, text });
        }
    }
    if !edits.is_empty() {
        put(paragraph, &texts, &edits, &full_text, &[]);
    }
}

/// Calls `visit` for the paragraphs of a row, except for nested tables.
fn each_paragraph(element: &mut Element, visit: &mut dyn FnMut(&mut Element)) {
    for inner in element.elements_mut() {
        match inner.name.as_str() {
            "w:p" => visit(inner),
            "w:tbl" => {}
            _ => each_paragraph(inner, visit),
        }
    }
}

/// A text with all its marks.
struct All<'t> {
    full_text: &'t str,
    found: &'t [MarkSpan<'t>],
    /// For each part, the index of its end.
    extents: BTreeMap<usize, Extent>,
}

impl All<'_> {
    /// Returns the end of a part, if it is before `most`.
    fn end(&self, begin: usize, most: usize) -> Option<(usize, &MarkSpan<'_>)> {
        let end = self.extents.get(&begin)?.end;
        Some((end, self.found.get(end).filter(|_| end < most)?))
    }

    /// Appends `range` of the text, with the marks of these indices filled.
    fn write(
        &self,
        filler: &mut Filler<'_, '_>,
        marks: Range<usize>,
        range: Range<usize>,
        out: &mut String,
    ) -> Result<()> {
        let mut at = range.start;
        let mut index = marks.start;
        while let Some(here) = self.found.get(index).filter(|_| index < marks.end) {
            push(filler, out, self.full_text.get(at..here.start).unwrap_or_default())?;
            at = here.end;
            let begin = index;
            index += 1;
            match here.mark {
                Mark::Value(CONTENT) if filler.has_content => filler.scope.problem(format!(
                    "`{{{{{CONTENT}}}}}` ({}) stands beside other text: put it into a paragraph of its own",
                    filler.part
                )),
                Mark::Value(name) if insertion::of(name).is_some() => {
                    let sign = filler.insert_in_line(name)?;
                    push(filler, out, &sign)?;
                }
                Mark::Value(name) => {
                    let value = filler.scope.text(name, filler.part);
                    let value = clean(filler, name, value);
                    push(filler, out, &value)?;
                }
                Mark::Begin(name) | Mark::Unless(name) => {
                    let is_unless = matches!(here.mark, Mark::Unless(_));
                    let Some((end, last)) = self.end(begin, marks.end) else {
                        let name = text::one_line(name);
                        filler.scope.problem(format!(
                            "`{{{{#{name}}}}}` ({}) has no end: put both marks into paragraphs of their own, or both into one paragraph",
                            filler.part
                        ));
                        continue;
                    };
                    filler.for_each(name, is_unless, &mut |filler| {
                        self.write(filler, index..end, here.end..last.start, out)
                    })?;
                    at = last.end;
                    index = end + 1;
                }
                Mark::If(condition) => {
                    let Some((end, last)) = self.end(begin, marks.end) else {
                        let condition = text::one_line(condition);
                        filler.scope.problem(format!(
                            "`{{{{#if {condition}}}}}` ({}) has no end: put `{{{{/if}}}}` into the same paragraph, or both marks into paragraphs of their own",
                            filler.part
                        ));
                        continue;
                    };
                    let mut branches = vec![(Some(condition), begin)];
                    let elses = self.extents.get(&begin).map(|it| &it.elses[..]);
                    for at in elses.unwrap_or_default() {
                        if let Some(Mark::Else(condition)) = self.found.get(*at).map(|it| &it.mark) {
                            branches.push((*condition, *at));
                        }
                    }
                    let conditions = branches.iter().map(|(condition, _)| *condition);
                    if let Some(chosen) = filler.scope.branch(conditions, filler.part)
                        && let Some((_, first)) = branches.get(chosen)
                        && let Some(from) = self.found.get(*first)
                    {
                        let until = branches.get(chosen + 1).map_or(end, |(_, at)| *at);
                        let to = self.found.get(until).map_or(last.start, |it| it.start);
                        filler.nested("if", &mut |filler| {
                            self.write(filler, first + 1..until, from.end..to, out)
                        })?;
                    }
                    at = last.end;
                    index = end + 1;
                }
                Mark::Else(_) => filler.scope.problem(format!(
                    "`{{{{#else}}}}` ({}) stands outside of `{{{{#if …}}}}` and `{{{{/if}}}}` in its paragraph",
                    filler.part
                )),
                Mark::End(name) => {
                    let name = text::one_line(name);
                    filler.scope.problem(format!(
                        "`{{{{/{name}}}}}` ({}) ends a part that did not begin in its paragraph",
                        filler.part
                    ));
                }
            }
        }
        push(filler, out, self.full_text.get(at..range.end).unwrap_or_default())
    }
}

fn push(filler: &mut Filler<'_, '_>, out: &mut String, text: &str) -> Result<()> {
    filler.take_text(text.len())?;
    out.push_str(text);
    Ok(())
}

/// Removes characters that XML cannot hold from a value, and converts its line breaks to those of XML.
fn clean(filler: &mut Filler<'_, '_>, name: &str, value: String) -> String {
    let value = value.replace("\r\n", "\n").replace('\r', "\n");
    let (mut losses, mut written) = (Losses::default(), String::new());
    crate::shared::xml::push_text(&mut written, &value, &mut losses);
    if losses.into_warnings().is_empty() {
        return value;
    }
    let named = format!("`{}`", text::one_line(name));
    if filler.cleaned.len() < MAX_LISTED && !filler.cleaned.contains(&named) {
        filler.cleaned.push(named);
    }
    value.chars().filter(|c| crate::shared::xml::is_legal(*c)).collect()
}

/// Applies the edits to the texts of the runs.
fn put(
    paragraph: &mut Element,
    texts: &[Range<usize>],
    edits: &[Edit],
    full_text: &str,
    drawings: &[Element],
) {
    change(paragraph, &mut texts.iter(), edits, full_text, drawings);
}

/// Does what [`put`] does; visits the texts in the order of [`read`].
fn change(
    element: &mut Element,
    texts: &mut std::slice::Iter<'_, Range<usize>>,
    edits: &[Edit],
    full_text: &str,
    drawings: &[Element],
) {
    let mut children = Vec::with_capacity(element.children.len());
    for mut node in std::mem::take(&mut element.children) {
        let Some(inner) = node.element_mut() else {
            children.push(node);
            continue;
        };
        if inner.is("w:t") {
            match texts.next().and_then(|range| edited(range, edits, full_text)) {
                None => children.push(node),
                Some(text) => children.extend(pieces(&text, drawings)),
            }
            continue;
        }
        if !is_other(inner) && !matches!(inner.name.as_str(), "w:pPr" | "w:rPr") {
            change(inner, texts, edits, full_text, drawings);
        }
        children.push(node);
    }
    element.children = children;
}

/// Returns the new text of a range; `None` if it does not change.
fn edited(range: &Range<usize>, edits: &[Edit], full_text: &str) -> Option<String> {
    // The edits are sorted.
    let first = edits.partition_point(|edit| edit.at.end <= range.start);
    let touching = edits.iter().skip(first).take_while(|edit| edit.at.start < range.end);
    let mut touching = touching.peekable();
    touching.peek()?;
    let (mut text, mut at) = (String::new(), range.start);
    for edit in touching {
        text.push_str(full_text.get(at..edit.at.start.max(at)).unwrap_or_default());
        // The value goes to the start of its mark.
        if edit.at.start >= range.start {
            text.push_str(&edit.text);
        }
        at = edit.at.end.min(range.end);
    }
    text.push_str(full_text.get(at..range.end).unwrap_or_default());
    Some(text)
}

/// Returns a text as elements of a run. [`DRAWING`] is around the number of a drawing.
fn pieces(text: &str, drawings: &[Element]) -> Vec<Node> {
    let mut nodes = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            nodes.push(Node::Element(Element::new("w:br", "")));
        }
        for (index, part) in line.split('\t').enumerate() {
            if index > 0 {
                nodes.push(Node::Element(Element::new("w:tab", "")));
            }
            for (index, part) in part.split(DRAWING).enumerate() {
                if index % 2 == 1 {
                    let drawing = part.parse().ok().and_then(|number: usize| drawings.get(number));
                    nodes.extend(drawing.cloned().map(Node::Element));
                } else if !part.is_empty() {
                    let text = Element::with_text("w:t", " xml:space=\"preserve\"", part);
                    nodes.push(Node::Element(text));
                }
            }
        }
    }
    nodes
}
