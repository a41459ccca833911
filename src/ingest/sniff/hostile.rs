//! Hostile files for the sniffers: the first bytes of real files of many formats, changed at random where readers expect lengths
//! and offsets. No sniffer may panic or take long.

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};

use super::*;

/// Number of changed files for each beginning.
const ROUNDS: u32 = 600;

pub(super) fn zip_of(names: &[&str]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in names {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut zip, b"<a/>").unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Returns a compound file with one directory sector.
pub(super) fn compound_of(name: &str) -> Vec<u8> {
    let mut file = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    file.resize(512 * 4, 0);
    file[24..32].copy_from_slice(&[0x3E, 0, 3, 0, 0xFE, 0xFF, 9, 0]);
    file[32] = 6;
    file[44] = 1;
    file[48] = 1;
    file[56..60].copy_from_slice(&4096_u32.to_le_bytes());
    file[76..512].fill(0xFF);
    file[76..80].copy_from_slice(&0_u32.to_le_bytes());
    file[512..1024].fill(0xFF);
    for (index, unit) in name.encode_utf16().enumerate() {
        file[1024 + index * 2..1026 + index * 2].copy_from_slice(&unit.to_le_bytes());
    }
    file[1024 + 64..1024 + 66].copy_from_slice(&(name.len() as u16 * 2 + 2).to_le_bytes());
    file[1024 + 66] = 5;
    file
}

/// Returns beginnings of Matroska, MP4, ASF, RIFF and other files, a few bytes each, whose structure sniffers read.
fn beginnings() -> Vec<Vec<u8>> {
    let text = |text: &str| text.as_bytes().to_vec();
    let mut all = vec![
        zip_of(&["[Content_Types].xml", "xl/workbook.xml"]),
        zip_of(&["[Content_Types].xml", "word/document.xml", "docProps/app.xml"]),
        zip_of(&["mimetype", "META-INF/manifest.xml", "AndroidManifest.xml"]),
        compound_of("WordDocument"),
        compound_of("Workbook"),
        text("%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj\nAdobe Illustrator xref trailer %%EOF"),
        text("\u{1A}E\u{DF}\u{A3}"),
        b"\x1A\x45\xDF\xA3\xA3\x42\x86\x81\x01\x42\xF7\x81\x01\x42\x82\x88matroska\x18\x53\x80\x67\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x16\x54\xAE\x6B\xAE\x83\x81\x01\x86\x85V_VP8"
            .to_vec(),
        b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom\0\0\0\x08moov\0\0\0\x10trak\0\0\0\x08hdlr".to_vec(),
        b"\x30\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\x00\xAA\x00\x62\xCE\x6C\x40\0\0\0\0\0\0\0\x02\0\0\0\x01\x02\x91\x07\xDC\xB7\xB7\xA9\xCF\x11\x8E\xE6\x00\xC0\x0C\x20\x53\x65\x18\0\0\0\0\0\0\0"
            .to_vec(),
        b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x44\xAC\0\0".to_vec(),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0acTL\0\0\0\0IDAT".to_vec(),
        b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xFF\xFF\xFF!\xF9\x04".to_vec(),
        b"OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x1E\x01vorbis".to_vec(),
        b"7z\xBC\xAF\x27\x1C\0\x04\0\0\0\0\0\0\0\0".to_vec(),
        b"\x1F\x8B\x08\0\0\0\0\0\0\x03\x4B\x04\0".to_vec(),
        text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- x --><svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
        text("{\\rtf1\\ansi x}"),
        text("name,price\r\na,1\r\nb,\"2\r\n3\"\r\n"),
        text("年份\t收入\n2024\t1\n"),
        text("WEBVTT\n\n00:00.000 --> 00:01.000\nx"),
        b"\xFF\xFE\0\0a\0\0\0b\0\0\0".to_vec(),
        b"\xFE\xFF\0a\0,\0b\0\n\0\x31\0,\0\x32".to_vec(),
    ];
    // DOS program whose header points to the one for Windows.
    let mut program = b"MZ".to_vec();
    program.resize(256, 0);
    program[0x3C] = 0x80;
    program[0x80..0x84].copy_from_slice(b"PE\0\0");
    program[0x94..0x98].copy_from_slice(&[0xE0, 0, 0x02, 0x01]);
    all.push(program);
    // Tape archive.
    let mut archive = vec![0; 1024];
    archive[257..262].copy_from_slice(b"ustar");
    all.push(archive);
    all
}

/// Numbers that are unexpected as lengths, counts and offsets.
const NUMBERS: [u64; 9] =
    [0, 1, 0x7F, 0xFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, i64::MAX as u64, u64::MAX];

fn changed(seed: &[u8], random: &mut StdRng) -> Vec<u8> {
    let mut file = seed.to_vec();
    for _ in 0..random.random_range(1..6_u32) {
        let at = random.random_range(0..file.len().max(1));
        match random.random_range(0..7_u32) {
            0 => file.truncate(at),
            1 if !file.is_empty() => file[at] = (random.next_u32() & 0xFF) as u8,
            2 => {
                let number = NUMBERS[random.random_range(0..NUMBERS.len())];
                let bytes = match random.random_range(0..2_u32) {
                    0 => number.to_le_bytes(),
                    _ => number.to_be_bytes(),
                };
                let width = [1, 2, 4, 8][random.random_range(0..4_usize)];
                for (place, byte) in file.iter_mut().skip(at).zip(&bytes[..width]) {
                    *place = *byte;
                }
            }
            3 => {
                let part = file[at..].to_vec();
                file.extend(part);
            }
            4 => {
                let end = file.len().min(at + 16);
                file.drain(at.min(end)..end);
            }
            5 => file.extend(std::iter::repeat_n(0, random.random_range(0..2_000))),
            _ => {
                let part: Vec<u8> = file.iter().copied().take(64).collect();
                let at = at.min(file.len());
                file.splice(at..at, part);
            }
        }
    }
    file
}

#[test]
fn no_file_makes_its_reader_panic() {
    let mut random = StdRng::seed_from_u64(12);
    let mut panics = Vec::new();
    let mut slowest = Duration::ZERO;
    for (number, seed) in beginnings().iter().enumerate() {
        for _ in 0..ROUNDS {
            let file = changed(seed, &mut random);
            let begun = Instant::now();
            let name = ["a", "a.xlsx", "a.txt", "a.csv"][number % 4];
            if catch_unwind(|| sniff(name, &file)).is_err() {
                panics.push((number, file));
            }
            slowest = slowest.max(begun.elapsed());
        }
    }
    assert!(panics.is_empty(), "{} panics, the first of {:?}", panics.len(), panics[0]);
    assert!(slowest < Duration::from_secs(20), "{slowest:?}");
}
