//! Reading of texts in the host: plain text, and if no skill reads them, CSV and Markdown, too.
//!
//! Memory for the parser is charged before it begins; its result is charged while it grows.

use mitt_table::{
    Cell, Chunk, Problem, Table, TableBuilder, Texts, Validity, Values, column_names,
};
use mitt_text::{delimited, markdown};

use super::{Content, FileType, IngestAccounts};
use mitt_base::memory::Charge;
use mitt_base::{Error, ErrorKind, Result};
use mitt_table::NamedTable;

/// Most columns of a table, as for reader plugins.
const MAX_COLUMNS: usize = 16_384;

/// Reads a text of this type. Returns the content and the charge for its characters.
pub(super) fn read(
    file_type: &FileType,
    bytes: Vec<u8>,
    accounts: &IngestAccounts,
) -> Result<(Content, Charge)> {
    let decoding = mitt_text::decode::working_bytes(&bytes);
    let mut charge = accounts.memory.charge(decoding).map_err(Error::reached)?;
    if matches!(file_type, FileType::Csv)
        && let Some(text) = mitt_text::utf8(&bytes)
    {
        // The bytes are used without a copy.
        charge.resize(bytes.capacity() as u64).map_err(Error::reached)?;
        return Ok((values(text, accounts)?, charge));
    }
    let decoded = match file_type {
        // Each cell is cleaned separately.
        FileType::Csv => mitt_text::decode::decode_only(bytes),
        _ => mitt_text::decode::decode(bytes),
    };
    charge.resize(decoded.text.capacity() as u64).map_err(Error::reached)?;
    let mut content = match file_type {
        FileType::Csv => values(&decoded.text, accounts)?,
        FileType::Markdown => structure(decoded.text, accounts)?,
        _ => Content { markdown: decoded.text, ..Content::default() },
    };
    content.warnings.splice(0..0, decoded.warnings);
    Ok((content, charge))
}

fn values(text: &str, accounts: &IngestAccounts) -> Result<Content> {
    let working = delimited::working_bytes(text);
    let _working = accounts.memory.charge(working).map_err(Error::reached)?;
    let mut tables = Tables::new(accounts);
    let summary = delimited::read(text, &mut tables).map_err(|problem| match problem {
        mitt_text::Problem::Sink(error) => error,
        mitt_text::Problem::TooMuch(text) => {
            Error::new(ErrorKind::Input, text).hint("split the file")
        }
    })?;
    let markdown = summary.captions.iter().map(|caption| format!("{caption}\n\n")).collect();
    Ok(Content { markdown, tables: tables.made, warnings: summary.warnings, ..Content::default() })
}

fn structure(text: String, accounts: &IngestAccounts) -> Result<Content> {
    let working = accounts.memory.charge(markdown::working_bytes(&text)).map_err(Error::reached)?;
    let mut tables = Tables::new(accounts);
    let markdown::Summary { title, warnings } = markdown::read(&text, &mut tables)?;
    drop(working);
    Ok(Content { title, markdown: text, tables: tables.made, warnings, ..Content::default() })
}

/// Tables that are being built.
struct Tables<'a> {
    accounts: &'a IngestAccounts,
    builder: Option<TableBuilder>,
    made: Vec<NamedTable>,
}

impl<'a> Tables<'a> {
    fn new(accounts: &'a IngestAccounts) -> Tables<'a> {
        Tables { accounts, builder: None, made: Vec::new() }
    }
}

impl mitt_text::Sink for Tables<'_> {
    type Error = Error;

    fn begin(&mut self, header: &[String]) -> Result<()> {
        if header.len() > MAX_COLUMNS {
            let text = format!("{} columns; a table has at most {MAX_COLUMNS}", header.len());
            return Err(Error::new(ErrorKind::Input, text));
        }
        // Releases the previous table first, in case it is read again.
        self.builder = None;
        let mut builder = TableBuilder::new(column_names(header), &self.accounts.tables);
        builder.charge_names().map_err(refused)?;
        self.builder = Some(builder);
        Ok(())
    }

    fn append(&mut self, chunks: Vec<mitt_text::Chunk>) -> Result<()> {
        let Some(builder) = &mut self.builder else { return Ok(()) };
        builder.append(chunks.into_iter().map(chunk).collect()).map_err(refused)?;
        self.accounts.rows.passed(builder.rows());
        Ok(())
    }

    fn end(&mut self, name: String) -> Result<()> {
        let Some(builder) = self.builder.take() else { return Ok(()) };
        let table: Table = builder.finish().map_err(refused)?;
        if table.width() > 0 {
            self.made.push(NamedTable::new(name, table));
        }
        Ok(())
    }
}

fn chunk(chunk: mitt_text::Chunk) -> Chunk {
    use mitt_text::Values as Of;

    let texts =
        |texts: mitt_text::Texts| Texts::from_parts(texts.offsets, texts.bytes).unwrap_or_default();
    let values = match chunk.values {
        Of::Empty(count) => Values::Empty(count),
        Of::Booleans(bits, count) => Values::Booleans(bits, count),
        Of::Integers(values) => Values::Integers(values),
        Of::Decimals(scale, units) => Values::Decimals(scale, units),
        Of::WideDecimals(scale, units) => Values::WideDecimals(scale, units),
        Of::Texts(all) => Values::Texts(texts(all)),
        Of::Dictionary(keys, all) => Values::Dictionary(keys, std::sync::Arc::new(texts(all))),
        Of::Dates(days) => Values::Dates(days),
        Of::Times(micros) => Values::Times(micros),
        Of::DateTimes(micros) => Values::DateTimes(micros),
        Of::Mixed(cells) => Values::Mixed(cells.into_iter().map(cell).collect()),
    };
    let length = values.len();
    let validity = match chunk.validity {
        Some(bits) => Validity::from_bytes(bits, length).unwrap_or_default(),
        None => Validity::all(true, length),
    };
    Chunk { values, validity }
}

fn cell(cell: mitt_text::Cell) -> Cell {
    match cell {
        mitt_text::Cell::Null => Cell::Null,
        mitt_text::Cell::Boolean(value) => Cell::Boolean(value),
        mitt_text::Cell::Number(text) => Cell::Number(text.into()),
        mitt_text::Cell::Text(text) => Cell::Text(text.into()),
    }
}

/// Converts the problem of a table that cannot be built.
fn refused(problem: Problem) -> Error {
    match problem {
        Problem::Memory(limit) => Error::reached(limit),
        problem => Error::new(ErrorKind::Input, problem.to_string()),
    }
}
