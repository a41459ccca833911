//! Reads, edits and recalculates workbooks that exist.
//!
//! What is not changed keeps its bytes: entries of the archive are copied, and changed parts differ only where they must.

mod book;
mod calc;
mod check;
mod compare;
mod component;
mod display;
mod edit;
mod error;
mod formula;
mod moment;
mod package;
mod read;
mod redact;
mod refs;
#[cfg(test)]
mod sample;
mod value;
mod width;
mod world;
mod xml;

use mitt_package as zip;

pub use book::Format;
pub use check::{Comparison, compare};
pub use compare::{Difference, Differences, differences};
pub use edit::{
    Edit, EditOptions, Edited, Expected, Input, Rule, RuleKind, SetCell, WhatIf, apply, what_if,
};
pub use error::Error;
pub use read::{
    CellInfo, CellPage, CellValue, Overview, SheetInfo, Trace, overview, read_cells, trace,
};
pub use redact::{Redacted, redact};
pub use world::World;
