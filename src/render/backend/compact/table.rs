//! Turns tables into rows: widths of columns, positions of cells.

use super::flow::Flow;
use super::lines::{Edge, lines};
use super::strip::{Cell, Draw, MARGIN_X, Row, Sheet, Strip};
use super::style::{BLUE, CAP, STRIPE, Style, WHITE};
use super::tags::{StructureId, StructureRole};
use crate::model::doc::{Inline, Table};
use crate::shared::table::{Layout, MAX_TOGETHER, layout};

/// Space between lines of a cell, in ems.
const LEADING: f32 = 0.6;

impl Flow<'_, '_> {
    /// Adds a table: one strip for each row. The first one is repeated on every page.
    pub(super) fn table(&mut self, table: &Table) {
        let layout = layout(table, self.depth == 0);
        self.has_wide_table |= layout.is_too_wide;
        let size = layout.size as f32;
        self.gap(1.4 * size);
        let outer = (self.left, self.right);
        if layout.is_turned {
            self.left = 0.0;
            self.right = Sheet::of(self.paper, true).width - 2.0 * MARGIN_X;
        }
        let first = self.strips.len();
        if layout.is_turned {
            // Its heading goes on the turned page as well.
            let before = self.strips.iter_mut().rev().take_while(|strip| strip.keeps_next);
            before.for_each(|strip| strip.is_turned = true);
        }
        self.within(StructureRole::Table, |flow| {
            flow.within(StructureRole::Head, |flow| {
                let style = Style::new(size).bold().colored(WHITE);
                let part = flow.tags.add(flow.part, StructureRole::Row);
                let mut row = flow.row(&table.head, style, &layout, part, &StructureRole::HeadCell);
                row.fill = Some(BLUE);
                row.is_last = table.rows.is_empty();
                flow.add(row, part, first, layout.is_turned);
                flow.keep_last();
            });
            flow.within(StructureRole::Rows, |flow| {
                for (index, cells) in table.rows.iter().enumerate() {
                    let part = flow.tags.add(flow.part, StructureRole::Row);
                    let mut row =
                        flow.row(cells, Style::new(size), &layout, part, &StructureRole::Cell);
                    row.fill = (index % 2 == 1).then_some(STRIPE);
                    row.is_last = index + 1 == table.rows.len();
                    flow.add(row, part, first, layout.is_turned);
                }
            });
        });
        self.keep_together(first);
        (self.left, self.right) = outer;
        self.gap(1.5 * size);
    }

    /// Keeps a table of few lines, which begins with strip `first`, on one page.
    fn keep_together(&mut self, first: usize) {
        let lines = |strip: &Strip| match &strip.draw {
            Draw::Row(row) => row.lines,
            _ => 0,
        };
        let Some([rows @ .., _]) = self.strips.get_mut(first..) else { return };
        if rows.len() < MAX_TOGETHER && rows.iter().map(lines).sum::<usize>() < MAX_TOGETHER {
            rows.iter_mut().for_each(|row| row.keeps_next = true);
        }
    }

    fn add(&mut self, row: Row, part: StructureId, head: usize, is_turned: bool) {
        let notes: Vec<usize> = row
            .cells
            .iter()
            .flat_map(|cell| &cell.lines)
            .flat_map(|line| line.notes.iter().copied())
            .collect();
        let height = row.height(row.lines);
        self.push(height, Draw::Row(row));
        let Some(strip) = self.strips.last_mut() else { return };
        strip.notes = notes;
        strip.head = Some(head);
        strip.part = part;
        strip.is_turned = is_turned;
    }

    fn row(
        &mut self,
        cells: &[Vec<Inline>],
        style: Style,
        layout: &Layout,
        part: StructureId,
        role: &StructureRole,
    ) -> Row {
        let all: f64 = layout.columns.iter().map(|column| column.width).sum();
        let scale = f64::from(self.width()) / all.max(0.01);
        let padding = layout.padding as f32 / 2.0;
        let mut x = 0.0_f32;
        let mut row = Row {
            cells: Vec::with_capacity(cells.len()),
            fill: None,
            pitch: style.size * (CAP + LEADING),
            cap: style.size * CAP,
            padding: if style.size > 8.0 { 5.0 } else { 3.5 },
            lines: 1,
            is_last: false,
        };
        for (column, content) in layout.columns.iter().zip(cells) {
            let wide = (column.width * scale) as f32;
            let width = (wide - 2.0 * padding).max(1.0);
            let paragraph = self.composer.compose(content, style);
            let shaped = self.shape(&paragraph);
            let lines = lines(&paragraph, &shaped, width, Edge::Ragged);
            row.lines = row.lines.max(lines.len());
            let part = self.tags.add(part, role.clone());
            row.cells.push(Cell { x: x + padding, width, side: column.side, lines, part });
            x += wide;
        }
        row
    }
}
