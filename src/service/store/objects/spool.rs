//! A file that arrives, on the disk of this machine: its digest is the name of the object, so that it must be known before the
//! first byte is sent.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::Arc;

use bytes::Bytes;
use mitt_base::digest::hex;
use mitt_base::{Error, ErrorKind};
use sha2::{Digest as _, Sha256};

use super::super::folder::read_at;
use super::super::{Blob, StoreError, StoreResult};
use super::PIECE_BYTES;

/// Bytes that are in memory before they are hashed and written.
const BUFFER_BYTES: usize = 256 * 1024;

/// A file that arrives. It has no name, so that it goes with the process.
pub(in crate::store) struct SpoolWriter {
    buffer: Vec<u8>,
    /// `None` while it is written, and after that was interrupted.
    written: Option<Written>,
    size: u64,
}

#[derive(Default)]
struct Written {
    file: Option<File>,
    hash: Sha256,
    /// Hash of the piece that is not whole yet, and its size.
    piece: Sha256,
    piece_size: u64,
    digests: Vec<u8>,
}

/// A whole file on the disk of this machine.
pub(in crate::store) struct Spool {
    file: Arc<File>,
    /// Digest and size.
    pub(super) blob: Blob,
    /// The digests of its pieces, one after the other.
    pub(super) digests: Vec<u8>,
}

impl Default for SpoolWriter {
    fn default() -> SpoolWriter {
        SpoolWriter { buffer: Vec::new(), written: Some(Written::default()), size: 0 }
    }
}

impl SpoolWriter {
    /// Returns the number of bytes so far.
    pub(in crate::store) fn size(&self) -> u64 {
        self.size
    }

    /// Adds bytes.
    pub(in crate::store) async fn write(&mut self, mut bytes: &[u8]) -> StoreResult<()> {
        while !bytes.is_empty() {
            let length = bytes.len().min(BUFFER_BYTES - self.buffer.len());
            let (now, later) = bytes.split_at(length);
            self.buffer.extend_from_slice(now);
            self.size += now.len() as u64;
            bytes = later;
            if self.buffer.len() == BUFFER_BYTES {
                self.flush().await?;
            }
        }
        Ok(())
    }

    /// Writes the buffer. If the caller stops waiting, the file cannot be continued.
    async fn flush(&mut self) -> StoreResult<()> {
        let mut written = self.written.take().ok_or_else(interrupted)?;
        let mut buffer = std::mem::take(&mut self.buffer);
        let (buffer, written) = blocking(move || {
            written.add(&buffer)?;
            buffer.clear();
            Ok((buffer, written))
        })
        .await?;
        (self.buffer, self.written) = (buffer, Some(written));
        Ok(())
    }

    /// Ends the file.
    pub(in crate::store) async fn finish(mut self) -> StoreResult<Spool> {
        self.flush().await?;
        let mut written = self.written.take().ok_or_else(interrupted)?;
        let file = Arc::new(written.file.take().ok_or_else(interrupted)?);
        if written.piece_size > 0 {
            written.end_piece();
        }
        let blob = Blob { sha256: hex(&written.hash.finalize()), size: self.size };
        Ok(Spool { file, blob, digests: written.digests })
    }
}

impl Written {
    fn add(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile()?,
        };
        self.file.insert(file).write_all(bytes)?;
        self.hash.update(bytes);
        while !bytes.is_empty() {
            let left = usize::try_from(PIECE_BYTES - self.piece_size).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at(bytes.len().min(left));
            self.piece.update(now);
            self.piece_size += now.len() as u64;
            bytes = later;
            if self.piece_size == PIECE_BYTES {
                self.end_piece();
            }
        }
        Ok(())
    }

    fn end_piece(&mut self) {
        self.digests.extend_from_slice(&std::mem::take(&mut self.piece).finalize());
        self.piece_size = 0;
    }
}

impl Spool {
    /// Returns `length` bytes from `start`, which are within the file.
    pub(super) async fn range(&self, start: u64, length: u64) -> StoreResult<Bytes> {
        let file = self.file.clone();
        blocking(move || read_exact_at(&file, start, length)).await
    }
}

/// Returns `length` bytes of a file from a place, which are within it.
pub(super) fn read_exact_at(file: &File, start: u64, length: u64) -> io::Result<Bytes> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
    if read_at(file, start, &mut bytes)? == bytes.len() {
        Ok(bytes.into())
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> StoreResult<T> {
    let done = tokio::task::spawn_blocking(work).await.map_err(Error::bug)?;
    done.map_err(failed)
}

#[cold]
fn failed(error: io::Error) -> StoreError {
    let message = "a file that arrives cannot be kept on the disk of this server";
    let error = Error::new(ErrorKind::Host, message).caused_by(error);
    let hint = "see that the folder of temporary files (TMPDIR) is there and has room for uploads";
    StoreError::Failed(error.at(std::env::temp_dir().display()).hint(hint))
}

#[cold]
fn interrupted() -> StoreError {
    let message = "the file was not stored, because writing it was interrupted";
    StoreError::Failed(Error::new(ErrorKind::Host, message))
}
