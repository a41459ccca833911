//! Pictures of the formats that presentations hold: their type and their size.

/// A picture's format and size in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) extension: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// Reads format and size; `None` if it is no PNG, JPEG or GIF.
pub(crate) fn picture(bytes: &[u8]) -> Option<Picture> {
    let big = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let short = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let found = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        let (width, height) = (big(16)?, big(20)?);
        Picture { extension: "png", media_type: "image/png", width, height }
    } else if bytes.starts_with(b"GIF8") {
        let little = |at: usize| Some(u32::from(short(at)?.swap_bytes()));
        let (width, height) = (little(6)?, little(8)?);
        Picture { extension: "gif", media_type: "image/gif", width, height }
    } else if bytes.starts_with(&[0xff, 0xd8]) {
        let mut at = 2;
        loop {
            let marker = short(at)?;
            if marker >> 8 != 0xff {
                return None;
            }
            // Frames of any coding, but not tables of Huffman and arithmetic coding.
            if matches!(marker, 0xffc0..=0xffcf) && !matches!(marker, 0xffc4 | 0xffc8 | 0xffcc) {
                let (height, width) = (short(at + 5)?.into(), short(at + 7)?.into());
                break Picture { extension: "jpeg", media_type: "image/jpeg", width, height };
            }
            at += match marker {
                0xffff => 1,
                _ => 2 + usize::from(short(at + 2)?),
            };
        }
    } else {
        return None;
    };
    (found.width > 0 && found.height > 0).then_some(found)
}
