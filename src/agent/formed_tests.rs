//! Answers in a form that the caller demands: checked, mended twice at most, and nothing but JSON.

use super::*;
use crate::memory_log::MemoryLog;
use crate::model::{OutputFormat, ToolChoice};
use crate::{AnswerForm, AnswerMismatch, Demand};

fn form() -> Arc<AnswerForm> {
    let total = json!({ "type": "number", "minimum": 0 });
    let schema = json!({
        "type": "object", "properties": { "total": total }, "required": ["total"], "additionalProperties": false,
    });
    Arc::new(AnswerForm::new("sum", schema).unwrap())
}

fn in_form() -> Demand {
    Demand { form: Some(form()), ..Demand::default() }
}

/// Returns the choice of each request, and whether it demanded the form.
fn requests(stage: &Stage) -> Vec<(ToolChoice, bool)> {
    let asked = stage.model.asked.lock().unwrap();
    let is_form = |output: &OutputFormat| output == form().output();
    asked.iter().map(|it| (it.choice.clone(), it.output.as_ref().is_some_and(is_form))).collect()
}

#[tokio::test]
async fn an_answer_in_its_form_is_json_alone_also_with_files() {
    let stage = Stage::new([excel(), says("```json\n{\"total\": 1}\n```"), says("Hello.")]);
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.demand(in_form());
    let report = conversation.say("Sum it up, as an Excel file").await.unwrap();
    assert_eq!(
        (report.text.as_str(), report.delivered),
        ("{\"total\": 1}", vec!["a.xlsx".to_owned()])
    );
    assert_eq!(report.output.unwrap().to_string(), "{\"total\":1}");
    // The next answer has no form.
    let report = conversation.say("Hello").await.unwrap();
    assert_eq!((report.text.as_str(), report.output), ("Hello.", None));
    let auto = ToolChoice::Auto;
    assert_eq!(requests(&stage), [(auto.clone(), true), (auto.clone(), true), (auto, false)]);
}

#[tokio::test]
async fn a_file_that_was_not_delivered_is_not_told_in_the_text() {
    let stage = Stage::new([says("{\"total\": 1}"), says("{\"total\": 2}")]);
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.demand(in_form());
    let report = conversation.say("Export it as PDF").await.unwrap();
    assert_eq!(report.text, "{\"total\": 2}");
    assert_eq!(report.missing, ["a PDF file"]);
}

#[tokio::test]
async fn a_model_mends_its_answer_without_calls() {
    let stage = Stage::new([says("It is 7."), says("{\"total\": -7}"), says("{\"total\": 7}")]);
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.demand(in_form());
    assert_eq!(conversation.say("Sum it up").await.unwrap().text, "{\"total\": 7}");
    let none = ToolChoice::None;
    assert_eq!(requests(&stage), [(ToolChoice::Auto, true), (none.clone(), true), (none, true)]);
    let said = stage.asked(2).last().unwrap().clone();
    assert!(
        said.contains("\n- /total: expected at least 0, got -7 (rule `/properties/total/minimum` of the schema)\n"),
        "{said}"
    );
}

#[tokio::test]
async fn an_answer_that_is_never_right_fails_with_its_place() {
    let mut cut = says("{\"total\": ");
    cut.push(ChatEvent::Stopped(StopReason::Length));
    let stage = Stage::new([cut, says("{}"), says("{\"total\": \"7\"}"), says("{}")]);
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.demand(in_form());
    let error = conversation.say("Sum it up").await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Model);
    let text = error.render();
    assert!(
        text.starts_with(
            "the answer does not have the demanded form, for which the model was asked 3 times\n"
        ),
        "{text}"
    );
    let place = "/total: expected number, got string (rule `/properties/total/type` of the schema)";
    assert!(text.contains(place), "{text}");
    assert!(stage.asked(1).last().unwrap().contains("cut off at its limit of tokens"));
    assert_eq!(requests(&stage).len(), 3);
}

#[tokio::test]
async fn a_required_call_comes_before_the_form() {
    let function = crate::CallerFunction::new("save", "", json!({ "type": "object" }));
    let stage = Stage::new([calls(&[("save", json!({}))]), says("{\"total\": 1}")]);
    let agent = stage.agent().functions(vec![function]).unwrap().build();
    let mut conversation = agent.conversation(&stage.session).await;
    let required = ToolChoice::Required;
    conversation.demand(Demand { choice: required.clone(), ..in_form() });
    assert_eq!(conversation.say("Save it").await.unwrap().pending.len(), 1);
    conversation.provide("c0", "yes", false).unwrap();
    conversation.demand(in_form());
    assert_eq!(conversation.go_on().await.unwrap().unwrap().text, "{\"total\": 1}");
    assert_eq!(requests(&stage), [(required, false), (ToolChoice::Auto, true)]);
}

#[tokio::test]
async fn a_model_that_never_gives_the_form_is_heard_all_the_same() {
    let stage =
        Stage::new([says("It is 7."), says("{}"), says("It is still 7."), says("{\"total\": 7}")]);
    let written = MemoryLog::default();
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.log_to(written.log());
    conversation.demand(in_form());
    let error = conversation.say("Sum it up").await.unwrap_err();
    assert_eq!(AnswerMismatch::of(&error).unwrap().text(), "It is still 7.");
    assert!(
        error.render().contains("\n  cause: the last answer is: It is still 7.\n"),
        "{error:?}"
    );
    assert!(!written.read().is_finished());
    // The instruction is continued in its form, of which the model is asked again.
    let report = conversation.go_on().await.unwrap().unwrap();
    assert_eq!(report.text, "{\"total\": 7}");
}

#[tokio::test]
async fn an_instruction_that_goes_on_in_another_process_keeps_its_form() {
    let stage = Stage::new([excel(), says("{\"total\": 1}"), says("Hello.")]);
    let written = MemoryLog::default();
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.log_to(written.log());
    conversation.demand(in_form());
    conversation.say("Sum it up, as an Excel file").await.unwrap();
    conversation.say("Hello").await.unwrap();
    let whole = written.read();
    assert_eq!(whole.form(), None, "the last instruction has none");
    let line = |kind: &str| written.text().lines().position(|line| line.starts_with(kind)).unwrap();
    let demanded = line("{\"demanded\"");
    assert!(demanded < line("{\"user\""), "no instruction is logged without its form");
    // Wherever the process died after the instruction began.
    for n in demanded + 2..line("{\"ended\"") {
        let run = written.lines(n);
        assert_eq!(run.form(), Some(form().output()), "after {n} lines");
        let n_answers =
            written.text().lines().take(n).filter(|it| it.contains("{\"answer\"")).count();
        let turns = [excel(), says("```\n{\"total\": 2}\n```")];
        let stage = Stage::new(turns.into_iter().skip(n_answers));
        let agent = stage.agent().tools(ToolMode::All).build();
        let mut resumed = agent.resume(&stage.session, &run).await;
        let later = MemoryLog::default();
        resumed.log_to(later.log());
        let report = resumed.go_on().await.unwrap().unwrap();
        assert!(report.output.is_some(), "after {n} lines");
        assert!(!later.text().contains("demanded"), "the log has it already");
    }
    // Another demand takes its place, and is in the log then.
    let run = written.lines(demanded + 2);
    let stage = Stage::new([says("Free.")]);
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut resumed = agent.resume(&stage.session, &run).await;
    let later = MemoryLog::default();
    resumed.log_to(later.log());
    resumed.demand(Demand::default());
    let report = resumed.go_on().await.unwrap().unwrap();
    assert_eq!((report.text.as_str(), report.output), ("Free.", None));
    assert!(later.text().contains("{\"demanded\":{}}"), "{}", later.text());
}

#[tokio::test]
async fn a_form_in_a_log_that_cannot_be_applied_is_refused_before_the_model_is_asked() {
    let stage = Stage::new([]);
    let written = MemoryLog::default();
    let agent = stage.agent().build();
    drop(written.log());
    let lines = "{\"demanded\":{\"form\":{\"name\":\"a\",\"schema\":{\"if\":{}}}}}\n{\"user\":{\"text\":\"Hello\"}}\n";
    let run = LoggedRun::read((written.text() + lines).as_bytes()).unwrap();
    let mut resumed = agent.resume(&stage.session, &run).await;
    let error = resumed.go_on().await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Input);
    assert!(
        error.render().starts_with("the log: the JSON Schema of the answer is wrong\n"),
        "{error:?}"
    );
    assert!(error.details()[0].starts_with("/if: "), "{error:?}");
    assert!(stage.model.asked.lock().unwrap().is_empty());
}
