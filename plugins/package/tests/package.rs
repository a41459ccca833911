//! Archives that are made here: what a rewrite keeps, and what is refused.

use miniz_oxide::deflate::compress_to_vec;
use mitt_package::{MAX_ENTRIES, MAX_PART_BYTES, MAX_TOTAL_BYTES, Zip};

/// An entry as it is written, also with false statements.
struct Raw {
    name: &'static str,
    flags: u16,
    method: u16,
    crc: u32,
    data: Vec<u8>,
    unpacked: u32,
    extra: &'static [u8],
    /// Bytes between the data and the next entry.
    behind: &'static [u8],
}

fn stored(name: &'static str, content: &str) -> Raw {
    Raw {
        name,
        flags: 0,
        method: 0,
        crc: crc32fast::hash(content.as_bytes()),
        data: content.as_bytes().to_vec(),
        unpacked: content.len() as u32,
        extra: &[],
        behind: &[],
    }
}

fn packed(name: &'static str, content: &str) -> Raw {
    Raw { method: 8, data: compress_to_vec(content.as_bytes(), 6), ..stored(name, content) }
}

fn fields(raw: &Raw, extra: usize) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(20_u16.to_le_bytes());
    out.extend(raw.flags.to_le_bytes());
    out.extend(raw.method.to_le_bytes());
    out.extend([1, 2, 3, 4]);
    out.extend(raw.crc.to_le_bytes());
    out.extend((raw.data.len() as u32).to_le_bytes());
    out.extend(raw.unpacked.to_le_bytes());
    out.extend((raw.name.len() as u16).to_le_bytes());
    out.extend((extra as u16).to_le_bytes());
    out
}

/// Writes an archive with a stub in front, and a comment of the directory `note`.
fn archive(stub: &[u8], entries: &[Raw], note: &[u8]) -> Vec<u8> {
    let mut out = stub.to_vec();
    let mut directory = Vec::new();
    for raw in entries {
        let offset = out.len() as u32;
        out.extend(b"PK\x03\x04");
        out.extend(fields(raw, raw.extra.len()));
        out.extend(raw.name.as_bytes());
        out.extend(raw.extra);
        out.extend(&raw.data);
        out.extend(raw.behind);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(fields(raw, 0));
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(raw.name.as_bytes());
    }
    let start = out.len() as u32;
    out.extend(&directory);
    finish(&mut out, entries.len() as u16, directory.len() as u32, start, note);
    out
}

fn finish(out: &mut Vec<u8>, count: u16, size: u32, start: u32, note: &[u8]) {
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend((note.len() as u16).to_le_bytes());
    out.extend(note);
}

const TIMES: &[u8] = &[0x55, 0x54, 5, 0, 1, 9, 8, 7, 6];
const DESCRIPTOR: &[u8] = b"PK\x07\x08abcdefghijkl";

fn sample() -> Vec<u8> {
    let long = "lorem ipsum ".repeat(50);
    archive(
        b"stub",
        &[
            stored("a.xml", "first"),
            Raw { flags: 8, extra: TIMES, behind: DESCRIPTOR, ..packed("dir/B.xml", long.leak()) },
            stored("c.bin", "third"),
        ],
        b"a note",
    )
}

fn part(name: &str, content: &str) -> (String, Vec<u8>) {
    (name.to_owned(), content.as_bytes().to_vec())
}

fn read(zip: &Zip, name: &str) -> String {
    String::from_utf8(zip.read(name).unwrap().unwrap()).unwrap()
}

#[test]
fn names_have_their_case_and_are_found_in_any() {
    let zip = Zip::open(sample()).unwrap();
    assert_eq!(zip.names().collect::<Vec<_>>(), ["a.xml", "dir/B.xml", "c.bin"]);
    assert_eq!(zip.name("DIR/b.XML"), Some("dir/B.xml"));
    assert!(zip.has("A.XML") && !zip.has("d.xml"));
    assert_eq!(read(&zip, "dir/b.xml").len(), 600);
    assert_eq!(zip.read("d.xml").unwrap(), None);
}

#[test]
fn nothing_to_do_gives_the_same_bytes() {
    assert_eq!(Zip::open(sample()).unwrap().rewrite(&[], &[]).unwrap(), sample());
}

#[test]
fn other_entries_the_stub_and_the_note_keep_their_bytes() {
    let before = sample();
    let parts = [part("C.BIN", "another"), part("é.xml", "new")];
    let after = Zip::open(before.clone()).unwrap().rewrite(&parts, &[]).unwrap();
    let end = before.windows(5).position(|it| it == b"c.bin").unwrap() - 30;
    assert_eq!(before[..end], after[..end]);
    assert!(after.ends_with(b"\x06\0a note"));
    let zip = Zip::open(after).unwrap();
    assert_eq!(zip.names().collect::<Vec<_>>(), ["a.xml", "dir/B.xml", "c.bin", "é.xml"]);
    assert_eq!((read(&zip, "c.bin"), read(&zip, "é.xml")), ("another".into(), "new".into()));
}

#[test]
fn a_replaced_entry_keeps_its_time_and_fields_and_loses_its_descriptor() {
    let parts = [part("dir/B.xml", "short")];
    let after = Zip::open(sample()).unwrap().rewrite(&parts, &[]).unwrap();
    let at = after.windows(9).position(|it| it == b"dir/B.xml").unwrap() - 30;
    assert_eq!(after[at + 6..at + 14], [0, 0, 0, 0, 1, 2, 3, 4]);
    assert_eq!(after[at + 39..at + 48], *TIMES);
    assert_eq!(after[at + 48..at + 53], *b"short");
    assert_eq!(after[at + 53..at + 57], *b"PK\x03\x04");
    let zip = Zip::open(after).unwrap();
    assert_eq!((read(&zip, "dir/B.xml"), read(&zip, "c.bin")), ("short".into(), "third".into()));
}

#[test]
fn removed_entries_are_gone_and_a_name_in_both_lists_is_replaced() {
    let removed = ["A.xml".to_owned(), "c.bin".to_owned()];
    let after = Zip::open(sample()).unwrap().rewrite(&[part("c.bin", "kept")], &removed).unwrap();
    assert!(!after.windows(5).any(|it| it == b"first"));
    let zip = Zip::open(after).unwrap();
    assert_eq!(zip.names().collect::<Vec<_>>(), ["dir/B.xml", "c.bin"]);
    assert_eq!((read(&zip, "dir/B.xml").len(), read(&zip, "c.bin")), (600, "kept".into()));
}

#[test]
fn an_empty_archive_can_be_filled_and_emptied() {
    let full = Zip::empty().rewrite(&[part("a", "1"), part("b", "2")], &[]).unwrap();
    let zip = Zip::open(full).unwrap();
    assert_eq!((read(&zip, "a"), read(&zip, "b")), ("1".into(), "2".into()));
    let empty = zip.rewrite(&[], &["a".to_owned(), "b".to_owned()]).unwrap();
    assert_eq!(empty, Zip::empty().rewrite(&[], &[]).unwrap());
}

#[test]
fn large_parts_are_packed_at_the_fast_level() {
    let of = |length: usize| {
        let text: Vec<u8> = (0..length as u64).map(|it| (it * it / 7 % 61) as u8).collect();
        let full = Zip::empty().rewrite(&[("a".to_owned(), text.clone())], &[]).unwrap();
        assert!(Zip::open(full.clone()).unwrap().read("a").unwrap().unwrap() == text);
        let has = |level: u8| {
            let data = compress_to_vec(&text, level);
            full.windows(data.len()).any(|it| it == data)
        };
        (has(1), has(6))
    };
    assert_eq!(of(8 << 20), (false, true));
    assert_eq!(of((8 << 20) + 1), (true, false));
}

#[test]
fn a_name_cannot_come_twice() {
    let twice = archive(b"", &[stored("a.xml", "1"), stored("A.xml", "2")], b"");
    assert_eq!(Zip::open(twice).unwrap_err(), "the archive has `A.xml` twice");
    let parts = [part("n", "1"), part("N", "2")];
    let message = Zip::empty().rewrite(&parts, &[]).unwrap_err();
    assert_eq!(message, "the archive would have `N` twice");
}

#[test]
fn sizes_beyond_the_limits_are_refused_before_anything_is_unpacked() {
    let claims = |name, unpacked| Raw { unpacked, ..packed(name, "x") };
    let one = archive(b"", &[claims("a", MAX_PART_BYTES as u32 + 1)], b"");
    let message = Zip::open(one).unwrap().read("a").unwrap_err();
    assert_eq!(message, "expected at most 134217728 bytes in `a`, got 134217729");
    let most = MAX_PART_BYTES as u32;
    let names = ["a", "b", "c", "d", "e"];
    let full = |count: usize| {
        let all: Vec<Raw> = names[..count].iter().map(|name| claims(name, most)).collect();
        Zip::open(archive(b"", &all, b""))
    };
    assert!(full(4).is_ok());
    let message = full(5).unwrap_err();
    assert_eq!(message, format!("the archive has more than {MAX_TOTAL_BYTES} bytes unpacked"));
    // A bomb that declares less than it has.
    let mut bomb = packed("a", &"\0".repeat(1 << 20));
    bomb.unpacked = 1_000;
    let message = Zip::open(archive(b"", &[bomb], b"")).unwrap().read("a").unwrap_err();
    assert_eq!(message, "the part `a` is damaged");
}

#[test]
fn too_many_entries_are_refused() {
    let parts: Vec<_> = (0..=MAX_ENTRIES).map(|at| (at.to_string(), Vec::new())).collect();
    let full = Zip::empty().rewrite(&parts[..MAX_ENTRIES], &[]).unwrap();
    let zip = Zip::open(full.clone()).unwrap();
    let message = "expected at most 20000 files in the archive, got 20001";
    assert_eq!(zip.rewrite(&parts[MAX_ENTRIES..], &[]).unwrap_err(), message);
    assert!(zip.rewrite(&parts[MAX_ENTRIES..], &["7".to_owned()]).is_ok());
    let mut more = full;
    let end = more.len() - 22;
    more[end + 10..end + 12].copy_from_slice(&20_001_u16.to_le_bytes());
    assert_eq!(Zip::open(more).unwrap_err(), message);
}

#[test]
fn encrypted_damaged_and_foreign_files_are_named() {
    let locked = archive(b"", &[Raw { flags: 1, ..stored("a", "1") }], b"");
    assert_eq!(Zip::open(locked).unwrap_err(), "the archive is encrypted");
    assert_eq!(Zip::open(b"text".to_vec()).unwrap_err(), "the file is not a ZIP archive");
    let read = |raw: Raw| Zip::open(archive(b"", &[raw], b"")).unwrap().read("a").unwrap_err();
    assert_eq!(read(Raw { crc: 1, ..stored("a", "1") }), "the part `a` is damaged");
    assert_eq!(read(Raw { unpacked: 2, ..stored("a", "1") }), "the part `a` is damaged");
    assert_eq!(read(Raw { method: 12, ..stored("a", "1") }), "`a` is compressed by method 12");
    let mut outside = archive(b"", &[stored("a", "1")], b"");
    let at = outside.len() - 22 - 47;
    outside[at + 20..at + 24].copy_from_slice(&9_999_u32.to_le_bytes());
    let message = Zip::open(outside).unwrap().read("a").unwrap_err();
    assert_eq!(message, "the part `a` is damaged");
}

#[test]
fn entries_that_share_bytes_are_not_rewritten() {
    let overlapping = |offset: u32| {
        let mut bytes = archive(b"", &[stored("a", "1"), stored("b", "2")], b"");
        let at = bytes.len() - 22 - 47;
        bytes[at + 42..at + 46].copy_from_slice(&offset.to_le_bytes());
        Zip::open(bytes).unwrap().rewrite(&[part("c", "3")], &[])
    };
    assert!(overlapping(32).is_ok());
    assert_eq!(overlapping(0).unwrap_err(), "the ZIP archive is damaged");
    // The data of the first entry reach into the second one.
    let mut bytes = archive(b"", &[stored("a", "1"), stored("b", "2")], b"");
    let at = bytes.len() - 22 - 94;
    bytes[at + 20..at + 24].copy_from_slice(&30_u32.to_le_bytes());
    let zip = Zip::open(bytes).unwrap();
    assert_eq!(zip.rewrite(&[part("c", "3")], &[]).unwrap_err(), "the ZIP archive is damaged");
}

#[test]
fn sizes_of_64_bits_are_read_and_kept() {
    let content = b"sixty-four";
    let length = (content.len() as u64).to_le_bytes();
    let mut out = b"PK\x03\x04".to_vec();
    let raw = Raw { unpacked: u32::MAX, ..stored("a", "sixty-four") };
    let mut local = fields(&raw, 20);
    local[14..18].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut extra = vec![1, 0, 16, 0];
    extra.extend(length);
    extra.extend(length);
    out.extend(&local);
    out.extend(b"a");
    out.extend(&extra);
    out.extend(content);
    let start = out.len();
    // The directory has a long offset too.
    let mut central = fields(&raw, 28);
    central[14..18].copy_from_slice(&u32::MAX.to_le_bytes());
    out.extend(b"PK\x01\x02\x14\x00");
    out.extend(&central);
    out.extend([0; 10]);
    out.extend(u32::MAX.to_le_bytes());
    out.extend(b"a");
    out.extend([1, 0, 24, 0]);
    out.extend(length);
    out.extend(length);
    out.extend(0_u64.to_le_bytes());
    let size = out.len() - start;
    let end64 = out.len();
    out.extend(b"PK\x06\x06");
    out.extend(44_u64.to_le_bytes());
    out.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for number in [1, 1, size as u64, start as u64] {
        out.extend(number.to_le_bytes());
    }
    out.extend(b"PK\x06\x07\0\0\0\0");
    out.extend((end64 as u64).to_le_bytes());
    out.extend(1_u32.to_le_bytes());
    finish(&mut out, u16::MAX, u32::MAX, u32::MAX, b"");
    let zip = Zip::open(out).unwrap();
    assert_eq!(read(&zip, "a"), "sixty-four");
    let added = Zip::open(zip.rewrite(&[part("b", "new")], &[]).unwrap()).unwrap();
    assert_eq!((read(&added, "a"), read(&added, "b")), ("sixty-four".into(), "new".into()));
    let after = Zip::open(added.rewrite(&[part("a", "short")], &[]).unwrap()).unwrap();
    assert_eq!((read(&after, "a"), read(&after, "b")), ("short".into(), "new".into()));
    let after = Zip::open(after.rewrite(&[], &["a".to_owned()]).unwrap()).unwrap();
    assert_eq!((after.has("a"), read(&after, "b")), (false, "new".into()));
}

#[test]
fn no_damage_makes_it_panic() {
    let whole = sample();
    for length in 0..whole.len() {
        let _ = Zip::open(whole[..length].to_vec());
    }
    let mut seed = 1_u32;
    for _ in 0..20_000 {
        let mut bytes = whole.clone();
        for _ in 0..3 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = (seed >> 8) as usize % bytes.len();
            bytes[at] = (seed >> 3) as u8;
        }
        let Ok(zip) = Zip::open(bytes) else { continue };
        for name in zip.names().map(str::to_owned).collect::<Vec<_>>() {
            let _ = zip.read(&name);
        }
        let _ = zip.rewrite(&[part("a.xml", "x"), part("n", "y")], &["c.bin".to_owned()]);
    }
}
