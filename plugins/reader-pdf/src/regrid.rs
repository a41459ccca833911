//! Lays out tables again whose cells hold several numbers, by the places of their words.

use crate::grid::{self, Grid};
use crate::words::{Line, Word};
use std::collections::BTreeMap;
use unpdf::{Block, Page, Table, TableCell, TableRow};

/// The most words of a page whose tables are laid out again.
const MAX_WORDS: usize = 20_000;

/// The most cells of a table that is laid out again.
const MAX_CELLS: usize = 20_000;

/// Returns whether the page has a table whose cells hold several numbers.
pub(crate) fn is_worth_it(page: &Page) -> bool {
    page.elements.iter().any(|block| matches!(block, Block::Table(table) if crowded(table) > 0))
}

/// Returns whether a table has more cells than are processed.
fn is_large(table: &Table) -> bool {
    table.rows.iter().map(|row| row.cells.len()).sum::<usize>() > MAX_CELLS
}

/// Returns how many cells hold several numbers.
fn crowded(table: &Table) -> usize {
    if is_large(table) {
        return 0;
    }
    let cells = table.rows.iter().flat_map(|row| &row.cells);
    cells.filter(|cell| grid::numbers(&cell.plain_text()) > 1).count()
}

/// The words of a page by their text.
pub(crate) struct Index<'a>(BTreeMap<&'a str, Vec<&'a Word>>);

/// The place of a table on its page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    pub(crate) left: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
    pub(crate) top: f32,
}

impl<'a> Index<'a> {
    /// Makes an index of the words of lines. Returns `None` if there are too many.
    pub(crate) fn new(lines: &'a [Line]) -> Option<Index<'a>> {
        let mut index: BTreeMap<&str, Vec<&Word>> = BTreeMap::new();
        if lines.iter().map(|line| line.words.len()).sum::<usize>() > MAX_WORDS {
            return None;
        }
        for word in lines.iter().flat_map(|line| &line.words) {
            index.entry(&word.text).or_default().push(word);
        }
        Some(Index(index))
    }

    /// Returns the place of a table. Words that appear once on the page show it.
    pub(crate) fn area(&self, table: &Table) -> Option<Area> {
        if is_large(table) {
            return None;
        }
        let text: Vec<String> = texts(table).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in text.iter().flat_map(|text| text.split_whitespace()) {
            *counts.entry(word).or_default() += 1;
        }
        let area = |word: &&Word| Area {
            left: word.left,
            right: word.right,
            bottom: word.y - word.size * 0.6,
            top: word.y + word.size * 0.6,
        };
        counts
            .iter()
            .filter_map(|(text, count)| self.0.get(text).filter(|words| words.len() == *count))
            .flatten()
            .map(area)
            .reduce(|one, other| Area {
                left: one.left.min(other.left),
                right: one.right.max(other.right),
                bottom: one.bottom.min(other.bottom),
                top: one.top.max(other.top),
            })
    }
}

pub(crate) fn texts(table: &Table) -> impl Iterator<Item = String> {
    table.rows.iter().flat_map(|row| &row.cells).map(TableCell::plain_text)
}

/// Returns a text without white space.
pub(crate) fn squeeze(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// Lays out the tables of a page again if that separates numbers.
pub(crate) fn improve(page: &mut Page, lines: &[Line], index: &Index<'_>) {
    for block in &mut page.elements {
        let Block::Table(table) = block else { continue };
        let before = crowded(table);
        if before == 0 {
            continue;
        }
        let Some(own) = index.area(table).and_then(|area| within(table, lines, area)) else {
            continue;
        };
        let Some(grid) = grid::build(&own) else { continue };
        let after = grid.rows.iter().flatten().filter(|cell| grid::numbers(&cell.text) > 1).count();
        if after < before && grid.columns * grid.rows.len() <= MAX_CELLS {
            *table = table_of(&grid);
        }
    }
}

/// How many lines above and below the known words may belong to a table.
const MAX_MORE_LINES: usize = 12;

/// Returns the words of a table as lines, or `None` if other words are between them or some words are elsewhere.
pub(crate) fn within(table: &Table, lines: &[Line], area: Area) -> Option<Vec<Line>> {
    let mut open = Open::default();
    for text in texts(table) {
        open.add(&text);
    }
    let is_beside = |word: &&Word| word.right > area.left && word.left < area.right;
    let is_inside = |word: &&Word| is_beside(word) && word.y > area.bottom && word.y < area.top;
    let mut own: Vec<(usize, Line)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let words: Vec<Word> = line.words.iter().filter(is_inside).cloned().collect();
        if !words.is_empty() {
            if !open.take(texts_of(&words)) {
                return None;
            }
            own.push((at, Line { words, ..*line }));
        }
    }
    // Words that appear several times on the page prove nothing, but a missing word can only be beside the known ones.
    let (first, last) = (own.first()?.0, own.last()?.0);
    let above = (first.saturating_sub(MAX_MORE_LINES)..first).rev().collect::<Vec<_>>();
    let below = (last + 1..=last + MAX_MORE_LINES).collect::<Vec<_>>();
    for at in [above, below].iter().flat_map(|side| {
        side.iter()
            .copied()
            .map_while(|at| {
                let line = lines.get(at)?;
                let words: Vec<Word> = line.words.iter().filter(is_beside).cloned().collect();
                (!open.is_empty() && open.take(texts_of(&words)))
                    .then_some((at, Line { words, ..*line }))
            })
            .collect::<Vec<_>>()
    }) {
        own.push(at);
    }
    own.retain(|(_, line)| !line.words.is_empty());
    own.sort_by_key(|(at, _)| *at);
    open.is_empty().then(|| own.into_iter().map(|(_, line)| line).collect())
}

fn texts_of(words: &[Word]) -> impl Iterator<Item = &str> {
    words.iter().map(|word| word.text.as_str())
}

/// Letters that were not found yet.
#[derive(Default)]
pub(crate) struct Open {
    letters: BTreeMap<char, usize>,
    count: usize,
}

impl Open {
    /// Adds the letters of a text.
    pub(crate) fn add(&mut self, text: &str) {
        for letter in text.chars().filter(|letter| !letter.is_whitespace()) {
            *self.letters.entry(letter).or_default() += 1;
            self.count += 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Removes the letters of texts. Returns `false` and changes nothing if some of them are missing.
    pub(crate) fn take<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> bool {
        let mut letters: BTreeMap<char, usize> = BTreeMap::new();
        for letter in
            texts.into_iter().flat_map(str::chars).filter(|letter| !letter.is_whitespace())
        {
            *letters.entry(letter).or_default() += 1;
        }
        let has = |(letter, count): (&char, &usize)| {
            self.letters.get(letter).is_some_and(|open| open >= count)
        };
        if !letters.iter().all(has) {
            return false;
        }
        for (letter, count) in letters {
            if let Some(open) = self.letters.get_mut(&letter) {
                *open -= count;
            }
            self.count -= count;
        }
        true
    }
}

/// Returns a grid as a table of the library.
pub(crate) fn table_of(grid: &Grid) -> Table {
    let mut table = Table::with_header(1);
    for cells in &grid.rows {
        let mut row = Vec::new();
        let mut at = 0;
        for cell in cells {
            while at < cell.column {
                row.push(TableCell::empty());
                at += 1;
            }
            row.push(
                TableCell::text(&cell.text).colspan(u8::try_from(cell.span).unwrap_or(u8::MAX)),
            );
            at += cell.span;
        }
        row.resize_with(row.len() + grid.columns.saturating_sub(at), TableCell::empty);
        table.add_row(TableRow { cells: row, ..TableRow::from_strings(Vec::<String>::new()) });
    }
    table
}
