//! The rows of a worksheet, of which only those values are kept that there are.

use crate::item::Item;

/// Values of a row by their columns, ascending.
pub(crate) type Row = Box<[(u32, Item)]>;

/// Rows of a worksheet by their numbers, ascending. None is empty.
#[derive(Default)]
pub(crate) struct Rows {
    done: Vec<(u32, Row)>,
    number: u32,
    /// The values of the row that is being read.
    open: Vec<(u32, Item)>,
    /// Whether everything came in order, each place once.
    is_disordered: bool,
}

impl Rows {
    /// Add a value. A place that comes again gets the new value.
    pub(crate) fn push(&mut self, row: u32, column: u32, item: Item) {
        if row != self.number {
            self.close();
            self.is_disordered |= row < self.number;
            self.number = row;
        }
        self.is_disordered |= self.open.last().is_some_and(|(last, _)| *last >= column);
        self.open.push((column, item));
    }

    /// All rows, in order.
    pub(crate) fn finish(mut self) -> Vec<(u32, Row)> {
        self.close();
        if self.is_disordered {
            self.sort();
        }
        self.done
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            // A copy of the right size: room for growth would be kept a million times.
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
            // The last of equal places comes first, and the others go.
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
