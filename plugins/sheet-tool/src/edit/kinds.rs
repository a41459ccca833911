//! What can be edited.

use crate::book::Format;

/// A value as a model gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    Null,
    Bool(bool),
    /// A decimal number in JSON notation.
    Number(String),
    /// Text; a formula if it begins with `=`; a date if it is ISO 8601; plain text behind `'`.
    Text(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct SetCell {
    pub at: String,
    pub value: Input,
}

/// What should stand in a cell before the first edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    pub at: String,
    pub value: Input,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    List,
    Whole,
    Decimal,
    Date,
    TextLength,
    Formula,
    /// Removes the rules of the range.
    Remove,
}

/// A rule: of what may be typed, or of when a format applies.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub kind: RuleKind,
    /// `between`, `>=`, …
    pub operator: Option<String>,
    /// Numbers, dates, formulas with `=`, or the items of a list.
    pub values: Vec<String>,
}

/// One edit.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    SetCells(Vec<SetCell>),
    SetRange {
        at: String,
        rows: Vec<Vec<Input>>,
    },
    Clear {
        range: String,
    },
    Insert {
        place: String,
    },
    Delete {
        place: String,
    },
    CopyRange {
        from: String,
        to: String,
    },
    AddSheet {
        name: String,
        before: Option<String>,
    },
    DeleteSheet {
        sheet: String,
    },
    RenameSheet {
        sheet: String,
        name: String,
    },
    MoveSheet {
        sheet: String,
        position: u32,
    },
    CopySheet {
        sheet: String,
        name: String,
    },
    HideSheet {
        sheet: String,
        is_hidden: bool,
    },
    Format {
        range: String,
        format: Format,
    },
    SetSize {
        range: String,
        size: f64,
    },
    Freeze {
        at: String,
    },
    Filter {
        range: String,
    },
    Merge {
        range: String,
    },
    Unmerge {
        range: String,
    },
    SetName {
        name: String,
        refers_to: Option<String>,
    },
    Validate {
        range: String,
        rule: Rule,
        message: Option<String>,
    },
    Mark {
        range: String,
        rule: Rule,
        format: Format,
    },
    SetNote {
        at: String,
        text: Option<String>,
        author: Option<String>,
    },
    SetChart {
        chart: String,
        title: Option<String>,
        series: Option<u32>,
        values: Option<String>,
        categories: Option<String>,
    },
    Protect {
        sheet: String,
        is_on: bool,
    },
}
