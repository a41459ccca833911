//! What the caller demands of an answer: it holds for one answer, also in another process.

use super::*;

fn function(name: &str) -> FunctionTool {
    FunctionTool {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({ "type": "object" }),
    }
}

fn calling(name: &str) -> AnswerDemand {
    AnswerDemand { call: Some(RequiredCall::Tool(name.to_owned())), output: None }
}

fn choices(stage: &Stage) -> Vec<ToolChoice> {
    stage.model.choices.lock().unwrap().clone()
}

fn tool(name: &str) -> ToolChoice {
    ToolChoice::Tool(name.to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_required_of_the_answer_for_which_it_was_demanded() {
    let turns = vec![
        calls("c1", "save", &json!({})),
        calls("c2", "look", &json!({})),
        says("Done."),
        calls("c3", "look", &json!({})),
        says("Seen."),
        says("Bye."),
    ];
    let stage = Stage::new(turns);
    let mut runs = stage.start();
    let functions = vec![function("save"), function("look")];
    let demand = calling("save");
    let id = create(&runs, CreateRun { functions, demand, ..request("Save it") }).await.id;
    until(&runs, &id, RunStatus::Waiting).await;
    // Another process goes on with the results, and requires what came with them.
    runs.close(Duration::from_secs(5)).await;
    runs = stage.start();
    let output = |call: &str| vec![ToolOutput { call: call.into(), output: "yes".into() }];
    let one_of = RequiredCall::OneOf(vec!["look".to_owned()]);
    let demand = AnswerDemand { call: Some(one_of), output: None };
    runs.provide_for("acme", &id, (output("c1"), demand), None).await.unwrap();
    until_true(|| stage.model.n_asked() == 2).await;
    until(&runs, &id, RunStatus::Waiting).await;
    runs.provide("acme", &id, output("c2"), None).await.unwrap();
    until(&runs, &id, RunStatus::Completed).await;
    let look = Message { demand: calling("look"), ..message("Look") };
    runs.say("acme", &Policy::default(), &id, look, None).await.unwrap();
    until(&runs, &id, RunStatus::Waiting).await;
    runs.provide("acme", &id, output("c3"), None).await.unwrap();
    until(&runs, &id, RunStatus::Completed).await;
    runs.say("acme", &Policy::default(), &id, message("Bye"), None).await.unwrap();
    until_true(|| stage.model.n_asked() == 6).await;
    let auto = ToolChoice::Auto;
    let expected =
        [tool("save"), ToolChoice::Required, auto.clone(), tool("look"), auto.clone(), auto];
    assert_eq!(choices(&stage), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instruction_with_a_demand_is_not_read_within_another_one() {
    let gate = Arc::new(Semaphore::new(0));
    let first = excel("c1", "a.xlsx").after(&gate);
    let stage = Stage::new(vec![first, says("First."), calls("c2", "save", &json!({}))]);
    let runs = stage.start();
    let functions = vec![function("save")];
    let id = create(&runs, CreateRun { functions, ..request("Make a table") }).await.id;
    until_true(|| stage.model.n_asked() == 1).await;
    let save = Message { demand: calling("save"), ..message("Save it") };
    runs.say("acme", &Policy::default(), &id, save, None).await.unwrap();
    gate.add_permits(1);
    until(&runs, &id, RunStatus::Waiting).await;
    assert_eq!(choices(&stage), [ToolChoice::Auto, ToolChoice::Auto, tool("save")]);
    assert!(!stage.model.asked(1).iter().any(|it| it.contains("Save it")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_the_required_call_is_a_failure_that_says_so() {
    let stage = Stage::new(vec![says("No."), says("No.")]);
    let runs = stage.start();
    let functions = vec![function("save")];
    let demand = calling("save");
    let id = create(&runs, CreateRun { functions, demand, ..request("Save it") }).await.id;
    let failure = until(&runs, &id, RunStatus::Failed).await.failure.unwrap();
    assert!(failure.message.contains("the required call of `save`"), "{failure:?}");
    assert_eq!(choices(&stage), [tool("save"), tool("save")]);
}

fn of_sum() -> AnswerDemand {
    let schema = json!({
        "type": "object", "properties": { "sum": { "type": "number" } }, "required": ["sum"],
    });
    let output = OutputForm { name: "sum".to_owned(), schema: Some(schema) };
    AnswerDemand { call: None, output: Some(output) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_has_the_form_that_was_demanded_of_it_also_in_another_process() {
    let turns = vec![
        calls("c1", "save", &json!({})),
        says("It is 7."),
        says("```json\n{\"sum\": 7}\n```"),
        says("Free."),
        says("{}"),
        says("{}"),
        says("{}"),
    ];
    let stage = Stage::new(turns);
    let mut runs = stage.start();
    let functions = vec![function("save")];
    let id = create(&runs, CreateRun { functions, ..request("Sum it up") }).await.id;
    until(&runs, &id, RunStatus::Waiting).await;
    runs.close(Duration::from_secs(5)).await;
    runs = stage.start();
    let output = vec![ToolOutput { call: "c1".into(), output: "yes".into() }];
    runs.provide_for("acme", &id, (output, of_sum()), None).await.unwrap();
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!(state.text.as_deref(), Some("{\"sum\": 7}"));
    // The next instruction has none.
    let say =
        |message: Message| async { runs.say("acme", &Policy::default(), &id, message, None).await };
    let last = runs.events("acme", &id, 0, false).await.unwrap().count().await as u64;
    say(message("And now?")).await.unwrap();
    follow(&runs, &id, last).await;
    assert_eq!(get(&runs, &id).await.text.as_deref(), Some("Free."));
    say(Message { demand: of_sum(), ..message("Again") }).await.unwrap();
    let failure = until(&runs, &id, RunStatus::Failed).await.failure.unwrap();
    assert!(
        failure.message.contains("the member `sum` is missing (rule `/required`"),
        "{failure:?}"
    );
    assert_eq!(stage.model.n_asked(), 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kept_schema_that_cannot_be_applied_fails_before_the_model_is_asked() {
    let stage = Stage::new(vec![]);
    let runs = stage.start();
    let output = OutputForm { name: "a".to_owned(), schema: Some(json!({ "if": {} })) };
    let demand = AnswerDemand { call: None, output: Some(output) };
    let id = create(&runs, CreateRun { demand, ..request("Sum it up") }).await.id;
    let failure = until(&runs, &id, RunStatus::Failed).await.failure.unwrap();
    assert!(failure.message.starts_with("the schema of the answer: /if: "), "{failure:?}");
    assert_eq!(stage.model.n_asked(), 0);
}
