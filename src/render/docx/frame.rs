//! What stands around the text: paper, header, footer, properties, settings.

use std::time::Duration;

use super::package::NAMESPACES;
use crate::Paper;
use crate::language::Language;
use crate::ooxml::{HEAD, Properties};
use crate::told::Told;
use crate::xml::push_text;
use mitt_base::text;

/// Margins of a page, in twentieths of a point: beside the text, above it, below it. Those of the PDF.
const SIDE: u32 = 1304;
const TOP: u32 = 1417;
const BOTTOM: u32 = 1304;

/// Characters of the title that the header of a page can show on its line.
const MAX_HEADER_CHARACTERS: u64 = 80;

/// What stands around the text.
pub(super) struct Frame<'a> {
    pub(super) title: Option<String>,
    pub(super) author: Option<String>,
    pub(super) paper: Paper,
    pub(super) created: Option<Duration>,
    pub(super) language: &'a Language,
    /// Where the text stands in a template, if it is for one.
    pub(super) area: Option<Area>,
}

/// Where the text of a document stands in a template.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    /// Its width in twentieths of a point, if the template says it.
    pub(super) width: Option<u32>,
    /// Whether the title stands above it.
    pub(super) has_title: bool,
}

impl Frame<'_> {
    /// Width of the paper upright, and its height, in twentieths of a point.
    fn paper(&self) -> (u32, u32) {
        match self.paper {
            Paper::A4 => (11_906, 16_838),
            Paper::Letter => (12_240, 15_840),
        }
    }

    /// Width of the text, in twentieths of a point.
    pub(super) fn width(&self, is_turned: bool) -> u32 {
        if let Some(width) = self.area.and_then(|area| area.width) {
            return width;
        }
        let (width, height) = self.paper();
        (if is_turned { height } else { width }) - 2 * SIDE
    }

    /// Height of the text, in twentieths of a point.
    pub(super) fn height(&self, is_turned: bool) -> u32 {
        let (width, height) = self.paper();
        (if is_turned { width } else { height }) - TOP - BOTTOM
    }

    /// Properties of a section. The first page of the document has no header, as its title is there.
    pub(super) fn section(&self, is_turned: bool, is_first: bool) -> String {
        let (width, height) = self.paper();
        let size = match is_turned {
            true => format!("w:w=\"{height}\" w:h=\"{width}\" w:orient=\"landscape\""),
            false => format!("w:w=\"{width}\" w:h=\"{height}\""),
        };
        let first = if is_first {
            "<w:footerReference w:type=\"first\" r:id=\"rIdFirstFooter\"/>"
        } else {
            ""
        };
        let title_page = if is_first { "<w:titlePg/>" } else { "" };
        let bidi = if self.language.is_from_right() { "<w:bidi/>" } else { "" };
        format!(
            "<w:sectPr><w:headerReference w:type=\"default\" r:id=\"rIdHeader\"/>\
             <w:footerReference w:type=\"default\" r:id=\"rIdFooter\"/>{first}\
             <w:type w:val=\"nextPage\"/><w:pgSz {size}/>\
             <w:pgMar w:top=\"{TOP}\" w:right=\"{SIDE}\" w:bottom=\"{BOTTOM}\" w:left=\"{SIDE}\" \
             w:header=\"709\" w:footer=\"624\" w:gutter=\"0\"/>{title_page}{bidi}</w:sectPr>"
        )
    }

    /// The header: the title on one line.
    pub(super) fn header(&self, told: &mut Told) -> String {
        let mut xml = format!("{HEAD}<w:hdr {NAMESPACES}><w:p>");
        if let Some(title) = &self.title {
            xml.push_str("<w:pPr><w:pStyle w:val=\"Header\"/></w:pPr>");
            let (shown, is_cut) = text::cut_chars(title.trim(), MAX_HEADER_CHARACTERS);
            xml.push_str("<w:r><w:t xml:space=\"preserve\">");
            push_text(&mut xml, shown, told);
            xml.push_str(if is_cut { "…</w:t></w:r>" } else { "</w:t></w:r>" });
        }
        xml + "</w:p></w:hdr>"
    }

    /// The footer: the number of the page, and how many there are.
    pub(super) fn footer(&self) -> String {
        let (before, between, behind) = match self.language.is_chinese() {
            true => ("第 ", " 页 / 共 ", " 页"),
            false => ("Page ", " of ", ""),
        };
        let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
        let number = |name: &str| {
            format!("<w:fldSimple w:instr=\" {name} \"><w:r><w:t>1</w:t></w:r></w:fldSimple>")
        };
        format!(
            "{HEAD}<w:ftr {NAMESPACES}><w:p><w:pPr><w:pStyle w:val=\"Footer\"/></w:pPr>{}{}{}{}{}</w:p></w:ftr>",
            run(before),
            number("PAGE"),
            run(between),
            number("NUMPAGES"),
            run(behind)
        )
    }

    /// Properties of the file.
    pub(super) fn properties(&self, told: &mut Told) -> String {
        let (title, author) = (self.title.as_deref(), self.author.as_deref());
        Properties { title, author, created: self.created }.part(self.language, told)
    }

    /// Settings. `updateFields` is not among them: Word would ask everybody who opens the file whether it may refer to other
    /// files. Lines before a break are not stretched, and the file does not open in a mode for older versions.
    pub(super) fn settings(&self) -> String {
        let east = super::styles::east_asian_tag(self.language);
        format!(
            "{HEAD}<w:settings {NAMESPACES}><w:zoom w:percent=\"100\"/><w:defaultTabStop w:val=\"420\"/>\
             <w:characterSpacingControl w:val=\"compressPunctuation\"/>\
             <w:footnotePr><w:footnote w:id=\"-1\"/><w:footnote w:id=\"0\"/></w:footnotePr>\
             <w:compat><w:doNotExpandShiftReturn/>\
             <w:compatSetting w:name=\"compatibilityMode\" w:uri=\"http://schemas.microsoft.com/office/word\" w:val=\"15\"/>\
             </w:compat><w:themeFontLang w:val=\"en-US\" w:eastAsia=\"{east}\"/></w:settings>"
        )
    }
}
