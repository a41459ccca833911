//! Standard output and standard error. No other module writes to them.
//!
//! Names, descriptions, messages and output come from untrusted sources, and a terminal obeys control characters. So text
//! for people is always written with every misleading character escaped, as in `\u{1b}`, because a file may be displayed
//! later. Data (the output of a script, the text of a document, paths) stays unchanged, byte for byte, unless standard
//! output is a terminal. JSON is the same value either way.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};

use serde_json::{Value, json};

use mitt_base::visible::{self, Lines, visible};
use mitt_base::{Error, ErrorKind, Result};

/// The destination of results and errors.
#[derive(Clone, Copy)]
pub(super) struct Output {
    json: bool,
    /// `true` if the user asked for JSON, and this command does not print it anyway.
    explicit: bool,
    quiet: bool,
    /// `true` if standard output is a terminal.
    terminal: bool,
}

impl Output {
    /// Makes an output. `json` selects machine-readable output; `explicit` says that the user asked for it.
    pub(super) fn new(json: bool, explicit: bool, quiet: bool) -> Output {
        #[allow(clippy::disallowed_methods, reason = "looked at, not written to")]
        let terminal = io::stdout().is_terminal();
        Output { json, explicit, quiet, terminal }
    }

    /// Returns `true` for machine-readable output.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Returns `true` if standard output is a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Prints a part of data, as [`Output::data`] does. Returns `false` if nobody reads it any more.
    #[allow(clippy::disallowed_methods, reason = "the one place that writes there")]
    pub(super) fn stream(&self, text: &str) -> bool {
        let mut stdout = io::stdout().lock();
        let shown = data(text, self.terminal);
        stdout.write_all(shown.as_bytes()).and_then(|()| stdout.flush()).is_ok()
    }

    /// Prints text that was made visible before and has escape sequences of the program. Returns `false` if the reader has gone.
    #[cfg(feature = "models")]
    #[allow(clippy::disallowed_methods, reason = "the one place that writes there")]
    pub(super) fn stream_shown(&self, shown: &str) -> bool {
        let mut stdout = io::stdout().lock();
        stdout.write_all(shown.as_bytes()).and_then(|()| stdout.flush()).is_ok()
    }

    /// Returns a writer for data that is too long to be built as a whole.
    pub(super) fn writer(&self) -> DataWriter {
        DataWriter { terminal: self.terminal, split: Vec::new() }
    }

    /// Prints a line for a person.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - standard output cannot be written. A reader that has closed it is not an error: the process
    /// ends quietly.
    pub(super) fn line(&self, text: &str) -> Result<()> {
        write(&format!("{}\n", visible(text, Lines::Many)))
    }

    /// Prints data unchanged, or escaped on a terminal.
    ///
    /// # Errors
    ///
    /// Those of [`Output::line`].
    pub(super) fn data(&self, text: &str) -> Result<()> {
        write(&data(text, self.terminal))
    }

    /// Does what [`Output::data`] does, and adds a line end.
    ///
    /// # Errors
    ///
    /// Those of [`Output::line`].
    pub(super) fn data_line(&self, text: &str) -> Result<()> {
        self.data(&format!("{text}\n"))
    }

    /// Prints a JSON value.
    ///
    /// # Errors
    ///
    /// Those of [`Output::line`].
    pub(super) fn value(&self, value: &Value) -> Result<()> {
        write(&format!("{}\n", visible::pretty_json(value)))
    }

    /// Prints a line that is already JSON.
    ///
    /// # Errors
    ///
    /// Those of [`Output::line`].
    pub(super) fn json_line(&self, text: &str) -> Result<()> {
        write(&format!("{}\n", visible::json(text)))
    }

    /// Prints an error: for a person on standard error, and for a machine also on standard output. On a terminal without
    /// `--json` it is printed only once.
    pub(super) fn error(&self, error: &Error) {
        if self.json && (self.explicit || !self.terminal) {
            let _ = self.value(&json!({ "error": error_json(error) }));
        }
        note(&format!("error: {}", error.render()));
    }
}

/// Writes data as [`Output::data`] does, in pieces.
pub(super) struct DataWriter {
    terminal: bool,
    /// The first bytes of a character that continues in the next piece.
    split: Vec<u8>,
}

impl DataWriter {
    /// Handles a failed write.
    ///
    /// # Errors
    ///
    /// Those of [`Output::line`].
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
    if terminal { visible(text, Lines::Many) } else { Cow::Borrowed(text) }
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

/// Returns an error as JSON: kind, message, details, hints, the limit that was reached, and when to retry if it was busy.
pub(super) fn error_json(error: &Error) -> Value {
    let mut json = json!({
        "kind": error.kind().name(), "message": error.message(), "details": error.details(),
        "hints": error.hints(),
    });
    if let Some(outcome) = error.input_problem() {
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

/// Prints one or several lines for a person on standard error. Errors are ignored: they could not be reported anywhere.
pub(super) fn note(line: &str) {
    let _ = write_note(&format!("{}\n", visible(line, Lines::Many)));
}

/// Prints a part of a script's standard error. Errors are ignored: they could not be reported anywhere.
pub(super) fn stream_note(text: &str) {
    let _ = write_note(&visible(text, Lines::Many));
}

/// Writes escaped text to standard error.
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
