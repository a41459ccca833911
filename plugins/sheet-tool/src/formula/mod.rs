//! Formulas: tokens, references and trees. Does not know the contents of cells.

mod lex;
mod names_of_excel;
mod parse;
mod rewrite;
mod tree;

pub(crate) use lex::{ReferenceToken, Shape, SheetPrefix, Spanned, Token, tokens};
#[cfg(test)]
pub(crate) use names_of_excel::OLDER;
pub(crate) use names_of_excel::{NEWER, is_of_excel};
pub(crate) use parse::{Names, TableArea, parse};
pub(crate) use rewrite::{Becomes, renamed, renamed_alone, rewrite, translated};
pub(crate) use tree::{Cells, Expr, Operator, Sheets};
