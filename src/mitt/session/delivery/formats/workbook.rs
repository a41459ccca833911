//! Excel workbook.

use futures_util::future::BoxFuture;
use mitt_guard::REDACTED;

use super::super::draw::{Deliver, Drawing, Rendered};
use super::workbook_size::workbook_bytes;
use crate::check::Check;
use mitt_base::Result;
use mitt_base::memory::Account;
use mitt_render::{Cancel, LeftOut, SheetBlock, SheetCell, Workbook};

/// Workbooks up to this many rows are checked at once, without a place for blocking work, as texts up to
/// [`INLINE_BYTES`](crate::host::INLINE_BYTES) are.
const INLINE_ROWS: u64 = 1_000;

pub(super) struct WorkbookFile {
    pub(super) book: Box<Workbook>,
    /// Names of its pictures that have no bytes yet, in order.
    pub(super) pictures: Vec<String>,
}

impl Deliver for WorkbookFile {
    fn bytes(&self) -> u64 {
        let names = self.pictures.iter().map(|name| size_of::<String>() + name.len());
        workbook_bytes(&self.book) + names.sum::<usize>() as u64
    }

    fn is_long(&self) -> bool {
        self.book.row_count() > INLINE_ROWS
    }

    fn redact(&mut self, check: &mut Check, account: &Account, _: &Cancel) -> Result<LeftOut> {
        redact_workbook(check, &mut self.book, account)?;
        Ok(LeftOut::default())
    }

    fn draw(self: Box<Self>, drawing: Drawing) -> BoxFuture<'static, Result<Rendered>> {
        Box::pin(async move {
            let permit = drawing.acquire_permit().await?;
            let WorkbookFile { mut book, pictures } = *self;
            let Drawing { delivery, created, rows, memory, kept, .. } = drawing;
            let session = delivery.clone();
            let draw = move |cancel| {
                let charges = session.with_pictures(&mut book, &pictures, &memory)?;
                let mut warnings = book.shorten_headers();
                let memory = Some(memory);
                let options = mitt_render::XlsxOptions { created, cancel, memory, rows };
                let file = mitt_render::xlsx(&book, &options)?;
                warnings.extend(file.warnings.iter().cloned());
                Ok((mitt_render::Xlsx { warnings, ..file }, (kept, charges)))
            };
            let (file, (kept, _)) = delivery.rendered(permit, draw).await?;
            let sheets = file.sheets;
            Ok(Rendered { sheets, ..Rendered::new(file.bytes, file.warnings, Some(kept)) })
        })
    }
}

/// Redacts each text of a workbook.
fn redact_workbook(check: &mut Check, book: &mut Workbook, account: &Account) -> Result<()> {
    check.texts(&mut book.title)?;
    for name in &mut book.names {
        check.text(&mut name.name)?;
        if check.formula(&name.formula)? {
            // A quoted text is a valid formula.
            name.formula = format!("\"{REDACTED}\"");
        }
    }
    for sheet in &mut book.sheets {
        if check.text(&mut sheet.name)? {
            // Excel allows no brackets in names of sheets.
            sheet.name = sheet.name.replace(['[', ']'], "");
        }
        for block in &mut sheet.blocks {
            check.texts(&mut block.title)?;
            check.texts(block.columns.iter_mut().map(|column| &mut column.header))?;
            check.texts(block.charts.iter_mut().flat_map(|chart| {
                [
                    &mut chart.title,
                    &mut chart.category_title,
                    &mut chart.value_title,
                    &mut chart.second_title,
                ]
                .into_iter()
                .flatten()
            }))?;
            redact_beside(check, block)?;
            if let Some(data) = &mut block.data
                && let Some(redacted) = check.table(&data.table, account)?
            {
                data.table = redacted;
            }
            let cells = block.rows.iter_mut().flat_map(|row| &mut row.cells);
            cells.into_iter().try_for_each(|cell| redact_cell(check, cell))?;
        }
    }
    Ok(())
}

/// Redacts what a block shows besides its cells. A formula or name that was redacted becomes invalid, which a later check
/// reports.
fn redact_beside(check: &mut Check, block: &mut SheetBlock) -> Result<()> {
    check.texts(&mut block.table_name)?;
    check.texts(block.notes.iter_mut().map(|note| &mut note.text))?;
    for rule in &mut block.rules {
        check.texts(rule.value.iter_mut().chain(&mut rule.upper))?;
    }
    for input in &mut block.inputs {
        check.texts(&mut input.choices)?;
        let texts = [
            &mut input.minimum,
            &mut input.maximum,
            &mut input.formula,
            &mut input.prompt,
            &mut input.message,
        ];
        check.texts(texts.into_iter().flatten())?;
    }
    let pictures = block.pictures.iter_mut();
    check.texts(pictures.filter_map(|picture| picture.description.as_mut()))
}

/// Redacts a cell. A redacted formula, link or number becomes text, since it is no longer complete.
fn redact_cell(check: &mut Check, cell: &mut SheetCell) -> Result<()> {
    let is_changed = match cell {
        SheetCell::Empty | SheetCell::Boolean(_) => return Ok(()),
        SheetCell::Text(text) => return check.text(text).map(drop),
        SheetCell::Number(text) | SheetCell::Date(text) => check.text(text)?,
        SheetCell::Formula(formula) => {
            let is_left_out = check.formula(&formula.expression)?;
            let is_changed = check.text(&mut formula.value)?;
            if is_left_out && formula.value.is_empty() {
                formula.value = REDACTED.to_owned();
            }
            is_left_out | is_changed
        }
        SheetCell::Link(link) => check.text(&mut link.url)? | check.text(&mut link.text)?,
    };
    if is_changed {
        let text = match cell {
            SheetCell::Number(text) | SheetCell::Date(text) => std::mem::take(text),
            SheetCell::Formula(formula) => std::mem::take(&mut formula.value),
            SheetCell::Link(link) => std::mem::take(&mut link.text),
            SheetCell::Empty | SheetCell::Boolean(_) | SheetCell::Text(_) => return Ok(()),
        };
        *cell = SheetCell::Text(text);
    }
    Ok(())
}
