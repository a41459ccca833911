//! Collects the rows and columns of a worksheet that are hidden, by a user or by a filter.

use crate::place::column_name;
use crate::rows::Row;
use std::fmt::Write as _;

/// The most ranges that are kept. A sheet cannot have more rows that are neither beside each other nor all of them.
const MAX_RANGES: usize = 1 << 20;

/// The most rows or columns in a warning. A range counts once.
const MAX_LISTED: usize = 5;

/// What is hidden on a worksheet.
#[derive(Default)]
pub(crate) struct Hidden {
    rows: Ranges,
    columns: Ranges,
    /// The cells of each active filter, such as `A1:C10`. May be empty.
    filters: Vec<String>,
}

impl Hidden {
    pub(crate) fn rows(&mut self, first: u32, last: u32) {
        self.rows.push(first, last);
    }

    pub(crate) fn columns(&mut self, first: u32, last: u32) {
        self.columns.push(first, last);
    }

    /// Records a filter over these cells, such as `A1:C10`, that hides rows.
    pub(crate) fn filter(&mut self, cells: &str) {
        /// The most filters that are named: the one of the sheet, and those of some tables.
        const MAX_FILTERS: usize = 16;
        if self.filters.len() < MAX_FILTERS && !self.filters.iter().any(|known| known == cells) {
            self.filters.push(cells.chars().take(40).collect());
        }
    }

    /// Returns the warnings about hidden rows and columns that are not empty.
    pub(crate) fn notes(self, rows: &[(u32, Row)]) -> Vec<String> {
        let mut notes = Vec::new();
        let hidden_rows = self.rows.of(rows.iter().map(|(row, _)| *row));
        let are = |count: usize| if count == 1 { "is" } else { "are" };
        let rows_text = list(&hidden_rows, "row", |row| (row + 1).to_string());
        let filters = self.filters.iter().filter(|cells| !cells.is_empty());
        let filters: Vec<&str> = filters.map(String::as_str).collect();
        let over = if filters.is_empty() {
            String::new()
        } else {
            format!(" over {}", filters.join(", "))
        };
        let count = count(&hidden_rows);
        match (self.filters.is_empty(), rows_text) {
            (true, None) => {}
            (true, Some(text)) => notes.push(format!(
                "{text} {} hidden in the workbook and read like the others: sums over the sheet count what nobody sees there",
                are(count)
            )),
            (false, None) => notes.push(format!("a filter{over} is active and hides no row")),
            (false, Some(text)) => notes.push(format!(
                "a filter{over} is active; {text} {} hidden in the workbook and read like the others: sums over the sheet \
                 count what nobody sees there",
                are(count)
            )),
        }
        if self.columns.is_empty() {
            return notes;
        }
        let mut used: Vec<u32> = Vec::new();
        let mut is_used = vec![false; 1 << 14];
        for (column, _) in rows.iter().flat_map(|(_, row)| row) {
            if let Some(known) = is_used.get_mut(*column as usize)
                && !std::mem::replace(known, true)
            {
                used.push(*column);
            }
        }
        used.sort_unstable();
        let hidden_columns = self.columns.of(used.into_iter());
        if let Some(text) = list(&hidden_columns, "column", column_name) {
            let are = are(hidden_columns.iter().map(|(_, _, count)| count).sum());
            notes.push(format!("{text} {are} hidden in the workbook and read like the others"));
        }
        notes
    }
}

/// Ranges of numbers, which include both ends.
#[derive(Default)]
struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn push(&mut self, first: u32, last: u32) {
        let has_room = self.0.len() < MAX_RANGES;
        match self.0.last_mut() {
            Some((start, end)) if *start <= first && first <= end.saturating_add(1) => {
                *end = last.max(*end);
            }
            _ if has_room => self.0.push((first, last)),
            _ => {}
        }
    }

    /// Returns the ranges that contain some of these ascending numbers: the first and the last number of each range,
    /// and the count of numbers in it.
    fn of(mut self, numbers: impl Iterator<Item = u32>) -> Vec<(u32, u32, usize)> {
        self.0.sort_unstable();
        let mut ranges = self.0.into_iter().peekable();
        let mut found: Vec<(u32, u32, usize)> = Vec::new();
        // The furthest end of the ranges so far.
        let mut end = None::<u32>;
        for number in numbers {
            while let Some((_, last)) = ranges.next_if(|(first, _)| *first <= number) {
                end = end.max(Some(last));
            }
            if end.is_none_or(|end| end < number) {
                continue;
            }
            match found.last_mut() {
                Some((_, last, count)) if *last + 1 == number => {
                    (*last, *count) = (number, *count + 1)
                }
                _ => found.push((number, number, 1)),
            }
        }
        found
    }
}

fn count(ranges: &[(u32, u32, usize)]) -> usize {
    ranges.iter().map(|(_, _, count)| count).sum()
}

/// Returns a list such as `3 rows (4-5, 9)`, or `None` if there are no ranges.
fn list(ranges: &[(u32, u32, usize)], what: &str, name: impl Fn(u32) -> String) -> Option<String> {
    let count = count(ranges);
    let mut text = format!("{count} {what}{} (", if count == 1 { "" } else { "s" });
    for (index, (first, last, _)) in ranges.iter().take(MAX_LISTED).enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        _ = if first == last {
            write!(text, "{comma}{}", name(*first))
        } else {
            write!(text, "{comma}{}-{}", name(*first), name(*last))
        };
    }
    text.push_str(if ranges.len() > MAX_LISTED { ", …)" } else { ")" });
    (count > 0).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::Item;

    fn sheet(rows: u32, columns: u32) -> Vec<(u32, Row)> {
        let row = |_| (0..columns).map(|column| (column, Item::number(1.0))).collect();
        (0..rows).map(|number| (number, row(number))).collect()
    }

    #[test]
    fn only_what_holds_something_is_counted() {
        let mut hidden = Hidden::default();
        hidden.rows(1, 1);
        hidden.rows(2, 2);
        hidden.rows(5, 5);
        hidden.rows(100, 1_048_575);
        hidden.columns(1, 1);
        hidden.columns(3, 16_383);
        let notes = hidden.notes(&sheet(10, 3));
        assert_eq!(
            notes,
            [
                "3 rows (2-3, 6) are hidden in the workbook and read like the others: sums over the sheet count what nobody \
                 sees there",
                "1 column (B) is hidden in the workbook and read like the others",
            ]
        );
        let mut beyond = Hidden::default();
        beyond.rows(100, 200);
        beyond.columns(50, 60);
        assert!(beyond.notes(&sheet(10, 3)).is_empty());
    }

    #[test]
    fn filters_are_told_with_and_without_rows() {
        let mut hidden = Hidden::default();
        hidden.filter("A1:B10");
        hidden.filter("A1:B10");
        for row in [8, 2, 4, 6, 2, 0, 9] {
            hidden.rows(row, row);
        }
        let notes = hidden.notes(&sheet(12, 1));
        assert!(notes[0].starts_with(
            "a filter over A1:B10 is active; 6 rows (1, 3, 5, 7, 9-10) are hidden in the workbook"
        ));
        let mut idle = Hidden::default();
        idle.filter("");
        assert_eq!(idle.notes(&sheet(2, 1)), ["a filter is active and hides no row"]);
    }

    #[test]
    fn ranges_may_overlap_and_come_in_any_order() {
        let mut hidden = Hidden::default();
        for (first, last) in [(5, 6), (0, 9), (2, 3), (u32::MAX, u32::MAX), (9, 3)] {
            hidden.rows(first, last);
        }
        assert!(hidden.notes(&sheet(12, 1))[0].starts_with("10 rows (1-10) are hidden"));
    }
}
