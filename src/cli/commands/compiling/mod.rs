//! The commands that read and compile components.

mod compile;
mod inspect;

pub(crate) use compile::compile;
pub(crate) use inspect::inspect;
