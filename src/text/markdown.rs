//! Markdown. The text stays as it is; its tables are also kept as tables.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::budget;
use crate::columns::{Building, Seen, judge, recent_bytes};
use crate::field::{Rows, Span};
use crate::table::{Sink, Texts};

/// Most cells of all tables of one file. The parser's tree takes as much again.
const MAX_CELLS: usize = 1_000_000;

/// Characters of the heading above a table that are its name.
const MAX_NAME_CHARACTERS: usize = 200;

/// Lines in which a title is looked for where the structure is not read.
const MAX_TITLE_LINES: usize = 100;

/// Rows that are handed over at a time.
const ROWS_AT_A_TIME: usize = 4_096;

/// What a text says of itself, and what was not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Its title: of the front matter, or its first heading.
    pub title: Option<String>,
    /// What was not read, one sentence each.
    pub warnings: Vec<String>,
}

/// The most bytes that are there at a time beside the text and what the sink keeps: the parser's tree and the cells of a table. None is
/// taken for a text that is refused before it is parsed.
pub fn working_bytes(text: &str) -> u64 {
    /// Nodes of 48 bytes, which double when there is no room, and cells that rows leave out.
    const NODES: u64 = 2_500_000 * 96 + 131_072 * 200;
    // A byte of Markdown makes two nodes at most; cells are kept once more.
    (300 * text.len() as u64).min(NODES + 24 * MAX_CELLS as u64 + 3 * text.len() as u64)
        + recent_bytes(usize::MAX) as u64
        + (1 << 16)
}

/// Read the tables of a Markdown text. A table is named by the nearest heading above it.
///
/// Where reading its structure would cost too much, no table is given, and a warning says that tables are missing.
///
/// # Errors
///
/// As the sink has them.
pub fn read<S: Sink>(text: &str, sink: &mut S) -> Result<Found, S::Error> {
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
        count: 0,
        warnings: Vec::new(),
    };
    structure.read(text)?;
    Ok(Found { title: structure.title, warnings: structure.warnings })
}

/// What is known of a text whose structure is not read. The title is the first line that is a heading.
fn plain(text: &str, reason: &str) -> Found {
    let is_heading = |line: &&str| line.starts_with('#');
    let title = text.lines().take(MAX_TITLE_LINES).find(is_heading);
    let title = title.map(|line| line.trim_matches(['#', ' ']).to_owned());
    let title = title.filter(|title| !title.is_empty());
    let warnings = vec![format!("tables and other structure of the text were not read: {reason}")];
    Found { title, warnings }
}

/// What was met so far.
struct Structure<'a, S> {
    sink: &'a mut S,
    title: Option<String>,
    heading: Option<String>,
    /// Text of a heading or a cell.
    open: Option<String>,
    /// Names of the columns of the table.
    head: Vec<String>,
    /// Cells of a header or a row.
    row: Vec<String>,
    /// Cells of the rows of the table, one after another.
    cells: Texts,
    count: usize,
    warnings: Vec<String>,
}

impl<S: Sink> Structure<'_, S> {
    fn read(&mut self, text: &str) -> Result<(), S::Error> {
        // Without the last option, the front matter's closing line makes a heading of it.
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        let mut is_front_matter = false;
        for event in Parser::new_ext(text, options) {
            match event {
                Event::Start(Tag::MetadataBlock(_)) => is_front_matter = true,
                Event::End(TagEnd::MetadataBlock(_)) => is_front_matter = false,
                Event::Text(part) if is_front_matter => {
                    self.title = self.title.take().or_else(|| front_matter_title(&part));
                }
                // A cell is one line of Markdown; this is how it gets a second one.
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
                }
                Event::End(TagEnd::TableRow) => {
                    for at in 0..self.head.len() {
                        let cell = self.row.get(at).map_or("", |cell| cell.trim());
                        self.cells.push(cell.as_bytes());
                    }
                    self.row.clear();
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

    /// Hand the table over.
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
        let told = judged
            .warnings
            .iter()
            .map(|it| format!("{place}: {}", it.replace("in line", "in row")));
        self.warnings.extend(told.take(MAX_WARNINGS.saturating_sub(self.warnings.len())));
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

/// Warnings of all tables of a text.
const MAX_WARNINGS: usize = 20;

fn is_break(tag: &str) -> bool {
    tag.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("<br"))
}

/// The title of a front matter, as far as it is a plain line of it.
fn front_matter_title(block: &str) -> Option<String> {
    let value = block.lines().find_map(|line| line.strip_prefix("title:"))?.trim();
    let title = value.trim_matches(|c| matches!(c, '"' | '\''));
    let title = title.trim().to_owned();
    (!title.is_empty()).then_some(title)
}
