//! Calculation of formulas: only what depends on changed cells is calculated; everything else keeps its stored value.

mod coerce;
mod criteria;
mod engine;
mod evaluate;
mod functions;
mod graph;
mod grid;

pub(crate) use engine::{Failure, Session};
pub(crate) use functions::is_known as is_known_function;
pub(crate) use graph::{MAX_FORMULAS, Seed};
pub(crate) use grid::Stop;
