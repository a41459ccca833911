//! Files that arrive in several requests. Their pieces are those of stored files, so that their end copies nothing.

use sha2::{Digest as _, Sha256};

use super::super::checks::{check_name, is_id, is_name};
use super::super::{Blob, StoreError, StoreResult};
use super::files::{self, PIECE_BYTES, piece_of, place_in_piece, range};
use super::pool::{Lent, Tried, number, unsigned};
use mitt_base::Error;
use mitt_base::digest::hex;

/// Bytes that are read at once for the digest.
const AT_ONCE: u64 = 16 * PIECE_BYTES as u64;

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

/// Appends bytes at `offset`, which must be the size.
pub(super) async fn append(
    lent: Lent<'_>,
    (tenant, id): Name<'_>,
    (offset, bytes): (u64, &[u8]),
    is_repeat: bool,
) -> Tried<u64> {
    let mut lent = lent;
    let end = offset + bytes.len() as u64;
    files::check_size(end)?;
    lent.begin().await?;
    if offset == 0 {
        let begun = "insert into partials (tenant, id, file, size, touched_ms) \
            values ($1, $2, nextval('numbers'), 0, now_ms()) on conflict do nothing";
        lent.run(begun, &[&tenant, &id]).await?;
    }
    let find = "select file, size from partials where tenant = $1 and id = $2 for update";
    let Some(row) = lent.row(find, &[&tenant, &id]).await? else {
        return lent.undo(StoreError::Conflict(0)).await;
    };
    let (file, size): (i64, u64) = (row.get(0), unsigned(row.get(1)));
    if size != offset {
        if is_repeat && size == end && range(&mut lent, file, offset, end).await? == bytes {
            lent.keep().await?;
            return Ok(end);
        }
        return lent.undo(StoreError::Conflict(size)).await;
    }
    let (mut at, mut rest) = (offset, bytes);
    while !rest.is_empty() {
        let room = PIECE_BYTES - place_in_piece(at);
        let (now, later) = rest.split_at(rest.len().min(room));
        let add = "insert into pieces as p (file, piece, bytes) values ($1, $2, $3) \
            on conflict (file, piece) do update set bytes = p.bytes || excluded.bytes";
        lent.run(add, &[&file, &piece_of(at), &now]).await?;
        (at, rest) = (at + now.len() as u64, later);
    }
    let grown =
        "update partials set size = $3, touched_ms = now_ms() where tenant = $1 and id = $2";
    lent.run(grown, &[&tenant, &id, &number(end)]).await?;
    lent.keep().await?;
    Ok(end)
}

/// Returns the number and the size of a file.
pub(super) async fn find(lent: &mut Lent<'_>, (tenant, id): Name<'_>) -> Tried<(i64, u64)> {
    if !is_name(tenant) || !is_id(id) {
        return Err(StoreError::Missing.into());
    }
    let find = "select file, size from partials where tenant = $1 and id = $2";
    let row = lent.row(find, &[&tenant, &id]).await?.ok_or(StoreError::Missing)?;
    Ok((row.get(0), unsigned(row.get(1))))
}

/// Makes a stored file of a file. `known` is what an earlier try has made of it.
pub(super) async fn finish(
    lent: Lent<'_>,
    (tenant, id): Name<'_>,
    owner: &str,
    known: &mut Option<Blob>,
) -> Tried<Blob> {
    let mut lent = lent;
    if !is_name(tenant) || !is_id(id) {
        return Err(StoreError::Missing.into());
    }
    lent.begin().await?;
    let taken = "select file, size from partials where tenant = $1 and id = $2 for update";
    let Some(row) = lent.row(taken, &[&tenant, &id]).await? else {
        let Some(blob) = known else { return lent.undo(StoreError::Missing).await };
        let stored = "select from files f join owners o on o.file = f.number \
            where f.tenant = $1 and f.sha256 = $2 and o.owner = $3";
        return match lent.row(stored, &[&tenant, &blob.sha256, &owner]).await? {
            Some(_) => lent.keep().await.map(|()| blob.clone()),
            None => lent.undo(StoreError::Missing).await,
        };
    };
    let (file, size): (i64, u64) = (row.get(0), unsigned(row.get(1)));
    let (mut hash, mut at) = (Sha256::new(), 0);
    while at < size {
        let bytes = range(&mut lent, file, at, size.min(at + AT_ONCE)).await?;
        hash.update(&bytes);
        at += bytes.len() as u64;
    }
    let blob = Blob { sha256: hex(&hash.finalize()), size };
    *known = Some(blob.clone());
    lent.run("delete from partials where tenant = $1 and id = $2", &[&tenant, &id]).await?;
    files::place(&mut lent, (tenant, owner), &blob, file).await?;
    lent.keep().await?;
    Ok(blob)
}

/// Deletes a file; returns whether it was there.
pub(super) async fn delete(
    lent: &mut Lent<'_>,
    (tenant, id): Name<'_>,
    is_repeat: bool,
) -> Tried<bool> {
    if !is_name(tenant) || !is_id(id) {
        return Ok(false);
    }
    let delete = "with deleted as ( \
            delete from partials where tenant = $1 and id = $2 returning file) \
        insert into garbage (number) select file from deleted";
    Ok(lent.run(delete, &[&tenant, &id]).await? > 0 || is_repeat)
}
