//! Widths and alignment of the columns of a table. Measures text roughly, in half ems; the format that draws the table does
//! the rest.

use crate::model::cjk::is_cjk;
use crate::model::doc::{Alignment, Block, Inline, Table, plain_text};
use crate::shared::nowrap::nowrap_parts;

/// Settings of a table, best first: size of the text and horizontal padding in points, and `true` for a turned page.
const SETTINGS: [(f64, f64, bool); 9] = [
    (9.5, 12.0, false),
    (8.5, 12.0, false),
    (8.0, 9.0, false),
    (7.5, 6.0, false),
    (8.5, 9.0, true),
    (7.5, 6.0, true),
    (6.5, 6.0, true),
    (5.5, 5.0, true),
    (5.5, 3.0, true),
];

/// Width of the text in points: upright on the narrower paper, turned on the shorter one.
const UPRIGHT_POINTS: f64 = 464.0;
const TURNED_POINTS: f64 = 660.0;

/// Space for a table.
#[derive(Clone, Copy)]
pub(crate) struct TableRoom {
    /// Width of the text, in points.
    pub(crate) upright: f64,
    /// Width on a turned page; `None` if the page cannot be turned.
    pub(crate) turned: Option<f64>,
    /// Size of text relative to that of a document on paper.
    pub(crate) scale: f64,
}

/// Longest word, in letters, for which a column is made wide enough. Longer ones are broken.
const MAX_WORD: usize = 16;

/// Fewest letters that must fit into each column, or the table is too wide for any paper.
const MIN_WORD: usize = 3;

/// Layout of a table.
pub(crate) struct Layout {
    /// Size of the text, in points.
    pub(crate) size: f64,
    /// Left and right padding of a cell together, in points.
    pub(crate) padding: f64,
    /// `true` if the page is turned for it.
    pub(crate) is_turned: bool,
    /// The columns.
    pub(crate) columns: Vec<Column>,
    /// Longest word that stays whole.
    pub(crate) max_word: usize,
    /// `true` if the columns are too narrow to read.
    pub(crate) is_too_wide: bool,
    /// `true` if each column is wide enough for the parts that stay on one line.
    pub(crate) is_whole: bool,
}

/// A table, or some columns of one that is too wide for a page.
pub(crate) struct TablePart {
    /// Indices of its columns.
    pub(crate) columns: Vec<usize>,
    pub(crate) layout: Layout,
}

/// Layout of a column.
pub(crate) struct Column {
    /// Its share of the width of the table.
    pub(crate) width: f64,
    /// Alignment of its text.
    pub(crate) side: Side,
    /// `true` if its head takes several lines.
    pub(crate) folds_head: bool,
}

/// Alignment of the text of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Center,
    Right,
}

/// Width of a Latin letter or digit in half ems.
const LETTER: f64 = 1.16;

/// Factor by which bold text is wider.
const BOLD: f64 = 1.08;

/// Smallest text of a table that is not divided, and text size and padding of the parts of a divided one, in points: what
/// can be read on paper without a magnifying glass.
const MIN_SIZE: f64 = 6.5;
const PART_SIZE: f64 = 7.5;
const PART_PADDING: f64 = 6.0;

/// Most half ems of a name in the first column of parts.
const MAX_NAME: f64 = 20.0;

/// A column's needs, in half ems.
#[derive(Clone, Copy)]
struct Need {
    /// Width of its longest word.
    least: f64,
    /// Width of its longest cell.
    most: f64,
    /// Width of its head.
    head: f64,
}

/// Lays out `table` for paper. The page can be turned only for a table that is not within another block.
pub(crate) fn layout(table: &Table, may_turn: bool) -> Layout {
    let turned = may_turn.then_some(TURNED_POINTS);
    layout_in(table, &TableRoom { upright: UPRIGHT_POINTS, turned, scale: 1.0 })
}

/// Lays out `table` in the given space.
pub(crate) fn layout_in(table: &Table, room: &TableRoom) -> Layout {
    let (needs, aligns) = measured(table);
    arranged(&needs, &aligns, room)
}

/// Does what [`layout_in`] does, but divides a table whose text would be too small to read: each part has the first column
/// and as many of the others as can be read beside it.
pub(crate) fn parts_in(table: &Table, room: &TableRoom) -> Vec<TablePart> {
    let (needs, aligns) = measured(table);
    let whole = arranged(&needs, &aligns, room);
    let all: Vec<usize> = (0..needs.len()).collect();
    if all.len() < 3 || (whole.is_whole && whole.size >= MIN_SIZE * room.scale) {
        return vec![TablePart { columns: all, layout: whole }];
    }
    let line = room.turned.unwrap_or(room.upright);
    let (size, padding) = (PART_SIZE * room.scale, PART_PADDING * room.scale);
    let capacity = |columns: usize| (line - padding * columns as f64) / (size / 2.0);
    // Names get one line each, unless they are sentences: a first column that takes a third of each part is not repeated.
    let key = needs.first().map_or(f64::MAX, |need| need.least.max(need.most.min(MAX_NAME)));
    let has_key = key <= capacity(2) / 3.0;
    let rest = &needs[usize::from(has_key)..];
    let split = |most: usize| {
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let mut least = 0.0;
        for (index, need) in rest.iter().enumerate() {
            let count = parts.last().map_or(0, Vec::len) + usize::from(has_key);
            let is_full = count >= most + usize::from(has_key);
            if parts.is_empty() || is_full || least + need.least > capacity(count + 1) {
                parts.push(Vec::new());
                least = if has_key { key } else { 0.0 };
            }
            least += need.least;
            if let Some(part) = parts.last_mut() {
                part.push(index + usize::from(has_key));
            }
        }
        parts
    };
    // The columns are distributed evenly over the parts.
    let parts = split(rest.len());
    let parts = split(rest.len().div_ceil(parts.len().max(1)));
    let of = |mut columns: Vec<usize>| {
        if has_key {
            columns.insert(0, 0);
        }
        let mut needs: Vec<Need> =
            columns.iter().filter_map(|at| needs.get(*at).copied()).collect();
        if let Some(first) = needs.first_mut().filter(|_| has_key) {
            first.least = key;
        }
        let aligns: Vec<Side> = columns.iter().filter_map(|at| aligns.get(*at).copied()).collect();
        // All parts have one size and orientation, so that they can be laid side by side.
        let is_turned = room.turned.is_some();
        let room = capacity(columns.len());
        let layout = laid_out(&needs, &aligns, Setting { size, padding, is_turned, room });
        TablePart { columns, layout }
    };
    parts.into_iter().map(of).collect()
}

/// Returns `true` if every row of a part has at most eight lines, so that a page break between rows is better than one
/// within a row.
pub(crate) fn rows_are_low(table: &Table, part: &TablePart) -> bool {
    const MAX_LINES: f64 = 8.0;
    heights(table, part).all(|lines| lines <= MAX_LINES)
}

/// Most lines of a table that no page break divides: a head with some rows.
pub(crate) const MAX_TOGETHER: usize = 8;

/// Returns `true` if a part is so low that it stays on one page. Never on slides, where eight lines may be too many.
pub(crate) fn stays_together(table: &Table, part: &TablePart) -> bool {
    const MAX_SIZE: f64 = 12.0;
    table.rows.len() < MAX_TOGETHER
        && part.layout.size <= MAX_SIZE
        && heights(table, part).map(|lines| lines.ceil().max(1.0)).sum::<f64>()
            <= MAX_TOGETHER as f64
}

/// Returns the approximate number of lines of each row, and of the head.
fn heights(table: &Table, part: &TablePart) -> impl Iterator<Item = f64> {
    let padding = part.layout.padding / (part.layout.size / 2.0);
    let lines = move |row: &Vec<Vec<Inline>>| {
        let lines = part.columns.iter().zip(&part.layout.columns).map(|(at, column)| {
            let Some(cell) = row.get(*at) else { return 0.0 };
            let lines = width(&plain_text(cell)) / (column.width - padding).max(1.0);
            lines * 1.3 + breaks(cell) as f64
        });
        lines.fold(0.0, f64::max)
    };
    table.rows.iter().chain(std::iter::once(&table.head)).map(lines)
}

/// Returns the number of line breaks in the source.
fn breaks(content: &[Inline]) -> usize {
    let of = |inline: &Inline| match inline {
        Inline::Break => 1,
        Inline::Emphasis { content }
        | Inline::Strong { content }
        | Inline::Strikethrough { content }
        | Inline::Styled { content, .. }
        | Inline::Link { content, .. } => breaks(content),
        _ => 0,
    };
    content.iter().map(of).sum()
}

/// Returns needs and alignment of each column.
fn measured(table: &Table) -> (Vec<Need>, Vec<Side>) {
    let mut needs = Vec::new();
    let mut aligns = Vec::new();
    for (index, alignment) in table.columns.iter().enumerate() {
        let head = table.head.get(index).map_or(&[][..], Vec::as_slice);
        let cells: Vec<_> = table
            .rows
            .iter()
            .filter_map(|row| row.get(index))
            .map(|cell| plain_text(cell))
            .collect();
        needs.push(need(head, &cells));
        aligns.push(side(*alignment, &cells));
    }
    (needs, aligns)
}

fn arranged(needs: &[Need], aligns: &[Side], room: &TableRoom) -> Layout {
    laid_out(needs, aligns, setting(needs, room))
}

fn laid_out(needs: &[Need], aligns: &[Side], setting: Setting) -> Layout {
    let Setting { size, padding, is_turned, room } = setting;
    let widths = widths(needs, room);
    let narrowest = needs.iter().zip(&widths).filter(|(need, width)| need.least > **width + 0.01);
    let narrowest = narrowest.map(|(_, width)| (width / LETTER) as usize).min();
    let columns = widths.iter().zip(aligns).zip(needs).map(|((width, align), need)| {
        let folds_head = need.head > *width + 0.01;
        let width = ((width + padding / (size / 2.0)) * 100.0).round() / 100.0;
        Column { width, side: *align, folds_head }
    });
    Layout {
        size,
        padding,
        is_turned,
        columns: columns.collect(),
        max_word: narrowest.map_or(MAX_WORD, |letters| letters.clamp(1, MAX_WORD)),
        is_too_wide: narrowest.is_some_and(|letters| letters < MIN_WORD),
        is_whole: narrowest.is_none(),
    }
}

fn need(head: &[Inline], cells: &[String]) -> Need {
    let head = plain_text(head);
    let mut need = Need { least: 4.0, most: 4.0, head: width(&head) * BOLD };
    // Bold text is wider.
    for (text, factor) in
        std::iter::once((head.as_str(), BOLD)).chain(cells.iter().map(|cell| (cell.as_str(), 1.0)))
    {
        need.most = need.most.max(width(text) * factor);
        let longest =
            text.split(|c: char| c.is_whitespace() || is_cjk(c)).map(width).fold(0.0, f64::max);
        // Text of a full-width script may break anywhere, but a column must be wider than one character.
        let kept = nowrap_parts(text).into_iter().filter_map(|part| text.get(part)).map(width);
        need.least = need
            .least
            .max(longest.min(MAX_WORD as f64 * LETTER) * factor)
            .max(kept.fold(0.0, f64::max) * factor)
            .max((width(text) * factor).min(8.0));
    }
    need
}

/// Returns the rough width of a character outside of East Asian scripts, in half ems.
fn letter(c: char) -> f64 {
    match c {
        'M' | 'W' | 'm' | '@' => 1.87,
        'w' | '%' => 1.67,
        'A'..='Z' => 1.45,
        _ => LETTER,
    }
}

/// Returns the rough width of text in half ems. Latin letters and digits are a little wider than half of a Chinese
/// character, and Typst puts a quarter of an em between the two scripts.
pub(crate) fn width(text: &str) -> f64 {
    let mut width = 0.0;
    let mut last = None;
    for c in text.chars() {
        let is_wide = is_cjk(c);
        width += if is_wide { 2.0 } else { letter(c) };
        if last.is_some_and(|last: bool| last != is_wide) && !c.is_whitespace() {
            width += 0.5;
        }
        last = Some(is_wide);
    }
    width
}

struct Setting {
    size: f64,
    padding: f64,
    is_turned: bool,
    /// Width for the text of all columns, in half ems.
    room: f64,
}

/// Returns the first setting in which no word must be broken, or else the last one.
fn setting(needs: &[Need], room: &TableRoom) -> Setting {
    let least: f64 = needs.iter().map(|need| need.least).sum();
    let settings = SETTINGS.iter().filter_map(|(size, padding, is_turned)| {
        let line = if *is_turned { room.turned? } else { room.upright };
        let (size, padding) = (size * room.scale, padding * room.scale);
        let room = (line - padding * needs.len() as f64) / (size / 2.0);
        Some(Setting { size, padding, is_turned: *is_turned, room })
    });
    let mut last =
        Setting { size: SETTINGS[0].0, padding: SETTINGS[0].1, is_turned: false, room: 1.0 };
    for setting in settings {
        if least <= setting.room {
            return setting;
        }
        last = setting;
    }
    last
}

/// Returns the width of the text of each column, in half ems. Their sum is at most `room`.
fn widths(needs: &[Need], room: f64) -> Vec<f64> {
    let least: f64 = needs.iter().map(|need| need.least).sum();
    if least > room {
        // Words are broken, in the widest columns first.
        let least: Vec<f64> = needs.iter().map(|need| need.least).collect();
        return shares(&least, room.max(needs.len() as f64 * 0.1));
    }
    let wanted: Vec<f64> = needs.iter().map(|need| (need.most - need.least).max(0.0)).collect();
    needs
        .iter()
        .zip(shares(&wanted, room - least))
        .map(|(need, share)| need.least + share)
        .collect()
}

/// Distributes `room`: small needs are met in full, and the others share the rest equally.
fn shares(wanted: &[f64], room: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    let mut shares = vec![0.0; wanted.len()];
    let mut left = room.max(0.0);
    for (place, index) in order.iter().enumerate() {
        let share = wanted[*index].min(left / (wanted.len() - place) as f64);
        shares[*index] = share;
        left -= share;
    }
    shares
}

/// Returns the alignment of a column of `table`.
pub(crate) fn side_of(table: &Table, column: usize) -> Side {
    let cells = table.rows.iter().filter_map(|row| row.get(column));
    let cells: Vec<_> = cells.map(|cell| plain_text(cell)).collect();
    side(table.columns.get(column).copied().unwrap_or(Alignment::Auto), &cells)
}

/// Returns for each block `true` if it is on a turned page: a table that needs it, and the headings right above.
pub(crate) fn turned(blocks: &[Block]) -> Vec<bool> {
    let mut turned: Vec<bool> = Vec::with_capacity(blocks.len());
    for block in blocks.iter().rev() {
        let below = turned.last().copied().unwrap_or_default();
        turned.push(match block {
            Block::Table(table) => layout(table, true).is_turned,
            Block::Heading { .. } => below,
            _ => false,
        });
    }
    turned.reverse();
    turned
}

/// Returns the alignment of a column: the author's, or else right for figures.
fn side(alignment: Alignment, cells: &[String]) -> Side {
    let filled = || {
        cells
            .iter()
            .map(|cell| cell.trim())
            .filter(|cell| !matches!(*cell, "" | "-" | "—" | "–" | "/" | "N/A"))
    };
    match alignment {
        Alignment::Left => Side::Left,
        Alignment::Center => Side::Center,
        Alignment::Right => Side::Right,
        Alignment::Auto if filled().next().is_some() && filled().all(is_quantity) => Side::Right,
        Alignment::Auto => Side::Left,
    }
}

/// Returns `true` for a figure with at most a sign and a unit: `1,234.5`, `-12.5%`, `¥1.2亿`, `+3.4 pp`, `(5)`. Dates, times,
/// ranges and version numbers are none.
fn is_quantity(text: &str) -> bool {
    let begins = text.trim_start_matches([
        '+', '-', '−', '±', '¥', '￥', '$', '€', '£', '(', '（', '<', '>', '≈', '~', ' ', '↑', '↓',
    ]);
    let end = begins
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '\u{202F}'))
        .unwrap_or(begins.len());
    let (number, unit) = begins.split_at(end);
    let unit = unit.trim().trim_end_matches([')', '）', '↑', '↓']).trim();
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.matches('.').count() <= 1
        && unit.chars().count() <= 4
        && unit.chars().all(|c| {
            !c.is_ascii_digit() && !matches!(c, '-' | ':' | '/' | '年' | '月' | '日' | '季' | '.')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities() {
        for text in
            ["1", "1,234.5", "-12.5%", "¥1.2亿", "+3.4 pp", "(5)", "12 万元", "0.5‰", "↑ 3.2%"]
        {
            assert!(is_quantity(text), "{text}");
        }
        for text in [
            "2024年",
            "2024-01-05",
            "10:30",
            "1.2.3",
            "Q1",
            "第1季度",
            "1-2",
            "v1",
            "",
            "约",
            "3 of a kind",
        ] {
            assert!(!is_quantity(text), "{text}");
        }
    }

    #[test]
    fn small_wishes_are_granted_first() {
        assert_eq!(shares(&[1.0, 50.0, 2.0, 60.0], 43.0), [1.0, 20.0, 2.0, 20.0]);
        assert_eq!(shares(&[1.0, 2.0], 10.0), [1.0, 2.0]);
        assert_eq!(shares(&[1.0, 2.0], -1.0), [0.0, 0.0]);
    }

    const ROOM: TableRoom =
        TableRoom { upright: UPRIGHT_POINTS, turned: Some(TURNED_POINTS), scale: 1.0 };

    #[test]
    fn a_wide_table_gets_smaller_and_then_turns_the_page() {
        let table = |columns: usize, least: f64| {
            let needs: Vec<_> =
                (0..columns).map(|_| Need { least, most: 20.0, head: 8.0 }).collect();
            let setting = setting(&needs, &ROOM);
            (setting.size, setting.is_turned)
        };
        assert_eq!(table(3, 8.0), (9.5, false));
        assert_eq!(table(8, 11.0), (8.0, false));
        assert_eq!(table(12, 11.0), (7.5, true));
        assert_eq!(table(100, 11.0), (5.5, true));
        // With any number of columns, none has zero width.
        let needs: Vec<_> = (0..300).map(|_| Need { least: 16.0, most: 80.0, head: 8.0 }).collect();
        assert!(widths(&needs, setting(&needs, &ROOM).room).iter().all(|width| *width > 0.0));
    }
}
