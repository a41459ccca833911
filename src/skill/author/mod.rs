//! Tools for authors: new skills, checks before publishing, and skills as one file.
//!
//! Knows skill folders and the archive format. Prints nothing and knows no session. Loads plugins and reads their
//! interfaces, but never calls them.

mod archive;
mod check;
mod component;
mod files;
mod install;
mod new;
mod remove;
mod unpack;

use std::path::{Path, PathBuf};

use mitt_base::Result;

pub use archive::MAX_ARCHIVE_BYTES;
pub use archive::{Packed, pack, pack_with_progress};
pub use check::{Checked, check, check_with_progress};
pub use install::tidy;
pub use install::{Installed, install, install_with_progress, user_folder};
pub use new::{Created, NewPlugin, create, create_with};
pub use remove::{installed, names, remove};

/// Returns the files of a skill folder, by their paths below it with `/`. Leaves out what does not belong to a skill, such
/// as links and build folders.
///
/// # Errors
///
/// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - the folder is missing or unreadable.
pub fn folder_files(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let (files, _) = files::files(folder)?;
    Ok(files.into_iter().map(|file| (file.path, file.source)).collect())
}

/// Returns the limits of a packed skill, with their units.
pub fn limits() -> [(&'static str, u64, &'static str); 8] {
    [
        ("archive", MAX_ARCHIVE_BYTES, "bytes"),
        ("archive-ratio", unpack::MAX_RATIO, "bytes out for one in"),
        ("archive-window", unpack::MAX_WINDOW_BYTES, "bytes"),
        ("files", files::MAX_FILES as u64, "files"),
        ("file", files::MAX_FILE_BYTES, "bytes"),
        ("all-files", files::MAX_TOTAL_BYTES, "bytes"),
        ("folders", files::MAX_FOLDERS as u64, "levels"),
        ("path", files::MAX_PATH_BYTES as u64, "bytes"),
    ]
}
