//! Numbers that are kept beside what they count: bytes of the files of a tenant, and runs of a status.
//!
//! They change with the rows that they count, in the same change of the index, so that nothing has to be counted for a request.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{StoreResult, StoreTotals};
use super::index::{Batch, Read};
use super::keys::{Key, Parts, Table};

/// What is counted: bytes of files, by tenant.
const BYTES: &str = "bytes";

/// What is counted: runs, by status.
const RUNS: &str = "runs";

/// Adds the bytes of a file that a tenant has from now on.
pub(super) fn file_appeared(
    batch: &mut Batch<'_>,
    (tenant, sha256): (&str, &str),
    size: u64,
) -> StoreResult<()> {
    batch.put(&size_key(tenant, sha256), &size.to_be_bytes())?;
    add(batch, &total_key(BYTES, tenant), signed(size))
}

/// Takes away the bytes of a file that a tenant does not have any more.
pub(super) fn file_went(batch: &mut Batch<'_>, (tenant, sha256): (&str, &str)) -> StoreResult<()> {
    let key = size_key(tenant, sha256);
    let size = number(batch.rows(), &key)?;
    batch.remove(&key)?;
    add(batch, &total_key(BYTES, tenant), -signed(size))
}

/// Notes that a run has this status in place of another one.
pub(super) fn run_changed(
    batch: &mut Batch<'_>,
    old: Option<&str>,
    new: Option<&str>,
) -> StoreResult<()> {
    if old == new {
        return Ok(());
    }
    if let Some(old) = old {
        add(batch, &total_key(RUNS, old), -1)?;
    }
    match new {
        Some(new) => add(batch, &total_key(RUNS, new), 1),
        None => Ok(()),
    }
}

/// Returns the bytes of the files of a tenant.
pub(super) fn bytes_of(rows: &dyn Read, tenant: &str) -> StoreResult<u64> {
    number(rows, &total_key(BYTES, tenant))
}

/// Returns the totals of all tenants.
pub(super) fn all(rows: &dyn Read) -> StoreResult<StoreTotals> {
    let mut totals = StoreTotals::default();
    rows.walk_in(&Key::of(Table::Totals).text(BYTES), &mut |_, value| {
        totals.bytes = totals.bytes.saturating_add(Parts::of_value(value).number()?);
        Ok(true)
    })?;
    rows.walk_in(&Key::of(Table::Totals).text(RUNS), &mut |key, value| {
        let mut parts = Parts::of_key(key);
        let (_, status) = (parts.text()?, parts.text()?);
        totals.runs.insert(status.to_owned(), Parts::of_value(value).number()?);
        Ok(true)
    })?;
    Ok(totals)
}

/// Returns the rows of all totals for an index of a version that had none; nothing if it has them. `size` returns the size of a
/// tenant's file.
pub(super) fn missing(
    rows: &dyn Read,
    size: impl Fn(&str, &str) -> u64,
) -> StoreResult<Vec<(Key, Vec<u8>)>> {
    let marker = marker();
    if rows.has(&marker)? {
        return Ok(Vec::new());
    }
    let mut files: BTreeSet<(String, String)> = BTreeSet::new();
    rows.walk_in(&Key::of(Table::Owners), &mut |key, _| {
        let mut parts = Parts::of_key(key);
        files.insert((parts.text()?.to_owned(), parts.text()?.to_owned()));
        Ok(true)
    })?;
    let (mut bytes, mut runs) = (BTreeMap::<String, u64>::new(), BTreeMap::<String, u64>::new());
    rows.walk_in(&Key::of(Table::Status), &mut |key, _| {
        let mut parts = Parts::of_key(key);
        let (_, status) = (parts.text()?, parts.text()?);
        *runs.entry(status.to_owned()).or_default() += 1;
        Ok(true)
    })?;
    let mut counted = vec![(marker, b"1".to_vec())];
    for (tenant, sha256) in files {
        let size = size(&tenant, &sha256);
        counted.push((size_key(&tenant, &sha256), size.to_be_bytes().to_vec()));
        *bytes.entry(tenant).or_default() += size;
    }
    for (what, totals) in [(BYTES, bytes), (RUNS, runs)] {
        let above_zero = totals.into_iter().filter(|(_, total)| *total > 0);
        counted.extend(
            above_zero.map(|(name, total)| (total_key(what, &name), total.to_be_bytes().to_vec())),
        );
    }
    Ok(counted)
}

/// Returns the key of the row that says that the index has totals.
pub(super) fn marker() -> Key {
    Key::of(Table::Meta).text("totals")
}

fn size_key(tenant: &str, sha256: &str) -> Key {
    Key::of(Table::Sizes).text(tenant).text(sha256)
}

fn total_key(what: &str, name: &str) -> Key {
    Key::of(Table::Totals).text(what).text(name)
}

fn add(batch: &mut Batch<'_>, key: &Key, more: i64) -> StoreResult<()> {
    let total = number(batch.rows(), key)?.saturating_add_signed(more);
    match total {
        0 => batch.remove(key),
        total => batch.put(key, &total.to_be_bytes()),
    }
}

/// Returns the number of a row; 0 if there is none.
fn number(rows: &(impl Read + ?Sized), key: &Key) -> StoreResult<u64> {
    match rows.get(key)? {
        Some(value) => Parts::of_value(&value).number(),
        None => Ok(0),
    }
}

fn signed(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
