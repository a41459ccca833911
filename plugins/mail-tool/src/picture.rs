//! Pictures that every mail program shows: their type and their width.

/// Type and width of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) media_type: &'static str,
    pub(crate) width: u32,
}

/// Reads type and width; `None` if it is no PNG, JPEG or GIF.
pub(crate) fn format(bytes: &[u8]) -> Option<Format> {
    let short = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let (media_type, width) = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        ("image/png", u32::from_be_bytes(bytes.get(16..20)?.try_into().ok()?))
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        ("image/gif", u32::from(short(6)?.swap_bytes()))
    } else if bytes.starts_with(&[0xff, 0xd8]) {
        ("image/jpeg", u32::from(jpeg_width(&short)?))
    } else {
        return None;
    };
    (width > 0).then_some(Format { media_type, width })
}

/// Returns the width in the first frame of a JPEG.
fn jpeg_width(short: &dyn Fn(usize) -> Option<u16>) -> Option<u16> {
    let mut at = 2;
    loop {
        let marker = short(at)?;
        if marker >> 8 != 0xff {
            return None;
        }
        // Frames of any coding, but not tables of Huffman and arithmetic coding.
        if matches!(marker, 0xffc0..=0xffcf) && !matches!(marker, 0xffc4 | 0xffc8 | 0xffcc) {
            return short(at + 7);
        }
        at += match marker {
            0xffff => 1,
            _ => 2 + usize::from(short(at + 2)?),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, format};

    #[test]
    fn formats() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\0\0\0\x01\0".to_vec();
        assert_eq!(format(&png), Some(Format { media_type: "image/png", width: 512 }));
        png.truncate(18);
        assert_eq!(format(&png), None);
        assert_eq!(
            format(b"GIF89a\x10\x01\x02\0"),
            Some(Format { media_type: "image/gif", width: 272 })
        );
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc4\0\x02\xff\xff\xc0\0\x11\x08\0\x10\0\x20\x03";
        assert_eq!(format(jpeg), Some(Format { media_type: "image/jpeg", width: 32 }));
        for bad in [
            &b""[..],
            b"<svg/>",
            b"RIFF\0\0\0\0WEBP",
            b"\xff\xd8\xff\xe0\xff\xff",
            b"GIF89a\0\0\0\0",
        ] {
            assert_eq!(format(bad), None);
        }
    }
}
