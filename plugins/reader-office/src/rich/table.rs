//! Reads tables. RTF describes cells by their right edges.

use super::look::Ground;
use office_oxide::ir::{Element, Table, TableCell, TableRow};

/// Largest distance of edges that count as one, in twentieths of a point.
const SAME_EDGE: i32 = 30;
/// Most cells of a row.
const MAX_CELLS: usize = 1_000;

/// Cell layout of a row.
#[derive(Clone, Default)]
pub(crate) struct Shape {
    left: i32,
    cells: Vec<CellShape>,
    next: CellShape,
}

#[derive(Clone, Copy, Default)]
struct CellShape {
    right: i32,
    /// `true` if it continues the cell before it.
    goes_on: bool,
    /// `true` if it begins a cell over several rows.
    begins_down: bool,
    /// `true` if it continues the cell above it.
    goes_on_down: bool,
    ground: Ground,
}

impl Shape {
    /// Returns the shading of a cell; `None` if it is not known.
    pub(crate) fn ground(&self, cell: usize) -> Option<Ground> {
        self.cells.get(cell).map(|cell| cell.ground)
    }

    /// Handles a word about cells. Returns `false` for other words.
    pub(crate) fn word(&mut self, word: &str, number: Option<i32>) -> bool {
        match word {
            "trowd" => *self = Self::default(),
            "trleft" => self.left = number.unwrap_or(0),
            "clmrg" => self.next.goes_on = true,
            "clvmgf" => self.next.begins_down = true,
            "clvmrg" => self.next.goes_on_down = true,
            "clcbpat" | "clcbpatraw" => self.next.ground.colour = number.unwrap_or(0),
            "clshdng" | "clshdngraw" => self.next.ground.has_pattern = number.unwrap_or(0) != 0,
            "cellx" => {
                let cell =
                    CellShape { right: number.unwrap_or(0), ..std::mem::take(&mut self.next) };
                if self.cells.len() < MAX_CELLS {
                    self.cells.push(cell);
                }
            }
            _ => return false,
        }
        true
    }
}

#[derive(Default)]
pub(crate) struct TableRows {
    rows: Vec<(Vec<Vec<Element>>, Shape)>,
    cells: Vec<Vec<Element>>,
    pub(crate) cell: Vec<Element>,
}

/// A cell with its edges.
struct PlacedCell {
    left: i32,
    right: i32,
    content: Vec<Element>,
    begins_down: bool,
    goes_on_down: bool,
    rows: u32,
}

impl TableRows {
    /// Returns the number of the cell that is open.
    pub(crate) fn open_cell(&self) -> usize {
        self.cells.len()
    }

    pub(crate) fn end_cell(&mut self) {
        let cell = std::mem::take(&mut self.cell);
        if self.cells.len() < MAX_CELLS {
            self.cells.push(cell);
        } else if let Some(last) = self.cells.last_mut() {
            last.extend(cell);
        }
    }

    pub(crate) fn end_row(&mut self, shape: &Shape) {
        if !self.cell.is_empty() {
            self.end_cell();
        }
        let cells = std::mem::take(&mut self.cells);
        if !cells.is_empty() {
            self.rows.push((cells, shape.clone()));
        }
    }

    /// Adds the table to `out`, and after it any text that is not in a cell.
    pub(crate) fn finish(mut self, out: &mut Vec<Element>) {
        let rest = std::mem::take(&mut self.cell);
        if !self.cells.is_empty() {
            self.end_row(&Shape::default());
        }
        let mut rows: Vec<Vec<PlacedCell>> =
            self.rows.into_iter().map(|(cells, shape)| placed(cells, &shape)).collect();
        join_down(&mut rows);
        let edges = edges(&rows);
        let column = |edge: i32| edges.partition_point(|known| *known < edge - SAME_EDGE);
        let row = |cells: Vec<PlacedCell>| {
            let mut at = 0;
            let mut row = TableRow::default();
            for cell in cells {
                let (left, right) = (column(cell.left), column(cell.right));
                // Rows that begin further right get an empty cell.
                if left > at {
                    let col_span = (left - at) as u32;
                    row.cells.push(TableCell { col_span, row_span: 1, ..TableCell::default() });
                }
                at = right.max(left + 1).max(at + 1);
                if cell.goes_on_down {
                    continue;
                }
                row.cells.push(TableCell {
                    content: cell.content,
                    col_span: right.saturating_sub(left).max(1) as u32,
                    row_span: cell.rows,
                    ..TableCell::default()
                });
            }
            row
        };
        let rows: Vec<TableRow> = rows.into_iter().map(row).collect();
        if !rows.is_empty() {
            out.push(Element::Table(Table { rows, ..Table::default() }));
        }
        out.extend(rest);
    }
}

/// Returns the cells of a row with their edges. Continued cells are merged into the cell before them.
fn placed(cells: Vec<Vec<Element>>, shape: &Shape) -> Vec<PlacedCell> {
    /// Width of cells without a given width.
    const WIDTH: i32 = 1_000;
    let mut out: Vec<PlacedCell> = Vec::with_capacity(cells.len());
    let mut left = shape.left;
    for (index, content) in cells.into_iter().enumerate() {
        let known = shape.cells.get(index).copied();
        let cell = known
            .unwrap_or(CellShape { right: left.saturating_add(WIDTH), ..CellShape::default() });
        // Edges may be out of order.
        let right = cell.right.max(left.saturating_add(1));
        match out.last_mut().filter(|_| cell.goes_on) {
            Some(last) => {
                last.right = right;
                last.content.extend(content);
            }
            None => out.push(PlacedCell {
                left,
                right,
                content,
                begins_down: cell.begins_down,
                goes_on_down: cell.goes_on_down,
                rows: 1,
            }),
        }
        left = right;
    }
    out
}

/// Sets the height of cells over several rows. A continuation without a start is a cell of its own.
fn join_down(rows: &mut [Vec<PlacedCell>]) {
    // Left edge, row and index of each open cell.
    let mut open: Vec<(i32, usize, usize)> = Vec::new();
    for row in 0..rows.len() {
        let mut still = Vec::new();
        let mut grown = Vec::new();
        let Some(cells) = rows.get_mut(row) else { break };
        for (place, cell) in cells.iter_mut().enumerate() {
            let above = open.iter().find(|(left, ..)| (left - cell.left).abs() <= SAME_EDGE);
            match above.filter(|_| cell.goes_on_down) {
                Some(found) => {
                    still.push(*found);
                    grown.push((found.1, found.2));
                }
                None => {
                    cell.goes_on_down = false;
                    if cell.begins_down {
                        still.push((cell.left, row, place));
                    }
                }
            }
        }
        for (row, place) in grown {
            if let Some(cell) = rows.get_mut(row).and_then(|cells| cells.get_mut(place)) {
                cell.rows += 1;
            }
        }
        open = still;
    }
}

/// Returns all edges of a table. Close ones count as one.
fn edges(rows: &[Vec<PlacedCell>]) -> Vec<i32> {
    let mut all: Vec<i32> =
        rows.iter().flatten().flat_map(|cell| [cell.left, cell.right]).collect();
    all.sort_unstable();
    let mut edges: Vec<i32> = Vec::new();
    for edge in all {
        if edges.last().is_none_or(|last| edge.saturating_sub(*last) > SAME_EDGE) {
            edges.push(edge);
        }
    }
    edges
}
