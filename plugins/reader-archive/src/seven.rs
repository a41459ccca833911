//! Archives of 7-Zip.

use std::io::Cursor;

use sevenz_rust2::{ArchiveReader, Error as SevenError, Password};

use crate::{Taken, damaged, encrypted};
use mitt_reader_kit::{ENCRYPTED, Error};

pub(crate) fn seven(bytes: &[u8], password: Option<&str>, taken: &mut Taken) -> Result<(), Error> {
    let key = password.map_or_else(Password::empty, Password::from);
    let to_error = |error: SevenError| match problem(error) {
        // A wrong password gives invalid data.
        Error::Malformed(_) if password.is_some() && needs_password(bytes) => encrypted(),
        error => error,
    };
    let mut reader = ArchiveReader::new(Cursor::new(bytes), key).map_err(to_error)?;
    // The library has its own error type, so an error of ours is kept here.
    let mut refused = None;
    let walked = reader.for_each_entries(|entry, content| {
        if entry.is_directory() {
            return Ok(true);
        }
        let name = entry.name().to_owned();
        let mut extract = || -> Result<(), Error> {
            if !taken.wants(&name, entry.size())? {
                // The next entry begins after this one.
                std::io::copy(content, &mut std::io::sink()).map_err(damaged)?;
                return Ok(());
            }
            taken.add(name.clone(), crate::content(content, taken.left()).map_err(damaged)?)
        };
        refused = extract().err();
        Ok(refused.is_none())
    });
    if let Some(error) = refused {
        // A wrong password gives invalid data.
        return Err(if password.is_some() && matches!(error, Error::Malformed(_)) {
            encrypted()
        } else {
            error
        });
    }
    walked.map_err(to_error)
}

fn needs_password(bytes: &[u8]) -> bool {
    let opened = ArchiveReader::new(Cursor::new(bytes), Password::empty());
    opened
        .is_err_and(|error| matches!(problem(error), Error::Unsupported(text) if text == ENCRYPTED))
}

fn problem(error: SevenError) -> Error {
    match error {
        SevenError::PasswordRequired | SevenError::MaybeBadPassword(_) => encrypted(),
        SevenError::UnsupportedCompressionMethod(method) => {
            Error::Unsupported(format!("archives compressed with {method} are not read"))
        }
        error => damaged(error),
    }
}
