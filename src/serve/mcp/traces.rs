//! Traces: a span for each call. It is a child of the client's span if the request names one.
//!
//! Attributes follow OpenTelemetry's conventions for MCP where these exist. The spans have their own target, so that they
//! cost nothing without a collector.

use tracing::Span;
use tracing::field::Empty;

#[cfg(not(feature = "otel"))]
#[path = "traces/parent_disabled.rs"]
mod parent;
#[cfg(feature = "otel")]
mod parent;

pub(super) use parent::Parent;

use mitt::CallReport;
use mitt_base::text;

/// Makes the span of a call of `tool`.
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
    parent.adopt(&span);
    span
}

/// Records how the call of a span ended.
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

/// Records that a nested call of the current span has ended.
pub(super) fn inside(tool: &str, kind: Option<&str>) {
    tracing::trace!(
        target: "mitt::traces",
        tool = text::cut_bytes(tool, 128),
        outcome = kind.unwrap_or("ok"),
        "call inside"
    );
}
