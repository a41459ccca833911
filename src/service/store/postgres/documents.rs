//! Small documents.

use std::time::Duration;

use bytes::Bytes;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::super::checks::{MAX_LISTED, is_name, milliseconds};
use super::super::{Document, StoreError};
use super::pool::{Lent, Tried, number, unsigned};
use sha2::{Digest as _, Sha256};

/// Tenant, table and key of a document.
pub(super) type Name<'a> = (&'a str, &'a str, &'a str);

/// Returns the hash of a tenant and a table, neither of which has a zero byte.
fn place(tenant: &str, table: &str) -> Vec<u8> {
    Sha256::digest([tenant.as_bytes(), b"\0", table.as_bytes()].concat()).to_vec()
}

fn is_key((tenant, table, key): Name<'_>) -> bool {
    is_name(tenant) && is_name(table) && is_name(key)
}

fn document(row: &Row) -> Document {
    let value: &[u8] = row.get(1);
    let value = Bytes::copy_from_slice(value);
    Document { key: row.get(0), value, version: unsigned(row.get(2)) }
}

/// Returns a document.
pub(super) async fn get(lent: &mut Lent<'_>, name: Name<'_>) -> Tried<Document> {
    if !is_key(name) {
        return Err(StoreError::Missing.into());
    }
    let find = "select key, value, version from documents where place = $1 and key = $2 \
        and (end_ms is null or end_ms > now_ms())";
    let row = lent.row(find, &[&place(name.0, name.1), &name.2]).await?;
    Ok(document(&row.ok_or(StoreError::Missing)?))
}

/// Returns documents of a table after a key.
pub(super) async fn list(
    lent: &mut Lent<'_>,
    (tenant, table): (&str, &str),
    after: Option<&str>,
    limit: usize,
) -> Tried<Vec<Document>> {
    if !is_name(tenant) || !is_name(table) || !after.is_none_or(is_name) {
        return Ok(Vec::new());
    }
    let find = "select key, value, version from documents where place = $1 \
        and ($2::text is null or key > $2) and (end_ms is null or end_ms > now_ms()) \
        order by key limit $3";
    let limit = number(limit.min(MAX_LISTED) as u64);
    let rows = lent.rows(find, &[&place(tenant, table), &after, &limit]).await?;
    Ok(rows.iter().map(document).collect())
}

/// What is written into a document.
pub(super) struct Change<'a> {
    pub(super) value: &'a Bytes,
    /// Version that must be stored; `None` for any.
    pub(super) version: Option<u64>,
    pub(super) life: Option<Duration>,
}

/// Writes a document and returns its new version.
pub(super) async fn put(
    lent: &mut Lent<'_>,
    name: Name<'_>,
    change: &Change<'_>,
    is_repeat: bool,
) -> Tried<u64> {
    let (tenant, table, key) = name;
    let place = place(tenant, table);
    let life = change.life.map(|life| number(milliseconds(life)));
    let value: &[u8] = change.value;
    let row = match change.version {
        Some(version) if version > 0 => {
            let put = "update documents set value = $3, version = version + 1, \
                    end_ms = now_ms() + $4 \
                where place = $1 and key = $2 and version = $5 \
                    and (end_ms is null or end_ms > now_ms()) returning version";
            lent.row(put, &[&place, &key, &value, &life, &number(version)]).await?
        }
        version => {
            // One whose life has ended is gone, although no sweep came yet.
            let put = "insert into documents as d \
                    (place, key, tenant, of_table, value, version, end_ms) \
                values ($1, $2, $3, $4, $5, 1, now_ms() + $6) on conflict (place, key) do update \
                set value = excluded.value, end_ms = excluded.end_ms, \
                    version = case when d.end_ms <= now_ms() then 1 else d.version + 1 end \
                where $7 or d.end_ms <= now_ms() returning version";
            let values: &[&(dyn ToSql + Sync)] =
                &[&place, &key, &tenant, &table, &value, &life, &version.is_none()];
            lent.row(put, values).await?
        }
    };
    if let Some(row) = row {
        return Ok(unsigned(row.get(0)));
    }
    match get(lent, name).await {
        Ok(stored) => {
            let is_ours = change.version.is_some_and(|version| stored.version == version + 1);
            if is_repeat && is_ours && stored.value == *change.value {
                return Ok(stored.version);
            }
            Err(StoreError::Conflict(stored.version).into())
        }
        Err(super::pool::Failure::Store(StoreError::Missing)) => {
            Err(StoreError::Conflict(0).into())
        }
        Err(error) => Err(error),
    }
}

/// Deletes a document; returns whether it was there. The sweep hands one over whose life has ended.
pub(super) async fn delete(lent: &mut Lent<'_>, name: Name<'_>, is_repeat: bool) -> Tried<bool> {
    if !is_key(name) {
        return Ok(false);
    }
    let delete = "delete from documents where place = $1 and key = $2 \
        and (end_ms is null or end_ms > now_ms())";
    Ok(lent.run(delete, &[&place(name.0, name.1), &name.2]).await? > 0 || is_repeat)
}
