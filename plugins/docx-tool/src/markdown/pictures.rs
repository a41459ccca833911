//! Pictures in the text of Markdown.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Returns the bytes that a picture needs in the text, with the rest of its Markdown.
pub(super) fn length(bytes: &[u8]) -> usize {
    bytes.len().div_ceil(3) * 4 + 64
}

/// Returns a picture as an address that contains it.
pub(super) fn address(media: &str, bytes: &[u8]) -> String {
    format!("data:{media};base64,{}", STANDARD.encode(bytes))
}

/// Returns the media type of a picture that the host draws.
pub(super) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        Some("image/jpeg")
    } else if bytes.starts_with(b"GIF8") {
        Some("image/gif")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}
