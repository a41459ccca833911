//! This build sends no traces.

use rmcp::service::{RequestContext, RoleServer};
use tracing::Span;

/// No call is below a span of its client.
#[derive(Clone, Default)]
pub(in super::super) struct Parent;

impl Parent {
    pub(in super::super) fn of(_: &RequestContext<RoleServer>) -> Parent {
        Parent
    }

    /// Nothing to put below.
    pub(super) fn adopt(&self, _: &Span) {}
}
