//! One of the two workbooks: its cells as hashes, and as texts for a report.

use crate::book::{Book, CellSource, FormulaKind, RowSpan, cells, digits, shown_formula};
use crate::formula::translated;
use crate::refs::{At, quoted_sheet};
use crate::value::Scalar;
use mitt_guest::FoldHasher;
use std::collections::BTreeMap;
use std::hash::Hasher;

/// The hash of all formulas, whose text is compared later.
const FORMULA: u64 = 0x6d69_7474;

#[derive(Debug)]
pub(super) struct Side {
    pub(super) book: Book,
    /// First cell and text of the shared formulas of each sheet.
    groups: Vec<BTreeMap<u32, (At, String)>>,
    /// Hashes of the shared texts.
    texts: Vec<u64>,
}

/// A row that has contents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) span: RowSpan,
    pub(super) hash: u64,
}

/// Cell and formula, as far as a comparison needs them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FormulaText {
    pub(super) text: String,
    /// Group, if the text comes from the first cell of a shared formula.
    pub(super) array: Option<String>,
}

fn hash(kind: u8, bytes: &[u8]) -> u64 {
    let mut hasher = FoldHasher::default();
    hasher.write_u8(kind);
    hasher.write(bytes);
    hasher.write_u64(bytes.len() as u64);
    hasher.finish()
}

fn number_hash(number: f64) -> u64 {
    // Zero has two signs.
    hash(b'n', &(number + 0.0).to_bits().to_le_bytes())
}

/// Returns one hash of several, whose order counts.
pub(super) fn joined(hashes: impl IntoIterator<Item = u64>) -> u64 {
    let mut hasher = FoldHasher::default();
    hashes.into_iter().for_each(|it| hasher.write_u64(it));
    hasher.finish()
}

impl Side {
    pub(super) fn new(mut book: Book) -> Self {
        let groups = book
            .sheets
            .iter_mut()
            .map(|it| it.text.as_mut().map(|text| text.shared().clone()).unwrap_or_default())
            .collect();
        let texts = (0..book.shared_count())
            .map(|it| hash(b't', book.shared_text(it).unwrap_or_default().as_bytes()))
            .collect();
        Self { book, groups, texts }
    }

    pub(super) fn spans(&self, sheet: usize) -> &[RowSpan] {
        self.book.sheets[sheet].text.as_ref().map_or(&[], |it| &it.rows)
    }

    pub(super) fn source(&self, sheet: usize, span: &RowSpan) -> &str {
        self.book.sheets[sheet].text.as_ref().map_or("", |it| it.row_text(span))
    }

    /// Returns a hash of the value of a cell; `None` if it has no content.
    pub(super) fn hash(&self, cell: &CellSource<'_>) -> Option<u64> {
        if cell.raw.ends_with("/>") {
            return None;
        }
        match cell.simple() {
            Some(("s", text)) => {
                return self.texts.get(text.trim().parse::<usize>().ok()?).copied();
            }
            Some(("n", text)) => {
                if let Some(number) = text.trim().parse::<f64>().ok().filter(|it| it.is_finite()) {
                    return Some(number_hash(number));
                }
            }
            _ => {}
        }
        if cell.has_formula() && cell.formula().is_some() {
            return Some(FORMULA);
        }
        let tag = cell.tag()?;
        if tag.attribute("t") == Some("s") {
            let index: usize = cell.value_text()?.trim().parse().ok()?;
            return self.texts.get(index).copied();
        }
        match self.value(cell) {
            Scalar::Empty => None,
            Scalar::Number(number) => Some(number_hash(number)),
            Scalar::Text(text) => Some(hash(b't', text.as_bytes())),
            Scalar::Bool(value) => Some(hash(b'b', &[u8::from(value)])),
            Scalar::Error(code) => Some(hash(b'e', code.as_str().as_bytes())),
        }
    }

    pub(super) fn is_formula_hash(hash: u64) -> bool {
        hash == FORMULA
    }

    /// Returns the hash of a text.
    pub(super) fn text_hash(text: &str) -> u64 {
        hash(b't', text.as_bytes())
    }

    pub(super) fn value(&self, cell: &CellSource<'_>) -> Scalar {
        cell.value(&|index| self.book.shared_text(index))
    }

    /// Returns the cells of a row that have contents, with their hashes.
    pub(super) fn contents<'a>(
        &'a self,
        source: &'a str,
    ) -> impl Iterator<Item = (CellSource<'a>, u64)> {
        cells(source).filter_map(|it| Some((it, self.hash(&it)?)))
    }

    /// Returns the formula of a cell.
    pub(super) fn formula(
        &self,
        sheet: usize,
        row: u32,
        cell: &CellSource<'_>,
    ) -> Option<FormulaText> {
        let formula = cell.formula()?;
        let at = At { row, column: cell.column };
        let array = match &formula.kind {
            FormulaKind::Array(area, _) => Some(area.clone()),
            _ => None,
        };
        if !formula.text.is_empty() {
            return Some(FormulaText { text: formula.text, array });
        }
        let text = match formula.kind {
            FormulaKind::Shared(group) => {
                let (first, text) = self.groups.get(sheet)?.get(&group)?;
                let rows = i64::from(at.row) - i64::from(first.row);
                let columns = i64::from(at.column) - i64::from(first.column);
                translated(text, rows, columns)
            }
            FormulaKind::DataTable => "TABLE()".to_owned(),
            _ => String::new(),
        };
        Some(FormulaText { text, array })
    }

    /// Returns the first cell and the text of the shared formula of a cell that repeats it.
    pub(super) fn group(
        &self,
        sheet: usize,
        cell: &CellSource<'_>,
    ) -> Option<(u32, &(At, String))> {
        let formula = cell.formula()?;
        match formula.kind {
            FormulaKind::Shared(group) if formula.text.is_empty() => {
                Some((group, self.groups.get(sheet)?.get(&group)?))
            }
            _ => None,
        }
    }

    /// Returns a cell as a report shows it; empty if it has no content.
    pub(super) fn shown(&self, sheet: usize, row: u32, cell: &CellSource<'_>) -> String {
        let value = match self.value(cell) {
            Scalar::Number(number) if self.book.styles.shows_dates(cell.style()) => {
                crate::moment::iso(number, self.book.from_1904)
            }
            // With all its digits, because it is compared exactly.
            Scalar::Number(number) => {
                let stored = cell.value_text().map(str::trim).filter(|it| it.len() > 15);
                stored.map_or_else(|| digits(number), str::to_owned)
            }
            other => other.shown(),
        };
        match self.formula(sheet, row, cell) {
            Some(formula) => format!("{} ({value})", shown_formula(&formula.text)),
            None => value,
        }
    }

    pub(super) fn place(&self, sheet: usize, rest: impl std::fmt::Display) -> String {
        format!("{}!{rest}", quoted_sheet(&self.book.sheets[sheet].name))
    }
}
