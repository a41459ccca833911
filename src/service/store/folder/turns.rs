//! Which run a worker takes next.
//!
//! First those whose lease has ended: their work was begun. Then a run of the tenant that has the fewest runs at work, and of
//! those tenants the one that was served least recently; of a tenant, the oldest run. So a tenant with ten thousand waiting
//! runs delays another one by one run for each place.
//!
//! Each tenant that waits has one row, and the rows sort in this order: a claim reads the first one, however many runs and
//! tenants wait. They change with the runs, in the same change of the index.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{RunKey, StoreResult};
use super::index::{Batch, Read};
use super::keys::{Key, Parts, Table};

/// What is known of a tenant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Turn {
    /// Runs with a lease.
    at_work: u64,
    /// When a worker took a run of the tenant last, in milliseconds; 0 if it had none at work or waiting since.
    served_ms: u64,
    /// Time of creation and identifier of its oldest run that waits.
    oldest: Option<(u64, String)>,
}

impl Turn {
    /// Returns the key of the row that stands in the order of turns; `None` if no run waits.
    fn key(&self, tenant: &str) -> Option<Key> {
        let (created_ms, id) = self.oldest.as_ref()?;
        let key = Key::of(Table::Turns).number(self.at_work).number(self.served_ms);
        Some(key.number(*created_ms).text(id).text(tenant))
    }

    /// Returns the value of the tenant's own row; `None` if nothing is known of the tenant. A tenant without runs at work or
    /// waiting is forgotten, so that there are no rows for all tenants that ever were.
    fn value(&self) -> Option<Vec<u8>> {
        let mut value = [self.at_work.to_be_bytes(), self.served_ms.to_be_bytes()].concat();
        match &self.oldest {
            Some((created_ms, id)) => {
                value.extend_from_slice(&created_ms.to_be_bytes());
                value.extend_from_slice(id.as_bytes());
                value.push(0);
            }
            None if self.at_work == 0 => return None,
            None => {}
        }
        Some(value)
    }

    fn read(rows: &(impl Read + ?Sized), tenant: &str) -> StoreResult<Turn> {
        let Some(value) = rows.get(&tenant_key(tenant))? else { return Ok(Turn::default()) };
        let mut parts = Parts::of_value(&value);
        let (at_work, served_ms) = (parts.number()?, parts.number()?);
        let oldest = match parts.rest() {
            [] => None,
            _ => Some((parts.number()?, parts.text()?.to_owned())),
        };
        Ok(Turn { at_work, served_ms, oldest })
    }
}

/// Brings the turn of a tenant up to date after its runs changed. `at_work` is by how many more runs have a lease;
/// `served_ms` is the time at which a worker took one.
pub(super) fn changed(
    batch: &mut Batch<'_>,
    tenant: &str,
    at_work: i64,
    served_ms: Option<u64>,
) -> StoreResult<()> {
    let old = Turn::read(batch.rows(), tenant)?;
    let new = Turn {
        at_work: old.at_work.saturating_add_signed(at_work),
        served_ms: served_ms.unwrap_or(old.served_ms),
        oldest: oldest(batch.rows(), tenant)?,
    };
    if new == old {
        return Ok(());
    }
    let (before, after) = (old.key(tenant), new.key(tenant));
    if before != after {
        if let Some(key) = before {
            batch.remove(&key)?;
        }
        if let Some(key) = after {
            batch.put(&key, &[])?;
        }
    }
    match new.value() {
        Some(value) => batch.put(&tenant_key(tenant), &value),
        None => batch.remove(&tenant_key(tenant)),
    }
}

/// Returns `true` if a run waits for a worker.
pub(super) fn is_waiting(rows: &(impl Read + ?Sized)) -> StoreResult<bool> {
    Ok(rows.first(&Key::of(Table::Turns))?.is_some())
}

/// Returns the waiting run that a worker takes next.
pub(super) fn next(rows: &(impl Read + ?Sized)) -> StoreResult<Option<RunKey>> {
    let Some((key, _)) = rows.first(&Key::of(Table::Turns))? else { return Ok(None) };
    let mut parts = Parts::of_key(&key);
    for _ in 0..3 {
        parts.number()?;
    }
    let id = parts.text()?.to_owned();
    Ok(Some(RunKey { tenant: parts.text()?.to_owned(), id }))
}

/// Returns the key of the row by which a waiting run is found.
pub(super) fn waiting_key(tenant: &str, created_ms: u64, id: &str) -> Key {
    Key::of(Table::Waiting).text(tenant).number(created_ms).text(id)
}

/// Returns the rows of all turns for an index of a version in which runs waited in the order of their creation alone, and
/// takes away its rows.
pub(super) fn converted(rows: &dyn Read) -> StoreResult<Vec<(Key, Option<Vec<u8>>)>> {
    let mut made = Vec::new();
    let mut waiting: BTreeSet<(String, u64, String)> = BTreeSet::new();
    rows.walk_in(&Key::of(Table::WaitingByAge), &mut |key, _| {
        made.push((Key::of_bytes(key.to_vec()), None));
        let mut parts = Parts::of_key(key);
        let created_ms = parts.number()?;
        waiting.insert((parts.text()?.to_owned(), created_ms, parts.text()?.to_owned()));
        Ok(true)
    })?;
    let mut turns: BTreeMap<String, Turn> = BTreeMap::new();
    rows.walk_in(&Key::of(Table::Leases), &mut |key, _| {
        let mut parts = Parts::of_key(key);
        parts.number()?;
        turns.entry(parts.text()?.to_owned()).or_default().at_work += 1;
        Ok(true)
    })?;
    for (tenant, created_ms, id) in waiting {
        made.push((waiting_key(&tenant, created_ms, &id), Some(Vec::new())));
        // They come in the order of their age.
        turns.entry(tenant).or_default().oldest.get_or_insert((created_ms, id));
    }
    for (tenant, turn) in turns {
        made.extend(turn.key(&tenant).map(|key| (key, Some(Vec::new()))));
        made.extend(turn.value().map(|value| (tenant_key(&tenant), Some(value))));
    }
    Ok(made)
}

fn oldest(rows: &(impl Read + ?Sized), tenant: &str) -> StoreResult<Option<(u64, String)>> {
    let start = Key::of(Table::Waiting).text(tenant);
    let Some((key, _)) = rows.first(&start)? else { return Ok(None) };
    let mut parts = Parts::of_key(&key);
    parts.text()?;
    Ok(Some((parts.number()?, parts.text()?.to_owned())))
}

fn tenant_key(tenant: &str) -> Key {
    Key::of(Table::Tenants).text(tenant)
}
