//! `mitt pdf pictures`: draws pages. One page is drawn at a time, so that only one picture is in memory. Documents that are no PDF are
//! typeset as one first, because only a PDF has pages.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::super::delivery;
use super::super::new_file::{call, delivered, extension, first_artifact};
use super::super::pdf_file::{PdfFile, open, texts};
use super::super::pictures::picture;
use super::super::work::Work;
use super::make_folder;
use crate::args::{Global, pdf::PdfPictures};
use crate::output::Output;
use crate::password;
use mitt::{DocumentOptions, url_of};
use mitt_base::{Error, ErrorKind, Result};

const SIZES: &str = "page_pictures__read_page_sizes";
const DRAW: &str = "page_pictures__draw_pages";

/// The tool that typesets a Word file as a PDF, and keeps its pictures.
const CONVERT_WORD: &str = "docx_tool__convert_document";

/// The tool that typesets the text of any document as a PDF.
const CONVERT: &str = "report__convert_document";

/// The name of the PDF that is typeset. It is not written.
const TYPESET: &str = "pages.pdf";

/// Most pages of one command.
const MAX_PAGES: usize = 5_000;

/// Draws pages of a PDF. The names of all pictures are checked before the first page is drawn.
pub(super) async fn pictures(
    global: &Global,
    command: &PdfPictures,
    output: &Output,
) -> Result<ExitCode> {
    let given = password::options(&command.password)?;
    let folder = folder(command)?;
    let is_pdf = extension(&command.file) == "pdf";
    if !is_pdf {
        check_typeset(&command.file)?;
    }
    let work = Work::open(global, None, output).await?;
    let (mut drawn, mut warnings) = (Vec::new(), Vec::new());
    let file = if is_pdf {
        open(&work, &command.file, &given).await?
    } else {
        typeset(&work, &command.file, &given, &mut warnings).await?
    };
    let pages = wanted(&work, &file, command.pages.as_deref()).await?;
    let extension = if command.format.as_deref() == Some("jpeg") { "jpg" } else { "png" };
    let stem = command.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let path = |page: usize| folder.join(format!("{stem}-{page}.{extension}"));
    let delivery = delivery(global, &command.force);
    pages.iter().try_for_each(|page| delivery.check(&path(*page)))?;
    make_folder(&folder)?;
    for page in &pages {
        let mut arguments =
            json!({ "pages": page.to_string(), "filename": format!("page.{extension}") });
        let options = [
            ("dpi", command.dpi.map(|it| json!(it))),
            ("width", command.width.map(|it| json!(it))),
            ("format", command.format.as_ref().map(|it| json!(it))),
        ];
        for (name, value) in options {
            if let Some(value) = value {
                arguments[name] = value;
            }
        }
        let doing = format!("drawing page {page} of {}", file.name);
        let report = call(&work, DRAW, doing, &file.arguments(arguments).to_string()).await?;
        let result = Value::from(report.result?);
        let (_, content) = delivered(&work.session, DRAW, &report.artifacts)?;
        let path = path(*page);
        delivery.write(&path, &content)?;
        let shown = path.display().to_string();
        if !output.is_json() {
            output.data_line(&shown)?;
        }
        warnings.extend(texts(&result, "warnings"));
        let picture = &result["pictures"][0];
        drawn.push(json!({
            "path": shown, "page": page, "size": content.len(), "width": picture["width"], "height": picture["height"],
        }));
    }
    // The progress has shown the warnings.
    if output.is_json() {
        output.value(&json!({ "pictures": drawn, "warnings": warnings }))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses a source that is not typeset.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it is an address, standard input, a picture, or a PDF with another extension.
fn check_typeset(path: &Path) -> Result<()> {
    let refused = |message: String| Error::new(ErrorKind::Input, message);
    if url_of(path).is_some() || path == Path::new("-") {
        let got = if url_of(path).is_some() { "an address" } else { "standard input" };
        return Err(refused(format!("{}: expected a file, got {got}", path.display()))
            .hint("save it and name the file"));
    }
    if picture(path)?.is_some() {
        return Err(refused(format!("{} is a picture already", path.display())));
    }
    if begins_with(path, b"%PDF") {
        let message = format!("{} is a PDF, and its name does not end in `.pdf`", path.display());
        return Err(refused(message).hint("give it a name that ends in `.pdf`"));
    }
    Ok(())
}

/// Returns `true` if the file can be read and begins with these bytes.
fn begins_with(path: &Path, wanted: &[u8]) -> bool {
    let mut found = vec![0; wanted.len()];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut found)).is_ok()
        && found == wanted
}

/// Typesets a document that is no PDF as one, which stays in the session.
///
/// # Errors
///
/// Those of [`Work::read`], [`call`] and the tool.
async fn typeset(
    work: &Work,
    path: &Path,
    given: &DocumentOptions,
    warnings: &mut Vec<String>,
) -> Result<PdfFile> {
    // The tool for Word files reads the file itself. An encrypted one is no ZIP archive, and only the reader opens it.
    let is_word = extension(path) == "docx" && begins_with(path, b"PK");
    let mut options = given.clone();
    options.without_text = is_word;
    let document = work.read(path, None, &options).await?;
    let tool = if is_word { CONVERT_WORD } else { CONVERT };
    let arguments = json!({ "document": document.name, "filename": TYPESET }).to_string();
    let doing = format!("typesetting {}", document.name);
    let report = call(work, tool, doing, &arguments).await?;
    let result = Value::from(report.result?);
    warnings.extend(texts(&result, "warnings"));
    let artifact = first_artifact(tool, &report.artifacts)?;
    Ok(PdfFile { name: artifact.name.clone(), password: None })
}

/// Returns the folder for the pictures of a file: that of the option, or one beside the file with its name.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the file has no extension, so that the folder would have its path.
fn folder(command: &PdfPictures) -> Result<PathBuf> {
    let folder = command.output.clone().unwrap_or_else(|| command.file.with_extension(""));
    if folder == command.file {
        let message = format!("{} has no extension", command.file.display());
        return Err(Error::new(ErrorKind::Input, message)
            .hint("name the folder for the pictures with `--output`"));
    }
    Ok(folder)
}

/// Returns the numbers of the pages to draw, each once.
async fn wanted(work: &Work, file: &PdfFile, list: Option<&str>) -> Result<Vec<usize>> {
    let arguments = file.arguments(json!({})).to_string();
    let report = call(work, SIZES, format!("reading {}", file.name), &arguments).await?;
    let read = Value::from(report.result?);
    let count = read["page_count"].as_u64().and_then(|it| usize::try_from(it).ok());
    let pages = numbers(list.unwrap_or("all"), count.unwrap_or(0))?;
    if pages.len() > MAX_PAGES {
        let message = format!("--pages: expected at most {MAX_PAGES} pages, got {}", pages.len());
        return Err(
            Error::new(ErrorKind::Input, message).hint("draw them in parts: `--pages 1-5000`")
        );
    }
    Ok(pages)
}

/// Returns the numbers in a list of pages such as `1-3,7,10-`, each once.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it is not such a list, or names a page that there is not.
pub(super) fn numbers(list: &str, count: usize) -> Result<Vec<usize>> {
    let refused = |message: String| Error::new(ErrorKind::Input, format!("--pages: {message}"));
    let wrong = |part: &str| {
        refused(format!(
            "expected pages such as `1-3,7,10-`, `odd` or `last`, got `{}`",
            part.trim()
        ))
    };
    if count == 0 {
        return Err(refused("the document has no pages".to_owned()));
    }
    let mut is_named = vec![false; count];
    let mut pages = Vec::new();
    let mut name = |page: usize| {
        if !std::mem::replace(&mut is_named[page - 1], true) {
            pages.push(page);
        }
    };
    for part in list.split(',') {
        let part = part.trim();
        let number = |text: &str, default: usize| match text.trim() {
            "" => Ok(default),
            "last" => Ok(count),
            text => match text.parse::<usize>() {
                Ok(0) | Err(_) => Err(wrong(part)),
                Ok(number) if number > count => {
                    Err(refused(format!("page {number} does not exist; there are {count}")))
                }
                Ok(number) => Ok(number),
            },
        };
        match part {
            "" | "-" => return Err(wrong(list)),
            "all" => (1..=count).for_each(&mut name),
            "odd" => (1..=count).step_by(2).for_each(&mut name),
            "even" => (2..=count).step_by(2).for_each(&mut name),
            _ => match part.split_once('-') {
                Some((from, to)) => match (number(from, 1)?, number(to, count)?) {
                    (from, to) if from <= to => (from..=to).for_each(&mut name),
                    (from, to) => (to..=from).rev().for_each(&mut name),
                },
                None => name(number(part, 1)?),
            },
        }
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_once_and_in_order() {
        for list in ["all", "last", "odd", "1"] {
            let error = numbers(list, 0).unwrap_err().to_string();
            assert!(error.contains("the document has no pages"), "{list}: {error}");
        }
        for (list, expected) in [
            ("all", &[1, 2, 3, 4, 5][..]),
            ("1-3, 2,last", &[1, 2, 3, 5]),
            ("4-", &[4, 5]),
            ("-2", &[1, 2]),
            ("3-1", &[3, 2, 1]),
            ("odd", &[1, 3, 5]),
            ("even,1", &[2, 4, 1]),
        ] {
            assert_eq!(numbers(list, 5).unwrap(), expected, "{list}");
        }
        for (list, expected) in [
            ("", "expected pages such as"),
            ("0", "got `0`"),
            ("1,x", "got `x`"),
            ("-", "got `-`"),
            ("6", "page 6 does not exist; there are 5"),
            ("1-99999999999999999999", "got `1-99999999999999999999`"),
        ] {
            let error = numbers(list, 5).unwrap_err().to_string();
            assert!(error.starts_with("--pages: ") && error.contains(expected), "{list}: {error}");
        }
    }
}
