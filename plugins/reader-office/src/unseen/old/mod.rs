//! Takes unseen text out of documents and slides before Office 2007, in place and with the same length, before the library
//! reads them. What is not certain stays.
//!
//! Documents of Word 6 and 95 are not changed.

mod art;
mod bytes;
mod looks;
mod pages;
mod records;
mod runs;
mod slides;
mod words;

use super::Unseen;
use mitt_reader_kit::compound;
use std::borrow::Cow;
use std::io::{self, Cursor, Read as _, Seek as _, SeekFrom, Write as _};

/// Places in a stream, each with its new bytes.
type Changes = Vec<(usize, Vec<u8>)>;

/// Why a file was not looked at.
type Obstacle = &'static str;

const INTRICATE: Obstacle = "the file has too many parts";
const DAMAGED: Obstacle = "the file is damaged";

/// Takes the unseen text out of a document, or out of slides, and counts it.
///
/// # Errors
///
/// Why the file was not looked at. It is not changed then.
pub(crate) fn remove(
    bytes: &mut Vec<u8>,
    is_slides: bool,
    unseen: &mut Unseen,
) -> Result<(), Obstacle> {
    // The parser rejects a file that is no compound file, and its error names the fault.
    let Ok(regular) = compound::regular(bytes) else { return Ok(()) };
    let (name, changes, found) = {
        let mut file =
            cfb::CompoundFile::open(Cursor::new(&*regular.bytes)).map_err(|_| DAMAGED)?;
        let size = regular.bytes.len() as u64;
        let mut read = |name: &str| -> Option<Vec<u8>> {
            let mut content = Vec::new();
            // The declared size of a stream may be wrong. No stream is longer than the file.
            file.open_stream(name).ok()?.take(size).read_to_end(&mut content).ok()?;
            Some(content)
        };
        let mut found = Unseen::default();
        if is_slides {
            let name = "/PowerPoint Document";
            let Some(stream) = read(name) else { return Ok(()) };
            let user = read("/Current User").unwrap_or_default();
            (name, slides::changes(&stream, &user, &mut found)?, found)
        } else {
            let name = "/WordDocument";
            let Some(document) = read(name) else { return Ok(()) };
            let Some(table) = words::table_name(&document) else { return Ok(()) };
            let table = read(table).ok_or(DAMAGED)?;
            (name, words::changes(&document, &table, &mut found).ok_or(INTRICATE)?, found)
        }
    };
    if changes.is_empty() {
        return Ok(());
    }
    // An irregular file becomes the regular one that was read.
    let rewritten = match regular.bytes {
        Cow::Owned(new) => Some(new),
        Cow::Borrowed(_) => None,
    };
    if let Some(new) = rewritten {
        *bytes = new;
    }
    write(bytes, name, changes).map_err(|_| DAMAGED)?;
    *unseen = found;
    Ok(())
}

fn write(bytes: &mut [u8], name: &str, changes: Changes) -> io::Result<()> {
    let mut file = cfb::CompoundFile::open(Cursor::new(bytes))?;
    let mut stream = file.open_stream(name)?;
    for (at, new) in changes {
        stream.seek(SeekFrom::Start(at as u64))?;
        stream.write_all(&new)?;
    }
    stream.flush()
}
