//! Several processes, lost connections, lost workers, and versions.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::super::address::Address;
use super::super::pool::{Failure, Pool};
use super::super::{PostgresStore, queue, records, streams};
use super::{Opened, address, opened};
use crate::store::checks::Append;
use crate::store::contract::{Subject, assert_conflict, key, stored, submitted};
use crate::store::{Record, Store, StoreError, Stream};

const LEASE: Duration = Duration::from_secs(30);

/// Makes tests that need a database.
macro_rules! with_database {
    ($($name:ident,)*) => {
        mod with_database {
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

with_database! {
    a_worker_that_lost_its_run_writes_nothing,
    a_worker_that_lost_its_run_writes_nothing_after_its_end_either,
    records_of_one_process_reach_watchers_of_another,
    a_lost_notification_only_delays,
    work_of_one_process_wakes_another,
    tenants_share_workers,
    one_place_serves_tenants_in_turn,
    the_longest_wait_is_known,
    nothing_is_doubled_when_connections_are_lost,
    a_change_whose_result_was_lost_is_found,
    a_claim_whose_result_was_lost_is_found,
    processes_that_start_together_make_the_tables_once,
    tables_of_a_later_version_are_refused,
    runs_of_a_later_form_are_left_alone,
    what_was_deleted_goes_in_batches,
    documents_of_a_process_that_ended_are_handed_over_by_another,
}

fn line(text: &str) -> [Bytes; 1] {
    [Bytes::from(text.to_owned())]
}

/// Returns the first number of a query.
async fn number(opened: &Opened, sql: &'static str) -> i64 {
    let mut lent = opened.store.pool_for_tests().lend().await.unwrap();
    lent.row(sql, &[]).await.unwrap().unwrap().get(0)
}

/// Ends all other connections that use the schema of this test, and returns their number.
async fn disconnect(opened: &Opened) -> usize {
    let Ok(mut lent) = opened.store.pool_for_tests().lend().await else { return 0 };
    let sql = "select pg_terminate_backend(pid) from pg_stat_activity \
        where application_name = $1 and pid <> pg_backend_pid() and datname = current_database()";
    // Its own connection may have been ended by the last call.
    lent.rows(sql, &[&opened.schema]).await.map_or(0, |ended| ended.len())
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

async fn a_lost_notification_only_delays(opened: &Opened) {
    let other = opened.other().await;
    let run = submitted(&opened.store, "a", "run_1", 1).await.key();
    let mut events = other.watch(&run, Stream::Events).await.unwrap();
    // Past the store, and so without a notification.
    opened.batch("update streams set last = 7 where stream = 1").await;
    let seen = tokio::time::timeout(Duration::from_secs(30), events.last_after(0)).await;
    assert_eq!(seen.expect("it was looked for").unwrap(), 7);
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
        // The listener also rings when it begins, before there is any work.
        while other.claim("w", LEASE).await.unwrap().is_none() {
            other.wait_for_work("w", LONG).await;
        }
    }
    assert!(begin.elapsed() < LONG / 2);
}

async fn tenants_share_workers(opened: &Opened) {
    submitted(&opened.store, "busy", "run_first", 1).await;
    opened
        .batch(
            "insert into runs (number, tenant, id, version, created_ms, status, lease_until_ms, fence, form, body) \
             select nextval('numbers'), 'busy', 'run_' || n, 1, n, 'queued', 0, 0, 1, '{}' \
             from generate_series(1, 10000) n; \
             insert into streams (run, stream, last, bytes, fence) \
             select number, stream, 0, 0, 0 from runs, generate_series(0, 2) stream where id <> 'run_first'; \
             insert into work (run, tenant, created_ms, id, due_ms, queued_ms, form) \
             select number, tenant, created_ms, id, 0, now_ms(), 1 from runs where id <> 'run_first'",
        )
        .await;
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
    const COUNT: u64 = 150;
    let store = &opened.store;
    submitted(store, "a", "run_1", 1).await;
    let mut record = store.claim("w", LEASE).await.unwrap().unwrap();
    let run = record.key();
    let cut = async {
        let mut count = 0;
        for _ in 0..12 {
            tokio::time::sleep(Duration::from_millis(60)).await;
            count += disconnect(opened).await;
        }
        count
    };
    let events = async {
        for number in 0..COUNT {
            let text = number.to_string();
            store.append(&run, Stream::Events, Some(number), &line(&text)).await.unwrap();
        }
    };
    let inbox = async {
        for number in 0..COUNT {
            store.append(&run, Stream::Inbox, None, &line(&number.to_string())).await.unwrap();
        }
    };
    let updates = async {
        for number in 0..COUNT {
            record.body.insert("n".to_owned(), number.into());
            record = store.update(&record, Some(LEASE)).await.unwrap();
        }
    };
    let submits = async {
        for number in 0..COUNT {
            submitted(store, "b", &format!("run_b{number}"), number).await;
        }
    };
    let (ended, ..) = tokio::join!(cut, events, inbox, updates, submits);
    assert!(ended > 0);
    for stream in [Stream::Events, Stream::Inbox] {
        let read = store.read(&run, stream, 0, 1000).await.unwrap();
        let expected: Vec<_> = (0..COUNT).map(|number| number.to_string()).collect();
        assert_eq!(read, expected, "{stream:?}");
    }
    let stored = store.get(&run).await.unwrap();
    assert_eq!((stored.version, &stored.body["n"]), (2 + COUNT, &(COUNT - 1).into()));
    assert_eq!(store.count("b", None, 1000).await.unwrap(), COUNT);
}

async fn a_change_whose_result_was_lost_is_found(opened: &Opened) {
    let store = &opened.store;
    let run = submitted(store, "a", "run_1", 1).await.key();
    let lend = async || store.pool_for_tests().lend().await.unwrap();
    let text = line("x");
    for (expected, last) in [(None, 1), (Some(1), 2)] {
        let append = Append { stream: Stream::Inbox, expected, records: &text };
        for is_repeat in [false, true, true] {
            let mut lent = lend().await;
            let token = (0, if last == 1 { "first" } else { "second" });
            let appended = streams::append(&mut lent, &run, append, token, is_repeat).await;
            assert_eq!(appended.unwrap(), last, "{is_repeat}");
        }
    }
    // Other records at the same place are another's.
    let other = line("y");
    let append = Append { stream: Stream::Inbox, expected: Some(1), records: &other };
    let appended = streams::append(&mut lend().await, &run, append, (0, "third"), true).await;
    assert!(matches!(appended, Err(Failure::Store(StoreError::Conflict(2)))));
    assert_eq!(store.read(&run, Stream::Inbox, 0, 10).await.unwrap(), ["x", "x"]);

    let mut changed = store.get(&run).await.unwrap();
    changed.body.insert("title".to_owned(), "new".into());
    for is_repeat in [false, true, true] {
        let updated = records::update(lend().await, &changed, None, is_repeat).await.unwrap();
        assert_eq!(updated.record.version, 2);
    }
    changed.body.insert("title".to_owned(), "another".into());
    let updated = records::update(lend().await, &changed, None, true).await;
    assert!(matches!(updated, Err(Failure::Store(StoreError::Conflict(2)))));
}

async fn a_claim_whose_result_was_lost_is_found(opened: &Opened) {
    let store = &opened.store;
    submitted(store, "a", "run_1", 1).await;
    submitted(store, "a", "run_2", 2).await;
    let clock = records::Clock { pool: store.pool_for_tests(), now_ms: super::BEGIN_MS };
    let mut ids = Vec::new();
    for is_repeat in [false, true, true] {
        let lent = store.pool_for_tests().lend().await.unwrap();
        let claimed = queue::claim(lent, &clock, ("w", "claim_1"), LEASE, is_repeat).await;
        ids.push(claimed.unwrap().unwrap().record.id);
    }
    assert_eq!(ids, ["run_1", "run_1", "run_1"]);
}

async fn processes_that_start_together_make_the_tables_once(opened: &Opened) {
    opened.batch(&format!("drop schema {0} cascade", opened.schema)).await;
    let stores = tokio::join!(opened.other(), opened.other(), opened.other(), opened.other());
    submitted(&stores.0, "a", "run_1", 1).await;
    stores.3.get(&key("a", "run_1")).await.unwrap();
    assert_eq!(number(opened, "select count(*) from schema_version").await, 3);
}

async fn tables_of_a_later_version_are_refused(opened: &Opened) {
    let open = async || {
        let clock = std::sync::Arc::new(|| Duration::from_secs(1));
        PostgresStore::open_in(&opened.address, &opened.schema, None, clock).await
    };
    let later = "insert into schema_version (version, oldest, program) values";
    opened.batch(&format!("{later} (98, 1, 'a version that takes nothing away')")).await;
    open().await.unwrap();
    opened.batch(&format!("{later} (99, 99, 'another one')")).await;
    let error = open().await.unwrap_err();
    let expected = "the tables have version 99, and this program knows versions up to 3";
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(error.hints().len(), 1);
}

async fn runs_of_a_later_form_are_left_alone(opened: &Opened) {
    let store = &opened.store;
    let run = submitted(store, "a", "run_1", 1).await.key();
    opened.batch("update runs set form = 99; update work set form = 99").await;
    assert!(store.claim("w", LEASE).await.unwrap().is_none());
    let begin = Instant::now();
    store.wait_for_work("w", Duration::from_millis(50)).await;
    assert!(begin.elapsed() >= Duration::from_millis(50));
    let Err(StoreError::Failed(error)) = store.get(&run).await else { panic!() };
    assert!(error.to_string().contains("form 99"), "{error}");
}

async fn what_was_deleted_goes_in_batches(opened: &Opened) {
    let store = &opened.store;
    let run = submitted(store, "a", "run_1", 1).await.key();
    let lines = vec![Bytes::from_static(b"x"); 2_500];
    store.append(&run, Stream::Events, Some(0), &lines).await.unwrap();
    let content: Vec<u8> = (0..1_000_000_u32).map(|number| number as u8).collect();
    let sha256 = stored(store, "a", &content, "run:run_1").await;
    let reader = store.blob("a", &sha256).await.unwrap();
    // One that never ends.
    let mut writer = store.blob_writer("a").await.unwrap();
    writer.write(&content).await.unwrap();
    drop(writer);
    store.delete(&run).await.unwrap();
    let part = reader.read(999_000, 1_000).await.unwrap();
    assert!(part == content[999_000..], "what is open is read to its end");
    for _ in 0..2 {
        opened.advance(Duration::from_secs(60 * 60));
        store.sweep().await.unwrap();
    }
    for sql in [
        "select count(*) from lines",
        "select count(*) from pieces",
        "select count(*) from garbage",
        "select count(*) from arriving",
        "select count(*) from streams",
    ] {
        assert_eq!(number(opened, sql).await, 0, "{sql}");
    }
    assert!(matches!(reader.read(0, 1).await, Err(StoreError::Missing)));
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
    assert_eq!(number(opened, "select count(*) from ended").await, 0);
}

#[tokio::test]
async fn errors_name_the_database_and_not_the_password() {
    // Nothing listens there.
    let address = Address::parse("postgres://me:s3cret@127.0.0.1:1/runs").unwrap();
    let pool = Pool::new(address, "mitt");
    let Err(Failure::Database(error)) = pool.lend().await else { panic!("it is there") };
    let StoreError::Failed(error) = pool.failed(&error) else { panic!() };
    let text = error.render();
    assert!(text.contains("127.0.0.1:1/runs") && !text.contains("s3cret"), "{text}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_database_that_is_wrong_is_an_error_at_once() {
    let Some(address) = address() else { return };
    let (server, _) = address.rsplit_once('/').unwrap();
    let clock = std::sync::Arc::new(|| Duration::from_secs(1));
    let begin = Instant::now();
    let wrong = PostgresStore::open(&format!("{server}/not_there"), None, clock).await;
    assert!(wrong.unwrap_err().to_string().contains("/not_there"));
    assert!(begin.elapsed() < Duration::from_secs(10));
}
