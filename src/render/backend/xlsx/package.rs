//! Parts of a package, compressed while they are written, and the ZIP archive that holds them.
//!
//! A part is put together from separately compressed chunks: the beginning and the end of a sheet are known only after its
//! rows were written, which stay compressed until then. Knows nothing of the contents.

use crc32fast::Hasher;
use flate2::{Compress, Compression, FlushCompress};
use mitt_base::{Error, Result};

use super::refused;

/// The level of rust_xlsxwriter, which is zlib's default.
const LEVEL: u32 = 6;
/// Most bytes of XML before they are compressed: many calls of the compressor with little data each are slow.
const BUFFER_BYTES: usize = 1 << 16;
/// Room that the compressor gets for its output at a time. A flush needs more than 6 bytes, or it is repeated.
const OUTPUT_BYTES: usize = 1 << 13;
/// Most bytes of all chunks. Artifacts are smaller; this ends the writing before it fills the memory of the host.
const MAX_BYTES: usize = 256 << 20;

/// A chunk of a part while it is written.
#[derive(Debug)]
pub(super) struct Writing {
    /// XML that is written next. Callers append to it and then call [`Writing::turn`].
    pub(super) xml: String,
    compressor: Compress,
    packed: Vec<u8>,
    crc: Hasher,
    length: u64,
    /// Most compressed bytes.
    most: usize,
}

impl Default for Writing {
    fn default() -> Writing {
        Writing {
            xml: String::with_capacity(BUFFER_BYTES + (BUFFER_BYTES >> 2)),
            compressor: Compress::new(Compression::new(LEVEL), false),
            packed: Vec::new(),
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
        let mut xml = std::mem::take(&mut self.xml);
        self.add(xml.as_bytes())?;
        xml.clear();
        self.xml = xml;
        Ok(())
    }

    fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.crc.update(bytes);
        self.length += bytes.len() as u64;
        self.compress(bytes, FlushCompress::None)?;
        if self.packed.len() > self.most { Err(too_large()) } else { Ok(()) }
    }

    /// Compresses bytes. A flush is repeated until the compressor leaves room in its output: only then it is complete, says zlib's
    /// manual. `flate2::write::DeflateEncoder::flush` does not repeat it, and then the next chunk can begin within a byte.
    fn compress(&mut self, mut bytes: &[u8], flush: FlushCompress) -> Result<()> {
        loop {
            self.packed.reserve(OUTPUT_BYTES);
            let before = self.compressor.total_in();
            let status = self.compressor.compress_vec(bytes, &mut self.packed, flush);
            status
                .map_err(|error| Error::bug(format!("the workbook cannot be packed: {error}")))?;
            let taken = usize::try_from(self.compressor.total_in() - before).unwrap_or(usize::MAX);
            bytes = bytes.get(taken..).unwrap_or_default();
            if bytes.is_empty() && self.packed.len() < self.packed.capacity() {
                return Ok(());
            }
        }
    }

    /// Returns the bytes that it keeps.
    pub(super) fn kept_bytes(&self) -> usize {
        // The window and the tables of the compressor take about as much as the last term.
        self.xml.capacity() + self.packed.capacity() + (300 << 10)
    }

    /// Returns the chunk. Another one may follow it.
    pub(super) fn finish(mut self) -> Result<CompressedChunk> {
        self.pack()?;
        // Ends at a full byte, without ending the stream.
        self.compress(&[], FlushCompress::Sync)?;
        Ok(CompressedChunk { packed: self.packed, crc: self.crc, length: self.length })
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
        writing.add(bytes)?;
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

    /// The room for output can be full just when a chunk ends: here at 32 KiB, since seven of eight bits are noise.
    #[test]
    fn chunks_of_any_length_follow_each_other() {
        let mut state = 1_u64;
        let mut noise = String::new();
        while noise.len() < 37_600 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            noise.extend(state.to_le_bytes().map(|byte| char::from(byte & 0x7f)));
        }
        for length in 37_300..noise.len() {
            let text = &noise[..length];
            let chunks = [text, "behind"].map(|part| CompressedChunk::of(part).unwrap());
            let mut packed: Vec<u8> =
                chunks.iter().flat_map(|chunk| chunk.packed.iter().copied()).collect();
            packed.extend(END);
            let mut unpacked = String::new();
            let mut reader = flate2::read::DeflateDecoder::new(&*packed);
            std::io::Read::read_to_string(&mut reader, &mut unpacked).unwrap();
            assert!(unpacked == format!("{text}behind"), "{length} bytes");
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
