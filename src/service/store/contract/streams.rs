//! Streams of runs: appending, reading, watching; and what a deletion takes with it.

use std::time::Duration;

use bytes::Bytes;

use super::{Subject, assert_conflict, assert_missing, assert_refused, key, record, submitted};
use crate::store::{ListRuns, Store, StoreError, Stream};

const STREAMS: [Stream; 3] = [Stream::Log, Stream::Events, Stream::Inbox];

fn lines(texts: &[&str]) -> Vec<Bytes> {
    texts.iter().map(|text| Bytes::from((*text).to_owned())).collect()
}

pub(crate) async fn records_are_numbered_and_expected(subject: &dyn Subject) {
    let store = subject.store();
    let run = submitted(store, "a", "run_1", 1).await.key();
    let append = async |expected, texts: &[&str]| {
        store.append(&run, Stream::Events, expected, &lines(texts)).await
    };
    assert_eq!(store.last(&run, Stream::Events).await.unwrap(), 0);
    assert_conflict(append(Some(1), &["x"]).await, 0);
    assert_eq!(append(Some(0), &["a"]).await.unwrap(), 1);
    assert_eq!(append(None, &["b", "", "d"]).await.unwrap(), 4);
    assert_conflict(append(Some(3), &["x"]).await, 4);
    assert_conflict(append(Some(5), &["x"]).await, 4);
    assert_eq!(append(Some(4), &["{\"月\":1}"]).await.unwrap(), 5);
    assert_eq!(append(Some(5), &[]).await.unwrap(), 5);
    assert_eq!(store.last(&run, Stream::Events).await.unwrap(), 5);
    let all = lines(&["a", "b", "", "d", "{\"月\":1}"]);
    for after in 0..7 {
        let read = store.read(&run, Stream::Events, after, 2).await.unwrap();
        let expected = all.iter().skip(after as usize).take(2).cloned().collect::<Vec<_>>();
        assert_eq!(read, expected, "{after}");
    }
    assert!(store.read(&run, Stream::Events, u64::MAX, 1).await.unwrap().is_empty());
    assert!(store.read(&run, Stream::Events, 0, 0).await.unwrap().is_empty());
}

pub(crate) async fn streams_are_separate(subject: &dyn Subject) {
    let store = subject.store();
    for id in ["run_1", "run_2"] {
        let run = submitted(store, "a", id, 1).await.key();
        for (count, stream) in STREAMS.into_iter().enumerate() {
            for number in 0..=count {
                let text = format!("{id} {stream:?} {number}");
                store.append(&run, stream, Some(number as u64), &[text.into()]).await.unwrap();
            }
        }
    }
    for id in ["run_1", "run_2"] {
        for (count, stream) in STREAMS.into_iter().enumerate() {
            let read = store.read(&key("a", id), stream, 0, 100).await.unwrap();
            let expected: Vec<_> =
                (0..=count).map(|number| format!("{id} {stream:?} {number}")).collect();
            assert_eq!(read, expected);
        }
    }
}

pub(crate) async fn concurrent_appends_get_different_numbers(subject: &dyn Subject) {
    let store = subject.store();
    let run = submitted(store, "a", "run_1", 1).await.key();
    let appends = (0..40).map(|number: u32| {
        let text = Bytes::from(number.to_string());
        let run = &run;
        async move { (store.append(run, Stream::Inbox, None, &[text]).await.unwrap(), number) }
    });
    let numbers = futures_util::future::join_all(appends).await;
    let read = store.read(&run, Stream::Inbox, 0, 100).await.unwrap();
    assert_eq!(read.len(), 40);
    for (place, number) in numbers {
        assert_eq!(read[place as usize - 1], number.to_string());
    }
    // Of those who expect the same number, one comes first.
    let text = [Bytes::from_static(b"x")];
    let append = || store.append(&run, Stream::Inbox, Some(40), &text);
    let results = tokio::join!(append(), append());
    assert!(results.0.is_ok() != results.1.is_ok(), "{results:?}");
}

pub(crate) async fn reads_are_bounded(subject: &dyn Subject) {
    let store = subject.store();
    let run = submitted(store, "a", "run_1", 1).await.key();
    let long = Bytes::from(vec![b'x'; 9 << 20]);
    let third = Bytes::from(vec![b'y'; (4 << 20) / 3]);
    let records = [long.clone(), third.clone(), third.clone(), third.clone(), third.clone()];
    store.append(&run, Stream::Log, Some(0), &records).await.unwrap();
    let read = async |after| store.read(&run, Stream::Log, after, 100).await.unwrap();
    assert_eq!(read(0).await, [long]);
    assert_eq!(read(1).await.len(), 3);
    assert_eq!(read(2).await.len(), 3);
    assert_eq!(read(4).await, [third]);
    let many = vec![Bytes::from_static(b"short"); 5_000];
    store.append(&run, Stream::Events, Some(0), &many).await.unwrap();
    assert_eq!(store.read(&run, Stream::Events, 17, 1_000).await.unwrap().len(), 1_000);
}

pub(crate) async fn records_that_cannot_be_kept_are_refused(subject: &dyn Subject) {
    let store = subject.store();
    let run = submitted(store, "a", "run_1", 1).await.key();
    let append = async |records: &[Bytes]| store.append(&run, Stream::Log, None, records).await;
    let long = Bytes::from(vec![b'x'; (16 << 20) + 1]);
    assert_refused(append(&[long]).await, "record of a stream: expected at most 16777216 bytes");
    let two = lines(&["good", "one\ntwo"]);
    assert_refused(append(&two).await, "record of a stream: expected no line break");
    assert_eq!(store.last(&run, Stream::Log).await.unwrap(), 0);
    // Everybody appends to the inbox, so it ends somewhere.
    let large = Bytes::from(vec![b'x'; 16 << 20]);
    for _ in 0..3 {
        store.append(&run, Stream::Inbox, None, std::slice::from_ref(&large)).await.unwrap();
    }
    let full = store.append(&run, Stream::Inbox, None, &[large]).await;
    assert_refused(full, "inbox.jsonl: expected at most 67108864 bytes");
    assert_eq!(store.last(&run, Stream::Inbox).await.unwrap(), 3);
}

pub(crate) async fn a_watcher_sees_each_record(subject: &dyn Subject) {
    let store = subject.store();
    let run = submitted(store, "a", "run_1", 1).await.key();
    store.append(&run, Stream::Events, None, &lines(&["1", "2"])).await.unwrap();
    let mut watch = store.watch(&run, Stream::Events).await.unwrap();
    let mut other = store.watch(&run, Stream::Inbox).await.unwrap();
    assert_eq!(watch.last_after(0).await.unwrap(), 2);
    assert_eq!(watch.last_after(1).await.unwrap(), 2);
    for number in 3..6 {
        let append = async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            store.append(&run, Stream::Events, Some(number - 1), &lines(&["x"])).await.unwrap()
        };
        let (seen, appended) = tokio::join!(watch.last_after(number - 1), append);
        assert_eq!((seen.unwrap(), appended), (number, number));
    }
    let silence = tokio::time::timeout(Duration::from_millis(20), other.last_after(0)).await;
    assert!(silence.is_err(), "another stream is another matter");
    // A watcher that begins while others append misses nothing.
    for _ in 0..50 {
        let last = store.last(&run, Stream::Events).await.unwrap();
        let append = async {
            store.append(&run, Stream::Events, None, &lines(&["y"])).await.unwrap();
        };
        let watch = async {
            let mut watch = store.watch(&run, Stream::Events).await.unwrap();
            watch.last_after(last).await.unwrap()
        };
        let seen =
            tokio::time::timeout(Duration::from_secs(30), async { tokio::join!(watch, append).0 });
        assert_eq!(seen.await.expect("the record was missed"), last + 1);
    }
    assert_missing(store.watch(&key("a", "run_2"), Stream::Events).await);
}

pub(crate) async fn a_watcher_learns_of_a_deletion(subject: &dyn Subject) {
    let store = subject.store();
    let run = submitted(store, "a", "run_1", 1).await.key();
    let mut watch = store.watch(&run, Stream::Events).await.unwrap();
    let delete = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        store.delete(&run).await.unwrap();
    };
    let (seen, ()) = tokio::join!(watch.last_after(0), delete);
    assert_missing(seen);
    assert_missing(watch.last_after(0).await);
}

pub(crate) async fn a_deleted_run_is_gone_for_good(subject: &dyn Subject) {
    let store = subject.store();
    let run = submitted(store, "a", "run_1", 1).await.key();
    for stream in STREAMS {
        store.append(&run, stream, None, &lines(&["secret"])).await.unwrap();
    }
    store.delete(&run).await.unwrap();
    assert_nothing(store, &run.tenant, &run.id).await;
    let all = ListRuns { limit: 10, before: None, status: None };
    assert!(store.list("a", &all).await.unwrap().is_empty());
    assert!(store.claim("w", Duration::from_secs(1)).await.unwrap().is_none());
    // A run of the same name begins from nothing.
    submitted(store, "a", "run_1", 1).await;
    for stream in STREAMS {
        assert_eq!(store.last(&run, stream).await.unwrap(), 0);
        assert!(store.read(&run, stream, 0, 10).await.unwrap().is_empty());
    }
}

pub(crate) async fn another_tenant_has_no_such_run(subject: &dyn Subject) {
    let store = subject.store();
    let run = submitted(store, "a", "run_1", 1).await.key();
    store.append(&run, Stream::Log, None, &lines(&["secret"])).await.unwrap();
    for tenant in ["b", "", "A", "a\0", "a/../a", "t-a"] {
        assert_nothing(store, tenant, "run_1").await;
    }
    assert_eq!(store.last(&run, Stream::Log).await.unwrap(), 1, "nothing was changed");
}

/// Asserts that every method finds no such run.
async fn assert_nothing(store: &dyn Store, tenant: &str, id: &str) {
    let run = key(tenant, id);
    assert_missing(store.get(&run).await);
    for stream in STREAMS {
        assert_missing(store.append(&run, stream, None, &lines(&["x"])).await);
        assert_missing(store.append(&run, stream, Some(0), &[]).await);
        assert_missing(store.read(&run, stream, 0, 1).await);
        assert_missing(store.last(&run, stream).await);
        assert_missing(store.watch(&run, stream).await);
    }
    assert_missing(store.delete(&run).await);
    match store.update(&record(tenant, id, 1), None).await {
        Err(StoreError::Missing | StoreError::Failed(_)) => {}
        other => panic!("{other:?}"),
    }
}
