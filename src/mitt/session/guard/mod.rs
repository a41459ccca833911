//! The guard at the edges of a session: what comes in and what leaves is checked against the rules of the host and the tenant.
//!
//! [`SessionGuard`] applies the rules and records what they found. It owns no state: the host keeps the rules. Knows documents,
//! reports and files that are delivered, and no calls.

mod content;
mod deliverable;
mod place_mapping;
mod session_guard;

pub(super) use session_guard::SessionGuard;
