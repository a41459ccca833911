//! A document as Markdown: with anchors, to be edited, or without, to be converted to another format.
//!
//! What Markdown cannot show is reported with its place.

mod anchored;
mod contents;
mod convert;
mod inline;
mod losses;
mod objects;
mod pictures;
mod tables;

pub use anchored::{MarkdownOptions, MarkdownPage, read_markdown};
pub use convert::{Converted, convert};
