//! Identity of a call in its session.

/// Identifies a call of a session, and the call that encloses it. Events and journal entries carry it, so that concurrent and
/// nested calls can be distinguished.
///
/// A session numbers its calls 1, 2, 3 … in the order in which they begin, whether or not they succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallId {
    /// Number of the call, from 1; 0 in the report of [`Session::resume`](super::Session::resume) if no call is waiting.
    pub number: u64,
    /// Number of the enclosing call; `None` for a call by a model or a user.
    pub parent: Option<u64>,
}

impl CallId {
    /// Id for a report without a call.
    pub(super) const NONE: CallId = CallId { number: 0, parent: None };
}
