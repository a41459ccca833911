//! Deflated files: zip, and gzip with one file.

use std::io::Cursor;

use flate2::read::MultiGzDecoder;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::names::decode;
use crate::{Taken, content, damaged, encrypted};
use mitt_reader_kit::Error;

pub(crate) fn zip(bytes: &[u8], password: Option<&str>, taken: &mut Taken) -> Result<(), Error> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(damaged)?;
        // The archive marks UTF-8 names only. The encoding of others is unknown.
        let name = decode(entry.name_raw());
        let (is_folder, is_encrypted, size) = (entry.is_dir(), entry.encrypted(), entry.size());
        drop(entry);
        if is_folder || !taken.wants(&name, size)? {
            continue;
        }
        let entry = match (is_encrypted, password) {
            (true, None) => return Err(encrypted()),
            (true, Some(password)) => archive.by_index_decrypt(index, password.as_bytes()),
            (false, _) => archive.by_index(index),
        };
        let read =
            entry.and_then(|mut entry| content(&mut entry, taken.left()).map_err(ZipError::Io));
        match read {
            Ok(content) => taken.add(name, content)?,
            Err(ZipError::InvalidPassword) => return Err(encrypted()),
            // A wrong password is noticed only by the result.
            Err(_) if is_encrypted => return Err(encrypted()),
            Err(ZipError::UnsupportedArchive(why)) => taken.leave_out(&name, why),
            Err(error) => taken.leave_out(&name, &format!("it is damaged: {error}")),
        }
    }
    Ok(())
}

/// Extracts the only file. Its name is that of the archive without `.gz`, or the one in the archive.
pub(crate) fn gzip(bytes: &[u8], name: &str, taken: &mut Taken) -> Result<(), Error> {
    let mut decoder = MultiGzDecoder::new(bytes);
    let own = decoder.header().and_then(|header| header.filename()).map(decode);
    let base = name.rsplit_once('.').map_or(name, |(base, _)| base);
    let is_short = name.to_ascii_lowercase().ends_with(".tgz");
    let name = match own {
        _ if is_short => format!("{base}.tar"),
        Some(own) if !own.is_empty() => own,
        _ => base.to_owned(),
    };
    taken.wants(&name, 0)?;
    taken.add(name, content(&mut decoder, taken.left()).map_err(damaged)?)
}
