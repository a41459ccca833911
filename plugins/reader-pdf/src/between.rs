//! Puts text back between tables.
//!
//! The library takes the tables out of a page first, so the text above and below a table becomes one. On a page of
//! tables with a line above each, these lines are one paragraph before all tables. The positions of the words show
//! where to split it.

use std::ops::Range;
use unpdf::parser::TextSpan;
use unpdf::{Block, InlineContent, Page, Paragraph};

/// Most starts of a paragraph that are tried. A short word may be on a page many times.
const MAX_STARTS: usize = 16;

/// Most words of a page whose paragraphs are split, and most comparisons of paragraphs with words.
const MAX_PIECES: usize = 20_000;
const MAX_COMPARED: usize = 20_000_000;

/// One or more words of a page, without white space.
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) y: f32,
    pub(crate) x: Range<f32>,
    size: f32,
}

/// Returns whether the page may have such paragraphs.
pub(crate) fn is_worth_it(page: &Page) -> bool {
    let is_table = |block: &Block| matches!(block, Block::Table(_));
    let is_text = |block: &Block| matches!(block, Block::Paragraph(_));
    page.elements.iter().any(is_table) && page.elements.iter().any(is_text)
}

/// Splits the paragraphs of a page that continue after a table, and puts the parts and the tables in order.
pub(crate) fn part(page: &mut Page, spans: &[TextSpan]) {
    if spans.len() > MAX_PIECES || spans.len().saturating_mul(page.elements.len()) > MAX_COMPARED {
        return;
    }
    let pieces = pieces(spans);
    let mut tops: Vec<Option<f32>> = Vec::new();
    let mut used = vec![false; pieces.len()];
    let mut blocks = Vec::new();
    let mut parted = Vec::new();
    for block in std::mem::take(&mut page.elements) {
        let Block::Paragraph(paragraph) = block else {
            tops.push(None);
            blocks.push(block);
            continue;
        };
        let found = find(&squeeze(&text(&paragraph)), &pieces, &used);
        for (index, _) in found.iter().flatten() {
            if let Some(used) = used.get_mut(*index) {
                *used = true;
            }
        }
        let top = |at: &[(usize, usize)]| {
            at.first().and_then(|(index, _)| pieces.get(*index)).map(|piece| piece.y)
        };
        let breaks = found.as_deref().map(|found| breaks(found, &pieces)).unwrap_or_default();
        if breaks.is_empty() {
            tops.push(found.as_deref().and_then(top));
            blocks.push(Block::Paragraph(paragraph));
            continue;
        }
        parted.push(blocks.len()..blocks.len() + breaks.len() + 1);
        let found = found.unwrap_or_default();
        let offsets: Vec<usize> =
            breaks.iter().filter_map(|at| found.get(*at)).map(|(_, offset)| *offset).collect();
        let mut from = 0;
        for (part, to) in
            split(paragraph, &offsets).into_iter().zip(breaks.into_iter().chain([found.len()]))
        {
            tops.push(found.get(from..to).and_then(top));
            blocks.push(Block::Paragraph(part));
            from = to;
        }
    }
    if !parted.is_empty() {
        find_tables(&blocks, &pieces, &used, &mut tops);
        for range in parted {
            order(&mut blocks, &mut tops, range, page.column_count <= 1);
        }
    }
    page.elements = blocks;
}

/// Returns the words of a page from top to bottom.
pub(crate) fn pieces(spans: &[TextSpan]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = spans
        .iter()
        .filter(|span| !span.is_rotated())
        .map(|span| Piece {
            text: squeeze(&span.text),
            y: span.y,
            x: span.x..span.x + span.width.max(1.0),
            size: span.font_size.abs().max(1.0),
        })
        .filter(|piece| !piece.text.is_empty())
        .collect();
    // Words of a line may differ a little in height, so their order within the line does not follow it.
    pieces.sort_by(|a, b| b.y.total_cmp(&a.y));
    let mut row = 0.0;
    let mut last = f32::INFINITY;
    let mut rows: Vec<(f32, Piece)> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        if last - piece.y > piece.size * 0.4 {
            row += 1.0;
            last = piece.y;
        }
        rows.push((row, piece));
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.x.start.total_cmp(&b.1.x.start)));
    rows.into_iter().map(|(_, piece)| piece).collect()
}

pub(crate) fn squeeze(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

/// Returns the pieces that make up a text, and where each begins in it; `None` if some of the text is missing.
pub(crate) fn find(text: &str, pieces: &[Piece], used: &[bool]) -> Option<Vec<(usize, usize)>> {
    if text.is_empty() {
        return None;
    }
    let free = |index: usize| !used.get(index).copied().unwrap_or(true);
    let starts = pieces
        .iter()
        .enumerate()
        .filter(|(index, piece)| free(*index) && text.starts_with(&piece.text));
    for (start, _) in starts.take(MAX_STARTS) {
        let mut found = Vec::new();
        let mut at = 0;
        for (index, piece) in pieces.iter().enumerate().skip(start) {
            if free(index) && text.get(at..).is_some_and(|rest| rest.starts_with(&piece.text)) {
                found.push((index, at));
                at += piece.text.len();
                if at == text.len() {
                    return Some(found);
                }
            }
        }
    }
    None
}

/// Returns the indices of the pieces before which a paragraph jumps over other text.
fn breaks(found: &[(usize, usize)], pieces: &[Piece]) -> Vec<usize> {
    let own: Vec<usize> = found.iter().map(|(index, _)| *index).collect();
    let of = |index: usize| pieces.get(index);
    let left = own
        .iter()
        .filter_map(|index| of(*index))
        .map(|piece| piece.x.start)
        .fold(f32::MAX, f32::min);
    let right =
        own.iter().filter_map(|index| of(*index)).map(|piece| piece.x.end).fold(f32::MIN, f32::max);
    let jumps = |pair: &[usize]| {
        let [Some(above), Some(below)] = [pair.first(), pair.last()].map(|index| of(*index?))
        else {
            return false;
        };
        let size = above.size.max(below.size);
        above.y - below.y > size * 1.8
            && pieces.iter().enumerate().any(|(index, piece)| {
                piece.y < above.y - size * 0.5
                    && piece.y > below.y + size * 0.5
                    && piece.x.start < right
                    && piece.x.end > left
                    && own.binary_search(&index).is_err()
            })
    };
    (1..own.len()).filter(|at| own.get(at - 1..=*at).is_some_and(jumps)).collect()
}

/// Splits a paragraph at these offsets, in bytes of its text without white space.
pub(crate) fn split(paragraph: Paragraph, offsets: &[usize]) -> Vec<Paragraph> {
    let style = paragraph.style;
    let mut parts = vec![Vec::new()];
    let mut offsets = offsets.iter().copied().peekable();
    let mut at = 0;
    for item in paragraph.content {
        let InlineContent::Text(run) = item else {
            if let InlineContent::Link { text, .. } = &item {
                at += squeeze(text).len();
            }
            if let Some(part) = parts.last_mut() {
                part.push(item);
            }
            if offsets.next_if(|offset| *offset <= at).is_some() {
                parts.push(Vec::new());
            }
            continue;
        };
        let mut text = String::new();
        let push = |text: String, parts: &mut Vec<Vec<InlineContent>>| {
            if let Some(part) = parts.last_mut()
                && !text.is_empty()
            {
                part.push(InlineContent::Text(unpdf::TextRun { text, style: run.style.clone() }));
            }
        };
        for character in run.text.chars() {
            if !character.is_whitespace() {
                if offsets.next_if(|offset| *offset <= at).is_some() {
                    push(std::mem::take(&mut text), &mut parts);
                    parts.push(Vec::new());
                }
                at += character.len_utf8();
            }
            text.push(character);
        }
        push(text, &mut parts);
    }
    parts.into_iter().map(|content| Paragraph { content, style: style.clone() }).collect()
}

/// Sets the heights of the tables, from the first words of each.
fn find_tables(blocks: &[Block], pieces: &[Piece], used: &[bool], tops: &mut [Option<f32>]) {
    let mut below = 0;
    for (block, top) in blocks.iter().zip(tops) {
        let Block::Table(table) = block else { continue };
        let cells = table.rows.iter().flat_map(|row| &row.cells);
        let Some(first) =
            cells.map(|cell| squeeze(&cell.plain_text())).find(|text| !text.is_empty())
        else {
            continue;
        };
        let is_first =
            |piece: &Piece| first.starts_with(&piece.text) || piece.text.starts_with(&first);
        let found =
            pieces.iter().enumerate().skip(below).find(|(index, piece)| {
                !used.get(*index).copied().unwrap_or(true) && is_first(piece)
            });
        if let Some((index, piece)) = found {
            *top = Some(piece.y);
            below = index + 1;
        }
    }
}

/// Sorts the parts of a paragraph and the blocks after it from top to bottom: the tables after it or, on a page with
/// one column, all blocks of known height.
fn order(blocks: &mut [Block], tops: &mut [Option<f32>], parted: Range<usize>, is_single: bool) {
    let is_known = |at: &usize| {
        let is_table = matches!(blocks.get(*at), Some(Block::Table(_)));
        (is_single || is_table) && tops.get(*at).copied().flatten().is_some()
    };
    let end =
        (parted.end..blocks.len()).take_while(is_known).last().map_or(parted.end, |last| last + 1);
    let mut range: Vec<usize> = (parted.start..end).collect();
    let top = |at: usize| tops.get(at).copied().flatten().unwrap_or(f32::MAX);
    range.sort_by(|a, b| top(*b).total_cmp(&top(*a)));
    let sorted: Vec<(Block, Option<f32>)> = range
        .iter()
        .filter_map(|at| Some((blocks.get(*at)?.clone(), tops.get(*at).copied()?)))
        .collect();
    for (at, (block, top)) in (parted.start..end).zip(sorted) {
        if let (Some(place), Some(height)) = (blocks.get_mut(at), tops.get_mut(at)) {
            *place = block;
            *height = top;
        }
    }
}

/// Returns the text of a paragraph as it is on the page.
pub(crate) fn text(paragraph: &Paragraph) -> String {
    let text = |item: &InlineContent| match item {
        InlineContent::Text(run) => run.text.clone(),
        InlineContent::Link { text, .. } => text.clone(),
        InlineContent::LineBreak | InlineContent::Image { .. } => String::new(),
    };
    paragraph.content.iter().map(text).collect()
}
