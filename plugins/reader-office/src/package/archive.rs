//! Rewrites an archive with some of its parts replaced.
//!
//! The writer of `zip` brings two compressors, which would be a tenth of the whole reader. The parts are read once,
//! immediately, so they are stored uncompressed.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};
use zip::{CompressionMethod, ZipArchive};

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
/// Version needed to extract: 2.0.
const VERSION: u16 = 20;
/// The name is UTF-8.
const FLAGS: u16 = 1 << 11;

/// Returns the archive with the contents of some parts replaced. Keys are lower case and begin with a slash. `None` if
/// the archive is damaged, or would need Zip64.
pub(super) fn repack(bytes: &[u8], parts: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let mut out = Vec::with_capacity(bytes.len());
    let mut directory = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index_raw(index).ok()?;
        let name = file.name().ok()?.into_owned();
        let key = format!("/{}", name.replace('\\', "/").trim_start_matches('/'));
        let at = u32::try_from(out.len()).ok()?;
        let entry = match parts.get(&key.to_ascii_lowercase()) {
            Some(text) => {
                let length = text.len() as u64;
                let checksum = crc32fast::hash(text.as_bytes());
                let entry = Entry::new(&name, 0, checksum, length, length)?;
                entry.write(&mut out, None);
                out.extend(text.as_bytes());
                entry
            }
            None => {
                let method = match file.compression() {
                    CompressionMethod::Stored => 0,
                    CompressionMethod::Deflated => 8,
                    // The library could not read it either.
                    _ => return None,
                };
                let (packed, unpacked) = (file.compressed_size(), file.size());
                let entry = Entry::new(&name, method, file.crc32(), packed, unpacked)?;
                entry.write(&mut out, None);
                if file.read_to_end(&mut out).ok()? as u64 != packed {
                    return None;
                }
                entry
            }
        };
        entry.write(&mut directory, Some(at));
    }
    let entries = u16::try_from(archive.len()).ok()?;
    let at = u32::try_from(out.len()).ok()?;
    out.extend(&directory);
    out.extend(END.to_le_bytes());
    out.extend([0; 4]);
    out.extend(entries.to_le_bytes());
    out.extend(entries.to_le_bytes());
    out.extend(u32::try_from(directory.len()).ok()?.to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0; 2]);
    Some(out)
}

/// Header of a part, before its data and in the central directory.
struct Entry<'a> {
    name: &'a str,
    name_length: u16,
    method: u16,
    checksum: u32,
    packed: u32,
    unpacked: u32,
}

impl<'a> Entry<'a> {
    fn new(name: &'a str, method: u16, checksum: u32, packed: u64, unpacked: u64) -> Option<Self> {
        Some(Self {
            name,
            name_length: u16::try_from(name.len()).ok()?,
            method,
            checksum,
            packed: u32::try_from(packed).ok()?,
            unpacked: u32::try_from(unpacked).ok()?,
        })
    }

    /// Writes it for the central directory if `at` is the start of the part.
    fn write(&self, out: &mut Vec<u8>, at: Option<u32>) {
        match at {
            Some(_) => {
                out.extend(CENTRAL.to_le_bytes());
                out.extend(VERSION.to_le_bytes());
            }
            None => out.extend(LOCAL.to_le_bytes()),
        }
        for number in [VERSION, FLAGS, self.method] {
            out.extend(number.to_le_bytes());
        }
        // No modification time.
        out.extend([0; 4]);
        for number in [self.checksum, self.packed, self.unpacked] {
            out.extend(number.to_le_bytes());
        }
        out.extend(self.name_length.to_le_bytes());
        out.extend([0; 2]);
        if let Some(at) = at {
            // No comment, first disk, no attributes.
            out.extend([0; 10]);
            out.extend(at.to_le_bytes());
        }
        out.extend(self.name.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use zip::write::{SimpleFileOptions, ZipWriter};

    #[test]
    fn parts_are_replaced_and_the_others_stay() {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let long = "年报 ".repeat(5_000);
        for (name, text, options) in [
            ("word/Document.xml", "old", SimpleFileOptions::default()),
            ("word/图.xml", long.as_str(), SimpleFileOptions::default()),
            ("stored.bin", "stored", stored),
        ] {
            writer.start_file(name, options).unwrap();
            writer.write_all(text.as_bytes()).unwrap();
        }
        let bytes = writer.finish().unwrap().into_inner();
        let parts = BTreeMap::from([("/word/document.xml".to_owned(), "neu: 新".to_owned())]);
        let packed = repack(&bytes, &parts).unwrap();
        assert!(packed.len() < 2_000);
        let mut archive = ZipArchive::new(Cursor::new(packed)).unwrap();
        for (index, expected) in ["neu: 新", &long, "stored"].iter().enumerate() {
            let mut file = archive.by_index(index).unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(text, *expected);
        }
        assert_eq!(archive.by_index(1).unwrap().name().unwrap(), "word/图.xml");
        assert!(repack(&bytes[..bytes.len() / 2], &BTreeMap::new()).is_none());
    }
}
