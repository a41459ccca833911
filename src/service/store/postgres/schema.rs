//! The tables, and how those of an earlier version become those of this one.
//!
//! A migration adds, and takes nothing away that the version before it reads or writes, so that old processes work on beside
//! new ones. If one must break this, its `oldest` is its own number, and old processes do not start any more.

use super::super::{StoreError, StoreResult};
use super::pool::{Failure, Pool, Tried, tried};
use mitt_base::{Error, ErrorKind};

/// A step from one version of the tables to the next one.
struct Migration {
    /// The oldest version whose programs can use the tables after it.
    oldest: i32,
    sql: &'static str,
}

/// All steps; the first one makes version 1.
const MIGRATIONS: &[Migration] = &[
    Migration { oldest: 1, sql: include_str!("schema_1.sql") },
    Migration { oldest: 1, sql: include_str!("schema_2.sql") },
    Migration { oldest: 1, sql: include_str!("schema_3.sql") },
];

/// Locks all processes out that migrate. Any number that others do not use.
const LOCK: i64 = 0x6d69_7474_7374_6f72;

/// Version of bodies of records that this program writes. It reads this one and all before it.
pub(super) const FORM: i32 = 1;

/// Makes the tables, or migrates them.
///
/// # Errors
///
/// [`ErrorKind::Host`] - the tables are those of a later version, or the database failed.
pub(super) async fn prepare(pool: &Pool) -> StoreResult<()> {
    tried!(pool, _is_repeat => migrate(pool))
}

async fn migrate(pool: &Pool) -> Tried<()> {
    let mut lent = pool.lend().await?;
    lent.begin().await?;
    // Others may migrate for a while.
    lent.batch("set local statement_timeout = 0; set local lock_timeout = 0").await?;
    lent.rows("select pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    let encoding = lent.row("select current_setting('server_encoding')", &[]).await?;
    let encoding: String = encoding.map(|row| row.get(0)).unwrap_or_default();
    if encoding != "UTF8" {
        let message = format!("expected a database with the encoding UTF8, got {encoding}");
        let error = Error::new(ErrorKind::Host, message).at(pool.address());
        return lent.undo(error.hint("create it with `encoding 'UTF8'`").into()).await;
    }
    // Before anything is made: a user without the right to make schemas may use one that is there.
    let schema = pool.schema();
    let is_there = "select 1 from pg_namespace where nspname = $1";
    if lent.row(is_there, &[&schema]).await?.is_none() {
        lent.batch(&format!("create schema {schema}")).await?;
    }
    let versions = "select 1 from pg_tables where schemaname = $1 and tablename = 'schema_version'";
    if lent.row(versions, &[&schema]).await?.is_none() {
        lent.batch(
            "create table schema_version (version integer primary key, oldest integer not null, \
             applied_at timestamptz not null default now(), program text not null)",
        )
        .await?;
    }
    let last = "select version, oldest from schema_version order by version desc limit 1";
    let last = lent.row(last, &[]).await?;
    let (version, oldest): (i32, i32) = last.map_or((0, 0), |row| (row.get(0), row.get(1)));
    let known = i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX);
    if version > known && oldest > known {
        return lent.undo(too_new(pool, version, known)).await;
    }
    for (number, migration) in (1..).zip(MIGRATIONS).filter(|(number, _)| *number > version) {
        lent.batch(migration.sql).await?;
        let done = "insert into schema_version (version, oldest, program) values ($1, $2, $3)";
        lent.run(done, &[&number, &migration.oldest, &env!("CARGO_PKG_VERSION")]).await?;
        tracing::info!(database = %pool.address(), version = number, "the tables were migrated");
    }
    lent.keep().await
}

#[cold]
fn too_new(pool: &Pool, version: i32, known: i32) -> StoreError {
    let message =
        format!("the tables have version {version}, and this program knows versions up to {known}");
    let error = Error::new(ErrorKind::Host, message).at(pool.address());
    error.hint("start the version of Mitt that the other processes have").into()
}

/// Refuses a body of a later version.
pub(super) fn check_form(pool: &Pool, form: i32) -> Tried<()> {
    if form <= FORM {
        return Ok(());
    }
    let message =
        format!("a run was written in form {form}, and this program reads forms up to {FORM}");
    let error = Error::new(ErrorKind::Host, message).at(pool.address());
    Err(Failure::from(error.hint("start the version of Mitt that the other processes have")))
}
