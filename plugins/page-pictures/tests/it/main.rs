//! Drawing: what is on the pages, hostile files, and files of others.

mod corpus;
mod drawing;
mod hostile;
mod support;
