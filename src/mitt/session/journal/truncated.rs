//! Repair of a journal whose writer was killed in the middle of a line: the partial line is removed or ended, so that the next
//! entry has a line of its own.
//!
//! Knows lines, but not their content.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};

/// Beginning of every entry.
const BEGINNING: &[u8] = b"{\"time\":\"";

/// Longest first line of a journal, in bytes. The entry of a session takes a hundredth of it, unless its tenant's name is long.
pub(in crate::session) const MAX_FIRST_LINE_BYTES: usize = 64 * 1024;

/// Returns the first line of a journal with its line end, or one byte more than [`MAX_FIRST_LINE_BYTES`] of a longer one.
pub(in crate::session) fn first_line(mut journal: &File) -> io::Result<Vec<u8>> {
    journal.seek(SeekFrom::Start(0))?;
    let mut line = Vec::new();
    BufReader::new(journal.take(MAX_FIRST_LINE_BYTES as u64 + 1)).read_until(b'\n', &mut line)?;
    Ok(line)
}

/// Returns whether a first line is partial, because its writer was killed while writing it. Nothing follows it.
pub(in crate::session) fn is_partial(first_line: &[u8]) -> bool {
    first_line.len() <= MAX_FIRST_LINE_BYTES
        && !first_line.ends_with(b"\n")
        && !first_line.is_empty()
        && (first_line.starts_with(BEGINNING) || BEGINNING.starts_with(first_line))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_short_line_without_an_end_is_partial() {
        let of_length = |n: usize| [BEGINNING, &vec![b'x'; n - BEGINNING.len()][..]].concat();
        for (line, expected) in [
            (b"{\"ti".to_vec(), true),
            (of_length(MAX_FIRST_LINE_BYTES), true),
            (of_length(MAX_FIRST_LINE_BYTES + 1), false),
            ([BEGINNING, b"x\n"].concat(), false),
            (b"{\"name\":".to_vec(), false),
            (Vec::new(), false),
        ] {
            assert_eq!(is_partial(&line), expected, "{} bytes", line.len());
        }
    }
}
