//! Looks of cells, and runs of equal changes.

use super::report::Report;
use super::rows::Sheets;
use crate::book::{CellSource, head_tag};
use crate::refs::{Area, At};
use crate::xml::{elements, first_tag};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Kind, before and after of a look that changed.
type Change = [String; 3];

/// Changes between pairs of formats, each looked at once.
#[derive(Debug, Default)]
pub(super) struct Looks {
    known: BTreeMap<(u32, u32), Option<Rc<Vec<Change>>>>,
    /// Formats of whole columns of the sheets at hand: last column and format.
    old_columns: BTreeMap<u32, (u32, u32)>,
    new_columns: BTreeMap<u32, (u32, u32)>,
}

fn column_styles(head: &str) -> BTreeMap<u32, (u32, u32)> {
    let tags = elements(head, "col").into_iter().filter_map(|it| first_tag(it.1));
    tags.filter_map(|tag| {
        let style = tag.number("style").filter(|it| *it > 0)?;
        Some((tag.number("min")?, (tag.number("max")?, style)))
    })
    .collect()
}

/// Returns the format of a cell that is not there: that of its row or of its column.
fn absent(row: &str, columns: &BTreeMap<u32, (u32, u32)>, column: u32) -> u32 {
    let tag = first_tag(head_tag(row));
    let own = tag.filter(|it| matches!(it.attribute("customFormat"), Some("1" | "true")));
    own.and_then(|it| it.number("s")).unwrap_or_else(|| {
        let before = columns.range(..=column).next_back();
        before.filter(|it| it.1.0 >= column).map_or(0, |it| it.1.1)
    })
}

impl Looks {
    /// Prepares for two sheets.
    pub(super) fn begin(&mut self, it: &Sheets<'_>) {
        let head = |text: Option<&crate::book::SheetText>| {
            text.map(|it| column_styles(&it.head)).unwrap_or_default()
        };
        self.old_columns = head(it.old.book.sheets[it.old_sheet].text.as_ref());
        self.new_columns = head(it.new.book.sheets[it.new_sheet].text.as_ref());
    }

    /// Compares the looks of a cell, each with the row in which it stands. `at` is the place in the new sheet.
    pub(super) fn compare(
        &mut self,
        it: &Sheets<'_>,
        old: (Option<&CellSource<'_>>, &str),
        new: (Option<&CellSource<'_>>, &str),
        at: At,
        runs: &mut Runs,
        report: &mut Report,
    ) {
        let x = match old.0 {
            Some(cell) => cell.style(),
            None => absent(old.1, &self.old_columns, at.column),
        };
        let y = match new.0 {
            Some(cell) => cell.style(),
            None => absent(new.1, &self.new_columns, at.column),
        };
        if x == y && it.is_same_source {
            return;
        }
        let changes = self.known.entry((x, y)).or_insert_with(|| {
            let (a, b) = (it.old.book.styles.look(x), it.new.book.styles.look(y));
            let changes: Vec<Change> = a
                .into_iter()
                .zip(b)
                .filter(|(a, b)| a.1 != b.1)
                .map(|(a, b)| [a.0.to_owned(), a.1, b.1])
                .collect();
            (!changes.is_empty()).then(|| Rc::new(changes))
        });
        if let Some(changes) = changes {
            runs.add((x, y), &changes.clone(), at, it, report);
        }
    }
}

/// A rectangle of cells with the same changes.
#[derive(Clone, Debug)]
struct Run {
    key: (u32, u32),
    changes: Rc<Vec<Change>>,
    first: At,
    last: At,
}

/// Changes of looks: cells next to each other become one run, and equal runs below each other one rectangle.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// Rectangles that reach the row before the last one, by their first column.
    open: BTreeMap<u32, Run>,
    /// Runs of the last row.
    row: Vec<Run>,
}

impl Runs {
    fn add(
        &mut self,
        key: (u32, u32),
        changes: &Rc<Vec<Change>>,
        at: At,
        it: &Sheets<'_>,
        report: &mut Report,
    ) {
        if self.row.last().is_some_and(|run| run.first.row != at.row) {
            self.end_row(it, report);
        }
        match self.row.last_mut() {
            Some(run) if run.changes == *changes && run.last.column + 1 == at.column => {
                run.last = at;
            }
            _ => self.row.push(Run { key, changes: changes.clone(), first: at, last: at }),
        }
    }

    fn end_row(&mut self, it: &Sheets<'_>, report: &mut Report) {
        let mut next = BTreeMap::new();
        for mut run in std::mem::take(&mut self.row) {
            if let Some(above) = self.open.get(&run.first.column)
                && above.last.row + 1 == run.first.row
                && above.last.column == run.last.column
                && (above.key == run.key || above.changes == run.changes)
            {
                run.first = above.first;
                self.open.remove(&run.first.column);
            }
            next.insert(run.first.column, run);
        }
        for run in std::mem::replace(&mut self.open, next).into_values() {
            write(&run, it, report);
        }
    }

    pub(super) fn finish(&mut self, it: &Sheets<'_>, report: &mut Report) {
        self.end_row(it, report);
        for run in std::mem::take(&mut self.open).into_values() {
            write(&run, it, report);
        }
    }
}

fn write(run: &Run, it: &Sheets<'_>, report: &mut Report) {
    let (first, last) = (run.first, run.last);
    for [kind, before, after] in run.changes.iter() {
        report.add(|| {
            let area = Area { first, last };
            [kind.clone(), it.new.place(it.new_sheet, area), before.clone(), after.clone()]
        });
    }
}
