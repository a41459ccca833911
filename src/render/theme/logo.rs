//! The picture of a theme: its bytes, and what they are by their beginning.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Largest logo, in bytes.
pub const MAX_LOGO_BYTES: usize = 1024 * 1024;

/// Most pixels of a logo, wide times high: decoded, each takes four bytes.
const MAX_PIXELS: u64 = 16_000_000;

/// A picture that a theme brings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logo {
    /// What the bytes are.
    pub kind: LogoKind,
    /// The file. Not part of a theme that is serialized: who hands one on hands these on beside it.
    #[serde(skip)]
    pub bytes: Arc<[u8]>,
    /// How high it is drawn, in millimetres.
    pub height: f64,
    /// What it shows, for whoever does not see it.
    pub description: String,
}

/// Formats of logos.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogoKind {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
}

impl LogoKind {
    /// By the beginning of a file; none where it is neither, or says no size, or is larger than 16 million pixels.
    pub fn of(bytes: &[u8]) -> Option<LogoKind> {
        let (kind, width, height) = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
            (LogoKind::Png, number(16)?, number(20)?)
        } else if bytes.starts_with(b"\xFF\xD8\xFF") {
            let (width, height) = jpeg_size(bytes)?;
            (LogoKind::Jpeg, u32::from(width), u32::from(height))
        } else {
            return None;
        };
        let pixels = u64::from(width) * u64::from(height);
        (1..=MAX_PIXELS).contains(&pixels).then_some(kind)
    }
}

/// Width and height out of the frame header of a JPEG.
fn jpeg_size(bytes: &[u8]) -> Option<(u16, u16)> {
    let number = |at: usize| bytes.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes);
    let mut at = 2;
    loop {
        let marker = number(at)?;
        match marker {
            // A frame, but for the tables that share the range.
            0xFFC0..=0xFFCF if !matches!(marker, 0xFFC4 | 0xFFC8 | 0xFFCC) => {
                return Some((number(at + 7)?, number(at + 5)?));
            }
            0xFF01..=0xFFFE => at += 2 + usize::from(number(at + 2)?).max(2),
            // Bytes that fill up.
            0xFFFF => at += 1,
            _ => return None,
        }
    }
}
