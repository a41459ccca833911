//! Logs of the servers, and traces for a collector.
//!
//! Logs go to standard error: text on a terminal, a JSON object per line elsewhere. `MITT_LOG` chooses what is told, such as
//! `debug` or `mitt=debug,rmcp=info`. By default: `info` of Mitt, and warnings of its libraries, but nothing of `rmcp::service`,
//! which warns of every answer that is an error, and calls it an error when a client leaves before its answer.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use super::traces::{self, Traces};
use crate::output::write_note;
use mitt_base::visible::{self, Lines, visible};
use mitt_base::{Error, ErrorKind, Result};

/// Chooses what is told.
const VARIABLE: &str = "MITT_LOG";
const DEFAULT: &str = "warn,mitt=info,rmcp::service=off";
/// Spans of calls are for the collector alone.
const NO_TRACES: &str = ",mitt::traces=off";

/// Logs and traces are written until this is dropped. Spans that were not sent to the collector yet are sent then.
pub(super) struct Telemetry {
    _traces: Option<Traces>,
}

/// Begin to write logs and traces. Only once per process.
///
/// # Errors
///
/// [`ErrorKind::Input`] - `MITT_LOG` is no filter, or the collector's address is none.
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
    let traces = traces::start()?;
    let layer = match &traces {
        Some(sent) => Some(sent.layer().with_filter(filter(traces::FILTER)?)),
        None => None,
    };
    let registry = registry.with(layer);
    // Somebody who embeds the program's `main` may have begun before.
    let _ = registry.try_init();
    Ok(Telemetry { _traces: traces })
}

/// Standard error for those who write by themselves, such as the log: what goes through it is made visible as well.
struct Notes {
    /// Whether it is JSON, in which characters have an escape of its own.
    json: bool,
}

impl io::Write for Notes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A log writes whole entries.
        let text = String::from_utf8_lossy(bytes);
        let shown = match self.json {
            true => visible::json(&text),
            false => visible(&text, Lines::Many),
        };
        write_note(&shown)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
