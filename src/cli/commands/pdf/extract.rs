//! `mitt pdf extract`: writes the files that are attached to a PDF.

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use super::super::delivery;
use super::super::pdf_file::check_source;
use super::super::work::Work;
use super::make_folder;
use crate::args::{Global, pdf::PdfExtract};
use crate::output::{Output, note};
use crate::password;
use mitt::EmbeddedFiles;
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// Writes attached files into a folder. All names are checked before the first file is written.
pub(super) async fn extract(
    global: &Global,
    command: &PdfExtract,
    output: &Output,
) -> Result<ExitCode> {
    check_source(&command.file)?;
    let folder = command.output.clone().unwrap_or_else(|| command.file.with_extension(""));
    let given = password::options(&command.password)?;
    let work = Work::open(global, None, output).await?;
    let name = command.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let most = work.session.host().session_limits().document_bytes;
    let bytes = plain_file::read(&command.file, most).map_err(|error| {
        Error::new(ErrorKind::Input, format!("cannot read {}", command.file.display()))
            .hint("name an existing file that you may read")
            .caused_by(error)
    })?;
    let read = async |options: mitt::DocumentOptions| {
        work.session.embedded_files(&name, &bytes, options.password.as_deref()).await
    };
    let embedded =
        password::retry_with_password(&command.file, &given, &work.progress, read).await?;
    work.progress.finish();
    let chosen = chosen(&embedded, &command.name)?;
    let delivery = delivery(global, &command.force);
    let paths: Vec<_> = chosen.iter().map(|(name, _)| folder.join(name)).collect();
    paths.iter().try_for_each(|path| delivery.check(path))?;
    make_folder(&folder)?;
    let mut files = Vec::new();
    for ((_, content), path) in chosen.iter().zip(&paths) {
        delivery.write(path, content)?;
        let shown = path.display().to_string();
        if !output.is_json() {
            output.data_line(&shown)?;
        }
        files.push(json!({ "path": shown, "size": content.len() }));
    }
    if output.is_json() {
        output.value(&json!({ "files": files, "warnings": embedded.warnings() }))?;
    } else if !output.is_quiet() {
        embedded.warnings().iter().for_each(|warning| note(&format!("warning: {warning}")));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the files to write with their names in the folder: all, or those with one of these names.
///
/// # Errors
///
/// [`ErrorKind::Input`] - there is no file, or none with such a name.
fn chosen<'a>(embedded: &'a EmbeddedFiles, wanted: &[String]) -> Result<Vec<(String, &'a [u8])>> {
    if embedded.files().is_empty() {
        return Err(Error::new(ErrorKind::Input, "no file is attached to it")
            .hint("`mitt pdf pictures` draws its pages, `mitt ingest` prints its text"));
    }
    let names: Vec<&str> = embedded.files().iter().map(|file| file.name.as_str()).collect();
    if let Some(missing) = wanted.iter().find(|name| !names.contains(&name.as_str())) {
        let message = format!("--name: no attached file is named `{missing}`");
        let known: Vec<_> = names.iter().take(20).map(|name| format!("`{name}`")).collect();
        return Err(
            Error::new(ErrorKind::Input, message).hint(format!("there are {}", known.join(", ")))
        );
    }
    let mut taken = HashSet::new();
    let files = embedded.files().iter();
    let files = files.filter(|file| wanted.is_empty() || wanted.contains(&file.name));
    Ok(files.map(|file| (free_name(&file.name, &mut taken), &*file.bytes)).collect())
}

/// Returns the last part of a name, with a number if it is taken: `a (2).csv`. File systems of people who receive the folder may
/// not tell capital letters from small ones.
fn free_name(name: &str, taken: &mut HashSet<String>) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    // What Windows allows in no name, and what turns the direction of text.
    let is_allowed = |letter: char| {
        !letter.is_control()
            && !r#"<>:"|?*"#.contains(letter)
            && !matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let name: String = name.chars().map(|it| if is_allowed(it) { it } else { '_' }).collect();
    let path = Path::new(&name);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension =
        path.extension().map_or(String::new(), |it| format!(".{}", it.to_string_lossy()));
    let mut free = name.clone();
    let mut number = 2;
    while !taken.insert(free.to_lowercase()) {
        free = format!("{stem} ({number}){extension}");
        number += 1;
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_free_and_harmless() {
        let mut taken = HashSet::new();
        for (name, expected) in [
            ("a.csv", "a.csv"),
            ("data/A.csv", "A (2).csv"),
            ("a.csv", "a (3).csv"),
            ("a (2).csv", "a (2) (2).csv"),
            ("表格.xlsx", "表格.xlsx"),
            ("in\u{202e}voice:?.pdf", "in_voice__.pdf"),
            (".profile", ".profile"),
            ("without", "without"),
        ] {
            assert_eq!(free_name(name, &mut taken), expected);
        }
    }
}
