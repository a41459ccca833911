//! Files that arrive in several requests. Their pieces are those of stored files, so that their end copies nothing.

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::super::checks::{check_name, is_id, is_name};
use super::super::{Blob, StoreError, StoreResult, new_id};
use super::connection::{Failure, Message, Place, Tried};
use super::contents::{self, PIECE_BYTES, Segment};
use super::entries::{self, Known, OwnerEntry, PartialEntry, hash};
use super::files::{self, Content, OpenFile, Source};
use super::shared::Shared;
use mitt_base::Error;
use mitt_base::digest::hex;

/// Bytes that are read at once for the digest.
const AT_ONCE: u64 = 16 * PIECE_BYTES as u64;

/// Most requests in which a file arrives: their list is in one message.
const MAX_SEGMENTS: usize = 16_384;

/// Tenant and identifier of a file.
pub(super) type Name<'a> = (&'a str, &'a str);

/// Refuses a file that cannot be stored.
pub(super) fn check((tenant, id): Name<'_>) -> StoreResult<()> {
    check_name("tenant", tenant)?;
    if is_id(id) {
        return Ok(());
    }
    Err(Error::input("expected an identifier of the store").at("id").into())
}

async fn read(shared: &Shared, (tenant, id): Name<'_>) -> Tried<Known<PartialEntry>> {
    if !is_name(tenant) || !is_id(id) {
        return Err(StoreError::Missing.into());
    }
    entries::read(&shared.connection, &hash(&[tenant, id])).await
}

fn segments(known: &Known<PartialEntry>) -> Tried<Vec<Segment>> {
    Ok(serde_json::from_slice(&known.payload).map_err(Error::bug)?)
}

/// What is appended.
pub(super) struct Piece<'a> {
    pub(super) offset: u64,
    pub(super) bytes: &'a Bytes,
    /// Names this change.
    pub(super) token: &'a str,
    /// The root below which an earlier try stored the bytes.
    pub(super) stored: Option<String>,
}

/// Appends bytes at their offset, which must be the size.
pub(super) async fn append(shared: &Shared, name: Name<'_>, piece: &mut Piece<'_>) -> Tried<u64> {
    let end = piece.offset + piece.bytes.len() as u64;
    files::check_size(end)?;
    let connection = &shared.connection;
    let mut known = read(shared, name).await?;
    if known.live().is_none() {
        if piece.offset != 0 {
            return Err(StoreError::Conflict(0).into());
        }
        let entry = PartialEntry {
            tenant: name.0.to_owned(),
            id: name.1.to_owned(),
            size: 0,
            touched_ms: shared.now_ms().await?,
            root: new_id("")?,
        };
        let change = (known.sequence, piece.token);
        connection.publish(entries::put(connection, &entry, "[]".into(), change)?).await?;
        known = read(shared, name).await?;
    }
    let entry = known.live().ok_or(StoreError::Conflict(0))?;
    if known.token == piece.token && entry.size == end {
        return Ok(end);
    }
    let mut segments = segments(&known)?;
    if entry.size != piece.offset {
        if let Some(root) = &piece.stored {
            // What was stored for nothing goes with the file, if not now.
            let pieces = entries::segment_pieces(connection, root, piece.token);
            let _ = connection.purge(Place::Data, &pieces).await;
        }
        return Err(StoreError::Conflict(entry.size).into());
    }
    if !piece.bytes.is_empty() {
        if segments.len() >= MAX_SEGMENTS {
            let message = format!("expected at most {MAX_SEGMENTS} requests for one file in NATS");
            return Err(Error::input(message)
                .at("file")
                .hint("append more bytes at a time")
                .into());
        }
        if piece.stored.as_ref() != Some(&entry.root) {
            let place = (entry.root.as_str(), piece.token, 0);
            contents::store_pieces(connection, place, piece.bytes).await?;
            piece.stored = Some(entry.root.clone());
        }
        segments.push(Segment { name: piece.token.to_owned(), size: piece.bytes.len() as u64 });
    }
    let grown = PartialEntry { size: end, touched_ms: shared.now_ms().await?, ..entry.clone() };
    let segments = serde_json::to_vec(&segments).map_err(Error::bug)?;
    let change = (known.sequence, piece.token);
    connection.publish(entries::put(connection, &grown, segments.into(), change)?).await?;
    Ok(end)
}

/// Returns the size of a file.
pub(super) async fn size(shared: &Shared, name: Name<'_>) -> Tried<u64> {
    Ok(read(shared, name).await?.live().ok_or(StoreError::Missing)?.size)
}

/// Returns a file for reading.
pub(super) async fn open(shared: &Shared, name: Name<'_>) -> Tried<OpenFile> {
    let known = read(shared, name).await?;
    let entry = known.live().ok_or(StoreError::Missing)?;
    let (root, size, segments) = (entry.root.clone(), entry.size, segments(&known)?);
    Ok(OpenFile { shared: shared.clone(), root, segments, size })
}

/// Returns the messages that end a file of this size, as a part of the change that stores its content elsewhere.
pub(super) async fn ended(
    shared: &Shared,
    name: Name<'_>,
    size: u64,
    token: &str,
) -> Tried<Vec<Message>> {
    let known = read(shared, name).await?;
    // One that has grown meanwhile is other content.
    let entry = known.live().filter(|entry| entry.size == size).ok_or(StoreError::Missing)?;
    let ended = entries::delete(&shared.connection, entry, (known.sequence, token))?;
    Ok(vec![ended, contents::discard(shared, &entry.root, token).await?])
}

/// Makes a stored file of a file. `digested` is the content that an earlier try has read, and its root.
pub(super) async fn finish(
    shared: &Shared,
    name: Name<'_>,
    (owner, token): (&str, &str),
    digested: &mut Option<(String, Blob)>,
) -> Tried<Blob> {
    let connection = &shared.connection;
    let known = read(shared, name).await?;
    let Some(entry) = known.live() else {
        let Some((_, blob)) = digested else { return Err(StoreError::Missing.into()) };
        let of = hash(&[name.0, &blob.sha256, owner]);
        let of = entries::read::<OwnerEntry>(connection, &of).await?;
        return if of.live().is_some() && of.token == token {
            Ok(blob.clone())
        } else {
            Err(StoreError::Missing.into())
        };
    };
    let segments = segments(&known)?;
    let is_same = |(root, blob): &(String, Blob)| *root == entry.root && blob.size == entry.size;
    let blob = match digested.as_ref().filter(|digested| is_same(digested)) {
        Some((_, blob)) => blob.clone(),
        None => {
            let (mut hash, mut at) = (Sha256::new(), 0);
            while at < entry.size {
                let to = entry.size.min(at + AT_ONCE);
                let pieces = (entry.root.as_str(), segments.as_slice());
                hash.update(&contents::range(connection, pieces, (at, to)).await?);
                at = to;
            }
            Blob { sha256: hex(&hash.finalize()), size: entry.size }
        }
    };
    *digested = Some((entry.root.clone(), blob.clone()));
    let ended = || entries::delete(connection, entry, (known.sequence, token));
    let discard = contents::discard(shared, &entry.root, token).await?;
    let source = Source {
        root: &entry.root,
        content: Content::Segments(&segments),
        if_new: vec![ended()?],
        if_known: vec![ended()?, discard],
    };
    files::place(shared, (name.0, owner), &blob, source, token).await?;
    Ok(blob)
}

/// Deletes a file; returns whether it was there.
pub(super) async fn delete(shared: &Shared, name: Name<'_>, token: &str) -> Tried<bool> {
    let known = match read(shared, name).await {
        Ok(known) => known,
        Err(Failure::Store(StoreError::Missing)) => return Ok(false),
        Err(failure) => return Err(failure),
    };
    if known.is_gone_by(token) {
        return Ok(true);
    }
    let Some(entry) = known.live() else { return Ok(false) };
    let ended = entries::delete(&shared.connection, entry, (known.sequence, token))?;
    let discard = contents::discard(shared, &entry.root, token).await?;
    shared.connection.publish_all(vec![ended, discard]).await?;
    Ok(true)
}
