//! Splits an old workbook into records.

use crate::bytes::u16_at;

pub(super) const CONTINUE: u16 = 0x003C;
pub(super) const EOF: u16 = 0x000A;

/// A record, with the records that continue it.
pub(super) struct Record<'a> {
    pub(super) id: u16,
    pub(super) data: &'a [u8],
    pub(super) continued: Vec<&'a [u8]>,
}

/// The records of a stream, up to its end or to a truncated record.
pub(super) struct Records<'a> {
    stream: &'a [u8],
    /// `true` if the last record is truncated.
    pub(super) is_cut: bool,
}

impl<'a> Records<'a> {
    pub(super) fn new(stream: &'a [u8]) -> Self {
        Self { stream, is_cut: false }
    }

    /// Returns the number of bytes after the records that were read.
    pub(super) fn left(&self) -> usize {
        self.stream.len()
    }

    fn split(&self) -> Option<(u16, &'a [u8], &'a [u8])> {
        let (id, length) = (u16_at(self.stream, 0)?, u16_at(self.stream, 2)?);
        let (data, rest) = self.stream[4..].split_at_checked(length.into())?;
        Some((id, data, rest))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let Some((id, data, rest)) = self.split() else {
            self.is_cut = true;
            return None;
        };
        self.stream = rest;
        let mut continued = Vec::new();
        while let Some((CONTINUE, more, rest)) = self.split() {
            continued.push(more);
            self.stream = rest;
        }
        Some(Record { id, data, continued })
    }
}

/// Version of a workbook, from its first record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    Two,
    Three,
    Four,
    /// Excel 5 and 95.
    Five,
    /// Excel 97 to 2003.
    Eight,
}

/// Type of a substream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Globals,
    Worksheet,
    Chart,
    Macros,
    Other,
}

/// Returns the content of a BOF record; `None` for another record.
pub(super) fn beginning(record: &Record<'_>) -> Option<(Version, Part)> {
    let stated = u16_at(record.data, 0)?;
    let part = match u16_at(record.data, 2)? {
        0x0005 | 0x0100 => Part::Globals,
        0x0010 => Part::Worksheet,
        0x0020 => Part::Chart,
        0x0006 | 0x0040 => Part::Macros,
        _ => Part::Other,
    };
    let version = match record.id {
        0x0009 => Version::Two,
        0x0209 => Version::Three,
        0x0409 => Version::Four,
        0x0809 => match stated {
            0x0600 => Version::Eight,
            0x0200 => Version::Two,
            0x0300 => Version::Three,
            0x0400 => Version::Four,
            // Small programs leave it zero and write for Excel 5.
            _ => Version::Five,
        },
        _ => return None,
    };
    Some((version, part))
}

pub(super) fn is_beginning(id: u16) -> bool {
    matches!(id, 0x0009 | 0x0209 | 0x0409 | 0x0809)
}
