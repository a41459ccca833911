//! Commands that have a tool make a new file of an existing one: the name of the new file, the call, and the file that was delivered.

use std::path::Path;

use super::work::{Work, eprint_text};
use crate::interrupt::unless_interrupted;
use mitt::{Artifact, CallReport, Session};
use mitt_base::{Error, ErrorKind, Result};

/// Checks the name of a file to write.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it has another extension than `expected`, or it is one of the sources.
pub(super) fn check_target<'p>(
    target: &Path,
    expected: &str,
    sources: impl IntoIterator<Item = &'p Path>,
) -> Result<()> {
    let refused = |message: String| Error::new(ErrorKind::Input, message);
    if extension(target) != expected {
        let message = format!(
            "--output: expected a name that ends in `.{expected}`, got {}",
            target.display()
        );
        return Err(refused(message).hint("the new file is of the type of its source"));
    }
    let Ok(whole) = target.canonicalize() else { return Ok(()) };
    if sources.into_iter().any(|source| source.canonicalize().is_ok_and(|source| source == whole)) {
        let message = format!("--output: {} is the source itself", target.display());
        return Err(refused(message).hint("name another file"));
    }
    Ok(())
}

/// Returns the extension of a path in small letters; empty if it has none.
pub(super) fn extension(path: &Path) -> String {
    path.extension().and_then(|it| it.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// Returns the name of a path without its folder.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Calls a tool, and shows `doing` meanwhile.
///
/// # Errors
///
/// [`ErrorKind::Cancelled`] - a signal came. The error of the tool is in the report.
pub(super) async fn call(
    work: &Work,
    tool: &str,
    doing: String,
    arguments: &str,
) -> Result<CallReport> {
    work.progress.call_it(doing);
    let ended = unless_interrupted(work.session.call(tool, arguments)).await;
    work.progress.finish();
    let report = ended?;
    eprint_text(&report.printed);
    Ok(report)
}

/// Returns the file that a call delivered, and its content.
///
/// # Errors
///
/// Those of [`first_artifact`] and [`Session::artifact_content`].
pub(super) fn delivered<'a>(
    session: &Session,
    tool: &str,
    artifacts: &'a [Artifact],
) -> Result<(&'a Artifact, Vec<u8>)> {
    let artifact = first_artifact(tool, artifacts)?;
    Ok((artifact, session.artifact_content(&artifact.name)?))
}

/// Returns the file that a call delivered, without its content.
///
/// # Errors
///
/// [`ErrorKind::Plugin`] - the call delivered no file.
pub(super) fn first_artifact<'a>(tool: &str, artifacts: &'a [Artifact]) -> Result<&'a Artifact> {
    artifacts
        .first()
        .ok_or_else(|| Error::new(ErrorKind::Plugin, format!("`{tool}` delivered no file")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_file_has_the_type_of_its_source_and_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.pdf");
        std::fs::write(&source, "x").unwrap();
        let check = |target: &Path| check_target(target, "pdf", [source.as_path()]);
        assert!(check(&folder.path().join("b.pdf")).is_ok());
        assert!(check(&folder.path().join("b.docx")).is_err());
        let error = check(&folder.path().join(".").join("a.pdf")).unwrap_err().render();
        assert!(error.contains("is the source itself"), "{error}");
    }
}
