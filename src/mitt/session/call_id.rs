//! Which call of a session something belongs to.

/// A call of a session, and the one that it is inside of. Events and entries of the journal have it, so that calls that run at once,
/// or inside one another, can be told apart.
///
/// Numbers are those of the session: 1, 2, 3 in the order in which its calls begin, whether or not they succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallId {
    /// Its number, from 1.
    pub number: u64,
    /// The number of the call that it is inside of; none for a call by a model or a user.
    pub parent: Option<u64>,
}
