//! The text of a paragraph: which characters stand in which runs, and changes of them that keep the formatting.
//!
//! Offsets are bytes of the accepted text: what a reader sees who accepts all changes. Fields, pictures, notes and
//! other objects have no characters, and stay when the text around them is replaced.

mod editor;
mod line;
mod runs;

pub(crate) use editor::Editor;
pub use line::View;
pub(crate) use line::{COLUMN_BREAK, Line, PAGE_BREAK, Piece, field_codes};
pub(crate) use runs::{delete_run_as, inserted, is_empty, mark_text_deleted, new_run, run_xml};
