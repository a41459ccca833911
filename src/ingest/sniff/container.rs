//! Names inside of ZIP archives and compound files. Nothing is decompressed: foreign bytes are parsed in the sandbox.

use std::collections::HashSet;

/// Most headers of entries that are read in a damaged archive.
const MAX_LOCAL_NAMES: usize = 1000;

/// Special sector numbers in the chains of a compound file.
const END_OF_CHAIN: u32 = 0xFFFF_FFFE;
const NO_ENTRY: u32 = 0xFFFF_FFFF;

/// Returns the names in a ZIP archive's central directory, in lower case with `/` between folders. `None` if the directory is
/// missing or damaged.
pub(crate) fn zip_names(bytes: &[u8]) -> Option<Vec<String>> {
    const END: &[u8] = b"PK\x05\x06";
    const ENTRY: &[u8] = b"PK\x01\x02";
    // A comment of at most 65 535 bytes follows the end record.
    let tail = bytes.len().saturating_sub(22 + 0xFFFF);
    let end = tail + memchr::memmem::rfind(&bytes[tail..], END)?;
    let (size, offset) = (u32_at(bytes, end + 12)? as usize, u32_at(bytes, end + 16)? as usize);
    // Bytes before the archive shift all offsets; the directory still ends where the end record begins.
    let mut at =
        end.checked_sub(size).filter(|at| bytes[*at..].starts_with(ENTRY)).or_else(|| {
            Some(offset).filter(|at| bytes.get(*at..).is_some_and(|rest| rest.starts_with(ENTRY)))
        })?;
    let mut names = Vec::new();
    while bytes.get(at..at + 4) == Some(ENTRY) {
        let length = |offset: usize| u16_at(bytes, at + offset).map(usize::from);
        let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
        names.push(normal(bytes.get(at + 46..at + 46 + name)?));
        at += 46 + name + extra + comment;
    }
    Some(names)
}

/// Returns the names in a ZIP archive without its end, from the headers of its entries: enough to say what is damaged.
pub(super) fn zip_local_names(bytes: &[u8]) -> Vec<String> {
    memchr::memmem::find_iter(bytes, b"PK\x03\x04")
        .filter_map(|at| {
            let length = usize::from(u16_at(bytes, at + 26)?);
            Some(normal(bytes.get(at + 30..at + 30 + length)?))
        })
        .take(MAX_LOCAL_NAMES)
        .collect()
}

fn normal(name: &[u8]) -> String {
    String::from_utf8_lossy(name).to_lowercase().replace('\\', "/")
}

/// Entry in the root of a compound file.
pub(super) struct CompoundEntry {
    pub(super) name: String,
    /// First sector of a stream.
    first: u32,
    size: u32,
}

/// Returns the entries in the root of a compound file. `None` if its directory is damaged.
///
/// Only the root counts: a presentation with an embedded Word document has a stream `WordDocument` at a deeper level.
pub(super) fn compound_entries(bytes: &[u8]) -> Option<Vec<CompoundEntry>> {
    let directory = Sectors::open(bytes)?.read(u32_at(bytes, 48)?)?;
    let entry = |index: u32| {
        let from = (index as usize).checked_mul(128)?;
        directory.get(from..from + 128)
    };
    let mut entries = Vec::new();
    let mut seen = HashSet::new();
    let mut open = vec![u32_at(entry(0)?, 76)?];
    while let Some(index) = open.pop() {
        if index == NO_ENTRY || !seen.insert(index) {
            continue;
        }
        let Some(entry) = entry(index) else { continue };
        entries.push(CompoundEntry {
            name: entry_name(entry)?,
            first: u32_at(entry, 116)?,
            size: u32_at(entry, 120)?,
        });
        open.extend([u32_at(entry, 68)?, u32_at(entry, 72)?]);
    }
    Some(entries)
}

/// Returns the name of an entry. If its length is invalid, as some programs write it, the name ends at its zero.
fn entry_name(entry: &[u8]) -> Option<String> {
    let said = usize::from(u16_at(entry, 64)?);
    let length = if (2..=64).contains(&said) { said - 2 } else { 64 };
    let units = entry.get(..length)?.as_chunks::<2>().0.iter().map(|it| u16::from_le_bytes(*it));
    let units = units.take_while(|unit| *unit != 0);
    let name = char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER));
    Some(name.collect())
}

/// Returns `true` if a compound file whose directory cannot be followed has an entry for an encrypted document. Entries have
/// a length of 128 bytes and begin at multiples of it.
pub(super) fn has_encrypted_entry(bytes: &[u8]) -> bool {
    const NAME: &str = "EncryptedPackage";
    /// An entry of this kind is a stream.
    const STREAM: u8 = 2;
    let name: Vec<u8> = NAME.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    memchr::memmem::find_iter(bytes, &name)
        .any(|at| at.is_multiple_of(128) && bytes.get(at + 66) == Some(&STREAM))
}

/// Returns the beginning of a stream: at least 64 bytes, if it is that long.
pub(super) fn stream_beginning(bytes: &[u8], entry: &CompoundEntry) -> Option<Vec<u8>> {
    /// Length of the pieces of short streams, which are stored in a stream of the root.
    const PIECE: usize = 64;
    /// Fewest bytes of a stream that is not short. Valid files have no other number in their header, and programs ignore it.
    const SHORT: u32 = 4096;
    let sectors = Sectors::open(bytes)?;
    if entry.size >= SHORT {
        return sectors.sector(entry.first).map(<[u8]>::to_vec);
    }
    let directory = sectors.read(u32_at(bytes, 48)?)?;
    let pieces = sectors.read(u32_at(&directory, 116)?)?;
    let from = (entry.first as usize).checked_mul(PIECE)?;
    pieces.get(from..from.checked_add(PIECE)?).map(<[u8]>::to_vec)
}

/// Compound file as sectors, with the table that links them.
struct Sectors<'a> {
    bytes: &'a [u8],
    shift: u32,
    /// Table of the next sector of each sector.
    table: Vec<u32>,
}

impl<'a> Sectors<'a> {
    fn open(bytes: &'a [u8]) -> Option<Self> {
        let shift = u32::from(u16_at(bytes, 30)?);
        if !matches!(shift, 9 | 12) {
            return None;
        }
        let mut sectors = Self { bytes, shift, table: Vec::new() };
        // The header lists the first 109 sectors of the table, sectors of their own list the rest.
        let mut table: Vec<u32> =
            (0..109).filter_map(|index| u32_at(bytes, 76 + 4 * index)).collect();
        let mut next = u32_at(bytes, 68)?;
        let per_sector = (1 << shift) / 4;
        let mut left = bytes.len() >> shift;
        while next < END_OF_CHAIN && left > 0 {
            // Programs write arbitrary numbers here at the end of the list.
            let Some(sector) = sectors.sector(next) else { break };
            table.extend((0..per_sector - 1).filter_map(|index| u32_at(sector, 4 * index)));
            let Some(behind) = u32_at(sector, 4 * (per_sector - 1)) else { break };
            next = behind;
            left -= 1;
        }
        table.retain(|sector| *sector < END_OF_CHAIN);
        sectors.table = table;
        Some(sectors)
    }

    fn sector(&self, number: u32) -> Option<&'a [u8]> {
        let from = (number as usize).checked_add(1)?.checked_mul(1 << self.shift)?;
        // The last sector of a truncated file may be short.
        self.bytes
            .get(from..(from + (1 << self.shift)).min(self.bytes.len()))
            .filter(|sector| !sector.is_empty())
    }

    /// Returns the bytes of the chain that begins at a sector, as far as the file goes.
    fn read(&self, first: u32) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut next = first;
        // A chain that is longer than the file is a cycle.
        for _ in 0..=self.bytes.len() >> self.shift {
            let Some(sector) = self.sector(next).filter(|_| next < END_OF_CHAIN) else { break };
            out.extend_from_slice(sector);
            let per_sector = (1_usize << self.shift) / 4;
            let place = next as usize;
            let following = self
                .table
                .get(place / per_sector)
                .and_then(|table| self.sector(*table))
                .and_then(|table| u32_at(table, 4 * (place % per_sector)));
            match following {
                Some(following) => next = following,
                None => break,
            }
        }
        (!out.is_empty()).then_some(out)
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rubbish_has_no_names() {
        for bytes in [&b""[..], b"PK\x05\x06", &[0xFF; 600], b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"] {
            assert!(zip_names(bytes).is_none());
            assert!(compound_entries(bytes).is_none());
        }
    }

    /// Covers a document that another program encrypted, changed where programs violate the rules of compound files, and
    /// where it was damaged.
    #[test]
    fn encrypted_documents_in_irregular_files_are_encrypted() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/reader-encrypted/tests");
        let whole = std::fs::read(format!("{folder}/fixtures/agile.docx")).unwrap();
        let number = |at: usize| u32_at(&whole, at).unwrap();
        let table = (number(76) as usize + 1) * 512;
        // The first entry is the root.
        let package = (number(48) as usize + 1) * 512 + 128;
        let changed = |at: usize, bytes: &[u8]| {
            let mut file = whole.clone();
            file[at..at + bytes.len()].copy_from_slice(bytes);
            file
        };
        let word = |at: usize, word: u32| changed(at, &word.to_le_bytes());
        let mut files = vec![
            ("as it was written", whole.clone()),
            ("no end of a name", changed(package + 64, &[0, 0])),
            ("a name of 65 bytes", changed(package + 64, &[65, 0])),
            ("an odd length of a name", changed(package + 64, &[35, 0])),
            ("a damaged root", changed(package - 128, &[0xFF; 128])),
            ("a byte more", [&whole[..], &[0]].concat()),
            ("most of the last sector is missing", whole[..whole.len() - 511].to_vec()),
        ];
        for number in [0, 7, 9_999, 0xFFFF_FFFA, 0xFFFF_FFFE, 0xFFFF_FFFF] {
            files.push(("the list of the table goes on", word(68, number)));
            files.push(("the length of the list", word(72, number)));
            files.push(("the length of the table", word(44, number)));
            files.push(("where the table is", word(76, number)));
            files.push(("where the directory is", word(48, number)));
            files.push(("what streams are short", word(56, number)));
            files.push(("the tree of the directory", word(package - 128 + 76, number)));
            files.push(("the table", changed(table, &number.to_le_bytes().repeat(128))));
        }
        for (what, file) in files {
            let found = super::super::sniff("a.docx", &file).0;
            assert_eq!(found, super::super::FileType::EncryptedOffice, "{what}");
        }
        // The word alone is no encryption.
        let damaged = [&whole[..512], &[0xFF; 1024], b"EncryptedPackage"].concat();
        assert!(!has_encrypted_entry(&damaged));
    }

    #[test]
    fn a_ring_of_sectors_ends() {
        // A header, then one sector that is both table and directory and links to itself.
        let mut bytes = vec![0; 1024];
        bytes[30] = 9;
        bytes[68..72].copy_from_slice(&END_OF_CHAIN.to_le_bytes());
        bytes[76..512].fill(0xFF);
        bytes[76..80].fill(0);
        let entries = compound_entries(&bytes).unwrap();
        assert_eq!(entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), [""]);
    }
}
