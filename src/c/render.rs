//! Markdown to files, and templates that are filled, without a session.

use mitt::internal::values_of_json;
use mitt::render::{
    self, Cancel, CommonOptions, Doc, DocxOptions, FillOptions, HtmlOptions, Paper, PdfOptions,
    PptxOptions, Theme, XlsxOptions,
};
use mitt::{Error, ErrorKind, Result};
use serde_json::{Value, json};

use crate::cancel::CancelObject;
use crate::fields::Fields;
use crate::problem::Problem;
use crate::runtime::cancelled;

/// Bytes of the stack on which a file is made. Texts are nested, and the thread of the caller may have a small stack.
const STACK_BYTES: usize = 16 << 20;

/// Formats of files.
const FORMATS: [&str; 5] = ["pdf", "docx", "html", "pptx", "xlsx"];

/// A file, and what is known of it.
pub struct Made {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// What is known of it: see `mitt_render`.
    pub report: Value,
}

/// Reads the options of a file from Markdown.
fn common_options(mut given: Fields) -> Result<CommonOptions> {
    let paper = match given.text("paper")?.as_deref() {
        None => None,
        Some("a4") => Some(Paper::A4),
        Some("letter") => Some(Paper::Letter),
        Some(other) => {
            let message = format!("expected `a4` or `letter`, got `{other}`");
            return Err(given.wrong("paper", &message));
        }
    };
    let theme = match given.text("theme")? {
        None => Theme::default(),
        Some(text) => Theme::parse("theme", &text, &mut |_| {
            Err(Error::input("a theme without a folder has no logo"))
        })?,
    };
    let options = CommonOptions {
        title: given.text("title")?,
        author: given.text("author")?,
        language: given.text("language")?,
        paper,
        contents: given.flag("contents")?,
        theme,
        created: given.millis("created_ms")?,
        ..CommonOptions::default()
    };
    given.finish()?;
    Ok(options)
}

/// Makes a file of this format from Markdown.
///
/// # Errors
///
/// Those of the writers; [`ErrorKind::Arguments`] - there is no such format, or the options are wrong;
/// [`ErrorKind::Cancelled`] - the flag was set.
pub(crate) fn markdown(
    format: &str,
    text: &str,
    options: Fields,
    cancel: Option<&CancelObject>,
) -> Result<Made, Problem> {
    if !FORMATS.contains(&format) {
        let message = format!("expected {}, got `{format}`", FORMATS.join(", "));
        return Err(Error::new(ErrorKind::Arguments, message).at("format").into());
    }
    let options = common_options(options)?;
    aside(cancel, |cancel| {
        let doc = render::markdown(text)?;
        let common = CommonOptions { cancel, ..options };
        match format {
            "pdf" => pdf(&doc, common),
            "docx" => docx(&doc, common),
            "html" => html(&doc, common),
            "pptx" => pptx(&doc, common),
            _ => xlsx(doc, common),
        }
    })
}

fn pdf(doc: &Doc, common: CommonOptions) -> Result<Made> {
    let made = render::pdf(doc, &PdfOptions { common, ..PdfOptions::default() })?;
    let report = json!({ "pages": made.pages, "warnings": made.warnings });
    Ok(Made { bytes: made.bytes, report })
}

fn docx(doc: &Doc, common: CommonOptions) -> Result<Made> {
    let made = render::docx(doc, &DocxOptions { common, ..DocxOptions::default() })?;
    Ok(Made { bytes: made.bytes, report: json!({ "warnings": made.warnings }) })
}

fn html(doc: &Doc, common: CommonOptions) -> Result<Made> {
    let made = render::html(doc, &HtmlOptions { common })?;
    Ok(Made { bytes: made.text.into_bytes(), report: json!({ "warnings": made.warnings }) })
}

fn pptx(doc: &Doc, common: CommonOptions) -> Result<Made> {
    let made = render::pptx(doc, &PptxOptions { common })?;
    let report = json!({ "slides": made.slides, "warnings": made.warnings });
    Ok(Made { bytes: made.bytes, report })
}

fn xlsx(mut doc: Doc, common: CommonOptions) -> Result<Made> {
    doc.meta.language = common.language.or(doc.meta.language);
    doc.meta.paper = common.paper.or(doc.meta.paper);
    let mut sheets = render::sheets(&doc)?;
    if common.title.is_some() {
        sheets.book.title = common.title;
    }
    let (created, cancel) = (common.created.unwrap_or_default(), common.cancel);
    let options = XlsxOptions { created, cancel, ..XlsxOptions::default() };
    let made = render::xlsx(&sheets.book, &options)?;
    sheets.warnings.extend(made.warnings);
    let rows = made.sheets.iter();
    let rows: Vec<Value> =
        rows.map(|sheet| json!({ "name": sheet.name, "rows": sheet.rows })).collect();
    let report = json!({ "sheets": rows, "warnings": sheets.warnings });
    Ok(Made { bytes: made.bytes, report })
}

/// Fills a template with values.
///
/// # Errors
///
/// Those of [`render::fill_docx`] and [`render::fill_xlsx`]; [`ErrorKind::Input`] - the template is neither;
/// [`ErrorKind::Cancelled`] - the flag was set.
pub(crate) fn template(
    template: &[u8],
    values: &[u8],
    mut given: Fields,
    cancel: Option<&CancelObject>,
) -> Result<Made, Problem> {
    let is_workbook = is_workbook(template)?;
    let as_xlsx = given.flag("as_xlsx")?;
    let content = given.text("content")?;
    let created = given.millis("created_ms")?;
    given.finish()?;
    let values = values_of_json(values).map_err(|error| error.at("values"))?;
    aside(cancel, |cancel| {
        if is_workbook {
            if content.is_some() {
                let message = "expected none for a workbook, got a text";
                return Err(Error::new(ErrorKind::Arguments, message).at("options.content"));
            }
            let options = FillOptions { cancel, as_xlsx, ..FillOptions::default() };
            let made = render::fill_xlsx(template, &values, &options)?;
            return Ok(Made { bytes: made.bytes, report: json!({ "warnings": made.warnings }) });
        }
        let content = content.as_deref().map(render::markdown).transpose()?;
        let options = DocxOptions {
            common: CommonOptions { created, cancel, ..CommonOptions::default() },
            ..DocxOptions::default()
        };
        let made = render::fill_docx(template, &values, content.as_ref(), &options)?;
        Ok(Made { bytes: made.bytes, report: json!({ "warnings": made.warnings }) })
    })
}

/// Returns `true` for a workbook, `false` for a Word file.
fn is_workbook(template: &[u8]) -> Result<bool> {
    // The names of entries stand in an archive as they are.
    let has = |name: &str| memchr::memmem::find(template, name.as_bytes()).is_some();
    match template {
        [b'P', b'K', ..] if has("xl/workbook.xml") => Ok(true),
        [b'P', b'K', ..] if has("word/document.xml") => Ok(false),
        _ => Err(Error::input("expected a workbook or a Word file, got another file")
            .at("template")
            .hint("give a template such as `offer.docx` or `budget.xlsx`")),
    }
}

/// Does the work on a thread of its own, and waits for it.
fn aside(
    cancel: Option<&CancelObject>,
    work: impl FnOnce(Cancel) -> Result<Made> + Send,
) -> Result<Made, Problem> {
    let flag = cancel.map_or_else(Cancel::new, |cancel| cancel.rendering.clone());
    if flag.is_cancelled() {
        return Err(cancelled().into());
    }
    let of_work = flag.clone();
    let made = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("mitt-render".into()).stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, || work(of_work)).map_err(|error| {
            Error::new(ErrorKind::Host, "a thread cannot be started").caused_by(error)
        })?;
        thread.join().unwrap_or_else(|_| Err(mitt_base::panics::noticed("rendering")))
    });
    match made {
        Err(_) if flag.is_cancelled() => Err(cancelled().into()),
        made => made.map_err(Problem::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_option_is_left_out_in_a_format_that_has_it() {
        let made = |format: &str, options: &str| {
            let options = Fields::of_text("options", options).unwrap();
            markdown(format, "# T\n\n| a |\n|---|\n| 1 |\n", options, None).unwrap().bytes
        };
        for (format, option) in [
            ("pdf", r#""author":"Ada""#),
            ("docx", r#""author":"Ada""#),
            ("html", r#""author":"Ada""#),
            ("pptx", r#""author":"Ada""#),
            ("pdf", r#""paper":"letter""#),
            ("xlsx", r#""paper":"letter""#),
            ("xlsx", r#""title":"Sales""#),
        ] {
            let plain = made(format, r#"{"created_ms":0}"#);
            let other = made(format, &format!(r#"{{"created_ms":0,{option}}}"#));
            assert!(plain != other, "{format}: {option}");
        }
    }
}
