//! The fonts: the bundled ones, unpacked once, and those of the embedder. Chooses the face for a character.
//!
//! Reads no files and no fonts of the system, so that a document looks the same everywhere.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use harfrust::{FontRef, Shaper, ShaperData};
use krilla::text::Font;
use skrifa::MetadataProvider as _;
use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::raw::FileRef;

use super::style::Style;
use crate::FontSet;
use crate::model::cjk::is_cjk;
use crate::shared::font_counts::is_sane;
use crate::shared::glyphs::scripts::is_plain;
use crate::shared::glyphs::{unpacked, unpacked_mono};
use mitt_base::{Error, ErrorKind, Result};

/// Indices of the bundled faces, in the order of [`mitt_fonts::NOTO`].
const SANS: usize = 0;
const CHINESE: usize = 4;
const MONO: usize = 6;
const BUNDLED: usize = 7;

/// Weight from which a face is bold.
const BOLD_FROM: f32 = 600.0;

/// Most faces of the embedder's fonts, since each character keeps the index of its face in a byte.
const MAX_GIVEN: usize = 200;

type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Faces, and the characters that they cover.
pub(super) struct Faces {
    faces: Vec<Face>,
    /// One bit for each character that some face draws correctly.
    covered: Vec<u64>,
}

struct Face {
    data: Bytes,
    index: u32,
    font: Font,
    shaper: ShaperData,
    is_bold: bool,
    is_italic: bool,
}

impl FontSet {
    /// Returns all faces, the bundled ones first.
    pub(super) fn compact_faces(&self) -> Result<Arc<Faces>> {
        let bundled = bundled()?;
        if self.files().is_empty() {
            return Ok(bundled);
        }
        let faces: Arc<Result<Arc<Faces>, usize>> = self.read_with(|files| {
            let mut faces = bundled_faces().ok_or(0_usize)?;
            for (index, file) in files.iter().enumerate() {
                let before = faces.len();
                let data: Bytes = Arc::new(file.clone());
                faces.extend(Face::all(&data).take(MAX_GIVEN - (before - BUNDLED)));
                if faces.len() == before && before - BUNDLED < MAX_GIVEN {
                    return Err(index);
                }
            }
            Ok(Arc::new(Faces::new(faces)))
        });
        Result::clone(&faces).map_err(|index| {
            Error::new(ErrorKind::Input, format!("font {index}: expected a TTF or OTF font"))
        })
    }
}

fn bundled() -> Result<Arc<Faces>> {
    static FACES: OnceLock<Option<Arc<Faces>>> = OnceLock::new();
    let faces = FACES.get_or_init(|| Some(Arc::new(Faces::new(bundled_faces()?))));
    faces.clone().ok_or_else(|| Error::bug("the bundled fonts are damaged"))
}

fn bundled_faces() -> Option<Vec<Face>> {
    let files = unpacked()?.iter().map(Vec::as_slice).chain([unpacked_mono()?]);
    let faces: Vec<Face> = files
        .flat_map(|file| {
            let data: Bytes = Arc::new(file);
            Face::all(&data).collect::<Vec<_>>()
        })
        .collect();
    (faces.len() == BUNDLED).then_some(faces)
}

impl Face {
    /// Returns the faces of a file.
    fn all(data: &Bytes) -> impl Iterator<Item = Face> {
        let count = match FileRef::new((**data).as_ref()) {
            _ if !is_sane((**data).as_ref()) => 0,
            Ok(FileRef::Font(_)) => 1,
            Ok(FileRef::Collection(collection)) => collection.len(),
            Err(_) => 0,
        };
        (0..count).filter_map(|index| Face::new(data.clone(), index))
    }

    fn new(data: Bytes, index: u32) -> Option<Face> {
        let font = Font::new(data.clone().into(), index)?;
        let (shaper, is_bold, is_italic) = {
            let font = FontRef::from_index((*data).as_ref(), index).ok()?;
            let attributes = font.attributes();
            (
                ShaperData::new(&font),
                attributes.weight.value() >= BOLD_FROM,
                attributes.style != skrifa::attribute::Style::Normal,
            )
        };
        Some(Face { data, index, font, shaper, is_bold, is_italic })
    }

    fn read(&self) -> Option<FontRef<'_>> {
        FontRef::from_index((*self.data).as_ref(), self.index).ok()
    }
}

impl Faces {
    fn new(faces: Vec<Face>) -> Faces {
        let mut covered = vec![0_u64; 0x11_0000 / 64];
        for (index, face) in faces.iter().enumerate() {
            let Some(font) = face.read() else { continue };
            for (point, glyph) in font.charmap().mappings() {
                // The bundled faces do not support scripts that need shaping.
                let is_right = index >= BUNDLED || char::from_u32(point).is_some_and(is_plain);
                let is_right = is_right && glyph.to_u32() != 0;
                if let Some(word) = covered.get_mut(point as usize / 64).filter(|_| is_right) {
                    *word |= 1 << (point % 64);
                }
            }
        }
        Faces { faces, covered }
    }

    /// Returns `true` if some face draws `c` correctly.
    pub(super) fn covers(&self, c: char) -> bool {
        let point = c as usize;
        self.covered.get(point / 64).is_some_and(|word| word & (1 << (point % 64)) != 0)
    }

    /// Returns the font of a face for the writer.
    pub(super) fn font(&self, face: u8) -> Option<&Font> {
        Some(&self.faces.get(usize::from(face))?.font)
    }
}

/// A character in the face that draws it.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub(super) face: u8,
    pub(super) glyph: u32,
    /// Advance width in ems.
    pub(super) advance: f32,
}

/// The faces during the layout of one document.
pub(super) struct Types<'a> {
    types: Vec<Option<Type<'a>>>,
    faces: &'a Faces,
    /// `true` if quotation marks and dashes are Chinese.
    is_cjk: bool,
    chosen: HashMap<(char, u8), Choice>,
}

struct Type<'a> {
    charmap: Charmap<'a>,
    metrics: GlyphMetrics<'a>,
    shaper: Shaper<'a>,
    units: f32,
}

impl<'a> Types<'a> {
    pub(super) fn new(faces: &'a Faces, is_cjk: bool) -> Types<'a> {
        let types = faces.faces.iter().map(|face| {
            let font = face.read()?;
            let units =
                f32::from(font.metrics(Size::unscaled(), LocationRef::default()).units_per_em);
            Some(Type {
                charmap: font.charmap(),
                metrics: font.glyph_metrics(Size::unscaled(), LocationRef::default()),
                shaper: face.shaper.shaper(&font).build(),
                units: units.max(1.0),
            })
        });
        Types { types: types.collect(), faces, is_cjk, chosen: HashMap::new() }
    }

    /// Returns the units per em of a face, and its shaper.
    pub(super) fn shaper(&self, face: u8) -> Option<(f32, &Shaper<'a>)> {
        let one = self.types.get(usize::from(face))?.as_ref()?;
        Some((one.units, &one.shaper))
    }

    /// Returns `true` if a face has a glyph for `c`.
    pub(super) fn has(&self, face: u8, c: char) -> bool {
        self.look_up(usize::from(face), c).is_some()
    }

    /// Returns the face that draws `c`: the first one of the style that has it, or else the first one.
    pub(super) fn choose(&mut self, style: &Style, c: char, is_in_word: bool) -> Choice {
        // Between letters it is an apostrophe, also in Chinese text.
        let is_chinese_mark = self.is_cjk && is_shared_mark(c) && !(c == '’' && is_in_word);
        let key = u8::from(style.is_bold)
            | u8::from(style.is_italic) << 1
            | u8::from(style.is_mono) << 2
            | u8::from(is_chinese_mark) << 3;
        if let Some(choice) = self.chosen.get(&(c, key)) {
            return *choice;
        }
        let order = self.order(style, is_chinese_mark || is_cjk(c));
        let found = order.iter().find_map(|face| self.look_up(*face, c));
        let first = order.first().copied().unwrap_or(SANS);
        let choice = found.unwrap_or(Choice { face: first as u8, glyph: 0, advance: 0.0 });
        self.chosen.insert((c, key), choice);
        choice
    }

    fn look_up(&self, face: usize, c: char) -> Option<Choice> {
        let one = self.types.get(face)?.as_ref()?;
        let glyph = one.charmap.map(c).filter(|glyph| glyph.to_u32() != 0)?;
        let advance = one.metrics.advance_width(glyph).unwrap_or_default() / one.units;
        Some(Choice { face: u8::try_from(face).ok()?, glyph: glyph.to_u32(), advance })
    }

    /// Returns the faces in the order in which they are tried.
    fn order(&self, style: &Style, is_chinese_first: bool) -> Vec<usize> {
        let latin = SANS + usize::from(style.is_bold) + 2 * usize::from(style.is_italic);
        let chinese = CHINESE + usize::from(style.is_bold);
        let mut order = Vec::new();
        if style.is_mono {
            order.push(MONO);
        }
        order.extend(if is_chinese_first { [chinese, latin] } else { [latin, chinese] });
        // Of the embedder's faces, those of the same style come first.
        let given = self.faces.faces.iter().enumerate().skip(BUNDLED);
        let is_same =
            |face: &Face| face.is_bold == style.is_bold && face.is_italic == style.is_italic;
        order.extend(given.clone().filter(|(_, face)| is_same(face)).map(|(index, _)| index));
        order.extend(given.filter(|(_, face)| !is_same(face)).map(|(index, _)| index));
        order.push(MONO);
        order
    }
}

/// Returns `true` for marks that Chinese and Latin text share, and that look different in each.
fn is_shared_mark(c: char) -> bool {
    matches!(c, '·' | '–' | '—' | '‘' | '’' | '“' | '”' | '\u{2025}'..='\u{2027}' | '\u{2E3A}')
}
