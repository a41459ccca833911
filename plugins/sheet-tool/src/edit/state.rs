//! The state of a batch: the workbook, and what is noted on the way.

use super::shift::Shift;
use crate::book::{Book, CellView, shown_formula};
use crate::calc::Seed;
use crate::refs::{self, At};
use crate::value::{ErrorCode, Scalar};
use crate::world::World;

/// Most changes that are listed.
const MAX_CHANGES: usize = 200;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditOptions {
    /// Date and time for `TODAY` and `NOW`, as ISO 8601, in place of those of the world.
    pub now: Option<String>,
    pub world: World,
}

/// A batch at work.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) book: Book,
    pub(crate) changes: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) seeds: Vec<Seed>,
    /// `true` if rows, columns or sheets have moved.
    pub(crate) has_moved: bool,
    /// `true` if cells or names have changed, so that formulas may have other values.
    pub(crate) has_values: bool,
    /// Places of formulas that were set, to find which of them spread over several cells.
    pub(crate) new_formulas: Vec<(usize, At)>,
    /// Numbers that were written as text: how many, and the place of the first.
    pub(crate) long_numbers: (usize, String),
}

impl Batch {
    pub(crate) fn new(book: Book) -> Self {
        Self {
            book,
            changes: Vec::new(),
            warnings: Vec::new(),
            seeds: Vec::new(),
            has_moved: false,
            has_values: false,
            new_formulas: Vec::new(),
            long_numbers: (0, String::new()),
        }
    }

    pub(crate) fn changed(&mut self, line: impl Into<String>) {
        if self.changes.len() < MAX_CHANGES {
            self.changes.push(line.into());
        } else if self.changes.len() == MAX_CHANGES {
            self.changes.push("and further changes".to_owned());
        }
    }

    pub(crate) fn warn(&mut self, line: impl Into<String>) {
        let line = line.into();
        if self.warnings.len() < 100 && !self.warnings.contains(&line) {
            self.warnings.push(line);
        }
    }

    pub(crate) fn place(&self, sheet: usize, at: impl std::fmt::Display) -> String {
        format!("{}!{at}", refs::quoted_sheet(&self.book.sheets[sheet].name))
    }

    /// Moves what was noted about cells.
    pub(super) fn shift_notes(&mut self, shift: &Shift) {
        self.seeds.retain_mut(|seed| {
            if seed.sheet != shift.sheet {
                return true;
            }
            match shift.area(seed.area) {
                Some(area) => {
                    seed.area = area;
                    true
                }
                None => false,
            }
        });
        self.new_formulas.retain_mut(|(sheet, at)| {
            if *sheet != shift.sheet {
                return true;
            }
            match shift.cell(*at) {
                Some(new) => {
                    *at = new;
                    true
                }
                None => false,
            }
        });
    }
}

/// Returns a cell as a change shows it.
pub(crate) fn shown(book: &Book, view: &CellView) -> String {
    let value = match &view.value {
        Scalar::Empty => "nothing".to_owned(),
        Scalar::Number(number) if book.styles.shows_dates(view.style) => {
            crate::moment::iso(*number, book.from_1904)
        }
        Scalar::Text(text) => {
            let short: String = text.chars().take(60).collect();
            format!("`{short}{}`", if short.len() < text.len() { "…" } else { "" })
        }
        other => other.shown(),
    };
    match &view.formula {
        Some(formula) => {
            let formula: String = shown_formula(formula).chars().take(120).collect();
            format!("{formula} ({value})")
        }
        None => value,
    }
}

/// Returns `true` for errors that a delivery must not gain without a warning.
pub(crate) fn is_grave(value: &Scalar) -> bool {
    matches!(value, Scalar::Error(ErrorCode::Ref | ErrorCode::Name))
}
