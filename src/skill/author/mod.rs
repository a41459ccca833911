//! For authors: new skills, checks before publishing, and skills as one file.
//!
//! Knows skill folders and the archive format. Prints nothing and knows no session: plugins are loaded and looked at,
//! never called.

mod archive;
mod check;
mod component;
mod files;
mod install;
mod new;
mod unpack;

pub(crate) use archive::MAX_ARCHIVE_BYTES;
pub use archive::{Packed, pack};
pub use check::{Checked, check};
pub use install::{Installed, install, user_folder};
pub use new::{Created, create};
