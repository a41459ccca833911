//! Handles tags of tables in HTML.

use super::cells::Cells;
use super::names::Meaning;
use super::{ElementEnd, Elements, MAX_OPEN};
use crate::model::markdown::html;

impl Elements<'_> {
    pub(super) fn begin_table(&mut self, tag: &html::Tag<'_>, is_block: bool) {
        match &mut self.table {
            // A table within a cell becomes text of the cell.
            Some(table) => table.depth += 1,
            None if is_block && self.depth < MAX_OPEN => {
                self.paragraph();
                self.table = Some(Cells::default());
                if tag.attribute("align").is_some() {
                    self.dropped.look("`align`", self.line);
                }
            }
            None => self.line_end(),
        }
    }

    pub(super) fn begin_part_of_table(&mut self, tag: &html::Tag<'_>, meaning: Meaning) {
        match &mut self.table {
            Some(table) if table.depth == 0 => {
                self.end_cell();
                let Some(table) = &mut self.table else { return };
                if meaning == Meaning::Row {
                    return table.row();
                }
                if table.cell(tag) {
                    self.dropped.look("cells that are merged", self.line);
                }
                self.opened("td", ElementEnd::Cell);
                self.is_at_start = true;
            }
            _ if meaning == Meaning::Row => self.line_end(),
            _ if !self.is_at_start => self.text(" "),
            _ => {}
        }
    }

    pub(super) fn end_cell(&mut self) {
        let Some(table) = &self.table else { return };
        if table.depth > 0 || !table.is_in_cell() {
            return;
        }
        self.end_gathered();
        while let Some(open) = self.open.pop_if(|open| open.end != ElementEnd::Markdown) {
            let is_cell = open.end == ElementEnd::Cell;
            self.close(open);
            if is_cell {
                break;
            }
        }
    }

    pub(super) fn end_tag_of_table(&mut self) {
        match &mut self.table {
            Some(table) if table.depth > 0 => table.depth -= 1,
            Some(_) => self.end_table(),
            None => {}
        }
    }

    pub(super) fn end_table(&mut self) {
        if let Some(table) = &mut self.table {
            table.depth = 0;
            self.end_cell();
        }
        if let Some(table) = self.table.take() {
            table.write(&mut self.out);
            self.is_at_start = true;
        }
    }
}
