//! The fonts: Noto Sans and Noto Sans SC inside the binary, a monospaced one and mathematical signs from Typst's own
//! set, and whatever the embedder adds.

use std::io::Read as _;
use std::sync::{Arc, OnceLock};

use typst::foundations::Bytes;
use typst::text::Font;

use crate::{Error, Result};

/// Regular and bold of both, italic of the Latin one: Chinese has no italics.
const BUNDLED: [&[u8]; 6] = [
    include_bytes!("../fonts/NotoSans-Regular.ttf.zst"),
    include_bytes!("../fonts/NotoSans-Bold.ttf.zst"),
    include_bytes!("../fonts/NotoSans-Italic.ttf.zst"),
    include_bytes!("../fonts/NotoSans-BoldItalic.ttf.zst"),
    include_bytes!("../fonts/NotoSansSC-Regular.ttf.zst"),
    include_bytes!("../fonts/NotoSansSC-Bold.ttf.zst"),
];

/// Fonts besides the bundled ones. Default: none.
#[derive(Clone, Debug, Default)]
pub struct FontSet {
    extra: Vec<Arc<[u8]>>,
}

impl FontSet {
    /// Add the content of font files: TTF, OTF, or collections of them. They serve characters that the bundled fonts
    /// lack.
    pub fn with_extra(fonts: &[Arc<[u8]>]) -> FontSet {
        FontSet { extra: fonts.to_vec() }
    }

    /// All faces, the bundled ones first.
    pub(super) fn faces(&self) -> Result<Vec<Font>> {
        let mut faces = bundled()?.to_vec();
        for data in &self.extra {
            faces.extend(Font::iter(Bytes::new(data.to_vec())));
        }
        Ok(faces)
    }
}

/// Unpacked once per process, when first needed.
fn bundled() -> Result<&'static [Font]> {
    static FACES: OnceLock<Option<Vec<Font>>> = OnceLock::new();
    let faces = FACES.get_or_init(|| {
        let mut faces = Vec::new();
        for packed in BUNDLED {
            let mut data = Vec::new();
            ruzstd::decoding::StreamingDecoder::new(packed).ok()?.read_to_end(&mut data).ok()?;
            faces.extend(Font::iter(Bytes::new(data)));
        }
        for data in typst_assets::fonts() {
            let fonts = Font::iter(Bytes::new(data));
            // The other families would only be found by accident, and make the same text look different.
            faces.extend(fonts.filter(|font| {
                ["DejaVu Sans Mono", "New Computer Modern Math"]
                    .contains(&font.info().family.as_str())
            }));
        }
        Some(faces)
    });
    faces.as_deref().ok_or_else(|| Error::bug("the bundled fonts are damaged"))
}
