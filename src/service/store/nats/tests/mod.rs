//! The contract against a real server, and what only a store in NATS promises.
//!
//! `tests/cluster/run` starts a server and sets `MITT_TEST_NATS` to its address, and `MITT_TEST_NATS_SERVER` to the program.
//! Without them these tests are skipped.

mod content;
mod faults;
mod killed;
mod objects;
mod server;
mod tls;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::NatsStore;
use super::clock::Clock;
use super::connection::Place;
use crate::store::contract::{Subject, store_contract};
use crate::store::{ObjectStore, Store, new_id};

/// Makes tests that need a server.
macro_rules! with_server {
    ($($name:ident,)*) => {
        mod with_server {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    if let Some(opened) = super::opened().await {
                        super::$name(&opened).await;
                    }
                }
            )*
        }
    };
}

pub(crate) use with_server;

/// Time at which tests begin.
const BEGIN_MS: u64 = 1_764_000_000_000;

/// A store in streams of its own, and the time that stands still in it.
pub(super) struct Opened {
    pub(super) store: NatsStore,
    pub(super) now_ms: Arc<AtomicU64>,
    pub(super) address: String,
    pub(super) name: String,
    pub(super) objects: Option<ObjectStore>,
}

/// Returns the address of the server for tests; `None` if there is none, which is printed.
#[expect(clippy::print_stderr, reason = "a test that does nothing says why")]
pub(super) fn address() -> Option<String> {
    let address = std::env::var("MITT_TEST_NATS").ok().filter(|address| !address.is_empty());
    if address.is_none() {
        eprintln!("skipped: MITT_TEST_NATS has no address of a server; tests/cluster/run sets it");
    }
    address
}

/// Opens a store in new streams; `None` if there is no server.
pub(super) async fn opened() -> Option<Opened> {
    Some(opened_at(address()?).await)
}

/// Opens a store in new streams of a server.
pub(super) async fn opened_at(address: String) -> Opened {
    opened_with(address, None).await
}

/// Opens a store in new streams of a server, with the content of files in `objects`.
pub(super) async fn opened_with(address: String, objects: Option<ObjectStore>) -> Opened {
    let name = new_id("mitt_test_").unwrap();
    let now_ms = Arc::new(AtomicU64::new(BEGIN_MS));
    let store = open((&address, &name), &objects, &now_ms).await;
    Opened { store, now_ms, address, name, objects }
}

async fn open(
    address: (&str, &str),
    objects: &Option<ObjectStore>,
    now_ms: &Arc<AtomicU64>,
) -> NatsStore {
    let clock = Clock::fixed(now_ms.clone());
    let now_ms = now_ms.clone();
    let local = Arc::new(move || Duration::from_millis(now_ms.load(Ordering::Relaxed)));
    NatsStore::open_in(address, objects.clone(), local, clock).await.unwrap()
}

impl Opened {
    /// Opens the same store as another process does.
    pub(super) async fn other(&self) -> NatsStore {
        open((&self.address, &self.name), &self.objects, &self.now_ms).await
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let connection = &self.store.shared().connection;
        let delete = async {
            for place in [Place::Entries, Place::Data] {
                let delete = format!("STREAM.DELETE.{}", connection.stream(place));
                // A test may have ended its server.
                let _ = connection.api(&delete, &serde_json::Value::Null).await;
            }
        };
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(delete));
    }
}

impl Subject for Opened {
    fn store(&self) -> &dyn Store {
        &self.store
    }

    fn advance(&self, time: Duration) {
        self.now_ms.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
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
