//! Rewrites drawings without scripts and external references, and refuses those that take too long to draw.
//!
//! A drawing resembles a program: it can reuse its own parts (`use`), request files and addresses, and nest without end.
//! Typst or a browser gets only what passed here.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use super::head::{self, Format};
use crate::model::picture::data_uri;
use crate::model::picture::place::scheme;

/// Most bytes of a drawing: 4 MiB.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Most elements of a drawing, and most that are drawn once all reused parts are expanded.
const MAX_ELEMENTS: usize = 50_000;
const MAX_DRAWN: u64 = 200_000;

/// Most levels of nested elements, and of reused parts within each other, because renderers recurse.
const MAX_DEPTH: usize = 64;
const MAX_NAMED_DEPTH: usize = 16;

/// Largest width and height of a drawing, in pixels.
const MAX_SIDE: f64 = 100_000.0;

/// Elements that are left out with their content. Filters are pixel images of any size for every shape.
const LEFT_OUT: [&str; 7] =
    ["script", "foreignObject", "iframe", "audio", "video", "filter", "handler"];

/// A drawing that passed its checks.
#[derive(Debug)]
pub(super) struct Drawing {
    pub(super) text: String,
    /// Width and height, in points.
    pub(super) points: (f64, f64),
    /// Pixel images in it.
    pub(super) inner: Vec<Vec<u8>>,
    /// Number of their pixels.
    pub(super) pixels: u64,
    /// Parts that were left out, if any.
    pub(super) left_out: Option<String>,
}

/// Rewrites a drawing.
///
/// # Errors
///
/// It is not XML, too large, nested too deeply or takes too long to draw. The text says so.
pub(super) fn read(bytes: &[u8]) -> Result<Drawing, String> {
    if bytes.len() > MAX_BYTES {
        return Err(format!(
            "expected a drawing of at most {MAX_BYTES} bytes, got {}",
            bytes.len()
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "expected a drawing in UTF-8".to_owned())?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut reader = Reader::from_str(text);
    let mut writer = Writer::default();
    loop {
        let event = reader.read_event().map_err(|_| "it is no well-formed drawing".to_owned())?;
        match event {
            Event::Start(start) => writer.start(&start, false)?,
            Event::Empty(start) => writer.start(&start, true)?,
            Event::End(_) => writer.end(),
            Event::Text(text) => writer.text(&unescape(&text).map_err(no_text)?),
            Event::CData(text) => writer.text(&text),
            Event::GeneralRef(name) => {
                writer.text(&unescape(&format!("&{};", &*name)).map_err(no_text)?);
            }
            // Entities can refer to entities.
            Event::DocType(kind) if kind.contains('[') => {
                return Err("expected a drawing without entities of its own".to_owned());
            }
            Event::Eof => break,
            Event::DocType(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
    writer.finish()
}

fn no_text(_: quick_xml::escape::EscapeError) -> String {
    "expected a drawing without entities of its own".to_owned()
}

#[derive(Default)]
struct Writer {
    out: String,
    open: Vec<OpenElement>,
    /// Number of open elements within one that is left out.
    skipped: usize,
    elements: usize,
    points: Option<(f64, f64)>,
    named: HashMap<String, Weight>,
    /// Weight of the whole drawing.
    all: Weight,
    /// Names to which style rules refer, for any number of elements.
    by_style: Vec<String>,
    has_style_marks: bool,
    inner: Vec<Vec<u8>>,
    pixels: u64,
    left_out: BTreeSet<&'static str>,
}

/// An element whose end was not reached yet.
struct OpenElement {
    /// Name with its prefix.
    tag: String,
    /// Name without it.
    name: String,
    id: Option<String>,
    weight: Weight,
}

/// Number of elements that are drawn for a part.
#[derive(Default)]
struct Weight {
    elements: u64,
    /// Names to which it refers, and how often.
    names: Vec<(String, u64)>,
    /// Named parts within it.
    parts: Vec<String>,
}

impl Writer {
    fn start(&mut self, start: &BytesStart<'_>, is_empty: bool) -> Result<(), String> {
        let qualified = start.name();
        let name: &str = qualified.as_ref();
        let local = name.rsplit(':').next().unwrap_or(name);
        if self.skipped > 0 || LEFT_OUT.iter().any(|out| out.eq_ignore_ascii_case(local)) {
            self.left_out.insert(match local {
                "filter" => "filters",
                _ => "scripts and what is not drawing",
            });
            self.skipped += usize::from(!is_empty);
            return Ok(());
        }
        self.elements += 1;
        if self.elements > MAX_ELEMENTS {
            return Err(format!("expected a drawing of at most {MAX_ELEMENTS} elements, got more"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("expected a drawing of at most {MAX_DEPTH} levels, got more"));
        }
        if self.open.is_empty() && (local != "svg" || self.points.is_some()) {
            return Err("it is no well-formed drawing".to_owned());
        }
        let _ = write!(self.out, "<{name}");
        let mut open = OpenElement {
            tag: name.to_owned(),
            name: local.to_owned(),
            id: None,
            weight: Weight { elements: 1, ..Weight::default() },
        };
        let mut size = Size::default();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|_| "it is no well-formed drawing".to_owned())?;
            let key: &str = attribute.key.as_ref();
            let value = unescape(&attribute.value).map_err(no_text)?;
            size.note(key, &value);
            if key == "id" {
                open.id = Some(value.to_string());
            }
            if let Some(value) = self.value(key, &value, &mut open)? {
                let _ = write!(self.out, " {key}=\"");
                push_escaped(&mut self.out, &value);
                self.out.push('"');
            }
        }
        if self.points.is_none() {
            self.points = Some(size.points()?);
        }
        self.out.push_str(if is_empty { "/>" } else { ">" });
        if is_empty {
            self.close(open)
        } else {
            self.open.push(open)
        }
        Ok(())
    }

    /// Returns the new value of an attribute; `None` if it is left out.
    fn value(
        &mut self,
        key: &str,
        value: &str,
        open: &mut OpenElement,
    ) -> Result<Option<String>, String> {
        let local = key.rsplit(':').next().unwrap_or(key);
        if local.len() > 2 && local[..2].eq_ignore_ascii_case("on") {
            self.left_out.insert("scripts and what is not drawing");
            return Ok(None);
        }
        match local {
            "href" | "src" => self.reference(value.trim(), open),
            // An element with a missing filter would not be drawn.
            "filter" | "backdrop-filter" => {
                self.left_out.insert("filters");
                Ok(None)
            }
            _ if key.starts_with("xmlns") => Ok(Some(value.to_owned())),
            _ => {
                // A middle marker is drawn at each point of a line.
                let times = match local {
                    "marker-mid" | "marker" => MAX_DRAWN / 100,
                    "style" if has_marks(value) => MAX_DRAWN / 100,
                    _ => 1,
                };
                let (value, names) = self.style(value);
                open.weight.names.extend(names.into_iter().map(|name| (name, times)));
                Ok(Some(value))
            }
        }
    }

    /// Returns the target of a reference: within the drawing, or a picture in it.
    fn reference(&mut self, url: &str, open: &mut OpenElement) -> Result<Option<String>, String> {
        if let Some(name) = url.strip_prefix('#') {
            open.weight.names.push((name.to_owned(), 1));
            return Ok(Some(url.to_owned()));
        }
        // Links in a drawing do not work, because it is shown as a picture.
        if open.name == "a" {
            return Ok(None);
        }
        if let Some(Ok(content)) = data_uri::decode(url) {
            let head = match head::format(&content) {
                Some(format) if format != Format::Svg => head::read(format, &content),
                _ => Err("a drawing within a drawing".to_owned()),
            };
            if let Ok(head) = head {
                self.pixels += head.pixels();
                self.inner.push(content);
                return Ok(Some(url.to_owned()));
            }
        }
        self.left_out.insert(match scheme(url) {
            Some(scheme) if scheme.eq_ignore_ascii_case("data") => "damaged pictures",
            _ => "what it refers to outside",
        });
        Ok(None)
    }

    /// Returns style rules without external references and filters, and the names to which they refer.
    fn style(&mut self, text: &str) -> (String, Vec<String>) {
        let lower = text.to_ascii_lowercase();
        if !lower.contains("url") && !lower.contains("@import") && !lower.contains("filter") {
            return (text.to_owned(), Vec::new());
        }
        let mut out = String::with_capacity(text.len());
        let mut names = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let (rest, lower) = (&text[at..], &lower[at..]);
            if lower.starts_with("@import") {
                let end = rest.find(';').map_or(rest.len(), |end| end + 1);
                self.left_out.insert("what it refers to outside");
                at += end;
            } else if lower.starts_with("filter") {
                // An unknown property.
                out.push_str("x-none");
                self.left_out.insert("filters");
                at += "filter".len();
            } else if lower.starts_with("url(") {
                let end = rest.find(')').map_or(rest.len(), |end| end + 1);
                let inner = rest[4..end].trim_end_matches(')');
                match inner.trim().trim_matches(['"', '\'']).trim().strip_prefix('#') {
                    Some(name) => {
                        names.push(name.to_owned());
                        out.push_str(&rest[..end]);
                    }
                    None => {
                        out.push_str("none");
                        self.left_out.insert("what it refers to outside");
                    }
                }
                at += end;
            } else {
                let next = rest.chars().next().map_or(1, char::len_utf8);
                out.push_str(&rest[..next]);
                at += next;
            }
        }
        (out, names)
    }

    fn text(&mut self, text: &str) {
        if self.skipped > 0 || self.open.is_empty() {
            return;
        }
        if self.open.last().is_some_and(|open| open.name == "style") {
            let (text, names) = self.style(text);
            self.has_style_marks |= has_marks(&text);
            self.by_style.extend(names);
            push_escaped(&mut self.out, &text);
        } else {
            push_escaped(&mut self.out, text);
        }
    }

    fn end(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
        } else if let Some(open) = self.open.pop() {
            let _ = write!(self.out, "</{}>", open.tag);
            self.close(open);
        }
    }

    fn close(&mut self, open: OpenElement) {
        let around = self.open.last_mut().map_or(&mut self.all, |around| &mut around.weight);
        // Kept once, however deeply it is nested. Parts with the same name count together, because either may be meant.
        let into = match open.id {
            Some(id) => {
                around.parts.push(id.clone());
                self.named.entry(id).or_default()
            }
            None => around,
        };
        into.elements += open.weight.elements;
        into.names.extend(open.weight.names);
        into.parts.extend(open.weight.parts);
    }

    fn finish(mut self) -> Result<Drawing, String> {
        let points = self.points.filter(|_| self.open.is_empty());
        let points = points.ok_or_else(|| "it is no well-formed drawing".to_owned())?;
        let times = if self.has_style_marks { MAX_DRAWN / 100 } else { self.elements as u64 };
        self.all.names.extend(self.by_style.drain(..).map(|name| (name, times)));
        let mut drawn = HashMap::new();
        if self.drawn(&self.all, (0, 0), &mut drawn)?.0 > MAX_DRAWN {
            return Err(format!(
                "expected a drawing of at most {MAX_DRAWN} elements, got more by what names what"
            ));
        }
        let Writer { out, inner, pixels, left_out, .. } = self;
        let left_out: Vec<_> = left_out.into_iter().collect();
        let left_out = (!left_out.is_empty()).then(|| left_out.join(", "));
        Ok(Drawing { text: out, points, inner, pixels, left_out })
    }

    /// Returns the number of elements that are drawn once all names are expanded, and the depth of names.
    fn drawn<'a>(
        &'a self,
        weight: &'a Weight,
        (depth, nested): (usize, usize),
        known: &mut HashMap<&'a str, (u64, usize)>,
    ) -> Result<(u64, usize), String> {
        let too_deep = || "what the drawing names names itself, or too much else".to_owned();
        // Parts with the same name may contain each other.
        if depth > MAX_NAMED_DEPTH || nested > MAX_DEPTH * MAX_NAMED_DEPTH {
            return Err(too_deep());
        }
        let (mut sum, mut height) = (weight.elements, 0);
        let names = weight.names.iter().map(|(name, times)| (name, *times, 1));
        let parts = weight.parts.iter().map(|name| (name, 1, 0));
        for (name, times, level) in names.chain(parts) {
            let (one, below) = match (known.get(name.as_str()), self.named.get_key_value(name)) {
                (Some(one), _) => *one,
                (None, Some((name, inner))) => {
                    let one = self.drawn(inner, (depth + level, nested + 1), known)?;
                    known.insert(name, one);
                    one
                }
                (None, None) => (0, 0),
            };
            sum = sum.saturating_add(one.saturating_mul(times));
            height = height.max(below + level);
        }
        if height > MAX_NAMED_DEPTH { Err(too_deep()) } else { Ok((sum, height)) }
    }
}

/// Returns `true` if style rules put markers at the points of lines.
fn has_marks(style: &str) -> bool {
    let style = style.to_ascii_lowercase();
    style.contains("marker-mid") || style.contains("marker:")
}

fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Unescaped, they would become a space or nothing.
            '\n' | '\t' => out.push(c),
            _ if c.is_control() => {}
            _ => out.push(c),
        }
    }
}

/// Size that the outermost element states.
#[derive(Default)]
struct Size {
    width: Option<f64>,
    height: Option<f64>,
    view: Option<(f64, f64)>,
}

impl Size {
    fn note(&mut self, key: &str, value: &str) {
        match key {
            "width" => self.width = length(value),
            "height" => self.height = length(value),
            "viewBox" => {
                let numbers: Vec<f64> = value
                    .split([' ', ',', '\t', '\n'])
                    .filter(|it| !it.is_empty())
                    .map_while(|it| it.parse().ok())
                    .collect();
                self.view = match numbers[..] {
                    [_, _, width, height] => Some((width, height)),
                    _ => None,
                };
            }
            _ => {}
        }
    }

    fn points(&self) -> Result<(f64, f64), String> {
        let ratio = self.view.map(|(width, height)| height / width);
        let (width, height) = match (self.width, self.height, self.view, ratio) {
            (Some(width), Some(height), ..) => (width, height),
            (Some(width), None, _, Some(ratio)) => (width, width * ratio),
            (None, Some(height), _, Some(ratio)) => (height / ratio, height),
            (None, None, Some(view), _) => view,
            _ => return Err("expected a drawing that says its size".to_owned()),
        };
        let is_fine = |side: f64| side.is_finite() && side > 0.0 && side <= MAX_SIDE;
        if is_fine(width) && is_fine(height) {
            Ok((width * 0.75, height * 0.75))
        } else {
            Err(format!(
                "expected a drawing of at most {MAX_SIDE} pixels a side, got {width} x {height}"
            ))
        }
    }
}

/// Parses a length in pixels of 1/96 inch; `None` if it depends on its context.
fn length(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E') || c == '%');
    // `1em` and `1ex` begin like an exponent.
    let end = match text.find("em").or_else(|| text.find("ex")) {
        Some(end) => Some(end),
        None => end,
    };
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let scale = match unit {
        "" | "px" => 1.0,
        "pt" => 96.0 / 72.0,
        "pc" => 16.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 96.0 / 25.4,
        "em" => 16.0,
        "ex" => 8.0,
        _ => return None,
    };
    number.trim().parse::<f64>().ok().map(|number| number * scale)
}

#[cfg(test)]
#[path = "svg_tests.rs"]
mod tests;
