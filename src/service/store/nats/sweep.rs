//! Deletes what has ended, and hands documents over whose life has ended.

use std::collections::HashMap;
use std::sync::Mutex;

use bytes::Bytes;

use super::super::objects::no_object_store;
use super::super::{Document, RunKey, StoreError, StoreResult, new_id};
use super::connection::{Failure, Place, Tried, tried};
use super::documents;
use super::entries::{self, DocumentEntry, GarbageEntry, KeyEntry, PartialEntry, hash};
use super::shared::Shared;
use super::view::{EndedRow, View};
use super::{contents, files};
use mitt_base::lock;

/// Most entries of each kind in one sweep. The rest goes with the next one.
const MOST: usize = 5_000;

/// Most documents that one sweep takes, and most bytes of them.
const MOST_DOCUMENTS: usize = 1000;
const MOST_BYTES: usize = 16 << 20;

/// Time after which a process that has not handed its documents over is taken for dead.
const HELD_MS: u64 = 10 * 60 * 1000;

/// Time after which a file is given up that arrives in several requests.
const PARTIAL_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// Documents that this process got from its last sweep, by their names in subjects, and the sequences of their entries.
pub(super) type Handed = Mutex<HashMap<String, u64>>;

/// Deletes what has ended.
pub(super) async fn garbage(shared: &Shared) -> StoreResult<()> {
    let token = new_id("")?;
    let connection = &shared.connection;
    let now_ms = tried!(connection, async {
        shared.index.catch_up().await?;
        shared.now_ms().await
    })?;
    let mut is_down = false;
    // From the end: what becomes garbage waits for its time, so that those who read it come to their end.
    for root in shared.index.look(|view| view.due_garbage(now_ms, MOST)) {
        tried!(connection, clear(shared, &root, &token, &mut is_down))?;
    }
    for [tenant, key] in shared.index.look(|view| view.ended_keys(now_ms, MOST)) {
        tried!(connection, async {
            let known = entries::read::<KeyEntry>(connection, &hash(&[&tenant, &key])).await?;
            let Some(entry) = known.live().filter(|entry| entry.end_ms <= now_ms) else {
                return Ok(());
            };
            let delete = entries::delete(connection, entry, (known.sequence, &token))?;
            connection.publish(delete).await.map(drop)
        })?;
    }
    let since_ms = now_ms.saturating_sub(PARTIAL_MS);
    for [tenant, id] in shared.index.look(|view| view.idle_partials(since_ms, MOST)) {
        tried!(connection, async {
            let known = entries::read::<PartialEntry>(connection, &hash(&[&tenant, &id])).await?;
            let Some(entry) = known.live().filter(|entry| entry.touched_ms <= since_ms) else {
                return Ok(());
            };
            let delete = entries::delete(connection, entry, (known.sequence, &token))?;
            let discard = contents::discard(shared, &entry.root, &token).await?;
            connection.publish_all(vec![delete, discard]).await.map(drop)
        })?;
    }
    for (tenant, sha256) in shared.index.look(|view| view.all_unowned(MOST)) {
        tried!(connection, async {
            shared.index.catch_up().await?;
            files::remove_unowned(shared, (&tenant, &sha256), &token).await
        })?;
    }
    Ok(())
}

/// Deletes what is below a root, unless something refers to it by now. Objects stay if the object store `is_down`, as the others
/// would wait for their tries one after the other.
async fn clear(shared: &Shared, root: &str, token: &str, is_down: &mut bool) -> Tried<()> {
    let connection = &shared.connection;
    let known = entries::read::<GarbageEntry>(connection, root).await?;
    let now_ms = shared.now_ms().await?;
    let Some(entry) = known.live().filter(|entry| entry.due_ms <= now_ms) else { return Ok(()) };
    if let (Some(name), None) = (&entry.object, &shared.objects) {
        let error = no_object_store(name).render();
        tracing::warn!(error, "objects of deleted files stay");
        return Ok(());
    }
    if entry.object.is_some() && *is_down {
        return Ok(());
    }
    // First, so that a change that would refer to it does not succeed any more.
    let going = GarbageEntry { is_going: true, ..entry.clone() };
    let change = (known.sequence, token);
    let sequence =
        connection.publish(entries::put(connection, &going, Bytes::new(), change)?).await?;
    if let Some((tenant, id)) = &entry.run {
        let run = RunKey { tenant: tenant.clone(), id: id.clone() };
        // A later run of the same identifier has the files now.
        if shared.index.look(|view| view.find(&run).is_none()) {
            files::release(shared, tenant, &format!("run:{id}")).await?;
        }
        connection.purge(Place::Data, &entries::all_lines(connection, root)).await?;
    }
    connection.purge(Place::Data, &entries::all_pieces(connection, root)).await?;
    if let (Some(name), Some(objects)) = (&entry.object, &shared.objects)
        && let Err(error) = objects.delete(name).await
    {
        *is_down = error.is_retryable();
        let error = error.render();
        tracing::warn!(error, "an object of a deleted file stays until the next sweep");
        return Ok(());
    }
    connection.publish(entries::delete(connection, &going, (sequence, token))?).await.map(drop)
}

/// Takes documents away whose life has ended, and returns them, with those of a process that ended without handing them
/// over. What `holder` got from the sweep before was handed over.
pub(super) async fn documents(
    shared: &Shared,
    (holder, handed): (&str, &Handed),
) -> StoreResult<Vec<(String, String, Document)>> {
    let (token, connection) = (new_id("")?, &shared.connection);
    let mut before: Vec<_> = lock(handed).clone().into_iter().collect();
    before.sort();
    for (name, sequence) in before {
        tried!(connection, async {
            let known = entries::read::<DocumentEntry>(connection, &name).await?;
            // Under a key that was used again, the files belong to the new document.
            if known.sequence == sequence {
                documents::remove(shared, &known, &token).await
            } else {
                Ok(())
            }
        })?;
        lock(handed).remove(&name);
    }
    let (now_ms, ended) = tried!(connection, async {
        shared.index.catch_up().await?;
        let now_ms = shared.now_ms().await?;
        let held_ms = now_ms.saturating_sub(HELD_MS);
        let ended = |view: &View| view.ended(now_ms, holder, held_ms, MOST_DOCUMENTS);
        Ok((now_ms, shared.index.look(ended)))
    })?;
    let (mut documents, mut bytes) = (Vec::new(), 0);
    let mut held = Vec::new();
    for row in ended {
        if bytes > MOST_BYTES {
            break;
        }
        let found = tried!(connection, hold(shared, &row, (holder, now_ms), &token))?;
        let Some((name, sequence, document)) = found else { continue };
        bytes += document.value.len();
        held.push((name, sequence));
        documents.push((row.tenant, row.table, document));
    }
    lock(handed).extend(held);
    Ok(documents)
}

/// Marks a document whose life has ended as one that this process hands over; `None` if it is in use again, or another
/// process took it.
async fn hold(
    shared: &Shared,
    row: &EndedRow,
    (holder, now_ms): (&str, u64),
    token: &str,
) -> Tried<Option<(String, u64, Document)>> {
    let name = (row.tenant.as_str(), row.table.as_str(), row.key.as_str());
    let known = match documents::read(shared, name).await {
        Ok(known) => known,
        Err(Failure::Store(StoreError::Missing)) => return Ok(None),
        Err(failure) => return Err(failure),
    };
    let Some(entry) = known.live() else { return Ok(None) };
    let is_ended = entry.end_ms.is_some_and(|end_ms| end_ms <= now_ms);
    let is_ours = known.token == token;
    if !is_ended || entry.holder != row.holder && !is_ours {
        return Ok(None);
    }
    let value = documents::value(shared, &known).await?;
    let document = Document { key: entry.key.clone(), value, version: entry.version };
    let subject = hash(&[name.0, name.1, name.2]);
    if is_ours {
        return Ok(Some((subject, known.sequence, document)));
    }
    let held = DocumentEntry { holder: Some((holder.to_owned(), now_ms)), ..entry.clone() };
    let change = (known.sequence, token);
    let message = entries::put(&shared.connection, &held, known.payload.clone(), change)?;
    let sequence = shared.connection.publish(message).await?;
    Ok(Some((subject, sequence, document)))
}
