//! Sizes, colours and styles of text.

/// A colour: red, green, blue.
pub(super) type Rgb = [u8; 3];

pub(super) const BLACK: Rgb = [0, 0, 0];
pub(super) const WHITE: Rgb = [255, 255, 255];
pub(super) const BLUE: Rgb = [0x1F, 0x4E, 0x79];
pub(super) const GREY: Rgb = [0x59, 0x59, 0x59];
pub(super) const LIGHT: Rgb = [0xD0, 0xD7, 0xDE];
/// Background of code and quotations.
pub(super) const PALE: Rgb = [0xF6, 0xF8, 0xFA];
/// Background of code within a line.
pub(super) const CODE_BACK: Rgb = [0xEF, 0xF1, 0xF3];
/// Background of marked text.
pub(super) const MARK_BACK: Rgb = [0xFF, 0xF3, 0xA3];
/// Background of every second row of a table.
pub(super) const STRIPE: Rgb = [0xF3, 0xF6, 0xFA];
pub(super) const LINK: Rgb = [0x05, 0x63, 0xC1];

/// Size of running text, in points.
pub(super) const TEXT_SIZE: f32 = 10.5;
/// Sizes of blocks of code, of headers and footers, of footnotes.
pub(super) const CODE_SIZE: f32 = 8.5;
pub(super) const FRAME_SIZE: f32 = 8.5;
pub(super) const NOTE_SIZE: f32 = 8.9;
/// Size of code within a line, relative to the text around it.
pub(super) const INLINE_CODE: f32 = 0.86;
/// Numbers of footnotes: relative size, and height above the baseline.
pub(super) const RAISED_SIZE: f32 = 0.6;
pub(super) const RAISED_BY: f32 = 0.4;
/// Depth of subscripts below the baseline.
pub(super) const LOWERED_BY: f32 = 0.15;
/// Height of a line without the space between lines, in ems: from the baseline to the top of capitals.
pub(super) const CAP: f32 = 0.72;

/// Returns the colour of a symbol that replaces an emoji.
pub(super) fn sign_color(name: &str) -> Rgb {
    match name {
        "green" => [0x1A, 0x7F, 0x37],
        "red" => [0xCF, 0x22, 0x2E],
        "amber" => [0xC0, 0x8A, 0x00],
        "orange" => [0xD9, 0x69, 0x0F],
        "blue" => [0x09, 0x69, 0xDA],
        "purple" => [0x82, 0x50, 0xDF],
        _ => BLACK,
    }
}

/// Returns a lighter colour; 1 is white.
pub(super) fn lighter(color: Rgb, by: f32) -> Rgb {
    color.map(|part| (f32::from(part) + (255.0 - f32::from(part)) * by).round() as u8)
}

/// Style of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Style {
    /// Size in points.
    pub(super) size: f32,
    pub(super) color: Rgb,
    pub(super) is_bold: bool,
    pub(super) is_italic: bool,
    pub(super) is_mono: bool,
    /// `true` if it has the background of code.
    pub(super) is_code: bool,
    pub(super) is_struck: bool,
    /// `true` if Chinese has dots below, because it has no italics.
    pub(super) has_dots: bool,
    /// `true` if it is small and raised, or lowered if `is_lowered` is set as well.
    pub(super) is_raised: bool,
    pub(super) is_lowered: bool,
    pub(super) is_underlined: bool,
    /// `true` if it has the background of a text marker.
    pub(super) is_marked: bool,
    /// Index of its link.
    pub(super) link: Option<u32>,
}

impl Style {
    pub(super) fn new(size: f32) -> Style {
        Style {
            size,
            color: BLACK,
            is_bold: false,
            is_italic: false,
            is_mono: false,
            is_code: false,
            is_struck: false,
            has_dots: false,
            is_raised: false,
            is_lowered: false,
            is_underlined: false,
            is_marked: false,
            link: None,
        }
    }

    pub(super) fn bold(self) -> Style {
        Style { is_bold: true, ..self }
    }

    pub(super) fn colored(self, color: Rgb) -> Style {
        Style { color, ..self }
    }
}
