//! Passwords of encrypted files: from a file, or typed on the terminal.

use std::path::Path;

use crate::args::Password;
use crate::output::note;
use crate::person;
use crate::progress::Progress;
use mitt::DocumentOptions;
use mitt_base::{Error, ErrorKind, Result, plain_file, text};

/// Largest password file, in bytes.
const PASSWORD_BYTES: u64 = 4_096;

/// How often a person is asked for a file's password.
const TRIES: usize = 3;

/// Returns the options for documents: the password in the first line of a file, if one was given.
pub(super) fn options(given: &Password) -> Result<DocumentOptions> {
    let mut options = DocumentOptions::default();
    options.password = given.password_file.as_deref().map(first_line).transpose()?;
    Ok(options)
}

/// Adds a hint on how to open an encrypted file.
pub(super) fn locked(error: Error, options: &DocumentOptions) -> Error {
    match error.input_problem() {
        Some("encrypted") if options.password.is_none() => {
            error.hint("`--password-file FILE` takes the password from the first line of a file")
        }
        _ => error,
    }
}

/// Returns the first line of a file.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the file cannot be read, or its first line is empty.
pub(super) fn first_line(path: &Path) -> Result<String> {
    let wrong = |problem: &str| Error::new(ErrorKind::Input, problem).at(path.display());
    let bytes = plain_file::read(path, PASSWORD_BYTES)
        .map_err(|error| wrong("the password cannot be read").caused_by(error))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("expected a password in UTF-8"))?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(wrong("expected a password in the first line, got none"));
    }
    Ok(line.to_owned())
}

/// Reads a file. If it is encrypted and the given password does not open it, asks the person at the terminal for another, up
/// to three times.
///
/// # Errors
///
/// Those of `read`.
pub(super) async fn retry_with_password<R>(
    file: &Path,
    given: &DocumentOptions,
    progress: &Progress,
    read: impl AsyncFn(DocumentOptions) -> Result<R>,
) -> Result<R> {
    let mut result = read(given.clone()).await;
    let tries = if person::is_there() { TRIES } else { 0 };
    for _ in 0..tries {
        let is_locked = |error: &Error| error.input_problem() == Some("encrypted");
        if !result.as_ref().err().is_some_and(is_locked) {
            break;
        }
        // The spinner would overwrite the question.
        progress.finish();
        let Some(password) = ask_password(file).await else { break };
        progress.go_on();
        let mut options = given.clone();
        options.password = Some(password);
        result = read(options).await;
    }
    result.map_err(|error| locked(error, given))
}

/// Reads what a person types, without echo; `None` if it is empty.
async fn ask_password(file: &Path) -> Option<String> {
    let name = text::one_line(&file.display().to_string());
    note(&format!("{name} is encrypted. Its password (it is not shown; empty to give up):"));
    typed().await
}

/// Returns the password for a new file: the first line of `file`, or what a person at the terminal types twice.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the file has none. There is neither a file nor a person. The person typed none, or two different
/// ones.
pub(super) async fn new_password(file: Option<&Path>) -> Result<String> {
    if let Some(file) = file {
        return first_line(file);
    }
    let refused = |message: &str| Error::new(ErrorKind::Input, message);
    if !person::is_there() {
        return Err(refused("there is no password for the new file")
            .hint("`--password-file FILE` takes it from the first line of a file"));
    }
    note("The password of the new file (it is not shown):");
    let first = typed().await.ok_or_else(|| refused("no password was typed"))?;
    note("The same again:");
    match typed().await {
        Some(again) if again == first => Ok(first),
        _ => Err(refused("the two passwords differ")),
    }
}

/// Reads a line that a person types, without echo; `None` if it is empty.
async fn typed() -> Option<String> {
    let read = tokio::task::spawn_blocking(|| rpassword::read_password().ok());
    read.await.ok().flatten().filter(|password| !password.is_empty())
}
