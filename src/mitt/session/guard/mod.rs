//! The guard at the edges of a session: what comes in and what leaves is checked against the rules of the host and the tenant.
//!
//! [`SessionGuard`] applies the rules and records what they found. It owns no state: the host keeps the rules. Knows documents
//! and reports. Does not know calls, nor the formats of files that are delivered.

mod content;
mod edited_file;
mod looks;
mod place_mapping;
mod session_guard;

pub(super) use session_guard::SessionGuard;
