//! Paragraphs and the content of lines: formatted text, links, references to notes.

use std::fmt::Write as _;

use super::design::Ink;
use super::lines::{Line, LineKind, Marker};
use super::measure;
use super::package::{Target, identifier};
use super::parts::emu;
use super::writer::Writer;
use crate::model::cjk::is_han;
use crate::model::doc::{Inline, TextStyle};
use crate::shared::link;
use crate::shared::losses::LossKind;
use crate::shared::math::{self, Shift};
use crate::shared::notes::Reference;
use crate::shared::xml::push_text;

/// Most bytes of an address that PowerPoint opens.
const MAX_URL_BYTES: usize = 2_000;

/// Reason why a picture is not shown that could be.
const IN_LINE: &str = "a slide shows pictures that stand by themselves";

/// Largest number with which an item can begin.
const MAX_NUMBER: u64 = 32_767;

/// Formatting of text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TextFormat {
    /// Size in points; `None` for that of the placeholder.
    pub(super) size: Option<f64>,
    pub(super) is_strong: bool,
    pub(super) color: Option<Ink>,
    pub(super) is_code: bool,
    pub(super) is_emphasised: bool,
    pub(super) is_struck: bool,
    pub(super) style: Option<TextStyle>,
    /// Number of its link target.
    pub(super) link: Option<usize>,
}

/// Returns `true` if the inline draws nothing.
fn is_empty(inline: &Inline) -> bool {
    matches!(inline, Inline::Text { text } if text.is_empty())
}

/// Numbers of items on a slide: for each depth the list, and the number with which it began on this slide.
#[derive(Default)]
pub(super) struct Numbers([Option<(usize, u64)>; 9]);

impl Numbers {
    /// Returns the first number of the list on this slide. The program counts on from there, so that items can be inserted
    /// later.
    fn start(&mut self, line: &Line<'_>) -> Option<u64> {
        let depth = line.depth.min(self.0.len() - 1);
        let before = self.0[depth];
        self.0[depth..].fill(None);
        let Marker::Number { list, number, .. } = line.marker else { return None };
        let start = match before {
            Some((same, start)) if same == list => start,
            _ => number,
        };
        self.0[depth] = Some((list, start));
        Some(start).filter(|start| (1..=MAX_NUMBER).contains(start))
    }
}

impl Writer<'_> {
    /// Writes a paragraph of a slide.
    pub(super) fn paragraph(&mut self, line: &Line<'_>, numbers: &mut Numbers) {
        self.losses.enter_block(line.block);
        let has_mark = line.marker != Marker::None;
        // The marker is one step left of the text.
        let hang = measure::hang(line);
        let left =
            if has_mark { measure::left(line).max(hang) } else { measure::left(line) + hang };
        let space = measure::space(line) * 100.0;
        let rtl = match (self.language.is_from_right(), line.kind) {
            (_, LineKind::Caption) => " algn=\"ctr\"",
            (true, _) => " rtl=\"1\" algn=\"r\"",
            (false, _) => "",
        };
        let _ = write!(
            self.xml,
            "<a:p><a:pPr marL=\"{}\" indent=\"{}\" lvl=\"{}\"{rtl}><a:spcBef><a:spcPts val=\"0\"/></a:spcBef><a:spcAft><a:spcPts val=\"{space:.0}\"/></a:spcAft>",
            emu(left),
            -emu(hang),
            line.depth
        );
        let start = numbers.start(line);
        match line.marker {
            Marker::None => self.xml.push_str("<a:buNone/>"),
            Marker::Bullet => {
                self.xml.push_str("<a:buFont typeface=\"Arial\"/><a:buChar char=\"•\"/>");
            }
            Marker::Task(checked) => {
                let sign = if checked { "☑" } else { "☐" };
                let _ = write!(
                    self.xml,
                    "<a:buFont typeface=\"Segoe UI Symbol\"/><a:buChar char=\"{sign}\"/>"
                );
            }
            Marker::Number { .. } => match start {
                Some(start) => {
                    let _ = write!(
                        self.xml,
                        "<a:buFont typeface=\"+mj-lt\"/><a:buAutoNum type=\"arabicPeriod\" startAt=\"{start}\"/>"
                    );
                }
                None => self.xml.push_str("<a:buNone/>"),
            },
        }
        self.xml.push_str("</a:pPr>");
        let format = TextFormat {
            size: Some(measure::size(line)),
            is_strong: matches!(line.kind, LineKind::Heading | LineKind::QuoteName(_)),
            color: color(line.kind),
            is_code: matches!(line.kind, LineKind::Code { .. }),
            ..TextFormat::default()
        };
        if let (Marker::Number { number, .. }, None) = (line.marker, start) {
            self.run(&format!("{number}. "), format);
        }
        self.inlines(&line.content, format);
        if line.content.iter().all(is_empty) {
            // An empty line needs a size, because the default would make it twice as high between lines of code.
            let size = measure::size(line) * 100.0;
            let _ = write!(self.xml, "<a:endParaRPr lang=\"en-US\" sz=\"{size:.0}\"/>");
        }
        self.xml.push_str("</a:p>");
    }

    pub(super) fn inlines(&mut self, content: &[Inline], format: TextFormat) {
        for inline in content {
            match inline {
                Inline::Text { text } => self.run(text, format),
                Inline::Code { text } => self.run(text, TextFormat { is_code: true, ..format }),
                Inline::Emphasis { content } => {
                    self.inlines(content, TextFormat { is_emphasised: true, ..format });
                }
                Inline::Strong { content } => {
                    self.inlines(content, TextFormat { is_strong: true, ..format });
                }
                Inline::Strikethrough { content } => {
                    self.inlines(content, TextFormat { is_struck: true, ..format });
                }
                Inline::Styled { style, content } => {
                    self.inlines(content, TextFormat { style: Some(*style), ..format });
                }
                Inline::Link { url, content } => self.link(url, content, format),
                Inline::Image { url, description, title } => {
                    let why = self.unseen.get(url).map_or(IN_LINE, String::as_str);
                    self.losses.record_why(LossKind::Image, description, why);
                    let what = self.language.say("图：", "Image: ");
                    let title = title.as_deref().map(|title| format!(" ({})", title.trim()));
                    let title = title.unwrap_or_default();
                    self.run(
                        &format!("[{what}{description}{title}]"),
                        TextFormat { color: Some(Ink::Muted), ..format },
                    );
                }
                Inline::Footnote { index } => self.reference(*index, format),
                Inline::Math { text, .. } => self.math(text, format),
                Inline::Break => self.xml.push_str("<a:br/>"),
            }
        }
    }

    /// Writes a formula on one line: tables and titles of slides hold only text.
    fn math(&mut self, text: &str, format: TextFormat) {
        let formula = match math::formula(text) {
            Ok(formula) => formula,
            Err(what) => {
                self.losses.record(LossKind::Math, &what);
                return self.run(text, TextFormat { is_code: true, ..format });
            }
        };
        formula.left_out.iter().for_each(|what| self.losses.record(LossKind::MathLook, what));
        let (runs, is_flattened) = math::linear(&formula);
        if is_flattened {
            self.losses.record(LossKind::MathLine, text);
        }
        for run in runs {
            let style = match run.shift {
                Shift::Line => format.style,
                Shift::Raised => Some(TextStyle::Superscript),
                Shift::Lowered => Some(TextStyle::Subscript),
            };
            let (is_emphasised, is_strong) = (run.is_italic, run.is_strong || format.is_strong);
            self.run(&run.text, TextFormat { style, is_emphasised, is_strong, ..format });
        }
    }

    /// Writes text of one format. Emphasised Chinese has a dotted line below, because it has no italics and the format has
    /// no dots below characters.
    pub(super) fn run(&mut self, text: &str, format: TextFormat) {
        for (index, mut rest) in text.split('\n').enumerate() {
            if index > 0 {
                self.xml.push_str("<a:br/>");
            }
            while let Some(first) = rest.chars().next() {
                let is_shared = !format.is_emphasised || format.is_code;
                let is_dotted = !is_shared && is_han(first);
                let end = if is_shared {
                    rest.len()
                } else {
                    rest.find(|c| is_han(c) != is_dotted).unwrap_or(rest.len())
                };
                let (part, tail) = rest.split_at(end);
                self.xml.push_str("<a:r>");
                self.run_properties(format, is_dotted);
                self.xml.push_str("<a:t>");
                push_text(&mut self.xml, part, &mut self.losses);
                self.xml.push_str("</a:t></a:r>");
                rest = tail;
            }
        }
    }

    fn run_properties(&mut self, format: TextFormat, is_dotted: bool) {
        let tag = self.language.tag();
        let _ = write!(self.xml, "<a:rPr lang=\"{tag}\"");
        if !tag.starts_with("en") {
            self.xml.push_str(" altLang=\"en-US\"");
        }
        if let Some(size) = format.size {
            let _ = write!(self.xml, " sz=\"{:.0}\"", size * 100.0);
        }
        for (is_on, attribute) in [
            (format.is_strong, " b=\"1\""),
            (format.is_emphasised && !format.is_code && !is_dotted, " i=\"1\""),
            (is_dotted, " u=\"dotted\""),
            (!is_dotted && format.style == Some(TextStyle::Underline), " u=\"sng\""),
            (format.is_struck, " strike=\"sngStrike\""),
            (format.style == Some(TextStyle::Superscript), " baseline=\"30000\""),
            (format.style == Some(TextStyle::Subscript), " baseline=\"-25000\""),
        ] {
            if is_on {
                self.xml.push_str(attribute);
            }
        }
        self.xml.push_str(" dirty=\"0\">");
        if let Some(color) = format.color.map(|ink| self.design.ink(ink)) {
            let _ = write!(self.xml, "<a:solidFill><a:srgbClr val=\"{color}\"/></a:solidFill>");
        }
        if format.style == Some(TextStyle::Mark) {
            self.xml.push_str("<a:highlight><a:srgbClr val=\"FFF3A3\"/></a:highlight>");
        }
        if format.is_code {
            let code = &self.design.look.code;
            let _ = write!(
                self.xml,
                "<a:latin typeface=\"{}\"/><a:cs typeface=\"{}\"/>",
                code.latin, code.complex
            );
        }
        if let Some(link) = format.link {
            let id = identifier(link);
            match self.targets.get(link) {
                Some(Target::Slide(_)) => {
                    let _ = write!(
                        self.xml,
                        "<a:hlinkClick r:id=\"{id}\" action=\"ppaction://hlinksldjump\"/>"
                    );
                }
                _ => {
                    let _ = write!(self.xml, "<a:hlinkClick r:id=\"{id}\"/>");
                }
            }
        }
        self.xml.push_str("</a:rPr>");
    }

    fn link(&mut self, url: &str, content: &[Inline], format: TextFormat) {
        let address = link::kept(url).map(link::escaped).filter(|url| url.len() <= MAX_URL_BYTES);
        let slide = || self.anchors.find(url).and_then(|heading| self.headings.get(heading));
        match address.map(Target::Address).or_else(|| slide().copied().map(Target::Slide)) {
            Some(target) => {
                let link = Some(self.target(target));
                self.inlines(content, TextFormat { link, ..format });
            }
            None => {
                self.losses.record(LossKind::Link, url);
                self.inlines(content, format);
            }
        }
    }

    /// Writes a line with a link to the slide of a heading.
    pub(super) fn jump(&mut self, text: &str, heading: usize, format: TextFormat) {
        let slide = self.headings.get(heading).copied();
        let link = slide.map(|slide| self.target(Target::Slide(slide)));
        self.run(text, TextFormat { link, ..format });
    }

    pub(super) fn target(&mut self, target: Target) -> usize {
        let known = self.targets.iter().position(|known| *known == target);
        known.unwrap_or_else(|| {
            self.targets.push(target);
            self.targets.len() - 1
        })
    }

    fn reference(&mut self, index: usize, format: TextFormat) {
        match self.notes.reference(index) {
            Reference::First(number) | Reference::Again(number) | Reference::Number(number) => {
                self.run(
                    &number.to_string(),
                    TextFormat { style: Some(TextStyle::Superscript), ..format },
                );
            }
            Reference::Inline(text) => self.run(&format!("[{text}]"), format),
            Reference::Nothing => {}
        }
    }
}

fn color(kind: LineKind) -> Option<Ink> {
    match kind {
        LineKind::Body => None,
        LineKind::Heading => Some(Ink::Accent),
        LineKind::Code { .. } => Some(Ink::Code),
        LineKind::Caption | LineKind::Quote => Some(Ink::Muted),
        LineKind::QuoteName(kind) => Some(Ink::Note(kind)),
    }
}
