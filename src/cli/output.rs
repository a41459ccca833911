//! Standard output and standard error: the one place that writes to them.
//!
//! Names, descriptions, messages and output come from strangers, and a terminal obeys what it is sent. What people read is
//! therefore written with every character that misleads made visible, as `\u{1b}`, wherever it goes: it may be shown later.
//! Data (what a script printed, the text of a document, paths) stays as it is, byte for byte, unless standard output is a
//! terminal. JSON is the same value either way.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};

use serde_json::{Value, json};

use mitt_base::visible::{self, Lines, visible};
use mitt_base::{Error, ErrorKind, Result};

/// Where results and errors go.
#[derive(Clone, Copy)]
pub(super) struct Output {
    json: bool,
    /// Whether JSON was asked for, and is not just what this command prints in any case.
    explicit: bool,
    quiet: bool,
    /// Whether standard output is read by a person now.
    terminal: bool,
}

impl Output {
    /// `json` says that standard output is for a machine, `explicit` that the user said so.
    pub(super) fn new(json: bool, explicit: bool, quiet: bool) -> Output {
        #[allow(clippy::disallowed_methods, reason = "looked at, not written to")]
        let terminal = io::stdout().is_terminal();
        Output { json, explicit, quiet, terminal }
    }

    /// Whether standard output is for a machine.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether a person reads standard output now.
    pub(super) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Print a part of data, as [`Output::data`]. False where nobody reads it any more.
    #[allow(clippy::disallowed_methods, reason = "the one place that writes there")]
    pub(super) fn stream(&self, text: &str) -> bool {
        let mut stdout = io::stdout().lock();
        let shown = data(text, self.terminal);
        stdout.write_all(shown.as_bytes()).and_then(|()| stdout.flush()).is_ok()
    }

    /// Standard output for data that is too long to be made as a whole.
    pub(super) fn writer(&self) -> DataWriter {
        DataWriter { terminal: self.terminal, split: Vec::new() }
    }

    /// Print a line for a person.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - standard output cannot be written to. A reader that went away is not an error: the
    /// process ends quietly.
    pub(super) fn line(&self, text: &str) -> Result<()> {
        write(&format!("{}\n", visible(text, Lines::Many)))
    }

    /// Print data as it is; on a terminal so that it cannot mislead.
    ///
    /// # Errors
    ///
    /// As [`Output::line`].
    pub(super) fn data(&self, text: &str) -> Result<()> {
        write(&data(text, self.terminal))
    }

    /// As [`Output::data`], with a line end.
    ///
    /// # Errors
    ///
    /// As [`Output::line`].
    pub(super) fn data_line(&self, text: &str) -> Result<()> {
        self.data(&format!("{text}\n"))
    }

    /// Print a JSON value.
    ///
    /// # Errors
    ///
    /// As [`Output::line`].
    pub(super) fn value(&self, value: &Value) -> Result<()> {
        write(&format!("{}\n", visible::pretty_json(value)))
    }

    /// Print a line that is JSON already.
    ///
    /// # Errors
    ///
    /// As [`Output::line`].
    pub(super) fn json_line(&self, text: &str) -> Result<()> {
        write(&format!("{}\n", visible::json(text)))
    }

    /// Print an error: for a person on standard error, and for a machine on standard output too. A person who sees both and did
    /// not ask for JSON is told once.
    pub(super) fn error(&self, error: &Error) {
        if self.json && (self.explicit || !self.terminal) {
            let _ = self.value(&json!({ "error": error_json(error) }));
        }
        note(&format!("error: {}", error.render()));
    }
}

/// Writes data as [`Output::data`] does, piece by piece.
pub(super) struct DataWriter {
    terminal: bool,
    /// The beginning of a character whose end is in the next piece.
    split: Vec<u8>,
}

impl DataWriter {
    /// What comes of writing that failed.
    ///
    /// # Errors
    ///
    /// As [`Output::line`].
    pub(super) fn failed(error: io::Error) -> Result<()> {
        written(Err(error))
    }
}

impl io::Write for DataWriter {
    #[allow(clippy::disallowed_methods, reason = "the one place that writes there")]
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let mut stdout = io::stdout().lock();
        if !self.terminal {
            stdout.write_all(piece)?;
            return Ok(piece.len());
        }
        self.split.extend_from_slice(piece);
        let whole = match std::str::from_utf8(&self.split) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let text = String::from_utf8_lossy(&self.split[..whole]);
        stdout.write_all(data(&text, true).as_bytes())?;
        self.split.drain(..whole);
        Ok(piece.len())
    }

    #[allow(clippy::disallowed_methods, reason = "the one place that writes there")]
    fn flush(&mut self) -> io::Result<()> {
        io::stdout().lock().flush()
    }
}

fn data(text: &str, terminal: bool) -> Cow<'_, str> {
    match terminal {
        true => visible(text, Lines::Many),
        false => Cow::Borrowed(text),
    }
}

#[allow(clippy::disallowed_methods, reason = "the one place that writes there")]
fn write(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

fn written(done: io::Result<()>) -> Result<()> {
    match done {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            Err(Error::new(ErrorKind::Host, "cannot write to standard output").caused_by(error))
        }
    }
}

/// An error as JSON: kind, message, details, hints, the limit where one was reached, the time to come back where it was busy.
pub(super) fn error_json(error: &Error) -> Value {
    let mut json = json!({
        "kind": error.kind().name(), "message": error.to_string(), "details": error.details(),
        "hints": error.hints(),
    });
    if let Some(outcome) = error.outcome() {
        json["outcome"] = json!(outcome);
    }
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

/// Print a line, or several, for a person on standard error. Nobody can be told that it is gone.
pub(super) fn note(line: &str) {
    let _ = write_note(&format!("{}\n", visible(line, Lines::Many)));
}

/// Print a part of what a script writes to standard error. Nobody can be told that it is gone.
pub(super) fn stream_note(text: &str) {
    let _ = write_note(&visible(text, Lines::Many));
}

/// Write to standard error what was made visible. Nobody can be told that it is gone.
#[allow(clippy::disallowed_methods, reason = "the one place that writes there")]
pub(super) fn write_note(shown: &str) -> io::Result<()> {
    io::stderr().lock().write_all(shown.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_exact_unless_a_person_reads_it() {
        let text = "\x1b]52;c;eA==\x07\r\n\u{202e}年";
        assert_eq!(data(text, false), text);
        assert_eq!(data(text, true), "\\u{1b}]52;c;eA==\\u{7}\n\\u{202e}年");
    }
}
