//! Collects the content of a worksheet from the reader of any format, within the limits of a workbook.

use crate::format::Paddings;
use crate::hidden::Hidden;
use crate::item::Item;
use crate::place::{Places, column_name};
use crate::rows::{Row, Rows};
use crate::unseen::UnseenCells;
use crate::value::{Value, plain};
use calamine::Dimensions;
use mitt_reader_kit::{Error, clean, single_line};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Most cells of a workbook. A million rows of sixteen columns fit into the memory of a reader.
pub(crate) const MAX_CELLS: usize = 1 << 24;

/// Most bytes of text of a workbook. A text that many cells share counts once.
pub(crate) const MAX_TEXT_BYTES: usize = 128 << 20;

/// Most different texts that are deduplicated.
const MAX_REMEMBERED: usize = 1 << 16;

/// The most columns of a worksheet.
const MAX_COLUMNS: u32 = 1 << 14;

/// The most columns in a warning.
const MAX_NAMED: usize = 8;

/// A worksheet: its rows that are not empty, and its comments and drawings.
#[derive(Default)]
pub(crate) struct Sheet {
    pub(crate) name: String,
    pub(crate) rows: Vec<(u32, Row)>,
    pub(crate) merged: Vec<Dimensions>,
    pub(crate) asides: Asides,
}

/// Comments and drawings of a worksheet.
#[derive(Default)]
pub(crate) struct Asides {
    pub(crate) comments: Vec<Comment>,
    /// Text of text boxes and shapes.
    pub(crate) boxes: Vec<String>,
    /// Titles of charts; `None` for a chart without a title.
    pub(crate) charts: Vec<Option<String>>,
    pub(crate) pictures: usize,
}

/// A comment on a cell.
pub(crate) struct Comment {
    pub(crate) row: u32,
    pub(crate) column: u32,
    pub(crate) author: String,
    pub(crate) text: String,
}

/// Why a sheet was not read: the sheet is damaged, or the workbook is too large.
pub(crate) enum Failure {
    Sheet(String),
    TooLarge(Error),
}

/// What is left of the limits of a workbook.
pub(crate) struct Budget {
    cells: usize,
    text_bytes: usize,
}

pub(crate) struct Intake<'a> {
    budget: &'a mut Budget,
    sheet: Sheet,
    rows: Rows,
    texts: HashSet<Rc<str>>,
    errors: usize,
    first_error: Option<String>,
    uncalculated: Places,
    zeros: Places,
    problems: Vec<String>,
    /// Hidden rows and columns of the sheet.
    pub(crate) hidden: Hidden,
    pub(crate) unseen: UnseenCells,
    /// `true` if some numbers are identifiers.
    has_codes: bool,
    /// Number of whole numbers in each column that may have been rounded.
    rounded: BTreeMap<u32, usize>,
}

impl Budget {
    /// Returns the whole budget, less the shared strings.
    pub(crate) fn new(text_bytes: usize) -> Self {
        Self { cells: MAX_CELLS, text_bytes: MAX_TEXT_BYTES.saturating_sub(text_bytes) }
    }

    fn take_text(&mut self, text: &str) -> Result<(), Failure> {
        self.text_bytes = self.text_bytes.checked_sub(text.len()).ok_or_else(too_much_text)?;
        Ok(())
    }
}

impl<'a> Intake<'a> {
    pub(crate) fn new(budget: &'a mut Budget, name: String) -> Self {
        Self {
            budget,
            sheet: Sheet { name, ..Sheet::default() },
            rows: Rows::default(),
            texts: HashSet::new(),
            errors: 0,
            first_error: None,
            uncalculated: Places::default(),
            zeros: Places::default(),
            problems: Vec::new(),
            hidden: Hidden::default(),
            unseen: UnseenCells::default(),
            has_codes: false,
            rounded: BTreeMap::new(),
        }
    }

    pub(crate) fn cell(&mut self, row: u32, column: u32, value: Value) -> Result<(), Failure> {
        if value.item == Item::Null {
            return Ok(());
        }
        self.budget.cells = self.budget.cells.checked_sub(1).ok_or_else(too_many_cells)?;
        if value.is_error {
            self.errors += 1;
            self.first_error.get_or_insert_with(|| value.item.text().into_owned());
        }
        if value.is_rounded && column < MAX_COLUMNS {
            *self.rounded.entry(column).or_default() += 1;
        }
        self.has_codes |= matches!(value.item, Item::Code { .. });
        let item = match value.item {
            // A shared string was counted already.
            Item::Text(text) if Rc::strong_count(&text) == 1 => Item::Text(self.remembered(text)?),
            item => item,
        };
        self.rows.push(row, column, item);
        Ok(())
    }

    /// Counts a text that many cells may share.
    pub(crate) fn shared(&mut self, item: &Item) -> Result<(), Failure> {
        if let Item::Text(text) = item { self.budget.take_text(text) } else { Ok(()) }
    }

    /// Returns the text, or an equal one that is known already.
    fn remembered(&mut self, text: Rc<str>) -> Result<Rc<str>, Failure> {
        if let Some(known) = self.texts.get(&text) {
            return Ok(Rc::clone(known));
        }
        self.budget.take_text(&text)?;
        if self.texts.len() < MAX_REMEMBERED {
            self.texts.insert(Rc::clone(&text));
        }
        Ok(text)
    }

    /// Adds a formula without a stored value. Its text is the value, so that it does not look like an empty cell or a
    /// zero.
    pub(crate) fn uncalculated(
        &mut self,
        row: u32,
        column: u32,
        formula: &str,
    ) -> Result<(), Failure> {
        self.uncalculated.push(row, column);
        let text = single_line(&clean(formula));
        let item = Item::text_of(&format!("={}", text.trim_start_matches('=')));
        self.cell(row, column, plain(item))
    }

    /// Records a formula with value 0 in a workbook that asks for a calculation.
    pub(crate) fn doubtful_zero(&mut self, row: u32, column: u32) {
        self.zeros.push(row, column);
    }

    pub(crate) fn merged(&mut self, regions: impl IntoIterator<Item = Dimensions>) {
        self.sheet.merged.extend(regions);
    }

    /// Adds a comment on a cell, unless it has no text.
    pub(crate) fn comment(
        &mut self,
        row: u32,
        column: u32,
        author: &str,
        text: &str,
    ) -> Result<(), Failure> {
        let (author, mut text) = (single_line(&clean(author)), single_line(&clean(text)));
        // Programs put the name of the author before a comment.
        if let Some(rest) = text.strip_prefix(&author).and_then(|rest| rest.strip_prefix(':')) {
            text = rest.trim_start().to_owned();
        }
        if text.is_empty() {
            return Ok(());
        }
        self.budget.take_text(&text)?;
        self.budget.take_text(&author)?;
        self.sheet.asides.comments.push(Comment { row, column, author, text });
        Ok(())
    }

    pub(crate) fn text_box(&mut self, text: &str) -> Result<(), Failure> {
        let text = single_line(&clean(text));
        if !text.is_empty() {
            self.budget.take_text(&text)?;
            self.sheet.asides.boxes.push(text);
        }
        Ok(())
    }

    pub(crate) fn chart(&mut self, title: Option<&str>) -> Result<(), Failure> {
        let title = title.map(|title| single_line(&clean(title))).filter(|title| !title.is_empty());
        self.budget.take_text(title.as_deref().unwrap_or_default())?;
        self.sheet.asides.charts.push(title);
        Ok(())
    }

    pub(crate) fn picture(&mut self) {
        self.sheet.asides.pictures += 1;
    }

    /// Records that something in the sheet was not read.
    pub(crate) fn problem(&mut self, problem: impl Into<String>) {
        self.problems.push(problem.into());
    }

    /// Returns the sheet and the warnings about it. `paddings` are the formats of its identifiers.
    pub(crate) fn finish(
        mut self,
        paddings: Option<&Paddings>,
    ) -> Result<(Sheet, Vec<String>), Failure> {
        let mut rows = std::mem::take(&mut self.rows).finish();
        if self.has_codes {
            self.write_codes(&mut rows, paddings)?;
        }
        self.sheet.rows = rows;
        let mut notes = self.problems;
        notes.extend(self.hidden.notes(&self.sheet.rows));
        notes.extend(self.unseen.note());
        notes.extend(rounded_note(&self.rounded));
        if let Some(first) = self.first_error {
            notes.push(format!("cells with an error such as `{first}`: {}", self.errors));
        }
        if let Some(list) = self.uncalculated.list() {
            notes.push(uncalculated_note(&list));
        }
        if let Some(list) = self.zeros.list() {
            notes.push(zeros_note(&list));
        }
        let Asides { charts, pictures, .. } = &self.sheet.asides;
        let unread: Vec<String> = [(charts.len(), "chart"), (*pictures, "picture")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}{}", if count == 1 { "" } else { "s" }))
            .collect();
        if !unread.is_empty() {
            notes.push(format!("not read: {}", unread.join(", ")));
        }
        Ok((self.sheet, notes))
    }

    /// Writes the identifiers of a column as the workbook shows them, if the format changes at least one of them.
    /// Otherwise they stay numbers.
    fn write_codes(
        &mut self,
        rows: &mut [(u32, Row)],
        paddings: Option<&Paddings>,
    ) -> Result<(), Failure> {
        let shown = |padding: u16, units: i64| {
            let text = paddings?.get(padding)?.text(units)?;
            (!text.trim().is_empty()).then_some(text)
        };
        let mut is_changed: HashMap<u32, bool> = HashMap::new();
        for (column, item) in rows.iter().flat_map(|(_, row)| row) {
            let Item::Code { padding, units } = item else { continue };
            let is_changed = is_changed.entry(*column).or_default();
            *is_changed =
                *is_changed || shown(*padding, units.get()).is_some_and(|text| text != item.text());
        }
        for (column, item) in rows.iter_mut().flat_map(|(_, row)| row) {
            let Item::Code { padding, units } = *item else { continue };
            let text = match is_changed.get(column) {
                Some(true) => shown(padding, units.get()),
                _ => None,
            };
            *item = match text {
                Some(text) => Item::Text(self.remembered(Rc::from(text.trim()))?),
                None => Item::Number { scale: 0, units },
            };
        }
        Ok(())
    }
}

/// Returns the warning about formulas without a value in a list of cells.
pub(crate) fn uncalculated_note(list: &str) -> String {
    format!(
        "formulas that were never calculated stand as text, without a value: {list}; save the workbook in a spreadsheet \
         program to have them calculated"
    )
}

/// Returns the warning about formulas with the value 0 in a list of cells.
pub(crate) fn zeros_note(list: &str) -> String {
    format!(
        "formulas hold 0 and the workbook asks to be calculated when it is opened, so that their values may be missing: \
         {list}"
    )
}

/// Returns the warning about whole numbers that may have lost digits in the file.
fn rounded_note(rounded: &BTreeMap<u32, usize>) -> Option<String> {
    let count: usize = rounded.values().sum();
    let mut columns: Vec<String> =
        rounded.keys().take(MAX_NAMED).map(|column| column_name(*column)).collect();
    if rounded.len() > MAX_NAMED {
        columns.push("…".to_owned());
    }
    let (s, columns) = (if rounded.len() == 1 { "" } else { "s" }, columns.join(", "));
    (count > 0).then(|| {
        format!(
            "column{s} {columns}: whole numbers of more than 15 digits are stored as floating-point numbers, so that the last \
             digits of identifiers may be lost: {count}; have them exported as text"
        )
    })
}

pub(crate) fn too_many_cells_error() -> Error {
    Error::Quota(format!(
        "the workbook has more than {MAX_CELLS} cells: split it, or delete what is not needed"
    ))
}

fn too_many_cells() -> Failure {
    Failure::TooLarge(too_many_cells_error())
}

fn too_much_text() -> Failure {
    Failure::TooLarge(too_much_text_error())
}

pub(crate) fn too_much_text_error() -> Error {
    let limit = MAX_TEXT_BYTES >> 20;
    Error::Quota(format!("the cells of the workbook hold more than {limit} MiB of text"))
}
