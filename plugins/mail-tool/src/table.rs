//! Tables in plain text: aligned columns, or a block for each row if they would be too wide.

use pulldown_cmark::Alignment;
use unicode_width::UnicodeWidthStr as _;

/// Widest table in columns of a terminal; a mail in plain text is about so wide.
const MAX_WIDTH: usize = 100;
/// Columns between two cells.
const GAP: usize = 2;

/// The rows of a table. The first is its header.
#[derive(Default)]
pub(crate) struct Grid {
    pub(crate) alignments: Vec<Alignment>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Grid {
    /// Returns the lines of the table.
    pub(crate) fn lines(&self) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let is_wide = |row: &Vec<String>| row.iter().any(|cell| cell.contains('\n'));
        let mut widths = vec![0; columns];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        let total = widths.iter().sum::<usize>() + GAP * columns.saturating_sub(1);
        if total > MAX_WIDTH || self.rows.iter().any(is_wide) {
            return self.blocks();
        }
        let mut lines: Vec<String> = self.rows.iter().map(|row| self.line(row, &widths)).collect();
        if !lines.is_empty() {
            let rules: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
            lines.insert(1, self.line(&rules, &widths));
        }
        lines
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let mut out = String::new();
        for (index, (cell, &width)) in row.iter().zip(widths).enumerate() {
            if index > 0 {
                out.push_str(&" ".repeat(GAP));
            }
            let space = width.saturating_sub(cell.width());
            let before = match self.alignments.get(index) {
                Some(Alignment::Right) => space,
                Some(Alignment::Center) => space / 2,
                _ => 0,
            };
            out.push_str(&" ".repeat(before));
            out.push_str(cell);
            out.push_str(&" ".repeat(space - before));
        }
        out.truncate(out.trim_end().len());
        out
    }

    /// Returns a line for each cell, with the name of its column, and an empty line between rows.
    fn blocks(&self) -> Vec<String> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        if rows.is_empty() {
            lines.push(head.join(", ").replace('\n', " "));
        }
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                lines.push(String::new());
            }
            for (column, cell) in row.iter().enumerate() {
                let name = head.get(column).map_or("", String::as_str).replace('\n', " ");
                let cell = cell.replace('\n', "\n  ");
                if !cell.is_empty() {
                    let text = if name.is_empty() { cell } else { format!("{name}: {cell}") };
                    lines.extend(text.split('\n').map(str::to_owned));
                }
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::Grid;
    use pulldown_cmark::Alignment::{Center, None as Plain, Right};

    fn lines(rows: &[&[&str]]) -> Vec<String> {
        let rows = rows.iter().map(|row| row.iter().map(|&it| it.to_owned()).collect()).collect();
        Grid { alignments: vec![Plain, Right, Center], rows }.lines()
    }

    #[test]
    fn columns_are_aligned_by_the_width_of_their_script() {
        assert_eq!(
            lines(&[&["地区", "Sum", "x"], &["North", "1,200", "abc"], &["华东地区", "9", ""]]),
            [
                "地区        Sum   x",
                "--------  -----  ---",
                "North     1,200  abc",
                "华东地区      9"
            ]
        );
    }

    #[test]
    fn wide_tables_are_blocks() {
        let long = "x".repeat(90);
        assert_eq!(
            lines(&[&["A", "B"], &["1", &long], &["2", ""], &["3", "y\nz"]]),
            ["A: 1", &*format!("B: {long}"), "", "A: 2", "", "A: 3", "B: y", "  z"]
        );
        assert_eq!(lines(&[&["A", &"y".repeat(101)]]), [format!("A, {}", "y".repeat(101))]);
        assert!(lines(&[]).is_empty());
    }
}
