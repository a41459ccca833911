//! Reads pages as the eye sees them. Hidden text is left out, text that is printed twice appears once, and all text is
//! upright.
//!
//! The library reads every operator, whether its text is visible or not. So this module follows a page first. If that
//! makes a difference, the page gets new operators before the library reads it ([`crate::slim`]).

mod axis;
mod colour;
mod column;
mod expand;
mod judge;
mod layers;
mod parts;
mod print;
mod resources;
mod sideways;
mod turn;
mod twice;
mod unseen;
mod watch;

pub(crate) use layers::Layers;
pub(crate) use resources::{as_dict, get};
pub(crate) use turn::Turn;
pub(crate) use unseen::Unseen;

use crate::codes::{self, Evidence, MAX_CODES, Verdicts};
use crate::matrix::{Point, Rect};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use unpdf::parser::backend::{PageId, PdfBackend, PdfValue, RawBackend, ResourceScope};
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::PdfObject;

/// The smallest space between words, in sizes of the letters.
const MIN_WORD_SPACE: f32 = 0.2;

/// Looks at the pages of a document.
pub(crate) struct Eye<'a> {
    document: &'a RawDocument,
    backend: RawBackend,
    layers: Layers,
    verdicts: Verdicts,
}

/// How many letters of a page are left out because they are not known, and how many are left.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Refused {
    pub(crate) letters: usize,
    pub(crate) left: usize,
    /// `true` if single letters have no text.
    pub(crate) has_gaps: bool,
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
    /// The text whose letters are not known.
    pub(crate) refused: Refused,
}

impl<'a> Eye<'a> {
    pub(crate) fn open(document: &'a Arc<RawDocument>) -> Eye<'a> {
        let backend = RawBackend::from_document(document.clone());
        let (layers, verdicts) = (Layers::of(document), Verdicts::default());
        Eye { document, backend, layers, verdicts }
    }

    /// Takes in the codes of the fonts in doubt on a page with these operators.
    pub(crate) fn take(&self, page: PageId, content: &[u8], evidence: &mut Evidence) {
        let Some(expanded) = expand::expand(self.document, &self.layers, page, content) else {
            return;
        };
        let bounds = Rect::of(self.backend.crop_box(page));
        let watched = watch::watch(self.document, &self.backend, (page, bounds), &expanded);
        let mut ends: BTreeMap<PageId, Point> = BTreeMap::new();
        for show in &watched.shows {
            let font = watched.fonts.get(show.font);
            let Some((font, doubt)) = font.and_then(|it| Some((it, it.doubt?))) else { continue };
            let Some(operator) = expanded.operators.get(show.operator) else { continue };
            let items = watch::strings(&operator.op);
            let place = (ResourceScope { page, form: font.form }, font.name.as_slice());
            let glyphs = watched.glyphs.get(show.glyphs.clone()).unwrap_or_default();
            let Some(first) = glyphs.first() else { continue };
            let (dx, dy) = (show.end.0 - first.at.0, show.end.1 - first.at.1);
            let whole = dx.hypot(dy).max(f32::MIN_POSITIVE);
            let widest = glyphs.iter().map(|glyph| glyph.length).fold(0.0, f32::max);
            // The size of a font whose glyphs are drawings is not that of its letters.
            let size = if show.smallest.is_finite() { show.size } else { 0.0 };
            let word = (MIN_WORD_SPACE * size).max(MIN_WORD_SPACE * widest);
            for glyph in glyphs {
                let Some(PdfValue::Str(text)) = items.get(glyph.item as usize) else { continue };
                let (from, to) = (glyph.bytes.0 as usize, glyph.bytes.1 as usize);
                let (x, y) = glyph.at;
                let before = ends.get(&doubt.0);
                let is_apart = before.is_none_or(|end| (x - end.0).hypot(y - end.1) > word);
                for (at, code) in text.get(from..to).unwrap_or_default().iter().enumerate() {
                    evidence.code(doubt, place, *code, is_apart && at == 0);
                }
                let part = glyph.length / whole;
                ends.insert(doubt.0, (x + dx * part, y + dy * part));
            }
        }
    }

    /// Decides which letters of the fonts in doubt are read.
    pub(crate) fn decide(&mut self, evidence: &Evidence) {
        self.verdicts = evidence.decide(&self.backend);
    }

    /// Returns the fonts that get another encoding.
    pub(crate) fn encodings(&self) -> &BTreeMap<PageId, PdfObject> {
        &self.verdicts.encodings
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
        let copies = if watched.is_cut {
            Vec::new()
        } else {
            twice::copies(&watched, &fates, &expanded.operators)
        };
        for (show, fate) in watched.shows.iter().zip(&fates) {
            let Some(why) = fate else { continue };
            let letters = self.letters(page, show, &expanded.operators, &watched);
            seen.unseen.add(*why, letters);
            for glyph in watched.glyphs.get_mut(show.glyphs.clone()).unwrap_or_default() {
                glyph.is_gone = true;
            }
        }
        let numbered = self.numbered(page, &expanded.operators, &watched);
        for (show, fate) in watched.shows.iter().zip(&fates) {
            let doubt = watched.fonts.get(show.font).and_then(|font| font.doubt);
            let is_refused = doubt.is_some_and(|(id, _)| self.verdicts.refused.contains(&id))
                || numbered.contains(&show.font);
            if fate.is_some() || !is_refused {
                seen.refused.left += if fate.is_none() { show.glyphs.len() } else { 0 };
                let lost = doubt.and_then(|(id, _)| self.verdicts.lost.get(&id));
                if let Some((lost, operator)) =
                    lost.zip(expanded.operators.get(show.operator)).filter(|_| fate.is_none())
                {
                    let strings = watch::strings(&operator.op);
                    let is_lost = |item: &PdfValue| match item {
                        PdfValue::Str(text) => text.iter().any(|code| lost.contains(code)),
                        _ => false,
                    };
                    seen.refused.has_gaps |= strings.iter().any(is_lost);
                }
                continue;
            }
            seen.refused.letters += show.glyphs.len();
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
        let has_gone = watched.glyphs.iter().any(|glyph| glyph.is_gone);
        let rotation = (self.backend.page_rotation(page) / 90) as u8;
        let has_axis = axis::is_on_page(&watched, &fates, bounds, |show| {
            self.text(page, show, &expanded.operators, &watched)
        });
        let grown = if has_axis { axis::grown(bounds) } else { bounds };
        let moving = if columns { None } else { sideways::find(&watched, &fates, grown, rotation) };
        let layout = match &moving {
            _ if columns => print::Layout::Columns,
            Some(turn) => print::Layout::Moved(&turn.moves),
            None => print::Layout::Same,
        };
        let mut is_printed = false;
        if has_layers || columns || moving.is_some() || expanded.is_cut || has_gone {
            match print::print(self.document, page, &expanded.operators, &watched, layout) {
                Some(printed) => {
                    seen.content = Some(printed.content);
                    seen.fonts = printed.fonts;
                    is_printed = true;
                }
                None => seen.unseen.is_cut = true,
            }
        }
        if is_printed && let Some(turn) = moving {
            seen.turn = Some(turn);
            return seen;
        }
        let quarters = if columns && is_printed {
            turn::COLUMNS
        } else {
            turn::quarters(&watched, &fates, rotation)
        };
        let media = if has_axis { grown } else { media };
        seen.turn = (quarters != 0 || rotation != 0 || has_axis)
            .then(|| Turn { is_grown: has_axis, ..turn::turn(media, quarters) });
        seen
    }

    /// Returns the fonts of a page whose codes are numbers of glyphs and no letters.
    fn numbered(
        &self,
        page: PageId,
        operators: &[expand::Operator],
        watched: &watch::Watched,
    ) -> BTreeSet<usize> {
        let is_numbered = |at: &usize| {
            let Some(font) = watched.fonts.get(*at).filter(|font| font.may_number_glyphs) else {
                return false;
            };
            let scope = ResourceScope { page, form: font.form };
            let shows = watched.shows.iter().filter(|show| show.font == *at);
            let strings = shows
                .filter_map(|show| operators.get(show.operator))
                .flat_map(|operator| watch::strings(&operator.op));
            let codes = strings.filter_map(|item| match item {
                PdfValue::Str(bytes) => Some(bytes.as_chunks::<2>().0),
                _ => None,
            });
            let letters = codes.flatten().take(MAX_CODES).map(|code| {
                let text = self.backend.decode_text(scope, &font.name, code).text;
                let advances = self.backend.glyph_advances(scope, &font.name, code);
                let width = advances.and_then(|it| it.first().map(|it| it.width));
                (text.chars().next(), width.unwrap_or(0.0))
            });
            codes::are_glyph_numbers(letters)
        };
        (0..watched.fonts.len()).filter(is_numbered).collect()
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
