//! Follows colours, so that text can be compared with what lies behind it.

use super::resources::{find, get};
use unpdf::parser::backend::{ContentOp, PdfValue, ResourceScope, get_number_from_value};
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::{PdfObject, dict_get};

/// The largest difference of red, green or blue that is invisible, on a scale from 0 to 1.
const UNSEEN: f32 = 0.05;

/// Red, green and blue from 0 to 1, or `None` for patterns and colour spaces that are not followed.
pub(crate) type Colour = Option<[f32; 3]>;

pub(crate) const WHITE: Colour = Some([1.0; 3]);
pub(crate) const BLACK: Colour = Some([0.0; 3]);

/// Returns whether one of these colours cannot be seen on the other.
pub(crate) fn is_same(a: Colour, b: Colour) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= UNSEEN)
}

/// What the numbers of a colour stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Space {
    Gray,
    Rgb,
    Cmyk,
    /// Amounts of ink. Without ink, the paper is seen.
    Inks,
    Other,
}

impl Space {
    fn first(self) -> Colour {
        match self {
            Space::Gray | Space::Rgb | Space::Cmyk => BLACK,
            Space::Inks | Space::Other => None,
        }
    }

    fn colour(self, n: &[f32]) -> Colour {
        let unit = |value: f32| value.clamp(0.0, 1.0);
        match (self, n) {
            (Space::Gray, &[gray]) => Some([unit(gray); 3]),
            (Space::Rgb, &[red, green, blue]) => Some([unit(red), unit(green), unit(blue)]),
            (Space::Cmyk, &[c, m, y, k]) => Some([c, m, y].map(|ink| unit(1.0 - ink - k))),
            (Space::Inks, inks) if !inks.is_empty() && inks.iter().all(|ink| *ink == 0.0) => WHITE,
            _ => None,
        }
    }
}

/// The colour of fillings or of strokes.
#[derive(Clone, Copy)]
pub(crate) struct Paint {
    space: Space,
    pub(crate) colour: Colour,
}

impl Default for Paint {
    fn default() -> Paint {
        Paint { space: Space::Gray, colour: BLACK }
    }
}

impl Paint {
    /// Applies an operator that sets a colour. Operators in capital letters set the colour of strokes.
    pub(crate) fn set(&mut self, document: &RawDocument, scope: ResourceScope, op: &ContentOp) {
        let numbers: Vec<f32> = op.operands.iter().filter_map(get_number_from_value).collect();
        match op.operator.as_str() {
            "g" | "G" => self.device(Space::Gray, &numbers),
            "rg" | "RG" => self.device(Space::Rgb, &numbers),
            "k" | "K" => self.device(Space::Cmyk, &numbers),
            "cs" | "CS" => {
                let Some(PdfValue::Name(name)) = op.operands.first() else { return };
                self.space = space(document, scope, name);
                self.colour = self.space.first();
            }
            "sc" | "SC" | "scn" | "SCN" => self.colour = self.space.colour(&numbers),
            _ => {}
        }
    }

    fn device(&mut self, space: Space, numbers: &[f32]) {
        *self = Paint { space, colour: space.colour(numbers) };
    }
}

fn space(document: &RawDocument, scope: ResourceScope, name: &[u8]) -> Space {
    if let Some(space) = device(name) {
        return space;
    }
    let found = find(document, scope, b"ColorSpace", name).map(|space| document.resolve(space));
    match found {
        Some(PdfObject::Name(name)) => device(name).unwrap_or(Space::Other),
        Some(PdfObject::Array(items)) => {
            let item = |at: usize| items.get(at).map(|item| document.resolve(item));
            match item(0).and_then(PdfObject::as_name) {
                Some(b"CalGray") => Space::Gray,
                Some(b"CalRGB") => Space::Rgb,
                Some(b"Separation" | b"DeviceN") => Space::Inks,
                Some(b"ICCBased") => {
                    let profile = item(1).and_then(PdfObject::as_stream);
                    let count = profile.and_then(|it| get(document, &it.dict, b"N")?.as_i64());
                    match count {
                        Some(1) => Space::Gray,
                        Some(3) => Space::Rgb,
                        Some(4) => Space::Cmyk,
                        _ => Space::Other,
                    }
                }
                Some(name) if items.len() == 1 => device(name).unwrap_or(Space::Other),
                _ => Space::Other,
            }
        }
        _ => Space::Other,
    }
}

fn device(name: &[u8]) -> Option<Space> {
    match name {
        b"DeviceGray" | b"G" | b"CalGray" => Some(Space::Gray),
        b"DeviceRGB" | b"RGB" | b"CalRGB" => Some(Space::Rgb),
        b"DeviceCMYK" | b"CMYK" => Some(Space::Cmyk),
        _ => None,
    }
}

/// How transparent the paint is.
#[derive(Clone, Copy)]
pub(crate) struct Veil {
    pub(crate) fill: f32,
    pub(crate) stroke: f32,
    is_blended: bool,
    is_masked: bool,
}

impl Default for Veil {
    fn default() -> Veil {
        Veil { fill: 1.0, stroke: 1.0, is_blended: false, is_masked: false }
    }
}

impl Veil {
    /// Returns whether the paint hides what lies below it.
    pub(crate) fn is_opaque(&self) -> bool {
        self.fill >= 0.99 && self.is_plain()
    }

    /// Returns whether the paint has neither a blend mode nor a mask. Its opacity does not count.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_blended && !self.is_masked
    }

    /// Returns the opacity of a form that is painted as one group, inside of a group with the opacity `outer`.
    pub(crate) fn within(&self, outer: f32) -> f32 {
        outer * self.fill.min(self.stroke)
    }

    /// Applies a `gs` operator.
    pub(crate) fn set(&mut self, document: &RawDocument, scope: ResourceScope, op: &ContentOp) {
        let Some(PdfValue::Name(name)) = op.operands.first() else { return };
        let state = find(document, scope, b"ExtGState", name);
        let Some(PdfObject::Dict(state)) = state.map(|state| document.resolve(state)) else {
            return;
        };
        let number = |key: &[u8]| get(document, state, key).and_then(PdfObject::as_f32);
        self.fill = number(b"ca").unwrap_or(self.fill);
        self.stroke = number(b"CA").unwrap_or(self.stroke);
        let name = |object: &PdfObject| match document.resolve(object) {
            PdfObject::Array(items) => {
                items.first().and_then(PdfObject::as_name).map(<[u8]>::to_vec)
            }
            object => object.as_name().map(<[u8]>::to_vec),
        };
        if let Some(mode) = dict_get(state, b"BM") {
            self.is_blended = name(mode).is_some_and(|it| it != b"Normal" && it != b"Compatible");
        }
        if let Some(mask) = dict_get(state, b"SMask") {
            self.is_masked = name(mask).is_none_or(|name| name != b"None");
        }
    }
}
