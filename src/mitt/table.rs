//! Tables as documents hold them and plugins get them: named columns, rows of typed cells.
//!
//! Plain data with the same form as `mitt:host/types`. It knows neither WIT values nor files, and does no arithmetic: a number is
//! the text that was written. The types derive `Lower`, so that a table is written straight into the memory of a plugin, without a
//! copy of two million cells first.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use mitt_base::limits::MAX_NUMBER_LENGTH;
use mitt_base::text::single_line;
use wasmtime::component::{ComponentType, Lower};

/// One value of a table. Equal texts may be shared.
#[derive(Clone, Debug, PartialEq, ComponentType, Lower)]
#[component(variant)]
pub enum Cell {
    /// No value: an empty cell of a worksheet, `null` in JSON.
    #[component(name = "null")]
    Null,
    /// `true` or `false`.
    #[component(name = "boolean")]
    Boolean(bool),
    /// A number in JSON notation, exact to its last digit; at most [`MAX_NUMBER_LENGTH`] bytes.
    #[component(name = "number")]
    Number(Arc<str>),
    /// Text. Dates and times are text too, in ISO 8601.
    #[component(name = "text")]
    Text(Arc<str>),
}

/// A table: named columns, and rows with one cell per column.
///
/// Every row has exactly as many cells as there are columns. Column names are unique and not empty; [`column_names`]
/// makes them so.
#[derive(Clone, Debug, Default, PartialEq, ComponentType, Lower)]
#[component(record)]
pub struct Table {
    /// Column names from left to right.
    #[component(name = "columns")]
    pub columns: Vec<String>,
    /// Rows from top to bottom.
    #[component(name = "rows")]
    pub rows: Vec<Vec<Cell>>,
}

/// A table found in a document.
#[derive(Clone, Debug, PartialEq, ComponentType, Lower)]
#[component(record)]
pub struct NamedTable {
    /// Name of the worksheet, or the caption or nearest heading above the table; may be empty.
    #[component(name = "name")]
    pub name: String,
    /// Its content.
    #[component(name = "data")]
    pub data: Table,
}

impl Table {
    /// The table in the notation of GitHub Flavored Markdown, ending with a line feed; empty without columns.
    ///
    /// Pipes are escaped. A line feed inside a cell becomes a space, because a row is one line; the table itself keeps it.
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        if self.columns.is_empty() {
            return out;
        }
        push_row(&mut out, self.columns.iter().map(String::as_str));
        push_row(&mut out, self.columns.iter().map(|_| "---"));
        for row in &self.rows {
            push_row(&mut out, row.iter().map(Cell::as_str));
        }
        out
    }

    /// Let go of room that nothing is in, and keep equal texts once.
    pub(crate) fn compact(&mut self, texts: &mut Texts) {
        self.columns.shrink_to_fit();
        self.rows.shrink_to_fit();
        for row in &mut self.rows {
            row.shrink_to_fit();
            row.iter_mut().for_each(|cell| texts.share(cell));
        }
    }

    /// Bytes that it keeps on the heap. A text that several cells share counts once, a part of it at each.
    pub(crate) fn kept_bytes(&self) -> u64 {
        let columns = self.columns.iter().map(String::capacity).sum::<usize>();
        let cells = |row: &Vec<Cell>| {
            let texts = row.iter().map(Cell::kept_bytes).sum::<usize>();
            row.capacity() * size_of::<Cell>() + texts
        };
        let rows = self.rows.iter().map(cells).sum::<usize>();
        let slots = self.columns.capacity() * size_of::<String>()
            + self.rows.capacity() * size_of::<Vec<Cell>>();
        (columns + rows + slots) as u64
    }

    /// Number of cells, the header not counted.
    pub fn cell_count(&self) -> usize {
        self.rows.len().saturating_mul(self.columns.len())
    }
}

/// Texts of a document's cells, of which equal ones are kept once: categories, units and small numbers repeat.
#[derive(Default)]
pub(crate) struct Texts {
    known: HashSet<Arc<str>>,
}

impl Texts {
    /// Longest text that is looked for, in bytes: longer ones seldom repeat.
    const LONGEST: usize = 64;
    /// Most texts that are remembered, so that the search itself stays small. In columns where nothing repeats, those that
    /// came first stay.
    const MOST: usize = 65_536;

    fn share(&mut self, cell: &mut Cell) {
        let (Cell::Number(text) | Cell::Text(text)) = cell else { return };
        if text.len() > Texts::LONGEST {
            return;
        }
        match self.known.get(text) {
            Some(known) => *text = known.clone(),
            None if self.known.len() < Texts::MOST => drop(self.known.insert(text.clone())),
            None => {}
        }
    }
}

/// Two counters and the text, in pieces of 16 bytes, as allocators give them.
fn shared_bytes(text: &Arc<str>) -> usize {
    const COUNTERS: usize = 2 * size_of::<usize>();
    (COUNTERS + text.len() + size_of::<usize>()).next_multiple_of(16)
        / Arc::strong_count(text).max(1)
}

impl Cell {
    /// Bytes that it keeps on the heap, beside itself.
    fn kept_bytes(&self) -> usize {
        match self {
            Self::Null | Self::Boolean(_) => 0,
            Self::Number(text) | Self::Text(text) => shared_bytes(text),
        }
    }

    /// The cell as text: empty for [`Cell::Null`], otherwise the JSON lexeme or the text itself.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Null => "",
            Self::Boolean(true) => "true",
            Self::Boolean(false) => "false",
            Self::Number(text) | Self::Text(text) => text,
        }
    }

    /// The cell that a field of a text format holds: nothing, a number if it can be nothing else, or [text](Cell::of_text).
    pub fn from_text(text: &str) -> Self {
        let trimmed = text.trim();
        if is_plain_number(trimmed) { Self::Number(trimmed.into()) } else { Self::of_text(trimmed) }
    }

    /// The cell that a text is, of whatever format: nothing if there are only blanks.
    ///
    /// Blanks around it are dropped, as they are in names of columns and in the text that a model reads: nobody sees them, and
    /// `East ` must be found where `East` is looked for, whether a CSV file or a workbook holds it.
    pub fn of_text(text: &str) -> Self {
        match text.trim() {
            "" => Self::Null,
            trimmed => Self::Text(trimmed.into()),
        }
    }
}

/// Whether `text` is a number and cannot be anything else: digits, perhaps a sign and a fraction.
///
/// `007` is an identifier, `1,234` is one number or two, `12.5%` and `1e3` are for someone who knows the column.
pub(crate) fn is_plain_number(text: &str) -> bool {
    if text.len() > MAX_NUMBER_LENGTH {
        return false;
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let all_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    all_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(all_digits)
}

/// Column names out of the cells of a header row: blanks inside are single spaces, an empty name becomes `column_3`, the
/// second `price` becomes `price_2`.
pub(crate) fn column_names(headers: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let names: Vec<String> =
        headers.into_iter().map(|header| single_line(header.as_ref())).collect();
    // A name that is given explicitly keeps its place, so that `a, a, a_2` does not rename the third column.
    let given: HashSet<String> = names.iter().filter(|name| !name.is_empty()).cloned().collect();
    let mut used = HashSet::with_capacity(names.len());
    // Where the numbering of each name goes on: a row of 16 384 equal headers must not cost a square.
    let mut next: HashMap<String, usize> = HashMap::new();
    let mut unique = Vec::with_capacity(names.len());
    for (index, name) in names.into_iter().enumerate() {
        let base = if name.is_empty() { format!("column_{}", index + 1) } else { name.clone() };
        let mut candidate = base.clone();
        while used.contains(&candidate) || (candidate != name && given.contains(&candidate)) {
            let number = next.entry(base.clone()).or_insert(2);
            candidate = format!("{base}_{number}");
            *number += 1;
        }
        used.insert(candidate.clone());
        unique.push(candidate);
    }
    unique
}

fn push_row<'a>(out: &mut String, cells: impl Iterator<Item = &'a str>) {
    out.push('|');
    for cell in cells {
        out.push(' ');
        for (index, line) in cell.lines().filter(|line| !line.trim().is_empty()).enumerate() {
            if index > 0 {
                out.push(' ');
            }
            out.push_str(&line.trim().replace('|', "\\|"));
        }
        out.push_str(" |");
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_can_be_nothing_else() {
        for text in ["0", "-0.5", "12", "1234.50", "-7", "100000000000000000000"] {
            assert!(is_plain_number(text), "{text}");
        }
        for text in [
            "", "-", "007", "1,234", "12.5%", "1e3", "+1", ".5", "5.", "1.2.3", "--1", "500万",
            "１２", "NaN", "0x1",
        ] {
            assert!(!is_plain_number(text), "{text}");
        }
        assert!(!is_plain_number(&"9".repeat(65)));
    }

    #[test]
    fn equal_texts_are_kept_once_and_counted_once() {
        let table = |text: &dyn Fn(usize) -> String| {
            let cell = |number: usize| Cell::Text(text(number).into());
            let mut rows = Vec::with_capacity(4_000);
            rows.extend((0..1_000).map(|row| vec![cell(row), Cell::Null, cell(row)]));
            let mut table = Table { columns: vec!["a".into(), "b".into(), "c".into()], rows };
            let before = table.kept_bytes();
            table.compact(&mut Texts::default());
            (before, table.kept_bytes())
        };
        let slots = 1_000 * (3 * size_of::<Cell>() + size_of::<Vec<Cell>>()) as u64;
        let (before, after) = table(&|_| "the same text in every row".into());
        assert!(before > slots + 2_000 * 48, "{before}");
        assert!((slots..slots + 1_000).contains(&after), "{after}");
        let (_, after) = table(&|row| format!("text number {row} of the column"));
        assert!((slots + 1_000 * 40..slots + 1_000 * 80).contains(&after), "{after}");
        // Long ones are not looked for.
        let (_, after) = table(&|_| "x".repeat(1_000));
        assert!(after > slots + 2_000 * 1_000, "{after}");
    }

    #[test]
    fn fields_become_cells() {
        assert_eq!(Cell::from_text("  "), Cell::Null);
        assert_eq!(Cell::from_text(" 1.50 "), Cell::Number("1.50".into()));
        assert_eq!(Cell::from_text("007"), Cell::Text("007".into()));
        assert_eq!(Cell::from_text("true"), Cell::Text("true".into()));
    }

    #[test]
    fn column_names_are_unique_and_not_empty() {
        let check =
            |headers: &[&str], expected: &[&str]| assert_eq!(column_names(headers), expected);
        check(&["a", "", "a"], &["a", "column_2", "a_2"]);
        check(&["a", "a", "a_2"], &["a", "a_3", "a_2"]);
        check(&["", "column_1"], &["column_1_2", "column_1"]);
        check(&[" 销售\n额 ", "销售 额"], &["销售 额", "销售 额_2"]);
        check(&[], &[]);
    }

    #[test]
    fn markdown_of_a_table() {
        let table = Table {
            columns: vec!["a|b".into(), "n".into()],
            rows: vec![
                vec![Cell::Text("first\n\nsecond".into()), Cell::Number("1.50".into())],
                vec![Cell::Null, Cell::Boolean(true)],
            ],
        };
        assert_eq!(
            table.to_markdown(),
            "| a\\|b | n |\n| --- | --- |\n| first second | 1.50 |\n|  | true |\n"
        );
        assert_eq!(Table::default().to_markdown(), "");
        assert_eq!(table.cell_count(), 4);
    }
}
