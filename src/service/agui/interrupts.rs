//! Questions of a run as interrupts, and what a page answers.

use serde_json::{Value, json};

use super::events::Interrupt;
use super::input::{ResumeEntry, ResumeStatus};
use crate::problem::Problem;
use crate::run::{Answer, Question};
use mitt_base::text::cut_bytes;

/// Most bytes of a call's arguments in the message of an interrupt. Its metadata has all of them.
const MOST_SHOWN_BYTES: usize = 2_000;

/// Reason of a rejection that nobody gave.
const NO_ANSWER: &str = "nobody answered";

/// Returns the interrupt for a question; `None` if functions of the page are called, which is no interrupt. `call` is the
/// call that the model requested.
pub(super) fn of_question(question: &Question, call: Option<String>) -> Option<Interrupt> {
    match question {
        Question::Approval { id, tool, title, arguments } => {
            let name = title.as_ref().map_or(tool.clone(), |title| format!("{title} ({tool})"));
            let shown = format!("{arguments:#}");
            let cut = cut_bytes(&shown, MOST_SHOWN_BYTES);
            let more = if cut.len() < shown.len() { "…" } else { "" };
            Some(Interrupt {
                id: id.clone(),
                reason: "tool_approval",
                message: format!(
                    "May `{name}` be called? It may replace or remove data.\n{cut}{more}"
                ),
                tool_call_id: call,
                response_schema: json!({
                    "type": "object",
                    "properties": {
                        "approved": { "type": "boolean", "description": "Whether the call is made." },
                        "reason": { "type": "string", "description": "Why it is not made." },
                    },
                    "required": ["approved"],
                }),
                metadata: json!({ "mitt": { "tool": tool, "arguments": arguments } }),
            })
        }
        Question::Plan { id, number, plan } => Some(Interrupt {
            id: id.clone(),
            reason: "plan_review",
            message: "Shall this plan be carried out?".to_owned(),
            tool_call_id: None,
            response_schema: json!({
                "type": "object",
                "properties": {
                    "decision": { "type": "string", "enum": ["accept", "reject", "change"] },
                    "text": { "type": "string", "description": "What another plan should do." },
                    "plan": { "description": "The plan that is carried out instead, for `change`." },
                },
                "required": ["decision"],
            }),
            metadata: json!({ "mitt": { "number": number, "plan": plan } }),
        }),
        Question::Functions { .. } => None,
    }
}

/// Returns the answer to a question that a page sent.
///
/// # Errors
///
/// No answer, or more than this question, is answered; the payload has another form.
pub(super) fn answer(question: &Question, resume: &[ResumeEntry]) -> Result<Answer, Problem> {
    let id = question.id();
    if let Some(other) = resume.iter().find(|entry| entry.interrupt_id != id) {
        let detail =
            format!("there is no open interrupt `{}`", cut_bytes(&other.interrupt_id, 100));
        let hint = format!("the run waits for an answer to `{id}`");
        return Err(Problem::conflict("no_interrupt", detail).hint(hint));
    }
    let [entry] = resume else {
        let detail = format!("/resume: expected one answer to `{id}`, got {}", resume.len());
        return Err(Problem::new(422, "invalid_body", detail));
    };
    let decided = |decision: &str, text: Option<String>| Answer {
        question: id.to_owned(),
        decision: decision.to_owned(),
        text,
        plan: None,
    };
    if entry.status == ResumeStatus::Cancelled {
        return Ok(decided("reject", Some(NO_ANSWER.to_owned())));
    }
    let payload = &entry.payload;
    let text = |key: &str| payload.get(key).and_then(Value::as_str).map(str::to_owned);
    let approved = payload.get("approved").unwrap_or(payload);
    let decision = payload.get("decision").unwrap_or(payload);
    match (approved, decision.as_str()) {
        (Value::Bool(true), _) | (_, Some("accept")) => Ok(decided("accept", None)),
        (Value::Bool(false), _) | (_, Some("reject")) => {
            Ok(decided("reject", text("reason").or_else(|| text("text"))))
        }
        (_, Some("change")) if matches!(question, Question::Plan { .. }) => {
            let plan = payload.get("plan").filter(|plan| !plan.is_null()).cloned();
            Ok(Answer { plan, ..decided("change", text("text")) })
        }
        _ => {
            let detail = "/resume/0/payload: it is no answer to this question";
            let hint = match question {
                Question::Plan { .. } => r#"send `{"decision": "accept"}`, `reject` or `change`"#,
                _ => r#"send `{"approved": true}` or `{"approved": false, "reason": "…"}`"#,
            };
            Err(Problem::new(422, "invalid_body", detail).hint(hint))
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::agui) fn approval() -> Question {
        Question::Approval {
            id: "q1".into(),
            tool: "files__remove".into(),
            title: Some("Remove".into()),
            arguments: json!({ "name": "a.csv" }),
        }
    }

    /// Returns a question about a plan, as the log has it.
    pub(in crate::agui) fn plan_question() -> Question {
        let plan = json!({ "title": "T", "steps": [] });
        serde_json::from_value(json!({ "kind": "plan", "id": "q2", "number": 1, "plan": plan }))
            .unwrap()
    }

    fn entry(id: &str, payload: Value) -> ResumeEntry {
        ResumeEntry { interrupt_id: id.into(), status: ResumeStatus::Resolved, payload }
    }

    #[test]
    fn an_approval_is_an_interrupt() {
        let interrupt = of_question(&approval(), Some("c1".into())).unwrap();
        assert_eq!((interrupt.id.as_str(), interrupt.reason), ("q1", "tool_approval"));
        assert!(interrupt.message.contains("Remove (files__remove)"), "{}", interrupt.message);
        assert!(interrupt.message.contains("a.csv"));
        assert_eq!(interrupt.metadata["mitt"]["arguments"], json!({ "name": "a.csv" }));
        let long = Question::Approval {
            id: "q".into(),
            tool: "t".into(),
            title: None,
            arguments: json!({ "a": "x".repeat(10_000) }),
        };
        assert!(of_question(&long, None).unwrap().message.len() < MOST_SHOWN_BYTES + 200);
        let functions = Question::Functions { id: "q".into(), calls: Vec::new() };
        assert_eq!(of_question(&functions, None), None);
    }

    #[test]
    fn answers_are_read() {
        let answered = |payload: Value| {
            let answer = answer(&approval(), &[entry("q1", payload)]).unwrap();
            (answer.decision, answer.text)
        };
        let accepted = ("accept".to_owned(), None);
        assert_eq!(answered(json!({ "approved": true })), accepted);
        assert_eq!(answered(json!(true)), accepted);
        assert_eq!(answered(json!({ "decision": "accept" })), accepted);
        let rejected = ("reject".to_owned(), Some("no".to_owned()));
        assert_eq!(answered(json!({ "approved": false, "reason": "no" })), rejected);
        assert_eq!(answered(json!({ "decision": "reject", "text": "no" })), rejected);
        let cancelled = ResumeEntry { interrupt_id: "q1".into(), ..ResumeEntry::default() };
        let cancelled = answer(&approval(), &[cancelled]).unwrap();
        assert_eq!(cancelled.decision, "reject");
        assert_eq!(cancelled.text.as_deref(), Some(NO_ANSWER));
        let plan = json!({ "title": "Other", "steps": [] });
        let changed = json!({ "decision": "change", "text": "shorter", "plan": plan });
        let changed = answer(&plan_question(), &[entry("q2", changed)]).unwrap();
        assert_eq!(
            (changed.decision.as_str(), changed.text.as_deref()),
            ("change", Some("shorter"))
        );
        assert_eq!(changed.plan, Some(plan));
    }

    #[test]
    fn other_answers_are_refused() {
        let status = |resume: &[ResumeEntry]| answer(&approval(), resume).unwrap_err().status;
        assert_eq!(status(&[entry("q9", json!(true))]), 409);
        assert_eq!(status(&[entry("q1", json!(true)), entry("q1", json!(true))]), 422);
        assert_eq!(status(&[]), 422);
        for payload in
            [json!(null), json!("maybe"), json!({}), json!({ "decision": "change" }), json!(1)]
        {
            assert_eq!(status(&[entry("q1", payload)]), 422);
        }
    }
}
