//! The logo of a theme: its bytes, whose beginning determines their format.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Most bytes of a logo.
pub const MAX_LOGO_BYTES: usize = 1024 * 1024;

/// Most pixels of a logo, width times height: each takes four bytes when it is decoded.
const MAX_PIXELS: u64 = 16_000_000;

/// The logo of a theme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logo {
    /// Format of the bytes.
    pub kind: LogoKind,
    /// The file. It is not serialized with a theme: code that transmits a theme must transmit the bytes separately.
    #[serde(skip)]
    pub bytes: Arc<[u8]>,
    /// Height on the page, in millimetres.
    pub height: f64,
    /// Description for people who cannot see it.
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
    /// Returns the format by the beginning of a file; `None` for other formats, and for more than 16 million pixels or none.
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

/// Returns width and height from the frame header of a JPEG.
fn jpeg_size(bytes: &[u8]) -> Option<(u16, u16)> {
    let number = |at: usize| bytes.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes);
    let mut at = 2;
    loop {
        let marker = number(at)?;
        match marker {
            // A frame, except for the tables that share the range.
            0xFFC0..=0xFFCF if !matches!(marker, 0xFFC4 | 0xFFC8 | 0xFFCC) => {
                return Some((number(at + 7)?, number(at + 5)?));
            }
            0xFF01..=0xFFFE => at += 2 + usize::from(number(at + 2)?).max(2),
            // Padding bytes.
            0xFFFF => at += 1,
            _ => return None,
        }
    }
}
