//! Follows the operators of a page. Finds where every glyph stands, its colour, and what is painted before and after
//! it.

use super::colour::{Colour, Paint, Veil};
use super::expand::{Expanded, GROUP, Operator};
use super::resources::{as_dict, find, get};
use crate::codes::{self, Doubt};
use crate::matrix::{IDENTITY, Matrix, Path, Point, Rect, apply, multiply};
use std::collections::HashMap;
use unpdf::parser::backend::{
    ContentOp, ObjectId, PageId, PdfBackend, PdfValue, RawBackend, ResourceScope,
    get_number_from_value,
};
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::{PdfObject, dict_get};

/// The most glyphs of a page that are followed.
const MAX_GLYPHS: usize = 1_000_000;

/// The deepest nesting of saved states that is followed.
const MAX_SAVED: usize = 10_000;

/// A glyph, or several that cannot be distinguished.
pub(crate) struct Glyph {
    pub(crate) at: Point,
    /// The distance to the next glyph in points.
    pub(crate) length: f32,
    /// The same distance in units of text space, in which operators write it.
    pub(crate) shift: f32,
    /// The item in the operands of the operator, and the bytes of this item.
    pub(crate) item: u32,
    pub(crate) bytes: (u32, u32),
    pub(crate) is_gone: bool,
}

/// What one operator shows.
pub(crate) struct Show {
    /// The number of the operator.
    pub(crate) operator: usize,
    pub(crate) glyphs: std::ops::Range<usize>,
    /// How many letters it has. Letters that cannot be distinguished are one glyph.
    pub(crate) letters: usize,
    /// The number of the font among those of the page.
    pub(crate) font: usize,
    /// The height of the letters in points, and the smaller of their height and width.
    pub(crate) size: f32,
    pub(crate) smallest: f32,
    /// The vector from the baseline to the height of small letters.
    pub(crate) up: Point,
    pub(crate) end: Point,
    /// The counterclockwise quarter turns of the text, or `None` for other angles.
    pub(crate) quarter: Option<u8>,
    pub(crate) is_vertical: bool,
    pub(crate) mode: i64,
    pub(crate) fill: Colour,
    pub(crate) stroke: Colour,
    /// The opacity, from 0 to 1.
    pub(crate) opacity: f32,
    pub(crate) clip: Rect,
    pub(crate) is_off: bool,
    /// `true` if its place is known.
    pub(crate) is_placed: bool,
    /// `true` if the width of each glyph is known.
    pub(crate) is_measured: bool,
    /// How many areas were painted before it.
    pub(crate) areas: usize,
    /// The size of a unit of text space in points. Operators write distances in this unit.
    pub(crate) unit: f32,
    /// The matrix of the text in the space of its operators, and the matrix from there to the page.
    pub(crate) text: Matrix,
    pub(crate) matrix: Matrix,
}

/// An area that was painted over what was there.
pub(crate) struct Area {
    pub(crate) rect: Rect,
    pub(crate) colour: Colour,
    pub(crate) is_opaque: bool,
    pub(crate) is_picture: bool,
}

/// A path or a picture that is painted.
pub(crate) struct Drawing {
    /// The numbers of the first and of the last of its operators.
    pub(crate) operators: (usize, usize),
    pub(crate) rect: Rect,
    /// The matrix from the space of its operators to the page.
    pub(crate) matrix: Matrix,
    /// How many long lines it has that are neither level nor upright, as charts have.
    pub(crate) slanted: usize,
}

/// A font, as the operators name it.
pub(crate) struct Font {
    pub(crate) form: Option<ObjectId>,
    pub(crate) name: Vec<u8>,
    /// `true` if operators draw its glyphs, in a scale of its own (Type 3).
    is_drawn: bool,
    pub(crate) is_vertical: bool,
    /// `true` if its codes may be numbers of glyphs.
    pub(crate) may_number_glyphs: bool,
    /// Its object, if its letters are in doubt.
    pub(crate) doubt: Option<(ObjectId, Doubt)>,
}

/// What was found on a page.
#[derive(Default)]
pub(crate) struct Watched {
    pub(crate) shows: Vec<Show>,
    pub(crate) glyphs: Vec<Glyph>,
    pub(crate) areas: Vec<Area>,
    pub(crate) drawings: Vec<Drawing>,
    pub(crate) fonts: Vec<Font>,
    /// `true` if the page paints anything else than text.
    pub(crate) has_drawings: bool,
    /// `true` if the page has more glyphs than are followed.
    pub(crate) is_cut: bool,
}

#[derive(Clone)]
struct State {
    matrix: Matrix,
    fill: Paint,
    stroke: Paint,
    veil: Veil,
    /// Opacity of the groups around the operator, and `true` if these groups are opaque.
    outer: f32,
    is_outer_plain: bool,
    clip: Rect,
    is_clip_exact: bool,
    font: Option<usize>,
    size: f32,
    letter_space: f32,
    word_space: f32,
    width: f32,
    leading: f32,
    rise: f32,
    mode: i64,
}

struct Watcher<'a> {
    document: &'a RawDocument,
    backend: &'a RawBackend,
    page: PageId,
    state: State,
    saved: Vec<State>,
    text: Matrix,
    line: Matrix,
    is_placed: bool,
    /// `true` if letters of the open text object clip what is painted after it.
    has_cut: bool,
    path: Path,
    /// The number of the first operator of the path.
    path_start: Option<usize>,
    is_clipping: bool,
    known: HashMap<(Option<ObjectId>, Vec<u8>), usize>,
    out: Watched,
}

/// Follows all operators of a page with these bounds.
pub(crate) fn watch(
    document: &RawDocument,
    backend: &RawBackend,
    (page, bounds): (PageId, Rect),
    expanded: &Expanded,
) -> Watched {
    let state = State {
        matrix: IDENTITY,
        fill: Paint::default(),
        stroke: Paint::default(),
        veil: Veil::default(),
        outer: 1.0,
        is_outer_plain: true,
        clip: bounds,
        is_clip_exact: true,
        font: None,
        size: 12.0,
        letter_space: 0.0,
        word_space: 0.0,
        width: 1.0,
        leading: 0.0,
        rise: 0.0,
        mode: 0,
    };
    let mut watcher = Watcher {
        document,
        backend,
        page,
        state,
        saved: Vec::new(),
        text: IDENTITY,
        line: IDENTITY,
        is_placed: true,
        has_cut: false,
        path: Path::default(),
        path_start: None,
        is_clipping: false,
        known: HashMap::new(),
        out: Watched::default(),
    };
    for (at, operator) in expanded.operators.iter().enumerate() {
        watcher.operator(at, operator);
    }
    watcher.out
}

impl Watcher<'_> {
    fn operator(&mut self, at: usize, Operator { op, is_off }: &Operator) {
        let scope = op.scope(self.page);
        let n = |index: usize| op.operands.get(index).and_then(get_number_from_value);
        match op.operator.as_str() {
            "q" if self.saved.len() < MAX_SAVED => self.saved.push(self.state.clone()),
            "Q" => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            "cm" => {
                if let Some(matrix) = six(op) {
                    self.state.matrix = multiply(matrix, self.state.matrix);
                }
            }
            GROUP => {
                self.state.outer = self.state.veil.within(self.state.outer);
                self.state.is_outer_plain &= self.state.veil.is_plain();
                self.state.veil = Veil::default();
            }
            "gs" => self.state.veil.set(self.document, scope, op),
            "g" | "rg" | "k" | "cs" | "sc" | "scn" => self.state.fill.set(self.document, scope, op),
            "G" | "RG" | "K" | "CS" | "SC" | "SCN" => {
                self.state.stroke.set(self.document, scope, op);
            }
            "Tf" => self.font(op, n(1)),
            "Tc" => self.state.letter_space = n(0).unwrap_or(self.state.letter_space),
            "Tw" => self.state.word_space = n(0).unwrap_or(self.state.word_space),
            "Tz" => self.state.width = n(0).map_or(self.state.width, |percent| percent / 100.0),
            "TL" => self.state.leading = n(0).unwrap_or(self.state.leading),
            "Ts" => self.state.rise = n(0).unwrap_or(self.state.rise),
            "Tr" => self.state.mode = n(0).map_or(self.state.mode, |mode| mode as i64),
            "BT" => self.place(IDENTITY),
            // What follows is painted through the letters.
            "ET" => self.state.is_clip_exact &= !std::mem::take(&mut self.has_cut),
            "Tm" => six(op).into_iter().for_each(|matrix| self.place(matrix)),
            "Td" | "TD" => {
                if let (Some(x), Some(y)) = (n(0), n(1)) {
                    if op.operator == "TD" {
                        self.state.leading = -y;
                    }
                    self.place(multiply([1.0, 0.0, 0.0, 1.0, x, y], self.line));
                }
            }
            "T*" => self.next_line(),
            "Tj" | "TJ" => self.show(at, op, *is_off),
            "'" => {
                self.next_line();
                self.show(at, op, *is_off);
            }
            "\"" => {
                self.state.word_space = n(0).unwrap_or(self.state.word_space);
                self.state.letter_space = n(1).unwrap_or(self.state.letter_space);
                self.next_line();
                self.show(at, op, *is_off);
            }
            "Do" => {
                self.drawing((at, at), self.unit_square());
                self.picture(op, *is_off);
            }
            "BI" => {
                self.drawing((at, at), self.unit_square());
                self.area(vec![self.unit_square()], None, (false, true), *is_off);
            }
            "sh" => self.area(vec![self.state.clip], None, (false, false), *is_off),
            _ => self.draw(at, op, *is_off),
        }
    }

    fn drawing(&mut self, operators: (usize, usize), rect: Rect) {
        let slanted = if operators.0 != operators.1 { self.path.slanted() } else { 0 };
        let matrix = self.state.matrix;
        self.out.drawings.push(Drawing { operators, rect, matrix, slanted });
    }

    fn place(&mut self, matrix: Matrix) {
        (self.text, self.line, self.is_placed) = (matrix, matrix, true);
    }

    fn next_line(&mut self) {
        self.place(multiply([1.0, 0.0, 0.0, 1.0, 0.0, -self.state.leading], self.line));
    }

    fn font(&mut self, op: &ContentOp, size: Option<f32>) {
        self.state.size = size.unwrap_or(self.state.size);
        let Some(PdfValue::Name(name)) = op.operands.first() else { return };
        let key = (op.form, name.clone());
        if let Some(known) = self.known.get(&key) {
            self.state.font = Some(*known);
            return;
        }
        let scope = op.scope(self.page);
        let font = find(self.document, scope, b"Font", name);
        let dict = font.and_then(|font| as_dict(self.document.resolve(font)));
        let doubt = dict.and_then(|dict| codes::doubt(self.document, dict));
        let id = font.and_then(PdfObject::as_reference);
        let kind = dict.and_then(|dict| get(self.document, dict, b"Subtype")?.as_name());
        let font = Font {
            form: op.form,
            name: name.clone(),
            is_drawn: kind == Some(b"Type3"),
            is_vertical: self.backend.is_vertical_font(scope, name),
            may_number_glyphs: dict
                .is_some_and(|dict| codes::may_number_glyphs(self.document, dict)),
            doubt: id.zip(doubt),
        };
        self.known.insert(key, self.out.fonts.len());
        self.state.font = Some(self.out.fonts.len());
        self.out.fonts.push(font);
    }

    fn show(&mut self, at: usize, op: &ContentOp, is_off: bool) {
        self.has_cut |= self.state.mode >= 4;
        let Some(font) = self.state.font else { return };
        let items: &[PdfValue] = strings(op);
        let Some(known) = self.out.fonts.get(font) else { return };
        let (is_vertical, is_drawn) = (known.is_vertical, known.is_drawn);
        let scope = ResourceScope { page: self.page, form: known.form };
        let name = known.name.clone();
        let whole = multiply(self.text, self.state.matrix);
        let across = |x: f32, y: f32| {
            let (from, to) = (apply(whole, (0.0, 0.0)), apply(whole, (x, y)));
            (to.0 - from.0, to.1 - from.1)
        };
        let State { size, width, rise, letter_space, .. } = self.state;
        let up = across(0.0, size);
        let along = across(size * width, 0.0);
        let (tall, wide) = (up.0.hypot(up.1), along.0.hypot(along.1));
        let first = self.out.glyphs.len();
        let (mut is_measured, mut shift, mut letters) = (true, 0.0_f32, 0);
        let at_shift = |shift: f32| {
            if is_vertical {
                apply(whole, (0.0, rise + shift))
            } else {
                apply(whole, (shift, rise))
            }
        };
        for (item, value) in (0..).zip(items) {
            let PdfValue::Str(bytes) = value else {
                let number = get_number_from_value(value).unwrap_or(0.0);
                shift -= number / 1000.0 * size * if is_vertical { 1.0 } else { width };
                continue;
            };
            let advances = self.backend.glyph_advances(scope, &name, bytes);
            let step = advances.as_ref().map_or(0, |advances| match advances.len() {
                0 => 0,
                count if count == bytes.len() => 1,
                count if count * 2 == bytes.len() => 2,
                _ => 0,
            });
            let end = bytes.len() as u32;
            let mut push = |from: f32, to: f32, range: (u32, u32)| {
                let (a, b) = (at_shift(from), at_shift(to));
                let length = (b.0 - a.0).hypot(b.1 - a.1);
                let shift = to - from;
                let glyph = Glyph { at: a, length, shift, item, bytes: range, is_gone: false };
                self.out.glyphs.push(glyph);
            };
            let before = shift;
            match &advances {
                Some(advances) => {
                    letters += advances.len();
                    for (index, glyph) in (0..).zip(advances) {
                        let word = if glyph.is_word_space { self.state.word_space } else { 0.0 };
                        let from = shift;
                        shift += match glyph.vertical {
                            Some(down) => down.advance / 1000.0 * size + letter_space + word,
                            None => (glyph.width / 1000.0 * size + letter_space + word) * width,
                        };
                        if step > 0 {
                            push(from, shift, (index * step, (index + 1) * step));
                        }
                    }
                    if step == 0 && end > 0 {
                        push(before, shift, (0, end));
                    }
                }
                None => {
                    is_measured = false;
                    if end > 0 {
                        push(shift, shift, (0, end));
                    }
                }
            }
        }
        let glyphs = first..self.out.glyphs.len();
        if self.out.glyphs.len() > MAX_GLYPHS {
            self.out.is_cut = true;
        }
        // Letters without known widths would stand on each other.
        let has_widths = self
            .out
            .glyphs
            .get(glyphs.clone())
            .is_some_and(|glyphs| glyphs.iter().all(|glyph| glyph.length > 0.0));
        self.out.shows.push(Show {
            operator: at,
            letters: letters.max(glyphs.len()),
            glyphs,
            font,
            size: tall,
            smallest: if is_drawn { f32::INFINITY } else { tall.min(wide) },
            up,
            end: at_shift(shift),
            quarter: quarter(along).filter(|_| !is_off),
            is_vertical,
            mode: self.state.mode,
            fill: self.state.fill.colour,
            stroke: self.state.stroke.colour,
            opacity: self.state.outer
                * match self.state.mode {
                    1 | 5 => self.state.veil.stroke,
                    2 | 6 => self.state.veil.fill.max(self.state.veil.stroke),
                    _ => self.state.veil.fill,
                },
            clip: self.state.clip,
            is_off,
            is_placed: self.is_placed,
            is_measured: is_measured && has_widths,
            areas: self.out.areas.len(),
            unit: size * if is_vertical { 1.0 } else { width },
            text: self.text,
            matrix: self.state.matrix,
        });
        if !is_measured {
            // The library does not move on here either.
            self.is_placed = false;
            return;
        }
        self.is_placed &= has_widths;
        let by = if is_vertical { (0.0, shift) } else { (shift, 0.0) };
        self.text = multiply([1.0, 0.0, 0.0, 1.0, by.0, by.1], self.text);
    }

    fn unit_square(&self) -> Rect {
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        Rect::around(&corners.map(|corner| apply(self.state.matrix, corner)))
    }

    fn picture(&mut self, op: &ContentOp, is_off: bool) {
        let Some(PdfValue::Name(name)) = op.operands.first() else { return };
        let object = find(self.document, op.scope(self.page), b"XObject", name);
        let Some(PdfObject::Stream(picture)) = object.map(|object| self.document.resolve(object))
        else {
            return;
        };
        let has = |key: &[u8]| dict_get(&picture.dict, key).is_some();
        let [a, b, c, d, ..] = self.state.matrix;
        // A rotated picture leaves corners free.
        let is_straight = b.abs() + c.abs() < 0.01 || a.abs() + d.abs() < 0.01;
        let is_whole = is_straight && !has(b"SMask") && !has(b"Mask") && !has(b"ImageMask");
        self.area(vec![self.unit_square()], None, (is_whole, true), is_off);
    }

    fn area(
        &mut self,
        rects: Vec<Rect>,
        colour: Colour,
        (is_whole, is_picture): (bool, bool),
        is_off: bool,
    ) {
        if is_off || self.state.veil.within(self.state.outer) <= 0.01 {
            return;
        }
        self.out.has_drawings = true;
        let is_opaque = is_whole
            && self.state.is_clip_exact
            && self.state.veil.is_opaque()
            && self.state.is_outer_plain
            && self.state.outer >= 0.99;
        let colour = colour.filter(|_| is_opaque);
        let clip = self.state.clip;
        let areas = rects.into_iter().map(|rect| rect.overlap(clip));
        let areas = areas.filter(|rect| rect.area() > 0.0);
        let area = |rect| Area { rect, colour, is_opaque, is_picture };
        self.out.areas.extend(areas.map(area));
    }

    /// Follows operators that build, fill and clip with paths.
    fn draw(&mut self, at_operator: usize, op: &ContentOp, is_off: bool) {
        let numbers: Vec<f32> = op.operands.iter().filter_map(get_number_from_value).collect();
        let matrix = self.state.matrix;
        let at = |x, y| apply(matrix, (x, y));
        match op.operator.as_str() {
            "m" | "l" | "c" | "v" | "y" | "re" => {
                self.path_start.get_or_insert(at_operator);
            }
            "S" | "s" | "f" | "F" | "f*" | "B" | "B*" | "b" | "b*" | "n" => {
                if let Some(start) = self.path_start.take() {
                    let around = self.path.around();
                    self.drawing((start, at_operator), around);
                }
            }
            _ => {}
        }
        match (op.operator.as_str(), numbers.as_slice()) {
            ("m", &[x, y]) => self.path.begin(at(x, y)),
            ("l", &[x, y]) => self.path.line(at(x, y)),
            ("c", &[a, b, c, d, e, f]) => self.path.curve(&[at(a, b), at(c, d), at(e, f)]),
            ("v" | "y", &[a, b, c, d]) => self.path.curve(&[at(a, b), at(c, d)]),
            ("re", &[x, y, w, h]) => self.path.rectangle(matrix, [x, y, w, h]),
            ("W" | "W*", _) => self.is_clipping = true,
            ("S" | "s", _) => {
                self.out.has_drawings |= !is_off;
                self.end_path();
            }
            ("f" | "F" | "f*" | "B" | "B*" | "b" | "b*", _) => {
                let rects = self.path.rectangles();
                // With the even-odd rule, a hole appears where two rectangles overlap.
                let is_whole = rects
                    .as_ref()
                    .is_some_and(|rects| rects.len() == 1 || !op.operator.ends_with('*'));
                let rects = rects.unwrap_or_else(|| vec![self.path.around()]);
                let colour = self.state.fill.colour;
                self.area(rects, colour, (is_whole, false), is_off);
                // A pattern may leave gaps.
                if colour.is_none()
                    && let Some(area) = self.out.areas.last_mut()
                {
                    area.is_opaque = false;
                }
                self.end_path();
            }
            ("n", _) => self.end_path(),
            _ => {}
        }
    }

    fn end_path(&mut self) {
        if std::mem::take(&mut self.is_clipping) {
            let rects = self.path.rectangles();
            self.state.is_clip_exact &= rects.is_some_and(|rects| rects.len() == 1);
            self.state.clip = self.state.clip.overlap(self.path.around());
        }
        self.path.clear();
    }
}

/// Returns the strings and distances of an operator that shows text.
pub(crate) fn strings(op: &ContentOp) -> &[PdfValue] {
    match op.operator.as_str() {
        "TJ" => match op.operands.first() {
            Some(PdfValue::Array(items)) => items,
            _ => &[],
        },
        "\"" => op.operands.get(2..3).unwrap_or_default(),
        _ => op.operands.get(..1).unwrap_or_default(),
    }
}

fn six(op: &ContentOp) -> Option<Matrix> {
    let n = |index: usize| op.operands.get(index).and_then(get_number_from_value);
    Some([n(0)?, n(1)?, n(2)?, n(3)?, n(4)?, n(5)?])
}

/// Returns the nearest number of quarter turns, if it is near enough.
fn quarter((x, y): Point) -> Option<u8> {
    const NEAR: f32 = 0.25;
    let length = x.hypot(y);
    let (x, y) = (x / length, y / length);
    let is = |a: f32, b: f32| (x - a).abs() < NEAR && (y - b).abs() < NEAR;
    let turns = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)];
    (0..).zip(turns).find(|(_, (a, b))| is(*a, *b)).map(|(turn, _)| turn)
}
