//! The integration tests: one binary, one module per subject.
#![allow(missing_docs, clippy::print_stderr, reason = "tests; skipped tests print their reason")]

mod adversarial;
mod bundled;
mod cache;
mod cli;
mod drift;
mod files;
mod ingest;
mod render;
mod script;
mod support;
mod tidy;
mod yoy;
