//! Reads an object, and compares its pieces with their digests.

use std::sync::Mutex;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use mitt_base::{Error, ErrorKind, lock};
use sha2::{Digest as _, Sha256};

use super::super::{BlobReader, StoreResult};
use super::object_store::ObjectStore;
use super::{DIGEST_BYTES, PIECE_BYTES};

/// A stored file whose content is an object. If it is deleted meanwhile, it can be read until a later sweep.
pub(in crate::store) struct ObjectReader {
    objects: ObjectStore,
    name: String,
    size: u64,
    /// The digests of its pieces, one after the other.
    digests: Bytes,
    /// The piece that was read last, because most reads go on where the one before ended.
    last: Mutex<Option<(u64, Bytes)>>,
}

impl ObjectReader {
    /// Makes a reader.
    ///
    /// # Errors
    ///
    /// The database has not one digest for each piece.
    pub(in crate::store) fn new(
        objects: &ObjectStore,
        name: String,
        size: u64,
        digests: Bytes,
    ) -> StoreResult<ObjectReader> {
        let n_pieces = usize::try_from(size.div_ceil(PIECE_BYTES)).unwrap_or(usize::MAX);
        if digests.len() != n_pieces.saturating_mul(DIGEST_BYTES) {
            let message = "the database has not the digests of this object";
            let error = Error::new(ErrorKind::Host, message).at(objects.address_of(&name));
            return Err(error.hint("restore the database from a backup").into());
        }
        Ok(ObjectReader { objects: objects.clone(), name, size, digests, last: Mutex::default() })
    }

    /// Returns a piece that was compared with its digest.
    async fn piece(&self, number: u64) -> StoreResult<Bytes> {
        if let Some((_, piece)) = lock(&self.last).as_ref().filter(|(last, _)| *last == number) {
            return Ok(piece.clone());
        }
        let begin = number * PIECE_BYTES;
        let length = PIECE_BYTES.min(self.size - begin);
        let read = self.objects.range(&self.name, begin, length).await?;
        let Some(piece) = read else {
            let hint = "it was deleted by something else, or the servers do not have the same object store";
            return Err(self.failed("the object of this file is not there", hint));
        };
        let place = usize::try_from(number).unwrap_or(usize::MAX).saturating_mul(DIGEST_BYTES);
        let digest = self.digests.get(place..place.saturating_add(DIGEST_BYTES));
        if digest != Some(&*Sha256::digest(&piece)) {
            let message = format!(
                "the bytes {begin} to {} of this object are not those that were stored",
                begin + length - 1
            );
            return Err(self.failed(
                &message,
                "restore the object from a backup, or delete the file and upload it again",
            ));
        }
        *lock(&self.last) = Some((number, piece.clone()));
        Ok(piece)
    }

    #[cold]
    fn failed(&self, message: &str, hint: &str) -> super::super::StoreError {
        let place = self.objects.address_of(&self.name);
        Error::new(ErrorKind::Host, message).at(place).hint(hint).into()
    }
}

#[async_trait]
impl BlobReader for ObjectReader {
    fn size(&self) -> u64 {
        self.size
    }

    async fn read(&self, start: u64, length: usize) -> StoreResult<Bytes> {
        let end = start.saturating_add(length as u64).min(self.size);
        let (mut bytes, mut at) = (BytesMut::new(), start);
        while at < end {
            let number = at / PIECE_BYTES;
            let begin = number * PIECE_BYTES;
            let piece = self.piece(number).await?;
            let place = |byte: u64| usize::try_from(byte - begin).unwrap_or(usize::MAX);
            let until = end.min(begin + piece.len() as u64);
            let part = piece.slice(place(at)..place(until));
            if part.len() as u64 == end - start {
                return Ok(part);
            }
            bytes.extend_from_slice(&part);
            at = until;
        }
        Ok(bytes.freeze())
    }
}
