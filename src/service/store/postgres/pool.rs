//! Connections to the database: lent for one change each, with their prepared statements; and which failures pass.

use std::collections::HashMap;
use std::sync::Mutex;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::super::StoreError;
use super::super::tries::Tries;
use super::address::Address;
use mitt_base::{Error, ErrorKind, lock};

/// Most connections of a process, beside the one that listens.
const MAX_CONNECTIONS: usize = 8;

/// What each connection sets. A process that stands still within a change must not hold its locks, and a statement that
/// waits for a lock must end before the lease of its run does.
const SETTINGS: &str = "set statement_timeout = '30s'; set lock_timeout = '15s'; \
    set idle_in_transaction_session_timeout = '10s'; set default_transaction_isolation = 'read committed'";

/// Why something was not done.
#[derive(Debug)]
pub(super) enum Failure {
    /// The store says so.
    Store(StoreError),
    /// The database, or the way to it, failed.
    Database(tokio_postgres::Error),
}

impl Failure {
    /// Returns its text for the log.
    pub(super) fn text(&self) -> String {
        match self {
            Failure::Store(error) => format!("{error:?}"),
            Failure::Database(error) => text_of(error),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::Store(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Store(StoreError::Failed(error))
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Failure {
        Failure::Database(error)
    }
}

/// Result of one try.
pub(super) type Tried<T> = Result<T, Failure>;

/// Values of a statement.
pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Connections to a database.
#[derive(Debug)]
pub(super) struct Pool {
    address: Address,
    /// Schema of the tables. It needs no quotes.
    schema: String,
    idle: Mutex<Vec<Connected>>,
    places: Semaphore,
}

/// A connection with its prepared statements.
#[derive(Debug)]
struct Connected {
    client: Client,
    statements: HashMap<&'static str, Statement>,
}

impl Connected {
    async fn prepared(&mut self, sql: &'static str) -> Tried<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).await?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }
}

impl Pool {
    pub(super) fn new(address: Address, schema: &str) -> Pool {
        let schema = schema.to_owned();
        Pool { address, schema, idle: Mutex::default(), places: Semaphore::new(MAX_CONNECTIONS) }
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    pub(super) fn schema(&self) -> &str {
        &self.schema
    }

    /// Lends a connection.
    pub(super) async fn lend(&self) -> Tried<Lent<'_>> {
        let place = self.places.acquire().await.map_err(|_| Error::bug("the pool is closed"))?;
        let known = loop {
            let idle = lock(&self.idle).pop();
            match idle {
                Some(connected) if connected.client.is_closed() => {}
                idle => break idle,
            }
        };
        let connected = match known {
            Some(connected) => connected,
            None => self.connect().await?,
        };
        Ok(Lent {
            pool: self,
            connected: Some(connected),
            is_busy: false,
            in_change: false,
            _place: place,
        })
    }

    async fn connect(&self) -> Tried<Connected> {
        let (client, connection) = self.address.connect(&self.schema).await?;
        // Ends with the client. An error reaches those who wait for a result too.
        tokio::spawn(async move { drop(connection.await) });
        client.batch_execute(&format!("set search_path to {}; {SETTINGS}", self.schema)).await?;
        Ok(Connected { client, statements: HashMap::new() })
    }

    /// Returns the error of a store for one of the database.
    #[cold]
    pub(super) fn failed(&self, error: &tokio_postgres::Error) -> StoreError {
        let message = format!("the database at {} failed", self.address);
        let hint = match error.code() {
            Some(code) if is_of_access(code) => "check user, password and privileges",
            Some(_) => "see the log of the database",
            None => {
                "see that the database runs and can be reached; a certificate that is not the system's needs `sslrootcert`"
            }
        };
        let error = Error::new(ErrorKind::Host, message).caused_by(text_of(error)).hint(hint);
        StoreError::Failed(error.retryable(true))
    }
}

/// Returns the text of an error without details, which may quote stored values.
fn text_of(error: &tokio_postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        return error.message().to_owned();
    }
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let more = cause.to_string();
        if !text.ends_with(&more) {
            text = format!("{text}: {more}");
        }
        source = cause.source();
    }
    text
}

fn is_of_access(code: &SqlState) -> bool {
    code.code().starts_with("28") || *code == SqlState::INSUFFICIENT_PRIVILEGE
}

/// Returns `true` if the same change may succeed soon.
fn passes(error: &tokio_postgres::Error) -> bool {
    let Some(code) = error.code() else {
        // The connection was not made, or was lost. A wrong value would be a bug and passes never.
        return error.is_closed() || of_connection(error);
    };
    let class = code.code().get(..2).unwrap_or_default();
    let known = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        // A standby after a failover.
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    class == "08" || known.contains(code)
}

fn of_connection(error: &tokio_postgres::Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if let Some(error) = cause.downcast_ref::<std::io::Error>() {
            // A certificate that is refused is an invalid datum, and stays refused.
            return error.kind() != std::io::ErrorKind::InvalidData;
        }
        source = cause.source();
    }
    // Such as a connection that took too long.
    error.to_string().contains("connect")
}

/// Waits before another try of a change.
///
/// # Errors
///
/// The failure does not pass, or has not passed in time.
pub(super) async fn again(
    tries: &mut Tries,
    pool: &Pool,
    error: tokio_postgres::Error,
) -> Result<(), StoreError> {
    if !passes(&error) || !tries.may_go_on() {
        return Err(pool.failed(&error));
    }
    tracing::debug!(database = %pool.address, error = text_of(&error), "another try");
    tries.wait().await;
    Ok(())
}

/// Does work again while the database cannot be reached. `$is_repeat` says whether an earlier try may have done it.
macro_rules! tried {
    ($pool:expr, $is_repeat:ident => $work:expr) => {{
        let mut tries = $crate::store::tries::Tries::new();
        loop {
            let $is_repeat = tries.is_repeat();
            match $work.await {
                Ok(done) => break Ok(done),
                Err($crate::store::postgres::pool::Failure::Store(error)) => break Err(error),
                Err($crate::store::postgres::pool::Failure::Database(error)) => {
                    let again = $crate::store::postgres::pool::again(&mut tries, $pool, error);
                    if let Err(error) = again.await {
                        break Err(error);
                    }
                }
            }
        }
    }};
}

pub(super) use tried;

/// A connection that is lent. It goes back to the pool unless it was dropped in the middle of something.
pub(super) struct Lent<'a> {
    pool: &'a Pool,
    connected: Option<Connected>,
    /// A statement has not ended, or a change has neither been kept nor taken back.
    is_busy: bool,
    in_change: bool,
    _place: SemaphorePermit<'a>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // A connection that is dropped takes its change back.
        if !self.is_busy
            && let Some(connected) = self.connected.take().filter(|it| !it.client.is_closed())
        {
            lock(&self.pool.idle).push(connected);
        }
    }
}

impl Lent<'_> {
    fn connected(&mut self) -> Tried<&mut Connected> {
        self.is_busy = true;
        Ok(self.connected.as_mut().ok_or_else(|| Error::bug("the connection was given back"))?)
    }

    /// Begins a change of several statements.
    pub(super) async fn begin(&mut self) -> Tried<()> {
        self.connected()?.client.batch_execute("begin").await?;
        self.in_change = true;
        Ok(())
    }

    /// Keeps the change.
    pub(super) async fn keep(mut self) -> Tried<()> {
        self.connected()?.client.batch_execute("commit").await?;
        (self.in_change, self.is_busy) = (false, false);
        Ok(())
    }

    /// Takes the change back, and returns why.
    pub(super) async fn undo<T>(mut self, why: StoreError) -> Tried<T> {
        self.connected()?.client.batch_execute("rollback").await?;
        (self.in_change, self.is_busy) = (false, false);
        Err(Failure::Store(why))
    }

    /// Does a statement that has several parts and no values.
    pub(super) async fn batch(&mut self, sql: &str) -> Tried<()> {
        self.connected()?.client.batch_execute(sql).await?;
        self.is_busy = self.in_change;
        Ok(())
    }

    /// Returns the rows of a statement.
    pub(super) async fn rows(&mut self, sql: &'static str, values: Values<'_>) -> Tried<Vec<Row>> {
        let connected = self.connected()?;
        let statement = connected.prepared(sql).await?;
        let rows = connected.client.query(&statement, values).await?;
        self.is_busy = self.in_change;
        Ok(rows)
    }

    /// Returns the first row of a statement.
    pub(super) async fn row(
        &mut self,
        sql: &'static str,
        values: Values<'_>,
    ) -> Tried<Option<Row>> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// Does a statement, and returns the number of rows that it changed.
    pub(super) async fn run(&mut self, sql: &'static str, values: Values<'_>) -> Tried<u64> {
        let connected = self.connected()?;
        let statement = connected.prepared(sql).await?;
        let count = connected.client.execute(&statement, values).await?;
        self.is_busy = self.in_change;
        Ok(count)
    }
}

/// Returns a number as the database has it. Numbers of the store are far below its highest one.
pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns a number of the database.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
