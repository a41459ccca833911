//! Archives of other programs, damaged archives, and archives above the limits.

use std::io::Write as _;

use mitt_reader_kit::{Content, ENCRYPTED, Error, File};
use zip::write::{SimpleFileOptions, ZipWriter};

const REPORT: &str = "# 年报\n\n收入增长 12%。\n";
const TABLE: &str = "month,dau\nJanuary,12\n";

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn read_with(name: &str, bytes: &[u8], password: Option<&str>) -> Result<Content, Error> {
    let extension = match name.rsplit_once('.').unwrap().1 {
        "tgz" => "gz",
        other => other,
    };
    let password = password.map(str::to_owned);
    reader_archive::read(bytes, &File { name: name.into(), extension: extension.into(), password })
}

fn read(name: &str) -> Content {
    read_with(name, &fixture(name), None).unwrap()
}

fn parts(content: &Content) -> Vec<(&str, &str)> {
    content
        .parts
        .iter()
        .map(|part| (part.name.as_str(), std::str::from_utf8(&part.bytes).unwrap_or("(binary)")))
        .collect()
}

#[test]
fn files_are_taken_out_with_their_names() {
    let nested = read("nested.zip");
    assert_eq!(parts(&nested), [("report.md", REPORT), ("inner.zip", "(binary)")]);
    assert_eq!(nested.warnings, ["1 files of operating systems were left out"]);
    assert!(
        nested.markdown.starts_with("- report.md (30 bytes)\n- inner.zip ("),
        "{}",
        nested.markdown
    );
    assert_eq!(parts(&read("gbk.zip")), [("年度/年报.md", REPORT)]);
    let tape = read("files.tar");
    let long = format!("报告/{}.md", "长".repeat(60));
    assert_eq!(parts(&tape), [(long.as_str(), REPORT), ("table.csv", TABLE)]);
    assert_eq!(tape.warnings, ["link was left out: it is a link or a device"]);
    assert_eq!(parts(&read("files.7z")), [("年报.md", REPORT), ("table.csv", TABLE)]);
    assert_eq!(parts(&read("table.csv.gz")), [("table.csv", TABLE)]);
    let packed = read("files.tgz");
    assert_eq!(packed.parts[0].name, "files.tar");
    assert_eq!(packed.parts[0].bytes, fixture("files.tar"));
}

#[test]
fn passwords_open_what_is_encrypted() {
    for name in ["aes.zip", "secret.7z"] {
        let bytes = fixture(name);
        for wrong in [None, Some("wrong"), Some("")] {
            let error = read_with(name, &bytes, wrong).unwrap_err();
            assert_eq!(error, Error::Unsupported(ENCRYPTED.into()), "{name} {wrong:?}");
        }
        assert_eq!(
            parts(&read_with(name, &bytes, Some("secret")).unwrap()),
            [("report.md", REPORT)]
        );
    }
}

fn packed(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Vec<u8> {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(&content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn what_is_too_much_is_refused() {
    let many = packed((0..1_001).map(|n| (format!("{n}.txt"), b"x".to_vec())));
    let large = packed([("a".to_owned(), vec![0; 100 << 20]), ("b".to_owned(), vec![0; 29 << 20])]);
    assert!(large.len() < 1 << 20);
    let mut lying = packed([("a".to_owned(), vec![0; 129 << 20])]);
    // The size in the entry and the directory is small.
    let size = (129_u32 << 20).to_le_bytes();
    for at in (0..lying.len() - 4).rev() {
        if lying[at..at + 4] == size {
            lying[at..at + 4].copy_from_slice(&1_u32.to_le_bytes());
        }
    }
    for (bytes, part) in [(&many, "more than 1000 files"), (&large, "more than 134217728 bytes")] {
        match read_with("a.zip", bytes, None) {
            Err(Error::Quota(text)) => assert!(text.contains(part), "{text}"),
            other => panic!("{other:?}"),
        }
    }
    let content = read_with("a.zip", &lying, None);
    assert!(content.is_err() || content.unwrap().parts.is_empty());
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&vec![0; 129 << 20]).unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(matches!(read_with("a.gz", &bomb, None), Err(Error::Quota(_))));
}

#[test]
fn damaged_archives_are_errors() {
    for name in [
        "nested.zip",
        "gbk.zip",
        "aes.zip",
        "files.tar",
        "files.tgz",
        "files.7z",
        "secret.7z",
        "table.csv.gz",
    ] {
        let whole = fixture(name);
        for end in (0..whole.len()).step_by(7) {
            // The result does not matter, but the call must end.
            let _ = read_with(name, &whole[..end], Some("secret"));
        }
        for at in (0..whole.len()).step_by(3) {
            let mut changed = whole.clone();
            changed[at] ^= 0x41;
            let _ = read_with(name, &changed, Some("secret"));
        }
    }
    assert!(matches!(read_with("a.zip", b"PK\x03\x04 nothing", None), Err(Error::Malformed(_))));
    assert!(matches!(read_with("a.7z", b"7z\xbc\xaf\x27\x1c", None), Err(Error::Malformed(_))));
}
