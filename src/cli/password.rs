//! Passwords of encrypted files: from a file, or asked for on the terminal.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use crate::output::note;
use crate::progress::Progress;
use mitt::DocumentOptions;
use mitt_base::{Error, ErrorKind, Result, plain_file, text};

/// Most bytes of a file that holds a password.
const PASSWORD_BYTES: u64 = 4_096;

/// How often a person is asked for the password of a file.
const TRIES: usize = 3;

/// What the user said of files: the password in the first line of `file`, if there is one.
pub(super) fn options(file: Option<&Path>) -> Result<DocumentOptions> {
    let mut options = DocumentOptions::default();
    options.password = file.map(first_line).transpose()?;
    Ok(options)
}

/// The first line of a file.
fn first_line(path: &Path) -> Result<String> {
    let wrong = |problem: &str| Error::new(ErrorKind::Input, problem).at(path.display());
    let bytes = plain_file::read(path, PASSWORD_BYTES)
        .map_err(|error| wrong("the password cannot be read").caused_by(error))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("a password in UTF-8 expected"))?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(wrong("a password in the first line expected, got none"));
    }
    Ok(line.to_owned())
}

/// Read a file; if it is encrypted and no password was given, a person at the terminal is asked for it, up to three times.
///
/// # Errors
///
/// Those of `read`.
pub(super) async fn asking<R>(
    file: &Path,
    given: &DocumentOptions,
    progress: &Progress,
    read: impl AsyncFn(DocumentOptions) -> Result<R>,
) -> Result<R> {
    let mut result = read(given.clone()).await;
    if given.password.is_some() || !has_person() {
        return result;
    }
    for _ in 0..TRIES {
        let is_locked = |error: &Error| error.outcome() == Some("encrypted");
        if !result.as_ref().err().is_some_and(is_locked) {
            break;
        }
        // The spinner would write over the question.
        progress.finish();
        let Some(password) = ask(file).await else { break };
        progress.go_on();
        let mut options = given.clone();
        options.password = Some(password);
        result = read(options).await;
    }
    result
}

/// Whether somebody sits there: what comes over a pipe is no password.
#[allow(clippy::disallowed_methods, reason = "looked at, not written to")]
fn has_person() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// What a person types, without showing it; none if it is nothing.
async fn ask(file: &Path) -> Option<String> {
    let name = text::one_line(&file.display().to_string());
    note(&format!("{name} is encrypted. Its password (it is not shown; empty to give up):"));
    let read = tokio::task::spawn_blocking(|| rpassword::read_password().ok());
    read.await.ok().flatten().filter(|password| !password.is_empty())
}
