//! The store in NATS: its parts, and the methods of [`Store`].

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::super::checks::{Append, check_document, check_name, check_record};
use super::super::leases::Fences;
use super::super::objects::{ObjectStore, ObjectWriter};
use super::super::watchers::Watchers;
use super::super::{
    Blob, BlobReader, BlobWriter, Document, IdempotencyKey, ListRuns, Record, RunKey, Store,
    StoreError, StoreResult, StoreTotals, Stream, Submitted, Watch, new_id,
};
use super::address::Address;
use super::clock::Clock;
use super::connection::{Connection, Failure, Tried, tried};
use super::entries::RunEntry;
use super::files::ArrivingFile;
use super::follow::Index;
use super::objects::ObjectNotes;
use super::records::Body;
use super::shared::Shared;
use super::streams::{Attempt, Streams};
use super::sweep::Handed;
use super::{documents, files, news, objects, partials, records, setup, sweep};
use mitt_base::{Error, Result, lock};

/// Beginning of the names of streams and subjects.
const NAME: &str = "mitt";

/// A [`Store`] in NATS JetStream, which several processes share. A cheap handle.
#[derive(Clone)]
pub struct NatsStore {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Shared,
    streams: Arc<Streams>,
    /// Name of this process for documents that it hands over.
    holder: String,
    handed: Handed,
    fences: Mutex<Fences>,
    /// Lets one claim of this process at a time go on, so that they do not take the same run.
    claims: tokio::sync::Mutex<()>,
    sweeps: tokio::sync::Mutex<()>,
    /// Feed the index, listen and look until the store is dropped.
    _tasks: JoinSet<()>,
}

impl fmt::Debug for NatsStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NatsStore({})", self.shared().connection.address())
    }
}

impl NatsStore {
    /// Opens the store in the servers at `address`, such as `nats://user:password@host:4222,host2:4222?replicas=3`, and
    /// makes its two streams, `mitt_entries` and `mitt_data`. `clock` returns the time after 1970; only leases that are read are
    /// shifted to it. With `objects`, the content of files is there. Waits up to 20 s for servers that cannot be reached.
    /// Must be called in a runtime of Tokio.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - this is no address.
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - the servers cannot be reached, refuse or are too old, or the
    /// streams are those of a later version. No message has the password.
    pub async fn open(
        address: &str,
        objects: Option<ObjectStore>,
        clock: Arc<dyn Fn() -> Duration + Send + Sync>,
    ) -> Result<NatsStore> {
        NatsStore::open_in((address, NAME), objects, clock, Clock::default()).await
    }

    /// Does what [`NatsStore::open`] does with streams and subjects of this name.
    pub(super) async fn open_in(
        (address, name): (&str, &str),
        objects: Option<ObjectStore>,
        local: Arc<dyn Fn() -> Duration + Send + Sync>,
        clock: Clock,
    ) -> Result<NatsStore> {
        let to_error = |error| match error {
            StoreError::Failed(error) => error,
            error => Error::bug(format!("{error:?}")),
        };
        let address = Address::parse(address)?;
        let connection = setup::open(&address, name).await.map_err(to_error)?;
        let watchers = Arc::<Watchers>::default();
        let index = Arc::new(Index::new(connection.clone(), clock, watchers.clone()));
        let mut tasks = JoinSet::new();
        index.start(&mut tasks);
        tried!(connection, index.begin()).map_err(to_error)?;
        let shared = Shared { connection, index, watchers, objects, local };
        let streams = Arc::default();
        news::start(&shared, &streams, &mut tasks);
        let inner = Inner {
            shared,
            streams,
            holder: new_id("holder_")?,
            handed: Mutex::default(),
            fences: Mutex::default(),
            claims: tokio::sync::Mutex::default(),
            sweeps: tokio::sync::Mutex::default(),
            _tasks: tasks,
        };
        Ok(NatsStore { inner: Arc::new(inner) })
    }

    /// Returns the hosts of the servers.
    pub fn place(&self) -> String {
        self.shared().connection.address().to_string()
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.inner.shared
    }

    /// Returns the streams, for tests.
    #[cfg(test)]
    pub(super) fn streams(&self) -> &Streams {
        &self.inner.streams
    }

    fn connection(&self) -> &Connection {
        &self.shared().connection
    }

    /// Notes that this process owns a run, and lets no earlier owner append.
    async fn owns(&self, run: RunKey, entry: &RunEntry, is_new: bool) -> StoreResult<()> {
        if is_new {
            self.inner.streams.set_fence(self.shared(), &entry.uid, entry.fence).await?;
        }
        lock(&self.inner.fences).set(run, entry.fence);
        Ok(())
    }

    /// Takes a run. `earlier` is the one that an earlier try may have taken.
    pub(super) async fn claim_once(
        &self,
        worker: (&str, Duration),
        token: &str,
        earlier: &mut Option<RunKey>,
    ) -> Tried<Option<(Record, RunEntry)>> {
        let shared = self.shared();
        if let Some(run) = earlier.take()
            && let Some(taken) = records::take(shared, &run, worker, token).await?
        {
            return Ok(Some(taken));
        }
        shared.index.catch_up().await?;
        let now_ms = shared.now_ms().await?;
        let next = shared.index.look(|view| view.next_run(worker.0, now_ms));
        let Some(run) = next else { return Ok(None) };
        *earlier = Some(run.clone());
        match records::take(shared, &run, worker, token).await? {
            Some(taken) => Ok(Some(taken)),
            // Another process took it just now.
            None => Err(Failure::Contended),
        }
    }
}

#[async_trait]
impl Store for NatsStore {
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
        let (shared, uid) = (self.shared(), new_id("")?);
        let body = tried!(self.connection(), Body::store(shared, &record))?;
        let new = (uid.as_str(), &body);
        let submitted =
            tried!(self.connection(), records::submit(shared, &record, idempotency, new))?;
        if let Submitted::New(new) = &submitted
            && new.owner.is_some()
        {
            self.inner.streams.set_fence(shared, &uid, 1).await?;
            lock(&self.inner.fences).set(new.key(), 1);
        }
        Ok(submitted)
    }

    async fn submitted(
        &self,
        tenant: &str,
        idempotency: &IdempotencyKey,
    ) -> StoreResult<Option<Record>> {
        check_name("idempotency key", &idempotency.key)?;
        tried!(self.connection(), records::submitted(self.shared(), tenant, idempotency))
    }

    async fn count(&self, tenant: &str, status: Option<&str>, most: u64) -> StoreResult<u64> {
        let index = &self.shared().index;
        tried!(self.connection(), index.catch_up())?;
        Ok(index.look(|view| view.count(tenant, status)).min(most))
    }

    async fn stored_bytes(&self, tenant: &str) -> StoreResult<u64> {
        check_name("tenant", tenant)?;
        let index = &self.shared().index;
        tried!(self.connection(), index.catch_up())?;
        Ok(index.look(|view| view.bytes(tenant)))
    }

    async fn totals(&self) -> StoreResult<StoreTotals> {
        let index = &self.shared().index;
        tried!(self.connection(), async {
            index.catch_up().await?;
            let now_ms = self.shared().now_ms().await?;
            Ok(index.look(|view| view.totals(now_ms)))
        })
    }

    async fn get(&self, run: &RunKey) -> StoreResult<Record> {
        tried!(self.connection(), records::get(self.shared(), run))
    }

    async fn list(&self, tenant: &str, list: &ListRuns) -> StoreResult<Vec<Record>> {
        tried!(self.connection(), records::list(self.shared(), tenant, list))
    }

    async fn claim(&self, worker: &str, lease: Duration) -> StoreResult<Option<Record>> {
        check_name("worker", worker)?;
        let token = new_id("")?;
        let _turn = self.inner.claims.lock().await;
        let mut earlier = None;
        let worker = (worker, lease);
        let claimed = tried!(self.connection(), self.claim_once(worker, &token, &mut earlier))?;
        let Some((record, entry)) = claimed else { return Ok(None) };
        self.owns(record.key(), &entry, true).await?;
        Ok(Some(record))
    }

    async fn wait_for_work(&self, worker: &str, most: Duration) {
        let end = Instant::now() + most;
        let index = &self.shared().index;
        loop {
            // Before the look, so that no run comes in between.
            let mut work = index.work.subscribe();
            let until = match self.shared().now_ms().await {
                Ok(now_ms) => match index.look(|view| view.next_work(worker, now_ms)) {
                    Some(left) if left.is_zero() => return,
                    Some(left) => end.min(Instant::now() + left),
                    None => end,
                },
                // The next claim reports an error.
                Err(_) => end,
            };
            // Another process may take what the bell rang for.
            if timeout_at(until, work.changed()).await.is_err() {
                return;
            }
        }
    }

    async fn update(&self, record: &Record, lease: Option<Duration>) -> StoreResult<Record> {
        check_record(record)?;
        let (shared, token) = (self.shared(), new_id("")?);
        let body = tried!(self.connection(), Body::store(shared, record))?;
        let change = (token.as_str(), &body);
        let updated = tried!(self.connection(), records::update(shared, record, lease, change))?;
        if updated.entry.owner.is_some() {
            self.owns(record.key(), &updated.entry, updated.has_new_owner).await?;
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
        let (shared, token) = (self.shared(), new_id("")?);
        let mut attempt = Attempt::default();
        let streams = &self.inner.streams;
        let change = (fence, token.as_str());
        let last =
            tried!(self.connection(), streams.append(shared, run, append, change, &mut attempt))?;
        if !records.is_empty() {
            news::appended(shared, run, stream, last).await;
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
        let (shared, streams) = (self.shared(), &self.inner.streams);
        tried!(self.connection(), streams.read(shared, run, stream, (after, most)))
    }

    async fn last(&self, run: &RunKey, stream: Stream) -> StoreResult<u64> {
        let (shared, streams) = (self.shared(), &self.inner.streams);
        tried!(self.connection(), streams.last(shared, run, stream))
    }

    async fn watch(&self, run: &RunKey, stream: Stream) -> StoreResult<Box<dyn Watch>> {
        let shared = self.shared();
        // So that the deletion of an earlier run of this identifier is not taken for one of this run.
        tried!(self.connection(), shared.index.catch_up())?;
        // First watched, then looked at, so that no record comes in between.
        let watched = shared.watchers.watch(run, stream);
        let last = self.last(run, stream).await?;
        shared.watchers.appended(run, stream, last);
        Ok(Box::new(watched))
    }

    async fn delete(&self, run: &RunKey) -> StoreResult<()> {
        let (shared, token) = (self.shared(), new_id("")?);
        let uid = tried!(self.connection(), records::delete(shared, run, &token))?;
        if let Some(uid) = uid {
            self.inner.streams.close(shared, &uid).await?;
        }
        files::release(shared, &run.tenant, &format!("run:{}", run.id)).await?;
        lock(&self.inner.fences).remove(run);
        shared.watchers.deleted(run);
        Ok(())
    }

    async fn blob_writer(&self, tenant: &str) -> StoreResult<Box<dyn BlobWriter>> {
        check_name("tenant", tenant)?;
        let file = Box::new(ArrivingFile::new(self.shared(), tenant));
        let Some(objects) = &self.shared().objects else { return Ok(file) };
        let to = (ObjectNotes { shared: self.shared().clone() }, objects.clone());
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
        let (shared, token) = (self.shared(), new_id("")?);
        let bytes = Bytes::copy_from_slice(bytes);
        let mut piece = partials::Piece { offset, bytes: &bytes, token: &token, stored: None };
        tried!(self.connection(), partials::append(shared, (tenant, id), &mut piece))
    }

    async fn partial_size(&self, tenant: &str, id: &str) -> StoreResult<u64> {
        tried!(self.connection(), partials::size(self.shared(), (tenant, id)))
    }

    async fn partial_finish(&self, tenant: &str, id: &str, owner: &str) -> StoreResult<Blob> {
        check_name("owner", owner)?;
        if let Some(objects) = &self.shared().objects
            && let Some(blob) = objects::finish(self.shared(), objects, (tenant, id), owner).await?
        {
            return Ok(blob);
        }
        let (shared, token) = (self.shared(), new_id("")?);
        let (mut digested, change) = (None, (owner, token.as_str()));
        tried!(self.connection(), partials::finish(shared, (tenant, id), change, &mut digested))
    }

    async fn partial_delete(&self, tenant: &str, id: &str) -> StoreResult<bool> {
        let token = new_id("")?;
        tried!(self.connection(), partials::delete(self.shared(), (tenant, id), &token))
    }

    async fn blob(&self, tenant: &str, sha256: &str) -> StoreResult<Arc<dyn BlobReader>> {
        files::open(self.shared(), tenant, sha256).await
    }

    async fn keep(&self, tenant: &str, sha256: &str, owner: &str) -> StoreResult<()> {
        check_name("owner", owner)?;
        let token = new_id("")?;
        tried!(self.connection(), files::keep(self.shared(), (tenant, owner), sha256, &token))
    }

    async fn release(&self, tenant: &str, owner: &str) -> StoreResult<()> {
        check_name("tenant", tenant)?;
        check_name("owner", owner)?;
        files::release(self.shared(), tenant, owner).await
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
        let token = new_id("")?;
        let mut change =
            documents::Change { value: &value, version, life, token: &token, long: None };
        tried!(self.connection(), documents::put(self.shared(), name, &mut change))
    }

    async fn document(&self, tenant: &str, table: &str, key: &str) -> StoreResult<Document> {
        tried!(self.connection(), documents::get(self.shared(), (tenant, table, key)))
    }

    async fn documents(
        &self,
        tenant: &str,
        table: &str,
        after: Option<&str>,
        limit: usize,
    ) -> StoreResult<Vec<Document>> {
        tried!(self.connection(), documents::list(self.shared(), (tenant, table), after, limit))
    }

    async fn delete_document(&self, tenant: &str, table: &str, key: &str) -> StoreResult<bool> {
        let token = new_id("")?;
        tried!(self.connection(), documents::delete(self.shared(), (tenant, table, key), &token))
    }

    async fn sweep(&self) -> StoreResult<Vec<(String, String, Document)>> {
        let _turn = self.inner.sweeps.lock().await;
        sweep::garbage(self.shared()).await?;
        let holder = (self.inner.holder.as_str(), &self.inner.handed);
        sweep::documents(self.shared(), holder).await
    }
}
