//! Storage of the service: records of runs, their streams, small documents, and files by digest.
//!
//! [`Store`] is all that the rest of the crate knows; [`FolderStore`] keeps everything in one folder of this machine, and
//! `PostgresStore` (feature `cluster`) in a database that several machines share, `NatsStore` (feature `cluster-nats`) in NATS
//! JetStream. A store holds the data of all tenants, and no method returns data of another tenant than the one that is named.
//!
//! Knows no model, no session and no HTTP.

mod checks;
#[cfg(test)]
mod contract;
mod folder;
mod ids;
#[cfg(feature = "cluster")]
mod leases;
#[cfg(feature = "cluster-nats")]
mod nats;
#[cfg(feature = "cluster")]
mod objects;
#[cfg(feature = "cluster")]
mod postgres;
mod record;
#[cfg(feature = "cluster")]
mod tries;
mod watchers;
mod whole;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;

pub use folder::FolderStore;
pub use ids::{ID_CHARACTERS, new_id};
#[cfg(feature = "cluster-nats")]
pub use nats::NatsStore;
#[cfg(feature = "cluster")]
pub use objects::ObjectStore;
#[cfg(feature = "cluster")]
pub use postgres::PostgresStore;
pub use record::{Record, RunKey};
pub(crate) use whole::{read_whole, write_whole};

use mitt_base::{Error, ErrorKind};

/// Why a store did not do something.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The run, document or file does not exist, or belongs to another tenant.
    Missing,
    /// Somebody else wrote first: the expected number or version is not the last one. Holds the last one.
    Conflict(u64),
    /// An idempotency key was used before with another request.
    KeyReused,
    /// The store failed, or a limit was reached.
    Failed(Error),
}

impl From<Error> for StoreError {
    fn from(error: Error) -> StoreError {
        StoreError::Failed(error)
    }
}

/// Result of a store.
pub type StoreResult<T> = Result<T, StoreError>;

/// One of the three streams of a run. Their records are numbered from 1 without gaps. A record has at most 16 MiB and no
/// line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    /// The log of `mitt-agent`, a line of JSON in each record. Only the owner of the run appends.
    Log,
    /// Events for watchers, a line of JSON in each record. Only the owner of the run appends.
    Events,
    /// Requests to the owner: instructions, decisions, results, cancellation. Everybody appends.
    Inbox,
}

/// Identifies a request that may be sent twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// The client's key, unique for its tenant.
    pub key: String,
    /// Hash of the request's content.
    pub request: String,
}

/// Result of [`Store::submit`].
#[derive(Clone, Debug)]
pub enum Submitted {
    /// The run was stored.
    New(Record),
    /// The same request was stored before as this run.
    Known(Record),
}

/// Which runs [`Store::list`] returns, newest first.
#[derive(Clone, Debug)]
pub struct ListRuns {
    /// Most records; no more than 1000 are returned.
    pub limit: usize,
    /// Only runs that are older than this one, which must exist. Runs of the same millisecond are in the order of their
    /// identifiers.
    pub before: Option<String>,
    /// Only runs of this status.
    pub status: Option<String>,
}

/// What a store holds of all tenants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreTotals {
    /// Number of runs by status.
    pub runs: BTreeMap<String, u64>,
    /// Bytes of all stored files.
    pub bytes: u64,
    /// Time that the run has waited which waits longest for a worker: since it was queued, or since the lease of its last owner
    /// ended. Zero if no run waits. `None` if the store does not note it, as [`FolderStore`].
    pub longest_wait: Option<Duration>,
}

/// Size and digest of a stored file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// SHA-256 in lower-case hexadecimal digits.
    pub sha256: String,
    /// Size in bytes.
    pub size: u64,
}

/// A file that is being stored. Without [`BlobWriter::finish`] nothing stays.
#[async_trait]
pub trait BlobWriter: Send {
    /// Adds bytes.
    async fn write(&mut self, bytes: &[u8]) -> StoreResult<()>;

    /// Ends the file, which `owner` then keeps until [`Store::release`].
    async fn finish(self: Box<Self>, owner: &str) -> StoreResult<Blob>;
}

/// A stored file that is open for reading.
#[async_trait]
pub trait BlobReader: Send + Sync {
    /// Returns the size in bytes.
    fn size(&self) -> u64;

    /// Returns at most `length` bytes from `start`; none at the end.
    async fn read(&self, start: u64, length: usize) -> StoreResult<Bytes>;
}

/// A watched stream.
#[async_trait]
pub trait Watch: Send {
    /// Returns the number of the last record, at once if it is above `after`, otherwise when a record is appended. Returns
    /// [`StoreError::Missing`] if the run is deleted.
    async fn last_after(&mut self, after: u64) -> StoreResult<u64>;
}

/// A small document with a name, such as the entry of an uploaded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Key in its table.
    pub key: String,
    /// Content, usually JSON; at most 1 MiB.
    pub value: Bytes,
    /// Number of changes, from 1.
    pub version: u64,
}

/// Storage of the service. All methods are safe against a crash: what returned `Ok` is there afterwards. A change is made as
/// a whole, also if its caller stops waiting.
///
/// Names of tenants, tables, documents, owners and idempotency keys have at most 1024 bytes and no zero byte. An identifier
/// of a run is up to 100 ASCII letters, digits, `_` and `-`.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Stores a new run, as version 1; as JSON it has at most 4 MiB. With `idempotency`, a request with the same key returns
    /// the run of the first one as it is now, for 24 hours or until that run is deleted. An identifier that the tenant has
    /// used already is a [`StoreError::Conflict`].
    async fn submit(
        &self,
        record: Record,
        idempotency: Option<&IdempotencyKey>,
    ) -> StoreResult<Submitted>;

    /// Returns the run that a request with this key stored, as it is now; `None` if there is none. A key of another request is a
    /// [`StoreError::KeyReused`]. Default: `None`, so that only [`Store::submit`] knows.
    async fn submitted(
        &self,
        tenant: &str,
        idempotency: &IdempotencyKey,
    ) -> StoreResult<Option<Record>> {
        let _ = (tenant, idempotency);
        Ok(None)
    }

    /// Returns the number of runs of a tenant, or of those of a status, at most `most`.
    async fn count(&self, tenant: &str, status: Option<&str>, most: u64) -> StoreResult<u64> {
        let _ = (tenant, status, most);
        Err(unsupported("number of runs"))
    }

    /// Returns the bytes of all stored files of a tenant. A file with several owners counts once.
    async fn stored_bytes(&self, tenant: &str) -> StoreResult<u64> {
        let _ = tenant;
        Err(unsupported("number of stored bytes"))
    }

    /// Returns what is stored of all tenants.
    async fn totals(&self) -> StoreResult<StoreTotals> {
        Err(unsupported("totals"))
    }

    /// Returns a run. Its lease has ended if its owner is known to be gone.
    async fn get(&self, run: &RunKey) -> StoreResult<Record>;

    /// Returns runs of a tenant, newest first.
    async fn list(&self, tenant: &str, list: &ListRuns) -> StoreResult<Vec<Record>>;

    /// Takes a run that waits (status `queued`, or `running` with a lease that has ended), and makes `worker` its owner for
    /// `lease`. The status becomes `running`. Returns `None` if no run waits.
    ///
    /// Runs whose lease has ended come first. Then comes the tenant that has the fewest runs with a lease, and of those tenants
    /// the one of which a run was taken least recently. Of a tenant, the oldest run comes first.
    ///
    /// A store of several processes prefers the worker that ended the last work of a run, because it may still have the session
    /// open: of a tenant, that worker takes the run before older ones, and others take it half a second later.
    async fn claim(&self, worker: &str, lease: Duration) -> StoreResult<Option<Record>>;

    /// Waits until `worker` may claim a run, or for `most`.
    async fn wait_for_work(&self, worker: &str, most: Duration);

    /// Writes a changed record, whose `version` must be the stored one, and returns it with its new version. With a lease,
    /// the owner keeps the run for this time, also if it is `queued`; with `None`, the run has no owner.
    async fn update(&self, record: &Record, lease: Option<Duration>) -> StoreResult<Record>;

    /// Appends records to a stream of a run after record `expected`; `None` appends after the last one, whatever its number.
    /// Returns the number of the last record. An inbox has at most 64 MiB, and events have 1 GiB.
    async fn append(
        &self,
        run: &RunKey,
        stream: Stream,
        expected: Option<u64>,
        records: &[Bytes],
    ) -> StoreResult<u64>;

    /// Returns records after number `after`, at most `most` and at most 4 MiB, but at least one if there is one.
    async fn read(
        &self,
        run: &RunKey,
        stream: Stream,
        after: u64,
        most: usize,
    ) -> StoreResult<Vec<Bytes>>;

    /// Returns the number of the last record; 0 if there is none.
    async fn last(&self, run: &RunKey, stream: Stream) -> StoreResult<u64>;

    /// Watches a stream.
    async fn watch(&self, run: &RunKey, stream: Stream) -> StoreResult<Box<dyn Watch>>;

    /// Deletes a run with its streams, its idempotency key and the files that only it owns (owner `run:<id>`).
    async fn delete(&self, run: &RunKey) -> StoreResult<()>;

    /// Begins to store a file of a tenant.
    async fn blob_writer(&self, tenant: &str) -> StoreResult<Box<dyn BlobWriter>>;

    /// Appends bytes to a file of a tenant that arrives in several requests, and returns its new size. `offset` must be its
    /// size, 0 for a new one; otherwise returns [`StoreError::Conflict`] with its size. Unlike with other methods, a crash
    /// may lose the end of what was appended: [`Store::partial_size`] returns what is left. `id` is one that [`new_id`]
    /// returned.
    async fn partial_append(
        &self,
        tenant: &str,
        id: &str,
        offset: u64,
        bytes: &[u8],
    ) -> StoreResult<u64> {
        let _ = (tenant, id, offset, bytes);
        Err(unsupported("files that arrive in several requests"))
    }

    /// Returns the size of a file that arrives in several requests; [`StoreError::Missing`] if nothing was appended to it,
    /// not even no bytes.
    async fn partial_size(&self, tenant: &str, id: &str) -> StoreResult<u64> {
        let _ = (tenant, id);
        Err(unsupported("files that arrive in several requests"))
    }

    /// Ends a file that arrived in several requests: it becomes a stored file, which `owner` keeps until [`Store::release`].
    /// After a crash, it is either still there as before, or stored with its owner.
    async fn partial_finish(&self, tenant: &str, id: &str, owner: &str) -> StoreResult<Blob> {
        let _ = (tenant, id, owner);
        Err(unsupported("files that arrive in several requests"))
    }

    /// Deletes a file that arrives in several requests; returns whether it was there. The store deletes one by itself when
    /// nothing was appended for seven days.
    async fn partial_delete(&self, tenant: &str, id: &str) -> StoreResult<bool> {
        let _ = (tenant, id);
        Err(unsupported("files that arrive in several requests"))
    }

    /// Opens a stored file of a tenant.
    async fn blob(&self, tenant: &str, sha256: &str) -> StoreResult<Arc<dyn BlobReader>>;

    /// Makes `owner` one more owner of a file.
    async fn keep(&self, tenant: &str, sha256: &str, owner: &str) -> StoreResult<()>;

    /// Ends the ownership of all files of `owner`. Files without owners are deleted.
    async fn release(&self, tenant: &str, owner: &str) -> StoreResult<()>;

    /// Returns the path of a stored file on this machine, if it has one.
    fn blob_path(&self, tenant: &str, sha256: &str) -> Option<std::path::PathBuf>;

    /// Writes a document into a table of a tenant, and returns its new version. `version` must be the stored one, 0 for a
    /// new document; `None` replaces any. After `life` it is gone.
    async fn put_document(
        &self,
        tenant: &str,
        table: &str,
        key: &str,
        value: Bytes,
        version: Option<u64>,
        life: Option<Duration>,
    ) -> StoreResult<u64>;

    /// Returns a document.
    async fn document(&self, tenant: &str, table: &str, key: &str) -> StoreResult<Document>;

    /// Returns documents of a table in the order of their keys, after the key `after`; no more than 1000.
    async fn documents(
        &self,
        tenant: &str,
        table: &str,
        after: Option<&str>,
        limit: usize,
    ) -> StoreResult<Vec<Document>>;

    /// Deletes a document; returns whether it was there.
    async fn delete_document(&self, tenant: &str, table: &str, key: &str) -> StoreResult<bool>;

    /// Deletes documents whose life has ended, and files that nobody owns. Called from time to time. Returns the documents
    /// that it deleted, as tenant, table and document, so that their owners' files can be released: at most 1000 and some
    /// 16 MiB at a time. After a crash it returns those of the last call again, unless their keys are in use again.
    async fn sweep(&self) -> StoreResult<Vec<(String, String, Document)>>;
}

/// Returns the error of a store that lacks something.
fn unsupported(what: &str) -> StoreError {
    StoreError::Failed(Error::new(ErrorKind::Host, format!("this store has no {what}")))
}
