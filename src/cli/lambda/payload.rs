//! What Lambda accepts of an invocation.

/// Most bytes of an event, and of an answer: what Lambda accepts of a synchronous invocation, 6 MB and some.
pub(super) const MAX_PAYLOAD_BYTES: usize = 6_291_556;
