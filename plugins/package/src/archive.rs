//! An archive in memory: its directory, and the contents of its parts.

use crate::inflate::inflated;
use crate::number::{CENTRAL, END, END64, LOCAL, LOCATOR64, u16_at, u32_at, u64_at};
use std::collections::BTreeMap;
use std::ops::Range;

/// Most entries of an archive. Word writes below 100; a book with a picture on each page has about 5 000.
pub const MAX_ENTRIES: usize = 20_000;
/// Most bytes that one part may have unpacked, 128 MiB: `document.xml` of 10 000 pages has about 100 MB, a sheet of
/// 2 000 000 cells too.
pub const MAX_PART_BYTES: usize = 128 << 20;
/// Most bytes that all parts may have unpacked, 512 MiB.
pub const MAX_TOTAL_BYTES: u64 = 512 << 20;

pub(crate) const DAMAGED: &str = "the ZIP archive is damaged";

/// One file of the archive.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    unpacked: u64,
    /// Offset of the local header.
    pub(crate) offset: u64,
    /// Range of its record in the central directory.
    pub(crate) central: Range<usize>,
}

/// An archive in memory.
#[derive(Clone, Debug)]
pub struct Zip {
    pub(crate) bytes: Vec<u8>,
    pub(crate) entries: Vec<Entry>,
    /// Index of each entry by its name in lower case: names of parts do not distinguish case.
    by_name: BTreeMap<String, usize>,
    /// Offset of the central directory.
    pub(crate) directory: usize,
    /// Offset behind the central directory.
    pub(crate) directory_end: usize,
    /// Offset of the end record, and of its 64-bit form.
    pub(crate) end: usize,
    pub(crate) end64: Option<usize>,
}

impl Zip {
    /// Returns an archive without entries, to which [`Self::rewrite`] adds some.
    pub fn empty() -> Self {
        let mut bytes = END.to_le_bytes().to_vec();
        bytes.resize(22, 0);
        Self {
            bytes,
            entries: Vec::new(),
            by_name: BTreeMap::new(),
            directory: 0,
            directory_end: 0,
            end: 0,
            end64: None,
        }
    }

    /// Reads the directory of an archive.
    ///
    /// # Errors
    /// One sentence: the archive is damaged, encrypted, has a name twice, or is beyond the limits.
    pub fn open(bytes: Vec<u8>) -> Result<Self, String> {
        let end = end_record(&bytes).ok_or("the file is not a ZIP archive")?;
        let field16 = |at: usize| u16_at(&bytes, at).ok_or(DAMAGED);
        let field32 = |at: usize| u32_at(&bytes, at).ok_or(DAMAGED);
        let mut count = u64::from(field16(end + 10)?);
        let mut size = u64::from(field32(end + 12)?);
        let mut directory = u64::from(field32(end + 16)?);
        let mut end64 = None;
        if end >= 20 && u32_at(&bytes, end - 20) == Some(LOCATOR64) {
            let at = u64_at(&bytes, end - 12).and_then(|at| usize::try_from(at).ok());
            let at = at.filter(|&at| u32_at(&bytes, at) == Some(END64)).ok_or(DAMAGED)?;
            count = u64_at(&bytes, at + 32).ok_or(DAMAGED)?;
            size = u64_at(&bytes, at + 40).ok_or(DAMAGED)?;
            directory = u64_at(&bytes, at + 48).ok_or(DAMAGED)?;
            end64 = Some(at);
        }
        let directory = usize::try_from(directory).map_err(|_| DAMAGED)?;
        let size = usize::try_from(size).map_err(|_| DAMAGED)?;
        let directory_end = directory.checked_add(size).filter(|&it| it <= end).ok_or(DAMAGED)?;
        if count > MAX_ENTRIES as u64 {
            return Err(format!(
                "expected at most {MAX_ENTRIES} files in the archive, got {count}"
            ));
        }
        let mut zip = Self {
            entries: Vec::new(),
            by_name: BTreeMap::new(),
            directory,
            directory_end,
            end,
            end64,
            bytes,
        };
        zip.read_directory(count as usize)?;
        Ok(zip)
    }

    fn read_directory(&mut self, count: usize) -> Result<(), String> {
        let mut at = self.directory;
        let mut total = 0_u64;
        for _ in 0..count {
            let entry = self.read_central(at).ok_or(DAMAGED)?;
            if entry.central.end > self.directory_end {
                return Err(DAMAGED.to_owned());
            }
            if entry.flags & 1 != 0 {
                return Err("the archive is encrypted".to_owned());
            }
            total = total.saturating_add(entry.unpacked);
            if total > MAX_TOTAL_BYTES {
                return Err(format!("the archive has more than {MAX_TOTAL_BYTES} bytes unpacked"));
            }
            at = entry.central.end;
            let key = entry.name.to_ascii_lowercase();
            // One reader may see the first of two entries, and another one the second.
            if self.by_name.insert(key, self.entries.len()).is_some() {
                return Err(format!("the archive has `{}` twice", entry.name));
            }
            self.entries.push(entry);
        }
        Ok(())
    }

    fn read_central(&self, at: usize) -> Option<Entry> {
        let bytes = &self.bytes;
        if u32_at(bytes, at)? != CENTRAL {
            return None;
        }
        let lengths = [28, 30, 32].map(|offset| u16_at(bytes, at + offset));
        let [name, extra, comment] = lengths.map(|it| it.map(usize::from));
        let (name, extra, comment) = (name?, extra?, comment?);
        let raw = bytes.get(at + 46..at + 46 + name)?;
        let name_text = String::from_utf8_lossy(raw).replace('\\', "/");
        let mut packed = u64::from(u32_at(bytes, at + 20)?);
        let mut unpacked = u64::from(u32_at(bytes, at + 24)?);
        let mut offset = u64::from(u32_at(bytes, at + 42)?);
        // Sizes of 64 bits stand in a field of their own, in this order and only if the short one is full.
        let mut field = at + 46 + name;
        let end = field + extra;
        while field + 4 <= end {
            let length = usize::from(u16_at(bytes, field + 2)?);
            if u16_at(bytes, field)? == 1 {
                let mut value = field + 4;
                for number in [&mut unpacked, &mut packed, &mut offset] {
                    if *number == u64::from(u32::MAX) {
                        *number = u64_at(bytes, value)?;
                        value += 8;
                    }
                }
            }
            field += 4 + length;
        }
        Some(Entry {
            name: name_text.trim_start_matches('/').to_owned(),
            flags: u16_at(bytes, at + 8)?,
            method: u16_at(bytes, at + 10)?,
            crc: u32_at(bytes, at + 16)?,
            packed,
            unpacked,
            offset,
            central: at..end + comment,
        })
    }

    /// Returns the names in the order of the directory.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.by_name.get(&name.to_ascii_lowercase()).map(|&index| &self.entries[index])
    }

    /// Returns the name of a part as the archive has it; `None` if there is none. Case does not count.
    pub fn name(&self, name: &str) -> Option<&str> {
        self.entry(name).map(|entry| entry.name.as_str())
    }

    /// Returns `true` if a part of this name exists. Case does not count.
    pub fn has(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    /// Returns the unpacked content of a part; `None` if there is none.
    ///
    /// # Errors
    /// One sentence: the part is damaged or too large.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let Some(entry) = self.entry(name) else { return Ok(None) };
        let damaged = || format!("the part `{}` is damaged", entry.name);
        if entry.unpacked > MAX_PART_BYTES as u64 {
            return Err(format!(
                "expected at most {MAX_PART_BYTES} bytes in `{}`, got {}",
                entry.name, entry.unpacked
            ));
        }
        let data = self.data(entry).ok_or_else(damaged)?;
        let data = self.bytes.get(data).ok_or_else(damaged)?;
        let content = match entry.method {
            0 => data.to_vec(),
            8 => inflated(data, entry.unpacked as usize).ok_or_else(damaged)?,
            other => return Err(format!("`{}` is compressed by method {other}", entry.name)),
        };
        if content.len() as u64 != entry.unpacked || crc32fast::hash(&content) != entry.crc {
            return Err(damaged());
        }
        Ok(Some(content))
    }

    /// Returns where the packed content of an entry stands.
    pub(crate) fn data(&self, entry: &Entry) -> Option<Range<usize>> {
        let start = self.data_start(usize::try_from(entry.offset).ok()?)?;
        Some(start..start.checked_add(usize::try_from(entry.packed).ok()?)?)
    }

    /// Returns where the packed content behind a local header begins.
    pub(crate) fn data_start(&self, at: usize) -> Option<usize> {
        if u32_at(&self.bytes, at)? != LOCAL {
            return None;
        }
        let name = usize::from(u16_at(&self.bytes, at.checked_add(26)?)?);
        let extra = usize::from(u16_at(&self.bytes, at.checked_add(28)?)?);
        at.checked_add(30 + name + extra)
    }
}

/// Returns the offset of the last end record whose comment fits into the file.
fn end_record(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(22)?;
    let lowest = last.saturating_sub(usize::from(u16::MAX));
    (lowest..=last).rev().find(|&at| {
        u32_at(bytes, at) == Some(END)
            && u16_at(bytes, at + 20)
                .is_some_and(|length| at + 22 + usize::from(length) <= bytes.len())
    })
}
