//! Ends of runs: cancelled, deleted, interrupted, lost, and out of budget.

use super::mortal::killed;
use super::*;
use crate::store::{ListRuns, RunKey, StoreError, Stream};

fn key(id: &str) -> RunKey {
    RunKey { tenant: "acme".into(), id: id.into() }
}

async fn resume(runs: &Runs, id: &str) -> RunState {
    runs.resume("acme", &Policy::default(), id, None).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_cancelled_and_goes_on_where_it_was() {
    let gate = Arc::new(Semaphore::new(0));
    let stage = Stage::new(vec![excel("c1", "a.xlsx"), says("Never.").after(&gate), says("Done.")]);
    let runs = stage.start();
    let id = create(&runs, request("A file")).await.id;
    until_true(|| stage.model.n_asked() == 2).await;
    let state = runs.cancel("acme", &id).await.unwrap();
    assert_eq!(state.status, RunStatus::Cancelled);
    let events = follow(&runs, &id, 0).await;
    assert!(matches!(
        events.last().unwrap().data,
        EventData::Ended { status: RunStatus::Cancelled, .. }
    ));
    assert_eq!(runs.cancel("acme", &id).await.unwrap().status, RunStatus::Cancelled, "again");
    resume(&runs, &id).await;
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!((state.text.as_deref(), state.files.len()), (Some("Done."), 1));
    let asked = stage.model.asked(2);
    assert_eq!(asked.iter().filter(|it| it.starts_with("tool:")).count(), 1, "{asked:?}");
    let again = runs.resume("acme", &Policy::default(), &id, None).await.unwrap_err();
    assert_eq!((again.status, again.code.as_str()), (409, "nothing_to_continue"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_waits_for_a_place_is_cancelled_and_others_go_on() {
    let gate = Arc::new(Semaphore::new(0));
    let mut stage = Stage::new(vec![says("One.").after(&gate), says("Three.")]);
    stage.options.workers = 1;
    let runs = stage.start();
    let first = create(&runs, request("One")).await.id;
    until_true(|| stage.model.n_asked() == 1).await;
    let second = create(&runs, request("Two")).await.id;
    // A list has the order of milliseconds.
    tokio::time::sleep(Duration::from_millis(5)).await;
    let third = create(&runs, request("Three")).await.id;
    let state = runs.cancel("acme", &second).await.unwrap();
    assert_eq!(state.status, RunStatus::Cancelled);
    assert_eq!(types(&follow(&runs, &second, 0).await), ["status", "ended"]);
    gate.add_permits(1);
    assert_eq!(until(&runs, &first, RunStatus::Completed).await.text.as_deref(), Some("One."));
    assert_eq!(until(&runs, &third, RunStatus::Completed).await.text.as_deref(), Some("Three."));
    let list = |status: Option<&str>| ListRuns {
        limit: 10,
        before: None,
        status: status.map(str::to_owned),
    };
    let listed = runs.list("acme", &list(None)).await.unwrap();
    let ids: Vec<_> = listed.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(ids, [third.as_str(), second.as_str(), first.as_str()]);
    assert!(listed.iter().all(|run| run.request.is_none()));
    assert_eq!(runs.list("acme", &list(Some("cancelled"))).await.unwrap().len(), 1);
}

/// Each part of a run that works refers to the store, so that the number of references shows what stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_run_leaves_nothing_in_memory() {
    let stage = Stage::new(vec![says("One."), says("Two."), says("Three.")]);
    let runs = stage.start();
    let references = || Arc::strong_count(&stage.options.store);
    let mut counts = Vec::new();
    for instruction in ["A", "B", "C"] {
        let id = create(&runs, request(instruction)).await.id;
        until(&runs, &id, RunStatus::Completed).await;
        runs.delete("acme", &id).await.unwrap();
        until_true(|| runs.is_idle()).await;
        counts.push(references());
    }
    let last = counts[2];
    until_true(|| references() <= counts[0]).await;
    assert!(last <= counts[0] + 1, "{counts:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_run_leaves_nothing() {
    let gate = Arc::new(Semaphore::new(0));
    let stage = Stage::new(vec![excel("c1", "a.xlsx"), says("Never.").after(&gate)]);
    let runs = stage.start();
    let id = create(&runs, request("A file")).await.id;
    until_true(|| stage.model.n_asked() == 2).await;
    let file = loop {
        if let Some(file) = get(&runs, &id).await.files.first() {
            break file.clone();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    runs.delete("acme", &id).await.unwrap();
    assert_eq!(runs.get("acme", &id).await.unwrap_err().status, 404);
    assert_eq!(runs.delete("acme", &id).await.unwrap_err().status, 404);
    assert!(matches!(stage.store.blob("acme", &file.sha256).await, Err(StoreError::Missing)));
    until_true(|| runs.is_idle()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_tenant_has_no_such_run() {
    let stage = Stage::new(vec![says("Done.")]);
    let runs = stage.start();
    let id = create(&runs, request("A secret")).await.id;
    follow(&runs, &id, 0).await;
    let policy = Policy::default();
    let answer = Answer { question: "q".into(), decision: "accept".into(), text: None, plan: None };
    let problems: Vec<Problem> = vec![
        runs.get("other", &id).await.unwrap_err(),
        runs.say("other", &policy, &id, message("x"), None).await.unwrap_err(),
        runs.resume("other", &policy, &id, None).await.unwrap_err(),
        runs.answer("other", &id, answer).await.unwrap_err(),
        runs.provide("other", &id, Vec::new(), None).await.unwrap_err(),
        runs.cancel("other", &id).await.unwrap_err(),
        runs.delete("other", &id).await.unwrap_err(),
        runs.events("other", &id, 0, true).await.err().unwrap(),
        runs.last_event("other", &id).await.unwrap_err(),
    ];
    for problem in problems {
        assert_eq!((problem.status, problem.code.as_str()), (404, "not_found"), "{problem:?}");
        assert_eq!(problem.detail, format!("there is no run `{id}`"));
    }
    let list = ListRuns { limit: 10, before: None, status: None };
    assert!(runs.list("other", &list).await.unwrap().is_empty());
    assert_eq!(get(&runs, &id).await.status, RunStatus::Completed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_ends_a_run_and_refuses_further_ones_until_midnight() {
    let stage = Stage::new(vec![wipe("c1"), says("Never."), says("Other.")]);
    let runs = stage.start();
    let policy = Policy { tokens_per_day: Some(100), ..Policy::default() };
    let mut costly = request("Go on");
    costly.options.approvals = Some("allow".to_owned());
    let (state, _) = runs.create("acme", &policy, costly, None, None).await.unwrap();
    follow(&runs, &state.id, 0).await;
    let state = get(&runs, &state.id).await;
    assert_eq!(state.failure.unwrap().code, "budget_exhausted");
    assert_eq!((state.status, stage.model.n_asked()), (RunStatus::Failed, 1));
    for problem in [
        runs.create("acme", &policy, request("More"), None, None).await.unwrap_err(),
        runs.say("acme", &policy, &state.id, message("More"), None).await.unwrap_err(),
        runs.resume("acme", &policy, &state.id, None).await.unwrap_err(),
    ] {
        assert_eq!((problem.status, problem.code.as_str()), (429, "budget_exhausted"));
        assert!((1..=24 * 3_600).contains(&problem.retry_after.unwrap()));
    }
    // Another tenant, and more of a budget.
    runs.create("other", &policy, request("More"), None, None).await.unwrap();
    let more = Policy { tokens_per_day: Some(1_000), ..Policy::default() };
    runs.resume("acme", &more, &state.id, None).await.unwrap();
    until(&runs, &state.id, RunStatus::Completed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_leaves_an_interrupted_run_and_no_call_is_made_twice() {
    let gate = Arc::new(Semaphore::new(0));
    let mut stage = Stage::new(vec![wipe("c1"), says("Never.").after(&gate), says("Wiped once.")]);
    stage.options.lease = Duration::from_secs(3);
    let model = stage.model.clone();
    let id = killed(&stage, async move |runs: Runs| {
        let mut request = request("Wipe it");
        request.options.approvals = Some("allow".to_owned());
        let id = create(&runs, request).await.id;
        until_true(|| model.n_asked() == 2).await;
        id
    });
    assert_eq!(stage.wiped(), 1);
    let runs = stage.start();
    let before = follow(&runs, &id, 0).await;
    assert_no_gaps(&before, 1);
    assert!(matches!(
        before.last().unwrap().data,
        EventData::Ended { status: RunStatus::Interrupted, .. }
    ));
    assert_eq!(get(&runs, &id).await.status, RunStatus::Interrupted);
    resume(&runs, &id).await;
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!((state.text.as_deref(), stage.wiped()), (Some("Wiped once."), 1));
    assert_no_gaps(&follow(&runs, &id, 0).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_of_a_killed_process_is_asked_again() {
    let mut stage = Stage::new(vec![wipe("c1"), says("Wiped.")]);
    stage.options.lease = Duration::from_secs(3);
    let id = killed(&stage, async |runs: Runs| {
        let id = create(&runs, request("Wipe it")).await.id;
        until(&runs, &id, RunStatus::Waiting).await;
        id
    });
    let runs = stage.start();
    let state = until(&runs, &id, RunStatus::Interrupted).await;
    assert_eq!(state.question, None);
    resume(&runs, &id).await;
    let question = until(&runs, &id, RunStatus::Waiting).await.question.unwrap();
    let accept = Answer {
        question: question.id().to_owned(),
        decision: "accept".into(),
        text: None,
        plan: None,
    };
    runs.answer("acme", &id, accept).await.unwrap();
    until(&runs, &id, RunStatus::Completed).await;
    assert_eq!(stage.wiped(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_nobody_had_begun_is_begun_by_the_next_process() {
    let gate = Arc::new(Semaphore::new(0));
    let mut stage = Stage::new(vec![says("Never.").after(&gate), says("Second.")]);
    (stage.options.lease, stage.options.workers) = (Duration::from_secs(3), 1);
    let model = stage.model.clone();
    let (first, second) = killed(&stage, async move |runs: Runs| {
        let first = create(&runs, request("First")).await.id;
        until_true(|| model.n_asked() == 1).await;
        (first, create(&runs, request("Second")).await.id)
    });
    let runs = stage.start();
    let state = until(&runs, &second, RunStatus::Completed).await;
    assert_eq!(state.text.as_deref(), Some("Second."));
    until(&runs, &first, RunStatus::Interrupted).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_lost_its_lease_does_nothing_more() {
    let gate = Arc::new(Semaphore::new(0));
    let mut stage = Stage::new(vec![wipe("c1").after(&gate), says("Never.")]);
    stage.options.lease = Duration::from_secs(3);
    let runs = stage.start();
    let mut request = request("Wipe it");
    request.options.approvals = Some("allow".to_owned());
    let id = create(&runs, request).await.id;
    until_true(|| stage.model.n_asked() == 1).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    // Another worker takes the run, and writes to its log.
    loop {
        let mut record = stage.store.get(&key(&id)).await.unwrap();
        record.owner = Some("worker_other".to_owned());
        match stage.store.update(&record, Some(Duration::from_secs(60))).await {
            Ok(_) => break,
            // The worker has just extended its lease.
            Err(StoreError::Conflict(_)) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    let line = bytes::Bytes::from_static(b"{\"host\":{\"text\":\"x\"}}");
    let log = stage.store.append(&key(&id), Stream::Log, None, &[line]).await.unwrap();
    let note = RunEvent {
        number: stage.store.last(&key(&id), Stream::Events).await.unwrap() + 1,
        time_ms: 0,
        agent: None,
        data: EventData::Note { text: "mine".into() },
    };
    let note = bytes::Bytes::from(serde_json::to_vec(&note).unwrap());
    let events = stage.store.append(&key(&id), Stream::Events, None, &[note]).await.unwrap();
    gate.add_permits(1);
    until_true(|| runs.is_idle()).await;
    assert_eq!(stage.store.last(&key(&id), Stream::Log).await.unwrap(), log);
    assert_eq!(stage.store.last(&key(&id), Stream::Events).await.unwrap(), events);
    assert_eq!((stage.wiped(), stage.model.n_asked()), (0, 1));
    let record = stage.store.get(&key(&id)).await.unwrap();
    assert_eq!(record.owner.as_deref(), Some("worker_other"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_ends_leaves_runs_that_go_on() {
    let gate = Arc::new(Semaphore::new(0));
    let stage = Stage::new(vec![excel("c1", "a.xlsx"), says("Never.").after(&gate), says("Done.")]);
    let runs = stage.start();
    let id = create(&runs, request("A file")).await.id;
    until_true(|| stage.model.n_asked() == 2).await;
    runs.close(Duration::from_millis(100)).await;
    assert_eq!(get(&runs, &id).await.status, RunStatus::Interrupted);
    let queued = create(&runs, request("Later")).await;
    assert_eq!(queued.status, RunStatus::Queued, "it takes nothing new");
    drop(runs);
    let runs = stage.start();
    resume(&runs, &id).await;
    until_true(|| stage.model.n_asked() >= 3).await;
    let state = get(&runs, &id).await;
    assert_eq!(state.files.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_of_the_client_is_kept_in_memory_only() {
    let stage = Stage::new(vec![says("One."), says("Two.")]);
    let runs = stage.start();
    let refused = runs
        .create("acme", &Policy::default(), request("Hi"), Some("sk-1".into()), None)
        .await
        .unwrap_err();
    assert_eq!((refused.status, refused.code.as_str()), (403, "key_not_allowed"));
    let policy = Policy { may_bring_key: true, ..Policy::default() };
    let created = runs.create("acme", &policy, request("Hi"), Some("sk-secret".into()), None).await;
    let id = created.unwrap().0.id;
    follow(&runs, &id, 0).await;
    assert_eq!(stage.model.key.lock().unwrap().as_deref(), Some("sk-secret"));
    let record = serde_json::to_string(&stage.store.get(&key(&id)).await.unwrap()).unwrap();
    assert!(!record.contains("sk-secret"));
    runs.close(Duration::from_secs(5)).await;
    drop(runs);
    let runs = stage.start();
    let problem = runs.say("acme", &policy, &id, message("More"), None).await.unwrap_err();
    assert_eq!((problem.status, problem.code.as_str()), (409, "model_key_missing"));
    runs.say("acme", &policy, &id, message("More"), Some("sk-2".into())).await.unwrap();
    let state = until(&runs, &id, RunStatus::Completed).await;
    until_true(|| stage.model.n_asked() == 2).await;
    assert_eq!(state.failure, None);
}
