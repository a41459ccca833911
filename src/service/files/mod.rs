//! Uploaded files by their identifiers, and signed links to stored files.

mod links;
mod uploaded;

pub use links::{LinkedFile, Links};
pub use uploaded::{Files, UploadedFile};
