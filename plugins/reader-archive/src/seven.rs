//! Archives of 7-Zip.

use std::io::Cursor;

use sevenz_rust2::{ArchiveReader, Error as SevenError, Password};

use crate::{Taken, damaged, encrypted};
use mitt_reader_kit::{ENCRYPTED, Error};

pub(crate) fn seven(bytes: &[u8], password: Option<&str>, taken: &mut Taken) -> Result<(), Error> {
    let key = password.map_or_else(Password::empty, Password::from);
    let told = |error: SevenError| match problem(error) {
        // A wrong password makes rubbish of what it opens.
        Error::Malformed(_) if password.is_some() && needs_password(bytes) => encrypted(),
        error => error,
    };
    let mut reader = ArchiveReader::new(Cursor::new(bytes), key).map_err(told)?;
    // An error of ours ends the walk as one of the library.
    let mut refused = None;
    let walked = reader.for_each_entries(|entry, content| {
        if entry.is_directory() {
            return Ok(true);
        }
        let name = entry.name().to_owned();
        let mut took = || -> Result<(), Error> {
            if !taken.wants(&name, entry.size())? {
                // The next entry begins behind it.
                std::io::copy(content, &mut std::io::sink()).map_err(damaged)?;
                return Ok(());
            }
            taken.add(name.clone(), crate::content(content, taken.left()).map_err(damaged)?)
        };
        refused = took().err();
        Ok(refused.is_none())
    });
    if let Some(error) = refused {
        // A wrong password makes rubbish of what it opens.
        return Err(if password.is_some() && matches!(error, Error::Malformed(_)) {
            encrypted()
        } else {
            error
        });
    }
    walked.map_err(told)
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
