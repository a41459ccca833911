//! Writes drafts of e-mails: Markdown in, a message in transport format (RFC 5322, MIME) out. Nothing is sent.
//!
//! The same request gives the same bytes: the plugin reads no clock and no random numbers.

mod address;
mod date;
mod draft;
mod encode;
mod error;
mod header;
mod html;
mod markdown;
mod media;
mod message;
mod names;
mod picture;
#[cfg_attr(
    not(target_family = "wasm"),
    allow(
        dead_code,
        reason = "exported only by the component, and compiled here so that it is checked"
    )
)]
mod plugin;
mod reply;
mod table;
mod text;

pub use draft::{Draft, MAX_BODY_BYTES, MAX_DRAFT_BYTES, Read, Request, draft};
pub use error::Error;
pub use message::{Part, PartKind};
