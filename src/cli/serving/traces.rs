//! Traces over OTLP, if a collector is named in the environment as OpenTelemetry has it.

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Subscriber;
use tracing_subscriber::registry::LookupSpan;

use mitt_base::{Error, ErrorKind, Result};

/// Spans on their way to the collector; the last ones are sent on drop.
pub(super) struct Traces {
    provider: SdkTracerProvider,
}

/// Selects the spans that are sent.
pub(super) const FILTER: &str = ",mitt::traces=trace";

pub(super) fn start() -> Result<Option<Traces>> {
    let named = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
    if !named.iter().any(|name| std::env::var_os(name).is_some()) {
        return Ok(None);
    }
    let exporter =
        SpanExporter::builder().with_http().with_protocol(Protocol::HttpBinary).build().map_err(
            |error| {
                Error::new(ErrorKind::Input, "cannot export traces")
                    .hint("look at the variables `OTEL_EXPORTER_OTLP_…`")
                    .caused_by(error)
            },
        )?;
    let resource = Resource::builder().with_service_name("mitt").build();
    let provider =
        SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
    Ok(Some(Traces { provider }))
}

impl Traces {
    pub(super) fn layer<S>(
        &self,
    ) -> tracing_opentelemetry::OpenTelemetryLayer<S, opentelemetry_sdk::trace::Tracer>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        tracing_opentelemetry::layer().with_tracer(self.provider.tracer("mitt"))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown() {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }
}
