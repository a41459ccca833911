//! Logs of the servers, and traces for a collector.
//!
//! Logs go to standard error: as text on a terminal, otherwise as one JSON object per line. `MITT_LOG` sets the filter, such
//! as `debug` or `mitt=debug,rmcp=info`. Default: `info` of Mitt, and warnings of its libraries, but nothing of
//! `rmcp::service`, which warns about every answer that is an error, and treats it as an error if a client leaves before its
//! answer.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use super::traces::{self, Traces};
use crate::output::write_note;
use mitt_base::visible::{self, Lines, visible};
use mitt_base::{Error, ErrorKind, Result};

/// The variable with the filter.
const VARIABLE: &str = "MITT_LOG";
const DEFAULT: &str = "warn,mitt=info,rmcp::service=off";
/// Spans of calls go only to the collector.
const NO_TRACES: &str = ",mitt::traces=off";

/// Writes logs and traces until it is dropped. It then sends the remaining spans to the collector.
pub(super) struct Telemetry {
    _traces: Option<Traces>,
}

/// Starts logs and traces. Only once per process.
///
/// # Errors
///
/// [`ErrorKind::Input`] - `MITT_LOG` is not a filter, or the address of the collector is invalid.
pub(super) fn start() -> Result<Telemetry> {
    #[allow(clippy::disallowed_methods, reason = "looked at, not written to")]
    let terminal = io::stderr().is_terminal();
    let filter = |more: &str| {
        let text = std::env::var(VARIABLE).unwrap_or_else(|_| DEFAULT.into());
        EnvFilter::try_new(text + more).map_err(|error| {
            Error::new(ErrorKind::Input, format!("{VARIABLE} is no filter"))
                .hint("for example `debug`, or `warn,mitt=debug`")
                .caused_by(error)
        })
    };
    // Without colours, because escape sequences would be made visible.
    let format = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(move || Notes { json: !terminal });
    let logs = if terminal {
        format.with_filter(filter(NO_TRACES)?).boxed()
    } else {
        format.json().with_filter(filter(NO_TRACES)?).boxed()
    };
    let registry = tracing_subscriber::registry().with(logs);
    let traces = traces::start()?;
    let layer = match &traces {
        Some(sent) => Some(sent.layer().with_filter(filter(traces::FILTER)?)),
        None => None,
    };
    let registry = registry.with(layer);
    // A program that embeds `main` may already have set a subscriber.
    let _ = registry.try_init();
    Ok(Telemetry { _traces: traces })
}

/// Standard error for libraries that write themselves, such as the log; misleading characters are escaped here too.
struct Notes {
    /// `true` for JSON, which has its own escapes.
    json: bool,
}

impl io::Write for Notes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The log writes whole entries.
        let text = String::from_utf8_lossy(bytes);
        let shown = if self.json { visible::json(&text) } else { visible(&text, Lines::Many) };
        write_note(&shown)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
