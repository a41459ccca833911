//! Draws a scene as SVG: text stays text, nothing external is referred to, and no inline styles need a permission of the
//! page.

use std::fmt::Write as _;

use super::layout::layout;
use super::scene::{Anchor, Paint, PathSegment, Scene, Shape, Text};
use crate::model::chart::description::ChartDescription;
use crate::shared::losses::Losses;
use crate::shared::xml::push_text;
use mitt_base::Result;

/// The bundled fonts come first, because the layout uses their widths, followed by fonts of other machines.
const FONTS: &str =
    "Noto Sans, Noto Sans SC, PingFang SC, Microsoft YaHei, Noto Sans CJK SC, sans-serif";

/// A chart as SVG.
#[derive(Clone, Debug)]
pub struct ChartSvg {
    /// The file: one `svg` element with `title` and `desc`.
    pub svg: String,
    /// Alternative text.
    pub alternative: String,
    /// Losses and changes, one sentence each.
    pub warnings: Vec<String>,
}

/// Draws a chart as SVG. The same description gives the same bytes.
///
/// # Errors
///
/// Those of [`ChartDescription::check`].
pub fn chart_svg(chart: &ChartDescription) -> Result<ChartSvg> {
    let scene = layout(chart)?;
    Ok(ChartSvg {
        svg: svg_of(&scene, &Frame::File),
        alternative: scene.alternative,
        warnings: scene.warnings,
    })
}

/// Context of a drawing.
pub(crate) enum Frame {
    /// A file of its own, on white paper.
    File,
    /// A page of someone else.
    Bare,
    /// A page of ours, as wide as its column; identifiers of name and text have this number.
    Page(usize),
}

/// Returns a drawing as an element.
pub(crate) fn svg_of(scene: &Scene, frame: &Frame) -> String {
    let mut out = String::new();
    let (width, height) = (Px(scene.width), Px(scene.height));
    match frame {
        Frame::File | Frame::Bare => {
            let _ = write!(
                out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
                 role=\"img\" aria-labelledby=\"title desc\"><title id=\"title\">"
            );
        }
        Frame::Page(number) => {
            let _ = write!(
                out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
                 aria-labelledby=\"chart:{number} chart-text:{number}\"><title id=\"chart:{number}\">"
            );
        }
    }
    push(&mut out, &scene.name);
    let id = match frame {
        Frame::File | Frame::Bare => "desc".to_owned(),
        Frame::Page(number) => format!("chart-text:{number}"),
    };
    let _ = write!(out, "</title><desc id=\"{id}\">");
    push(&mut out, &scene.alternative);
    out.push_str("</desc>");
    let _ = write!(out, "<g font-family=\"{FONTS}\">");
    if matches!(frame, Frame::File) {
        let _ = write!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>");
    }
    for shape in &scene.shapes {
        add(&mut out, shape);
    }
    out.push_str("</g></svg>");
    out
}

fn add(out: &mut String, shape: &Shape) {
    match shape {
        Shape::Rectangle { x, y, width, height, fill } => {
            let _ = write!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{fill}\"/>",
                Px(*x),
                Px(*y),
                Px(*width),
                Px(*height)
            );
        }
        Shape::Path { segments, paint } => {
            out.push_str("<path d=\"");
            segments.iter().for_each(|segment| add_segment(out, segment));
            out.push('"');
            add_paint(out, paint);
            out.push_str("/>");
        }
        Shape::Text(text) => add_text(out, text),
    }
}

fn add_segment(out: &mut String, segment: &PathSegment) {
    let _ = match segment {
        PathSegment::Move(x, y) => write!(out, "M{} {}", Px(*x), Px(*y)),
        PathSegment::Line(x, y) => write!(out, "L{} {}", Px(*x), Px(*y)),
        PathSegment::Curve([a, b, c, d, x, y]) => {
            write!(out, "C{} {} {} {} {} {}", Px(*a), Px(*b), Px(*c), Px(*d), Px(*x), Px(*y))
        }
        PathSegment::Close => write!(out, "Z"),
    };
}

fn add_paint(out: &mut String, paint: &Paint) {
    let _ = write!(out, " fill=\"{}\"", paint.fill.unwrap_or("none"));
    if paint.fill.is_some() && paint.fill_opacity < 1.0 {
        let _ = write!(out, " fill-opacity=\"{}\"", Px(paint.fill_opacity));
    }
    if let Some((color, width)) = paint.stroke {
        let _ = write!(
            out,
            " stroke=\"{color}\" stroke-width=\"{}\" stroke-linejoin=\"round\"",
            Px(width)
        );
        if !paint.dashes.is_empty() {
            let dashes: Vec<_> =
                paint.dashes.iter().map(|dash| Px(dash * width).to_string()).collect();
            let _ = write!(out, " stroke-dasharray=\"{}\"", dashes.join(" "));
        }
    }
}

fn add_text(out: &mut String, text: &Text) {
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\"",
        Px(text.x),
        Px(text.y),
        Px(text.font.size)
    );
    if text.font.is_bold {
        out.push_str(" font-weight=\"bold\"");
    }
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str(" text-anchor=\"middle\""),
        Anchor::End => out.push_str(" text-anchor=\"end\""),
    }
    let _ = write!(out, " fill=\"{}\"", text.color);
    if text.turn != 0.0 {
        let _ =
            write!(out, " transform=\"rotate({} {} {})\"", Px(text.turn), Px(text.x), Px(text.y));
    }
    out.push('>');
    push(out, &text.text);
    out.push_str("</text>");
}

/// Writes text without characters that XML cannot hold, which the caller reported.
fn push(out: &mut String, text: &str) {
    push_text(out, text, &mut Losses::default());
}

/// A length with at most two decimals, as short as possible.
struct Px(f64);

impl std::fmt::Display for Px {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rounded = (self.0 * 100.0).round() / 100.0 + 0.0;
        write!(f, "{rounded}")
    }
}
