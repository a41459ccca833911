//! Collects warnings about cells of one kind, by column: numbers that became text, and formulas without a value.

use std::collections::BTreeMap;

use super::problems::shown;

/// Cells of one kind.
pub(super) struct CountedCells {
    /// What is said of them, behind their number: `numbers are text`.
    are: &'static str,
    /// What it means for the reader.
    why: &'static str,
    /// Most columns that are named; cells of the others are counted.
    most: usize,
    /// By sheet and index of the column: its header, the count, and the first row.
    columns: BTreeMap<(String, u16), (String, u64, u32)>,
    /// Cells in columns that are not named.
    others: u64,
}

impl CountedCells {
    /// Numbers that a cell cannot hold.
    pub(super) fn long_numbers() -> CountedCells {
        CountedCells {
            are: "numbers are text",
            why: "they have digits that a cell of Excel does not hold, and no formula adds them up",
            most: 10,
            columns: BTreeMap::new(),
            others: 0,
        }
    }

    /// Formulas that Mitt does not calculate.
    pub(super) fn formulas_without_value() -> CountedCells {
        CountedCells {
            are: "formulas have no value yet",
            why: "Excel and LibreOffice calculate them when they open the file; programs that do not calculate show empty cells",
            most: 3,
            columns: BTreeMap::new(),
            others: 0,
        }
    }

    /// Records a cell in a row, from 0, and a column of a sheet.
    #[cold]
    pub(super) fn add(&mut self, sheet: &str, (row, column): (u32, u16), header: &str) {
        let key = (sheet.to_owned(), column);
        if let Some((_, count, _)) = self.columns.get_mut(&key) {
            *count += 1;
        } else if self.columns.len() < self.most {
            self.columns.insert(key, (header.to_owned(), 1, row + 1));
        } else {
            self.others += 1;
        }
    }

    /// Returns one sentence for each column.
    pub(super) fn into_warnings(self) -> impl Iterator<Item = String> {
        let CountedCells { are, why, columns, others, .. } = self;
        let plain = |text: &str| shown(text).replace(|c: char| c == '`' || c.is_control(), " ");
        let warnings = columns.into_iter().map(move |((sheet, _), (header, count, row))| {
            let (sheet, header) = (plain(&sheet), plain(&header));
            format!(
                "sheet `{sheet}`, column `{header}`: {count} {are}, the first in row {row}: {why}"
            )
        });
        let others = (others > 0).then(|| format!("in other columns, {others} more {are}"));
        warnings.chain(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_once_and_the_others_are_counted() {
        let mut numbers = CountedCells::long_numbers();
        for column in 0..12 {
            for row in 4..7 {
                numbers.add("S`\n", (row, column), &format!("c{column}"));
            }
        }
        let warnings: Vec<_> = numbers.into_warnings().collect();
        assert_eq!(warnings.len(), 11);
        assert_eq!(
            warnings[0],
            "sheet `S  `, column `c0`: 3 numbers are text, the first in row 5: they have digits that a cell of Excel does not hold, and \
             no formula adds them up"
        );
        assert_eq!(warnings[10], "in other columns, 6 more numbers are text");
    }
}
