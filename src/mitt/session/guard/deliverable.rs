//! What the guard does to files that are delivered, before they are rendered.

use mitt_guard::REDACTED;
use mitt_render::{Cancel, LeftOut, SheetBlock, SheetCell, Workbook};

use crate::capability::{Change, Deliverable};
use crate::check::Check;
use mitt_base::Result;
use mitt_base::memory::Account;

impl Check {
    /// Redacts the source of a file before it is rendered, and the tree that is rendered. Returns what was left out of the tree.
    pub(super) fn deliverable(
        &mut self,
        what: &mut Deliverable,
        account: &Account,
        cancel: &Cancel,
    ) -> Result<LeftOut> {
        match what {
            Deliverable::Text(text) => self.text(text).map(drop)?,
            Deliverable::Pdf { markdown, options } => {
                self.texts(&mut options.title)?;
                self.text(markdown)?;
                return self.drawn(markdown, cancel);
            }
            Deliverable::Word(word) => {
                self.texts(&mut word.options.title)?;
                self.texts(&mut word.markdown)?;
                self.fill_values(&mut word.options.values)?;
                if let Some(markdown) = &word.markdown {
                    return self.drawn(markdown, cancel);
                }
            }
            Deliverable::Html { markdown, options } => {
                self.texts(&mut options.title)?;
                self.text(markdown)?;
                return self.drawn(markdown, cancel);
            }
            Deliverable::Tables { markdown, title, .. } => {
                self.texts(title)?;
                self.text(markdown)?;
                return self.drawn(markdown, cancel);
            }
            Deliverable::Filling(filling) => match &mut filling.change {
                Change::Fill(values) => self.fill_values(values)?,
                Change::Append { rows, .. } => self.fill_value(rows)?,
            },
            Deliverable::Workbook(book, _) => self.workbook(book, account)?,
            Deliverable::Chart(chart) => {
                self.texts(chart.texts())?;
                // Column names and references to them are redacted alike, so they still match.
                self.texts(chart.names())?;
            }
        }
        Ok(LeftOut::default())
    }

    fn workbook(&mut self, book: &mut Workbook, account: &Account) -> Result<()> {
        self.texts(&mut book.title)?;
        for name in &mut book.names {
            self.text(&mut name.name)?;
            if self.formula(&name.formula)? {
                // A quoted text is a valid formula.
                name.formula = format!("\"{REDACTED}\"");
            }
        }
        for sheet in &mut book.sheets {
            if self.text(&mut sheet.name)? {
                // Excel allows no brackets in names of sheets.
                sheet.name = sheet.name.replace(['[', ']'], "");
            }
            for block in &mut sheet.blocks {
                self.texts(&mut block.title)?;
                self.texts(block.columns.iter_mut().map(|column| &mut column.header))?;
                self.texts(block.charts.iter_mut().flat_map(|chart| {
                    [
                        &mut chart.title,
                        &mut chart.category_title,
                        &mut chart.value_title,
                        &mut chart.second_title,
                    ]
                    .into_iter()
                    .flatten()
                }))?;
                self.beside(block)?;
                if let Some(data) = &mut block.data
                    && let Some(redacted) = self.table(&data.table, account)?
                {
                    data.table = redacted;
                }
                let cells = block.rows.iter_mut().flat_map(|row| &mut row.cells);
                cells.into_iter().try_for_each(|cell| self.cell(cell))?;
            }
        }
        Ok(())
    }

    /// Redacts what a block shows besides its cells. A formula or name that was redacted becomes invalid, which a later check
    /// reports.
    fn beside(&mut self, block: &mut SheetBlock) -> Result<()> {
        self.texts(&mut block.table_name)?;
        self.texts(block.notes.iter_mut().map(|note| &mut note.text))?;
        for rule in &mut block.rules {
            self.texts(rule.value.iter_mut().chain(&mut rule.upper))?;
        }
        for input in &mut block.inputs {
            self.texts(&mut input.choices)?;
            let texts = [
                &mut input.minimum,
                &mut input.maximum,
                &mut input.formula,
                &mut input.prompt,
                &mut input.message,
            ];
            self.texts(texts.into_iter().flatten())?;
        }
        let pictures = block.pictures.iter_mut();
        self.texts(pictures.filter_map(|picture| picture.description.as_mut()))
    }

    /// Redacts a cell. A redacted formula, link or number becomes text, since it is no longer complete.
    fn cell(&mut self, cell: &mut SheetCell) -> Result<()> {
        let is_changed = match cell {
            SheetCell::Empty | SheetCell::Boolean(_) => return Ok(()),
            SheetCell::Text(text) => return self.text(text).map(drop),
            SheetCell::Number(text) | SheetCell::Date(text) => self.text(text)?,
            SheetCell::Formula(formula) => {
                let is_left_out = self.formula(&formula.expression)?;
                let is_changed = self.text(&mut formula.value)?;
                if is_left_out && formula.value.is_empty() {
                    formula.value = REDACTED.to_owned();
                }
                is_left_out | is_changed
            }
            SheetCell::Link(link) => self.text(&mut link.url)? | self.text(&mut link.text)?,
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
}
