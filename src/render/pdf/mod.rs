//! Documents to PDF: the implementation of [`PdfBackend`](super::PdfBackend) with Typst. Code outside this folder knows only
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

pub use self::choose::FontChoice;
pub use self::texts::text_pages;
pub use self::typst::TypstBackend;
