//! Revision 2026-07-28, whose requests have no connection.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, small, text_of};
use crate::support::TestSkill;

/// One tool that works for a while, and one that never ends.
const WORK: &str = r#"(component
    (core module $m
        (func (export "run") (result i32) i32.const 7)
        (func (export "work") (result i32)
            (local i64)
            (loop $again
                (local.set 0 (i64.add (local.get 0) (i64.const 1)))
                (br_if $again (i64.lt_u (local.get 0) (i64.const 2500000000))))
            i32.const 8)
        (func (export "spin") (loop (br 0))))
    (core instance $i (instantiate $m))
    (func (export "run") (result u32) (canon lift (core func $i "run")))
    (func (export "work") (result u32) (canon lift (core func $i "work")))
    (func (export "spin") (canon lift (core func $i "spin"))))"#;

fn skill() -> TestSkill {
    TestSkill::new("test-work", WORK, "limits: { time: 60s, fuel: 100000000000 }")
}

fn tasks() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

#[test]
fn discovery_and_calls_need_no_handshake() {
    let skill = skill();
    let mut client = Client::start(&small(skill.path()));
    let answer = client.modern("server/discover", json!({}));
    let result = &answer["result"];
    assert_eq!(
        result["supportedVersions"],
        json!(["2025-06-18", "2025-11-25", "2026-07-28"]),
        "{answer}"
    );
    assert!(result["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"].is_object());
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mitt", "{answer}");
    assert!(result["instructions"].as_str().unwrap().contains("`test-work`"));

    let answer = client.modern("tools/list", json!({}));
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["cacheScope"], "private");
    assert!(answer["result"]["ttlMs"].as_u64().is_some());
    for method in ["prompts/list", "resources/list", "resources/templates/list", "skills/list"] {
        let answer = client.modern(method, json!({}));
        assert!(answer["result"]["ttlMs"].as_u64().is_some(), "{method}: {answer}");
        assert!(answer["result"]["cacheScope"].is_string(), "{method}: {answer}");
    }
    let answer = client.modern("tools/call", json!({ "name": "test_work__run" }));
    assert_eq!(answer["result"]["structuredContent"], json!({ "result": 7 }));
    assert_eq!(answer["result"]["resultType"], "complete");
    // Methods that this revision removed.
    for (method, params) in [
        ("ping", json!({})),
        ("logging/setLevel", json!({ "level": "debug" })),
        ("resources/subscribe", json!({ "uri": "skill://a/SKILL.md" })),
        ("resources/unsubscribe", json!({ "uri": "skill://a/SKILL.md" })),
    ] {
        assert_eq!(client.modern(method, params)["error"]["code"], -32601, "{method}");
    }
    let answer = client.modern("resources/read", json!({ "uri": "mitt://documents/none" }));
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["data"]["uri"], "mitt://documents/none");
    // Requests of one process share a session.
    client.modern(
        "tools/call",
        json!({ "name": "documents__add", "arguments": { "name": "a.txt", "text": "x" } }),
    );
    let answer = client.modern("resources/read", json!({ "uri": "mitt://documents/a.txt" }));
    assert_eq!(answer["result"]["contents"][0]["text"], "x", "{answer}");
    let answer = client.request("tools/list", json!({}));
    assert_eq!(answer["error"]["code"], -32602, "metadata is missing: {answer}");
}

#[test]
fn long_calls_become_tasks_for_who_knows_tasks() {
    let skill = skill();
    let mut client = Client::start(&small(skill.path()));
    let call = |client: &mut Client, tool: &str| {
        client.modern_with("tools/call", json!({ "name": tool }), tasks())
    };
    let get = |client: &mut Client, id: &str| {
        client.modern_with("tasks/get", json!({ "taskId": id }), tasks())
    };
    // A short call is answered at once.
    let answer = call(&mut client, "test_work__run");
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");

    let answer = call(&mut client, "test_work__spin");
    assert_eq!(answer["result"]["resultType"], "task", "{answer}");
    assert_eq!(answer["result"]["status"], "working");
    let id = answer["result"]["taskId"].as_str().unwrap().to_owned();
    assert!(id.len() >= 32);
    assert_eq!(get(&mut client, &id)["result"]["status"], "working");
    let answer = client.modern_with("tasks/cancel", json!({ "taskId": id }), tasks());
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert_eq!(get(&mut client, &id)["result"]["status"], "cancelled");
    // Cancelling it again changes nothing.
    client.modern_with("tasks/cancel", json!({ "taskId": id }), tasks());
    assert_eq!(get(&mut client, &id)["result"]["status"], "cancelled");

    let answer = call(&mut client, "test_work__work");
    if answer["result"]["resultType"] == "task" {
        let id = answer["result"]["taskId"].as_str().unwrap().to_owned();
        let end = Instant::now() + Duration::from_secs(60);
        let done = loop {
            let answer = get(&mut client, &id);
            if answer["result"]["status"] != "working" {
                break answer;
            }
            assert!(Instant::now() < end, "{answer}");
            std::thread::sleep(Duration::from_millis(200));
        };
        assert_eq!(done["result"]["status"], "completed", "{done}");
        assert_eq!(done["result"]["result"]["structuredContent"], json!({ "result": 8 }));
        assert_eq!(text_of(&done["result"]), "8");
    }
    for unknown in ["none", &"f".repeat(32)] {
        assert_eq!(get(&mut client, unknown)["error"]["code"], -32602);
    }
    // A client without tasks waits for the result.
    let answer = client.modern("tasks/get", json!({ "taskId": id }));
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
    let begun = Instant::now();
    let id = client.begin_modern("tools/call", json!({ "name": "test_work__spin" }));
    std::thread::sleep(Duration::from_secs(3));
    assert!(client.all_within(Duration::ZERO).is_empty());
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
    client.modern("tools/call", json!({ "name": "test_work__run" }));
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn unsupported_revisions_are_refused_with_what_there_is() {
    let skill = skill();
    let mut client = Client::start(&small(skill.path()));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = client.request("tools/list", json!({ "_meta": meta }));
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
    assert_eq!(
        answer["error"]["data"]["supported"],
        json!(["2025-06-18", "2025-11-25", "2026-07-28"])
    );
    let answer = client.modern("tools/call", json!({ "name": "test_work__run" }));
    assert_eq!(answer["result"]["isError"], false);
}
