//! Estimates how much room a text takes. Widths are those of common fonts; East Asian letters are as wide as high.

use crate::scene::Scene;
use crate::shapes::Shape;
use crate::style::{Box, Look, POINT, Spacing, look, text_box, theme_font};
use crate::text::{BREAK, Paragraph, RunKind, paragraphs};
use crate::xml::{Id, Ns, Xml};
use unicode_width::UnicodeWidthChar as _;

/// Height of a line as a part of the size of its letters.
const LINE: f64 = 1.2;

/// Widths of Helvetica in thousandths of its size, from the space to `~`.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Returns how wide a font is beside Helvetica; `None` if all its letters have one width.
fn breadth(font: &str) -> Option<f64> {
    let font = font.to_lowercase();
    let has = |names: &[&str]| names.iter().any(|name| font.contains(name));
    if has(&["courier", "consolas", "mono", "menlo"]) {
        return None;
    }
    Some(match () {
        () if has(&["narrow", "condensed"]) => 0.82,
        () if has(&["calibri", "carlito", "garamond", "gill sans"]) => 0.9,
        () if has(&["times"]) => 0.92,
        () if has(&["aptos", "corbel", "cambria", "georgia pro"]) => 0.95,
        () if has(&["verdana", "century gothic", "montserrat"]) => 1.16,
        () if has(&["tahoma", "georgia", "trebuchet", "segoe"]) => 1.03,
        () => 1.0,
    })
}

/// Returns the width of a character in parts of its size.
fn width(c: char, breadth: Option<f64>) -> f64 {
    let columns = c.width().unwrap_or(0);
    match (columns, breadth) {
        (0, _) if c != '\t' => 0.0,
        (2, _) => 1.0,
        (_, None) => 0.6,
        (_, Some(breadth)) => {
            let known = (c as usize).checked_sub(32).and_then(|it| WIDTHS.get(it));
            f64::from(known.copied().unwrap_or(if c.is_uppercase() { 690 } else { 556 })) / 1000.0
                * breadth
        }
    }
}

/// A stretch of text of one size.
struct Piece {
    text: String,
    size: f64,
    is_bold: bool,
    breadth: Option<f64>,
}

/// What a text takes of its box, in EMU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub(crate) height: f64,
    /// The widest line.
    pub(crate) width: f64,
}

fn pieces(scene: &Scene, xml: &Xml, paragraph: &Paragraph, look: &Look, scale: f64) -> Vec<Piece> {
    let runs = paragraph.runs.iter();
    runs.map(|run| {
        let properties = xml.child(run.node, Ns::A, "rPr");
        let size = properties
            .and_then(|it| xml.number::<f64>(it, "sz"))
            .map_or(look.size, |it| it / 100.0);
        let font = properties
            .and_then(|it| xml.child(it, Ns::A, "latin"))
            .and_then(|it| xml.attr(it, "typeface"))
            .map_or_else(|| look.font.clone(), |it| theme_font(scene, &it));
        Piece {
            text: match run.kind {
                RunKind::Break => BREAK.to_string(),
                _ => paragraph.text[run.start..run.end].to_owned(),
            },
            size: size * scale,
            is_bold: properties.and_then(|it| xml.flag(it, "b")).unwrap_or(look.is_bold),
            breadth: breadth(&font),
        }
    })
    .collect()
}

/// Breaks pieces into lines. Returns the heights of the lines in points, and the width of the widest one.
fn lines(pieces: &[Piece], room: f64, first: f64, size: f64) -> (Vec<f64>, f64) {
    let mut heights = Vec::new();
    let mut widest = 0.0_f64;
    // What stands on the line, and the word that may still move to the next one.
    let (mut line, mut word, mut height) = (first, 0.0, 0.0_f64);
    for piece in pieces {
        height = height.max(piece.size);
        let mut end = |line: f64, height: f64| {
            widest = widest.max(line);
            heights.push(height);
        };
        for c in piece.text.chars() {
            let is_wide = c.width() == Some(2);
            let bold = if piece.is_bold && !is_wide { 1.06 } else { 1.0 };
            let wide = width(c, piece.breadth) * piece.size * bold;
            if c == BREAK {
                end(line + word, height);
                (line, word, height) = (0.0, 0.0, piece.size);
            } else if c == ' ' {
                (line, word) = (line + word + wide, 0.0);
            } else if is_wide {
                line += word;
                word = 0.0;
                if line + wide > room && line > first {
                    end(line, height);
                    (line, height) = (0.0, piece.size);
                }
                line += wide;
            } else {
                word += wide;
                if line + word > room && line > first {
                    end(line, height);
                    (line, height) = (0.0, piece.size);
                }
                // A word that is longer than a line is broken anywhere.
                if line + word > room && word > wide {
                    end(room, height);
                    (line, word) = (0.0, wide);
                }
            }
        }
    }
    widest = widest.max(line + word);
    heights.push(if height > 0.0 { height } else { size });
    (heights, widest)
}

fn points(spacing: Spacing, height: f64) -> f64 {
    match spacing {
        Spacing::Part(part) => part * height,
        Spacing::Fixed(points) => points,
    }
}

/// Estimates the room that paragraphs take in a width, with letters and spacing made smaller.
pub(crate) fn extent(
    scene: &Scene,
    xml: &Xml,
    shape: &Shape,
    body: Id,
    room: f64,
    (scale, reduction): (f64, f64),
) -> Extent {
    let mut out = Extent { height: 0.0, width: 0.0 };
    for (at, paragraph) in paragraphs(xml, body).iter().enumerate() {
        let look = look(scene, shape, paragraph);
        let pieces = pieces(scene, xml, paragraph, &look, scale);
        let room = ((room - look.margin) / POINT).max(look.size * scale);
        let first = (look.indent / POINT).max(0.0);
        let end = xml.child(paragraph.node, Ns::A, "endParaRPr");
        let end = end.and_then(|it| xml.number::<f64>(it, "sz")).map_or(look.size, |it| it / 100.0);
        let (heights, widest) = lines(&pieces, room, first, end * scale);
        let size = look.size * scale;
        let between = |it: Spacing| {
            points(it, size * LINE) * if matches!(it, Spacing::Fixed(_)) { scale } else { 1.0 }
        };
        let mut height: f64 = heights
            .iter()
            .map(|height| match look.line {
                Spacing::Part(part) => height * LINE * (part - reduction).max(0.5),
                Spacing::Fixed(points) => points * scale,
            })
            .sum();
        if at > 0 {
            height += between(look.before);
        }
        height += between(look.after);
        out.height += height * POINT;
        out.width = out.width.max(widest * POINT + look.margin);
    }
    out
}

/// What a text needs and what its shape has, in EMU.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Room {
    pub(crate) needs: f64,
    pub(crate) has: f64,
    pub(crate) needs_width: f64,
    pub(crate) has_width: f64,
    pub(crate) text_box: Box,
}

/// Estimates the room of a shape's text with letters at `scale` and line spacing less `reduction`; `None` if its place is
/// not known.
pub(crate) fn room(scene: &Scene, shape: &Shape, (scale, reduction): (f64, f64)) -> Option<Room> {
    let frame = scene.frame(shape)?;
    let body = shape.body?;
    let text_box = text_box(scene, shape);
    let (cx, cy) = if text_box.is_vertical { (frame.cy, frame.cx) } else { (frame.cx, frame.cy) };
    let [left, top, right, bottom] = text_box.insets;
    let has_width = ((cx - left - right) / text_box.columns).max(POINT);
    let has = (cy - top - bottom).max(0.0);
    let wanted = if text_box.wraps { has_width } else { f64::MAX };
    let extent = extent(scene, &scene.slide.xml, shape, body, wanted, (scale, reduction));
    Some(Room {
        needs: extent.height / text_box.columns,
        has,
        needs_width: extent.width,
        has_width,
        text_box,
    })
}
