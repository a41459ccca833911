//! Records of runs.

use std::time::Duration;

use serde_json::{Map, Value};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::super::checks::{
    KEY_LIFE, MAX_LISTED, WARM, ends_work, is_for_workers, is_name, milliseconds,
};
use super::super::leases::shifted;
use super::super::{IdempotencyKey, ListRuns, Record, RunKey, StoreError, Submitted};
use super::files;
use super::pool::{Failure, Lent, Pool, Tried, number, unsigned};
use super::schema::{FORM, check_form};
use mitt_base::Error;

/// Columns of a record, as [`Clock::record`] reads them.
macro_rules! columns {
    () => {
        "tenant, id, version, created_ms, status, owner, lease_until_ms, form, body, now_ms(), fence"
    };
}

pub(super) use columns;

/// Reads records with leases that are shifted to the clock of this process.
pub(super) struct Clock<'a> {
    pub(super) pool: &'a Pool,
    /// Time of this process in milliseconds after 1970.
    pub(super) now_ms: u64,
}

impl Clock<'_> {
    /// Returns the record of a row of [`columns`].
    pub(super) fn record(&self, row: &Row) -> Tried<Record> {
        check_form(self.pool, row.get(7))?;
        let body: &str = row.get(8);
        let body: Map<String, Value> = serde_json::from_str(body).map_err(Error::bug)?;
        let mut record = Record {
            tenant: row.get(0),
            id: row.get(1),
            version: unsigned(row.get(2)),
            created_ms: unsigned(row.get(3)),
            status: row.get(4),
            owner: row.get(5),
            lease_until_ms: unsigned(row.get(6)),
            body,
        };
        if record.owner.is_some() {
            let left = unsigned(row.get(6)).saturating_sub(unsigned(row.get(9)));
            record.lease_until_ms = shifted(record.lease_until_ms, left, self.now_ms);
        }
        Ok(record)
    }
}

/// Stores a new run with its streams.
pub(super) async fn submit(
    lent: Lent<'_>,
    clock: &Clock<'_>,
    record: &Record,
    idempotency: Option<&IdempotencyKey>,
    is_repeat: bool,
) -> Tried<Submitted> {
    let mut lent = lent;
    let body = serde_json::to_string(&record.body).map_err(Error::bug)?;
    if is_repeat && is_stored(&mut lent, record, &body, 1).await? {
        return Ok(Submitted::New(Record { version: 1, ..record.clone() }));
    }
    lent.begin().await?;
    let next = lent.row("select nextval('numbers')", &[]).await?;
    let run: i64 = next.map(|row| row.get(0)).unwrap_or_default();
    if let Some(request) = idempotency {
        // Waits for another request with this key that is under way.
        let taken = "insert into requests as r (tenant, key, request, run, end_ms) \
            values ($1, $2, $3, $4, now_ms() + $5) on conflict (tenant, key) do update \
            set request = excluded.request, run = excluded.run, end_ms = excluded.end_ms \
            where r.end_ms <= now_ms()";
        let life = number(milliseconds(KEY_LIFE));
        let values: &[&(dyn ToSql + Sync)] =
            &[&record.tenant, &request.key, &request.request, &run, &life];
        if lent.run(taken, values).await? == 0 {
            return match submitted(&mut lent, clock, &record.tenant, request).await {
                Ok(Some(known)) => {
                    lent.keep().await?;
                    Ok(Submitted::Known(known))
                }
                // It was deleted, or its time ended, just now.
                Ok(None) => lent.undo(StoreError::Conflict(0)).await,
                Err(Failure::Store(error)) => lent.undo(error).await,
                Err(error) => Err(error),
            };
        }
    }
    let fence = i64::from(record.owner.is_some());
    let added = lent
        .run(
            "insert into runs (number, tenant, id, version, created_ms, status, owner, lease_until_ms, \
             fence, form, body) values ($1, $2, $3, 1, $4, $5, $6, $7, $8, $9, $10) \
             on conflict (tenant, id) do nothing",
            &[
                &run,
                &record.tenant,
                &record.id,
                &number(record.created_ms),
                &record.status,
                &record.owner,
                &number(record.lease_until_ms),
                &fence,
                &FORM,
                &body,
            ],
        )
        .await?;
    if added == 0 {
        let known = get_row(&mut lent, &record.key()).await?;
        let version = known.map_or(0, |row| unsigned(row.get(2)));
        return lent.undo(StoreError::Conflict(version)).await;
    }
    let streams = "insert into streams (run, stream, last, bytes, fence) \
        values ($1, 0, 0, 0, $2), ($1, 1, 0, 0, $2), ($1, 2, 0, 0, 0)";
    lent.run(streams, &[&run, &fence]).await?;
    put_work(&mut lent, run, record).await?;
    lent.keep().await?;
    Ok(Submitted::New(Record { version: 1, ..record.clone() }))
}

/// Returns `true` if the stored run is this one with this version: an earlier try wrote it.
async fn is_stored(lent: &mut Lent<'_>, record: &Record, body: &str, version: u64) -> Tried<bool> {
    let Some(row) = get_row(lent, &record.key()).await? else { return Ok(false) };
    let (stored, status): (&str, &str) = (row.get(8), row.get(4));
    Ok(unsigned(row.get(2)) == version && stored == body && status == record.status)
}

/// Enters a run into the runs that workers may take, or takes it out.
async fn put_work(lent: &mut Lent<'_>, run: i64, record: &Record) -> Tried<()> {
    if !is_for_workers(record) {
        lent.run("delete from work where run = $1", &[&run]).await?;
        return Ok(());
    }
    let put = "insert into work (run, tenant, created_ms, id, due_ms, queued_ms, form, warm) \
        values ($1, $2, $3, $4, $5, now_ms(), $6, \
            (select warm from runs where number = $1 and warm_until_ms > now_ms())) \
        on conflict (run) do update \
        set due_ms = excluded.due_ms, form = excluded.form, claim = null, warm = excluded.warm, \
            queued_ms = case work.due_ms when 0 then work.queued_ms else excluded.queued_ms end";
    let (created, due) = (number(record.created_ms), number(record.lease_until_ms));
    lent.run(put, &[&run, &record.tenant, &created, &record.id, &due, &FORM]).await?;
    Ok(())
}

async fn get_row(lent: &mut Lent<'_>, run: &RunKey) -> Tried<Option<Row>> {
    if !is_name(&run.tenant) || !is_name(&run.id) {
        return Ok(None);
    }
    let get = concat!("select ", columns!(), " from runs where tenant = $1 and id = $2");
    lent.row(get, &[&run.tenant, &run.id]).await
}

/// Returns a run.
pub(super) async fn get(lent: &mut Lent<'_>, clock: &Clock<'_>, run: &RunKey) -> Tried<Record> {
    let row = get_row(lent, run).await?.ok_or(StoreError::Missing)?;
    clock.record(&row)
}

/// Returns the run that a request with this key stored.
pub(super) async fn submitted(
    lent: &mut Lent<'_>,
    clock: &Clock<'_>,
    tenant: &str,
    request: &IdempotencyKey,
) -> Tried<Option<Record>> {
    if !is_name(tenant) {
        return Ok(None);
    }
    let find = "select q.request, r.tenant, r.id from requests q join runs r on r.number = q.run \
        where q.tenant = $1 and q.key = $2 and q.end_ms > now_ms()";
    let Some(row) = lent.row(find, &[&tenant, &request.key]).await? else { return Ok(None) };
    if row.get::<_, &str>(0) != request.request {
        return Err(StoreError::KeyReused.into());
    }
    get(lent, clock, &RunKey { tenant: row.get(1), id: row.get(2) }).await.map(Some)
}

/// Returns runs of a tenant, newest first.
pub(super) async fn list(
    lent: &mut Lent<'_>,
    clock: &Clock<'_>,
    tenant: &str,
    list: &ListRuns,
) -> Tried<Vec<Record>> {
    if !is_name(tenant) || !list.status.as_deref().is_none_or(is_name) {
        return Ok(Vec::new());
    }
    let (created, id) = match &list.before {
        None => (i64::MAX, String::new()),
        Some(id) => {
            let before = RunKey { tenant: tenant.to_owned(), id: id.clone() };
            let row = get_row(lent, &before).await?.ok_or(StoreError::Missing)?;
            (row.get(3), row.get(1))
        }
    };
    let limit = number(list.limit.min(MAX_LISTED) as u64);
    let rows = match &list.status {
        None => {
            let all = concat!(
                "select ",
                columns!(),
                " from runs where tenant = $1 and (created_ms, id) < ($2, $3) \
                 order by created_ms desc, id desc limit $4"
            );
            lent.rows(all, &[&tenant, &created, &id, &limit]).await?
        }
        Some(status) => {
            let of_status = concat!(
                "select ",
                columns!(),
                " from runs where tenant = $1 and status = $5 and (created_ms, id) < ($2, $3) \
                 order by created_ms desc, id desc limit $4"
            );
            lent.rows(of_status, &[&tenant, &created, &id, &limit, status]).await?
        }
    };
    rows.iter().map(|row| clock.record(row)).collect()
}

/// Returns the number of runs of a tenant, at most `most`.
pub(super) async fn count(
    lent: &mut Lent<'_>,
    tenant: &str,
    status: Option<&str>,
    most: u64,
) -> Tried<u64> {
    if most == 0 || !is_name(tenant) || !status.is_none_or(is_name) {
        return Ok(0);
    }
    let most = number(most);
    let row = match status {
        None => {
            let all = "select count(*) from (select from runs where tenant = $1 limit $2) as found";
            lent.row(all, &[&tenant, &most]).await?
        }
        Some(status) => {
            let of_status = "select count(*) from \
                (select from runs where tenant = $1 and status = $3 limit $2) as found";
            lent.row(of_status, &[&tenant, &most, &status]).await?
        }
    };
    Ok(row.map_or(0, |row| unsigned(row.get(0))))
}

/// A changed record, and the number of its owner if it has one.
pub(super) struct Updated {
    pub(super) record: Record,
    pub(super) fence: Option<i64>,
}

/// Writes a changed record.
pub(super) async fn update(
    lent: Lent<'_>,
    record: &Record,
    lease: Option<Duration>,
    is_repeat: bool,
) -> Tried<Updated> {
    let mut lent = lent;
    let key = record.key();
    let body = serde_json::to_string(&record.body).map_err(Error::bug)?;
    let owner = record.owner.as_ref().filter(|_| lease.is_some());
    if is_repeat && is_stored(&mut lent, record, &body, record.version + 1).await? {
        let row = get_row(&mut lent, &key).await?.ok_or(StoreError::Missing)?;
        if row.get::<_, Option<&str>>(5) == owner.map(String::as_str) {
            return Ok(of_row(record, &row));
        }
    }
    if !is_name(&key.tenant) {
        return Err(StoreError::Missing.into());
    }
    lent.begin().await?;
    // In the order in which a claim locks them.
    let work = "select w.run from runs r join work w on w.run = r.number \
        where r.tenant = $1 and r.id = $2 for update of w";
    lent.rows(work, &[&key.tenant, &key.id]).await?;
    let old = "select number, version, owner from runs where tenant = $1 and id = $2 for update";
    let Some(old) = lent.row(old, &[&key.tenant, &key.id]).await? else {
        return lent.undo(StoreError::Missing).await;
    };
    let (run, version, old_owner): (i64, i64, Option<String>) =
        (old.get(0), old.get(1), old.get(2));
    if unsigned(version) != record.version {
        return lent.undo(StoreError::Conflict(unsigned(version))).await;
    }
    let is_new_owner = owner != old_owner.as_ref();
    let lease_ms = lease.map(|lease| number(milliseconds(lease)));
    let changed = concat!(
        "update runs set version = version + 1, status = $2, owner = $3, \
         lease_until_ms = coalesce(now_ms() + $4, 0), fence = fence + $5, form = $6, body = $7, \
         warm = case when $8 then owner else warm end, \
         warm_until_ms = case when $8 then now_ms() + $9 else warm_until_ms end \
         where number = $1 returning ",
        columns!()
    );
    let step = i64::from(is_new_owner && owner.is_some());
    let has_ended = old_owner.is_some() && ends_work(&record.status, lease);
    let warm_ms = number(milliseconds(WARM));
    let values: &[&(dyn ToSql + Sync)] =
        &[&run, &record.status, &owner, &lease_ms, &step, &FORM, &body, &has_ended, &warm_ms];
    let row = lent.row(changed, values).await?.ok_or(StoreError::Missing)?;
    let updated = of_row(record, &row);
    if let Some(fence) = updated.fence.filter(|_| is_new_owner) {
        set_fence(&mut lent, run, fence).await?;
    }
    put_work(&mut lent, run, &updated.record).await?;
    lent.keep().await?;
    Ok(updated)
}

/// Returns what a row of [`columns`] says of a record that was written.
fn of_row(record: &Record, row: &Row) -> Updated {
    let owner: Option<String> = row.get(5);
    let fence = owner.is_some().then(|| row.get(10));
    let (version, lease_until_ms) = (unsigned(row.get(2)), unsigned(row.get(6)));
    Updated { record: Record { version, owner, lease_until_ms, ..record.clone() }, fence }
}

/// Lets only owner `fence` append to the log and the events, also after it has given the run back.
pub(super) async fn set_fence(lent: &mut Lent<'_>, run: i64, fence: i64) -> Tried<()> {
    let set = "update streams set fence = $2 where run = $1 and stream in (0, 1)";
    lent.run(set, &[&run, &fence]).await?;
    Ok(())
}

/// Deletes a run with its key and its files. Its lines go with a later sweep.
pub(super) async fn delete(lent: Lent<'_>, run: &RunKey, is_repeat: bool) -> Tried<()> {
    let mut lent = lent;
    if !is_name(&run.tenant) || !is_name(&run.id) {
        return Err(StoreError::Missing.into());
    }
    lent.begin().await?;
    let work = "select w.run from runs r join work w on w.run = r.number \
        where r.tenant = $1 and r.id = $2 for update of w";
    lent.rows(work, &[&run.tenant, &run.id]).await?;
    let deleted = "delete from runs where tenant = $1 and id = $2 returning number";
    let Some(row) = lent.row(deleted, &[&run.tenant, &run.id]).await? else {
        return if is_repeat {
            // The earlier try deleted the run.
            lent.keep().await
        } else {
            lent.undo(StoreError::Missing).await
        };
    };
    let of_run: i64 = row.get(0);
    lent.run("delete from requests where run = $1", &[&of_run]).await?;
    lent.run("insert into garbage (number) values ($1)", &[&of_run]).await?;
    files::release(&mut lent, &run.tenant, &format!("run:{}", run.id)).await?;
    lent.keep().await
}
