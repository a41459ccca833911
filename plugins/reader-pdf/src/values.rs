//! Finds tables without rules that the library read as text: names with their values beside them.
//!
//! Lines below each other whose parts are apart are such a table if the columns behind the first one are values. The
//! text of the page loses exactly the words that the table gets.

use crate::between::{self, Piece};
use crate::grid::{self, Grid};
use crate::regrid::{self, Area, Index, Open, table_of};
use crate::words::Line;
use std::ops::Range;
use unpdf::{Block, InlineContent, Page, Paragraph};

/// The fewest lines with values.
const MIN_ROWS: usize = 3;

/// The fewest numbers on a page with such a table, and the most words for each number.
const MIN_NUMBERS: usize = 4;
const WORDS_PER_NUMBER: usize = 25;

/// The largest distance of two lines of a table, in sizes of the font.
const MAX_PITCH: f32 = 3.2;

/// The largest distance for the name of a group between rows. A heading between two tables has more room.
const MAX_GROUP_PITCH: f32 = 2.0;

/// Most tables of a page that are searched in its text, and most comparisons of words.
const MAX_TABLES: usize = 16;
const MAX_COMPARED: usize = 20_000_000;

/// Returns whether the text of a page may hold such a table.
pub(crate) fn is_worth_it(page: &Page) -> bool {
    let (mut words, mut numbers) = (0_usize, 0_usize);
    let mut count = |text: &str| {
        for word in text.split_whitespace() {
            words += 1;
            let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
            numbers += usize::from(has_digit && grid::is_value(word));
        }
    };
    for block in &page.elements {
        let paragraph = match block {
            Block::Paragraph(paragraph) => paragraph,
            // A table of few rows may be a part of one.
            Block::Table(_) => return true,
            Block::Code { content } => {
                count(content);
                continue;
            }
            _ => continue,
        };
        for item in &paragraph.content {
            if let InlineContent::Text(run) = item {
                count(&run.text);
            }
        }
    }
    numbers >= MIN_NUMBERS && numbers * WORDS_PER_NUMBER >= words
}

/// Puts the tables that were read as text in their places.
pub(crate) fn find(page: &mut Page, lines: &[Line], pieces: &[Piece], index: &Index<'_>) {
    if pieces.len().saturating_mul(page.elements.len()) > MAX_COMPARED {
        return;
    }
    let whole = regions(lines, &[], true);
    if whole.is_empty() {
        return;
    }
    let mut used = vec![false; pieces.len()];
    let mut found: Vec<BlockPlace> = Vec::with_capacity(page.elements.len());
    for block in &page.elements {
        let place = match block {
            Block::Paragraph(paragraph) => {
                between::find(&between::squeeze(&between::text(paragraph)), pieces, &used)
                    .map_or(BlockPlace::Unknown, BlockPlace::Pieces)
            }
            Block::Code { content } => between::find(&between::squeeze(content), pieces, &used)
                .map_or(BlockPlace::Unknown, BlockPlace::Pieces),
            Block::Table(table) => index
                .area(table)
                .and_then(|area| regrid::within(table, lines, area))
                .and_then(|own| area(&own))
                .map_or(BlockPlace::Unknown, BlockPlace::Area),
            _ => BlockPlace::Unknown,
        };
        if let BlockPlace::Pieces(own) = &place {
            for (index, _) in own {
                if let Some(used) = used.get_mut(*index) {
                    *used = true;
                }
            }
        }
        found.push(place);
    }
    for (area, grid) in whole.into_iter().take(MAX_TABLES) {
        replace(page, &mut found, pieces, area, &grid);
    }
    // The second pass looks beside tables that stay, without names of groups.
    let taken: Vec<Area> = page
        .elements
        .iter()
        .filter_map(|block| match block {
            Block::Table(table) => index.area(table),
            _ => None,
        })
        .collect();
    for (area, grid) in regions(lines, &taken, false).into_iter().take(MAX_TABLES) {
        replace(page, &mut found, pieces, area, &grid);
    }
}

/// The place of a block on the page.
enum BlockPlace {
    Unknown,
    /// Numbers of pieces of text, each with its start in the paragraph.
    Pieces(Vec<(usize, usize)>),
    Area(Area),
}

/// Returns the ranges of lines that are tables, with their grids. Lines of tables that are already known are left out.
/// `has_groups` allows names of groups between rows.
fn regions(lines: &[Line], taken: &[Area], has_groups: bool) -> Vec<(Area, Grid)> {
    let mut regions = Vec::new();
    let is_free =
        |line: &&Line| !taken.iter().any(|area| line.y > area.bottom && line.y < area.top);
    let free: Vec<Line>;
    let lines = match taken {
        [] => lines,
        _ => {
            free = lines.iter().filter(is_free).cloned().collect();
            free.as_slice()
        }
    };
    let is_row: Vec<bool> = lines.iter().map(is_row).collect();
    let row = |at: usize| is_row.get(at).copied().unwrap_or(false);
    let mut at = 0;
    while at < lines.len() {
        if !row(at) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        let mut rows = 1;
        while are_close(lines, end, MAX_PITCH) {
            // Rows follow the name of a group, or the rest of a long name.
            let is_name = || {
                has_groups
                    && row(end + 1)
                    && are_close(lines, end, MAX_GROUP_PITCH)
                    && are_close(lines, end + 1, MAX_GROUP_PITCH)
                    && is_short(lines, end)
            };
            if row(end) {
                rows += 1;
            } else if !is_name() {
                break;
            }
            end += 1;
        }
        let start = head(lines, at);
        let own = lines.get(start..end).unwrap_or_default();
        if rows >= MIN_ROWS
            && let Some(grid) = grid::build(own)
            && is_table(&grid, at - start)
            && let Some(area) = area(own)
        {
            regions.push((area, grid));
        }
        at = end;
    }
    regions
}

/// Returns whether a line has one part, which ends before the values of the line below begin.
fn is_short(lines: &[Line], at: usize) -> bool {
    let (Some(line), Some(below)) = (lines.get(at), lines.get(at + 1)) else { return false };
    let (parts, below) = (grid::segments(line), grid::segments(below));
    match (parts.as_slice(), below.iter().find(|part| part.is_value)) {
        ([part], Some(value)) => {
            part.right < value.left || part.left < value.left && below.len() > 3
        }
        _ => false,
    }
}

fn are_close(lines: &[Line], at: usize, pitch: f32) -> bool {
    match (at.checked_sub(1).and_then(|before| lines.get(before)), lines.get(at)) {
        (Some(above), Some(below)) => above.y - below.y <= above.size.max(below.size) * pitch,
        _ => false,
    }
}

/// Returns whether a line has a name, or a number in place of a name, and values behind it.
fn is_row(line: &Line) -> bool {
    let parts = grid::segments(line);
    let values = parts.iter().filter(|part| part.is_value).count();
    parts.len() >= 2 && parts.last().is_some_and(|part| part.is_value) && values * 2 >= parts.len()
}

/// The most lines of a header.
const MAX_HEAD: usize = 5;

/// Returns where the header above rows begins. The parts of its lines are apart.
fn head(lines: &[Line], rows: usize) -> usize {
    let mut start = rows;
    while let Some(above) = start.checked_sub(1)
        && rows - above <= MAX_HEAD
        && are_close(lines, start, MAX_PITCH)
        && lines.get(above).is_some_and(|line| grid::segments(line).len() >= 2)
    {
        start = above;
    }
    start
}

/// Returns whether a grid behind its header is a table. Every column behind the first has values, and the last is not a
/// column of page numbers.
fn is_table(grid: &Grid, head: usize) -> bool {
    let rows = grid.rows.get(head..).unwrap_or_default();
    let is_good = |column: usize| {
        let cells = rows.iter().flatten().filter(|cell| cell.column == column && cell.span == 1);
        let (mut values, mut all) = (0, 0);
        for cell in cells {
            all += 1;
            values += usize::from(grid::is_value(&cell.text));
        }
        all * 2 >= rows.len() && values * 4 >= all * 3
    };
    let is_contents = rows
        .iter()
        .flatten()
        .any(|cell| cell.text.contains("....") || cell.text.contains(". . . ."))
        && grid.columns == 2
        && are_pages(rows);
    // Numbers in front need a header or several columns. A numbered list is not a table.
    let has_names = rows.iter().flatten().any(|cell| {
        cell.column == 0 && cell.text.chars().filter(|letter| letter.is_alphabetic()).count() > 1
    });
    let is_headed = has_names || head > 0 || grid.columns >= 3;
    is_headed && (1..grid.columns).all(is_good) && !is_contents
}

/// Returns whether the last cells are whole numbers that never fall.
fn are_pages(rows: &[Vec<grid::Cell>]) -> bool {
    let pages: Vec<Option<u32>> =
        rows.iter().map(|row| row.last().and_then(|cell| cell.text.trim().parse().ok())).collect();
    pages.iter().all(Option::is_some) && pages.is_sorted()
}

fn area(lines: &[Line]) -> Option<Area> {
    let words = || lines.iter().flat_map(|line| &line.words);
    Some(Area {
        left: words().map(|word| word.left).reduce(f32::min)?,
        right: words().map(|word| word.right).reduce(f32::max)?,
        bottom: words().map(|word| word.y - word.size * 0.3).reduce(f32::min)?,
        top: words().map(|word| word.y + word.size * 0.3).reduce(f32::max)?,
    })
}

/// Puts a table in the place of its words, if its words are whole paragraphs, parts of paragraphs, and tables.
fn replace(
    page: &mut Page,
    found: &mut Vec<BlockPlace>,
    pieces: &[Piece],
    area: Area,
    grid: &Grid,
) {
    let is_inside = |piece: &Piece| {
        piece.y > area.bottom
            && piece.y < area.top
            && piece.x.start < area.right
            && piece.x.end > area.left
    };
    let mut wanted = Open::default();
    for piece in pieces.iter().filter(|piece| is_inside(piece)) {
        wanted.add(&piece.text);
    }
    let Some(cuts) = cuts(page, found, pieces, area, wanted, &is_inside) else { return };
    let Some(first) = cuts.first().map(|(block, _)| *block) else { return };
    let mut cuts = cuts.into_iter().peekable();
    let mut blocks = Vec::with_capacity(page.elements.len() + 2);
    let mut kept = Vec::with_capacity(found.len() + 2);
    let old = std::mem::take(&mut page.elements).into_iter().zip(std::mem::take(found));
    for (at, (block, place)) in old.enumerate() {
        let Some((_, range)) = cuts.next_if(|(block, _)| *block == at) else {
            blocks.push(block);
            kept.push(place);
            continue;
        };
        let mut parts = match (&block, &place) {
            (Block::Paragraph(paragraph), BlockPlace::Pieces(own)) => parts(paragraph, own, &range),
            // The library takes lines of one width for a program.
            (Block::Code { content }, BlockPlace::Pieces(own)) => {
                parts(&Paragraph::with_text(content), own, &range)
            }
            _ => (None, None),
        };
        if let Some((before, own)) = parts.0.take() {
            blocks.push(before);
            kept.push(BlockPlace::Pieces(own));
        }
        if at == first {
            blocks.push(Block::Table(table_of(grid)));
            kept.push(BlockPlace::Unknown);
        }
        if let Some((after, own)) = parts.1.take() {
            blocks.push(after);
            kept.push(BlockPlace::Pieces(own));
        }
    }
    page.elements = blocks;
    *found = kept;
}

/// Returns the blocks of a table, and the pieces of each block that it takes. Returns `None` if some words of the table
/// are elsewhere, or if it is one table already.
fn cuts(
    page: &Page,
    found: &[BlockPlace],
    pieces: &[Piece],
    area: Area,
    mut wanted: Open,
    is_inside: &dyn Fn(&Piece) -> bool,
) -> Option<Vec<(usize, Range<usize>)>> {
    let mut cuts: Vec<(usize, Range<usize>)> = Vec::new();
    let mut unknown = Vec::new();
    let mut has_text = false;
    for (at, (block, place)) in page.elements.iter().zip(found).enumerate() {
        match (place, block) {
            (BlockPlace::Area(own), Block::Table(table)) => {
                let is_apart = own.bottom > area.top
                    || own.top < area.bottom
                    || own.left > area.right
                    || own.right < area.left;
                if is_apart {
                    continue;
                }
                let is_within = own.bottom >= area.bottom - 0.1 && own.top <= area.top + 0.1;
                let text: Vec<String> = regrid::texts(table).collect();
                if !is_within || !wanted.take(text.iter().map(String::as_str)) {
                    return None;
                }
                cuts.push((at, 0..0));
            }
            (BlockPlace::Pieces(own), _) => {
                let inside = |at: &(usize, usize)| pieces.get(at.0).is_some_and(is_inside);
                let Some(first) = own.iter().position(inside) else { continue };
                let mine: Vec<&Piece> = own
                    .iter()
                    .skip(first)
                    .take_while(|at| inside(at))
                    .filter_map(|at| pieces.get(at.0))
                    .collect();
                let is_parted = own.iter().skip(first + mine.len()).any(inside);
                if is_parted || !wanted.take(mine.iter().map(|piece| piece.text.as_str())) {
                    return None;
                }
                has_text = true;
                cuts.push((at, first..first + mine.len()));
            }
            (_, Block::Paragraph(paragraph)) => unknown.push((at, between::text(paragraph))),
            _ => {}
        }
    }
    // Values in another order are not found piece by piece. The missing text must have exactly their letters.
    for (at, text) in unknown {
        let is_values = text.split_whitespace().all(grid::is_value);
        if !wanted.is_empty() && is_values && wanted.take([text.as_str()]) {
            has_text = true;
            cuts.push((at, 0..0));
        }
    }
    cuts.sort_by_key(|(at, _)| *at);
    (wanted.is_empty() && (has_text || cuts.len() > 1)).then_some(cuts)
}

type Part = Option<(Block, Vec<(usize, usize)>)>;

/// Returns the text of a paragraph before and behind the pieces that the table takes.
fn parts(paragraph: &Paragraph, own: &[(usize, usize)], range: &Range<usize>) -> (Part, Part) {
    let offset = |index: usize| own.get(index).map(|(_, offset)| *offset);
    let offsets: Vec<usize> = [range.start, range.end]
        .into_iter()
        .filter(|index| *index > 0)
        .filter_map(offset)
        .collect();
    let mut parts = between::split(paragraph.clone(), &offsets).into_iter();
    let mut before = None;
    if range.start > 0 {
        let kept = own.get(..range.start).unwrap_or_default().to_vec();
        before = parts.next().map(|part| (Block::Paragraph(part), kept));
    }
    parts.next();
    let start = offset(range.end).unwrap_or(0);
    let kept = own.get(range.end..).unwrap_or_default();
    let kept = kept.iter().map(|(index, at)| (*index, at - start)).collect();
    (before, parts.next().map(|part| (Block::Paragraph(part), kept)))
}
