//! Records of runs, idempotency, lists, and workers.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Subject, assert_conflict, assert_missing, assert_refused, key, record, submitted};
use crate::store::{IdempotencyKey, ListRuns, Record, Store, StoreError, Submitted};

const LEASE: Duration = Duration::from_secs(30);

pub(crate) async fn a_run_is_returned_as_it_was_submitted(subject: &dyn Subject) {
    let store = subject.store();
    let mut long = record("", "run_1", 7);
    long.body.insert("deep".to_owned(), json!({"a": [1, 2.5, null, "\u{0}\n"]}));
    let Submitted::New(new) = store.submit(long.clone(), None).await.unwrap() else { panic!() };
    assert_eq!(new, Record { version: 1, ..long });
    assert_eq!(store.get(&new.key()).await.unwrap(), new);
    assert_conflict(store.submit(record("", "run_1", 9), None).await, 1);
    for id in ["run_2", "", "../run_1", "run_1\0"] {
        assert_missing(store.get(&key("", id)).await);
    }
    assert_refused(store.submit(record("", "a/b", 1), None).await, "id: expected an identifier");
}

pub(crate) async fn a_request_with_the_same_key_is_done_once(subject: &dyn Subject) {
    let store = subject.store();
    let request =
        |key: &str, request: &str| IdempotencyKey { key: key.into(), request: request.into() };
    let first = request("k", "r");
    let new = store.submit(record("a", "run_1", 1), Some(&first)).await.unwrap();
    let Submitted::New(new) = new else { panic!("{new:?}") };
    // The known run is returned as it is by now.
    let updated = store.update(&new, None).await.unwrap();
    match store.submit(record("a", "run_2", 2), Some(&first)).await.unwrap() {
        Submitted::Known(known) => assert_eq!(known, updated),
        other => panic!("{other:?}"),
    }
    let reused = store.submit(record("a", "run_3", 3), Some(&request("k", "other"))).await;
    assert!(matches!(reused, Err(StoreError::KeyReused)), "{reused:?}");
    for id in ["run_2", "run_3"] {
        assert_missing(store.get(&key("a", id)).await);
    }
    for (tenant, id, key) in [("b", "run_4", "k"), ("a", "run_5", "k2")] {
        let other = store.submit(record(tenant, id, 4), Some(&request(key, "r"))).await;
        assert!(matches!(other.unwrap(), Submitted::New(_)));
    }
    // At the same time too.
    let same = request("same", "r");
    let submit = |id: &'static str| store.submit(record("a", id, 5), Some(&same));
    let results = tokio::join!(submit("run_6"), submit("run_7"), submit("run_8"));
    let results = [results.0.unwrap(), results.1.unwrap(), results.2.unwrap()];
    let new = results.iter().filter(|it| matches!(it, Submitted::New(_))).count();
    let ids: BTreeSet<_> = results
        .iter()
        .map(|it| match it {
            Submitted::New(record) | Submitted::Known(record) => &record.id,
        })
        .collect();
    assert_eq!((new, ids.len()), (1, 1));
}

pub(crate) async fn a_key_is_free_again_after_a_day_or_with_its_run(subject: &dyn Subject) {
    let store = subject.store();
    let request = IdempotencyKey { key: "k".into(), request: "r".into() };
    let submit = |id: &str| store.submit(record("a", id, 1), Some(&request));
    assert!(matches!(submit("run_1").await.unwrap(), Submitted::New(_)));
    store.delete(&key("a", "run_1")).await.unwrap();
    assert!(matches!(submit("run_2").await.unwrap(), Submitted::New(_)));
    subject.advance(Duration::from_secs(24 * 60 * 60 - 1));
    store.sweep().await.unwrap();
    assert!(matches!(submit("run_3").await.unwrap(), Submitted::Known(_)));
    subject.advance(Duration::from_secs(2));
    assert!(matches!(submit("run_4").await.unwrap(), Submitted::New(_)));
    // The deletion of the run that had the key before does not free it.
    store.delete(&key("a", "run_2")).await.unwrap();
    assert!(matches!(submit("run_5").await.unwrap(), Submitted::Known(_)));
    subject.advance(Duration::from_secs(24 * 60 * 60));
    store.sweep().await.unwrap();
    assert!(matches!(submit("run_6").await.unwrap(), Submitted::New(_)));
}

pub(crate) async fn a_changed_record_must_have_the_stored_version(subject: &dyn Subject) {
    let store = subject.store();
    let first = submitted(store, "a", "run_1", 1).await;
    let mut changed = first.clone();
    changed.body.insert("title".to_owned(), json!("new"));
    changed.status = "completed".to_owned();
    let second = store.update(&changed, None).await.unwrap();
    assert_eq!(second, Record { version: 2, ..changed.clone() });
    assert_eq!(store.get(&first.key()).await.unwrap(), second);
    assert_conflict(store.update(&first, None).await, 2);
    assert_conflict(store.update(&Record { version: 3, ..first.clone() }, None).await, 2);
    assert_missing(store.update(&record("a", "run_2", 1), None).await);
    assert_missing(store.update(&Record { tenant: "b".to_owned(), ..second.clone() }, None).await);
    // Of two at the same time one comes first.
    let results = tokio::join!(store.update(&second, None), store.update(&second, None));
    assert!(results.0.is_ok() != results.1.is_ok(), "{results:?}");
}

pub(crate) async fn a_record_that_is_too_large_is_refused(subject: &dyn Subject) {
    let store = subject.store();
    let mut large = record("a", "run_1", 1);
    large.body.insert("x".to_owned(), json!("x".repeat((4 << 20) - 1000)));
    let Submitted::New(stored) = store.submit(large.clone(), None).await.unwrap() else { panic!() };
    large.body.insert("y".to_owned(), json!("y".repeat(1000)));
    let expected = "record of a run: expected at most 4194304 bytes";
    assert_refused(
        store.submit(Record { id: "run_2".into(), ..large.clone() }, None).await,
        expected,
    );
    assert_refused(store.update(&Record { version: 1, ..large }, None).await, expected);
    assert_eq!(store.get(&key("a", "run_1")).await.unwrap(), stored);
    let name = "x".repeat(1025);
    assert_refused(store.submit(record(&name, "run_3", 1), None).await, "tenant: expected at most");
    let request = IdempotencyKey { key: name, request: String::new() };
    let result = store.submit(record("a", "run_3", 1), Some(&request)).await;
    assert_refused(result, "idempotency key: expected at most");
}

async fn ids(store: &dyn Store, tenant: &str, list: ListRuns) -> Vec<String> {
    let records = store.list(tenant, &list).await.unwrap();
    assert!(records.iter().all(|it| it.tenant == tenant));
    records.into_iter().map(|record| record.id).collect()
}

pub(crate) async fn lists_are_in_pages_and_by_status(subject: &dyn Subject) {
    let store = subject.store();
    // Two of the same time are in the order of their identifiers.
    for (id, created) in [("c", 300), ("a", 100), ("b2", 200), ("b1", 200), ("d", 70_000)] {
        submitted(store, "a", id, created).await;
    }
    submitted(store, "a2", "other", 250).await;
    submitted(store, "", "none", 250).await;
    let all = |limit, before: Option<&str>| ListRuns {
        limit,
        before: before.map(str::to_owned),
        status: None,
    };
    assert_eq!(ids(store, "a", all(10, None)).await, ["d", "c", "b2", "b1", "a"]);
    let (mut pages, mut before) = (Vec::new(), None);
    loop {
        let page = ids(store, "a", all(2, before.as_deref())).await;
        let Some(last) = page.last() else { break };
        before = Some(last.clone());
        pages.push(page);
    }
    assert_eq!(pages, [vec!["d", "c"], vec!["b2", "b1"], vec!["a"]]);
    assert!(ids(store, "a", all(0, None)).await.is_empty());
    assert!(ids(store, "nobody", all(10, None)).await.is_empty());
    for before in ["other", "missing"] {
        assert_missing(store.list("a", &all(1, Some(before))).await);
    }
    for id in ["b1", "d"] {
        let run = store.get(&key("a", id)).await.unwrap();
        store.update(&Record { status: "failed".to_owned(), ..run }, None).await.unwrap();
    }
    let status = |status: &str, before: Option<&str>| ListRuns {
        status: Some(status.to_owned()),
        ..all(10, before)
    };
    assert_eq!(ids(store, "a", status("failed", None)).await, ["d", "b1"]);
    assert_eq!(ids(store, "a", status("queued", None)).await, ["c", "b2", "a"]);
    assert_eq!(ids(store, "a", status("queued", Some("d"))).await, ["c", "b2", "a"]);
    assert_eq!(ids(store, "a", status("failed", Some("d"))).await, ["b1"]);
    assert!(ids(store, "a", status("fail", None)).await.is_empty());
    store.delete(&key("a", "d")).await.unwrap();
    assert_eq!(ids(store, "a", status("failed", None)).await, ["b1"]);
    assert_eq!(ids(store, "a", all(2, None)).await, ["c", "b2"]);
}

pub(crate) async fn runs_are_counted_by_status(subject: &dyn Subject) {
    let store = subject.store();
    let count = async |tenant: &str, status: Option<&str>, most: u64| {
        store.count(tenant, status, most).await.unwrap()
    };
    for number in 0..5 {
        submitted(store, "a", &format!("run_{number}"), number).await;
    }
    submitted(store, "b", "run_b", 1).await;
    assert_eq!(count("a", None, 100).await, 5);
    assert_eq!((count("a", None, 3).await, count("a", None, 0).await), (3, 0));
    assert_eq!(count("nobody", None, 100).await, 0);
    let mut run = store.claim("w", LEASE).await.unwrap().unwrap();
    assert_eq!(count("a", Some("queued"), 100).await, 4);
    assert_eq!(count("a", Some("running"), 100).await, 1);
    run.status = "completed".to_owned();
    let run = store.update(&run, None).await.unwrap();
    let totals = store.totals().await.unwrap();
    assert_eq!((totals.runs["queued"], totals.runs["completed"]), (5, 1));
    assert_eq!((totals.runs.get("running"), totals.bytes), (None, 0));
    store.delete(&run.key()).await.unwrap();
    assert_eq!((count("a", None, 100).await, count("a", Some("completed"), 9).await), (4, 0));
    assert_eq!(store.totals().await.unwrap().runs.len(), 1);
}

pub(crate) async fn a_key_leads_to_its_run_without_a_new_one(subject: &dyn Subject) {
    let store = subject.store();
    let request =
        |key: &str, request: &str| IdempotencyKey { key: key.into(), request: request.into() };
    assert_eq!(store.submitted("a", &request("k", "r")).await.unwrap(), None);
    let new = store.submit(record("a", "run_1", 1), Some(&request("k", "r"))).await.unwrap();
    let Submitted::New(new) = new else { panic!("{new:?}") };
    assert_eq!(store.submitted("a", &request("k", "r")).await.unwrap(), Some(new));
    let reused = store.submitted("a", &request("k", "other")).await;
    assert!(matches!(reused, Err(StoreError::KeyReused)), "{reused:?}");
    assert_eq!(store.submitted("b", &request("k", "r")).await.unwrap(), None);
    subject.advance(Duration::from_secs(24 * 60 * 60));
    assert_eq!(store.submitted("a", &request("k", "r")).await.unwrap(), None);
}

pub(crate) async fn two_workers_never_have_the_same_run(subject: &dyn Subject) {
    let store = subject.store();
    assert!(store.claim("w", LEASE).await.unwrap().is_none());
    for (tenant, id) in [("a", "run_1"), ("b", "run_2")] {
        submitted(store, tenant, id, 5).await;
    }
    let claims = tokio::join!(store.claim("w1", LEASE), store.claim("w2", LEASE));
    let (first, second) = (claims.0.unwrap().unwrap(), claims.1.unwrap().unwrap());
    assert_ne!(first.id, second.id);
    assert_eq!((first.owner.as_deref(), second.owner.as_deref()), (Some("w1"), Some("w2")));
    assert_eq!((first.status.as_str(), first.version), ("running", 2));
    assert_eq!(store.get(&first.key()).await.unwrap(), first);
    assert!(store.claim("w3", LEASE).await.unwrap().is_none());
}

pub(crate) async fn many_workers_share_many_runs(subject: &dyn Subject) {
    let store = subject.store();
    for number in 0..60 {
        submitted(store, "a", &format!("run_{number}"), number % 7).await;
    }
    let worker = async |name: &str| {
        let mut ids = Vec::new();
        while let Some(run) = store.claim(name, LEASE).await.unwrap() {
            ids.push(run.id);
        }
        ids
    };
    let claimed = tokio::join!(worker("1"), worker("2"), worker("3"), worker("4"));
    let claimed = [claimed.0, claimed.1, claimed.2, claimed.3].concat();
    assert_eq!((claimed.len(), claimed.iter().collect::<BTreeSet<_>>().len()), (60, 60));
}

pub(crate) async fn the_oldest_run_is_claimed_first(subject: &dyn Subject) {
    let store = subject.store();
    for (tenant, id, created) in [("b", "y", 9), ("a", "z", 300), ("c", "x", 256)] {
        submitted(store, tenant, id, created).await;
    }
    let oldest = store.claim("w", LEASE).await.unwrap().unwrap();
    assert_eq!(oldest.id, "y");
    // One whose lease has ended is older than those that never ran.
    subject.advance(LEASE);
    let mut order = Vec::new();
    while let Some(run) = store.claim("w", LEASE).await.unwrap() {
        order.push(run.id);
    }
    assert_eq!(order, ["y", "x", "z"]);
}

pub(crate) async fn tenants_take_turns_however_many_runs_one_has(subject: &dyn Subject) {
    let store = subject.store();
    let claim = async || {
        // A claim in the same millisecond as another would be as recent.
        subject.advance(Duration::from_millis(2));
        store.claim("w", LEASE).await.unwrap().unwrap()
    };
    let name = |run: &Record| format!("{}{}", run.tenant, run.id);
    for number in 0..12 {
        submitted(store, "a", &format!("{number:02}"), number).await;
    }
    for (tenant, created) in [("b", 100), ("b", 200), ("c", 150)] {
        submitted(store, tenant, &created.to_string(), created).await;
    }
    // While runs work, the tenant with the fewest of them is next.
    let mut working = Vec::new();
    for expected in ["a00", "b100", "c150", "a01", "b200", "a02", "a03"] {
        working.push(claim().await);
        assert_eq!(name(working.last().unwrap()), expected);
    }
    // With one place, no run works at a claim: the tenant that waited longest is next.
    let end = async |run: &Record| {
        let ended = Record { status: "completed".to_owned(), ..run.clone() };
        store.update(&ended, None).await.unwrap();
    };
    for run in &working {
        end(run).await;
    }
    submitted(store, "b", "300", 300).await;
    submitted(store, "b", "301", 301).await;
    let mut order = Vec::new();
    for _ in 0..5 {
        let run = claim().await;
        end(&run).await;
        order.push(name(&run));
    }
    assert_eq!(order, ["b300", "a04", "b301", "a05", "a06"]);
    // One that is deleted, or waits for something else, has its place no longer.
    let (first, second) = (claim().await, claim().await);
    assert_eq!([name(&first), name(&second)], ["a07", "a08"]);
    submitted(store, "d", "400", 400).await;
    submitted(store, "d", "401", 401).await;
    let other = claim().await;
    assert_eq!(name(&other), "d400");
    store.delete(&first.key()).await.unwrap();
    let waiting = Record { status: "waiting".to_owned(), ..second };
    store.update(&waiting, Some(LEASE)).await.unwrap();
    assert_eq!(name(&claim().await), "a09");
}

pub(crate) async fn an_expired_lease_goes_to_another_worker(subject: &dyn Subject) {
    let store = subject.store();
    submitted(store, "a", "run_1", 5).await;
    let mut first = store.claim("w1", LEASE).await.unwrap().unwrap();
    for _ in 0..3 {
        subject.advance(LEASE - Duration::from_secs(1));
        assert!(store.claim("w2", LEASE).await.unwrap().is_none());
        let renewed = store.update(&first, Some(LEASE)).await.unwrap();
        assert!(renewed.lease_until_ms > first.lease_until_ms && renewed.owner == first.owner);
        first = renewed;
    }
    subject.advance(LEASE);
    let second = store.claim("w2", LEASE).await.unwrap().unwrap();
    assert_eq!((second.id.as_str(), second.owner.as_deref()), ("run_1", Some("w2")));
    assert_conflict(store.update(&first, Some(LEASE)).await, second.version);
    // An owner whose lease has ended still has the run if nobody took it.
    subject.advance(LEASE * 2);
    store.update(&second, Some(LEASE)).await.unwrap();
    assert!(store.claim("w3", LEASE).await.unwrap().is_none());
}

pub(crate) async fn only_queued_and_running_runs_are_claimed(subject: &dyn Subject) {
    let store = subject.store();
    submitted(store, "a", "run_1", 5).await;
    let mut run = store.claim("w", LEASE).await.unwrap().unwrap();
    for status in ["waiting", "completed", "failed", "cancelled", "interrupted"] {
        run.status = status.to_owned();
        run = store.update(&run, Some(LEASE)).await.unwrap();
        subject.advance(LEASE * 2);
        assert!(store.claim("w", LEASE).await.unwrap().is_none(), "{status}");
    }
    for status in ["queued", "running"] {
        run.status = status.to_owned();
        run = store.update(&run, None).await.unwrap();
        assert_eq!((&run.owner, run.lease_until_ms), (&None, 0));
        run = store.claim("w", LEASE).await.unwrap().unwrap();
    }
    // A queued run can be kept from others too, such as before another attempt.
    run.status = "queued".to_owned();
    store.update(&run, Some(LEASE)).await.unwrap();
    assert!(store.claim("w", LEASE).await.unwrap().is_none());
    store.delete(&run.key()).await.unwrap();
    subject.advance(LEASE * 2);
    assert!(store.claim("w", LEASE).await.unwrap().is_none());
}

pub(crate) async fn work_is_announced(subject: &dyn Subject) {
    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(50);
    let store = subject.store();
    let begin = Instant::now();
    store.wait_for_work("w", SHORT).await;
    assert!(begin.elapsed() >= SHORT, "nothing waits");
    let submit = async {
        tokio::time::sleep(SHORT).await;
        submitted(store, "a", "run_1", 1).await;
    };
    tokio::join!(store.wait_for_work("w", LONG), submit);
    // It waits already.
    store.wait_for_work("w", LONG).await;
    let run = store.claim("w", SHORT).await.unwrap().unwrap();
    let begin = Instant::now();
    store.wait_for_work("w", SHORT * 2).await;
    assert!(begin.elapsed() >= SHORT, "its lease has not ended");
    let run = store.update(&run, Some(LONG)).await.unwrap();
    let release = async {
        tokio::time::sleep(SHORT).await;
        store.update(&run, None).await.unwrap();
    };
    tokio::join!(store.wait_for_work("w", LONG), release);
    store.claim("w", LONG).await.unwrap().unwrap();
    subject.advance(LONG);
    store.wait_for_work("w", LONG).await;
    assert!(begin.elapsed() < LONG / 2, "nothing waited in vain");
}

/// For stores of several processes.
#[cfg(feature = "cluster")]
pub(crate) async fn a_run_goes_on_at_the_worker_that_had_it(subject: &dyn Subject) {
    let store = subject.store();
    let queued = |run: &Record| Record { status: "queued".to_owned(), ..run.clone() };
    let ended = |run: &Record| Record { status: "completed".to_owned(), ..run.clone() };
    // A run of worker `w1`, which waits again behind an older one of its tenant.
    submitted(store, "a", "run_2", 2).await;
    let run = store.claim("w1", LEASE).await.unwrap().unwrap();
    let run = store.update(&ended(&run), None).await.unwrap();
    submitted(store, "a", "run_1", 1).await;
    store.update(&queued(&run), None).await.unwrap();
    // Another worker takes the older one, and must wait for the other.
    let older = store.claim("w2", LEASE).await.unwrap().unwrap();
    assert_eq!(older.id, "run_1");
    store.update(&ended(&older), None).await.unwrap();
    assert!(store.claim("w2", LEASE).await.unwrap().is_none());
    let run = store.claim("w1", LEASE).await.unwrap().unwrap();
    assert_eq!(run.id, "run_2");
    // The worker has no place: after the head start, any other one goes on.
    let run = store.update(&ended(&run), None).await.unwrap();
    let run = store.update(&queued(&run), None).await.unwrap();
    assert!(store.claim("w2", LEASE).await.unwrap().is_none());
    subject.advance(Duration::from_millis(501));
    assert_eq!(store.claim("w2", LEASE).await.unwrap().unwrap().id, run.id);
    // A worker that gives a run back in the middle is not preferred.
    let run = store.get(&run.key()).await.unwrap();
    store.update(&queued(&run), None).await.unwrap();
    let run = store.claim("w1", LEASE).await.unwrap().unwrap();
    // Nor one that ended it long ago.
    let run = store.update(&ended(&run), None).await.unwrap();
    subject.advance(Duration::from_mins(1));
    store.update(&queued(&run), None).await.unwrap();
    assert_eq!(store.claim("w2", LEASE).await.unwrap().unwrap().id, run.id);
}

/// For stores of several processes.
#[cfg(feature = "cluster")]
pub(crate) async fn a_worker_waits_for_a_run_that_is_left_to_another(subject: &dyn Subject) {
    let store = subject.store();
    submitted(store, "a", "run_1", 1).await;
    let run = store.claim("w1", LEASE).await.unwrap().unwrap();
    let ended = Record { status: "completed".to_owned(), ..run };
    let run = store.update(&ended, None).await.unwrap();
    store.update(&Record { status: "queued".to_owned(), ..run }, None).await.unwrap();
    let (short, begin) = (Duration::from_millis(50), Instant::now());
    store.wait_for_work("w2", short).await;
    assert!(begin.elapsed() >= short, "it would ask again and again");
    store.wait_for_work("w1", LEASE).await;
    assert!(store.claim("w2", LEASE).await.unwrap().is_none());
    subject.advance(Duration::from_millis(501));
    store.wait_for_work("w2", LEASE).await;
    assert!(store.claim("w2", LEASE).await.unwrap().is_some());
}
