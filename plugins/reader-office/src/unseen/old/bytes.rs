//! Reads numbers out of bytes.

pub(super) fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*data.get(at..)?.first_chunk()?))
}

pub(super) fn i16_at(data: &[u8], at: usize) -> Option<i16> {
    Some(u16_at(data, at)?.cast_signed())
}

pub(super) fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*data.get(at..)?.first_chunk()?))
}

pub(super) fn i32_at(data: &[u8], at: usize) -> Option<i32> {
    Some(u32_at(data, at)?.cast_signed())
}

/// Returns a number of 32 bits as an index.
pub(super) fn index_at(data: &[u8], at: usize) -> Option<usize> {
    Some(u32_at(data, at)? as usize)
}
