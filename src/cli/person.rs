//! The person at the terminal: whether there is one, and the answers to questions.

use std::io::{self, BufRead as _, IsTerminal as _};

use super::output::note;
use mitt_base::{Error, ErrorKind, Result};

/// Returns `true` if there is a person at the terminal: input from a pipe is not an answer.
#[allow(clippy::disallowed_methods, reason = "looked at, not written to")]
pub(super) fn is_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Returns `true` if the answer is yes.
pub(super) fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

/// Asks `question`, and returns `true` for yes. If there is no person, the error begins with `only`, the action that needs a
/// confirmation.
///
/// # Errors
///
/// [`ErrorKind::Input`] - there is no person, or standard input cannot be read.
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
