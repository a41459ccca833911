//! Traces: a span for each call. It is a child of the client's span where the request names one.
//!
//! The attributes follow OpenTelemetry's conventions for MCP where these exist. Spans have a target of their own, so that they
//! cost nothing where no collector is set.

use rmcp::service::{RequestContext, RoleServer};
use tracing::Span;
use tracing::field::Empty;

use mitt::CallReport;
use mitt_base::text;

/// Below which span of the client a call is: `traceparent` and `tracestate` of W3C Trace Context in the request's `_meta`.
#[derive(Clone, Default)]
pub(super) struct Parent {
    #[cfg(feature = "otel")]
    context: opentelemetry::Context,
}

impl Parent {
    #[cfg(not(feature = "otel"))]
    pub(super) fn of(_: &RequestContext<RoleServer>) -> Parent {
        Parent::default()
    }

    #[cfg(feature = "otel")]
    pub(super) fn of(request: &RequestContext<RoleServer>) -> Parent {
        use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
        use opentelemetry_sdk::propagation::TraceContextPropagator;
        use rmcp::model::RequestMetaObject;

        struct Meta<'m>(&'m RequestMetaObject);

        impl Extractor for Meta<'_> {
            fn get(&self, key: &str) -> Option<&str> {
                self.0.get(key)?.as_str()
            }

            fn keys(&self) -> Vec<&str> {
                vec!["traceparent", "tracestate"]
            }
        }

        Parent { context: TraceContextPropagator::new().extract(&Meta(&request.meta)) }
    }
}

/// The span of a call of `tool`.
pub(super) fn call(tool: &str, tenant: &str, parent: &Parent) -> Span {
    let span = tracing::trace_span!(
        target: "mitt::traces",
        "tools/call",
        otel.name = format!("tools/call {}", text::cut_bytes(tool, 128)),
        otel.kind = "server",
        otel.status_code = Empty,
        mcp.method.name = "tools/call",
        gen_ai.tool.name = text::cut_bytes(tool, 128),
        "error.type" = Empty,
        mitt.tenant = tenant,
        mitt.fuel = Empty,
        mitt.peak_memory_bytes = Empty,
    );
    #[cfg(feature = "otel")]
    if !span.is_disabled() {
        use tracing_opentelemetry::OpenTelemetrySpanExt as _;

        // Without a collector there is nobody to tell.
        let _ = span.set_parent(parent.context.clone());
    }
    #[cfg(not(feature = "otel"))]
    let _ = parent;
    span
}

/// How the call of a span ended.
pub(super) fn ended(span: &Span, outcome: &str, report: Option<&CallReport>) {
    if span.is_disabled() {
        return;
    }
    if outcome != "ok" {
        span.record("error.type", outcome);
        span.record("otel.status_code", "ERROR");
    }
    if let Some(report) = report {
        span.record("mitt.fuel", report.usage.fuel);
        span.record("mitt.peak_memory_bytes", report.usage.peak_memory_bytes);
    }
}

/// A call inside the one of the current span has ended.
pub(super) fn inside(tool: &str, kind: Option<&str>) {
    tracing::trace!(
        target: "mitt::traces",
        tool = text::cut_bytes(tool, 128),
        outcome = kind.unwrap_or("ok"),
        "call inside"
    );
}
