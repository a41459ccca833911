//! Delivery of files: what plugins describe is rendered, staged with its call, and registered when the call succeeds.
//!
//! [`Delivery`] owns the artifacts of a session and its output folder. Knows the session's content, from which templates and
//! pictures come, and the guard. Knows no calls beyond their ids.

mod artifacts;
mod deliver;
mod draw;
mod edited_files;
mod formats;
mod pictures;
mod stage;
mod state;
mod templates;
mod text_pages;
mod workspace_delivery;

pub(super) use draw::Rendering;
pub(super) use stage::Stage;
pub(super) use state::{Delivery, Target};
