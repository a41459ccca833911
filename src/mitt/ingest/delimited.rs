//! CSV and its relatives: delimiter found, first row is the header.

use super::Content;
use crate::table::{Cell, NamedTable, Table, column_names};
use mitt_base::text::single_line;
use mitt_base::{Error, ErrorKind, Result};

/// Most cells of one file, as for workbooks.
pub(super) const MAX_CELLS: usize = 2_000_000;

/// Bytes and records at the beginning that decide which delimiter it is.
const SAMPLE_BYTES: usize = 64 << 10;
const SAMPLE_RECORDS: usize = 50;

/// The delimiters, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Read values with a header row. Lines of a single value above a wider table are titles; the first names the table.
pub(super) fn read(text: &str) -> Result<Content> {
    let (delimiter, text) = match declared(text) {
        Some(declared) => declared,
        None => (best(text).map_or(b',', |(delimiter, _)| delimiter), text),
    };
    // Cells at once, as a second copy of two million values would be some hundred megabytes.
    let mut records: Vec<Vec<Cell>> = Vec::new();
    let mut values = 0_usize;
    for record in reader(text, delimiter).records() {
        let record = record.map_err(|error| {
            Error::new(ErrorKind::Input, "the values cannot be read").caused_by(error)
        })?;
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        values = values.saturating_add(record.len());
        if values > MAX_CELLS {
            return Err(too_many());
        }
        // As long as it is: a vector that grows has room for four, which most records of a long file would leave empty.
        let mut cells = Vec::with_capacity(record.len());
        cells.extend(record.iter().map(Cell::from_text));
        records.push(cells);
    }
    let captions = take_captions(&mut records);
    let (table, warnings) = tabulate(records)?;
    let mut markdown: String = captions.iter().map(|caption| format!("{caption}\n\n")).collect();
    markdown.push_str(&table.to_markdown());
    let name = captions.into_iter().next().unwrap_or_default();
    let tables =
        if table.columns.is_empty() { Vec::new() } else { vec![NamedTable { name, data: table }] };
    Ok(Content { title: None, markdown, tables, warnings })
}

/// The delimiter of a text that is clearly a table: at least three records, nearly all of the same width.
pub(super) fn shape(text: &str) -> Option<u8> {
    let (delimiter, Fit { records, alike, .. }) = best(text)?;
    (records >= 3 && alike * 10 >= records * 9).then_some(delimiter)
}

fn too_many() -> Error {
    Error::new(ErrorKind::Input, format!("at most {MAX_CELLS} cells are read"))
        .hint("split the file")
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text.as_bytes())
}

/// The delimiter that Excel's own first line `sep=;` names, and the text below that line.
fn declared(text: &str) -> Option<(u8, &str)> {
    let (line, rest) = text.split_once('\n')?;
    let delimiter = line.trim_end().trim_matches('"').strip_prefix("sep=")?.as_bytes();
    match delimiter {
        [delimiter] if delimiter.is_ascii() => Some((*delimiter, rest)),
        // `sep=` and a tab, which trimming took away.
        [] => Some((b'\t', rest)),
        _ => None,
    }
}

/// How well a delimiter fits; greater is better.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// Records of the commonest width.
    alike: usize,
    width: usize,
    records: usize,
}

/// The delimiter that gives most records the same width, of at least two.
fn best(text: &str) -> Option<(u8, Fit)> {
    let sample = match text.get(..text.floor_char_boundary(SAMPLE_BYTES)) {
        // The last record of a cut sample is cut itself.
        Some(sample) if sample.len() < text.len() => {
            sample.rsplit_once('\n').map_or(sample, |(whole, _)| whole)
        }
        _ => text,
    };
    // `max_by_key` takes the last of equals.
    DELIMITERS
        .into_iter()
        .rev()
        .filter_map(|delimiter| Some((delimiter, fit(sample, delimiter)?)))
        .max_by(|a, b| a.1.cmp(&b.1))
}

fn fit(sample: &str, delimiter: u8) -> Option<Fit> {
    let mut widths = std::collections::BTreeMap::<usize, usize>::new();
    let mut records = 0;
    for record in reader(sample, delimiter).records().take(SAMPLE_RECORDS).flatten() {
        records += 1;
        *widths.entry(record.len()).or_default() += 1;
    }
    let (width, alike) =
        widths.into_iter().filter(|(width, _)| *width > 1).max_by_key(|(_, count)| *count)?;
    Some(Fit { alike, width, records })
}

/// Take the titles off: records of a single value, above a record of more.
fn take_captions(records: &mut Vec<Vec<Cell>>) -> Vec<String> {
    let values = |record: &Vec<Cell>| record.iter().filter(|cell| **cell != Cell::Null).count();
    let first = records.iter().position(|record| values(record) > 1).unwrap_or(0);
    // A blank heading above two columns is a header, not a title.
    let is_title = |record: &Vec<Cell>| record.first().is_some_and(|cell| *cell != Cell::Null);
    let count = records[..first].iter().take_while(|record| is_title(record)).count();
    records.drain(..count).map(|record| single_line(record[0].as_str())).collect()
}

/// Header and rows, all of one width, without columns at the end that nothing stands in.
fn tabulate(mut records: Vec<Vec<Cell>>) -> Result<(Table, Vec<String>)> {
    let used = |record: &Vec<Cell>| {
        record.iter().rposition(|cell| *cell != Cell::Null).map_or(0, |last| last + 1)
    };
    let width = records.iter().map(used).max().unwrap_or(0);
    // One very long record must not widen a million short ones.
    if width.saturating_mul(records.len()) > MAX_CELLS {
        return Err(too_many());
    }
    if records.is_empty() {
        return Ok((Table::default(), Vec::new()));
    }
    let header = records.remove(0);
    let expected = header.len();
    let mut ragged = 0;
    for row in &mut records {
        ragged += usize::from(row.len() != expected);
        row.resize(width, Cell::Null);
    }
    let mut header: Vec<String> = header.iter().map(|cell| cell.as_str().to_owned()).collect();
    header.resize(width, String::new());
    let mut warnings = Vec::new();
    if ragged > 0 {
        warnings.push(format!(
            "rows with another number of values than the header, filled with empty ones: {ragged}"
        ));
    }
    Ok((Table { columns: column_names(header), rows: records }, warnings))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        read(text).unwrap().tables.remove(0).data
    }

    #[test]
    fn delimiters_quotes_and_ragged_rows() {
        for text in
            ["a,b\n1,x\n", "a;b\n1;x\n", "a\tb\n1\tx\n", "a|b\n1|x\n", "\n\"a\",b\r\n1,\"x\"\n"]
        {
            let table = table(text);
            assert_eq!(table.columns, ["a", "b"], "{text:?}");
            assert_eq!(
                table.rows,
                [[Cell::Number("1".into()), Cell::Text("x".into())]],
                "{text:?}"
            );
        }
        let quoted = table("a,b\n\"1,234\",\"two\nlines\"\n");
        assert_eq!(quoted.rows, [[Cell::Text("1,234".into()), Cell::Text("two\nlines".into())]]);
        let content = read("a,b\n1\n1,2,3\n").unwrap();
        assert_eq!(content.tables[0].data.columns, ["a", "b", "column_3"]);
        assert_eq!(
            content.tables[0].data.rows[0],
            [Cell::Number("1".into()), Cell::Null, Cell::Null]
        );
        assert_eq!(content.warnings.len(), 1);
        assert!(read("").unwrap().tables.is_empty());
    }

    #[test]
    fn delimiters_are_found_where_others_stand_in_the_values() {
        assert_eq!(table("a;b\n1,5;2,5\n3,5;4,5\n").columns, ["a", "b"]);
        assert_eq!(table("name,note\nx,\"a;b;c\nd;e\"\ny,z\n").columns, ["name", "note"]);
        assert_eq!(table("sep=;\na;b\n1;2\n").columns, ["a", "b"]);
        assert_eq!(table("only\n1\n2\n").rows.len(), 2);
        assert_eq!(shape("a,b\n1,2\n3,4\n"), Some(b','));
        assert_eq!(shape("One, two.\nThree.\nFour, five, six.\n"), None);
    }

    #[test]
    fn titles_and_empty_columns_are_no_part_of_the_table() {
        let content = read("2024年销售,,\n\n地区,金额,\n东,1,\n").unwrap();
        assert_eq!(content.tables[0].name, "2024年销售");
        assert_eq!(content.tables[0].data.columns, ["地区", "金额"]);
        assert!(
            content.markdown.starts_with("2024年销售\n\n| 地区 | 金额 |\n"),
            "{}",
            content.markdown
        );
        assert_eq!(table(",amount\neast,5\n").columns, ["column_1", "amount"]);
    }

    #[test]
    fn one_wide_row_does_not_widen_a_million() {
        let text = format!("a{}\n{}", ",".repeat(50_000), "1\n".repeat(1000));
        assert!(read(&text).is_ok());
        let text = format!("{}b\n{}", "a,".repeat(50_000), "1\n".repeat(1000));
        assert!(read(&text).is_err());
    }
}
