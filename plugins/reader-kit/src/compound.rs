//! Compound files (MS-CFB): documents of Office 97 to 2003, mails of Outlook, and encrypted documents.
//!
//! Some programs write an invalid FAT, and other readers still open their files. SheetJS, for example, fills up the FAT with
//! entries for sectors that the file does not have. The crate `cfb` refuses such a file. This module then reads its streams
//! with fewer checks, and writes them to a new file.

use std::borrow::Cow;
use std::io::{self, Cursor, Write as _};

use cfb::CompoundFile;

const MAGIC: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

/// The highest number of a sector. Higher numbers are special values.
const LAST_SECTOR: u32 = 0xFFFF_FFFA;

/// The number of an entry that does not exist.
const NO_ENTRY: u32 = 0xFFFF_FFFF;

/// Bytes of an entry in the directory.
const ENTRY: usize = 128;
/// Binary logarithm of the bytes of a sector of the mini stream.
const MINI_SHIFT: u32 = 6;

/// Most units of UTF-16 in the name of an entry.
const MAX_NAME: usize = 31;

/// Most entries of a file that is rewritten.
const MAX_ENTRIES: usize = 65_536;

/// Most levels of nested storages. A mail in a mail takes two.
const MAX_DEPTH: usize = 64;

/// Most streams that a warning names.
const MAX_NAMED: usize = 5;

/// A compound file that the crate `cfb` opens.
#[derive(Debug)]
pub struct Regular<'a> {
    /// The bytes of the file, or those of the rewritten file.
    pub bytes: Cow<'a, [u8]>,
    /// What is lost. Empty for a file that is irregular but complete.
    pub warnings: Vec<String>,
}

/// Returns the file in a form that the crate `cfb` opens.
///
/// # Errors
///
/// The error of `cfb`, if the file has no readable directory, no streams, or more or longer streams than a file of its size
/// can have.
pub fn regular(bytes: &[u8]) -> io::Result<Regular<'_>> {
    match CompoundFile::open(Cursor::new(bytes)) {
        Ok(_) => Ok(Regular { bytes: Cow::Borrowed(bytes), warnings: Vec::new() }),
        Err(error) => anew(bytes).ok_or(error),
    }
}

/// Rewrites a file. `None` if it has no readable stream, too many entries, or streams that are longer than the file.
fn anew(bytes: &[u8]) -> Option<Regular<'_>> {
    let file = Irregular::open(bytes)?;
    let directory = file.chain(u32_at(bytes, 0x30)?, bytes.len());
    let entries: Vec<Entry> =
        directory.chunks_exact(ENTRY).take(MAX_ENTRIES + 1).map(Entry::parse).collect();
    if entries.len() > MAX_ENTRIES {
        return None;
    }
    let root = entries.first()?;
    let mini = Mini {
        stream: file.chain(root.first, bytes.len()),
        fat: words(&file.chain(u32_at(bytes, 0x3C)?, bytes.len())).collect(),
    };
    let cutoff = u32_at(bytes, 0x38)? as usize;
    let mut out = CompoundFile::create(Cursor::new(Vec::new())).ok()?;
    let mut lost = Lost::default();
    let mut streams = 0;
    // Streams of a regular file share no bytes, so together they are not longer than the file.
    let mut room = bytes.len();
    let mut seen = vec![false; entries.len()];
    let mut open = vec![(root.child, String::new(), 0)];
    while let Some((index, parent, depth)) = open.pop() {
        let index = index as usize;
        match seen.get_mut(index) {
            Some(seen) if index > 0 && !*seen => *seen = true,
            _ => continue,
        }
        let Some(entry) = entries.get(index) else { continue };
        open.push((entry.left, parent.clone(), depth));
        open.push((entry.right, parent.clone(), depth));
        let path = format!("{parent}/{}", entry.name);
        match entry.kind {
            // Such a name is not allowed. `cfb` would read it as a path, or write half of a character.
            Kind::Storage | Kind::Stream if !is_name(&entry.name) => lost.entries += 1,
            // The entries below it are not reached, and are counted at the end.
            Kind::Storage if depth >= MAX_DEPTH => lost.entries += 1,
            Kind::Storage => match out.create_storage(&path) {
                Ok(()) => open.push((entry.child, path, depth + 1)),
                Err(_) => lost.entries += 1,
            },
            Kind::Stream => {
                let content = if entry.size < cutoff {
                    mini.chain(entry.first, entry.size)
                } else {
                    file.chain(entry.first, entry.size)
                };
                room = room.checked_sub(content.len())?;
                if content.len() < entry.size {
                    lost.streams.push(path.clone());
                }
                match out.create_new_stream(&path) {
                    Ok(mut stream) => {
                        stream.write_all(&content).and_then(|()| stream.flush()).ok()?;
                        streams += 1;
                    }
                    Err(_) => lost.entries += 1,
                }
            }
            Kind::Other => {}
        }
    }
    let is_lost = |(entry, seen): (&Entry, &bool)| !seen && entry.kind != Kind::Other;
    lost.entries += entries.iter().zip(&seen).skip(1).filter(|it| is_lost(*it)).count();
    out.flush().ok()?;
    let bytes = Cow::Owned(out.into_inner().into_inner());
    (streams > 0).then(|| Regular { bytes, warnings: lost.warnings() })
}

/// What is missing in a rewritten file.
#[derive(Default)]
struct Lost {
    /// The paths of streams that are shorter than their entries say.
    streams: Vec<String>,
    /// Number of entries that are not in the tree, or have an invalid name.
    entries: usize,
}

impl Lost {
    fn warnings(self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.streams.is_empty() {
            let name =
                |path: &String| crate::single_line(&crate::clean(path.trim_start_matches('/')));
            let named: Vec<_> = self.streams.iter().take(MAX_NAMED).map(name).collect();
            let more = self.streams.len().saturating_sub(MAX_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            warnings.push(format!(
                "the file is damaged: the end of a part of it is missing: {}{more}",
                named.join(", ")
            ));
        }
        if self.entries > 0 {
            warnings.push(format!(
                "the file is damaged: parts of it that cannot be found were left out: {}",
                self.entries
            ));
        }
        warnings
    }
}

/// A file whose FAT may be invalid.
struct Irregular<'a> {
    bytes: &'a [u8],
    shift: u32,
    /// The next sector of each sector.
    fat: Vec<u32>,
}

impl<'a> Irregular<'a> {
    /// Reads the FAT for the sectors that the file has. `None` if the header is invalid.
    fn open(bytes: &'a [u8]) -> Option<Irregular<'a>> {
        let shift = u32::from(u16_at(bytes, 0x1E)?);
        let mini_shift = u32::from(u16_at(bytes, 0x20)?);
        if !bytes.starts_with(MAGIC) || !matches!(shift, 9 | 12) || mini_shift != MINI_SHIFT {
            return None;
        }
        let mut file = Irregular { bytes, shift, fat: Vec::new() };
        let sectors = file.sectors();
        let per_sector = (1 << shift) / 4;
        // The header lists the first sectors of the FAT, and sectors of their own list the rest.
        let mut listed: Vec<u32> = words(bytes.get(0x4C..0x200)?).collect();
        let mut next = u32_at(bytes, 0x44)?;
        // The header has the number of these sectors. Some programs do not mark the end of their chain.
        let mut left = (u32_at(bytes, 0x48)? as usize).min(sectors);
        while next <= LAST_SECTOR && left > 0 {
            let Some(sector) = file.sector(next) else { break };
            listed.extend(words(sector).take(per_sector - 1));
            let Some(behind) = u32_at(sector, 4 * (per_sector - 1)) else { break };
            next = behind;
            left -= 1;
        }
        let mut fat: Vec<u32> = Vec::new();
        // More sectors of the FAT would be about sectors that the file does not have.
        for number in listed.into_iter().take(sectors.div_ceil(per_sector)) {
            let end = fat.len() + per_sector;
            fat.extend(file.sector(number).into_iter().flat_map(words));
            // The entries of a missing sector stay empty, so that later entries keep their indices.
            fat.resize(end, NO_ENTRY);
        }
        fat.truncate(sectors);
        file.fat = fat;
        Some(file)
    }

    /// Returns the number of sectors of the file. The last one may be incomplete.
    fn sectors(&self) -> usize {
        self.bytes.len().div_ceil(1 << self.shift).saturating_sub(1)
    }

    /// Returns a sector, or `None` if the file does not have it.
    fn sector(&self, number: u32) -> Option<&'a [u8]> {
        let from = (number as usize).checked_add(1)?.checked_mul(1 << self.shift)?;
        let to = from.checked_add(1 << self.shift)?.min(self.bytes.len());
        self.bytes.get(from..to).filter(|_| number <= LAST_SECTOR && from < to)
    }

    /// Returns at most `size` bytes of the chain of sectors from `first` on.
    fn chain(&self, first: u32, size: usize) -> Vec<u8> {
        chain(&self.fat, first, size, |number| self.sector(number))
    }
}

/// The mini stream, which holds all short streams.
struct Mini {
    stream: Vec<u8>,
    fat: Vec<u32>,
}

impl Mini {
    fn chain(&self, first: u32, size: usize) -> Vec<u8> {
        let sector = |number: u32| {
            let from = (number as usize).checked_mul(1 << MINI_SHIFT)?;
            let to = from.checked_add(1 << MINI_SHIFT)?.min(self.stream.len());
            self.stream.get(from..to).filter(|it| !it.is_empty())
        };
        chain(&self.fat, first, size, sector)
    }
}

/// Reads a chain up to its end, `size` bytes, or a missing sector. A cycle ends after as many sectors as the FAT has.
fn chain<'a>(
    fat: &[u32],
    first: u32,
    size: usize,
    sector: impl Fn(u32) -> Option<&'a [u8]>,
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut next = first;
    for _ in 0..fat.len() {
        let Some(bytes) = sector(next).filter(|_| out.len() < size) else { break };
        out.extend_from_slice(bytes.get(..size - out.len()).unwrap_or(bytes));
        let Some(behind) = fat.get(next as usize) else { break };
        next = *behind;
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Storage,
    Stream,
    /// The root, or an entry that is not used.
    Other,
}

/// Returns `true` if an entry may have this name.
fn is_name(name: &str) -> bool {
    let length = name.encode_utf16().count();
    (1..=MAX_NAME).contains(&length)
        && !matches!(name, "." | "..")
        && !name.contains(['/', '\\', ':', '!', '\0', '\u{FFFD}'])
}

/// An entry of the directory.
struct Entry {
    name: String,
    kind: Kind,
    left: u32,
    right: u32,
    child: u32,
    first: u32,
    size: usize,
}

impl Entry {
    fn parse(bytes: &[u8]) -> Entry {
        let number = |at: usize| u32_at(bytes, at).unwrap_or(NO_ENTRY);
        let length = usize::from(u16_at(bytes, 0x40).unwrap_or(0)).min(64).saturating_sub(2);
        let units = bytes.get(..length).unwrap_or_default().as_chunks::<2>().0.iter();
        let units: Vec<u16> = units.map(|unit| u16::from_le_bytes(*unit)).collect();
        let kind = match bytes.get(0x42) {
            Some(1) => Kind::Storage,
            Some(2) => Kind::Stream,
            _ => Kind::Other,
        };
        Entry {
            name: String::from_utf16_lossy(&units),
            kind,
            left: number(0x44),
            right: number(0x48),
            child: number(0x4C),
            first: number(0x74),
            size: number(0x78) as usize,
        }
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|two| u16::from_le_bytes(*two))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|four| u32::from_le_bytes(*four))
}

#[cfg(test)]
#[path = "compound_tests.rs"]
mod tests;
