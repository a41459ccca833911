//! Tests of reading and editing presentations.

mod checks;
mod columns;
mod common;
mod corpora;
mod edits;
mod hostile;
mod new_shapes;
mod redacting;
mod templates;
