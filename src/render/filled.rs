//! Templates that are filled, as whoever wants one sees it: what is asked for, and what comes back.

use super::Cancel;

/// How a template is filled. Default: nothing ends it early.
#[derive(Clone, Debug, Default)]
pub struct FillOptions {
    /// Ends the filling early.
    pub cancel: Cancel,
    /// Make an `.xlsx`, whatever the template is: one with macros is refused, a template of Excel's own kind (`.xltx`) becomes a
    /// workbook. Otherwise the file is of the template's kind. Default: false.
    pub as_xlsx: bool,
}

/// A file that was made of a template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// The file, of the template's own kind.
    pub bytes: Vec<u8>,
    /// What is to be known of it, one sentence each: values that were not used, what could not go along, by place.
    pub warnings: Vec<String>,
}
