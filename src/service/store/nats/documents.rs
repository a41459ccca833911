//! Small documents.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::super::checks::{MAX_LISTED, is_name, milliseconds};
use super::super::{Document, StoreError};
use super::connection::{Failure, Message, Tried};
use super::contents::{self, MAX_INLINE, Stored};
use super::entries::{self, DocumentEntry, Known, hash};
use super::shared::Shared;

/// Tenant, table and key of a document.
pub(super) type Name<'a> = (&'a str, &'a str, &'a str);

/// Documents that are read at the same time.
const AT_ONCE: usize = 16;

/// Returns what is stored of a document; [`StoreError::Missing`] if it cannot have this name.
pub(super) async fn read(shared: &Shared, name: Name<'_>) -> Tried<Known<DocumentEntry>> {
    if !is_name(name.0) || !is_name(name.1) || !is_name(name.2) {
        return Err(StoreError::Missing.into());
    }
    entries::read(&shared.connection, &hash(&[name.0, name.1, name.2])).await
}

/// Returns the entry of a document whose life has not ended.
fn living(known: &Known<DocumentEntry>, now_ms: u64) -> Option<&DocumentEntry> {
    known.live().filter(|entry| entry.end_ms.is_none_or(|end_ms| end_ms > now_ms))
}

/// Returns the value of a document.
pub(super) async fn value(shared: &Shared, known: &Known<DocumentEntry>) -> Tried<Bytes> {
    match known.live().and_then(|entry| entry.content.as_ref()) {
        None => Ok(known.payload.clone()),
        Some(long) => contents::read_long(&shared.connection, long).await,
    }
}

/// Returns a document.
pub(super) async fn get(shared: &Shared, name: Name<'_>) -> Tried<Document> {
    let known = read(shared, name).await?;
    let now_ms = match known.live() {
        Some(DocumentEntry { end_ms: Some(_), .. }) => shared.now_ms().await?,
        _ => 0,
    };
    let entry = living(&known, now_ms).ok_or(StoreError::Missing)?;
    let value = value(shared, &known).await?;
    Ok(Document { key: entry.key.clone(), value, version: entry.version })
}

/// Returns documents of a table after a key.
pub(super) async fn list(
    shared: &Shared,
    (tenant, table): (&str, &str),
    after: Option<&str>,
    limit: usize,
) -> Tried<Vec<Document>> {
    if !is_name(tenant) || !is_name(table) || !after.is_none_or(is_name) {
        return Ok(Vec::new());
    }
    shared.index.catch_up().await?;
    let now_ms = shared.now_ms().await?;
    let limit = limit.min(MAX_LISTED);
    let (mut documents, mut after) = (Vec::new(), after.map(str::to_owned));
    while documents.len() < limit {
        let most = limit - documents.len();
        let of = (tenant, table);
        let keys = shared.index.look(|view| view.documents(of, after.as_deref(), now_ms, most));
        let Some(last) = keys.last() else { break };
        after = Some(last.clone());
        let found = stream::iter(keys).map(|key| async move {
            match get(shared, (tenant, table, &key)).await {
                Ok(document) => Ok(Some(document)),
                // It was deleted just now.
                Err(Failure::Store(StoreError::Missing)) => Ok(None),
                Err(failure) => Err(failure),
            }
        });
        let found: Vec<_> = found.buffered(AT_ONCE).try_collect().await?;
        documents.extend(found.into_iter().flatten());
    }
    Ok(documents)
}

/// What is written into a document.
pub(super) struct Change<'a> {
    pub(super) value: &'a Bytes,
    /// Version that must be stored; `None` for any.
    pub(super) version: Option<u64>,
    pub(super) life: Option<Duration>,
    /// Names this change.
    pub(super) token: &'a str,
    /// The value in pieces, if it is long and an earlier try stored it.
    pub(super) long: Option<Stored>,
}

/// Writes a document and returns its new version.
pub(super) async fn put(shared: &Shared, name: Name<'_>, change: &mut Change<'_>) -> Tried<u64> {
    let known = read(shared, name).await?;
    let now_ms = shared.now_ms().await?;
    let old = living(&known, now_ms);
    if let Some(entry) = known.live().filter(|_| known.token == change.token) {
        return Ok(entry.version);
    }
    let version = old.map_or(0, |old| old.version);
    if change.version.is_some_and(|expected| expected != version) {
        return Err(StoreError::Conflict(version).into());
    }
    if change.value.len() > MAX_INLINE && change.long.is_none() {
        change.long = Some(contents::store_long(shared, change.value).await?);
    }
    let entry = DocumentEntry {
        tenant: name.0.to_owned(),
        table: name.1.to_owned(),
        key: name.2.to_owned(),
        version: version + 1,
        end_ms: change.life.map(|life| now_ms.saturating_add(milliseconds(life))),
        holder: None,
        content: change.long.as_ref().map(|stored| stored.long.clone()),
    };
    let (connection, token) = (&shared.connection, change.token);
    let mut batch = discarded(shared, &known, token).await?;
    let payload = match &change.long {
        None => change.value.clone(),
        Some(stored) => {
            batch.push(stored.kept(connection, token)?);
            Bytes::new()
        }
    };
    batch.push(entries::put(connection, &entry, payload, (known.sequence, token))?);
    connection.publish_all(batch).await?;
    Ok(entry.version)
}

/// Returns the messages that let go of the pieces of a document.
async fn discarded(
    shared: &Shared,
    known: &Known<DocumentEntry>,
    token: &str,
) -> Tried<Vec<Message>> {
    match known.live().and_then(|entry| entry.content.as_ref()) {
        None => Ok(Vec::new()),
        Some(long) => Ok(vec![contents::discard(shared, &long.root, token).await?]),
    }
}

/// Deletes a document; returns whether it was there. The sweep hands one over whose life has ended.
pub(super) async fn delete(shared: &Shared, name: Name<'_>, token: &str) -> Tried<bool> {
    let known = match read(shared, name).await {
        Ok(known) => known,
        Err(Failure::Store(StoreError::Missing)) => return Ok(false),
        Err(failure) => return Err(failure),
    };
    if known.is_gone_by(token) {
        return Ok(true);
    }
    let now_ms = shared.now_ms().await?;
    if living(&known, now_ms).is_none() {
        return Ok(false);
    }
    remove(shared, &known, token).await?;
    Ok(true)
}

/// Deletes a document of this sequence.
pub(super) async fn remove(
    shared: &Shared,
    known: &Known<DocumentEntry>,
    token: &str,
) -> Tried<()> {
    let Some(entry) = known.live() else { return Ok(()) };
    let mut batch = discarded(shared, known, token).await?;
    batch.push(entries::delete(&shared.connection, entry, (known.sequence, token))?);
    shared.connection.publish_all(batch).await.map(drop)
}
