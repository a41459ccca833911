//! Reads the tables of a spreadsheet from a stream.

use super::shape::{Annotation, Field, Shape};
use super::styles::{Shown, Styles};
use crate::format::{NumberFormat, Paddings};
use crate::hidden::Hidden;
use crate::intake::{Failure, Intake};
use crate::item::Item;
use crate::open::malformed;
use crate::package::{events, push_reference};
use crate::unseen::Unseen;
use crate::value::{Value, from_data, from_digits};
use calamine::{Data, Dimensions};
use mitt_reader_kit::Error;
use mitt_reader_kit::scripts::{Script, Scripted};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::io::{BufReader, Read};

/// Most rows and columns of a worksheet.
const MAX_ROWS: u32 = 1 << 20;
const MAX_COLUMNS: u32 = 1 << 14;

/// The non-empty content of a table.
#[derive(Default)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) is_hidden: bool,
    pub(super) boxes: Vec<String>,
    pub(super) charts: usize,
    pub(super) pictures: usize,
    cells: Vec<Stored>,
    merged: Vec<Dimensions>,
    comments: Vec<((u32, u32), Annotation)>,
    hidden: Hidden,
}

/// A cell, which may be repeated over a block.
struct Stored {
    row: u32,
    rows: u32,
    column: u32,
    columns: u32,
    content: Content,
    unseen: Unseen,
}

enum Content {
    Value(Value),
    Formula(String),
}

/// Paragraphs of text.
#[derive(Default)]
pub(super) struct Text {
    text: Scripted,
    paragraphs: usize,
}

impl Text {
    fn paragraph(&mut self) {
        if self.paragraphs > 0 {
            self.text.push("\n", None);
        }
        self.paragraphs += 1;
    }

    pub(super) fn finish(self) -> String {
        self.text.finish()
    }
}

impl Table {
    pub(super) fn hand_over(self, intake: &mut Intake<'_>) -> Result<(), Failure> {
        intake.hidden = self.hidden;
        for Stored { row, rows, column, columns, content, unseen } in self.cells {
            if let Content::Value(value) = &content {
                intake.shared(&value.item)?;
            }
            for row in row..(row + rows).min(MAX_ROWS) {
                for column in column..(column + columns).min(MAX_COLUMNS) {
                    match &content {
                        Content::Value(value) => {
                            if value.item.is_hidden_by(unseen) {
                                intake.unseen.push(row, column);
                            }
                            intake.cell(row, column, value.clone())?;
                        }
                        Content::Formula(text) => intake.uncalculated(row, column, text)?,
                    }
                }
            }
        }
        intake.merged(self.merged);
        for ((row, column), Annotation { author, text, .. }) in self.comments {
            intake.comment(row, column, &author, &text.finish())?;
        }
        for text in self.boxes {
            intake.text_box(&text)?;
        }
        for _ in 0..self.charts {
            intake.chart(None)?;
        }
        (0..self.pictures).for_each(|_| intake.picture());
        Ok(())
    }
}

/// Reads the styles that a document has beside its content.
pub(super) fn styles(part: &[u8]) -> Styles {
    let mut styles = Styles::default();
    events(part, |event| match event {
        Event::Start(element) => styles.start(element.name().as_ref(), element),
        Event::End(element) => styles.end(element.name().as_ref()),
        Event::Text(text) => styles.text(&text.xml10_content()),
        _ => {}
    });
    styles
}

/// Reads the tables of a document's content and the formats of its identifiers.
pub(super) fn read(part: impl Read, styles: Styles) -> Result<(Vec<Table>, Paddings), Error> {
    let mut reader = Reader::from_reader(BufReader::new(part));
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.check_end_names = false;
    let mut parser = Parser { styles, ..Parser::default() };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).map_err(malformed)? {
            Event::Start(element) => parser.start(&element),
            Event::End(element) => parser.end(element.name().as_ref()),
            Event::Text(text) => parser.text(&text.xml10_content()),
            Event::CData(text) => parser.text(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let mut text = String::new();
                push_reference(&reference, &mut text);
                parser.text(&text);
            }
            Event::Eof if parser.table.is_some() => {
                return Err(malformed("its content is cut off"));
            }
            Event::Eof => return Ok((parser.tables, parser.styles.paddings)),
            _ => {}
        }
    }
}

#[derive(Default)]
struct Parser {
    tables: Vec<Table>,
    styles: Styles,
    table: Option<Table>,
    /// What numbers show in ranges of columns, each up to and including a column, and in the row.
    column_shown: Vec<(u32, Shown)>,
    row_shown: Option<Shown>,
    /// Script of each open span, the outermost first.
    spans: Vec<Option<Script>>,
    /// The cells of the filter that is being read.
    filtered: Option<String>,
    /// Depth of tables in cells, which are not read.
    inner_tables: usize,
    row: u32,
    rows: u32,
    column: u32,
    /// Index of the first cell of this row.
    row_start: usize,
    cell: Option<OpenCell>,
    annotation: Option<Annotation>,
    shape: Option<Shape>,
    /// Depth of paragraphs. Text outside of them is only white space of the file.
    paragraphs: usize,
}

/// State while a cell is read.
struct OpenCell {
    columns: u32,
    unseen: Unseen,
    value: Option<Value>,
    is_error: bool,
    formula: String,
    /// `true` if the text is the value, because there is no value attribute.
    is_text: bool,
    text: Text,
}

impl Parser {
    fn start(&mut self, element: &BytesStart<'_>) {
        let name = element.name();
        let name = name.as_ref();
        if self.inner_tables > 0 {
            self.inner_tables += usize::from(name == "table:table");
            return;
        }
        self.styles.start(name, element);
        match name {
            "table:table" if self.table.is_some() => self.inner_tables = 1,
            "table:table" => {
                let style = attribute(element, "table:style-name").unwrap_or_default();
                self.table = Some(Table {
                    name: attribute(element, "table:name").unwrap_or_default(),
                    is_hidden: self.styles.hides(&style),
                    ..Table::default()
                });
                (self.row, self.row_start, self.column) = (0, 0, 0);
                self.column_shown.clear();
            }
            "table:table-column" => self.column(element),
            "table:database-range" => {
                self.filtered = attribute(element, "table:target-range-address");
            }
            "table:filter" => self.filter(),
            "text:span" => {
                let style = attribute(element, "text:style-name").unwrap_or_default();
                let script = self.styles.script(&style);
                self.spans.push(script.or(self.spans.last().copied().flatten()));
            }
            "table:table-row" => {
                self.rows = count(element, "table:number-rows-repeated");
                self.column = 0;
                let style = attribute(element, "table:default-cell-style-name");
                self.row_shown = style.map(|style| self.styles.shown(&style));
                let visibility = attribute(element, "table:visibility");
                if let (Some(table), Some("collapse" | "filter")) =
                    (&mut self.table, visibility.as_deref())
                {
                    table.hidden.rows(self.row, self.row.saturating_add(self.rows - 1));
                    if visibility.as_deref() == Some("filter") {
                        table.hidden.filter("");
                    }
                }
                self.row_start = self.table.as_ref().map_or(0, |table| table.cells.len());
            }
            "table:table-cell" | "table:covered-table-cell" => self.open_cell(element),
            "office:annotation" => self.annotation = Some(Annotation::default()),
            "dc:creator" => self.field(Field::Author),
            "dc:date" | "meta:date-string" => self.field(Field::Date),
            "text:p" | "text:h" => {
                self.paragraphs += 1;
                if let Some(text) = self.target() {
                    text.paragraph();
                }
            }
            "text:s" => {
                let spaces = count(element, "text:c").min(1000) as usize;
                self.text(&" ".repeat(spaces));
            }
            "text:tab" => self.text("\t"),
            "text:line-break" => self.text("\n"),
            _ if name.starts_with("draw:") && self.table.is_some() && self.annotation.is_none() => {
                self.shape.get_or_insert_default().begin(name);
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        if self.inner_tables > 0 {
            self.inner_tables -= usize::from(name == "table:table");
            return;
        }
        self.styles.end(name);
        match name {
            "text:span" => _ = self.spans.pop(),
            "table:database-range" => self.filtered = None,
            "table:table" => self.tables.extend(self.table.take()),
            "table:table-row" => {
                let (row_start, rows) = (self.row_start, self.rows);
                if let Some(table) = &mut self.table {
                    table.cells.iter_mut().skip(row_start).for_each(|cell| cell.rows = rows);
                }
                self.row = self.row.saturating_add(rows);
            }
            "table:table-cell" | "table:covered-table-cell" => self.close_cell(),
            "office:annotation" => {
                if let (Some(table), Some(annotation)) = (&mut self.table, self.annotation.take()) {
                    table.comments.push(((self.row, self.column), annotation));
                }
            }
            "dc:creator" | "dc:date" | "meta:date-string" => self.field(Field::Remark),
            "text:p" | "text:h" => self.paragraphs = self.paragraphs.saturating_sub(1),
            _ if name.starts_with("draw:") && self.annotation.is_none() => {
                if let (Some(shape), Some(table)) = (&mut self.shape, &mut self.table)
                    && shape.end(table)
                {
                    self.shape = None;
                }
            }
            _ => {}
        }
    }

    /// Reads columns of a table: whether they are hidden, and their default cell style.
    fn column(&mut self, element: &BytesStart<'_>) {
        let Some(table) = &mut self.table else { return };
        let columns = count(element, "table:number-columns-repeated");
        let last = self.column.saturating_add(columns - 1);
        let visibility = attribute(element, "table:visibility");
        if let Some("collapse" | "filter") = visibility.as_deref() {
            table.hidden.columns(self.column, last);
        }
        let style = attribute(element, "table:default-cell-style-name").unwrap_or_default();
        match (self.styles.shown(&style), self.column_shown.last_mut()) {
            (shown, Some((end, same))) if *same == shown => *end = last,
            (shown, _) => self.column_shown.push((last, shown)),
        }
        self.column = last.saturating_add(1);
    }

    /// Records the active filter. Its cells look like `'Sheet 1'.A1:'Sheet 1'.C9`.
    fn filter(&mut self) {
        let Some(address) = self.filtered.take() else { return };
        let cell = |cell: &str| {
            let (sheet, cell) = cell.rsplit_once('.')?;
            let sheet = sheet.trim_start_matches('$');
            let sheet = sheet.strip_prefix('\'').and_then(|sheet| sheet.strip_suffix('\''));
            let plain = cell.rsplit_once('.').map_or(cell, |(_, cell)| cell);
            Some((sheet.map(|sheet| sheet.replace("''", "'")), plain.to_owned()))
        };
        let (first, last) = address.split_once(':').unwrap_or((&address, ""));
        let Some((quoted, from)) = cell(first) else { return };
        let bare =
            || first.rsplit_once('.').map(|(sheet, _)| sheet.trim_start_matches('$').to_owned());
        let to = cell(last).map_or_else(|| last.to_owned(), |(_, to)| to);
        let Some(sheet) = quoted.or_else(bare) else { return };
        if let Some(table) = self.tables.iter_mut().find(|table| table.name == sheet) {
            table.hidden.filter(&format!("{from}:{to}"));
        }
    }

    /// Returns what a number in the next cell shows. The cell may have a style of its own.
    fn shown(&self, style: Option<&str>) -> Shown {
        if let Some(style) = style {
            return self.styles.shown(style);
        }
        let of_column = || {
            let at = self.column_shown.partition_point(|(last, _)| *last < self.column);
            self.column_shown.get(at).map(|(_, shown)| *shown)
        };
        self.row_shown.or_else(of_column).unwrap_or_else(|| self.styles.shown(""))
    }

    fn text(&mut self, text: &str) {
        self.styles.text(text);
        let script = self.spans.last().copied().flatten();
        if let Some(Annotation { author, field: Field::Author, .. }) = &mut self.annotation {
            author.push_str(text);
        } else if self.paragraphs > 0
            && let Some(target) = self.target()
        {
            target.text.push(text, script);
        }
    }

    /// Returns where the current text goes.
    fn target(&mut self) -> Option<&mut Text> {
        match (&mut self.annotation, &mut self.shape, &mut self.cell) {
            (Some(annotation), _, _) => Some(&mut annotation.text),
            (None, Some(shape), _) => Some(shape.text()),
            (None, None, Some(cell)) if cell.is_text => Some(&mut cell.text),
            _ => None,
        }
    }

    fn field(&mut self, field: Field) {
        if let Some(annotation) = &mut self.annotation {
            annotation.field = field;
        }
    }

    fn open_cell(&mut self, element: &BytesStart<'_>) {
        if self.table.is_none() {
            return;
        }
        let mut cell = OpenCell {
            columns: 1,
            value: None,
            is_error: false,
            formula: String::new(),
            is_text: false,
            text: Text::default(),
            unseen: Unseen::default(),
        };
        let (mut wide, mut high) = (1, 1);
        let (mut style, mut is_amount, mut data) = (None, false, None);
        for attribute in element.attributes().with_checks(false).flatten() {
            let Ok(value) = attribute.normalized_value(XmlVersion::Implicit1_0) else { continue };
            let number = || value.parse().ok().filter(|number| *number > 0).unwrap_or(1);
            match attribute.key.as_ref() {
                "table:number-columns-repeated" => cell.columns = number(),
                "table:number-columns-spanned" => wide = number(),
                "table:number-rows-spanned" => high = number(),
                "table:formula" => cell.formula = value.into_owned(),
                "table:style-name" => style = Some(value.into_owned()),
                "office:value-type" => {
                    cell.is_text = value == "string";
                    is_amount = matches!(value.as_ref(), "currency" | "percentage");
                }
                "calcext:value-type" => cell.is_error = value == "error",
                "office:value" => {
                    let text = || from_data(&Data::String(value.clone().into_owned()));
                    cell.value = Some(from_digits(&value).unwrap_or_else(text));
                }
                "office:date-value" => data = Some(Data::DateTimeIso(value.into_owned())),
                "office:time-value" => data = Some(Data::DurationIso(value.into_owned())),
                "office:boolean-value" => {
                    data = Some(Data::Bool(value.eq_ignore_ascii_case("true")));
                }
                "office:string-value" => data = Some(Data::String(value.into_owned())),
                _ => {}
            }
        }
        let shown = self.shown(style.as_deref());
        cell.unseen = shown.unseen;
        if let Some(data) = data {
            cell.value = Some(from_data(&data));
        }
        if let Some(value) = cell.value.take() {
            let shown = if is_amount { NumberFormat::Number } else { shown.number };
            cell.value = Some(shown.padded(value));
        }
        let Some(table) = &mut self.table else { return };
        if wide > 1 || high > 1 {
            let start = (self.row, self.column);
            let end = (start.0.saturating_add(high - 1), start.1.saturating_add(wide - 1));
            table.merged.push(Dimensions { start, end });
        }
        // An error has its text in place of an empty value.
        let has_value =
            cell.value.as_ref().is_some_and(|value| !cell.is_error || value.item != Item::Null);
        cell.is_text = (cell.is_text || cell.is_error) && !has_value;
        self.cell = Some(cell);
    }

    fn close_cell(&mut self) {
        let (Some(cell), Some(table)) = (self.cell.take(), &mut self.table) else { return };
        let OpenCell { columns, unseen, value, is_error, formula, is_text, text } = cell;
        let value = if is_text { Some(from_data(&Data::String(text.finish()))) } else { value };
        let content = match value {
            Some(value) => {
                let is_error = is_error && value.item != Item::Null;
                Some(Content::Value(Value { is_error, ..value }))
            }
            None if formula.is_empty() => None,
            None => Some(Content::Formula(formula.trim_start_matches("of:").to_owned())),
        };
        let is_something = match &content {
            Some(Content::Value(value)) => value.item != Item::Null,
            Some(Content::Formula(_)) => true,
            None => false,
        };
        if let Some(content) = content.filter(|_| is_something) {
            let (row, column) = (self.row, self.column);
            table.cells.push(Stored { row, rows: 1, column, columns, content, unseen });
        }
        self.column = self.column.saturating_add(columns);
    }
}

pub(super) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok()??;
    Some(attribute.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
}

/// Returns a count from an attribute; 1 without it.
fn count(element: &BytesStart<'_>, name: &str) -> u32 {
    attribute(element, name)
        .and_then(|text| text.parse().ok())
        .filter(|count| *count > 0)
        .unwrap_or(1)
}
