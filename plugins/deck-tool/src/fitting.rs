//! Checks shapes after an edit: text that does not fit, shapes that overlap, text that is hard to read.
//!
//! Where a presentation says that text shrinks or that shapes grow, this is written too, as PowerPoint does it only when
//! somebody types. Tables always grow.

use crate::color::contrast;
use crate::deck::Deck;
use crate::error::Result;
use crate::measure::room;
use crate::scene::Scene;
use crate::shapes::{CM, Frame, Kind, Shape, graphic, transformation};
use crate::style::Fit;
use crate::tables;
use crate::text::body_text;
use crate::xml::{Id, Ns, Splices, Xml};
use mitt_package::{counted, either};
use std::collections::BTreeSet;

/// Text may be higher than its box by this part, as the estimate is not exact.
const TOLERANCE: f64 = 1.05;
/// Sizes that PowerPoint tries, with the reduction of line spacing.
const STEPS: [(f64, f64); 7] =
    [(1.0, 0.0), (0.925, 0.1), (0.85, 0.2), (0.775, 0.2), (0.7, 0.2), (0.625, 0.2), (0.55, 0.2)];
/// Least contrast of large text by WCAG.
const MIN_CONTRAST: f64 = 3.0;
/// Part of the smaller shape that may be covered by another one.
const MAX_OVERLAP: f64 = 0.05;

/// Most pairs of shapes that are reported for a slide, and most shapes that are named in a warning.
const MAX_OVERLAPS: usize = 20;
const MAX_NAMES: usize = 5;

/// Text that is larger than its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Overflow {
    /// The anchor of the shape.
    pub shape: String,
    /// What the text needs and what the shape has, in cm.
    pub needs_cm: f64,
    pub has_cm: f64,
}

/// What the check of a slide found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Findings {
    pub(crate) overflows: Vec<Overflow>,
    pub(crate) warnings: Vec<String>,
}

/// What changed on a slide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changed<'a> {
    /// Shapes whose content changed.
    pub(crate) shapes: &'a BTreeSet<u32>,
    /// Shapes at places that the caller chose.
    pub(crate) added: &'a BTreeSet<u32>,
    /// All shapes are new.
    pub(crate) is_new: bool,
}

/// Checks the shapes of a slide that were changed, and fits those that shrink their text or grow with it.
///
/// # Errors
/// [`crate::Error::Malformed`] - a part cannot be read.
pub(crate) fn check(
    deck: &mut Deck,
    slide: (u32, &str),
    changed: &Changed<'_>,
) -> Result<Findings> {
    let (slide, part) = slide;
    let scene = Scene::read(deck, part)?;
    let (width, height) = deck.size()?;
    let mut found = Findings::default();
    let mut splices = Splices::default();
    let mut grown = Vec::new();
    for shape in scene.slide.shapes.iter().filter(|it| changed.shapes.contains(&it.id)) {
        let anchor = format!("s{slide}/{}", shape.id);
        if shape.kind == Kind::Table {
            grown.extend(check_table(&scene, shape, &anchor, height, &mut found, &mut splices));
        }
        let has_text =
            shape.body.is_some_and(|it| !body_text(&scene.slide.xml, it).trim().is_empty());
        if !has_text {
            continue;
        }
        fit(&scene, shape, &anchor, height, &mut found, &mut splices);
        if let Some(ratio) = contrast(&scene, shape).filter(|it| *it < MIN_CONTRAST) {
            found.warnings.push(format!(
                "The text of {anchor} has a contrast of only {ratio:.1} to what is behind it; 3 is the least \
                for large text."
            ));
        }
    }
    let shapes = placed(&scene, &grown);
    if changed.is_new {
        overlaps(&shapes, slide, &mut found);
    } else {
        covered(&scene, &shapes, changed.added, slide, &mut found);
        for table in grown.iter().filter(|it| !changed.added.contains(&it.shape)) {
            reached(&scene, &shapes, table, slide, &mut found);
        }
    }
    for (shape, frame) in shapes.iter().filter(|(it, _)| changed.added.contains(&it.id)) {
        let is_outside = frame.x < -CM * 0.05
            || frame.y < -CM * 0.05
            || frame.x + frame.cx > width + CM * 0.05
            || frame.y + frame.cy > height + CM * 0.05;
        if is_outside {
            found.warnings.push(format!(
                "s{slide}/{} reaches over the edge of the slide, which has {:.2} x {:.2} cm.",
                shape.id,
                width / CM,
                height / CM
            ));
        }
    }
    deck.package.splice(part, splices)?;
    Ok(found)
}

fn fit(
    scene: &Scene,
    shape: &Shape,
    anchor: &str,
    height: f64,
    found: &mut Findings,
    out: &mut Splices,
) {
    let Some(full) = room(scene, shape, STEPS[0]) else { return };
    let is_over = full.needs > full.has * TOLERANCE;
    let mut report = |needs: f64, has: f64| {
        let needs_cm = (needs / CM * 10.0).round() / 10.0;
        found.overflows.push(Overflow {
            shape: anchor.to_owned(),
            needs_cm,
            has_cm: (has / CM * 10.0).round() / 10.0,
        });
    };
    match full.text_box.fit {
        Fit::None if is_over => report(full.needs, full.has),
        Fit::None if !full.text_box.wraps && full.needs_width > full.has_width * TOLERANCE => {
            report(full.needs_width, full.has_width);
        }
        Fit::None => {}
        Fit::Shrink { scale, spacing } => {
            let chosen = STEPS.iter().find(|&&step| {
                room(scene, shape, step).is_some_and(|it| it.needs <= it.has * TOLERANCE)
            });
            let step = chosen.copied().unwrap_or(STEPS[STEPS.len() - 1]);
            if (step.0 - scale).abs() > 0.01 || (step.1 - spacing).abs() > 0.01 {
                put_scale(&scene.slide.xml, shape, step, out);
            }
            if chosen.is_none() {
                let needs = room(scene, shape, step).map_or(full.needs, |it| it.needs);
                report(needs, full.has);
            } else if step.0 < 0.7 {
                found.warnings.push(format!(
                    "The text of {anchor} is shrunk to {:.0} % to fit its shape.",
                    step.0 * 100.0
                ));
            }
        }
        Fit::Grow => {
            let [_, top, _, bottom] = full.text_box.insets;
            let Some(frame) = scene.frame(shape) else { return };
            let needs = full.needs + top + bottom;
            if is_over && !full.text_box.is_vertical && shape.frame.is_some() {
                put_height(&scene.slide.xml, shape.node, frame.cy, needs, out);
                if frame.y + needs > height * 1.01 {
                    report(needs, (height - frame.y).max(0.0));
                }
            }
        }
    }
}

/// Writes how much PowerPoint shrinks a text.
fn put_scale(xml: &Xml, shape: &Shape, (scale, spacing): (f64, f64), out: &mut Splices) {
    let Some(properties) = shape.body.and_then(|it| xml.child(it, Ns::A, "bodyPr")) else { return };
    let mut element = String::from("<a:normAutofit");
    if scale < 1.0 {
        element.push_str(&format!(
            " fontScale=\"{:.0}\" lnSpcReduction=\"{:.0}\"",
            scale * 100_000.0,
            spacing * 100_000.0
        ));
    }
    element.push_str("/>");
    let element = xml.declared(properties, element);
    let old = xml
        .children(properties)
        .find(|&it| xml.local(it).ends_with("utofit") || xml.local(it) == "spAutoFit");
    match old {
        Some(old) => out.replace(xml.range(old), element),
        None => match xml.child(properties, Ns::A, "prstTxWarp") {
            Some(warp) => out.insert(xml.range(warp).end, element),
            None => xml.prepend(properties, &element, out),
        },
    }
}

/// Sets the height of a shape. In a group, heights have another scale.
fn put_height(xml: &Xml, node: Id, shown: f64, wanted: f64, out: &mut Splices) {
    let size = transformation(xml, node).and_then(|it| xml.child(it, Ns::A, "ext"));
    let Some(size) = size else { return };
    let Some(own) = xml.number::<f64>(size, "cy") else { return };
    let scale = if shown > 0.0 { own / shown } else { 1.0 };
    xml.set_attr(size, "cy", &format!("{:.0}", wanted * scale), out);
}

/// Makes a frame higher (`cy`) or wider (`cx`) by what its table grew.
pub(crate) fn grow_frame(xml: &Xml, node: Id, extent: &str, by: f64, out: &mut Splices) {
    let size = transformation(xml, node).and_then(|it| xml.child(it, Ns::A, "ext"));
    if let Some((size, own)) = size.and_then(|it| Some((it, xml.number::<f64>(it, extent)?))) {
        xml.set_attr(size, extent, &format!("{:.0}", (own + by).max(0.0)), out);
    }
}

/// A table whose text makes it higher than its frame.
struct Grown {
    shape: u32,
    frame: Frame,
    needs: f64,
}

/// Reports a table that reaches over the edge of the slide. Makes the frame of one as high as its rows are with their text:
/// programs show the rows so, but keep the old frame until somebody types.
fn check_table(
    scene: &Scene,
    shape: &Shape,
    anchor: &str,
    height: f64,
    found: &mut Findings,
    out: &mut Splices,
) -> Option<Grown> {
    let xml = &*scene.slide.xml;
    let frame = scene.frame(shape)?;
    let needs: f64 = row_heights(scene, shape, graphic(xml, shape.node)?).iter().sum();
    let has = height - frame.y;
    if needs > has * TOLERANCE {
        let cm = |it: f64| (it / CM * 10.0).round() / 10.0;
        found.overflows.push(Overflow {
            shape: anchor.to_owned(),
            needs_cm: cm(needs),
            has_cm: cm(has),
        });
    }
    if needs <= frame.cy * TOLERANCE || shape.frame.is_none() {
        return None;
    }
    put_height(xml, shape.node, frame.cy, needs, out);
    Some(Grown { shape: shape.id, frame, needs })
}

/// Returns the heights that rows have with their text. A merged cell makes the last of its rows higher.
fn row_heights(scene: &Scene, shape: &Shape, table: Id) -> Vec<f64> {
    let xml = &*scene.slide.xml;
    let widths = tables::widths(xml, table);
    let rows = tables::rows(xml, table);
    let mut heights: Vec<f64> =
        rows.iter().map(|&row| xml.number(row, "h").unwrap_or(0.0)).collect();
    let mut merged = Vec::new();
    for (row, &node) in rows.iter().enumerate() {
        for (column, &cell) in tables::cells(xml, node).iter().enumerate() {
            let count = |name: &str| xml.number(cell, name).unwrap_or(1_usize).max(1);
            let width = widths.iter().skip(column).take(count("gridSpan")).sum();
            let Some(text) = cell_height(scene, shape, cell, width) else { continue };
            match count("rowSpan") {
                1 => heights[row] = heights[row].max(text),
                rows => merged.push((row..heights.len().min(row.saturating_add(rows)), text)),
            }
        }
    }
    for (rows, text) in merged {
        let missing = text - heights[rows.clone()].iter().sum::<f64>();
        heights[rows.end - 1] += missing.max(0.0);
    }
    heights
}

/// Returns the height that the text of a cell needs with its margins; `None` if the cell is covered by another one, or has
/// text that turns to fit the height.
fn cell_height(scene: &Scene, shape: &Shape, cell: Id, width: f64) -> Option<f64> {
    let xml = &*scene.slide.xml;
    let body = tables::body(xml, cell).filter(|_| !tables::is_covered(xml, cell) && width > 0.0)?;
    let properties = xml.child(cell, Ns::A, "tcPr");
    if properties.and_then(|it| xml.attr(it, "vert")).is_some_and(|it| it != "horz") {
        return None;
    }
    let inset = |name: &str, default: f64| {
        properties.and_then(|it| xml.number(it, name)).unwrap_or(default)
    };
    let room = width - inset("marL", 91_440.0) - inset("marR", 91_440.0);
    let text = crate::measure::extent(scene, xml, shape, body, room, (1.0, 0.0)).height;
    Some(text + inset("marT", 45_720.0) + inset("marB", 45_720.0))
}

/// Returns the shapes that have a place.
fn placed<'s>(scene: &'s Scene, grown: &[Grown]) -> Vec<(&'s Shape, Frame)> {
    let shapes = scene.slide.shapes.iter().filter(|it| it.kind != Kind::Group);
    let place = |shape: &Shape| {
        let frame = scene.frame(shape)?;
        let cy = grown.iter().find(|it| it.shape == shape.id).map_or(frame.cy, |it| it.needs);
        Some(Frame { cy, ..frame })
    };
    shapes.filter_map(|it| Some((it, place(it)?))).collect()
}

/// Returns `true` for a text shape without text.
fn is_empty(scene: &Scene, shape: &Shape) -> bool {
    shape.kind == Kind::Text
        && shape.body.is_none_or(|it| body_text(&scene.slide.xml, it).trim().is_empty())
}

fn is_overlap(one: &Frame, other: &Frame) -> bool {
    let smaller = one.area().min(other.area());
    smaller > 0.0 && one.overlap(other) > MAX_OVERLAP * smaller
}

fn overlaps(shapes: &[(&Shape, Frame)], slide: u32, found: &mut Findings) {
    let mut more = 0_usize;
    for (at, (one, place)) in shapes.iter().enumerate() {
        for (other, frame) in &shapes[at + 1..] {
            if !is_overlap(place, frame) {
                continue;
            }
            if found.warnings.len() >= MAX_OVERLAPS {
                more += 1;
                continue;
            }
            found.warnings.push(format!(
                "On the new slide, s{slide}/{} and s{slide}/{} overlap.",
                one.id, other.id
            ));
        }
    }
    if more > 0 {
        let pairs = counted(more, "further pair");
        let overlap = either(more, "overlaps", "overlap");
        found.warnings.push(format!("On the new slide s{slide}, {pairs} {overlap}."));
    }
}

/// Reports the shapes that added ones overlap. Panels and pictures behind them are meant, and empty placeholders are not
/// shown.
fn covered(
    scene: &Scene,
    shapes: &[(&Shape, Frame)],
    added: &BTreeSet<u32>,
    slide: u32,
    found: &mut Findings,
) {
    for (at, (one, place)) in shapes.iter().enumerate().filter(|it| added.contains(&it.1.0.id)) {
        let others = shapes.iter().enumerate().filter(|(behind, (other, frame))| {
            let is_behind = *behind < at && frame.contains(place);
            let is_meant = is_empty(scene, other) && (is_behind || other.placeholder.is_some())
                || is_behind && other.kind == Kind::Picture;
            // A pair of added shapes is reported once, for the second one.
            *behind != at
                && (*behind < at || !added.contains(&other.id))
                && is_overlap(place, frame)
                && !is_meant
        });
        if let Some(names) = names(slide, others.map(|(_, (other, _))| other.id)) {
            found.warnings.push(format!("s{slide}/{} overlaps {names}.", one.id));
        }
    }
}

/// Reports the shapes below a table that it reaches only because its text makes it higher.
fn reached(
    scene: &Scene,
    shapes: &[(&Shape, Frame)],
    table: &Grown,
    slide: u32,
    found: &mut Findings,
) {
    let Grown { shape, frame, needs } = table;
    let more = Frame { y: frame.y + frame.cy, cy: needs - frame.cy, ..*frame };
    let others = shapes.iter().filter(|(other, place)| {
        let is_known = is_overlap(frame, place) || is_empty(scene, other);
        other.id != *shape && is_overlap(&more, place) && !is_known
    });
    if let Some(names) = names(slide, others.map(|(other, _)| other.id)) {
        found.warnings.push(format!(
            "Its text makes the table s{slide}/{shape} {:.1} cm high instead of {:.1} cm, so that it reaches over {names}.",
            needs / CM,
            frame.cy / CM
        ));
    }
}

/// Returns the anchors of shapes, of many the first ones; `None` if there are none.
fn names(slide: u32, shapes: impl Iterator<Item = u32>) -> Option<String> {
    let all: Vec<String> = shapes.map(|id| format!("s{slide}/{id}")).collect();
    let shown = all[..all.len().min(MAX_NAMES)].join(", ");
    match all.len().saturating_sub(MAX_NAMES) {
        0 => (!all.is_empty()).then_some(shown),
        more => Some(format!("{shown} and {more} more")),
    }
}
