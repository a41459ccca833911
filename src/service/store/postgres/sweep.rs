//! Deletes what has ended, in batches, and hands documents over whose life has ended.

use bytes::Bytes;

use super::super::{Document, StoreResult};
use super::pool::{Lent, Pool, Tried, tried, unsigned};

/// Lets one process at a time delete garbage. Any number that others do not use.
const LOCK: i64 = 0x6d69_7474_7377_6570;

/// Most rows that one statement deletes.
const BATCH: i64 = 1000;

/// Statements of each kind in one sweep. The rest goes with the next one.
const MOST_BATCHES: usize = 50;

/// Most documents that one sweep takes, and most bytes of them.
const MOST_DOCUMENTS: i64 = 1000;
const MOST_BYTES: i64 = 16 << 20;

/// Time after which a process that has not handed its documents over is taken for dead.
const HELD_MS: i64 = 10 * 60 * 1000;

/// What one process does at a time. Each is repeated until it has nothing to do.
const BATCHES: &[&str] = &[
    // Lines and pieces have numbers of the same sequence.
    "delete from lines where ctid = any(array( \
        select l.ctid from garbage g join lines l on l.run = g.number limit $1))",
    "delete from pieces where ctid = any(array( \
        select p.ctid from garbage g join pieces p on p.file = g.number limit $1))",
    "delete from garbage where number in (select number from garbage g \
        where not exists (select from lines where run = g.number) \
        and not exists (select from pieces where file = g.number) \
        and not exists (select from objects where file = g.number) limit $1)",
    "delete from requests where (tenant, key) in ( \
        select tenant, key from requests where end_ms <= now_ms() limit $1)",
    "with gone as (delete from arriving where file in ( \
            select file from arriving where touched_ms <= now_ms() - 3600000 limit $1) returning file) \
        insert into garbage (number) select file from gone on conflict do nothing",
    "with gone as (delete from partials where (tenant, id) in ( \
            select tenant, id from partials where touched_ms <= now_ms() - 604800000 limit $1) \
            and touched_ms <= now_ms() - 604800000 returning file) \
        insert into garbage (number) select file from gone on conflict do nothing",
    "delete from tenants where tenant in ( \
        select tenant from tenants where served_ms <= now_ms() - 86400000 limit $1)",
];

/// Deletes what has ended.
pub(super) async fn garbage(pool: &Pool) -> StoreResult<()> {
    // From the end: what becomes garbage waits for the next sweep, so that those who read it come to their end.
    for sql in BATCHES {
        for _ in 0..MOST_BATCHES {
            let deleted = tried!(pool, _is_repeat => batch(pool, sql))?;
            if deleted < BATCH.unsigned_abs() {
                break;
            }
        }
    }
    Ok(())
}

async fn batch(pool: &Pool, sql: &'static str) -> Tried<u64> {
    let mut lent = pool.lend().await?;
    lent.begin().await?;
    let free = lent.row("select pg_try_advisory_xact_lock($1)", &[&LOCK]).await?;
    let deleted =
        if free.is_some_and(|row| row.get(0)) { lent.run(sql, &[&BATCH]).await? } else { 0 };
    lent.keep().await?;
    Ok(deleted)
}

/// Takes documents away whose life has ended, and returns them, with those of a process that ended without handing them
/// over. What `holder` got from the sweep before was handed over.
pub(super) async fn documents(
    lent: Lent<'_>,
    holder: &str,
    is_repeat: bool,
) -> Tried<Vec<(String, String, Document)>> {
    let mut lent = lent;
    lent.begin().await?;
    // The result of an earlier try was lost: nothing of it was handed over.
    if !is_repeat {
        lent.run("delete from ended where holder = $1", &[&holder]).await?;
    }
    let taken = "with due as ( \
            select place, key, sum(octet_length(value)) over w - octet_length(value) as bytes \
            from documents where end_ms <= now_ms() window w as (order by end_ms, place, key) \
            order by end_ms, place, key limit $2), \
        gone as ( \
            delete from documents d using due where d.place = due.place and d.key = due.key \
                and d.end_ms <= now_ms() and due.bytes <= $3 \
            returning d.place, d.key, d.tenant, d.of_table, d.value, d.version) \
        insert into ended (place, key, tenant, of_table, value, version, holder, held_ms) \
        select place, key, tenant, of_table, value, version, $1, now_ms() from gone \
        on conflict (place, key) do update set value = excluded.value, \
            version = excluded.version, holder = excluded.holder, held_ms = excluded.held_ms";
    lent.run(taken, &[&holder, &MOST_DOCUMENTS, &MOST_BYTES]).await?;
    let orphans = "update ended set holder = $1, held_ms = now_ms() \
        where holder <> $1 and held_ms <= now_ms() - $2";
    lent.run(orphans, &[&holder, &HELD_MS]).await?;
    // Under a key that was used again, the files belong to the new document.
    let used_again = "delete from ended e using documents d \
        where e.holder = $1 and d.place = e.place and d.key = e.key";
    lent.run(used_again, &[&holder]).await?;
    let ended = "select tenant, of_table, key, value, version from ended where holder = $1";
    let rows = lent.rows(ended, &[&holder]).await?;
    lent.keep().await?;
    let of_row = |row: &tokio_postgres::Row| {
        let value = Bytes::copy_from_slice(row.get(3));
        let document = Document { key: row.get(2), value, version: unsigned(row.get(4)) };
        (row.get(0), row.get(1), document)
    };
    Ok(rows.iter().map(of_row).collect())
}
