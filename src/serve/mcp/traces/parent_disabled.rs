//! Replaces `parent.rs` in builds that send no traces.

use rmcp::service::{RequestContext, RoleServer};
use tracing::Span;

/// Calls have no parent span.
#[derive(Clone, Default)]
pub(in super::super) struct Parent;

impl Parent {
    pub(in super::super) fn of(_: &RequestContext<RoleServer>) -> Parent {
        Parent
    }

    /// Does nothing.
    pub(super) fn adopt(&self, _: &Span) {}
}
