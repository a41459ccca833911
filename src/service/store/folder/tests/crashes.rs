//! What is there after a process was killed, and after the disk failed.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use redb::StorageBackend;
use redb::backends::FileBackend;

use super::super::index::Index;
use super::super::keys::{Key, Table};
use super::super::places::Effect;
use super::super::redo_log::RedoLog;
use super::{BEGIN_MS, entries, open, opened};
use crate::store::contract::{assert_missing, key, record, stored, submitted};
use crate::store::{
    FolderStore, IdempotencyKey, ListRuns, Record, Store, StoreError, Stream, Submitted,
};

/// Copies a store as it lies on the disk at this moment, which is what a killed process leaves.
fn killed(from: &Path, to: &Path) {
    for entry in [vec![from.to_owned()], entries(from)].concat() {
        let copy = to.join(entry.strip_prefix(from).unwrap());
        if entry.is_dir() {
            fs::create_dir_all(copy).unwrap();
        } else {
            fs::copy(entry, copy).unwrap();
        }
    }
}

#[tokio::test]
async fn everything_is_there_after_closing_and_after_being_killed() {
    let opened = opened();
    let request = IdempotencyKey { key: "k".into(), request: "r".into() };
    let run = record("a", "run_1", 5);
    let Submitted::New(run) = opened.store.submit(run, Some(&request)).await.unwrap() else {
        panic!()
    };
    let claimed = opened.store.claim("w", std::time::Duration::from_secs(30)).await.unwrap();
    opened.store.append(&run.key(), Stream::Events, None, &["x".into(), "y".into()]).await.unwrap();
    let sha256 = stored(&opened.store, "a", b"content", "o").await;
    opened.store.put_document("a", "t", "k", "v".into(), None, None).await.unwrap();
    submitted(&opened.store, "a", "deleted", 5).await;
    opened.store.delete(&key("a", "deleted")).await.unwrap();
    let copy = opened.folder.path().join("copy");
    killed(&opened.path(), &copy);
    let opened = opened.reopened();
    for store in [opened.store.clone(), open(&copy)] {
        store.note_worker("w");
        assert_eq!(store.get(&run.key()).await.unwrap(), claimed.clone().unwrap());
        let again = store.submit(record("a", "run_2", 5), Some(&request)).await.unwrap();
        assert!(matches!(again, Submitted::Known(_)));
        let events = store.read(&run.key(), Stream::Events, 0, 9).await.unwrap();
        assert_eq!(events, ["x", "y"]);
        let blob = store.blob("a", &sha256).await.unwrap();
        assert_eq!(blob.read(0, 100).await.unwrap(), "content");
        assert_eq!(store.document("a", "t", "k").await.unwrap().value, "v");
        assert_missing(store.get(&key("a", "deleted")).await);
    }
}

/// Nobody waits for the end of a lease whose worker is gone.
#[tokio::test]
async fn a_lease_ends_with_the_process_of_its_worker() {
    let opened = opened();
    let run = submitted(&opened.store, "a", "run_1", 5).await;
    let lease = std::time::Duration::from_secs(30);
    let claimed = opened.store.claim("w", lease).await.unwrap().unwrap();
    assert!(claimed.lease_until_ms > BEGIN_MS);
    let copy = opened.folder.path().join("copy");
    killed(&opened.path(), &copy);
    let store = open(&copy);
    let list = ListRuns { limit: 9, before: None, status: None };
    let [listed] = store.list("a", &list).await.unwrap().try_into().unwrap();
    for record in [store.get(&run.key()).await.unwrap(), listed] {
        assert_eq!((record.owner.as_deref(), record.lease_until_ms), (Some("w"), BEGIN_MS));
    }
    // A worker of this process keeps its own.
    let record = store.get(&run.key()).await.unwrap();
    let mine = Record { owner: Some("x".to_owned()), ..record };
    let mine = store.update(&mine, Some(lease)).await.unwrap();
    assert_eq!(store.get(&run.key()).await.unwrap(), mine);
}

#[tokio::test]
async fn a_large_index_survives_too() {
    let opened = opened();
    let value = Bytes::from(vec![b'x'; 200_000]);
    // Some 10 MB, so that the log became the file's twice.
    for number in 0..50 {
        let key = number.to_string();
        opened.store.put_document("a", "t", &key, value.clone(), None, None).await.unwrap();
    }
    let log = fs::metadata(opened.path().join("index.log")).unwrap().len();
    assert!(log < 5 << 20, "{log}");
    let copy = opened.folder.path().join("copy");
    killed(&opened.path(), &copy);
    let store = open(&copy);
    assert_eq!(store.documents("a", "t", None, 100).await.unwrap().len(), 50);
    drop(store);
    // After an orderly end nothing is left to be done again.
    assert_eq!(fs::metadata(copy.join("index.log")).unwrap().len(), 0);
}

#[tokio::test]
async fn an_entry_that_was_half_written_did_not_happen() {
    let opened = opened();
    for number in 0..3 {
        opened
            .store
            .put_document("a", "t", &number.to_string(), "v".into(), None, None)
            .await
            .unwrap();
    }
    let copy = opened.folder.path().join("copy");
    killed(&opened.path(), &copy);
    let log = fs::File::options().write(true).open(copy.join("index.log")).unwrap();
    log.set_len(log.metadata().unwrap().len() - 1).unwrap();
    let store = open(&copy);
    assert_eq!(store.documents("a", "t", None, 9).await.unwrap().len(), 2);
    assert_eq!(store.put_document("a", "t", "2", "v".into(), Some(0), None).await.unwrap(), 1);
    drop(store);
    assert_eq!(open(&copy).documents("a", "t", None, 9).await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_record_that_was_half_written_did_not_happen() {
    let opened = opened();
    let run = submitted(&opened.store, "a", "run_1", 1).await.key();
    opened.store.append(&run, Stream::Log, None, &["one".into(), "two".into()]).await.unwrap();
    let path = opened.store.log_path(&run);
    let copy = opened.folder.path().join("copy");
    killed(&opened.path(), &copy);
    let path = copy.join(path.strip_prefix(opened.path()).unwrap());
    for torn in ["three", "{\"a\":", "\u{0}\u{0}"] {
        fs::write(&path, format!("one\ntwo\n{torn}")).unwrap();
        let store = open(&copy);
        assert_eq!(store.last(&run, Stream::Log).await.unwrap(), 2);
        assert_eq!(store.append(&run, Stream::Log, Some(2), &["3".into()]).await.unwrap(), 3);
        assert_eq!(store.read(&run, Stream::Log, 0, 9).await.unwrap(), ["one", "two", "3"]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n3\n");
    }
}

#[tokio::test]
async fn what_was_arriving_is_removed_and_what_was_to_be_removed_is_too() {
    let opened = opened();
    let mut writer = opened.store.blob_writer("a").await.unwrap();
    writer.write(&vec![0; 300_000]).await.unwrap();
    let sha256 = stored(&opened.store, "a", b"content", "o").await;
    let gone = stored(&opened.store, "a", b"gone", "o2").await;
    let gone_path = opened.store.blob_path("a", &gone).unwrap();
    opened.store.release("a", "o2").await.unwrap();
    let copy = opened.folder.path().join("copy");
    killed(&opened.path(), &copy);
    let arriving = copy.join("blobs/arriving");
    assert_eq!(fs::read_dir(&arriving).unwrap().count(), 1);
    // The process was killed before the file was removed.
    let gone_path = copy.join(gone_path.strip_prefix(opened.path()).unwrap());
    fs::create_dir_all(gone_path.parent().unwrap()).unwrap();
    fs::write(&gone_path, "gone").unwrap();
    let store = open(&copy);
    assert_eq!(fs::read_dir(arriving).unwrap().count(), 0);
    assert!(!gone_path.exists());
    assert_eq!(store.blob("a", &sha256).await.unwrap().size(), 7);
}

#[tokio::test]
async fn a_partial_file_is_there_as_before_or_stored() {
    let opened = opened();
    opened.store.partial_append("a", "up_1", 0, b"half").await.unwrap();
    opened.store.partial_append("a", "up_2", 0, b"whole").await.unwrap();
    let before = opened.folder.path().join("before");
    killed(&opened.path(), &before);
    let whole = opened.store.partial_finish("a", "up_2", "o").await.unwrap().sha256;
    let after = opened.folder.path().join("after");
    killed(&opened.path(), &after);
    // The process was killed before the file was renamed.
    let path = opened.store.blob_path("a", &whole).unwrap();
    let path = after.join(path.strip_prefix(opened.path()).unwrap());
    fs::rename(&path, after.join("partial/t-a/up_2")).unwrap();
    let (before, after) = (open(&before), open(&after));
    assert_eq!(before.partial_size("a", "up_2").await.unwrap(), 5);
    assert_missing(before.blob("a", &whole).await);
    assert_missing(after.partial_size("a", "up_2").await);
    assert_eq!(fs::read(path).unwrap(), b"whole");
    for store in [before, after] {
        assert_eq!(store.partial_size("a", "up_1").await.unwrap(), 4);
    }
}

/// An index whose disk can be made to fail.
struct Failing {
    folder: tempfile::TempDir,
    fails: Arc<AtomicBool>,
}

#[derive(Debug)]
struct FailingFile(FileBackend, Arc<AtomicBool>);

impl FailingFile {
    fn check(&self) -> Result<(), std::io::Error> {
        if self.1.load(Ordering::Relaxed) {
            return Err(std::io::Error::other("no room"));
        }
        Ok(())
    }
}

impl StorageBackend for FailingFile {
    fn len(&self) -> Result<u64, std::io::Error> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), std::io::Error> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> Result<(), std::io::Error> {
        self.check()?;
        self.0.set_len(len)
    }

    fn sync_data(&self) -> Result<(), std::io::Error> {
        self.check()?;
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), std::io::Error> {
        self.check()?;
        self.0.write(offset, data)
    }
}

impl Failing {
    fn open(&self, perform: impl Fn(&Effect) -> std::io::Result<()> + Send + 'static) -> Index {
        let mut options = fs::File::options();
        options.read(true).create(true);
        let log = options.clone().append(true).open(self.folder.path().join("log")).unwrap();
        let (path, fails) = (self.folder.path().join("file"), self.fails.clone());
        let opener = move || {
            let file = options.clone().write(true).truncate(false).open(&path)?;
            let file = FailingFile(FileBackend::new(file)?, fails.clone());
            redb::Builder::new().create_with_backend(file)
        };
        Index::open(Box::new(opener), RedoLog::new(log).unwrap(), Box::new(perform)).unwrap()
    }
}

fn failing() -> Failing {
    Failing { folder: tempfile::tempdir().unwrap(), fails: Arc::default() }
}

fn row(number: u64) -> Key {
    Key::of(Table::Documents).number(number)
}

#[tokio::test]
async fn after_a_failure_of_the_disk_the_index_goes_on_with_all_that_was_kept() {
    let failing = failing();
    let index = failing.open(|_| Ok(()));
    let put =
        |number, length| index.write(move |batch| batch.put(&row(number), &vec![b'x'; length]));
    put(1, 10).await.unwrap();
    put(2, 5 << 20).await.unwrap();
    failing.fails.store(true, Ordering::Relaxed);
    // The log is large, so this one waits for the disk.
    for _ in 0..2 {
        match put(3, 10).await {
            Err(StoreError::Failed(error)) => assert_eq!(error.hints().len(), 1, "{error}"),
            other => panic!("{other:?}"),
        }
    }
    failing.fails.store(false, Ordering::Relaxed);
    put(4, 10).await.unwrap();
    let kept = |index: &Index| {
        [1, 2, 3, 4].map(|number| index.read(|rows| rows.has(&row(number))).unwrap())
    };
    assert_eq!(kept(&index), [true, true, false, true]);
    drop(index);
    assert_eq!(kept(&failing.open(|_| Ok(()))), [true, true, false, true]);
}

#[tokio::test]
async fn a_change_of_files_that_failed_is_reported_and_done_at_the_next_start() {
    let failing = failing();
    let effect = Effect::RemoveRun { tenant: "a".into(), id: "run_1".into() };
    let index = failing.open(|_| Err(std::io::Error::other("no")));
    let of_batch = effect.clone();
    let result = index.write(move |batch| batch.effect(of_batch)).await;
    assert!(matches!(result, Err(StoreError::Failed(_))), "{result:?}");
    index.write(|batch| batch.put(&row(1), b"x")).await.unwrap();
    drop(index);
    for expected in [vec![effect], Vec::new()] {
        let done: Arc<std::sync::Mutex<Vec<Effect>>> = Arc::default();
        let seen = done.clone();
        let index = failing.open(move |effect| {
            seen.lock().unwrap().push(effect.clone());
            Ok(())
        });
        // Its row goes with the next change.
        index.write(|batch| batch.put(&row(1), b"y")).await.unwrap();
        assert_eq!(*done.lock().unwrap(), expected);
    }
}

#[tokio::test]
async fn a_refused_change_does_not_take_others_with_it() {
    let failing = failing();
    let index = failing.open(|_| Ok(()));
    let writes = (0..100).map(|number| {
        index.write(move |batch| match number % 3 {
            0 => Err(StoreError::Conflict(number)),
            _ => batch.put(&row(number), b"x"),
        })
    });
    let results = futures_util::future::join_all(writes).await;
    for (number, result) in results.iter().enumerate() {
        let number = number as u64;
        assert_eq!(result.is_err(), number.is_multiple_of(3));
        assert_eq!(index.read(|rows| rows.has(&row(number))).unwrap(), result.is_ok());
    }
}

#[test]
fn a_store_of_a_newer_version_is_refused() {
    let failing = failing();
    let index = failing.open(|_| Ok(()));
    let format = Key::of(Table::Meta).text("format");
    index.write_blocking(move |batch| batch.put(&format, b"3")).unwrap();
    drop(index);
    let folder = failing.folder.path();
    fs::rename(folder.join("file"), folder.join("index.redb")).unwrap();
    let clock = super::clock(&Arc::new(BEGIN_MS.into()));
    let error = FolderStore::open(folder, clock).err().unwrap();
    assert!(error.to_string().ends_with("was written by a newer version"), "{error}");
}
