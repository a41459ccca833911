//! Decrypts Office documents with a password. A document of Office 2007 and later (ECMA-376, agile and standard) becomes the
//! package in it. A document of Office 97 to 2003 keeps its form, with its streams decrypted.
//!
//! Knows no document formats: the host detects the type of the result anew.

mod agile;
mod crypt;
mod old;
mod standard;

use std::borrow::Cow;
use std::io::{Cursor, Read};

use cfb::CompoundFile;
use mitt_reader_kit::compound::{self, Regular};
use mitt_reader_kit::{Content, ENCRYPTED, Error, File, Part, Table, clean, single_line};

mitt_reader_kit::export_reader!(file: crate::read);

/// The password of workbooks that everyone may read but not change. Excel tries it before it asks for one.
const NOBODYS_PASSWORD: &str = "VelvetSweatshop";

/// Most bytes of an encryption description.
const MAX_INFO: u64 = 1 << 20;

/// Most bytes of a document.
const MAX_PACKAGE: u64 = 128 << 20;

/// Most units of UTF-16 of a password, as in Office.
const MAX_PASSWORD: usize = 255;

/// Decrypts a document. `file.extension` is `encrypted`.
///
/// # Errors
///
/// `unsupported` - there is no password or a wrong one, or the encryption needs more than a password. `malformed` - it is
/// damaged. `quota` - it is larger than a document may be.
pub fn read(bytes: &[u8], file: &File) -> Result<Content<Table>, Error> {
    let fixed = with_fixed_numbers(bytes);
    let Regular { bytes, mut warnings } = compound::regular(&fixed).map_err(damaged)?;
    let mut compound = CompoundFile::open(Cursor::new(&*bytes)).map_err(damaged)?;
    let (password, is_given) = match &file.password {
        Some(password) => (password.as_str(), true),
        None => (NOBODYS_PASSWORD, false),
    };
    let units: Vec<u16> = password.encode_utf16().collect();
    if units.len() > MAX_PASSWORD {
        return Err(Error::Unsupported(ENCRYPTED.to_owned()));
    }
    let (bytes, is_sealed) = if !compound.exists("/EncryptedPackage") && old::is_old(&compound) {
        (old::decrypt(&bytes, &units)?, true)
    } else {
        package(&mut compound, bytes.len() as u64, &units)?
    };
    if !is_sealed {
        warnings.push("the seal over the encrypted document does not fit: it was changed after it was encrypted".to_owned());
    }
    if !is_given {
        warnings.push("the document was encrypted without a password of its own".to_owned());
    }
    let parts = vec![Part { name: file.name.clone(), bytes }];
    Ok(Content { parts, warnings, ..Content::default() })
}

/// Returns the file with two header fields set to their only valid values: the size of short sectors, and the size limit of
/// short streams. Some programs write other values, and no program reads them.
fn with_fixed_numbers(bytes: &[u8]) -> Cow<'_, [u8]> {
    const NUMBERS: [(usize, [u8; 4]); 2] = [(0x20, [6, 0, 0, 0]), (0x38, [0, 0x10, 0, 0])];
    let is_right = |(at, number): &(usize, [u8; 4])| bytes.get(*at..at + 4) == Some(&number[..]);
    if bytes.len() < 512 || NUMBERS.iter().all(is_right) {
        return Cow::Borrowed(bytes);
    }
    let mut fixed = bytes.to_vec();
    for (at, number) in NUMBERS {
        if let Some(place) = fixed.get_mut(at..at + 4) {
            place.copy_from_slice(&number);
        }
    }
    Cow::Owned(fixed)
}

/// Returns the document in a file of `file` bytes, and `true` if its integrity check succeeds.
fn package(
    compound: &mut CompoundFile<Cursor<&[u8]>>,
    file: u64,
    units: &[u16],
) -> Result<(Vec<u8>, bool), Error> {
    if !compound.exists("/EncryptionInfo") {
        return Err(Error::Unsupported(
            "the document is protected by rights management, which asks a server and takes no password".to_owned(),
        ));
    }
    let info = stream(compound, "/EncryptionInfo", (file, MAX_INFO))?;
    let package = stream(compound, "/EncryptedPackage", (file, MAX_PACKAGE))?;
    let password: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    Ok(match Encryption::parse(&info)? {
        Encryption::Agile(agile) => agile.decrypt(&password, &package)?,
        Encryption::Standard(standard) => (standard.decrypt(&password, &package)?, true),
    })
}

/// The encryption of a document.
enum Encryption {
    Agile(agile::Agile),
    Standard(standard::Standard),
}

impl Encryption {
    fn parse(info: &[u8]) -> Result<Encryption, Error> {
        let version =
            info.first_chunk::<4>().ok_or_else(|| damaged("its description is cut short"))?;
        let [major, minor] =
            [[version[0], version[1]], [version[2], version[3]]].map(u16::from_le_bytes);
        let rest = info.get(8..).unwrap_or_default();
        match (major, minor) {
            (4, 4) => agile::Agile::parse(rest).map(Encryption::Agile),
            (2..=4, 2) => standard::Standard::parse(rest).map(Encryption::Standard),
            _ => Err(unknown(&format!("version {major}.{minor}"))),
        }
    }
}

fn stream(
    compound: &mut CompoundFile<Cursor<&[u8]>>,
    path: &str,
    (file, most): (u64, u64),
) -> Result<Vec<u8>, Error> {
    let stream = compound.open_stream(path).map_err(damaged)?;
    if stream.len() > file {
        return Err(damaged(format!(
            "it says that a part of it has {} bytes, and the whole file has {file}",
            stream.len()
        )));
    }
    if stream.len() > most {
        return Err(Error::Quota(format!(
            "the encrypted document has {} bytes, and at most {most} are decrypted",
            stream.len()
        )));
    }
    let mut bytes = Vec::new();
    stream.take(most).read_to_end(&mut bytes).map_err(damaged)?;
    Ok(bytes)
}

/// Splits a package into the length of the document and the encrypted bytes.
fn length_and_rest(package: &[u8]) -> Result<(usize, &[u8]), Error> {
    let (length, rest) =
        package.split_first_chunk::<8>().ok_or_else(|| damaged("the document is cut short"))?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    if length > rest.len() {
        return Err(damaged("the document is shorter than it says"));
    }
    Ok((length, rest))
}

fn damaged(error: impl std::fmt::Display) -> Error {
    Error::Malformed(format!(
        "the encrypted document is damaged: {}",
        single_line(&clean(&error.to_string()))
    ))
}

fn unknown(what: &str) -> Error {
    let what = single_line(&clean(what));
    Error::Unsupported(format!("the document is encrypted in a way that is not read: {what}"))
}

fn wrong_password() -> Error {
    Error::Unsupported(ENCRYPTED.to_owned())
}
