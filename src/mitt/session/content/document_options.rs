//! The options with which a caller adds a document.

use std::sync::Arc;

use mitt_types::Fetch;

/// Options for adding a document.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DocumentOptions {
    /// The password of an encrypted file. It is given to the file's reader and to nothing else.
    pub password: Option<String>,
    /// `true` if the name may be a path of plain names with `/` between them, such as `2024/sales.csv`. Default: `false`.
    pub is_path: bool,
    /// Fetcher for a document that is named by its address. Default: the fetcher of the host.
    pub fetch: Option<Arc<dyn Fetch>>,
    /// `true` if a file that tools can edit is kept even if it is damaged or all its text is in pictures. The document has no
    /// text then, and a warning with the reason. Rules about content turn this off. Default: `false`.
    pub keeps_unread: bool,
    /// `true` if only tools use the file, so that its text is not read. The document of a file that tools can edit has neither text
    /// nor tables then, nor the files inside of it, and the tool is the first that refuses a damaged file. Models and scripts see an
    /// empty document. Encrypted files are read all the same, because that checks the password. Rules about content turn this off.
    /// Default: `false`.
    pub without_text: bool,
}
