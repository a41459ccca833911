//! What is counted: the quotas of a tenant, and metrics.

use super::*;
use crate::metrics::Now;

async fn made(
    runs: &Runs,
    policy: &Policy,
    text: &str,
    key: Option<&str>,
) -> std::result::Result<(RunState, bool), Problem> {
    runs.create("acme", policy, request(text), None, key).await
}

#[track_caller]
fn assert_exceeded(problem: &Problem, detail: &str) {
    assert_eq!((problem.status, problem.code.as_str()), (429, "quota_exceeded"));
    assert_eq!(problem.detail, detail);
    assert!(problem.hint.is_some(), "{problem:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_keeps_only_so_many_runs() {
    let stage = Stage::new((0..4).map(|_| says("Done.")).collect());
    let runs = stage.start();
    let policy = Policy { runs: Some(2), ..Policy::default() };
    let first = made(&runs, &policy, "One", Some("k")).await.unwrap().0;
    made(&runs, &policy, "Two", None).await.unwrap();
    let problem = made(&runs, &policy, "Three", None).await.unwrap_err();
    assert_exceeded(&problem, "2 runs are kept, which is the most");
    assert_eq!(problem.retry_after, None, "it does not help to wait");
    // What was done before is no further run.
    let again = made(&runs, &policy, "One", Some("k")).await.unwrap();
    assert_eq!((&again.0.id, again.1), (&first.id, false));
    runs.create("other", &policy, request("Theirs"), None, None).await.unwrap();
    until(&runs, &first.id, RunStatus::Completed).await;
    runs.delete("acme", &first.id).await.unwrap();
    made(&runs, &policy, "Three", None).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_at_the_same_time_do_not_exceed_a_quota_together() {
    let stage = Stage::new(Vec::new());
    let runs = stage.start();
    let policy = Policy { runs: Some(3), ..Policy::default() };
    let tasks = (0..8).map(|n: usize| {
        let (runs, policy) = (runs.clone(), policy.clone());
        tokio::spawn(async move { made(&runs, &policy, &n.to_string(), None).await.is_ok() })
    });
    let mut created = 0;
    for task in tasks.collect::<Vec<_>>() {
        created += usize::from(task.await.unwrap());
    }
    assert_eq!(created, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_so_many_runs_of_a_tenant_work_at_the_same_time() {
    let gate = Arc::new(Semaphore::new(0));
    let gated = || says("Done.").after(&gate);
    let stage = Stage::new(vec![gated(), gated(), says("More.")]);
    let runs = stage.start();
    let policy = Policy { active_runs: Some(1), ..Policy::default() };
    let first = made(&runs, &policy, "One", None).await.unwrap().0.id;
    until_true(|| stage.model.n_asked() == 1).await;
    let problem = made(&runs, &policy, "Two", None).await.unwrap_err();
    assert_exceeded(&problem, "1 runs work or are queued, which is the most");
    assert_eq!(problem.retry_after, Some(5));
    gate.add_permits(1);
    until(&runs, &first, RunStatus::Completed).await;
    let second = made(&runs, &policy, "Two", None).await.unwrap().0.id;
    until_true(|| stage.model.n_asked() == 2).await;
    let problem = runs.say("acme", &policy, &first, message("More"), None).await.unwrap_err();
    assert_eq!(problem.code, "quota_exceeded");
    gate.add_permits(1);
    until(&runs, &second, RunStatus::Completed).await;
    runs.say("acme", &policy, &first, message("More"), None).await.unwrap();
    until_true(|| stage.model.n_asked() == 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_stores_only_so_many_bytes() {
    let stage = Stage::new((0..4).map(|_| says("Done.")).collect());
    let runs = stage.start();
    let policy = Policy { stored_bytes: Some(10), ..Policy::default() };
    let with = |text: &str| {
        let document = DocumentSource::Text { name: "a.csv".into(), text: text.to_owned() };
        CreateRun { documents: vec![document], ..request("Read it") }
    };
    let create = |request: CreateRun| runs.create("acme", &policy, request, None, None);
    let first = create(with("a\n1\n2\n3\n4\n")).await.unwrap().0.id;
    assert_eq!(stage.store.stored_bytes("acme").await.unwrap(), 10);
    let problem = create(with("b")).await.unwrap_err();
    assert_exceeded(&problem, "10 bytes are stored of 10; 1 more do not fit");
    until(&runs, &first, RunStatus::Completed).await;
    let document = DocumentSource::Text { name: "b.csv".into(), text: "b".to_owned() };
    let more = Message { documents: vec![document], ..message("And this") };
    let problem = runs.say("acme", &policy, &first, more, None).await.unwrap_err();
    assert_eq!(problem.code, "quota_exceeded");
    // What stores nothing goes on.
    let second = create(request("Hi")).await.unwrap().0.id;
    until(&runs, &second, RunStatus::Completed).await;
    runs.delete("acme", &first).await.unwrap();
    assert_eq!(stage.store.stored_bytes("acme").await.unwrap(), 0);
    create(with("b")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_and_tokens_are_in_the_metrics() {
    let gate = Arc::new(Semaphore::new(0));
    let stage = Stage::new(vec![says("Done."), says("Late.").after(&gate)]);
    let runs = stage.start();
    let metrics = stage.options.metrics.clone();
    let has = |line: &str| metrics.text(Now::default()).lines().any(|it| it == line);
    let first = create(&runs, request("One")).await.id;
    until(&runs, &first, RunStatus::Completed).await;
    for line in [
        "mitt_runs_total{status=\"started\"} 1",
        "mitt_runs_total{status=\"completed\"} 1",
        "mitt_run_duration_seconds_count 1",
        "mitt_model_tokens_total{direction=\"input\"} 90",
        "mitt_model_tokens_total{direction=\"output\"} 10",
    ] {
        until_true(|| has(line)).await;
    }
    until_true(|| runs.working() == 0).await;
    let second = create(&runs, request("Two")).await.id;
    until_true(|| stage.model.n_asked() == 2).await;
    assert_eq!(runs.working(), 1);
    runs.cancel("acme", &second).await.unwrap();
    until_true(|| has("mitt_runs_total{status=\"cancelled\"} 1") && runs.working() == 0).await;
}
