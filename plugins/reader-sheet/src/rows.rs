//! The rows of a worksheet. Only non-empty values are stored.

use crate::item::Item;

/// Values of a row by column, ascending.
pub(crate) type Row = Box<[(u32, Item)]>;

/// Non-empty rows of a worksheet by number, ascending.
#[derive(Default)]
pub(crate) struct Rows {
    done: Vec<(u32, Row)>,
    number: u32,
    /// Values of the row that is being read.
    open: Vec<(u32, Item)>,
    /// `true` if the values did not come in order, or some came twice.
    is_disordered: bool,
}

impl Rows {
    /// Adds a value. A later value for the same cell replaces it.
    pub(crate) fn push(&mut self, row: u32, column: u32, item: Item) {
        if row != self.number {
            self.close();
            self.is_disordered |= row < self.number;
            self.number = row;
        }
        self.is_disordered |= self.open.last().is_some_and(|(last, _)| *last >= column);
        self.open.push((column, item));
    }

    /// Returns all rows, in order.
    pub(crate) fn finish(mut self) -> Vec<(u32, Row)> {
        self.close();
        if self.is_disordered {
            self.sort();
        }
        self.done
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            // Copied to the exact size, because spare capacity would be kept for a million rows.
            let row = self.open.drain(..).collect();
            self.done.push((self.number, row));
        }
    }

    fn sort(&mut self) {
        self.done.sort_by_key(|(number, _)| *number);
        let mut sorted: Vec<(u32, Row)> = Vec::with_capacity(self.done.len());
        for (number, row) in std::mem::take(&mut self.done) {
            let row = match sorted.pop_if(|(last, _)| *last == number) {
                Some((_, before)) => before.into_iter().chain(row).collect(),
                None => row,
            };
            sorted.push((number, row));
        }
        for (_, row) in &mut sorted {
            let mut items = std::mem::take(row).into_vec();
            // The stable sort puts the last of equal columns first, and only that stays.
            items.reverse();
            items.sort_by_key(|(column, _)| *column);
            items.dedup_by_key(|(column, _)| *column);
            *row = items.into();
        }
        self.done = sorted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_the_last_value_counts() {
        let mut rows = Rows::default();
        for (row, column, text) in
            [(3, 1, "a"), (3, 0, "b"), (1, 5, "c"), (3, 1, "d"), (1, 5, "e"), (2, 0, "f")]
        {
            rows.push(row, column, Item::text_of(text));
        }
        let found: Vec<String> = rows
            .finish()
            .iter()
            .flat_map(|(row, items)| {
                items.iter().map(move |(column, item)| format!("{row} {column} {}", item.text()))
            })
            .collect();
        assert_eq!(found, ["1 5 e", "2 0 f", "3 0 b", "3 1 d"]);
    }
}
