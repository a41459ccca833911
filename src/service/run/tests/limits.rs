//! Limits of what clients can make a run hold.

use super::*;
use crate::run::shared::Shared;
use crate::store::{ListRuns, RunKey};

async fn places(runs: &Runs, request: CreateRun) -> Vec<(String, String)> {
    let problem = runs.create("acme", &Policy::default(), request, None, None).await.unwrap_err();
    problem.errors.iter().map(|it| (it.pointer.clone(), it.detail.clone())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_is_bounded_in_all_of_its_parts() {
    let stage = Stage::new(Vec::new());
    let runs = stage.start();
    let named = |n: usize| FunctionTool {
        name: format!("f{n}"),
        description: String::new(),
        parameters: json!({}),
    };
    let url = DocumentSource::Url { url: "https://example.org/a.csv".into(), name: None };
    let words = |bytes: usize| Some(WordRules { rules: vec!["x".repeat(bytes)] });
    let mut too_many_words = request("x");
    too_many_words.options.words = words(256 * 1024);
    let cases = [
        (
            request(&"x".repeat(1_000_001)),
            "/instruction",
            "expected at most 1000000 characters, got more",
        ),
        (
            CreateRun { documents: vec![url; 101], ..request("x") },
            "/documents",
            "expected at most 100, got 101",
        ),
        (
            CreateRun {
                metadata: (0..17).map(|n| (n.to_string(), String::new())).collect(),
                ..request("x")
            },
            "/metadata",
            "expected at most 16 values, got 17",
        ),
        (
            CreateRun { history: vec![("user".into(), String::new()); 10_001], ..request("x") },
            "/history",
            "expected at most 10000 messages of 16777216 bytes, got more",
        ),
        (
            CreateRun { instructions: Some("x".repeat(1024 * 1024 + 1)), ..request("x") },
            "/instructions",
            "expected at most 1048576 bytes, got 1048577",
        ),
        (
            CreateRun { functions: (0..129).map(named).collect(), ..request("x") },
            "/functions",
            "functions: expected at most 128, got 129",
        ),
        (too_many_words, "/options/words/rules", "expected at most 262144 bytes, got 262145"),
    ];
    for (request, pointer, detail) in cases {
        let found = places(&runs, request).await;
        assert_eq!(found, [(pointer.to_owned(), detail.to_owned())]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_so_many_messages_wait_for_a_run() {
    let gate = Arc::new(Semaphore::new(0));
    // Messages that arrive late are read before further turns.
    let mut turns = vec![says("Read.").after(&gate)];
    turns.extend((0..100).map(|_| says("All.")));
    let stage = Stage::new(turns);
    let runs = stage.start();
    let id = create(&runs, request("Go")).await.id;
    until_true(|| stage.model.n_asked() == 1).await;
    for n in 0..100 {
        runs.say("acme", &Policy::default(), &id, message(&n.to_string()), None).await.unwrap();
    }
    let problem = runs.say("acme", &Policy::default(), &id, message("x"), None).await.unwrap_err();
    assert_eq!((problem.status, problem.code.as_str()), (429, "too_many_messages"));
    assert_eq!(problem.retry_after, Some(5));
    gate.add_permits(1);
    let all = async {
        loop {
            let state = until(&runs, &id, RunStatus::Completed).await;
            if state.inbox_done == 100 {
                return state;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let state = tokio::time::timeout(SOON, all).await.unwrap();
    assert_eq!(state.text.as_deref(), Some("All."));
    let events = follow(&runs, &id, 0).await;
    let said = types(&events).iter().filter(|it| *it == "instruction").count();
    assert_eq!(said, 101, "each one once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_and_reasons_are_bounded() {
    let stage = Stage::new(vec![calls("f1", "weather", &json!({})), wipe("c1")]);
    let runs = stage.start();
    let weather = FunctionTool {
        name: "weather".into(),
        description: String::new(),
        parameters: Value::Null,
    };
    let id = create(&runs, CreateRun { functions: vec![weather], ..request("Go") }).await.id;
    until(&runs, &id, RunStatus::Waiting).await;
    let output = |bytes: usize| vec![ToolOutput { call: "f1".into(), output: "x".repeat(bytes) }];
    let problem = runs.provide("acme", &id, output(1024 * 1024 + 1), None).await.unwrap_err();
    assert_eq!(problem.errors[0].pointer, "/outputs/0/output");
    runs.provide("acme", &id, output(1024 * 1024), None).await.unwrap();
    let question = until(&runs, &id, RunStatus::Waiting).await.question.unwrap();
    let reject = |bytes: usize| Answer {
        question: question.id().to_owned(),
        decision: "reject".into(),
        text: Some("x".repeat(bytes)),
        plan: None,
    };
    let problem = runs.answer("acme", &id, reject(100_001)).await.unwrap_err();
    assert_eq!(problem.errors[0].pointer, "/text");
    runs.answer("acme", &id, reject(100_000)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_oldest_key_is_forgotten_when_there_are_too_many() {
    let stage = Stage::new(Vec::new());
    let shared = Shared::new(stage.options.clone(), stage.park);
    let key = |n: usize| RunKey { tenant: "acme".into(), id: n.to_string() };
    for n in 0..10_001 {
        shared.keep_key(&key(n), n.to_string());
    }
    assert_eq!((shared.key_of(&key(0)), shared.key_of(&key(1))), (None, Some("1".to_owned())));
    shared.forget_key(&key(1));
    assert_eq!(shared.key_of(&key(1)), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_request_and_long_messages_fit_the_records_of_a_store() {
    let stage = Stage::new(vec![says("One."), says("Two."), says(&"x".repeat(300_000))]);
    let runs = stage.start();
    // Three bytes for each character.
    let longest = "年".repeat(300_000);
    let history = vec![("user".to_owned(), "x".repeat(2 * 1024 * 1024)); 2];
    let mut long = CreateRun { history, ..request(&longest) };
    long.title = Some("Long".to_owned());
    let id = create(&runs, long.clone()).await.id;
    follow(&runs, &id, 0).await;
    let state = get(&runs, &id).await;
    assert_eq!((state.status, state.failure), (RunStatus::Completed, None));
    assert_eq!(*state.request.unwrap(), long);
    assert!(stage.model.asked(0).last().unwrap().starts_with(&format!("user: {longest}")));
    let listed = ListRuns { limit: 10, before: None, status: None };
    assert!(runs.list("acme", &listed).await.unwrap()[0].request.is_none());
    let second = message(&"x".repeat(300_000));
    runs.say("acme", &Policy::default(), &id, second, None).await.unwrap();
    until_true(|| stage.model.n_asked() == 2).await;
    assert_eq!(until(&runs, &id, RunStatus::Completed).await.text.as_deref(), Some("Two."));
    runs.say("acme", &Policy::default(), &id, message("Last"), None).await.unwrap();
    until_true(|| stage.model.n_asked() == 3).await;
    let text = until(&runs, &id, RunStatus::Completed).await.text.unwrap();
    assert!(text.starts_with("xxx") && text.len() < 201_000, "{}", text.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_with_arguments_that_are_too_long_is_refused() {
    let long =
        |id: &str, name: &str, bytes: usize| calls(id, name, &json!({ "text": "x".repeat(bytes) }));
    let stage = Stage::new(vec![long("f1", "weather", 1024 * 1024)]);
    let runs = stage.start();
    let weather = FunctionTool {
        name: "weather".into(),
        description: String::new(),
        parameters: Value::Null,
    };
    let id = create(&runs, CreateRun { functions: vec![weather], ..request("Go") }).await.id;
    follow(&runs, &id, 0).await;
    let state = get(&runs, &id).await;
    let failure = state.failure.unwrap();
    assert_eq!((state.status, failure.code.as_str()), (RunStatus::Failed, "model"));
    assert!(failure.message.starts_with("expected at most 1048576 bytes of arguments"));
}
