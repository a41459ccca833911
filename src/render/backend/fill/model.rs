//! The sheets as they will be, as data: every cell at its new position, with its value, its formula, or unchanged.
//! `model_cells` makes
//! them.

use super::book::Book;
use super::grid::Cell;
use super::layout::Layout;
use super::moves::Block;
use super::pictures::Placed;
use super::plan::Templates;
use super::problems::Problems;
use super::refs::At;
use super::scope::{Scope, Values};
use super::shift::Shift;
use super::styles::Styles;
use super::value::CellValue;
use super::warnings::Warnings;
use crate::shared::xml_tokens::Tag;

/// A sheet.
pub(super) struct OutSheet<'a> {
    pub(super) rows: Vec<OutRow<'a>>,
    /// `true` if anything in it differs from before.
    pub(super) changed: bool,
}

pub(super) struct OutRow<'a> {
    pub(super) number: u32,
    /// Its row before.
    pub(super) before: u32,
    /// The copy of the block that contains it, by their numbers.
    pub(super) copy: Option<(usize, u32)>,
    /// `true` for a copy that did not exist before.
    pub(super) fresh: bool,
    pub(super) tag: Option<Tag<'a>>,
    pub(super) rest: &'a str,
    pub(super) cells: Vec<OutCell<'a>>,
}

pub(super) struct OutCell<'a> {
    pub(super) column: u32,
    pub(super) content: Content<'a>,
}

pub(super) enum Content<'a> {
    /// Unchanged.
    Same(Cell<'a>),
    Value {
        cell_value: CellValue,
        style: u32,
    },
    Formula(Box<Formula<'a>>),
}

pub(super) struct Formula<'a> {
    pub(super) cell: Cell<'a>,
    /// Its tag, with another area if it fills several cells.
    pub(super) tag: String,
    pub(super) text: String,
    /// `true` if text and tag are unchanged.
    pub(super) same: bool,
    /// `true` if it shared its text with other cells, and is now written on its own.
    pub(super) shared: bool,
    pub(super) result: Cached,
}

/// The cached result of a formula.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cached {
    Kept,
    /// Removed, because it is outdated and cannot be calculated here.
    Gone,
    New(CellValue),
}

/// Creates sheets.
pub(super) struct Maker<'p, 'a, 'v> {
    pub(super) book: &'p Book,
    pub(super) templates: &'p Templates<'a>,
    pub(super) values: &'p Values<'v>,
    pub(super) shift: &'p Shift<'p>,
    pub(super) styles: &'p mut Styles,
    pub(super) problems: &'p mut Problems,
    pub(super) warnings: &'p mut Warnings,
    pub(super) layout: &'p Layout<'v>,
    pub(super) pictures: &'p mut Vec<Placed>,
    /// `true` if cells are only copied, and placeholders stay.
    pub(super) copies_only: bool,
}

/// Position of a cell.
pub(super) struct CellPosition<'p, 'v> {
    pub(super) sheet: usize,
    /// Its position before.
    pub(super) old: At,
    pub(super) new: At,
    /// The block and the copy that contain it.
    pub(super) copy: Option<(&'p Block, u32)>,
    pub(super) scope: Scope<'v>,
}

impl CellPosition<'_, '_> {
    /// Returns `true` in a row that did not exist before and has only given values.
    pub(super) fn is_appended(&self) -> bool {
        self.copy.is_some_and(|(block, copy)| block.appends && copy > 0)
    }
}

impl Maker<'_, '_, '_> {
    /// Returns the name of a cell for messages.
    pub(super) fn name(&self, place: &CellPosition<'_, '_>) -> String {
        let sheet = self.book.sheets.get(place.sheet).map_or("", |it| it.name.as_str());
        format!("{sheet}!{}", place.new)
    }
}
