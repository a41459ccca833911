//! Pictures of a document: supplied by the caller, never fetched.
//!
//! A document names its pictures; [`Pictures`] holds what the caller supplied for each name, within limits. Untrusted files
//! are checked here before anything decodes them: `head` reads type, size and resolution, `svg` rewrites drawings without
//! external references, `gallery` serves backends. Decodes no pixels.
//! they refer to outside, `gallery` is what a backend asks. Decodes no pixels.

mod data_uri;
mod exif;
mod gallery;
mod head;
mod pictures;
#[cfg(any(feature = "docx", feature = "fill", feature = "pptx"))]
mod pixels;
mod place;
#[cfg(test)]
pub(crate) mod samples;
mod svg;

pub(crate) use self::gallery::{Gallery, Picture};
pub(crate) use self::head::Format;
pub use self::pictures::{MAX_PICTURE_BYTES, MAX_PICTURES, MAX_PICTURES_BYTES, Pictures};
#[cfg(any(feature = "docx", feature = "fill", feature = "pptx"))]
pub(crate) use self::pixels::for_word;
pub(crate) use self::place::addresses;
pub use self::place::{local_names, picture_names};
