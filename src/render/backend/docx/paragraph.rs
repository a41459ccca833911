//! The properties of a paragraph, in the order that the format requires.

use std::fmt::Write as _;

use super::frame::Frame;
use super::numbering::{LEVELS, STEP};
use super::styles::{CODE_INDENT, QUOTE_INDENT, QUOTE_SPACE, quote_line, quote_style};
use crate::model::doc::QuoteKind;

/// Indent of continuations of a long line of code, in twentieths of a point: two columns.
const CODE_HANGING: u32 = 228;

/// Most points between the line of a quotation and its text that the format allows.
const MAX_SPACE: u32 = 31;

/// Context of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockContext {
    /// Start of its text, in twentieths of a point from the margin.
    pub(super) left: u32,
    /// Number of lists around it.
    pub(super) lists: usize,
    /// The innermost quotation around it, and the start of its text.
    pub(super) quote: Option<(Option<QuoteKind>, u32)>,
    /// `true` if the paragraphs of the list have no space between them.
    pub(super) is_tight: bool,
    /// `true` within a footnote.
    pub(super) in_note: bool,
}

impl BlockContext {
    /// Returns the context within a list.
    pub(super) fn in_list(self, is_tight: bool) -> BlockContext {
        BlockContext { left: self.left + STEP, lists: self.lists + 1, is_tight, ..self }
    }

    /// Returns the context within a quotation.
    pub(super) fn in_quote(self, kind: Option<QuoteKind>) -> BlockContext {
        let left = self.left + QUOTE_INDENT;
        BlockContext { left, quote: Some((kind, left)), lists: 0, is_tight: false, ..self }
    }

    /// Returns `true` if it is among the blocks of the document itself.
    pub(super) fn is_top(&self) -> bool {
        self.lists == 0 && self.quote.is_none() && !self.in_note
    }
}

/// Marker before the first line of an item or a note.
#[derive(Clone, Debug, Default)]
pub(super) struct Marker {
    /// Numbering and level, which Word draws.
    pub(super) number: Option<(u32, usize)>,
    /// Text in place of a numbering, followed by a tab.
    pub(super) text: Option<String>,
    /// State of a task box behind the number.
    pub(super) task: Option<bool>,
    /// `true` for the number of a footnote.
    pub(super) is_note: bool,
}

/// Properties of a paragraph.
#[derive(Clone, Debug, Default)]
pub(super) struct Properties<'a> {
    /// Name of its style; empty for the style of its context.
    pub(super) style: &'a str,
    /// `true` if it stays on one page with the next paragraph.
    pub(super) keeps_next: bool,
    /// `true` if it begins a page.
    pub(super) breaks_page: bool,
    /// `true` if it keeps its distance from the list above it.
    pub(super) is_apart: bool,
    /// Alignment of its text, if the style does not set it.
    pub(super) side: &'static str,
    /// `true` for a line below it.
    pub(super) has_rule: bool,
    /// `true` if it has the least height, because it exists only for the format.
    pub(super) is_spacer: bool,
    /// `true` for a line of code that is wider than its context. Its continuation is indented, so that it does not look like
    /// a new line, and it has the line distance of a paragraph.
    pub(super) hangs: bool,
}

impl Properties<'_> {
    /// Writes the properties without their end, because a section may follow. Returns the style of its text.
    pub(super) fn write(
        &self,
        xml: &mut String,
        context: &BlockContext,
        marker: &Marker,
        frame: &Frame<'_>,
    ) {
        let colors = &frame.design.look.colors;
        let by_place = match context {
            BlockContext { in_note: true, .. } => "FootnoteText",
            BlockContext { lists: 1.., .. } => "ListParagraph",
            BlockContext { quote: Some((kind, _)), .. } => quote_style(*kind),
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
        let is_quote_style = self.style.is_empty()
            && context.quote.is_some()
            && context.lists == 0
            && !context.in_note;
        if let (Some((kind, left)), false, false) =
            (context.quote, is_quote_style, self.style == "SourceCode")
        {
            // The line of a quotation continues beside lists and headings.
            let hanging = if has_mark(marker) { STEP } else { 0 };
            let space =
                QUOTE_SPACE + context.left.saturating_sub(hanging).saturating_sub(left) / 20;
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
        self.write_indent(xml, context, marker, is_quote_style);
        if self.hangs {
            xml.push_str("<w:contextualSpacing/>");
        }
        if context.lists > 0 && (!context.is_tight || self.is_apart) && style == "ListParagraph" {
            xml.push_str("<w:contextualSpacing w:val=\"0\"/>");
        }
        if !self.side.is_empty() {
            let _ = write!(xml, "<w:jc w:val=\"{}\"/>", self.side);
        }
    }

    fn write_indent(
        &self,
        xml: &mut String,
        context: &BlockContext,
        marker: &Marker,
        is_quote_style: bool,
    ) {
        let level = marker.number.map(|(_, level)| level);
        // The frame of code is in line with the text around it.
        let frame = if self.style == "SourceCode" { CODE_INDENT } else { 0 };
        let right = frame + if context.quote.is_some() { QUOTE_INDENT } else { 0 };
        let is_by_numbering = right == 0
            && level
                .is_some_and(|level| level < LEVELS && context.left == STEP * (level as u32 + 1));
        let is_by_style = is_quote_style && context.left == QUOTE_INDENT && !has_mark(marker);
        let hanging = match (has_mark(marker), self.hangs) {
            (true, _) => Some(STEP),
            (false, true) => Some(CODE_HANGING),
            (false, false) => None,
        };
        if is_by_numbering || is_by_style || (context.left == 0 && hanging.is_none()) {
            return;
        }
        let columns = if self.hangs && !has_mark(marker) { CODE_HANGING } else { 0 };
        let left = context.left + frame + columns;
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

/// Returns `true` if a number or text precedes the text, within its indent.
fn has_mark(marker: &Marker) -> bool {
    marker.number.is_some() || marker.text.is_some()
}
