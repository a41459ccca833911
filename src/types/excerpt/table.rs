//! Shortening of long tables to the header, the first rows and the last ones.

use unicode_segmentation::UnicodeSegmentation as _;

use super::units::Unit;
use super::{LeftOut, TextLimits};
use mitt_base::rows::grouped;
use mitt_base::tokens::{Measure, TextSize};
use mitt_table::Table;

/// Unit as it is shown.
pub(super) struct ShownUnit<'a> {
    pub(super) unit: Unit<'a>,
    /// Replacement text, if the unit is shortened.
    pub(super) shortened: Option<String>,
    pub(super) size: TextSize,
    pub(super) left_out: Option<LeftOut>,
}

impl<'a> ShownUnit<'a> {
    pub(super) fn whole(unit: Unit<'a>) -> ShownUnit<'a> {
        ShownUnit { unit, shortened: None, size: unit.size, left_out: None }
    }

    pub(super) fn text(&self) -> &str {
        self.shortened.as_deref().unwrap_or(self.unit.text)
    }
}

/// Returns the number of rows of a table, without its header.
pub(super) fn rows(unit: &Unit<'_>) -> u64 {
    match unit.table {
        Some(_) => unit.text.lines().skip(n_header(unit.text)).count() as u64,
        None => 0,
    }
}

/// Returns the number of lines of the header, including the line below it.
fn n_header(table: &str) -> usize {
    let is_rule = |line: &str| line.contains('-') && line.chars().all(|c| "|-: ".contains(c));
    if table.lines().nth(1).is_some_and(is_rule) { 2 } else { 0 }
}

/// Table that must be shortened.
#[derive(Clone, Copy)]
pub(super) struct Long<'t, 'd> {
    pub(super) unit: Unit<'t>,
    /// Table of the document, with its number. It may have more rows than the text.
    pub(super) whole: Option<(usize, &'d Table)>,
    pub(super) names_tools: bool,
}

impl<'t> Long<'t, '_> {
    /// Shortens a table that takes more than `most`: two thirds of the room for the first rows, a third for the last ones.
    pub(super) fn shortened(self, limits: TextLimits, most: u64) -> ShownUnit<'t> {
        let unit = self.unit;
        let (header, body) = unit.text.split_at(end_of_lines(unit.text, n_header(unit.text)));
        let n_lines = body.lines().count() as u64;
        let n_all = self.whole.map_or(n_lines, |(_, table)| n_lines.max(table.rows() as u64));
        if limits.part(TextSize::of(header)) > most / 2 {
            return header_only(
                unit,
                &self.mark(0, n_all, (n_all, unit.offset)),
                n_all,
                (limits, most / 2),
            );
        }
        // With the largest possible numbers.
        let end = unit.offset + unit.size.characters;
        let fixed = TextSize::of(header) + TextSize::of(&self.mark(n_all, n_all, (n_all, end)));
        let left = most.saturating_sub(limits.part(fixed));
        let first = lines_within(body.split_inclusive('\n'), limits, left / 3 * 2);
        let (body, rest) = body.split_at(first.iter().map(|line| line.len()).sum());
        let left = left.saturating_sub(limits.part(TextSize::of(body)));
        let (last, n_last) = match self.whole {
            // The text ends before the table does.
            Some((_, table)) if table.rows() as u64 > n_lines => {
                let behind = (first.len()..table.rows()).rev();
                let rows = behind.map(|row| table.markdown_row(row));
                let last = lines_within(rows, limits, left);
                (last.iter().rev().map(String::as_str).collect(), last.len())
            }
            _ => {
                let last = lines_within(rest.split_inclusive('\n').rev(), limits, left);
                (last.iter().rev().copied().collect::<String>(), last.len())
            }
        };
        let middle = match rest.strip_suffix(last.as_str()) {
            Some(middle) => middle,
            None => rest,
        };
        let (n_first, n_last) = (first.len() as u64, n_last as u64);
        let offset = unit.offset + TextSize::of(header).characters + TextSize::of(body).characters;
        let n_left = n_all.saturating_sub(n_first + n_last);
        let mark = self.mark(n_first, n_left, (n_all, offset));
        let text = format!("{header}{body}{mark}{last}");
        let characters = TextSize::of(middle).characters;
        let left_out = LeftOut { offset, characters, rows: n_left };
        ShownUnit {
            unit,
            size: TextSize::of(&text),
            shortened: Some(text),
            left_out: Some(left_out),
        }
    }

    /// Returns the row that replaces omitted rows.
    fn mark(self, first: u64, left: u64, (all, offset): (u64, u64)) -> String {
        let read = match (self.names_tools, self.whole) {
            (true, Some((0, _))) => format!("; read_table with first_row {first} reads on"),
            (true, Some((at, _))) => {
                format!("; read_table with table {at}, first_row {first} reads on")
            }
            (true, None) => format!("; read_document from offset {offset} reads on"),
            (false, _) => String::new(),
        };
        format!("| … {} of {} rows left out{read} … |\n", grouped(left), grouped(all))
    }
}

/// Returns the lines that fit.
fn lines_within<S: AsRef<str>>(
    lines: impl Iterator<Item = S>,
    limits: TextLimits,
    most: u64,
) -> Vec<S> {
    let mut size = TextSize::default();
    let fits = |line: &S| {
        size += TextSize::of(line.as_ref());
        limits.part(size) <= most
    };
    lines.take_while(fits).collect()
}

/// Returns the byte at which this many lines end.
fn end_of_lines(text: &str, count: usize) -> usize {
    text.split_inclusive('\n').take(count).map(str::len).sum()
}

/// Returns the beginning of a table whose header alone does not fit.
fn header_only<'a>(
    unit: Unit<'a>,
    mark: &str,
    n_rows: u64,
    (limits, most): (TextLimits, u64),
) -> ShownUnit<'a> {
    let line = unit.text.lines().next().unwrap_or_default();
    let mut measure = Measure::default();
    let fits = |seen: &&str| {
        measure.push_text(seen);
        limits.part(measure.size()) <= most
    };
    let shown: String = line.graphemes(true).take_while(fits).collect();
    let text = format!("{shown} …\n{mark}");
    let n_shown = shown.chars().count() as u64;
    let left_out = LeftOut {
        offset: unit.offset + n_shown,
        characters: unit.size.characters - n_shown,
        rows: n_rows,
    };
    ShownUnit { unit, size: TextSize::of(&text), shortened: Some(text), left_out: Some(left_out) }
}
