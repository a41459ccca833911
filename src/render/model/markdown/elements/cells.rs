//! A table in HTML, collected up to its end, because the number of its columns is known only then.

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

use super::super::super::doc::MAX_ELEMENTS;
use super::super::html;
use super::BuilderInput;

/// Most columns and rows of one cell.
const MAX_SPAN: usize = 1_000;

/// A table that has not ended.
#[derive(Default)]
pub(super) struct Cells<'a> {
    rows: Vec<Vec<Cell<'a>>>,
    /// For each column, the number of further rows that cells above extend to.
    taken: Vec<usize>,
    /// Number of cells so far, including those that merged cells cover.
    count: usize,
    is_in_cell: bool,
    /// Number of open tables within its cells.
    pub(super) depth: usize,
}

#[derive(Default)]
struct Cell<'a> {
    steps: Vec<BuilderInput<'a>>,
    alignment: Option<Alignment>,
}

impl<'a> Cells<'a> {
    pub(super) fn is_in_cell(&self) -> bool {
        self.is_in_cell
    }

    pub(super) fn step(&mut self, step: BuilderInput<'a>) {
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut())
            && step != BuilderInput::Paragraph
        {
            cell.steps.push(step);
        }
    }

    /// Begins a row.
    pub(super) fn row(&mut self) {
        self.end_row();
        self.rows.push(Vec::new());
    }

    /// Begins a cell. Returns `true` if it is merged with others.
    pub(super) fn cell(&mut self, tag: &html::Tag<'_>) -> bool {
        if self.rows.is_empty() {
            self.row();
        }
        let span = |name: &str| {
            let span = tag.attribute(name).and_then(|span| span.trim().parse().ok());
            span.unwrap_or(1_usize).clamp(1, MAX_SPAN)
        };
        let (columns, rows) = (span("colspan"), span("rowspan"));
        self.skip_taken();
        let alignment = match tag.attribute("align").map(str::to_ascii_lowercase).as_deref() {
            Some("left") => Some(Alignment::Left),
            Some("center") => Some(Alignment::Center),
            Some("right") => Some(Alignment::Right),
            _ => None,
        };
        self.is_in_cell = true;
        // A table that is too large is refused when it is written.
        if self.count > MAX_ELEMENTS {
            return false;
        }
        let Some(row) = self.rows.last_mut() else { return false };
        let first = row.len();
        // The text goes to the first of the merged cells, which is the last one so far.
        row.push(Cell { steps: Vec::new(), alignment });
        self.count += columns;
        if rows > 1 || columns > 1 {
            let last = first + columns;
            if self.taken.len() < last {
                self.taken.resize(last, 0);
            }
            // In this row, the columns beside it are covered as well.
            self.taken[first] = self.taken[first].max(rows - 1);
            self.taken[first + 1..last].iter_mut().for_each(|taken| *taken = (*taken).max(rows));
        }
        rows > 1 || columns > 1
    }

    pub(super) fn end_cell(&mut self) {
        self.is_in_cell = false;
    }

    /// Adds empty cells where cells of rows above, or of the same row, extend to.
    fn skip_taken(&mut self) {
        let Some(row) = self.rows.last_mut() else { return };
        while let Some(taken) = self.taken.get_mut(row.len()).filter(|taken| **taken > 0) {
            *taken -= 1;
            row.push(Cell::default());
            self.count += 1;
            if self.count > MAX_ELEMENTS {
                return;
            }
        }
        // The new cell begins at the first column that no other cell covers.
    }

    fn end_row(&mut self) {
        self.skip_taken();
        let Some(row) = self.rows.last() else { return };
        // Cells behind the end of the row extend to one row less as well.
        let end = row.len();
        self.taken.iter_mut().skip(end).for_each(|taken| *taken = taken.saturating_sub(1));
    }

    /// Writes the table as events. The first row is its head.
    pub(super) fn write(mut self, out: &mut Vec<BuilderInput<'a>>) {
        self.end_row();
        self.rows.retain(|row| !row.is_empty());
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        if columns == 0 {
            return;
        }
        let alignment_of = |column: usize| {
            let cells = self.rows.iter().skip(usize::from(self.rows.len() > 1));
            let mut said = cells.filter_map(|row| row.get(column)?.alignment);
            said.next().unwrap_or(Alignment::None)
        };
        let alignments = (0..columns).map(alignment_of).collect();
        let mut push = |event: Event<'a>| out.push(BuilderInput::Event(event));
        push(Event::Start(Tag::Table(alignments)));
        for (index, row) in self.rows.into_iter().enumerate() {
            let tag = if index == 0 { Tag::TableHead } else { Tag::TableRow };
            let end = tag.to_end();
            out.push(BuilderInput::Event(Event::Start(tag)));
            for cell in row {
                out.push(BuilderInput::Event(Event::Start(Tag::TableCell)));
                out.extend(cell.steps);
                out.push(BuilderInput::Event(Event::End(TagEnd::TableCell)));
            }
            out.push(BuilderInput::Event(Event::End(end)));
        }
        out.push(BuilderInput::Event(Event::End(TagEnd::Table)));
    }
}
