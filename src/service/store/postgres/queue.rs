//! Which run a worker takes next.
//!
//! First those whose lease has ended: their work was begun. Then a run of the tenant that has the fewest runs at work, and
//! of those tenants the one that was served least recently; of a tenant, the oldest run. So a tenant with ten thousand
//! waiting runs delays another one by one run for each place.
//!
//! A worker prefers the runs of a tenant whose last work it ended, because it may still have their sessions open. For half
//! a second it is the only one that may take them.

use std::time::Duration;

use tokio_postgres::Row;

use super::super::checks::{HEAD_START, RUNNING, milliseconds};
use super::super::{Record, StoreError};
use super::pool::{Lent, Tried, number, unsigned};
use super::records::{Clock, columns, set_fence};
use super::schema::FORM;

/// Most tenants whose oldest run is tried; others lock the run of each one at the same moment.
const MOST_TENANTS: i64 = 16;

/// Condition on a row `o` of `work` that waits: worker `$2` may take it, because no other one is preferred, or no longer. `$3` is
/// the head start in milliseconds.
macro_rules! may_take {
    () => {
        "(o.warm is null or o.warm = $2 or o.queued_ms <= (select now_ms()) - $3)"
    };
}

fn head_start_ms() -> i64 {
    number(milliseconds(HEAD_START))
}

/// Returns the time until `worker` may take a run: zero if one waits, `None` if none will.
pub(super) async fn next_work(lent: &mut Lent<'_>, worker: &str) -> Tried<Option<Duration>> {
    let next = concat!(
        "select case when exists (select from work o where due_ms = 0 and form <= $1 and ",
        may_take!(),
        // `greatest` leaves out what is null.
        ") then 0 else (select greatest(due_ms - now_ms(), 0) from (select least( \
            (select due_ms from work where due_ms > 0 and form <= $1 order by due_ms limit 1), \
            (select min(queued_ms) + $3 from work where due_ms = 0 and form <= $1))) as next (due_ms) \
            where due_ms is not null) end"
    );
    let row = lent.row(next, &[&FORM, &worker, &head_start_ms()]).await?;
    let left = row.and_then(|row| row.get::<_, Option<i64>>(0));
    Ok(left.map(|left| Duration::from_millis(unsigned(left))))
}

/// Returns the time that the run has waited which waits longest; zero if none waits.
pub(super) async fn longest_wait(lent: &mut Lent<'_>) -> Tried<Duration> {
    let begin = "select now_ms() - min(begin) from ( \
        (select queued_ms as begin from work where due_ms = 0 order by queued_ms limit 1) union all \
        (select due_ms from work where due_ms > 0 and due_ms <= (select now_ms()) \
            order by due_ms limit 1)) as waiting";
    let row = lent.row(begin, &[]).await?;
    let wait = row.and_then(|row| row.get::<_, Option<i64>>(0));
    Ok(Duration::from_millis(unsigned(wait.unwrap_or_default())))
}

/// A run that was taken, and the number of its owner.
pub(super) struct Claimed {
    pub(super) record: Record,
    pub(super) fence: i64,
}

/// Takes a run. `claim` names this request, so that a run that an earlier try took is found again.
pub(super) async fn claim(
    lent: Lent<'_>,
    clock: &Clock<'_>,
    (worker, claim): (&str, &str),
    lease: Duration,
    is_repeat: bool,
) -> Tried<Option<Claimed>> {
    let mut lent = lent;
    if is_repeat {
        let taken = concat!(
            "select ",
            columns!(),
            " from runs where number = (select run from work where claim = $1 limit 1)"
        );
        if let Some(row) = lent.row(taken, &[&claim]).await? {
            return claimed(clock, &row).map(Some);
        }
    }
    lent.begin().await?;
    let Some((run, tenant)) = locked(&mut lent, worker).await? else {
        lent.keep().await?;
        return Ok(None);
    };
    let take = concat!(
        "update runs set version = version + 1, status = $2, owner = $3, \
         lease_until_ms = now_ms() + $4, fence = fence + 1, warm = null where number = $1 returning ",
        columns!()
    );
    let lease_ms = number(milliseconds(lease));
    let row = lent.row(take, &[&run, &RUNNING, &worker, &lease_ms]).await?;
    let row = row.ok_or(StoreError::Missing)?;
    let (until, fence): (i64, i64) = (row.get(6), row.get(10));
    let leased = "update work set due_ms = $2, claim = $3, warm = null where run = $1";
    lent.run(leased, &[&run, &until, &claim]).await?;
    set_fence(&mut lent, run, fence).await?;
    let served = "insert into tenants (tenant, served_ms) values ($1, now_ms()) \
        on conflict (tenant) do update set served_ms = excluded.served_ms";
    lent.run(served, &[&tenant]).await?;
    let claimed = claimed(clock, &row)?;
    lent.keep().await?;
    Ok(Some(claimed))
}

fn claimed(clock: &Clock<'_>, row: &Row) -> Tried<Claimed> {
    Ok(Claimed { record: clock.record(row)?, fence: row.get(10) })
}

/// Locks the run that is next for `worker`, and returns it with its tenant.
async fn locked(lent: &mut Lent<'_>, worker: &str) -> Tried<Option<(i64, String)>> {
    let ended = "select run, tenant from work \
        where due_ms > 0 and due_ms <= (select now_ms()) and form <= $1 \
        order by created_ms, id limit 1 for update skip locked";
    if let Some(row) = lent.row(ended, &[&FORM]).await? {
        return Ok(Some((row.get(0), row.get(1))));
    }
    // The tenants that wait are found by one look into the index for each.
    let tenants = concat!(
        "with recursive waiting (tenant) as ( \
            (select tenant from work where due_ms = 0 order by tenant limit 1) \
            union all \
            select (select w.tenant from work w where w.due_ms = 0 and w.tenant > waiting.tenant \
                order by w.tenant limit 1) \
            from waiting where waiting.tenant is not null), \
        busy (tenant, runs) as ( \
            select tenant, count(*) from work where due_ms > 0 and due_ms > (select now_ms()) \
            group by tenant) \
        select w.tenant from waiting w \
        left join busy b on b.tenant = w.tenant \
        left join tenants t on t.tenant = w.tenant \
        cross join lateral (select created_ms, id from work o \
            where o.tenant = w.tenant and o.due_ms = 0 and o.form <= $1 and ",
        may_take!(),
        " order by created_ms, id limit 1) oldest \
        where w.tenant is not null \
        order by coalesce(b.runs, 0), coalesce(t.served_ms, 0), oldest.created_ms, oldest.id \
        limit $4"
    );
    let warm = "select run from work where tenant = $3 and warm = $2 and due_ms = 0 and form <= $1 \
        order by created_ms, id limit 1 for update skip locked";
    let oldest = concat!(
        "select run from work o where tenant = $4 and due_ms = 0 and form <= $1 and ",
        may_take!(),
        " order by created_ms, id limit 1 for update skip locked"
    );
    let head_start = head_start_ms();
    for row in lent.rows(tenants, &[&FORM, &worker, &head_start, &MOST_TENANTS]).await? {
        let tenant: String = row.get(0);
        let mut row = lent.row(warm, &[&FORM, &worker, &tenant]).await?;
        if row.is_none() {
            row = lent.row(oldest, &[&FORM, &worker, &head_start, &tenant]).await?;
        }
        if let Some(row) = row {
            return Ok(Some((row.get(0), tenant)));
        }
    }
    Ok(None)
}
