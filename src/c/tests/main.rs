//! The header and programs in C. What the functions do is tested in the crate itself.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "the tests start compilers, and print why they are skipped"
)]

mod header;
mod program;
