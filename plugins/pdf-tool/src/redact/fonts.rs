//! Characters and widths of the codes of a font.

use crate::content::Operations;
use crate::file::Pdf;
use crate::object::{Dict, Object};
use mitt_guest::FoldMap;
use std::collections::BTreeSet;
use std::rc::Rc;
use unpdf::parser::backend::{PdfBackend as _, RawBackend, ResourceScope};

/// Most codes that are remembered of all fonts.
const MAX_KNOWN: usize = 400_000;

/// A code of a string.
pub(crate) struct Code {
    /// Its bytes in the string.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The characters; `None` if nobody knows.
    pub(crate) text: Option<Rc<str>>,
    /// How far the next glyph is, in thousandths of the size.
    pub(crate) advance: f64,
    /// The font is written from top to bottom.
    pub(crate) is_vertical: bool,
    /// The spacing of words applies.
    pub(crate) is_space: bool,
    /// The height of the font, in sizes. Only fonts of the kind Type 3 have another one than 1; it is negative if their glyphs
    /// stand on their heads.
    pub(crate) height: f64,
}

/// Measures of a font of the kind Type 3, which has a space of its own.
struct Measures {
    first: i64,
    /// Thousandths of the size.
    widths: Vec<f64>,
    height: f64,
}

#[derive(Clone)]
struct Known {
    text: Option<Rc<str>>,
    advance: f64,
    is_vertical: bool,
}

/// How long codes are.
#[derive(PartialEq)]
enum Lengths {
    One,
    Two,
    /// Two if the first byte is in a range.
    Lead(Vec<(u8, u8)>),
    /// GB 18030: four if the second byte is a digit.
    Gb18030,
    /// Four in any case, a pair of surrogates, or a character of UTF-8.
    Utf32,
    Utf16,
    Utf8,
    /// Ranges of an own table: length, first, last.
    Spaces(Vec<(usize, Vec<u8>, Vec<u8>)>),
}

/// A font by the page, the form and the name under which it is used.
type FontKey = (u32, Option<u32>, Rc<[u8]>);

/// A font of [`Fonts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FontId(usize);

struct Font {
    /// Where it was met first.
    scope: ResourceScope,
    name: Rc<[u8]>,
    /// The name that users know.
    shown_name: String,
    lengths: Lengths,
    measures: Option<Measures>,
    /// Its name, if its glyphs are programs that are not followed.
    programs: Option<String>,
    /// Characters of codes by their length and their value.
    known: FoldMap<u64, Known>,
}

/// Fonts of a document.
pub(crate) struct Fonts {
    backend: RawBackend,
    fonts: Vec<Font>,
    by_name: FoldMap<FontKey, FontId>,
    /// Fonts by their objects, which pages share.
    by_object: FoldMap<u32, FontId>,
    /// Number of codes that are remembered.
    count: usize,
    /// Fonts of annotations that cannot be read, since this was emptied.
    pub(crate) unread: BTreeSet<String>,
}

impl Fonts {
    /// Opens the same document for its fonts. `None` if that fails.
    pub(crate) fn new(bytes: &[u8]) -> Option<Self> {
        let backend = RawBackend::load_bytes(bytes).ok()?;
        Some(Self {
            backend,
            fonts: Vec::new(),
            by_name: FoldMap::default(),
            by_object: FoldMap::default(),
            count: 0,
            unread: BTreeSet::new(),
        })
    }

    /// Returns the font of a name. `owner` is the form in whose content the name stands.
    pub(crate) fn find(
        &mut self,
        pdf: &Pdf,
        resources: &Dict,
        page: u32,
        owner: Option<u32>,
        name: &Rc<[u8]>,
    ) -> FontId {
        let key = (page, owner, Rc::clone(name));
        if let Some(id) = self.by_name.get(&key) {
            return *id;
        }
        let object = shared(pdf, resources, page, owner, name);
        if let Some(id) = object.and_then(|it| self.by_object.get(&it)).copied() {
            self.by_name.insert(key, id);
            return id;
        }
        let dict = pdf.dict(resources, "Font").and_then(|it| pdf.resolve(it.find(name)?).as_dict());
        let scope = match owner {
            Some(form) => ResourceScope::form((page, 0), (form, 0)),
            None => ResourceScope::page((page, 0)),
        };
        let id = FontId(self.fonts.len());
        self.fonts.push(Font {
            scope,
            name: Rc::clone(name),
            shown_name: dict
                .and_then(|it| pdf.text(it, "BaseFont"))
                .unwrap_or_else(|| String::from_utf8_lossy(name).into_owned()),
            lengths: dict.map_or(Lengths::One, |it| lengths(pdf, it)),
            measures: dict.and_then(|it| measures(pdf, it)),
            programs: dict.and_then(|it| programs(pdf, it, name)),
            known: FoldMap::default(),
        });
        self.by_name.insert(key, id);
        if let Some(object) = object {
            self.by_object.insert(object, id);
        }
        id
    }

    /// Returns the name of a font whose glyphs are programs that show text, forms or pictures; `None` if it is another one.
    pub(crate) fn programs(&self, id: FontId) -> Option<&str> {
        self.fonts[id.0].programs.as_deref()
    }

    /// Returns the name of a font that users know.
    pub(crate) fn shown_name(&self, id: FontId) -> &str {
        &self.fonts[id.0].shown_name
    }

    /// Returns the code that begins at a byte of a string.
    pub(crate) fn code(&mut self, id: FontId, bytes: &[u8], start: usize) -> Code {
        let font = &mut self.fonts[id.0];
        let end = (start + font.lengths.next(&bytes[start..]).max(1)).min(bytes.len());
        let code = &bytes[start..end];
        let value = code.iter().fold(code.len() as u64, |sum, it| sum << 8 | u64::from(*it));
        let known = match font.known.get(&value) {
            Some(known) => known.clone(),
            None => {
                let known = decoded(&self.backend, font, code);
                if self.count < MAX_KNOWN {
                    self.count += 1;
                    font.known.insert(value, known.clone());
                }
                known
            }
        };
        let own = font.measures.as_ref().map(|it| {
            let place = usize::try_from(i64::from(bytes[start]) - it.first).ok();
            place.and_then(|at| it.widths.get(at)).copied().unwrap_or(0.0)
        });
        Code {
            start,
            end,
            text: known.text,
            advance: own.unwrap_or(known.advance),
            is_vertical: known.is_vertical && own.is_none(),
            is_space: code == [32],
            height: font.measures.as_ref().map_or(1.0, |it| it.height),
        }
    }
}

/// Returns the number of a font that is an object of its own, where the reader of fonts finds the same one: in the resources of
/// the page or form itself. `None` otherwise.
fn shared(pdf: &Pdf, resources: &Dict, page: u32, owner: Option<u32>, name: &[u8]) -> Option<u32> {
    let number = |resources: &Dict| pdf.dict(resources, "Font")?.find(name)?.as_ref();
    let scope = pdf.object(owner.unwrap_or(page))?;
    let found = number(pdf.dict(scope, "Resources")?)?;
    (number(resources) == Some(found) && pdf.object(found).is_some()).then_some(found)
}

fn decoded(backend: &RawBackend, font: &Font, code: &[u8]) -> Known {
    let decoded = backend.decode_run(font.scope, &font.name, code);
    let text = decoded.decoded.text;
    let is_unknown = decoded.decoded.suppressed.is_some() || decoded.decoded.undecoded_codes > 0;
    let glyph = decoded.glyphs.as_ref().and_then(|it| it.first());
    let vertical = glyph.and_then(|it| it.vertical);
    let advance = vertical.map(|it| f64::from(it.advance)).or(glyph.map(|it| f64::from(it.width)));
    Known {
        text: (!text.is_empty() && !is_unknown).then(|| text.into()),
        // A glyph whose width nobody knows is taken to be half as wide as it is high.
        advance: advance.filter(|it| it.is_finite()).unwrap_or(500.0),
        is_vertical: vertical.is_some(),
    }
}

/// Returns the name of a font of the kind Type 3 whose glyphs show text, forms or pictures; `None` if it is another one.
fn programs(pdf: &Pdf, dict: &Dict, name: &[u8]) -> Option<String> {
    if !pdf.value(dict, "Subtype").is_name("Type3") {
        return None;
    }
    let shows = |glyph: &Object| {
        let Some(stream) = pdf.resolve(glyph).as_stream() else { return false };
        let Ok(content) = pdf.decode(stream) else { return true };
        Operations::new(&content.bytes)
            .any(|it| matches!(it.operator, b"Tj" | b"TJ" | b"'" | b"\"" | b"Do"))
    };
    let is_it = pdf.dict(dict, "CharProcs").is_some_and(|it| it.iter().any(|it| shows(it.1)));
    let shown =
        || pdf.text(dict, "Name").unwrap_or_else(|| String::from_utf8_lossy(name).into_owned());
    is_it.then(shown)
}

/// Returns the measures of a font of the kind Type 3; `None` if it is another one, or has none.
fn measures(pdf: &Pdf, font: &Dict) -> Option<Measures> {
    if !pdf.value(font, "Subtype").is_name("Type3") {
        return None;
    }
    let matrix: [f64; 6] = pdf
        .numbers(font.get("FontMatrix"))
        .try_into()
        .unwrap_or([0.001, 0.0, 0.0, 0.001, 0.0, 0.0]);
    let widths: Vec<f64> = pdf
        .value(font, "Widths")
        .as_array()?
        .iter()
        .map(|it| pdf.resolve(it).as_f64().unwrap_or(0.0) * matrix[0] * 1000.0)
        .map(|it| if it.is_finite() { it } else { 0.0 })
        .collect();
    let inked: Vec<f64> =
        widths.iter().map(|it| it.abs() / 1000.0).filter(|it| *it > 0.0).collect();
    if inked.is_empty() {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a font has few glyphs")]
    let mean = inked.iter().sum::<f64>() / inked.len() as f64;
    let up = if matrix[3] == 0.0 { matrix[1] } else { matrix[3] };
    let boxed = pdf.rect(font.get("FontBBox")).map_or(0.0, |it| (it[3] - it[1]).abs() * up.abs());
    // The box is often wrong or all zero. Glyphs are about half as wide as the font is high.
    let height = if boxed > 0.0 { boxed.clamp(mean, 4.0 * mean) } else { 2.0 * mean };
    Some(Measures {
        first: pdf.value(font, "FirstChar").as_int().unwrap_or(0),
        widths,
        height: if up < 0.0 { -height } else { height },
    })
}

impl Lengths {
    /// Returns the length of the code with which a string goes on.
    fn next(&self, rest: &[u8]) -> usize {
        let first = rest.first().copied().unwrap_or(0);
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Utf32 => 4,
            Self::Utf16 => 2 + 2 * usize::from((0xd8..=0xdb).contains(&first)),
            Self::Utf8 => match first {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => 1,
            },
            Self::Gb18030 => match rest.get(1) {
                Some(b'0'..=b'9') if first > 0x80 => 4,
                _ => 1 + usize::from(first > 0x80),
            },
            Self::Lead(ranges) => {
                1 + usize::from(ranges.iter().any(|it| (it.0..=it.1).contains(&first)))
            }
            Self::Spaces(spaces) => {
                let fits = |(length, low, high): &&(usize, Vec<u8>, Vec<u8>)| {
                    let Some(code) = rest.get(..*length) else { return false };
                    code.iter()
                        .zip(low.iter().zip(high))
                        .all(|(it, (low, high))| low <= it && it <= high)
                };
                spaces.iter().find(fits).or(spaces.first()).map_or(1, |it| it.0)
            }
        }
    }
}

fn lengths(pdf: &Pdf, font: &Dict) -> Lengths {
    if !pdf.value(font, "Subtype").is_name("Type0") {
        return Lengths::One;
    }
    match pdf.value(font, "Encoding") {
        Object::Name(name) => {
            let name = String::from_utf8_lossy(name).into_owned();
            if name.starts_with("Uni") {
                match name {
                    name if name.contains("UTF32") => Lengths::Utf32,
                    name if name.contains("UTF16") => Lengths::Utf16,
                    name if name.contains("UTF8") => Lengths::Utf8,
                    _ => Lengths::Two,
                }
            } else if name.starts_with("GBK2K") {
                Lengths::Gb18030
            } else if name.contains("RKSJ") {
                Lengths::Lead(vec![(0x81, 0x9f), (0xe0, 0xfc)])
            } else if ["EUC", "GBK", "B5", "KSC", "HKscs", "GBpc", "GBT"]
                .iter()
                .any(|it| name.contains(it))
            {
                if name == "H" || name == "V" {
                    Lengths::Two
                } else {
                    Lengths::Lead(vec![(0x81, 0xfe)])
                }
            } else {
                Lengths::Two
            }
        }
        Object::Stream(stream) => {
            let Ok(data) = pdf.decode(stream) else { return Lengths::Two };
            let spaces = spaces(&data.bytes);
            if spaces.is_empty() { Lengths::Two } else { Lengths::Spaces(spaces) }
        }
        _ => Lengths::Two,
    }
}

/// Reads the ranges of codes of a table.
fn spaces(data: &[u8]) -> Vec<(usize, Vec<u8>, Vec<u8>)> {
    let text = String::from_utf8_lossy(data);
    let mut out = Vec::new();
    for block in text.split("begincodespacerange").skip(1) {
        let block = block.split("endcodespacerange").next().unwrap_or_default();
        let hex: Vec<Vec<u8>> = block
            .split('<')
            .skip(1)
            .take(200)
            .map(|it| {
                let digits: Vec<u8> = it
                    .split('>')
                    .next()
                    .unwrap_or_default()
                    .bytes()
                    .filter_map(|it| {
                        char::from(it).to_digit(16).and_then(|it| u8::try_from(it).ok())
                    })
                    .collect();
                digits.chunks(2).map(|it| it.iter().fold(0, |sum, it| sum << 4 | it)).collect()
            })
            .collect();
        for pair in hex.chunks_exact(2) {
            if !pair[0].is_empty() && pair[0].len() == pair[1].len() && pair[0].len() <= 4 {
                out.push((pair[0].len(), pair[0].clone(), pair[1].clone()));
            }
        }
    }
    out.sort_by_key(|it| it.0);
    out
}
