//! Writer for tests that acts like a full disk.

use std::io::{self, Write};

/// Accepts a header, which is one write, and nothing more. The field counts the writes.
pub(crate) struct FullDisk(pub(crate) usize);

impl Write for FullDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += 1;
        if self.0 > 1 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
