//! Fonts for texts whose own font is not in the file: one of the fourteen standard fonts, or the font with which the host sets
//! Chinese.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use hayro::hayro_interpret::font::{FallbackFontQuery, FontData, FontQuery};
use hayro::hayro_syntax::object::{Array, Dict, Name};
use hayro::hayro_syntax::page::Page;

use crate::text::line;

/// Most names of fonts that are reported.
const MAX_NAMES: usize = 20;

/// Least weight of bold letters.
const BOLD: u32 = 600;

/// Words in names of Chinese, Japanese and Korean fonts that are bold by nature.
const HEAVY: [&str; 4] = ["Bold", "Black", "Heavy", "SimHei"];

/// The fonts that every viewer has to bring. Files need not have them.
const STANDARD: [&str; 14] = [
    "Courier",
    "Courier-Bold",
    "Courier-BoldOblique",
    "Courier-Oblique",
    "Helvetica",
    "Helvetica-Bold",
    "Helvetica-BoldOblique",
    "Helvetica-Oblique",
    "Symbol",
    "Times-Bold",
    "Times-BoldItalic",
    "Times-Italic",
    "Times-Roman",
    "ZapfDingbats",
];

/// Most fonts of a page that are looked at.
const MAX_FONTS: usize = 200;

/// The fonts of the host.
pub trait HostFonts: Send + Sync {
    /// Returns a font file with Chinese letters, also with bold ones; `None` if the host has none.
    fn chinese(&self, bold: bool) -> Option<Vec<u8>>;
}

/// No fonts.
#[derive(Clone, Copy, Debug)]
pub struct NoFonts;

impl HostFonts for NoFonts {
    fn chinese(&self, _: bool) -> Option<Vec<u8>> {
        None
    }
}

/// Chooses fonts, and notes for which ones.
pub(crate) struct FontChoice {
    host: Arc<dyn HostFonts>,
    /// Regular and bold, read when they are first needed.
    chinese: Mutex<[Option<Option<FontData>>; 2]>,
    substituted: Mutex<Substituted>,
}

/// The fonts of a file that others stand in for.
#[derive(Default)]
pub(crate) struct Substituted {
    /// Their names, at most [`MAX_NAMES`].
    pub(crate) names: BTreeSet<String>,
    /// `true` if the host has no Chinese font and a text needs one.
    pub(crate) lacks_chinese: bool,
    /// `true` if a font with a character collection was among them.
    pub(crate) has_collection: bool,
}

impl FontChoice {
    pub(crate) fn new(host: Arc<dyn HostFonts>) -> FontChoice {
        FontChoice { host, chinese: Mutex::default(), substituted: Mutex::default() }
    }

    /// Returns a font for `query`, and its index in the file.
    pub(crate) fn font(&self, query: &FontQuery) -> Option<(FontData, u32)> {
        match query {
            // The standard fonts are never in a file that follows the standard.
            FontQuery::Standard(font) => Some(font.get_font_data()),
            FontQuery::Fallback(query) => Some(self.fallback(query)),
        }
    }

    fn fallback(&self, query: &FallbackFontQuery) -> (FontData, u32) {
        let has_collection = query.character_collection.is_some();
        let font = if has_collection { self.chinese(is_bold(query)) } else { None };
        let mut substituted = self.substituted.lock().unwrap_or_else(PoisonError::into_inner);
        substituted.has_collection |= has_collection;
        substituted.lacks_chinese |= has_collection && font.is_none();
        let name = query.post_script_name.as_deref().or(query.font_family.as_deref());
        if substituted.names.len() < MAX_NAMES {
            substituted.names.insert(line(name.unwrap_or("without a name"), 60));
        }
        match font {
            Some(font) => (font, 0),
            None => query.pick_standard_font().get_font_data(),
        }
    }

    fn chinese(&self, bold: bool) -> Option<FontData> {
        let mut kept = self.chinese.lock().unwrap_or_else(PoisonError::into_inner);
        let font = kept[usize::from(bold)].get_or_insert_with(|| {
            let bytes = self.host.chinese(bold).filter(|it| !it.is_empty())?;
            Some(Arc::new(bytes))
        });
        font.clone()
    }

    /// Notes the fonts of a page that are not in the file, as far as its own resources name them: for most of them, hayro chooses
    /// one without a question.
    pub(crate) fn note_fonts_of(&self, page: &Page<'_>) {
        let fonts = &page.resources().fonts;
        let names = fonts.keys().take(MAX_FONTS).filter_map(|key| {
            let font = fonts.get::<Dict<'_>>(&key)?;
            name_of_absent(&font)
        });
        let mut substituted = self.substituted.lock().unwrap_or_else(PoisonError::into_inner);
        for name in names {
            if substituted.names.len() < MAX_NAMES {
                substituted.names.insert(name);
            }
        }
    }

    /// Takes out what was noted since the last time.
    pub(crate) fn take(&self) -> Substituted {
        std::mem::take(&mut self.substituted.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns the name of a font that is not in the file; `None` for one that is there, and for a standard one.
fn name_of_absent(font: &Dict<'_>) -> Option<String> {
    let descendants = font.get::<Array<'_>>("DescendantFonts");
    let descendant = descendants.and_then(|it| it.iter::<Dict<'_>>().next());
    let own = descendant.as_ref().unwrap_or(font);
    let descriptor = own.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
    let is_there =
        ["FontFile", "FontFile2", "FontFile3"].iter().any(|it| descriptor.contains_key(it));
    let subtype = font.get::<Name<'_>>("Subtype")?;
    if is_there || subtype.as_ref() == b"Type3" {
        return None;
    }
    let name = font.get::<Name<'_>>("BaseFont")?;
    let name = String::from_utf8_lossy(name.as_ref()).into_owned();
    // Fonts with a part of their letters have six letters and a plus sign before their names.
    let is_tag = |it: &str| it.len() == 6 && it.bytes().all(|it| it.is_ascii_uppercase());
    let name = name.split_once('+').filter(|(tag, _)| is_tag(tag)).map_or(&*name, |(_, it)| it);
    (!STANDARD.contains(&name)).then(|| line(name, 60))
}

fn is_bold(query: &FallbackFontQuery) -> bool {
    let name = query.post_script_name.as_deref().unwrap_or_default();
    query.is_bold || query.font_weight >= BOLD || HEAVY.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hayro::hayro_interpret::hayro_cmap::{CharacterCollection, CidFamily};
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Default)]
    struct Counted(AtomicUsize);

    impl HostFonts for Counted {
        fn chinese(&self, bold: bool) -> Option<Vec<u8>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            (!bold).then(|| b"font".to_vec())
        }
    }

    fn query(name: &str, is_chinese: bool) -> FontQuery {
        let collection = CharacterCollection { family: CidFamily::AdobeGB1, supplement: 0 };
        FontQuery::Fallback(FallbackFontQuery {
            post_script_name: Some(name.to_owned()),
            character_collection: is_chinese.then_some(collection),
            ..FallbackFontQuery::default()
        })
    }

    #[test]
    fn the_host_is_asked_once_for_each_weight() {
        let host = Arc::new(Counted::default());
        let choice = FontChoice::new(host.clone());
        for name in ["SimSun", "KaiTi", "SimSun"] {
            let (font, _) = choice.font(&query(name, true)).unwrap();
            assert_eq!((*font).as_ref(), b"font");
        }
        assert!(!choice.take().lacks_chinese);
        let (font, _) = choice.font(&query("SimHei", true)).unwrap();
        assert_ne!((*font).as_ref(), b"font");
        choice.font(&query("SimHei,Bold", true)).unwrap();
        choice.font(&query("Garamond", false)).unwrap();
        assert_eq!(host.0.load(Ordering::Relaxed), 2);
        let noted = choice.take();
        assert!(noted.lacks_chinese && noted.has_collection);
        assert_eq!(Vec::from_iter(noted.names), ["Garamond", "SimHei", "SimHei,Bold"]);
        assert!(choice.take().names.is_empty());
    }

    #[test]
    fn names_are_short_and_few() {
        let choice = FontChoice::new(Arc::new(NoFonts));
        for number in 0..100 {
            choice.font(&query(&format!("{number}{}", "x".repeat(1_000)), false)).unwrap();
        }
        let names = choice.take().names;
        assert_eq!(names.len(), MAX_NAMES);
        assert!(names.iter().all(|it| it.chars().count() <= 61));
    }
}
