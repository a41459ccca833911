//! Parts of a package, compressed while they are written, and the ZIP archive that holds them.
//!
//! A part is put together from separately compressed chunks: the beginning and the end of a sheet are known only after its
//! rows were written, which stay compressed until then. Knows nothing of the contents.

use std::io::Write as _;

use crc32fast::Hasher;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use mitt_base::{Error, Result};

use super::refused;

/// The level of rust_xlsxwriter, which is zlib's default.
const LEVEL: u32 = 6;
/// Most bytes of XML before they are compressed: many calls of the compressor with little data each are slow.
const BUFFER_BYTES: usize = 1 << 16;
/// Most bytes of all chunks. Artifacts are smaller; this ends the writing before it fills the memory of the host.
const MAX_BYTES: usize = 256 << 20;

/// A chunk of a part while it is written.
#[derive(Debug)]
pub(super) struct Writing {
    /// XML that is written next. Callers append to it and then call [`Writing::turn`].
    pub(super) xml: String,
    packer: DeflateEncoder<Vec<u8>>,
    crc: Hasher,
    length: u64,
    /// Most compressed bytes.
    most: usize,
}

impl Default for Writing {
    fn default() -> Writing {
        Writing {
            xml: String::with_capacity(BUFFER_BYTES + (BUFFER_BYTES >> 2)),
            packer: DeflateEncoder::new(Vec::new(), Compression::new(LEVEL)),
            crc: Hasher::new(),
            length: 0,
            most: MAX_BYTES,
        }
    }
}

impl Writing {
    /// Compresses the XML if there is enough of it.
    #[inline]
    pub(super) fn turn(&mut self) -> Result<()> {
        if self.xml.len() < BUFFER_BYTES { Ok(()) } else { self.pack() }
    }

    #[inline(never)]
    fn pack(&mut self) -> Result<()> {
        self.crc.update(self.xml.as_bytes());
        self.length += self.xml.len() as u64;
        self.packer.write_all(self.xml.as_bytes()).map_err(|error| failed(&error))?;
        self.xml.clear();
        if self.packer.get_ref().len() > self.most {
            return Err(too_large());
        }
        Ok(())
    }

    /// Returns the bytes that it keeps.
    pub(super) fn kept_bytes(&self) -> usize {
        // The window and the tables of the compressor take about as much as the last term.
        self.xml.capacity() + self.packer.get_ref().capacity() + (300 << 10)
    }

    /// Returns the chunk. Another one may follow it.
    pub(super) fn finish(mut self) -> Result<CompressedChunk> {
        self.pack()?;
        // Ends at a full byte, without ending the stream.
        self.packer.flush().map_err(|error| failed(&error))?;
        Ok(CompressedChunk {
            packed: std::mem::take(self.packer.get_mut()),
            crc: self.crc,
            length: self.length,
        })
    }
}

/// A compressed chunk of a part. It does not refer to the chunks before it.
#[derive(Debug)]
pub(super) struct CompressedChunk {
    packed: Vec<u8>,
    crc: Hasher,
    length: u64,
}

impl CompressedChunk {
    /// Compresses a text.
    pub(super) fn of(text: &str) -> Result<CompressedChunk> {
        let mut writing = Writing { xml: text.to_owned(), ..Writing::default() };
        writing.pack()?;
        writing.finish()
    }

    /// Compresses bytes, such as a picture.
    pub(super) fn of_bytes(bytes: &[u8]) -> Result<CompressedChunk> {
        let mut writing = Writing::default();
        writing.crc.update(bytes);
        writing.length = bytes.len() as u64;
        writing.packer.write_all(bytes).map_err(|error| failed(&error))?;
        writing.finish()
    }

    /// Returns the bytes that it keeps.
    pub(super) fn kept_bytes(&self) -> usize {
        self.packed.capacity()
    }
}

/// The archive. Entries have no time, so that the same parts give the same bytes.
#[derive(Debug, Default)]
pub(super) struct Archive {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    entries: u16,
}

/// 1980-01-01, the first day that the format supports.
const NO_DATE: u16 = 0x0021;
const VERSION: u16 = 20;
const DEFLATED: u16 = 8;
/// The last block of a compressed stream: empty, with the fixed code.
const END: [u8; 2] = [3, 0];

impl Archive {
    /// Adds a part that was compressed in chunks.
    pub(super) fn add(&mut self, name: &str, chunks: Vec<CompressedChunk>) -> Result<()> {
        let mut crc = Hasher::new();
        let (mut packed, mut length) = (END.len() as u64, 0);
        for chunk in &chunks {
            crc.combine(&chunk.crc);
            packed += chunk.packed.len() as u64;
            length += chunk.length;
        }
        let at = u32::try_from(self.bytes.len()).map_err(|_| too_large())?;
        // Larger ones need ZIP64, which not every reader supports.
        let (Ok(packed), Ok(length)) = (u32::try_from(packed), u32::try_from(length)) else {
            return Err(too_large());
        };
        let mut facts = Vec::new();
        for field in [VERSION, 0, DEFLATED, 0, NO_DATE] {
            facts.extend(field.to_le_bytes());
        }
        for field in [crc.finalize(), packed, length] {
            facts.extend(field.to_le_bytes());
        }
        facts.extend(u16::try_from(name.len()).map_err(|_| too_large())?.to_le_bytes());
        facts.extend([0, 0]);

        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&facts);
        self.bytes.extend(name.as_bytes());
        for chunk in chunks {
            self.bytes.extend(chunk.packed);
        }
        self.bytes.extend(END);

        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(&facts);
        // No comment, the first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(at.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.entries += 1;
        if self.bytes.len() > MAX_BYTES { Err(too_large()) } else { Ok(()) }
    }

    /// Returns the bytes of the file.
    pub(super) fn finish(mut self) -> Result<Vec<u8>> {
        let at = u32::try_from(self.bytes.len()).map_err(|_| too_large())?;
        let length = u32::try_from(self.directory.len()).map_err(|_| too_large())?;
        self.bytes.extend(self.directory);
        self.bytes.extend(b"PK\x05\x06\0\0\0\0");
        self.bytes.extend(self.entries.to_le_bytes());
        self.bytes.extend(self.entries.to_le_bytes());
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend(at.to_le_bytes());
        self.bytes.extend([0, 0]);
        Ok(self.bytes)
    }
}

#[cold]
fn too_large() -> Error {
    refused(vec![format!(
        "workbook: expected a file of at most {} MiB, and parts of it of at most 4 GiB before they are packed; make several \
         workbooks, or deliver the rows as a `.csv` file",
        MAX_BYTES >> 20
    )])
}

/// Writing to a vector does not fail.
#[cold]
fn failed(error: &std::io::Error) -> Error {
    Error::bug(format!("the workbook cannot be packed: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_one_part() {
        let long: String = (0..100_000).map(|number| format!("<{number}>")).collect();
        let mut writing = Writing::default();
        for part in long.split_inclusive('>') {
            writing.xml.push_str(part);
            writing.turn().unwrap();
        }
        let rows = writing.finish().unwrap();
        assert!(rows.kept_bytes() < long.len());
        let mut archive = Archive::default();
        let chunks = vec![
            CompressedChunk::of("before").unwrap(),
            rows,
            CompressedChunk::of("behind").unwrap(),
        ];
        archive.add("folder/a.xml", chunks).unwrap();
        archive.add("empty", Vec::new()).unwrap();
        let bytes = archive.finish().unwrap();
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        for (name, expected) in
            [("folder/a.xml", format!("before{long}behind")), ("empty", String::new())]
        {
            let mut text = String::new();
            std::io::Read::read_to_string(&mut zip.by_name(name).unwrap(), &mut text).unwrap();
            assert!(text == expected, "{name}");
        }
    }

    #[test]
    fn a_file_ends_where_it_is_too_large() {
        // Data that does not compress.
        let mut state = 1_u64;
        let mut writing = Writing { most: 1 << 20, ..Writing::default() };
        let refused = loop {
            for _ in 0..BUFFER_BYTES / 8 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                for byte in state.to_le_bytes() {
                    writing.xml.push(char::from(byte & 0x7f));
                }
            }
            if let Err(error) = writing.turn() {
                break error;
            }
        };
        assert!(
            refused.to_string().starts_with("workbook: expected a file of at most 256 MiB"),
            "{refused}"
        );
    }
}
