//! Reads the title and the tables of a Markdown text. The text itself stays unchanged.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::budget;
use crate::columns::{Building, Seen, judge, recent_bytes};
use crate::field::{Rows, Span};
use crate::table::{Sink, Texts};

/// Most cells of all tables of a text. The tree of the parser takes the same memory again.
const MAX_CELLS: usize = 1_000_000;

/// Most characters of the name of a table, which is the heading above it.
const MAX_NAME_CHARACTERS: usize = 200;

/// Lines that are searched for a title if the structure is not read.
const MAX_TITLE_LINES: usize = 100;

/// Rows that the sink gets at a time.
const ROWS_AT_A_TIME: usize = 4_096;

/// The title of a text, and what was not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The title in the front matter, otherwise the first heading.
    pub title: Option<String>,
    /// What was not read, one sentence each.
    pub warnings: Vec<String>,
}

/// Returns the most bytes that [`read`] allocates at a time, beside the text and what the sink keeps. These are the tree of
/// the parser and the cells of a table.
pub fn working_bytes(text: &str) -> u64 {
    /// Nodes of 48 bytes in a buffer that doubles when it is full, and cells that rows leave out.
    const NODES: u64 = 2_500_000 * 96 + 131_072 * 200;
    // A byte of Markdown makes at most two nodes. Cells are kept a second time.
    (300 * text.len() as u64).min(NODES + 24 * MAX_CELLS as u64 + 3 * text.len() as u64)
        + recent_bytes(usize::MAX) as u64
        + (1 << 16)
}

/// Reads the tables of a Markdown text. The name of a table is the nearest heading above it.
///
/// If parsing the text would cost too much, the sink gets no table, and a warning says so.
///
/// # Errors
///
/// Those of the sink.
pub fn read<S: Sink>(text: &str, sink: &mut S) -> Result<Summary, S::Error> {
    if let Err(too_much) = budget::check(text) {
        return Ok(plain(text, &too_much.sentence()));
    }
    let mut structure = Structure {
        sink,
        title: None,
        heading: None,
        open: None,
        head: Vec::new(),
        row: Vec::new(),
        cells: Texts::default(),
        wide_rows: WideRows::default(),
        count: 0,
        warnings: Vec::new(),
    };
    structure.read(text)?;
    Ok(Summary { title: structure.title, warnings: structure.warnings })
}

/// Returns the result for a text that is not parsed. Its title is the first line that looks like a heading.
fn plain(text: &str, reason: &str) -> Summary {
    let is_heading = |line: &&str| line.starts_with('#');
    let title = text.lines().take(MAX_TITLE_LINES).find(is_heading);
    let title = title.map(|line| line.trim_matches(['#', ' ']).to_owned());
    let title = title.filter(|title| !title.is_empty());
    let warnings = vec![format!("tables and other structure of the text were not read: {reason}")];
    Summary { title, warnings }
}

/// What was read so far.
struct Structure<'a, S> {
    sink: &'a mut S,
    title: Option<String>,
    heading: Option<String>,
    /// Text of the heading or the cell that is being read.
    open: Option<String>,
    /// Column names of the table.
    head: Vec<String>,
    /// Cells of the header or the row.
    row: Vec<String>,
    /// Cells of the table, row by row.
    cells: Texts,
    /// Rows of the table that have more cells than it has columns.
    wide_rows: WideRows,
    count: usize,
    warnings: Vec<String>,
}

impl<S: Sink> Structure<'_, S> {
    fn read(&mut self, text: &str) -> Result<(), S::Error> {
        // Without the last option, the closing line of the front matter turns it into a heading.
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        let mut is_front_matter = false;
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            match event {
                Event::Start(Tag::MetadataBlock(_)) => is_front_matter = true,
                Event::End(TagEnd::MetadataBlock(_)) => is_front_matter = false,
                Event::Text(part) if is_front_matter => {
                    self.title = self.title.take().or_else(|| front_matter_title(&part));
                }
                // A cell is one line of Markdown. This tag is its only way to a second line.
                Event::InlineHtml(tag) if is_break(&tag) => self.push("\n"),
                Event::Start(Tag::Heading { .. } | Tag::TableCell) => {
                    self.open = Some(String::new())
                }
                Event::Text(part) | Event::Code(part) => self.push(&part),
                Event::SoftBreak | Event::HardBreak => self.push(" "),
                Event::End(TagEnd::Heading(_)) => {
                    self.heading = self.open.take();
                    self.title = self.title.take().or_else(|| self.heading.clone());
                }
                Event::End(TagEnd::TableCell) => {
                    self.count += 1;
                    if self.count > MAX_CELLS {
                        let reason = format!("at most {MAX_CELLS} cells are read");
                        self.warnings.push(format!("tables of the text were not read: {reason}"));
                        return Ok(());
                    }
                    self.row.push(self.open.take().unwrap_or_default());
                }
                Event::End(TagEnd::TableHead) => {
                    self.head = std::mem::take(&mut self.row);
                    self.cells = Texts::default();
                    self.wide_rows = WideRows::default();
                }
                Event::End(TagEnd::TableRow) => {
                    for at in 0..self.head.len() {
                        let cell = self.row.get(at).map_or("", |cell| cell.trim());
                        self.cells.push(cell.as_bytes());
                    }
                    self.row.clear();
                    let width = self.head.len();
                    let row = self.cells.len() / width.max(1);
                    self.wide_rows.see(row, text.get(range).unwrap_or_default(), width);
                }
                Event::End(TagEnd::Table) => self.table()?,
                _ => {}
            }
        }
        Ok(())
    }

    fn push(&mut self, text: &str) {
        if let Some(open) = &mut self.open {
            open.push_str(text);
        }
    }

    /// Passes the table to the sink.
    fn table(&mut self) -> Result<(), S::Error> {
        let (head, cells) = (std::mem::take(&mut self.head), std::mem::take(&mut self.cells));
        let width = head.len();
        if width == 0 {
            return Ok(());
        }
        let cell = |at: usize| std::str::from_utf8(cells.get(at)).unwrap_or_default();
        let mut seen = vec![Seen::default(); width];
        for at in 0..cells.len() {
            if !cell(at).is_empty() {
                seen[at % width].see(cell(at), at / width + 1);
            }
        }
        // Many tables may stand below one long heading.
        let name: String =
            self.heading.iter().flat_map(|it| it.chars()).take(MAX_NAME_CHARACTERS).collect();
        let judged = judge(&seen, b'|', |at| head[at].clone());
        let place = if name.is_empty() { "a table".to_owned() } else { format!("table {name}") };
        // Rows count from the first below the header.
        let wide = self.wide_rows.warning(|row| format!("row {row}"));
        let judged_warnings = judged.warnings.iter().map(|it| it.replace("in line", "in row"));
        let warnings = wide.into_iter().chain(judged_warnings).map(|it| format!("{place}: {it}"));
        self.warnings.extend(warnings.take(MAX_WARNINGS.saturating_sub(self.warnings.len())));
        self.sink.begin(&head)?;
        let mut building = Building::new(&judged.plans);
        let text = std::str::from_utf8(&cells.bytes).unwrap_or_default();
        let mut spans = Vec::with_capacity(width);
        for row in cells.offsets.windows(width + 1).step_by(width) {
            spans.clear();
            spans.extend(row.windows(2).map(|it| Span::of_text(it[0] as usize, it[1] as usize)));
            building.append(Rows { text, unquoted: "", spans: &spans, width });
            if building.rows() >= ROWS_AT_A_TIME {
                self.sink.append(building.take())?;
            }
        }
        if building.rows() > 0 {
            self.sink.append(building.take())?;
        }
        self.sink.end(name)
    }
}

/// Rows of tables that are written with more cells than their table has columns. Markdown leaves out the cells behind the last
/// column.
#[derive(Clone, Debug, Default)]
pub struct WideRows {
    count: usize,
    /// Place and cells of the first such row, and columns of its table.
    first: (usize, usize, usize),
}

impl WideRows {
    /// Looks at the Markdown of a row of a table with this number of columns. `place` is what [`WideRows::warning`] names.
    pub fn see(&mut self, place: usize, row: &str, columns: usize) {
        let n_cells = cell_count(row);
        if n_cells > columns {
            if self.count == 0 {
                self.first = (place, n_cells, columns);
            }
            self.count += 1;
        }
    }

    /// Returns a warning about these rows, if there are any. `named` returns the name of the row at a place.
    pub fn warning(&self, named: impl Fn(usize) -> String) -> Option<String> {
        let (place, n_cells, columns) = self.first;
        let others = match self.count {
            0 => return None,
            1 => String::new(),
            2 => " (and 1 more row)".to_owned(),
            more => format!(" (and {} more rows)", more - 1),
        };
        Some(format!(
            "{} has {n_cells} cells for {columns} columns{others}; Markdown leaves out the cells behind the last column",
            named(place)
        ))
    }
}

/// Returns the number of cells that a row of a Markdown table is written with. A table leaves out those behind its last column.
fn cell_count(row: &str) -> usize {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let (mut count, mut is_escaped, mut is_open) = (0, false, false);
    for byte in row.bytes() {
        if byte == b'|' && !is_escaped {
            count += 1;
            is_open = false;
        } else {
            is_open = is_open || !byte.is_ascii_whitespace();
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    count + usize::from(is_open)
}

/// Most warnings about all tables of a text.
const MAX_WARNINGS: usize = 20;

fn is_break(tag: &str) -> bool {
    tag.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("<br"))
}

/// Returns the title of a front matter. `None` if it is not on one line.
fn front_matter_title(block: &str) -> Option<String> {
    let value = block.lines().find_map(|line| line.strip_prefix("title:"))?.trim();
    let title = value.trim_matches(|c| matches!(c, '"' | '\''));
    let title = title.trim().to_owned();
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_row_are_counted() {
        for (row, count) in [
            ("| a | b |", 2),
            ("a | b", 2),
            ("|a|b|c", 3),
            ("| a | |", 2),
            (r"| a\|b | c |", 2),
            (r"| a\\| b |", 2),
            ("|", 0),
        ] {
            assert_eq!(cell_count(row), count, "{row}");
        }
    }
}
