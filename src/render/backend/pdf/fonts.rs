//! The fonts: Noto Sans and Noto Sans SC in the binary, a monospaced one and mathematical symbols from Typst's own set, and
//! those of the embedder. Reads no files and no fonts of the system, so that a document looks the same everywhere.

use std::sync::{Arc, OnceLock};

use typst::foundations::Bytes;
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;

use crate::FontSet;
use crate::model::language::Language;
use crate::shared::font_counts::is_sane;
use crate::shared::glyphs::scripts::is_plain;
use crate::shared::glyphs::unpacked;
use mitt_base::{Error, ErrorKind, Result};

/// Faces of Typst's own set: text of one width, and mathematics. `build.rs` takes them out of `typst-assets`. The other faces
/// of that crate would be used only by accident, and make the same text look different.
const TYPST_FACES: [&[u8]; 6] = [
    include_bytes!(concat!(env!("OUT_DIR"), "/math-bold.otf")),
    include_bytes!(concat!(env!("OUT_DIR"), "/math.otf")),
    include_bytes!(concat!(env!("OUT_DIR"), "/mono-bold.ttf")),
    include_bytes!(concat!(env!("OUT_DIR"), "/mono-bold-oblique.ttf")),
    include_bytes!(concat!(env!("OUT_DIR"), "/mono-oblique.ttf")),
    include_bytes!(concat!(env!("OUT_DIR"), "/mono.ttf")),
];

/// Faces, and the characters that they cover.
pub(super) struct Faces {
    pub(super) fonts: Vec<Font>,
    pub(super) book: LazyHash<FontBook>,
    /// Families of the embedder's fonts, in their order, each once. They take precedence over Typst's own set.
    pub(super) given: Vec<String>,
    /// One bit for each character that some face draws correctly.
    pub(super) covered: Vec<u64>,
}

impl FontSet {
    /// Returns all faces, the bundled ones first.
    pub(super) fn faces(&self) -> Result<Arc<Faces>> {
        let bundled = bundled()?;
        if self.files().is_empty() {
            return Ok(bundled);
        }
        let faces: Arc<Result<Arc<Faces>, usize>> = self.read_with(|files| {
            let mut fonts = bundled.fonts.clone();
            for (index, file) in files.iter().enumerate() {
                let before = fonts.len();
                if is_sane(file) {
                    fonts.extend(Font::iter(Bytes::new(file.clone())));
                }
                if fonts.len() == before {
                    return Err(index);
                }
            }
            Ok(Arc::new(Faces::new(fonts, bundled.fonts.len())))
        });
        Result::clone(&faces).map_err(|index| {
            Error::new(ErrorKind::Input, format!("font {index}: expected a TTF or OTF font"))
        })
    }
}

impl Faces {
    /// Creates it from fonts, of which the first `bundled` are bundled and the others the embedder's.
    fn new(fonts: Vec<Font>, bundled: usize) -> Faces {
        let mut covered = vec![0_u64; 0x11_0000 / 64];
        let mut given: Vec<String> = Vec::new();
        for (index, font) in fonts.iter().enumerate() {
            let is_given = index >= bundled;
            for point in font.info().coverage.iter() {
                // The bundled faces do not support scripts that need shaping.
                let is_right = is_given || char::from_u32(point).is_some_and(is_plain);
                if let Some(word) = covered.get_mut(point as usize / 64).filter(|_| is_right) {
                    *word |= 1 << (point % 64);
                }
            }
            let family = &font.info().family;
            if is_given && !given.iter().any(|name| name == family.as_str()) {
                given.push(family.to_string());
            }
        }
        Faces { book: LazyHash::new(FontBook::from_fonts(&fonts)), fonts, given, covered }
    }

    /// Returns the embedder's families for a language that shares characters with Chinese but draws them differently. They
    /// take precedence over the bundled Chinese one.
    pub(super) fn preferred(&self, language: &Language) -> Vec<&str> {
        let ends: &[&str] = match (language.code.as_str(), language.region.as_deref()) {
            ("ja", _) => &["JP"],
            ("ko", _) => &["KR"],
            ("zh", Some("TW")) => &["TC"],
            ("zh", Some("HK" | "MO")) => &["HK", "TC"],
            _ => &[],
        };
        let mut preferred = Vec::new();
        for end in ends {
            let is_for_it = |family: &&String| family.split([' ', '-']).any(|word| word == *end);
            preferred.extend(self.given.iter().filter(is_for_it).map(String::as_str));
        }
        preferred
    }

    /// Returns `true` if some face draws `c` correctly.
    pub(super) fn covers(&self, c: char) -> bool {
        let point = c as usize;
        self.covered.get(point / 64).is_some_and(|word| word & (1 << (point % 64)) != 0)
    }
}

/// Returns the bundled faces, read once per process on first use.
fn bundled() -> Result<Arc<Faces>> {
    static FACES: OnceLock<Option<Arc<Faces>>> = OnceLock::new();
    let faces = FACES.get_or_init(|| {
        let mut fonts = Vec::new();
        for file in unpacked()? {
            fonts.extend(Font::iter(Bytes::new(file.as_slice())));
        }
        fonts.extend(TYPST_FACES.into_iter().flat_map(|data| Font::iter(Bytes::new(data))));
        let bundled = fonts.len();
        Some(Arc::new(Faces::new(fonts, bundled)))
    });
    faces.clone().ok_or_else(|| Error::bug("the bundled fonts are damaged"))
}
