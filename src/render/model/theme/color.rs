//! A colour in the notation `#rrggbb`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A colour without transparency, as red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Color([u8; 3]);

impl Color {
    /// Creates a colour from red, green and blue.
    pub const fn new(red: u8, green: u8, blue: u8) -> Color {
        Color([red, green, blue])
    }

    /// Parses `#rrggbb` or `#rgb`, as in style sheets; `None` for any other text.
    pub fn parse(text: &str) -> Option<Color> {
        let digits = text.strip_prefix('#')?;
        let digit = |at: usize| {
            let c = char::from(*digits.as_bytes().get(at)?);
            c.to_digit(16).and_then(|value| u8::try_from(value).ok())
        };
        let pair = |at: usize| Some(digit(at)? * 16 + digit(at + 1)?);
        match digits.len() {
            3 => Some(Color([digit(0)? * 17, digit(1)? * 17, digit(2)? * 17])),
            6 => Some(Color([pair(0)?, pair(2)?, pair(4)?])),
            _ => None,
        }
    }

    /// Returns the contrast to `other` by WCAG 2.2, from 1 (none) to 21.
    pub fn contrast(self, other: Color) -> f64 {
        let (this, other) = (self.luminance(), other.luminance());
        (this.max(other) + 0.05) / (this.min(other) + 0.05)
    }

    /// Returns white or black, whichever is more legible on this colour.
    pub fn ink(self) -> Color {
        let (white, black) = (Color::new(0xFF, 0xFF, 0xFF), Color::new(0, 0, 0));
        if self.contrast(white) >= self.contrast(black) { white } else { black }
    }

    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl From<Color> for String {
    fn from(color: Color) -> String {
        color.to_string()
    }
}

impl TryFrom<String> for Color {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Color, &'static str> {
        Color::parse(&text).ok_or("expected a colour such as `#1f4e79`")
    }
}
