//! Previews of files for people: what a file looks like, a few rows, characters or one page at a time.
//!
//! The page of the service and the viewer of MCP Apps use it. [`Previews`] keeps files that were read, within bounds, so
//! that scrolling reads nothing again. All texts come from files: the viewer must not take them for markup.
//!
//! Knows sessions, which read files under their limits. Knows no HTTP and no storage: the caller hands over the bytes.

mod cells;
mod content;
mod kept_file;
mod outline;
mod places;
#[allow(clippy::module_inception, reason = "it holds the type of this name")]
mod preview;
mod previews;
mod sandbox_pages;
mod tables;
mod workbook;

pub use cells::{Cell, CellKind, CellStyle, CellValue, Row, Rows, Scalar};
pub use content::picture_type;
pub use kept_file::{PreviewFile, ReadDocument};
pub use outline::{
    Outline, OutlineKind, OutlinePage, OutlinePlace, SheetChart, SheetOutline, SheetSeries,
};
pub use preview::{MAX_ROWS, MAX_TEXT_CHARACTERS, Preview, TextPart};
pub use previews::Previews;
