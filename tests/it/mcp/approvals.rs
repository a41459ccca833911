//! Tools that may destroy something: clients that can ask their user do so first.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, small};
use crate::support::TestSkill;

const TWO: &str = r#"(component
    (core module $m (func (export "run") (result i32) i32.const 7))
    (core instance $i (instantiate $m))
    (func (export "wipe") (result u32) (canon lift (core func $i "run")))
    (func (export "burn") (result u32) (canon lift (core func $i "run"))))"#;

fn skill() -> TestSkill {
    TestSkill::new(
        "test-wipe",
        TWO,
        "grants: [workspace]\ntools: [{name: wipe, title: Wipe it, destructive: true}, {name: burn, destructive: true}]",
    )
}

fn kind(answer: &Value) -> &str {
    answer["result"]["_meta"]["mitt/error"]["kind"].as_str().unwrap_or("ok")
}

#[test]
fn a_client_with_a_handshake_is_asked_in_the_middle_of_the_call() {
    let skill = skill();
    let mut client = Client::initialized_with(&small(skill.path()), json!({ "elicitation": {} }));
    let tools = client.request("tools/list", json!({}));
    assert_eq!(tools["result"]["tools"][2]["annotations"]["destructiveHint"], true, "{tools}");
    for (reply, expected) in [
        (json!({ "action": "accept", "content": { "approve": true } }), "ok"),
        (json!({ "action": "accept", "content": { "approve": false } }), "denied"),
        (json!({ "action": "accept" }), "denied"),
        (json!({ "action": "decline" }), "denied"),
        (json!({ "action": "cancel" }), "denied"),
    ] {
        let id = client.begin("tools/call", json!({ "name": "test_wipe__wipe" }));
        let question = client.told("elicitation/create");
        let message = question["params"]["message"].as_str().unwrap();
        assert!(message.contains("`test_wipe__wipe` (Wipe it)"), "{message}");
        assert_eq!(question["params"]["requestedSchema"]["required"], json!(["approve"]));
        client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": reply }));
        let answer = client.answer(&json!(id));
        assert_eq!(kind(&answer), expected, "{reply}: {answer}");
    }
    // Cancelled while the user thinks.
    let id = client.begin("tools/call", json!({ "name": "test_wipe__wipe" }));
    client.told("elicitation/create");
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}

#[test]
fn a_client_that_can_ask_nobody_decides_by_itself() {
    let skill = skill();
    let mut client = Client::initialized(&small(skill.path()));
    assert_eq!(kind(&client.call("test_wipe__wipe", json!({}))), "ok");
    // A client that can only show addresses has no forms.
    let mut client =
        Client::initialized_with(&small(skill.path()), json!({ "elicitation": { "url": {} } }));
    assert_eq!(kind(&client.call("test_wipe__wipe", json!({}))), "ok");
}

#[test]
fn a_call_of_2026_07_28_is_made_again_with_the_answer() {
    let skill = skill();
    let mut client = Client::start(&small(skill.path()));
    let elicitation = || json!({ "elicitation": { "form": {} } });
    let call = |client: &mut Client, params: Value| {
        client.modern_with("tools/call", params, elicitation())
    };
    let asked = |client: &mut Client| {
        let answer = call(client, json!({ "name": "test_wipe__wipe", "arguments": {} }));
        assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
        let question = &answer["result"]["inputRequests"]["approval"];
        assert_eq!(question["method"], "elicitation/create", "{answer}");
        answer["result"]["requestState"].as_str().unwrap().to_owned()
    };
    let again = |state: &str, reply: Value| {
        json!({
            "name": "test_wipe__wipe", "arguments": {}, "requestState": state,
            "inputResponses": { "approval": reply, "other": { "ignored": true } },
        })
    };
    let yes = || json!({ "action": "accept", "content": { "approve": true } });

    let state = asked(&mut client);
    let answer = call(&mut client, again(&state, yes()));
    assert_eq!(answer["result"]["structuredContent"], json!({ "result": 7 }), "{answer}");
    // The state can be used only once.
    let answer = call(&mut client, again(&state, yes()));
    assert_eq!(answer["result"]["isError"], true, "{answer}");

    let state = asked(&mut client);
    let answer = call(&mut client, again(&state, json!({ "action": "decline" })));
    assert_eq!(kind(&answer), "denied");

    // Without an answer, or with an invalid one, the question stays open.
    let state = asked(&mut client);
    for reply in [json!({}), json!({ "approval": { "action": "maybe" } }), json!({ "other": 1 })] {
        let params = json!({
            "name": "test_wipe__wipe", "arguments": {}, "requestState": state, "inputResponses": reply,
        });
        let answer = call(&mut client, params);
        assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    }
    // Sealed: not valid for another call, nor if changed.
    let mut tampered = state.clone();
    tampered.push('A');
    for params in [
        again(&tampered, yes()),
        again("", yes()),
        again("rs1.AAAA.AAAA", yes()),
        json!({ "name": "test_wipe__burn", "arguments": {}, "requestState": state, "inputResponses": { "approval": yes() } }),
        json!({ "name": "test_wipe__wipe", "arguments": { "a": 1 }, "requestState": state, "inputResponses": { "approval": yes() } }),
    ] {
        let answer = call(&mut client, params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().starts_with("`requestState`: "));
    }
    // It still waits for the right answer.
    let answer = call(&mut client, again(&state, yes()));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    // Nor for another client.
    let state = asked(&mut client);
    let mut stranger = Client::start(&small(skill.path()));
    let answer = call(&mut stranger, again(&state, yes()));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    // A client that cannot ask gets no questions.
    let answer = client.modern("tools/call", json!({ "name": "test_wipe__wipe" }));
    assert_eq!(kind(&answer), "ok", "{answer}");
}

/// A destructive tool that a script calls needs an approval as well; the script continues where it was.
#[test]
fn scripts_ask_too() {
    let skill = skill();
    let folder = skill.path().display().to_string();
    let args = ["--trust-skills", "--skills", &folder].map(str::to_owned);
    let script = json!({ "code": "import test_wipe\nprint('before')\ntest_wipe.wipe() + 1" });
    let params = || json!({ "name": "python__run", "arguments": script });
    let yes = || json!({ "action": "accept", "content": { "approve": true } });

    let mut client = Client::initialized_with(&args, json!({ "elicitation": {} }));
    let id = client.begin("tools/call", params());
    let question = client.told("elicitation/create");
    assert!(question["params"]["message"].as_str().unwrap().contains("`test_wipe__wipe`"));
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes() }));
    let answer = client.answer(&json!(id));
    let outcome = &answer["result"]["structuredContent"];
    assert_eq!(
        (&outcome["status"], &outcome["result"]),
        (&json!("success"), &json!(8)),
        "{answer}"
    );

    // If nobody can be asked, the model gets advice.
    let mut client = Client::initialized(&args);
    let answer = client.request("tools/call", params());
    assert_eq!(kind(&answer), "paused", "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("call `test_wipe__wipe` by itself"), "{text}");

    // Between two requests: the script runs again, and its output appears once.
    let mut client = Client::start(&args);
    let elicitation = || json!({ "elicitation": { "form": {} } });
    let answer = client.modern_with("tools/call", params(), elicitation());
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    let mut again = params();
    again["requestState"] = answer["result"]["requestState"].clone();
    again["inputResponses"] = json!({ "approval": yes() });
    let answer = client.modern_with("tools/call", again, elicitation());
    let outcome = &answer["result"]["structuredContent"];
    assert_eq!(outcome["status"], "success", "{answer}");
    assert_eq!(
        (&outcome["result"], &outcome["stdout"]),
        (&json!(8), &json!("before\n")),
        "{answer}"
    );
}

/// A call that became a task asks through the task, as often as necessary.
#[test]
fn tasks_ask_too() {
    let skill = skill();
    let folder = skill.path().display().to_string();
    let args = ["--trust-skills", "--task-after", "2s", "--skills", &folder].map(str::to_owned);
    let code = "import time, test_wipe\ntime.sleep(2.2)\nfirst = test_wipe.wipe()\nfirst + test_wipe.burn()";
    let capabilities = || {
        json!({
            "elicitation": { "form": {} },
            "extensions": { "io.modelcontextprotocol/tasks": {} },
        })
    };
    let mut client = Client::start(&args);
    let until = |client: &mut Client, id: &str, status: &str| {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let answer = client.modern_with("tasks/get", json!({ "taskId": id }), capabilities());
            if answer["result"]["status"] == status {
                return answer["result"].clone();
            }
            assert_eq!(answer["result"]["status"], "working", "{answer}");
            assert!(Instant::now() < end, "{answer}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    let reply = |client: &mut Client, id: &str, key: &str, reply: Value| {
        let params = json!({ "taskId": id, "inputResponses": { key: reply } });
        let answer = client.modern_with("tasks/update", params, capabilities());
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    };
    let begin = |client: &mut Client| {
        let params = json!({
            "name": "python__run", "arguments": { "code": code },
            "_meta": { "progressToken": "p" },
        });
        let answer = client.modern_with("tools/call", params, capabilities());
        assert_eq!(answer["result"]["resultType"], "task", "{answer}");
        // Messages before the answer may be progress.
        client.all_within(Duration::ZERO);
        answer["result"]["taskId"].as_str().unwrap().to_owned()
    };
    let yes = || json!({ "action": "accept", "content": { "approve": true } });

    let id = begin(&mut client);
    for (key, tool) in [("approval-1", "test_wipe__wipe"), ("approval-2", "test_wipe__burn")] {
        let asked = until(&mut client, &id, "input_required");
        let question = &asked["inputRequests"][key];
        assert_eq!(question["method"], "elicitation/create", "{asked}");
        assert!(question["params"]["message"].as_str().unwrap().contains(tool), "{asked}");
        // Answers to other questions are ignored.
        reply(&mut client, &id, "approval-7", yes());
        assert_eq!(until(&mut client, &id, "input_required"), asked);
        reply(&mut client, &id, key, yes());
    }
    let done = until(&mut client, &id, "completed");
    assert_eq!(done["result"]["structuredContent"]["result"], 14, "{done}");
    // The progress token of an answered request is not used any more, although the task made two calls.
    let later = client.all_within(Duration::ZERO);
    assert!(later.iter().all(|it| it["method"] != "notifications/progress"), "{later:?}");
    // No further question comes.
    reply(&mut client, &id, "approval-2", yes());
    assert_eq!(until(&mut client, &id, "completed"), done);

    let id = begin(&mut client);
    until(&mut client, &id, "input_required");
    reply(&mut client, &id, "approval-1", json!({ "action": "decline" }));
    let done = until(&mut client, &id, "completed");
    assert_eq!(done["result"]["isError"], true, "{done}");
    assert_eq!(done["result"]["structuredContent"]["error_kind"], "denied", "{done}");

    let id = begin(&mut client);
    until(&mut client, &id, "input_required");
    client.modern_with("tasks/cancel", json!({ "taskId": id }), capabilities());
    reply(&mut client, &id, "approval-1", yes());
    until(&mut client, &id, "cancelled");
}

/// A tool with two texts, one of which may hide the other.
const WORDS: &str = r#"(component
    (core module $m
        (memory (export "memory") 4)
        (global $at (mut i32) (i32.const 16))
        (func (export "realloc") (param i32 i32 i32 i32) (result i32) (local $r i32)
            (local.set $r (global.get $at))
            (global.set $at (i32.add (global.get $at) (local.get 3)))
            (local.get $r))
        (func (export "run") (param i32 i32 i32 i32) (result i32) i32.const 7)
        (func (export "many") (param i32 i32) (result i32) i32.const 7))
    (core instance $i (instantiate $m))
    (func (export "wipe") (param "note" string) (param "path" string) (result u32)
        (canon lift (core func $i "run") (memory (core memory $i "memory")) (realloc (core func $i "realloc"))))
    (func (export "burn") (param "lists" (list (list u16))) (result u32)
        (canon lift (core func $i "many") (memory (core memory $i "memory")) (realloc (core func $i "realloc")))))"#;

/// A thousand characters of padding hide no key, and no value looks like another line of the question.
#[test]
fn a_question_shows_every_key_or_is_not_asked() {
    let skill = TestSkill::new(
        "test-wipe",
        WORDS,
        "tools: [{name: wipe, destructive: true}, {name: burn, destructive: true}]",
    );
    let mut client = Client::initialized_with(&small(skill.path()), json!({ "elicitation": {} }));
    for padding in
        ["x".repeat(5_000), " ".repeat(2_000), "\n".repeat(1_500), "\u{200b}".repeat(1_200)]
    {
        let note = format!("harmless{padding}\u{202e}\u{1b}[2K\n/path: \"/tmp\"");
        let arguments = json!({ "note": note, "path": "/home/me" });
        let id = client
            .begin("tools/call", json!({ "name": "test_wipe__wipe", "arguments": arguments }));
        let question = client.told("elicitation/create");
        let message = question["params"]["message"].as_str().unwrap();
        let lines: Vec<&str> = message.lines().collect();
        assert_eq!(lines.len(), 3, "{message}");
        assert!(lines[1].starts_with("/note: \"harmless"), "{message}");
        assert!(lines[1].contains("characters, of which"), "{message}");
        assert_eq!(lines[2], "/path: \"/home/me\"", "{message}");
        assert!(!message.contains(['\u{202e}', '\u{1b}', '\u{200b}']), "{message}");
        let reply = json!({ "action": "accept", "content": { "approve": true } });
        client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": reply }));
        assert_eq!(kind(&client.answer(&json!(id))), "ok");
    }
    // More than a person can review is refused without a question.
    let lists: Vec<Vec<u32>> = (0..16).map(|_| (0..16).collect()).collect();
    let answer = client.call("test_wipe__burn", json!({ "lists": lists }));
    assert_eq!(kind(&answer), "denied", "{answer}");
    assert!(
        answer.to_string().contains("256 values and keys to look at, and at most 100"),
        "{answer}"
    );
    // Also if the question is a part of the call's answer.
    let mut client = Client::start(&small(skill.path()));
    let elicitation = || json!({ "elicitation": { "form": {} } });
    let small = json!({ "note": "", "path": "" });
    let mut waiting = json!({ "name": "test_wipe__wipe", "arguments": small });
    let asked = client.modern_with("tools/call", waiting.clone(), elicitation());
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    for _ in 0..20 {
        let params = json!({ "name": "test_wipe__burn", "arguments": { "lists": lists } });
        let answer = client.modern_with("tools/call", params, elicitation());
        assert_eq!(kind(&answer), "denied", "{answer}");
    }
    // Nobody will answer those; they do not displace a call that waits for its answer.
    waiting["requestState"] = asked["result"]["requestState"].clone();
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    waiting["inputResponses"] = json!({ "approval": yes });
    let answer = client.modern_with("tools/call", waiting, elicitation());
    assert_eq!(kind(&answer), "ok", "{answer}");
}
