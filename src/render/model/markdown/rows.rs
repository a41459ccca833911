//! Rows of tables with more cells than their table has columns. Markdown leaves out the cells behind the last column.

use pulldown_cmark::{Event, Tag};

/// Rows whose last cells are left out.
#[derive(Default)]
pub(super) struct WideRows {
    /// Columns of the table that is being read.
    columns: usize,
    count: usize,
    /// Line and cells of the first such row, and columns of its table.
    first: (usize, usize, usize),
}

impl WideRows {
    /// Looks at an event. `line` is the line of its source, which counts from 1, and `source` its text.
    pub(super) fn event(&mut self, event: &Event<'_>, line: usize, source: &str) {
        match event {
            Event::Start(Tag::Table(columns)) => self.columns = columns.len(),
            Event::Start(Tag::TableRow) => {
                let n_cells = mitt_text::markdown::cell_count(source);
                if n_cells > self.columns {
                    if self.count == 0 {
                        self.first = (line, n_cells, self.columns);
                    }
                    self.count += 1;
                }
            }
            _ => {}
        }
    }

    /// Returns a warning about these rows, if there are any.
    pub(super) fn warning(&self) -> Option<String> {
        let (line, n_cells, columns) = self.first;
        let others = match self.count {
            0 => return None,
            1 => String::new(),
            2 => " (and 1 more row)".to_owned(),
            more => format!(" (and {} more rows)", more - 1),
        };
        Some(format!(
            "line {line}: a row of a table has {n_cells} cells for {columns} columns{others}; Markdown leaves out the cells behind the \
             last column"
        ))
    }
}
