//! Pictures of a document as backends get them.
//!
//! Untrusted files are checked here before anything decodes them: `head` reads type, size and resolution, `svg` rewrites
//! drawings without external references, `gallery` serves backends. Only `pixels` decodes them, for Word.

mod exif;
mod gallery;
mod head;
#[cfg(any(feature = "docx", feature = "fill", feature = "pptx"))]
mod pixels;
#[cfg(test)]
pub(crate) mod samples;
mod svg;

pub(crate) use self::gallery::{Gallery, Picture};
pub(crate) use self::head::Format;
#[cfg(any(feature = "docx", feature = "fill", feature = "pptx"))]
pub(crate) use self::pixels::for_word;
