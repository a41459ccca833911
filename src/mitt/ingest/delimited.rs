//! CSV and its relatives: delimiter found, first row is the header.

use csv::StringRecord;
use mitt_table::{CellRef, NamedTable, Problem, Table, TableBuilder, column_names};

use super::{Content, Room};
use mitt_base::rows::Rows;
use mitt_base::text::single_line;
use mitt_base::{Error, ErrorKind, Result};

/// Most cells of one file. Their memory is bounded by what the session may keep; empty cells take next to none.
const MAX_CELLS: usize = 200_000_000;

/// Bytes and records at the beginning that decide which delimiter it is.
const SAMPLE_BYTES: usize = 64 << 10;
const SAMPLE_RECORDS: usize = 50;

/// The delimiters, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Records of a single value that may stand above the header.
const MAX_TITLES: usize = 100;

/// Read values with a header row. Lines of a single value above a wider table are titles; the first names the table.
pub(super) fn read(text: &str, room: &Room) -> Result<Content> {
    let (delimiter, text) = match declared(text) {
        Some(declared) => declared,
        None => (best(text).map_or(b',', |(delimiter, _)| delimiter), text),
    };
    let mut reader = reader(text, delimiter);
    let mut record = StringRecord::new();
    let mut head = Head::default();
    let mut body = Body::new(room);
    while reader.read_record(&mut record).map_err(unreadable)? {
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        match head.is_open() {
            true => head.add(&record),
            false => body.add(record.len(), record.iter())?,
        }
        if head.is_complete() {
            body.begin(&mut head)?;
        }
    }
    if head.is_open() {
        head.close(false);
        body.begin(&mut head)?;
    }
    let captions = head.captions;
    let (table, mut warnings) = body.finish()?;
    let mut markdown: String = captions.iter().map(|caption| format!("{caption}\n\n")).collect();
    warnings.extend(show(&table, &mut markdown, room.characters));
    let name = captions.into_iter().next().unwrap_or_default();
    let tables = if table.width() == 0 { Vec::new() } else { vec![NamedTable::new(name, table)] };
    Ok(Content { markdown, tables, warnings, ..Content::default() })
}

/// Write the beginning of a table. What is to be told if there is more.
pub(super) fn show(table: &Table, markdown: &mut String, characters: u64) -> Option<String> {
    let left = characters.saturating_sub(markdown.chars().count() as u64);
    let shown = table.push_markdown(markdown, usize::try_from(left).unwrap_or(usize::MAX));
    let rows = table.rows();
    (shown < rows).then(|| {
        format!("the text shows the first {shown} of {rows} rows; the table has all of them")
    })
}

/// What stands above the rows: titles, and the header.
#[derive(Default)]
struct Head {
    /// Records so far, until it is known what they are.
    records: Vec<Vec<String>>,
    captions: Vec<String>,
    is_known: bool,
}

impl Head {
    fn is_open(&self) -> bool {
        !self.is_known
    }

    fn is_complete(&self) -> bool {
        self.is_known && !self.records.is_empty()
    }

    fn add(&mut self, record: &StringRecord) {
        let values = record.iter().filter(|field| !field.trim().is_empty()).count();
        self.records.push(record.iter().map(str::to_owned).collect());
        if values > 1 || self.records.len() > MAX_TITLES {
            self.close(values > 1);
        }
    }

    /// Take the titles off: records of a single value, above a record of more.
    fn close(&mut self, is_above_a_table: bool) {
        self.is_known = true;
        if !is_above_a_table {
            return;
        }
        // A blank heading above two columns is a header, not a title.
        let is_title = |record: &&Vec<String>| !record[0].trim().is_empty();
        let above = &self.records[..self.records.len() - 1];
        let count = above.iter().take_while(is_title).count();
        self.captions = self.records.drain(..count).map(|it| single_line(&it[0])).collect();
    }
}

/// The rows, as they become columns.
struct Body {
    builder: TableBuilder,
    header: Vec<String>,
    /// Columns up to the last one that anything stands in.
    used: usize,
    ragged: usize,
    told: Rows,
}

impl Body {
    fn new(room: &Room) -> Body {
        let mut builder = TableBuilder::new(Vec::new(), &room.tables);
        builder.find_types();
        Body { builder, header: Vec::new(), used: 0, ragged: 0, told: room.rows.clone() }
    }

    /// Take what was found above: a header, and perhaps rows.
    fn begin(&mut self, head: &mut Head) -> Result<()> {
        let mut records = std::mem::take(&mut head.records).into_iter();
        self.header = records.next().unwrap_or_default();
        self.used = self.header.iter().rposition(|it| !it.trim().is_empty()).map_or(0, |it| it + 1);
        self.builder.grow(self.used);
        records.try_for_each(|record| self.add(record.len(), record.iter().map(String::as_str)))
    }

    fn add<'a>(
        &mut self,
        count: usize,
        fields: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<()> {
        self.ragged += usize::from(count != self.header.len());
        let mut width = 0;
        for (at, field) in fields.clone().enumerate() {
            if !field.trim().is_empty() {
                width = at + 1;
            }
        }
        self.used = self.used.max(width);
        // One very long record must not widen a million short ones.
        if self.used.saturating_mul(self.builder.rows() + 1) > MAX_CELLS {
            return Err(too_many());
        }
        self.builder.grow(self.used);
        self.builder.push_row(fields.take(width).map(CellRef::from_text)).map_err(refused)?;
        self.told.passed(self.builder.rows());
        Ok(())
    }

    /// Header and rows, all of one width, without columns at the end that nothing stands in.
    fn finish(mut self) -> Result<(Table, Vec<String>)> {
        let mut header = self.header;
        header.resize(self.used, String::new());
        self.builder.rename(column_names(header));
        let table = self.builder.finish().map_err(refused)?;
        let mut warnings = Vec::new();
        if self.ragged > 0 {
            warnings.push(format!(
                "rows with another number of values than the header, filled with empty ones: {}",
                self.ragged
            ));
        }
        Ok((table, warnings))
    }
}

fn unreadable(error: csv::Error) -> Error {
    Error::new(ErrorKind::Input, "the values cannot be read").caused_by(error)
}

/// A table that cannot be made.
pub(super) fn refused(problem: Problem) -> Error {
    match problem {
        Problem::Memory(limit) => Error::reached(limit),
        problem => Error::new(ErrorKind::Input, problem.to_string()),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use mitt_base::Resource;
    use mitt_base::memory::Account;
    use mitt_table::{Cell, ColumnType};

    fn room() -> Room {
        let account = Account::root(Resource::Documents, u64::MAX);
        Room { memory: account.clone(), tables: account, characters: 1_000, rows: Rows::default() }
    }

    fn read(text: &str) -> Result<Content> {
        super::read(text, &room())
    }

    fn table(text: &str) -> Table {
        read(text).unwrap().tables.remove(0).data
    }

    fn rows(table: &Table) -> Vec<Vec<Cell>> {
        table.cells(0, usize::MAX).collect()
    }

    fn names(table: &Table) -> Vec<&str> {
        table.names().collect()
    }

    #[test]
    fn delimiters_quotes_and_ragged_rows() {
        for text in
            ["a,b\n1,x\n", "a;b\n1;x\n", "a\tb\n1\tx\n", "a|b\n1|x\n", "\n\"a\",b\r\n1,\"x\"\n"]
        {
            let table = table(text);
            assert_eq!(names(&table), ["a", "b"], "{text:?}");
            assert_eq!(
                rows(&table),
                [[Cell::Number("1".into()), Cell::Text("x".into())]],
                "{text:?}"
            );
        }
        let quoted = table("a,b\n\"1,234\",\"two\nlines\"\n");
        assert_eq!(rows(&quoted), [[Cell::Text("1,234".into()), Cell::Text("two\nlines".into())]]);
        let content = read("a,b\n1\n1,2,3\n").unwrap();
        assert_eq!(names(&content.tables[0].data), ["a", "b", "column_3"]);
        assert_eq!(
            rows(&content.tables[0].data)[0],
            [Cell::Number("1".into()), Cell::Null, Cell::Null]
        );
        assert_eq!(content.warnings.len(), 1);
        assert!(read("").unwrap().tables.is_empty());
    }

    #[test]
    fn delimiters_are_found_where_others_stand_in_the_values() {
        assert_eq!(names(&table("a;b\n1,5;2,5\n3,5;4,5\n")), ["a", "b"]);
        assert_eq!(names(&table("name,note\nx,\"a;b;c\nd;e\"\ny,z\n")), ["name", "note"]);
        assert_eq!(names(&table("sep=;\na;b\n1;2\n")), ["a", "b"]);
        assert_eq!(table("only\n1\n2\n").rows(), 2);
        assert_eq!(shape("a,b\n1,2\n3,4\n"), Some(b','));
        assert_eq!(shape("One, two.\nThree.\nFour, five, six.\n"), None);
    }

    #[test]
    fn titles_and_empty_columns_are_no_part_of_the_table() {
        let content = read("2024年销售,,\n\n地区,金额,\n东,1,\n").unwrap();
        assert_eq!(content.tables[0].name, "2024年销售");
        assert_eq!(names(&content.tables[0].data), ["地区", "金额"]);
        assert!(
            content.markdown.starts_with("2024年销售\n\n| 地区 | 金额 |\n"),
            "{}",
            content.markdown
        );
        assert_eq!(names(&table(",amount\neast,5\n")), ["column_1", "amount"]);
    }

    #[test]
    fn one_wide_row_does_not_widen_a_million() {
        let text = format!("a{}\n{}", ",".repeat(50_000), "1\n".repeat(1000));
        assert_eq!(table(&text).width(), 1);
        let text = format!("{}b\n{}", "a,".repeat(50_000), "1\n".repeat(5000));
        assert!(read(&text).is_err());
    }

    #[test]
    fn columns_have_types_and_the_text_is_a_beginning() {
        let lines: String = (0..1_000).map(|n| format!("{n},{n}.50,2024-01-31,东区\n")).collect();
        let content = read(&format!("n,price,day,region\n{lines}")).unwrap();
        let table = &content.tables[0].data;
        let types: Vec<_> = table.columns().map(|(_, column)| column.column_type()).collect();
        use ColumnType::{Date, Decimal, Integer, Text};
        assert_eq!(types, [Integer, Decimal, Date, Text]);
        assert_eq!(table.rows(), 1_000);
        let shown = content.markdown.lines().count() - 2;
        assert!(content.markdown.chars().count() < 1_100 && shown > 20);
        assert_eq!(
            content.warnings,
            [format!("the text shows the first {shown} of 1000 rows; the table has all of them")]
        );
        let account = Account::root(Resource::Documents, 10_000);
        let room = Room { tables: account, ..room() };
        let error = super::read(&format!("a,b\n{}", "1,2\n".repeat(10_000)), &room).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
    }

    #[test]
    fn a_single_column_and_titles_without_a_table_lose_nothing() {
        assert_eq!(table(&"x\n".repeat(500)).rows(), 499);
        assert_eq!(names(&table("title\n,only\na,b\n")), ["column_1", "only"]);
        assert_eq!(read("one\n").unwrap().tables[0].data.rows(), 0);
    }

    #[test]
    fn rows_are_told_of_by_the_thousand() {
        use std::sync::{Arc, Mutex};
        let told = Arc::<Mutex<Vec<u64>>>::default();
        let heard = told.clone();
        let count = move |rows| mitt_base::lock(&heard).push(rows);
        let room = Room { rows: Rows::every(std::time::Duration::ZERO, count), ..room() };
        super::read("a,b\n1,2\n", &room).unwrap();
        assert!(mitt_base::lock(&told).is_empty());
        super::read(&format!("a,b\n{}", "1,2\n".repeat(2_500)), &room).unwrap();
        assert_eq!(*mitt_base::lock(&told), [1024, 2048]);
    }
}
