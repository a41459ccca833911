//! Draws strips onto a page, with their parts of the structure.

use krilla::color::rgb;
use krilla::geom::{Path, PathBuilder, Point, Rect};
use krilla::num::NormalizedF32;
use krilla::paint::{Fill, FillRule, LineCap, Stroke, StrokeDash};
use krilla::surface::{Location, Surface};
use krilla::tagging::{Artifact, ArtifactType, ContentTag, SpanTag};
use krilla::text::GlyphId;

use super::lines::{Line, Placed, Run};
use super::pages::Item;
use super::pdf_content::PdfContent;
use super::strip::{Draw, Frame, MARGIN_X, Mark, Marker, Row, Sheet, Strip};
use super::style::{BLUE, CODE_BACK, GREY, MARK_BACK, Rgb};
use super::tags::{StructureId, StructureRole, Tags};
use crate::shared::table::Side;

/// An area of a page with a link.
pub(super) struct Linked {
    pub(super) link: u32,
    pub(super) part: StructureId,
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

/// Draws on one page.
pub(super) struct Brush<'a, 's> {
    surface: &'a mut Surface<'s>,
    tags: &'a mut Tags,
    content: &'a PdfContent<'a>,
    sheet: Sheet,
    linked: Vec<Linked>,
}

impl<'a, 's> Brush<'a, 's> {
    pub(super) fn new(
        surface: &'a mut Surface<'s>,
        tags: &'a mut Tags,
        content: &'a PdfContent<'a>,
        sheet: Sheet,
    ) -> Brush<'a, 's> {
        Brush { surface, tags, content, sheet, linked: Vec::new() }
    }

    /// Returns the links of the page.
    pub(super) fn into_linked(self) -> Vec<Linked> {
        self.linked
    }

    /// Returns the left end of something at `x`, which counts from the right if lines run from the right.
    pub(super) fn mirrored(&self, x: f32, width: f32) -> f32 {
        if self.content.from_right { self.sheet.width - x - width } else { x }
    }

    /// Returns the height of a strip on this page.
    pub(super) fn height(strip: &Strip, item: &Item) -> f32 {
        match (&strip.draw, item.lines) {
            (Draw::Row(row), Some((first, last))) => row.height(last - first),
            _ => strip.height,
        }
    }

    /// Draws a strip whose upper end is at `y`.
    pub(super) fn strip(&mut self, strip: &Strip, item: &Item, y: f32) {
        let part = (!item.is_repeated).then_some(strip.part);
        let height = Brush::height(strip, item);
        let base = match &strip.draw {
            Draw::Row(row) => y + row.padding + row.cap,
            _ => y + height,
        };
        // Drawn first, because content has the order of drawing in its part of the tree.
        for marker in &strip.markers {
            self.marker(marker, strip, base);
        }
        match &strip.draw {
            Draw::Space => {}
            Draw::Line(line, side) => {
                let x = MARGIN_X + self.aligned(strip.x, strip.width, line.width, *side);
                self.line(line, x, base, part);
            }
            Draw::Row(row) => self.row(row, strip, item, y, height),
            Draw::Rule { thickness, color } => {
                let x = self.mirrored(MARGIN_X + strip.x, strip.width);
                self.rule(x, y, strip.width, *thickness, *color);
            }
        }
    }

    /// Returns the distance from the left margin to the start of a line of this width.
    fn aligned(&self, x: f32, room: f32, width: f32, side: Side) -> f32 {
        let rest = room - width;
        let before = match side {
            Side::Left => 0.0,
            Side::Center => rest / 2.0,
            Side::Right => rest,
        };
        self.mirrored(MARGIN_X + x + before, width) - MARGIN_X
    }

    fn marker(&mut self, marker: &Marker, strip: &Strip, base: f32) {
        let x = self.mirrored(MARGIN_X + marker.x, marker.width);
        match &marker.draw {
            Mark::Line(line) => self.line(line, x, base, Some(marker.part)),
            Mark::Task { is_checked, size } => self.task(*is_checked, *size, x, base, marker.part),
            Mark::Leader { from, number, .. } => {
                let right = strip.x + strip.width + marker.width;
                let left = MARGIN_X + from + 6.0;
                let length = MARGIN_X + right - number.width - 6.0 - left;
                if length > 0.0 {
                    let dots = StrokeDash { array: vec![0.0, 4.0], offset: 0.0 };
                    let stroke =
                        Stroke { dash: Some(dots), line_cap: LineCap::Round, ..stroke(0.9, GREY) };
                    let start = self.mirrored(left, length);
                    self.stroked(line_path(start, base - 0.5, start + length, base - 0.5), stroke);
                }
                let x = self.mirrored(MARGIN_X + right - number.width, number.width);
                self.line(number, x, base, Some(marker.part));
            }
        }
    }

    /// Draws the box of a task as lines, because few fonts have one.
    fn task(&mut self, is_checked: bool, em: f32, x: f32, base: f32, part: StructureId) {
        let side = 0.8 * em;
        let top = base + 0.06 * em - side;
        let name = if is_checked { "☑" } else { "☐" };
        let identifier = self
            .surface
            .start_tagged(ContentTag::Span(SpanTag::empty().with_actual_text(Some(name))));
        self.surface.set_fill(None);
        self.surface.set_stroke(Some(stroke(0.6, GREY)));
        if let Some(path) = rect_path(x, top, side, side) {
            self.surface.draw_path(&path);
        }
        if is_checked {
            let mut tick = PathBuilder::new();
            tick.move_to(x + 0.16 * em, top + 0.43 * em);
            tick.line_to(x + 0.34 * em, top + 0.62 * em);
            tick.line_to(x + 0.66 * em, top + 0.18 * em);
            self.surface.set_stroke(Some(stroke(1.0, BLUE)));
            if let Some(path) = tick.finish() {
                self.surface.draw_path(&path);
            }
        }
        self.surface.set_stroke(None);
        self.surface.end_tagged();
        self.tags.drawn(part, identifier);
    }

    fn row(&mut self, row: &Row, strip: &Strip, item: &Item, y: f32, height: f32) {
        let x = MARGIN_X + strip.x;
        if let Some(color) = row.fill {
            self.filled(self.mirrored(x, strip.width), y, strip.width, height, color);
        }
        let (first, last) = item.lines.unwrap_or((0, row.lines));
        for cell in &row.cells {
            let lines = cell.lines.get(first..last.min(cell.lines.len())).unwrap_or_default();
            // Vertically centred, if the whole row is here.
            let used = row.cap + row.pitch * lines.len().saturating_sub(1) as f32;
            let above = if item.lines.is_none() { (height - used) / 2.0 } else { row.padding };
            for (index, line) in lines.iter().enumerate() {
                let at =
                    MARGIN_X + self.aligned(strip.x + cell.x, cell.width, line.width, cell.side);
                let base = y + above + row.cap + row.pitch * index as f32;
                self.line(line, at, base, (!item.is_repeated).then_some(cell.part));
            }
        }
        if row.is_last && last == row.lines {
            self.rule(self.mirrored(x, strip.width), y + height, strip.width, 0.8, BLUE);
        }
    }

    /// Draws a frame around strips, from `top` to `bottom`.
    pub(super) fn frame(&mut self, frame: &Frame, top: f32, bottom: f32) {
        let x = self.mirrored(MARGIN_X + frame.x, frame.width);
        if let Some(color) = frame.fill {
            self.filled(x, top, frame.width, bottom - top, color);
        }
        if let Some(color) = frame.border
            && let Some(path) = rect_path(x, top, frame.width, bottom - top)
        {
            self.stroked(Some(path), stroke(0.4, color));
        }
        if let Some(color) = frame.stripe {
            let x = self.mirrored(MARGIN_X + frame.x - 1.25, 2.5);
            self.filled(x, top, 2.5, bottom - top, color);
        }
    }

    /// Draws a line of the header or the footer.
    pub(super) fn frame_line(&mut self, line: &Line, x: f32, base: f32, is_header: bool) {
        let kind = if is_header { ArtifactType::Header } else { ArtifactType::Footer };
        let x = if is_header { self.mirrored(x, line.width) } else { x };
        self.surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(kind)));
        line.runs.iter().for_each(|run| self.run(run, x, base));
        self.surface.end_tagged();
    }

    /// Draws a line with its baseline at `base`. A line without a part is a repetition that screen readers skip.
    pub(super) fn line(&mut self, line: &Line, x: f32, base: f32, part: Option<StructureId>) {
        self.backs(line, x, base);
        let mut rest = &line.runs[..];
        while let Some(first) = rest.first() {
            let link = first.style.link;
            let count = rest.iter().take_while(|run| run.style.link == link).count();
            let (group, after) = rest.split_at(count);
            rest = after;
            let Some(part) = part else {
                self.surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(
                    ArtifactType::PaginationOther,
                )));
                group.iter().for_each(|run| self.run(run, x, base));
                self.surface.end_tagged();
                continue;
            };
            let identifier = self.surface.start_tagged(ContentTag::Span(SpanTag::empty()));
            group.iter().for_each(|run| self.run(run, x, base));
            self.surface.end_tagged();
            let Some(link) = link else {
                self.tags.drawn(part, identifier);
                continue;
            };
            let part = link_part(self.tags, part);
            self.tags.drawn(part, identifier);
            let (left, right) = ends(group);
            let size = group.iter().map(|run| run.style.size).fold(0.0, f32::max);
            let above = group.iter().map(|run| run.above).fold(0.0, f32::max);
            self.linked.push(Linked {
                link,
                part,
                x: x + left,
                y: base - above - size * 0.85,
                width: right - left,
                height: size * 1.15,
            });
        }
        self.strikes(line, x, base);
    }

    /// Draws the backgrounds of code and of marked text.
    fn backs(&mut self, line: &Line, x: f32, base: f32) {
        let mut rest = &line.runs[..];
        while let Some(first) = rest.first() {
            let back = back(first);
            let count = rest.iter().take_while(|run| self::back(run) == back).count();
            let (group, after) = rest.split_at(count);
            rest = after;
            if let Some(color) = back {
                let (left, right) = ends(group);
                let size = first.style.size;
                self.filled(
                    x + left - 1.5,
                    base - size * 0.9,
                    right - left + 3.0,
                    size * 1.18,
                    color,
                );
            }
        }
    }

    /// Draws lines through and under text, and dots below it.
    fn strikes(&mut self, line: &Line, x: f32, base: f32) {
        for run in &line.runs {
            let size = run.style.size;
            if run.style.is_struck {
                let y = base - run.above - size * 0.28;
                let path = line_path(x + run.x, y, x + run.x + run.width, y);
                self.stroked(path, stroke(size * 0.06, run.style.color));
            }
            if run.style.is_underlined {
                let y = base - run.above + size * 0.12;
                let path = line_path(x + run.x, y, x + run.x + run.width, y);
                self.stroked(path, stroke(size * 0.06, run.style.color));
            }
            for (start, end, count) in &run.dots {
                let pitch = (end - start) / *count as f32;
                let dash = StrokeDash { array: vec![0.0, pitch], offset: pitch / 2.0 };
                let y = base + size * 0.32;
                let path = line_path(x + start, y, x + end, y);
                let stroke = Stroke {
                    dash: Some(dash),
                    line_cap: LineCap::Round,
                    ..stroke(size * 0.14, run.style.color)
                };
                self.stroked(path, stroke);
            }
        }
    }

    fn run(&mut self, run: &Run, x: f32, base: f32) {
        let Some(font) = self.content.faces.font(run.face) else { return };
        self.surface.set_fill(Some(fill(run.style.color)));
        let at = Point::from_xy(x + run.x, base - run.above);
        self.surface.draw_glyphs(at, &run.glyphs, font.clone(), &run.text, run.style.size, false);
        self.surface.set_fill(None);
    }

    /// Draws a horizontal line.
    pub(super) fn rule(&mut self, x: f32, y: f32, width: f32, thickness: f32, color: Rgb) {
        self.stroked(line_path(x, y, x + width, y), stroke(thickness, color));
    }

    fn filled(&mut self, x: f32, y: f32, width: f32, height: f32, color: Rgb) {
        let Some(path) = rect_path(x, y, width, height) else { return };
        self.surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)));
        self.surface.set_fill(Some(fill(color)));
        self.surface.draw_path(&path);
        self.surface.set_fill(None);
        self.surface.end_tagged();
    }

    fn stroked(&mut self, path: Option<Path>, stroke: Stroke) {
        let Some(path) = path else { return };
        self.surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)));
        self.surface.set_fill(None);
        self.surface.set_stroke(Some(stroke));
        self.surface.draw_path(&path);
        self.surface.set_stroke(None);
        self.surface.end_tagged();
    }
}

/// Returns the background of text.
fn back(run: &Run) -> Option<Rgb> {
    match (run.style.is_code, run.style.is_marked) {
        (true, _) => Some(CODE_BACK),
        (false, true) => Some(MARK_BACK),
        (false, false) => None,
    }
}

impl krilla::text::Glyph for Placed {
    fn glyph_id(&self) -> GlyphId {
        GlyphId::new(self.glyph.id)
    }

    fn text_range(&self) -> std::ops::Range<usize> {
        self.text.0 as usize..self.text.1 as usize
    }

    fn x_advance(&self, size: f32) -> f32 {
        self.glyph.advance * size
    }

    fn x_offset(&self, size: f32) -> f32 {
        self.glyph.x * size
    }

    fn y_offset(&self, size: f32) -> f32 {
        self.glyph.y * size
    }

    fn y_advance(&self, _: f32) -> f32 {
        0.0
    }

    fn location(&self) -> Option<Location> {
        None
    }
}

/// Returns the start and the end of a group of runs.
fn ends(runs: &[Run]) -> (f32, f32) {
    let left = runs.iter().map(|run| run.x).fold(f32::MAX, f32::min);
    let right = runs.iter().map(|run| run.x + run.width).fold(f32::MIN, f32::max);
    (left, right.max(left))
}

fn fill(color: Rgb) -> Fill {
    let [red, green, blue] = color;
    Fill {
        paint: rgb::Color::new(red, green, blue).into(),
        opacity: NormalizedF32::ONE,
        rule: FillRule::NonZero,
    }
}

fn stroke(width: f32, color: Rgb) -> Stroke {
    let [red, green, blue] = color;
    Stroke { paint: rgb::Color::new(red, green, blue).into(), width, ..Stroke::default() }
}

fn rect_path(x: f32, y: f32, width: f32, height: f32) -> Option<Path> {
    let mut path = PathBuilder::new();
    path.push_rect(Rect::from_xywh(x, y, width.max(0.01), height.max(0.01))?);
    path.finish()
}

fn line_path(x: f32, y: f32, to_x: f32, to_y: f32) -> Option<Path> {
    let mut path = PathBuilder::new();
    path.move_to(x, y);
    path.line_to(to_x, to_y);
    path.finish()
}

/// Adds a link to the tree, and returns its part.
fn link_part(tags: &mut Tags, parent: StructureId) -> StructureId {
    tags.add(parent, StructureRole::Link)
}
