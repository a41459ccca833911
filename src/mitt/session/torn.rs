//! A journal whose writer was killed in the middle of a line: what is there of it is removed or ended, so that the next entry has
//! a line of its own.
//!
//! Knows lines, not what they say.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

/// Beginning of every entry.
const BEGINNING: &[u8] = b"{\"time\":\"";

/// Longest part of a first line, in bytes: the entry of a session is far shorter.
const MAX_TORN_BYTES: u64 = 64 * 1024;

/// Whether a journal holds nothing but a part of its first line, because its writer was killed before it had written that; the
/// part is removed.
pub(super) fn begins_anew(mut journal: &File) -> io::Result<bool> {
    journal.seek(SeekFrom::Start(0))?;
    let mut content = Vec::new();
    journal.take(MAX_TORN_BYTES + 1).read_to_end(&mut content)?;
    let is_torn = content.len() as u64 <= MAX_TORN_BYTES
        && !content.contains(&b'\n')
        && !content.is_empty()
        && (content.starts_with(BEGINNING) || BEGINNING.starts_with(&content));
    if is_torn {
        journal.set_len(0)?;
    }
    journal.seek(SeekFrom::Start(0))?;
    Ok(is_torn)
}

/// End the last line of a journal whose writer was killed in the middle of it, so that the next entry has a line of its own.
/// Where another process is writing at this moment, there is an empty line at most.
pub(super) fn end_last_line(mut journal: &File) -> io::Result<()> {
    let length = journal.seek(SeekFrom::End(0))?;
    if length == 0 {
        return Ok(());
    }
    journal.seek(SeekFrom::Start(length - 1))?;
    let mut last = [0];
    // It may have been cut off meanwhile.
    if journal.read(&mut last)? == 1 && last != *b"\n" {
        journal.write_all(b"\n")?;
    }
    Ok(())
}
