//! A part of a document, and which claims stand in it.

use super::claim::{Claim, ClaimContent};
use super::normal::{push_normal, stands_in};
use mitt_base::written_number::{Number, numbers};
use mitt_table::{CellRef, Table};

/// Most bytes of documents that are compared for one answer.
const MAX_COMPARED_BYTES: usize = 32 * 1024 * 1024;

/// What is left of the work for an answer.
#[derive(Debug)]
pub(super) struct Effort {
    bytes: usize,
}

impl Effort {
    pub(super) fn new() -> Effort {
        Effort { bytes: MAX_COMPARED_BYTES }
    }

    /// Takes this much of what is left. Returns `false` if it is not there.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.unwrap_or(0);
        left.is_some()
    }
}

/// A value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CellContent {
    /// A number in JSON's notation.
    Number(String),
    Text(String),
}

/// A part of a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Region<'a> {
    /// Text, such as that of a page.
    pub(super) text: &'a str,
    /// The text behind it, in which a quotation may end.
    pub(super) next: &'a str,
    /// Values of cells.
    pub(super) cells: Vec<CellContent>,
    /// Tables, whole.
    pub(super) tables: Vec<&'a Table>,
}

impl<'a> Region<'a> {
    pub(super) fn of_text(text: &'a str) -> Region<'a> {
        Region { text, ..Region::default() }
    }

    pub(super) fn of_cells(cells: Vec<CellContent>) -> Region<'a> {
        Region { cells, ..Region::default() }
    }

    fn bytes(&self) -> usize {
        /// About what a cell of a table takes to compare.
        const CELL: usize = 16;
        let cells = self.cells.iter().map(|it| match it {
            CellContent::Number(text) | CellContent::Text(text) => text.len(),
        });
        let tables = self.tables.iter().map(|it| it.cell_count().saturating_mul(CELL));
        self.text.len() + self.next.len() + cells.sum::<usize>() + tables.sum::<usize>()
    }

    /// Returns which of the claims stand here. `None` if too much was compared for this answer already.
    pub(super) fn holds(&self, claims: &[Claim], effort: &mut Effort) -> Option<Vec<bool>> {
        if !effort.take(self.bytes().saturating_mul(2)) {
            return None;
        }
        let mut found = vec![false; claims.len()];
        if claims.iter().any(|it| matches!(it.content, ClaimContent::Number(_))) {
            self.each_number(|number| mark_number(claims, number, &mut found));
        }
        if claims.iter().any(|it| matches!(it.content, ClaimContent::Quotation(_))) {
            self.mark_quotations(claims, &mut found);
        }
        Some(found)
    }

    fn each_number(&self, mut each: impl FnMut(Number)) {
        in_text(self.text, &mut each);
        for cell in &self.cells {
            match cell {
                CellContent::Text(text) => in_text(text, &mut each),
                CellContent::Number(lexeme) => {
                    Number::of_json(lexeme).into_iter().for_each(&mut each)
                }
            }
        }
        for table in &self.tables {
            each_cell(table, |cell| match cell {
                CellRef::Number(lexeme) => Number::of_json(lexeme).into_iter().for_each(&mut each),
                CellRef::Text(text) => in_text(text, &mut each),
                CellRef::Null | CellRef::Boolean(_) => {}
            });
        }
    }

    fn mark_quotations(&self, claims: &[Claim], found: &mut [bool]) {
        let mut text = String::with_capacity(self.text.len());
        push_normal(&mut text, self.text);
        let end = text.len();
        push_normal(&mut text, self.next);
        mark_in(&text, end, claims, found);
        if self.cells.is_empty() && self.tables.is_empty() {
            return;
        }
        // Cells of a row read as one text.
        text.clear();
        for cell in &self.cells {
            let (CellContent::Number(it) | CellContent::Text(it)) = cell;
            push_normal(&mut text, it);
        }
        for table in &self.tables {
            each_cell(table, |cell| push_normal(&mut text, cell.as_str()));
        }
        let end = text.len();
        mark_in(&text, end, claims, found);
    }
}

fn in_text(text: &str, each: &mut impl FnMut(Number)) {
    numbers(text, |number, _| {
        each(number);
        true
    });
}

/// Calls `each` with each name of a column, then with each cell, row by row.
fn each_cell(table: &Table, mut each: impl FnMut(CellRef<'_>)) {
    let mut text = String::new();
    table.names().for_each(|name| each(CellRef::Text(name)));
    for row in 0..table.rows() {
        for column in 0..table.width() {
            each(table.cell(row, column, &mut text));
        }
    }
}

fn mark_number(claims: &[Claim], source: Number, found: &mut [bool]) {
    for (claim, found) in claims.iter().zip(found) {
        if let ClaimContent::Number(shown) = &claim.content {
            *found = *found || shown.likeness(source).is_some();
        }
    }
}

fn mark_in(text: &str, end: usize, claims: &[Claim], found: &mut [bool]) {
    for (claim, found) in claims.iter().zip(found) {
        if let ClaimContent::Quotation(parts) = &claim.content {
            *found = *found || stands_in(parts, text, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citation::normal::normal;

    fn number(text: &str) -> Claim {
        let content = ClaimContent::Number(Number::of_value(text).unwrap());
        Claim { text: text.to_owned(), content }
    }

    fn quotation(text: &str) -> Claim {
        let content = ClaimContent::Quotation(vec![normal(text)]);
        Claim { text: text.to_owned(), content }
    }

    fn holds(region: &Region<'_>, claim: Claim) -> bool {
        region.holds(&[claim], &mut Effort::new()).unwrap()[0]
    }

    #[test]
    fn numbers_are_the_same_however_they_are_written_and_rounded() {
        let page = Region::of_text("收入14,523,000元，增长率0.1234，亏损(5,000)。");
        for (text, stands) in [
            ("14,523,000", true),
            ("1,452.3万", true),
            ("1452.3 万元", true),
            ("12.34%", true),
            ("12.3%", true),
            ("12.4%", false),
            ("5000", true),
            ("1,452.4万", false),
            ("0.12", true),
            ("0.13", false),
        ] {
            assert_eq!(holds(&page, number(text)), stands, "{text}");
        }
        let cells =
            vec![CellContent::Number("-0.1235".to_owned()), CellContent::Text("7 of 9".to_owned())];
        let cells = Region::of_cells(cells);
        assert!(holds(&cells, number("-12.35%")) && holds(&cells, number("9")));
        assert!(!holds(&cells, number("8")));
    }

    #[test]
    fn a_quotation_may_end_on_the_next_page_but_not_begin_there() {
        let page =
            Region { next: "the goods in 45 days.", ..Region::of_text("The supplier delivers\n") };
        assert!(holds(&page, quotation("supplier delivers the goods")));
        assert!(!holds(&page, quotation("in 45 days")));
        let table = Table::of_rows(
            vec!["Name".into(), "Days".into()],
            &[vec![CellRef::Text("Late Fee").to_cell(), CellRef::from_text("45").to_cell()]],
        );
        let table = table.unwrap();
        let region = Region { tables: vec![&table], ..Region::default() };
        assert!(holds(&region, quotation("late fee")) && holds(&region, number("45")));
    }

    #[test]
    fn the_work_for_an_answer_has_a_bound() {
        let long = "5 ".repeat(MAX_COMPARED_BYTES / 4 + 1);
        let mut effort = Effort::new();
        assert!(Region::of_text(&long).holds(&[number("7")], &mut effort).is_none());
        assert!(
            Region::of_text("x").holds(&[number("7")], &mut effort).is_none(),
            "nothing is left"
        );
    }
}
