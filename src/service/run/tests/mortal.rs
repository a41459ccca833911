//! A store of a process that can be killed: after that, none of its requests returns.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;

use super::*;
use crate::store::{
    BlobReader, BlobWriter, Document, IdempotencyKey, ListRuns, Record, RunKey, StoreResult,
    Stream, Submitted, Watch,
};

/// How a process and its store end.
#[derive(Default)]
pub(super) struct Death {
    /// Text of a record after which nothing more is done.
    pub(super) after: Option<&'static str>,
    /// Time that it takes to begin a file.
    pub(super) blob_delay: Duration,
}

/// The store of a process.
struct Mortal {
    inner: Arc<dyn Store>,
    is_dead: AtomicBool,
    death: Death,
}

/// Runs a service in a runtime of its own, which is then stopped as by `kill -9`.
pub(super) fn killed<T>(stage: &Stage, work: impl AsyncFnOnce(Runs) -> T + Send + 'static) -> T
where
    T: Send + 'static,
{
    killed_by(Death::default(), stage, work)
}

/// Like [`killed`], with a store that ends in this way.
pub(super) fn killed_by<T>(
    death: Death,
    stage: &Stage,
    work: impl AsyncFnOnce(Runs) -> T + Send + 'static,
) -> T
where
    T: Send + 'static,
{
    let store = Arc::new(Mortal::new(stage.options.store.clone(), death));
    let (mut options, park) = (stage.options.clone(), stage.park);
    options.store = store.clone();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let (runs, done) = runtime.block_on(async {
            let runs = Runs::start_with(options, park);
            let done = work(runs.clone()).await;
            (runs, done)
        });
        store.kill();
        runtime.shutdown_background();
        drop(runs);
        done
    });
    thread.join().unwrap()
}

impl Mortal {
    fn new(inner: Arc<dyn Store>, death: Death) -> Mortal {
        Mortal { inner, is_dead: AtomicBool::new(false), death }
    }

    fn kill(&self) {
        self.is_dead.store(true, Ordering::SeqCst);
    }

    /// Returns the store, or never.
    async fn alive(&self) -> &dyn Store {
        if self.is_dead.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        &*self.inner
    }
}

#[async_trait]
impl Store for Mortal {
    async fn submit(&self, record: Record, key: Option<&IdempotencyKey>) -> StoreResult<Submitted> {
        self.alive().await.submit(record, key).await
    }

    async fn get(&self, run: &RunKey) -> StoreResult<Record> {
        self.alive().await.get(run).await
    }

    async fn list(&self, tenant: &str, list: &ListRuns) -> StoreResult<Vec<Record>> {
        self.alive().await.list(tenant, list).await
    }

    async fn claim(&self, worker: &str, lease: Duration) -> StoreResult<Option<Record>> {
        self.alive().await.claim(worker, lease).await
    }

    async fn wait_for_work(&self, worker: &str, most: Duration) {
        self.alive().await.wait_for_work(worker, most).await;
    }

    async fn update(&self, record: &Record, lease: Option<Duration>) -> StoreResult<Record> {
        self.alive().await.update(record, lease).await
    }

    async fn append(
        &self,
        run: &RunKey,
        stream: Stream,
        expected: Option<u64>,
        records: &[Bytes],
    ) -> StoreResult<u64> {
        let last = self.alive().await.append(run, stream, expected, records).await;
        let has = |text: &str| records.iter().any(|it| String::from_utf8_lossy(it).contains(text));
        if self.death.after.is_some_and(has) {
            self.kill();
        }
        last
    }

    async fn read(
        &self,
        run: &RunKey,
        stream: Stream,
        after: u64,
        most: usize,
    ) -> StoreResult<Vec<Bytes>> {
        self.alive().await.read(run, stream, after, most).await
    }

    async fn last(&self, run: &RunKey, stream: Stream) -> StoreResult<u64> {
        self.alive().await.last(run, stream).await
    }

    async fn watch(&self, run: &RunKey, stream: Stream) -> StoreResult<Box<dyn Watch>> {
        self.alive().await.watch(run, stream).await
    }

    async fn delete(&self, run: &RunKey) -> StoreResult<()> {
        self.alive().await.delete(run).await
    }

    async fn blob_writer(&self, tenant: &str) -> StoreResult<Box<dyn BlobWriter>> {
        tokio::time::sleep(self.death.blob_delay).await;
        self.alive().await.blob_writer(tenant).await
    }

    async fn blob(&self, tenant: &str, sha256: &str) -> StoreResult<Arc<dyn BlobReader>> {
        self.alive().await.blob(tenant, sha256).await
    }

    async fn keep(&self, tenant: &str, sha256: &str, owner: &str) -> StoreResult<()> {
        self.alive().await.keep(tenant, sha256, owner).await
    }

    async fn release(&self, tenant: &str, owner: &str) -> StoreResult<()> {
        self.alive().await.release(tenant, owner).await
    }

    fn blob_path(&self, tenant: &str, sha256: &str) -> Option<PathBuf> {
        self.inner.blob_path(tenant, sha256)
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
        self.alive().await.put_document(tenant, table, key, value, version, life).await
    }

    async fn document(&self, tenant: &str, table: &str, key: &str) -> StoreResult<Document> {
        self.alive().await.document(tenant, table, key).await
    }

    async fn documents(
        &self,
        tenant: &str,
        table: &str,
        after: Option<&str>,
        limit: usize,
    ) -> StoreResult<Vec<Document>> {
        self.alive().await.documents(tenant, table, after, limit).await
    }

    async fn delete_document(&self, tenant: &str, table: &str, key: &str) -> StoreResult<bool> {
        self.alive().await.delete_document(tenant, table, key).await
    }

    async fn sweep(&self) -> StoreResult<Vec<(String, String, Document)>> {
        self.alive().await.sweep().await
    }
}
