//! The words of single pages with their positions, for pages that need them.
//!
//! Which tables there are is known by then: strokes are left out, and the tree of pages is not walked again for each page.

use std::collections::BTreeMap;
use std::sync::Mutex;
use unpdf::Result;
use unpdf::parser::backend::{
    BackendFontInfo, ContentOp, DecodedRun, DecodedText, GlyphAdvance, ObjectId, PageBox,
    PageContent, PageId, PaintedXObject, PdfBackend, PdfMetadataRaw, RawBackend, RawOutlineItem,
    RawXObject, ResourceScope,
};
use unpdf::parser::{LayoutAnalyzer, LinkAnnotations, TextSpan};

/// The document once more, opened when it is first needed.
pub(crate) struct Positions<'a> {
    bytes: &'a [u8],
    password: Option<&'a str>,
    document: Option<Option<Document>>,
}

struct Document {
    backend: RawBackend,
    pages: BTreeMap<u32, PageId>,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(bytes: &'a [u8], password: Option<&'a str>) -> Positions<'a> {
        Positions { bytes, password, document: None }
    }

    fn document(&mut self) -> Option<&Document> {
        let open = || {
            let backend = RawBackend::load_bytes_with_password(self.bytes, self.password).ok()?;
            let pages = backend.pages();
            Some(Document { backend, pages })
        };
        self.document.get_or_insert_with(open).as_ref()
    }

    /// No page is asked for any more.
    pub(crate) fn leave(&mut self) {
        crate::leave(self.document.take());
    }

    /// The words of a page, or `None` if it cannot be read.
    pub(crate) fn of(&mut self, page: u32) -> Vec<TextSpan> {
        let Some(document) = self.document() else { return Vec::new() };
        let Some(id) = document.pages.get(&page) else { return Vec::new() };
        let text = TextOfPage {
            backend: &document.backend,
            page: BTreeMap::from([(page, *id)]),
            vertical: Mutex::default(),
        };
        LayoutAnalyzer::new(&text).extract_page_spans(page).unwrap_or_default()
    }
}

/// One page of a document, without the paths that are painted on it.
struct TextOfPage<'a> {
    backend: &'a RawBackend,
    page: BTreeMap<u32, PageId>,
    /// The fonts that were asked for, and whether each writes downwards: every string asks twice.
    vertical: Mutex<Vec<Font>>,
}

struct Font {
    form: Option<ObjectId>,
    name: Vec<u8>,
    is_vertical: bool,
}

impl PdfBackend for TextOfPage<'_> {
    fn pages(&self) -> BTreeMap<u32, PageId> {
        self.page.clone()
    }

    fn decode_content(&self, data: &[u8]) -> Result<Vec<ContentOp>> {
        self.backend.decode_content(data).map(without_paths)
    }

    fn is_vertical_font(&self, scope: ResourceScope, name: &[u8]) -> bool {
        let is_vertical = || self.backend.is_vertical_font(scope, name);
        let Ok(mut fonts) = self.vertical.lock() else { return is_vertical() };
        if let Some(font) = fonts.iter().find(|font| font.form == scope.form && font.name == name) {
            return font.is_vertical;
        }
        let is_vertical = is_vertical();
        fonts.push(Font { form: scope.form, name: name.to_owned(), is_vertical });
        is_vertical
    }

    fn page_fonts(&self, scope: ResourceScope) -> Result<Vec<BackendFontInfo>> {
        self.backend.page_fonts(scope)
    }

    fn page_content(&self, page: PageId) -> Result<Vec<u8>> {
        self.backend.page_content(page)
    }

    fn page_content_with_losses(&self, page: PageId) -> Result<PageContent> {
        self.backend.page_content_with_losses(page)
    }

    fn decode_text(&self, scope: ResourceScope, font: &[u8], bytes: &[u8]) -> DecodedText {
        self.backend.decode_text(scope, font, bytes)
    }

    fn decode_run(&self, scope: ResourceScope, font: &[u8], bytes: &[u8]) -> DecodedRun {
        self.backend.decode_run(scope, font, bytes)
    }

    fn glyph_advances(
        &self,
        scope: ResourceScope,
        font: &[u8],
        bytes: &[u8],
    ) -> Option<Vec<GlyphAdvance>> {
        self.backend.glyph_advances(scope, font, bytes)
    }

    fn metadata(&self) -> PdfMetadataRaw {
        self.backend.metadata()
    }

    fn page_box(&self, page: PageId) -> PageBox {
        self.backend.page_box(page)
    }

    fn crop_box(&self, page: PageId) -> PageBox {
        self.backend.crop_box(page)
    }

    fn page_rotation(&self, page: PageId) -> u16 {
        self.backend.page_rotation(page)
    }

    fn link_annotations(&self, page: PageId) -> LinkAnnotations {
        self.backend.link_annotations(page)
    }

    fn outline(&self) -> Result<Vec<RawOutlineItem>> {
        self.backend.outline()
    }

    fn page_xobjects(&self, page: PageId) -> Result<Vec<RawXObject>> {
        self.backend.page_xobjects(page)
    }

    fn xobject(&self, scope: ResourceScope, name: &[u8]) -> Option<PaintedXObject> {
        self.backend.xobject(scope, name)
    }
}

/// The operators of a page without the paths that are painted. What clips stays, since text outside of it is not seen, and that
/// something was painted stays too.
fn without_paths(operators: Vec<ContentOp>) -> Vec<ContentOp> {
    let mut kept: Vec<ContentOp> = Vec::with_capacity(operators.len());
    // Where the path that is being made begins in `kept`; none also if something else stands in the middle of it.
    let mut path = Some(0);
    let mut is_open = false;
    for operator in operators {
        match operator.operator.as_str() {
            "m" | "l" | "c" | "v" | "y" | "h" | "re" => {
                if !is_open {
                    path = Some(kept.len());
                    is_open = true;
                }
            }
            "S" | "s" | "f" | "F" | "f*" | "B" | "B*" | "b" | "b*" | "n" => {
                if let (true, Some(start)) = (is_open, path) {
                    kept.truncate(start);
                }
                is_open = false;
            }
            // A clip among them.
            _ => path = None,
        }
        kept.push(operator);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn painted_paths_go_and_clips_stay() {
        for (operators, expected) in [
            ("q 0 0 m 5 5 l S BT (a) Tj ET Q", "q S BT Tj ET Q"),
            ("0 0 9 9 re W n 0 0 9 9 re f (a) Tj", "re W n f Tj"),
            ("0 0 9 9 re f 1 1 9 9 re W* f 2 2 9 9 re 0 0 m h B* n", "f re W* f B* n"),
            ("0 0 9 9 re 1 w 1 1 m S 2 2 m S", "re w m S S"),
            ("0 0 m 1 1 l", "m l"),
            ("W n", "W n"),
        ] {
            let parsed = unpdf::parser::raw::content::parse_content_stream(operators.as_bytes());
            let kept = without_paths(parsed.unwrap());
            let kept: Vec<&str> = kept.iter().map(|kept| kept.operator.as_str()).collect();
            assert_eq!(kept.join(" "), expected, "{operators}");
        }
    }

    #[test]
    fn words_stand_where_the_library_finds_them() {
        for name in ["lab-tables", "lab-columns", "mitt", "weasy-styles", "weasy-tables"] {
            let file = format!("{}/tests/files/{name}.pdf", env!("CARGO_MANIFEST_DIR"));
            let bytes = std::fs::read(file).unwrap();
            let library = RawBackend::load_bytes_with_password(&bytes, None).unwrap();
            let mut positions = Positions::new(&bytes, None);
            let shown = |spans: &[TextSpan]| {
                let place = |span: &TextSpan| (span.text.clone(), span.x, span.y, span.width);
                spans.iter().map(place).collect::<Vec<_>>()
            };
            assert!(!library.pages().is_empty());
            for page in library.pages().into_keys() {
                let expected = LayoutAnalyzer::new(&library).extract_page_spans(page).unwrap();
                assert!(!expected.is_empty());
                assert_eq!(shown(&positions.of(page)), shown(&expected), "{name}, page {page}");
            }
            assert!(positions.of(9_999).is_empty());
        }
    }
}
