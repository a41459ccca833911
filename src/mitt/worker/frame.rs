//! Frames: a JSON head and a body of bytes, each with its length in front. Knows nothing of their meaning.

use std::io::{self, Read, Write};

/// Largest head, in bytes: the texts of an error, or the warnings of a document.
pub(super) const MAX_HEAD_BYTES: u64 = 4 * 1024 * 1024;

/// Writes a frame. The body is the concatenation of `bodies`.
pub(super) fn write(out: &mut impl Write, head: &[u8], bodies: &[&[u8]]) -> io::Result<()> {
    let length: usize = bodies.iter().map(|body| body.len()).sum();
    out.write_all(&(head.len() as u64).to_le_bytes())?;
    out.write_all(&(length as u64).to_le_bytes())?;
    out.write_all(head)?;
    bodies.iter().try_for_each(|body| out.write_all(body))?;
    out.flush()
}

/// Reads a frame whose parts are within the given limits. `None` if the other end closed the pipe before the frame.
///
/// # Errors
///
/// [`io::ErrorKind::UnexpectedEof`] - the input ended within the frame. [`io::ErrorKind::InvalidData`] - a part is too long; no
/// memory was allocated for it.
pub(super) fn read(
    from: &mut impl Read,
    max_head: u64,
    max_body: u64,
) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let mut lengths = [0; 16];
    let mut n = 0;
    while n < lengths.len() {
        match from.read(&mut lengths[n..]) {
            Ok(0) if n == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => n += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let (head, body) = lengths.split_at(8);
    let length = |bytes: &[u8]| bytes.try_into().map_or(u64::MAX, u64::from_le_bytes);
    let head = read_part(from, length(head), max_head)?;
    let body = read_part(from, length(body), max_body)?;
    Ok(Some((head, body)))
}

/// The memory grows with the data that arrives, not with the announced length.
fn read_part(from: &mut impl Read, length: u64, max: u64) -> io::Result<Vec<u8>> {
    if length > max {
        let message = format!("expected at most {max} bytes, got {length}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let mut part = Vec::new();
    from.take(length).read_to_end(&mut part)?;
    if part.len() as u64 == length { Ok(part) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_they_were_written() {
        let mut bytes = Vec::new();
        write(&mut bytes, b"{}", &[b"a", b"", b"bc"]).unwrap();
        write(&mut bytes, b"", &[]).unwrap();
        let mut from = bytes.as_slice();
        assert_eq!(read(&mut from, 2, 3).unwrap(), Some((b"{}".to_vec(), b"abc".to_vec())));
        assert_eq!(read(&mut from, 2, 3).unwrap(), Some((Vec::new(), Vec::new())));
        assert_eq!(read(&mut from, 2, 3).unwrap(), None);
    }

    #[test]
    fn what_is_cut_off_or_too_long_is_an_error() {
        let mut whole = Vec::new();
        write(&mut whole, b"{}", &[b"abc"]).unwrap();
        for length in 1..whole.len() {
            let error = read(&mut &whole[..length], 100, 100).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{length}");
        }
        for (max_head, max_body) in [(1, 3), (2, 2), (0, 0)] {
            let error = read(&mut whole.as_slice(), max_head, max_body).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        }
        // Text of another program, and lengths beyond any memory.
        let huge = [u64::MAX.to_le_bytes(), u64::MAX.to_le_bytes()].concat();
        for bytes in [b"usage: cat [OPTION]... [FILE]...".as_slice(), &huge] {
            assert!(read(&mut &*bytes, MAX_HEAD_BYTES, u64::MAX - 1).is_err());
        }
    }
}
