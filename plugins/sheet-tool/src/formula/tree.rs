//! The tree of a formula.

use super::lex::{ReferenceEnd, Shape, area};
use crate::refs::{self, Area};
use crate::value::{Array, ErrorCode};
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Join,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

/// The sheets of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sheets {
    /// That of the formula.
    Own,
    One(usize),
    Span(usize, usize),
}

/// Cells that a formula names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cells {
    pub(crate) sheets: Sheets,
    pub(crate) first: ReferenceEnd,
    pub(crate) last: Option<ReferenceEnd>,
    pub(crate) shape: Shape,
}

impl Cells {
    /// Returns the area, moved as in a shared formula; `None` if it leaves the sheet.
    pub(crate) fn area(&self, rows: i64, columns: i64) -> Option<Area> {
        if rows == 0 && columns == 0 {
            return Some(area(self.first, self.last, self.shape));
        }
        let moved = |value: u32, by: i64, is_fixed: bool, most: u32| {
            let to = if is_fixed { i64::from(value) } else { i64::from(value) + by };
            u32::try_from(to).ok().filter(|to| (1..=most).contains(to))
        };
        let end = |mut end: ReferenceEnd| {
            if self.shape != Shape::Columns {
                end.at.row = moved(end.at.row, rows, end.fixed_row, refs::MAX_ROW)?;
            }
            if self.shape != Shape::Rows {
                end.at.column = moved(end.at.column, columns, end.fixed_column, refs::MAX_COLUMN)?;
            }
            Some(end)
        };
        let last = match self.last {
            Some(last) => Some(end(last)?),
            None => None,
        };
        Some(area(end(self.first)?, last, self.shape))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Number(f64),
    Text(Rc<str>),
    Bool(bool),
    Error(ErrorCode),
    /// An argument that is left out.
    Missing,
    Array(Rc<Array>),
    Cells(Cells),
    /// Some columns of a table in the row of the formula: the sheet, and the area of all rows.
    TableRow(usize, Area),
    /// Cells of a table.
    Table(usize, Area),
    /// A name in lower case, and the sheet that it belongs to.
    Name(Rc<str>, Option<usize>),
    Minus(Box<Expr>),
    Plus(Box<Expr>),
    Percent(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// From a corner to another, both calculated.
    Range(Box<Expr>, Box<Expr>),
    Intersection(Box<Expr>, Box<Expr>),
    Union(Vec<Expr>),
    /// A function by its name in upper case and without prefixes.
    Call(Rc<str>, Vec<Expr>),
    /// A call of a calculated function.
    Apply(Box<Expr>, Vec<Expr>),
    /// Something that is not calculated, by a word for the user.
    Unsupported(&'static str),
}

impl Expr {
    /// Calls `visit` for this tree and everything below it.
    pub(crate) fn walk(&self, visit: &mut impl FnMut(&Expr)) {
        // Without recursion, because a long sum is as deep as it has terms.
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            visit(node);
            match node {
                Self::Minus(one) | Self::Plus(one) | Self::Percent(one) => open.push(one),
                Self::Binary(_, one, two)
                | Self::Range(one, two)
                | Self::Intersection(one, two) => open.extend([&**two, &**one]),
                Self::Union(all) | Self::Call(_, all) => open.extend(all.iter().rev()),
                Self::Apply(function, all) => {
                    open.extend(all.iter().rev());
                    open.push(function);
                }
                _ => {}
            }
        }
    }
}
