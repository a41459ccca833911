//! One entry of an archive with its packed content, which is read and replaced without unpacking it.
//!
//! Knows only plain archives: without 64-bit sizes, and with entries that are deflated or stored.

use crate::zip::inflated;
use std::ops::Range;

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const LOCATOR64: u32 = 0x0706_4b50;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// An entry of an archive.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    name: String,
    method: u16,
    pub(super) crc: u32,
    pub(super) unpacked: usize,
    /// Offset of the local header.
    local: usize,
    /// Where its packed content stands.
    pub(super) data: Range<usize>,
    /// Offset of its record in the directory.
    central: usize,
}

impl Entry {
    pub(super) fn is_deflated(&self) -> bool {
        self.method == DEFLATED
    }

    /// Returns the unpacked content; `None` if it is damaged.
    pub(super) fn read(&self, archive: &[u8]) -> Option<Vec<u8>> {
        let data = archive.get(self.data.clone())?;
        match self.method {
            STORED => Some(data.to_vec()),
            _ => inflated(data, self.unpacked),
        }
    }
}

/// New content of an entry, packed.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) data: Vec<u8>,
    pub(super) crc: u32,
    pub(super) unpacked: usize,
}

/// Returns the entries of an archive; `None` if it is damaged or not plain.
pub(super) fn entries(archive: &[u8]) -> Option<Vec<Entry>> {
    let (end, mut at) = directory(archive)?;
    let mut found = Vec::new();
    for _ in 0..u16_at(archive, end + 10)? {
        if u32_at(archive, at)? != CENTRAL {
            return None;
        }
        let [name, extra, comment] =
            [28, 30, 32].map(|it| u16_at(archive, at + it).map(usize::from));
        let (name, extra, comment) = (name?, extra?, comment?);
        let [packed, unpacked, local] =
            [20, 24, 42].map(|it| u32_at(archive, at + it).filter(|it| *it != u32::MAX));
        let (packed, unpacked, local) = (packed? as usize, unpacked? as usize, local? as usize);
        let (flags, method) = (u16_at(archive, at + 8)?, u16_at(archive, at + 10)?);
        if flags & 1 != 0
            || !matches!(method, STORED | DEFLATED)
            || u32_at(archive, local)? != LOCAL
        {
            return None;
        }
        let lengths = [26, 28].map(|it| u16_at(archive, local + it).map(usize::from));
        let start = local + 30 + lengths[0]? + lengths[1]?;
        found.push(Entry {
            name: String::from_utf8(archive.get(at + 46..at + 46 + name)?.to_vec()).ok()?,
            method,
            crc: u32_at(archive, at + 16)?,
            unpacked,
            local,
            data: start..start.checked_add(packed).filter(|it| *it <= end)?,
            central: at,
        });
        at += 46 + name + extra + comment;
    }
    Some(found)
}

/// Returns the entry of this name.
pub(super) fn find(archive: &[u8], name: &str) -> Option<Entry> {
    entries(archive)?.into_iter().find(|it| it.name.eq_ignore_ascii_case(name))
}

/// Returns an archive with other packed content of an entry.
pub(super) fn replaced(archive: &[u8], entry: &Entry, new: &Packed) -> Option<Vec<u8>> {
    let (end, directory) = directory(archive)?;
    let mut out = Vec::with_capacity(archive.len() - entry.data.len() + new.data.len());
    out.extend(archive.get(..entry.data.start)?);
    put_head(&mut out, entry.local + 8, entry.local + 14, new)?;
    out.extend(&new.data);
    out.extend(archive.get(entry.data.end..directory)?);
    let moved = |offset: usize| offset - entry.data.len() + new.data.len();
    let new_directory = out.len();
    out.extend(archive.get(directory..)?);
    for other in entries(archive)? {
        let at = moved(other.central);
        if other.central == entry.central {
            put_head(&mut out, at + 10, at + 16, new)?;
        } else if other.local > entry.local {
            put_u32(&mut out, at + 42, moved(other.local))?;
        }
    }
    put_u32(&mut out, moved(end) + 16, new_directory)?;
    Some(out)
}

/// Writes method, checksum and sizes, which the local header and the directory have in the same order.
fn put_head(out: &mut [u8], method: usize, sums: usize, new: &Packed) -> Option<()> {
    out.get_mut(method..method + 2)?.copy_from_slice(&DEFLATED.to_le_bytes());
    put_u32(out, sums, new.crc as usize)?;
    put_u32(out, sums + 4, new.data.len())?;
    put_u32(out, sums + 8, new.unpacked)
}

fn put_u32(out: &mut [u8], at: usize, value: usize) -> Option<()> {
    let value = u32::try_from(value).ok()?;
    out.get_mut(at..at + 4)?.copy_from_slice(&value.to_le_bytes());
    Some(())
}

/// Returns the offsets of the end record and of the directory.
fn directory(archive: &[u8]) -> Option<(usize, usize)> {
    let last = archive.len().checked_sub(22)?;
    let lowest = last.saturating_sub(usize::from(u16::MAX));
    let end = (lowest..=last).rev().find(|&at| {
        u32_at(archive, at) == Some(END)
            && u16_at(archive, at + 20).is_some_and(|it| at + 22 + usize::from(it) <= archive.len())
    })?;
    if end >= 20 && u32_at(archive, end - 20) == Some(LOCATOR64) {
        return None;
    }
    let directory = u32_at(archive, end + 16)? as usize;
    (directory <= end).then_some((end, directory))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}
