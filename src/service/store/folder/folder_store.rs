//! The store in a folder: its parts, and the methods of [`Store`].

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::watch;

use super::super::checks::{check_document, milliseconds};
use super::super::watchers::Watchers;
use super::super::{
    Blob, BlobReader, BlobWriter, Document, IdempotencyKey, ListRuns, Record, RunKey, Store,
    StoreError, StoreResult, StoreTotals, Stream, Submitted, Watch,
};
use super::blobs::{ArrivingBlob, OpenBlob, blocking};
use super::documents::{self, DocumentKey};
use super::index::Index;
use super::keys::{check_name, is_digest};
use super::partials::Partials;
use super::places::{Places, make_private, stream_file};
use super::redo_log::RedoLog;
use super::streams::{Append, Streams};
use super::{index, owners, records, totals, turns};
use mitt_base::output_folder::{OutputFolder, Readable};
use mitt_base::{Error, ErrorKind, lock};

/// Most workers of one process that are remembered. Beyond them, leases of former processes last their time.
const MAX_WORKERS: usize = 10_000;

/// Returns the time after 1970.
pub(super) type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A [`Store`] in one folder of this machine, used by one process at a time. A cheap handle.
///
/// The [module](crate::store) says what survives a crash and a power failure.
#[derive(Clone)]
pub struct FolderStore {
    inner: Arc<Inner>,
}

struct Inner {
    clock: Clock,
    places: Places,
    streams: Streams,
    partials: Partials,
    watchers: Arc<Watchers>,
    /// Changes when a run waits for a worker.
    work: watch::Sender<()>,
    /// Documents that the last sweep returned.
    swept: Mutex<Vec<DocumentKey>>,
    /// Workers that took a run since the store was opened. Others belong to processes that have ended, because only one
    /// process at a time has the store open.
    workers: Mutex<HashSet<String>>,
    index: Arc<Index>,
    /// Locked as long as the store is open. Dropped last.
    _lock: std::fs::File,
}

impl FolderStore {
    /// Opens the store in `folder`, and makes it if it is missing. Only the user of this process can read it. `clock`
    /// returns the time after 1970.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] - another process, or this one, has the store open.
    /// [`ErrorKind::Host`] - the folder cannot be written to, or its index is damaged.
    pub fn open(
        folder: &Path,
        clock: Arc<dyn Fn() -> Duration + Send + Sync>,
    ) -> mitt_base::Result<FolderStore> {
        let failed = |error: std::io::Error| {
            let message = format!("the store in {} cannot be opened", folder.display());
            Error::new(ErrorKind::Host, message)
                .hint("name a folder that you may write to, on a disk of this machine")
                .caused_by(error)
        };
        make_private(folder).map_err(failed)?;
        let output = OutputFolder::existing(folder).map_err(failed)?;
        let locked = output.read_or_create(OsStr::new("lock"), Readable::Owner).map_err(failed)?;
        match locked.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let retry_after = Duration::from_secs(1);
                let message = format!("the store in {} is used already", folder.display());
                return Err(Error::new(ErrorKind::Busy { retry_after }, message)
                    .hint("stop the other process, or name another folder"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let places = Places::make(folder.to_owned(), &locked).map_err(failed)?;
        let log = output.append(OsStr::new("index.log"), Readable::Owner).map_err(failed)?;
        let log = RedoLog::new(log).map_err(failed)?;
        let opener = Box::new(move || index::open_file(&output));
        let perform = places.clone();
        let index = Index::open(opener, log, Box::new(move |effect| perform.perform(effect)))
            .map_err(|error| error.at(folder.display()))?;
        places.remove_arriving().map_err(failed)?;
        let size = |tenant: &str, sha256: &str| {
            std::fs::symlink_metadata(places.blob(tenant, sha256)).map_or(0, |data| data.len())
        };
        let prepared = index
            .prepare(|rows| {
                let totals = totals::missing(rows, size)?;
                Ok(totals.into_iter().map(|(key, value)| (key, Some(value))).collect())
            })
            .and_then(|()| index.prepare(|rows| index::converted(rows, turns::converted)));
        prepared.map_err(|error| error.at(folder.display()))?;
        let inner = Inner {
            clock,
            streams: Streams::new(places.clone()),
            partials: Partials::new(places.clone()),
            places,
            watchers: Arc::default(),
            work: watch::Sender::new(()),
            swept: Mutex::default(),
            workers: Mutex::default(),
            index: Arc::new(index),
            _lock: locked,
        };
        Ok(FolderStore { inner: Arc::new(inner) })
    }

    /// Returns the path of a run's log. It can be read there as a plain file, such as by `LoggedRun::read`; it is missing
    /// until the first record.
    pub fn log_path(&self, run: &RunKey) -> PathBuf {
        self.inner.places.run(run).join(stream_file(Stream::Log))
    }

    /// Makes a worker of the process that had the store before one of this process.
    #[cfg(test)]
    pub(super) fn note_worker(&self, worker: &str) {
        self.inner.note_worker(worker);
    }

    /// Returns the number of runs with open files, and of watched runs.
    #[cfg(test)]
    pub(super) fn in_use(&self) -> (usize, usize) {
        (self.inner.streams.open_runs(), self.inner.watchers.len())
    }

    /// Makes the index one of a version without totals.
    #[cfg(test)]
    pub(super) fn forget_totals(&self) {
        use super::index::Read as _;
        use super::keys::{Key, Table};

        let index = self.inner.index.clone();
        let forget = move || {
            index.write_blocking(|batch| {
                for table in [Table::Totals, Table::Sizes] {
                    while let Some((row, _)) = batch.rows().first(&Key::of(table))? {
                        batch.remove(&Key::of_bytes(row))?;
                    }
                }
                batch.remove(&totals::marker())
            })
        };
        std::thread::spawn(forget).join().unwrap().unwrap();
    }

    /// Makes the index one of format 1, in which runs waited in the order of their creation.
    #[cfg(test)]
    pub(super) fn forget_turns(&self) {
        use super::index::Read as _;
        use super::keys::{Key, Parts, Table};

        let index = self.inner.index.clone();
        let forget = move || {
            index.write_blocking(|batch| {
                while let Some((row, _)) = batch.rows().first(&Key::of(Table::Waiting))? {
                    let mut parts = Parts::of_key(&row);
                    let (tenant, created, id) = (parts.text()?, parts.number()?, parts.text()?);
                    let before = Key::of(Table::WaitingByAge).number(created).text(tenant).text(id);
                    batch.put(&before, &[])?;
                    batch.remove(&Key::of_bytes(row))?;
                }
                for table in [Table::Turns, Table::Tenants] {
                    while let Some((row, _)) = batch.rows().first(&Key::of(table))? {
                        batch.remove(&Key::of_bytes(row))?;
                    }
                }
                batch.put(&Key::of(Table::Meta).text("format"), b"1")
            })
        };
        std::thread::spawn(forget).join().unwrap().unwrap();
    }

    /// Returns the number of rows of a part of the index, or of all parts.
    #[cfg(test)]
    pub(super) fn row_count(&self, table: Option<super::keys::Table>) -> usize {
        let mut count = 0;
        let mut visit = |key: &[u8], _: &[u8]| {
            count += usize::from(table.is_none_or(|table| key[0] == table as u8));
            Ok(true)
        };
        let all = (std::ops::Bound::Unbounded, std::ops::Bound::Unbounded);
        self.inner.index.read(|rows| rows.walk(all, false, &mut visit)).unwrap();
        count
    }
}

impl Inner {
    fn now_ms(&self) -> u64 {
        milliseconds((self.clock)())
    }

    /// Remembers a worker of this process.
    fn note_worker(&self, worker: &str) {
        let mut workers = lock(&self.workers);
        if workers.len() < MAX_WORKERS && !workers.contains(worker) {
            workers.insert(worker.to_owned());
        }
    }

    /// Ends the lease in a record whose owner was a worker of a process that has ended. Nobody needs to wait for the end of
    /// its time.
    fn as_of_now(&self, mut record: Record) -> Record {
        let is_gone = |owner: &String| {
            let workers = lock(&self.workers);
            workers.len() < MAX_WORKERS && !workers.contains(owner)
        };
        if record.owner.as_ref().is_some_and(is_gone) {
            record.lease_until_ms = record.lease_until_ms.min(self.now_ms());
        }
        record
    }

    fn exists(&self, run: &RunKey) -> StoreResult<bool> {
        self.index.read(|rows| records::exists(rows, run))
    }

    /// Returns what rings when a run waits for a worker.
    fn bell(self: &Arc<Self>) -> impl FnOnce() + Send + 'static {
        let work = self.work.clone();
        move || work.send_replace(())
    }
}

#[async_trait]
impl Store for FolderStore {
    async fn submit(
        &self,
        record: Record,
        idempotency: Option<&IdempotencyKey>,
    ) -> StoreResult<Submitted> {
        records::check(&record)?;
        if let Some(idempotency) = idempotency {
            check_name("idempotency key", &idempotency.key)?;
            check_name("hash of the request", &idempotency.request)?;
        }
        let (now_ms, bell) = (self.inner.now_ms(), self.inner.bell());
        let idempotency = idempotency.cloned();
        let submit = move |batch: &mut index::Batch<'_>| {
            let waits = records::is_for_workers(&record);
            let submitted = records::submit(batch, record, idempotency.as_ref(), now_ms)?;
            if waits {
                batch.after(bell);
            }
            Ok(submitted)
        };
        self.inner.index.write(submit).await
    }

    async fn submitted(
        &self,
        tenant: &str,
        idempotency: &IdempotencyKey,
    ) -> StoreResult<Option<Record>> {
        check_name("idempotency key", &idempotency.key)?;
        let now_ms = self.inner.now_ms();
        let found =
            self.inner.index.read(|rows| records::submitted(rows, tenant, idempotency, now_ms))?;
        Ok(found.map(|record| self.inner.as_of_now(record)))
    }

    async fn count(&self, tenant: &str, status: Option<&str>, most: u64) -> StoreResult<u64> {
        let (inner, tenant) = (self.inner.clone(), tenant.to_owned());
        let status = status.map(str::to_owned);
        blocking(move || {
            inner.index.read(|rows| records::count(rows, &tenant, status.as_deref(), most))
        })
        .await
    }

    async fn stored_bytes(&self, tenant: &str) -> StoreResult<u64> {
        check_name("tenant", tenant)?;
        self.inner.index.read(|rows| totals::bytes_of(rows, tenant))
    }

    async fn totals(&self) -> StoreResult<StoreTotals> {
        let inner = self.inner.clone();
        blocking(move || inner.index.read(totals::all)).await
    }

    // One row is read in some microseconds, most often without the disk. Handing that to another thread would take longer.
    async fn get(&self, run: &RunKey) -> StoreResult<Record> {
        let record = self.inner.index.read(|rows| records::get(rows, run))?;
        Ok(self.inner.as_of_now(record))
    }

    async fn list(&self, tenant: &str, list: &ListRuns) -> StoreResult<Vec<Record>> {
        let (inner, tenant, list) = (self.inner.clone(), tenant.to_owned(), list.clone());
        blocking(move || {
            let listed = inner.index.read(|rows| records::list(rows, &tenant, &list))?;
            Ok(listed.into_iter().map(|record| inner.as_of_now(record)).collect())
        })
        .await
    }

    async fn claim(&self, worker: &str, lease: Duration) -> StoreResult<Option<Record>> {
        check_name("worker", worker)?;
        self.inner.note_worker(worker);
        let now_ms = self.inner.now_ms();
        // Most often nothing waits, which needs no change.
        if self.inner.index.read(|rows| records::next_work(rows, now_ms))?.is_err() {
            return Ok(None);
        }
        let worker = worker.to_owned();
        self.inner.index.write(move |batch| records::claim(batch, worker, lease, now_ms)).await
    }

    async fn wait_for_work(&self, _worker: &str, most: Duration) {
        // Before the look, so that no run comes in between.
        let mut work = self.inner.work.subscribe();
        let now_ms = self.inner.now_ms();
        let next = self.inner.index.read(|rows| records::next_work(rows, now_ms));
        let most = match next {
            Ok(Ok(())) => return,
            Ok(Err(Some(end_ms))) => most.min(Duration::from_millis(end_ms - now_ms)),
            // The next claim reports an error.
            Ok(Err(None)) | Err(_) => most,
        };
        let _ = tokio::time::timeout(most, work.changed()).await;
    }

    async fn update(&self, record: &Record, lease: Option<Duration>) -> StoreResult<Record> {
        records::check(record)?;
        if let Some(owner) = record.owner.as_deref().filter(|_| lease.is_some()) {
            self.inner.note_worker(owner);
        }
        let (record, now_ms, bell) = (record.clone(), self.inner.now_ms(), self.inner.bell());
        let update = move |batch: &mut index::Batch<'_>| {
            let record = records::update(batch, record, lease, now_ms)?;
            if records::is_for_workers(&record) {
                batch.after(bell);
            }
            Ok(record)
        };
        self.inner.index.write(update).await
    }

    // An append of a few bytes to an open file is one system call that copies them into the system's memory. That took 5 µs
    // for 200 bytes, as long as it takes to wake another thread. Everything else runs on a thread that may block.
    async fn append(
        &self,
        run: &RunKey,
        stream: Stream,
        expected: Option<u64>,
        records: &[Bytes],
    ) -> StoreResult<u64> {
        let append = Append { stream, expected, records };
        append.check()?;
        let last = match self.inner.streams.append_at_once(run, append) {
            Some(last) => last?,
            None => {
                let (inner, run, records) = (self.inner.clone(), run.clone(), records.to_vec());
                blocking(move || {
                    let append = Append { stream, expected, records: &records };
                    let last = inner.streams.append(&run, append, || inner.exists(&run))?;
                    // Here too, for watchers of a caller that stopped waiting.
                    inner.watchers.appended(&run, stream, last);
                    Ok(last)
                })
                .await?
            }
        };
        self.inner.watchers.appended(run, stream, last);
        Ok(last)
    }

    async fn read(
        &self,
        run: &RunKey,
        stream: Stream,
        after: u64,
        most: usize,
    ) -> StoreResult<Vec<Bytes>> {
        if let Some(records) = self.inner.streams.read_at_once(run, stream, (after, most)) {
            return Ok(records);
        }
        let (inner, run) = (self.inner.clone(), run.clone());
        blocking(move || inner.streams.read(&run, stream, (after, most), || inner.exists(&run)))
            .await
    }

    async fn last(&self, run: &RunKey, stream: Stream) -> StoreResult<u64> {
        if let Some(last) = self.inner.streams.last_at_once(run, stream) {
            return Ok(last);
        }
        let (inner, run) = (self.inner.clone(), run.clone());
        blocking(move || inner.streams.last(&run, stream, || inner.exists(&run))).await
    }

    async fn watch(&self, run: &RunKey, stream: Stream) -> StoreResult<Box<dyn Watch>> {
        // First watched, then looked at, so that no record comes in between.
        let watched = self.inner.watchers.watch(run, stream);
        let last = self.last(run, stream).await?;
        self.inner.watchers.appended(run, stream, last);
        Ok(Box::new(watched))
    }

    async fn delete(&self, run: &RunKey) -> StoreResult<()> {
        let (inner, run) = (self.inner.clone(), run.clone());
        blocking(move || {
            let of_index = run.clone();
            inner.streams.delete(&run, || {
                inner.index.write_blocking(move |batch| records::delete(batch, &of_index))
            })?;
            inner.watchers.deleted(&run);
            Ok(())
        })
        .await
    }

    async fn blob_writer(&self, tenant: &str) -> StoreResult<Box<dyn BlobWriter>> {
        check_name("tenant", tenant)?;
        let Inner { index, places, .. } = &*self.inner;
        Ok(Box::new(ArrivingBlob::new(index.clone(), places.clone(), tenant)))
    }

    async fn partial_append(
        &self,
        tenant: &str,
        id: &str,
        offset: u64,
        bytes: &[u8],
    ) -> StoreResult<u64> {
        let (inner, name, bytes) =
            (self.inner.clone(), (tenant.to_owned(), id.to_owned()), bytes.to_vec());
        let now = (self.inner.clock)();
        blocking(move || inner.partials.append((&name.0, &name.1), offset, &bytes, now)).await
    }

    async fn partial_size(&self, tenant: &str, id: &str) -> StoreResult<u64> {
        self.inner.partials.size((tenant, id))
    }

    async fn partial_finish(&self, tenant: &str, id: &str, owner: &str) -> StoreResult<Blob> {
        let (inner, name) = (self.inner.clone(), (tenant.to_owned(), id.to_owned()));
        let owner = owner.to_owned();
        blocking(move || inner.partials.finish(&inner.index, (&name.0, &name.1), &owner)).await
    }

    async fn partial_delete(&self, tenant: &str, id: &str) -> StoreResult<bool> {
        let (inner, name) = (self.inner.clone(), (tenant.to_owned(), id.to_owned()));
        blocking(move || inner.partials.delete((&name.0, &name.1))).await
    }

    async fn blob(&self, tenant: &str, sha256: &str) -> StoreResult<Arc<dyn BlobReader>> {
        if !self.inner.index.read(|rows| owners::has(rows, tenant, sha256))? {
            return Err(StoreError::Missing);
        }
        let places = self.inner.places.clone();
        let (tenant, sha256) = (tenant.to_owned(), sha256.to_owned());
        blocking(move || Ok(Arc::new(OpenBlob::open(&places, &tenant, &sha256)?) as _)).await
    }

    async fn keep(&self, tenant: &str, sha256: &str, owner: &str) -> StoreResult<()> {
        check_name("owner", owner)?;
        let name = (tenant.to_owned(), sha256.to_owned(), owner.to_owned());
        let keep =
            move |batch: &mut index::Batch<'_>| owners::keep(batch, (&name.0, &name.1, &name.2));
        self.inner.index.write(keep).await
    }

    async fn release(&self, tenant: &str, owner: &str) -> StoreResult<()> {
        check_name("tenant", tenant)?;
        check_name("owner", owner)?;
        let (tenant, owner) = (tenant.to_owned(), owner.to_owned());
        self.inner.index.write(move |batch| owners::release(batch, &tenant, &owner)).await
    }

    fn blob_path(&self, tenant: &str, sha256: &str) -> Option<PathBuf> {
        let path = self.inner.places.blob(tenant, sha256);
        let has = || self.inner.index.read(|rows| owners::has(rows, tenant, sha256));
        (is_digest(sha256) && has().is_ok_and(|has| has) && path.is_file()).then_some(path)
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
        check_document((tenant, table, key), &value)?;
        let name = (tenant.to_owned(), table.to_owned(), key.to_owned());
        let (change, now_ms) = (documents::Change { value, version, life }, self.inner.now_ms());
        let put = move |batch: &mut index::Batch<'_>| {
            documents::put(batch, (&name.0, &name.1, &name.2), change, now_ms)
        };
        self.inner.index.write(put).await
    }

    async fn document(&self, tenant: &str, table: &str, key: &str) -> StoreResult<Document> {
        let now_ms = self.inner.now_ms();
        self.inner.index.read(|rows| documents::get(rows, (tenant, table, key), now_ms))
    }

    async fn documents(
        &self,
        tenant: &str,
        table: &str,
        after: Option<&str>,
        limit: usize,
    ) -> StoreResult<Vec<Document>> {
        let (inner, now_ms) = (self.inner.clone(), self.inner.now_ms());
        let (tenant, table, after) =
            (tenant.to_owned(), table.to_owned(), after.map(str::to_owned));
        blocking(move || {
            inner.index.read(|rows| {
                documents::list(rows, (&tenant, &table), after.as_deref(), (limit, now_ms))
            })
        })
        .await
    }

    async fn delete_document(&self, tenant: &str, table: &str, key: &str) -> StoreResult<bool> {
        let (now_ms, name) = (self.inner.now_ms(), (tenant, table, key));
        match self.inner.index.read(|rows| documents::get(rows, name, now_ms)) {
            Err(StoreError::Missing) => return Ok(false),
            result => drop(result?),
        }
        let name = (tenant.to_owned(), table.to_owned(), key.to_owned());
        let delete = move |batch: &mut index::Batch<'_>| {
            documents::delete(batch, (&name.0, &name.1, &name.2), now_ms)
        };
        self.inner.index.write(delete).await
    }

    async fn sweep(&self) -> StoreResult<Vec<(String, String, Document)>> {
        let (inner, now) = (self.inner.clone(), (self.inner.clock)());
        blocking(move || inner.partials.sweep(now)).await?;
        let (now_ms, returned) = (self.inner.now_ms(), lock(&self.inner.swept).clone());
        let ended = self
            .inner
            .index
            .write(move |batch| {
                records::sweep(batch, now_ms)?;
                documents::sweep(batch, &returned, now_ms)
            })
            .await?;
        let keys = ended
            .iter()
            .map(|(tenant, table, document)| (tenant.clone(), table.clone(), document.key.clone()));
        *lock(&self.inner.swept) = keys.collect();
        Ok(ended)
    }
}
