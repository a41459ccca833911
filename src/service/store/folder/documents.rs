//! Small documents in the index.

use std::ops::Bound;
use std::time::Duration;

use bytes::Bytes;

use super::super::checks::{MAX_LISTED, milliseconds};
use super::super::{Document, StoreError, StoreResult};
use super::index::{Batch, Read};
use super::keys::{Key, Parts, Table, damaged, is_name};

/// Most documents that one sweep returns.
const MAX_SWEPT: usize = 1000;

/// Size of documents after which a sweep leaves the rest to the next one.
const MAX_SWEPT_BYTES: usize = 16 << 20;

/// Tenant, table and key of a document.
pub(super) type DocumentKey = (String, String, String);

/// What is written into a document.
pub(super) struct Change {
    pub(super) value: Bytes,
    /// Version that must be stored; `None` for any.
    pub(super) version: Option<u64>,
    pub(super) life: Option<Duration>,
}

/// A document as it is stored.
struct Stored {
    version: u64,
    /// End of its life in milliseconds after 1970; the highest number if it has none.
    end_ms: u64,
    value: Vec<u8>,
}

fn stored(value: &[u8]) -> StoreResult<Stored> {
    let mut parts = Parts::of_value(value);
    let (version, end_ms) = (parts.number()?, parts.number()?);
    Ok(Stored { version, end_ms, value: parts.rest().to_vec() })
}

fn written(stored: &Stored) -> Vec<u8> {
    [&stored.version.to_be_bytes(), &stored.end_ms.to_be_bytes(), stored.value.as_slice()].concat()
}

fn end_key(end_ms: u64, (tenant, table, key): (&str, &str, &str)) -> Key {
    Key::of(Table::DocumentEnds).number(end_ms).text(tenant).text(table).text(key)
}

fn document_key(of: Table, (tenant, table, key): (&str, &str, &str)) -> Key {
    Key::of(of).text(tenant).text(table).text(key)
}

/// Returns a document.
pub(super) fn get(rows: &dyn Read, name: (&str, &str, &str), now_ms: u64) -> StoreResult<Document> {
    if !(is_name(name.0) && is_name(name.1) && is_name(name.2)) {
        return Err(StoreError::Missing);
    }
    let value = rows.get(&document_key(Table::Documents, name))?.ok_or(StoreError::Missing)?;
    let Stored { version, end_ms, value } = stored(&value)?;
    if end_ms <= now_ms {
        return Err(StoreError::Missing);
    }
    Ok(Document { key: name.2.to_owned(), value: value.into(), version })
}

/// Returns documents of a table after a key.
pub(super) fn list(
    rows: &dyn Read,
    (tenant, table): (&str, &str),
    after: Option<&str>,
    (limit, now_ms): (usize, u64),
) -> StoreResult<Vec<Document>> {
    if !is_name(tenant) || !is_name(table) {
        return Ok(Vec::new());
    }
    let of_table = Key::of(Table::Documents).text(tenant).text(table);
    let after = after.map(|after| of_table.clone().text(after));
    let start = match &after {
        Some(after) => Bound::Excluded(after.bytes()),
        None => Bound::Included(of_table.bytes()),
    };
    let end = of_table.end();
    let (mut documents, most) = (Vec::new(), limit.min(MAX_LISTED));
    rows.walk((start, Bound::Excluded(end.bytes())), false, &mut |key, value| {
        let Stored { version, end_ms, value } = stored(value)?;
        if end_ms > now_ms && documents.len() < most {
            let mut parts = Parts::of_key(key);
            let (_, _, key) = (parts.text()?, parts.text()?, parts.text()?);
            documents.push(Document { key: key.to_owned(), value: value.into(), version });
        }
        Ok(documents.len() < most)
    })?;
    Ok(documents)
}

/// Writes a document and returns its new version.
pub(super) fn put(
    batch: &mut Batch<'_>,
    name: (&str, &str, &str),
    change: Change,
    now_ms: u64,
) -> StoreResult<u64> {
    let key = document_key(Table::Documents, name);
    let old = batch.rows().get(&key)?.map(|value| stored(&value)).transpose()?;
    // One whose life has ended is gone, although no sweep came yet.
    let version = old.as_ref().map_or(0, |old| if old.end_ms > now_ms { old.version } else { 0 });
    if change.version.is_some_and(|expected| expected != version) {
        return Err(StoreError::Conflict(version));
    }
    if let Some(old) = old {
        batch.remove(&end_key(old.end_ms, name))?;
    }
    let end_ms = change.life.map_or(u64::MAX, |life| now_ms.saturating_add(milliseconds(life)));
    if end_ms < u64::MAX {
        batch.put(&end_key(end_ms, name), &[])?;
    }
    let new = Stored { version: version + 1, end_ms, value: change.value.to_vec() };
    batch.put(&key, &written(&new))?;
    Ok(new.version)
}

/// Deletes a document; returns whether it was there.
pub(super) fn delete(
    batch: &mut Batch<'_>,
    name: (&str, &str, &str),
    now_ms: u64,
) -> StoreResult<bool> {
    let key = document_key(Table::Documents, name);
    let Some(value) = batch.rows().get(&key)? else { return Ok(false) };
    let old = stored(&value)?;
    if old.end_ms <= now_ms {
        // The sweep hands it over.
        return Ok(false);
    }
    batch.remove(&end_key(old.end_ms, name))?;
    batch.remove(&key)?;
    Ok(true)
}

/// Takes documents away whose life has ended, and returns them with those that an ended process may not have handed over.
/// `returned` are those of the sweep before, whose caller has had them.
pub(super) fn sweep(
    batch: &mut Batch<'_>,
    returned: &[DocumentKey],
    now_ms: u64,
) -> StoreResult<Vec<(String, String, Document)>> {
    for (tenant, table, key) in returned {
        batch.remove(&document_key(Table::Ended, (tenant, table, key)))?;
    }
    let mut bytes = 0;
    for _ in 0..MAX_SWEPT {
        let Some((row, _)) = batch.rows().first(&Key::of(Table::DocumentEnds))? else { break };
        let mut parts = Parts::of_key(&row);
        let end_ms = parts.number()?;
        if end_ms > now_ms || bytes > MAX_SWEPT_BYTES {
            break;
        }
        let name = (parts.text()?, parts.text()?, parts.text()?);
        let key = document_key(Table::Documents, name);
        let value = batch.rows().get(&key)?.ok_or_else(damaged)?;
        bytes += value.len();
        batch.remove(&end_key(end_ms, name))?;
        batch.remove(&key)?;
        batch.put(&document_key(Table::Ended, name), &value)?;
    }
    let (mut ended, mut bytes) = (Vec::new(), 0);
    batch.rows().walk_in(&Key::of(Table::Ended), &mut |key, value| {
        let mut parts = Parts::of_key(key);
        let (tenant, table, key) = (parts.text()?, parts.text()?, parts.text()?);
        let Stored { version, value, .. } = stored(value)?;
        bytes += value.len();
        let document = Document { key: key.to_owned(), value: value.into(), version };
        ended.push((tenant.to_owned(), table.to_owned(), document));
        Ok(ended.len() < MAX_SWEPT && bytes <= MAX_SWEPT_BYTES)
    })?;
    // Under a key that was used again, the files belong to the new document.
    let mut handed_over = Vec::new();
    for (tenant, table, document) in ended {
        let name = (tenant.as_str(), table.as_str(), document.key.as_str());
        if batch.rows().has(&document_key(Table::Documents, name))? {
            batch.remove(&document_key(Table::Ended, name))?;
        } else {
            handed_over.push((tenant, table, document));
        }
    }
    Ok(handed_over)
}
