//! Reads the header of a picture: type, size, resolution, orientation. Decodes no pixels and takes no memory, so that a few
//! bytes that promise ten thousand megapixels are detected first.

use super::exif;

/// Most pixels of a picture: 50 million, as the best cameras make. Decoded, they take 200 MB.
pub(super) const MAX_PIXELS: u64 = 50_000_000;

/// Longest side of a picture, in pixels.
pub(super) const MAX_SIDE: u32 = 32_767;

/// Pixels per inch of a picture without a resolution: those of a screen.
const DEFAULT_DPI: f64 = 96.0;

/// Plausible resolutions. Cameras write 1, and screens 72 to 300.
const LIKELY_DPI: std::ops::RangeInclusive<f64> = 20.0..=2_400.0;

/// Format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Format {
    Png,
    Jpeg,
    Gif,
    Webp,
    Svg,
}

impl Format {
    /// Returns the extension of its files.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Format::Png => "png",
            Format::Jpeg => "jpg",
            Format::Gif => "gif",
            Format::Webp => "webp",
            Format::Svg => "svg",
        }
    }

    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Format::Png => "image/png",
            Format::Jpeg => "image/jpeg",
            Format::Gif => "image/gif",
            Format::Webp => "image/webp",
            Format::Svg => "image/svg+xml",
        }
    }
}

/// Header of a pixel image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Head {
    pub(super) format: Format,
    /// Size in pixels, as stored.
    pub(super) width: u32,
    pub(super) height: u32,
    /// Pixels per inch, as stored.
    pub(super) dpi: (f64, f64),
    /// Orientation from 1 to 8, as in camera metadata; 1 is upright.
    pub(super) orientation: u8,
}

impl Head {
    /// Returns `true` if width and height are exchanged when it is shown.
    pub(super) fn is_sideways(&self) -> bool {
        self.orientation >= 5
    }

    /// Returns width and height as shown, in points.
    pub(super) fn points(&self) -> (f64, f64) {
        let width = f64::from(self.width) * 72.0 / self.dpi.0;
        let height = f64::from(self.height) * 72.0 / self.dpi.1;
        if self.is_sideways() { (height, width) } else { (width, height) }
    }

    pub(super) fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// Returns the format of a file by its first bytes, whatever its name.
pub(super) fn format(bytes: &[u8]) -> Option<Format> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some(Format::Png),
        [0xFF, 0xD8, 0xFF, ..] => Some(Format::Jpeg),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Format::Gif),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Format::Webp),
        _ => is_svg(bytes).then_some(Format::Svg),
    }
}

/// Returns `true` if a file begins like a drawing.
fn is_svg(bytes: &[u8]) -> bool {
    let start = bytes.get(..bytes.len().min(4_096)).unwrap_or_default();
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    start.starts_with(b"<") && start.windows(4).any(|four| four == b"<svg")
}

/// Reads the header of a pixel image.
///
/// # Errors
///
/// It is truncated, damaged or too large. The text says so.
pub(super) fn read(format: Format, bytes: &[u8]) -> Result<Head, String> {
    let found = match format {
        Format::Png => png(bytes),
        Format::Jpeg => jpeg(bytes),
        Format::Gif => gif(bytes),
        Format::Webp => webp(bytes),
        Format::Svg => None,
    };
    let head = found.ok_or_else(|| "the file is damaged or cut short".to_owned())?;
    if head.width == 0 || head.height == 0 {
        return Err("it has no pixels".to_owned());
    }
    if head.pixels() > MAX_PIXELS || head.width.max(head.height) > MAX_SIDE {
        return Err(format!(
            "expected at most {} million pixels and {MAX_SIDE} on a side, got {} x {}",
            MAX_PIXELS / 1_000_000,
            head.width,
            head.height
        ));
    }
    Ok(head)
}

/// Returns a header with its resolution, if that is plausible.
fn head(format: Format, (width, height): (u32, u32), dpi: Option<(f64, f64)>, side: u8) -> Head {
    let is_likely = |dpi: &(f64, f64)| LIKELY_DPI.contains(&dpi.0) && LIKELY_DPI.contains(&dpi.1);
    let dpi = dpi.filter(is_likely).unwrap_or((DEFAULT_DPI, DEFAULT_DPI));
    Head { format, width, height, dpi, orientation: side }
}

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn big_short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn little_short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// Walks over all chunks, because the last one shows that the file is complete.
fn png(bytes: &[u8]) -> Option<Head> {
    let mut at = 8;
    let mut size = None;
    let (mut dpi, mut side) = (None, 1);
    loop {
        let length = usize::try_from(big(bytes, at)?).ok()?;
        let kind = bytes.get(at + 4..at + 8)?;
        let data = bytes.get(at + 8..(at + 8).checked_add(length)?)?;
        // Its head, its data, its checksum.
        let next = at.checked_add(12 + length).filter(|next| *next <= bytes.len())?;
        match kind {
            b"IHDR" => size = Some((big(data, 0)?, big(data, 4)?)),
            // Pixels per metre.
            b"pHYs" if data.get(8) == Some(&1) => {
                let of_inch = |at| big(data, at).map(|it| f64::from(it) * 0.0254);
                dpi = of_inch(0).zip(of_inch(4));
            }
            b"eXIf" => side = exif::read(data).orientation.unwrap_or(1),
            b"IEND" => break,
            _ => {}
        }
        at = next;
    }
    Some(head(Format::Png, size?, dpi, side))
}

fn jpeg(bytes: &[u8]) -> Option<Head> {
    let mut at = 2;
    let mut size = None;
    let (mut dpi, mut of_camera) = (None, exif::Exif::default());
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            // Padding, and markers without content.
            0xFF => {
                at += 1;
                continue;
            }
            0x01 | 0xD0..=0xD8 => {
                at += 2;
                continue;
            }
            0xD9 => return None,
            _ => {}
        }
        let length = usize::from(big_short(bytes, at + 2)?);
        let data = bytes.get(at + 4..(at + 2).checked_add(length.max(2))?)?;
        match marker {
            // The first one counts; others belong to thumbnails.
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF if size.is_none() => {
                size = Some((u32::from(big_short(data, 3)?), u32::from(big_short(data, 1)?)));
            }
            0xE0 if data.starts_with(b"JFIF\0") => {
                let of = |at, scale| big_short(data, at).map(|it| f64::from(it) * scale);
                dpi = match data.get(7) {
                    Some(1) => of(8, 1.0).zip(of(10, 1.0)),
                    Some(2) => of(8, 2.54).zip(of(10, 2.54)),
                    _ => None,
                };
            }
            0xE1 if data.starts_with(b"Exif\0\0") => of_camera = exif::read(&data[6..]),
            // From here on it is image data, which must have an end.
            0xDA => {
                let rest = bytes.get(at..)?;
                rest.windows(2).rposition(|pair| pair == [0xFF, 0xD9])?;
                break;
            }
            _ => {}
        }
        at += 2 + length.max(2);
    }
    let dpi = dpi.or(of_camera.dpi);
    Some(head(Format::Jpeg, size?, dpi, of_camera.orientation.unwrap_or(1)))
}

fn gif(bytes: &[u8]) -> Option<Head> {
    let size = (u32::from(little_short(bytes, 6)?), u32::from(little_short(bytes, 8)?));
    // The colours and a first image.
    (bytes.len() > 13).then(|| head(Format::Gif, size, None, 1))
}

fn webp(bytes: &[u8]) -> Option<Head> {
    let length = usize::try_from(u32::from_le_bytes(bytes.get(4..8)?.try_into().ok()?)).ok()?;
    let bytes = bytes.get(..length.checked_add(8)?)?;
    let triple = |data: &[u8], at: usize| {
        let three: [u8; 3] = data.get(at..at + 3)?.try_into().ok()?;
        Some(u32::from_le_bytes([three[0], three[1], three[2], 0]))
    };
    let mut at = 12;
    let mut size = None;
    let mut side = 1;
    while let Some(kind) = bytes.get(at..at + 4) {
        let length =
            usize::try_from(u32::from_le_bytes(bytes.get(at + 4..at + 8)?.try_into().ok()?))
                .ok()?;
        let data = bytes.get(at + 8..(at + 8).checked_add(length)?)?;
        let found = match kind {
            b"VP8X" => Some((triple(data, 4)? + 1, triple(data, 7)? + 1)),
            b"VP8L" if data.first() == Some(&0x2F) => {
                let bits = u32::from_le_bytes(data.get(1..5)?.try_into().ok()?);
                Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
            }
            b"VP8 " if data.get(3..6) == Some(&[0x9D, 0x01, 0x2A]) => {
                let side = |at| little_short(data, at).map(|it| u32::from(it & 0x3FFF));
                Some((side(6)?, side(8)?))
            }
            b"EXIF" => {
                let data = data.strip_prefix(b"Exif\0\0").unwrap_or(data);
                side = exif::read(data).orientation.unwrap_or(1);
                None
            }
            _ => None,
        };
        size = size.or(found);
        // Parts have an even length.
        at = (at + 8).checked_add(length + length % 2)?;
    }
    Some(head(Format::Webp, size?, None, side))
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    fn of(bytes: &[u8]) -> Result<Head, String> {
        read(format(bytes).unwrap(), bytes)
    }

    #[test]
    fn heads_say_type_size_and_resolution() {
        let png = of(&samples::png(3, 2, Some(300))).unwrap();
        assert_eq!((png.format, png.width, png.height), (Format::Png, 3, 2));
        assert!((png.dpi.0 - 300.0).abs() < 0.1, "{png:?}");
        assert!((png.points().0 - 0.72).abs() < 0.001);
        assert_eq!(of(&samples::png(3, 2, None)).unwrap().dpi, (96.0, 96.0));
        // Implausible values are ignored.
        assert_eq!(of(&samples::png(3, 2, Some(1))).unwrap().dpi, (96.0, 96.0));

        let jpeg = of(&samples::jpeg(40, 30, 6)).unwrap();
        assert_eq!((jpeg.format, jpeg.width, jpeg.height), (Format::Jpeg, 40, 30));
        assert_eq!((jpeg.orientation, jpeg.dpi), (6, (300.0, 300.0)));
        let (width, height) = jpeg.points();
        assert!(width < height, "{width} {height}");

        let gif = of(&samples::gif(5, 4)).unwrap();
        assert_eq!((gif.format, gif.width, gif.height), (Format::Gif, 5, 4));
        let webp = of(&samples::webp(7, 6)).unwrap();
        assert_eq!((webp.format, webp.width, webp.height), (Format::Webp, 7, 6));
        assert_eq!(format(b"  <svg xmlns='x'/>"), Some(Format::Svg));
        for other in [&b"RIFF\0\0\0\0WAVE"[..], b"%PDF-1.7", b"", b"\x89PNG", b"BM1234", b"hello"] {
            assert_eq!(format(other), None);
        }
    }

    #[test]
    fn all_three_kinds_of_webp_say_their_size() {
        let part = |kind: &[u8], data: &[u8]| {
            let mut bytes = b"RIFF\0\0\0\0WEBP".to_vec();
            bytes.extend(kind);
            bytes.extend((data.len() as u32).to_le_bytes());
            bytes.extend(data);
            bytes.extend(vec![0; data.len() % 2]);
            let length = bytes.len() as u32 - 8;
            bytes[4..8].copy_from_slice(&length.to_le_bytes());
            let head = of(&bytes).unwrap();
            (head.width, head.height)
        };
        assert_eq!(part(b"VP8X", &[0, 0, 0, 0, 0xFF, 0, 0, 0x1F, 0, 0]), (256, 32));
        assert_eq!(part(b"VP8L", &[0x2F, 0x1F, 0xC0, 0x03, 0]), (32, 16));
        assert_eq!(part(b"VP8 ", &[0, 0, 0, 0x9D, 1, 0x2A, 0x20, 0, 0x10, 0, 0]), (32, 16));
    }

    #[test]
    fn a_bomb_is_told_by_its_head() {
        let mut bomb = samples::png(1, 1, None);
        bomb[16..20].copy_from_slice(&100_000_u32.to_be_bytes());
        bomb[20..24].copy_from_slice(&100_000_u32.to_be_bytes());
        assert_eq!(
            of(&bomb).unwrap_err(),
            "expected at most 50 million pixels and 32767 on a side, got 100000 x 100000"
        );
        for (width, height, fits) in [
            (10_000_u32, 5_000_u32, true),
            (10_000, 5_001, false),
            (32_767, 1, true),
            (32_768, 1, false),
            (0, 5, false),
        ] {
            bomb[16..20].copy_from_slice(&width.to_be_bytes());
            bomb[20..24].copy_from_slice(&height.to_be_bytes());
            assert_eq!(of(&bomb).is_ok(), fits, "{width} x {height}");
        }
    }

    #[test]
    fn what_is_cut_short_is_no_picture_and_nothing_panics() {
        let files = [
            samples::png(9, 9, Some(96)),
            samples::jpeg(9, 9, 3),
            samples::gif(9, 9),
            samples::webp(9, 9),
        ];
        for file in files {
            let whole = of(&file).unwrap();
            for length in 0..file.len() {
                if let Some(format) = format(&file[..length]) {
                    let cut = read(format, &file[..length]);
                    // A GIF does not state its length.
                    assert!(cut.is_err() || format == Format::Gif, "{length} of {whole:?}");
                }
            }
            for at in 0..file.len() {
                for byte in [0, 0x7F, 0xFF] {
                    let mut broken = file.clone();
                    broken[at] = byte;
                    if let Some(format) = format(&broken) {
                        let _ = read(format, &broken);
                    }
                }
            }
        }
    }
}
