//! What is in the streams: versions and forms, what is long, what is deleted, what a process finds that starts later.

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt as _;
use serde_json::json;

use super::super::clock::Clock;
use super::super::connection::Place;
use super::super::entries::{self, RunEntry};
use super::super::{NatsStore, contents};
use super::faults::{line, waiting};
use super::{Opened, opened, with_server};
use crate::store::contract::{Subject, assert_missing, key, record, stored, submitted};
use crate::store::{ListRuns, Store, StoreError, Stream, Submitted};

const LEASE: Duration = Duration::from_secs(30);

with_server! {
    processes_that_start_together_make_the_streams_once,
    streams_of_a_later_version_are_refused,
    runs_of_a_later_form_are_left_alone,
    what_was_deleted_goes,
    documents_of_a_process_that_ended_are_handed_over_by_another,
    what_is_too_long_for_a_message_is_in_pieces,
    a_long_stream_is_read_from_anywhere,
    an_owner_of_many_files_ends,
    a_process_that_starts_later_knows_everything,
}

/// Returns the number of messages of a stream.
async fn messages(opened: &Opened, place: Place) -> u64 {
    let info = opened.store.shared().connection.info(place).await.unwrap().unwrap();
    info["state"]["messages"].as_u64().unwrap()
}

async fn processes_that_start_together_make_the_streams_once(opened: &Opened) {
    let (again, other) = (format!("{}_again", opened.name), opened.now_ms.clone());
    let again = Opened {
        store: super::open((&opened.address, &again), &None, &other).await,
        now_ms: other,
        address: opened.address.clone(),
        name: again,
        objects: None,
    };
    let stores = tokio::join!(again.other(), again.other(), again.other(), again.other());
    submitted(&stores.0, "a", "run_1", 1).await;
    stores.3.get(&key("a", "run_1")).await.unwrap();
}

async fn streams_of_a_later_version_are_refused(opened: &Opened) {
    let connection = &opened.store.shared().connection;
    let open = async || {
        let clock = std::sync::Arc::new(|| Duration::from_secs(1));
        NatsStore::open_in((&opened.address, &opened.name), None, clock, Clock::default()).await
    };
    let change = async |version: &str, oldest: &str| {
        let info = connection.info(Place::Entries).await.unwrap().unwrap();
        let mut config = info["config"].clone();
        config["metadata"] = json!({ "mitt_version": version, "mitt_oldest": oldest });
        let update = format!("STREAM.UPDATE.{}", connection.stream(Place::Entries));
        connection.api(&update, &config).await.unwrap();
    };
    change("98", "1").await;
    open().await.unwrap();
    change("99", "99").await;
    let error = open().await.unwrap_err();
    let expected = "the streams have version 99, and this program knows versions up to 1";
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(error.hints().len(), 1);
    change("x", "").await;
    let error = open().await.unwrap_err();
    assert!(error.to_string().contains("was not made by Mitt"), "{error}");
    assert_eq!(error.hints().len(), 1);
}

async fn runs_of_a_later_form_are_left_alone(opened: &Opened) {
    let store = &opened.store;
    let run = RunEntry { form: 99, ..waiting("a", "run_1".to_owned(), 1) };
    let connection = &store.shared().connection;
    let message = entries::put(connection, &run, Bytes::from_static(b"{}"), (0, "")).unwrap();
    connection.publish(message).await.unwrap();
    assert!(store.claim("w", LEASE).await.unwrap().is_none());
    let begin = Instant::now();
    store.wait_for_work("w", Duration::from_millis(50)).await;
    assert!(begin.elapsed() >= Duration::from_millis(50));
    let Err(StoreError::Failed(error)) = store.get(&run.key()).await else { panic!() };
    assert!(error.to_string().contains("form 99"), "{error}");
}

async fn what_was_deleted_goes(opened: &Opened) {
    let store = &opened.store;
    let run = submitted(store, "a", "run_1", 1).await.key();
    let lines = vec![Bytes::from_static(b"x"); 2_500];
    store.append(&run, Stream::Events, Some(0), &lines).await.unwrap();
    let long = Bytes::from(vec![b'x'; 1_000_000]);
    store.append(&run, Stream::Log, Some(0), &[long]).await.unwrap();
    let content: Vec<u8> = (0..1_000_000_u32).map(|number| number as u8).collect();
    let sha256 = stored(store, "a", &content, "run:run_1").await;
    // The pieces of the second one are for nothing.
    assert_eq!(stored(store, "a", &content, "run:run_1").await, sha256);
    let reader = store.blob("a", &sha256).await.unwrap();
    // One that never ends.
    let mut writer = store.blob_writer("a").await.unwrap();
    writer.write(&content).await.unwrap();
    drop(writer);
    // One whose tenant lost interest.
    store.partial_append("a", "up_1", 0, &content).await.unwrap();
    store.partial_delete("a", "up_1").await.unwrap();
    store.put_document("a", "t", "k", content.clone().into(), None, None).await.unwrap();
    store.put_document("a", "t", "k", content.clone().into(), None, None).await.unwrap();
    store.delete_document("a", "t", "k").await.unwrap();
    store.delete(&run).await.unwrap();
    let part = reader.read(999_000, 1_000).await.unwrap();
    assert!(part == content[999_000..], "what is open is read to its end");
    assert!(messages(opened, Place::Data).await > 20);
    for _ in 0..2 {
        opened.advance(Duration::from_secs(60 * 60));
        store.sweep().await.unwrap();
    }
    assert_eq!(messages(opened, Place::Data).await, 0);
    assert!(matches!(reader.read(0, 1).await, Err(StoreError::Missing)));
    // What is left of entries goes by itself after an hour.
    let connection = &store.shared().connection;
    let mut sequence = 0;
    let all = format!("{}.m.>", connection.name);
    while let Some(left) = connection.next(Place::Entries, &all, sequence + 1).await.unwrap() {
        assert!(left.header(entries::GONE).is_some() && left.header("Nats-TTL").is_some());
        sequence = left.sequence;
    }
}

async fn documents_of_a_process_that_ended_are_handed_over_by_another(opened: &Opened) {
    let other = opened.other().await;
    let life = Some(Duration::from_secs(1));
    opened.store.put_document("a", "t", "k", "v".into(), None, life).await.unwrap();
    opened.advance(Duration::from_secs(1));
    assert_eq!(opened.store.sweep().await.unwrap().len(), 1);
    assert!(other.sweep().await.unwrap().is_empty(), "the first process has it");
    opened.advance(Duration::from_secs(10 * 60));
    assert_eq!(other.sweep().await.unwrap().len(), 1, "it did not say that it was done");
    assert!(opened.store.sweep().await.unwrap().is_empty());
    assert!(other.sweep().await.unwrap().is_empty());
    assert!(opened.store.documents("a", "t", None, 10).await.unwrap().is_empty());
    // A key that is in use again is not handed over.
    for value in ["old", "new"] {
        opened.store.put_document("a", "t", "k", value.into(), Some(0), life).await.unwrap();
        opened.advance(Duration::from_secs(1));
        if value == "old" {
            assert_eq!(opened.store.sweep().await.unwrap().len(), 1);
        }
    }
    let swept = opened.store.sweep().await.unwrap();
    assert_eq!(swept.iter().map(|(_, _, it)| &*it.value).collect::<Vec<_>>(), [&b"new"[..]]);
}

async fn what_is_too_long_for_a_message_is_in_pieces(opened: &Opened) {
    let (store, other) = (&opened.store, opened.other().await);
    let mut run = record("a", "run_1", 1);
    run.body.insert("long".to_owned(), "x".repeat(3_000_000).into());
    let Submitted::New(first) = store.submit(run, None).await.unwrap() else { panic!() };
    assert_eq!(other.get(&first.key()).await.unwrap(), first);
    let claimed = other.claim("w", LEASE).await.unwrap().unwrap();
    assert_eq!(claimed.body, first.body);
    let mut changed = claimed.clone();
    changed.body.insert("long".to_owned(), "y".repeat(2_000_000).into());
    let changed = other.update(&changed, Some(LEASE)).await.unwrap();
    assert_eq!(store.get(&first.key()).await.unwrap().body, changed.body);
    let all = ListRuns { limit: 10, before: None, status: None };
    assert_eq!(store.list("a", &all).await.unwrap()[0].body, changed.body);
    let value = Bytes::from(vec![b'v'; 1 << 20]);
    store.put_document("a", "t", "k", value.clone(), Some(0), None).await.unwrap();
    assert_eq!(other.document("a", "t", "k").await.unwrap().value, value);
    assert_eq!(other.documents("a", "t", None, 10).await.unwrap()[0].value, value);
    // After a while only what is in use is left.
    for _ in 0..2 {
        opened.advance(Duration::from_secs(60 * 60));
        store.sweep().await.unwrap();
    }
    assert_eq!(store.get(&first.key()).await.unwrap().body, changed.body);
    assert_eq!(store.document("a", "t", "k").await.unwrap().value, value);
    let pieces = 2_000_000_usize.div_ceil(contents::PIECE_BYTES) + 4;
    let fences = 2;
    assert_eq!(messages(opened, Place::Data).await, (pieces + fences) as u64);
}

async fn a_long_stream_is_read_from_anywhere(opened: &Opened) {
    const COUNT: u64 = 1_500;
    let store = &opened.store;
    let run = submitted(store, "a", "run_1", 1).await.key();
    let beside = submitted(store, "a", "run_2", 1).await.key();
    let mut number = 0;
    let mut random = fastrand::Rng::with_seed(11);
    while number < COUNT {
        let lines: Vec<_> =
            (0..random.u64(1..6)).map(|more| Bytes::from((number + more).to_string())).collect();
        let last = store.append(&run, Stream::Events, Some(number), &lines).await.unwrap();
        number = last;
        if random.bool() {
            store.append(&beside, Stream::Events, None, &line("beside")).await.unwrap();
        }
    }
    let other = opened.other().await;
    for _ in 0..100 {
        let (after, most) = (random.u64(0..number + 3), random.usize(1..40));
        let read = other.read(&run, Stream::Events, after, most).await.unwrap();
        let expected: Vec<_> =
            (after..number).take(most).map(|number| number.to_string()).collect();
        assert_eq!(read, expected, "{most} after {after}");
    }
    let mut all = Vec::new();
    loop {
        let page = other.read(&run, Stream::Events, all.len() as u64, 100).await.unwrap();
        if page.is_empty() {
            break;
        }
        all.extend(page);
    }
    assert_eq!(all.len() as u64, number);
}

async fn an_owner_of_many_files_ends(opened: &Opened) {
    const COUNT: usize = 350;
    let store = &opened.store;
    let run = submitted(store, "a", "run_1", 1).await.key();
    let files = (0..COUNT).map(|number| async move {
        stored(store, "a", number.to_string().as_bytes(), "run:run_1").await
    });
    let digests: Vec<String> =
        futures_util::stream::iter(files).buffer_unordered(16).collect().await;
    store.keep("a", &digests[0], "other").await.unwrap();
    store.delete(&run).await.unwrap();
    assert_eq!(store.stored_bytes("a").await.unwrap() as usize, {
        let kept = store.blob("a", &digests[0]).await.unwrap();
        kept.size() as usize
    });
    assert_missing(store.blob("a", &digests[1]).await);
}

async fn a_process_that_starts_later_knows_everything(opened: &Opened) {
    let store = &opened.store;
    for number in 0..30 {
        submitted(store, "a", &format!("run_{number}"), number).await;
    }
    for number in 0..10 {
        store.delete(&key("a", &format!("run_{number}"))).await.unwrap();
    }
    stored(store, "a", b"content", "o").await;
    store.put_document("a", "t", "k", "v".into(), None, None).await.unwrap();
    let claimed = store.claim("w", LEASE).await.unwrap().unwrap();
    // The last change has no entry that stays.
    store.put_document("a", "t", "k2", "v".into(), None, None).await.unwrap();
    store.delete_document("a", "t", "k2").await.unwrap();
    let later = opened.other().await;
    let all = ListRuns { limit: 100, before: None, status: None };
    assert_eq!(later.list("a", &all).await.unwrap(), store.list("a", &all).await.unwrap());
    assert_eq!(later.totals().await.unwrap(), store.totals().await.unwrap());
    assert_eq!(later.stored_bytes("a").await.unwrap(), 7);
    assert_eq!(later.documents("a", "t", None, 10).await.unwrap().len(), 1);
    assert_ne!(later.claim("w2", LEASE).await.unwrap().unwrap().id, claimed.id);
}
