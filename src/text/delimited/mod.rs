//! Parses CSV and similar formats: detects the dialect, the header and the types of columns.
//!
//! The table is built at most twice: first with the types of the beginning, then with those of all cells if one did not fit.
//! The positions of the fields of a few records are kept at a time, and used column by column.

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
use dialect::MAX_CAPTIONS;
use scan::{Batch, Dialect, Irregularities, Occurrences, Scanner, TooWide};

/// Most rows of the sample, whose types are tried first.
const SAMPLE_ROWS: usize = 4_096;
/// Cells after which the sample ends. Wide tables have fewer rows in it.
const SAMPLE_CELLS: usize = 65_536;

/// Most rows that the sink gets at a time.
const ROWS_AT_A_TIME: usize = 16_384;
/// Most cells that the sink gets at a time, unless one row has more.
const CELLS_AT_A_TIME: usize = 1 << 18;
/// Bytes of texts after which the sink gets the rows.
const TEXTS_AT_A_TIME: usize = 4 << 20;

/// Most cells of a file. Empty cells count too, though they take almost no memory.
pub const MAX_CELLS: usize = 200_000_000;

/// Returns the most bytes that [`read`] allocates at a time, beside the text and what the sink keeps. They hold the
/// positions of a few records, statistics of each column, a chunk for the sink, and one value without its quotes.
pub fn working_bytes(text: &str) -> u64 {
    /// Bytes of the statistics of a column, and of its part of an empty chunk.
    const COLUMN: usize = 1_200;
    let is_delimiter = |byte: &u8| matches!(byte, b',' | b';' | b'\t' | b'|');
    let columns = 1 + text.bytes().filter(|byte| is_delimiter(byte)).count().min(scan::MAX_COLUMNS);
    // A cell takes at most 64 bytes beside its text. The texts of a chunk have at most 4 MiB plus one row.
    let chunk = text.len().saturating_mul(64).min((CELLS_AT_A_TIME + scan::MAX_COLUMNS) * 64);
    // Positions of the fields of a few records. The buffer at most doubles when it grows, and is copied then.
    let spans = 3 * size_of::<Span>() * text.len().min(scan::CELLS_AT_ONCE + scan::MAX_COLUMNS);
    (columns * COLUMN + recent_bytes(columns) + chunk + spans + 4 * text.len() + (16 << 10)) as u64
}

/// The captions of a table, and the warnings about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Lines of a single value above the table. The first one is the name of the table.
    pub captions: Vec<String>,
    /// What was changed or is uncertain, one sentence each.
    pub warnings: Vec<String>,
}

/// Reads records with a header into `sink` as one table. Begins no table if the text has no value.
///
/// # Errors
///
/// [`Problem::TooMuch`] - a row or the table has too many values. [`Problem::Sink`] - the sink returned an error.
pub fn read<S: Sink>(text: &str, sink: &mut S) -> Result<Summary, Problem<S::Error>> {
    let text = pieces::without_mark(text);
    let (dialect, start) = dialect::find(text);
    let Some(head) = Head::find(text, dialect, start).map_err(too_wide)? else {
        return Ok(Summary::default());
    };
    let name = |at: usize| column_name(&head, at);
    let delimiter = delimiter_of(dialect);
    // The types of the sample usually fit, which saves a scan of the whole text.
    let mut column_scan = ColumnScan::new(text, &head);
    let is_whole = column_scan.scan_rows(SAMPLE_ROWS).map_err(too_wide)?;
    let mut judged = judge(&column_scan.seen, delimiter, name);
    let mut irregularities = None;
    if is_whole || !judged.may_change {
        irregularities = build(text, &head, &judged.plans, sink)?;
    }
    if irregularities.is_none() {
        if !is_whole {
            column_scan.scan_rows(usize::MAX).map_err(too_wide)?;
            judged = judge(&column_scan.seen, delimiter, name);
        }
        irregularities = build(text, &head, &judged.plans, sink)?;
    }
    let Some(irregularities) = irregularities else {
        return Err(Problem::TooMuch("a column changed its type while it was read".into()));
    };
    sink.end(head.captions.first().cloned().unwrap_or_default())?;
    let mut warnings = irregularity_warnings(&irregularities, &head);
    warnings.extend(judged.warnings);
    Ok(Summary { captions: head.captions, warnings })
}

/// Returns the name of a column in warnings: its heading, or its number.
fn column_name(head: &Head, at: usize) -> String {
    match head.header.get(at) {
        Some(name) if !name.is_empty() => name.clone(),
        _ => format!("column_{}", at + 1),
    }
}

/// Returns the delimiter for judging numbers; a line feed for a text of one column.
fn delimiter_of(dialect: Dialect) -> u8 {
    dialect.delimiter.unwrap_or(b'\n')
}

/// Returns the delimiter of a text that is clearly a table: it has at least three records, 90 % of them of the same width.
pub fn shape(text: &str) -> Option<u8> {
    let (delimiter, fit) = dialect::best_delimiter(text)?;
    (fit.records >= 3 && fit.consistent_records * 10 >= fit.records * 9).then_some(delimiter)
}

fn too_wide<E>(TooWide { line }: TooWide) -> Problem<E> {
    Problem::TooMuch(format!("line {line} has more than {} values", scan::MAX_COLUMNS))
}

/// The dialect of a table, and what is above its rows.
struct Head {
    dialect: Dialect,
    captions: Vec<String>,
    /// The headings up to the last one that is not blank.
    header: Vec<String>,
    /// Fields of the header, including blank ones.
    field_count: usize,
    /// Where the rows begin: byte offset and line.
    rows_start: (usize, usize),
    /// `true` if a quote in or above the header is not closed in the text that was searched.
    has_unclosed_quote: bool,
}

impl Head {
    /// Finds captions and header. Lines of a single value above a wider row are captions, unless their first field is blank:
    /// that is a header with a blank heading. `None` if the text has no value.
    fn find(text: &str, dialect: Dialect, start: (usize, usize)) -> Result<Option<Head>, TooWide> {
        let mut scanner = Scanner::new(text, dialect, start);
        let (mut records, mut caption_count, mut is_above_a_table) = (0, 0, false);
        while records <= MAX_CAPTIONS && scanner.next()? {
            let values = scanner.fields().filter(|field| !field.is_empty()).count();
            if values > 1 {
                is_above_a_table = true;
                break;
            }
            if caption_count == records
                && scanner.fields().next().is_some_and(|field| !field.is_empty())
            {
                caption_count += 1;
            }
            records += 1;
        }
        if !is_above_a_table {
            caption_count = 0;
        }
        let unclosed = scanner.irregularities.unclosed_quotes.count;
        let mut scanner = Scanner::new(text, dialect, start);
        let mut captions = Vec::new();
        while scanner.next()? {
            let mut fields = scanner.fields().map(|field| heading(field.as_str()));
            if captions.len() < caption_count {
                captions.extend(fields.next());
                continue;
            }
            let header = fields.collect();
            let (field_count, rows_start) = (scanner.count(), scanner.position());
            let has_unclosed_quote = unclosed + scanner.irregularities.unclosed_quotes.count > 0;
            return Ok(Some(Head {
                dialect,
                captions,
                header,
                field_count,
                rows_start,
                has_unclosed_quote,
            }));
        }
        Ok(None)
    }
}

fn heading(text: &str) -> String {
    clean::single_line(&clean::text(text))
}

/// Collects statistics of the columns, from which their types follow.
struct ColumnScan<'a> {
    scanner: Scanner<'a>,
    seen: Vec<Seen>,
}

impl<'a> ColumnScan<'a> {
    fn new(text: &'a str, head: &Head) -> ColumnScan<'a> {
        ColumnScan { scanner: rows_of(text, head), seen: vec![Seen::default(); head.header.len()] }
    }

    /// Scans at most `rows` rows; fewer of a wide table, unless `rows` is `usize::MAX`. `true` if no row is left.
    fn scan_rows(&mut self, rows: usize) -> Result<bool, TooWide> {
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
    let mut scanner = Scanner::new(text, head.dialect, head.rows_start);
    scanner.width = Some(head.field_count);
    scanner
}

/// Writes all rows of a text as planned. Returns the irregularities; `None` if a value does not fit its plan.
fn build<S: Sink>(
    text: &str,
    head: &Head,
    plans: &[Plan],
    sink: &mut S,
) -> Result<Option<Irregularities>, Problem<S::Error>> {
    let mut scanner = rows_of(text, head);
    let written = write_rows(&mut scanner, head, plans, sink)?;
    Ok(written.map(|_| scanner.irregularities))
}

/// Writes the remaining rows of a scanner as planned. Begins the table, but does not end it. Returns the number of rows;
/// `None` if a value does not fit its plan.
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
    let chunk_rows = (CELLS_AT_A_TIME / width).clamp(1, ROWS_AT_A_TIME);
    // One wide record widens all rows, so a wide table may have fewer of them.
    let max_rows = MAX_CELLS / width;
    let mut row_count = 0;
    loop {
        let room = (chunk_rows - building.rows()).min(max_rows - row_count);
        let Batch { rows, fits } = scanner.next_rows(room.max(1), width).map_err(too_wide)?;
        let count = rows.len();
        if count == 0 {
            break;
        }
        if !fits || !building.append(rows) {
            return Ok(None);
        }
        if row_count == max_rows {
            let line = scanner.first_line();
            return Err(Problem::TooMuch(format!(
                "at most {MAX_CELLS} cells are read; line {line} is beyond them"
            )));
        }
        row_count += count;
        if building.rows() >= chunk_rows || building.texts() >= TEXTS_AT_A_TIME {
            sink.append(building.take())?;
        }
    }
    if building.rows() > 0 {
        sink.append(building.take())?;
    }
    Ok(Some(row_count))
}

/// Returns warnings about irregularities, escaped quotes and further captions.
fn irregularity_warnings(irregularities: &Irregularities, head: &Head) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut warn = |occurrences: Occurrences, what: &str| {
        if occurrences.count > 0 {
            warnings.push(format!(
                "{what}: {}, the first in line {}",
                occurrences.count, occurrences.first_line
            ));
        }
    };
    warn(
        irregularities.ragged_rows,
        "rows with another number of values than the header, filled with empty ones",
    );
    warn(
        irregularities.unclosed_quotes,
        "quotes that are never closed, read as signs of the text so that no row is lost",
    );
    warn(
        irregularities.misplaced_quotes,
        "quoted values with a quote inside or text behind the closing quote, all of which was kept",
    );
    warn(
        irregularities.long_values,
        "quoted values of a hundred lines and more; a quote may be missing",
    );
    if head.dialect.has_backslash_escapes {
        warnings
            .push("quotes inside of values have a backslash in front, which was taken away".into());
    }
    if head.captions.len() > 1 {
        warnings
            .push(format!("lines above the table that are no rows of it: {}", head.captions.len()));
    }
    warnings
}
