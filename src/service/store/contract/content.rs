//! Stored files and documents.

use std::time::Duration;

use bytes::Bytes;

use super::{Subject, assert_conflict, assert_missing, assert_refused, stored, submitted};
use crate::store::{BlobReader, Document, Store, StoreResult};

async fn content(reader: &dyn BlobReader) -> Bytes {
    reader.read(0, usize::MAX).await.unwrap()
}

pub(crate) async fn a_file_is_returned_as_it_was_written(subject: &dyn Subject) {
    let store = subject.store();
    // In pieces of all sizes, below and above what is kept in memory.
    let mut random = fastrand::Rng::with_seed(7);
    for size in [0, 1, 100_000, 262_144, 1_000_000] {
        let bytes: Vec<u8> = (0..size).map(|_| random.u8(..)).collect();
        let mut writer = store.blob_writer("a").await.unwrap();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(random.usize(1..=rest.len().min(300_000)));
            writer.write(piece).await.unwrap();
            rest = later;
        }
        let blob = writer.finish("o").await.unwrap();
        assert_eq!(blob.sha256, mitt_base::digest::sha256(&bytes));
        assert_eq!(blob.size, size as u64);
        let reader = store.blob("a", &blob.sha256).await.unwrap();
        assert_eq!(reader.size(), size as u64);
        assert!(content(&*reader).await == bytes, "{size}");
        if let Some(path) = store.blob_path("a", &blob.sha256) {
            assert!(std::fs::read(path).unwrap() == bytes, "{size}");
        }
    }
}

pub(crate) async fn a_file_is_read_in_parts(subject: &dyn Subject) {
    let store = subject.store();
    let sha256 = stored(store, "a", b"0123456789", "o").await;
    let reader = store.blob("a", &sha256).await.unwrap();
    for (start, length, expected) in [
        (0, 10, "0123456789"),
        (0, 3, "012"),
        (4, 3, "456"),
        (8, 100, "89"),
        (10, 1, ""),
        (u64::MAX, 1, ""),
        (3, 0, ""),
    ] {
        let part = reader.read(start, length).await.unwrap();
        assert_eq!(part, expected, "{length} from {start}");
    }
}

pub(crate) async fn a_file_lives_as_long_as_an_owner(subject: &dyn Subject) {
    let store = subject.store();
    let one = stored(store, "a", b"one", "first").await;
    let two = stored(store, "a", b"two", "first").await;
    assert_eq!(stored(store, "a", b"one", "second").await, one, "stored once");
    store.keep("a", &two, "third").await.unwrap();
    store.keep("a", &two, "third").await.unwrap();
    store.release("a", "first").await.unwrap();
    for sha256 in [&one, &two] {
        store.blob("a", sha256).await.unwrap();
    }
    let open = store.blob("a", &one).await.unwrap();
    store.release("a", "second").await.unwrap();
    assert_missing(store.blob("a", &one).await);
    assert_missing(store.keep("a", &one, "x").await);
    assert_eq!(store.blob_path("a", &one), None);
    drop(open);
    store.blob("a", &two).await.unwrap();
    store.release("a", "third").await.unwrap();
    assert_missing(store.blob("a", &two).await);
    // Ending what has ended is no error, and a file can come back.
    store.release("a", "third").await.unwrap();
    store.release("nobody", "x").await.unwrap();
    assert_eq!(stored(store, "a", b"one", "again").await, one);
    assert_eq!(content(&*store.blob("a", &one).await.unwrap()).await, "one");
    // A release and a new owner at the same time leave the file or do not, but never half.
    for _ in 0..20 {
        let (_, sha256) =
            tokio::join!(store.release("a", "again"), stored(store, "a", b"one", "b"));
        assert_eq!(content(&*store.blob("a", &sha256).await.unwrap()).await, "one");
        stored(store, "a", b"one", "again").await;
        store.release("a", "b").await.unwrap();
    }
}

pub(crate) async fn files_of_a_run_go_with_it(subject: &dyn Subject) {
    let store = subject.store();
    let run = submitted(store, "a", "run_1", 1).await.key();
    let own = stored(store, "a", b"own", "run:run_1").await;
    let shared = stored(store, "a", b"shared", "run:run_1").await;
    store.keep("a", &shared, "file-1").await.unwrap();
    let other = stored(store, "a", b"other", "run:run_10").await;
    let elsewhere = stored(store, "b", b"own", "run:run_1").await;
    store.delete(&run).await.unwrap();
    assert_missing(store.blob("a", &own).await);
    for (tenant, sha256) in [("a", &shared), ("a", &other), ("b", &elsewhere)] {
        store.blob(tenant, sha256).await.unwrap();
    }
}

pub(crate) async fn stored_bytes_are_counted_once_for_each_tenant(subject: &dyn Subject) {
    let store = subject.store();
    let bytes = async |tenant: &str| store.stored_bytes(tenant).await.unwrap();
    assert_eq!((bytes("a").await, bytes("nobody").await), (0, 0));
    let run = submitted(store, "a", "run_1", 1).await.key();
    let one = stored(store, "a", b"one", "run:run_1").await;
    stored(store, "a", b"one", "file-1").await;
    store.keep("a", &one, "file-2").await.unwrap();
    stored(store, "a", b"four", "run:run_1").await;
    stored(store, "b", b"one", "file-1").await;
    assert_eq!((bytes("a").await, bytes("b").await), (7, 3));
    store.partial_append("a", "up_1", 0, b"twelve bytes").await.unwrap();
    assert_eq!(bytes("a").await, 7, "it is not whole");
    store.partial_finish("a", "up_1", "file-3").await.unwrap();
    store.partial_append("a", "up_2", 0, b"one").await.unwrap();
    store.partial_finish("a", "up_2", "file-4").await.unwrap();
    assert_eq!(bytes("a").await, 19);
    assert_eq!(store.totals().await.unwrap().bytes, 22);
    store.delete(&run).await.unwrap();
    assert_eq!(bytes("a").await, 15);
    for owner in ["file-1", "file-2", "file-3", "file-4", "file-1"] {
        store.release("a", owner).await.unwrap();
    }
    assert_eq!((bytes("a").await, bytes("b").await), (0, 3));
    stored(store, "a", b"one", "again").await;
    assert_eq!(store.totals().await.unwrap().bytes, 6);
}

pub(crate) async fn an_unfinished_file_leaves_nothing(subject: &dyn Subject) {
    let store = subject.store();
    let bytes = vec![7; 700_000];
    let mut writer = store.blob_writer("a").await.unwrap();
    writer.write(&bytes).await.unwrap();
    drop(writer);
    assert_missing(store.blob("a", &mitt_base::digest::sha256(&bytes)).await);
    let mut writer = store.blob_writer("a").await.unwrap();
    writer.write(b"x").await.unwrap();
    let long = "x".repeat(1025);
    assert_refused(writer.finish(&long).await, "owner: expected at most 1024 bytes, got 1025");
    assert_missing(store.blob("a", &mitt_base::digest::sha256(b"x")).await);
}

pub(crate) async fn a_file_can_arrive_in_several_requests(subject: &dyn Subject) {
    let store = subject.store();
    let append = async |tenant, id, offset, bytes: &[u8]| {
        store.partial_append(tenant, id, offset, bytes).await
    };
    assert_missing(store.partial_size("a", "up_1").await);
    assert_conflict(append("a", "up_1", 1, b"x").await, 0);
    assert_missing(store.partial_size("a", "up_1").await);
    assert_eq!(append("a", "up_1", 0, b"").await.unwrap(), 0);
    assert_eq!(store.partial_size("a", "up_1").await.unwrap(), 0);
    assert_eq!(append("a", "up_1", 0, b"one ").await.unwrap(), 4);
    for offset in [0, 3, 5] {
        assert_conflict(append("a", "up_1", offset, b"x").await, 4);
    }
    for tenant in ["b", "", "A", "a\0"] {
        assert_missing(store.partial_size(tenant, "up_1").await);
        assert_missing(store.partial_finish(tenant, "up_1", "o").await);
        assert!(!store.partial_delete(tenant, "up_1").await.unwrap());
    }
    // Of those who append at the same place, one comes first.
    let results = tokio::join!(append("a", "up_1", 4, b"two"), append("a", "up_1", 4, b"TWO"));
    assert!(results.0.is_ok() != results.1.is_ok(), "{results:?}");
    let content = if results.0.is_ok() { "one two" } else { "one TWO" };
    let blob = store.partial_finish("a", "up_1", "o").await.unwrap();
    let sha256 = mitt_base::digest::sha256(content.as_bytes());
    assert_eq!((blob.sha256.as_str(), blob.size), (sha256.as_str(), 7));
    let reader = store.blob("a", &sha256).await.unwrap();
    assert_eq!(self::content(&*reader).await, content);
    assert_missing(store.partial_size("a", "up_1").await);
    assert_missing(store.partial_finish("a", "up_1", "o").await);
    // The same content again has one more owner.
    append("a", "up_2", 0, content.as_bytes()).await.unwrap();
    assert_eq!(store.partial_finish("a", "up_2", "o2").await.unwrap(), blob);
    assert_missing(store.partial_size("a", "up_2").await);
    store.release("a", "o").await.unwrap();
    store.blob("a", &sha256).await.unwrap();
    store.release("a", "o2").await.unwrap();
    assert_missing(store.blob("a", &sha256).await);
    // Without a single byte too.
    append("a", "up_3", 0, b"").await.unwrap();
    assert_eq!(store.partial_finish("a", "up_3", "o").await.unwrap().size, 0);
    for id in ["../up", "", "a/b"] {
        assert_refused(append("a", id, 0, b"x").await, "id: expected an identifier");
        assert_missing(store.partial_size("a", id).await);
    }
}

pub(crate) async fn a_partial_file_ends_with_its_deletion_or_its_life(subject: &dyn Subject) {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let store = subject.store();
    for id in ["up_1", "up_2", "up_3"] {
        store.partial_append("a", id, 0, b"12").await.unwrap();
    }
    assert!(store.partial_delete("a", "up_1").await.unwrap());
    assert!(!store.partial_delete("a", "up_1").await.unwrap());
    assert_missing(store.partial_size("a", "up_1").await);
    assert_missing(store.partial_finish("a", "up_1", "o").await);
    subject.advance(DAY * 6);
    store.partial_append("a", "up_3", 2, b"3").await.unwrap();
    store.sweep().await.unwrap();
    assert_eq!(store.partial_size("a", "up_2").await.unwrap(), 2);
    subject.advance(DAY);
    store.sweep().await.unwrap();
    assert_missing(store.partial_size("a", "up_2").await);
    assert_eq!(store.partial_size("a", "up_3").await.unwrap(), 3);
    // A new one under the old name begins from nothing.
    assert_eq!(store.partial_append("a", "up_2", 0, b"x").await.unwrap(), 1);
}

pub(crate) async fn files_belong_to_a_tenant(subject: &dyn Subject) {
    let store = subject.store();
    let sha256 = stored(store, "a", b"secret", "o").await;
    for tenant in ["b", "", "A", "a\0", "a/../a"] {
        assert_missing(store.blob(tenant, &sha256).await);
        assert_missing(store.keep(tenant, &sha256, "mine").await);
        assert_eq!(store.blob_path(tenant, &sha256), None);
    }
    store.release("b", "o").await.unwrap();
    store.blob("a", &sha256).await.unwrap();
    // Each tenant has a copy of its own.
    stored(store, "b", b"secret", "o").await;
    store.release("a", "o").await.unwrap();
    assert_missing(store.blob("a", &sha256).await);
    assert_eq!(content(&*store.blob("b", &sha256).await.unwrap()).await, "secret");
    for wrong in ["", "..", "../../lock", &sha256[..63], &sha256.to_uppercase(), "0\0"] {
        assert_missing(store.blob("b", wrong).await);
        assert_missing(store.keep("b", wrong, "o").await);
        assert_eq!(store.blob_path("b", wrong), None);
    }
}

async fn put(
    store: &dyn Store,
    (table, key): (&str, &str),
    value: &str,
    version: Option<u64>,
) -> StoreResult<u64> {
    store.put_document("a", table, key, value.to_owned().into(), version, None).await
}

pub(crate) async fn a_document_has_versions(subject: &dyn Subject) {
    let store = subject.store();
    let name = ("t", "k");
    assert_missing(store.document("a", "t", "k").await);
    assert_conflict(put(store, name, "x", Some(1)).await, 0);
    assert_eq!(put(store, name, "one", Some(0)).await.unwrap(), 1);
    assert_conflict(put(store, name, "x", Some(0)).await, 1);
    assert_eq!(put(store, name, "two", Some(1)).await.unwrap(), 2);
    assert_eq!(put(store, name, "three", None).await.unwrap(), 3);
    let document = store.document("a", "t", "k").await.unwrap();
    assert_eq!(document, Document { key: "k".into(), value: "three".into(), version: 3 });
    let results = tokio::join!(put(store, name, "x", Some(3)), put(store, name, "y", Some(3)));
    assert!(results.0.is_ok() != results.1.is_ok(), "{results:?}");
    assert!(store.delete_document("a", "t", "k").await.unwrap());
    assert!(!store.delete_document("a", "t", "k").await.unwrap());
    assert_missing(store.document("a", "t", "k").await);
    assert_eq!(put(store, name, "new", Some(0)).await.unwrap(), 1);
}

pub(crate) async fn a_document_ends_with_its_life(subject: &dyn Subject) {
    const LIFE: Duration = Duration::from_secs(60);
    let store = subject.store();
    let put = async |key: &str, version, life| {
        let value = Bytes::from(key.to_owned());
        store.put_document("a", "t", key, value, version, life).await.unwrap()
    };
    for key in ["ends", "stays", "renewed", "deleted", "comes back"] {
        put(key, Some(0), Some(LIFE)).await;
    }
    put("renewed", Some(1), Some(LIFE * 2)).await;
    put("stays", Some(1), None).await;
    assert!(store.delete_document("a", "t", "deleted").await.unwrap());
    subject.advance(LIFE - Duration::from_millis(1));
    store.document("a", "t", "ends").await.unwrap();
    assert!(store.sweep().await.unwrap().is_empty());
    subject.advance(Duration::from_millis(1));
    // Gone at once, and not only with the sweep.
    for key in ["ends", "comes back"] {
        assert_missing(store.document("a", "t", key).await);
        assert!(!store.delete_document("a", "t", key).await.unwrap());
    }
    let listed = store.documents("a", "t", None, 10).await.unwrap();
    assert_eq!(listed.iter().map(|it| &it.key).collect::<Vec<_>>(), ["renewed", "stays"]);
    assert_eq!(put("comes back", Some(0), None).await, 1);
    let swept = store.sweep().await.unwrap();
    let ended = Document { key: "ends".into(), value: "ends".into(), version: 1 };
    assert_eq!(swept, [("a".to_owned(), "t".to_owned(), ended)]);
    assert!(store.sweep().await.unwrap().is_empty(), "each is handed over once");
    store.document("a", "t", "comes back").await.unwrap();
    subject.advance(LIFE);
    let swept = store.sweep().await.unwrap();
    assert_eq!(swept.iter().map(|(_, _, it)| &*it.key).collect::<Vec<_>>(), ["renewed"]);
    subject.advance(LIFE * 1000);
    store.document("a", "t", "stays").await.unwrap();
}

pub(crate) async fn documents_are_in_pages(subject: &dyn Subject) {
    let store = subject.store();
    for key in ["b", "a", "", "月", "c", "a!"] {
        put(store, ("t", key), key, Some(0)).await.unwrap();
    }
    let keys = async |after: Option<&str>, limit| {
        let documents = store.documents("a", "t", after, limit).await.unwrap();
        assert!(documents.iter().all(|it| it.value == it.key && it.version == 1));
        documents.into_iter().map(|it| it.key).collect::<Vec<_>>()
    };
    assert_eq!(keys(None, 100).await, ["", "a", "a!", "b", "c", "月"]);
    assert_eq!(keys(None, 2).await, ["", "a"]);
    assert_eq!(keys(Some("a"), 2).await, ["a!", "b"]);
    // A key that is gone is a place too.
    assert_eq!(keys(Some("bb"), 2).await, ["c", "月"]);
    assert!(keys(Some("月"), 2).await.is_empty() && keys(None, 0).await.is_empty());
}

pub(crate) async fn documents_belong_to_a_tenant_and_a_table(subject: &dyn Subject) {
    let store = subject.store();
    put(store, ("t", "k"), "secret", None).await.unwrap();
    for (tenant, table) in [("b", "t"), ("", "t"), ("a", "t2"), ("a", ""), ("a\0t", "k")] {
        assert_missing(store.document(tenant, table, "k").await);
        assert!(store.documents(tenant, table, None, 10).await.unwrap().is_empty());
        assert!(!store.delete_document(tenant, table, "k").await.unwrap());
    }
    store.put_document("b", "t", "k", "b".into(), Some(0), None).await.unwrap();
    assert_eq!(store.document("a", "t", "k").await.unwrap().value, "secret");
}

pub(crate) async fn a_document_that_is_too_large_is_refused(subject: &dyn Subject) {
    let store = subject.store();
    let put = async |tenant: &str, key: &str, length| {
        store.put_document(tenant, "t", key, vec![0; length].into(), None, None).await
    };
    put("a", "k", 1 << 20).await.unwrap();
    let large = put("a", "k", (1 << 20) + 1).await;
    assert_refused(large, "document: expected at most 1048576 bytes, got 1048577");
    assert_eq!(store.document("a", "t", "k").await.unwrap().version, 1);
    let long = "x".repeat(1025);
    assert_refused(put("a", &long, 1).await, "key of a document: expected at most 1024 bytes");
    assert_refused(put(&long, "k", 1).await, "tenant: expected at most 1024 bytes");
    assert_refused(put("a", "a\0b", 1).await, "key of a document: expected no zero byte");
}
