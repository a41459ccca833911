//! Finds the files in a document: those in its list, those that belong to it or to a page, and those of annotations.

use crate::comments::decode;
use crate::eye::{as_dict, get};
use mitt_reader_kit::{Part, clean, single_line};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};
use unpdf::parser::raw::{RawDocument, stream};

type Id = (u32, u16);

/// The most files of one document, and the most bytes of all its files.
const MAX_FILES: usize = 1_000;
const MAX_BYTES: usize = 64 << 20;

/// The most nodes of the tree that lists files.
const MAX_NODES: usize = 10_000;

/// The files of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Files {
    pub(crate) found: Vec<Held>,
    /// How many files are too many, too large, or cannot be unpacked.
    beyond: usize,
    damaged: Vec<String>,
}

/// A file in the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Held {
    pub(crate) name: String,
    #[serde(with = "as_text")]
    pub(crate) bytes: Vec<u8>,
}

impl Files {
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.beyond > 0 {
            warnings.push(format!(
                "files in the document were left out, as it may have {MAX_FILES} files of {} MiB together: {}",
                MAX_BYTES >> 20,
                self.beyond
            ));
        }
        for name in &self.damaged {
            warnings.push(format!("a file inside is damaged and was left out: {name}"));
        }
        warnings
    }

    pub(crate) fn into_parts(self) -> Vec<Part> {
        self.found.into_iter().map(|Held { name, bytes }| Part { name, bytes }).collect()
    }
}

struct Reader<'a> {
    document: &'a RawDocument,
    /// One file may have several names.
    known: BTreeSet<Id>,
    bytes: usize,
    files: Files,
}

pub(crate) fn read(document: &RawDocument, pages: &BTreeMap<u32, Id>) -> Files {
    let mut reader = Reader { document, known: BTreeSet::new(), bytes: 0, files: Files::default() };
    if let Ok(catalog) = document.catalog() {
        let names = get(document, catalog, b"Names").and_then(as_dict);
        if let Some(tree) = names.and_then(|names| dict_get(names, b"EmbeddedFiles")) {
            reader.tree(tree);
        }
        reader.of(catalog);
    }
    for id in pages.values() {
        let Ok(page) = document.get_dict(*id) else { continue };
        reader.of(page);
        let notes = get(document, page, b"Annots").and_then(PdfObject::as_array);
        for note in notes.unwrap_or_default() {
            let Some(note) = as_dict(document.resolve(note)) else { continue };
            let kind = get(document, note, b"Subtype").and_then(PdfObject::as_name);
            if kind == Some(b"FileAttachment")
                && let Some(file) = get(document, note, b"FS")
            {
                reader.file(file, None);
            }
        }
    }
    reader.files
}

impl<'a> Reader<'a> {
    /// Follows the tree of names. Each leaf has names and files in turn.
    fn tree(&mut self, root: &'a PdfObject) {
        let document = self.document;
        let mut seen: BTreeSet<Id> = BTreeSet::new();
        let mut open = vec![root];
        let mut nodes = 0;
        while let Some(node) = open.pop() {
            nodes += 1;
            let is_new = node.as_reference().is_none_or(|id| seen.insert(id));
            let Some(dict) = as_dict(document.resolve(node)).filter(|_| is_new) else { continue };
            if nodes > MAX_NODES {
                self.files.beyond += 1;
                return;
            }
            let kids = get(document, dict, b"Kids").and_then(PdfObject::as_array);
            open.extend(kids.unwrap_or_default().iter().rev());
            let names = get(document, dict, b"Names").and_then(PdfObject::as_array);
            let (pairs, _) = names.unwrap_or_default().as_chunks::<2>();
            for [name, file] in pairs {
                let name = document.resolve(name).as_str_bytes();
                self.file(document.resolve(file), name);
            }
        }
    }

    /// Adds the files that belong to a part of the document.
    fn of(&mut self, owner: &'a PdfDict) {
        let document = self.document;
        match get(document, owner, b"AF") {
            Some(PdfObject::Array(files)) => {
                files.iter().for_each(|file| self.file(document.resolve(file), None));
            }
            Some(file) => self.file(file, None),
            None => {}
        }
    }

    fn file(&mut self, file: &'a PdfObject, listed: Option<&[u8]>) {
        let document = self.document;
        let Some(dict) = as_dict(file) else { return };
        let Some(kept) = get(document, dict, b"EF").and_then(as_dict) else { return };
        let keys = [&b"UF"[..], b"F", b"Unix", b"Mac", b"DOS"];
        let Some(object) = keys.iter().find_map(|key| dict_get(kept, key)) else { return };
        let Some(bytes) = document.resolve(object).as_stream() else { return };
        if object.as_reference().is_some_and(|id| !self.known.insert(id)) {
            return;
        }
        let named = keys.iter().find_map(|key| get(document, dict, key)?.as_str_bytes());
        let name = named.or(listed).map(decode).unwrap_or_default();
        let name = single_line(&clean(&name));
        let name = if name.is_empty() { "attachment".to_owned() } else { name };
        if self.files.found.len() >= MAX_FILES || self.bytes >= MAX_BYTES {
            self.files.beyond += 1;
            return;
        }
        match stream::decompress(bytes) {
            Ok(bytes) if self.bytes + bytes.len() <= MAX_BYTES => {
                self.bytes += bytes.len();
                self.files.found.push(Held { name, bytes });
            }
            Ok(_) => self.files.beyond += 1,
            Err(_) if self.files.damaged.len() < MAX_FILES => self.files.damaged.push(name),
            Err(_) => self.files.beyond += 1,
        }
    }
}

/// Writes bytes as hexadecimal digits. JSON has no shorter form for them.
mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    const HEX: [u8; 16] = *b"0123456789abcdef";

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        let digits = |byte: &u8| [byte >> 4, byte & 15].map(|at| char::from(HEX[usize::from(at)]));
        to.serialize_str(&bytes.iter().flat_map(digits).collect::<String>())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        let digit = |digit: u8| char::from(digit).to_digit(16).map(|digit| digit as u8);
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let byte = |[high, low]: &[u8; 2]| Some(digit(*high)? << 4 | digit(*low)?);
        let bytes = pairs.iter().map(byte).collect::<Option<Vec<u8>>>();
        bytes.filter(|_| rest.is_empty()).ok_or_else(|| D::Error::custom("no digits"))
    }
}
