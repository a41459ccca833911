//! Ingest of [Mitt](https://docs.rs/mitt): turns the bytes of a file into a document. It identifies, decodes, parses and cleans them.
//!
//! Reader plugins parse all formats, including text, in stores of their own. The host itself only identifies types, within
//! limits, and takes plain UTF-8 as it is. If no skill reads a text format, the host parses it under a charge. Knows no session
//! and no model.
//!
//! Its interface is for Mitt's own crates and changes with them. `mitt` re-exports the module [`ocr`] for others, and its version
//! speaks for those items alone.

#![forbid(unsafe_code)]

mod edited;
mod embedded;
mod evidence;
mod file;
pub mod fill;
mod native;
pub mod ocr;
mod parts_budget;
mod pdf_name;
mod pieces;
mod recognise;
mod shares;
mod sniff;
mod unseen;
mod view;

use std::sync::Arc;

use crate::ocr::OcrOptions;
use mitt_base::digest::sha256;
use mitt_base::limits::CallLimits;
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_base::{Error, ErrorKind, InputProblem, Result};
use mitt_engine::{Environment, Usage, UsageInternal as _};
pub use mitt_skill::capability::Parts;
use mitt_skill::{
    Compiling, Reader, ReaderInternal as _, Registry, RegistryInternal as _,
    capability::{ReaderContent, ReaderFailure, ReaderFile, ReaderWith},
};
use mitt_table::{NamedTable, Table};
use mitt_types::{Document, DocumentInternal as _, Place};

pub use edited::{edited_type, is_package_or_pdf, read_edited, text_type};
pub use embedded::read_embedded;
pub use file::read_file;
pub use parts_budget::{PartsBudget, is_over_budget};
pub use sniff::FileType;
pub use view::{has_view, read_view};

/// Content that was read from a file.
#[derive(Clone, Debug, Default, PartialEq)]
struct Content {
    title: Option<String>,
    metadata: Vec<(String, String)>,
    markdown: String,
    places: Vec<Place>,
    tables: Vec<NamedTable>,
    warnings: Vec<String>,
}

/// Called with the name of the reader while it is compiled.
pub type OnCompiling<'a> = &'a (dyn Fn(&str, Compiling) + Send + Sync);

/// Settings for readers.
pub struct Readers<'a> {
    /// Skills, among them the readers.
    pub registry: &'a Registry,
    /// Clock and random numbers of readers.
    pub environment: &'a Environment,
    /// Lowers a reader's limits to those of the host.
    pub limits: &'a (dyn Fn(&CallLimits) -> CallLimits + Sync),
    /// Account for memory while a file is read: the reader's store, and intermediate results until the document exists.
    pub memory: &'a Account,
    /// Account for the tables of the document, while they are kept.
    pub tables: &'a Account,
    /// Called while a reader is compiled.
    pub on_compiling: OnCompiling<'a>,
    /// Reporter of rows that are read.
    pub rows: &'a Rows,
    /// Recognition of text in pictures, if the host has it.
    pub ocr: Option<&'a OcrOptions>,
    /// Budget that the file shares with the files around it and inside of it.
    pub budget: &'a PartsBudget,
}

impl Readers<'_> {
    /// Returns the settings for a call of `reader` for a file of `bytes` bytes.
    fn with(&self, reader: &Reader, bytes: usize) -> ReaderWith {
        ReaderWith {
            limits: (self.limits)(&reader.limits.for_file(bytes as u64)),
            environment: self.environment.clone(),
            memory: self.memory.clone(),
            tables: self.tables.clone(),
            rows: self.rows.clone(),
        }
    }
}

/// Identified file.
pub enum IdentifiedFile {
    /// Text that has been read, and its charge.
    Text(Document, Charge),
    /// File for a reader plugin.
    Unparsed(UnparsedFile),
}

/// Facts about an encrypted file before it was decrypted.
pub struct Origin {
    sha256: String,
    size: u64,
    warnings: Vec<String>,
}

/// File that a reader plugin must read.
pub struct UnparsedFile {
    file_type: FileType,
    bytes: Vec<u8>,
    /// Its document, still without content.
    document: Document,
    /// `true` if it is text in an encoding that readers of web pages do not know.
    is_before_the_web: bool,
}

/// Accounts and limits for the content of a text.
#[derive(Clone)]
pub struct IngestAccounts {
    /// Account for memory while the text is read.
    pub memory: Account,
    /// Account for its tables.
    pub tables: Account,
    /// Most characters of a table's text that are used.
    pub characters: u64,
    /// Reporter of rows that are read.
    pub rows: Rows,
}

/// Identifies a file, and reads it if it is a text. Blocks for long: unless the file is small, it must not run on a thread of an
/// executor.
///
/// `origin` describes the file that these bytes were decrypted from, if any.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the file is empty, encrypted, or a text that cannot be read. [`ErrorKind::Limit`] - there is no memory
/// for it.
pub fn identify(
    name: &str,
    bytes: Vec<u8>,
    origin: Option<Origin>,
    accounts: &IngestAccounts,
) -> Result<IdentifiedFile> {
    if bytes.is_empty() {
        return Err(Error::new(ErrorKind::Input, "the file is empty")
            .with_problem(InputProblem::Empty)
            .hint("check that it was saved or copied completely"));
    }
    let (file_type, warning) = sniff::sniff(name, &bytes);
    if origin.is_some() && file_type == FileType::EncryptedOffice {
        return Err(encrypted("the file is encrypted twice", false));
    }
    let origin = origin.unwrap_or_else(|| Origin {
        sha256: sha256(&bytes),
        size: bytes.len() as u64,
        warnings: Vec::new(),
    });
    let document = Document {
        warnings: warning.into_iter().chain(origin.warnings).collect(),
        sha256: origin.sha256,
        size: origin.size,
        ..Document::empty(name, file_type.media_type())
    };
    match file_type {
        FileType::Text if std::str::from_utf8(&bytes).is_ok() => {
            let (mut content, charge) = native::read(&file_type, bytes, accounts)?;
            unseen::remove(&mut content, &accounts.memory, &accounts.tables)?;
            Ok(IdentifiedFile::Text(content.into_document(document), charge))
        }
        FileType::Damaged { what } => Err(Error::new(
            ErrorKind::Input,
            format!("the file is damaged: it begins as {what}, and its directory is missing"),
        )
        .with_problem(InputProblem::Corrupt)
        .hint("copy or download it again: it is probably cut short")),
        _ => {
            let is_before_the_web = file_type.is_text_at_least()
                && !file_type.is_plain()
                && std::str::from_utf8(&bytes).is_err()
                && mitt_text::decode::is_before_the_web(&bytes);
            Ok(IdentifiedFile::Unparsed(UnparsedFile {
                file_type,
                bytes,
                document,
                is_before_the_web,
            }))
        }
    }
}

/// Returns whether a file must be decrypted before it can be identified.
pub fn is_locked(file: &UnparsedFile) -> bool {
    file.file_type == FileType::EncryptedOffice
}

/// Decrypts a file. Returns its bytes, their charge, and facts about the original, for [`identify`].
///
/// # Errors
///
/// [`ErrorKind::Input`] - the password is missing or wrong, or the file is damaged or encrypted in an unsupported way.
/// [`ErrorKind::Limit`], [`ErrorKind::Trap`] - the reader reached a limit or crashed.
pub async fn unlock(
    readers: &Readers<'_>,
    file: UnparsedFile,
    password: Option<&str>,
) -> Result<(Vec<u8>, Charge, Origin)> {
    let UnparsedFile { file_type, bytes, document, .. } = file;
    let Some(reader) =
        readers.registry.reader_with_progress(file_type.extension(), readers.on_compiling).await?
    else {
        return Err(encrypted("the file is encrypted", false));
    };
    let _working = readers.memory.charge(2 * bytes.len() as u64).map_err(Error::reached)?;
    let content =
        ask(readers, &reader, bytes.into(), &document.name, &file_type, password).await?.0;
    let ReaderContent { parts, warnings, .. } = content;
    let Parts { files, charge } = parts;
    let Some((_, bytes)) = files.into_iter().next() else {
        return Err(Error::bug("a reader decrypted nothing"));
    };
    let origin = Origin { sha256: document.sha256, size: document.size, warnings };
    Ok((bytes, charge, origin))
}

/// Returns whether a file is a text, such as CSV, a web page or JSON, that no skill reads.
///
/// # Errors
///
/// The errors of loading the skill that reads it.
pub async fn is_bare_text(registry: &Registry, file: &UnparsedFile) -> Result<bool> {
    Ok(file.file_type.is_text_at_least()
        && registry.reader(file.file_type.extension()).await?.is_none())
}

/// Returns whether a file is one of the texts that the host reads if no skill does.
pub fn is_plain(file: &UnparsedFile) -> bool {
    file.file_type.is_plain()
}

/// Returns the size of a file in bytes.
pub fn size(file: &UnparsedFile) -> u64 {
    file.bytes.len() as u64
}

/// Reads a text that no skill reads: CSV and Markdown with their tables, other formats as their source, so that nothing is lost.
/// Blocks for long, like [`identify`].
///
/// # Errors
///
/// [`ErrorKind::Limit`] - there is no memory for it. [`ErrorKind::Input`] - a table in it is too large.
pub fn bare_text(file: UnparsedFile, accounts: &IngestAccounts) -> Result<(Document, Charge)> {
    let UnparsedFile { bytes, document, file_type, .. } = file;
    let as_type = if file_type.is_plain() { &file_type } else { &FileType::Text };
    let (mut content, charge) = native::read(as_type, bytes, accounts)?;
    unseen::remove(&mut content, &accounts.memory, &accounts.tables)?;
    if file_type == FileType::Html {
        content.warnings.push("the text is the source of the web page, tags included".into());
    }
    let mut document = content.into_document(document);
    show_only_table(&mut document, accounts.characters);
    Ok((document, charge))
}

/// Returns the document of a file without any content.
pub fn blank(file: &UnparsedFile) -> Document {
    file.document.clone()
}

/// Returns `true` if a file may need a password: a PDF that has the name `Encrypt` anywhere. The name stands in the trailer, which is
/// never compressed. Encrypted Office files have a type of their own ([`is_locked`]).
pub fn may_be_encrypted(file: &UnparsedFile) -> bool {
    file.file_type == FileType::Pdf && pdf_name::has_name(&file.bytes, b"Encrypt")
}

/// Reads a file by the reader plugin for its type. Returns the document, inner files and usage.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the file is damaged, or of an unsupported type. [`ErrorKind::Limit`], [`ErrorKind::Trap`] - the reader
/// reached a limit or crashed at this file.
pub async fn read(
    readers: &Readers<'_>,
    file: UnparsedFile,
    password: Option<&str>,
) -> Result<ReadFile> {
    let UnparsedFile { file_type, mut bytes, mut document, is_before_the_web } = file;
    let mut _decoded = Charge::default();
    if is_before_the_web {
        let (text, warnings, charge) = as_utf8(readers, bytes, &document.name).await?;
        document.warnings.extend(warnings);
        (bytes, _decoded) = (text, charge);
    }
    let (mut content, parts, usage) =
        read_by_plugin(readers, &file_type, bytes, (&document.name, password)).await?;
    unseen::remove(&mut content, readers.memory, readers.tables)?;
    Ok(ReadFile { document: content.into_document(document), parts, usage })
}

/// Converts a text to UTF-8 with a byte order mark, by the reader of texts or in the host. Returns the bytes, warnings, and the
/// charge.
async fn as_utf8(
    readers: &Readers<'_>,
    bytes: Vec<u8>,
    name: &str,
) -> Result<(Vec<u8>, Vec<String>, Charge)> {
    let extension = FileType::Text.extension();
    let (text, warnings, charge) =
        match readers.registry.reader_with_progress(extension, readers.on_compiling).await? {
            Some(reader) => {
                let _working =
                    readers.memory.charge(2 * bytes.len() as u64).map_err(Error::reached)?;
                let read =
                    ask(readers, &reader, bytes.into(), name, &FileType::Text, None).await?.0;
                (read.markdown, read.warnings, read.working)
            }
            None => {
                let needed = mitt_text::decode::working_bytes(&bytes);
                let charge = readers.memory.charge(needed).map_err(Error::reached)?;
                let decoded = mitt_text::decode::decode(bytes);
                (decoded.text, decoded.warnings, charge)
            }
        };
    let _copy = readers.memory.charge(text.len() as u64).map_err(Error::reached)?;
    Ok((format!("\u{FEFF}{text}").into_bytes(), warnings, charge))
}

/// Result of reading a file by a plugin.
pub struct ReadFile {
    /// The document.
    pub document: Document,
    /// Files inside of the file.
    pub parts: Parts,
    /// What reading it took.
    pub usage: Usage,
}

/// Returns the error for an encrypted file.
fn encrypted(message: impl Into<String>, has_password: bool) -> Error {
    let error = Error::new(ErrorKind::Input, message).with_problem(InputProblem::Encrypted);
    if has_password {
        error.hint("the password does not open it: check it, or save the file without one")
    } else {
        error.hint("give its password, or save it without one")
    }
}

/// Returns a document of one table, whose text is the beginning of the table.
pub fn of_table(table: Table, document: Document, characters: u64) -> Document {
    let tables = vec![NamedTable::new("", table)];
    let mut document = Content { tables, ..Content::default() }.into_document(document);
    show_only_table(&mut document, characters);
    document
}

/// Most characters of a table that are written into a text, whatever the caller allows: a Parquet file of 1 kB may expand to gigabytes,
/// because a column stores a repeated text once.
const MAX_SHOWN: u64 = 100_000_000;

/// Writes the beginning of a table into the text, if the table is the whole document, or follows titles in a CSV file.
pub fn show_only_table(document: &mut Document, characters: u64) {
    let [table] = &*document.tables else { return };
    if !document.text.is_empty() && document.media_type != FileType::Csv.media_type() {
        return;
    }
    let left = characters.min(MAX_SHOWN).saturating_sub(document.text.chars().count() as u64);
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    let shown = table.data.push_markdown(&mut document.text, left);
    let rows = table.data.rows();
    if shown < rows {
        document.warnings.push(format!(
            "the text shows the first {shown} of {rows} rows; the table has all of them"
        ));
    }
    document.characters = document.text.chars().count() as u64;
}

impl Content {
    /// Moves the content into `document`, which has none.
    fn into_document(self, mut document: Document) -> Document {
        document.title = self.title;
        document.metadata = self.metadata;
        document.places = self.places;
        document.characters = self.markdown.chars().count() as u64;
        document.text = self.markdown;
        document.tables = self.tables.into();
        document.warnings.extend(self.warnings);
        document.warnings.extend(evidence::of(&document.tables));
        document
    }
}

/// Reads a file by the reader plugin for its type.
async fn read_by_plugin(
    readers: &Readers<'_>,
    file_type: &FileType,
    bytes: Vec<u8>,
    (name, password): (&str, Option<&str>),
) -> Result<(Content, Parts, Usage)> {
    let extension = file_type.extension();
    let Some(reader) =
        readers.registry.reader_with_progress(extension, readers.on_compiling).await?
    else {
        return Err(unread(file_type));
    };
    // Shared with the reader's call, which copies it.
    let _working = readers.memory.charge(2 * bytes.len() as u64).map_err(Error::reached)?;
    let bytes: Arc<[u8]> = bytes.into();
    let (content, usage) = ask(readers, &reader, bytes.clone(), name, file_type, password).await?;
    let ReaderContent {
        title,
        metadata,
        markdown,
        places,
        tables,
        parts,
        scanned,
        warnings,
        working,
    } = content;
    let mut content = Content { title, metadata, markdown, places, tables, warnings };
    drop(working);
    let (unread, is_read) = match readers.ocr {
        Some(ocr) if !scanned.is_empty() => {
            recognise::pages(readers, ocr, (&bytes, password), &scanned, &mut content).await?
        }
        _ => (scanned.clone(), false),
    };
    let has_ocr = readers.ocr.is_some();
    // A text may be blank and still be valid.
    let is_blank = content.markdown.trim().is_empty() && content.tables.is_empty();
    if is_blank && !file_type.is_plain() {
        if !scanned.is_empty() && !is_read {
            return Err(needs_ocr(&content, has_ocr));
        }
        if parts.files.is_empty() {
            return Err(because(&content, "there is no text and no table in it")
                .with_problem(InputProblem::Empty)
                .hint("check that it is the file that you mean"));
        }
    }
    if !unread.is_empty() {
        let why = if has_ocr {
            "the time for recognising text was over, or there are too many"
        } else {
            "pictures of text need OCR"
        };
        content.warnings.push(format!("{} not read: {why}", pages(&unread)));
    }
    Ok((content, parts, usage))
}

/// Reads a file by `reader`.
async fn ask(
    readers: &Readers<'_>,
    reader: &Reader,
    bytes: Arc<[u8]>,
    name: &str,
    file_type: &FileType,
    password: Option<&str>,
) -> Result<(ReaderContent, Usage)> {
    let file = ReaderFile { name, extension: file_type.extension(), password };
    readers.budget.check()?;
    let own = readers.with(reader, bytes.len());
    let lowered =
        || ReaderWith { limits: readers.budget.lowered(own.limits.clone()), ..own.clone() };
    let mut with = lowered();
    let (output, in_vain) = match pieces::read(reader.prepared(), &bytes, file, &with).await {
        Ok(output) => (output, Usage::default()),
        Err(usage) => {
            readers.budget.spend_usage(&usage);
            readers.budget.check()?;
            with = lowered();
            (shares::read(reader.prepared(), bytes, file, &with).await, usage)
        }
    };
    readers.budget.spend_usage(&output.usage);
    let explained = |error| readers.budget.explained(error, &with.limits, &own.limits);
    let content =
        output.result.map_err(explained)?.map_err(|failure| failed(failure, password.is_some()))?;
    Ok((content, in_vain.then(output.usage)))
}

/// Returns the error for a file that consists of pictures of text, none of which was read.
fn needs_ocr(content: &Content, has_ocr: bool) -> Error {
    let message = if has_ocr {
        "its pages are pictures of text, and none was recognised"
    } else {
        "its pages are pictures of text, and nothing here recognises it"
    };
    // If there is a program, the warnings say how it, or the drawing of the pages, failed.
    let hint = if has_ocr {
        "scan it with 300 dpi in grey, or give the text itself"
    } else {
        "install the program tesseract (packages `tesseract-ocr` and `tesseract-ocr-chi-sim`), or give the text itself"
    };
    because(content, message).with_problem(InputProblem::NeedsOcr).hint(hint)
}

/// Returns an error caused by the warnings of the reading.
fn because(content: &Content, message: &str) -> Error {
    let error = Error::new(ErrorKind::Input, message);
    match &content.warnings[..] {
        [] => error,
        causes => error.caused_by(causes.join("; ")),
    }
}

/// Returns the error for a file that no skill reads.
fn unread(file_type: &FileType) -> Error {
    let media_type = file_type.media_type();
    let (message, hint) = match file_type {
        FileType::Mail { .. } => (
            format!("mails are not read ({media_type})"),
            "save its text and its attachments as files of their own",
        ),
        _ => (
            format!("files of type {media_type} are not read"),
            "save it as xlsx, docx, csv, parquet, md or txt",
        ),
    };
    Error::new(ErrorKind::Input, message).with_problem(InputProblem::UnsupportedType).hint(hint)
}

/// Converts the error of a reader.
fn failed(failure: ReaderFailure, has_password: bool) -> Error {
    let ReaderFailure { outcome, text } = failure;
    let length = text.chars().count();
    let kept = format!("its reader gave up, with a text of {length} characters");
    let error = match outcome {
        Some(InputProblem::Encrypted) => encrypted(text, has_password),
        Some(outcome) => Error::new(ErrorKind::Input, text).with_problem(outcome),
        None => Error::new(ErrorKind::Input, text),
    };
    error.kept_as(kept)
}

/// Formats page numbers: `page 3 was`, `pages 1, 2, 5 and 40 more were`.
fn pages(numbers: &[u32]) -> String {
    const SHOWN: usize = 12;
    if let [page] = numbers {
        return format!("page {page} was");
    }
    let shown: Vec<String> = numbers.iter().take(SHOWN).map(u32::to_string).collect();
    match numbers.len().saturating_sub(SHOWN) {
        0 => format!("pages {} were", shown.join(", ")),
        more => format!("pages {} and {more} more were", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mails_that_no_skill_reads_are_refused_as_such() {
        let mail = FileType::Mail { extension: "eml", media_type: "message/rfc822" };
        let error = unread(&mail);
        assert_eq!(error.to_string(), "mails are not read (message/rfc822)");
        assert!(error.render().contains("save its text and its attachments"), "{}", error.render());
        assert!(unread(&FileType::Pdf).render().contains("application/pdf are not read"));
    }
}
