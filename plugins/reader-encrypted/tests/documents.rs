//! Documents that other programs encrypted, damaged documents, and documents above the limits.

#[path = "../../reader-kit/tests/support/irregular.rs"]
mod irregular;
#[allow(dead_code, reason = "the files are named here, so the folder is enough")]
#[path = "../../reader-kit/tests/support/corpora.rs"]
mod others;

use std::io::{Cursor, Read as _, Write as _};

use cfb::CompoundFile;
use mitt_reader_kit::{Content, ENCRYPTED, Error, File};

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn read(bytes: &[u8], password: Option<&str>) -> Result<Content, Error> {
    let password = password.map(str::to_owned);
    reader_encrypted::read(
        bytes,
        &File { name: "a.docx".into(), extension: "encrypted".into(), password },
    )
}

fn is_locked(result: Result<Content, Error>) -> bool {
    matches!(result, Err(Error::Unsupported(text)) if text == ENCRYPTED)
}

#[test]
fn the_right_password_opens_it() {
    let bytes = fixture("agile.docx");
    let content = read(&bytes, Some("密码 Pass-1")).unwrap();
    assert_eq!((content.parts.len(), content.parts[0].name.as_str()), (1, "a.docx"));
    assert!(content.parts[0].bytes.starts_with(b"PK\x03\x04"));
    assert!(content.warnings.is_empty(), "{:?}", content.warnings);
    let long = "x".repeat(256);
    for wrong in [None, Some(""), Some("密码 pass-1"), Some(long.as_str())] {
        assert!(is_locked(read(&bytes, wrong)), "{wrong:?}");
    }
}

#[test]
fn a_workbook_that_everybody_may_read_needs_none() {
    let content = read(&fixture("nobody.xlsx"), None).unwrap();
    assert!(content.parts[0].bytes.starts_with(b"PK\x03\x04"));
    assert_eq!(content.warnings, ["the document was encrypted without a password of its own"]);
}

/// Returns the fixture with one stream changed.
fn changed(stream: &str, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut compound = CompoundFile::open(Cursor::new(fixture("agile.docx"))).unwrap();
    let mut content = Vec::new();
    compound.open_stream(stream).unwrap().read_to_end(&mut content).unwrap();
    change(&mut content);
    compound.create_stream(stream).unwrap().write_all(&content).unwrap();
    compound.flush().unwrap();
    compound.into_inner().into_inner()
}

fn replaced(info: &mut Vec<u8>, from: &str, to: &str) {
    let text = String::from_utf8(info.split_off(8)).unwrap();
    assert!(text.contains(from), "{text}");
    info.extend(text.replace(from, to).bytes());
}

#[test]
fn what_was_changed_is_told() {
    let password = Some("密码 Pass-1");
    let changed_text = changed("/EncryptedPackage", |bytes| *bytes.last_mut().unwrap() ^= 1);
    let warnings = read(&changed_text, password).unwrap().warnings;
    assert!(warnings[0].starts_with("the seal over the encrypted document"), "{warnings:?}");

    let cut = changed("/EncryptedPackage", |bytes| bytes.truncate(5_000));
    assert!(matches!(read(&cut, password), Err(Error::Malformed(_))));
    let info = |from: &str, to: &str| changed("/EncryptionInfo", |bytes| replaced(bytes, from, to));
    for (from, to, expected) in [
        ("spinCount=\"100000\"", "spinCount=\"10000001\"", "at most 10000000"),
        ("spinCount=\"100000\"", "spinCount=\"many\"", "is no number"),
        ("cipherAlgorithm=\"AES\"", "cipherAlgorithm=\"DES\"", "DES, ChainingModeCBC"),
        ("hashAlgorithm=\"SHA512\"", "hashAlgorithm=\"WHIRLPOOL\"", "hash WHIRLPOOL"),
        ("keyBits=\"256\"", "keyBits=\"7\"", "a key of 7 bits"),
        ("<keyData ", "<other ", "does not say how"),
        ("encryptedKey ", "otherKey ", "only a certificate"),
    ] {
        let error = read(&info(from, to), password).unwrap_err();
        let (Error::Malformed(text) | Error::Unsupported(text)) = error else {
            panic!("{error:?}")
        };
        assert!(text.contains(expected), "{to}: {text}");
    }
    let version = changed("/EncryptionInfo", |bytes| bytes[0] = 9);
    let error = format!("{:?}", read(&version, password).unwrap_err());
    assert!(error.contains("version 9.4"), "{error}");
}

/// Tools that encrypt documents with SheetJS write such files.
#[test]
fn irregular_files_are_encrypted_documents_too() {
    for (name, password) in [
        ("agile.docx", Some("密码 Pass-1")),
        ("locked.doc", Some("密码 Pass-1")),
        ("locked.xls", Some("密码 Pass-1")),
        ("nobody.xlsx", None),
    ] {
        let regular = fixture(name);
        let expected = read(&regular, password).unwrap();
        for (what, bytes) in irregular::irregular(&regular) {
            if password.is_some() {
                assert!(is_locked(read(&bytes, None)), "{name}: {what}");
            }
            let content =
                read(&bytes, password).unwrap_or_else(|it| panic!("{name}: {what}: {it:?}"));
            assert_eq!(content.warnings, expected.warnings, "{name}: {what}");
            match name {
                "locked.doc" | "locked.xls" => {
                    let main = if name == "locked.doc" { "/WordDocument" } else { "/Workbook" };
                    assert!(stream(&content, main) == stream(&expected, main), "{name}: {what}");
                }
                _ => assert!(content.parts == expected.parts, "{name}: {what}"),
            }
        }
    }
}

/// The header fields of short streams have only one valid value, so others are ignored.
#[test]
fn numbers_that_are_the_same_in_all_files_are_not_believed() {
    for (name, password) in [("agile.docx", Some("密码 Pass-1")), ("nobody.xlsx", None)] {
        let whole = fixture(name);
        let expected = read(&whole, password).unwrap();
        for (at, number) in
            [(0x38, 0u32), (0x38, 64), (0x38, 512), (0x38, u32::MAX), (0x20, 0), (0x20, 7)]
        {
            let mut bytes = whole.clone();
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            let content = read(&bytes, password).unwrap_or_else(|it| panic!("{name} {at}: {it:?}"));
            assert_eq!(content.parts, expected.parts, "{name} {at} {number}");
            assert_eq!(content.warnings, expected.warnings, "{name} {at} {number}");
        }
    }
}

/// The encrypted document claims to be longer than the file: it is damaged, and not too large.
#[test]
fn a_length_beyond_the_file_is_damage() {
    let mut bytes = fixture("agile.docx");
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let entry = bytes.windows(name.len()).position(|it| it == name).unwrap();
    bytes[entry + 0x78..entry + 0x7C].copy_from_slice(&0x7FFF_FFFF_u32.to_le_bytes());
    let error = read(&bytes, Some("密码 Pass-1")).unwrap_err();
    assert!(
        matches!(&error, Error::Malformed(text) if text.contains("2147483647 bytes")),
        "{error:?}"
    );
}

#[test]
fn damaged_files_are_errors() {
    let whole = fixture("agile.docx");
    for end in [0, 8, 512, 3_000, whole.len() / 2, whole.len() - 600] {
        assert!(read(&whole[..end], Some("密码 Pass-1")).is_err(), "{end}");
    }
}

/// Returns a stream of a decrypted document.
fn stream(content: &Content, name: &str) -> Vec<u8> {
    let mut compound = CompoundFile::open(Cursor::new(content.parts[0].bytes.as_slice())).unwrap();
    let mut bytes = Vec::new();
    compound.open_stream(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

fn has(bytes: &[u8], text: &str) -> bool {
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    [text.as_bytes(), &wide].iter().any(|part| bytes.windows(part.len()).any(|it| it == *part))
}

#[test]
fn old_documents_are_opened_in_place() {
    for (name, main, text) in
        [("locked.doc", "/WordDocument", "净利润同比增长 40%"), ("locked.xls", "/Workbook", "收入")]
    {
        let bytes = fixture(name);
        let content = read(&bytes, Some("密码 Pass-1")).unwrap();
        assert!(has(&stream(&content, main), text), "{name}");
        assert_eq!(content.parts[0].bytes.len(), bytes.len());
        assert!(content.warnings.is_empty(), "{:?}", content.warnings);
        for wrong in [None, Some(""), Some("密码 pass-1")] {
            assert!(is_locked(read(&bytes, wrong)), "{name} {wrong:?}");
        }
        // A decrypted document is not encrypted any more.
        let again = read(&content.parts[0].bytes, Some("密码 Pass-1"));
        assert!(matches!(again, Err(Error::Malformed(_))), "{name}: {again:?}");
    }
}

#[test]
fn damaged_old_documents_are_errors() {
    for name in ["locked.doc", "locked.xls"] {
        let whole = fixture(name);
        for end in (0..whole.len()).step_by(256) {
            let _ = read(&whole[..end], Some("密码 Pass-1"));
        }
        for at in (0..whole.len()).step_by(7) {
            let mut changed = whole.clone();
            changed[at] ^= 0x55;
            let _ = read(&changed, Some("密码 Pass-1"));
        }
    }
}

#[test]
fn old_documents_of_others_are_opened() {
    const DECK: &str = "/PowerPoint Document";
    let Some(folder) = others::corpora() else { return };
    for (name, password, main, text) in [
        ("document/password_password_cryptoapi.doc", "password", "/WordDocument", "is a test"),
        ("document/password_tika_binaryrc4.doc", "tika", "/WordDocument", "Word 2007 File"),
        ("spreadsheet/xor-encryption-abc.xls", "abc", "/Workbook", "Sheet1"),
        ("spreadsheet/password.xls", "password", "/Workbook", "A ZIP bomb"),
        ("slideshow/Password_Protected-hello.ppt", "hello", DECK, "protected document"),
        ("slideshow/Password_Protected-56-hello.ppt", "hello", DECK, "protected document"),
    ] {
        let bytes = std::fs::read(folder.join("poi").join(name)).unwrap();
        let content =
            read(&bytes, Some(password)).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(has(&stream(&content, main), text), "{name}");
        assert!(is_locked(read(&bytes, Some("another"))), "{name}");
    }
}

#[test]
fn documents_of_others_are_opened() {
    let Some(folder) = others::corpora() else { return };
    for (name, password) in [
        ("poi/document/bug53475-password-is-solrcell.docx", "solrcell"),
        ("poi/document/bug53475-password-is-pass.docx", "pass"),
        ("poi/spreadsheet/protected_passtika.xlsx", "tika"),
        ("poi/spreadsheet/protected_passtika.xlsb", "tika"),
        ("calamine/pass_protected.xlsx", "123"),
    ] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let content =
            read(&bytes, Some(password)).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(content.parts[0].bytes.starts_with(b"PK"), "{name}");
        assert!(content.warnings.is_empty(), "{name}: {:?}", content.warnings);
        assert!(is_locked(read(&bytes, Some("another"))), "{name}");
    }
    // Programs that violate the format of compound files write such files, which were reported as damaged once.
    for (name, password) in [
        ("poi/document/bug53475-password-is-solrcell.docx", "solrcell"),
        ("poi/spreadsheet/protected_passtika.xlsx", "tika"),
    ] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let expected = read(&bytes, Some(password)).unwrap();
        for (what, bytes) in irregular::irregular(&bytes) {
            assert!(is_locked(read(&bytes, None)), "{name}: {what}");
            let content = read(&bytes, Some(password))
                .unwrap_or_else(|error| panic!("{name}: {what}: {error:?}"));
            assert!(content.parts == expected.parts, "{name}: {what}");
            assert!(content.warnings.is_empty(), "{name}: {what}: {:?}", content.warnings);
        }
    }
}
