//! The header and programs in C. What the functions do is tested in the crate itself.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod header;
mod program;
