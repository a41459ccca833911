//! The store in a database: its parts, and the methods of [`Store`].

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::super::checks::{
    Append, check_document, check_name, check_record, is_for_workers, milliseconds,
};
use super::super::leases::Fences;
use super::super::objects::{ObjectStore, ObjectWriter, spooled, store};
use super::super::{
    Blob, BlobReader, BlobWriter, Document, IdempotencyKey, ListRuns, Record, RunKey, Store,
    StoreError, StoreResult, StoreTotals, Stream, Submitted, Watch, new_id,
};
use super::address::Address;
use super::files::{ArrivingFile, OpenFile};
use super::news::News;
use super::objects::ObjectNotes;
use super::pool::{Pool, Tried, tried, unsigned};
use super::records::Clock;
use super::{documents, files, objects, partials, queue, records, schema, streams, sweep};
use mitt_base::{Result, lock};

/// Schema of the tables.
const SCHEMA: &str = "mitt";

/// A [`Store`] in a PostgreSQL database, which several processes share. A cheap handle.
#[derive(Clone)]
pub struct PostgresStore {
    inner: Arc<Inner>,
}

struct Inner {
    pool: Arc<Pool>,
    /// Where the content of files is; `None` for the database.
    objects: Option<ObjectStore>,
    news: Arc<News>,
    /// Returns the time after 1970 by the clock of this process.
    clock: Arc<dyn Fn() -> Duration + Send + Sync>,
    /// Name of this process for documents that it hands over.
    holder: String,
    fences: Mutex<Fences>,
    /// Send, listen and look until the store is dropped.
    _tasks: JoinSet<()>,
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresStore({})", self.inner.pool.address())
    }
}

impl PostgresStore {
    /// Opens the store in the database at `address`, such as `postgres://user:password@host:5432/database`, and makes or
    /// migrates its tables, which are in the schema `mitt`. `clock` returns the time after 1970; only leases that are read
    /// are shifted to it. With `objects`, the content of files is there. Waits up to 20 s for a database that cannot be
    /// reached. Must be called in a runtime of Tokio.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - this is no address.
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - the database cannot be reached or refuses, or its tables are those
    /// of a later version. No message has the password.
    pub async fn open(
        address: &str,
        objects: Option<ObjectStore>,
        clock: Arc<dyn Fn() -> Duration + Send + Sync>,
    ) -> Result<PostgresStore> {
        PostgresStore::open_in(address, SCHEMA, objects, clock).await
    }

    /// Does what [`PostgresStore::open`] does in a schema of this name, which needs no quotes.
    pub(super) async fn open_in(
        address: &str,
        schema: &str,
        objects: Option<ObjectStore>,
        clock: Arc<dyn Fn() -> Duration + Send + Sync>,
    ) -> Result<PostgresStore> {
        let pool = Arc::new(Pool::new(Address::parse(address)?, schema));
        match schema::prepare(&pool).await {
            Ok(()) => {}
            Err(StoreError::Failed(error)) => return Err(error),
            Err(error) => return Err(mitt_base::Error::bug(format!("{error:?}"))),
        }
        let news = Arc::new(News::new(pool.clone()));
        let tasks = news.start();
        let inner = Inner {
            pool,
            objects,
            news,
            clock,
            holder: new_id("holder_")?,
            fences: Mutex::default(),
            _tasks: tasks,
        };
        Ok(PostgresStore { inner: Arc::new(inner) })
    }

    /// Returns the host and the name of the database.
    pub fn place(&self) -> String {
        self.inner.pool.address().to_string()
    }

    fn pool(&self) -> &Arc<Pool> {
        &self.inner.pool
    }

    /// Returns the connections, for statements of tests.
    #[cfg(test)]
    pub(super) fn pool_for_tests(&self) -> &Arc<Pool> {
        self.pool()
    }

    fn notes(&self) -> ObjectNotes {
        ObjectNotes { pool: self.pool().clone() }
    }

    /// Makes a stored file of one that arrived in several requests, with its content in the object store. `None` if it is
    /// short, and stays in the database.
    async fn finish_in(
        &self,
        objects: &ObjectStore,
        (tenant, id): (&str, &str),
        owner: &str,
    ) -> StoreResult<Option<Blob>> {
        let (file, size) = tried!(self.pool(), _is_repeat => async {
            let mut lent = self.pool().lend().await?;
            partials::find(&mut lent, (tenant, id)).await
        })?;
        if size <= objects.inline_bytes() as u64 {
            return Ok(None);
        }
        let source = OpenFile { pool: self.pool().clone(), file, size };
        let spool = spooled(&source).await?;
        let to = (tenant, owner);
        store((&self.notes(), objects), to, &spool, Some(id)).await.map(Some)
    }

    fn clock(&self) -> Clock<'_> {
        Clock { pool: self.pool(), now_ms: milliseconds((self.inner.clock)()) }
    }

    fn set_fence(&self, run: RunKey, fence: i64) {
        lock(&self.inner.fences).set(run, fence);
    }

    async fn totals_once(&self) -> Tried<StoreTotals> {
        let mut lent = self.pool().lend().await?;
        let runs = lent.rows("select status, count(*) from runs group by status", &[]).await?;
        let runs = runs.iter().map(|row| (row.get(0), unsigned(row.get(1)))).collect();
        let bytes = "select coalesce(sum(size), 0)::bigint from files";
        let bytes = lent.row(bytes, &[]).await?.map_or(0, |row| unsigned(row.get(0)));
        let longest_wait = Some(queue::longest_wait(&mut lent).await?);
        Ok(StoreTotals { runs, bytes, longest_wait })
    }

    async fn stored_bytes_once(&self, tenant: &str) -> Tried<u64> {
        let mut lent = self.pool().lend().await?;
        let bytes = "select coalesce(sum(size), 0)::bigint from files where tenant = $1";
        let row = lent.row(bytes, &[&tenant]).await?;
        Ok(row.map_or(0, |row| unsigned(row.get(0))))
    }

    async fn release_once(&self, tenant: &str, owner: &str) -> Tried<()> {
        let mut lent = self.pool().lend().await?;
        lent.begin().await?;
        files::release(&mut lent, tenant, owner).await?;
        lent.keep().await
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn submit(
        &self,
        record: Record,
        idempotency: Option<&IdempotencyKey>,
    ) -> StoreResult<Submitted> {
        check_record(&record)?;
        if let Some(idempotency) = idempotency {
            check_name("idempotency key", &idempotency.key)?;
            check_name("hash of the request", &idempotency.request)?;
        }
        let (clock, record) = (self.clock(), &record);
        let submitted = tried!(self.pool(), is_repeat => async {
            let lent = self.pool().lend().await?;
            records::submit(lent, &clock, record, idempotency, is_repeat).await
        })?;
        if let Submitted::New(new) = &submitted {
            if new.owner.is_some() {
                self.set_fence(new.key(), 1);
            }
            if is_for_workers(new) && new.lease_until_ms == 0 {
                self.inner.news.run_waits();
            }
        }
        Ok(submitted)
    }

    async fn submitted(
        &self,
        tenant: &str,
        idempotency: &IdempotencyKey,
    ) -> StoreResult<Option<Record>> {
        check_name("idempotency key", &idempotency.key)?;
        let clock = self.clock();
        tried!(self.pool(), _is_repeat => async {
            let mut lent = self.pool().lend().await?;
            records::submitted(&mut lent, &clock, tenant, idempotency).await
        })
    }

    async fn count(&self, tenant: &str, status: Option<&str>, most: u64) -> StoreResult<u64> {
        tried!(self.pool(), _is_repeat => async {
            let mut lent = self.pool().lend().await?;
            records::count(&mut lent, tenant, status, most).await
        })
    }

    async fn stored_bytes(&self, tenant: &str) -> StoreResult<u64> {
        check_name("tenant", tenant)?;
        tried!(self.pool(), _is_repeat => self.stored_bytes_once(tenant))
    }

    async fn totals(&self) -> StoreResult<StoreTotals> {
        tried!(self.pool(), _is_repeat => self.totals_once())
    }

    async fn get(&self, run: &RunKey) -> StoreResult<Record> {
        let clock = self.clock();
        tried!(self.pool(), _is_repeat => async {
            let mut lent = self.pool().lend().await?;
            records::get(&mut lent, &clock, run).await
        })
    }

    async fn list(&self, tenant: &str, list: &ListRuns) -> StoreResult<Vec<Record>> {
        let clock = self.clock();
        tried!(self.pool(), _is_repeat => async {
            let mut lent = self.pool().lend().await?;
            records::list(&mut lent, &clock, tenant, list).await
        })
    }

    async fn claim(&self, worker: &str, lease: Duration) -> StoreResult<Option<Record>> {
        check_name("worker", worker)?;
        let (clock, claim) = (self.clock(), new_id("")?);
        let claimed = tried!(self.pool(), is_repeat => async {
            let lent = self.pool().lend().await?;
            queue::claim(lent, &clock, (worker, &claim), lease, is_repeat).await
        })?;
        Ok(claimed.map(|claimed| {
            self.set_fence(claimed.record.key(), claimed.fence);
            claimed.record
        }))
    }

    async fn wait_for_work(&self, worker: &str, most: Duration) {
        let end = Instant::now() + most;
        loop {
            // Before the look, so that no run comes in between.
            let mut work = self.inner.news.work.subscribe();
            let next = async {
                let mut lent = self.pool().lend().await?;
                queue::next_work(&mut lent, worker).await
            };
            let until = match next.await {
                Ok(Some(left)) if left.is_zero() => return,
                Ok(Some(left)) => end.min(Instant::now() + left),
                // The next claim reports an error.
                Ok(None) | Err(_) => end,
            };
            // Another process may take what the bell rang for.
            if timeout_at(until, work.changed()).await.is_err() {
                return;
            }
        }
    }

    async fn update(&self, record: &Record, lease: Option<Duration>) -> StoreResult<Record> {
        check_record(record)?;
        let updated = tried!(self.pool(), is_repeat => async {
            let lent = self.pool().lend().await?;
            records::update(lent, record, lease, is_repeat).await
        })?;
        if let Some(fence) = updated.fence {
            self.set_fence(record.key(), fence);
        }
        if is_for_workers(&updated.record) && lease.is_none() {
            self.inner.news.run_waits();
        }
        Ok(updated.record)
    }

    async fn append(
        &self,
        run: &RunKey,
        stream: Stream,
        expected: Option<u64>,
        records: &[Bytes],
    ) -> StoreResult<u64> {
        let append = Append { stream, expected, records };
        append.check()?;
        let fence = lock(&self.inner.fences).get(run);
        let token = new_id("")?;
        let last = tried!(self.pool(), is_repeat => async {
            let mut lent = self.pool().lend().await?;
            streams::append(&mut lent, run, append, (fence, &token), is_repeat).await
        })?;
        if !records.is_empty() {
            self.inner.news.appended(run, stream, last);
        }
        Ok(last)
    }

    async fn read(
        &self,
        run: &RunKey,
        stream: Stream,
        after: u64,
        most: usize,
    ) -> StoreResult<Vec<Bytes>> {
        tried!(self.pool(), _is_repeat => async {
            let mut lent = self.pool().lend().await?;
            streams::read(&mut lent, run, stream, (after, most)).await
        })
    }

    async fn last(&self, run: &RunKey, stream: Stream) -> StoreResult<u64> {
        tried!(self.pool(), _is_repeat => async {
            let mut lent = self.pool().lend().await?;
            streams::last(&mut lent, run, stream).await
        })
    }

    async fn watch(&self, run: &RunKey, stream: Stream) -> StoreResult<Box<dyn Watch>> {
        // First watched, then looked at, so that no record comes in between.
        let watched = self.inner.news.watchers.watch(run, stream);
        let last = self.last(run, stream).await?;
        self.inner.news.watchers.appended(run, stream, last);
        Ok(Box::new(watched))
    }

    async fn delete(&self, run: &RunKey) -> StoreResult<()> {
        tried!(self.pool(), is_repeat => async {
            let lent = self.pool().lend().await?;
            records::delete(lent, run, is_repeat).await
        })?;
        lock(&self.inner.fences).remove(run);
        self.inner.news.deleted(run);
        Ok(())
    }

    async fn blob_writer(&self, tenant: &str) -> StoreResult<Box<dyn BlobWriter>> {
        check_name("tenant", tenant)?;
        let file = Box::new(ArrivingFile::new(self.pool(), tenant));
        let Some(objects) = &self.inner.objects else { return Ok(file) };
        let to = (self.notes(), objects.clone());
        Ok(Box::new(ObjectWriter::new(to, tenant, file, files::check_size)))
    }

    async fn partial_append(
        &self,
        tenant: &str,
        id: &str,
        offset: u64,
        bytes: &[u8],
    ) -> StoreResult<u64> {
        partials::check((tenant, id))?;
        tried!(self.pool(), is_repeat => async {
            let lent = self.pool().lend().await?;
            partials::append(lent, (tenant, id), (offset, bytes), is_repeat).await
        })
    }

    async fn partial_size(&self, tenant: &str, id: &str) -> StoreResult<u64> {
        tried!(self.pool(), _is_repeat => async {
            let mut lent = self.pool().lend().await?;
            partials::find(&mut lent, (tenant, id)).await
        })
        .map(|(_, size)| size)
    }

    async fn partial_finish(&self, tenant: &str, id: &str, owner: &str) -> StoreResult<Blob> {
        check_name("owner", owner)?;
        if let Some(objects) = &self.inner.objects
            && let Some(blob) = self.finish_in(objects, (tenant, id), owner).await?
        {
            return Ok(blob);
        }
        let mut known = None;
        tried!(self.pool(), _is_repeat => async {
            let lent = self.pool().lend().await?;
            partials::finish(lent, (tenant, id), owner, &mut known).await
        })
    }

    async fn partial_delete(&self, tenant: &str, id: &str) -> StoreResult<bool> {
        tried!(self.pool(), is_repeat => async {
            let mut lent = self.pool().lend().await?;
            partials::delete(&mut lent, (tenant, id), is_repeat).await
        })
    }

    async fn blob(&self, tenant: &str, sha256: &str) -> StoreResult<Arc<dyn BlobReader>> {
        files::open((self.pool(), self.inner.objects.as_ref()), tenant, sha256).await
    }

    async fn keep(&self, tenant: &str, sha256: &str, owner: &str) -> StoreResult<()> {
        check_name("owner", owner)?;
        tried!(self.pool(), _is_repeat => async {
            let lent = self.pool().lend().await?;
            files::keep(lent, (tenant, owner), sha256).await
        })
    }

    async fn release(&self, tenant: &str, owner: &str) -> StoreResult<()> {
        check_name("tenant", tenant)?;
        check_name("owner", owner)?;
        tried!(self.pool(), _is_repeat => self.release_once(tenant, owner))
    }

    fn blob_path(&self, _tenant: &str, _sha256: &str) -> Option<std::path::PathBuf> {
        None
    }

    async fn put_document(
        &self,
        tenant: &str,
        table: &str,
        key: &str,
        value: Bytes,
        version: Option<u64>,
        life: Option<Duration>,
    ) -> StoreResult<u64> {
        let name = (tenant, table, key);
        check_document(name, &value)?;
        let change = documents::Change { value: &value, version, life };
        tried!(self.pool(), is_repeat => async {
            let mut lent = self.pool().lend().await?;
            documents::put(&mut lent, name, &change, is_repeat).await
        })
    }

    async fn document(&self, tenant: &str, table: &str, key: &str) -> StoreResult<Document> {
        tried!(self.pool(), _is_repeat => async {
            let mut lent = self.pool().lend().await?;
            documents::get(&mut lent, (tenant, table, key)).await
        })
    }

    async fn documents(
        &self,
        tenant: &str,
        table: &str,
        after: Option<&str>,
        limit: usize,
    ) -> StoreResult<Vec<Document>> {
        tried!(self.pool(), _is_repeat => async {
            let mut lent = self.pool().lend().await?;
            documents::list(&mut lent, (tenant, table), after, limit).await
        })
    }

    async fn delete_document(&self, tenant: &str, table: &str, key: &str) -> StoreResult<bool> {
        tried!(self.pool(), is_repeat => async {
            let mut lent = self.pool().lend().await?;
            documents::delete(&mut lent, (tenant, table, key), is_repeat).await
        })
    }

    async fn sweep(&self) -> StoreResult<Vec<(String, String, Document)>> {
        objects::sweep(self.pool(), self.inner.objects.as_ref()).await?;
        sweep::garbage(self.pool()).await?;
        tried!(self.pool(), is_repeat => async {
            let lent = self.pool().lend().await?;
            sweep::documents(lent, &self.inner.holder, is_repeat).await
        })
    }
}
