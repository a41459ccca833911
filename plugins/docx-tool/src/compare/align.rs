//! Which blocks of two documents belong together.

use crate::diff::{self, tokens};
use crate::story;
use crate::text::{COLUMN_BREAK, Line, PAGE_BREAK};
use crate::xml::{Id, Tree};
use similar::DiffOp;
use std::collections::{HashMap, HashSet};

/// Most words of a paragraph whose similarity is measured.
const MAX_WORDS: usize = 2_000;
/// Most pairs of blocks whose similarity is measured in one gap.
const MAX_PAIRS: usize = 40_000;
/// Blocks that share fewer words than this are different blocks.
const SIMILAR: f64 = 0.5;
/// Fewest characters of a moved paragraph. Shorter ones are repeated too often.
const MIN_MOVED: usize = 20;

/// A paragraph or a table.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) node: Id,
    pub(super) is_table: bool,
    pub(super) text: String,
}

/// What happens with a block, in the order of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Equal(usize, usize),
    Changed(usize, usize),
    Deleted(usize),
    Inserted(usize),
}

/// Returns the blocks of a container.
pub(super) fn blocks(tree: &Tree, codes: &HashSet<Id>, container: Id) -> Vec<Block> {
    let mut found = Vec::new();
    story::blocks(tree, container, &mut found);
    found
        .into_iter()
        .map(|node| {
            let is_table = tree.is(node, "tbl");
            let text = if !is_table {
                Line::read_with_breaks(tree, node, codes).text
            } else {
                table_text(tree, node, codes)
            };
            Block { node, is_table, text }
        })
        .collect()
}

/// Aligns two sequences of texts: equal ones first, then similar ones in the gaps.
pub(super) fn align(
    old: &[String],
    new: &[String],
    old_kinds: &[bool],
    new_kinds: &[bool],
) -> Vec<Step> {
    let mut steps = Vec::new();
    for op in diff::compare(old, new) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                steps.extend((0..len).map(|it| Step::Equal(old_index + it, new_index + it)));
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                steps.extend((old_index..old_index + old_len).map(Step::Deleted));
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                steps.extend((new_index..new_index + new_len).map(Step::Inserted));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                steps.extend((old_index..old_index + old_len).map(Step::Deleted));
                steps.extend((new_index..new_index + new_len).map(Step::Inserted));
            }
        }
    }
    let mut out = Vec::new();
    let mut gap_old = Vec::new();
    let mut gap_new = Vec::new();
    for step in steps.into_iter().map(Some).chain([None]) {
        match step {
            Some(Step::Deleted(at)) => gap_old.push(at),
            Some(Step::Inserted(at)) => gap_new.push(at),
            other => {
                let kind = |kinds: &[bool], at: usize| kinds.get(at).copied().unwrap_or(false);
                let same = |from: usize, to: usize| kind(old_kinds, from) == kind(new_kinds, to);
                pair_gap(&gap_old, &gap_new, old, new, &same, &mut out);
                gap_old.clear();
                gap_new.clear();
                out.extend(other);
            }
        }
    }
    out
}

fn table_text(tree: &Tree, table: Id, codes: &HashSet<Id>) -> String {
    let rows = story::rows(tree, table);
    rows.iter().map(|&it| row_text(tree, it, codes)).collect::<Vec<_>>().join("\u{1e}")
}

pub(super) fn row_text(tree: &Tree, row: Id, codes: &HashSet<Id>) -> String {
    let cells = story::cells(tree, row);
    let texts: Vec<String> = cells
        .iter()
        .map(|&it| {
            let inner: Vec<String> =
                blocks(tree, codes, it).into_iter().map(|it| it.text).collect();
            inner.join("\n")
        })
        .collect();
    texts.join("\u{1f}")
}

pub(super) fn readable(text: &str) -> String {
    text.replace('\u{1f}', " | ")
        .replace('\u{1e}', "\n")
        .replace(PAGE_BREAK, "[page break]")
        .replace(COLUMN_BREAK, "[column break]")
}

/// Pairs similar texts of a gap in their order, so that the sum of similarities is greatest.
fn pair_gap(
    gap_old: &[usize],
    gap_new: &[usize],
    old: &[String],
    new: &[String],
    same: &dyn Fn(usize, usize) -> bool,
    out: &mut Vec<Step>,
) {
    let all = |out: &mut Vec<Step>| {
        out.extend(gap_old.iter().map(|&it| Step::Deleted(it)));
        out.extend(gap_new.iter().map(|&it| Step::Inserted(it)));
    };
    if gap_old.is_empty() || gap_new.is_empty() || gap_old.len() * gap_new.len() > MAX_PAIRS {
        return all(out);
    }
    let words = |text: &'_ str| -> Vec<std::ops::Range<usize>> {
        let mut found = tokens(text);
        found.retain(|it| text[it.clone()].contains(char::is_alphanumeric));
        found.truncate(MAX_WORDS);
        found
    };
    let old_words: Vec<Vec<&str>> = gap_old
        .iter()
        .map(|&it| words(&old[it]).into_iter().map(|range| &old[it][range]).collect())
        .collect();
    let new_words: Vec<Vec<&str>> = gap_new
        .iter()
        .map(|&it| words(&new[it]).into_iter().map(|range| &new[it][range]).collect())
        .collect();
    let (rows, columns) = (gap_old.len(), gap_new.len());
    let mut score = vec![0.0_f64; rows * columns];
    for row in 0..rows {
        for column in 0..columns {
            let similarity = if same(gap_old[row], gap_new[column]) {
                diff::similarity(&old_words[row], &new_words[column])
            } else {
                0.0
            };
            // A table in the place of a table is the same table, however much of it changed.
            let is_table = old[gap_old[row]].starts_with('\u{1}') && similarity > 0.2;
            score[row * columns + column] =
                if similarity >= SIMILAR || is_table { similarity } else { 0.0 };
        }
    }
    let width = columns + 1;
    let mut best = vec![0.0_f64; (rows + 1) * width];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let skip = best[(row + 1) * width + column].max(best[row * width + column + 1]);
            let pair = score[row * columns + column];
            let pair = if pair > 0.0 { pair + best[(row + 1) * width + column + 1] } else { 0.0 };
            best[row * width + column] = skip.max(pair);
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        let own = best[row * width + column];
        let pair = score[row * columns + column];
        if pair > 0.0 && own <= pair + best[(row + 1) * width + column + 1] {
            out.push(Step::Changed(gap_old[row], gap_new[column]));
            (row, column) = (row + 1, column + 1);
        } else if own <= best[(row + 1) * width + column] {
            out.push(Step::Deleted(gap_old[row]));
            row += 1;
        } else {
            out.push(Step::Inserted(gap_new[column]));
            column += 1;
        }
    }
    out.extend(gap_old[row..].iter().map(|&it| Step::Deleted(it)));
    out.extend(gap_new[column..].iter().map(|&it| Step::Inserted(it)));
}

/// Makes an inserted paragraph at the end of a page, a cell or a content control and a deleted one beside it the same
/// paragraph: the last end can be neither inserted nor deleted.
pub(super) fn settle_ends(tree: &Tree, steps: &mut Vec<Step>, old: &[Block], new: &[Block]) {
    let is_kept = |it: &Step| matches!(it, Step::Equal(..) | Step::Changed(..));
    let mut start = 0;
    while start < steps.len() {
        if is_kept(&steps[start]) {
            start += 1;
            continue;
        }
        let length = steps[start..].iter().position(is_kept).unwrap_or(steps.len() - start);
        let gap = start..start + length;
        let last_new = gap.clone().rev().find(|&at| match steps[at] {
            Step::Inserted(to) => !new[to].is_table && is_last(tree, new[to].node),
            _ => false,
        });
        let last_old = gap.clone().rev().find(|&at| match steps[at] {
            Step::Deleted(from) => !old[from].is_table,
            _ => false,
        });
        if let (Some(to), Some(from)) = (last_new, last_old)
            && let (Step::Inserted(new_at), Step::Deleted(old_at)) = (steps[to], steps[from])
        {
            steps[to] = Step::Changed(old_at, new_at);
            steps.remove(from);
        }
        start = gap.end;
    }
}

/// Returns `true` if no block follows a paragraph that its end could join it with.
pub(super) fn is_last(tree: &Tree, paragraph: Id) -> bool {
    crate::changes::next_block(tree, paragraph)
        .is_none_or(|it| !matches!(tree.name(it), "p" | "tbl" | "sdt" | "altChunk"))
}

/// Finds deleted paragraphs that were inserted elsewhere with the same text.
pub(super) fn moves(steps: &[Step], old: &[Block], new: &[Block]) -> Vec<(usize, usize)> {
    let is_long = |it: &Block| !it.is_table && it.text.chars().count() >= MIN_MOVED;
    let mut inserted: HashMap<&str, Vec<usize>> = HashMap::new();
    let tail = steps
        .iter()
        .rposition(|it| matches!(it, Step::Equal(..) | Step::Changed(..)))
        .map_or(0, |at| at + 1);
    // Ends at the end of a page are marked in another way.
    for step in steps[..tail].iter().rev() {
        if let Step::Inserted(to) = step
            && is_long(&new[*to])
        {
            inserted.entry(&new[*to].text).or_default().push(*to);
        }
    }
    let mut out = Vec::new();
    for step in &steps[..tail] {
        if let Step::Deleted(from) = step
            && is_long(&old[*from])
            && let Some(to) = inserted.get_mut(old[*from].text.as_str()).and_then(Vec::pop)
        {
            out.push((*from, to));
        }
    }
    out
}
