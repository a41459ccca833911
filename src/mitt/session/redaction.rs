//! The guard at the session's edges: applies it to documents, reports and files that are delivered. Each edge calls one function
//! here; the rules are those of `mitt-guard`.
//!
//! Findings are counted per rule and recorded in the journal, without the text. Redactions appear as warnings of the document or
//! file.

use std::borrow::Cow;
use std::collections::BTreeMap;

use mitt_guard::{Guard, Hit, REDACTED};
use mitt_render::{Cancel, LeftOut, SheetBlock, SheetCell, Workbook};
use mitt_table::{
    Cell, CellRef, Chunk, Column, ColumnType, Problem, Table, TableBuilder, Texts, Validity, Values,
};

use super::attempts::Attempt;
use super::caller::Caller;
use super::place_mapping::move_places;
use super::report::CallReport;
use super::state::{Inner, Session};
use crate::capability::{Change, Deliverable};
pub(super) use crate::check::Check;
use crate::document::Document;
use mitt_base::memory::Account;
use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::Json;

impl Check {
    /// Records the findings in `place` in the journal, if there are any.
    pub(super) fn note(&self, session: &Inner, place: &str) {
        if let Some(details) = self.details(place) {
            session.journal.note("guard", details, session.host.environment().now());
        }
    }

    /// Redacts a document: title, text, warnings, names of tables and columns, cells. Its name was checked when it arrived.
    pub(super) fn document(&mut self, document: &mut Document, account: &Account) -> Result<()> {
        self.texts(&mut document.title).map_err(|error| error.at("title"))?;
        if let Some(redacted) = self.redacted(&document.text).map_err(|error| error.at("text"))? {
            move_places(&mut document.places, &document.text, &redacted);
            document.characters = redacted.chars().count() as u64;
            document.text = redacted;
        }
        let values = document.metadata.iter_mut().flat_map(|(name, value)| [name, value]);
        self.texts(values).map_err(|error| error.at("metadata"))?;
        self.texts(document.places.iter_mut().map(|place| &mut place.label))?;
        self.texts(&mut document.warnings)?;
        let mut tables = document.tables.to_vec();
        let mut is_changed = false;
        for (number, table) in (1..).zip(&mut tables) {
            let place = |error: Error| error.at(format_args!("table {number}"));
            is_changed |= self.text(&mut table.name).map_err(place)?;
            if let Some(label) = &mut table.place {
                is_changed |= self.text(label).map_err(place)?;
            }
            if let Some(redacted) = self.table(&table.data, account).map_err(place)? {
                table.data = redacted;
                is_changed = true;
            }
        }
        if is_changed {
            document.tables = tables.into();
        }
        document.warnings.extend(self.warning());
        Ok(())
    }

    /// Redacts a table. Returns `None` if nothing changed.
    fn table(&mut self, table: &Table, account: &Account) -> Result<Option<Table>> {
        let mut names: Vec<String> = table.names().map(str::to_owned).collect();
        let before = self.redacted_texts();
        self.texts(&mut names).map_err(|error| error.at("the name of a column"))?;
        let mut changed = BTreeMap::new();
        for (index, (_, column)) in table.columns().enumerate() {
            let is_text = matches!(
                column.column_type(),
                ColumnType::Text | ColumnType::Mixed | ColumnType::Integer | ColumnType::Decimal
            );
            if !is_text {
                continue;
            }
            let (mut written, mut cells) = (String::new(), BTreeMap::new());
            for row in 0..table.rows() {
                let (CellRef::Text(text) | CellRef::Number(text)) =
                    table.cell(row, index, &mut written)
                else {
                    continue;
                };
                let place =
                    |error: Error| error.at(format_args!("row {}, column {}", row + 1, index + 1));
                if let Some(redacted) = self.redacted(text).map_err(place)? {
                    cells.insert(row, redacted);
                }
            }
            if !cells.is_empty() {
                changed.insert(index, cells);
            }
        }
        if self.redacted_texts() == before {
            return Ok(None);
        }
        rebuilt(table, names, &changed, account).map(Some)
    }

    /// Redacts a value: its texts, numbers and names.
    fn json(&mut self, value: &mut Json) -> Result<()> {
        match value {
            Json::String(text) => self.text(text).map(drop),
            Json::Number(number) => {
                let mut text = number.to_string();
                if self.text(&mut text)? {
                    *value = Json::String(text);
                }
                Ok(())
            }
            Json::Array(items) => items.iter_mut().try_for_each(|item| self.json(item)),
            Json::Object(entries) => entries.iter_mut().try_for_each(|(name, value)| {
                self.text(name)?;
                self.json(value)
            }),
            Json::Null | Json::Bool(_) => Ok(()),
        }
    }

    /// Redacts the texts of an error. If the text of a cause is blocked, the cause is removed.
    fn error(&mut self, error: Error) -> Result<Error> {
        let mut refused = None;
        let error = error.with_texts(|text| match self.redacted(text) {
            Ok(redacted) => redacted,
            Err(error) => {
                refused.get_or_insert(error);
                None
            }
        });
        refused.map_or(Ok(error), Err)
    }

    /// Redacts the source of a file before it is rendered, and the tree that is rendered. Returns what was left out of the tree.
    fn deliverable(
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

/// Returns a copy of a table with other names, and with the texts of `changed` in place of its cells, by column and row.
fn rebuilt(
    table: &Table,
    names: Vec<String>,
    changed: &BTreeMap<usize, BTreeMap<usize, String>>,
    account: &Account,
) -> Result<Table> {
    let refused = |problem: Problem| match problem {
        Problem::Memory(limit) => Error::reached(limit),
        problem => Error::new(ErrorKind::Input, problem.to_string()),
    };
    let chunk = |(index, (_, column)): (usize, (&str, &Column))| {
        let Some(cells) = changed.get(&index) else { return column.slice(0, table.rows()) };
        let mut written = String::new();
        let cell = |row: usize| match cells.get(&row) {
            Some(redacted) => Cell::Text(redacted.as_str().into()),
            None => match table.cell(row, index, &mut written) {
                CellRef::Null => Cell::Null,
                CellRef::Boolean(value) => Cell::Boolean(value),
                CellRef::Number(number) => Cell::Number(number.into()),
                CellRef::Text(text) => Cell::Text(text.into()),
            },
        };
        let cells: Vec<Cell> = (0..table.rows()).map(cell).collect();
        if column.column_type() != ColumnType::Text {
            return Chunk {
                validity: Validity::all(true, cells.len()),
                values: Values::Mixed(cells),
            };
        }
        // A changed column stays a column of texts; its types are not guessed again.
        let (mut texts, mut validity, mut has_room) = (Texts::default(), Validity::default(), true);
        for cell in &cells {
            let text = if let Cell::Text(text) = cell { Some(&**text) } else { None };
            validity.push(text.is_some());
            has_room &= texts.push(text.unwrap_or_default());
        }
        match has_room {
            true => Chunk { values: Values::Texts(texts), validity },
            false => {
                Chunk { validity: Validity::all(true, cells.len()), values: Values::Mixed(cells) }
            }
        }
    };
    let mut builder = TableBuilder::new(mitt_table::column_names(&names), account);
    builder.append(table.columns().enumerate().map(chunk).collect()).map_err(refused)?;
    builder.finish().map_err(refused)
}

impl Session {
    /// Returns the current guard of this session: the rules of the host and of the tenant. Apply it to content that is shown
    /// without passing through a call or a document, such as a model's answer.
    pub fn guard(&self) -> Guard {
        self.inner.guard()
    }

    /// Records in the journal what the guard found in `place`: rules and counts, without the text.
    pub fn note_found(&self, place: &str, hits: &[Hit]) {
        self.inner.note_found(hits, place);
    }
}

impl Inner {
    pub(super) fn guard(&self) -> Guard {
        self.host.guard_of(&self.tenant)
    }

    /// Redacts the name of a file, before it appears anywhere.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - a rule that blocks found something in it. The error does not repeat the name.
    pub(super) fn guarded_name(&self, name: &str) -> Result<String> {
        let mut name = name.to_owned();
        if let Some(mut check) = Check::new(&self.guard()) {
            check.text(&mut name).map_err(|error| error.at("the name of a file"))?;
            check.note(self, "the name of a file");
        }
        Ok(name)
    }

    /// Checks an address before anything is requested from it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - a rule that blocks found something in it.
    pub(super) fn guarded_address(&self, url: &str) -> Result<()> {
        let Some(mut check) = Check::new(&self.guard()) else { return Ok(()) };
        check.text(&mut url.to_owned()).map_err(|error| error.at("an address"))?;
        check.note(self, "an address");
        Ok(())
    }

    /// Returns a line such as that of a log without its redacted parts; only the mark if a rule blocks it.
    pub(super) fn guarded_line<'t>(&self, line: &'t str) -> Cow<'t, str> {
        let guard = self.guard();
        guard.apply_read(line).map_or(Cow::Borrowed(REDACTED), |checked| checked.text)
    }

    /// Returns a failed attempt with a redacted error text.
    pub(super) fn guarded_attempt(&self, attempt: &Attempt) -> Attempt {
        let failure = attempt.failure.as_ref();
        let failure = failure.map(|(kind, text)| (*kind, self.guarded_line(text).into_owned()));
        Attempt { failure, ..attempt.clone() }
    }

    /// Redacts the source of a file that is delivered. Returns a warning, and what must be left out of the tree that is rendered.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - a rule that blocks found something in it.
    pub(super) fn guarded_file(
        &self,
        what: &mut Deliverable,
        name: &str,
        account: &Account,
        cancel: &Cancel,
    ) -> Result<(Option<String>, LeftOut)> {
        let Some(mut check) = Check::new(&self.guard()) else { return Ok(Default::default()) };
        let place = format!("file `{name}`");
        let left_out = check.deliverable(what, account, cancel);
        let left_out = left_out.map_err(|error| error.at(&place))?;
        check.note(self, &place);
        Ok((check.warning(), left_out))
    }

    /// Redacts a finished file that was made from a template. Returns a warning if something was left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - a rule that blocks found something in it.
    pub(super) fn guarded_bytes(
        &self,
        file: &mut Vec<u8>,
        name: &str,
        memory: &Account,
    ) -> Result<Option<String>> {
        let Some(mut check) = Check::new(&self.guard()) else { return Ok(None) };
        let place = format!("file `{name}`");
        if let Some(redacted) =
            check.office(file, Some(memory)).map_err(|error| error.at(&place))?
        {
            *file = redacted;
        }
        check.note(self, &place);
        Ok(check.warning())
    }

    /// Records in the journal what the guard found in `place`.
    pub(super) fn note_found(&self, hits: &[Hit], place: &str) {
        if hits.is_empty() {
            return;
        }
        if let Some(mut check) = Check::new(&self.guard()) {
            check.add(hits);
            check.note(self, place);
        }
    }

    /// Redacts the report of a root call: result, messages, printed output. If a rule blocks, here or in any inner call,
    /// that error is the whole result.
    pub(super) fn guard_report(&self, report: &mut CallReport, caller: &Caller) {
        let is_blocked = |error: &&Error| *error.kind() == ErrorKind::Blocked;
        if let Some(error) = report.script_error.take_if(|error| is_blocked(&&*error)) {
            report.result = Err(error);
        }
        let Some(mut check) = Check::new(&self.guard()) else { return };
        if report.result.as_ref().err().filter(is_blocked).is_none()
            && let Err(error) = check.report(report)
        {
            // If no such tool exists, its name is arbitrary text and may be what was blocked.
            report.result = Err(match report.function {
                Some(_) => error.at(format_args!("tool `{}`", report.tool)),
                None => error.at("the call"),
            });
        }
        if report.result.as_ref().err().filter(is_blocked).is_some() {
            report.script_error = None;
            report.printed.clear();
            // A blocked call must not be resumed.
            if let Some(request) = caller.root.paused() {
                caller.root.set_paused(None);
                self.pending.take(&request.id);
            }
        }
        report.attempts = report.attempts.iter().map(|it| self.guarded_attempt(it)).collect();
        check.note(self, &format!("call {}", report.call.number));
    }
}

impl Check {
    fn report(&mut self, report: &mut CallReport) -> Result<()> {
        self.text(&mut report.printed)?;
        report.result = match std::mem::replace(&mut report.result, Ok(Json::Null)) {
            Ok(mut value) => {
                self.json(&mut value)?;
                Ok(value)
            }
            Err(error) => Err(self.error(error)?),
        };
        if let Some(error) = report.script_error.take() {
            report.script_error = Some(self.error(error)?);
        }
        Ok(())
    }
}
