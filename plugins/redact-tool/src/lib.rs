//! Takes words out of text files, tables of values and mails, and searches the result again.
//!
//! What is left out is gone: no mark and no history keeps it. Knows no host beside the component in `plugin`.

mod coding;
mod decoded;
mod error;
mod html;
mod kind;
mod mail;
mod markdown;
mod marks;
mod matcher;
mod places;
#[cfg_attr(
    not(target_family = "wasm"),
    allow(
        dead_code,
        reason = "exported only by the component, and compiled here so that it is checked"
    )
)]
mod plugin;
mod searched;
mod text;
mod verify;
mod view;

pub use error::Error;
pub use kind::TextKind;
pub use mail::{MAX_FIELD, MAX_LEVELS, MAX_PARTS, MailOptions, redact_email, redact_email_with};
pub use places::Redacted;
pub use searched::{Searched, searched_texts};
pub use text::redact_text;
