//! Stored files: pieces of 256 KiB in the database, and owners.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use sha2::{Digest as _, Sha256};

use super::super::checks::{check_name, is_digest, is_name};
use super::super::objects::{ObjectReader, ObjectStore, no_object_store};
use super::super::{Blob, BlobReader, BlobWriter, StoreError, StoreResult};
use super::pool::{Lent, Pool, Tried, number, tried, unsigned};
use mitt_base::digest::hex;
use mitt_base::limits::GIB;
use mitt_base::{Error, ErrorKind};

/// Length of each piece of a file but the last one, in bytes.
pub(super) const PIECE_BYTES: usize = 256 * 1024;

/// Pieces that are read at once.
const PIECES_AT_ONCE: i32 = 16;

/// Largest stored file, in bytes. A database is no place for larger ones.
pub(super) const MAX_FILE_BYTES: u64 = 2 * GIB;

/// Refuses a file that is too large.
pub(super) fn check_size(size: u64) -> StoreResult<()> {
    if size <= MAX_FILE_BYTES {
        return Ok(());
    }
    let message = format!("expected at most {MAX_FILE_BYTES} bytes in a database, got {size}");
    Err(Error::input(message).at("file").into())
}

/// Returns a number for a file.
pub(super) async fn new_number(lent: &mut Lent<'_>) -> Tried<i64> {
    let row = lent.row("select nextval('numbers')", &[]).await?;
    Ok(row.map(|row| row.get(0)).unwrap_or_default())
}

/// Gives the content of file `file` an owner, as a part of a change. A file of the same content stays, and the pieces of
/// this one become garbage.
pub(super) async fn place(
    lent: &mut Lent<'_>,
    (tenant, owner): (&str, &str),
    blob: &Blob,
    file: i64,
) -> Tried<()> {
    // Locks a file of this content, so that no release takes it away meanwhile.
    let placed = "insert into files as f (number, tenant, sha256, size) values ($1, $2, $3, $4) \
        on conflict (tenant, sha256) do update set size = f.size returning number";
    let row = lent.row(placed, &[&file, &tenant, &blob.sha256, &number(blob.size)]).await?;
    let kept: i64 = row.ok_or(StoreError::Missing)?.get(0);
    if kept != file {
        lent.run("insert into garbage (number) values ($1) on conflict do nothing", &[&file])
            .await?;
    }
    add_owner(lent, (tenant, owner), kept).await
}

/// Adds an owner of a file, as a part of a change.
pub(super) async fn add_owner(
    lent: &mut Lent<'_>,
    (tenant, owner): (&str, &str),
    file: i64,
) -> Tried<()> {
    let add = "insert into owners (tenant, owner, file) values ($1, $2, $3) on conflict do nothing";
    lent.run(add, &[&tenant, &owner, &file]).await?;
    Ok(())
}

/// Gives a stored file one more owner.
pub(super) async fn keep(lent: Lent<'_>, (tenant, owner): (&str, &str), sha256: &str) -> Tried<()> {
    let mut lent = lent;
    if !is_name(tenant) || !is_digest(sha256) {
        return Err(StoreError::Missing.into());
    }
    lent.begin().await?;
    let find = "select number from files where tenant = $1 and sha256 = $2 for update";
    let Some(row) = lent.row(find, &[&tenant, &sha256]).await? else {
        return lent.undo(StoreError::Missing).await;
    };
    add_owner(&mut lent, (tenant, owner), row.get(0)).await?;
    lent.keep().await
}

/// Ends the ownership of all files of an owner, as a part of a change. Files that nobody owns then are removed.
pub(super) async fn release(lent: &mut Lent<'_>, tenant: &str, owner: &str) -> Tried<()> {
    // In one order, so that two releases do not wait for each other.
    let owned = "select f.number from files f join owners o on o.file = f.number \
        where o.tenant = $1 and o.owner = $2 order by f.number for update of f";
    let rows = lent.rows(owned, &[&tenant, &owner]).await?;
    if rows.is_empty() {
        return Ok(());
    }
    let files: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    let ended = "delete from owners where tenant = $1 and owner = $2 and file = any($3)";
    lent.run(ended, &[&tenant, &owner, &files]).await?;
    let removed = "with removed as (delete from files f where f.number = any($1) \
            and not exists (select from owners o where o.file = f.number) returning f.number) \
        insert into garbage (number) select number from removed";
    lent.run(removed, &[&files]).await?;
    Ok(())
}

/// Opens a stored file.
pub(super) async fn open(
    (pool, objects): (&Arc<Pool>, Option<&ObjectStore>),
    tenant: &str,
    sha256: &str,
) -> StoreResult<Arc<dyn BlobReader>> {
    if !is_name(tenant) || !is_digest(sha256) {
        return Err(StoreError::Missing);
    }
    let find = async || {
        let mut lent = pool.lend().await?;
        let find = "select f.number, f.size, o.name, o.digests from files f \
            left join objects o on o.file = f.number where f.tenant = $1 and f.sha256 = $2";
        lent.row(find, &[&tenant, &sha256]).await
    };
    let row = tried!(pool, _is_repeat => find())?.ok_or(StoreError::Missing)?;
    let (file, size) = (row.get(0), unsigned(row.get(1)));
    let Some(name) = row.get::<_, Option<String>>(2) else {
        return Ok(Arc::new(OpenFile { pool: pool.clone(), file, size }));
    };
    let Some(objects) = objects else { return Err(no_object_store(&name).into()) };
    let digests: &[u8] = row.get(3);
    let digests = Bytes::copy_from_slice(digests);
    Ok(Arc::new(ObjectReader::new(objects, name, size, digests)?))
}

/// A stored file that is open for reading. If it is deleted meanwhile, it can be read until the next sweep.
pub(super) struct OpenFile {
    pub(super) pool: Arc<Pool>,
    pub(super) file: i64,
    pub(super) size: u64,
}

#[async_trait]
impl BlobReader for OpenFile {
    fn size(&self) -> u64 {
        self.size
    }

    async fn read(&self, start: u64, length: usize) -> StoreResult<Bytes> {
        let end = start.saturating_add(length as u64).min(self.size);
        tried!(&self.pool, _is_repeat => async {
            let mut lent = self.pool.lend().await?;
            range(&mut lent, self.file, start, end).await
        })
    }
}

/// Returns the bytes of a file from `start` to `end`.
pub(super) async fn range(lent: &mut Lent<'_>, file: i64, start: u64, end: u64) -> Tried<Bytes> {
    if start >= end {
        return Ok(Bytes::new());
    }
    let length = usize::try_from(end - start).unwrap_or(usize::MAX);
    let mut bytes = BytesMut::with_capacity(length);
    let (mut next, last) = (piece_of(start), piece_of(end - 1));
    let mut skipped = place_in_piece(start);
    while next <= last {
        let until = last.min(next.saturating_add(PIECES_AT_ONCE - 1));
        let read = "select bytes from pieces where file = $1 and piece between $2 and $3 \
            order by piece";
        let rows = lent.rows(read, &[&file, &next, &until]).await?;
        if rows.len() as u64 != u64::from((until - next + 1).unsigned_abs()) {
            return Err(StoreError::Missing.into());
        }
        for row in rows {
            let piece: &[u8] = row.get(0);
            let piece = piece.get(skipped..).unwrap_or_default();
            let left = length - bytes.len();
            bytes.extend_from_slice(piece.get(..left).unwrap_or(piece));
            skipped = 0;
        }
        next = until + 1;
    }
    Ok(bytes.freeze())
}

/// Returns the number of the piece that has a byte.
pub(super) fn piece_of(byte: u64) -> i32 {
    i32::try_from(byte / PIECE_BYTES as u64).unwrap_or(i32::MAX)
}

/// Returns the place of a byte in its piece.
pub(super) fn place_in_piece(byte: u64) -> usize {
    usize::try_from(byte % PIECE_BYTES as u64).unwrap_or_default()
}

/// A file that arrives. Without its end it goes with a later sweep.
pub(super) struct ArrivingFile {
    pool: Arc<Pool>,
    tenant: String,
    piece: Vec<u8>,
    hash: Sha256,
    size: u64,
    /// Number of the file; `None` before its first full piece.
    file: Option<i64>,
    /// A piece was not stored, so the file cannot be continued.
    is_broken: bool,
}

impl ArrivingFile {
    pub(super) fn new(pool: &Arc<Pool>, tenant: &str) -> ArrivingFile {
        ArrivingFile {
            pool: pool.clone(),
            tenant: tenant.to_owned(),
            piece: Vec::new(),
            hash: Sha256::new(),
            size: 0,
            file: None,
            is_broken: false,
        }
    }

    /// Stores a full piece.
    async fn flush(&mut self) -> StoreResult<()> {
        self.is_broken = true;
        let file = match self.file {
            Some(file) => file,
            None => tried!(&self.pool, _is_repeat => async {
                let mut lent = self.pool.lend().await?;
                new_number(&mut lent).await
            })?,
        };
        self.file = Some(file);
        let piece = piece_of(self.size - self.piece.len() as u64);
        let bytes = self.piece.as_slice();
        tried!(&self.pool, _is_repeat => async {
            let mut lent = self.pool.lend().await?;
            let add = "with touched as (insert into arriving (file, touched_ms) \
                    values ($1, now_ms()) on conflict (file) do update \
                    set touched_ms = excluded.touched_ms) \
                insert into pieces (file, piece, bytes) values ($1, $2, $3) on conflict do nothing";
            lent.run(add, &[&file, &piece, &bytes]).await
        })?;
        self.piece.clear();
        self.is_broken = false;
        Ok(())
    }

    async fn end(&self, owner: &str, blob: &Blob, is_repeat: bool) -> Tried<()> {
        let mut lent = self.pool.lend().await?;
        lent.begin().await?;
        let file = match self.file {
            Some(file) => {
                let arrived = "delete from arriving where file = $1";
                if lent.run(arrived, &[&file]).await? == 0 && !is_repeat {
                    return lent.undo(interrupted()).await;
                }
                file
            }
            None => new_number(&mut lent).await?,
        };
        if !self.piece.is_empty() {
            let piece = piece_of(self.size - self.piece.len() as u64);
            let add = "insert into pieces (file, piece, bytes) values ($1, $2, $3) on conflict do nothing";
            lent.run(add, &[&file, &piece, &self.piece.as_slice()]).await?;
        }
        place(&mut lent, (&self.tenant, owner), blob, file).await?;
        lent.keep().await
    }
}

#[async_trait]
impl BlobWriter for ArrivingFile {
    async fn write(&mut self, mut bytes: &[u8]) -> StoreResult<()> {
        if self.is_broken {
            return Err(interrupted());
        }
        check_size(self.size + bytes.len() as u64)?;
        while !bytes.is_empty() {
            let length = bytes.len().min(PIECE_BYTES - self.piece.len());
            let (now, later) = bytes.split_at(length);
            self.hash.update(now);
            self.size += now.len() as u64;
            self.piece.extend_from_slice(now);
            bytes = later;
            if self.piece.len() == PIECE_BYTES {
                self.flush().await?;
            }
        }
        Ok(())
    }

    async fn finish(self: Box<Self>, owner: &str) -> StoreResult<Blob> {
        check_name("tenant", &self.tenant)?;
        check_name("owner", owner)?;
        if self.is_broken {
            return Err(interrupted());
        }
        let blob = Blob { sha256: hex(&self.hash.clone().finalize()), size: self.size };
        tried!(&self.pool, is_repeat => self.end(owner, &blob, is_repeat))?;
        Ok(blob)
    }
}

/// Returns the size of a file as the database has it.
pub(super) fn size_of(blob: &Blob) -> i64 {
    number(blob.size)
}

#[cold]
pub(super) fn interrupted() -> StoreError {
    let message = "the file was not stored, because writing it was interrupted";
    StoreError::Failed(Error::new(ErrorKind::Host, message))
}
