//! Finds drawings of a Word text that are hidden, that lie outside of the page, or that text may lie on.

use super::Why;
use super::colour::{Alpha, Paint, Theme, WHITE, hex};
use crate::xml::{self, Node};
use quick_xml::events::Event;

/// A point in the units of drawings.
const POINT: f64 = 12_700.0;

/// Size of the pages in points: the largest of each, as it is not known on which page a drawing is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Page {
    /// Returns the size of the largest page of a text.
    pub(crate) fn of(text: &str) -> Self {
        // Letter or A4, whichever is larger, is the least.
        let mut page = Self { width: 612.0, height: 842.0 };
        for (at, _) in text.match_indices("pgSz ") {
            let tag = text.get(at..).and_then(|it| it.split('>').next()).unwrap_or_default();
            let number = |name: &str| -> Option<f64> {
                let value = tag.split_once(name)?.1.trim_start_matches(['"', '\'']);
                value.split(['"', '\'']).next()?.parse::<f64>().ok().map(|it| it / 20.0)
            };
            page.width = page.width.max(number(":w=").unwrap_or(0.0));
            page.height = page.height.max(number(":h=").unwrap_or(0.0));
        }
        page
    }
}

/// Area of the filled drawings that text may lie on, in square points.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Floats {
    /// Those behind the text.
    pub(crate) behind: f64,
    /// All of them. A box without a fill may lie on any of them.
    pub(crate) all: f64,
}

impl Floats {
    /// Returns the drawings of a text.
    pub(crate) fn of(text: &str, theme: &Theme) -> Self {
        let mut floats = Self::default();
        if !["anchor", "inline", "pict"].iter().any(|needle| text.contains(needle)) {
            return floats;
        }
        let mut reader = xml::reader(text);
        while let Ok(event) = reader.read_event() {
            match event {
                Event::Start(start)
                    if matches!(start.local_name().as_ref(), "anchor" | "inline") =>
                {
                    let Some(node) = xml::tree(&mut reader, &start) else { break };
                    floats.drawing(&node, theme);
                }
                Event::Start(start) if start.local_name().as_ref() == "pict" => {
                    let Some(node) = xml::tree(&mut reader, &start) else { break };
                    node.nodes().for_each(|shape| floats.shape(shape));
                }
                Event::Eof => break,
                _ => {}
            }
        }
        floats
    }

    /// Returns what these drawings of page headers and footers add to each page: only large ones reach the text.
    pub(crate) fn of_margin(self, page: Page) -> f64 {
        if self.behind >= page.width * page.height / 8.0 { f64::INFINITY } else { 0.0 }
    }

    fn add(&mut self, is_behind: bool, area: f64) {
        // No drawing counts for more than a very large page.
        let area = area.clamp(0.0, 4_000_000.0);
        self.all += area;
        self.behind += if is_behind { area } else { 0.0 };
    }

    fn drawing(&mut self, node: &Node, theme: &Theme) {
        let is_behind = node.attribute("behindDoc").is_some_and(|it| matches!(it, "1" | "true"));
        if !is_filled(node, theme) {
            return;
        }
        let extent = node.child("extent");
        let side = |name: &str| extent.and_then(|it| number(it, name)).unwrap_or(0.0) / POINT;
        self.add(is_behind, side("cx") * side("cy"));
    }

    /// Counts a shape of older versions of Word. These are filled with white if they do not say otherwise.
    fn shape(&mut self, node: &Node) {
        let style = node.attribute("style").unwrap_or_default();
        let has_picture = node.child("imagedata").is_some();
        let is_white = vector_fill(node) == WHITE || vector_fill(node) == Paint::Clear;
        let is_behind = property(style, "position") == Some("absolute")
            && property(style, "z-index").is_some_and(|it| it.starts_with('-'));
        if node.child("textpath").is_some() || node.name != "group" && !has_picture && is_white {
            return;
        }
        let side = |name: &str| property(style, name).and_then(points).unwrap_or(0.0);
        self.add(is_behind, side("width") * side("height"));
    }
}

/// Returns why a drawing is unseen: `drawing`, or `pict` of older versions of Word.
pub(crate) fn unseen(node: &Node, page: Page) -> Option<Why> {
    if let Some(frame) = node.child("anchor").or(node.child("inline")) {
        let is_hidden = frame.child("docPr").is_some_and(is_hidden);
        return if is_hidden {
            Some(Why::Hidden)
        } else {
            off_page(frame, page).then_some(Why::Outside)
        };
    }
    let mut shapes = node
        .nodes()
        .filter(|shape| shape.attribute("style").is_some() && shape.name != "shapetype")
        .peekable();
    shapes.peek()?;
    let why = |shape: &Node| {
        let style = shape.attribute("style").unwrap_or_default();
        if property(style, "visibility") == Some("hidden")
            || property(style, "display") == Some("none")
        {
            return Some(Why::Hidden);
        }
        let at = |names: [&str; 2]| -> f64 {
            names.into_iter().filter_map(|name| points(property(style, name)?)).sum()
        };
        let side = |name: &str| property(style, name).and_then(points).unwrap_or(0.0);
        let (left, top) = (at(["margin-left", "left"]), at(["margin-top", "top"]));
        let is_off = left + side("width") <= -page.width
            || left >= page.width
            || top + side("height") <= -page.height
            || top >= page.height
                && property(style, "mso-position-vertical-relative") == Some("page");
        (is_off && property(style, "position") == Some("absolute")).then_some(Why::Outside)
    };
    shapes.map(why).reduce(|one, other| one.and(other)).flatten()
}

/// Returns whether an element such as `docPr` says that its drawing is hidden.
pub(crate) fn is_hidden(properties: &Node) -> bool {
    properties.attribute("hidden").is_some_and(|it| matches!(it, "1" | "true" | "on"))
}

/// Returns whether a drawing lies wholly outside of the page, wherever its paragraph is.
fn off_page(anchor: &Node, page: Page) -> bool {
    let extent = anchor.child("extent");
    let side = |name: &str| extent.and_then(|it| number(it, name)).unwrap_or(0.0) / POINT;
    let is_off = |name: &str, size: f64, all: f64| {
        let Some(position) = anchor.child(name) else { return false };
        let offset =
            position.child("posOffset").and_then(|it| it.text().trim().parse::<f64>().ok());
        let Some(offset) = offset.map(|it| it / POINT) else { return false };
        // What it is relative to lies somewhere on the page.
        match position.attribute("relativeFrom") {
            // Word moves a drawing up that would be below its page.
            Some("paragraph" | "line") => false,
            Some("page") => offset + size <= 0.0 || offset >= all,
            _ => offset + size <= -all || offset >= all,
        }
    };
    is_off("positionH", side("cx"), page.width) || is_off("positionV", side("cy"), page.height)
}

/// Returns whether a drawing may have a ground that text can be seen on.
fn is_filled(node: &Node, theme: &Theme) -> bool {
    node.nodes().any(|child| match child.name.as_str() {
        "pic" | "graphicFrame" | "chart" | "relIds" | "lockedCanvas" => true,
        "wsp" => {
            let own = child.child("spPr").and_then(|it| theme.fill(it, Alpha::Opacity));
            match own {
                Some(fill) => fill != Paint::Clear && !fill.is_like(WHITE),
                None => has_style_fill(child.child("style")),
            }
        }
        _ => is_filled(child, theme),
    })
}

/// Returns whether the style of a shape gives it a fill.
pub(crate) fn has_style_fill(style: Option<&Node>) -> bool {
    let fill = style.and_then(|it| it.child("fillRef"));
    fill.and_then(|it| it.attribute("idx")).is_some_and(|it| it != "0")
}

/// Returns the fill of a shape of older versions of Word.
pub(crate) fn vector_fill(shape: &Node) -> Paint {
    let is_off =
        |it: &Node| it.attribute("filled").is_some_and(|it| matches!(it, "f" | "false" | "0"));
    let fill = shape.child("fill");
    if is_off(shape)
        || fill.is_some_and(|it| {
            it.attribute("on").is_some_and(|it| matches!(it, "f" | "false" | "0"))
        })
    {
        return Paint::Clear;
    }
    if fill.is_some_and(|it| {
        it.attribute("type").is_some_and(|it| it != "solid") || it.attribute("opacity").is_some()
    }) {
        return Paint::Unknown;
    }
    let colour = shape.attribute("fillcolor").unwrap_or("white");
    match colour.split(' ').next().unwrap_or_default() {
        "white" | "window" => WHITE,
        "black" => Paint::Plain([0; 3]),
        it if it.len() == 4 && it.starts_with('#') => {
            let long: String = it.chars().skip(1).flat_map(|digit| [digit, digit]).collect();
            hex(&long).map_or(Paint::Unknown, Paint::Plain)
        }
        it => hex(it).map_or(Paint::Unknown, Paint::Plain),
    }
}

/// Returns a property of a style such as `position:absolute;left:3pt`.
fn property<'a>(style: &'a str, name: &str) -> Option<&'a str> {
    style.split(';').find_map(|part| {
        let (key, value) = part.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

fn points(length: &str) -> Option<f64> {
    let end = length.find(|it: char| it.is_ascii_alphabetic() || it == '%').unwrap_or(length.len());
    let (number, unit) = length.split_at(end);
    let times = match unit {
        "pt" => 1.0,
        "in" => 72.0,
        "cm" => 72.0 / 2.54,
        "mm" => 7.2 / 2.54,
        "pc" | "pi" => 12.0,
        "px" => 0.75,
        "" => 1.0 / POINT,
        _ => return None,
    };
    number.trim().parse::<f64>().ok().map(|number| number * times)
}

pub(crate) fn number(node: &Node, name: &str) -> Option<f64> {
    node.attribute(name)?.parse().ok()
}
