//! Collects warnings about numbers that became text because a cell cannot hold them, by column.

use std::collections::BTreeMap;

use super::problems::shown;

/// Most columns that are named; the others are counted.
const MAX_COLUMNS: usize = 10;

/// Numbers that were written as text.
#[derive(Default)]
pub(super) struct LongNumbers {
    /// By sheet and index of the column: its header, the count, and the first row.
    columns: BTreeMap<(String, u16), (String, u64, u32)>,
    /// Numbers in columns that are not named.
    others: u64,
}

impl LongNumbers {
    /// Records a number in a row, from 0, and a column of a sheet.
    #[cold]
    pub(super) fn add(&mut self, sheet: &str, (row, column): (u32, u16), header: &str) {
        let key = (sheet.to_owned(), column);
        if let Some((_, count, _)) = self.columns.get_mut(&key) {
            *count += 1;
        } else if self.columns.len() < MAX_COLUMNS {
            self.columns.insert(key, (header.to_owned(), 1, row + 1));
        } else {
            self.others += 1;
        }
    }

    /// Returns one sentence for each column.
    pub(super) fn into_warnings(self) -> impl Iterator<Item = String> {
        let plain = |text: &str| shown(text).replace(|c: char| c == '`' || c.is_control(), " ");
        let warnings = self.columns.into_iter().map(move |((sheet, _), (header, count, row))| {
            format!(
                "sheet `{}`, column `{}`: {count} numbers are text, the first in row {row}: they have digits that a cell of Excel does \
                 not hold, and no formula adds them up",
                plain(&sheet),
                plain(&header)
            )
        });
        let others = (self.others > 0)
            .then(|| format!("{} more numbers, in other columns, are text", self.others));
        warnings.chain(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_once_and_the_others_are_counted() {
        let mut numbers = LongNumbers::default();
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
        assert_eq!(warnings[10], "6 more numbers, in other columns, are text");
    }
}
