//! `Intl`: the parts in JavaScript, and what they need of Rust.
//!
//! The parts are compiled with the prelude, but run when a script uses them first, so that other scripts do not pay for them.

mod collation;
mod zones;
