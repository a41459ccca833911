//! Reads text documents and slides: text as Markdown, tables apart.
//!
//! The library `office_oxide` parses the files. This crate decides how the Markdown looks, what a table is, and which
//! column a cell belongs to. What the library flattens or leaves out is put into the package as text before the library
//! reads it: equations, automatic numbers, ruby text, inserted documents. Text that people do not see is taken out before.
//! Pictures, drawings and tracked deletions are not read.

mod inline;
mod marks;
mod math;
mod notes;
mod numbering;
mod odf;
mod old_word;
mod package;
mod render;
mod rich;
mod splice;
mod tables;
mod unseen;
mod xml;

use mitt_reader_kit::{Content, ENCRYPTED, Error, MAX_TEXT_BYTES, clean, single_line};
use office_oxide::ir::{DocumentIR, Element, Section};
use office_oxide::options::ParseOptions;
use office_oxide::{Document, DocumentFormat, OfficeError};
use package::Prepared;
use std::io::Cursor;

mitt_reader_kit::export_reader!(crate::read);

/// Most decompressed bytes of a package, and of one part of it. This is half the memory of a reader.
const MAX_PACKAGE_BYTES: u64 = 256 << 20;

/// Most characters of a property.
const MAX_PROPERTY: usize = 2_000;

/// Metadata of a document.
#[derive(Debug, Default)]
struct Properties {
    title: Option<String>,
    author: Option<String>,
    subject: Option<String>,
    keywords: Option<String>,
    company: Option<String>,
    /// ISO 8601, like all times.
    created: Option<String>,
    modified: Option<String>,
}

/// A document that this crate parses itself, in the model of the library.
struct Source {
    sections: Vec<Section>,
    warnings: Vec<String>,
    properties: Properties,
    is_slides: bool,
}

/// Parses a document. `extension` is one of `docx`, `pptx`, `doc`, `ppt`, `odt`, `odp`, `fodt`, `rtf`.
///
/// # Errors
///
/// `unsupported` - the document is encrypted, or the extension is not one of these. `malformed` - the document is
/// damaged. `quota` - it holds more text or table cells than one document may have.
pub fn read(bytes: &[u8], extension: &str) -> Result<Content, Error> {
    read_at(bytes.to_vec(), extension, 0)
}

/// Reads a document at this depth of nested documents.
fn read_at(bytes: Vec<u8>, extension: &str, depth: usize) -> Result<Content, Error> {
    let source = match extension {
        "odt" => odf::read(&bytes, false)?,
        "odp" => odf::read(&bytes, true)?,
        "fodt" => odf::read_flat(&bytes)?,
        "rtf" => rich::read(&bytes)?,
        _ => return read_by_library(bytes, extension, depth),
    };
    let Source { sections, mut warnings, properties, is_slides } = source;
    let rendered = render::render(&sections, is_slides, Vec::new())?;
    warnings.extend(rendered.warnings);
    let metadata = metadata(&properties);
    let title = properties.title.map(|title| single_line(&clean(&title)));
    Ok(Content {
        title: title.filter(|title| !title.is_empty()).or(rendered.title),
        metadata,
        markdown: rendered.markdown,
        places: rendered.places,
        tables: rendered.tables,
        warnings,
        ..Content::default()
    })
}

/// Returns the properties by the names that all readers use.
fn metadata(properties: &Properties) -> Vec<(String, String)> {
    [
        ("author", &properties.author),
        ("subject", &properties.subject),
        ("keywords", &properties.keywords),
        ("company", &properties.company),
        ("created", &properties.created),
        ("modified", &properties.modified),
    ]
    .into_iter()
    .filter_map(|(name, value)| {
        let value = single_line(&clean(value.as_deref()?));
        let value: String = value.chars().take(MAX_PROPERTY).collect();
        (!value.is_empty()).then(|| (name.to_owned(), value))
    })
    .collect()
}

fn read_by_library(bytes: Vec<u8>, extension: &str, depth: usize) -> Result<Content, Error> {
    let format = match extension {
        "docx" => DocumentFormat::Docx,
        "pptx" => DocumentFormat::Pptx,
        "doc" => DocumentFormat::Doc,
        "ppt" => DocumentFormat::Ppt,
        other => {
            return Err(Error::Unsupported(format!(
                "neither a text document nor slides: `{other}`"
            )));
        }
    };
    let is_slides = matches!(format, DocumentFormat::Pptx | DocumentFormat::Ppt);
    let (bytes, mut prepared) = prepare(bytes, format, depth);
    let mut options = ParseOptions::default();
    options.limits.package_bytes = MAX_PACKAGE_BYTES;
    options.limits.part_bytes = MAX_PACKAGE_BYTES;
    options.limits.text_chars = MAX_TEXT_BYTES;
    let document = Document::from_reader_with(Cursor::new(bytes), format, &options)
        .map_err(|error| problem(&error))?;
    let mut ir = document.to_ir();
    drop(document);
    if matches!(format, DocumentFormat::Doc | DocumentFormat::Ppt) {
        unseen::model::remove(&mut ir, is_slides, &mut prepared.notes.unseen);
    }
    let mut warnings: Vec<String> =
        ir.metadata.warnings.iter().map(|warning| tidy(warning)).collect();
    if ir.metadata.text_truncated {
        warnings.push("a part of the text could not be read".to_owned());
    }
    if prepared.has_lists && has_headings(&ir) {
        warnings.push("automatic numbers of headings, if there are any, were not read".to_owned());
    }
    warnings.extend(prepared.notes.into_warnings());
    let rendered = render::render(&ir.sections, is_slides, prepared.chunks)?;
    warnings.extend(rendered.warnings);
    let title = title(&ir, rendered.title);
    let own = &ir.metadata;
    let metadata = metadata(&Properties {
        title: None,
        author: own.author.clone(),
        subject: own.subject.clone(),
        keywords: (!own.keywords.is_empty()).then(|| own.keywords.join(", ")),
        company: own.company.clone(),
        created: own.created.clone(),
        modified: own.modified.clone(),
    });
    Ok(Content {
        title,
        metadata,
        markdown: rendered.markdown,
        places: rendered.places,
        tables: rendered.tables,
        warnings,
        ..Content::default()
    })
}

/// Puts what the library cannot read into the file as text.
fn prepare(mut bytes: Vec<u8>, format: DocumentFormat, depth: usize) -> (Vec<u8>, Prepared) {
    let is_slides = matches!(format, DocumentFormat::Pptx | DocumentFormat::Ppt);
    if matches!(format, DocumentFormat::Docx | DocumentFormat::Pptx) {
        return package::prepare(bytes, is_slides, depth);
    }
    let mut prepared = Prepared::default();
    if !is_slides {
        prepared.has_lists = old_word::has_lists(&bytes);
        old_word::write_out(&mut bytes, &mut prepared.notes);
    }
    prepared.notes.old_equations = old_word::old_equations(&bytes, is_slides);
    if let Err(why) = unseen::old::remove(&mut bytes, is_slides, &mut prepared.notes.unseen) {
        let warning = format!("text that nobody sees was not looked for, because {why}");
        prepared.notes.warnings.push(warning);
    }
    (bytes, prepared)
}

fn has_headings(ir: &DocumentIR) -> bool {
    ir.sections
        .iter()
        .flat_map(|section| &section.elements)
        .any(|element| matches!(element, Element::Heading(_)))
}

/// Returns the title from the properties of the document, or else from its text. `styled` is the paragraph in a title
/// style.
fn title(ir: &DocumentIR, styled: Option<String>) -> Option<String> {
    let tidy = |title: &str| single_line(&clean(&marks::read(title)));
    let own = ir.metadata.title.as_deref().map(tidy).filter(|title| !title.is_empty());
    let first_heading = ir.sections.iter().find_map(|section| section.title.as_deref()).map(tidy);
    // Without a title in the properties, the library returns the first heading. A paragraph in a title style is better.
    match styled {
        Some(styled) if own.is_none() || own == first_heading => Some(styled),
        _ => own,
    }
}

fn problem(error: &OfficeError) -> Error {
    let text = tidy(&error.to_string());
    if is_encrypted(error) || text.contains("password-protected") {
        return Error::Unsupported(ENCRYPTED.to_owned());
    }
    match error {
        OfficeError::Doc(office_oxide::doc::DocError::UnsupportedVersion(_)) => {
            Error::Unsupported(format!("{text}: save it as docx"))
        }
        OfficeError::Core(office_oxide::core::Error::PackageLimit { .. })
        | OfficeError::Core(office_oxide::core::Error::DecompressionLimit { .. }) => {
            Error::Quota(text)
        }
        _ => Error::Malformed(format!("the document is damaged: {text}")),
    }
}

fn is_encrypted(error: &OfficeError) -> bool {
    matches!(
        error,
        OfficeError::Doc(office_oxide::doc::DocError::Encrypted)
            | OfficeError::Ppt(office_oxide::ppt::PptError::Encrypted)
    )
}

/// Returns a message of the library in our form: one line, without a final period.
fn tidy(message: &str) -> String {
    single_line(&clean(message)).trim_end_matches('.').to_owned()
}
