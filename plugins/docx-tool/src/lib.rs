//! Reads, edits and compares Word documents.
//!
//! What is not changed keeps its bytes: entries of the archive are copied, and changed parts differ only where they must.

mod changes;
mod comments;
mod compare;
mod controls;
mod diff;
mod edit;
mod error;
mod fields;
mod listing;
mod markdown;
mod marks;
mod notes;
mod numbering;
mod package;
// Native linkers refuse the names of its exports in a library; tests are programs.
#[cfg(any(target_family = "wasm", test))]
mod plugin;
mod props;
mod read;
mod redact;
mod story;
mod styles;
mod text;
mod xml;

use mitt_package as zip;

pub use changes::{Change, ChangeFilter, ChangeKind};
pub use comments::Comment;
pub use compare::{Comparison, Difference, DifferenceKind, compare};
pub use edit::{Done, Edit, EditOptions, Edited, Files, FindMode, Format, Pages, Where, edit};
pub use error::Error;
pub use listing::FieldInfo;
pub use markdown::{Converted, MarkdownOptions, MarkdownPage, convert, read_markdown};
pub use read::{ParagraphInfo, ReadOptions, Structure, TableInfo, read};
pub use redact::{Redacted, check_name, redact};
pub use story::Document;
pub use text::View;
