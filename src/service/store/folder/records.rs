//! Records of runs in the index: by identifier, by time, by status, and those that wait for a worker.

use std::ops::Bound;
use std::time::Duration;

pub(super) use super::super::checks::check_record as check;
pub(super) use super::super::checks::is_for_workers;
use super::super::checks::{KEY_LIFE, MAX_LISTED, RUNNING, milliseconds};
use super::super::{IdempotencyKey, ListRuns, Record, RunKey, StoreError, StoreResult, Submitted};
use super::index::{Batch, Read};
use super::keys::{Key, Parts, Table, damaged, is_name};
use super::owners;
use super::places::Effect;
use super::{totals, turns};
use mitt_base::Error;

/// Most idempotency keys that one sweep removes. The rest goes with the next one.
const MAX_SWEPT_KEYS: usize = 10_000;

/// Returns a record.
pub(super) fn get(rows: &(impl Read + ?Sized), run: &RunKey) -> StoreResult<Record> {
    if !is_name(&run.tenant) || !is_name(&run.id) {
        return Err(StoreError::Missing);
    }
    let value = rows.get(&of_run(Table::Records, &run.tenant, &run.id))?;
    serde_json::from_slice(&value.ok_or(StoreError::Missing)?).map_err(|_| damaged())
}

/// Returns `true` if there is a run.
pub(super) fn exists(rows: &dyn Read, run: &RunKey) -> StoreResult<bool> {
    let may_be = is_name(&run.tenant) && is_name(&run.id);
    Ok(may_be && rows.has(&of_run(Table::Records, &run.tenant, &run.id))?)
}

/// Returns the run that a request with this key stored; `None` if there is none, or its time is over.
pub(super) fn submitted(
    rows: &(impl Read + ?Sized),
    tenant: &str,
    idempotency: &IdempotencyKey,
    now_ms: u64,
) -> StoreResult<Option<Record>> {
    let Some(value) = rows.get(&request_key(tenant, idempotency))? else { return Ok(None) };
    let mut parts = Parts::of_value(&value);
    let (end, id, request) = (parts.number()?, parts.text()?, parts.rest());
    if end <= now_ms {
        return Ok(None);
    }
    if request != idempotency.request.as_bytes() {
        return Err(StoreError::KeyReused);
    }
    get(rows, &RunKey { tenant: tenant.to_owned(), id: id.to_owned() }).map(Some)
}

/// Stores a new record.
pub(super) fn submit(
    batch: &mut Batch<'_>,
    mut record: Record,
    idempotency: Option<&IdempotencyKey>,
    now_ms: u64,
) -> StoreResult<Submitted> {
    if let Some(idempotency) = idempotency
        && let Some(known) = submitted(batch.rows(), &record.tenant, idempotency, now_ms)?
    {
        return Ok(Submitted::Known(known));
    }
    match get(batch.rows(), &record.key()) {
        Err(StoreError::Missing) => {}
        Ok(found) => return Err(StoreError::Conflict(found.version)),
        Err(error) => return Err(error),
    }
    record.version = 1;
    if let Some(idempotency) = idempotency {
        // The key of an earlier run that has expired goes to this one.
        remove_request(batch, &record.tenant, &idempotency.key)?;
        let end = now_ms.saturating_add(milliseconds(KEY_LIFE));
        let mut value = end.to_be_bytes().to_vec();
        value.extend_from_slice(record.id.as_bytes());
        value.push(0);
        value.extend_from_slice(idempotency.request.as_bytes());
        batch.put(&request_key(&record.tenant, idempotency), &value)?;
        let ends = Key::of(Table::RequestEnds).number(end);
        batch.put(&ends.text(&record.tenant).text(&idempotency.key), &[])?;
        let key = of_run(Table::RunRequests, &record.tenant, &record.id);
        batch.put(&key, idempotency.key.as_bytes())?;
    }
    put(batch, None, &record)?;
    Ok(Submitted::New(record))
}

/// Returns records of a tenant, newest first.
pub(super) fn list(rows: &dyn Read, tenant: &str, list: &ListRuns) -> StoreResult<Vec<Record>> {
    if !is_name(tenant) || !list.status.as_deref().is_none_or(is_name) {
        return Ok(Vec::new());
    }
    let start = match &list.status {
        None => Key::of(Table::Created).text(tenant),
        Some(status) => Key::of(Table::Status).text(tenant).text(status),
    };
    let end = match &list.before {
        None => start.end(),
        Some(id) => {
            let before = get(rows, &RunKey { tenant: tenant.to_owned(), id: id.clone() })?;
            start.clone().number(before.created_ms).text(&before.id)
        }
    };
    let (mut ids, most) = (Vec::new(), list.limit.min(MAX_LISTED));
    let range = (Bound::Included(start.bytes()), Bound::Excluded(end.bytes()));
    rows.walk(range, true, &mut |key, _| {
        if ids.len() < most {
            let mut parts = Parts::of_key(key.get(start.bytes().len() - 1..).unwrap_or_default());
            parts.number()?;
            ids.push(parts.text()?.to_owned());
        }
        Ok(ids.len() < most)
    })?;
    ids.into_iter().map(|id| get(rows, &RunKey { tenant: tenant.to_owned(), id })).collect()
}

/// Returns the number of runs of a tenant, at most `most`.
pub(super) fn count(
    rows: &dyn Read,
    tenant: &str,
    status: Option<&str>,
    most: u64,
) -> StoreResult<u64> {
    if most == 0 || !is_name(tenant) || !status.is_none_or(is_name) {
        return Ok(0);
    }
    let start = match status {
        None => Key::of(Table::Created).text(tenant),
        Some(status) => Key::of(Table::Status).text(tenant).text(status),
    };
    let mut count = 0;
    rows.walk_in(&start, &mut |_, _| {
        count += 1;
        Ok(count < most)
    })?;
    Ok(count)
}

/// Returns `true` if a run may be claimed now; otherwise the end of the lease that ends first, if there is one.
pub(super) fn next_work(rows: &dyn Read, now_ms: u64) -> StoreResult<Result<(), Option<u64>>> {
    if turns::is_waiting(rows)? {
        return Ok(Ok(()));
    }
    let Some((key, _)) = rows.first(&Key::of(Table::Leases))? else { return Ok(Err(None)) };
    let end = Parts::of_key(&key).number()?;
    Ok(if end <= now_ms { Ok(()) } else { Err(Some(end)) })
}

/// Takes a run: see [`turns`].
pub(super) fn claim(
    batch: &mut Batch<'_>,
    worker: String,
    lease: Duration,
    now_ms: u64,
) -> StoreResult<Option<Record>> {
    let run = match oldest_ended(batch.rows(), now_ms)? {
        Some(run) => Some(run),
        None => turns::next(batch.rows())?,
    };
    let Some(run) = run else { return Ok(None) };
    let old = get(batch.rows(), &run)?;
    let new = Record {
        version: old.version + 1,
        status: RUNNING.to_owned(),
        owner: Some(worker),
        lease_until_ms: now_ms.saturating_add(milliseconds(lease)),
        ..old.clone()
    };
    put(batch, Some(&old), &new)?;
    turns::changed(batch, &run.tenant, 0, Some(now_ms))?;
    Ok(Some(new))
}

/// Returns the oldest run whose lease has ended.
fn oldest_ended(rows: &dyn Read, now_ms: u64) -> StoreResult<Option<RunKey>> {
    let mut oldest: Option<(u64, RunKey)> = None;
    rows.walk_in(&Key::of(Table::Leases), &mut |key, created| {
        let mut parts = Parts::of_key(key);
        if parts.number()? > now_ms {
            return Ok(false);
        }
        let (tenant, id) = (parts.text()?.to_owned(), parts.text()?.to_owned());
        let created_ms = Parts::of_value(created).number()?;
        let is_older = |(other_ms, other): &(u64, RunKey)| {
            (created_ms, &id, &tenant) < (*other_ms, &other.id, &other.tenant)
        };
        if oldest.as_ref().is_none_or(is_older) {
            oldest = Some((created_ms, RunKey { tenant, id }));
        }
        Ok(true)
    })?;
    Ok(oldest.map(|(_, run)| run))
}

/// Writes a changed record.
pub(super) fn update(
    batch: &mut Batch<'_>,
    record: Record,
    lease: Option<Duration>,
    now_ms: u64,
) -> StoreResult<Record> {
    let old = get(batch.rows(), &record.key())?;
    if old.version != record.version {
        return Err(StoreError::Conflict(old.version));
    }
    let mut new = Record { version: old.version + 1, ..record };
    match lease {
        Some(lease) => new.lease_until_ms = now_ms.saturating_add(milliseconds(lease)),
        None => (new.owner, new.lease_until_ms) = (None, 0),
    }
    put(batch, Some(&old), &new)?;
    Ok(new)
}

/// Deletes a record, all that belongs to it in the index, and the files of the run.
pub(super) fn delete(batch: &mut Batch<'_>, run: &RunKey) -> StoreResult<()> {
    let old = get(batch.rows(), run)?;
    let key = of_run(Table::RunRequests, &run.tenant, &run.id);
    if let Some(request) = batch.rows().get(&key)? {
        let request = String::from_utf8(request).map_err(|_| damaged())?;
        remove_request(batch, &run.tenant, &request)?;
    }
    let at_work = remove_places(batch, &old)?;
    turns::changed(batch, &run.tenant, -at_work, None)?;
    totals::run_changed(batch, Some(&old.status), None)?;
    batch.remove(&of_run(Table::Records, &run.tenant, &run.id))?;
    owners::release(batch, &run.tenant, &format!("run:{}", run.id))?;
    batch.effect(Effect::RemoveRun { tenant: run.tenant.clone(), id: run.id.clone() })
}

/// Removes idempotency keys that have expired.
pub(super) fn sweep(batch: &mut Batch<'_>, now_ms: u64) -> StoreResult<()> {
    for _ in 0..MAX_SWEPT_KEYS {
        let Some((key, _)) = batch.rows().first(&Key::of(Table::RequestEnds))? else { break };
        let mut parts = Parts::of_key(&key);
        if parts.number()? > now_ms {
            break;
        }
        remove_request(batch, parts.text()?, parts.text()?)?;
    }
    Ok(())
}

fn of_run(table: Table, tenant: &str, id: &str) -> Key {
    Key::of(table).text(tenant).text(id)
}

fn request_key(tenant: &str, idempotency: &IdempotencyKey) -> Key {
    Key::of(Table::Requests).text(tenant).text(&idempotency.key)
}

/// Forgets an idempotency key.
fn remove_request(batch: &mut Batch<'_>, tenant: &str, request: &str) -> StoreResult<()> {
    let key = Key::of(Table::Requests).text(tenant).text(request);
    if let Some(value) = batch.rows().get(&key)? {
        let mut parts = Parts::of_value(&value);
        let (end, id) = (parts.number()?, parts.text()?);
        batch.remove(&Key::of(Table::RequestEnds).number(end).text(tenant).text(request))?;
        batch.remove(&of_run(Table::RunRequests, tenant, id))?;
        batch.remove(&key)?;
    }
    Ok(())
}

fn put(batch: &mut Batch<'_>, old: Option<&Record>, new: &Record) -> StoreResult<()> {
    let at_work_before = old.map_or(Ok(0), |old| remove_places(batch, old))?;
    totals::run_changed(batch, old.map(|old| old.status.as_str()), Some(&new.status))?;
    let Record { tenant, id, created_ms, .. } = new;
    batch.put(&Key::of(Table::Created).text(tenant).number(*created_ms).text(id), &[])?;
    batch.put(&status_key(new), &[])?;
    let mut at_work = 0;
    if is_for_workers(new) && new.lease_until_ms > 0 {
        batch.put(&lease_key(new), &created_ms.to_be_bytes())?;
        at_work = 1;
    } else if is_for_workers(new) {
        batch.put(&turns::waiting_key(tenant, *created_ms, id), &[])?;
    }
    turns::changed(batch, tenant, at_work - at_work_before, None)?;
    let value = serde_json::to_vec(new).map_err(Error::bug)?;
    batch.put(&of_run(Table::Records, tenant, id), &value)
}

/// Removes the rows by which a record is found. Returns 1 if the run had a lease, otherwise 0.
fn remove_places(batch: &mut Batch<'_>, old: &Record) -> StoreResult<i64> {
    let Record { tenant, id, created_ms, .. } = old;
    batch.remove(&Key::of(Table::Created).text(tenant).number(*created_ms).text(id))?;
    batch.remove(&status_key(old))?;
    // It has one of these two, or none. In indexes of format 1, a claim moved runs whose lease had ended.
    let had_lease = batch.rows().has(&lease_key(old))?;
    batch.remove(&lease_key(old))?;
    batch.remove(&turns::waiting_key(tenant, *created_ms, id))?;
    Ok(i64::from(had_lease))
}

fn status_key(record: &Record) -> Key {
    let Record { tenant, id, created_ms, status, .. } = record;
    Key::of(Table::Status).text(tenant).text(status).number(*created_ms).text(id)
}

fn lease_key(record: &Record) -> Key {
    let Record { tenant, id, lease_until_ms, .. } = record;
    Key::of(Table::Leases).number(*lease_until_ms).text(tenant).text(id)
}
