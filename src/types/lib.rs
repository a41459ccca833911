//! Plain types of [Mitt](https://docs.rs/mitt): documents, the interface of fetchers, keys for signatures, excerpts and citations.
//!
//! Knows accounts and tables. Knows no WebAssembly, no skills, sessions or models, so that a crate which implements one of the
//! traits, such as `mitt-net`, compiles without a runtime.
//!
//! Its interface is for Mitt's own crates and changes with them. `mitt` re-exports what is meant for others, and its version
//! speaks for those items alone. A method that only Mitt's own crates call is a method of a trait with a name such as
//! [`DocumentInternal`].

#![forbid(unsafe_code)]

pub mod citation;
mod document;
mod embedded_files;
mod excerpt;
pub mod fetch;
pub mod json_rows;
pub mod signing;
mod workbook_view;

pub use citation::{Citation, CitationOutcome, Citations, MissingClaim, PageRect};
pub use document::{Document, DocumentInternal, Place};
pub use embedded_files::{EmbeddedFile, EmbeddedFiles, EmbeddedFilesInternal};
pub use excerpt::{Excerpt, LeftOut, TextBudget, excerpts};
pub use fetch::{
    Fetch, FetchRequest, Fetched, FetchedBody, HttpBounds, HttpRequest, HttpResponse, url_of,
};
pub use signing::{SigningAlgorithm, SigningKey, SigningKeys};
pub use workbook_view::{WorkbookView, WorkbookViewInternal};
