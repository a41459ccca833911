//! Opens documents with the owner password. The library supports it for the newest encryption only.
//!
//! The older ones (RC4 and AES with 128 bits) store the user password, encrypted with the owner password: ISO 32000-1,
//! 7.6.3.4, algorithms 3 and 7.

use md5::{Digest as _, Md5};
use unpdf::parser::raw::tokenizer::{self, PdfDict, PdfObject};
use unpdf::parser::raw::{crypt, xref};

/// Padding of passwords.
const PADDING: [u8; 32] = [
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
    0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
];

/// Returns the user password that follows from `password` if that is the owner password. The caller finds out whether
/// it opens the document.
pub(crate) fn reader_password(bytes: &[u8], password: &str) -> Option<String> {
    let dictionary = encryption(bytes)?;
    let number = |key: &[u8]| dictionary.get(key).and_then(PdfObject::as_i64);
    let revision = number(b"R")?;
    if !(2..=4).contains(&revision) {
        return None;
    }
    let length = match revision {
        2 => 5,
        4 => 16,
        _ => (number(b"Length").unwrap_or(40) / 8).clamp(5, 16) as usize,
    };
    let stored = dictionary.get(b"O".as_slice())?.as_str_bytes()?.get(..32)?;
    let padded: Vec<u8> = password.bytes().chain(PADDING).take(32).collect();
    let mut hash = Md5::digest(&padded);
    if revision >= 3 {
        for _ in 0..50 {
            hash = Md5::digest(hash.get(..length)?);
        }
    }
    let key = hash.get(..length)?;
    let mut found = stored.to_vec();
    let rounds = if revision == 2 { 0..=0 } else { 0..=19 };
    for round in rounds.rev() {
        let key: Vec<u8> = key.iter().map(|byte| byte ^ round).collect();
        found = crypt::decrypt_rc4(&key, &found);
    }
    let end =
        (0..=32).find(|end| found.get(*end..).is_some_and(|rest| PADDING.starts_with(rest)))?;
    found.truncate(end);
    String::from_utf8(found).ok().filter(|password| !password.is_empty())
}

/// Returns the dictionary that says how the document is encrypted.
fn encryption(bytes: &[u8]) -> Option<PdfDict> {
    let (table, trailer) =
        xref::parse_xref_chain(bytes).or_else(|_| xref::reconstruct(bytes)).ok()?;
    match trailer.get(b"Encrypt".as_slice())? {
        PdfObject::Reference(number, generation) => {
            match table.entries.get(&(*number, *generation))? {
                xref::XrefEntry::Uncompressed(offset) => {
                    let (object, _) = tokenizer::parse_object(bytes, *offset).ok()?;
                    object.as_dict().cloned()
                }
                _ => None,
            }
        }
        direct => direct.as_dict().cloned(),
    }
}
