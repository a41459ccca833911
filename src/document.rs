//! A document: an input after it was read and cleaned. Plain data, made by `ingest`, read by plugins and models.

use crate::table::NamedTable;

/// An input of a session, as plugins and models see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// File name, unique in a session.
    pub name: String,
    /// Media type found from the content.
    pub media_type: String,
    /// Title from the file's own metadata.
    pub title: Option<String>,
    /// The text as Markdown, tables included where they stand.
    pub text: String,
    /// Length of `text` in Unicode scalar values.
    pub characters: u64,
    /// The tables apart, in order.
    pub tables: Vec<NamedTable>,
    /// What could not be read or was changed while reading, one sentence each.
    pub warnings: Vec<String>,
    /// SHA-256 of the file, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Size of the file in bytes.
    pub size: u64,
}
