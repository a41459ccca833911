//! Logs of the servers, and traces for a collector.
//!
//! Logs go to standard error: text on a terminal, a JSON object per line elsewhere. `MITT_LOG` chooses what is told, such as
//! `debug` or `mitt=debug,rmcp=info`. By default: `info` of Mitt, and warnings of its libraries.

#[cfg(feature = "otel")]
mod otel;
#[cfg(not(feature = "otel"))]
#[path = "otel_disabled.rs"]
mod otel;

use std::io::IsTerminal as _;

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::output::Notes;
use mitt_base::{Error, ErrorKind, Result};

/// Chooses what is told.
const VARIABLE: &str = "MITT_LOG";
const DEFAULT: &str = "warn,mitt=info";
/// Spans of calls are for the collector alone.
const NO_TRACES: &str = ",mitt::traces=off";
const TRACES: &str = ",mitt::traces=trace";

/// Logs and traces are written until this is dropped. Spans that were not sent to the collector yet are sent then.
pub(super) struct Telemetry {
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
    let traces = otel::start()?;
    let layer = match &traces {
        Some(traces) => Some(traces.layer().with_filter(filter(TRACES)?)),
        None => None,
    };
    // Somebody who embeds the program's `main` may have begun before.
    let _ = tracing_subscriber::registry().with(logs).with(layer).try_init();
    Ok(Telemetry { _traces: traces })
}
