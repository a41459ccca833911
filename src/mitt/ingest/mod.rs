//! Ingest: the bytes of a file become a document. Sniff, decode, parse, clean.
//!
//! Formats are parsed by reader plugins, in stores of their own, those of text too. The host itself looks at types, within bounds,
//! and takes plain UTF-8 as it is. Where no skill reads a text format, the host reads it under a charge. Knows no session and no model.

mod evidence;
mod native;
mod purse;
mod recognise;
mod shares;
mod sniff;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

pub(crate) use crate::capability::Parts;
use crate::capability::{ReaderContent, ReaderFailure, ReaderFile, ReaderWith};
use crate::document::{Document, Place};
use crate::engine::{Environment, Usage};
use crate::ocr::OcrOptions;
use crate::skill::{Compiling, Reader, Registry};
use mitt_base::digest::sha256;
use mitt_base::limits::CallLimits;
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_base::{Error, ErrorKind, InputProblem, Resource, Result};
use mitt_table::{NamedTable, Table};

pub(crate) use purse::{Purse, is_of_purse};
pub(crate) use sniff::FileType;

/// What was read out of a file.
#[derive(Clone, Debug, Default, PartialEq)]
struct Content {
    title: Option<String>,
    metadata: Vec<(String, String)>,
    markdown: String,
    places: Vec<Place>,
    tables: Vec<NamedTable>,
    warnings: Vec<String>,
}

/// Told, with the name of the reader, that it has to be compiled.
pub(crate) type Told<'a> = &'a (dyn Fn(&str, Compiling) + Send + Sync);

/// What the readers run with.
pub(crate) struct Readers<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) environment: &'a Environment,
    /// Narrows a reader's limits to the host's.
    pub(crate) limits: &'a (dyn Fn(&CallLimits) -> CallLimits + Sync),
    /// Who is charged for what is there while a file is read: the reader's store, and all that is made of the file until
    /// the document is.
    pub(crate) memory: &'a Account,
    /// Who is charged for its tables, as long as they are kept.
    pub(crate) tables: &'a Account,
    pub(crate) told: Told<'a>,
    /// Told of the rows that are read.
    pub(crate) rows: &'a Rows,
    /// Who recognises text in pictures, if anybody does.
    pub(crate) ocr: Option<&'a OcrOptions>,
    /// Budget that the file shares with the files around it and inside of it.
    pub(crate) purse: &'a Purse,
}

impl Readers<'_> {
    /// What a call of `reader` for a file of so many bytes runs with.
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

/// Read a whole file of at most `limit` bytes.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it is missing, unreadable or not a file. [`ErrorKind::Limit`] - it is larger.
pub(crate) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Input, format!("cannot read {}", path.display()))
            .hint("name an existing file that you may read")
            .caused_by(error)
    };
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(Error::new(
            ErrorKind::Input,
            format!("cannot read {}: it is a folder", path.display()),
        )
        .hint("name the files in it, one by one"));
    }
    let too_large = |size| Error::limit(Resource::Document, limit, size).at(path.display());
    if metadata.len() > limit {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    // The size may be unknown, as of a pipe, or may have grown since.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// A file that was looked at.
pub(crate) enum Looked {
    /// A text, which was read, and the charge of what is there of it.
    Text(Document, Charge),
    /// A file for a reader plugin.
    Foreign(Foreign),
}

/// What a document was before it was decrypted.
pub(crate) struct Origin {
    sha256: String,
    size: u64,
    warnings: Vec<String>,
}

/// A file that a reader plugin is to read.
pub(crate) struct Foreign {
    file_type: FileType,
    bytes: Vec<u8>,
    /// What it becomes, without its content.
    document: Document,
    /// Whether it is a text in an encoding that readers of web pages do not know.
    is_before_the_web: bool,
}

/// Where the content of a text goes.
#[derive(Clone)]
pub(crate) struct Room {
    /// Who is charged for what is there while it is read.
    pub(crate) memory: Account,
    /// Who is charged for its tables.
    pub(crate) tables: Account,
    /// Characters of a table's text that are of use.
    pub(crate) characters: u64,
    /// Told of the rows that are read.
    pub(crate) rows: Rows,
}

/// Find out what a file is, and read it if it is a text: long work that gives no way to others, so that it is no work for
/// the threads of an executor unless the file is small.
///
/// `origin` is what the file was that these bytes came out of, if they are not the file.
///
/// # Errors
///
/// [`ErrorKind::Input`] - empty, encrypted, or a text that cannot be read. [`ErrorKind::Limit`] - there is no memory for it.
pub(crate) fn look(
    name: &str,
    bytes: Vec<u8>,
    origin: Option<Origin>,
    room: &Room,
) -> Result<Looked> {
    if bytes.is_empty() {
        return Err(Error::new(ErrorKind::Input, "the file is empty")
            .named(InputProblem::Empty)
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
            let (content, charge) = native::read(&file_type, bytes, room)?;
            Ok(Looked::Text(content.into_document(document), charge))
        }
        FileType::Damaged { what } => Err(Error::new(
            ErrorKind::Input,
            format!("the file is damaged: it begins as {what}, and its directory is missing"),
        )
        .named(InputProblem::Corrupt)
        .hint("copy or download it again: it is probably cut short")),
        _ => {
            let is_before_the_web = file_type.is_text_at_least()
                && !file_type.is_plain()
                && std::str::from_utf8(&bytes).is_err()
                && mitt_text::decode::is_before_the_web(&bytes);
            Ok(Looked::Foreign(Foreign { file_type, bytes, document, is_before_the_web }))
        }
    }
}

/// Whether a file has to be decrypted before anybody can tell what it is.
pub(crate) fn is_locked(file: &Foreign) -> bool {
    file.file_type == FileType::EncryptedOffice
}

/// Have a file decrypted. Gives its bytes, their charge, and what it was, to [`look`] at.
///
/// # Errors
///
/// [`ErrorKind::Input`] - without the right password, damaged, or encrypted in a way that nothing here reads. [`ErrorKind::Limit`],
/// [`ErrorKind::Trap`] - the reader reached a limit or crashed.
pub(crate) async fn unlock(
    readers: &Readers<'_>,
    file: Foreign,
    password: Option<&str>,
) -> Result<(Vec<u8>, Charge, Origin)> {
    let Foreign { file_type, bytes, document, .. } = file;
    let Some(reader) = readers.registry.reader_telling(file_type.extension(), readers.told).await?
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

/// Whether a file is a text, such as values, a web page or JSON, and no skill reads such.
///
/// # Errors
///
/// As those of loading the skill that does.
pub(crate) async fn is_bare_text(registry: &Registry, file: &Foreign) -> Result<bool> {
    Ok(file.file_type.is_text_at_least()
        && registry.reader(file.file_type.extension()).await?.is_none())
}

/// Whether a file is one of the texts that the host reads where no skill does.
pub(crate) fn is_plain(file: &Foreign) -> bool {
    file.file_type.is_plain()
}

/// Bytes of a file.
pub(crate) fn size(file: &Foreign) -> u64 {
    file.bytes.len() as u64
}

/// A text where no skill reads it: values and Markdown with their tables, a web page with its tags, more than a reader would give, but
/// nothing is lost. Long work, as [`look`] is.
///
/// # Errors
///
/// [`ErrorKind::Limit`] - there is no memory for it. [`ErrorKind::Input`] - there is too much of something in it.
pub(crate) fn bare_text(file: Foreign, room: &Room) -> Result<(Document, Charge)> {
    let Foreign { bytes, document, file_type, .. } = file;
    let as_type = if file_type.is_plain() { &file_type } else { &FileType::Text };
    let (mut content, charge) = native::read(as_type, bytes, room)?;
    if file_type == FileType::Html {
        content.warnings.push("the text is the source of the web page, tags included".into());
    }
    let mut document = content.into_document(document);
    show_only_table(&mut document, room.characters);
    Ok((document, charge))
}

/// Have a file read by the reader plugin of its type, and say what that used.
///
/// # Errors
///
/// [`ErrorKind::Input`] - damaged, or of a type that nothing here reads.
/// [`ErrorKind::Limit`], [`ErrorKind::Trap`] - the reader reached a limit or crashed: the fault of this one file.
pub(crate) async fn read(
    readers: &Readers<'_>,
    file: Foreign,
    password: Option<&str>,
) -> Result<ReadFile> {
    let Foreign { file_type, mut bytes, mut document, is_before_the_web } = file;
    let mut _decoded = Charge::default();
    if is_before_the_web {
        let (text, told, charge) = as_utf8(readers, bytes, &document.name).await?;
        document.warnings.extend(told);
        (bytes, _decoded) = (text, charge);
    }
    let (content, parts, usage) =
        foreign(readers, &file_type, bytes, (&document.name, password)).await?;
    Ok(ReadFile { document: content.into_document(document), parts, usage })
}

/// A text in UTF-8 with its mark, what was done to get it, and its charge: by the reader of texts, or in the host where there is none.
async fn as_utf8(
    readers: &Readers<'_>,
    bytes: Vec<u8>,
    name: &str,
) -> Result<(Vec<u8>, Vec<String>, Charge)> {
    let extension = FileType::Text.extension();
    let (text, told, charge) =
        match readers.registry.reader_telling(extension, readers.told).await? {
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
    Ok((format!("\u{FEFF}{text}").into_bytes(), told, charge))
}

/// What came of a file that a reader plugin has read.
pub(crate) struct ReadFile {
    pub(crate) document: Document,
    /// The files inside of it.
    pub(crate) parts: Parts,
    pub(crate) usage: Usage,
}

/// The error of a file that is encrypted.
fn encrypted(message: impl Into<String>, has_password: bool) -> Error {
    let error = Error::new(ErrorKind::Input, message).named(InputProblem::Encrypted);
    match has_password {
        true => error.hint("the password does not open it: check it, or save the file without one"),
        false => error.hint("give its password, or save it without one"),
    }
}

/// A document of one table, which shows its beginning.
pub(crate) fn of_table(table: Table, document: Document, characters: u64) -> Document {
    let tables = vec![NamedTable::new("", table)];
    let mut document = Content { tables, ..Content::default() }.into_document(document);
    show_only_table(&mut document, characters);
    document
}

/// Most characters of a table that are written into a text, whatever the caller allows: a Parquet file of 1 kB may expand to gigabytes,
/// because a column stores a repeated text once.
const MAX_SHOWN: u64 = 100_000_000;

/// Show the beginning of a table that is all there is of a document, or that stands below titles in a file of values.
pub(crate) fn show_only_table(document: &mut Document, characters: u64) {
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
    /// Put it into `document`, which has none.
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

/// Hand a file to the reader plugin of its type.
async fn foreign(
    readers: &Readers<'_>,
    file_type: &FileType,
    bytes: Vec<u8>,
    (name, password): (&str, Option<&str>),
) -> Result<(Content, Parts, Usage)> {
    let extension = file_type.extension();
    let Some(reader) = readers.registry.reader_telling(extension, readers.told).await? else {
        return Err(unread(file_type));
    };
    // Shared with the reader's call, which makes a copy of it.
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
    // A text may be blank, and is read all the same.
    let is_blank = content.markdown.trim().is_empty() && content.tables.is_empty();
    if is_blank && !file_type.is_plain() {
        if !scanned.is_empty() && !is_read {
            return Err(needs_ocr(&content, has_ocr));
        }
        if parts.files.is_empty() {
            return Err(because(&content, "there is no text and no table in it")
                .named(InputProblem::Empty)
                .hint("check that it is the file that you mean"));
        }
    }
    if !unread.is_empty() {
        let why = match has_ocr {
            true => "the time for recognising text was over, or there are too many",
            false => "pictures of text need OCR",
        };
        content.warnings.push(format!("{} not read: {why}", pages(&unread)));
    }
    Ok((content, parts, usage))
}

/// Have `reader` read a file.
async fn ask(
    readers: &Readers<'_>,
    reader: &Reader,
    bytes: Arc<[u8]>,
    name: &str,
    file_type: &FileType,
    password: Option<&str>,
) -> Result<(ReaderContent, Usage)> {
    let file = ReaderFile { name, extension: file_type.extension(), password };
    readers.purse.check()?;
    let own = readers.with(reader, bytes.len());
    let with = ReaderWith { limits: readers.purse.narrowed(own.limits.clone()), ..own.clone() };
    let output = shares::read(&reader.prepared, bytes, file, &with).await;
    readers.purse.spend_usage(&output.usage);
    let told = |error| readers.purse.told(error, &with.limits, &own.limits);
    let content =
        output.result.map_err(told)?.map_err(|failure| failed(failure, password.is_some()))?;
    Ok((content, output.usage))
}

/// The error of a file that is all pictures of text, none of which was read.
fn needs_ocr(content: &Content, has_ocr: bool) -> Error {
    let message = match has_ocr {
        true => "its pages are pictures of text, and none was recognised",
        false => "its pages are pictures of text, and nothing here recognises it",
    };
    // Where there is a program, the warnings say what it or the drawing of the pages failed at.
    let hint = match has_ocr {
        true => "scan it with 300 dpi in grey, or give the text itself",
        false => {
            "install the program tesseract (packages `tesseract-ocr` and `tesseract-ocr-chi-sim`), or give the text itself"
        }
    };
    because(content, message).named(InputProblem::NeedsOcr).hint(hint)
}

/// An error with what was told while the file was read.
fn because(content: &Content, message: &str) -> Error {
    let error = Error::new(ErrorKind::Input, message);
    match &content.warnings[..] {
        [] => error,
        told => error.caused_by(told.join("; ")),
    }
}

/// The error of a file that no skill reads.
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
    Error::new(ErrorKind::Input, message).named(InputProblem::UnsupportedType).hint(hint)
}

/// What a reader gave up for.
fn failed(failure: ReaderFailure, has_password: bool) -> Error {
    let ReaderFailure { outcome, text } = failure;
    let length = text.chars().count();
    let kept = format!("its reader gave up, with a text of {length} characters");
    let error = match outcome {
        Some(InputProblem::Encrypted) => encrypted(text, has_password),
        Some(outcome) => Error::new(ErrorKind::Input, text).named(outcome),
        None => Error::new(ErrorKind::Input, text),
    };
    error.kept_as(kept)
}

/// `page 3 was`, `pages 1, 2, 5 and 40 more were`.
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
