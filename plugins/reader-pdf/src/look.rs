//! Examines a document before the library reads it. Collects comments, and rewrites pages that the library would read
//! slowly or not at all ([`crate::thin`], [`crate::runs`], [`crate::shades`]).

use crate::codes::{self, Doubt, Evidence};
use crate::comments::{self, Comments};
use crate::eye::{Eye, Refused, Turn, Unseen};
use crate::files::{self, Files};
use crate::form::{self, Field};
use crate::share::Share;
use crate::slim::{self, Painting};
use crate::{outline, owner, runs, shades, thin};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use unpdf::ErrorKind;
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};
use unpdf::parser::raw::{RawDocument, content, stream};

/// Largest file that is rewritten, and most bytes of its pages. Both are in memory at once.
const MAX_BYTES: usize = 48 << 20;

/// Fewest strings that a rewrite has to save. Below that, reading the original is fast enough.
const MIN_SAVED: usize = 5_000;

/// Fewest pages of a document that is rewritten only because the library then parses it faster.
const MIN_PAGES: usize = 10;

/// Largest file, and largest rewritten file, beside which the first parse stays in memory
/// ([`crate::forget_in_sandbox`]).
const MAX_LEFT: usize = 16 << 20;

/// Most pages that are examined to decide about fonts.
const MAX_WEIGHED: usize = 200;

/// Deepest tree of pages from which a page inherits its size.
const MAX_DEPTH: usize = 32;

/// Results of the examination.
#[derive(Default)]
pub(crate) struct Preparation {
    /// The rewritten document; `None` if the library reads the original.
    pub(crate) changed: Option<Vec<u8>>,
    /// Hidden text, by page.
    pub(crate) unseen: Vec<(u32, Unseen)>,
    /// Text whose letters are not known, by page.
    pub(crate) refused: BTreeMap<u32, Refused>,
    /// `true` if some pages were not searched for hidden text.
    pub(crate) is_unwatched: bool,
    /// Comments of the whole document, for its first share; `None` if they were not read.
    pub(crate) comments: Option<Comments>,
    /// `true` if the bookmarks are read.
    pub(crate) has_outline: bool,
    /// Values of the form and files in the document, for the first share.
    pub(crate) fields: Vec<Field>,
    pub(crate) files: Files,
    /// The pages to read, from 1; `None` for all pages.
    pub(crate) pages: Option<RangeInclusive<u32>>,
}

/// Opens the document with the password of the reader or of the owner.
fn open(bytes: &[u8], password: Option<&str>) -> Option<RawDocument> {
    match RawDocument::load_with_password(bytes, password) {
        Ok(document) => Some(document),
        Err(error) if error.kind() == ErrorKind::InvalidPassword => {
            let password = owner::reader_password(bytes, password?)?;
            RawDocument::load_with_password(bytes, Some(&password)).ok()
        }
        Err(_) => None,
    }
}

/// Examines a share of a document. Returns `None` if the document cannot be opened.
pub(crate) fn look(bytes: &[u8], password: Option<&str>, share: Share) -> Option<Preparation> {
    let document = Arc::new(open(bytes, password)?);
    let mut own = document.pages();
    let all = own.clone();
    let pages = share.pages(all.last_key_value().map_or(0, |(number, _)| *number));
    if let Some(pages) = &pages {
        own.retain(|number, _| pages.contains(number));
    }
    let is_small = bytes.len() <= MAX_BYTES;
    let min_saved = share.of(MIN_SAVED);
    let mut eye = is_small.then(|| Eye::open(&document));
    if let Some(eye) = &mut eye {
        weigh(&document, &all, eye);
    }
    let Painted { paintings, saved, unseen, refused, mut is_unwatched } =
        paint(&document, &own, eye.as_ref(), min_saved);
    let is_long = is_small && all.len() >= MIN_PAGES;
    let has_grids = paintings.values().any(|painting| !painting.grids.is_empty());
    let encodings = eye.as_ref().map(|eye| eye.encodings().clone()).unwrap_or_default();
    let is_other = !encodings.is_empty() || paintings.values().any(|painting| painting.is_other);
    let has_form = document.catalog().is_ok_and(|it| dict_get(it, b"AcroForm").is_some());
    let has_outline = !outline::is_too_long(&document);
    let is_dangerous = has_form || !has_outline;
    let changed = if is_long || has_grids || is_other || is_dangerous || saved >= min_saved {
        slim::slim(&document, (&all, &own), (&paintings, &encodings), has_outline)
    } else {
        None
    };
    is_unwatched |= is_other && changed.is_none();
    let (unseen, refused) = if changed.is_some() {
        (unseen, refused)
    } else {
        // The library reads the original.
        (Vec::new(), gaps(refused))
    };
    let (comments, fields, files) = if share.is_first() {
        (comments::read(&document, &all), form::read(&document, &all), files::read(&document, &all))
    } else {
        Default::default()
    };
    if bytes.len() <= MAX_LEFT && changed.as_ref().is_some_and(|slim| slim.len() <= MAX_LEFT) {
        crate::forget_in_sandbox((eye, document.clone()));
    }
    Some(Preparation {
        changed,
        unseen,
        refused,
        is_unwatched,
        has_outline,
        comments: Some(comments),
        fields,
        files,
        pages,
    })
}

/// New operators for pages.
struct Painted {
    paintings: BTreeMap<u32, Painting>,
    /// How many strings the library does not have to read because of them.
    saved: usize,
    unseen: Vec<(u32, Unseen)>,
    refused: BTreeMap<u32, Refused>,
    is_unwatched: bool,
}

/// Lets the eye decide about fonts that do not say what their letters are. It examines the first pages with each font,
/// whichever share they are in, so that all shares decide alike.
fn weigh(document: &RawDocument, pages: &BTreeMap<u32, (u32, u16)>, eye: &mut Eye<'_>) {
    let mut evidence = Evidence::default();
    let mut looked: BTreeMap<(u32, u16), usize> = BTreeMap::new();
    let mut left = MAX_WEIGHED;
    for id in pages.values() {
        let Ok(page) = document.get_dict(*id) else { continue };
        let fonts = codes::in_doubt(document, page);
        let is_wanted = |(font, doubt): (&(u32, u16), &Doubt)| {
            looked.get(font).copied().unwrap_or(0) < doubt.pages()
        };
        if left == 0 || !fonts.iter().any(is_wanted) {
            continue;
        }
        left -= 1;
        for font in fonts.into_keys() {
            *looked.entry(font).or_default() += 1;
        }
        if let Some(content) = content(document, page) {
            eye.take(*id, &content, &mut evidence);
        }
    }
    eye.decide(&evidence);
}

/// Keeps only the pages with letters without text.
fn gaps(refused: BTreeMap<u32, Refused>) -> BTreeMap<u32, Refused> {
    let gaps = |it: Refused| Refused { letters: 0, ..it };
    let kept = refused.into_iter().filter(|(_, it)| it.has_gaps);
    kept.map(|(page, it)| (page, gaps(it))).collect()
}

/// Decides how each page is painted. Only a small document has an `Eye`, and keeps new operators.
fn paint(
    document: &RawDocument,
    pages: &BTreeMap<u32, (u32, u16)>,
    eye: Option<&Eye<'_>>,
    min_saved: usize,
) -> Painted {
    let mut paintings: BTreeMap<u32, Painting> = BTreeMap::new();
    let (mut saved, mut size) = (0, 0);
    let (mut unseen, mut refused) = (Vec::new(), BTreeMap::new());
    // Pages whose strings are not joined yet, because it was not known whether that is worth it.
    let mut apart = Vec::new();
    for (number, id) in pages {
        let Ok(page) = document.get_dict(*id) else { continue };
        let Some(content) = content(document, page) else { continue };
        let mut painting = Painting::default();
        let mut height = height(document, page);
        let content = match eye {
            Some(eye) => {
                let seen = eye.page(*id, &content);
                painting.is_other = seen.content.is_some() || seen.turn.is_some();
                (painting.fonts, painting.turn) = (seen.fonts, seen.turn);
                if seen.refused.letters > 0 || seen.refused.has_gaps {
                    refused.insert(*number, seen.refused);
                }
                if !seen.unseen.is_empty() {
                    unseen.push((*number, seen.unseen));
                }
                height = painting.turn.as_ref().map_or(height, |turn| turn.size.1);
                let turn = painting.turn.as_ref();
                let mut moved = turn.map(Turn::operator).unwrap_or_default();
                moved.extend(seen.content.unwrap_or(content));
                moved
            }
            None => content,
        };
        let content = thin::thin(&content).unwrap_or(content);
        let drawing = thin::drawing(&content);
        if shades::may_have(&drawing) {
            let grids = content::parse_content_stream(&drawing)
                .map(|operations| shades::grids(&operations, height));
            painting.grids = grids.unwrap_or_default();
        }
        if eye.is_some() && size <= MAX_BYTES {
            let mut joined = Vec::with_capacity(content.len());
            saved += runs::join(&content, &mut joined);
            size += content.len();
            if saved < min_saved {
                apart.push(*number);
            }
            painting.instead = Some(if saved < min_saved { content } else { joined });
        }
        paintings.insert(*number, painting);
    }
    if size > MAX_BYTES {
        for painting in paintings.values_mut() {
            *painting = Painting { grids: Vec::new(), ..Painting::default() };
        }
        unseen.clear();
        refused.clear();
        saved = 0;
    } else if saved >= min_saved {
        for number in apart {
            let painting =
                paintings.get_mut(&number).and_then(|painting| painting.instead.as_mut());
            if let Some(content) = painting {
                let mut joined = Vec::with_capacity(content.len());
                runs::join(content, &mut joined);
                *content = joined;
            }
        }
    }
    let is_unwatched = eye.is_none() || size > MAX_BYTES;
    Painted { paintings, saved, unseen, refused, is_unwatched }
}

/// The operators of a page, or `None` if a part cannot be unpacked.
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

/// Returns the height of a page in points, possibly inherited; 792 if it has none.
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
        let changed = |bytes: &[u8]| look(bytes, None, Share::WHOLE).and_then(|look| look.changed);
        let whole = changed(&file("letters.pdf")).unwrap();
        let (before, after) = (
            unpdf::parse_bytes(&file("letters.pdf")).unwrap(),
            unpdf::parse_bytes(&whole).unwrap(),
        );
        assert_eq!(before.plain_text(), after.plain_text());
        assert!(changed(&file("lab-columns.pdf")).is_none());
        assert!(look(b"%PDF-1.7", None, Share::WHOLE).is_none());
    }

    #[test]
    fn the_library_reads_the_same_of_what_is_written_anew() {
        let folder = format!("{}/tests/files", env!("CARGO_MANIFEST_DIR"));
        let mut compared = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let Ok(document) = RawDocument::load(&bytes) else { continue };
            if document.is_encrypted() {
                continue;
            }
            let pages = document.pages();
            // Without joined strings and drawn borders, because those are painted anew.
            let thin =
                |id: &(u32, u16)| thin::thin(&content(&document, document.get_dict(*id).ok()?)?);
            let painting = |(number, id): (&u32, &(u32, u16))| {
                (*number, Painting { instead: thin(id), ..Painting::default() })
            };
            let paintings = pages.iter().map(painting).collect();
            let anew =
                slim::slim(&document, (&pages, &pages), (&paintings, &BTreeMap::new()), true)
                    .unwrap();
            let read = |bytes: &[u8]| {
                let document = unpdf::parse_bytes(bytes).unwrap();
                let pages = document.pages.iter().map(|page| {
                    (page.width, page.height, page.rotation, format!("{:?}", page.elements))
                });
                let pages: Vec<_> = pages.collect();
                let about = (document.metadata, document.outline);
                (pages, format!("{about:?}"))
            };
            assert!(read(&bytes) == read(&anew), "{}", path.display());
            compared += 1;
        }
        assert!(compared >= 8, "{compared}");
    }
}
