//! PDF files in a session, for the tools of the skill `pdf-tool`; used by `mitt pdf`, `mitt fill` and `mitt redact`.

use std::path::Path;

use serde_json::{Value, json};

use super::new_file::{call, extension};
use super::work::Work;
use crate::password;
use mitt::{DocumentOptions, url_of};
use mitt_base::{Error, ErrorKind, Result};

/// Most items of each list that one call of `read_pdf` returns; the tool has the same limit.
const WINDOW: usize = 1_000;

/// Most calls that read the lists of one file.
const MAX_WINDOWS: usize = 100;

/// The lists in the result of `read_pdf`.
const LISTS: [&str; 6] = ["pages", "outline", "fields", "annotations", "attachments", "metadata"];

/// A PDF that was added to a session.
pub(super) struct PdfFile {
    /// Its name there.
    pub(super) name: String,
    /// Its password, if one was given or typed.
    pub(super) password: Option<String>,
}

impl PdfFile {
    /// Returns `arguments` with the document, and with its password if there is one.
    pub(super) fn arguments(&self, mut arguments: Value) -> Value {
        arguments["document"] = json!(self.name);
        if let Some(password) = &self.password {
            arguments["password"] = json!(password);
        }
        arguments
    }
}

/// Adds a PDF to the session for tools, which read it themselves: its text is not read, unless it is encrypted. Asks the person at the
/// terminal for its password if it needs one.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the name does not end in `.pdf`. Those of [`Work::document`].
pub(super) async fn open(work: &Work, path: &Path, given: &DocumentOptions) -> Result<PdfFile> {
    let mut options = given.clone();
    options.without_text = true;
    open_with(work, path, &options).await
}

/// Does what [`open`] does, and reads the text, unless the options say otherwise.
///
/// # Errors
///
/// Those of [`open`].
pub(super) async fn open_with(
    work: &Work,
    path: &Path,
    given: &DocumentOptions,
) -> Result<PdfFile> {
    check_source(path)?;
    let read = async |mut options: DocumentOptions| {
        // Scans and damaged files are joined, split and repaired, too.
        options.keeps_unread = true;
        let document = work.document(path, &options).await;
        document.map(|document| PdfFile { name: document.name.clone(), password: options.password })
    };
    password::retry_with_password(path, given, &work.progress, read).await
}

/// Checks the name of a source: tools get the content of files with the extension `.pdf`.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it is an address, or has another extension.
pub(super) fn check_source(path: &Path) -> Result<()> {
    let refused = |message: String| Error::new(ErrorKind::Input, message);
    if url_of(path).is_some() {
        let message = format!("{}: expected a file, got an address", path.display());
        return Err(refused(message).hint("download it and name the file"));
    }
    if extension(path) != "pdf" {
        let message = format!("{}: expected a name that ends in `.pdf`", path.display());
        return Err(refused(message).hint("`mitt render` makes a PDF of a Markdown file"));
    }
    Ok(())
}

/// Returns the texts of the list `name` of a result.
pub(super) fn texts(result: &Value, name: &str) -> Vec<String> {
    let items = result[name].as_array().into_iter().flatten();
    items.filter_map(|it| it.as_str().map(str::to_owned)).collect()
}

/// Reads what a PDF has: the result of `read_pdf` with whole lists.
///
/// # Errors
///
/// Those of [`call`] and of the tool.
pub(super) async fn contents(work: &Work, file: &PdfFile, parts: &[&str]) -> Result<Value> {
    let mut whole = Value::Null;
    for window in 0..MAX_WINDOWS {
        let arguments = json!({ "parts": parts, "start": window * WINDOW, "limit": WINDOW });
        let doing = format!("reading {}", file.name);
        let arguments = file.arguments(arguments).to_string();
        let report = call(work, "pdf_tool__read_pdf", doing, &arguments).await?;
        let mut read = Value::from(report.result?);
        let goes_on = read["more"].as_array().is_some_and(|more| !more.is_empty());
        if whole.is_null() {
            whole = read;
        } else {
            for list in LISTS {
                let further = read.get_mut(list).map(Value::take);
                if let (Some(all), Some(Value::Array(further))) =
                    (whole[list].as_array_mut(), further)
                {
                    all.extend(further);
                }
            }
            whole["more"] = read["more"].take();
        }
        if !goes_on {
            break;
        }
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_before_anything_is_read() {
        assert!(check_source(Path::new("a/B.PDF")).is_ok());
        for (source, expected) in
            [("a.docx", "ends in `.pdf`"), ("https://a.test/a.pdf", "got an address")]
        {
            let error = check_source(Path::new(source)).unwrap_err().render();
            assert!(error.contains(expected), "{source}: {error}");
        }
    }

    #[test]
    fn a_password_is_given_only_where_there_is_one() {
        let file = |password: Option<&str>| PdfFile {
            name: "a.pdf".into(),
            password: password.map(str::to_owned),
        };
        assert_eq!(file(None).arguments(json!({})), json!({ "document": "a.pdf" }));
        let arguments = file(Some("x")).arguments(json!({ "limit": 1 }));
        assert_eq!(arguments, json!({ "document": "a.pdf", "password": "x", "limit": 1 }));
    }
}
