//! Tables of Word as tables of Markdown.

use crate::story;
use crate::xml::{Id, Tree};

/// Most columns of a table. Word has 63.
const MAX_COLUMNS: usize = 200;

/// A cell in the grid of its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GridCell {
    /// It has content.
    Cell(Id),
    /// Another one extends to here.
    Covered,
}

/// Returns the grid of a table, and whether cells are merged.
pub(super) fn grid(tree: &Tree, table: Id) -> (Vec<Vec<GridCell>>, bool) {
    let mut out = Vec::new();
    let mut is_merged = false;
    let number = |properties: Option<Id>, name: &str| -> usize {
        let value = properties.and_then(|it| tree.value(it, name)?.parse().ok());
        value.unwrap_or(0).min(MAX_COLUMNS)
    };
    for row in story::rows(tree, table) {
        let mut cells = Vec::new();
        let before = number(tree.child(row, "trPr"), "gridBefore");
        cells.extend(std::iter::repeat_n(GridCell::Covered, before));
        for cell in story::cells(tree, row) {
            let properties = tree.child(cell, "tcPr");
            let merge = properties.and_then(|it| tree.child(it, "vMerge"));
            let goes_on =
                merge.is_some_and(|it| tree.attr(it, "val").is_none_or(|it| &*it == "continue"));
            let span = number(properties, "gridSpan").max(1);
            cells.push(if goes_on { GridCell::Covered } else { GridCell::Cell(cell) });
            cells.extend(std::iter::repeat_n(GridCell::Covered, span - 1));
            is_merged |= merge.is_some() || span > 1;
            if cells.len() > MAX_COLUMNS {
                break;
            }
        }
        out.push(cells);
    }
    let columns = out.iter().map(Vec::len).max().unwrap_or(0);
    for row in &mut out {
        row.resize(columns, GridCell::Covered);
    }
    (out, is_merged)
}

/// Returns the marks of alignment of the columns, which are those of most cells below the first row.
pub(super) fn alignments(tree: &Tree, grid: &[Vec<GridCell>]) -> Vec<&'static str> {
    let columns = grid.first().map_or(0, Vec::len);
    let mut counts = vec![[0_usize; 3]; columns];
    for row in grid.iter().skip(1).take(200) {
        for (column, cell) in row.iter().enumerate() {
            let GridCell::Cell(cell) = cell else { continue };
            let paragraph = tree.child(*cell, "p");
            let properties = paragraph.and_then(|it| tree.child(it, "pPr"));
            let alignment = properties.and_then(|it| tree.value(it, "jc"));
            counts[column][match alignment.as_deref() {
                Some("right" | "end") => 1,
                Some("center") => 2,
                _ => 0,
            }] += 1;
        }
    }
    let mark = |count: [usize; 3]| match count {
        [left, right, center] if right > left && right >= center => "---:",
        [left, right, center] if center > left && center > right => ":---:",
        _ => "---",
    };
    counts.into_iter().map(mark).collect()
}
