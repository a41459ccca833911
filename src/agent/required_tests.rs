//! Calls that the caller requires: of the first request only, once more if they are missing, and never in a loop.

use super::*;
use crate::memory_log::MemoryLog;
use crate::model::ToolChoice;
use crate::route::Router;
use crate::{CallerFunction, Demand};

fn demand(choice: ToolChoice, one_of: &[&str]) -> Demand {
    let one_of = one_of.iter().map(|it| (*it).to_owned()).collect();
    Demand { choice, one_of, form: None }
}

fn named(name: &str) -> Demand {
    demand(ToolChoice::Tool(name.to_owned()), &[])
}

fn with_functions(stage: &Stage) -> Agent {
    let function = |name: &str| CallerFunction::new(name, "", json!({ "type": "object" }));
    let functions = vec![function("save"), function("look")];
    let agent = stage.agent().tools(ToolMode::All).functions(functions).unwrap();
    agent.routing(Router::new()).build()
}

fn choices(stage: &Stage) -> Vec<ToolChoice> {
    stage.model.asked.lock().unwrap().iter().map(|it| it.choice.clone()).collect()
}

#[tokio::test]
async fn only_the_first_request_of_an_answer_requires_a_call() {
    let save = || calls(&[("save", json!({}))]);
    let stage = Stage::new([save(), save(), says("Done."), save(), says("Hello.")]);
    let agent = with_functions(&stage);
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.demand(named("save"));
    let report = conversation.say("Look").await.unwrap();
    assert_eq!(report.pending[0].name, "save");
    // With results, the model chooses, unless the caller demands a call again.
    conversation.provide("c0", "yes", false).unwrap();
    conversation.demand(demand(ToolChoice::Required, &["save", "look"]));
    assert_eq!(conversation.go_on().await.unwrap().unwrap().pending.len(), 1);
    conversation.provide("c0", "yes", false).unwrap();
    assert_eq!(conversation.go_on().await.unwrap().unwrap().text, "Done.");
    // Small talk has no tools, and one that has to call has.
    conversation.demand(demand(ToolChoice::Required, &[]));
    assert_eq!(conversation.say("Hi there!").await.unwrap().pending.len(), 1);
    // Other words end the demand.
    conversation.say("Hello").await.unwrap();
    let save = ToolChoice::Tool("save".into());
    let required = ToolChoice::Required;
    assert_eq!(
        choices(&stage),
        [save, required.clone(), ToolChoice::Auto, required, ToolChoice::Auto]
    );
}

#[tokio::test]
async fn a_call_of_another_tool_is_made_and_is_not_enough() {
    let save = || calls(&[("save", json!({}))]);
    let stage = Stage::new([excel(), says("Saved."), save()]);
    let agent = with_functions(&stage);
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.demand(demand(ToolChoice::Required, &["save", "look"]));
    let report = conversation.say("Make a table and save it").await.unwrap();
    assert_eq!((report.pending.len(), report.calls.len()), (1, 1));
    let required = ToolChoice::Required;
    assert_eq!(choices(&stage), [required.clone(), ToolChoice::Auto, required]);
    assert_eq!(
        stage.asked(2).last().unwrap(),
        "user: (From the host, not from the user.) The caller requires a call with this answer: one of `save`, `look`. Make the \
         call now."
    );
}

#[tokio::test]
async fn a_model_that_makes_no_call_is_asked_once_more_and_then_fails() {
    for choice in [named("save"), demand(ToolChoice::Required, &["save"])] {
        let stage = Stage::new([says("No."), says("Never."), says("Fine.")]);
        let agent = with_functions(&stage);
        let mut conversation = agent.conversation(&stage.session).await;
        conversation.demand(choice.clone());
        let error = conversation.say("Save it").await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Model);
        assert_eq!(
            error.to_string(),
            "the model answered without the required call of `save`, although it was asked twice"
        );
        let (first, others) = (choice.choice, ToolChoice::Auto);
        assert_eq!(choices(&stage), [first.clone(), first.clone()]);
        // The demand ended with the instruction.
        conversation.say("Then not").await.unwrap();
        assert_eq!(choices(&stage), [first.clone(), first, others]);
    }
}

#[tokio::test]
async fn a_tool_that_the_model_has_not_cannot_be_required() {
    let stage = Stage::new([]);
    let agent = with_functions(&stage);
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.demand(named("saev"));
    let error = conversation.say("Save it").await.unwrap_err();
    assert_eq!(error.to_string(), "expected a tool that the model has, got `saev`");
    assert!(error.render().contains("did you mean `save`?"), "{}", error.render());
    conversation.demand(named("something_else_entirely"));
    let error = conversation.say("Save it").await.unwrap_err();
    assert!(error.render().contains("hint: it has "), "{}", error.render());
    let agent = stage.agent().without_tools(true).build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.demand(demand(ToolChoice::Required, &[]));
    let error = conversation.say("Save it").await.unwrap_err();
    assert_eq!(error.to_string(), "expected tools, of which one must be called, got none");
    assert!(choices(&stage).is_empty(), "the model received nothing");
}

#[tokio::test]
async fn another_process_requires_the_call_only_if_it_was_not_made() {
    let save = || calls(&[("save", json!({}))]);
    let turns = [excel(), says("No."), save(), says("Done.")];
    let (stage, written) = (Stage::at(Some(1_700_000_000), turns), MemoryLog::default());
    let agent = with_functions(&stage);
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.log_to(written.log());
    conversation.demand(named("save"));
    conversation.say("Save it").await.unwrap();
    conversation.provide("c0", "yes", false).unwrap();
    let text = written.text();
    let line = |start: &str| text.lines().position(|it| it.starts_with(start)).unwrap() + 1;
    let of = |start: &str| {
        let found = text.lines().enumerate().filter(|(_, it)| it.starts_with(start));
        found.map(|(at, _)| at + 1).last().unwrap()
    };
    let saved = ToolChoice::Tool("save".into());
    for (n, expected) in [
        (line("{\"user\""), saved.clone()),
        (line("{\"result\""), ToolChoice::Auto),
        (line("{\"host\""), saved.clone()),
        (of("{\"result\""), saved),
    ] {
        let stage = Stage::at(Some(1_700_000_000), [save()]);
        let agent = with_functions(&stage);
        let mut resumed = agent.resume(&stage.session, &written.lines(n)).await;
        resumed.log_to(MemoryLog::default().log());
        resumed.demand(named("save"));
        resumed.go_on().await.unwrap();
        assert_eq!(choices(&stage), [expected], "after {n} lines of\n{text}");
    }
}
