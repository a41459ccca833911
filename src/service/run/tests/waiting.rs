//! Further instructions that wait: which there are, which are taken back, and which were sent before.

use super::*;
use crate::store::{ListRuns, RunKey, Stream};

fn texts(state: &RunState) -> Vec<&str> {
    state.waiting.iter().map(|it| it.text.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instructions_that_wait_are_shown_and_can_be_taken_back() {
    let gate = Arc::new(Semaphore::new(0));
    let stage = Stage::new(vec![says("One.").after(&gate), says("Two."), says("Three.")]);
    let runs = stage.start();
    let policy = Policy::default();
    let id = create(&runs, request("Go")).await.id;
    until_true(|| stage.model.n_asked() == 1).await;
    assert!(get(&runs, &id).await.waiting.is_empty());
    let long = message(&"年".repeat(1_500));
    let state = runs.say("acme", &policy, &id, long, None).await.unwrap();
    assert_eq!(texts(&state), ["年".repeat(1_000)]);
    assert!(state.waiting[0].created_ms >= state.created_ms);
    let state = runs.say("acme", &policy, &id, message("Second"), None).await.unwrap();
    assert_eq!(state.waiting.len(), 2);
    let (first, second) = (state.waiting[0].number, state.waiting[1].number);
    assert!(first < second);
    let listed = ListRuns { limit: 10, before: None, status: None };
    assert!(runs.list("acme", &listed).await.unwrap()[0].waiting.is_empty());
    // Nobody else takes it back, and nobody twice.
    assert_eq!(runs.withdraw("other", &id, first).await.unwrap_err().status, 404);
    runs.withdraw("acme", &id, first).await.unwrap();
    for gone in [first, second + 100, 0] {
        let problem = runs.withdraw("acme", &id, gone).await.unwrap_err();
        assert_eq!((problem.status, problem.code.as_str()), (404, "not_found"), "{gone}");
    }
    assert_eq!(texts(&get(&runs, &id).await), ["Second"]);
    gate.add_permits(1);
    until_true(|| stage.model.n_asked() == 2).await;
    assert!(until(&runs, &id, RunStatus::Completed).await.waiting.is_empty());
    let asked = stage.model.asked(1).join("\n");
    assert!(asked.contains("Second") && !asked.contains('年'), "{asked}");
    assert_eq!(runs.withdraw("acme", &id, second).await.unwrap_err().status, 404);
    assert_eq!(stage.model.n_asked(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instruction_of_a_run_that_nobody_works_on_is_taken_back() {
    let gate = Arc::new(Semaphore::new(0));
    let mut stage = Stage::new(vec![says("One.").after(&gate), says("Two."), says("Three.")]);
    stage.options.workers = 1;
    let runs = stage.start();
    create(&runs, request("First")).await;
    until_true(|| stage.model.n_asked() == 1).await;
    let id = create(&runs, request("Second")).await.id;
    let state = runs.say("acme", &Policy::default(), &id, message("More"), None).await.unwrap();
    assert_eq!((state.status, texts(&state)), (RunStatus::Queued, vec!["More"]));
    runs.withdraw("acme", &id, state.waiting[0].number).await.unwrap();
    assert!(get(&runs, &id).await.waiting.is_empty());
    gate.add_permits(1);
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!((state.text.as_deref(), stage.model.n_asked()), (Some("Two."), 2));
    assert!(!stage.model.asked(1).join("\n").contains("More"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instruction_with_the_same_key_is_sent_once() {
    let gate = Arc::new(Semaphore::new(0));
    let mut turns = vec![says("One.").after(&gate)];
    turns.extend((0..4).map(|_| says("Said.")));
    let stage = Stage::new(turns);
    let runs = stage.start();
    let policy = Policy::default();
    let id = create(&runs, request("Go")).await.id;
    until_true(|| stage.model.n_asked() == 1).await;
    let say = |text: &str, key: &str| {
        let (runs, policy, id) = (runs.clone(), policy.clone(), id.clone());
        let (said, key) = (message(text), key.to_owned());
        async move { runs.say_once("acme", &policy, &id, said, None, Some(&key)).await }
    };
    assert_eq!(texts(&say("More", "k").await.unwrap()), ["More"]);
    assert_eq!(texts(&say("More", "k").await.unwrap()), ["More"]);
    let problem = say("Else", "k").await.unwrap_err();
    assert_eq!((problem.status, problem.code.as_str()), (422, "idempotency_key_reused"));
    assert_eq!(say("x", "").await.unwrap_err().code, "invalid_idempotency_key");
    // Requests at the same time, too.
    let together: Vec<_> = (0..6).map(|_| tokio::spawn(say("Same", "c"))).collect();
    for task in together {
        task.await.unwrap().unwrap();
    }
    assert_eq!(texts(&get(&runs, &id).await), ["More", "Same"]);
    // The key of a message is none of another run.
    let other = create(&runs, request("Go")).await.id;
    let theirs = runs.say_once("acme", &policy, &other, message("Else"), None, Some("k")).await;
    theirs.unwrap();
    gate.add_permits(1);
    assert!(until(&runs, &id, RunStatus::Completed).await.waiting.is_empty());
    let key = RunKey { tenant: "acme".into(), id: id.clone() };
    let sent = stage.store.last(&key, Stream::Inbox).await.unwrap();
    say("More", "k").await.unwrap();
    assert_eq!(stage.store.last(&key, Stream::Inbox).await.unwrap(), sent, "it was read before");
}
