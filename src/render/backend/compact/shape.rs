//! Shapes a paragraph into units, the smallest parts that stay together in a line: glyphs, widths, places where a line may
//! end.
//!
//! Chinese is measured character by character; everything else is shaped, so that letters are kerned and joined.

use harfrust::{Direction, ShapeOptions, UnicodeBuffer};
use unicode_bidi::{BidiInfo, Level};
use unicode_linebreak::{BreakOpportunity, linebreaks};
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript as _};

use super::faces::{Choice, Types};
use super::paragraph::Paragraph;
use super::style::Style;
use crate::model::cjk::{is_cjk, is_cjk_punctuation, is_han, is_kana};

/// A glyph of a unit. Lengths are in points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glyph {
    pub(super) id: u32,
    pub(super) advance: f32,
    pub(super) x: f32,
    pub(super) y: f32,
}

/// Glyphs that stay together in a line.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// Range of its glyphs, from left to right.
    pub(super) glyphs: (u32, u32),
    /// Range of its text.
    pub(super) text: (u32, u32),
    pub(super) width: f32,
    /// Index of its style.
    pub(super) span: u32,
    pub(super) face: u8,
    /// Embedding level of Unicode: odd for right-to-left.
    pub(super) level: u8,
    pub(super) class: Class,
    /// Says if a line may, or must, end behind it.
    pub(super) ends: Ends,
}

/// Class of a unit for the space around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Space,
    /// Chinese characters and kana.
    Han,
    /// Full-width marks with half of their width empty: on the right, on the left, or on both sides.
    Close,
    Open,
    Middle,
    /// Letters and digits of scripts with spaces.
    Letter,
    Other,
}

/// Says if a line may end behind a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    No,
    May,
    Must,
}

/// A shaped paragraph.
pub(super) struct Shaped {
    pub(super) units: Vec<Unit>,
    pub(super) glyphs: Vec<Glyph>,
    /// `true` if a part of it runs from right to left.
    pub(super) is_mixed: bool,
}

/// Shapes a paragraph. Adds characters without a glyph to `holes`.
pub(super) fn shape(
    paragraph: &Paragraph,
    types: &mut Types<'_>,
    from_right: bool,
    holes: &mut Vec<char>,
) -> Shaped {
    let mut shaper = Shaper {
        text: &paragraph.text,
        types,
        holes,
        shaped: Shaped { units: Vec::new(), glyphs: Vec::new(), is_mixed: false },
        buffer: Some(UnicodeBuffer::new()),
    };
    let levels = levels(&paragraph.text, from_right);
    shaper.shaped.is_mixed = levels.iter().any(|level| level.number() > 0);
    let mut start = 0;
    for (index, (end, style)) in paragraph.spans.iter().enumerate() {
        shaper.span(start, *end, index, style, &levels);
        start = *end;
    }
    let mut shaped = shaper.shaped;
    let mut ends = ends(&paragraph.text).into_iter().peekable();
    for unit in &mut shaped.units {
        while ends.next_if(|(at, _)| *at < unit.text.1 as usize).is_some() {}
        if let Some((_, end)) = ends.next_if(|(at, _)| *at == unit.text.1 as usize) {
            unit.ends = end;
        }
    }
    // The number of a footnote stays with its word.
    let is_raised = |unit: &Unit| {
        paragraph.spans.get(unit.span as usize).is_some_and(|(_, style)| style.is_raised)
    };
    for index in 1..shaped.units.len() {
        let next = shaped.units.get(index);
        let follows =
            next.is_some_and(is_raised) && !shaped.units.get(index - 1).is_some_and(is_raised);
        // UAX #14 lets some closing marks begin a line behind a space.
        let closes = next.is_some_and(|unit| unit.class == Class::Close);
        if let Some(unit) = shaped.units.get_mut(index - 1)
            && unit.ends == Ends::May
            && (closes || (follows && unit.class != Class::Space))
        {
            unit.ends = Ends::No;
        }
    }
    shaped
}

/// Returns the embedding level of each byte; empty if everything runs from left to right.
fn levels(text: &str, from_right: bool) -> Vec<Level> {
    let may_turn = |c: char| matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FEFC}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}');
    if !from_right && !text.contains(may_turn) {
        return Vec::new();
    }
    let base = if from_right { Level::rtl() } else { Level::ltr() };
    BidiInfo::new(text, Some(base)).levels
}

/// Returns the places where a line may or must end.
fn ends(text: &str) -> Vec<(usize, Ends)> {
    let mut ends: Vec<(usize, Ends)> = linebreaks(text)
        .map(|(at, opportunity)| match opportunity {
            BreakOpportunity::Mandatory if at < text.len() => (at, Ends::Must),
            _ => (at, Ends::May),
        })
        .collect();
    // UAX #14 does not know the direction of quotation marks, and allows a break on neither side. Beside Chinese, they open
    // and close.
    let mut before: Option<char> = None;
    let mut more = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        let opens = matches!(c, '“' | '‘') && before.is_some_and(|c| is_han(c) || is_kana(c));
        let after = letters.peek().map(|(_, c)| *c);
        let closes = matches!(c, '”' | '’') && after.is_some_and(|c| is_han(c) || is_kana(c));
        if opens {
            more.push((at, Ends::May));
        }
        if closes && before.is_some_and(|c| !c.is_ascii_alphanumeric() || c == ' ') {
            more.push((at + c.len_utf8(), Ends::May));
        }
        before = Some(c);
    }
    if !more.is_empty() {
        ends.extend(more);
        ends.sort_by_key(|(at, end)| (*at, *end != Ends::Must));
        ends.dedup_by_key(|(at, _)| *at);
    }
    ends
}

/// A run of one face, one direction and one script.
#[derive(Clone, Copy)]
struct Run {
    start: usize,
    face: u8,
    level: u8,
    script: Script,
}

struct Shaper<'a, 'b> {
    text: &'a str,
    types: &'a mut Types<'b>,
    holes: &'a mut Vec<char>,
    shaped: Shaped,
    buffer: Option<UnicodeBuffer>,
}

impl Shaper<'_, '_> {
    fn span(&mut self, start: usize, end: usize, index: usize, style: &Style, levels: &[Level]) {
        let text = self.text;
        let Some(part) = text.get(start..end) else { return };
        let span = u32::try_from(index).unwrap_or(u32::MAX);
        let mut run: Option<Run> = None;
        let mut before: Option<char> = None;
        let mut letters = part.char_indices().peekable();
        while let Some((offset, c)) = letters.next() {
            let at = start + offset;
            let after = letters.peek().map(|(_, c)| *c);
            let level = levels.get(at).map_or(0, |level| level.number());
            if c == '\n' || c == '\u{200B}' {
                self.close(&mut run, at, span, style);
                self.empty(at, c, span);
                before = None;
                continue;
            }
            let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
            let choice = self.types.choose(style, c, is_letter(before) && is_letter(after));
            if choice.glyph == 0 && !is_invisible(c) && !is_combining_mark(c) {
                self.holes.push(c);
            }
            let is_alone =
                (is_han(c) || is_kana(c) || is_cjk_punctuation(c) || is_full_width(c, choice))
                    && choice.glyph != 0
                    && level == 0
                    && !after.is_some_and(|after| is_combining_mark(after) || is_invisible(after));
            if is_alone {
                self.close(&mut run, at, span, style);
                self.single(at, c, choice, span, style);
            } else {
                let script = c.script();
                let is_shared = matches!(script, Script::Common | Script::Inherited);
                let follows = run.filter(|run| {
                    run.level == level
                        && (is_shared || run.script == script || run.script == Script::Common)
                        && (run.face == choice.face
                            || ((is_combining_mark(c) || is_invisible(c))
                                && (is_invisible(c) || self.types.has(run.face, c))))
                });
                match follows {
                    Some(open) if !is_shared => run = Some(Run { script, ..open }),
                    Some(_) => {}
                    None => {
                        self.close(&mut run, at, span, style);
                        let script = if is_shared { Script::Common } else { script };
                        run = Some(Run { start: at, face: choice.face, level, script });
                    }
                }
            }
            before = Some(c);
        }
        self.close(&mut run, end, span, style);
    }

    /// Adds a line break or a break opportunity, which is invisible.
    fn empty(&mut self, at: usize, c: char, span: u32) {
        let glyphs = self.shaped.glyphs.len() as u32;
        self.shaped.units.push(Unit {
            glyphs: (glyphs, glyphs),
            text: (at as u32, (at + c.len_utf8()) as u32),
            width: 0.0,
            span,
            face: 0,
            level: 0,
            class: Class::Other,
            ends: Ends::No,
        });
    }

    /// Adds a character that needs no shaping.
    fn single(&mut self, at: usize, c: char, choice: Choice, span: u32, style: &Style) {
        let width = choice.advance * style.size;
        let first = self.shaped.glyphs.len() as u32;
        self.shaped.glyphs.push(Glyph { id: choice.glyph, advance: width, x: 0.0, y: 0.0 });
        self.shaped.units.push(Unit {
            glyphs: (first, first + 1),
            text: (at as u32, (at + c.len_utf8()) as u32),
            width,
            span,
            face: choice.face,
            level: 0,
            class: class(c, choice.advance),
            ends: Ends::No,
        });
    }

    /// Shapes the run that ends at `end`.
    fn close(&mut self, run: &mut Option<Run>, end: usize, span: u32, style: &Style) {
        let Some(run) = run.take() else { return };
        let text = self.text.get(run.start..end).unwrap_or_default();
        let Some((units, shaper)) = self.types.shaper(run.face) else { return };
        let mut buffer = self.buffer.take().unwrap_or_default();
        buffer.push_str(text);
        buffer.guess_segment_properties();
        let from_right = run.level % 2 == 1;
        buffer.set_direction(if from_right {
            Direction::RightToLeft
        } else {
            Direction::LeftToRight
        });
        let shaped = shaper.shape(buffer, ShapeOptions::new());
        let scale = style.size / units;
        let infos = shaped.glyph_infos();
        let places = shaped.glyph_positions();
        // Clusters in the order of the text, each with its glyphs from left to right.
        let mut clusters: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
        for (index, info) in infos.iter().enumerate() {
            let at = info.cluster as usize;
            match clusters.last_mut() {
                Some((last, range)) if *last == at => range.end = index + 1,
                _ => clusters.push((at, index..index + 1)),
            }
        }
        clusters.sort_by_key(|(at, _)| *at);
        for (number, (at, range)) in clusters.iter().enumerate() {
            let until = clusters.get(number + 1).map_or(text.len(), |(at, _)| *at);
            let first = self.shaped.glyphs.len() as u32;
            let mut width = 0.0;
            for index in range.clone() {
                let (Some(info), Some(place)) = (infos.get(index), places.get(index)) else {
                    continue;
                };
                let advance = place.x_advance as f32 * scale;
                width += advance;
                self.shaped.glyphs.push(Glyph {
                    id: info.glyph_id,
                    advance,
                    x: place.x_offset as f32 * scale,
                    y: place.y_offset as f32 * scale,
                });
            }
            let c = text.get(*at..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
            self.shaped.units.push(Unit {
                glyphs: (first, self.shaped.glyphs.len() as u32),
                text: ((run.start + at) as u32, (run.start + until) as u32),
                width,
                span,
                face: run.face,
                level: run.level,
                class: class(c, width / style.size),
                ends: Ends::No,
            });
        }
        self.buffer = Some(shaped.clear());
    }
}

/// Returns `true` if `c` only affects its neighbours and has no glyph of its own.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FE00}'..='\u{FE0F}')
}

/// Returns `true` if a mark that both scripts have is drawn as Chinese.
fn is_full_width(c: char, choice: Choice) -> bool {
    choice.advance > 0.95 && matches!(c, '“' | '”' | '‘' | '’' | '—' | '…' | '·')
}

/// Returns the class of a unit that begins with `c` and is `ems` wide.
fn class(c: char, ems: f32) -> Class {
    let is_full = ems > 0.95;
    match c {
        ' ' | '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' => Class::Space,
        '，' | '。' | '、' | '；' | '：' | '！' | '？' | '．' | '）' | '】' | '》' | '〉'
        | '」' | '』' | '］' | '｝' | '〕' | '〗' | '”' | '’'
            if is_full =>
        {
            Class::Close
        }
        '（' | '【' | '《' | '〈' | '「' | '『' | '［' | '｛' | '〔' | '〖' | '“' | '‘'
            if is_full =>
        {
            Class::Open
        }
        _ if is_han(c) || is_kana(c) => Class::Han,
        _ if is_cjk(c) || is_full => {
            if c.is_alphanumeric() && !is_cjk(c) {
                Class::Letter
            } else {
                Class::Middle
            }
        }
        _ if c.is_alphanumeric() => Class::Letter,
        _ => Class::Other,
    }
}
