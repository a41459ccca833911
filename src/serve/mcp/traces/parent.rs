//! The span of the client that is the parent of a call.

use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use rmcp::model::RequestMetaObject;
use rmcp::service::{RequestContext, RoleServer};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// `traceparent` and `tracestate` of W3C Trace Context in the request's `_meta`.
#[derive(Clone, Default)]
pub(in super::super) struct Parent {
    context: opentelemetry::Context,
}

struct Meta<'m>(&'m RequestMetaObject);

impl Extractor for Meta<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }

    fn keys(&self) -> Vec<&str> {
        vec!["traceparent", "tracestate"]
    }
}

impl Parent {
    pub(in super::super) fn of(request: &RequestContext<RoleServer>) -> Parent {
        Parent { context: TraceContextPropagator::new().extract(&Meta(&request.meta)) }
    }

    /// Makes `span` a child of it.
    pub(super) fn adopt(&self, span: &Span) {
        if !span.is_disabled() {
            // Fails if there is no collector, which does not matter.
            let _ = span.set_parent(self.context.clone());
        }
    }
}
