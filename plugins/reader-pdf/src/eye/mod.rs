//! Reads pages as the eye sees them. Text that nobody sees is left out, text that is printed twice appears once, and
//! all text is upright.
//!
//! The library reads every operator, whether its text is seen or not. So this room follows a page first. Where it makes
//! a difference, the page gets new operators before the library reads it ([`crate::slim`]).

mod axis;
mod colour;
mod column;
mod expand;
mod judge;
mod layers;
mod print;
mod resources;
mod turn;
mod twice;
mod unseen;
mod watch;

pub(crate) use layers::Layers;
pub(crate) use resources::{as_dict, get};
pub(crate) use turn::Turn;
pub(crate) use unseen::Unseen;

use crate::matrix::Rect;
use unpdf::parser::backend::{PageId, PdfBackend, PdfValue, RawBackend, ResourceScope};
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::PdfObject;

/// Looks at the pages of a document.
pub(crate) struct Eye<'a> {
    document: &'a RawDocument,
    backend: RawBackend,
    layers: Layers,
}

/// What was found on a page.
#[derive(Default)]
pub(crate) struct Seen {
    /// New operators for the page.
    pub(crate) content: Option<Vec<u8>>,
    /// Fonts that these operators name and the page does not have.
    pub(crate) fonts: Vec<(Vec<u8>, PdfObject)>,
    pub(crate) turn: Option<Turn>,
    pub(crate) unseen: Unseen,
    /// Whether the page has fonts with an encoding that the library does not know.
    pub(crate) is_legacy: bool,
}

impl<'a> Eye<'a> {
    /// Opens the document once more. Returns `None` if it cannot be opened.
    pub(crate) fn open(
        document: &'a RawDocument,
        bytes: &[u8],
        password: Option<&str>,
    ) -> Option<Eye<'a>> {
        let backend = RawBackend::load_bytes_with_password(bytes, password).ok()?;
        Some(Eye { document, backend, layers: Layers::of(document) })
    }

    /// Looks at a page with these operators.
    pub(crate) fn page(&self, page: PageId, content: &[u8]) -> Seen {
        let mut seen = Seen::default();
        let Some(expanded) = expand::expand(self.document, &self.layers, page, content) else {
            return seen;
        };
        let media = Rect::of(self.backend.page_box(page));
        let bounds = Rect::of(self.backend.crop_box(page));
        let mut watched = watch::watch(self.document, &self.backend, (page, bounds), &expanded);
        let fates = judge::judge(&watched, bounds);
        let copies = match watched.is_cut {
            true => Vec::new(),
            false => twice::copies(&watched, &fates, &expanded.operators),
        };
        for (show, fate) in watched.shows.iter().zip(&fates) {
            let Some(why) = fate else { continue };
            let letters = self.letters(page, show, &expanded.operators, &watched);
            seen.unseen.add(*why, letters);
            for glyph in watched.glyphs.get_mut(show.glyphs.clone()).unwrap_or_default() {
                glyph.is_gone = true;
            }
        }
        for at in &copies {
            if let Some(glyph) = watched.glyphs.get_mut(*at) {
                glyph.is_gone = true;
            }
        }
        seen.unseen.is_cut = expanded.is_cut || watched.is_cut;
        let columns = column::is_page(&watched, &fates, |show| {
            self.text(page, show, &expanded.operators, &watched).contains(crate::lines::is_unspaced)
        });
        let has_layers = expanded.operators.iter().any(|operator| operator.is_off);
        seen.is_legacy = watched.fonts.iter().any(|font| font.is_legacy);
        let has_gone = watched.glyphs.iter().any(|glyph| glyph.is_gone);
        if has_layers || columns || expanded.is_cut || has_gone {
            match print::print(self.document, page, &expanded.operators, &watched, columns) {
                Some(printed) => {
                    seen.content = Some(printed.content);
                    seen.fonts = printed.fonts;
                }
                None => seen.unseen.is_cut = true,
            }
        }
        let told = (self.backend.page_rotation(page) / 90) as u8;
        let quarters = match columns && seen.content.is_some() {
            true => turn::COLUMNS,
            false => turn::quarters(&watched, &fates, told),
        };
        let has_axis = axis::is_on_page(&watched, &fates, bounds, |show| {
            self.text(page, show, &expanded.operators, &watched)
        });
        let media = if has_axis { axis::grown(bounds) } else { media };
        seen.turn = (quarters != 0 || told != 0 || has_axis)
            .then(|| Turn { is_grown: has_axis, ..turn::turn(media, quarters) });
        seen
    }

    /// Returns how many letters a show has.
    fn letters(
        &self,
        page: PageId,
        show: &watch::Show,
        operators: &[expand::Operator],
        watched: &watch::Watched,
    ) -> usize {
        let text = self.text(page, show, operators, watched);
        text.chars().filter(|letter| !letter.is_whitespace()).count()
    }

    fn text(
        &self,
        page: PageId,
        show: &watch::Show,
        operators: &[expand::Operator],
        watched: &watch::Watched,
    ) -> String {
        let (Some(operator), Some(font)) =
            (operators.get(show.operator), watched.fonts.get(show.font))
        else {
            return String::new();
        };
        let scope = ResourceScope { page, form: font.form };
        let strings = watch::strings(&operator.op).iter().filter_map(|item| match item {
            PdfValue::Str(bytes) => Some(bytes),
            _ => None,
        });
        strings.map(|bytes| self.backend.decode_text(scope, &font.name, bytes).text).collect()
    }
}
