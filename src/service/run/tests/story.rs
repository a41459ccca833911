//! Runs from the request to the files.

use super::*;
use crate::store::{RunKey, Stream};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documents_and_an_instruction_go_in_and_files_come_out() {
    let stage =
        Stage::new(vec![excel("c1", "a.xlsx"), excel("c2", "b.xlsx"), says("Both are there.")]);
    let runs = stage.start();
    let sales = DocumentSource::Text { name: "sales.csv".into(), text: "a,b\n1,2\n".into() };
    let created = create(&runs, CreateRun { documents: vec![sales], ..request("Two files") }).await;
    assert_eq!((created.status, created.title.as_str()), (RunStatus::Queued, "Two files"));
    let events = follow(&runs, &created.id, 0).await;
    assert_no_gaps(&events, 1);
    let all = types(&events);
    let count = |name: &str| all.iter().filter(|it| *it == name).count();
    assert_eq!(
        (count("file"), count("turn_started"), count("turn_ended"), count("call_result")),
        (2, 3, 3, 2),
        "{all:?}"
    );
    assert_eq!((count("instruction"), count("document_ready"), count("usage")), (1, 1, 3));
    let started = events.iter().find_map(|event| match &event.data {
        EventData::CallStarted { model_call, depth: 0, .. } => model_call.clone(),
        _ => None,
    });
    assert_eq!(started.as_deref(), Some("c1"));
    let Some(EventData::Ended { status, text, files, usage, failure, .. }) =
        events.last().map(|event| event.data.clone())
    else {
        panic!("{all:?}")
    };
    assert_eq!((status, text.as_deref()), (RunStatus::Completed, Some("Both are there.")));
    assert_eq!((files, failure), (vec!["a.xlsx".to_owned(), "b.xlsx".to_owned()], None));
    assert_eq!((usage.turns, usage.input_tokens, usage.output_tokens), (3, 270, 30));
    assert_eq!(usage.micro_dollars, None, "the price is unknown");

    let state = get(&runs, &created.id).await;
    assert_eq!((state.status, state.usage), (RunStatus::Completed, usage));
    assert_eq!(state.text.as_deref(), Some("Both are there."));
    let document = &state.documents[0];
    assert_eq!((document.name.as_str(), document.size), ("sales.csv", 8));
    assert_eq!(document.summary.as_ref().unwrap()["tables"][0]["rows"], 1);
    assert_eq!(state.files.len(), 2);
    for file in &state.files {
        let content = content(&stage, file).await;
        assert!(content.starts_with(b"PK"), "a workbook is a ZIP archive");
        assert_eq!(mitt_base::digest::sha256(&content), file.sha256);
    }
    assert!(stage.model.asked(0)[0].starts_with("user: Two files"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_see_the_same_events_and_miss_none_when_they_come_back() {
    let gate = Arc::new(Semaphore::new(0));
    let stage = Stage::new(vec![excel("c1", "a.xlsx"), says("Done.").after(&gate)]);
    let runs = stage.start();
    let id = create(&runs, request("A file")).await.id;
    let first = tokio::spawn({
        let (runs, id) = (runs.clone(), id.clone());
        async move { follow(&runs, &id, 0).await }
    });
    // It looks at a few events and goes away.
    let events = runs.events("acme", &id, 0, true).await.unwrap();
    let seen: Vec<_> = events.take(3).map(|event| event.unwrap()).collect().await;
    gate.add_permits(1);
    let rest = follow(&runs, &id, seen.last().unwrap().number).await;
    let first = first.await.unwrap();
    assert_no_gaps(&first, 1);
    let both: Vec<RunEvent> = seen.iter().map(|event| RunEvent::clone(event)).chain(rest).collect();
    assert_eq!(both, first);
    // From the store alone, and without waiting.
    runs.close(Duration::ZERO).await;
    drop(runs);
    let again = stage.start();
    assert_eq!(follow(&again, &id, 0).await, first);
    let kept = again.events("acme", &id, 0, false).await.unwrap();
    assert_eq!(kept.count().await, first.len());
    assert_eq!(again.last_event("acme", &id).await.unwrap(), first.len() as u64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_goes_on_with_the_session_or_with_a_new_one() {
    let stage = Stage::new(vec![says("One."), says("Two."), says("Three.")]);
    let runs = stage.start();
    let id = create(&runs, request("First")).await.id;
    let first = follow(&runs, &id, 0).await;
    let sales = DocumentSource::Text { name: "sales.csv".into(), text: "a\n1\n".into() };
    let second = Message { documents: vec![sales], ..message("Second") };
    let said = runs.say("acme", &Policy::default(), &id, second, None).await.unwrap();
    assert!(said.status.is_active());
    let second = follow(&runs, &id, first.len() as u64).await;
    assert_no_gaps(&second, first.len() as u64 + 1);
    assert!(types(&second).contains(&"document_ready".to_owned()));
    let asked = stage.model.asked(1);
    assert!(asked[2].starts_with("user: Second") && asked[2].contains("sales.csv"), "{asked:?}");
    let state = get(&runs, &id).await;
    assert_eq!((state.text.as_deref(), state.documents.len()), (Some("Two."), 1));

    // Another process, without the session.
    runs.close(Duration::from_secs(5)).await;
    drop(runs);
    let runs = stage.start();
    runs.say("acme", &Policy::default(), &id, message("Third"), None).await.unwrap();
    until_true(|| stage.model.n_asked() == 3).await;
    let third = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!((third.text.as_deref(), third.usage.turns), (Some("Three."), 3));
    let asked = stage.model.asked(2);
    let said: Vec<_> = asked.iter().map(|text| text.lines().next().unwrap()).collect();
    assert_eq!(said, ["user: First", "model: One.", "user: Second", "model: Two.", "user: Third"]);
    let third = follow(&runs, &id, (first.len() + second.len()) as u64).await;
    assert!(!types(&third).contains(&"document_ready".to_owned()), "it was read before");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_reaches_a_model_that_works() {
    let gate = Arc::new(Semaphore::new(0));
    let stage = Stage::new(vec![says("First.").after(&gate), says("Both.")]);
    let runs = stage.start();
    let id = create(&runs, request("One")).await.id;
    until_true(|| stage.model.n_asked() == 1).await;
    let sales = DocumentSource::Text { name: "sales.csv".into(), text: "a\n1\n".into() };
    let also = Message { documents: vec![sales], ..message("And sales.csv") };
    runs.say("acme", &Policy::default(), &id, also, None).await.unwrap();
    let read = async {
        while get(&runs, &id).await.documents.is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(SOON, read).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    gate.add_permits(1);
    let events = follow(&runs, &id, 0).await;
    assert_eq!(types(&events).iter().filter(|it| *it == "instruction").count(), 2);
    assert_eq!(types(&events).iter().filter(|it| *it == "ended").count(), 1);
    let asked = stage.model.asked(1);
    assert!(asked[2].starts_with("user: And sales.csv"), "{asked:?}");
    let state = get(&runs, &id).await;
    assert_eq!((state.text.as_deref(), state.inbox_done), (Some("Both."), 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_run_holds_nothing_after_its_time() {
    let mut stage = Stage::new(vec![says("One."), says("Two.")]);
    stage.options.idle = Duration::from_millis(100);
    let runs = stage.start();
    let id = create(&runs, request("First")).await.id;
    follow(&runs, &id, 0).await;
    until_true(|| runs.is_idle()).await;
    runs.say("acme", &Policy::default(), &id, message("Second"), None).await.unwrap();
    assert_eq!(until(&runs, &id, RunStatus::Completed).await.text.as_deref(), Some("Two."));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_that_must_not_pass_end_the_run() {
    let stage = Stage::new(vec![says("the blue heron"), says("a kingfisher")]);
    let runs = stage.start();
    let words = |rules: &[&str]| {
        let rules = rules.iter().map(|rule| (*rule).to_owned()).collect();
        let mut request = request("Say it");
        request.options.words = Some(WordRules { rules });
        request
    };
    let id = create(&runs, words(&["blue heron"])).await.id;
    follow(&runs, &id, 0).await;
    let state = get(&runs, &id).await;
    assert_eq!((state.status, state.failure.unwrap().code), (RunStatus::Failed, "blocked".into()));
    let yaml = ["rules:", "  - word: kingfisher", "    action: redact"];
    let id = create(&runs, words(&yaml)).await.id;
    follow(&runs, &id, 0).await;
    assert_eq!(get(&runs, &id).await.text.as_deref(), Some("a [███]"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_stores_what_is_new_and_not_the_whole_conversation() {
    const CALLS: usize = 100;
    let script = |number: usize| {
        let code = format!("{number:03} * 2");
        calls(&format!("c{number}"), "python__run", &json!({ "code": code }))
    };
    let stage = Stage::new((0..CALLS).map(script).chain([says("Done.")]).collect());
    let runs = stage.start();
    let mut given = request("Double all numbers");
    (given.options.limits.turns, given.options.limits.calls) = (Some(200), Some(200));
    let id = create(&runs, given).await.id;
    follow(&runs, &id, 0).await;
    assert_eq!(get(&runs, &id).await.status, RunStatus::Completed);
    let key = RunKey { tenant: "acme".to_owned(), id };
    for stream in [Stream::Log, Stream::Events] {
        let mut bytes = Vec::new();
        loop {
            let lines = stage.store.read(&key, stream, bytes.len() as u64, 1000).await.unwrap();
            if lines.is_empty() {
                break;
            }
            bytes.extend(lines.iter().map(|line| line.len()));
        }
        assert!(bytes.len() > CALLS, "{stream:?}: {}", bytes.len());
        let (first, second) = bytes.split_at(bytes.len() / 2);
        let (first, second) = (first.iter().sum::<usize>(), second.iter().sum::<usize>());
        assert!(second < first * 11 / 10, "{stream:?}: {first} and then {second} bytes");
    }
    // What is written again at each step is small.
    let record = stage.store.get(&key).await.unwrap();
    let record = serde_json::to_vec(&record.body).unwrap();
    assert!(record.len() < 8_000, "{} bytes", record.len());
}
