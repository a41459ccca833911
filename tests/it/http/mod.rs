//! `mitt serve` over real connections, with a client that can misbehave.

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
