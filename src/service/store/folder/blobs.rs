//! Files while they arrive and while they are read.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use super::super::{Blob, BlobReader, BlobWriter, StoreError, StoreResult};
use super::index::Index;
use super::keys::check_name;
use super::owners;
use super::places::{Places, read_at};
use mitt_base::digest::hex;
use mitt_base::{Error, ErrorKind};

/// Bytes that are in memory before they are hashed and written.
const PIECE_BYTES: usize = 256 * 1024;

/// Runs work that blocks on a thread for it.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> StoreResult<T> + Send + 'static,
) -> StoreResult<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Error::bug("work of the store ended early").caused_by(error).into()),
    }
}

/// A file that arrives. It has a temporary name, which goes when this is dropped.
pub(super) struct ArrivingBlob {
    index: Arc<Index>,
    places: Places,
    tenant: String,
    piece: Vec<u8>,
    written: Option<Written>,
}

/// What was written so far. Small files are never in two pieces, so the file is made with the first one.
#[derive(Default)]
struct Written {
    file: Option<NamedTempFile>,
    hash: Sha256,
    size: u64,
}

impl ArrivingBlob {
    pub(super) fn new(index: Arc<Index>, places: Places, tenant: &str) -> ArrivingBlob {
        let (tenant, written) = (tenant.to_owned(), Some(Written::default()));
        ArrivingBlob { index, places, tenant, piece: Vec::new(), written }
    }

    /// Writes the piece. If the caller stops waiting, the file cannot be continued.
    async fn flush(&mut self) -> StoreResult<()> {
        let mut written = self.written.take().ok_or_else(interrupted)?;
        let (mut piece, places) = (std::mem::take(&mut self.piece), self.places.clone());
        let (piece, written) = blocking(move || {
            written.add(&places, &piece).map_err(failed)?;
            piece.clear();
            Ok((piece, written))
        })
        .await?;
        (self.piece, self.written) = (piece, Some(written));
        Ok(())
    }
}

impl Written {
    fn add(&mut self, places: &Places, piece: &[u8]) -> io::Result<()> {
        self.hash.update(piece);
        self.size += piece.len() as u64;
        self.file(places)?.write_all(piece)
    }

    fn file(&mut self, places: &Places) -> io::Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => NamedTempFile::new_in(places.arriving())?,
        };
        Ok(self.file.insert(file).as_file_mut())
    }
}

#[async_trait]
impl BlobWriter for ArrivingBlob {
    async fn write(&mut self, mut bytes: &[u8]) -> StoreResult<()> {
        while !bytes.is_empty() {
            let length = bytes.len().min(PIECE_BYTES - self.piece.len());
            let (now, later) = bytes.split_at(length);
            self.piece.extend_from_slice(now);
            bytes = later;
            if self.piece.len() == PIECE_BYTES {
                self.flush().await?;
            }
        }
        Ok(())
    }

    async fn finish(mut self: Box<Self>, owner: &str) -> StoreResult<Blob> {
        check_name("tenant", &self.tenant)?;
        check_name("owner", owner)?;
        let mut written = self.written.take().ok_or_else(interrupted)?;
        let (piece, places) = (std::mem::take(&mut self.piece), self.places.clone());
        let written = blocking(move || {
            written.add(&places, &piece).map_err(failed)?;
            // The name never points at half a file, not even after a power failure.
            written.file(&places).and_then(|file| file.sync_all()).map_err(failed)?;
            Ok(written)
        })
        .await?;
        let Written { file, hash, size } = written;
        let file = file.ok_or_else(interrupted)?.into_temp_path();
        let blob = Blob { sha256: hex(&hash.finalize()), size };
        let (tenant, sha256, owner) = (self.tenant.clone(), blob.sha256.clone(), owner.to_owned());
        let place = move |batch: &mut super::index::Batch<'_>| {
            owners::place(batch, (&tenant, &sha256, &owner), size, || {
                let name = file.file_name().and_then(|name| name.to_str()).map(str::to_owned);
                // From here on the index knows the file.
                file.keep().map_err(|error| failed(error.error))?;
                name.ok_or_else(interrupted)
            })
        };
        self.index.write(place).await?;
        Ok(blob)
    }
}

/// A file that is open for reading. It can be read to its end if it is deleted meanwhile.
pub(super) struct OpenBlob {
    file: Arc<File>,
    size: u64,
}

impl OpenBlob {
    /// Opens a file, on a thread that may block.
    pub(super) fn open(places: &Places, tenant: &str, sha256: &str) -> StoreResult<OpenBlob> {
        match mitt_base::plain_file::open_plain(&places.blob(tenant, sha256)) {
            Ok(file) => {
                let size = file.metadata().map_err(failed)?.len();
                Ok(OpenBlob { file: Arc::new(file), size })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(StoreError::Missing),
            Err(error) => Err(failed(error)),
        }
    }
}

#[async_trait]
impl BlobReader for OpenBlob {
    fn size(&self) -> u64 {
        self.size
    }

    async fn read(&self, start: u64, length: usize) -> StoreResult<Bytes> {
        let left = usize::try_from(self.size.saturating_sub(start)).unwrap_or(usize::MAX);
        let length = length.min(left);
        if length == 0 {
            return Ok(Bytes::new());
        }
        let file = self.file.clone();
        blocking(move || {
            let mut bytes = vec![0; length];
            let read = read_at(&file, start, &mut bytes).map_err(failed)?;
            bytes.truncate(read);
            Ok(bytes.into())
        })
        .await
    }
}

#[cold]
fn failed(error: io::Error) -> StoreError {
    let message = "a file of the store cannot be read or written";
    let error = Error::new(ErrorKind::Host, message).caused_by(error);
    StoreError::Failed(error.hint("see that the disk of the store has room"))
}

#[cold]
fn interrupted() -> StoreError {
    let message = "the file was not stored, because writing it was interrupted";
    StoreError::Failed(Error::new(ErrorKind::Host, message))
}
