//! What a presentation has: slides with their shapes, layouts, colours and fonts.

use crate::charts::ChartData;
use crate::content::{Content, anchor, content};
use crate::deck::Deck;
use crate::error::Result;
use crate::new_slide::label;
use crate::notes;
use crate::scene::{Scene, Sheet};
use crate::shapes::{CM, Frame, Kind, MAX_SHAPES, Shape};
use crate::slides::is_hidden;
use crate::xml::{Ns, Xml};
use mitt_package::{counted, either};

/// What is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// Number of the first slide, from 1.
    pub from: usize,
    pub limit: usize,
    /// Also layouts, colours and fonts.
    pub has_layouts: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeInfo {
    pub anchor: String,
    pub kind: &'static str,
    pub name: String,
    pub placeholder: Option<String>,
    /// Left, top, width and height in cm; empty if they are not known.
    pub place: Vec<f64>,
    pub text: Option<String>,
    pub rows: Vec<Vec<String>>,
    pub chart: Option<ChartData>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlideInfo {
    pub number: usize,
    pub anchor: String,
    pub layout: String,
    pub is_hidden: bool,
    pub shapes: Vec<ShapeInfo>,
    pub notes: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutInfo {
    pub name: String,
    pub master: String,
    /// `1 body "Text Placeholder 2" at 1.5, 3, 20 x 10 cm`.
    pub placeholders: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeckInfo {
    /// Width and height of a slide in cm.
    pub size: Vec<f64>,
    pub total: usize,
    pub slides: Vec<SlideInfo>,
    /// Number of the slide to read on with.
    pub next: Option<usize>,
    pub layouts: Vec<LayoutInfo>,
    /// `accent1 4472C4`.
    pub colors: Vec<String>,
    /// `headings Calibri Light`.
    pub fonts: Vec<String>,
    /// What was left out, one sentence each.
    pub warnings: Vec<String>,
}

/// Reads a presentation.
///
/// # Errors
/// [`crate::Error::Malformed`] - a part cannot be read.
pub fn read(deck: &Deck, options: &ReadOptions) -> Result<DeckInfo> {
    let slides = deck.slides()?;
    let (cx, cy) = deck.size()?;
    let mut out =
        DeckInfo { size: vec![cm(cx), cm(cy)], total: slides.len(), ..DeckInfo::default() };
    let lost = deck.listed_slides()?.saturating_sub(slides.len());
    if lost > 0 {
        let left = either(lost, "has no part and was", "have no part and were");
        out.warnings.push(format!("{} {left} left out.", counted(lost, "slide")));
    }
    let start = options.from.max(1) - 1;
    for (at, slide) in slides.iter().enumerate().skip(start).take(options.limit) {
        let slide = self::slide(deck, at + 1, slide.id, &slide.part, &mut out.warnings)?;
        out.slides.push(slide);
    }
    let end = start + out.slides.len();
    out.next = (end < slides.len() && !out.slides.is_empty()).then_some(end + 1);
    if options.has_layouts {
        layouts(deck, &mut out)?;
    }
    Ok(out)
}

fn slide(
    deck: &Deck,
    number: usize,
    id: u32,
    part: &str,
    warnings: &mut Vec<String>,
) -> Result<SlideInfo> {
    let scene = Scene::read(deck, part)?;
    if scene.slide.shapes.len() >= MAX_SHAPES {
        warnings.push(format!("Of s{id}, only the first {MAX_SHAPES} shapes were read."));
    }
    if scene.layout.is_none() {
        warnings.push(format!("The layout of s{id} is missing."));
    }
    let shape = |it: &Shape| {
        let content = content(deck, &scene.slide, it);
        let mut info = ShapeInfo {
            anchor: anchor(id, it, &content),
            kind: it.kind.name(),
            name: it.name.clone(),
            placeholder: it.placeholder.as_ref().map(|it| match it.index {
                0 => it.kind.clone(),
                index => format!("{} {index}", it.kind),
            }),
            place: scene.frame(it).map_or_else(Vec::new, place),
            ..ShapeInfo::default()
        };
        match content {
            Content::None => {}
            Content::Text(text) => info.text = Some(text),
            Content::Table(rows) => info.rows = rows,
            Content::Chart(chart) => info.chart = Some(chart),
        }
        info
    };
    let shapes: Vec<ShapeInfo> = scene.slide.shapes.iter().map(shape).collect();
    for it in shapes.iter().filter(|it| it.kind == Kind::Chart.name() && it.chart.is_none()) {
        warnings.push(format!("The chart {} cannot be read.", it.anchor));
    }
    Ok(SlideInfo {
        number,
        anchor: format!("s{id}"),
        layout: deck.layout_name(part)?,
        is_hidden: is_hidden(&scene.slide.xml),
        shapes,
        notes: notes::read(deck, part)?.filter(|it| !it.trim().is_empty()),
    })
}

fn cm(emu: f64) -> f64 {
    (emu / CM * 100.0).round() / 100.0
}

fn place(frame: Frame) -> Vec<f64> {
    [frame.x, frame.y, frame.cx, frame.cy].map(cm).to_vec()
}

fn layouts(deck: &Deck, out: &mut DeckInfo) -> Result<()> {
    for layout in deck.layouts()? {
        let scene = Scene::read(deck, &layout.part)?;
        let placeholders = scene.slide.shapes.iter().filter_map(|it| {
            let placeholder = it.placeholder.as_ref().filter(|it| !it.is_footer())?;
            let place = scene.frame(it).map_or_else(String::new, |frame| {
                let [x, y, cx, cy] = [frame.x, frame.y, frame.cx, frame.cy].map(cm);
                format!(" at {x}, {y}, {cx} x {cy} cm")
            });
            Some(format!("{}{place}", label(it, placeholder)))
        });
        let placeholders = placeholders.collect();
        let master = master_name(deck, &layout.master)?;
        out.layouts.push(LayoutInfo { name: layout.name, master, placeholders });
    }
    let Some(master) = deck.masters()?.into_iter().next() else { return Ok(()) };
    let Some(theme) = deck.package.related(&master, "theme")? else { return Ok(()) };
    let theme = deck.package.xml(&theme)?;
    colors(&theme, out);
    Ok(())
}

/// Returns the name of a master: that of its theme.
fn master_name(deck: &Deck, master: &str) -> Result<String> {
    let sheet = Sheet::read(deck, master)?;
    let own =
        sheet.xml.child(sheet.xml.root(), Ns::P, "cSld").and_then(|it| sheet.xml.attr(it, "name"));
    if let Some(own) = own {
        return Ok(own.into_owned());
    }
    let Some(theme) = deck.package.related(master, "theme")? else { return Ok(String::new()) };
    let theme = deck.package.xml(&theme)?;
    Ok(theme.attr(theme.root(), "name").unwrap_or_default().into_owned())
}

fn colors(theme: &Xml, out: &mut DeckInfo) {
    let elements = theme.child(theme.root(), Ns::A, "themeElements");
    let scheme = elements.and_then(|it| theme.child(it, Ns::A, "clrScheme"));
    for color in scheme.into_iter().flat_map(|it| theme.children(it)) {
        let Some(value) = theme.children(color).next() else { continue };
        let hex = theme.attr(value, "lastClr").or(theme.attr(value, "val")).unwrap_or_default();
        out.colors.push(format!("{} {hex}", theme.local(color)));
    }
    let fonts = elements.and_then(|it| theme.child(it, Ns::A, "fontScheme"));
    for (local, label) in [("majorFont", "headings"), ("minorFont", "body")] {
        let font = fonts.and_then(|it| theme.path(it, Ns::A, &[local, "latin"]));
        if let Some(name) = font.and_then(|it| theme.attr(it, "typeface")) {
            out.fonts.push(format!("{label} {name}"));
        }
    }
}
