//! Routing.
mod intent;
mod text;
mod words;
pub use intent::{Intent, MAX_CHITCHAT_CHARACTERS, classify};
#[cfg(test)]
mod tests;
