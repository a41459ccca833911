//! Answers that follow the `output_schema` of their instruction.

use super::*;

fn schema() -> Option<Map<String, Value>> {
    let schema = json!({
        "type": "object", "properties": { "sum": { "type": "number" } }, "required": ["sum"],
    });
    schema.as_object().cloned()
}

fn with_schema(instruction: &str) -> CreateRun {
    CreateRun { output_schema: schema(), ..request(instruction) }
}

fn output(state: &RunState) -> Option<&str> {
    state.output.as_ref().map(RunOutput::text)
}

async fn say(runs: &Runs, id: &str, message: Message) -> RunState {
    let last = runs.last_event("acme", id).await.unwrap();
    runs.say("acme", &Policy::default(), id, message, None).await.unwrap();
    follow(runs, id, last).await;
    get(runs, id).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_value_of_an_answer_stands_beside_its_text() {
    let turns = vec![
        excel("c1", "a.xlsx"),
        says("```json\n{\"sum\": 12345678901234567890.50}\n```"),
        says("Free."),
        says("{\"sum\":\n 8}"),
    ];
    let stage = Stage::new(turns);
    let runs = stage.start();
    let id = create(&runs, with_schema("Sum it up as an Excel file")).await.id;
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!(state.text.as_deref(), Some("{\"sum\": 12345678901234567890.50}"));
    assert_eq!(output(&state), Some("{\"sum\":12345678901234567890.50}"));
    assert_eq!(state.files.len(), 1);
    let listed =
        runs.list("acme", &ListRuns { limit: 10, before: None, status: None }).await.unwrap();
    assert_eq!((output(&listed[0]), listed[0].has_output), (None, true));
    // The next instruction has no schema, and the one after it has.
    let state = say(&runs, &id, message("And now?")).await;
    assert_eq!((state.text.as_deref(), output(&state)), (Some("Free."), None));
    let state = say(&runs, &id, Message { output_schema: schema(), ..message("Again") }).await;
    assert_eq!(output(&state), Some("{\"sum\":8}"));
    let events = follow(&runs, &id, 0).await;
    let ended = events.iter().filter_map(|event| match &event.data {
        EventData::Ended { has_output, .. } => Some(*has_output),
        _ => None,
    });
    assert_eq!(ended.collect::<Vec<_>>(), [true, false, true]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_value_of_a_long_answer_is_whole() {
    let long = json!({ "sum": 1, "text": "年".repeat(250_000) }).to_string();
    let stage = Stage::new(vec![says(&long)]);
    let runs = stage.start();
    let id = create(&runs, with_schema("Sum it up")).await.id;
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert!(state.text.as_ref().unwrap().chars().count() < 210_000, "the record is bounded");
    assert_eq!(output(&state), Some(long.as_str()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_without_its_answer_fails_keeps_files_and_text_and_can_be_continued() {
    let turns = vec![
        excel("c1", "a.xlsx"),
        says("It is 7."),
        says("{}"),
        says("It is still 7."),
        says("{\"sum\": 7}"),
    ];
    let stage = Stage::new(turns);
    let mut runs = stage.start();
    let id = create(&runs, with_schema("Sum it up as an Excel file")).await.id;
    let state = until(&runs, &id, RunStatus::Failed).await;
    let failure = state.failure.clone().unwrap();
    assert_eq!(failure.code, OUTPUT_MISMATCH);
    assert!(failure.message.contains("asked 3 times") && failure.hint.is_some(), "{failure:?}");
    assert_eq!((state.text.as_deref(), state.output), (Some("It is still 7."), None));
    assert_eq!(state.files[0].name, "a.xlsx");
    let events = follow(&runs, &id, 0).await;
    let Some(EventData::Ended { text, has_output, .. }) = events.last().map(|it| &it.data) else {
        panic!("{events:?}")
    };
    assert_eq!((text.as_deref(), *has_output), (Some("It is still 7."), false));
    // Another process asks the model for the same form again.
    runs.close(Duration::from_secs(5)).await;
    runs = stage.start();
    runs.resume("acme", &Policy::default(), &id, None).await.unwrap();
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!((output(&state), &state.failure), (Some("{\"sum\":7}"), &None));
    assert_eq!(stage.model.n_asked(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schema_that_cannot_be_applied_is_refused_with_its_place() {
    let stage = Stage::new(vec![says("{\"sum\": 7}")]);
    let runs = stage.start();
    let policy = Policy::default();
    let wrong = json!({ "properties": { "a": { "if": {} }, "b": { "type": "text" } } });
    let wrong = wrong.as_object().cloned();
    let places = |problem: Problem| {
        assert_eq!((problem.status, problem.code.as_str()), (422, "invalid_body"));
        problem.errors.iter().map(|it| it.pointer.clone()).collect::<Vec<_>>()
    };
    let create = CreateRun { output_schema: wrong.clone(), ..request("Sum it up") };
    let problem = runs.create("acme", &policy, create, None, None).await.unwrap_err();
    let expected = ["/output_schema/properties/a/if", "/output_schema/properties/b/type"];
    assert_eq!(places(problem), expected);
    let id = super::create(&runs, with_schema("Sum it up")).await.id;
    until(&runs, &id, RunStatus::Completed).await;
    let message = Message { output_schema: wrong, ..message("Again") };
    let problem = runs.say("acme", &policy, &id, message, None).await.unwrap_err();
    assert_eq!(places(problem), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_of_the_program_keeps_its_schema_and_its_value() {
    let stage = Stage::new(vec![says("{\"sum\": 7}")]);
    let runs = stage.start();
    let log = |lines: &[Value]| {
        let header = json!({
            "format": "mitt-run@1", "time": "2026-11-23T09:30:00.000Z", "model": "m", "tools": "all",
        });
        let form = json!({ "name": "output", "schema": schema() });
        let begin = [header, json!({ "demanded": { "form": form } })];
        let lines = begin.iter().chain(lines).map(|line| format!("{line}\n"));
        vec![DocumentSource::Text { name: "a.jsonl".into(), text: lines.collect() }]
    };
    let user = json!({ "user": { "text": "Sum it up" } });
    let text = "```json\n{\"sum\": 6}\n```";
    let answer = json!({ "text": text, "reasoning": [], "calls": [] });
    let answer = json!({ "answer": { "answer": answer, "usage": Usage::default() } });
    let import = |documents| async {
        let request = ImportRun { documents, model: None, title: None };
        runs.import("acme", &Policy::default(), request).await.unwrap()
    };
    let ended = json!({ "ended": {} });
    let state = import(log(&[user.clone(), answer, ended])).await;
    assert_eq!((state.status, output(&state)), (RunStatus::Completed, Some("{\"sum\":6}")));
    let id = import(log(&[user])).await.id;
    runs.resume("acme", &Policy::default(), &id, None).await.unwrap();
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!(output(&state), Some("{\"sum\":7}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_ends_with_a_value_too() {
    let empty =
        json!({ "title": "T", "thought": "", "has_enough_context": true, "steps": [] }).to_string();
    let turns = vec![
        says(&empty),
        says("It is seven."),
        says("```json\n{\"sum\": 7.50}\n```"),
        says(&empty),
        says("A report."),
    ];
    let stage = Stage::new(turns);
    let runs = stage.start();
    let mut planned = with_schema("Sum it up");
    planned.options.plan = Some(PlanOptions::default());
    let id = create(&runs, planned).await.id;
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!(output(&state), Some("{\"sum\":7.50}"));
    let state = say(&runs, &id, message("Tell me more")).await;
    assert_eq!((output(&state), state.text.as_deref()), (None, Some("A report.")));
}
