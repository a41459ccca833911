//! What an edit can do, as it is given.

use crate::outline::OutlineItem;
use crate::position::Position;

/// An edit.
#[derive(Clone, Debug)]
pub enum Edit {
    /// Set the value of a field.
    FillField {
        /// Its full name.
        field: String,
        /// The value; lines for several.
        value: String,
    },
    /// Make fields part of their pages; all, if no names are given.
    Flatten {
        /// Names of fields.
        fields: Vec<String>,
    },
    /// Keep these pages in this order.
    SelectPages {
        /// `1-3,7,10-`.
        pages: String,
    },
    /// Turn pages with the clock.
    RotatePages {
        /// Which.
        pages: String,
        /// 90, 180, 270 or less than zero.
        angle: i64,
    },
    /// Cut what is seen of pages.
    CropPages {
        /// Which.
        pages: String,
        /// Left, bottom, right, top in points.
        rect: Vec<f64>,
    },
    /// Insert empty pages.
    InsertBlank {
        /// Behind this page; 0 for the beginning.
        after: usize,
        /// How many.
        count: usize,
    },
    /// Put a text on pages.
    AddText(Text),
    /// Put a picture or the first page of a document on pages.
    AddPicture(Picture),
    /// Put two or four pages on each sheet.
    Sheets {
        /// 2 or 4.
        count: usize,
        /// `A4`, `letter` …, or width and height in points: `595x842`.
        paper: String,
    },
    /// Set a value of the metadata.
    SetMetadata {
        /// `title`, `author` ….
        name: String,
        /// The value.
        value: String,
    },
    /// Replace the bookmarks.
    SetOutline(Vec<OutlineItem>),
    /// Attach a file of the session.
    AttachFile {
        /// Its name.
        name: String,
        /// What it is.
        description: String,
    },
    /// Remove an attached file.
    RemoveAttachment {
        /// Its name.
        name: String,
    },
    /// Remove comments and drawings.
    RemoveAnnotations {
        /// Pages.
        pages: String,
    },
}

/// A text for pages, as it is given.
#[derive(Clone, Debug)]
pub struct Text {
    /// With `{page}`, `{pages}`, `{label}`.
    pub text: String,
    /// Which pages.
    pub pages: String,
    /// Where.
    pub position: Position,
    /// Size in points.
    pub size: f64,
    /// Such as `FF0000`.
    pub color: String,
    /// Degrees.
    pub angle: f64,
    /// 0 to 1.
    pub opacity: f64,
    /// Points.
    pub margin: f64,
    /// Number of the first of these pages.
    pub start: Option<u32>,
    /// Behind what is there.
    pub is_behind: bool,
}

/// A picture for pages, as it is given.
#[derive(Clone, Debug)]
pub struct Picture {
    /// A PNG, JPEG or PDF of the session.
    pub name: String,
    /// Which pages.
    pub pages: String,
    /// Where, if there is no rectangle.
    pub position: Position,
    /// Left, bottom, right, top in points of the page as it is seen. The picture fits into it.
    pub rect: Option<Vec<f64>>,
    /// Width in points.
    pub width: Option<f64>,
    /// 0 to 1.
    pub opacity: f64,
    /// Points.
    pub margin: f64,
    /// Behind what is there.
    pub is_behind: bool,
}

impl Edit {
    /// Returns the name of what it does.
    pub(crate) fn action(&self) -> &'static str {
        match self {
            Self::FillField { .. } => "fill-field",
            Self::Flatten { .. } => "flatten",
            Self::SelectPages { .. } => "select-pages",
            Self::RotatePages { .. } => "rotate-pages",
            Self::CropPages { .. } => "crop-pages",
            Self::InsertBlank { .. } => "insert-blank",
            Self::AddText(_) => "add-text",
            Self::AddPicture(_) => "add-picture",
            Self::Sheets { .. } => "n-up",
            Self::SetMetadata { .. } => "set-metadata",
            Self::SetOutline(_) => "set-outline",
            Self::AttachFile { .. } => "attach-file",
            Self::RemoveAttachment { .. } => "remove-attachment",
            Self::RemoveAnnotations { .. } => "remove-annotations",
        }
    }
}

/// What an edit reads: files of the session by name.
pub type Files<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;

/// What a batch did.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// One sentence for each edit.
    pub done: Vec<String>,
    /// What the user should know.
    pub warnings: Vec<String>,
}
