//! What tests write to in place of a full disk.

use std::io::{self, Write};

/// Takes a header, which is one write, and no more. The number is how many writes there were.
pub(crate) struct Full(pub(crate) usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += 1;
        if self.0 > 1 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
