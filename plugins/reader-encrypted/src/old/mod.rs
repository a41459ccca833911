//! Documents of Office 97 to 2003: parts of their streams are decrypted in place.

mod excel;
mod key;
mod slides;
mod word;
mod xor;

use std::io::{Cursor, Read as _, Write as _};

use cfb::CompoundFile;

use crate::{MAX_PACKAGE, damaged, unknown};
use mitt_reader_kit::Error;

/// A document with writable streams.
type File = CompoundFile<Cursor<Vec<u8>>>;

/// Returns `true` if a document has the streams of Office 97 to 2003.
pub(crate) fn is_old(file: &CompoundFile<Cursor<&[u8]>>) -> bool {
    [word::STREAM, slides::STREAM].iter().chain(&excel::STREAMS).any(|name| file.is_stream(name))
}

/// Returns the decrypted document. `units` is the password in UTF-16.
pub(crate) fn decrypt(bytes: &[u8], units: &[u16]) -> Result<Vec<u8>, Error> {
    if bytes.len() as u64 > MAX_PACKAGE {
        return Err(Error::Quota(format!(
            "the encrypted document has {} bytes, and at most {MAX_PACKAGE} are decrypted",
            bytes.len()
        )));
    }
    let mut file = CompoundFile::open(Cursor::new(bytes.to_vec())).map_err(damaged)?;
    if file.is_stream(word::STREAM) {
        word::decrypt(&mut file, units)?;
    } else if file.is_stream(slides::STREAM) {
        slides::decrypt(&mut file, units)?;
    } else if let Some(name) = excel::STREAMS.into_iter().find(|name| file.is_stream(name)) {
        excel::decrypt(&mut file, name, units)?;
    } else {
        return Err(unknown("there is no stream of Word, Excel or PowerPoint"));
    }
    file.flush().map_err(damaged)?;
    Ok(file.into_inner().into_inner())
}

fn stream(file: &mut File, name: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    // A stream is not longer than the file, although its entry may claim so.
    file.open_stream(name)
        .map_err(damaged)?
        .take(MAX_PACKAGE)
        .read_to_end(&mut bytes)
        .map_err(damaged)?;
    Ok(bytes)
}

/// Overwrites a stream with as many bytes.
fn replace(file: &mut File, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let mut stream = file.open_stream(name).map_err(damaged)?;
    stream.write_all(bytes).and_then(|()| stream.flush()).map_err(damaged)
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, Error> {
    let two = bytes.get(at..).and_then(<[u8]>::first_chunk).copied();
    two.map(u16::from_le_bytes).ok_or_else(|| damaged("it is cut short"))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, Error> {
    let four = bytes.get(at..).and_then(<[u8]>::first_chunk).copied();
    four.map(u32::from_le_bytes).ok_or_else(|| damaged("it is cut short"))
}

/// Overwrites bytes; those outside the slice are dropped.
fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at.saturating_add(new.len())) {
        place.copy_from_slice(new);
    }
}
