//! A difference as indices of blocks. Its texts are made only if it is listed.

/// What happened with blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Changed,
    Deleted,
    Inserted,
    Moved,
}

/// Neighbouring blocks of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Span {
    pub(crate) fn one(start: u32) -> Span {
        Span { start, len: 1 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) what: What,
    pub(crate) old: Option<Span>,
    pub(crate) new: Option<Span>,
    /// Character of the new document where it stands in the list.
    pub(crate) order: u32,
}

/// A block without a partner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loose {
    pub(crate) index: u32,
    /// Character of the new document where it stands, or would stand.
    pub(crate) order: u32,
}
