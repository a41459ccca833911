//! Logs of the servers, and traces for a collector.
//!
//! Logs go to standard error: text on a terminal, a JSON object per line elsewhere. `MITT_LOG` chooses what is told, such as
//! `debug` or `mitt=debug,rmcp=info`. By default: `info` of Mitt, and warnings of its libraries.

use std::io::IsTerminal as _;

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use super::output::Notes;
use mitt_base::{Error, ErrorKind, Result};

/// Chooses what is told.
const VARIABLE: &str = "MITT_LOG";
const DEFAULT: &str = "warn,mitt=info";
/// Spans of calls are for the collector alone.
const NO_TRACES: &str = ",mitt::traces=off";
#[cfg(feature = "otel")]
const TRACES: &str = ",mitt::traces=trace";

/// Logs and traces are written until this is dropped. Spans that were not sent to the collector yet are sent then.
pub(super) struct Telemetry {
    #[cfg(feature = "otel")]
    _traces: Option<otel::Traces>,
}

/// Begin to write logs and traces. Only once per process.
///
/// # Errors
///
/// [`ErrorKind::Input`] - `MITT_LOG` is no filter, or the collector's address is none.
pub(super) fn start() -> Result<Telemetry> {
    #[allow(clippy::disallowed_methods, reason = "looked at, not written to")]
    let terminal = std::io::stderr().is_terminal();
    let filter = |more: &str| {
        let text = std::env::var(VARIABLE).unwrap_or_else(|_| DEFAULT.into());
        EnvFilter::try_new(text + more).map_err(|error| {
            Error::new(ErrorKind::Input, format!("{VARIABLE} is no filter"))
                .hint("for example `debug`, or `warn,mitt=debug`")
                .caused_by(error)
        })
    };
    // Without colours: these are what is made visible.
    let format = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(move || Notes { json: !terminal });
    let logs = if terminal {
        format.with_filter(filter(NO_TRACES)?).boxed()
    } else {
        format.json().with_filter(filter(NO_TRACES)?).boxed()
    };
    let registry = tracing_subscriber::registry().with(logs);
    #[cfg(feature = "otel")]
    let (registry, traces) = {
        let traces = otel::start()?;
        let layer = match &traces {
            Some(traces) => Some(traces.layer().with_filter(filter(TRACES)?)),
            None => None,
        };
        (registry.with(layer), traces)
    };
    // Somebody who embeds the program's `main` may have begun before.
    let _ = registry.try_init();
    Ok(Telemetry {
        #[cfg(feature = "otel")]
        _traces: traces,
    })
}

/// Traces over OTLP, if a collector is named in the environment as OpenTelemetry has it.
#[cfg(feature = "otel")]
mod otel {
    use opentelemetry::trace::TracerProvider as _;
    use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _};
    use opentelemetry_sdk::Resource;
    use opentelemetry_sdk::trace::SdkTracerProvider;
    use tracing::Subscriber;
    use tracing_subscriber::registry::LookupSpan;

    use mitt_base::{Error, ErrorKind, Result};

    pub(super) struct Traces {
        provider: SdkTracerProvider,
    }

    pub(super) fn start() -> Result<Option<Traces>> {
        let named = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
        if !named.iter().any(|name| std::env::var_os(name).is_some()) {
            return Ok(None);
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .build()
            .map_err(|error| {
                Error::new(ErrorKind::Input, "cannot export traces")
                    .hint("look at the variables `OTEL_EXPORTER_OTLP_…`")
                    .caused_by(error)
            })?;
        let resource = Resource::builder().with_service_name("mitt").build();
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource)
            .build();
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
}
