//! Edits of a workbook. The whole batch is done on a copy in memory: if anything does not fit, nothing is delivered.

mod anchor;
mod batch;
#[cfg(test)]
mod bomb_tests;
#[cfg(test)]
mod chart_tests;
mod charts;
mod content;
mod excerpt;
mod finish;
mod frame;
mod kinds;
#[cfg(test)]
mod loss_tests;
mod losses;
mod notes;
#[cfg(test)]
mod pivot_tests;
mod pivots;
#[cfg(test)]
mod reading_tests;
mod sheets;
mod shift;
#[cfg(test)]
mod shift_tests;
mod sizes;
#[cfg(test)]
mod span_tests;
mod spans;
mod state;
mod structure;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod value_tests;
#[cfg(test)]
mod world_tests;

#[cfg(test)]
pub(crate) use batch::apply_to;
pub(crate) use batch::open;
pub(crate) use charts::{Chart, all as charts};
#[cfg(test)]
pub(crate) use content::stored_formula;
pub(crate) use finish::finish;
pub(crate) use sheets::rename;
pub(crate) use state::Batch;
pub(crate) use structure::expand;

pub use batch::{Edited, WhatIf, apply, what_if};
pub use kinds::{Edit, Expected, Input, Rule, RuleKind, SetCell};
pub use state::EditOptions;
