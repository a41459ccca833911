//! CSV and its relatives: the dialect is found, the first row is the header, columns get types.
//!
//! The text is read twice at most: once with the types that its beginning has, and if a cell does not fit these, again with the types
//! of all cells. Of some records together the places of their fields are kept, and then used column by column.

mod dialect;
mod ends;
pub mod pieces;
mod scan;
#[cfg(test)]
mod tests;

use crate::clean;
use crate::columns::{Building, Plan, Seen, judge, recent_bytes};
use crate::field::Span;
use crate::table::{Problem, Sink};
use dialect::MAX_TITLES;
use scan::{Batch, Dialect, Met, Remarks, Scanner, TooWide};

/// Rows whose types are tried on the whole text.
const SAMPLE_ROWS: usize = 4_096;
/// Cells whose types are tried: wide tables have fewer rows.
const SAMPLE_CELLS: usize = 65_536;

/// Most rows that are handed over at a time.
const ROWS_AT_A_TIME: usize = 16_384;
/// Most cells that are handed over at a time, if a row has not more.
const CELLS_AT_A_TIME: usize = 1 << 18;
/// Bytes of texts after which rows are handed over.
const TEXTS_AT_A_TIME: usize = 4 << 20;

/// Most cells of one file. Empty cells take next to none of the memory, but are charged as if they were there.
pub const MAX_CELLS: usize = 200_000_000;

/// Most bytes that are there at a time while a text is read, beside the text and what the sink keeps: the places of some records, what is
/// known of each column, a chunk that is handed over, and one value without its quotes.
pub fn working_bytes(text: &str) -> u64 {
    /// What is known of a column, and its part of a chunk before there is a cell in it.
    const COLUMN: usize = 1_200;
    let is_delimiter = |byte: &u8| matches!(byte, b',' | b';' | b'\t' | b'|');
    let columns = 1 + text.bytes().filter(|byte| is_delimiter(byte)).count().min(scan::MAX_COLUMNS);
    // A cell takes 64 bytes at most besides its text, of which a chunk has 4 MiB and a row.
    let chunk = text.len().saturating_mul(64).min((CELLS_AT_A_TIME + scan::MAX_COLUMNS) * 64);
    // Places of fields, of some records together; the buffer grows to twice as many at most, and is copied for that.
    let places = 3 * size_of::<Span>() * text.len().min(scan::CELLS_AT_ONCE + scan::MAX_COLUMNS);
    (columns * COLUMN + recent_bytes(columns) + chunk + places + 4 * text.len() + (16 << 10)) as u64
}

/// What stands around the rows, and what is told of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Lines of a single value above the table. The first is its name.
    pub captions: Vec<String>,
    /// What was changed, or is uncertain, one sentence each.
    pub warnings: Vec<String>,
}

/// Read values with a header row into `sink`, which gets one table, or none where there is no value.
///
/// # Errors
///
/// [`Problem::TooMuch`] - a row or all of them have too many values; [`Problem::Sink`] - the sink takes no more.
pub fn read<S: Sink>(text: &str, sink: &mut S) -> Result<Found, Problem<S::Error>> {
    let text = pieces::without_mark(text);
    let (dialect, start) = dialect::find(text);
    let Some(head) = Head::find(text, dialect, start).map_err(too_wide)? else {
        return Ok(Found::default());
    };
    let name = |at: usize| column_name(&head, at);
    let delimiter = delimiter_of(dialect);
    // What the beginning says is tried first.
    let mut pass = Pass::new(text, &head);
    let is_whole = pass.look(SAMPLE_ROWS).map_err(too_wide)?;
    let mut judged = judge(&pass.seen, delimiter, name);
    let mut built = None;
    if is_whole || !judged.may_change {
        built = build(text, &head, &judged.plans, sink)?;
    }
    if built.is_none() {
        if !is_whole {
            pass.look(usize::MAX).map_err(too_wide)?;
            judged = judge(&pass.seen, delimiter, name);
        }
        built = build(text, &head, &judged.plans, sink)?;
    }
    let Some(remarks) = built else {
        return Err(Problem::TooMuch("a column changed its type while it was read".into()));
    };
    sink.end(head.captions.first().cloned().unwrap_or_default())?;
    let mut warnings = notes(&remarks, &head);
    warnings.extend(judged.warnings);
    Ok(Found { captions: head.captions, warnings })
}

/// Returns the name of a column in warnings: its heading, or its number.
fn column_name(head: &Head, at: usize) -> String {
    match head.header.get(at) {
        Some(name) if !name.is_empty() => name.clone(),
        _ => format!("column_{}", at + 1),
    }
}

/// Returns the delimiter for judging numbers. A text of one column has line ends instead.
fn delimiter_of(dialect: Dialect) -> u8 {
    dialect.delimiter.unwrap_or(b'\n')
}

/// The delimiter of a text that is clearly a table: at least three records, nearly all of the same width.
pub fn shape(text: &str) -> Option<u8> {
    let (delimiter, fit) = dialect::best(text)?;
    (fit.records >= 3 && fit.alike * 10 >= fit.records * 9).then_some(delimiter)
}

fn too_wide<E>(TooWide { line }: TooWide) -> Problem<E> {
    Problem::TooMuch(format!("line {line} has more than {} values", scan::MAX_COLUMNS))
}

/// What stands above the rows.
struct Head {
    dialect: Dialect,
    captions: Vec<String>,
    /// Headings up to the last that is not blank.
    header: Vec<String>,
    /// Fields of the header, blank ones included.
    count: usize,
    /// Where the rows begin: place and line.
    rows: (usize, usize),
}

impl Head {
    /// Find titles and header. Lines of a single value above a wider row are titles, unless their first value is blank: a blank
    /// heading above two columns is a header. `None` where there is no value.
    fn find(text: &str, dialect: Dialect, start: (usize, usize)) -> Result<Option<Head>, TooWide> {
        let mut scanner = Scanner::new(text, dialect, start);
        let (mut records, mut titles, mut is_above_a_table) = (0, 0, false);
        while records <= MAX_TITLES && scanner.next()? {
            let values = scanner.fields().filter(|field| !field.is_empty()).count();
            if values > 1 {
                is_above_a_table = true;
                break;
            }
            if titles == records && scanner.fields().next().is_some_and(|field| !field.is_empty()) {
                titles += 1;
            }
            records += 1;
        }
        if !is_above_a_table {
            titles = 0;
        }
        let mut scanner = Scanner::new(text, dialect, start);
        let mut captions = Vec::new();
        while scanner.next()? {
            let mut fields = scanner.fields().map(|field| heading(field.as_str()));
            if captions.len() < titles {
                captions.extend(fields.next());
                continue;
            }
            let header = fields.collect();
            let (count, rows) = (scanner.count(), scanner.place());
            return Ok(Some(Head { dialect, captions, header, count, rows }));
        }
        Ok(None)
    }
}

fn heading(text: &str) -> String {
    clean::single_line(&clean::text(text))
}

/// A look at the rows.
struct Pass<'a> {
    scanner: Scanner<'a>,
    seen: Vec<Seen>,
}

impl<'a> Pass<'a> {
    fn new(text: &'a str, head: &Head) -> Pass<'a> {
        Pass { scanner: rows_of(text, head), seen: vec![Seen::default(); head.header.len()] }
    }

    /// Look at some rows. True if there are no more.
    fn look(&mut self, rows: usize) -> Result<bool, TooWide> {
        let mut cells = 0;
        for _ in 0..rows {
            if !self.scanner.next()? {
                return Ok(true);
            }
            let used = self.scanner.used();
            if used > self.seen.len() {
                self.seen.resize(used, Seen::default());
            }
            let line = self.scanner.first_line();
            for (field, seen) in self.scanner.fields().zip(&mut self.seen) {
                if !field.is_empty() {
                    seen.see(field.as_str(), line);
                }
            }
            cells += self.seen.len();
            if rows != usize::MAX && cells > SAMPLE_CELLS {
                break;
            }
        }
        Ok(false)
    }
}

fn rows_of<'a>(text: &'a str, head: &Head) -> Scanner<'a> {
    let mut scanner = Scanner::new(text, head.dialect, head.rows);
    scanner.width = Some(head.count);
    scanner
}

/// Writes all rows of a text as they were planned. Returns the scanner's remarks, or `None` if a value does not fit its plan.
fn build<S: Sink>(
    text: &str,
    head: &Head,
    plans: &[Plan],
    sink: &mut S,
) -> Result<Option<Remarks>, Problem<S::Error>> {
    let mut scanner = rows_of(text, head);
    let written = write_rows(&mut scanner, head, plans, sink)?;
    Ok(written.map(|_| scanner.remarks))
}

/// Writes the rows that are left in a scanner as they were planned, into a table that it begins and does not end. Returns the number
/// of rows, or `None` if a value does not fit its plan.
fn write_rows<S: Sink>(
    scanner: &mut Scanner<'_>,
    head: &Head,
    plans: &[Plan],
    sink: &mut S,
) -> Result<Option<usize>, Problem<S::Error>> {
    let mut header = head.header.clone();
    header.resize(plans.len(), String::new());
    sink.begin(&header)?;
    let mut building = Building::new(plans);
    let width = plans.len().max(1);
    let most = (CELLS_AT_A_TIME / width).clamp(1, ROWS_AT_A_TIME);
    // One very long record must not widen a million short ones.
    let max_rows = MAX_CELLS / width;
    let mut all = 0;
    loop {
        let room = (most - building.rows()).min(max_rows - all);
        let Batch { rows, fits } = scanner.rows(room.max(1), width).map_err(too_wide)?;
        let count = rows.len();
        if count == 0 {
            break;
        }
        if !fits || !building.append(rows) {
            return Ok(None);
        }
        if all == max_rows {
            let line = scanner.first_line();
            return Err(Problem::TooMuch(format!(
                "at most {MAX_CELLS} cells are read; line {line} is beyond them"
            )));
        }
        all += count;
        if building.rows() >= most || building.texts() >= TEXTS_AT_A_TIME {
            sink.append(building.take())?;
        }
    }
    if building.rows() > 0 {
        sink.append(building.take())?;
    }
    Ok(Some(all))
}

/// Returns warnings about what the scanner met.
fn notes(remarks: &Remarks, head: &Head) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |met: Met, what: &str| {
        if met.count > 0 {
            notes.push(format!("{what}: {}, the first in line {}", met.count, met.line));
        }
    };
    note(
        remarks.ragged,
        "rows with another number of values than the header, filled with empty ones",
    );
    note(
        remarks.open,
        "quotes that are never closed, read as signs of the text so that no row is lost",
    );
    note(
        remarks.behind,
        "quoted values with a quote inside or text behind the closing quote, all of which was kept",
    );
    note(remarks.long, "quoted values of a hundred lines and more; a quote may be missing");
    if head.dialect.backslash {
        notes
            .push("quotes inside of values have a backslash in front, which was taken away".into());
    }
    if head.captions.len() > 1 {
        notes
            .push(format!("lines above the table that are no rows of it: {}", head.captions.len()));
    }
    notes
}
