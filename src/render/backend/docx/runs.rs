//! The content of a line: formatted text, links, notes.

use std::fmt::Write as _;

use super::styles::token_style;
use super::writer::Writer;
use crate::model::cjk::is_han;
use crate::model::doc::{Inline, TextStyle};
use crate::model::language::language_of;
use crate::shared::highlight::HighlightSpan;
use crate::shared::losses::LossKind;
use crate::shared::notes::Reference;
use crate::shared::xml::push_text;
use crate::shared::{link, math};

/// Most bytes of an address that Word opens.
const MAX_URL_BYTES: usize = 2_000;

/// Formatting of text beyond that of its paragraph.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunFormat {
    is_strong: bool,
    is_emphasised: bool,
    is_struck: bool,
    style: Option<TextStyle>,
    is_link: bool,
    is_code: bool,
    is_grey: bool,
    /// `true` if characters that both scripts have, such as quotation marks, are Chinese here.
    has_wide_signs: bool,
}

impl RunFormat {
    /// Returns the formatting for the text of a paragraph.
    pub(super) fn of(content: &[Inline]) -> RunFormat {
        let mut has_signs = false;
        let mut texts = Vec::new();
        for inline in content {
            crate::model::doc::visit_inline(inline, &mut |text| {
                has_signs |= text.contains(is_shared_sign);
                texts.push(text);
            });
        }
        let has_wide_signs = has_signs && matches!(language_of(texts.into_iter()), "zh" | "ja");
        RunFormat { has_wide_signs, ..RunFormat::default() }
    }

    pub(super) fn grey(self) -> RunFormat {
        RunFormat { is_grey: true, ..self }
    }

    pub(super) fn strong(self) -> RunFormat {
        RunFormat { is_strong: true, ..self }
    }

    /// Writes the properties, in the order that the format requires.
    fn write(self, xml: &mut String, text: &str, is_dotted: bool) {
        let start = xml.len();
        if self.is_code {
            xml.push_str("<w:rStyle w:val=\"InlineCode\"/>");
        } else if self.is_link {
            xml.push_str("<w:rStyle w:val=\"Hyperlink\"/>");
        }
        if self.has_wide_signs && text.contains(is_shared_sign) {
            xml.push_str("<w:rFonts w:hint=\"eastAsia\"/>");
        }
        if self.is_strong {
            xml.push_str("<w:b/><w:bCs/>");
        }
        if self.is_emphasised && !is_dotted {
            xml.push_str("<w:i/><w:iCs/>");
        }
        if self.is_struck {
            xml.push_str("<w:strike/>");
        }
        if self.is_grey {
            xml.push_str("<w:color w:val=\"595959\"/>");
        }
        if self.style == Some(TextStyle::Mark) {
            xml.push_str("<w:highlight w:val=\"yellow\"/>");
        }
        if self.style == Some(TextStyle::Underline) {
            xml.push_str("<w:u w:val=\"single\"/>");
        }
        match self.style {
            Some(TextStyle::Subscript) => xml.push_str("<w:vertAlign w:val=\"subscript\"/>"),
            Some(TextStyle::Superscript) => xml.push_str("<w:vertAlign w:val=\"superscript\"/>"),
            _ => {}
        }
        if text.contains(is_from_right) {
            xml.push_str("<w:rtl/>");
        }
        if is_dotted {
            xml.push_str("<w:em w:val=\"underDot\"/>");
        }
        if xml.len() > start {
            xml.insert_str(start, "<w:rPr>");
            xml.push_str("</w:rPr>");
        }
    }
}

/// Returns `true` for characters that Chinese shares with Latin; Word takes them for Latin ones unless the run says
/// otherwise.
fn is_shared_sign(c: char) -> bool {
    matches!(
        c,
        '‘' | '’'
            | '“'
            | '”'
            | '…'
            | '—'
            | '·'
            | '×'
            | '÷'
            | '±'
            | '°'
            | '→'
            | '←'
            | '↑'
            | '↓'
    )
}

/// Returns `true` for letters of right-to-left scripts.
fn is_from_right(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

impl Writer<'_> {
    pub(super) fn inlines(&mut self, content: &[Inline], format: RunFormat) {
        for inline in content {
            match inline {
                Inline::Text { text } => self.run(text, format),
                Inline::Code { text } => self.run(text, RunFormat { is_code: true, ..format }),
                Inline::Emphasis { content } => {
                    self.inlines(content, RunFormat { is_emphasised: true, ..format });
                }
                Inline::Strong { content } => self.inlines(content, format.strong()),
                Inline::Strikethrough { content } => {
                    self.inlines(content, RunFormat { is_struck: true, ..format });
                }
                Inline::Styled { style, content } => {
                    self.inlines(content, RunFormat { style: Some(*style), ..format });
                }
                Inline::Link { url, content } => self.link(url, content, format),
                Inline::Image { url, description, title } => {
                    self.picture(url, description, title.as_deref(), format);
                }
                Inline::Footnote { index } => self.reference(*index, format),
                Inline::Math { text, .. } => self.math(text, format, false),
                Inline::Break => self.xml.push_str("<w:r><w:br/></w:r>"),
            }
        }
    }

    /// Writes a formula. `is_alone`: its paragraph has no other content.
    pub(super) fn math(&mut self, text: &str, format: RunFormat, is_alone: bool) {
        match math::formula(text) {
            Ok(formula) => {
                formula
                    .left_out
                    .iter()
                    .for_each(|what| self.losses.record(LossKind::MathLook, what));
                self.formula(&formula, is_alone);
            }
            Err(what) => {
                self.losses.record(LossKind::Math, &what);
                self.run(text, RunFormat { is_code: true, ..format });
            }
        }
    }

    /// Writes text with one formatting. Emphasised Chinese has a dot below each character, because it has no italics.
    pub(super) fn run(&mut self, text: &str, format: RunFormat) {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let is_dotted = format.is_emphasised && !format.is_code && is_han(first);
            let end = if format.is_emphasised && !format.is_code {
                rest.find(|c| is_han(c) != is_dotted).unwrap_or(rest.len())
            } else {
                rest.len()
            };
            let (part, tail) = rest.split_at(end);
            self.xml.push_str("<w:r>");
            format.write(&mut self.xml, part, is_dotted);
            self.text(part);
            self.xml.push_str("</w:r>");
            rest = tail;
        }
    }

    /// Writes lines of code, whose spans have the styles of their kinds.
    pub(super) fn lines_of_code(&mut self, lines: &[Vec<HighlightSpan<'_>>]) {
        for (index, spans) in lines.iter().enumerate() {
            if index > 0 {
                self.xml.push_str("<w:r><w:br/></w:r>");
            }
            for HighlightSpan { token, text } in spans {
                self.xml.push_str("<w:r>");
                if let Some(token) = token {
                    let _ = write!(
                        self.xml,
                        "<w:rPr><w:rStyle w:val=\"{}\"/></w:rPr>",
                        token_style(*token)
                    );
                }
                self.text(text);
                self.xml.push_str("</w:r>");
            }
        }
    }

    /// Writes text with its tabs and line breaks.
    fn text(&mut self, text: &str) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.xml.push_str("<w:br/>");
            }
            for (index, part) in line.split('\t').enumerate() {
                if index > 0 {
                    self.xml.push_str("<w:tab/>");
                }
                if !part.is_empty() {
                    self.xml.push_str("<w:t xml:space=\"preserve\">");
                    push_text(&mut self.xml, part, &mut self.losses);
                    self.xml.push_str("</w:t>");
                }
            }
        }
    }

    fn link(&mut self, url: &str, content: &[Inline], format: RunFormat) {
        let target = link::kept(url).map(link::escaped).filter(|url| url.len() <= MAX_URL_BYTES);
        if let Some(url) = target {
            let index = self.links.index(url);
            let _ = write!(self.xml, "<w:hyperlink r:id=\"rId{index}\" w:history=\"1\">");
        } else if let Some(heading) = self.anchors.find(url) {
            let _ = write!(self.xml, "<w:hyperlink w:anchor=\"_Toc{heading}\" w:history=\"1\">");
        } else {
            self.losses.record(LossKind::Link, url);
            self.inlines(content, format);
            return;
        }
        self.inlines(content, RunFormat { is_link: true, ..format });
        self.xml.push_str("</w:hyperlink>");
    }

    fn reference(&mut self, index: usize, format: RunFormat) {
        const STYLE: &str = "<w:rPr><w:rStyle w:val=\"FootnoteReference\"/></w:rPr>";
        match self.notes.reference(index) {
            Reference::First(number) => {
                let id = self.next_bookmark();
                let _ = write!(
                    self.xml,
                    "<w:bookmarkStart w:id=\"{id}\" w:name=\"_Note{number}\"/><w:r>{STYLE}\
                     <w:footnoteReference w:id=\"{number}\"/></w:r><w:bookmarkEnd w:id=\"{id}\"/>"
                );
            }
            // A note exists once; further references are fields with its number.
            Reference::Again(number) | Reference::Number(number) => {
                let _ = write!(
                    self.xml,
                    "<w:r>{STYLE}<w:fldChar w:fldCharType=\"begin\"/></w:r>\
                     <w:r>{STYLE}<w:instrText xml:space=\"preserve\"> NOTEREF _Note{number} \\f \\h </w:instrText></w:r>\
                     <w:r>{STYLE}<w:fldChar w:fldCharType=\"separate\"/></w:r><w:r>{STYLE}<w:t>{number}</w:t></w:r>\
                     <w:r>{STYLE}<w:fldChar w:fldCharType=\"end\"/></w:r>"
                );
            }
            Reference::Inline(text) => self.run(&format!("[{text}]"), format),
            Reference::Nothing => {}
        }
    }
}
