//! Extracts the files of an archive, with limits on their number, their size and the compression ratio.
//!
//! Knows no types of files: their readers parse them. The text of an archive is the list of its files.

mod names;
mod packed;
mod seven;
mod tape;
#[cfg(target_os = "wasi")]
mod threads;

use std::io::Read;

use mitt_reader_kit::{Content, ENCRYPTED, Error, File, Part, Table};
use names::{is_of_a_system, legible};

mitt_reader_kit::export_reader!(file: crate::read);

/// Most files of an archive, and most bytes of all together. The host reads at most a thousand documents.
const MAX_FILES: usize = 1_000;
const MAX_BYTES: u64 = 128 << 20;
/// Most entries that are examined, including folders and skipped ones.
const MAX_ENTRIES: usize = 100_000;

/// Extracts an archive. `file.extension` is one of `zip`, `tar`, `gz`, `7z`.
///
/// # Errors
///
/// `unsupported` - it is encrypted without the right password, or the extension is another one. `malformed` - it is damaged.
/// `quota` - it has more than the limits.
pub fn read(bytes: &[u8], file: &File) -> Result<Content<Table>, Error> {
    let mut taken = Taken::default();
    match file.extension.as_str() {
        "zip" => packed::zip(bytes, file.password.as_deref(), &mut taken)?,
        "gz" => packed::gzip(bytes, &file.name, &mut taken)?,
        "tar" => tape::tar(bytes, &mut taken)?,
        "7z" => seven::seven(bytes, file.password.as_deref(), &mut taken)?,
        other => return Err(Error::Unsupported(format!("no archive: `{other}`"))),
    }
    Ok(taken.into_content())
}

/// The files that were extracted so far.
#[derive(Default)]
struct Taken {
    files: Vec<Part>,
    bytes: u64,
    entries: usize,
    /// The number of files that operating systems created for themselves.
    of_systems: usize,
    warnings: Vec<String>,
}

impl Taken {
    /// Returns `true` if an entry is to be extracted.
    ///
    /// # Errors
    /// `quota` - there are too many entries, files or bytes.
    fn wants(&mut self, name: &str, size: u64) -> Result<bool, Error> {
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(Error::Quota(format!("the archive has more than {MAX_ENTRIES} entries")));
        }
        if is_of_a_system(name) {
            self.of_systems += 1;
            return Ok(false);
        }
        if self.files.len() == MAX_FILES {
            return Err(Error::Quota(format!(
                "the archive has more than {MAX_FILES} files: unpack it, and give those that matter"
            )));
        }
        self.room(size).map(|()| true)
    }

    /// Checks that `size` more bytes may be extracted.
    fn room(&self, size: u64) -> Result<(), Error> {
        if self.bytes.saturating_add(size) > MAX_BYTES {
            return Err(Error::Quota(format!(
                "the files in the archive have more than {MAX_BYTES} bytes: unpack it, and give those that matter"
            )));
        }
        Ok(())
    }

    /// Returns the bytes that may still be extracted, plus one: reading that byte exceeds the limit.
    fn left(&self) -> u64 {
        MAX_BYTES - self.bytes.min(MAX_BYTES) + 1
    }

    fn add(&mut self, name: String, bytes: Vec<u8>) -> Result<(), Error> {
        // The declared size of an entry may be wrong.
        self.room(bytes.len() as u64)?;
        self.bytes += bytes.len() as u64;
        self.files.push(Part { name, bytes });
        Ok(())
    }

    fn leave_out(&mut self, name: &str, why: &str) {
        self.warnings.push(format!("{} was left out: {why}", legible(name)));
    }

    fn into_content(mut self) -> Content<Table> {
        if self.of_systems > 0 {
            self.warnings
                .push(format!("{} files of operating systems were left out", self.of_systems));
        }
        let mut markdown = String::new();
        for Part { name, bytes } in &self.files {
            markdown.push_str(&format!("- {} ({} bytes)\n", legible(name), bytes.len()));
        }
        Content { markdown, parts: self.files, warnings: self.warnings, ..Content::default() }
    }
}

/// Reads at most `most` bytes of a file. The buffer grows in steps, so that a file that is too large is refused before
/// memory ends.
fn content<R: Read + ?Sized>(reader: &mut R, most: u64) -> std::io::Result<Vec<u8>> {
    const STEP: usize = 64 << 10;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    while bytes.len() < most {
        let step = bytes.len().max(STEP).min(most - bytes.len());
        bytes.reserve_exact(step);
        let read = Read::take(&mut *reader, step as u64).read_to_end(&mut bytes)?;
        if read < step {
            break;
        }
    }
    Ok(bytes)
}

fn damaged(error: impl std::fmt::Display) -> Error {
    Error::Malformed(format!("the archive is damaged: {}", legible(&error.to_string())))
}

fn encrypted() -> Error {
    Error::Unsupported(ENCRYPTED.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_for_a_file_grows_to_no_more_than_it_may_have() {
        for (length, most) in
            [(0, 10), (10, 10), (11, 10), (300_000, 1 << 20), (1 << 20, 1_000_000)]
        {
            let bytes = content(&mut std::io::repeat(7).take(length), most).unwrap();
            assert_eq!(bytes.len() as u64, length.min(most), "{length} {most}");
            assert!(bytes.capacity() as u64 <= most, "{length} {most}: {}", bytes.capacity());
            assert!(bytes.iter().all(|byte| *byte == 7));
        }
    }
}
