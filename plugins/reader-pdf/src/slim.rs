//! The document as the library is to read it: its pages as they are painted now, with what they need, and nothing else.
//!
//! What is structure for readers aloud, pictures and files inside are most of the objects of many documents, and the library
//! takes a document apart more than once. Nothing of a document that is encrypted is written: otherwise everything would have
//! to be encrypted again.

use crate::shades::Grid;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};

type Id = (u32, u16);

/// Deepest nesting of what an object holds.
const MAX_DEPTH: usize = 32;

/// Most fonts, forms and pictures that are named in pages themselves, all in all.
const MAX_NAMES: usize = 100_000;

/// Deepest tree of pages from which a page inherits; as deep as the library looks.
const MAX_TREE: usize = 64;

/// Highest number of an object.
const MAX_NUMBER: u32 = 8_000_000;

/// Largest document that is written: it is in memory beside the one that it is made of.
const MAX_BYTES: usize = 96 << 20;

const HEX: [u8; 16] = *b"0123456789abcdef";

/// What the library reads of the catalog and of a page, and of a picture.
const OF_CATALOG: [&[u8]; 5] = [b"Type", b"Pages", b"Outlines", b"AcroForm", b"URI"];
const OF_PAGE: [&[u8]; 6] = [b"Type", b"MediaBox", b"CropBox", b"Rotate", b"Resources", b"Annots"];
const OF_PICTURE: [&[u8]; 4] = [b"Type", b"Subtype", b"Width", b"Height"];

/// What the library reads of a page that it is not asked for.
const OF_OTHER_PAGE: [&[u8]; 4] = [b"Type", b"MediaBox", b"CropBox", b"Rotate"];

/// What the library looks for among the resources of a page.
const OF_RESOURCES: [&[u8]; 2] = [b"Font", b"XObject"];

/// What a page inherits if it has none of its own; resources besides, which add up.
const INHERITED: [&[u8]; 3] = [b"MediaBox", b"CropBox", b"Rotate"];

/// What a page is to be painted with.
#[derive(Default)]
pub(crate) struct Painting {
    /// Operators in place of those that it has.
    pub(crate) instead: Option<Vec<u8>>,
    /// Tables whose borders are drawn first.
    pub(crate) grids: Vec<Grid>,
}

/// The document with these paintings of its pages; none if it cannot be written. Of all its pages only those that are wanted have
/// something on them.
pub(crate) fn slim(
    document: &RawDocument,
    (pages, wanted): (&BTreeMap<u32, Id>, &BTreeMap<u32, Id>),
    paintings: &BTreeMap<u32, Painting>,
) -> Option<Vec<u8>> {
    let trailer = document.trailer();
    let root = dict_get(trailer, b"Root").and_then(PdfObject::as_reference)?;
    let mut slim = Slim {
        out: format!("%PDF-{}\n", document.version).into_bytes(),
        offsets: BTreeMap::new(),
        wanted: Vec::new(),
        known: pages.values().copied().collect(),
    };
    // Pages are written last: what is painted on them gets numbers that nothing else has.
    let mut last = Vec::new();
    let mut names = MAX_NAMES;
    // One page may be there several times.
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
        let dict = own(document, page, &mut names);
        dict.values().for_each(|value| slim.refer(value, 0));
        let contents = dict_get(page, b"Contents");
        if painting.is_none_or(|painting| painting.instead.is_none()) {
            contents.into_iter().for_each(|contents| slim.refer(contents, 0));
        }
        last.push((*id, dict, contents, painting));
    }
    let mut catalog = document.get_dict(root).ok()?.clone();
    catalog.retain(|key, _| OF_CATALOG.contains(&key.as_slice()));
    // A catalog that is a page too is none of a document that anybody made.
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

/// What the library reads of a page, with what it inherits. The page above it is named only where one above has resources, as
/// the library looks there for every string.
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

/// Resources as they are to be written into a page, where the library finds the font of each string soonest; none if there is
/// no room for so many names, or if what one stands for has no number: by that the library knows it again on other pages.
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
    /// What is painted before all that is left of the page's own.
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

/// A document that is being written.
struct Slim {
    out: Vec<u8>,
    /// Where each object begins in `out`.
    offsets: BTreeMap<Id, usize>,
    /// Objects that are still to be written, and all that are known.
    wanted: Vec<Id>,
    known: BTreeSet<Id>,
}

impl Slim {
    /// Want all objects that a value refers to. What is nested too deeply is not written.
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

    /// Write operators under a number that nothing has; gives the reference to them.
    fn added(&mut self, content: &[u8]) -> Option<PdfObject> {
        let last = self.known.last().map_or(0, |(number, _)| *number);
        let id = (last.checked_add(1).filter(|number| *number <= MAX_NUMBER)?, 0);
        self.known.insert(id);
        self.stream(id, PdfDict::new(), content)?;
        Some(PdfObject::Reference(id.0, id.1))
    }

    /// Write an object, and want what it refers to.
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
            // How a remark or a field looks.
            PdfObject::Dict(dict)
                if dict.contains_key(b"AP".as_slice()) && dict.contains_key(b"Rect".as_slice()) =>
            {
                let mut dict = dict.clone();
                dict.remove(b"AP".as_slice());
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

    /// Begin an object; none if there is no room for one.
    fn begin(&mut self, id: Id) -> Option<()> {
        self.offsets.insert(id, self.out.len());
        self.out.extend_from_slice(format!("{} {} obj\n", id.0, id.1).as_bytes());
        (self.out.len() <= MAX_BYTES).then_some(())
    }

    /// Write a value, and want what it refers to; none if it is nested too deeply.
    fn value(&mut self, object: &PdfObject, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match object {
            PdfObject::Null => self.out.extend_from_slice(b"null"),
            PdfObject::Bool(value) => self.out.extend_from_slice(value.to_string().as_bytes()),
            PdfObject::Integer(value) => self.out.extend_from_slice(value.to_string().as_bytes()),
            PdfObject::Real(value) if !value.is_finite() => return None,
            PdfObject::Real(value) => {
                let text = value.to_string();
                self.out.extend_from_slice(text.as_bytes());
                // What is no whole number must not become one.
                if !text.contains('.') {
                    self.out.extend_from_slice(b".0");
                }
            }
            PdfObject::Name(name) => self.name(name),
            PdfObject::Str(text) => {
                self.out.push(b'<');
                for byte in text {
                    self.out.extend([byte >> 4, byte & 15].map(|digit| HEX[usize::from(digit)]));
                }
                self.out.push(b'>');
            }
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
                    self.name(key);
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

    fn name(&mut self, name: &[u8]) {
        self.out.push(b'/');
        for byte in name {
            if byte.is_ascii_alphanumeric() || b"-_.+*".contains(byte) {
                self.out.push(*byte);
            } else {
                self.out.extend_from_slice(format!("#{byte:02x}").as_bytes());
            }
        }
    }

    /// Write the table of where the objects are (ISO 32000-1, 7.5.4).
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

/// Operators that draw the borders.
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
mod tests {
    use super::*;

    /// A document of objects, each with its number; the first is the catalog. `more` is put into the trailer.
    fn document(objects: &[(u32, &str)], more: &str) -> Vec<u8> {
        let mut out = String::from("%PDF-1.4\n");
        let mut table = String::from("xref\n");
        for (number, object) in objects {
            table.push_str(&format!("{number} 1\n{:010} 00000 n \n", out.len()));
            out.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
        }
        let start = out.len();
        out.push_str(&format!(
            "{table}trailer\n<</Size 99/Root 1 0 R{more}>>\nstartxref\n{start}\n%%EOF\n"
        ));
        out.into_bytes()
    }

    const CATALOG: (u32, &str) = (1, "<</Type/Catalog/Pages 2 0 R>>");
    const PAGES: (u32, &str) = (
        2,
        "<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 300 400]/Rotate 90/Resources<</Font<</F 5 0 R>>>>>>",
    );
    const PAGE: (u32, &str) = (3, "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>");
    const CONTENT: (u32, &str) =
        (4, "<</Length 37>>stream\nBT /F 12 Tf 30 300 Td (Hello) Tj ET Q\nendstream");
    const FONT: (u32, &str) = (5, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");

    /// That document, with a painting of its first page.
    fn painted(bytes: &[u8], painting: Painting) -> Option<Vec<u8>> {
        let document = RawDocument::load(bytes).unwrap();
        let pages = document.pages();
        slim(&document, (&pages, &pages), &BTreeMap::from([(1, painting)]))
    }

    fn slimmed(bytes: &[u8]) -> Option<Vec<u8>> {
        painted(bytes, Painting::default())
    }

    fn text(bytes: &[u8]) -> String {
        unpdf::parse_bytes(bytes).unwrap().plain_text().trim().to_owned()
    }

    #[test]
    fn only_what_the_library_reads_is_written() {
        let bytes = document(
            &[
                (
                    1,
                    "<</Type/Catalog/Pages 2 0 R/StructTreeRoot 6 0 R/Names 7 0 R/Metadata 8 0 R/Outlines 9 0 R>>",
                ),
                PAGES,
                (
                    3,
                    "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Thumb 8 0 R/StructParents 0/Annots[12 0 R]/Resources<</XObject<</P 11 0 R>>>>>>",
                ),
                (4, "<</Length 43>>stream\nBT /F 12 Tf 30 300 Td (Hello) Tj ET /P Do Q\nendstream"),
                FONT,
                (6, "<</Type/StructTreeRoot/K<</S/P/ActualText(gone)>>>>"),
                (7, "<</EmbeddedFiles<</Names[(gone)8 0 R]>>>>"),
                (8, "<</Length 4>>stream\ngone\nendstream"),
                (9, "<</First 10 0 R/Count 1>>"),
                (10, "<</Title(Part)/Parent 9 0 R/Dest[3 0 R/Fit]>>"),
                (
                    11,
                    "<</Type/XObject/Subtype/Image/Width 7/Height 8/SMask 8 0 R/Length 4>>stream\ngone\nendstream",
                ),
                (
                    12,
                    "<</Subtype/Link/Rect[0 0 300 400]/A<</S/URI/URI(https://example.org/)>>/AP<</N 8 0 R>>>>",
                ),
                (13, "<</Title(About)>>"),
            ],
            "/Info 13 0 R",
        );
        let anew = slimmed(&bytes).unwrap();
        let shown = String::from_utf8_lossy(&anew);
        let gone = ["gone", "676f6e65", "StructTree", "Names", "Thumb", "SMask", "/AP"];
        assert_eq!(gone.map(|word| shown.contains(word)), [false; 7], "{shown}");
        for bytes in [&bytes, &anew] {
            let read = unpdf::parse_bytes(bytes).unwrap();
            let page = &read.pages[0];
            assert_eq!((page.width, page.height, page.rotation), (300.0, 400.0, 90));
            assert_eq!(read.plain_text().trim(), "Hello");
            assert!(format!("{:?}", page.elements).contains("https://example.org/"));
            assert_eq!(page.image_op_count, 1);
            assert_eq!(read.metadata.title.as_deref(), Some("About"));
            let part = &read.outline.as_ref().unwrap().items[0];
            assert_eq!((part.title.as_str(), part.page), ("Part", Some(1)));
        }
    }

    #[test]
    fn documents_of_ten_pages_are_written_anew() {
        let changed = |count: usize| {
            let numbers = 10..10 + u32::try_from(count).unwrap();
            let kids: String = numbers.clone().map(|number| format!("{number} 0 R ")).collect();
            let pages = format!("<</Type/Pages/Kids[{kids}]/Resources<</Font<</F 5 0 R>>>>>>");
            let mut objects = vec![CATALOG, (2, pages.as_str()), CONTENT, FONT];
            objects.extend(numbers.map(|number| (number, PAGE.1)));
            crate::look::look(&document(&objects, ""), crate::Share::WHOLE).unwrap().changed
        };
        assert_eq!(changed(9), None);
        assert_eq!(text(&changed(10).unwrap()).matches("Hello").count(), 10);
    }

    #[test]
    fn values_stay_what_they_are() {
        let values = "[null true -7 9223372036854775807 -0.5 3. .25 100000000000000000000.5 /A#20b#23/#2f() /\u{7f}#00 \
                      (a\\)\\n\\377) <00ff> [[]] <</K<</K/V>>>> 3 0 R 77 0 R 5 0 /R]";
        let bytes = document(&[CATALOG, PAGES, PAGE, CONTENT, FONT, (6, values)], "/Info 6 0 R");
        let (before, after) = (
            RawDocument::load(&bytes).unwrap(),
            RawDocument::load(&slimmed(&bytes).unwrap()).unwrap(),
        );
        for number in 4..=6 {
            let object = before.get_object((number, 0));
            assert!(object.is_some());
            match (object, after.get_object((number, 0))) {
                // The length is written out.
                (Some(PdfObject::Stream(before)), Some(PdfObject::Stream(after))) => {
                    assert_eq!(before.raw_data, after.raw_data);
                }
                (before, after) => assert_eq!(before, after),
            }
        }
        assert!(!after.xref_reconstructed());
        assert_eq!(after.skipped_object_count(), 0);
    }

    #[test]
    fn whatever_is_wrong_with_a_document_is_no_trouble() {
        let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let huge = format!("[{}.0]", "9".repeat(400));
        let (deepest, too_deep) = (deep(MAX_DEPTH), deep(MAX_DEPTH + 1));
        let cyclic = "<</A 6 0 R/B[6 0 R 7 0 R]>>";
        let of_itself = (
            2,
            "<</Type/Pages/Parent 2 0 R/Kids[3 0 R 2 0 R 3 0 R 66 0 R]/MediaBox[0 0 300 400]/Resources<</Font<</F 5 0 R>>>>>>",
        );
        for (pages, info, is_written) in [
            (PAGES, cyclic, true),
            (of_itself, cyclic, true),
            (PAGES, "[99 0 R 8000000 0 R 5 65535 R]", true),
            (PAGES, &deepest, true),
            (PAGES, &too_deep, false),
            (PAGES, &huge, false),
        ] {
            let bytes = document(
                &[CATALOG, pages, PAGE, CONTENT, FONT, (6, info), (7, "6 0 R")],
                "/Info 6 0 R",
            );
            let anew = slimmed(&bytes);
            assert_eq!(anew.is_some(), is_written, "{info}");
            assert_eq!(text(&anew.unwrap_or(bytes)), "Hello", "{info}");
        }
        for objects in [
            // A catalog that is a page, and none.
            [(1, "<</Type/Page/Pages 1 0 R>>"), PAGES, PAGE, CONTENT],
            [(6, "<<>>"), PAGES, PAGE, CONTENT],
        ] {
            assert_eq!(slimmed(&document(&objects, "")), None);
        }
    }

    #[test]
    fn paintings_stand_before_what_is_left_of_a_page() {
        let bytes = document(&[CATALOG, PAGES, PAGE, CONTENT, FONT], "");
        let instead = |text: &str| Painting {
            instead: Some(format!("BT /F 12 Tf 30 300 Td ({text}) Tj ET").into_bytes()),
            grids: Vec::new(),
        };
        assert_eq!(text(&painted(&bytes, instead("Instead")).unwrap()), "Instead");
        let grid = Grid { rows: vec![320.0, 290.0], columns: vec![20.0, 200.0] };
        let drawn = painted(&bytes, Painting { instead: None, grids: vec![grid] }).unwrap();
        assert_eq!(text(&drawn), "Hello");
        let at = |word: &str| String::from_utf8_lossy(&drawn).find(word);
        assert!(at("20.00 320.00 m").is_some() && at("(Hello)").is_some());
        let document = RawDocument::load(&drawn).unwrap();
        let page = document.get_dict((3, 0)).unwrap();
        let parts = [PdfObject::Reference(6, 0), PdfObject::Reference(4, 0)];
        assert_eq!(dict_get(page, b"Contents"), Some(&PdfObject::Array(parts.to_vec())));
    }

    #[test]
    fn fonts_are_named_in_the_page_as_long_as_there_is_room() {
        let page = (3, "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources 6 0 R>>");
        let many =
            |count: usize| -> String { (0..count).map(|name| format!("/F{name} 5 0 R")).collect() };
        for (fonts, is_in_page) in [
            ("7 0 R".to_owned(), true),
            (format!("<<{}/F 5 0 R>>", many(MAX_NAMES - 1)), true),
            (format!("<<{}/F 5 0 R>>", many(MAX_NAMES)), false),
            // A font without a number; no fonts.
            ("<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>".to_owned(), false),
            ("5".to_owned(), false),
        ] {
            let resources = format!("<</Font {fonts}/ExtGState 8 0 R>>");
            let bytes = document(
                &[
                    CATALOG,
                    PAGES,
                    page,
                    CONTENT,
                    FONT,
                    (6, &resources),
                    (7, "<</F 5 0 R>>"),
                    (8, "<<>>"),
                ],
                "",
            );
            let anew = slimmed(&bytes).unwrap();
            // The library looks at each of them.
            assert!(resources.len() > 1_000 || text(&anew) == "Hello");
            let anew = RawDocument::load(&anew).unwrap();
            let found = dict_get(anew.get_dict((3, 0)).unwrap(), b"Resources").unwrap();
            assert_eq!(found.as_dict().is_some(), is_in_page);
            assert_eq!(anew.get_object((6, 0)).is_none(), is_in_page);
        }
    }

    #[test]
    fn numbers_and_bytes_are_bounded() {
        let with = |number: u32, length: usize| {
            let kids = format!("[{number} 0 R]");
            let bytes = document(&[CATALOG, PAGES, PAGE, CONTENT, FONT, (6, &kids)], "/Info 6 0 R");
            painted(&bytes, Painting { instead: Some(vec![b' '; length]), grids: Vec::new() })
        };
        assert!(with(MAX_NUMBER - 1, 1).is_some());
        assert!(with(MAX_NUMBER, 1).is_none());
        assert!(with(u32::MAX, 1).is_none());
        assert!(with(9, MAX_BYTES - 5_000).is_some());
        assert!(with(9, MAX_BYTES).is_none());
    }
}
