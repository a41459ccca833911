//! Documents to PDF: the one implementation of [`PdfBackend`](super::PdfBackend) typesets with Typst. Nothing outside this
//! folder knows that but by the name of the type.

mod breaks;
mod data;
mod fonts;
mod missing;
mod pictures;
mod scripts;
mod signs;
mod size;
#[cfg(test)]
mod tests;
mod typst;
mod world;

pub use self::typst::TypstBackend;
