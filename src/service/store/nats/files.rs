//! Stored files: pieces below a root, an entry for each file and for each of its owners.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::super::checks::{check_name, is_digest, is_name};
use super::super::objects::{ObjectReader, no_object_store};
use super::super::{Blob, BlobReader, BlobWriter, StoreError, StoreResult, new_id};
use super::connection::{Failure, Message, Tried, tried};
use super::contents::{self, Arriving, ONLY, PIECE_BYTES, Segment};
use super::entries::{self, FileEntry, OwnerEntry, hash};
use super::shared::Shared;
use mitt_base::digest::hex;
use mitt_base::limits::GIB;
use mitt_base::{Error, ErrorKind};

/// Largest stored file, in bytes. A log of messages is no place for larger ones.
pub(super) const MAX_FILE_BYTES: u64 = 2 * GIB;

/// Time between two changes of the entry that deletes a file which arrives. Far below [`contents::ARRIVING_MS`].
const TOUCH: Duration = Duration::from_secs(10 * 60);

/// Files whose owner ends in one batch.
const RELEASED_AT_ONCE: usize = 300;

/// Refuses a file that is too large.
pub(super) fn check_size(size: u64) -> StoreResult<()> {
    if size <= MAX_FILE_BYTES {
        return Ok(());
    }
    let message = format!("expected at most {MAX_FILE_BYTES} bytes in NATS, got {size}");
    Err(Error::input(message).at("file").into())
}

/// Where the content of a new file is, and what refers to it so far.
pub(super) struct Source<'a> {
    pub(super) root: &'a str,
    pub(super) content: Content<'a>,
    /// Messages that go with the change if the file becomes one that is stored, or if there is one of the same content.
    pub(super) if_new: Vec<Message>,
    pub(super) if_known: Vec<Message>,
}

/// The content of a new file.
pub(super) enum Content<'a> {
    /// It is in pieces.
    Segments(&'a [Segment]),
    /// It is an object of this name, whose pieces have these digests.
    Object(&'a str, &'a [u8]),
    /// A file of the same content must be there.
    Known,
}

/// Gives content an owner. A file of the same content stays.
pub(super) async fn place(
    shared: &Shared,
    (tenant, owner): (&str, &str),
    blob: &Blob,
    source: Source<'_>,
    token: &str,
) -> Tried<()> {
    let connection = &shared.connection;
    let of = entries::read::<OwnerEntry>(connection, &hash(&[tenant, &blob.sha256, owner])).await?;
    if of.live().is_some() && of.token == token {
        return Ok(());
    }
    let file = entries::read::<FileEntry>(connection, &hash(&[tenant, &blob.sha256])).await?;
    let mut batch =
        vec![owner_message(shared, (tenant, owner), &blob.sha256, (of.sequence, token))?];
    match file.live() {
        Some(known) => {
            batch.extend(source.if_known);
            // Written again, so that no release at this moment takes it away.
            let change = (file.sequence, token);
            batch.push(entries::put(connection, known, file.payload.clone(), change)?);
        }
        None => {
            let (object, payload) = match source.content {
                Content::Segments(segments) => {
                    (None, serde_json::to_vec(segments).map_err(Error::bug)?)
                }
                Content::Object(name, digests) => (Some(name.to_owned()), digests.to_vec()),
                Content::Known => return Err(StoreError::Missing.into()),
            };
            batch.extend(source.if_new);
            let entry = FileEntry {
                tenant: tenant.to_owned(),
                sha256: blob.sha256.clone(),
                size: blob.size,
                root: source.root.to_owned(),
                object,
            };
            let change = (file.sequence, token);
            batch.push(entries::put(connection, &entry, payload.into(), change)?);
        }
    }
    connection.publish_all(batch).await.map(drop)
}

/// Does what [`place`] does for a root that arrived.
pub(super) async fn place_arrived(
    shared: &Shared,
    to: (&str, &str),
    (blob, arriving): (&Blob, &Arriving),
    source: Source<'_>,
    token: &str,
) -> Tried<()> {
    let connection = &shared.connection;
    match place(shared, to, blob, source, token).await {
        Err(failure @ Failure::Contended) => {
            // An earlier try may have kept it, or a sweep is deleting it.
            let name = hash(&[to.0, &blob.sha256, to.1]);
            let of = entries::read::<OwnerEntry>(connection, &name).await?;
            let is_placed = of.live().is_some() && of.token == token;
            if is_placed || arriving.is_there(connection).await? {
                Err(failure)
            } else {
                Err(interrupted().into())
            }
        }
        result => result,
    }
}

fn owner_message(
    shared: &Shared,
    (tenant, owner): (&str, &str),
    sha256: &str,
    change: (u64, &str),
) -> Tried<Message> {
    let entry = OwnerEntry {
        tenant: tenant.to_owned(),
        sha256: sha256.to_owned(),
        owner: owner.to_owned(),
    };
    entries::put(&shared.connection, &entry, Bytes::new(), change)
}

/// Gives a stored file one more owner.
pub(super) async fn keep(
    shared: &Shared,
    (tenant, owner): (&str, &str),
    sha256: &str,
    token: &str,
) -> Tried<()> {
    if !is_name(tenant) || !is_digest(sha256) {
        return Err(StoreError::Missing.into());
    }
    let connection = &shared.connection;
    let of = entries::read::<OwnerEntry>(connection, &hash(&[tenant, sha256, owner])).await?;
    let file = entries::read::<FileEntry>(connection, &hash(&[tenant, sha256])).await?;
    let entry = file.live().ok_or(StoreError::Missing)?;
    if of.live().is_some() && of.token == token {
        return Ok(());
    }
    // Also for an owner that is there: it may be released at this moment.
    let owner = owner_message(shared, (tenant, owner), sha256, (of.sequence, token))?;
    let again = entries::put(connection, entry, file.payload.clone(), (file.sequence, token))?;
    connection.publish_all(vec![owner, again]).await.map(drop)
}

/// Ends the ownership of all files of an owner, and removes those that nobody owns then.
pub(super) async fn release(shared: &Shared, tenant: &str, owner: &str) -> StoreResult<()> {
    let token = new_id("")?;
    tried!(shared.connection, async {
        loop {
            shared.index.catch_up().await?;
            let most = RELEASED_AT_ONCE;
            let files = shared.index.look(|view| view.owned(tenant, owner, most));
            if files.is_empty() {
                return Ok(());
            }
            let mut batch = Vec::new();
            for sha256 in &files {
                let name = hash(&[tenant, sha256, owner]);
                let known = entries::read::<OwnerEntry>(&shared.connection, &name).await?;
                if let Some(entry) = known.live() {
                    let change = (known.sequence, token.as_str());
                    batch.push(entries::delete(&shared.connection, entry, change)?);
                }
            }
            if !batch.is_empty() {
                shared.connection.publish_all(batch).await?;
            }
            shared.index.catch_up().await?;
            for sha256 in &files {
                remove_unowned(shared, (tenant, sha256), &token).await?;
            }
        }
    })
}

/// Removes a stored file if nobody owns it, as far as the index has come. A new owner writes the file again, so that it has
/// another sequence than the index says.
pub(super) async fn remove_unowned(
    shared: &Shared,
    (tenant, sha256): (&str, &str),
    token: &str,
) -> Tried<()> {
    let unowned = shared.index.look(|view| view.unowned(tenant, sha256).cloned());
    let Some(row) = unowned else { return Ok(()) };
    let what = (row.entry.root.as_str(), row.entry.object.as_deref());
    let discard = contents::discard_with(shared, what, token).await?;
    let delete = entries::delete(&shared.connection, &row.entry, (row.sequence, token))?;
    match shared.connection.publish_all(vec![delete, discard]).await {
        Ok(_) => Ok(()),
        Err(failure) => {
            // Another process may have removed it.
            let name = hash(&[tenant, sha256]);
            let known = entries::read::<FileEntry>(&shared.connection, &name).await?;
            if known.live().is_none() { Ok(()) } else { Err(failure) }
        }
    }
}

/// Opens a stored file.
pub(super) async fn open(
    shared: &Shared,
    tenant: &str,
    sha256: &str,
) -> StoreResult<Arc<dyn BlobReader>> {
    if !is_name(tenant) || !is_digest(sha256) {
        return Err(StoreError::Missing);
    }
    let name = hash(&[tenant, sha256]);
    let connection = &shared.connection;
    let known = tried!(connection, entries::read::<FileEntry>(connection, &name))?;
    let entry = known.live().ok_or(StoreError::Missing)?;
    if let Some(name) = &entry.object {
        let objects = shared.objects.as_ref().ok_or_else(|| no_object_store(name))?;
        let digests = known.payload.clone();
        return Ok(Arc::new(ObjectReader::new(objects, name.clone(), entry.size, digests)?));
    }
    let segments: Vec<Segment> = serde_json::from_slice(&known.payload).map_err(Error::bug)?;
    let (root, size) = (entry.root.clone(), entry.size);
    Ok(Arc::new(OpenFile { shared: shared.clone(), root, segments, size }))
}

/// A stored file that is open for reading. If it is deleted meanwhile, it can be read for some minutes.
pub(super) struct OpenFile {
    pub(super) shared: Shared,
    pub(super) root: String,
    pub(super) segments: Vec<Segment>,
    pub(super) size: u64,
}

#[async_trait]
impl BlobReader for OpenFile {
    fn size(&self) -> u64 {
        self.size
    }

    async fn read(&self, start: u64, length: usize) -> StoreResult<Bytes> {
        let end = start.saturating_add(length as u64).min(self.size);
        if start >= end {
            return Ok(Bytes::new());
        }
        let (connection, pieces) = (&self.shared.connection, (self.root.as_str(), &*self.segments));
        tried!(connection, contents::range(connection, pieces, (start, end)))
    }
}

/// A file that arrives. Without its end it goes with a later sweep.
pub(super) struct ArrivingFile {
    shared: Shared,
    tenant: String,
    piece: Vec<u8>,
    hash: Sha256,
    size: u64,
    /// Where its pieces are, and when that was said last; `None` before its first piece.
    arriving: Option<(Arriving, Instant)>,
    /// A piece was not stored, so the file cannot be continued.
    is_broken: bool,
}

impl ArrivingFile {
    pub(super) fn new(shared: &Shared, tenant: &str) -> ArrivingFile {
        ArrivingFile {
            shared: shared.clone(),
            tenant: tenant.to_owned(),
            piece: Vec::new(),
            hash: Sha256::new(),
            size: 0,
            arriving: None,
            is_broken: false,
        }
    }

    /// Stores a piece.
    async fn flush(&mut self) -> StoreResult<()> {
        self.is_broken = true;
        let mut arriving = match self.arriving.take() {
            Some(arriving) => arriving,
            None => (Arriving::begin(&self.shared).await?, Instant::now()),
        };
        if arriving.1.elapsed() >= TOUCH {
            arriving.0.touch(&self.shared).await.map_err(|error| match error {
                StoreError::Missing => interrupted(),
                error => error,
            })?;
            arriving.1 = Instant::now();
        }
        let number = (self.size - self.piece.len() as u64) / PIECE_BYTES as u64;
        let bytes = Bytes::from(std::mem::take(&mut self.piece));
        let place = (arriving.0.root.as_str(), ONLY, number);
        contents::store_pieces(&self.shared.connection, place, &bytes).await?;
        self.arriving = Some(arriving);
        self.is_broken = false;
        Ok(())
    }

    async fn end(&self, owner: &str, blob: &Blob, (root, token): (&str, &str)) -> Tried<()> {
        let connection = &self.shared.connection;
        let to = (self.tenant.as_str(), owner);
        let Some((arriving, _)) = &self.arriving else {
            let content = Content::Segments(&[]);
            let source = Source { root, content, if_new: Vec::new(), if_known: Vec::new() };
            return place(&self.shared, to, blob, source, token).await;
        };
        let segments = [Segment { name: ONLY.to_owned(), size: self.size }];
        let if_new = vec![arriving.kept(connection, token)?];
        // The pieces of a second file of the same content stay garbage.
        let content = Content::Segments(&segments);
        let source = Source { root, content, if_new, if_known: Vec::new() };
        place_arrived(&self.shared, to, (blob, arriving), source, token).await
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

    async fn finish(mut self: Box<Self>, owner: &str) -> StoreResult<Blob> {
        check_name("tenant", &self.tenant)?;
        check_name("owner", owner)?;
        if self.is_broken {
            return Err(interrupted());
        }
        if !self.piece.is_empty() {
            self.flush().await?;
        }
        let blob = Blob { sha256: hex(&self.hash.clone().finalize()), size: self.size };
        let token = new_id("")?;
        let root = match &self.arriving {
            Some((arriving, _)) => arriving.root.clone(),
            None => new_id("")?,
        };
        tried!(self.shared.connection, self.end(owner, &blob, (&root, &token)))?;
        Ok(blob)
    }
}

#[cold]
pub(super) fn interrupted() -> StoreError {
    let message = "the file was not stored, because writing it was interrupted";
    StoreError::Failed(Error::new(ErrorKind::Host, message))
}
