//! Every sequence of events is valid for `@ag-ui/client`, whose rules [`Verifier`] has.

use std::collections::{BTreeMap, BTreeSet};

use super::super::interrupts::tests::{approval, plan_question};
use super::*;

pub(in crate::agui) fn run_state() -> RunState {
    let state = json!({
        "id": "run_1", "status": "running", "title": "T", "model": "small", "created_ms": 1,
        "updated_ms": 1, "documents": [], "files": [], "usage": {}, "options": {},
    });
    serde_json::from_value(state).unwrap()
}

pub(in crate::agui) fn run_file(name: &str) -> RunFile {
    RunFile {
        name: name.into(),
        media_type: "application/pdf".into(),
        sha256: "abc".into(),
        size: 7,
        pages: None,
        url: None,
    }
}

pub(in crate::agui) fn functions_question(calls: &[&str]) -> Question {
    let call = |id: &&str| json!({ "id": id, "name": "page_tool", "arguments": "{\"a\":1}" });
    let calls: Vec<Value> = calls.iter().map(call).collect();
    serde_json::from_value(json!({ "kind": "functions", "id": "q3", "calls": calls })).unwrap()
}

/// Returns an event with this data.
pub(in crate::agui) fn event(number: u64, data: Value) -> RunEvent {
    let mut data = data;
    data["number"] = number.into();
    data["time_ms"] = (1_000 + number).into();
    serde_json::from_value(data).unwrap()
}

fn translation() -> Translation {
    Translation {
        thread_id: "thread".into(),
        run_id: "r".into(),
        parent_run_id: None,
        usage_before: RunUsage::default(),
        awaits_instruction: false,
        provided: BTreeSet::new(),
        notes: Vec::new(),
    }
}

fn of(translation: Translation, run: &RunState) -> (Translator, Vec<StampedEvent>) {
    let link: LinkOf = Box::new(|file| format!("http://localhost/v1/links/{}", file.name));
    Translator::new(translation, run, Value::Null, link, 5)
}

pub(in crate::agui) fn translator() -> (Translator, Vec<StampedEvent>) {
    of(translation(), &run_state())
}

/// The rules of the client, of version 1.0.0. Panics at an event that it would refuse.
#[derive(Default)]
struct Verifier {
    is_started: bool,
    is_over: bool,
    messages: BTreeSet<String>,
    reasoning: BTreeSet<String>,
    spans: BTreeSet<String>,
    calls: BTreeSet<String>,
    steps: BTreeSet<String>,
    /// Agents that were started, with whether they are at work.
    agents: BTreeMap<String, bool>,
    /// Owners of messages and calls.
    owners: BTreeMap<String, Option<String>>,
    /// Messages that are complete: an identifier that comes again would change them.
    complete: BTreeSet<String>,
}

impl Verifier {
    fn check(&mut self, event: &Value) {
        let kind = event["type"].as_str().unwrap();
        let id = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        let owner = event["subagentRunId"].as_str().map(str::to_owned);
        assert!(!event.as_object().unwrap().values().any(Value::is_null), "null in {event}");
        assert!(!self.is_over, "after the end: {event}");
        assert_eq!(self.is_started, kind != "RUN_STARTED", "{event}");
        if let Some(owner) = &owner
            && !kind.starts_with("SUBAGENT")
        {
            assert!(self.agents.contains_key(owner), "not started: {event}");
        }
        match kind {
            "RUN_STARTED" => self.is_started = true,
            "TEXT_MESSAGE_START" => {
                let message = id("messageId");
                assert!(!self.complete.contains(&message), "again: {event}");
                assert!(self.messages.insert(message.clone()), "open: {event}");
                self.owners.insert(message, owner);
            }
            "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_END" => {
                let message = id("messageId");
                assert!(self.messages.contains(&message), "not open: {event}");
                assert_eq!(self.owners[&message], owner, "{event}");
                if kind == "TEXT_MESSAGE_END" {
                    self.messages.remove(&message);
                    self.complete.insert(message);
                } else {
                    assert_ne!(event["delta"], "");
                }
            }
            "REASONING_START" => assert!(self.spans.insert(id("messageId")), "{event}"),
            "REASONING_MESSAGE_START" => {
                assert_eq!(event["role"], "reasoning");
                let message = id("messageId");
                assert!(self.spans.contains(&message), "{event}");
                assert!(!self.complete.contains(&message), "again: {event}");
                assert!(self.reasoning.insert(message), "{event}");
            }
            "REASONING_MESSAGE_CONTENT" => {
                assert!(self.reasoning.contains(&id("messageId")), "{event}");
            }
            "REASONING_MESSAGE_END" => {
                assert!(self.reasoning.remove(&id("messageId")), "{event}");
                self.complete.insert(id("messageId"));
            }
            "REASONING_END" => assert!(self.spans.remove(&id("messageId")), "{event}"),
            "TOOL_CALL_START" => {
                let parent = id("parentMessageId");
                if let Some(of_parent) = self.owners.get(&parent) {
                    assert_eq!(*of_parent, owner, "{event}");
                }
                let call = id("toolCallId");
                assert!(self.calls.insert(call.clone()), "{event}");
                self.owners.insert(call, owner);
            }
            "TOOL_CALL_ARGS" => {
                assert!(self.calls.contains(&id("toolCallId")), "{event}");
                assert_eq!(self.owners[&id("toolCallId")], owner, "{event}");
            }
            "TOOL_CALL_END" => assert!(self.calls.remove(&id("toolCallId")), "{event}"),
            "TOOL_CALL_RESULT" => {
                assert_eq!(event["role"], "tool");
                assert!(self.complete.insert(id("messageId")), "again: {event}");
            }
            "STEP_STARTED" => assert!(self.steps.insert(id("stepName")), "{event}"),
            "STEP_FINISHED" => assert!(self.steps.remove(&id("stepName")), "{event}"),
            "SUBAGENT_STARTED" => {
                assert!(event["name"].is_string());
                let other = self.agents.insert(owner.unwrap(), true);
                assert_eq!(other, None, "{event}");
                if let Some(parent) = event["parentSubagentRunId"].as_str() {
                    assert!(self.agents.contains_key(parent), "{event}");
                }
            }
            "SUBAGENT_FINISHED" | "SUBAGENT_ERROR" => {
                assert_eq!(self.agents.insert(owner.unwrap(), false), Some(true), "{event}");
            }
            "RUN_FINISHED" => {
                let open = (&self.messages, &self.reasoning, &self.spans, &self.calls, &self.steps);
                let none = BTreeSet::new();
                assert_eq!(open, (&none, &none, &none, &none, &none), "{event}");
                assert!(!self.agents.values().any(|is_at_work| *is_at_work), "{event}");
                if event["outcome"]["type"] == "interrupt" {
                    assert!(!event["outcome"]["interrupts"].as_array().unwrap().is_empty());
                }
                self.is_over = true;
            }
            "RUN_ERROR" => self.is_over = true,
            "STATE_SNAPSHOT" | "STATE_DELTA" | "CUSTOM" => {}
            other => panic!("not an event of the protocol: {other}"),
        }
    }
}

/// Translates events, checks what comes out, and returns it.
fn checked(translation: Translation, run: &RunState, events: Vec<Value>) -> Vec<Value> {
    let (mut translator, first) = of(translation, run);
    let mut made: Vec<StampedEvent> = first;
    for (number, data) in events.into_iter().enumerate() {
        made.extend(translator.event(&event(number as u64 + 1, data)));
    }
    made.extend(translator.end(None, 9));
    let made: Vec<Value> = made.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    let mut verifier = Verifier::default();
    made.iter().for_each(|event| verifier.check(event));
    assert!(verifier.is_over);
    made
}

fn sent(events: Vec<Value>) -> Vec<Value> {
    checked(translation(), &run_state(), events)
}

fn types(events: &[Value]) -> Vec<&str> {
    let kinds = events.iter().map(|event| event["type"].as_str().unwrap());
    kinds
        .filter(|kind| !matches!(*kind, "RUN_STARTED" | "STATE_SNAPSHOT" | "STATE_DELTA"))
        .collect()
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "turn": 1, "text": text })
}

fn turn_ended(text: &str, calls: Value) -> Value {
    json!({ "type": "turn_ended", "turn": 1, "text": text, "calls": calls })
}

fn ended(text: &str, files: Value) -> Value {
    let usage = json!({ "input_tokens": 10, "output_tokens": 5, "cached_tokens": 2 });
    json!({ "type": "ended", "status": "completed", "text": text, "files": files, "usage": usage })
}

fn of_agent(agent: u64, mut event: Value) -> Value {
    event["agent"] = agent.into();
    event
}

fn call(id: &str, name: &str) -> Value {
    json!({ "id": id, "name": name, "arguments": "{\"a\":0.12345678901234567890}" })
}

fn result(call: &str) -> Value {
    json!({ "type": "call_result", "model_call": call, "content": "ok", "is_error": false })
}

#[test]
fn a_streamed_answer_is_one_message() {
    let events = sent(vec![
        json!({ "type": "status", "status": "running" }),
        json!({ "type": "instruction", "text": "hi" }),
        json!({ "type": "turn_started", "turn": 1 }),
        json!({ "type": "reasoning", "turn": 1, "text": "hm" }),
        text("Hel"),
        text("lo"),
        turn_ended("Hello", json!([])),
        ended("Hello", json!([])),
    ]);
    assert_eq!(
        types(&events),
        [
            "REASONING_START",
            "REASONING_MESSAGE_START",
            "REASONING_MESSAGE_CONTENT",
            "REASONING_MESSAGE_END",
            "REASONING_END",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "RUN_FINISHED",
        ]
    );
    let last = events.last().unwrap();
    assert_eq!(last["outcome"], json!({ "type": "success" }));
    assert_eq!(last["result"], json!({ "text": "Hello", "files": [], "missing": [] }));
    let usage = json!({
        "model": "small", "inputTokens": 10, "outputTokens": 5, "totalTokens": 15,
        "cachedInputTokens": 2,
    });
    assert_eq!(last["usage"], json!([usage]));
    assert_eq!(last["timestamp"], 1_008);
}

#[test]
fn an_answer_that_was_not_streamed_is_sent_once() {
    let whole = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"];
    assert_eq!(types(&sent(vec![turn_ended("a", json!([])), ended("a", json!([]))])), whole);
    // A plan's report is not the text of a turn.
    assert_eq!(types(&sent(vec![ended("a", json!([]))])), whole);
}

#[test]
fn a_call_of_mitts_has_its_result() {
    let events = sent(vec![
        text("Let me see."),
        turn_ended(
            "Let me see.",
            json!([call("c1", "table_tool__sort"), call("c2", "python__run")]),
        ),
        json!({ "type": "call_started", "call": "1", "model_call": "c1", "tool": "table_tool__sort", "depth": 0 }),
        json!({ "type": "call_started", "call": "2", "tool": "report__build", "depth": 1 }),
        json!({ "type": "call_ended", "call": "2", "tool": "report__build", "depth": 1, "duration_ms": 3 }),
        json!({ "type": "call_ended", "call": "1", "tool": "table_tool__sort", "depth": 0, "duration_ms": 4 }),
        result("c1"),
        json!({ "type": "call_result", "model_call": "c2", "content": "no", "is_error": true }),
        ended("", json!([])),
    ]);
    let find = |kind: &str| events.iter().filter(|it| it["type"] == kind).collect::<Vec<_>>();
    let starts = find("TOOL_CALL_START");
    assert_eq!(starts[0]["parentMessageId"], find("TEXT_MESSAGE_START")[0]["messageId"]);
    assert_eq!(starts[1]["parentMessageId"], starts[0]["parentMessageId"]);
    assert_eq!(find("TOOL_CALL_ARGS")[0]["delta"], "{\"a\":0.12345678901234567890}");
    let results = find("TOOL_CALL_RESULT");
    assert_eq!((&results[0]["content"], results[0].get("metadata")), (&json!("ok"), None));
    assert_eq!(results[1]["metadata"], json!({ "mitt": { "isError": true } }));
    let nested: Vec<&Value> = find("CUSTOM").iter().map(|it| &it["value"]["state"]).collect();
    assert_eq!(nested, ["started", "done"]);
}

#[test]
fn calls_of_the_page_wait_for_the_next_run() {
    let question = serde_json::to_value(functions_question(&["c1"])).unwrap();
    let events = sent(vec![
        turn_ended("", json!([call("c1", "page_tool"), call("c2", "table_tool__sort")])),
        result("c2"),
        json!({ "type": "question", "question": question }),
        text("never sent"),
    ]);
    assert_eq!(events.iter().filter(|it| it["type"] == "TOOL_CALL_START").count(), 2);
    let outcome = json!({ "type": "success", "pendingToolCallIds": ["c1"] });
    assert_eq!(events.last().unwrap()["outcome"], outcome);
    // A stream that begins at the question names the calls itself.
    let late = sent(vec![json!({ "type": "question", "question": question })]);
    let kinds = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "RUN_FINISHED"];
    assert_eq!(types(&late), kinds);
    // The page has the result that it sent.
    let provided = Translation { provided: ["c1".to_owned()].into(), ..translation() };
    let next = checked(provided, &run_state(), vec![result("c1"), ended("", json!([]))]);
    assert_eq!(types(&next), ["RUN_FINISHED"]);
}

#[test]
fn questions_are_interrupts() {
    let approval = serde_json::to_value(approval()).unwrap();
    let events = sent(vec![
        json!({ "type": "agent_started", "id": 1, "name": "analyst", "task": "count" }),
        of_agent(1, text("on it")),
        turn_ended("", json!([call("c1", "python__run")])),
        json!({ "type": "question", "question": approval }),
    ]);
    let last = events.last().unwrap();
    assert_eq!(last["outcome"]["type"], "interrupt");
    let interrupt = &last["outcome"]["interrupts"][0];
    assert_eq!((&interrupt["id"], &interrupt["toolCallId"]), (&json!("q1"), &json!("c1")));
    let suspended = events.iter().find(|it| it["type"] == "SUBAGENT_FINISHED").unwrap();
    assert_eq!(suspended["outcome"], json!({ "type": "suspended", "interruptIds": ["q1"] }));
    let plan = serde_json::to_value(plan_question()).unwrap();
    let events = sent(vec![json!({ "type": "question", "question": plan })]);
    assert_eq!(events.last().unwrap()["outcome"]["interrupts"][0]["reason"], "plan_review");
}

#[test]
fn files_have_links_in_state_message_and_result() {
    let file =
        json!({ "name": "[a].pdf", "media_type": "application/pdf", "sha256": "a", "size": 7 });
    let events = sent(vec![
        json!({ "type": "file", "file": file, "warnings": ["w"] }),
        turn_ended("Done.", json!([])),
        ended("Done.", json!(["[a].pdf"])),
    ]);
    let custom = events.iter().find(|it| it["type"] == "CUSTOM").unwrap();
    let url = "http://localhost/v1/links/[a].pdf";
    assert_eq!((&custom["name"], &custom["value"]["url"]), (&json!("mitt.file"), &json!(url)));
    let delta = events.iter().find(|it| it["type"] == "STATE_DELTA").unwrap();
    assert_eq!(delta["delta"][0]["value"]["url"], url);
    let texts: Vec<&Value> = events
        .iter()
        .filter(|it| it["type"] == "TEXT_MESSAGE_CONTENT")
        .map(|it| &it["delta"])
        .collect();
    assert_eq!(texts, [&json!("Done."), &json!(format!("- [\\[a\\].pdf]({url})"))]);
    assert_eq!(events.last().unwrap()["result"]["files"][0]["name"], "[a].pdf");
}

#[test]
fn steps_and_agents_are_closed() {
    let step = |id: &str, state: &str| json!({ "type": "plan_step", "id": id, "state": state, "attempt": 1 });
    let steps = json!([{ "id": "s1", "title": "Read" }, { "id": "s2", "title": "Write" }]);
    let events = sent(vec![
        json!({ "type": "plan", "plan": 1, "title": "P", "steps": steps }),
        step("s1", "running"),
        step("s1", "running"),
        step("s1", "reflecting"),
        step("s1", "done"),
        step("s2", "running"),
        json!({ "type": "agent_started", "id": 2, "parent": 1, "name": "a", "task": "t" }),
        json!({ "type": "agent_started", "id": 3, "parent": 2, "name": "b", "task": "t" }),
        of_agent(2, text("x")),
        of_agent(3, json!({ "type": "reasoning", "turn": 1, "text": "y" })),
        json!({ "type": "agent_ended", "id": 2, "name": "a", "status": "failed", "failure": "no" }),
        json!({ "type": "agent_ended", "id": 9, "name": "z", "status": "done" }),
        of_agent(7, turn_ended("late", json!([call("c", "t")]))),
        json!({ "type": "ended", "status": "cancelled", "files": [], "usage": {} }),
    ]);
    let find = |kind: &str| events.iter().filter(|it| it["type"] == kind).collect::<Vec<_>>();
    assert_eq!(find("STEP_STARTED")[0]["stepName"], "s1: Read");
    assert_eq!(find("STEP_FINISHED").len(), 2);
    let agents = find("SUBAGENT_STARTED");
    assert_eq!(agents.len(), 3);
    assert_eq!(
        (agents[0].get("parentSubagentRunId"), &agents[1]["parentSubagentRunId"]),
        (None, &json!("run_1-agent-2"))
    );
    assert_eq!(find("SUBAGENT_ERROR")[0]["message"], "no");
    assert_eq!(find("TOOL_CALL_START")[0]["toolCallId"], "agent-7-c");
    assert_eq!(events.last().unwrap()["outcome"], json!({ "type": "cancelled" }));
}

#[test]
fn failures_are_errors() {
    let failure = json!({ "code": "model", "message": "no answer", "hint": "try again" });
    let failed = json!({ "type": "ended", "status": "failed", "files": [], "failure": failure, "usage": {} });
    let events = sent(vec![text("abc"), failed]);
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["code"]), (&json!("RUN_ERROR"), &json!("model")));
    assert_eq!(last["message"], "no answer\nhint: try again");
    let stopped = sent(vec![json!({ "type": "status", "status": "interrupted" })]);
    assert_eq!(stopped.last().unwrap()["code"], "interrupted");
    let cancelled = sent(vec![json!({ "type": "status", "status": "cancelled" })]);
    assert_eq!(cancelled.last().unwrap()["outcome"], json!({ "type": "cancelled" }));
}

#[test]
fn the_end_of_an_earlier_instruction_is_not_the_end() {
    let waits = Translation { awaits_instruction: true, ..translation() };
    let events = checked(
        waits,
        &run_state(),
        vec![
            ended("old", json!([])),
            json!({ "type": "instruction", "text": "new" }),
            ended("new", json!([])),
        ],
    );
    assert_eq!(events.last().unwrap()["result"]["text"], "new");
    assert_eq!(events.iter().filter(|it| it["type"] == "TEXT_MESSAGE_CONTENT").count(), 1);
}

#[test]
fn usage_is_that_of_the_run_of_ag_ui() {
    let usage_before = RunUsage { input_tokens: 4, output_tokens: 5, ..RunUsage::default() };
    let before = Translation { usage_before, notes: vec!["left out".into()], ..translation() };
    let events = checked(before, &run_state(), vec![ended("", json!([]))]);
    assert_eq!(events.last().unwrap()["usage"][0]["totalTokens"], 6);
    assert_eq!(events[2]["value"]["text"], "left out");
}

#[test]
fn any_sequence_is_valid() {
    let approval = serde_json::to_value(approval()).unwrap();
    let functions = serde_json::to_value(functions_question(&["p1", "p2"])).unwrap();
    let mut random = fastrand::Rng::with_seed(36);
    for _ in 0..2_000 {
        let mut events = Vec::new();
        let mut calls = 0;
        for _ in 0..random.usize(..40) {
            let agent = random.u64(..4);
            let id = random.u64(1..4);
            let name = format!("s{}", random.u64(..3));
            let data = match random.u64(..17) {
                0 => json!({ "type": "turn_started", "turn": 1 }),
                1..=3 => text("abc"),
                4 | 5 => json!({ "type": "reasoning", "turn": 1, "text": "r" }),
                6 | 7 => {
                    calls += 1;
                    turn_ended("abc", json!([call(&format!("c{calls}"), "t")]))
                }
                8 => turn_ended("", json!([])),
                9 => result(&format!("c{calls}")),
                10 => {
                    json!({ "type": "agent_started", "id": id, "parent": agent, "name": "a", "task": "t" })
                }
                11 => json!({ "type": "agent_ended", "id": id, "name": "a", "status": "done" }),
                12 | 13 => {
                    let states = ["running", "reflecting", "done", "failed", "waiting", "skipped"];
                    json!({ "type": "plan_step", "id": name, "state": states[random.usize(..6)], "attempt": 1 })
                }
                14 => {
                    json!({ "type": "plan", "plan": 1, "title": "P", "steps": [{ "id": name, "title": "x" }] })
                }
                15 => json!({ "type": "note", "text": "n" }),
                _ if random.u64(..4) > 0 => text(""),
                _ => match random.u64(..4) {
                    0 => json!({ "type": "question", "question": approval }),
                    1 => json!({ "type": "question", "question": functions }),
                    2 => json!({ "type": "ended", "status": "failed", "files": [], "usage": {} }),
                    _ => ended("end", json!([])),
                },
            };
            let has_agent = agent > 0 && data["type"] != "ended" && data["type"] != "question";
            events.push(if has_agent { of_agent(agent, data) } else { data });
        }
        sent(events);
    }
}
