//! Several processes, lost connections, lost workers, and versions.

use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::json;

use super::super::clock::Clock;
use super::super::connection::{Failure, Place};
use super::super::entries::{self, RunEntry};
use super::super::records::{self, Body};
use super::super::streams::Attempt;
use super::super::{NatsStore, contents};
use super::{Opened, address, opened};
use crate::store::checks::Append;
use crate::store::contract::{
    Subject, assert_conflict, assert_missing, key, record, stored, submitted,
};
use crate::store::{IdempotencyKey, ListRuns, Record, Store, StoreError, Stream, Submitted};

const LEASE: Duration = Duration::from_secs(30);

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

with_server! {
    a_worker_that_lost_its_run_writes_nothing,
    a_worker_that_lost_its_run_writes_nothing_after_its_end_either,
    records_of_one_process_reach_watchers_of_another,
    a_lost_note_only_delays,
    work_of_one_process_wakes_another,
    tenants_share_workers,
    one_place_serves_tenants_in_turn,
    the_longest_wait_is_known,
    nothing_is_doubled_when_connections_are_lost,
    a_change_whose_result_was_lost_is_found,
    a_claim_whose_result_was_lost_is_found,
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

fn line(text: &str) -> [Bytes; 1] {
    [Bytes::from(text.to_owned())]
}

/// Returns the number of messages of a stream.
async fn messages(opened: &Opened, place: Place) -> u64 {
    let info = opened.store.shared().connection.info(place).await.unwrap().unwrap();
    info["state"]["messages"].as_u64().unwrap()
}

async fn a_worker_that_lost_its_run_writes_nothing(opened: &Opened) {
    let (zombie, other) = (&opened.store, opened.other().await);
    submitted(zombie, "a", "run_1", 1).await;
    let lost = zombie.claim("w1", LEASE).await.unwrap().unwrap();
    let run = lost.key();
    zombie.append(&run, Stream::Events, Some(0), &line("first")).await.unwrap();
    opened.advance(LEASE);
    let taken = other.claim("w2", LEASE).await.unwrap().unwrap();
    // The new owner has written nothing yet, so the expected numbers are right.
    for (stream, last) in [(Stream::Log, 0), (Stream::Events, 1)] {
        for expected in [Some(last), None] {
            let appended = zombie.append(&run, stream, expected, &line("late")).await;
            assert_conflict(appended, last);
        }
    }
    assert_conflict(zombie.update(&lost, Some(LEASE)).await, taken.version);
    assert_conflict(zombie.update(&lost, None).await, taken.version);
    // All may write to the inbox, and the owner to the others.
    zombie.append(&run, Stream::Inbox, None, &line("request")).await.unwrap();
    other.append(&run, Stream::Log, Some(0), &line("log")).await.unwrap();
    other.append(&run, Stream::Events, Some(1), &line("second")).await.unwrap();
    // A process that never had the run writes nothing either.
    let third = opened.other().await;
    assert_conflict(third.append(&run, Stream::Events, Some(2), &line("x")).await, 2);
    let events = third.read(&run, Stream::Events, 0, 10).await.unwrap();
    assert_eq!(events, ["first", "second"]);
}

async fn a_worker_that_lost_its_run_writes_nothing_after_its_end_either(opened: &Opened) {
    let (zombie, other) = (&opened.store, opened.other().await);
    submitted(zombie, "a", "run_1", 1).await;
    let lost = zombie.claim("w1", LEASE).await.unwrap().unwrap();
    let run = lost.key();
    opened.advance(LEASE);
    let taken = other.claim("w2", LEASE).await.unwrap().unwrap();
    let ended = Record { status: "completed".to_owned(), ..taken };
    let ended = other.update(&ended, None).await.unwrap();
    assert_conflict(zombie.append(&run, Stream::Log, Some(0), &line("late")).await, 0);
    // The last owner may, and others only when they have taken the run.
    other.append(&run, Stream::Events, Some(0), &line("end")).await.unwrap();
    // When it gets the run again, it is a worker like any other.
    let queued = Record { status: "queued".to_owned(), ..ended };
    other.update(&queued, None).await.unwrap();
    zombie.claim("w1", LEASE).await.unwrap().unwrap();
    zombie.append(&run, Stream::Log, Some(0), &line("again")).await.unwrap();
    assert_conflict(other.append(&run, Stream::Log, Some(1), &line("late")).await, 1);
    // Nor does it write to a run that was deleted, and made again under its name.
    other.delete(&run).await.unwrap();
    assert_missing(zombie.append(&run, Stream::Log, Some(1), &line("late")).await);
    assert_missing(zombie.append(&run, Stream::Inbox, None, &line("late")).await);
    submitted(&other, "a", "run_1", 1).await;
    assert_conflict(zombie.append(&run, Stream::Log, Some(1), &line("late")).await, 0);
    assert_eq!(zombie.last(&run, Stream::Inbox).await.unwrap(), 0);
}

async fn records_of_one_process_reach_watchers_of_another(opened: &Opened) {
    let (one, other) = (&opened.store, opened.other().await);
    let run = submitted(one, "a tenant", "run_1", 1).await.key();
    let mut events = other.watch(&run, Stream::Events).await.unwrap();
    let mut inbox = other.watch(&run, Stream::Inbox).await.unwrap();
    let mut deleted = other.watch(&run, Stream::Log).await.unwrap();
    for number in 1..=20 {
        let stream = if number <= 10 { Stream::Events } else { Stream::Inbox };
        let watch = if number <= 10 { &mut events } else { &mut inbox };
        let before = (number - 1) % 10;
        let seen = async {
            tokio::time::timeout(Duration::from_secs(30), watch.last_after(before)).await.unwrap()
        };
        let record = line("x");
        let append = async { one.append(&run, stream, Some(before), &record).await.unwrap() };
        let (seen, appended) = tokio::join!(seen, append);
        assert_eq!(seen.unwrap(), appended);
    }
    let (seen, _) = tokio::join!(deleted.last_after(0), async { one.delete(&run).await.unwrap() });
    assert!(matches!(seen, Err(StoreError::Missing)));
}

async fn a_lost_note_only_delays(opened: &Opened) {
    let other = opened.other().await;
    let run = submitted(&opened.store, "a", "run_1", 1).await.key();
    let mut events = other.watch(&run, Stream::Events).await.unwrap();
    // Past the methods of the store, and so without a note.
    let append = Append { stream: Stream::Events, expected: None, records: &line("x") };
    let (shared, streams) = (opened.store.shared(), opened.store.streams());
    let mut attempt = Attempt::default();
    streams.append(shared, &run, append, (0, "token"), &mut attempt).await.unwrap();
    let seen = tokio::time::timeout(Duration::from_secs(30), events.last_after(0)).await;
    assert_eq!(seen.expect("it was looked for").unwrap(), 1);
}

async fn work_of_one_process_wakes_another(opened: &Opened) {
    const LONG: Duration = Duration::from_secs(60);
    let other = opened.other().await;
    let begin = Instant::now();
    for number in 0..3 {
        let submit = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            submitted(&opened.store, "a", &format!("run_{number}"), 1).await;
        };
        tokio::join!(other.wait_for_work(LONG), submit);
        while other.claim("w", LEASE).await.unwrap().is_none() {
            other.wait_for_work(LONG).await;
        }
    }
    assert!(begin.elapsed() < LONG / 2);
}

/// Returns the entry of a run that waits.
fn waiting(tenant: &str, id: String, created_ms: u64) -> RunEntry {
    RunEntry {
        tenant: tenant.to_owned(),
        uid: format!("uid_{id}"),
        id,
        version: 1,
        created_ms,
        status: "queued".to_owned(),
        owner: None,
        lease_until_ms: 0,
        fence: 0,
        queued_ms: 0,
        served_ms: 0,
        form: records::FORM,
        key: None,
        content: None,
    }
}

async fn tenants_share_workers(opened: &Opened) {
    let connection = &opened.store.shared().connection;
    for thousand in 0..10 {
        let runs = (1..=1000).map(|number| {
            let number = thousand * 1000 + number;
            let run = waiting("busy", format!("run_{number}"), number);
            entries::put(connection, &run, Bytes::from_static(b"{}"), (0, "")).unwrap()
        });
        connection.publish_all(runs.collect()).await.unwrap();
    }
    for _ in 0..16 {
        opened.store.claim("w", LEASE).await.unwrap().unwrap();
    }
    submitted(&opened.store, "other", "run_a", 1_000_000).await;
    submitted(&opened.store, "third", "run_b", 1_000_001).await;
    let begin = Instant::now();
    let mut tenants = Vec::new();
    for _ in 0..4 {
        tenants.push(opened.store.claim("w", LEASE).await.unwrap().unwrap().tenant);
    }
    assert_eq!(tenants, ["other", "third", "busy", "busy"]);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    assert_eq!(opened.store.count("busy", Some("queued"), 20_000).await.unwrap(), 9_982);
}

async fn one_place_serves_tenants_in_turn(opened: &Opened) {
    for number in 0..3 {
        submitted(&opened.store, "a", &format!("run_a{number}"), number).await;
        submitted(&opened.store, "b", &format!("run_b{number}"), 100 + number).await;
    }
    let mut tenants = Vec::new();
    for _ in 0..6 {
        let run = opened.store.claim("w", LEASE).await.unwrap().unwrap();
        tenants.push(run.tenant.clone());
        let ended = Record { status: "completed".to_owned(), ..run };
        opened.store.update(&ended, None).await.unwrap();
        opened.advance(Duration::from_millis(1));
    }
    assert_eq!(tenants, ["a", "b", "a", "b", "a", "b"]);
}

async fn the_longest_wait_is_known(opened: &Opened) {
    let store = &opened.store;
    let wait = async || store.totals().await.unwrap().longest_wait.unwrap().as_secs();
    assert_eq!(wait().await, 0);
    // When a run was made counts for nothing: it may have waited for its next instruction.
    submitted(store, "a", "run_1", 1).await;
    opened.advance(Duration::from_secs(5));
    submitted(store, "a", "run_2", 2).await;
    assert_eq!(wait().await, 5);
    let first = store.claim("w", LEASE).await.unwrap().unwrap();
    let second = store.claim("w", LEASE).await.unwrap().unwrap();
    assert_eq!(wait().await, 0);
    opened.advance(LEASE + Duration::from_secs(7));
    assert_eq!(wait().await, 7);
    let first = store.update(&Record { status: "queued".to_owned(), ..first }, None).await.unwrap();
    store.update(&Record { status: "completed".to_owned(), ..second }, None).await.unwrap();
    assert_eq!(wait().await, 0);
    opened.advance(Duration::from_secs(2));
    // A change of a run that waits goes on with its wait.
    store.update(&first, None).await.unwrap();
    assert_eq!(wait().await, 2);
}

async fn nothing_is_doubled_when_connections_are_lost(opened: &Opened) {
    let cut = async {
        for _ in 0..12 {
            tokio::time::sleep(Duration::from_millis(60)).await;
            opened.store.shared().connection.client().force_reconnect().await.unwrap();
        }
    };
    tokio::join!(cut, work(&opened.store, 150, Duration::ZERO));
    check_work(&opened.store, 150).await;
}

/// Makes `count` changes of each kind at the same time, with a pause after each.
pub(super) async fn work(store: &NatsStore, count: u64, pause: Duration) {
    submitted(store, "a", "run_1", 1).await;
    let mut record = store.claim("w", LEASE).await.unwrap().unwrap();
    let run = record.key();
    let events = async {
        for number in 0..count {
            tokio::time::sleep(pause).await;
            let text = number.to_string();
            store.append(&run, Stream::Events, Some(number), &line(&text)).await.unwrap();
        }
    };
    let inbox = async {
        for number in 0..count {
            tokio::time::sleep(pause).await;
            store.append(&run, Stream::Inbox, None, &line(&number.to_string())).await.unwrap();
        }
    };
    let updates = async {
        for number in 0..count {
            tokio::time::sleep(pause).await;
            record.body.insert("n".to_owned(), number.into());
            record = store.update(&record, Some(LEASE)).await.unwrap();
        }
    };
    let submits = async {
        for number in 0..count {
            tokio::time::sleep(pause).await;
            let key = IdempotencyKey { key: format!("k{number}"), request: "r".to_owned() };
            let run = self::record("b", &format!("run_b{number}"), number);
            let new = store.submit(run, Some(&key)).await.unwrap();
            assert!(matches!(new, Submitted::New(_)), "{new:?}");
        }
    };
    let files = async {
        for number in 0..count / 4 {
            tokio::time::sleep(pause * 4).await;
            let content = format!("content {number}");
            stored(store, "a", content.as_bytes(), "run:run_1").await;
        }
    };
    tokio::join!(events, inbox, updates, submits, files);
}

/// Asserts that each change of [`work`] was made once.
pub(super) async fn check_work(store: &NatsStore, count: u64) {
    let run = key("a", "run_1");
    for stream in [Stream::Events, Stream::Inbox] {
        let read = store.read(&run, stream, 0, 10_000).await.unwrap();
        let expected: Vec<_> = (0..count).map(|number| number.to_string()).collect();
        assert_eq!(read, expected, "{stream:?}");
    }
    let stored = store.get(&run).await.unwrap();
    assert_eq!((stored.version, &stored.body["n"]), (2 + count, &(count - 1).into()));
    assert_eq!(store.count("b", None, 10_000).await.unwrap(), count);
    for number in 0..count {
        let key = IdempotencyKey { key: format!("k{number}"), request: "r".to_owned() };
        let run = store.submitted("b", &key).await.unwrap().unwrap();
        assert_eq!(run.id, format!("run_b{number}"));
    }
    for number in 0..count / 4 {
        let content = format!("content {number}");
        let sha256 = mitt_base::digest::sha256(content.as_bytes());
        let reader = store.blob("a", &sha256).await.unwrap();
        assert_eq!(reader.read(0, 100).await.unwrap(), content);
    }
}

async fn a_change_whose_result_was_lost_is_found(opened: &Opened) {
    let store = &opened.store;
    let (shared, streams) = (store.shared(), store.streams());
    let run = submitted(store, "a", "run_1", 1).await.key();
    let text = line("x");
    for (expected, token) in [(None, "first"), (Some(1), "second")] {
        let append = Append { stream: Stream::Inbox, expected, records: &text };
        let mut attempt = Attempt::default();
        let last = if token == "first" { 1 } else { 2 };
        // An attempt knows which sequence it expected, also after its success.
        for _ in 0..3 {
            let appended = streams.append(shared, &run, append, (0, token), &mut attempt).await;
            assert_eq!(appended.unwrap(), last);
            attempt.may_have_been_made(if token == "first" {
                0
            } else {
                attempt_sequence(opened).await
            });
        }
    }
    // Other records at the same place are another's.
    let other = line("y");
    let append = Append { stream: Stream::Inbox, expected: Some(1), records: &other };
    let mut attempt = Attempt::default();
    attempt.may_have_been_made(attempt_sequence(opened).await);
    let appended = streams.append(shared, &run, append, (0, "third"), &mut attempt).await;
    assert!(matches!(appended, Err(Failure::Store(StoreError::Conflict(2)))));
    assert_eq!(store.read(&run, Stream::Inbox, 0, 10).await.unwrap(), ["x", "x"]);

    let mut changed = store.get(&run).await.unwrap();
    changed.body.insert("title".to_owned(), "new".into());
    let body = Body::store(shared, &changed).await.unwrap();
    for _ in 0..3 {
        let updated = records::update(shared, &changed, None, ("change", &body)).await.unwrap();
        assert_eq!(updated.record.version, 2);
    }
    let updated = records::update(shared, &changed, None, ("another", &body)).await;
    assert!(matches!(updated, Err(Failure::Store(StoreError::Conflict(2)))));
    let new = record("a", "run_2", 2);
    let key = IdempotencyKey { key: "k".to_owned(), request: "r".to_owned() };
    for _ in 0..3 {
        let submit = records::submit(shared, &new, Some(&key), ("uid", &body)).await.unwrap();
        assert!(matches!(submit, Submitted::New(_)));
    }
    for expected in [true, false, false] {
        let deleted = records::delete(shared, &new.key(), "deletion").await.unwrap();
        assert_eq!(deleted.is_some(), expected);
    }
    let deleted = records::delete(shared, &new.key(), "another").await;
    assert!(matches!(deleted, Err(Failure::Store(StoreError::Missing))));
}

/// Returns the sequence of the first message of the inbox of `run_1`.
async fn attempt_sequence(opened: &Opened) -> u64 {
    let shared = opened.store.shared();
    let uid = records::entry(shared, &key("a", "run_1")).await.unwrap().uid;
    let subject = entries::lines(&shared.connection, &uid, Stream::Inbox);
    shared.connection.next(Place::Data, &subject, 1).await.unwrap().unwrap().sequence
}

async fn a_claim_whose_result_was_lost_is_found(opened: &Opened) {
    let store = &opened.store;
    submitted(store, "a", "run_1", 1).await;
    submitted(store, "a", "run_2", 2).await;
    let mut ids = Vec::new();
    let mut earlier = None;
    for _ in 0..3 {
        let claimed = store.claim_once(("w", LEASE), "claim_1", &mut earlier).await;
        let (record, _) = claimed.unwrap().unwrap();
        earlier = Some(record.key());
        ids.push(record.id);
    }
    assert_eq!(ids, ["run_1", "run_1", "run_1"]);
}

async fn processes_that_start_together_make_the_streams_once(opened: &Opened) {
    let (again, other) = (format!("{}_again", opened.name), opened.now_ms.clone());
    let again = Opened {
        store: super::open(&opened.address, &again, &other).await,
        now_ms: other,
        address: opened.address.clone(),
        name: again,
    };
    let stores = tokio::join!(again.other(), again.other(), again.other(), again.other());
    submitted(&stores.0, "a", "run_1", 1).await;
    stores.3.get(&key("a", "run_1")).await.unwrap();
}

async fn streams_of_a_later_version_are_refused(opened: &Opened) {
    let connection = &opened.store.shared().connection;
    let open = async || {
        let clock = std::sync::Arc::new(|| Duration::from_secs(1));
        NatsStore::open_in(&opened.address, &opened.name, clock, Clock::default()).await
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
    store.wait_for_work(Duration::from_millis(50)).await;
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
    let mut files = futures_util::stream::iter(files);
    let mut digests = Vec::new();
    {
        use futures_util::StreamExt as _;
        let mut files = std::pin::pin!(files.by_ref().buffer_unordered(16));
        while let Some(sha256) = files.next().await {
            digests.push(sha256);
        }
    }
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

#[tokio::test]
async fn servers_that_cannot_be_reached_or_refuse_are_errors_without_the_password() {
    let open = async |address: &str| {
        let clock = std::sync::Arc::new(|| Duration::from_secs(1));
        NatsStore::open(address, clock).await.unwrap_err()
    };
    // Nothing listens there.
    let begin = Instant::now();
    let error = open("nats://me:s3cret@127.0.0.1:1").await;
    let text = error.render();
    assert!(text.contains("127.0.0.1:1") && !text.contains("s3cret"), "{text}");
    assert!(error.is_retryable() && begin.elapsed() > Duration::from_secs(15));
}

#[tokio::test]
async fn a_wrong_password_is_an_error_at_once() {
    let Some(address) = address() else { return };
    let (scheme, rest) = address.split_once("://").unwrap();
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    if rest == host {
        // The server of this test takes everybody.
        return;
    }
    let clock = std::sync::Arc::new(|| Duration::from_secs(1));
    let begin = Instant::now();
    let wrong = NatsStore::open(&format!("{scheme}://me:s3cret@{host}"), clock).await;
    let text = wrong.unwrap_err().render();
    assert!(text.contains("check user, password") && !text.contains("s3cret"), "{text}");
    assert!(begin.elapsed() < Duration::from_secs(10));
}
