//! Puts tables before the text that stands below them.
//!
//! The library puts a table in front of the first text below it that shares its width. A heading that ends left of a
//! centred table shares none, so the table came after it. On a page of one column, text that stands wholly below a
//! table comes after it.

use crate::regrid::{Index, squeeze};
use crate::words::Line;
use unpdf::{Block, InlineContent, Page, Paragraph};

/// The most words at the start of a paragraph that are compared, and the most comparisons of paragraphs with lines.
const MAX_START: usize = 4;
const MAX_COMPARED: usize = 5_000_000;

/// Returns whether the page may have a table behind text that belongs below it.
pub(crate) fn is_worth_it(page: &Page) -> bool {
    let is_table = |block: &Block| matches!(block, Block::Table(_));
    let first_text = page.elements.iter().position(|block| matches!(block, Block::Paragraph(_)));
    page.column_count <= 1
        && first_text.is_some_and(|at| page.elements.iter().skip(at).any(is_table))
}

/// Moves the tables of a page in front of the text that stands below them.
pub(crate) fn lift(page: &mut Page, lines: &[Line], index: &Index<'_>) {
    if !is_worth_it(page)
        || page.elements.len().saturating_mul(lines.len() + page.elements.len()) > MAX_COMPARED
    {
        return;
    }
    // The height of each paragraph and the lower end of each table.
    let mut heights: Vec<Option<f32>> = page
        .elements
        .iter()
        .map(|block| match block {
            Block::Paragraph(paragraph) => top(paragraph, lines),
            Block::Table(table) => index.area(table).map(|area| area.bottom),
            _ => None,
        })
        .collect();
    for at in 0..page.elements.len() {
        let (Some(Block::Table(_)), Some(Some(bottom))) = (page.elements.get(at), heights.get(at))
        else {
            continue;
        };
        let is_below = |before: &usize| {
            matches!(page.elements.get(*before), Some(Block::Paragraph(_)))
                && heights.get(*before).copied().flatten().is_some_and(|top| top < *bottom)
        };
        // Only text right before the table moves. Text further up that is lower on the page belongs to another order.
        let is_movable = |before: &usize| {
            is_below(before) || matches!(page.elements.get(*before), Some(Block::Table(_)))
        };
        let Some(to) = (0..at).rev().take_while(is_movable).filter(is_below).last() else {
            continue;
        };
        if let (Some(blocks), Some(heights)) =
            (page.elements.get_mut(to..=at), heights.get_mut(to..=at))
        {
            blocks.rotate_right(1);
            heights.rotate_right(1);
        }
    }
}

/// Returns the baseline of the first line of a paragraph, or `None` if several lines of the page begin like it.
fn top(paragraph: &Paragraph, lines: &[Line]) -> Option<f32> {
    let text = text_of(paragraph);
    let start: Vec<String> = text.split_whitespace().take(MAX_START).map(squeeze).collect();
    let is_here = |line: &&Line| {
        (0..line.words.len()).any(|at| {
            let mut words = line.words.iter().skip(at);
            start.iter().all(|wanted| words.next().is_some_and(|word| word.text == *wanted))
        })
    };
    let mut found = lines.iter().filter(is_here);
    let first = found.next().filter(|_| !start.is_empty())?;
    found.next().is_none().then_some(first.y)
}

fn text_of(paragraph: &Paragraph) -> String {
    let text = |item: &InlineContent| match item {
        InlineContent::Text(run) => run.text.clone(),
        InlineContent::Link { text, .. } => text.clone(),
        InlineContent::LineBreak => " ".to_owned(),
        InlineContent::Image { .. } => String::new(),
    };
    paragraph.content.iter().map(text).collect()
}
