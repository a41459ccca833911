//! The contract against a real database, and what only a store in a database promises.
//!
//! `tests/cluster/run` starts a database and sets `MITT_TEST_POSTGRES` to its address. Without it these tests are skipped.

mod faults;
mod objects;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::PostgresStore;
use crate::store::contract::{Subject, store_contract};
use crate::store::{ObjectStore, Store, new_id};

/// Time at which tests begin.
const BEGIN_MS: u64 = 1_764_000_000_000;

/// A store in a schema of its own, and the time that stands still in it.
pub(super) struct Opened {
    pub(super) store: PostgresStore,
    pub(super) now_ms: Arc<AtomicU64>,
    pub(super) address: String,
    pub(super) schema: String,
    pub(super) objects: Option<ObjectStore>,
}

/// Returns the address of the database for tests; `None` if there is none, which is printed.
#[expect(clippy::print_stderr, reason = "a test that does nothing says why")]
pub(super) fn address() -> Option<String> {
    let address = std::env::var("MITT_TEST_POSTGRES").ok().filter(|address| !address.is_empty());
    if address.is_none() {
        eprintln!(
            "skipped: MITT_TEST_POSTGRES has no address of a database; tests/cluster/run sets it"
        );
    }
    address
}

/// Opens a store in a new schema; `None` if there is no database.
pub(super) async fn opened() -> Option<Opened> {
    opened_with(None).await
}

/// Opens a store in a new schema, with the content of files in `objects`.
pub(super) async fn opened_with(objects: Option<ObjectStore>) -> Option<Opened> {
    let address = address()?;
    // The alphabet of identifiers has characters that need quotes.
    let id = new_id("").unwrap();
    let digits: String = id.bytes().map(|byte| format!("{byte:02x}")).collect();
    let schema = format!("mitt_test_{digits}");
    let now_ms = Arc::new(AtomicU64::new(BEGIN_MS));
    let store = open(&address, &schema, &objects, &now_ms).await;
    let opened = Opened { store, now_ms, address, schema, objects };
    opened.set_clock().await;
    Some(opened)
}

async fn open(
    address: &str,
    schema: &str,
    objects: &Option<ObjectStore>,
    now_ms: &Arc<AtomicU64>,
) -> PostgresStore {
    let now_ms = now_ms.clone();
    let clock = Arc::new(move || Duration::from_millis(now_ms.load(Ordering::Relaxed)));
    PostgresStore::open_in(address, schema, objects.clone(), clock).await.unwrap()
}

impl Opened {
    /// Opens the same store as another process does.
    pub(super) async fn other(&self) -> PostgresStore {
        open(&self.address, &self.schema, &self.objects, &self.now_ms).await
    }

    /// Does a statement.
    pub(super) async fn batch(&self, sql: &str) {
        let mut lent = self.store.pool_for_tests().lend().await.unwrap();
        lent.batch(sql).await.unwrap();
    }

    /// Lets the clock of the database say what the tests say.
    async fn set_clock(&self) {
        let now_ms = self.now_ms.load(Ordering::Relaxed);
        let set = "create or replace function now_ms() returns bigint language sql stable as";
        self.batch(&format!("{set} $$ select {now_ms}::bigint $$")).await;
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let drop = format!("drop schema {} cascade", self.schema);
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(self.batch(&drop))
        });
    }
}

impl Subject for Opened {
    fn store(&self) -> &dyn Store {
        &self.store
    }

    fn advance(&self, time: Duration) {
        self.now_ms.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(self.set_clock())
        });
    }
}

store_contract!(match opened().await {
    Some(opened) => opened,
    None => return,
});
store_contract!(@processes match opened().await {
    Some(opened) => opened,
    None => return,
});
