//! Delivers a Markdown text, or the text of a document, as a file: converted by the host to PDF, Word, a web page or a workbook, or
//! unchanged.
//!
//! The plugin chooses the format and the options. Knows no typesetting.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:report/plugin",
        generate_all,
    });
}
mod convert;
mod plan;

use bindings::exports::mitt::report::tools::{Converted, Guest};
use bindings::mitt::host::types::{Artifact, Error};
use bindings::mitt::host::{documents, render};
use convert::{MAX_BYTES, Source};
use plan::{Delivery, Options, plan};

/// Formats of a converted document.
const CONVERTED: [&str; 4] = ["pdf", "docx", "html", "md"];

/// Characters of a document that are read at once.
const PIECE: u64 = 500_000;

struct Plugin;

impl Guest for Plugin {
    fn deliver(
        markdown: String,
        filename: String,
        title: Option<String>,
        contents: Option<bool>,
        language: Option<String>,
        theme: Option<String>,
        template: Option<String>,
        preview: Option<bool>,
    ) -> Result<Artifact, Error> {
        mitt_guest::report_panics();
        let options = Options { title, contents, language, theme, template, preview };
        match plan(markdown, &filename, options).map_err(Error::InvalidArgument)? {
            Delivery::Pdf(document) => render::pdf(&document, &filename),
            Delivery::PdfAndPicture(document) => render::pdf_with_preview(&document, &filename),
            Delivery::Docx(document) => render::docx(&document, &filename),
            Delivery::Html(document) => render::html(&document, &filename),
            Delivery::Xlsx(document) => render::tables_xlsx(&document, &filename),
            Delivery::Text(text) => render::text(&text, &filename),
        }
    }

    fn convert_document(document: String, filename: String) -> Result<Converted, Error> {
        mitt_guest::report_panics();
        mitt_guest::check_filename(&filename, &CONVERTED).map_err(Error::InvalidArgument)?;
        let extension = filename.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let source = source(&document)?;
        if source.text.trim().is_empty() {
            return Err(Error::Unsupported(format!("`{document}` has no text to convert")));
        }
        let (document, warnings) = source.convert();
        let file = match extension.as_str() {
            "docx" => render::docx(&document, &filename)?,
            "html" => render::html(&document, &filename)?,
            "md" => render::text(&document.markdown, &filename)?,
            _ => render::pdf(&document, &filename)?,
        };
        Ok(Converted { file, warnings })
    }
}

/// Reads the beginning of a document.
///
/// # Errors
///
/// `not-found` - no document has this name; the message lists those that exist.
fn source(name: &str) -> Result<Source, Error> {
    let infos = documents::list();
    let Some(info) = infos.iter().find(|it| it.name == name) else {
        let names: Vec<_> = infos.iter().map(|it| format!("`{}`", it.name)).collect();
        let others = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(Error::NotFound(format!(
            "there is no document `{name}`; those that exist: {others}"
        )));
    };
    let (mut text, mut offset, mut is_cut) = (String::new(), 0, false);
    loop {
        let range = documents::text(name, offset, PIECE)?;
        text.push_str(&range.text);
        offset += range.text.chars().count() as u64;
        if range.text.is_empty() || offset >= range.total {
            break;
        }
        if text.len() > MAX_BYTES {
            is_cut = true;
            break;
        }
    }
    if text.len() > MAX_BYTES {
        let end = text.floor_char_boundary(MAX_BYTES);
        text.truncate(text[..end].rfind('\n').map_or(end, |it| it + 1));
        is_cut = true;
    }
    Ok(Source { info: info.clone(), text, places: documents::places(name)?, is_cut })
}

bindings::export!(Plugin with_types_in bindings);
