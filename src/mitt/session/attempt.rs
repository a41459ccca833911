//! One attempt of a call, as reports, events and the journal show it.

use std::time::Duration;

use crate::engine::Usage;

/// One attempt of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// Number of the attempt, from 1.
    pub number: u32,
    /// Kind and message of the error; `None` if the attempt succeeded.
    pub failure: Option<(&'static str, String)>,
    /// Resources that the attempt used.
    pub usage: Usage,
    /// Delay before the next attempt; `None` for the last one.
    pub delay: Option<Duration>,
    /// Error message without values of the call, for the journal.
    pub(super) without_values: String,
}
