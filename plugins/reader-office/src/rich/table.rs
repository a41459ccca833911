//! Tables, whose cells are told by where their right edges are.

use office_oxide::ir::{Element, Table, TableCell, TableRow};

/// Edges that are this close are the same, in twentieths of a point.
const SAME_EDGE: i32 = 30;
/// Cells of one row.
const MAX_CELLS: usize = 1_000;

/// How the cells of a row are laid out.
#[derive(Clone, Default)]
pub(crate) struct Shape {
    left: i32,
    cells: Vec<CellShape>,
    next: CellShape,
}

#[derive(Clone, Copy, Default)]
struct CellShape {
    right: i32,
    /// It belongs to the cell before it.
    goes_on: bool,
    /// It begins a cell over several rows.
    begins_down: bool,
    /// It belongs to the cell above it.
    goes_on_down: bool,
}

impl Shape {
    /// A word about cells; false for any other.
    pub(crate) fn word(&mut self, word: &str, number: Option<i32>) -> bool {
        match word {
            "trowd" => *self = Self::default(),
            "trleft" => self.left = number.unwrap_or(0),
            "clmrg" => self.next.goes_on = true,
            "clvmgf" => self.next.begins_down = true,
            "clvmrg" => self.next.goes_on_down = true,
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

/// A table while it is read.
#[derive(Default)]
pub(crate) struct TableRows {
    rows: Vec<(Vec<Vec<Element>>, Shape)>,
    cells: Vec<Vec<Element>>,
    /// The cell that is open.
    pub(crate) cell: Vec<Element>,
}

/// A cell with its edges.
struct Placed {
    left: i32,
    right: i32,
    content: Vec<Element>,
    begins_down: bool,
    goes_on_down: bool,
    rows: u32,
}

impl TableRows {
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

    /// Write the table; text that never became a cell stands behind it.
    pub(crate) fn finish(mut self, out: &mut Vec<Element>) {
        let rest = std::mem::take(&mut self.cell);
        if !self.cells.is_empty() {
            self.end_row(&Shape::default());
        }
        let mut rows: Vec<Vec<Placed>> =
            self.rows.into_iter().map(|(cells, shape)| placed(cells, &shape)).collect();
        join_down(&mut rows);
        let edges = edges(&rows);
        let column = |edge: i32| edges.partition_point(|known| *known < edge - SAME_EDGE);
        let row = |cells: Vec<Placed>| {
            let mut at = 0;
            let mut row = TableRow::default();
            for cell in cells {
                let (left, right) = (column(cell.left), column(cell.right));
                // Rows that begin further right have nothing before that.
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

/// The cells of a row with their edges; those that go on are one with the cell before them.
fn placed(cells: Vec<Vec<Element>>, shape: &Shape) -> Vec<Placed> {
    /// Width of cells that nothing says the width of.
    const WIDTH: i32 = 1_000;
    let mut out: Vec<Placed> = Vec::with_capacity(cells.len());
    let mut left = shape.left;
    for (index, content) in cells.into_iter().enumerate() {
        let known = shape.cells.get(index).copied();
        let cell = known
            .unwrap_or(CellShape { right: left.saturating_add(WIDTH), ..CellShape::default() });
        // Edges may be said in a wrong order.
        let right = cell.right.max(left.saturating_add(1));
        match out.last_mut().filter(|_| cell.goes_on) {
            Some(last) => {
                last.right = right;
                last.content.extend(content);
            }
            None => out.push(Placed {
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

/// Cells over several rows get their height. One that goes on from nothing is a cell of its own.
fn join_down(rows: &mut [Vec<Placed>]) {
    // Row and place of the cells that are open, by their left edges.
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

/// All edges of a table, those that are close as one.
fn edges(rows: &[Vec<Placed>]) -> Vec<i32> {
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
