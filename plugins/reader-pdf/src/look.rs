//! One look at a document before the library reads it: remarks are collected, and what the library would read slowly or
//! not at all is painted otherwise ([`crate::runs`], [`crate::shades`]).

use crate::comments::{self, Comments};
use crate::rewrite::{self, Painting};
use crate::{runs, shades};
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};
use unpdf::parser::raw::{RawDocument, content, stream};

/// Largest file whose strings are put together, and most bytes of its pages: both are in memory at once.
const MAX_BYTES: usize = 48 << 20;

/// Fewest strings that have to be saved: below that, reading is quick as it is.
const MIN_SAVED: usize = 5_000;

/// Deepest tree of pages from which a page inherits its size.
const MAX_DEPTH: usize = 32;

/// What the look found.
pub(crate) struct Look {
    /// The document as it is to be read; none if that is as it is.
    pub(crate) changed: Option<Vec<u8>>,
    pub(crate) comments: Comments,
}

/// Look at a document; none if it is damaged or encrypted: what is encrypted cannot be changed.
pub(crate) fn look(bytes: &[u8]) -> Option<Look> {
    let document = RawDocument::load(bytes).ok().filter(|document| !document.is_encrypted())?;
    let pages = document.pages();
    let mut paintings = Vec::new();
    let (mut saved, mut size) = (0, 0);
    for (number, id) in &pages {
        let Ok(page) = document.get_dict(*id) else { continue };
        let Some(content) = content(&document, page) else { continue };
        let mut painting = Painting { page: *number, ..Painting::default() };
        if shades::may_have(&content) {
            let grids = content::parse_content_stream(&content)
                .map(|operations| shades::grids(&operations, height(&document, page)));
            painting.grids = grids.unwrap_or_default();
        }
        if bytes.len() <= MAX_BYTES && size <= MAX_BYTES {
            let mut joined = Vec::with_capacity(content.len());
            let count = runs::join(&content, &mut joined);
            if count > 0 {
                saved += count;
                size += joined.len();
                painting.instead = Some(joined);
            }
        }
        if painting.instead.is_some() || !painting.grids.is_empty() {
            paintings.push(painting);
        }
    }
    if saved < MIN_SAVED || size > MAX_BYTES {
        paintings.iter_mut().for_each(|painting| painting.instead = None);
        paintings.retain(|painting| !painting.grids.is_empty());
    }
    let changed = match paintings.is_empty() {
        true => None,
        false => rewrite::repainted(bytes, &document, &pages, &paintings),
    };
    Some(Look { changed, comments: comments::read(&document, &pages) })
}

/// The operators of a page; none if a part cannot be unpacked.
fn content(document: &RawDocument, page: &PdfDict) -> Option<Vec<u8>> {
    let parts = match document.resolve(dict_get(page, b"Contents")?) {
        PdfObject::Array(parts) => parts.iter().collect(),
        single => vec![single],
    };
    let mut content = Vec::new();
    for part in parts {
        content.extend(stream::decompress(document.resolve(part).as_stream()?).ok()?);
        content.push(b'\n');
    }
    Some(content)
}

/// Height of a page in points, which may be that of all pages; that of a letter if it is not told.
fn height(document: &RawDocument, page: &PdfDict) -> f32 {
    let mut node = Some(page);
    for _ in 0..MAX_DEPTH {
        let Some(dict) = node else { break };
        let size = dict_get(dict, b"MediaBox").map(|size| document.resolve(size));
        if let Some([_, bottom, _, top]) = size.and_then(PdfObject::as_array) {
            let side = |side| document.resolve(side).as_f32();
            if let (Some(bottom), Some(top)) = (side(bottom), side(top)) {
                return (top - bottom).abs();
            }
        }
        let parent = dict_get(dict, b"Parent").and_then(PdfObject::as_reference);
        node = parent.and_then(|id| document.get_dict(id).ok());
    }
    792.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_documents_in_letters_are_changed_and_short_ones_are_not() {
        let file = |name: &str| {
            std::fs::read(format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
        };
        let changed = |bytes: &[u8]| look(bytes).and_then(|look| look.changed);
        let whole = changed(&file("letters.pdf")).unwrap();
        let (before, after) = (
            unpdf::parse_bytes(&file("letters.pdf")).unwrap(),
            unpdf::parse_bytes(&whole).unwrap(),
        );
        assert_eq!(before.plain_text(), after.plain_text());
        assert!(changed(&file("lab-columns.pdf")).is_none());
        assert!(look(b"%PDF-1.7").is_none());
    }
}
