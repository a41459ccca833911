//! Requests: the edits of a batch, and how they are made.

use crate::changes::ChangeFilter;
use crate::story::shorten;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    Before,
    After,
}

/// Formatting of characters. What is `None` stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Format {
    pub bold: Option<bool>,
    pub italic: Option<bool>,
    pub underline: Option<bool>,
    pub strike: Option<bool>,
    /// `FF0000`, or `auto`.
    pub color: Option<String>,
    /// A name of Word such as `yellow`, or `none`.
    pub highlight: Option<String>,
    /// Size in points.
    pub size: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindMode {
    Exact,
    WholeWord,
    Pattern,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    Default,
    First,
    Even,
}

/// One edit.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    ReplaceText {
        at: String,
        find: String,
        replacement: String,
        occurrence: Option<u32>,
    },
    InsertText {
        at: String,
        text: String,
        after: Option<String>,
        before: Option<String>,
    },
    InsertParagraph {
        at: String,
        side: Where,
        text: String,
        style: Option<String>,
    },
    DeleteParagraph {
        at: String,
    },
    MoveParagraph {
        at: String,
        side: Where,
        to: String,
    },
    SetCell {
        table: String,
        row: u32,
        column: u32,
        text: String,
    },
    InsertRow {
        table: String,
        row: u32,
        side: Where,
        cells: Vec<String>,
    },
    DeleteRow {
        table: String,
        row: u32,
    },
    InsertColumn {
        table: String,
        column: u32,
        side: Where,
        cells: Vec<String>,
    },
    DeleteColumn {
        table: String,
        column: u32,
    },
    SetStyle {
        at: String,
        style: String,
    },
    FormatText {
        at: String,
        find: String,
        format: Format,
    },
    LinkText {
        at: String,
        find: String,
        url: String,
    },
    InsertPageBreak {
        at: String,
    },
    SetHeader {
        is_footer: bool,
        text: String,
        pages: Pages,
        section: Option<u32>,
    },
    SetProperty {
        name: String,
        value: String,
    },
    InsertPicture {
        at: String,
        side: Where,
        picture: String,
        width_cm: Option<f64>,
        alt: String,
    },
    ReplaceEverywhere {
        find: String,
        replacement: String,
        mode: FindMode,
        ignores_case: bool,
    },
    AddComment {
        at: String,
        find: Option<String>,
        text: String,
    },
    AnswerComment {
        id: String,
        text: String,
    },
    ResolveComment {
        id: String,
        is_resolved: bool,
    },
    DeleteComment {
        id: String,
    },
    /// Sets the content controls with a tag or a title that have the value `find`.
    SetControl {
        name: String,
        find: String,
        replacement: String,
        occurrence: Option<u32>,
    },
    /// `field` is `PAGE`, `NUMPAGES`, `DATE`, `TOC` or `REF p12-3fa9`.
    InsertField {
        at: String,
        field: String,
        after: Option<String>,
        before: Option<String>,
    },
    /// Lets Word update all fields when it opens the document.
    UpdateFields,
    /// Adds a footnote behind a text, or at the end of the paragraph.
    AddFootnote {
        at: String,
        find: Option<String>,
        text: String,
    },
    /// Deletes `footnote 3`.
    DeleteNote {
        id: String,
    },
    AcceptChanges(ChangeFilter),
    RejectChanges(ChangeFilter),
}

impl Edit {
    /// Returns the texts that the edit puts into the document.
    pub(super) fn texts(&self) -> Vec<&str> {
        match self {
            Self::ReplaceText { replacement, .. }
            | Self::ReplaceEverywhere { replacement, .. }
            | Self::SetControl { replacement, .. } => vec![replacement],
            Self::InsertText { text, .. }
            | Self::InsertParagraph { text, .. }
            | Self::SetCell { text, .. }
            | Self::SetHeader { text, .. }
            | Self::AddComment { text, .. }
            | Self::AnswerComment { text, .. }
            | Self::AddFootnote { text, .. } => vec![text],
            Self::InsertRow { cells, .. } | Self::InsertColumn { cells, .. } => {
                cells.iter().map(String::as_str).collect()
            }
            Self::SetProperty { value, .. } => vec![value],
            Self::InsertPicture { alt, .. } => vec![alt],
            Self::DeleteParagraph { .. }
            | Self::MoveParagraph { .. }
            | Self::DeleteRow { .. }
            | Self::DeleteColumn { .. }
            | Self::SetStyle { .. }
            | Self::FormatText { .. }
            | Self::LinkText { .. }
            | Self::InsertPageBreak { .. }
            | Self::ResolveComment { .. }
            | Self::DeleteComment { .. }
            | Self::InsertField { .. }
            | Self::UpdateFields
            | Self::DeleteNote { .. }
            | Self::AcceptChanges(_)
            | Self::RejectChanges(_) => Vec::new(),
        }
    }
}

/// How a batch is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditOptions {
    pub is_tracked: bool,
    pub author: String,
    /// In the form of Word: `2026-11-27T10:00:00Z`.
    pub date: Option<String>,
}

impl EditOptions {
    /// Makes options. The author is `Mitt` unless given; the date may be a day.
    ///
    /// # Errors
    /// One sentence: the date is not in ISO 8601.
    pub fn new(is_tracked: bool, author: Option<&str>, date: Option<&str>) -> Result<Self, String> {
        let date = match date {
            None => None,
            Some(text) => Some(full_date(text.trim()).ok_or_else(|| {
                format!(
                    "expected a date such as `2026-11-27T10:00:00Z`, got `{}`",
                    shorten(text, 40)
                )
            })?),
        };
        let author = shorten(author.unwrap_or("Mitt").trim(), 255);
        Ok(Self { is_tracked, author, date })
    }
}

/// Returns a date in the form of Word: with a time, without fractions.
fn full_date(text: &str) -> Option<String> {
    let fits = |text: &str, form: &str| {
        text.len() == form.len()
            && text.bytes().zip(form.bytes()).all(|(it, form)| match form {
                b'0' => it.is_ascii_digit(),
                other => it == other,
            })
    };
    if fits(text, "0000-00-00") {
        return Some(format!("{text}T00:00:00Z"));
    }
    let (head, tail) = text.split_at_checked(19)?;
    let zone = tail.trim_start_matches(|it: char| it == '.' || it.is_ascii_digit());
    let has_zone =
        zone.is_empty() || zone == "Z" || zone.get(1..).is_some_and(|it| fits(it, "00:00"));
    let zone = if zone.is_empty() { "Z" } else { zone };
    (fits(head, "0000-00-00T00:00:00") && has_zone).then(|| format!("{head}{zone}"))
}
