//! Writes the document for the library: its pages with their new operators, the objects that they need, and nothing
//! else.
//!
//! Most objects of many documents are structure for screen readers, pictures, and embedded files, and the library
//! parses a document more than once. An encrypted document is written without encryption.

use crate::eye::Turn;
use crate::shades::Grid;
use crate::spelling;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};

type Id = (u32, u16);

/// Deepest nesting of a value.
const MAX_DEPTH: usize = 32;

/// Most fonts, forms and pictures that are named in the pages themselves, over all pages.
const MAX_NAMES: usize = 100_000;

/// Deepest tree of pages from which a page inherits. The library has the same limit.
const MAX_TREE: usize = 64;

/// Highest number of an object.
const MAX_NUMBER: u32 = 8_000_000;

/// Largest document that is written. It is in memory beside the original.
const MAX_BYTES: usize = 96 << 20;

/// The keys that the library reads of the catalog, a page, and a picture. It does not get the form, because it would
/// follow a cycle of fields without end. [`crate::form`] reads forms.
const OF_CATALOG: [&[u8]; 4] = [b"Type", b"Pages", b"Outlines", b"URI"];
const OF_PAGE: [&[u8]; 6] = [b"Type", b"MediaBox", b"CropBox", b"Rotate", b"Resources", b"Annots"];
const OF_PICTURE: [&[u8]; 4] = [b"Type", b"Subtype", b"Width", b"Height"];

/// The keys of a page that the library does not have to read.
const OF_OTHER_PAGE: [&[u8]; 4] = [b"Type", b"MediaBox", b"CropBox", b"Rotate"];

/// The resources of a page that the library uses.
const OF_RESOURCES: [&[u8]; 2] = [b"Font", b"XObject"];

/// The keys that a page inherits. Resources are not among them, because those of all levels count.
const INHERITED: [&[u8]; 3] = [b"MediaBox", b"CropBox", b"Rotate"];

/// How a page is painted.
#[derive(Default)]
pub(crate) struct Painting {
    /// Operators that replace those of the page.
    pub(crate) instead: Option<Vec<u8>>,
    /// Tables whose borders are drawn first.
    pub(crate) grids: Vec<Grid>,
    /// Fonts that the new operators name and the page does not have.
    pub(crate) fonts: Vec<(Vec<u8>, PdfObject)>,
    /// How the page is turned so that its text is upright.
    pub(crate) turn: Option<Turn>,
    /// `true` if the text differs from that of the page's own operators.
    pub(crate) is_other: bool,
}

/// Returns the document with these paintings of its pages and these encodings of its fonts; `None` if it cannot be
/// written. Only the wanted pages have content.
pub(crate) fn slim(
    document: &RawDocument,
    (pages, wanted): (&BTreeMap<u32, Id>, &BTreeMap<u32, Id>),
    (paintings, encodings): (&BTreeMap<u32, Painting>, &BTreeMap<Id, PdfObject>),
    has_outline: bool,
) -> Option<Vec<u8>> {
    let trailer = document.trailer();
    let root = dict_get(trailer, b"Root").and_then(PdfObject::as_reference)?;
    let mut slim = Slim {
        out: format!("%PDF-{}\n", document.version).into_bytes(),
        offsets: BTreeMap::new(),
        wanted: Vec::new(),
        encodings,
        known: pages.values().copied().collect(),
    };
    // Pages are written last, so that new streams get numbers that no other object has.
    let mut last = Vec::new();
    let mut names = MAX_NAMES;
    // A page may be in the tree several times.
    let wanted: BTreeSet<&Id> = wanted.values().collect();
    for (number, id) in pages {
        let page = document.get_dict(*id).ok()?;
        if !wanted.contains(id) {
            let mut dict = page.clone();
            dict.retain(|key, _| OF_OTHER_PAGE.contains(&key.as_slice()));
            dict.values().for_each(|value| slim.refer(value, 0));
            last.push((*id, dict, None, None));
            continue;
        }
        let painting = paintings.get(number);
        let mut dict = own(document, page, &mut names);
        if let Some(painting) = painting {
            add_fonts(document, &mut dict, &painting.fonts);
            painting.turn.iter().for_each(|turn| turn.apply(document, &mut dict));
        }
        dict.values().for_each(|value| slim.refer(value, 0));
        let contents = dict_get(page, b"Contents");
        if painting.is_none_or(|painting| painting.instead.is_none()) {
            contents.into_iter().for_each(|contents| slim.refer(contents, 0));
        }
        last.push((*id, dict, contents, painting));
    }
    let mut catalog = document.get_dict(root).ok()?.clone();
    let is_read = |key: &[u8]| OF_CATALOG.contains(&key) && (has_outline || key != b"Outlines");
    catalog.retain(|key, _| is_read(key));
    // A catalog that is also a page is in no real document.
    slim.known.insert(root).then_some(())?;
    slim.object(root, &PdfObject::Dict(catalog))?;
    let mut ends = PdfDict::from([(b"Root".to_vec(), PdfObject::Reference(root.0, root.1))]);
    if let Some(info) = dict_get(trailer, b"Info") {
        slim.refer(info, 0);
        ends.insert(b"Info".to_vec(), info.clone());
    }
    while let Some(id) = slim.wanted.pop() {
        if let Some(object) = document.get_object(id) {
            slim.object(id, object)?;
        }
    }
    for (id, mut dict, contents, painting) in last {
        let before =
            contents.filter(|_| painting.is_none_or(|painting| painting.instead.is_none()));
        let contents = match painting.and_then(Painting::content) {
            Some(content) => {
                let mut parts = vec![slim.added(&content)?];
                match before.map(|before| document.resolve(before)) {
                    Some(PdfObject::Array(before)) => parts.extend_from_slice(before),
                    _ => parts.extend(before.cloned()),
                }
                Some(PdfObject::Array(parts))
            }
            None => before.cloned(),
        };
        dict.extend(contents.map(|contents| (b"Contents".to_vec(), contents)));
        slim.object(id, &PdfObject::Dict(dict))?;
    }
    slim.finish(ends)
}

/// Returns the keys of a page that the library reads, with inherited values. `Parent` is kept only if a node above has
/// resources, because the library follows it for every string.
fn own(document: &RawDocument, page: &PdfDict, names: &mut usize) -> PdfDict {
    let mut own = page.clone();
    own.retain(|key, _| OF_PAGE.contains(&key.as_slice()));
    let above = |dict: &PdfDict| dict_get(dict, b"Parent").cloned();
    let mut parent = above(page);
    for _ in 0..MAX_TREE {
        let id = parent.as_ref().and_then(PdfObject::as_reference);
        let Some(dict) = id.and_then(|id| document.get_dict(id).ok()) else { break };
        if dict.contains_key(b"Resources".as_slice()) {
            own.extend(above(page).map(|parent| (b"Parent".to_vec(), parent)));
        }
        for key in INHERITED {
            if let Some(value) = dict_get(dict, key) {
                own.entry(key.to_vec()).or_insert_with(|| value.clone());
            }
        }
        parent = above(dict);
    }
    let resources = dict_get(&own, b"Resources");
    if let Some(resources) = resources.and_then(|resources| at_hand(document, resources, names)) {
        own.insert(b"Resources".to_vec(), PdfObject::Dict(resources));
    }
    own
}

fn add_fonts(document: &RawDocument, page: &mut PdfDict, fonts: &[(Vec<u8>, PdfObject)]) {
    if fonts.is_empty() {
        return;
    }
    let dict_of = |dict: &PdfDict, key: &[u8]| {
        let dict = dict_get(dict, key).and_then(|value| document.resolve(value).as_dict());
        dict.cloned().unwrap_or_default()
    };
    let mut resources = dict_of(page, b"Resources");
    let mut named = dict_of(&resources, b"Font");
    named.extend(fonts.iter().cloned());
    resources.insert(b"Font".to_vec(), PdfObject::Dict(named));
    page.insert(b"Resources".to_vec(), PdfObject::Dict(resources));
}

/// Returns resources to write into a page, where the library finds the font of a string fastest. `None` if there are
/// more names than `room`, or if a value has no object number, by which the library recognises it on other pages.
fn at_hand(document: &RawDocument, resources: &PdfObject, room: &mut usize) -> Option<PdfDict> {
    let mut all = document.resolve(resources).as_dict()?.clone();
    all.retain(|kind, _| OF_RESOURCES.contains(&kind.as_slice()));
    let mut left = *room;
    for names in all.values_mut() {
        let known = document.resolve(names).as_dict()?;
        left = left.checked_sub(known.len())?;
        if known.values().any(|value| value.as_reference().is_none()) {
            return None;
        }
        *names = PdfObject::Dict(known.clone());
    }
    *room = left;
    Some(all)
}

impl Painting {
    /// Returns operators that precede or replace those of the page.
    fn content(&self) -> Option<Vec<u8>> {
        let mut content = match self.grids.as_slice() {
            [] => Vec::new(),
            grids => lines(grids).into_bytes(),
        };
        if let Some(instead) = &self.instead {
            content.push(b'\n');
            content.extend_from_slice(instead);
        }
        (!content.is_empty()).then_some(content)
    }
}

struct Slim<'a> {
    out: Vec<u8>,
    /// Offset of each object in `out`.
    offsets: BTreeMap<Id, usize>,
    /// Objects that are still to be written, and all that were ever wanted.
    wanted: Vec<Id>,
    known: BTreeSet<Id>,
    encodings: &'a BTreeMap<Id, PdfObject>,
}

impl Slim<'_> {
    /// Adds all objects that a value refers to. A value that is nested too deeply is not followed.
    fn refer(&mut self, object: &PdfObject, depth: usize) {
        match object {
            _ if depth > MAX_DEPTH => {}
            PdfObject::Reference(number, generation) => {
                let id = (*number, *generation);
                if self.known.insert(id) {
                    self.wanted.push(id);
                }
            }
            PdfObject::Array(items) => items.iter().for_each(|item| self.refer(item, depth + 1)),
            PdfObject::Dict(dict) => dict.values().for_each(|value| self.refer(value, depth + 1)),
            _ => {}
        }
    }

    /// Writes operators as a new object. Returns a reference to it.
    fn added(&mut self, content: &[u8]) -> Option<PdfObject> {
        let last = self.known.last().map_or(0, |(number, _)| *number);
        let id = (last.checked_add(1).filter(|number| *number <= MAX_NUMBER)?, 0);
        self.known.insert(id);
        self.stream(id, PdfDict::new(), content)?;
        Some(PdfObject::Reference(id.0, id.1))
    }

    /// Writes an object, and adds those that it refers to.
    fn object(&mut self, id: Id, object: &PdfObject) -> Option<()> {
        let is = |dict: &PdfDict, key: &[u8], name: &[u8]| {
            dict_get(dict, key).and_then(PdfObject::as_name) == Some(name)
        };
        if let PdfObject::Stream(stream) = object {
            let mut dict = stream.dict.clone();
            let is_picture = is(&dict, b"Subtype", b"Image");
            if is_picture {
                dict.retain(|key, _| OF_PICTURE.contains(&key.as_slice()));
            }
            return self.stream(id, dict, if is_picture { b"" } else { &stream.raw_data });
        }
        self.begin(id)?;
        match object {
            // The appearance of an annotation or a field is left out.
            PdfObject::Dict(dict)
                if dict.contains_key(b"AP".as_slice()) && dict.contains_key(b"Rect".as_slice()) =>
            {
                let mut dict = dict.clone();
                dict.remove(b"AP".as_slice());
                self.value(&PdfObject::Dict(dict), 0)?;
            }
            PdfObject::Dict(dict) if self.encodings.contains_key(&id) => {
                let mut dict = dict.clone();
                let encoding = self.encodings.get(&id).cloned();
                dict.extend(encoding.map(|encoding| (b"Encoding".to_vec(), encoding)));
                self.value(&PdfObject::Dict(dict), 0)?;
            }
            object => self.value(object, 0)?,
        }
        self.out.extend_from_slice(b"\nendobj\n");
        Some(())
    }

    fn stream(&mut self, id: Id, mut dict: PdfDict, data: &[u8]) -> Option<()> {
        let length = i64::try_from(data.len()).ok()?;
        dict.insert(b"Length".to_vec(), PdfObject::Integer(length));
        self.begin(id)?;
        self.value(&PdfObject::Dict(dict), 0)?;
        if self.out.len() + data.len() > MAX_BYTES {
            return None;
        }
        self.out.extend_from_slice(b"stream\n");
        self.out.extend_from_slice(data);
        self.out.extend_from_slice(b"\nendstream\nendobj\n");
        Some(())
    }

    /// Begins an object; `None` if there is no room for it.
    fn begin(&mut self, id: Id) -> Option<()> {
        self.offsets.insert(id, self.out.len());
        self.out.extend_from_slice(format!("{} {} obj\n", id.0, id.1).as_bytes());
        (self.out.len() <= MAX_BYTES).then_some(())
    }

    /// Writes a value, and adds the objects that it refers to. Returns `None` if it is nested too deeply.
    fn value(&mut self, object: &PdfObject, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match object {
            PdfObject::Null => self.out.extend_from_slice(b"null"),
            PdfObject::Bool(value) => self.out.extend_from_slice(value.to_string().as_bytes()),
            PdfObject::Integer(value) => self.out.extend_from_slice(value.to_string().as_bytes()),
            PdfObject::Real(value) if !value.is_finite() => return None,
            PdfObject::Real(value) => spelling::real(&mut self.out, value),
            PdfObject::Name(name) => spelling::name(&mut self.out, name),
            PdfObject::Str(text) => spelling::string(&mut self.out, text),
            PdfObject::Array(items) => {
                self.out.push(b'[');
                for item in items {
                    self.value(item, depth + 1)?;
                    self.out.push(b' ');
                }
                self.out.push(b']');
            }
            PdfObject::Dict(dict) => {
                self.out.extend_from_slice(b"<<");
                for (key, value) in dict {
                    spelling::name(&mut self.out, key);
                    self.out.push(b' ');
                    self.value(value, depth + 1)?;
                }
                self.out.extend_from_slice(b">>");
            }
            PdfObject::Reference(number, generation) => {
                self.refer(object, depth);
                self.out.extend_from_slice(format!("{number} {generation} R").as_bytes());
            }
            PdfObject::Stream(_) => return None,
        }
        Some(())
    }

    /// Writes the cross-reference table (ISO 32000-1, 7.5.4).
    fn finish(mut self, mut ends: PdfDict) -> Option<Vec<u8>> {
        let size = self.known.last().map_or(0, |(number, _)| i64::from(*number) + 1);
        ends.insert(b"Size".to_vec(), PdfObject::Integer(size));
        let start = self.out.len();
        let mut table = String::from("xref\n");
        for ((number, generation), offset) in std::mem::take(&mut self.offsets) {
            write!(table, "{number} 1\n{offset:010} {generation:05} n \n").ok()?;
        }
        self.out.extend_from_slice(table.as_bytes());
        self.out.extend_from_slice(b"trailer\n");
        self.value(&PdfObject::Dict(ends), 0)?;
        self.out.extend_from_slice(format!("\nstartxref\n{start}\n%%EOF\n").as_bytes());
        Some(self.out)
    }
}

fn lines(grids: &[Grid]) -> String {
    let mut out = String::from("q 0.5 w 0 G");
    for Grid { rows, columns } in grids {
        let (Some(top), Some(bottom), Some(left), Some(right)) =
            (rows.first(), rows.last(), columns.first(), columns.last())
        else {
            continue;
        };
        for row in rows {
            out.push_str(&format!(" {left:.2} {row:.2} m {right:.2} {row:.2} l S"));
        }
        for column in columns {
            out.push_str(&format!(" {column:.2} {bottom:.2} m {column:.2} {top:.2} l S"));
        }
    }
    out + " Q"
}

#[cfg(test)]
#[path = "slim_tests.rs"]
mod tests;
