//! The person at the terminal: whether somebody sits there, and what they say to a question.

use std::io::{self, BufRead as _, IsTerminal as _};

use super::output::note;
use mitt_base::{Error, ErrorKind, Result};

/// Whether somebody sits there: what comes over a pipe is no answer.
#[allow(clippy::disallowed_methods, reason = "looked at, not written to")]
pub(super) fn is_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Whether the answer is a yes.
pub(super) fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

/// Whether the person says yes to `question`. Where nobody is there, `only` says what is done only when somebody says so.
///
/// # Errors
///
/// [`ErrorKind::Input`] - nobody is there, or standard input cannot be read.
pub(super) fn confirms(question: &str, only: String) -> Result<bool> {
    if !is_there() {
        let message = format!("{only} only when somebody says so");
        return Err(Error::new(ErrorKind::Input, message).hint("say it with `--yes`"));
    }
    note(&format!("{question} [y/N]"));
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|error| {
        Error::new(ErrorKind::Input, "cannot read standard input").caused_by(error)
    })?;
    Ok(is_yes(&line))
}
