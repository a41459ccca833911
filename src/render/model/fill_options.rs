//! Options and results of filling a template.

use crate::{Cancel, Pictures};

/// Options for filling a template. Default: nothing ends it early.
#[derive(Clone, Debug, Default)]
pub struct FillOptions {
    /// Ends the filling early.
    pub cancel: Cancel,
    /// Makes an `.xlsx` of any template: one with macros is refused, an Excel template (`.xltx`) becomes a workbook.
    /// Otherwise the file has the template's format. Default: false.
    pub as_xlsx: bool,
    /// Pictures that values name, as [`xlsx_files`](crate::xlsx_files) lists them. Default: none.
    pub pictures: Pictures,
}

/// A filled template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// The file, in the template's format.
    pub bytes: Vec<u8>,
    /// Warnings, one sentence each, with places: values that were not used, content that could not be kept.
    pub warnings: Vec<String>,
}
