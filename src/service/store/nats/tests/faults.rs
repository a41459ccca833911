//! Several processes, lost connections and lost workers.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::super::NatsStore;
use super::super::clock::Clock;
use super::super::connection::{Failure, Place};
use super::super::entries::{self, RunEntry};
use super::super::records::{self, Body};
use super::super::streams::Attempt;
use super::{Opened, address, opened, with_server};
use crate::store::checks::Append;
use crate::store::contract::{
    Subject, assert_conflict, assert_missing, key, record, stored, submitted,
};
use crate::store::{IdempotencyKey, Record, Store, StoreError, Stream, Submitted};

const LEASE: Duration = Duration::from_secs(30);

with_server! {
    a_worker_that_lost_its_run_writes_nothing,
    a_worker_that_lost_its_run_writes_nothing_after_its_end_either,
    records_of_one_process_reach_watchers_of_another,
    a_lost_note_only_delays,
    work_of_one_process_wakes_another,
    tenants_share_workers,
    one_place_serves_tenants_in_turn,
    the_longest_wait_is_known,
    leases_end_by_the_time_of_the_server,
    nothing_is_doubled_when_connections_are_lost,
    a_change_whose_result_was_lost_is_found,
    a_claim_whose_result_was_lost_is_found,
}

pub(super) fn line(text: &str) -> [Bytes; 1] {
    [Bytes::from(text.to_owned())]
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
    // For half a second, the other one alone may have it.
    opened.advance(Duration::from_secs(1));
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
        tokio::join!(other.wait_for_work("w", LONG), submit);
        while other.claim("w", LEASE).await.unwrap().is_none() {
            other.wait_for_work("w", LONG).await;
        }
    }
    assert!(begin.elapsed() < LONG / 2);
}

/// Returns the entry of a run that waits.
pub(super) fn waiting(tenant: &str, id: String, created_ms: u64) -> RunEntry {
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
        warm: None,
        form: entries::FORM,
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

async fn leases_end_by_the_time_of_the_server(opened: &Opened) {
    const SHORT: Duration = Duration::from_millis(600);
    // Two processes whose clocks are decades wrong.
    let open = async |time: Duration| {
        let clock = std::sync::Arc::new(move || time);
        NatsStore::open_in((&opened.address, &opened.name), None, clock, Clock::default())
            .await
            .unwrap()
    };
    let (late, early) =
        (open(Duration::from_secs(1)).await, open(Duration::from_secs(1 << 40)).await);
    submitted(&late, "a", "run_1", 1).await;
    let begin = Instant::now();
    let run = late.claim("w1", SHORT).await.unwrap().unwrap();
    assert!(early.claim("w2", SHORT).await.unwrap().is_none());
    let seen = early.get(&run.key()).await.unwrap();
    assert!(seen.lease_until_ms > (1 << 40) * 1000, "it holds by the clock of the reader too");
    while early.claim("w2", SHORT).await.unwrap().is_none() {
        early.wait_for_work("w", Duration::from_secs(10)).await;
    }
    let waited = begin.elapsed();
    assert!(waited >= SHORT - Duration::from_millis(50), "{waited:?}");
    assert!(waited < Duration::from_secs(5), "{waited:?}");
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

#[tokio::test]
async fn servers_that_cannot_be_reached_or_refuse_are_errors_without_the_password() {
    let open = async |address: &str| {
        let clock = std::sync::Arc::new(|| Duration::from_secs(1));
        NatsStore::open(address, None, clock).await.unwrap_err()
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
    let wrong = NatsStore::open(&format!("{scheme}://me:s3cret@{host}"), None, clock).await;
    let text = wrong.unwrap_err().render();
    assert!(text.contains("check user, password") && !text.contains("s3cret"), "{text}");
    assert!(begin.elapsed() < Duration::from_secs(10));
}
