//! Which call of a session something belongs to.

/// A call of a session, and the one that it is inside of. Events and entries of the journal have it, so that calls that run at once,
/// or inside one another, can be told apart.
///
/// Numbers are those of the session: 1, 2, 3 in the order in which its calls begin, whether or not they succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallId {
    /// Its number, from 1; 0 in the report of [`Session::resume`](super::Session::resume) where no call waits.
    pub number: u64,
    /// The number of the call that it is inside of; none for a call by a model or a user.
    pub parent: Option<u64>,
}

impl CallId {
    /// Of a report without a call.
    pub(super) const NONE: CallId = CallId { number: 0, parent: None };
}
