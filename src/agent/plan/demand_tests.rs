//! Plans whose answer follows a form that the caller demands.

use super::*;
use crate::memory_log::MemoryLog;
use crate::{AnswerForm, AnswerMismatch};

fn form() -> Arc<AnswerForm> {
    let schema = json!({ "type": "object", "properties": { "sum": { "type": "number" } }, "required": ["sum"] });
    Arc::new(AnswerForm::new("output", schema).unwrap())
}

/// Model with a plan of two steps, whose answers to the results are these, the last one again and again.
fn ending(answers: &'static [&'static str]) -> Arc<Roles> {
    let steps = plan(&[step("a", "research", &[]), step("b", "research", &[])]);
    answering(move |asked, n_answers| match asked {
        asked if asked.starts_with("# Plan") => says(steps.to_string()),
        asked if asked.starts_with("# Review") => says(r#"{"passed": true, "feedback": ""}"#),
        _ => says(answers[n_answers.min(answers.len() - 1)]),
    })
}

#[tokio::test(start_paused = true)]
async fn the_answer_of_a_plan_is_a_value_that_follows_its_form() {
    let model = ending(&["# Seven\n\nIt is seven.", "```json\n{\"sum\": 7.50}\n```"]);
    let (planner, session) = (builder(&model, &gives()).build(), session());
    let mut run = planner.begin(&session, "Sum it up, and give me a PDF");
    run.demand(Some(form()));
    let report = run.run().await.unwrap();
    assert_eq!(report.text, r#"{"sum": 7.50}"#);
    assert_eq!(report.output.unwrap().to_string(), r#"{"sum":7.50}"#);
    // No file is made of a value, and the report says so.
    assert!(report.delivered.is_empty() && session.artifacts().is_empty());
    assert_eq!(report.missing, ["a PDF file"]);
    let asked = model.asked.lock().unwrap();
    let Some(Message::User { text, .. }) = asked.last().unwrap().last() else { panic!() };
    assert!(text.contains("does not have the form"), "{text}");
    let Some(Message::User { text, .. }) = asked.last().unwrap().get(1) else { panic!() };
    assert!(text.contains("result of a") && text.contains("result of b"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_cannot_give_the_value_fails() {
    let model = ending(&["It is seven."]);
    let (planner, session) = (builder(&model, &gives()).build(), session());
    let mut run = planner.begin(&session, "Sum it up");
    run.demand(Some(form()));
    let error = run.run().await.unwrap_err();
    assert_eq!(AnswerMismatch::of(&error).unwrap().text(), "It is seven.");
    assert!(error.message().contains("the model was asked 3 times"), "{error}");
    // Without any result, a model would make one up.
    let workers = Workers::new(|_| Act::Fails(Error::input("no data")));
    let model = ending(&[r#"{"sum": 7}"#]);
    let planner = builder(&model, &workers).build();
    let mut run = planner.begin(&session, "Sum it up");
    run.demand(Some(form()));
    let error = run.run().await.unwrap_err();
    assert!(error.message().contains("no step of the plan has a result"), "{error}");
    assert_eq!(error.details().len(), 2, "{error:?}");
    assert!(model.asked("# Report").is_empty(), "a model was asked");
    // A value of some of the results would look whole.
    let model = ending(&[r#"{"sum": 7}"#]);
    let planner = builder(&model, &gives()).limits(|limits| limits.turns = 1).build();
    let mut run = planner.begin(&session, "Sum it up");
    run.demand(Some(form()));
    assert!(matches!(run.run().await.unwrap_err().kind(), ErrorKind::Limit(_)));
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_is_resumed_keeps_the_form_of_its_log() {
    let (written, session) = (MemoryLog::default(), session());
    let planner = builder(&ending(&["It is seven."]), &gives()).build();
    let mut run = planner.begin(&session, "Sum it up");
    run.demand(Some(form()));
    run.log_to(written.log());
    run.run().await.unwrap_err();
    let logged = written.read();
    assert_eq!(logged.form(), Some(form().output()));
    let (model, workers) = (ending(&[r#"{"sum": 7}"#]), gives());
    let planner = builder(&model, &workers).build();
    let report = planner.resume(&session, &logged).unwrap().run().await.unwrap();
    assert_eq!(report.output.unwrap().to_string(), r#"{"sum":7}"#);
    assert!(workers.begun().is_empty(), "no step with a result is done again");
}
