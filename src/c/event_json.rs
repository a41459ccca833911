//! Events as JSON: `{"event": "call_started", ...}`.

use std::time::Duration;

use mitt::{Decision, Event, OutputStream, RowStep};
use mitt_agent::{AgentStep, PlannedStep, RunEvent};
use serde_json::{Value, json};

use crate::reports::{artifact, document_summary, millis, request_json, usage, with_call};

/// Returns an event as JSON. A step of an agent has its number as `agent`.
pub(crate) fn json_of(event: &Event) -> Value {
    let (agent, event) = event.in_agent();
    let (name, mut json) = parts(event);
    json["event"] = name.into();
    if let Some(agent) = agent {
        json["agent"] = agent.into();
    }
    json
}

fn parts(event: &Event) -> (&'static str, Value) {
    match event {
        Event::CallStarted { call, tool, depth } => {
            ("call_started", with_call(json!({ "tool": tool, "depth": depth }), Some(call)))
        }
        Event::AttemptEnded { call, tool, depth, attempt } => {
            let failure = attempt.failure.as_ref().map(|(kind, message)| failure(kind, message));
            let json = json!({
                "tool": tool, "depth": depth, "failure": failure,
                "delay_ms": attempt.delay.map(millis), "usage": usage(&attempt.usage),
            });
            ("attempt_ended", with_call(json, Some(call)))
        }
        Event::CallFinished { call, tool, depth, usage: used, failure: failed } => {
            let failure = failed.as_ref().map(|(kind, message)| failure(kind, message));
            let json =
                json!({ "tool": tool, "depth": depth, "usage": usage(used), "failure": failure });
            ("call_finished", with_call(json, Some(call)))
        }
        Event::Output { call, depth, stream, text } => {
            let stream = match stream {
                OutputStream::Stdout => "stdout",
                OutputStream::Stderr => "stderr",
            };
            let json = json!({ "depth": depth, "stream": stream, "text": text });
            ("output", with_call(json, Some(call)))
        }
        Event::Log { call, tool, level, message } => {
            let json = json!({ "tool": tool, "level": level.name(), "message": message });
            ("log", with_call(json, Some(call)))
        }
        Event::Delivered { call, artifact: file, warnings } => {
            let json = json!({ "artifact": artifact(file), "warnings": warnings });
            ("delivered", with_call(json, Some(call)))
        }
        Event::Asked { request } => ("asked", request_json(request)),
        Event::Decided { call, id, decision } => {
            let (name, reason) = match decision {
                Decision::Approve => ("approve", None),
                Decision::Deny(reason) => ("deny", Some(reason)),
                Decision::Pause => ("pause", None),
            };
            let json = json!({ "id": id, "decision": name, "reason": reason });
            ("decided", with_call(json, Some(call)))
        }
        _ => document_parts(event),
    }
}

fn document_parts(event: &Event) -> (&'static str, Value) {
    match event {
        Event::Fetching { call, url } => {
            ("fetching", with_call(json!({ "url": url }), call.as_ref()))
        }
        Event::DocumentStarted { call, name, size } => {
            let json = json!({ "name": name, "size": size });
            ("document_started", with_call(json, call.as_ref()))
        }
        Event::DocumentReady { call, document, usage: used, duration } => {
            let json = json!({
                "document": document_summary(document), "usage": used.as_ref().map(usage),
                "duration_ms": millis(*duration),
            });
            ("document_ready", with_call(json, call.as_ref()))
        }
        Event::Rows { call, name, step, rows, of } => {
            let step = match step {
                RowStep::Reading => "reading",
                RowStep::Writing => "writing",
                _ => "other",
            };
            let json = json!({ "name": name, "step": step, "rows": rows, "of": of });
            ("rows", with_call(json, call.as_ref()))
        }
        Event::Compiling { call, skill, elapsed, usual } => {
            let times = |time: &Duration| millis(*time);
            let json =
                json!({ "skill": skill, "elapsed_ms": times(elapsed), "usual_ms": times(usual) });
            ("compiling", with_call(json, call.as_ref()))
        }
        Event::Compiled { call, skill, duration } => {
            let json = json!({ "skill": skill, "duration_ms": millis(*duration) });
            ("compiled", with_call(json, call.as_ref()))
        }
        _ => match RunEvent::from_event(event) {
            Some(event) => run_parts(event),
            None => other(),
        },
    }
}

fn run_parts(event: &RunEvent) -> (&'static str, Value) {
    match event {
        RunEvent::Routed { trace, intent } => {
            ("routed", json!({ "trace": trace, "intent": intent }))
        }
        RunEvent::ModelText { turn, text } => ("model_text", json!({ "turn": turn, "text": text })),
        RunEvent::ModelReasoning { turn, text } => {
            ("model_reasoning", json!({ "turn": turn, "text": text }))
        }
        RunEvent::ModelCall { turn, id, tool } => {
            ("model_call", json!({ "turn": turn, "id": id, "tool": tool }))
        }
        RunEvent::ModelUsage { turn, input, cached, output } => {
            let json = json!({ "turn": turn, "input": input, "cached": cached, "output": output });
            ("model_usage", json)
        }
        RunEvent::ModelNote { turn, text } => ("model_note", json!({ "turn": turn, "text": text })),
        RunEvent::Turn { number, model, text, n_calls, duration } => {
            let json = json!({
                "turn": number, "model": model, "text": text, "calls": n_calls,
                "duration_ms": millis(*duration),
            });
            ("turn", json)
        }
        RunEvent::AgentStarted { id, parent, agent, step, task } => {
            let step = match step {
                AgentStep::Transferred => "transferred",
                _ => "delegated",
            };
            let json = json!({
                "id": id, "parent": parent, "name": agent, "step": step, "task": task,
            });
            ("agent_started", json)
        }
        RunEvent::AgentEnded { id, parent, agent, status, failure, cost } => {
            let json = json!({
                "id": id, "parent": parent, "name": agent, "status": status.name(),
                "failure": failure, "turns": cost.turns, "tokens": cost.tokens, "calls": cost.calls,
                "duration_ms": millis(cost.duration),
            });
            ("agent_ended", json)
        }
        _ => plan_parts(event),
    }
}

fn plan_parts(event: &RunEvent) -> (&'static str, Value) {
    match event {
        RunEvent::Plan { number, title, steps } => {
            let step = |step: &PlannedStep| {
                json!({
                    "id": step.id, "title": step.title, "kind": step.kind, "needs": step.needs,
                })
            };
            let steps: Vec<Value> = steps.iter().map(step).collect();
            ("plan", json!({ "number": number, "title": title, "steps": steps }))
        }
        RunEvent::PlanAsked { number } => ("plan_asked", json!({ "number": number })),
        RunEvent::PlanDecided { number, decision, text } => {
            ("plan_decided", json!({ "number": number, "decision": decision, "text": text }))
        }
        RunEvent::PlanStep { id, state, attempt, detail } => {
            let json = json!({ "id": id, "state": state, "attempt": attempt, "detail": detail });
            ("plan_step", json)
        }
        RunEvent::PlanReflection { id, attempt, outcome, feedback } => {
            let json =
                json!({ "id": id, "attempt": attempt, "outcome": outcome, "feedback": feedback });
            ("plan_reflection", json)
        }
        _ => other(),
    }
}

/// Returns the JSON of an event that this crate does not know, because a later version or another layer sent it.
fn other() -> (&'static str, Value) {
    ("other", json!({}))
}

fn failure(kind: &str, message: &str) -> Value {
    json!({ "kind": kind, "message": message })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mitt::LayerEvent;

    use super::*;

    #[test]
    fn events_of_runs_have_their_names_and_the_number_of_their_agent() {
        let text = RunEvent::ModelText { turn: 1, text: "Hm".into() };
        let json = json!({ "event": "model_text", "turn": 1, "text": "Hm" });
        assert_eq!(json_of(&text.clone().into()), json);
        let event = Event::InAgent { agent: 7, event: Arc::new(text.into()) };
        let json = json!({ "event": "model_text", "turn": 1, "text": "Hm", "agent": 7 });
        assert_eq!(json_of(&event), json);
        let asked = RunEvent::PlanAsked { number: 2 };
        assert_eq!(json_of(&asked.into()), json!({ "event": "plan_asked", "number": 2 }));
        let unknown = Event::Layer(LayerEvent::new("of another layer"));
        assert_eq!(json_of(&unknown), json!({ "event": "other" }));
    }
}
