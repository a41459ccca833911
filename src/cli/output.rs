//! Standard output and standard error.

use std::io::{self, Write as _};

use serde_json::{Value, json};

use crate::{Error, ErrorKind, Result};

/// Where results and errors go.
pub(super) struct Output {
    json: bool,
    quiet: bool,
}

impl Output {
    pub(super) fn new(json: bool, quiet: bool) -> Output {
        Output { json, quiet }
    }

    /// Whether standard output is for a machine.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Print a line of data.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - standard output cannot be written to. A reader that went away is not an error: the
    /// process ends quietly.
    pub(super) fn line(&self, text: &str) -> Result<()> {
        self.text(&format!("{text}\n"))
    }

    /// Print data as it is.
    pub(super) fn text(&self, text: &str) -> Result<()> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
            Err(error) => {
                Err(Error::new(ErrorKind::Host, "cannot write to standard output").caused_by(error))
            }
        }
    }

    /// Print a JSON value.
    pub(super) fn value(&self, value: &Value) -> Result<()> {
        let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
        self.line(&text)
    }

    /// Print an error: for a person on standard error, and for a machine on standard output too.
    pub(super) fn error(&self, error: &Error) {
        if self.json {
            let _ = self.value(&json!({ "error": error_json(error) }));
        }
        note(&format!("error: {}", error.render()));
    }
}

/// An error as JSON: kind, message, details, hints, the limit where one was reached, the time to come back where it was busy.
pub(super) fn error_json(error: &Error) -> Value {
    let mut json = json!({
        "kind": error.kind().name(), "message": error.to_string(), "details": error.details(),
        "hints": error.hints(),
    });
    if let Some(limit) = error.limit_reached() {
        json["limit"] = json!({
            "what": limit.what.name(), "limit": limit.limit, "used": limit.used, "unit": limit.what.unit(),
        });
    }
    if let ErrorKind::Busy { retry_after } = error.kind() {
        json["retry_after_ms"] = json!(u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX));
    }
    json
}

/// Print a line for a person. Nobody can be told that standard error is gone.
pub(super) fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
