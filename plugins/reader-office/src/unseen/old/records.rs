//! Splits slides and drawings into records.

use super::bytes::{index_at, u16_at};

/// A record of slides or of a drawing.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) kind: u16,
    pub(super) instance: u16,
    /// Place of `data` in the stream.
    pub(super) at: usize,
    pub(super) data: &'a [u8],
}

impl<'a> Record<'a> {
    /// Returns the record at a place in a stream.
    pub(super) fn read(stream: &'a [u8], at: usize) -> Option<Self> {
        let head = stream.get(at..)?;
        let (version, kind, length) = (u16_at(head, 0)?, u16_at(head, 2)?, index_at(head, 4)?);
        let data = head.get(8..8usize.checked_add(length)?)?;
        Some(Self { kind, instance: version >> 4, at: at + 8, data })
    }

    /// Returns the records in this one.
    pub(super) fn inner(self) -> Records<'a> {
        Records { data: self.data, start: self.at, at: 0 }
    }

    pub(super) fn child(self, kind: u16) -> Option<Record<'a>> {
        self.inner().find(|record| record.kind == kind)
    }
}

/// The records of some bytes, up to their end or to a truncated record.
pub(super) struct Records<'a> {
    data: &'a [u8],
    /// Place of the bytes in the stream.
    start: usize,
    at: usize,
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let record = Record::read(self.data, self.at)?;
        self.at = record.at + record.data.len();
        Some(Record { at: record.at + self.start, ..record })
    }
}
