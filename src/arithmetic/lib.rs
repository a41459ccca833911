//! Exact decimal numbers, fractions, and the expressions over them.
//!
//! The plugin `table-tool` evaluates expressions over columns of tables, and `mitt-render` over the values of a template. Both
//! have one grammar and one evaluation.
//!
//! Knows no tables, no templates and no hosts.

#![forbid(unsafe_code)]

mod condition;
mod expression;
pub mod fraction;
pub mod number;
#[cfg(test)]
mod tests;

pub use condition::{Comparison, Condition, Operand, Test, condition};
pub use expression::{Context, Expression, Node, Operands, Overall, named, parse};
pub use fraction::Fraction;
pub use number::Number;
