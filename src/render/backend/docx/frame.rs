//! Everything around the text: paper, header, footer, properties, settings.

use std::fmt::Write as _;
use std::time::Duration;

use super::design::Design;
use super::namespaces::NAMESPACES;
use crate::model::language::Language;
use crate::model::theme::{MM, RunningSegment, running_segments};
use crate::shared::losses::Losses;
use crate::shared::ooxml::{HEAD, Properties, east_asian};
use crate::shared::xml::push_text;
use crate::{Paper, Running, Theme};
use mitt_base::{Result, text};

/// Most characters in the line of a header or footer.
const MAX_HEADER_CHARACTERS: u64 = 80;

/// Everything around the text.
pub(super) struct Frame<'a> {
    pub(super) title: Option<String>,
    pub(super) author: Option<String>,
    /// Date, as the document states it.
    pub(super) date: Option<String>,
    pub(super) paper: Paper,
    pub(super) created: Option<Duration>,
    pub(super) language: &'a Language,
    pub(super) design: &'a Design,
    /// Place of the text in a template, if it is for one.
    pub(super) area: Option<Area>,
}

/// Place of the text of a document in a template.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    /// Its width in twentieths of a point, if the template states it.
    pub(super) width: Option<u32>,
    /// `true` if the template has the title above it.
    pub(super) has_title: bool,
}

impl Frame<'_> {
    /// Returns width and height of the upright paper, in twentieths of a point.
    fn paper(&self) -> (u32, u32) {
        match self.paper {
            Paper::A4 => (11_906, 16_838),
            Paper::Letter => (12_240, 15_840),
        }
    }

    /// Returns the width of the text, in twentieths of a point.
    pub(super) fn width(&self, is_turned: bool) -> u32 {
        if let Some(width) = self.area.and_then(|area| area.width) {
            return width;
        }
        let ((width, height), margins) = (self.paper(), &self.design.margins);
        (if is_turned { height } else { width }) - twips(margins.left) - twips(margins.right)
    }

    /// Returns the height of the text, in twentieths of a point.
    pub(super) fn height(&self, is_turned: bool) -> u32 {
        let ((width, height), margins) = (self.paper(), &self.design.margins);
        (if is_turned { width } else { height }) - twips(margins.top) - twips(margins.bottom)
    }

    /// Refuses margins that leave no space for text, upright or turned.
    pub(super) fn check_room(&self, theme: &Theme) -> Result<()> {
        let (width, height) = self.paper();
        let theme = Theme { margins: self.design.margins, ..theme.clone() };
        theme.check_room(f64::from(width) / 20.0, f64::from(height) / 20.0)
    }

    /// Returns `true` if the first page has another header or footer than the pages behind it.
    fn has_first(&self) -> bool {
        self.design.has_cover || !self.design.header.first || !self.design.footer.first
    }

    /// Returns the properties of a section.
    pub(super) fn section(&self, is_turned: bool, is_first: bool) -> String {
        let (width, height) = self.paper();
        let size = if is_turned {
            format!("w:w=\"{height}\" w:h=\"{width}\" w:orient=\"landscape\"")
        } else {
            format!("w:w=\"{width}\" w:h=\"{height}\"")
        };
        let is_first = is_first && self.has_first();
        let first = |kind: &str, id: &str| {
            if is_first {
                format!("<w:{kind}Reference w:type=\"first\" r:id=\"{id}\"/>")
            } else {
                String::new()
            }
        };
        let title_page = if is_first { "<w:titlePg/>" } else { "" };
        let bidi = if self.language.is_from_right() { "<w:bidi/>" } else { "" };
        let margins = &self.design.margins;
        let [top, right, bottom, left] =
            [margins.top, margins.right, margins.bottom, margins.left].map(twips);
        // Header and footer are in the middle of small margins.
        let (above, below) = (709.min(top / 2), 624.min(bottom / 2));
        format!(
            "<w:sectPr><w:headerReference w:type=\"default\" r:id=\"rIdHeader\"/>{}\
             <w:footerReference w:type=\"default\" r:id=\"rIdFooter\"/>{}\
             <w:type w:val=\"nextPage\"/><w:pgSz {size}/>\
             <w:pgMar w:top=\"{top}\" w:right=\"{right}\" w:bottom=\"{bottom}\" w:left=\"{left}\" \
             w:header=\"{above}\" w:footer=\"{below}\" w:gutter=\"0\"/>{title_page}{bidi}</w:sectPr>",
            first("header", "rIdFirstHeader"),
            first("footer", "rIdFirstFooter"),
        )
    }

    /// Returns the header of the first page, or of all others.
    pub(super) fn header(&self, is_first: bool, losses: &mut Losses) -> String {
        self.running("hdr", "Header", "left", &self.design.header, is_first, losses)
    }

    /// Returns the footer of the first page, or of all others.
    pub(super) fn footer(&self, is_first: bool, losses: &mut Losses) -> String {
        self.running("ftr", "Footer", "center", &self.design.footer, is_first, losses)
    }

    /// Returns a header or footer; `side` is the alignment of its style.
    fn running(
        &self,
        element: &str,
        style: &str,
        side: &str,
        running: &Running,
        is_first: bool,
        losses: &mut Losses,
    ) -> String {
        let mut xml = format!("{HEAD}<w:{element} {NAMESPACES}><w:p>");
        let is_shown = !is_first || (running.first && !self.design.has_cover);
        let texts = [&running.left, &running.center, &running.right]
            .map(|text| if is_shown { self.filled(text, losses) } else { String::new() });
        let [left, center, right] = &texts;
        let alone = match texts.each_ref().map(String::is_empty) {
            [true, true, true] => return xml + &format!("</w:p></w:{element}>"),
            [false, true, true] => Some("left"),
            [true, false, true] => Some("center"),
            [true, true, false] => Some("right"),
            _ => None,
        };
        let _ = write!(xml, "<w:pPr><w:pStyle w:val=\"{style}\"/>");
        if alone.is_none() {
            let width = self.width(false);
            let _ = write!(
                xml,
                "<w:tabs><w:tab w:val=\"center\" w:pos=\"{}\"/><w:tab w:val=\"right\" w:pos=\"{width}\"/></w:tabs>",
                width / 2
            );
        }
        let jc = alone.unwrap_or("left");
        if jc != side {
            let _ = write!(xml, "<w:jc w:val=\"{jc}\"/>");
        }
        xml.push_str("</w:pPr>");
        match alone {
            Some(_) => xml.extend(texts),
            None => {
                let tab = "<w:r><w:tab/></w:r>";
                let _ = write!(xml, "{left}{tab}{center}{tab}{right}");
            }
        }
        xml + &format!("</w:p></w:{element}>")
    }

    /// Returns the runs of a text in a header or footer.
    fn filled(&self, text: &str, losses: &mut Losses) -> String {
        let mut xml = String::new();
        // A theme built in code may contain placeholders that its file format refuses; they are shown as text.
        let segments =
            running_segments(text).unwrap_or_else(|_| vec![RunningSegment::Text(text.to_owned())]);
        for segment in segments {
            let field = match segment {
                RunningSegment::Name("page") => "PAGE",
                RunningSegment::Name("pages") => "NUMPAGES",
                RunningSegment::Text(text) => {
                    push_run(&mut xml, &text, losses);
                    continue;
                }
                RunningSegment::Name(name) => {
                    let value = match name {
                        "title" => &self.title,
                        "author" => &self.author,
                        _ => &self.date,
                    };
                    push_run(&mut xml, value.as_deref().unwrap_or_default().trim(), losses);
                    continue;
                }
            };
            let _ = write!(
                xml,
                "<w:fldSimple w:instr=\" {field} \"><w:r><w:t>1</w:t></w:r></w:fldSimple>"
            );
        }
        xml
    }

    /// Returns the properties of the file.
    pub(super) fn properties(&self, losses: &mut Losses) -> String {
        let (title, author) = (self.title.as_deref(), self.author.as_deref());
        Properties { title, author, created: self.created }.part(self.language, losses)
    }

    /// Returns the settings. `updateFields` is not among them, because Word would ask every reader for permission to refer
    /// to other files. Lines before a break are not stretched, and the file does not open in compatibility mode.
    pub(super) fn settings(&self) -> String {
        let east = east_asian(self.language).1;
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

/// Writes a run of a header or footer, which has one line.
fn push_run(xml: &mut String, text: &str, losses: &mut Losses) {
    let (shown, is_cut) = text::cut_chars(text, MAX_HEADER_CHARACTERS);
    if !shown.is_empty() {
        xml.push_str("<w:r><w:t xml:space=\"preserve\">");
        push_text(xml, shown, losses);
        xml.push_str(if is_cut { "…</w:t></w:r>" } else { "</w:t></w:r>" });
    }
}

/// Converts millimetres to twentieths of a point.
fn twips(millimetres: f64) -> u32 {
    (millimetres * MM * 20.0).round() as u32
}
