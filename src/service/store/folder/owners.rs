//! Owners of stored files in the index.

use super::super::{StoreError, StoreResult};
use super::index::{Batch, Read};
use super::keys::{Key, Parts, Table, is_digest, is_name};
use super::places::Effect;
use super::totals;

/// Returns `true` if the tenant has such a file.
pub(super) fn has(rows: &(impl Read + ?Sized), tenant: &str, sha256: &str) -> StoreResult<bool> {
    if !is_name(tenant) || !is_digest(sha256) {
        return Ok(false);
    }
    Ok(rows.first(&Key::of(Table::Owners).text(tenant).text(sha256))?.is_some())
}

/// Gives a file of `size` bytes that has arrived an owner. A file of the same content stays as it is.
pub(super) fn place(
    batch: &mut Batch<'_>,
    (tenant, sha256, owner): (&str, &str, &str),
    size: u64,
    arrived: impl FnOnce() -> StoreResult<String>,
) -> StoreResult<()> {
    if !has(batch.rows(), tenant, sha256)? {
        totals::file_appeared(batch, (tenant, sha256), size)?;
        let (tenant, sha256) = (tenant.to_owned(), sha256.to_owned());
        batch.effect(Effect::Place { tenant, sha256, arrived: arrived()? })?;
    }
    put(batch, (tenant, sha256, owner))
}

/// Gives a file one more owner.
pub(super) fn keep(
    batch: &mut Batch<'_>,
    (tenant, sha256, owner): (&str, &str, &str),
) -> StoreResult<()> {
    if !has(batch.rows(), tenant, sha256)? {
        return Err(StoreError::Missing);
    }
    put(batch, (tenant, sha256, owner))
}

/// Enters an owner of a file that is there, or will be when the change is kept.
pub(super) fn put(
    batch: &mut Batch<'_>,
    (tenant, sha256, owner): (&str, &str, &str),
) -> StoreResult<()> {
    batch.put(&Key::of(Table::Owners).text(tenant).text(sha256).text(owner), &[])?;
    batch.put(&Key::of(Table::Owned).text(tenant).text(owner).text(sha256), &[])
}

/// Ends the ownership of all files of an owner. Files that nobody owns then are removed.
pub(super) fn release(batch: &mut Batch<'_>, tenant: &str, owner: &str) -> StoreResult<()> {
    let owned = Key::of(Table::Owned).text(tenant).text(owner);
    while let Some((key, _)) = batch.rows().first(&owned)? {
        let mut parts = Parts::of_key(&key);
        let (_, _, sha256) = (parts.text()?, parts.text()?, parts.text()?);
        batch.remove(&owned.clone().text(sha256))?;
        batch.remove(&Key::of(Table::Owners).text(tenant).text(sha256).text(owner))?;
        if !has(batch.rows(), tenant, sha256)? {
            totals::file_went(batch, (tenant, sha256))?;
            let (tenant, sha256) = (tenant.to_owned(), sha256.to_owned());
            batch.effect(Effect::RemoveBlob { tenant, sha256 })?;
        }
    }
    Ok(())
}
