//! Remembers the cells that charts refer to, for charts without stored values.

use crate::place::parse_cell;
use std::collections::{HashMap, HashSet};

/// The most cells that the charts of a workbook refer to.
const MAX_WANTED: usize = 200_000;

/// The most points of a series.
pub(super) const MAX_POINTS: usize = 2_000;

/// The longest text of a point, in characters.
const MAX_TEXT: usize = 255;

/// A cell: index of the sheet, row and column.
type Key = (usize, u32, u32);

/// The value of a cell that a chart refers to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// As the cell shows it.
    pub(super) text: String,
    pub(super) number: Option<f64>,
}

/// Cells that charts refer to, and their values once they are read.
#[derive(Default)]
pub(super) struct References {
    cells: HashMap<Key, Option<Seen>>,
    sheets: HashSet<usize>,
}

impl References {
    /// Wants the cells of a reference such as `'My sheet'!$B$2:$B$9`, in order. Returns their keys.
    ///
    /// `sheet` returns the index of a sheet by its name.
    pub(super) fn want(
        &mut self,
        reference: &str,
        sheet: impl Fn(&str) -> Option<usize>,
    ) -> Vec<Key> {
        let mut keys = Vec::new();
        for area in areas(reference) {
            let Some((name, cells)) = area.rsplit_once('!') else { continue };
            let name = name.trim();
            let name = match name.strip_prefix('\'').and_then(|name| name.strip_suffix('\'')) {
                Some(quoted) => quoted.replace("''", "'"),
                None => name.to_owned(),
            };
            let (first, last) = cells.split_once(':').unwrap_or((cells, cells));
            let corners = parse_cell(first.trim()).zip(parse_cell(last.trim()));
            let (Some(sheet), Some((start, end))) = (sheet(&name), corners) else { continue };
            for row in start.0..=end.0 {
                for column in start.1..=end.1 {
                    if keys.len() >= MAX_POINTS || self.cells.len() >= MAX_WANTED {
                        return keys;
                    }
                    let key = (sheet, row, column);
                    self.cells.entry(key).or_default();
                    self.sheets.insert(sheet);
                    keys.push(key);
                }
            }
        }
        keys
    }

    /// Returns `true` if a chart refers to cells of a sheet.
    pub(super) fn has(&self, sheet: usize) -> bool {
        self.sheets.contains(&sheet)
    }

    /// Keeps the value of a cell if a chart refers to it.
    pub(super) fn see(&mut self, key: Key, text: &str, number: Option<f64>) {
        if let Some(seen) = self.cells.get_mut(&key) {
            let text = text.chars().take(MAX_TEXT).collect();
            *seen = Some(Seen { text, number });
        }
    }

    /// Returns the value of a cell; `None` if it is empty.
    pub(super) fn get(&self, key: Key) -> Option<&Seen> {
        self.cells.get(&key)?.as_ref()
    }
}

/// Splits a reference such as `(A!$A$1,A!$C$1)` into its areas.
fn areas(reference: &str) -> impl Iterator<Item = &str> {
    let reference = reference.trim().trim_start_matches('=');
    let inside = reference.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let mut is_quoted = false;
    inside.unwrap_or(reference).split(move |character| {
        is_quoted ^= character == '\'';
        character == ',' && !is_quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_give_their_cells_in_order() {
        let sheet = |name: &str| ["S", "It's, a"].iter().position(|known| *known == name);
        let mut references = References::default();
        for (reference, expected) in [
            ("S!$B$2:$B$4", vec![(0, 1, 1), (0, 2, 1), (0, 3, 1)]),
            ("'It''s, a'!A1", vec![(1, 0, 0)]),
            ("(S!$A$1,'It''s, a'!$C$1:$D$1)", vec![(0, 0, 0), (1, 0, 2), (1, 0, 3)]),
            ("Gone!A1", vec![]),
            ("[1]S!A1", vec![]),
            ("name", vec![]),
            ("S!#REF!", vec![]),
            ("S!$B:$B", vec![]),
        ] {
            assert_eq!(references.want(reference, sheet), expected, "{reference}");
        }
        assert_eq!(references.want("S!A1:XFD1048576", sheet).len(), MAX_POINTS);
        assert!(references.has(1) && !references.has(2));
        references.see((0, 1, 1), "5 €", Some(5.0));
        references.see((9, 1, 1), "no", None);
        assert_eq!(references.get((0, 1, 1)).unwrap().text, "5 €");
        assert_eq!(references.get((0, 2, 1)), None);
        assert_eq!(references.get((9, 1, 1)), None);
    }
}
