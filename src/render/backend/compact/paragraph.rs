//! Turns inlines into a paragraph: one text, and the styles of its parts. All text of a document passes through here: emoji
//! are replaced by symbols, and characters without a glyph are found before lines are made.

use std::collections::BTreeSet;

use super::faces::Faces;
use super::style::{GREY, INLINE_CODE, LINK, RAISED_SIZE, Style, sign_color};
use crate::model::doc::{Inline, TextStyle, plain_text};
use crate::model::language::Language;
use crate::shared::glyphs::Walk;
use crate::shared::glyphs::missing::{self, Missing};
use crate::shared::link;
use crate::shared::losses::{LossKind, Losses};
use crate::shared::math::{self, Shift};
use crate::shared::notes::{Notes, Reference};
use crate::shared::outline::Anchors;

/// A tab in code advances to the next multiple of this number of columns.
const TAB: usize = 4;

/// A text and its styles.
#[derive(Debug, Default)]
pub(super) struct Paragraph {
    pub(super) text: String,
    /// Styles, each with the end of its part of the text.
    pub(super) spans: Vec<(usize, Style)>,
    /// Footnotes whose first reference is in it: position and number.
    pub(super) notes: Vec<(usize, usize)>,
}

impl Paragraph {
    /// Appends text in one style.
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

/// Target of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Url(String),
    /// The heading with this index.
    Heading(usize),
    /// The footnote with this number.
    Note(usize),
}

/// Turns inlines into paragraphs, in reading order.
pub(super) struct Composer<'a> {
    faces: &'a Faces,
    language: &'a Language,
    pub(super) notes: Notes<'a>,
    anchors: Anchors,
    pub(super) links: Vec<Target>,
    /// The previous character within a paragraph.
    last: Option<char>,
    pub(super) dropped: BTreeSet<char>,
    pub(super) missing: Missing,
    /// Losses in what is shown.
    pub(super) losses: Losses,
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
            losses: Losses::default(),
        }
    }

    /// Returns inlines as one paragraph.
    pub(super) fn compose(&mut self, content: &[Inline], style: Style) -> Paragraph {
        self.last = None;
        let mut paragraph = Paragraph::default();
        self.inlines(content, style, &mut paragraph);
        paragraph
    }

    /// Returns a short text as a paragraph of a single style: a title, a name, a text of the host.
    pub(super) fn line(&mut self, text: &str, style: Style) -> Paragraph {
        self.last = None;
        let mut paragraph = Paragraph::default();
        self.text(text, style, true, &mut paragraph);
        paragraph
    }

    /// Returns a line of code, in which all spaces count.
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

    /// Returns the characters of a text as they are drawn.
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
                    self.losses.record_why(LossKind::Image, description, why);
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
                    // There is no space on either side of it.
                    out.push("\n", style);
                    self.last = None;
                }
            }
        }
    }

    /// Adds a formula on one line.
    fn math(&mut self, text: &str, style: Style, out: &mut Paragraph) {
        let formula = match math::formula(text) {
            Ok(formula) => formula,
            Err(what) => {
                self.losses.record(LossKind::Math, &what);
                return self.text(text, code(style), false, out);
            }
        };
        formula.left_out.iter().for_each(|what| self.losses.record(LossKind::MathLook, what));
        let (runs, is_flattened) = math::linear(&formula);
        if is_flattened {
            self.losses.record(LossKind::MathLine, text);
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
            self.losses.record(LossKind::Link, &plain_text(content));
            return self.inlines(content, style, out);
        };
        let index = self.add_link(target);
        self.inlines(content, Style { link: Some(index), ..style.colored(LINK) }, out);
    }

    /// Records a link, and returns its number for [`Style::link`].
    pub(super) fn add_link(&mut self, target: Target) -> u32 {
        self.links.push(target);
        // There are never as many pieces of text.
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

    /// Adds text with replaced symbols; a line break in it becomes a space.
    fn text(&mut self, text: &str, style: Style, fold_spaces: bool, out: &mut Paragraph) {
        let Composer { faces, last, dropped, missing, losses, .. } = self;
        let mut walk = Walk { covers: &|c| faces.covers(c), last, dropped, missing };
        walk.text(text, fold_spaces, &mut |piece, color| {
            let style = color.map_or(style, |color| style.colored(sign_color(color)));
            match piece {
                "\n" | "\t" => out.push(" ", style),
                _ if piece.contains(is_unsettable) => losses.record(LossKind::Character, ""),
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

/// Returns `true` for control characters, which no page can show.
fn is_unsettable(c: char) -> bool {
    c.is_control()
}

/// Returns a style for inline code.
fn code(style: Style) -> Style {
    Style { is_mono: true, is_code: true, size: style.size * INLINE_CODE, ..style }
}

/// Returns a style for the number of a footnote.
pub(super) fn raised(style: Style) -> Style {
    Style {
        is_raised: true,
        has_dots: false,
        is_struck: false,
        size: style.size * RAISED_SIZE,
        ..style
    }
}

/// Replaces tabs in code by spaces.
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
