//! Splits binary parts into records.

use crate::bytes::{u32_at, utf16};
use std::io::{BufReader, Read};

/// Longest record that is read, in bytes. A cell holds 32 767 characters, and no other record is longer.
const MAX_LENGTH: usize = 16 << 20;

/// The records of a part, up to its end or to a truncated record.
pub(super) struct Records<R> {
    part: BufReader<R>,
    data: Vec<u8>,
    /// `true` if the part ends within a record.
    pub(super) is_cut: bool,
}

impl<R: Read> Records<R> {
    pub(super) fn new(part: R) -> Self {
        Self { part: BufReader::new(part), data: Vec::new(), is_cut: false }
    }

    /// Returns the type and the data of the next record.
    pub(super) fn next(&mut self) -> Option<(u16, &[u8])> {
        let first = self.byte()?;
        self.is_cut = true;
        let mut id = u16::from(first);
        if first & 0x80 != 0 {
            id = (id & 0x7F) | u16::from(self.byte()? & 0x7F) << 7;
        }
        let mut length = 0;
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            length |= usize::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        if length > MAX_LENGTH {
            return None;
        }
        self.data.clear();
        let read = self.part.by_ref().take(length as u64).read_to_end(&mut self.data).ok()?;
        if read < length {
            return None;
        }
        self.is_cut = false;
        Some((id, &self.data))
    }

    fn byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        self.part.read_exact(&mut byte).ok()?;
        Some(byte[0])
    }
}

/// Returns text after its number of characters, and the data after it.
pub(super) fn wide_text(data: &[u8]) -> Option<(String, &[u8])> {
    let length = (u32_at(data, 0)? as usize).checked_mul(2)?;
    let (text, rest) = data[4..].split_at_checked(length)?;
    Some((utf16(text), rest))
}
