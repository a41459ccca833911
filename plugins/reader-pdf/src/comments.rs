//! Reads the comments on pages: text boxes, and notes beside passages. The library reads links only.

use mitt_reader_kit::{clean, single_line};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};

/// Most comments of a document. Those beyond it are counted.
const MAX_COMMENTS: usize = 10_000;

/// A comment on a page.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Comment {
    /// Author of a note; `None` for text that is visible on the page.
    pub(crate) author: Option<String>,
    pub(crate) text: String,
}

/// The remarks of a document.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Comments {
    /// Comments by page number.
    pub(crate) found: BTreeMap<u32, Vec<Comment>>,
    /// Number of those that are left out.
    pub(crate) beyond: usize,
}

/// Reads the comments of a document that may be encrypted. Returns no comments if the document cannot be opened.
pub(crate) fn of(bytes: &[u8], password: Option<&str>) -> Comments {
    let document = RawDocument::load_with_password(bytes, password);
    document.map(|document| read(&document, &document.pages())).unwrap_or_default()
}

/// Reads the comments on these pages.
pub(crate) fn read(document: &RawDocument, pages: &BTreeMap<u32, (u32, u16)>) -> Comments {
    let mut comments = Comments::default();
    let mut count = 0;
    for (number, id) in pages {
        let Ok(page) = document.get_dict(*id) else { continue };
        let annotations = dict_get(page, b"Annots").map(|object| document.resolve(object));
        for annotation in annotations.and_then(PdfObject::as_array).unwrap_or_default() {
            let Some(comment) =
                document.resolve(annotation).as_dict().and_then(|dict| comment(document, dict))
            else {
                continue;
            };
            count += 1;
            if count > MAX_COMMENTS {
                comments.beyond += 1;
            } else {
                comments.found.entry(*number).or_default().push(comment);
            }
        }
    }
    comments
}

fn comment(document: &RawDocument, dict: &PdfDict) -> Option<Comment> {
    const HIDDEN: i64 = 2;
    let get = |key: &[u8]| dict_get(dict, key).map(|object| document.resolve(object));
    let is_box = match get(b"Subtype")?.as_name()? {
        b"FreeText" => true,
        b"Text" | b"Highlight" | b"Underline" | b"Squiggly" | b"StrikeOut" | b"Caret"
        | b"Stamp" | b"Square" | b"Circle" | b"Line" | b"Polygon" | b"PolyLine" | b"Ink" => false,
        _ => return None,
    };
    if get(b"F").and_then(PdfObject::as_i64).unwrap_or(0) & HIDDEN != 0 {
        return None;
    }
    let text = |key: &[u8]| {
        get(key).and_then(PdfObject::as_str_bytes).map(|bytes| single_line(&clean(&decode(bytes))))
    };
    let content = text(b"Contents").filter(|text| !text.is_empty())?;
    let author = (!is_box).then(|| text(b"T").unwrap_or_default());
    Some(Comment { author, text: content })
}

/// Decodes text in one of the three encodings that it may have outside of pages.
pub(crate) fn decode(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // PDFDocEncoding has the same letters as Latin-1.
        _ => bytes.iter().copied().map(char::from).collect(),
    }
}

fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks();
    let units: Vec<u16> = pairs.iter().copied().map(unit).collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_outside_of_pages_has_three_encodings() {
        for (bytes, expected) in [
            (&b"caf\xe9"[..], "café"),
            (b"\xfe\xff\x4e\x2d\x65\x87", "中文"),
            (b"\xff\xfe\x2d\x4e", "中"),
            (b"\xef\xbb\xbf\xe4\xb8\xad", "中"),
            (b"\xfe\xff\x4e", ""),
        ] {
            assert_eq!(decode(bytes), expected);
        }
    }
}
