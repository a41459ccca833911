//! `mitt serve`: over real connections, by a client that is free to misbehave.

mod access;
pub(crate) mod client;
mod fixture;
mod isolation;
mod lifecycle;
mod limits;
mod links;
mod program;
mod protocol;
pub(crate) mod tokens;
mod uploads;
