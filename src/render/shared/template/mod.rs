//! What templates of Word and of Excel share: marks, formats, the meaning of names, expressions and conditions, and the
//! hints for
//! marks of other programs.
//!
//! Knows neither of both files.

pub(crate) mod each;
pub(crate) mod evaluate;
pub(crate) mod foreign;
pub(crate) mod format;
pub(crate) mod marks;
pub(crate) mod scope;
