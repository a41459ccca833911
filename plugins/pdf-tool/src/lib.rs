//! Changes PDF files: forms, pages, joining, splitting, protection, redaction.
//!
//! The layer of objects is our own, because it must open damaged files, write all that an edit leaves alone as it was, and
//! keep every buffer within a bound.

mod action;
mod appearance;
mod attach;
#[cfg(any(target_family = "wasm", test))]
mod bindings;
mod content;
mod convert;
mod crypt;
mod draw;
mod edit;
mod error;
mod file;
mod fill;
mod filter;
mod flatten;
mod form;
mod import;
mod increment;
mod info;
mod lex;
mod load;
mod look;
mod merge;
mod metrics;
mod name;
mod object;
mod objects;
mod outline;
mod page_copy;
mod page_form;
mod pages;
mod picture;
mod places;
// Native linkers refuse the names of its exports in a library; tests are programs.
#[cfg(any(target_family = "wasm", test))]
mod plugin;
mod position;
mod ranges;
mod redact;
mod save;
mod sheets;
mod shrink;
mod sign;
#[cfg(any(target_family = "wasm", test))]
mod sign_plugin;
mod signed;
mod stamp;
mod text;
mod verify;
mod write;

pub use action::{Done, Edit, Files, Picture, Text};
pub use attach::Attachment;
pub use convert::{compress, decrypt, encrypt, repair};
pub use crypt::Permissions;
pub use draw::{NoTypesetter, Typesetter};
pub use edit::edit;
pub use error::Error;
pub use file::Pdf;
pub use form::{Field, FieldKind};
pub use info::{Annotation, PageInfo};
pub use merge::{Part, SplitBy, merge, split};
pub use outline::OutlineItem;
pub use places::{Place, Places, find_text, find_texts};
pub use position::Position;
pub use ranges::pages;
pub use redact::{Redaction, Removed, SearchedTexts, redact, searched_texts};
pub use sign::{Appearance, SignedFile, Signing, sign};
pub use verify::{Signature, SignatureCheck, Signatures, Verified, signatures, verify_signatures};
pub use write::{Protection, SaveOptions};
