//! The package of a workbook: parts that are read within limits, parts that are rewritten, and all others, which are copied
//! in their compressed form, byte for byte.
//!
//! Knows nothing of the contents but relationships.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _, Write as _};
use std::sync::Arc;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::shared::xml_tokens::{TagKind, XmlToken, xml_tokens};
use mitt_base::error::InputProblem;
use mitt_base::{Error, ErrorKind, Result};

/// Most bytes of a file, most entries, and most unpacked bytes of each and of all.
pub(super) const MAX_FILE_BYTES: usize = 64 << 20;
pub(super) const MAX_ENTRIES: usize = 10_000;
pub(super) const MAX_UNPACKED_BYTES: u64 = 512 << 20;
/// Largest ratio of unpacked to packed size for a larger part: sheets of equal rows reach a hundred.
const RATIO_FROM_BYTES: u64 = 16 << 20;
const MAX_RATIO: u64 = 400;
/// Most bytes that are written.
const MAX_WRITTEN_BYTES: usize = 256 << 20;

/// The beginning of OLE files: encrypted packages and workbooks of old Excel versions.
const OLE: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

pub(super) struct Package<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// Indices of the entries by their names in lower case, because names of parts are not case-sensitive.
    entries: BTreeMap<String, usize>,
    names: Vec<String>,
    written: BTreeMap<usize, Option<String>>,
    /// New parts that are no XML, by their indices.
    files: BTreeMap<usize, Arc<[u8]>>,
    unpacked: u64,
    /// Bytes of all new parts.
    added: u64,
}

impl<'a> Package<'a> {
    /// Opens a file. Checks its entries without unpacking them.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Package<'a>> {
        if bytes.len() > MAX_FILE_BYTES {
            let message = format!(
                "expected a template of at most {MAX_FILE_BYTES} bytes, got {}",
                bytes.len()
            );
            return Err(Error::input(message).with_problem(InputProblem::TooLarge));
        }
        if bytes.starts_with(&OLE) {
            return Err(ole(bytes));
        }
        let mut zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| damaged("it is no package of Excel, or cut off").caused_by(error))?;
        if zip.len() > MAX_ENTRIES {
            let message =
                format!("expected a package of at most {MAX_ENTRIES} parts, got {}", zip.len());
            return Err(Error::input(message).with_problem(InputProblem::TooLarge));
        }
        let overlaps = zip.has_duplicate_names()
            || zip
                .has_overlapping_files()
                .map_err(|error| damaged("its parts").caused_by(error))?;
        if overlaps {
            return Err(damaged("two of its parts share a name or their bytes"));
        }
        let mut package = Package {
            entries: BTreeMap::new(),
            names: Vec::new(),
            written: BTreeMap::new(),
            files: BTreeMap::new(),
            unpacked: 0,
            added: 0,
            zip: ZipArchive::new(Cursor::new(bytes))
                .map_err(|error| damaged("it").caused_by(error))?,
        };
        let mut total = 0_u64;
        for number in 0..zip.len() {
            let entry = zip
                .by_index_raw(number)
                .map_err(|error| damaged(&format!("its part {number}")).caused_by(error))?;
            let name = entry.name().map(std::borrow::Cow::into_owned).unwrap_or_default();
            check_name(&name)?;
            if entry.encrypted() {
                let message = format!("its part `{name}` is encrypted");
                return Err(Error::input(message).with_problem(InputProblem::Encrypted));
            }
            total = total.saturating_add(entry.size());
            let tight = entry.size() > RATIO_FROM_BYTES
                && entry.size() / entry.compressed_size().max(1) > MAX_RATIO;
            if tight || total > MAX_UNPACKED_BYTES {
                return Err(bomb(&name));
            }
            if package.entries.insert(name.to_lowercase(), number).is_some() {
                return Err(damaged(&format!("two of its parts are called `{name}`")));
            }
            package.names.push(name);
        }
        Ok(package)
    }

    /// Returns the names of all parts, as in the file.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let removed = |number: &usize| matches!(self.written.get(number), Some(None));
        self.names
            .iter()
            .enumerate()
            .filter(move |(number, _)| !removed(number))
            .map(|(_, name)| name.as_str())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(&name.to_lowercase())
    }

    /// Adds a part.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - the package would have too many parts or bytes.
    pub(super) fn add(&mut self, name: &str, text: String) -> Result<()> {
        let number = self.new_entry(name, text.len())?;
        self.written.insert(number, Some(text));
        Ok(())
    }

    /// Adds a part that is no XML.
    ///
    /// # Errors
    ///
    /// Those of [`Package::add`].
    pub(super) fn add_file(&mut self, name: &str, content: Arc<[u8]>) -> Result<()> {
        let number = self.new_entry(name, content.len())?;
        self.files.insert(number, content);
        Ok(())
    }

    fn new_entry(&mut self, name: &str, bytes: usize) -> Result<usize> {
        self.added = self.added.saturating_add(bytes as u64);
        if self.names.len() >= MAX_ENTRIES || self.added > MAX_UNPACKED_BYTES {
            let message = format!(
                "the workbook would have more than {MAX_ENTRIES} parts or {} MiB of new ones",
                MAX_UNPACKED_BYTES >> 20
            );
            return Err(Error::new(ErrorKind::Arguments, message).hint("give fewer items"));
        }
        let number = self.names.len();
        self.entries.insert(name.to_lowercase(), number);
        self.names.push(name.to_owned());
        Ok(number)
    }

    /// Returns a name that no part has: `xl/media/image3.png` for `xl/media/image` and `.png`.
    pub(super) fn free_name(&self, start: &str, end: &str) -> String {
        let mut number = 1_u32;
        loop {
            let name = format!("{start}{number}{end}");
            if !self.has(&name) {
                return name;
            }
            number += 1;
        }
    }

    /// Adds a relationship to a part. Returns its identifier.
    pub(super) fn relate(&mut self, part: &str, kind: &str, target: &str) -> Result<String> {
        const NAMESPACE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
        let rels = rels_of(part);
        let old = self.text(&rels)?;
        let taken: Vec<String> = self.relationships(part)?.into_iter().map(|it| it.id).collect();
        let mut number = taken.len() + 1;
        while taken.contains(&format!("rId{number}")) {
            number += 1;
        }
        let id = format!("rId{number}");
        let entry = format!(
            "<Relationship xmlns=\"{NAMESPACE}\" Id=\"{id}\" Type=\"{kind}\" Target=\"/{}\"/>",
            crate::shared::xml_tokens::escape(target)
        );
        match old {
            Some(old) => self.set(&rels, before_end(&old, "Relationships", &entry)),
            None => {
                let text = format!("<Relationships xmlns=\"{NAMESPACE}\">{entry}</Relationships>");
                self.add(&rels, text)?;
            }
        }
        Ok(id)
    }

    /// Declares the content type of a part.
    pub(super) fn declare(&mut self, part: &str, kind: &str) -> Result<()> {
        let entry = format!(
            "<Override xmlns=\"{TYPES_NAMESPACE}\" PartName=\"/{}\" ContentType=\"{}\"/>",
            crate::shared::xml_tokens::escape(part),
            crate::shared::xml_tokens::escape(kind)
        );
        self.append_type(&entry)
    }

    /// Declares the content type of all parts with this extension, unless it has one.
    pub(super) fn declare_extension(&mut self, extension: &str, kind: &str) -> Result<()> {
        let types = self.text(CONTENT_TYPES)?.unwrap_or_default();
        let is_known = xml_tokens(&types).any(|token| {
            matches!(token, XmlToken::Tag(tag) if tag.opens("Default")
                && tag.text("Extension").is_some_and(|it| it.eq_ignore_ascii_case(extension)))
        });
        if is_known {
            return Ok(());
        }
        let entry = format!(
            "<Default xmlns=\"{TYPES_NAMESPACE}\" Extension=\"{extension}\" ContentType=\"{kind}\"/>"
        );
        self.append_type(&entry)
    }

    fn append_type(&mut self, entry: &str) -> Result<()> {
        if let Some(types) = self.text(CONTENT_TYPES)? {
            self.set(CONTENT_TYPES, before_end(&types, "Types", entry));
        }
        Ok(())
    }

    /// Returns the content type of a part, if it has one of its own.
    pub(super) fn content_type(&mut self, part: &str) -> Result<Option<String>> {
        let types = self.text(CONTENT_TYPES)?.unwrap_or_default();
        Ok(xml_tokens(&types).find_map(|token| match token {
            XmlToken::Tag(tag) if tag.opens("Override") => {
                let name = tag.text("PartName")?;
                let is_it = name.trim_start_matches('/').eq_ignore_ascii_case(part);
                if is_it { tag.text("ContentType") } else { None }
            }
            _ => None,
        }))
    }

    /// Returns `true` if a part of the file contains these bytes. Keeps nothing of it.
    pub(super) fn contains(&mut self, name: &str, wanted: &[u8]) -> Result<bool> {
        let Some(&number) = self.entries.get(&name.to_lowercase()) else { return Ok(false) };
        let failed = |error: &dyn std::fmt::Display| {
            damaged(&format!("its part `{name}` cannot be unpacked")).caused_by(error.to_string())
        };
        let entry = self.zip.by_index(number).map_err(|error| failed(&error))?;
        let mut rest = entry.take(MAX_UNPACKED_BYTES);
        let mut buffer = vec![0; 64 << 10];
        let mut kept = 0;
        loop {
            let read = rest.read(&mut buffer[kept..]).map_err(|error| failed(&error))?;
            let filled = kept + read;
            if memchr::memmem::find(&buffer[..filled], wanted).is_some() {
                return Ok(true);
            }
            if read == 0 {
                return Ok(false);
            }
            // The bytes may stand across two pieces.
            kept = filled.min(wanted.len().saturating_sub(1));
            buffer.copy_within(filled - kept..filled, 0);
        }
    }

    /// Returns the content of a part, whatever it is.
    pub(super) fn bytes(&mut self, name: &str) -> Result<Option<Arc<[u8]>>> {
        let Some(&number) = self.entries.get(&name.to_lowercase()) else { return Ok(None) };
        if let Some(file) = self.files.get(&number) {
            return Ok(Some(file.clone()));
        }
        if let Some(written) = self.written.get(&number) {
            return Ok(written.as_ref().map(|text| text.as_bytes().into()));
        }
        let failed = |error: &dyn std::fmt::Display| {
            damaged(&format!("its part `{name}` cannot be unpacked")).caused_by(error.to_string())
        };
        let entry = self.zip.by_index(number).map_err(|error| failed(&error))?;
        let left = MAX_UNPACKED_BYTES - self.unpacked.min(MAX_UNPACKED_BYTES);
        let most = entry.size().min(left);
        let mut bytes = Vec::new();
        entry.take(most + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        if bytes.len() as u64 > most {
            return Err(bomb(name));
        }
        self.unpacked += bytes.len() as u64;
        Ok(Some(bytes.into()))
    }

    /// Returns the text of a part, if there is one of this name.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>> {
        let Some(&number) = self.entries.get(&name.to_lowercase()) else { return Ok(None) };
        if let Some(written) = self.written.get(&number) {
            return Ok(written.clone());
        }
        let failed = |error: &dyn std::fmt::Display| {
            damaged(&format!("its part `{name}` cannot be unpacked")).caused_by(error.to_string())
        };
        let entry = self.zip.by_index(number).map_err(|error| failed(&error))?;
        let left = MAX_UNPACKED_BYTES - self.unpacked.min(MAX_UNPACKED_BYTES);
        // The size that an entry states may be wrong.
        let most = entry.size().min(left);
        let mut bytes = Vec::new();
        entry.take(most + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        if bytes.len() as u64 > most {
            return Err(bomb(name));
        }
        self.unpacked += bytes.len() as u64;
        let text = String::from_utf8(bytes).map_err(|_| {
            Error::input(format!("its part `{name}`: expected UTF-8"))
                .with_problem(InputProblem::UnsupportedType)
                .hint("open the workbook in Excel or LibreOffice and save it once")
        })?;
        let declares = xml_tokens(&text).any(|token| {
            matches!(token, XmlToken::Other(text) if text.starts_with("<!") && !text.starts_with("<!--") && !text.starts_with("<![CDATA["))
        });
        if declares && !name.to_lowercase().ends_with(".vml") {
            return Err(damaged(&format!(
                "its part `{name}` declares entities or a document type, which no workbook has"
            )));
        }
        Ok(Some(text))
    }

    /// Rewrites an existing part.
    pub(super) fn set(&mut self, name: &str, text: String) {
        if let Some(&number) = self.entries.get(&name.to_lowercase()) {
            self.written.insert(number, Some(text));
        }
    }

    /// Removes a part.
    pub(super) fn remove(&mut self, name: &str) {
        if let Some(&number) = self.entries.get(&name.to_lowercase()) {
            self.written.insert(number, None);
        }
    }

    /// Returns the relationships of a part: identifier, kind (the end of its address), and the name of the target part or an
    /// external address.
    pub(super) fn relationships(&mut self, part: &str) -> Result<Vec<Relationship>> {
        let folder = part.rsplit_once('/').map_or("", |it| it.0);
        let Some(text) = self.text(&rels_of(part))? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for token in xml_tokens(&text) {
            let XmlToken::Tag(tag) = token else { continue };
            if !tag.opens("Relationship") {
                continue;
            }
            let attribute = |name: &str| tag.text(name).unwrap_or_default();
            let external = attribute("TargetMode") == "External";
            let target = attribute("Target");
            found.push(Relationship {
                id: attribute("Id"),
                kind: attribute("Type").rsplit('/').next().unwrap_or_default().to_owned(),
                target: if external { target } else { resolve(folder, &target) },
                external,
            });
        }
        Ok(found)
    }

    /// Returns the file.
    pub(super) fn finish(mut self) -> Result<Vec<u8>> {
        let failed = |error: &dyn std::fmt::Display| {
            Error::bug(format!("the workbook cannot be packed: {error}"))
        };
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::DEFAULT);
        let mut out = ZipWriter::new(Cursor::new(Vec::new()));
        for (number, name) in self.names.iter().enumerate() {
            match self.written.remove(&number) {
                Some(None) => {}
                Some(Some(text)) => {
                    out.start_file(name.as_str(), options).map_err(|error| failed(&error))?;
                    out.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
                }
                None if self.files.contains_key(&number) => {
                    let file = self.files.get(&number).cloned().unwrap_or_default();
                    out.start_file(name.as_str(), options).map_err(|error| failed(&error))?;
                    out.write_all(&file).map_err(|error| failed(&error))?;
                }
                None => {
                    let entry = self.zip.by_index_raw(number).map_err(|error| failed(&error))?;
                    out.raw_copy_file(entry).map_err(|error| failed(&error))?;
                }
            }
        }
        let bytes = out.finish().map_err(|error| failed(&error))?.into_inner();
        if bytes.len() > MAX_WRITTEN_BYTES {
            let message = format!("the workbook would have more than {MAX_WRITTEN_BYTES} bytes");
            return Err(Error::new(ErrorKind::Arguments, message).hint("give fewer rows"));
        }
        Ok(bytes)
    }
}

/// The part with the content types of all others.
const CONTENT_TYPES: &str = "[Content_Types].xml";
const TYPES_NAMESPACE: &str = "http://schemas.openxmlformats.org/package/2006/content-types";

/// Returns the name of the part with the relationships of a part.
pub(super) fn rels_of(part: &str) -> String {
    match part.rsplit_once('/') {
        None => format!("_rels/{part}.rels"),
        Some((folder, name)) => format!("{folder}/_rels/{name}.rels"),
    }
}

/// Inserts a text before the end of the outermost element.
pub(super) fn before_end(xml: &str, element: &str, text: &str) -> String {
    let mut all = xml_tokens(xml);
    let mut found = None;
    loop {
        let start = all.offset();
        match all.next() {
            None => break,
            Some(XmlToken::Tag(tag)) if tag.closes(element) => found = Some((start, None)),
            Some(XmlToken::Tag(tag)) if tag.opens(element) && tag.kind == TagKind::Empty => {
                found = Some((all.offset(), Some(tag)));
            }
            Some(_) => {}
        }
    }
    match found {
        None => xml.to_owned(),
        Some((at, None)) => format!("{}{text}{}", &xml[..at], &xml[at..]),
        Some((end, Some(tag))) => {
            let open = tag.raw.trim_end_matches('>').trim_end_matches('/').trim_end();
            let before = &xml[..end - tag.raw.len()];
            format!("{before}{open}>{text}</{}{element}>{}", tag.prefix(), &xml[end..])
        }
    }
}

/// A relationship of a part.
#[derive(Clone, Debug)]
pub(super) struct Relationship {
    pub(super) id: String,
    /// The last segment of its type, which is the same in both dialects of the format.
    pub(super) kind: String,
    pub(super) target: String,
    pub(super) external: bool,
}

/// Resolves a target within `folder` to the name of a part.
fn resolve(folder: &str, target: &str) -> String {
    let (mut parts, target) = match target.strip_prefix('/') {
        Some(whole) => (Vec::new(), whole),
        None => (folder.split('/').filter(|it| !it.is_empty()).collect(), target),
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn check_name(name: &str) -> Result<()> {
    let is_odd = name.is_empty()
        || name.len() > 1_024
        || name.starts_with('/')
        || name.contains(['\\', ':', '\0'])
        || name.split('/').any(|part| part == "..");
    if is_odd {
        let shown: String = name.chars().take(80).flat_map(char::escape_debug).collect();
        Err(damaged(&format!("its part `{shown}` would lead out of the package")))
    } else {
        Ok(())
    }
}

#[cold]
pub(super) fn damaged(what: &str) -> Error {
    Error::input(format!("the template is damaged: {what}"))
        .with_problem(InputProblem::Corrupt)
        .hint("open it in Excel or LibreOffice, save it as `.xlsx` and give that file")
}

#[cold]
fn bomb(name: &str) -> Error {
    let shown: String = name.chars().take(80).flat_map(char::escape_debug).collect();
    let message = format!(
        "the template holds more than {} MiB, or its part `{shown}` far more than it says",
        MAX_UNPACKED_BYTES >> 20
    );
    Error::input(message).with_problem(InputProblem::TooLarge)
}

/// Returns the error for an OLE file, by the names of its streams.
#[cold]
fn ole(bytes: &[u8]) -> Error {
    let has = |name: &str| {
        let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        memchr::memmem::find(bytes, &wide).is_some()
    };
    if has("EncryptedPackage") {
        return Error::input("the template is encrypted")
            .with_problem(InputProblem::Encrypted)
            .hint("save it without a password");
    }
    Error::input("the template is a file of Excel 97 to 2003 (`.xls`), or none of Excel")
        .with_problem(InputProblem::UnsupportedType)
        .hint("open it in Excel or LibreOffice and save it as `.xlsx`")
}
