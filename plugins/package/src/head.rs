//! Header and data of an entry that is written.

use crate::number::{CENTRAL, LOCAL, u16_at, without_zip64};
use miniz_oxide::deflate::compress_to_vec;

/// Larger parts are compressed at the fastest level, 8 MiB.
const FAST_BYTES: usize = 8 << 20;

/// Header and data of an entry that is written.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) local: Vec<u8>,
    pub(crate) data: Vec<u8>,
    method: u16,
    crc: u32,
    packed: u32,
    unpacked: u32,
}

impl Head {
    fn compressed(content: &[u8]) -> Option<Self> {
        // Large sheets are packed fast; a tenth more bytes is cheaper than seconds.
        let level = if content.len() > FAST_BYTES { 1 } else { 6 };
        let data = compress_to_vec(content, level);
        let (method, data) =
            if data.len() < content.len() { (8, data) } else { (0, content.to_vec()) };
        Some(Self {
            local: Vec::new(),
            method,
            crc: crc32fast::hash(content),
            packed: u32::try_from(data.len()).ok()?,
            unpacked: u32::try_from(content.len()).ok()?,
            data,
        })
    }

    /// Makes an entry that the archive did not have.
    pub(crate) fn new(name: &[u8], content: &[u8]) -> Option<Self> {
        let mut head = Self::compressed(content)?;
        let mut local = LOCAL.to_le_bytes().to_vec();
        head.write_fields(&mut local, name)?;
        local.extend(name);
        head.local = local;
        Some(head)
    }

    /// Makes an entry out of the local header and the extra fields of an old one. It keeps name, time and extra fields.
    pub(crate) fn renewed(header: &[u8], extra: &[u8], content: &[u8]) -> Option<Self> {
        let mut head = Self::compressed(content)?;
        let mut local = header.to_vec();
        let extra = without_zip64(extra);
        // The sizes stand in front of the data, so no descriptor follows it.
        let flags = u16_at(&local, 6)? & (1 << 11);
        local[6..8].copy_from_slice(&flags.to_le_bytes());
        local[8..10].copy_from_slice(&head.method.to_le_bytes());
        local[14..26].copy_from_slice(&head.sizes());
        local[28..30].copy_from_slice(&u16::try_from(extra.len()).ok()?.to_le_bytes());
        local.extend(extra);
        head.local = local;
        Some(head)
    }

    /// Sets what differs in a record of the directory that was copied to `at`.
    pub(crate) fn put_central(&self, out: &mut [u8], at: usize) -> Option<()> {
        let flags = u16_at(out, at + 8)? & (1 << 11);
        out[at + 8..at + 10].copy_from_slice(&flags.to_le_bytes());
        out[at + 10..at + 12].copy_from_slice(&self.method.to_le_bytes());
        out[at + 16..at + 28].copy_from_slice(&self.sizes());
        Some(())
    }

    pub(crate) fn write_central(&self, out: &mut Vec<u8>, name: &[u8], at: u32) -> Option<()> {
        out.extend(CENTRAL.to_le_bytes());
        out.extend(20_u16.to_le_bytes());
        self.write_fields(out, name)?;
        // No comment, first disk, no attributes.
        out.extend([0; 10]);
        out.extend(at.to_le_bytes());
        out.extend(name);
        Some(())
    }

    /// Writes what the local header and the directory have in common.
    fn write_fields(&self, out: &mut Vec<u8>, name: &[u8]) -> Option<()> {
        let flags = if name.is_ascii() { 0_u16 } else { 1 << 11 };
        out.extend(20_u16.to_le_bytes());
        out.extend(flags.to_le_bytes());
        out.extend(self.method.to_le_bytes());
        // Midnight of 1980-01-01, which Office writes too.
        out.extend([0, 0, 0x21, 0]);
        out.extend(self.sizes());
        out.extend(u16::try_from(name.len()).ok()?.to_le_bytes());
        out.extend([0; 2]);
        Some(())
    }

    fn sizes(&self) -> [u8; 12] {
        let mut out = [0; 12];
        for (at, number) in [self.crc, self.packed, self.unpacked].into_iter().enumerate() {
            out[4 * at..4 * at + 4].copy_from_slice(&number.to_le_bytes());
        }
        out
    }
}
