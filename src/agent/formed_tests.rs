//! Answers in a form that the caller demands: checked, mended twice at most, and nothing but JSON.

use super::*;
use crate::model::{OutputFormat, ToolChoice};
use crate::{AnswerForm, Demand};

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
    // The next answer has no form.
    assert_eq!(conversation.say("Hello").await.unwrap().text, "Hello.");
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
