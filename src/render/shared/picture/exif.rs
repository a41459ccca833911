//! Metadata that cameras write into a picture: orientation and resolution.

/// Most entries of a directory that are read. Cameras write about twenty.
const MAX_ENTRIES: u16 = 200;

const ORIENTATION: u16 = 0x0112;
const X_RESOLUTION: u16 = 0x011A;
const Y_RESOLUTION: u16 = 0x011B;
const UNIT: u16 = 0x0128;

#[derive(Debug, Default, PartialEq)]
pub(super) struct Exif {
    /// Orientation from 1 to 8, as in the standard; 1 is upright.
    pub(super) orientation: Option<u8>,
    /// Pixels per inch.
    pub(super) dpi: Option<(f64, f64)>,
}

/// Reads the first directory of `data`, which begins with its byte order. Invalid data is ignored.
pub(super) fn read(data: &[u8]) -> Exif {
    let little = match data.get(..4) {
        Some(b"II*\0") => true,
        Some(b"MM\0*") => false,
        _ => return Exif::default(),
    };
    let tiff = Tiff { data, little };
    tiff.first_directory().unwrap_or_default()
}

struct Tiff<'a> {
    data: &'a [u8],
    little: bool,
}

impl Tiff<'_> {
    fn first_directory(&self) -> Option<Exif> {
        let start = self.long(4)?;
        let count = self.short(start)?.min(MAX_ENTRIES);
        let mut exif = Exif::default();
        let (mut x, mut y, mut unit) = (None, None, 2);
        for index in 0..usize::from(count) {
            let entry = start.checked_add(2 + 12 * index)?;
            let Some(tag) = self.short(entry) else { break };
            let value = entry + 8;
            match tag {
                ORIENTATION => {
                    let orientation = self.short(value).and_then(|it| u8::try_from(it).ok());
                    exif.orientation = orientation.filter(|it| (1..=8).contains(it));
                }
                X_RESOLUTION => x = self.ratio(value),
                Y_RESOLUTION => y = self.ratio(value),
                UNIT => unit = self.short(value).unwrap_or(2),
                _ => {}
            }
        }
        exif.dpi = match (x, y, unit) {
            (Some(x), Some(y), 2) => Some((x, y)),
            (Some(x), Some(y), 3) => Some((x * 2.54, y * 2.54)),
            _ => None,
        };
        Some(exif)
    }

    fn ratio(&self, at: usize) -> Option<f64> {
        let at = self.long(at)?;
        let (above, below) = (self.long(at)?, self.long(at.checked_add(4)?)?);
        (below > 0).then(|| above as f64 / below as f64)
    }

    fn short(&self, at: usize) -> Option<u16> {
        let bytes = self.data.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if self.little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    }

    fn long(&self, at: usize) -> Option<usize> {
        let bytes = self.data.get(at..at.checked_add(4)?)?.try_into().ok()?;
        let value = if self.little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) };
        usize::try_from(value).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::exif;
    use super::*;

    #[test]
    fn the_side_that_is_up_is_read_in_both_orders() {
        for orientation in 1..=8 {
            for little in [true, false] {
                let read = read(&exif(orientation, little));
                assert_eq!(read.orientation, Some(u8::try_from(orientation).unwrap()));
                assert_eq!(read.dpi, Some((300.0, 300.0)));
            }
        }
        assert_eq!(read(&exif(9, true)).orientation, None);
    }

    #[test]
    fn what_is_cut_off_or_lies_says_nothing() {
        let whole = exif(6, true);
        for length in 0..whole.len() {
            let _ = read(&whole[..length]);
        }
        for at in 4..whole.len() {
            let mut broken = whole.clone();
            broken[at] = 0xFF;
            let _ = read(&broken);
        }
        assert_eq!(read(b"II*\0\xFF\xFF\xFF\xFF"), Exif::default());
    }
}
