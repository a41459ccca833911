//! Edits of tables: cells, rows, columns. Rows, columns and cells are counted from 1.

use super::grid::{Covered, Grid, Merge, add_span, covered, halve_width, merge, split_grid};
use super::{Batch, Done, Where, blocks, ends};
use crate::changes::{remove_keeping_marks, remove_row};
use crate::error::{Result, invalid};
use crate::marks::mark_paragraph;
use crate::props;
use crate::story::{self, Paragraph, shorten};
use crate::text::{self, View, new_run};
use crate::xml::{Id, Tree};
use mitt_package::counted;

impl Batch<'_> {
    /// Keeps the rows and cells of a table, so that numbers in a batch mean those before its first edit.
    pub(super) fn remember(&mut self, table: usize) {
        let found = &self.document.tables[table];
        let tree = self.document.tree(found.part);
        let rows = story::rows(tree, found.node).into_iter();
        let grid = rows.map(|row| (row, covered(tree, row))).collect();
        self.grids.insert(table, grid);
    }

    /// Returns the part, the table and its present rows, each with the cells that it had, or has if it is new.
    fn rows(&self, table: usize) -> (usize, Id, Grid) {
        let found = &self.document.tables[table];
        let tree = self.document.tree(found.part);
        let known = self.grids.get(&table);
        let rows = story::rows(tree, found.node).into_iter().map(|row| {
            let before = known
                .and_then(|it| it.iter().find(|(it, _)| *it == row))
                .or_else(|| self.new_rows.iter().find(|(it, _)| *it == row));
            let cells = before.map_or_else(|| covered(tree, row), |it| it.1.clone());
            (
                row,
                cells
                    .into_iter()
                    .filter(|it| self.is_there(found.part, it.cell, "tcPr", "cellDel"))
                    .collect(),
            )
        });
        (found.part, found.node, rows.collect())
    }

    fn row(&self, table: usize, row: u32) -> Result<(usize, Id)> {
        let part = self.document.tables[table].part;
        let rows = self.grids.get(&table).map_or(&[][..], Vec::as_slice);
        match rows.get((row as usize).wrapping_sub(1)) {
            Some((found, _)) if self.is_there(part, *found, "trPr", "del") => Ok((part, *found)),
            Some(_) => invalid("this row is deleted"),
            None => invalid(format!("expected a row from 1 to {}, got {row}", rows.len())),
        }
    }

    /// Returns `true` for a row or cell that is neither gone nor marked as deleted.
    fn is_there(&self, part: usize, node: Id, properties: &str, mark: &str) -> bool {
        let tree = self.document.tree(part);
        let is_deleted =
            tree.child(node, properties).is_some_and(|it| tree.child(it, mark).is_some());
        tree.is_attached(node) && !is_deleted
    }

    /// Remembers the paragraphs of what was deleted, so that later edits of the batch do not write there.
    fn forget(&mut self, part: usize, top: Id) {
        let tree = self.document.tree(part);
        let found: Vec<Id> = tree.descendants(top).filter(|&it| tree.is(it, "p")).collect();
        self.removed.extend(found.into_iter().map(|it| (part, it)));
    }

    /// Returns the row behind one that is there now.
    fn next_row(&self, table: usize, row: Id) -> Option<Id> {
        let (_, _, rows) = self.rows(table);
        let at = rows.iter().position(|(it, _)| *it == row)?;
        rows.get(at + 1).map(|(it, _)| *it)
    }

    fn cell_text(&self, part: usize, cell: Id) -> String {
        let codes = &self.document.parts[part].codes;
        story::container_text(self.document.tree(part), cell, codes, View::Accepted)
    }

    pub(super) fn set_cell(
        &mut self,
        table: usize,
        row: u32,
        column: u32,
        text: &str,
    ) -> Result<Done> {
        let (part, tr) = self.row(table, row)?;
        let known = self.grids.get(&table).and_then(|it| it.iter().find(|(it, _)| *it == tr));
        let cells = known.map_or(&[][..], |it| it.1.as_slice());
        let cell = match cells.get((column as usize).wrapping_sub(1)) {
            Some(found) if self.is_there(part, found.cell, "tcPr", "cellDel") => found.cell,
            Some(_) => return invalid("this cell is deleted"),
            None => {
                return invalid(format!("expected a cell from 1 to {}, got {column}", cells.len()));
            }
        };
        let before = self.cell_text(part, cell);
        let mut found = Vec::new();
        story::blocks(self.document.tree(part), cell, &mut found);
        let tree = self.document.tree(part);
        if found.iter().any(|&it| tree.is(it, "tbl")) {
            return invalid("the cell has a table in it; edit its paragraphs by their anchors");
        }
        let lines: Vec<&str> = text.trim_end_matches('\n').split('\n').collect();
        if lines.len() > 1 && found.iter().any(|&it| crate::marks::is_end_deleted(tree, it)) {
            return invalid(
                "the cell has deleted ends of paragraphs; give one line, or accept them first",
            );
        }
        if found.is_empty() {
            let tree = self.tree(part);
            let paragraph = tree.element("<w:p></w:p>");
            tree.append(cell, paragraph);
            found.push(paragraph);
        }
        let template = Paragraph {
            part,
            node: found[0],
            letter: 'p',
            index: 0,
            cell: None,
            note: None,
            is_in_box: false,
            twin: None,
        };
        for (&node, line) in found.iter().zip(&lines) {
            let place = Paragraph { node, ..template.clone() };
            let old = self.document.line(&place);
            self.replace_range(&place, 0..old.text.len(), line, false);
        }
        for &node in found.iter().skip(lines.len()).rev() {
            self.remove(part, node);
        }
        if lines.len() > found.len() {
            let last = *found.last().unwrap_or(&found[0]);
            let rest = lines[found.len()..].join("\n");
            let place = Paragraph { node: last, ..template };
            self.insert_paragraphs(&place, Where::After, &rest, None)?;
        }
        Ok(Done {
            place: format!("t{table} r{row} c{column}"),
            before: shorten(&before, 300),
            after: shorten(&self.cell_text(part, cell), 300),
        })
    }

    pub(super) fn insert_row(
        &mut self,
        table: usize,
        row: u32,
        side: Where,
        texts: &[String],
    ) -> Result<Done> {
        let (part, reference) = self.row(table, row)?;
        let next = self.next_row(table, reference);
        let tree = self.document.tree(part);
        let known = self.grids.get(&table).and_then(|it| it.iter().find(|it| it.0 == reference));
        let mut cells = known.map_or_else(|| covered(tree, reference), |it| it.1.clone());
        cells.retain(|it| self.is_there(part, it.cell, "tcPr", "cellDel"));
        if texts.len() > cells.len() {
            return invalid(format!(
                "expected at most {}, as in row {row}, got {}",
                counted(cells.len(), "cell"),
                texts.len()
            ));
        }
        let below = next.map(|it| covered(tree, it)).unwrap_or_default();
        // Which cells go on with a cell that is merged downwards.
        let continues: Vec<bool> = cells
            .iter()
            .map(|it| match side {
                Where::Before => merge(tree, it.cell) == Merge::Continue,
                Where::After => {
                    merge(tree, it.cell) != Merge::None
                        && below.iter().any(|other| {
                            other.start == it.start && merge(tree, other.cell) == Merge::Continue
                        })
                }
            })
            .collect();
        let mut formats = Vec::new();
        for it in &cells {
            formats.push(self.cell_form(part, it.cell));
        }
        let behind = self.behind(part, reference);
        let (tree, marks) = self.parts_of(part);
        let new = tree.copy_shallow(reference);
        for name in ["paraId", "textId"] {
            tree.remove_attr(new, name);
        }
        if let Some(exception) = tree.child(reference, "tblPrEx") {
            let copy = tree.copy(exception);
            tree.append(new, copy);
        }
        if let Some(properties) = tree.child(reference, "trPr") {
            let copy = tree.copy(properties);
            for name in ["ins", "del", "trPrChange", "tblHeader", "cnfStyle"] {
                props::remove(tree, copy, name);
            }
            if tree.elements(copy).next().is_some() {
                tree.append(new, copy);
            }
        }
        let mut own_cells = Vec::new();
        for (index, it) in cells.iter().enumerate() {
            let cell = new_cell(tree, it.cell, continues[index]);
            let text = texts.get(index).map_or("", String::as_str);
            fill(tree, cell, formats[index], text, marks);
            tree.append(new, cell);
            own_cells.push(Covered { cell, ..*it });
        }
        match side {
            Where::Before => tree.insert_before(reference, new),
            Where::After => tree.insert_after(behind, new),
        }
        if marks.is_tracked {
            let properties = props::ensure(tree, new, "trPr");
            let mark = marks.element(tree, "ins");
            props::put(tree, properties, mark);
        }
        if side == Where::After {
            self.behind.insert((part, reference), new);
        }
        self.new_rows.push((new, own_cells));
        let side = if side == Where::Before { "before" } else { "after" };
        Ok(Done {
            place: format!("t{table} {side} r{row}"),
            before: String::new(),
            after: shorten(&texts.join(" | "), 300),
        })
    }

    /// Returns the properties of the first paragraph of a cell, and the formatting of its text.
    fn cell_form(&self, part: usize, cell: Id) -> (Option<Id>, Option<Id>) {
        let tree = self.document.tree(part);
        let mut found = Vec::new();
        story::blocks(tree, cell, &mut found);
        let Some(paragraph) = found.into_iter().find(|&it| tree.is(it, "p")) else {
            return (None, None);
        };
        let properties = tree.child(paragraph, "pPr");
        let run = blocks::runs(tree, paragraph)
            .into_iter()
            .find(|&it| tree.elements(it).any(|it| matches!(tree.name(it), "t" | "delText")));
        let format = run
            .and_then(|it| tree.child(it, "rPr"))
            .or_else(|| properties.and_then(|it| tree.child(it, "rPr")));
        (properties, format)
    }

    pub(super) fn delete_row(&mut self, table: usize, row: u32) -> Result<Done> {
        let (part, tr) = self.row(table, row)?;
        let next = self.next_row(table, tr);
        let cells = story::cells(self.document.tree(part), tr);
        let texts: Vec<String> = cells.iter().map(|&it| self.cell_text(part, it)).collect();
        let (tree, marks) = self.parts_of(part);
        let own = tree
            .child(tr, "trPr")
            .and_then(|it| tree.child(it, "ins"))
            .is_some_and(|it| marks.is_own(tree, it));
        if !marks.is_tracked || own {
            // A cell that is merged downwards begins in the next row.
            if let Some(next) = next {
                let below = covered(tree, next);
                for it in covered(tree, tr) {
                    let other = below.iter().find(|other| other.start == it.start);
                    if merge(tree, it.cell) == Merge::Restart
                        && let Some(other) =
                            other.filter(|other| merge(tree, other.cell) == Merge::Continue)
                    {
                        let properties = props::ensure(tree, other.cell, "tcPr");
                        let element = tree.element("<w:vMerge w:val=\"restart\"/>");
                        props::put(tree, properties, element);
                    }
                }
            }
            remove_row(tree, tr);
        } else {
            let properties = props::ensure(tree, tr, "trPr");
            if tree.child(properties, "del").is_none() {
                let mark = marks.element(tree, "del");
                props::put(tree, properties, mark);
            }
            for cell in cells {
                delete_cell_content(tree, cell, marks);
            }
        }
        self.forget(part, tr);
        Ok(Done {
            place: format!("t{table} r{row}"),
            before: shorten(&texts.join(" | "), 300),
            after: String::new(),
        })
    }

    pub(super) fn insert_column(
        &mut self,
        table: usize,
        column: u32,
        side: Where,
        texts: &[String],
    ) -> Result<Done> {
        let (part, node, rows) = self.rows(table);
        let boundary = match side {
            Where::Before => (column as usize).wrapping_sub(1),
            Where::After => column as usize,
        };
        let width = rows.iter().flat_map(|it| &it.1).map(|it| it.end).max().unwrap_or(0);
        if column == 0 || column as usize > width {
            return invalid(format!("expected a column from 1 to {width}, got {column}"));
        }
        let count = self.grids.get(&table).map_or(0, Vec::len);
        if texts.len() > count {
            return invalid(format!(
                "expected at most {}, one for each row, got {}",
                counted(count, "cell"),
                texts.len()
            ));
        }
        let crosses = |it: &Covered| it.start < boundary && boundary < it.end;
        let is_tracked = self.marks.is_tracked;
        if is_tracked && rows.iter().any(|it| it.1.iter().any(crosses)) {
            return invalid(
                "a merged cell crosses the column, which cannot be tracked; use `track` false",
            );
        }
        let inner = (column as usize) - 1;
        let mut plan = Vec::new();
        for (row, cells) in &rows {
            // Texts are counted by the rows before the first edit.
            let known = self.grids.get(&table).and_then(|it| it.iter().position(|it| it.0 == *row));
            let text = known.and_then(|at| texts.get(at)).map_or("", String::as_str);
            if let Some(it) = cells.iter().find(|it| crosses(it)) {
                plan.push((it.cell, None, text));
                continue;
            }
            let found = cells.iter().find(|it| it.start <= inner && inner < it.end);
            match found.or(cells.last()) {
                Some(it) => {
                    plan.push((it.cell, Some(self.cell_form(part, it.cell)), text));
                }
                None => return invalid("a row of the table has no cells"),
            }
        }
        let (tree, marks) = self.parts_of(part);
        split_grid(tree, node, inner, side, marks);
        for (cell, form, text) in plan {
            let behind = self.behind(part, cell);
            let (tree, marks) = self.parts_of(part);
            let Some(form) = form else {
                add_span(tree, cell, 1);
                continue;
            };
            halve_width(tree, cell, marks);
            let new = new_cell(tree, cell, merge(tree, cell) == Merge::Continue);
            if let Some(properties) = tree.child(new, "tcPr") {
                props::remove(tree, properties, "gridSpan");
            }
            fill(tree, new, form, text, marks);
            match side {
                Where::Before => tree.insert_before(cell, new),
                Where::After => tree.insert_after(behind, new),
            }
            if marks.is_tracked {
                let properties = props::ensure(tree, new, "tcPr");
                let mark = marks.element(tree, "cellIns");
                props::put(tree, properties, mark);
            }
            if side == Where::After {
                self.behind.insert((part, cell), new);
            }
        }
        let side = if side == Where::Before { "before" } else { "after" };
        Ok(Done {
            place: format!("t{table} {side} c{column}"),
            before: String::new(),
            after: shorten(&texts.join(" | "), 300),
        })
    }

    pub(super) fn delete_column(&mut self, table: usize, column: u32) -> Result<Done> {
        let (part, node, rows) = self.rows(table);
        let wanted = (column as usize).wrapping_sub(1);
        let width = rows.iter().flat_map(|it| &it.1).map(|it| it.end).max().unwrap_or(0);
        if column == 0 || column as usize > width {
            return invalid(format!("expected a column from 1 to {width}, got {column}"));
        }
        let covering: Vec<Covered> = rows
            .iter()
            .filter_map(|(_, cells)| {
                cells.iter().find(|it| it.start <= wanted && wanted < it.end).copied()
            })
            .collect();
        let known = self.grids.get(&table).map_or(&[][..], Vec::as_slice);
        let is_known =
            |it: &Covered| known.iter().any(|row| row.1.iter().any(|other| other.cell == it.cell));
        if !covering.iter().any(is_known) {
            return invalid("this column is deleted");
        }
        if self.marks.is_tracked && covering.iter().any(|it| it.end - it.start > 1) {
            return invalid(
                "a merged cell crosses the column, which cannot be tracked; use `track` false",
            );
        }
        let texts: Vec<String> = covering.iter().map(|it| self.cell_text(part, it.cell)).collect();
        for it in covering.iter().filter(|it| it.end - it.start == 1) {
            self.forget(part, it.cell);
        }
        let (tree, marks) = self.parts_of(part);
        for it in covering {
            if it.end - it.start > 1 {
                add_span(tree, it.cell, -1);
            } else if marks.is_tracked {
                let properties = props::ensure(tree, it.cell, "tcPr");
                let own =
                    tree.child(properties, "cellIns").is_some_and(|mark| marks.is_own(tree, mark));
                if own {
                    remove_keeping_marks(tree, it.cell);
                    continue;
                }
                let mark = marks.element(tree, "cellDel");
                props::put(tree, properties, mark);
                delete_cell_content(tree, it.cell, marks);
            } else {
                let row = tree.ancestors(it.cell).find(|&it| tree.is(it, "tr"));
                remove_keeping_marks(tree, it.cell);
                if let Some(row) = row.filter(|&it| story::cells(tree, it).is_empty()) {
                    remove_row(tree, row);
                }
            }
        }
        if !marks.is_tracked
            && let Some(grid) = tree.child(node, "tblGrid")
        {
            let found = tree.elements(grid).filter(|&it| tree.is(it, "gridCol")).nth(wanted);
            if let Some(found) = found {
                tree.detach(found);
            }
        }
        Ok(Done {
            place: format!("t{table} c{column}"),
            before: shorten(&texts.join(" | "), 300),
            after: String::new(),
        })
    }
}

/// Makes an empty cell like another one.
fn new_cell(tree: &mut Tree, like: Id, continues: bool) -> Id {
    let new = tree.element("<w:tc></w:tc>");
    if let Some(properties) = tree.child(like, "tcPr") {
        let copy = tree.copy(properties);
        for name in ["cellIns", "cellDel", "cellMerge", "tcPrChange", "vMerge", "cnfStyle"] {
            props::remove(tree, copy, name);
        }
        if continues {
            let element = tree.element("<w:vMerge/>");
            props::put(tree, copy, element);
        }
        tree.append(new, copy);
    }
    new
}

/// Writes the paragraphs of a new cell.
fn fill(
    tree: &mut Tree,
    cell: Id,
    (properties, format): (Option<Id>, Option<Id>),
    text: &str,
    marks: &mut crate::marks::Marks,
) {
    for line in text.split('\n') {
        let paragraph = tree.element("<w:p></w:p>");
        if let Some(properties) = properties {
            let copy = ends::plain_properties(tree, properties);
            tree.append(paragraph, copy);
        }
        if !line.is_empty() {
            let run = new_run(tree, format, line);
            let run = text::inserted(tree, run, marks);
            tree.append(paragraph, run);
        }
        tree.append(cell, paragraph);
        if marks.is_tracked {
            mark_paragraph(tree, paragraph, "ins", marks);
        }
    }
}

/// Marks the content of a cell that goes with its row or column.
fn delete_cell_content(tree: &mut Tree, cell: Id, marks: &mut crate::marks::Marks) {
    let all: Vec<Id> = tree.descendants(cell).filter(|&it| tree.is(it, "p")).collect();
    for paragraph in all {
        if blocks::has_whole_fields(tree, paragraph) {
            blocks::delete_content(tree, paragraph, "del", marks);
        }
        if marks.is_tracked && !crate::marks::is_end_deleted(tree, paragraph) {
            mark_paragraph(tree, paragraph, "del", marks);
        }
    }
}
