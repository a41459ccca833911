//! The properties of a paragraph, in the order that the format asks for.

use std::fmt::Write as _;

use super::frame::Frame;
use super::numbering::{LEVELS, STEP};
use super::styles::{QUOTE_SPACE, quote_line, quote_style};
use crate::doc::QuoteKind;

/// How far a quotation is indented on each side, in twentieths of a point.
pub(super) const QUOTE_INDENT: u32 = 284;

/// How far code is indented on each side, for the frame around it.
pub(super) const CODE_INDENT: u32 = 90;

/// How far a long line of code is indented where it goes on: two columns.
const CODE_HANGING: u32 = 228;

/// Widest space between the line of a quotation and its text that the format has, in points.
const MAX_SPACE: u32 = 31;

/// Where a block stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// Where its text begins, in twentieths of a point from the margin.
    pub(super) left: u32,
    /// Lists around it.
    pub(super) lists: usize,
    /// The innermost quotation around it, and where its text begins.
    pub(super) quote: Option<(Option<QuoteKind>, u32)>,
    /// Whether the paragraphs of the list follow each other without space.
    pub(super) is_tight: bool,
    /// Whether it is a footnote.
    pub(super) in_note: bool,
}

impl Place {
    /// Within a list of this place.
    pub(super) fn in_list(self, is_tight: bool) -> Place {
        Place { left: self.left + STEP, lists: self.lists + 1, is_tight, ..self }
    }

    /// Within a quotation of this place.
    pub(super) fn in_quote(self, kind: Option<QuoteKind>) -> Place {
        let left = self.left + QUOTE_INDENT;
        Place { left, quote: Some((kind, left)), lists: 0, is_tight: false, ..self }
    }

    /// Whether it is among the blocks of the document itself.
    pub(super) fn is_top(&self) -> bool {
        self.lists == 0 && self.quote.is_none() && !self.in_note
    }
}

/// What stands before the first line of an item or a note.
#[derive(Clone, Debug, Default)]
pub(super) struct Marker {
    /// Numbering and level, which Word draws.
    pub(super) number: Option<(u32, usize)>,
    /// A text in its place, which a tab parts from the line.
    pub(super) text: Option<String>,
    /// A box behind the number.
    pub(super) task: Option<bool>,
    /// The number of the footnote.
    pub(super) is_note: bool,
}

/// Properties of a paragraph.
#[derive(Clone, Debug, Default)]
pub(super) struct Properties<'a> {
    /// Name of its style; that of the place when it is empty.
    pub(super) style: &'a str,
    /// Whether it stays with the next one.
    pub(super) keeps_next: bool,
    /// Whether it begins a page.
    pub(super) breaks_page: bool,
    /// Whether it keeps its distance from the list above it.
    pub(super) is_apart: bool,
    /// To which side its text goes, where the style does not say so.
    pub(super) side: &'static str,
    /// A line below it.
    pub(super) has_rule: bool,
    /// Whether it is as low as can be: it is there only because the format needs it.
    pub(super) is_spacer: bool,
    /// `true` for a line of code that is wider than its place: its continuation is indented, so that nobody takes it for a new
    /// line, and it is no further from the others than within a paragraph.
    pub(super) hangs: bool,
}

impl Properties<'_> {
    /// Write them without the end, as a section may follow. Gives the name of the style back that text is written in.
    pub(super) fn write(
        &self,
        xml: &mut String,
        place: &Place,
        marker: &Marker,
        frame: &Frame<'_>,
    ) {
        let colors = &frame.design.look.colors;
        let by_place = match place {
            Place { in_note: true, .. } => "FootnoteText",
            Place { lists: 1.., .. } => "ListParagraph",
            Place { quote: Some((kind, _)), .. } => quote_style(*kind),
            _ => "",
        };
        let style = if self.style.is_empty() { by_place } else { self.style };
        xml.push_str("<w:p><w:pPr>");
        if !style.is_empty() {
            let _ = write!(xml, "<w:pStyle w:val=\"{style}\"/>");
        }
        if self.keeps_next {
            xml.push_str("<w:keepNext/>");
        }
        if self.breaks_page {
            xml.push_str("<w:pageBreakBefore/>");
        }
        if let Some((numbering, level)) = marker.number {
            let level = level.min(LEVELS - 1);
            let _ = write!(
                xml,
                "<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{numbering}\"/></w:numPr>"
            );
        }
        let is_quote_style =
            self.style.is_empty() && place.quote.is_some() && place.lists == 0 && !place.in_note;
        if let (Some((kind, left)), false, false) =
            (place.quote, is_quote_style, self.style == "SourceCode")
        {
            // The line of the quotation goes on beside lists and headings.
            let hanging = if has_mark(marker) { STEP } else { 0 };
            let space = QUOTE_SPACE + place.left.saturating_sub(hanging).saturating_sub(left) / 20;
            xml.push_str(&quote_line(
                kind,
                space.min(MAX_SPACE),
                frame.language.is_from_right(),
                colors,
            ));
        } else if self.has_rule {
            let _ = write!(
                xml,
                "<w:pBdr><w:bottom w:val=\"single\" w:sz=\"6\" w:space=\"1\" w:color=\"{}\"/></w:pBdr>",
                colors.line
            );
        }
        if self.is_spacer {
            xml.push_str(
                "<w:spacing w:before=\"0\" w:after=\"0\" w:line=\"120\" w:lineRule=\"exact\"/>",
            );
        }
        self.write_indent(xml, place, marker, is_quote_style);
        if self.hangs {
            xml.push_str("<w:contextualSpacing/>");
        }
        if place.lists > 0 && (!place.is_tight || self.is_apart) && style == "ListParagraph" {
            xml.push_str("<w:contextualSpacing w:val=\"0\"/>");
        }
        if !self.side.is_empty() {
            let _ = write!(xml, "<w:jc w:val=\"{}\"/>", self.side);
        }
    }

    fn write_indent(&self, xml: &mut String, place: &Place, marker: &Marker, is_quote_style: bool) {
        let level = marker.number.map(|(_, level)| level);
        // The frame of code stands in line with the text around it.
        let frame = if self.style == "SourceCode" { CODE_INDENT } else { 0 };
        let right = frame + if place.quote.is_some() { QUOTE_INDENT } else { 0 };
        let is_by_numbering = right == 0
            && level.is_some_and(|level| level < LEVELS && place.left == STEP * (level as u32 + 1));
        let is_by_style = is_quote_style && place.left == QUOTE_INDENT && !has_mark(marker);
        let hanging = match (has_mark(marker), self.hangs) {
            (true, _) => Some(STEP),
            (false, true) => Some(CODE_HANGING),
            (false, false) => None,
        };
        if is_by_numbering || is_by_style || (place.left == 0 && hanging.is_none()) {
            return;
        }
        let columns = if self.hangs && !has_mark(marker) { CODE_HANGING } else { 0 };
        let left = place.left + frame + columns;
        let _ = write!(xml, "<w:ind w:left=\"{left}\"");
        if right > 0 {
            let _ = write!(xml, " w:right=\"{right}\"");
        }
        match hanging {
            Some(hanging) => {
                let _ = write!(xml, " w:hanging=\"{hanging}\"/>");
            }
            None => xml.push_str(" w:firstLine=\"0\"/>"),
        }
    }
}

/// Whether something stands before the text, within its indent.
fn has_mark(marker: &Marker) -> bool {
    marker.number.is_some() || marker.text.is_some()
}
