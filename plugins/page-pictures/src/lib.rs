//! Draws pages of PDF files as pictures.
//!
//! hayro draws the pages. This crate bounds their sizes, chooses fonts for those that a file does not have in it, and says what
//! a picture lacks. It runs in a sandbox, because hayro is made for valid files: it may need much time or memory for others.

mod draw;
mod encode;
mod error;
mod file;
mod fonts;
mod page_size;
// Native linkers refuse the names of its exports in a library; tests are programs.
#[cfg(any(target_family = "wasm", test))]
mod plugin;
mod ranges;
mod survey;
mod text;

pub use draw::{MAX_PIXELS, Options, Picture, Size};
pub use encode::Format;
pub use error::Error;
pub use file::PdfFile;
pub use fonts::{HostFonts, NoFonts};
pub use page_size::PageSize;
pub use ranges::pages;
