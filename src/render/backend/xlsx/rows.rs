//! Writes the rows of a sheet one after the other, so that only compressed data is kept of a table of any size.

use std::fmt::Write as _;

use super::cell_problems::{MAX_LINKS, formula_problem, link_problem, no_date, too_long_text};
use super::cells::{
    self, date_time_number, day_number, link_of, part_of_day, push_units, serial_of,
};
use super::counted_cells::CountedCells;
use super::names::Names;
use super::package::Writing;
use super::print::lines_of;
use super::problems::{Problems, shown};
use super::skeleton::{Rows, Skeleton};
use super::strings::{Strings, push_escaped, push_text};
use super::styles::{ColumnStyles, Role, Styles};
use super::{formula, header_row, letters};
use crate::Cancel;
use crate::model::workbook::{
    Block, CellConversion, Formula, Link, RowStyle, Sheet, SheetAppearance, SheetCell,
};
use mitt_base::memory::Charge;
use mitt_base::number::held_by_cell;
use mitt_base::{Error, Result, rows};
use mitt_table::{CellRef, Column, Values};

/// Rows between two checks of cancellation and memory.
const ROWS_PER_LOOK: usize = rows::EACH;

/// Height of a line of a header in points, and most lines that a row makes space for; Excel's rows have at most 409 points.
const LINE_POINTS: u32 = 17;
const MAX_LINES: u32 = 12;

/// State that all sheets of a workbook share while they are written.
pub(super) struct Shared<'a> {
    pub(super) skeleton: Skeleton,
    pub(super) styles: Styles,
    pub(super) strings: Strings,
    pub(super) names: Names,
    pub(super) problems: Problems,
    pub(super) long_numbers: CountedCells,
    pub(super) formulas_without_value: CountedCells,
    pub(super) cancel: &'a Cancel,
    /// Reporter of rows that are written.
    pub(super) rows: &'a rows::Rows,
    /// Charge for the memory of the writing.
    pub(super) charge: Charge,
    /// Part of it for sheets that are complete.
    pub(super) kept_bytes: usize,
}

impl Shared<'_> {
    fn look(&mut self, writing: &Writing, own: usize) -> Result<()> {
        self.cancel.check()?;
        let bytes = self.kept_bytes + self.strings.kept_bytes() + writing.kept_bytes() + own;
        self.charge.resize(bytes as u64).map_err(Error::reached)
    }
}

/// Writes the rows of a sheet.
pub(super) fn write(sheet: &Sheet, shared: &mut Shared<'_>) -> Result<Rows> {
    let mut parts: Vec<BlockWriter<'_>> =
        sheet.blocks.iter().map(|block| BlockWriter::new(block, sheet.look)).collect();
    parts.sort_by_key(|part| part.block.column);
    let own = parts.iter().map(BlockWriter::kept_bytes).sum();
    let first = parts.iter().map(|part| part.block.row).min().unwrap_or(0);
    let end = parts.iter().map(|part| part.end).max().unwrap_or(0);
    let mut to = Target {
        shared,
        writing: Writing::default(),
        sheet: &sheet.name,
        row: 0,
        number: String::new(),
        text: String::new(),
        links: 0,
        spills: false,
    };
    // Also checked before the first row.
    to.shared.look(&to.writing, own)?;
    let mut looked = 0;
    for row in first..end {
        if looked == ROWS_PER_LOOK {
            looked = 0;
            to.shared.look(&to.writing, own)?;
            to.shared.rows.add(ROWS_PER_LOOK);
        }
        looked += 1;
        let mut covering =
            parts.iter_mut().filter(|part| (part.block.row..part.end).contains(&row)).peekable();
        if covering.peek().is_none() {
            continue;
        }
        let lines = covering.peek().map_or(1, |_| header_lines(sheet, row));
        to.begin_row(row, lines);
        for part in covering {
            part.write(&mut to)?;
        }
        to.writing.xml.push_str("</row>");
        to.writing.turn()?;
    }
    to.shared.rows.add(looked);
    if to.links > MAX_LINKS {
        let (name, got) = (shown(to.sheet), to.links);
        to.shared
            .problems
            .add(|| format!("sheet `{name}`: expected at most {} links, got {got}", MAX_LINKS));
    }
    let (chunk, spills) = (to.writing.finish()?, to.spills);
    shared.kept_bytes += chunk.kept_bytes();
    let left = sheet.blocks.iter().map(|block| block.column).min().unwrap_or(0);
    let right = sheet
        .blocks
        .iter()
        .map(|block| block.column as usize + block.columns.len())
        .max()
        .unwrap_or(1);
    let dimension = format!("{}{}:{}{end}", letters(left as usize), first + 1, letters(right - 1));
    Ok(Rows { chunk, dimension, spills })
}

/// Destination of cells.
struct Target<'a, 'b> {
    shared: &'a mut Shared<'b>,
    writing: Writing,
    sheet: &'a str,
    /// Row, from 0.
    row: u32,
    /// Row number, from 1, as text.
    number: String,
    /// Buffer for numbers.
    text: String,
    links: usize,
    spills: bool,
}

impl Target<'_, '_> {
    /// Begins a row. It has a height if its header has several lines, because not all programs measure rows.
    fn begin_row(&mut self, row: u32, lines: u32) {
        self.row = row;
        self.number.clear();
        let _ = write!(self.number, "{}", row + 1);
        for part in ["<row r=\"", &self.number, "\""] {
            self.writing.xml.push_str(part);
        }
        if lines > 1 {
            let height = lines.min(MAX_LINES) * LINE_POINTS + 1;
            let _ = write!(self.writing.xml, " ht=\"{height}\" customHeight=\"1\"");
        }
        self.writing.xml.push('>');
    }

    /// Writes the beginning of a cell, without the end of its tag.
    #[inline]
    fn open(&mut self, output: &mut OutputColumn, role: Role) -> u32 {
        let style = output.styles.id(role, &mut self.shared.styles);
        let xml = &mut self.writing.xml;
        xml.push_str(&output.open);
        xml.push_str(&self.number);
        xml.push_str("\" s=\"");
        push_units(xml, i64::from(style), 0);
        xml.push('"');
        style
    }

    fn blank(&mut self, output: &mut OutputColumn, role: Role) {
        self.open(output, role);
        self.writing.xml.push_str("/>");
    }

    /// Writes a cell without a value, if it needs the line below its row.
    fn nothing(&mut self, output: &mut OutputColumn) {
        if output.styles.has_lines() {
            self.blank(output, Role::Value);
        }
    }

    fn boolean(&mut self, output: &mut OutputColumn, role: Role, value: bool) {
        self.open(output, role);
        self.writing.xml.push_str(if value {
            " t=\"b\"><v>1</v></c>"
        } else {
            " t=\"b\"><v>0</v></c>"
        });
    }

    fn number(&mut self, output: &mut OutputColumn, role: Role, value: f64) {
        self.open(output, role);
        let size = value.abs();
        let _ = if size == 0.0 || (1e-5..1e17).contains(&size) {
            write!(self.writing.xml, "><v>{value}</v></c>")
        } else {
            write!(self.writing.xml, "><v>{value:e}</v></c>")
        };
    }

    fn text(&mut self, output: &mut OutputColumn, role: Role, text: &str) -> Result<()> {
        if text.is_empty() {
            self.blank(output, role);
            return Ok(());
        }
        let index = self.shared.strings.index(text)?;
        self.open(output, role);
        self.string(index, text);
        Ok(())
    }

    /// Writes the remainder of a cell with a text.
    #[inline]
    fn string(&mut self, index: Option<u32>, text: &str) {
        let xml = &mut self.writing.xml;
        match index {
            Some(index) => {
                xml.push_str(" t=\"s\"><v>");
                push_units(xml, i64::from(index), 0);
                xml.push_str("</v></c>");
            }
            None => {
                xml.push_str(" t=\"inlineStr\"><is>");
                push_text(xml, text);
                xml.push_str("</is></c>");
            }
        }
    }

    fn formula(
        &mut self,
        (output, role): (&mut OutputColumn, Role),
        header: &str,
        expression: &str,
        value: &str,
    ) {
        let (expression, spills) = formula::stored(expression);
        self.spills |= spills;
        self.open(output, role);
        let (kind, value) = match value {
            // No value is better than a wrong one: most programs calculate it when they open the file, and those that do not
            // show an empty cell.
            "" => ("", value),
            "TRUE" => (" t=\"b\"", "1"),
            "FALSE" => (" t=\"b\"", "0"),
            "#DIV/0!" | "#N/A" | "#NAME?" | "#NULL!" | "#NUM!" | "#REF!" | "#VALUE!" => {
                (" t=\"e\"", value)
            }
            value if value.parse::<f64>().is_ok_and(f64::is_finite) => ("", value),
            value => (" t=\"str\"", value),
        };
        let xml = &mut self.writing.xml;
        xml.push_str(kind);
        if spills {
            xml.push_str(" cm=\"1\"><f t=\"array\" ref=\"");
            xml.push_str(&output.open["<c r=\"".len()..]);
            xml.push_str(&self.number);
            xml.push_str("\">");
        } else {
            xml.push_str("><f>");
        }
        push_escaped(xml, &expression, false);
        xml.push_str("</f>");
        if value.is_empty() {
            xml.push_str("</c>");
            let place = (self.row, output.index);
            self.shared.formulas_without_value.add(self.sheet, place, header);
        } else {
            xml.push_str("<v>");
            push_escaped(xml, value, false);
            xml.push_str("</v></c>");
        }
    }

    fn link(&mut self, output: &mut OutputColumn, url: &str, text: &str) -> Result<()> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Ok(());
        }
        let style = self.open(output, Role::Link);
        let text = if text.is_empty() { url } else { text };
        let index = self.shared.strings.index(text)?;
        self.string(index, text);
        self.shared.kept_bytes +=
            super::size::LINK_BYTES + super::size::TEXT_FACTOR * (url.len() + text.len());
        let Shared { skeleton, styles, .. } = self.shared;
        skeleton.link((self.row, output.index), url, text, style, styles)
    }

    fn cell(
        &mut self,
        output: &mut OutputColumn,
        header: &str,
        cell: &SheetCell,
        style: RowStyle,
    ) -> Result<()> {
        let is_total = style == RowStyle::Total;
        let role = if is_total { Role::Total } else { Role::Value };
        match cell {
            SheetCell::Empty => self.blank(output, role),
            SheetCell::Boolean(value) => self.boolean(output, role, *value),
            SheetCell::Number(lexeme) => match held_by_cell(lexeme) {
                Some(number) => self.number(output, role, number),
                None => self.long_number((output, role), header, lexeme)?,
            },
            SheetCell::Text(text) => self.text(output, role, text)?,
            SheetCell::Date(text) => match serial_of(text) {
                Some(serial) => self.number(output, date_role(text, is_total), serial),
                None => self.text(output, role, text)?,
            },
            SheetCell::Formula(Formula { expression, value }) => {
                self.formula((output, role), header, expression, value)
            }
            SheetCell::Link(Link { url, text }) => self.link(output, url, text)?,
        }
        Ok(())
    }

    /// Writes a number as text, because a cell cannot hold it.
    #[cold]
    fn long_number(
        &mut self,
        (output, role): (&mut OutputColumn, Role),
        header: &str,
        number: &str,
    ) -> Result<()> {
        self.shared.long_numbers.add(self.sheet, (self.row, output.index), header);
        self.text(output, role, number)
    }

    /// Records a problem of a cell of a table.
    #[cold]
    fn problem(&mut self, header: &str, problem: &str) {
        let (sheet, row) = (shown(self.sheet), self.row + 1);
        let place = || format!("sheet `{sheet}`, row {row}, column `{}`: {problem}", shown(header));
        self.shared.problems.add(place);
    }
}

/// A column of a sheet.
struct OutputColumn {
    index: u16,
    /// Beginning of its cells, up to the row number.
    open: String,
    styles: ColumnStyles,
}

/// A block while it is written.
struct BlockWriter<'a> {
    block: &'a Block,
    /// Header row, and the row behind the last one.
    header: u32,
    end: u32,
    columns: Vec<(OutputColumn, Option<Source<'a>>)>,
}

/// Source of the values of a column.
struct Source<'a> {
    header: &'a str,
    column: &'a Column,
    how: CellConversion,
    /// Values of formulas.
    values: Option<&'a Column>,
    /// For each text of a dictionary, its index in the file's texts once it was looked up.
    string_indices: Vec<CachedStringIndex>,
}

impl<'a> BlockWriter<'a> {
    fn new(block: &'a Block, look: SheetAppearance) -> BlockWriter<'a> {
        let header = header_row(block);
        let rows = u32::try_from(cells::rows(block)).unwrap_or(u32::MAX);
        let columns = block.columns.iter().enumerate().map(|(index, column)| {
            let at = block.column as usize + index;
            let output = OutputColumn {
                index: u16::try_from(at).unwrap_or(u16::MAX),
                open: format!("<c r=\"{}", letters(at)),
                styles: ColumnStyles::new(column, look),
            };
            (output, source(block, index))
        });
        BlockWriter {
            block,
            header,
            end: header.saturating_add(1).saturating_add(rows),
            columns: columns.collect(),
        }
    }

    fn kept_bytes(&self) -> usize {
        let indices_size = |source: &Source<'_>| size_of_val(source.string_indices.as_slice());
        self.columns
            .iter()
            .map(|(output, source)| size_of_val(output) + source.as_ref().map_or(0, indices_size))
            .sum()
    }

    /// Writes the cells of the current row that belong to the block.
    fn write(&mut self, to: &mut Target<'_, '_>) -> Result<()> {
        let Some(below) = to.row.checked_sub(self.header) else {
            let title = self.block.title.as_deref().unwrap_or_default();
            return match self.columns.first_mut() {
                Some((output, _)) => to.text(output, Role::Title, title),
                None => Ok(()),
            };
        };
        let Some(row) = (below as usize).checked_sub(1) else {
            for ((output, _), column) in self.columns.iter_mut().zip(&self.block.columns) {
                to.text(output, Role::Header, &column.header)?;
            }
            return Ok(());
        };
        let in_table = self.block.data.as_ref().map_or(0, |data| data.table.rows());
        if row < in_table {
            for (output, source) in &mut self.columns {
                if let Some(source) = source {
                    source.write(row, output, to)?;
                }
            }
            return Ok(());
        }
        let Some(cells) = self.block.rows.get(row - in_table) else { return Ok(()) };
        let headers = self.block.columns.iter().map(|column| column.header.as_str());
        for (((output, _), header), cell) in self.columns.iter_mut().zip(headers).zip(&cells.cells)
        {
            to.cell(output, header, cell, cells.style)?;
        }
        Ok(())
    }
}

impl Source<'_> {
    #[inline]
    fn write(
        &mut self,
        row: usize,
        output: &mut OutputColumn,
        to: &mut Target<'_, '_>,
    ) -> Result<()> {
        if !self.column.is_valid(row) || self.how == CellConversion::Blank {
            to.nothing(output);
            return Ok(());
        }
        let (values, start) = self.column.values();
        let at = start + row;
        match (self.how, values) {
            (CellConversion::AsIs, Values::Integers(numbers)) => {
                self.units(numbers[at], 0, output, to)
            }
            (CellConversion::AsIs, Values::Decimals(scale, units)) => {
                self.units(units[at], *scale, output, to)
            }
            (CellConversion::AsIs | CellConversion::Text, Values::Dictionary(keys, _)) => {
                self.word(keys[at], output, to)
            }
            (CellConversion::AsIs, Values::Floats(numbers)) => {
                // Cells cannot hold NaN and infinity, so these stay empty.
                if numbers[at].is_finite() {
                    to.number(output, Role::Value, numbers[at])
                } else {
                    to.nothing(output)
                }
                Ok(())
            }
            (CellConversion::AsIs | CellConversion::Date, Values::Dates(days)) => {
                match day_number(days[at]) {
                    Some(day) => {
                        to.open(output, Role::Date);
                        finish_number(to, i64::from(day))
                    }
                    None => self.other(row, output, to),
                }
            }
            (CellConversion::AsIs, Values::Times(micros)) => {
                to.number(output, Role::Time, part_of_day(micros[at]));
                Ok(())
            }
            (CellConversion::AsIs | CellConversion::Date, Values::DateTimes(micros)) => {
                match date_time_number(micros[at]) {
                    Some(number) => {
                        to.number(output, Role::DateTime, number);
                        Ok(())
                    }
                    None => self.other(row, output, to),
                }
            }
            _ => self.other(row, output, to),
        }
    }

    #[inline]
    fn units(
        &mut self,
        units: i64,
        scale: u8,
        output: &mut OutputColumn,
        to: &mut Target<'_, '_>,
    ) -> Result<()> {
        let mut text = std::mem::take(&mut to.text);
        text.clear();
        let written = if push_units(&mut text, units, scale) {
            to.open(output, Role::Value);
            for part in ["><v>", &text, "</v></c>"] {
                to.writing.xml.push_str(part);
            }
            Ok(())
        } else {
            mitt_table::push_decimal(&mut text, units.into(), scale);
            to.long_number((output, Role::Value), self.header, &text)
        };
        to.text = text;
        written
    }

    /// Writes a text of a dictionary, which is looked up and escaped once.
    #[inline]
    fn word(&mut self, key: u32, output: &mut OutputColumn, to: &mut Target<'_, '_>) -> Result<()> {
        let Values::Dictionary(_, texts) = self.column.values().0 else { return Ok(()) };
        let text = texts.get(key as usize);
        if text.is_empty() {
            to.nothing(output);
            return Ok(());
        }
        let index = match self.string_indices[key as usize] {
            CachedStringIndex::Index(index) => index,
            CachedStringIndex::Nothing => {
                if let Some(problem) = too_long_text(text) {
                    to.problem(self.header, &problem);
                }
                let index = to.shared.strings.index(text)?;
                self.string_indices[key as usize] = CachedStringIndex::Index(index);
                index
            }
        };
        to.open(output, Role::Value);
        to.string(index, text);
        Ok(())
    }

    /// Writes a cell of another type as text, number or boolean.
    fn other(
        &mut self,
        row: usize,
        output: &mut OutputColumn,
        to: &mut Target<'_, '_>,
    ) -> Result<()> {
        let mut text = std::mem::take(&mut to.text);
        let written = match (self.how, self.column.cell(row, &mut text)) {
            (_, CellRef::Null | CellRef::Text("")) => {
                to.nothing(output);
                Ok(())
            }
            (CellConversion::Text, CellRef::Boolean(value)) => {
                to.text(output, Role::Value, if value { "TRUE" } else { "FALSE" })
            }
            (_, CellRef::Boolean(value)) => {
                to.boolean(output, Role::Value, value);
                Ok(())
            }
            (CellConversion::Text, CellRef::Number(lexeme)) => to.text(output, Role::Value, lexeme),
            (_, CellRef::Number(lexeme)) => match held_by_cell(lexeme) {
                Some(number) => {
                    to.number(output, Role::Value, number);
                    Ok(())
                }
                None => to.long_number((output, Role::Value), self.header, lexeme),
            },
            (CellConversion::AsIs | CellConversion::Text, CellRef::Text(text)) => {
                self.plain(text, output, to)
            }
            (CellConversion::Date, CellRef::Text(text)) => self.date(text, output, to),
            (CellConversion::Formula(_), CellRef::Text(text)) => {
                self.formula(row, text, output, to)
            }
            (CellConversion::Link, CellRef::Text(text)) => self.link(text, output, to),
            // The column is blank.
            (CellConversion::Blank, CellRef::Text(_)) => Ok(()),
        };
        to.text = text;
        written
    }

    fn plain(&self, text: &str, output: &mut OutputColumn, to: &mut Target<'_, '_>) -> Result<()> {
        if let Some(problem) = too_long_text(text) {
            to.problem(self.header, &problem);
            return Ok(());
        }
        to.text(output, Role::Value, text)
    }

    fn date(&self, text: &str, output: &mut OutputColumn, to: &mut Target<'_, '_>) -> Result<()> {
        match serial_of(text) {
            Some(serial) => to.number(output, date_role(text, false), serial),
            None => to.problem(self.header, &no_date(text)),
        }
        Ok(())
    }

    fn formula(
        &self,
        row: usize,
        text: &str,
        output: &mut OutputColumn,
        to: &mut Target<'_, '_>,
    ) -> Result<()> {
        let expression = text.replace("{row}", &to.number);
        let mut lexeme = String::new();
        let value = match self.values.map_or(CellRef::Null, |values| values.cell(row, &mut lexeme))
        {
            CellRef::Boolean(value) => {
                if value {
                    "TRUE"
                } else {
                    "FALSE"
                }
            }
            cell => cell.as_str(),
        };
        match formula_problem(&expression, value, &to.shared.names) {
            Some(problem) => to.problem(self.header, &problem),
            None => to.formula((output, Role::Value), self.header, &expression, value),
        }
        Ok(())
    }

    fn link(&self, text: &str, output: &mut OutputColumn, to: &mut Target<'_, '_>) -> Result<()> {
        let (url, shown) = link_of(text);
        match link_problem(url, shown) {
            Some(problem) => {
                to.problem(self.header, &problem);
                Ok(())
            }
            None => to.link(output, url, shown),
        }
    }
}

fn date_role(text: &str, is_total: bool) -> Role {
    match (is_total, text.contains(['T', ' '])) {
        (true, _) => Role::TotalDate,
        (false, true) => Role::DateTime,
        (false, false) => Role::Date,
    }
}

fn source(block: &Block, index: usize) -> Option<Source<'_>> {
    let data = block.data.as_ref()?;
    let shown = data.columns.get(index)?;
    let column = data.table.column(shown.column as usize)?;
    let values = match shown.how {
        CellConversion::Formula(Some(values)) => data.table.column(values as usize),
        _ => None,
    };
    let string_indices = match column.values().0 {
        Values::Dictionary(_, texts) => vec![CachedStringIndex::Nothing; texts.len()],
        _ => Vec::new(),
    };
    Some(Source {
        header: &block.columns[index].header,
        column,
        how: shown.how,
        values,
        string_indices,
    })
}

/// Writes the number of the current cell and ends it.
fn finish_number(to: &mut Target<'_, '_>, number: i64) -> Result<()> {
    to.writing.xml.push_str("><v>");
    push_units(&mut to.writing.xml, number, 0);
    to.writing.xml.push_str("</v></c>");
    Ok(())
}

/// Index of a text of a dictionary, once it was looked up.
#[derive(Clone, Copy)]
enum CachedStringIndex {
    Nothing,
    Index(Option<u32>),
}

/// Returns the most lines of a header in a row; 1 without headers.
fn header_lines(sheet: &Sheet, row: u32) -> u32 {
    let headers = sheet.blocks.iter().filter(|block| header_row(block) == row);
    let columns = headers.flat_map(|block| &block.columns);
    columns.map(|column| lines_of(&column.header, column.width)).max().unwrap_or(1)
}
