use super::*;
use std::io::Read as _;

/// Returns a long stream, short streams, and a storage with both.
fn contents() -> Vec<(&'static str, Vec<u8>)> {
    let bytes = |count: usize, step: usize| (0..count).map(|at| ((at * step) >> 3) as u8).collect();
    vec![
        ("/Long", bytes(40_000, 7)),
        ("/Short", bytes(1_000, 5)),
        ("/Empty", Vec::new()),
        ("/Storage/Long", bytes(5_000, 3)),
        ("/Storage/\u{5}Short", bytes(100, 11)),
    ]
}

fn file(version: cfb::Version) -> Vec<u8> {
    let mut file = CompoundFile::create_with_version(version, Cursor::new(Vec::new())).unwrap();
    file.create_storage("/Storage").unwrap();
    for (path, content) in contents() {
        file.create_stream(path).unwrap().write_all(&content).unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}

fn put(bytes: &mut [u8], at: usize, word: u32) {
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

fn get(bytes: &[u8], at: usize) -> u32 {
    u32_at(bytes, at).unwrap()
}

/// Returns the offset of the first sector of the FAT, and the range of its entries for sectors that the file does not have.
fn fat(bytes: &[u8]) -> (usize, std::ops::Range<usize>) {
    let sector = 1 << u16_at(bytes, 0x1E).unwrap();
    let at = (get(bytes, 0x4C) as usize + 1) * sector;
    let sectors = bytes.len() / sector - 1;
    (at, at + 4 * sectors..at + sector)
}

#[track_caller]
fn check(bytes: &[u8], what: &str) {
    let regular = regular(bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(regular.warnings.is_empty(), "{what}: {:?}", regular.warnings);
    let mut file = CompoundFile::open(Cursor::new(&*regular.bytes)).unwrap();
    for (path, expected) in contents() {
        let mut content = Vec::new();
        file.open_stream(path).unwrap().read_to_end(&mut content).unwrap();
        assert!(content == expected, "{what}: {path}");
    }
    assert_eq!(file.walk().count(), 2 + contents().len(), "{what}");
}

#[test]
fn a_regular_file_stays_as_it_is() {
    for version in [cfb::Version::V3, cfb::Version::V4] {
        let bytes = file(version);
        assert!(matches!(regular(&bytes).unwrap().bytes, Cow::Borrowed(_)));
        check(&bytes, "regular");
    }
}

#[test]
fn irregular_files_are_read_to_the_last_byte() {
    for version in [cfb::Version::V3, cfb::Version::V4] {
        let whole = file(version);
        let sector = version.sector_len();
        let (start, beyond) = fat(&whole);
        assert!(!beyond.is_empty());
        // The FAT has entries for sectors that the file does not have.
        for mark in [0xFFFF_FFFE, 0xFFFF_FFFB, 0xFFFF_FFFA, 1, 0x7FFF_FFFF, 0] {
            let mut bytes = whole.clone();
            beyond.clone().step_by(4).for_each(|at| put(&mut bytes, at, mark));
            check(&bytes, &format!("{version:?}: filled up with {mark:#x}"));
        }
        // The FAT does not mark its own sectors.
        for mark in [0xFFFF_FFFF, 0xFFFF_FFFE, 0xFFFF_FFFB, 0] {
            let mut bytes = whole.clone();
            let own = start + 4 * get(&whole, 0x4C) as usize;
            put(&mut bytes, own, mark);
            check(&bytes, &format!("{version:?}: the FAT is marked {mark:#x}"));
        }
        // The header has a wrong number of sectors of the FAT.
        for count in [0, 2, 99, 0xFFFF_FFFF] {
            let mut bytes = whole.clone();
            put(&mut bytes, 0x2C, count);
            check(&bytes, &format!("{version:?}: {count} sectors of the FAT"));
        }
        // The header lists sectors of the FAT that do not exist.
        for number in [0, 3, 9_999, 0xFFFF_FFFE] {
            let mut bytes = whole.clone();
            (0x50..0x200).step_by(4).for_each(|at| put(&mut bytes, at, number));
            check(&bytes, &format!("{version:?}: the FAT is also in sector {number}"));
        }
        // The list continues in a sector that does not exist, or in any other.
        for next in [0, 9_999, 0xFFFF_FFFB, 0xFFFF_FFFF] {
            let mut bytes = whole.clone();
            put(&mut bytes, 0x44, next);
            check(&bytes, &format!("{version:?}: the list goes on in sector {next:#x}"));
        }
        // The length is not a number of whole sectors.
        for more in [1, 100, sector - 1, sector, 3 * sector + 7] {
            let mut bytes = whole.clone();
            bytes.resize(whole.len() + more, 0xAA);
            check(&bytes, &format!("{version:?}: {more} bytes more"));
            beyond.clone().step_by(4).for_each(|at| put(&mut bytes, at, 0xFFFF_FFFE));
            check(&bytes, &format!("{version:?}: {more} bytes more, and an irregular FAT"));
        }
    }
}

#[test]
fn two_unused_sectors_may_point_to_the_same_one() {
    let mut bytes = file(cfb::Version::V3);
    let sectors = bytes.len() / 512 - 1;
    bytes.resize(bytes.len() + 2 * 512, 0);
    let (start, _) = fat(&bytes);
    put(&mut bytes, start + 4 * sectors, 5);
    put(&mut bytes, start + 4 * (sectors + 1), 5);
    check(&bytes, "two point to one");
}

/// Returns the offset of the entry with a name.
fn entry(bytes: &[u8], name: &str) -> usize {
    let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).chain([0, 0]).collect();
    bytes.windows(name.len()).position(|it| it == name).unwrap()
}

#[test]
fn what_is_missing_is_named() {
    let whole = file(cfb::Version::V3);
    let (_, beyond) = fat(&whole);
    let mut irregular = whole.clone();
    beyond.step_by(4).for_each(|at| put(&mut irregular, at, 0xFFFF_FFFE));
    // The end of the file is missing, and with it the end of its last stream.
    let cut = &irregular[..irregular.len() - 1_000];
    let warnings = regular(cut).unwrap().warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with("the file is damaged: the end of a part of it is missing: "));
    // The entry of a stream has a larger size than its sectors.
    let mut long = irregular.clone();
    let at = entry(&whole, "Long");
    put(&mut long, at + 0x78, 1 << 30);
    assert!(regular(&long).unwrap().warnings[0].contains(": Long"));
    // Entries are outside the tree, because the links to them are cut.
    let mut lost = irregular.clone();
    for at in [0x44, 0x48, 0x4C] {
        put(&mut lost, entry(&whole, "Storage") + at, NO_ENTRY);
    }
    let found = regular(&lost).unwrap();
    assert!(found.warnings.iter().any(|it| it.contains("left out: ")), "{:?}", found.warnings);
    // A name that no entry may have.
    let mut named = irregular;
    named[entry(&whole, "Short")] = b'/';
    assert_eq!(
        regular(&named).unwrap().warnings,
        ["the file is damaged: parts of it that cannot be found were left out: 1"]
    );
}

#[test]
fn files_that_are_made_to_be_too_much_are_refused() {
    let whole = file(cfb::Version::V3);
    let (start, beyond) = fat(&whole);
    let mut irregular = whole.clone();
    beyond.step_by(4).for_each(|at| put(&mut irregular, at, 0xFFFF_FFFE));
    // All streams share the sectors of a long one.
    let mut shared = irregular.clone();
    let first = get(&whole, entry(&whole, "Long") + 0x74);
    for name in ["Short", "Empty", "\u{5}Short"] {
        put(&mut shared, entry(&whole, name) + 0x74, first);
        put(&mut shared, entry(&whole, name) + 0x78, 40_000);
    }
    assert!(regular(&shared).is_err());
    // Every chain is a cycle, and every entry links to the root.
    for sector in 0..40 {
        let mut ring = irregular.clone();
        put(&mut ring, start + 4 * sector, sector as u32);
        let _ = regular(&ring);
    }
    let mut tree = irregular.clone();
    for (name, _) in contents() {
        let name = name.rsplit('/').next().unwrap();
        [0x44, 0x48, 0x4C].iter().for_each(|at| put(&mut tree, entry(&whole, name) + at, 0));
    }
    let _ = regular(&tree);
    // The header is cut, or has another sector size.
    for length in [0, 7, 8, 76, 511, 512, 1_024, 1_500] {
        let _ = regular(&irregular[..length]);
    }
    for shift in [0u16, 1, 8, 10, 31, 32, 63, 64, 0xFFFF] {
        let mut other = irregular.clone();
        other[0x1E..0x20].copy_from_slice(&shift.to_le_bytes());
        assert!(regular(&other).is_err(), "{shift}");
    }
    assert!(regular(b"").is_err());
    assert!(regular(&[0; 4_096]).is_err());
}
