//! Names of cells in a worksheet.

use std::fmt::Write as _;

/// Most cells that a warning lists.
const MAX_LISTED: usize = 8;

/// Returns the letters of a column; `A` for 0.
pub(crate) fn column_name(column: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        letters.push(char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

/// Returns the name of a cell such as `B4`. Rows and columns count from 0.
pub(crate) fn cell_name(row: u32, column: u32) -> String {
    format!("{}{}", column_name(column), row + 1)
}

/// Parses a reference such as `$B$4`, or the first cell of `B4:C5`; `None` for anything else.
pub(crate) fn parse_cell(reference: &str) -> Option<(u32, u32)> {
    let first = reference.split(':').next().unwrap_or_default().replace('$', "");
    let letters = first.find(|character: char| !character.is_ascii_alphabetic())?;
    let (letters, digits) = first.split_at(letters);
    if letters.is_empty() || letters.len() > 3 {
        return None;
    }
    let column = letters
        .bytes()
        .fold(0, |column, letter| 26 * column + u32::from(letter.to_ascii_uppercase() - b'A') + 1);
    let row: u32 = digits.parse().ok()?;
    Some((row.checked_sub(1)?, column - 1))
}

/// A number of cells, of which the first few are kept.
#[derive(Default)]
pub(crate) struct Places {
    first: Vec<(u32, u32)>,
    count: usize,
}

impl Places {
    pub(crate) fn push(&mut self, row: u32, column: u32) {
        if self.first.len() < MAX_LISTED {
            self.first.push((row, column));
        }
        self.count += 1;
    }

    /// Returns `A1, B2`, or `A1, … and 12 more`; `None` without any cells.
    pub(crate) fn list(&self) -> Option<String> {
        let mut names: String = String::new();
        for (row, column) in &self.first {
            let comma = if names.is_empty() { "" } else { ", " };
            _ = write!(names, "{comma}{}", cell_name(*row, *column));
        }
        match self.count - self.first.len() {
            _ if names.is_empty() => None,
            0 => Some(names),
            more => Some(format!("{names} and {more} more")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cells() {
        for (row, column, name) in
            [(0, 0, "A1"), (3, 25, "Z4"), (0, 26, "AA1"), (1_048_575, 16_383, "XFD1048576")]
        {
            assert_eq!(cell_name(row, column), name);
            assert_eq!(parse_cell(name), Some((row, column)));
        }
        assert_eq!(parse_cell("$B$4:C9"), Some((3, 1)));
        for wrong in ["", "4", "B", "B0", "ABCD1", "B1x"] {
            assert_eq!(parse_cell(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn many_places_are_counted() {
        let mut places = Places::default();
        assert_eq!(places.list(), None);
        (0..10).for_each(|row| places.push(row, 0));
        assert_eq!(places.list().unwrap(), "A1, A2, A3, A4, A5, A6, A7, A8 and 2 more");
    }
}
