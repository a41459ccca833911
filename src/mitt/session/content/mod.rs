//! Content of a session: what came in, and what calls left behind for later ones.
//!
//! [`Content`] owns the documents, the tables and results that are kept, the pictures and the workspace, with their names, limits
//! and charges. Knows the guard and the reading of files. Knows no calls: a [`Requester`] says for whom a document is read.

mod add_document;
mod add_picture;
mod add_table;
mod add_url;
mod document_options;
mod documents;
mod edited_file;
mod picture_store;
mod read_aside;
mod requester;
mod results;
mod skipped_files;
mod state;
mod tables;
mod values;
mod workspace;

pub use document_options::DocumentOptions;
pub use results::TableResults;

pub(super) use requester::Requester;
pub(super) use results::KEPT_TABLES;
pub(super) use state::Content;
pub(super) use tables::{SessionTables, no_table};
