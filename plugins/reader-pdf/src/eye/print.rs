//! Writes operators without hidden text. The fonts of forms get new names.

use super::column;
use super::expand::{GROUP, Operator};
use super::resources::{find, get};
use super::sideways::Moves;
use super::watch::{Drawing, Glyph, Show, Watched, strings};
use crate::matrix::{IDENTITY, Matrix, Point, Rect, inverse, multiply};
use crate::spelling;
use std::collections::HashMap;
use unpdf::parser::backend::{ContentOp, ObjectId, PageId, PdfValue, ResourceScope};
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::PdfObject;

/// The most bytes of a page that are written.
const MAX_BYTES: usize = 48 << 20;

/// A page with its new operators.
pub(crate) struct Printed {
    pub(crate) content: Vec<u8>,
    /// The fonts of the forms of the page, by their new names.
    pub(crate) fonts: Vec<(Vec<u8>, PdfObject)>,
}

/// Where the text of a page is written.
#[derive(Clone, Copy)]
pub(crate) enum Layout<'a> {
    Same,
    /// It runs from top to bottom. Each piece is then written upright on its own.
    Columns,
    /// Parts of it move.
    Moved(&'a Moves),
}

impl Layout<'_> {
    fn is_same(self) -> bool {
        matches!(self, Layout::Same)
    }

    fn is_in_columns(self) -> bool {
        matches!(self, Layout::Columns)
    }
}

struct Printer<'a> {
    out: Vec<u8>,
    names: HashMap<(Option<ObjectId>, &'a [u8]), usize>,
    fonts: Vec<(Vec<u8>, PdfObject)>,
    document: &'a RawDocument,
    page: PageId,
    watched: &'a Watched,
    layout: Layout<'a>,
    /// What is painted next, if parts of the page move.
    drawings: &'a [Drawing],
    /// `true` if the current path moves.
    is_moved: bool,
    /// The show before this one in a column.
    before: Option<&'a Show>,
}

/// Returns a font for lines from left to right, or `None` if the font is for such lines already or has an encoding of
/// its own.
fn across(document: &RawDocument, font: &PdfObject) -> Option<PdfObject> {
    let mut font = document.resolve(font).as_dict()?.clone();
    let name = match get(document, &font, b"Encoding")?.as_name()? {
        b"V" => b"H".to_vec(),
        name => [name.strip_suffix(b"-V")?, b"-H"].concat(),
    };
    font.insert(b"Encoding".to_vec(), PdfObject::Name(name));
    Some(PdfObject::Dict(font))
}

/// Writes the operators. Returns `None` if the page would be too large.
pub(crate) fn print(
    document: &RawDocument,
    page: PageId,
    operators: &[Operator],
    watched: &Watched,
    layout: Layout<'_>,
) -> Option<Printed> {
    let mut printer = Printer {
        out: Vec::new(),
        names: HashMap::new(),
        fonts: Vec::new(),
        document,
        page,
        watched,
        layout,
        drawings: &watched.drawings,
        is_moved: false,
        before: None,
    };
    if layout.is_in_columns() {
        printer.out.extend_from_slice(b"BT\n");
    }
    let mut shows = watched.shows.iter().peekable();
    for (at, operator) in operators.iter().enumerate() {
        let show = shows.next_if(|show| show.operator == at);
        printer.begin(at);
        printer.operator(operator, show, &watched.glyphs);
        printer.end(at);
        if printer.out.len() > MAX_BYTES {
            return None;
        }
    }
    Some(Printed { content: printer.out, fonts: printer.fonts })
}

impl<'a> Printer<'a> {
    /// Moves what is painted by the path or the picture that begins here.
    fn begin(&mut self, at: usize) {
        let Layout::Moved(moves) = self.layout else { return };
        let Some(drawing) = self.drawings.first().filter(|drawing| drawing.operators.0 == at)
        else {
            return;
        };
        let matrix = moves.at(middle(drawing.rect));
        if matrix != IDENTITY
            && let Some(matrix) = within(matrix, drawing.matrix)
        {
            self.out.extend_from_slice(b"q ");
            matrix.map(PdfValue::Real).iter().for_each(|number| self.value(number));
            self.out.extend_from_slice(b"cm\n");
            self.is_moved = true;
        }
    }

    fn end(&mut self, at: usize) {
        if self.drawings.first().is_some_and(|drawing| drawing.operators.1 == at) {
            self.drawings = self.drawings.get(1..).unwrap_or_default();
            if std::mem::take(&mut self.is_moved) {
                self.out.extend_from_slice(b"Q\n");
            }
        }
    }

    fn operator(&mut self, operator: &'a Operator, show: Option<&'a Show>, glyphs: &[Glyph]) {
        let op = &operator.op;
        match op.operator.as_str() {
            GROUP | "BMC" | "BDC" | "EMC" | "MP" | "DP" => {}
            // Paint on a layer that is off draws no table either.
            "f" | "F" | "f*" | "B" | "B*" | "b" | "b*" | "S" | "s" if operator.is_off => {
                self.out.extend_from_slice(b"n\n");
            }
            "Do" | "BI" | "sh" if operator.is_off => {}
            "BI" => {
                if let Some(PdfValue::Str(body)) = op.operands.first() {
                    self.out.extend_from_slice(b"BI");
                    self.out.extend_from_slice(body);
                    self.out.extend_from_slice(b"\nEI\n");
                }
            }
            "Do" if op.form.is_some() => self.out.extend_from_slice(b"/picture~ Do\n"),
            "BT" | "ET" if self.layout.is_in_columns() => {}
            "Td" | "TD" | "T*" | "Tm" if !self.layout.is_same() => {}
            // What moves would be cut off. Text outside of the clipping paths is gone already.
            "W" | "W*" if matches!(self.layout, Layout::Moved(_)) => {}
            "Tf" => {
                if let [PdfValue::Name(name), size, ..] = &*op.operands
                    && let Some(name) = self.font(op.form, name)
                {
                    self.value(&PdfValue::Name(name));
                    self.value(size);
                    self.out.extend_from_slice(b"Tf\n");
                } else {
                    self.plain(op);
                }
            }
            _ => match show.and_then(|show| Some((show, glyphs.get(show.glyphs.clone())?))) {
                Some((show, glyphs)) if !self.layout.is_same() => {
                    match self.layout {
                        Layout::Moved(moves) => self.moved(moves, show),
                        _ => self.in_column(show),
                    }
                    self.rest(op, show, glyphs);
                }
                Some((show, glyphs)) if glyphs.iter().any(|glyph| glyph.is_gone) => {
                    self.rest(op, show, glyphs);
                }
                _ => self.plain(op),
            },
        }
    }

    fn plain(&mut self, op: &ContentOp) {
        op.operands.iter().for_each(|operand| self.value(operand));
        self.out.extend_from_slice(op.operator.as_bytes());
        self.out.push(b'\n');
    }

    /// Writes what is left of a string, with gaps in place of the letters that were left out.
    fn rest(&mut self, op: &ContentOp, show: &Show, glyphs: &[Glyph]) {
        match op.operator.as_str() {
            "'" if self.layout.is_same() => self.out.extend_from_slice(b"T*\n"),
            "\"" => {
                if let [word, letter, ..] = op.operands.as_slice() {
                    self.value(word);
                    self.out.extend_from_slice(b"Tw\n");
                    self.value(letter);
                    self.out.extend_from_slice(b"Tc\n");
                    if self.layout.is_same() {
                        self.out.extend_from_slice(b"T*\n");
                    }
                }
            }
            _ => {}
        }
        let mut items = Vec::new();
        let mut glyphs = glyphs.iter().peekable();
        for (at, item) in (0..).zip(strings(op)) {
            let PdfValue::Str(bytes) = item else {
                items.push(item.clone());
                continue;
            };
            let mut kept: Vec<u8> = Vec::new();
            while let Some(glyph) = glyphs.next_if(|glyph| glyph.item == at) {
                if !glyph.is_gone {
                    let (from, to) = glyph.bytes;
                    kept.extend(bytes.get(from as usize..to as usize).unwrap_or_default());
                    continue;
                }
                if !kept.is_empty() {
                    items.push(PdfValue::Str(std::mem::take(&mut kept)));
                }
                let room = -1000.0 * glyph.shift / show.unit;
                if room.is_finite() && room != 0.0 {
                    items.push(PdfValue::Real(room));
                }
            }
            if !kept.is_empty() {
                items.push(PdfValue::Str(kept));
            }
        }
        self.value(&PdfValue::Array(items));
        self.out.extend_from_slice(b"TJ\n");
    }

    /// Places a piece of a column: right behind the piece above it, or at a place of its own.
    fn in_column(&mut self, show: &'a Show) {
        let matrix = column::upright(self.watched, show);
        let matrix = matrix.filter(|_| !show.is_vertical || self.has_across(show));
        let is_upright = matrix.is_some();
        let before = std::mem::replace(&mut self.before, is_upright.then_some(show));
        if is_upright && before.is_some_and(|it| column::goes_on(self.watched, it, show)) {
            return;
        }
        let matrix = matrix.unwrap_or(show.text).map(PdfValue::Real);
        matrix.iter().for_each(|number| self.value(number));
        self.out.extend_from_slice(b"Tm\n");
    }

    /// Places a show where it moves to.
    fn moved(&mut self, moves: &Moves, show: &Show) {
        let matrix = within(moves.of(show, self.watched), show.matrix);
        let matrix = matrix.map_or(show.text, |matrix| multiply(show.text, matrix));
        matrix.map(PdfValue::Real).iter().for_each(|number| self.value(number));
        self.out.extend_from_slice(b"Tm\n");
    }

    /// Returns a new name for a font of a form, and for a font whose letters are now written from left to right.
    /// Returns `None` for a font that stays.
    fn font(&mut self, form: Option<ObjectId>, name: &'a [u8]) -> Option<Vec<u8>> {
        let scope = ResourceScope { page: self.page, form };
        let across = || across(self.document, find(self.document, scope, b"Font", name)?);
        let across = if self.layout.is_in_columns() { across() } else { None };
        if form.is_none() && across.is_none() {
            return None;
        }
        let next = self.names.len();
        let number = *self.names.entry((form, name)).or_insert(next);
        let new = [name, format!("~{number}").as_bytes()].concat();
        if number == next {
            let own = || find(self.document, scope, b"Font", name).cloned();
            self.fonts.extend(across.or_else(own).map(|font| (new.clone(), font)));
        }
        Some(new)
    }

    fn has_across(&self, show: &Show) -> bool {
        let Some(font) = self.watched.fonts.get(show.font) else { return false };
        let scope = ResourceScope { page: self.page, form: font.form };
        let font = find(self.document, scope, b"Font", &font.name);
        font.is_some_and(|font| across(self.document, font).is_some())
    }

    fn value(&mut self, value: &PdfValue) {
        match value {
            PdfValue::Integer(value) => self.out.extend_from_slice(value.to_string().as_bytes()),
            PdfValue::Real(value) if !value.is_finite() => self.out.push(b'0'),
            PdfValue::Real(value) => spelling::real(&mut self.out, value),
            PdfValue::Name(name) => spelling::name(&mut self.out, name),
            PdfValue::Str(text) => spelling::string(&mut self.out, text),
            PdfValue::Array(items) => {
                self.out.push(b'[');
                items.iter().for_each(|item| self.value(item));
                self.out.push(b']');
            }
            PdfValue::Other => self.out.extend_from_slice(b"null"),
        }
        self.out.push(b' ');
    }
}

/// Returns the matrix that moves places in the space of operators as `matrix` moves them on the page. `space` is the
/// matrix from that space to the page.
fn within(matrix: Matrix, space: Matrix) -> Option<Matrix> {
    Some(multiply(multiply(space, matrix), inverse(space)?))
}

fn middle(rect: Rect) -> Point {
    ((rect.left + rect.right) / 2.0, (rect.bottom + rect.top) / 2.0)
}
