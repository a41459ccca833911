//! Cells of rows that belong together: values, formulas and looks.

use super::columns::Columns;
use super::looks::{Looks, Runs};
use super::map::Maps;
use super::report::Report;
use super::rows::{Rows, Sheets};
use crate::book::{CellSource, RowSpan, cells, shown_formula};
use crate::refs::At;
use crate::value::Scalar;
use std::collections::BTreeMap;

/// Pairs of shared formulas that were compared: the same in relation to their cells or not.
type Groups = BTreeMap<(u32, u32), bool>;

pub(super) struct Comparing<'a> {
    pub(super) sheets: &'a Sheets<'a>,
    pub(super) columns: &'a Columns,
    pub(super) maps: &'a Maps,
    pub(super) has_same_maps: bool,
    pub(super) looks: &'a mut Looks,
    pub(super) groups: Groups,
    pub(super) runs: Runs,
}

impl Comparing<'_> {
    pub(super) fn rows(&mut self, rows: &Rows, report: &mut Report) {
        for (old, new) in &rows.pairs {
            self.row(old, new, report);
        }
        for (old, new) in self.blank_rows(rows) {
            self.row(&old, &new, report);
        }
        self.runs.finish(self.sheets, report);
    }

    /// Returns rows without contents whose cells may have looks.
    fn blank_rows(&self, rows: &Rows) -> Vec<(RowSpan, RowSpan)> {
        let it = self.sheets;
        let (a, b) = (it.old.spans(it.old_sheet), it.new.spans(it.new_sheet));
        let map = self.maps.sheets.get(it.old_sheet).and_then(Option::as_ref);
        let Some(map) = map else { return Vec::new() };
        let numbers = |all: Vec<u32>| {
            let mut all = all;
            all.sort_unstable();
            all
        };
        let known_old = numbers(
            rows.pairs
                .iter()
                .map(|it| it.0.number)
                .chain(rows.removed.iter().map(|it| it.number))
                .collect(),
        );
        let known_new = numbers(
            rows.pairs
                .iter()
                .map(|it| it.1.number)
                .chain(rows.inserted.iter().map(|it| it.number))
                .collect(),
        );
        let is_free = |known: &[u32], number: &u32| known.binary_search(number).is_err();
        let nothing = |number: u32| RowSpan { number, start: 0, end: 0 };
        let find = |spans: &[RowSpan], number: u32| {
            let at = spans.binary_search_by_key(&number, |it| it.number);
            at.map_or(nothing(number), |it| spans[it])
        };
        let mut pairs: BTreeMap<u32, (RowSpan, RowSpan)> = BTreeMap::new();
        for old in a.iter().filter(|it| is_free(&known_old, &it.number)) {
            let number = map.rows.get(old.number);
            if is_free(&known_new, &number) {
                pairs.insert(number, (*old, find(b, number)));
            }
        }
        let back = map.rows.reversed();
        for new in b.iter().filter(|it| is_free(&known_new, &it.number)) {
            let number = back.get(new.number);
            if is_free(&known_old, &number) {
                pairs.entry(new.number).or_insert_with(|| (find(a, number), *new));
            }
        }
        pairs.into_values().collect()
    }

    fn row(&mut self, old: &RowSpan, new: &RowSpan, report: &mut Report) {
        let it = self.sheets;
        // Rows that are not in the file have no source.
        let a = if old.end > 0 { it.old.source(it.old_sheet, old) } else { "" };
        let b = if new.end > 0 { it.new.source(it.new_sheet, new) } else { "" };
        let is_same = it.is_same_source && old.number == new.number && self.columns.is_same();
        if is_same && a == b && self.has_same_maps {
            return;
        }
        let mut left =
            cells(a).filter_map(|cell| Some((self.columns.of_old(cell.column)?, cell))).peekable();
        let mut right =
            cells(b).filter_map(|cell| Some((self.columns.of_new(cell.column)?, cell))).peekable();
        loop {
            let column = match (left.peek(), right.peek()) {
                (Some(x), Some(y)) => x.0.min(y.0),
                (Some(x), None) => x.0,
                (None, Some(y)) => y.0,
                (None, None) => return,
            };
            let x = left.next_if(|it| it.0 <= column).map(|it| it.1);
            let y = right.next_if(|it| it.0 <= column).map(|it| it.1);
            let at = At { row: new.number, column };
            self.looks.compare(it, (x.as_ref(), a), (y.as_ref(), b), at, &mut self.runs, report);
            self.contents(x.as_ref(), y.as_ref(), old.number, at, report);
        }
    }

    fn contents(
        &mut self,
        old: Option<&CellSource<'_>>,
        new: Option<&CellSource<'_>>,
        old_row: u32,
        at: At,
        report: &mut Report,
    ) {
        let it = self.sheets;
        let is_formula = |cell: Option<&CellSource<'_>>| cell.is_some_and(CellSource::has_formula);
        let kind = match (is_formula(old), is_formula(new)) {
            (false, false) if self.is_same_value(old, new) => return,
            (false, false) => "value",
            (true, true) => {
                let (Some(x), Some(y)) = (old, new) else { return };
                match self.formula(x, y, old_row, at) {
                    None if self.is_same_value(old, new) => return,
                    None => "result",
                    Some(expected) => {
                        let show = |cell: &CellSource<'_>, row: u32, is_new: bool| {
                            if is_new {
                                it.new.shown(it.new_sheet, row, cell)
                            } else {
                                it.old.shown(it.old_sheet, row, cell)
                            }
                        };
                        report.add(|| {
                            let mut before = show(x, old_row, false);
                            let after = show(y, at.row, true);
                            if before == after || !expected.1 {
                                before.push_str(&format!(
                                    "; its cells are now {}",
                                    shown_formula(&expected.0)
                                ));
                            }
                            ["formula".into(), it.new.place(it.new_sheet, at), before, after]
                        });
                        return;
                    }
                }
            }
            _ => "formula",
        };
        report.add(|| {
            let before = old.map(|cell| it.old.shown(it.old_sheet, old_row, cell));
            let after = new.map(|cell| it.new.shown(it.new_sheet, at.row, cell));
            [
                kind.to_owned(),
                it.new.place(it.new_sheet, at),
                before.unwrap_or_default(),
                after.unwrap_or_default(),
            ]
        });
    }

    /// Returns `None` if a formula is the same or moved with its cells; otherwise the formula that was to be expected, and
    /// `true` if that is the old text.
    fn formula(
        &mut self,
        old: &CellSource<'_>,
        new: &CellSource<'_>,
        old_row: u32,
        at: At,
    ) -> Option<(String, bool)> {
        let it = self.sheets;
        let stays = old_row == at.row && old.column == new.column;
        if stays
            && self.has_same_maps
            && let (Some((a, x)), Some((b, y))) =
                (it.old.group(it.old_sheet, old), it.new.group(it.new_sheet, new))
        {
            let same = *self.groups.entry((a, b)).or_insert_with(|| {
                let rows = i64::from(y.0.row) - i64::from(x.0.row);
                let columns = i64::from(y.0.column) - i64::from(x.0.column);
                crate::formula::translated(&x.1, rows, columns) == y.1
            });
            if same {
                return None;
            }
        }
        let x = it.old.formula(it.old_sheet, old_row, old)?;
        let y = it.new.formula(it.new_sheet, at.row, new)?;
        let is_array = x.array.is_some() == y.array.is_some();
        let is_sorted = self.maps.sheets[it.old_sheet].as_ref().is_some_and(|it| it.is_sorted);
        if is_array && plain(&x.text) == plain(&y.text) && (stays || is_sorted) {
            return None;
        }
        let expected = if self.has_same_maps {
            x.text.clone()
        } else {
            self.maps.formula(&it.old.book, &x.text, Some(it.old_sheet))
        };
        if is_array && plain(&expected) == plain(&y.text) {
            return None;
        }
        let is_old = expected == x.text;
        Some((expected, is_old))
    }

    fn is_same_value(&self, old: Option<&CellSource<'_>>, new: Option<&CellSource<'_>>) -> bool {
        let it = self.sheets;
        let (x, y) = match (old, new) {
            (Some(x), Some(y)) => (x, y),
            (Some(one), None) => return it.old.value(one) == Scalar::Empty,
            (None, Some(one)) => return it.new.value(one) == Scalar::Empty,
            (None, None) => return true,
        };
        if x.raw.ends_with("/>") && y.raw.ends_with("/>") {
            return true;
        }
        let kind = |cell: &CellSource<'_>| {
            cell.tag().and_then(|it| it.attribute("t")).unwrap_or("n").to_owned()
        };
        let (a, b) = (kind(x), kind(y));
        let (v, w) = (x.value_text(), y.value_text());
        if a == b
            && v == w
            && (matches!(a.as_str(), "b" | "e" | "str") || a == "s" && it.is_same_source)
        {
            return true;
        }
        if a == "n" && b == "n" {
            let is_date = it.old.book.from_1904 != it.new.book.from_1904
                && it.old.book.styles.shows_dates(x.style())
                && it.new.book.styles.shows_dates(y.style());
            if !is_date {
                return v == w || is_same_decimal(v.unwrap_or_default(), w.unwrap_or_default());
            }
        }
        match (it.old.value(x), it.new.value(y)) {
            (Scalar::Number(a), Scalar::Number(b))
                if it.old.book.from_1904 != it.new.book.from_1904
                    && it.old.book.styles.shows_dates(x.style()) =>
            {
                crate::moment::iso(a, it.old.book.from_1904)
                    == crate::moment::iso(b, it.new.book.from_1904)
            }
            (a, b) => a == b,
        }
    }
}

/// Returns a formula without what does not count.
fn plain(formula: &str) -> String {
    shown_formula(formula)
}

/// Returns `true` if two decimal numbers are the same: `1`, `1.0` and `1E0`.
fn is_same_decimal(a: &str, b: &str) -> bool {
    match (decimal(a.trim()), decimal(b.trim())) {
        (Some(a), Some(b)) => a == b,
        _ => a.trim() == b.trim(),
    }
}

/// Returns sign, digits without zeros at both ends, and the exponent of the first digit.
fn decimal(text: &str) -> Option<(bool, String, i64)> {
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_number = (!whole.is_empty() || !fraction.is_empty())
        && whole.bytes().chain(fraction.bytes()).all(|it| it.is_ascii_digit());
    if !is_number {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    let zeros = digits.bytes().take_while(|it| *it == b'0').count();
    let plain = digits.trim_matches('0').to_owned();
    if plain.is_empty() {
        return Some((false, plain, 0));
    }
    let first = i64::from(exponent) + whole.len() as i64 - zeros as i64;
    Some((is_negative, plain, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_decimals() {
        for (a, b) in [("1", "1.0"), ("1E2", "100"), ("-0", "0"), ("0.05", "5e-2"), ("007", "7")] {
            assert!(is_same_decimal(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("0.3", "0.30000000000000004"),
            ("12345678901234567890", "12345678901234567891"),
            ("1", "-1"),
            ("10", "1"),
        ] {
            assert!(!is_same_decimal(a, b), "{a} {b}");
        }
    }
}
