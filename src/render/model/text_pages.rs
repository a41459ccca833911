//! Texts that are set for use inside of another PDF: the request.

use crate::{Cancel, FontSet};

/// Most texts of one request.
pub const MAX_TEXT_PAGES: usize = 5_000;

/// Side at which lines stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextAlign {
    /// At the left.
    #[default]
    Left,
    /// In the middle.
    Center,
    /// At the right.
    Right,
}

/// Texts to set, each on a transparent page as large as the text.
#[derive(Clone, Debug)]
pub struct TextPages {
    /// The texts, at most [`MAX_TEXT_PAGES`], with 200 000 characters in all. A line break begins a new line.
    pub texts: Vec<String>,
    /// Size of the letters in points, from 1 to 500.
    pub size: f64,
    /// Red, green and blue.
    pub color: [u8; 3],
    /// `true` for bold letters.
    pub bold: bool,
    /// Width of the lines in points, from 1 to 14 400: longer lines wrap. `None` lets lines be as long as they are.
    pub width: Option<f64>,
    /// Side at which the lines stand.
    pub align: TextAlign,
    /// Fonts beside the bundled ones.
    pub fonts: FontSet,
    /// Ends the work early.
    pub cancel: Cancel,
}
