//! Inlines to a paragraph: one text, and the styles of its parts. Every text of a document passes through here: emoji become
//! signs, and characters without a glyph are found before a line is made.

use std::collections::BTreeSet;

use super::faces::Faces;
use super::style::{GREY, INLINE_CODE, LINK, RAISED_SIZE, Style, sign_color};
use crate::doc::{Inline, TextStyle, plain_text};
use crate::glyphs::Walk;
use crate::glyphs::missing::{self, Missing};
use crate::language::Language;
use crate::link;
use crate::math::{self, Shift};
use crate::notes::{Notes, Reference};
use crate::outline::Anchors;
use crate::told::{Kind, Told};

/// Columns that a tab in code goes on to a multiple of.
const TAB: usize = 4;

/// A text and what it is set with.
#[derive(Debug, Default)]
pub(super) struct Paragraph {
    pub(super) text: String,
    /// The styles, each with the end of its part of the text.
    pub(super) spans: Vec<(usize, Style)>,
    /// Footnotes whose first reference stands in it: place and number.
    pub(super) notes: Vec<(usize, usize)>,
}

impl Paragraph {
    /// Add text in one style.
    pub(super) fn push(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        let end = self.text.len();
        match self.spans.last_mut() {
            Some((last, before)) if *before == style => *last = end,
            _ => self.spans.push((end, style)),
        }
    }
}

/// Where a link of the document leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Url(String),
    /// The heading with this index.
    Heading(usize),
    /// The footnote with this number.
    Note(usize),
}

/// Turns inlines into paragraphs, in the order in which they are read.
pub(super) struct Composer<'a> {
    faces: &'a Faces,
    language: &'a Language,
    pub(super) notes: Notes<'a>,
    anchors: Anchors,
    pub(super) links: Vec<Target>,
    /// The character before, within a paragraph.
    last: Option<char>,
    pub(super) dropped: BTreeSet<char>,
    pub(super) missing: Missing,
    /// What is shown otherwise than its author meant.
    pub(super) told: Told,
}

impl<'a> Composer<'a> {
    pub(super) fn new(
        faces: &'a Faces,
        language: &'a Language,
        notes: Notes<'a>,
        anchors: Anchors,
    ) -> Composer<'a> {
        Composer {
            faces,
            language,
            notes,
            anchors,
            links: Vec::new(),
            last: None,
            dropped: BTreeSet::new(),
            missing: Missing::default(),
            told: Told::default(),
        }
    }

    /// Inlines as one paragraph.
    pub(super) fn compose(&mut self, content: &[Inline], style: Style) -> Paragraph {
        self.last = None;
        let mut paragraph = Paragraph::default();
        self.inlines(content, style, &mut paragraph);
        paragraph
    }

    /// Text of the host's own, or of which only the letters count: a title, a name.
    pub(super) fn line(&mut self, text: &str, style: Style) -> Paragraph {
        self.last = None;
        let mut paragraph = Paragraph::default();
        self.text(text, style, true, &mut paragraph);
        paragraph
    }

    /// A line of code, of which every space counts.
    pub(super) fn code_line(&mut self, text: &str, style: Style) -> Paragraph {
        self.last = None;
        let mut paragraph = Paragraph::default();
        if text.contains('\t') {
            self.text(&without_tabs(text), style, false, &mut paragraph);
        } else {
            self.text(text, style, false, &mut paragraph);
        }
        paragraph
    }

    /// The letters of a text, as they are drawn.
    pub(super) fn plain(&mut self, text: &str) -> String {
        self.line(text, Style::new(1.0)).text.trim().to_owned()
    }

    fn inlines(&mut self, content: &[Inline], style: Style, out: &mut Paragraph) {
        for inline in content {
            match inline {
                Inline::Text { text } => self.text(text, style, true, out),
                Inline::Code { text } => self.text(text, code(style), false, out),
                Inline::Emphasis { content } => {
                    let style = Style { is_italic: true, has_dots: true, ..style };
                    self.inlines(content, style, out);
                }
                Inline::Strong { content } => self.inlines(content, style.bold(), out),
                Inline::Strikethrough { content } => {
                    self.inlines(content, Style { is_struck: true, ..style }, out);
                }
                Inline::Styled { style: look, content } => {
                    let style = match look {
                        TextStyle::Superscript => raised(style),
                        TextStyle::Subscript => Style { is_lowered: true, ..raised(style) },
                        TextStyle::Underline => Style { is_underlined: true, ..style },
                        TextStyle::Mark => Style { is_marked: true, ..style },
                    };
                    self.inlines(content, style, out);
                }
                Inline::Link { url, content } => self.link(url, content, style, out),
                Inline::Image { description, title, .. } => {
                    let why = "the small typesetter shows none";
                    self.told.tell_why(Kind::Image, description, why);
                    let grey = style.colored(GREY);
                    out.push(&format!("[{}", self.language.say("图：", "Image: ")), grey);
                    self.last = Some(':');
                    self.text(description, grey, true, out);
                    if let Some(title) = title {
                        self.text(&format!(" ({})", title.trim()), grey, true, out);
                    }
                    out.push("]", grey);
                    self.last = Some(']');
                }
                Inline::Footnote { index } => self.footnote(*index, style, out),
                Inline::Math { text, .. } => self.math(text, style, out),
                Inline::Break => {
                    // No space at either side of it.
                    out.push("\n", style);
                    self.last = None;
                }
            }
        }
    }

    /// A formula on one line.
    fn math(&mut self, text: &str, style: Style, out: &mut Paragraph) {
        let formula = match math::formula(text) {
            Ok(formula) => formula,
            Err(what) => {
                self.told.tell(Kind::Math, &what);
                return self.text(text, code(style), false, out);
            }
        };
        formula.left_out.iter().for_each(|what| self.told.tell(Kind::MathLook, what));
        let (runs, is_flattened) = math::linear(&formula);
        if is_flattened {
            self.told.tell(Kind::MathLine, text);
        }
        for run in runs {
            let style = match run.shift {
                Shift::Line => style,
                Shift::Raised => raised(style),
                Shift::Lowered => Style { is_lowered: true, ..raised(style) },
            };
            let is_italic = run.is_italic || style.is_italic;
            let is_bold = run.is_strong || style.is_bold;
            self.text(&run.text, Style { is_italic, is_bold, ..style }, false, out);
        }
    }

    fn link(&mut self, url: &str, content: &[Inline], style: Style, out: &mut Paragraph) {
        let target = link::kept(url)
            .map(|url| Target::Url(url.to_owned()))
            .or_else(|| self.anchors.find(url).map(Target::Heading));
        let Some(target) = target else {
            self.told.tell(Kind::Link, &plain_text(content));
            return self.inlines(content, style, out);
        };
        let index = self.add_link(target);
        self.inlines(content, Style { link: Some(index), ..style.colored(LINK) }, out);
    }

    /// Note a link; the number is for [`Style::link`].
    pub(super) fn add_link(&mut self, target: Target) -> u32 {
        self.links.push(target);
        // There are fewer pieces of text than numbers.
        u32::try_from(self.links.len() - 1).unwrap_or(u32::MAX)
    }

    fn footnote(&mut self, index: usize, style: Style, out: &mut Paragraph) {
        let number = match self.notes.reference(index) {
            Reference::First(number) => {
                out.notes.push((out.text.len(), number));
                number
            }
            Reference::Again(number) | Reference::Number(number) => number,
            Reference::Inline(text) => {
                out.push("[", style);
                self.text(&text, style, true, out);
                out.push("]", style);
                self.last = Some(']');
                return;
            }
            Reference::Nothing => return,
        };
        let link = Some(self.add_link(Target::Note(number)));
        out.push(&number.to_string(), Style { link, ..raised(style) });
        self.last = Some('1');
    }

    /// Text with its signs; a line end in it is a space.
    fn text(&mut self, text: &str, style: Style, fold_spaces: bool, out: &mut Paragraph) {
        let Composer { faces, last, dropped, missing, told, .. } = self;
        let mut walk = Walk { covers: &|c| faces.covers(c), last, dropped, missing };
        walk.text(text, fold_spaces, &mut |piece, color| {
            let style = color.map_or(style, |color| style.colored(sign_color(color)));
            match piece {
                "\n" | "\t" => out.push(" ", style),
                _ if piece.contains(is_unsettable) => told.tell(Kind::Character, ""),
                // A row of boxes may break anywhere.
                missing::BOX if color.is_some() && out.text.ends_with(missing::BOX) => {
                    out.push("\u{200B}", style);
                    out.push(piece, style);
                }
                _ => out.push(piece, style),
            }
        });
    }
}

/// Whether no page can show a character: it controls a terminal.
fn is_unsettable(c: char) -> bool {
    c.is_control()
}

/// A style as a piece of code.
fn code(style: Style) -> Style {
    Style { is_mono: true, is_code: true, size: style.size * INLINE_CODE, ..style }
}

/// A style as the number of a footnote.
pub(super) fn raised(style: Style) -> Style {
    Style {
        is_raised: true,
        has_dots: false,
        is_struck: false,
        size: style.size * RAISED_SIZE,
        ..style
    }
}

/// Code with spaces in place of tabs.
fn without_tabs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        if c == '\t' {
            let width = TAB - column % TAB;
            out.extend(std::iter::repeat_n(' ', width));
            column += width;
        } else {
            out.push(c);
            column += 1;
        }
    }
    out
}
