//! Documents to PDF: the implementation of [`PdfBackend`](crate::PdfBackend) with Typst. Code outside this folder knows only
//! the name of the type.

mod choose;
mod data;
mod fonts;
mod formula;
mod holes;
mod look;
#[cfg(test)]
mod page_tests;
mod pictures;
mod size;
mod standards;
#[cfg(test)]
mod tests;
mod texts;
#[cfg(test)]
mod texts_tests;
mod typst;
mod world;

pub(super) use self::choose::{bundled, faces, is_bundled};
pub(super) use self::texts::text_pages;
pub(super) use self::typst::render;
