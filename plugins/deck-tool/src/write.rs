//! Changes text of a body: whole, or ranges of paragraphs. Paragraphs that stay keep their bytes.

use crate::error::{Result, unsupported};
use crate::escape::escape;
use crate::text::{BREAK, Paragraph, Run, RunKind, paragraphs, shorten};
use crate::xml::{Id, Ns, Splices, Xml};
use std::ops::Range;

/// Most pairs of lines that are compared; beyond, all lines between the first and the last difference are new.
const MAX_PAIRS: usize = 400_000;
/// Deepest level of a list.
const MAX_LEVEL: usize = 8;

/// Makes the lines of a body those of `text`.
///
/// # Errors
/// [`crate::Error::Unsupported`] - a paragraph that changes has a formula.
pub(crate) fn set_text(xml: &Xml, body: Id, text: &str, out: &mut Splices) -> Result<()> {
    let old = paragraphs(xml, body);
    let before: Vec<String> = old.iter().map(Paragraph::line).collect();
    let after: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    if old.is_empty() {
        let new: String = after.iter().map(|line| plain_paragraph(line)).collect();
        xml.append(body, &xml.declared(body, new), out);
        return Ok(());
    }
    let mut gap = (0..0, 0..0);
    for (one, other) in kept(&before, &after).into_iter().chain([(old.len(), after.len())]) {
        gap = (gap.0.end..one, gap.1.end..other);
        replace_lines(xml, &old, gap.0.clone(), &after[gap.1.clone()], out)?;
        gap = (gap.0.start..one + 1, gap.1.start..other + 1);
    }
    Ok(())
}

/// Returns a paragraph without any formatting.
pub(crate) fn plain_paragraph(line: &str) -> String {
    let (level, text) = level_of(line);
    let properties = if level > 0 { format!("<a:pPr lvl=\"{level}\"/>") } else { String::new() };
    format!("<a:p>{properties}{}</a:p>", runs("a:", "", text))
}

/// Returns the pairs of lines that stay.
fn kept(before: &[String], after: &[&str]) -> Vec<(usize, usize)> {
    let most = before.len().min(after.len());
    let start = (0..most).take_while(|&at| before[at] == after[at]).count();
    let end = (0..most - start)
        .take_while(|&at| before[before.len() - 1 - at] == after[after.len() - 1 - at])
        .count();
    let (rows, columns) = (before.len() - start - end, after.len() - start - end);
    let mut out: Vec<(usize, usize)> = (0..start).map(|at| (at, at)).collect();
    if rows.saturating_mul(columns) <= MAX_PAIRS {
        let mut best = vec![vec![0_u32; columns + 1]; rows + 1];
        let same = |row: usize, column: usize| before[start + row] == after[start + column];
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                best[row][column] = if same(row, column) {
                    best[row + 1][column + 1] + 1
                } else {
                    best[row + 1][column].max(best[row][column + 1])
                };
            }
        }
        let (mut row, mut column) = (0, 0);
        while row < rows && column < columns {
            if same(row, column) {
                out.push((start + row, start + column));
                (row, column) = (row + 1, column + 1);
            } else if best[row + 1][column] >= best[row][column + 1] {
                row += 1;
            } else {
                column += 1;
            }
        }
    }
    out.extend((0..end).rev().map(|at| (before.len() - 1 - at, after.len() - 1 - at)));
    out
}

/// Replaces a range of paragraphs by new lines.
fn replace_lines(
    xml: &Xml,
    old: &[Paragraph],
    range: Range<usize>,
    lines: &[&str],
    out: &mut Splices,
) -> Result<()> {
    let mut added = String::new();
    for (at, line) in lines.iter().enumerate() {
        match old[range.clone()].get(at) {
            Some(paragraph) => rewrite(xml, paragraph, line, out)?,
            None => {
                let template = template(old, range.end, level_of(line).0);
                added.push_str(&like(xml, template, line));
            }
        }
    }
    for paragraph in old[range.clone()].iter().skip(lines.len()) {
        if paragraph.has_opaque() {
            return formula(paragraph);
        }
        xml.remove(paragraph.node, out);
    }
    if !added.is_empty() {
        let at = match range.end.checked_sub(1) {
            Some(before) => xml.range(old[before].node).end,
            None => xml.range(old[0].node).start,
        };
        out.insert(at, added);
    }
    Ok(())
}

fn formula<T>(paragraph: &Paragraph) -> Result<T> {
    unsupported(format!(
        "the paragraph `{}` has a formula, which is not edited",
        shorten(&paragraph.text)
    ))
}

/// Returns the paragraph after whose manner a new one is made.
fn template(old: &[Paragraph], before: usize, level: u8) -> &Paragraph {
    let nearest = before.saturating_sub(1).min(old.len() - 1);
    let above = old[..=nearest].iter().rev();
    let mut near = above.chain(&old[nearest..]);
    let has_text = |it: &&Paragraph| it.level == level && !it.text.is_empty();
    near.clone()
        .find(has_text)
        .or_else(|| near.find(|it| it.level == level))
        .unwrap_or(&old[nearest])
}

/// Makes a paragraph's text that of a line. If most of it stays, only the range that differs changes.
fn rewrite(xml: &Xml, paragraph: &Paragraph, line: &str, out: &mut Splices) -> Result<()> {
    let (level, text) = level_of(line);
    if level != paragraph.level {
        if paragraph.has_opaque() {
            return formula(paragraph);
        }
        out.replace(xml.range(paragraph.node), like(xml, paragraph, line));
        return Ok(());
    }
    let range = differing(&paragraph.text, text);
    let stays = paragraph.text.len() - range.len();
    let new = &text[range.start..text.len() - (paragraph.text.len() - range.end)];
    let is_simple = paragraph.runs.len() == 1 && paragraph.runs[0].kind == RunKind::Text;
    let is_near = stays * 2 >= paragraph.text.len().max(text.len());
    if !paragraph.runs.is_empty() && (is_simple || is_near) {
        let mut inner = Splices::default();
        if replace_ranges(xml, paragraph, &[(range, new.to_owned())], &mut inner).is_ok() {
            out.extend(inner);
            return Ok(());
        }
    }
    if paragraph.has_opaque() {
        return formula(paragraph);
    }
    out.replace(xml.range(paragraph.node), like(xml, paragraph, line));
    Ok(())
}

/// Returns the range of the old text that a new text replaces.
fn differing(old: &str, new: &str) -> Range<usize> {
    let start: usize =
        old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let end: usize = old[start..]
        .chars()
        .rev()
        .zip(new[start..].chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    start..old.len() - end
}

fn level_of(line: &str) -> (u8, &str) {
    let text = line.trim_start_matches('\t');
    let level = (line.len() - text.len()).min(MAX_LEVEL);
    // What is too deep for a list stays text.
    (level as u8, &line[level..])
}

/// Makes a new paragraph with the properties of another one and the formatting of its first run.
fn like(xml: &Xml, template: &Paragraph, line: &str) -> String {
    let (level, text) = level_of(line);
    let node = template.node;
    let prefix = xml.prefix(node);
    let properties = xml.child(node, Ns::A, "pPr").map(|it| xml.xml(it));
    let properties = match properties {
        Some(properties) if level == template.level => properties.to_owned(),
        Some(properties) => with_level(properties, level),
        None if level == 0 => String::new(),
        None => format!("<{prefix}pPr lvl=\"{level}\"/>"),
    };
    let run = run_properties(xml, template);
    let end = xml.child(node, Ns::A, "endParaRPr").map_or("", |it| xml.xml(it));
    let end = match (text.is_empty() && end.is_empty(), &run) {
        (true, run) if !run.is_empty() => renamed(run, "endParaRPr"),
        _ => end.to_owned(),
    };
    format!("<{prefix}p>{properties}{}{end}</{prefix}p>", runs(prefix, &run, text))
}

/// Returns `rPr` of the first run that is no link, or the properties of the paragraph's end.
fn run_properties(xml: &Xml, paragraph: &Paragraph) -> String {
    let of_run = |run: &Run| xml.child(run.node, Ns::A, "rPr");
    let texts =
        || paragraph.runs.iter().filter(|it| matches!(it.kind, RunKind::Text | RunKind::Field));
    let is_link =
        |run: &&Run| of_run(run).is_some_and(|it| xml.child(it, Ns::A, "hlinkClick").is_some());
    let first = texts().find(|it| !is_link(it)).or_else(|| texts().next());
    if let Some(run) = first {
        return of_run(run).map_or_else(String::new, |it| xml.xml(it).to_owned());
    }
    let end = xml.child(paragraph.node, Ns::A, "endParaRPr");
    end.map_or_else(String::new, |it| renamed(xml.xml(it), "rPr"))
}

/// Gives an element another local name.
fn renamed(element: &str, local: &str) -> String {
    let end =
        element.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(element.len());
    let name = &element[1..end];
    let new = match name.split_once(':') {
        Some((prefix, _)) => format!("{prefix}:{local}"),
        None => local.to_owned(),
    };
    let close = format!("</{name}>");
    let rest = &element[end..];
    match rest.strip_suffix(&close) {
        Some(rest) => format!("<{new}{rest}</{new}>"),
        None => format!("<{new}{rest}"),
    }
}

/// Gives properties of a paragraph another level, without the indents of the old one.
fn with_level(properties: &str, level: u8) -> String {
    let Ok(xml) = Xml::parse(properties.to_owned()) else { return properties.to_owned() };
    let mut splices = Splices::default();
    for name in ["marL", "indent"] {
        xml.remove_attr(xml.root(), name, &mut splices);
    }
    match level {
        0 => xml.remove_attr(xml.root(), "lvl", &mut splices),
        level => xml.set_attr(xml.root(), "lvl", &level.to_string(), &mut splices),
    }
    xml.splice(splices).map_or_else(|_| properties.to_owned(), Xml::into_text)
}

/// Returns runs for a text, with `br` for each break.
fn runs(prefix: &str, properties: &str, text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split(BREAK).enumerate() {
        if at > 0 {
            out.push_str(&format!("<{prefix}br>{properties}</{prefix}br>"));
        }
        if !part.is_empty() {
            out.push_str(&format!(
                "<{prefix}r>{properties}<{prefix}t>{}</{prefix}t></{prefix}r>",
                escape(part)
            ));
        }
    }
    out
}

/// Replaces ranges of a paragraph, which are sorted and do not overlap. The first run of a range gives the formatting.
///
/// # Errors
/// [`crate::Error::Unsupported`] - a range has a part of a field or of a formula.
pub(crate) fn replace_ranges(
    xml: &Xml,
    paragraph: &Paragraph,
    ranges: &[(Range<usize>, String)],
    out: &mut Splices,
) -> Result<()> {
    let mut taken = vec![false; ranges.len()];
    for (rank, run) in paragraph.runs.iter().enumerate() {
        let text = &paragraph.text[run.start..run.end];
        let mut new = String::new();
        let mut at = run.start;
        let mut is_changed = false;
        for (number, (range, replacement)) in ranges.iter().enumerate() {
            let is_insertion = range.is_empty();
            let is_last = rank + 1 == paragraph.runs.len();
            let touches = if is_insertion {
                // Text is inserted at the end of a run rather than at the start of the next one.
                !taken[number]
                    && run.kind == RunKind::Text
                    && (range.start > run.start
                        || rank == 0
                        || paragraph.runs[rank - 1].kind != RunKind::Text)
                    && range.start >= run.start
                    && (range.start <= run.end || is_last)
            } else {
                range.start < run.end && range.end > run.start
            };
            if !touches {
                continue;
            }
            let is_whole = range.start <= run.start && range.end >= run.end;
            let is_fixed = match run.kind {
                RunKind::Text => false,
                RunKind::Break => !is_whole,
                RunKind::Field => true,
                RunKind::Opaque => true,
            };
            if is_fixed {
                return unsupported(format!(
                    "`{}` is a field or a formula, which is not edited",
                    shorten(text)
                ));
            }
            let (from, to) = (range.start.max(run.start), range.end.min(run.end).max(range.start));
            new.push_str(&paragraph.text[at..from]);
            if !taken[number] && run.kind == RunKind::Text {
                new.push_str(replacement);
                taken[number] = true;
            }
            at = to.min(run.end);
            is_changed = true;
        }
        if !is_changed {
            continue;
        }
        new.push_str(&paragraph.text[at..run.end]);
        put_run(xml, run, &new, out);
    }
    if taken.iter().all(|it| *it) {
        Ok(())
    } else {
        unsupported("the place is between fields or formulas, which are not edited")
    }
}

fn put_run(xml: &Xml, run: &Run, text: &str, out: &mut Splices) {
    let node = xml.child(run.node, Ns::A, "t");
    match node {
        Some(node) if !text.is_empty() && !text.contains(BREAK) => {
            xml.set_inner(node, &escape(text), out);
        }
        _ if text.is_empty() => xml.remove(run.node, out),
        _ => {
            let properties = xml.child(run.node, Ns::A, "rPr").map_or("", |it| xml.xml(it));
            out.replace(xml.range(run.node), runs(xml.prefix(run.node), properties, text));
        }
    }
}

/// How text is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    pub is_whole_word: bool,
    pub ignores_case: bool,
}

/// Returns where a text stands in another one, from left to right.
pub(crate) fn find_all(text: &str, wanted: &str, finding: Finding) -> Vec<Range<usize>> {
    let same =
        |a: char, b: char| a == b || finding.ignores_case && a.to_lowercase().eq(b.to_lowercase());
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let mut end = at;
        let mut rest = text[at..].chars();
        let is_found = wanted.chars().all(|c| {
            let next = rest.next();
            end += next.map_or(0, char::len_utf8);
            next.is_some_and(|next| same(next, c))
        });
        let stands_alone =
            || !is_word(text[..at].chars().next_back()) && !is_word(text[end..].chars().next());
        if is_found && (!finding.is_whole_word || stands_alone()) {
            out.push(at..end);
            at = end;
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    out
}
