//! Repair of a journal whose writer was killed in the middle of a line: the partial line is removed or ended, so that the next
//! entry has a line of its own.
//!
//! Knows lines, but not their content.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};

/// Beginning of every entry.
const BEGINNING: &[u8] = b"{\"time\":\"";

/// Longest partial first line, in bytes; the entry of a session is far shorter.
const MAX_TORN_BYTES: u64 = 64 * 1024;

/// Returns whether a journal consists of a partial first line only, because its writer was killed while writing it, and removes
/// that line.
pub(in crate::session) fn begins_anew(mut journal: &File) -> io::Result<bool> {
    journal.seek(SeekFrom::Start(0))?;
    let mut content = Vec::new();
    BufReader::new(journal.take(MAX_TORN_BYTES + 1)).read_until(b'\n', &mut content)?;
    let is_torn = content.len() as u64 <= MAX_TORN_BYTES
        && !content.ends_with(b"\n")
        && !content.is_empty()
        && (content.starts_with(BEGINNING) || BEGINNING.starts_with(&content));
    if is_torn {
        journal.set_len(0)?;
    }
    journal.seek(SeekFrom::Start(0))?;
    Ok(is_torn)
}

/// Ends the last line of a journal whose writer was killed in the middle of it. If another process writes at the same moment, the
/// result is at most an empty line.
pub(in crate::session) fn end_last_line(mut journal: &File) -> io::Result<()> {
    let length = journal.seek(SeekFrom::End(0))?;
    if length == 0 {
        return Ok(());
    }
    journal.seek(SeekFrom::Start(length - 1))?;
    let mut last = [0];
    // The file may have been truncated meanwhile.
    if journal.read(&mut last)? == 1 && last != *b"\n" {
        journal.write_all(b"\n")?;
    }
    Ok(())
}
