//! The contract, and what only a store in a folder promises.

mod crashes;
mod model;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;

use super::FolderStore;
use super::folder_store::Clock;
use super::keys::Table;
use crate::store::contract::{Subject, key, record, store_contract, stored, submitted};
use crate::store::{Store, Stream};
use mitt_agent::{LoggedRun, RunHeader, RunLog, ToolMode};
use mitt_base::ErrorKind;

/// A store in a folder that goes with it.
struct Opened {
    store: FolderStore,
    now_ms: Arc<AtomicU64>,
    folder: tempfile::TempDir,
}

/// Time at which tests begin.
const BEGIN_MS: u64 = 1_764_000_000_000;

fn clock(now_ms: &Arc<AtomicU64>) -> Clock {
    let now_ms = now_ms.clone();
    Arc::new(move || Duration::from_millis(now_ms.load(Ordering::Relaxed)))
}

fn open(folder: &Path) -> FolderStore {
    FolderStore::open(folder, clock(&Arc::new(BEGIN_MS.into()))).unwrap()
}

fn opened() -> Opened {
    let (folder, now_ms) = (tempfile::tempdir().unwrap(), Arc::new(BEGIN_MS.into()));
    let store = FolderStore::open(&folder.path().join("store"), clock(&now_ms)).unwrap();
    Opened { store, now_ms, folder }
}

impl Opened {
    fn path(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// Closes the store and opens it again.
    fn reopened(self) -> Opened {
        let Opened { store, now_ms, folder } = self;
        drop(store);
        let store = FolderStore::open(&folder.path().join("store"), clock(&now_ms)).unwrap();
        // The tests go on as the same process.
        store.note_worker("w");
        Opened { store, now_ms, folder }
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

store_contract!(opened());

/// Returns the paths of all files and folders below a folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

#[tokio::test]
async fn a_store_is_open_once() {
    let opened = opened();
    let error = FolderStore::open(&opened.path(), clock(&opened.now_ms)).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::Busy { .. }));
    assert!(error.to_string().ends_with("is used already"), "{error}");
    assert_eq!(error.hints(), ["stop the other process, or name another folder"]);
    let store = opened.store.clone();
    submitted(&store, "a", "run_1", 1).await;
    let opened = opened.reopened_while_used(store);
    assert_eq!(opened.store.get(&key("a", "run_1")).await.unwrap().version, 1);
}

impl Opened {
    /// Closes the store, of which there is another handle.
    fn reopened_while_used(self, other: FolderStore) -> Opened {
        let Opened { store, now_ms, folder } = self;
        drop(store);
        let path = folder.path().join("store");
        assert!(FolderStore::open(&path, clock(&now_ms)).is_err(), "the other handle uses it");
        drop(other);
        let store = FolderStore::open(&path, clock(&now_ms)).unwrap();
        Opened { store, now_ms, folder }
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let clock = clock(&Arc::new(0.into()));
    let error = FolderStore::open(&file, clock.clone()).err().unwrap();
    assert!(error.to_string().starts_with("the store in "), "{error}");
    assert_eq!((error.kind(), error.hints().len()), (&ErrorKind::Host, 1));
    let path = folder.path().join("damaged");
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("index.redb"), vec![7; 10_000]).unwrap();
    let error = FolderStore::open(&path, clock).err().unwrap();
    assert!(error.to_string().contains("the index of the store cannot be read"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_it_and_no_link_is_followed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let opened = opened();
    let run = submitted(&opened.store, "a", "run_1", 1).await.key();
    for stream in [Stream::Log, Stream::Events, Stream::Inbox] {
        opened.store.append(&run, stream, None, &["x".into()]).await.unwrap();
    }
    stored(&opened.store, "a", b"x", "o").await;
    let mut writer = opened.store.blob_writer("a").await.unwrap();
    writer.write(&vec![0; 300_000]).await.unwrap();
    opened.store.partial_append("a", "up_1", 0, b"x").await.unwrap();
    let entries = entries(&opened.path());
    assert_eq!(entries.iter().filter(|path| path.is_file()).count(), 9, "{entries:?}");
    for path in entries.iter().chain([&opened.path()]) {
        let mode = path.symlink_metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
    let (outside, run) = (opened.folder.path().join("outside"), key("a", "run_2"));
    std::fs::write(&outside, "mine\n").unwrap();
    submitted(&opened.store, "a", "run_2", 1).await;
    let log = opened.store.log_path(&run);
    std::fs::create_dir_all(log.parent().unwrap()).unwrap();
    symlink(&outside, log).unwrap();
    assert!(opened.store.append(&run, Stream::Log, None, &["x".into()]).await.is_err());
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "mine\n");
}

#[tokio::test]
async fn the_log_of_a_run_is_one_that_mitt_agent_reads() {
    let opened = opened();
    let run = submitted(&opened.store, "Müller & Söhne/月", "run_1", 1).await.key();
    assert!(!opened.store.log_path(&run).exists());
    // As `RunLog` writes it: a line in each write.
    let written = tempfile::NamedTempFile::new().unwrap();
    let header = RunHeader::new("2026-11-27T00:00:00Z".into(), "m".into(), ToolMode::Script);
    drop(RunLog::begin(written.reopen().unwrap(), &header).unwrap());
    let line = std::fs::read_to_string(written.path()).unwrap();
    let line = Bytes::from(line.trim_end().to_owned());
    opened.store.append(&run, Stream::Log, Some(0), &[line]).await.unwrap();
    let file = std::fs::File::open(opened.store.log_path(&run)).unwrap();
    assert_eq!(LoggedRun::read(file).unwrap().header(), &header);
}

#[tokio::test]
async fn nothing_of_what_was_deleted_is_left_on_disk() {
    let opened = opened();
    let before = entries(&opened.path()).len();
    for tenant in ["a", &"月".repeat(200)] {
        let run = submitted(&opened.store, tenant, "run_1", 1).await.key();
        for stream in [Stream::Log, Stream::Events, Stream::Inbox] {
            opened.store.append(&run, stream, None, &["secret words".into()]).await.unwrap();
        }
        stored(&opened.store, tenant, b"secret words", "run:run_1").await;
        stored(&opened.store, tenant, b"other secret words", "file-1").await;
        opened.store.delete(&run).await.unwrap();
        opened.store.release(tenant, "file-1").await.unwrap();
    }
    let mut writer = opened.store.blob_writer("a").await.unwrap();
    writer.write(&vec![0; 300_000]).await.unwrap();
    drop(writer);
    // Only the folders of the two tenants' runs.
    let after = entries(&opened.path());
    assert_eq!(after.len(), before + 2, "{after:?}");
    for path in after.iter().filter(|path| path.is_file()) {
        let content = std::fs::read(path).unwrap();
        let is_index = path.file_name().unwrap().to_str().unwrap().starts_with("index.");
        let found = content.windows(12).any(|bytes| bytes == b"secret words");
        assert!(is_index || !found, "{}", path.display());
    }
    let rows = opened.store.row_count(None);
    assert_eq!(rows, 3 + 1, "only the index's own rows, and the last effect");
}

/// A store of a version that counted nothing is counted once, when it is opened.
#[tokio::test]
async fn totals_are_counted_where_they_are_missing() {
    let opened = opened();
    submitted(&opened.store, "a", "run_1", 1).await;
    submitted(&opened.store, "a", "run_2", 2).await;
    opened.store.claim("w", Duration::from_secs(1)).await.unwrap().unwrap();
    stored(&opened.store, "a", b"12345", "o").await;
    stored(&opened.store, "b", b"123", "o").await;
    let expected = opened.store.totals().await.unwrap();
    assert_eq!((expected.bytes, expected.runs["queued"], expected.runs["running"]), (8, 1, 1));
    opened.store.forget_totals();
    assert_eq!(opened.store.totals().await.unwrap(), Default::default());
    let opened = opened.reopened();
    assert_eq!(opened.store.totals().await.unwrap(), expected);
    assert_eq!(opened.store.stored_bytes("a").await.unwrap(), 5);
    // What is released is taken off.
    opened.store.release("a", "o").await.unwrap();
    assert_eq!(opened.store.stored_bytes("a").await.unwrap(), 0);
    assert_eq!(opened.reopened().store.totals().await.unwrap().bytes, 3);
}

/// Runs of a store of a version without turns wait as they did, each in the turn of its tenant.
#[tokio::test]
async fn turns_are_made_where_they_are_missing() {
    let opened = opened();
    for (tenant, id, created) in [("a", "1", 1), ("a", "2", 2), ("a", "3", 3), ("b", "4", 4)] {
        submitted(&opened.store, tenant, id, created).await;
    }
    let first = opened.store.claim("w", Duration::from_mins(1)).await.unwrap().unwrap();
    assert_eq!(first.id, "1");
    opened.store.forget_turns();
    let opened = opened.reopened().reopened();
    assert_eq!(opened.store.row_count(Some(Table::WaitingByAge)), 0);
    let mut order = Vec::new();
    while let Some(run) = opened.store.claim("w", Duration::from_mins(1)).await.unwrap() {
        order.push(run.id.clone());
    }
    assert_eq!(order, ["4", "2", "3"]);
    let tables = [Table::Waiting, Table::Turns, Table::Tenants, Table::Leases];
    assert_eq!(tables.map(|table| opened.store.row_count(Some(table))), [0, 0, 2, 4]);
}

#[tokio::test]
async fn a_claim_takes_no_longer_with_ten_thousand_waiting_runs() {
    let opened = opened();
    let claims = async || {
        let begin = std::time::Instant::now();
        for _ in 0..50 {
            let run = opened.store.claim("w", Duration::from_mins(1)).await.unwrap().unwrap();
            opened.store.delete(&run.key()).await.unwrap();
        }
        begin.elapsed()
    };
    for number in 0..100 {
        submitted(&opened.store, "a", &format!("few_{number}"), number).await;
    }
    let few = claims().await;
    let many = (0..10_000).map(|number| {
        let tenant = format!("tenant {}", number % 1_000);
        opened.store.submit(record(&tenant, &format!("run_{number}"), number), None)
    });
    futures_util::future::try_join_all(many).await.unwrap();
    let many = claims().await;
    assert!(many < few * 20 + Duration::from_millis(500), "{few:?} {many:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn few_files_are_open_however_many_runs_there_are() {
    let opened = opened();
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let mut runs = Vec::new();
    for number in 0..300 {
        let run = submitted(&opened.store, "a", &format!("run_{number}"), number).await.key();
        for stream in [Stream::Log, Stream::Events, Stream::Inbox] {
            opened.store.append(&run, stream, Some(0), &["x".into()]).await.unwrap();
        }
        runs.push(run);
    }
    assert_eq!(opened.store.in_use(), (80, 0));
    // Other tests of this process have files open too; 300 runs have 900.
    assert!(descriptors() < 800, "{}", descriptors());
    // Those that were closed are opened again where they ended.
    for run in &runs {
        assert_eq!(opened.store.append(run, Stream::Log, Some(1), &["y".into()]).await.unwrap(), 2);
        assert_eq!(opened.store.last(run, Stream::Events).await.unwrap(), 1);
    }
    let mut watches = Vec::new();
    for run in &runs {
        watches.push(opened.store.watch(run, Stream::Events).await.unwrap());
        watches.push(opened.store.watch(run, Stream::Inbox).await.unwrap());
    }
    assert_eq!(opened.store.in_use(), (80, 300), "who watches keeps no file open");
    drop(watches);
    assert_eq!(opened.store.in_use(), (80, 0), "nothing is kept for streams that nobody watches");
}

#[tokio::test]
async fn a_claim_does_not_look_at_runs_that_have_ended() {
    let opened = opened();
    let many = (0..3_000).map(|number| {
        let run = crate::store::Record {
            status: "completed".to_owned(),
            ..record("a", &format!("run_{number}"), number)
        };
        opened.store.submit(run, None)
    });
    futures_util::future::try_join_all(many).await.unwrap();
    submitted(&opened.store, "a", "last", 5_000).await;
    let candidates =
        || [Table::Waiting, Table::Leases].map(|table| opened.store.row_count(Some(table)));
    assert_eq!(candidates(), [1, 0]);
    let run = opened.store.claim("w", Duration::from_secs(1)).await.unwrap().unwrap();
    assert_eq!(run.id, "last");
    assert_eq!(candidates(), [0, 1]);
    opened.store.delete(&run.key()).await.unwrap();
    assert_eq!(candidates(), [0, 0]);
}
