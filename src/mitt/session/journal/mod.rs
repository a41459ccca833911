//! The folder of a session and its journal: what is written there, what is read back, and how a folder is repaired in which a
//! session was killed.
//!
//! [`Journal`] owns the entries and their file. Knows reports and files as plain data, and no session.

mod entries;
mod file_records;
mod folder;
mod recovery;
mod truncated;

pub use folder::{make_subfolder, state_file, write_private};

pub(super) use entries::{Journal, JournalOptions};
pub(super) use file_records::{FileRecord, FileRecords, announcement};
pub(super) use folder::{JOURNAL, cannot_write, open};
pub(super) use recovery::recover;
