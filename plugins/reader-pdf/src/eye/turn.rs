//! Turns pages so that their text runs from left to right, if `/Rotate` says so or if most of the text is sideways.

use super::judge::Why;
use super::sideways::Moves;
use super::watch::Watched;
use crate::matrix::{IDENTITY, Matrix, Point, Rect, apply, multiply};
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};

/// The quarter turns that make lines from top to bottom of columns from right to left.
pub(crate) const COLUMNS: u8 = 3;

/// How a page is turned: the matrix from its own coordinates to those that the eye sees.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    pub(crate) matrix: Matrix,
    /// The width and the height of the turned page.
    pub(crate) size: (f32, f32),
    /// `true` if the page was made larger.
    pub(crate) is_grown: bool,
    /// What moves on the page before it is turned.
    pub(crate) moves: Moves,
}

/// Returns the number of clockwise quarter turns after which most visible text is upright. `rotation` is the `/Rotate`
/// of the page.
pub(crate) fn quarters(watched: &Watched, fates: &[Option<Why>], rotation: u8) -> u8 {
    let mut letters = [0_usize; 4];
    for (show, fate) in watched.shows.iter().zip(fates) {
        let Some(quarter) = show.quarter.filter(|_| fate.is_none()) else { continue };
        if let Some(count) = letters.get_mut(usize::from(quarter)) {
            *count += show.glyphs.len();
        }
    }
    let most = letters.iter().max().copied().unwrap_or(0);
    match letters.get(usize::from(rotation)) {
        Some(count) if *count == most => rotation,
        _ => (0..4).find(|turn| letters.get(usize::from(*turn)) == Some(&most)).unwrap_or(rotation),
    }
}

/// Returns the turn of a page with these bounds by this number of quarters.
pub(crate) fn turn(page: Rect, quarters: u8) -> Turn {
    let Rect { left, bottom, right, top } = page;
    let (width, height) = (right - left, top - bottom);
    let (matrix, size) = match quarters {
        1 => ([0.0, -1.0, 1.0, 0.0, -bottom, right], (height, width)),
        2 => ([-1.0, 0.0, 0.0, -1.0, right, top], (width, height)),
        3 => ([0.0, 1.0, -1.0, 0.0, top, -left], (height, width)),
        _ => ([1.0, 0.0, 0.0, 1.0, -left, -bottom], (width, height)),
    };
    Turn { matrix, size, is_grown: false, moves: Moves::default() }
}

impl Turn {
    /// Returns the operator that turns everything behind it.
    pub(crate) fn operator(&self) -> Vec<u8> {
        let numbers = self.matrix.map(|number| number.to_string()).join(" ");
        format!("{numbers} cm\n").into_bytes()
    }

    /// Moves the numbers of corners, which come in pairs. Returns the box around the corners, or each corner.
    fn moved(
        document: &RawDocument,
        value: &PdfObject,
        matrix: Matrix,
        is_box: bool,
    ) -> Option<PdfObject> {
        let numbers = super::resources::numbers(document, value)?;
        let (pairs, _) = numbers.as_chunks::<2>();
        let points: Vec<Point> = pairs.iter().map(|[x, y]| apply(matrix, (*x, *y))).collect();
        let reals = |numbers: &[f32]| {
            let real = |number: &f32| PdfObject::Real(f64::from(*number));
            PdfObject::Array(numbers.iter().map(real).collect())
        };
        if is_box {
            let Rect { left, bottom, right, top } = Rect::around(&points);
            return Some(reals(&[left, bottom, right, top]));
        }
        Some(reals(&points.iter().flat_map(|(x, y)| [*x, *y]).collect::<Vec<_>>()))
    }

    /// Changes the bounds of a page and the places of its links.
    pub(crate) fn apply(&self, document: &RawDocument, page: &mut PdfDict) {
        let (width, height) = self.size;
        let real = |number: f32| PdfObject::Real(f64::from(number));
        let bounds = PdfObject::Array(vec![real(0.0), real(0.0), real(width), real(height)]);
        page.insert(b"MediaBox".to_vec(), bounds);
        page.insert(b"Rotate".to_vec(), PdfObject::Integer(0));
        if self.is_grown {
            page.remove(b"CropBox".as_slice());
        } else if let Some(crop) =
            dict_get(page, b"CropBox").and_then(|it| Turn::moved(document, it, self.matrix, true))
        {
            page.insert(b"CropBox".to_vec(), crop);
        }
        let Some(notes) = dict_get(page, b"Annots").map(|notes| document.resolve(notes)) else {
            return;
        };
        let moved = |note: &PdfObject| {
            let PdfObject::Dict(note) = document.resolve(note) else { return note.clone() };
            let mut note = note.clone();
            note.remove(b"AP".as_slice());
            let numbers =
                dict_get(&note, b"Rect").and_then(|rect| super::resources::numbers(document, rect));
            let place = match numbers.as_deref() {
                Some([a, b, c, d]) => self.moves.at(((a + c) / 2.0, (b + d) / 2.0)),
                _ => IDENTITY,
            };
            let matrix = multiply(place, self.matrix);
            for (key, is_box) in [(&b"Rect"[..], true), (b"QuadPoints", false)] {
                let value =
                    dict_get(&note, key).and_then(|it| Turn::moved(document, it, matrix, is_box));
                note.extend(value.map(|value| (key.to_vec(), value)));
            }
            PdfObject::Dict(note)
        };
        let notes = notes.as_array().unwrap_or_default().iter().map(moved).collect();
        page.insert(b"Annots".to_vec(), PdfObject::Array(notes));
    }
}
