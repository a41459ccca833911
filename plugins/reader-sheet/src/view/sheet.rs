//! Reads one worksheet: its cells into parts, and its layout.

use super::blocks::{Blocks, Finished};
use super::cell::{CellWriter, Content, Context, content, formula};
use super::layout::{Layout, MAX_COLUMNS, MAX_ROWS};
use super::references::References;
use super::room::Room;
use super::styles::{Style, Styles};
use crate::intake::Failure;
use crate::place::Places;
use crate::xlsx::{Cell, Formula, Scanner, SharedFormulas, Sink, Tag, Token, read_cells, region};
use std::borrow::Cow;
use std::io::Read;

/// What the sheets of a workbook share while they are read.
pub(super) struct Shared<'a> {
    pub(super) context: Context<'a>,
    /// `true` if the workbook asks for a calculation when it is opened.
    pub(super) wants_calculation: bool,
    pub(super) styles: Styles,
    pub(super) references: References,
    pub(super) room: Room,
    /// Bytes that formulas may still have. To write those that cells share takes long.
    pub(super) formulas: Room,
}

/// A worksheet that was read.
pub(super) struct SheetView {
    pub(super) layout: Layout,
    pub(super) finished: Finished,
    /// What could not be read, without the name of the sheet.
    pub(super) notes: Vec<String>,
    /// Why the rest of the sheet is missing.
    pub(super) damage: Option<String>,
}

/// Reads the worksheet at `index`, with parts of at most `left` bytes.
pub(super) fn read(
    part: impl Read,
    index: usize,
    left: usize,
    shared: &mut Shared<'_>,
) -> SheetView {
    let mut scanner = Scanner::new(part);
    let mut reader = Reader {
        index,
        is_referred_to: shared.references.has(index),
        shared,
        layout: Layout::default(),
        blocks: Blocks::new(index, left),
        formulas: SharedFormulas::default(),
        writer: CellWriter::default(),
        plain: None,
        damaged: 0,
        outside: 0,
        unwritten: 0,
        uncalculated: Places::default(),
        zeros: Places::default(),
    };
    let damage = match read_cells(&mut scanner, &mut reader) {
        Ok(()) => reader.regions(&mut scanner),
        Err(Failure::Sheet(reason)) => Some(reason),
        Err(Failure::TooLarge(_)) => None,
    };
    reader.finish(damage)
}

struct Reader<'a, 'b> {
    index: usize,
    /// `true` if a chart refers to cells of the sheet.
    is_referred_to: bool,
    shared: &'b mut Shared<'a>,
    layout: Layout,
    blocks: Blocks,
    formulas: SharedFormulas,
    writer: CellWriter,
    /// The style of cells that name none.
    plain: Option<Style>,
    damaged: usize,
    outside: usize,
    /// Number of formulas that are left out.
    unwritten: usize,
    uncalculated: Places,
    zeros: Places,
}

impl Sink for Reader<'_, '_> {
    fn before(&mut self, tag: &Tag<'_>) {
        self.layout.element(tag);
    }

    fn row(&mut self, row: u32, tag: &Tag<'_>) {
        if row < MAX_ROWS {
            self.layout.row(row, tag);
        }
    }

    fn cell(&mut self, place: (u32, u32), cell: &Cell) -> Result<(), Failure> {
        let (row, column) = place;
        if row >= MAX_ROWS || column >= MAX_COLUMNS {
            self.outside += 1;
            return Ok(());
        }
        let is_left_out = self.blocks.leaves_out(row);
        if is_left_out && !self.is_referred_to {
            return Ok(());
        }
        let context = Context { hides_zeros: self.layout.hides_zeros, ..self.shared.context };
        let mut value = content(cell, context);
        if value.is_none() {
            self.damaged += 1;
        }
        let mut value = value.take().unwrap_or(Content::Empty);
        let formula = cell.formula.and_then(|kind| self.formula(kind, cell, place));
        if let Some(formula) = &formula {
            if matches!(value, Content::Empty) && cell.has_no_value() {
                self.uncalculated.push(row, column);
                value = Content::Text(Cow::Owned(formula.clone()));
            } else if self.shared.wants_calculation
                && matches!(value, Content::Number { value: 0.0, .. })
            {
                self.zeros.push(row, column);
            }
        }
        let Shared { styles, references, .. } = &mut *self.shared;
        let style = match cell.format {
            Some(format) => styles.style(format),
            None => self.plain.get_or_insert_with(|| styles.style(0)).clone(),
        };
        let is_written = self.writer.write(&value, formula.as_deref(), &style, styles, context);
        if is_written && self.is_referred_to {
            let number = if let Content::Number { value, .. } = value { Some(value) } else { None };
            references.see((self.index, row, column), &self.writer.shown, number);
        }
        if is_written && !is_left_out {
            self.blocks.push(row, column, &self.writer.json);
        }
        Ok(())
    }
}

impl Reader<'_, '_> {
    fn formula(&mut self, kind: Formula, cell: &Cell, place: (u32, u32)) -> Option<String> {
        self.formulas.keep(cell, place);
        if self.unwritten > 0 {
            self.unwritten += 1;
            return None;
        }
        let text = self.formulas.text(kind, cell, place);
        if !self.shared.formulas.take(text.len()) {
            self.unwritten += 1;
            return None;
        }
        // The definition of such a formula was not read.
        formula(&text).filter(|text| text != "=?")
    }

    /// Reads the merged regions, which follow the cells. Returns why the rest of the sheet is missing.
    fn regions(&mut self, scanner: &mut Scanner<impl Read>) -> Option<String> {
        loop {
            match scanner.next() {
                Ok(Some(Token::Start(tag))) if tag.name == b"mergeCell" => {
                    if let Some(region) = tag.attribute(b"ref").and_then(region) {
                        self.layout.merge(region, &mut self.shared.room);
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(damage) => return Some(damage),
            }
        }
    }

    fn finish(self, damage: Option<String>) -> SheetView {
        let Self { layout, blocks, .. } = self;
        let finished = blocks.finish();
        let mut notes = Vec::new();
        if let Some((first, last)) = finished.omitted {
            let rows = if first == last {
                format!("row {} is", first + 1)
            } else {
                format!("rows {} to {} are", first + 1, last + 1)
            };
            notes.push(format!("{rows} left out, because the preview of the workbook is full"));
        }
        for (count, what) in [
            (self.damaged, "damaged cells, whose values are missing"),
            (
                self.outside,
                "cells beyond the last row or column of a worksheet, which are left out",
            ),
            (self.unwritten, "formulas that are left out, because there are too many"),
            (finished.late, "cells in the wrong order, which are left out"),
            (layout.omitted_merges, "merged regions that are left out, because there are too many"),
        ] {
            if count > 0 {
                notes.push(format!("{what}: {count}"));
            }
        }
        if let Some(list) = self.uncalculated.list() {
            notes.push(crate::intake::uncalculated_note(&list));
        }
        if let Some(list) = self.zeros.list() {
            notes.push(crate::intake::zeros_note(&list));
        }
        SheetView { layout, finished, notes, damage }
    }
}
