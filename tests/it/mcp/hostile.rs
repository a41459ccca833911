//! Messages that no client should send are answered, and the server continues.

use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Client, small};
use crate::support::{TestSkill, importing};

fn skill() -> TestSkill {
    TestSkill::new("test-log", &importing("mitt:host/none"), "enabled: false")
}

fn is_alive(client: &mut Client) {
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}

#[test]
fn garbage_is_answered_and_survived() {
    let skill = skill();
    let mut client = Client::initialized(&small(skill.path()));
    for (line, code, id) in [
        ("garbage", -32700, Value::Null),
        ("{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"ping\"", -32700, json!(77)),
        ("\u{1F600}", -32700, Value::Null),
        ("[]", -32600, Value::Null),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600, Value::Null),
        ("1", -32600, Value::Null),
        ("null", -32600, Value::Null),
        ("{}", -32600, Value::Null),
        ("{\"jsonrpc\":\"1.0\",\"id\":9,\"method\":\"ping\"}", -32600, json!(9)),
        ("{\"id\":10,\"method\":\"ping\"}", -32600, json!(10)),
        ("{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":5}", -32600, json!(11)),
        ("{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1},\"method\":\"ping\"}", -32600, Value::Null),
        ("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", -32600, Value::Null),
        ("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", -32600, Value::Null),
    ] {
        client.raw(line.as_bytes());
        client.raw(b"\n");
        let answer = client.wait(line, |it| it.get("error").is_some());
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        assert_eq!(answer.get("id").cloned().unwrap_or_default(), id, "{line}: {answer}");
    }
    client.raw(b"\n\r\n   \n\xff\xfe\n\0\n");
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"params\":{}1{}}}\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    client.raw(deep.as_bytes());
    client.raw(b"{\"jsonrpc\":\"2.0\",\"id\":\"bom\",\"method\":\"ping\"}\r\n");
    assert_eq!(client.answer(&json!("bom"))["result"], json!({}));
    is_alive(&mut client);
}

#[test]
fn a_repeated_id_loses_no_answer() {
    let wat = r#"(component
        (core module $m (func (export "spin") (loop (br 0))))
        (core instance $i (instantiate $m))
        (func (export "spin") (canon lift (core func $i "spin"))))"#;
    let skill = TestSkill::new("test-spin", wat, "limits: { time: 1s, fuel: 100000000000 }");
    let mut client = Client::initialized(&small(skill.path()));
    let call = json!({
        "jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": { "name": "test_spin__spin" },
    });
    client.send(&call);
    client.send(&call);
    let first = client.answer(&json!("same"));
    assert!(first["error"]["message"].as_str().unwrap().contains("in use"), "{first}");
    let second = client.answer(&json!("same"));
    assert_eq!(second["result"]["_meta"]["mitt/error"]["kind"], "limit", "{second}");
    // After its answer an id may be reused; a number and a string are two ids.
    client.send(&json!({ "jsonrpc": "2.0", "id": "same", "method": "ping" }));
    assert_eq!(client.answer(&json!("same"))["result"], json!({}));
    client.send(&json!({ "jsonrpc": "2.0", "id": 500, "method": "tools/call", "params": { "name": "test_spin__spin" } }));
    client.send(&json!({ "jsonrpc": "2.0", "id": "500", "method": "ping" }));
    assert_eq!(client.answer(&json!("500"))["result"], json!({}));
    assert_eq!(client.answer(&json!(500))["result"]["isError"], true);
}

#[test]
fn wrong_methods_and_parameters_are_told_apart() {
    let skill = skill();
    let mut client = Client::initialized(&small(skill.path()));
    for (method, params, code) in [
        ("no/such", json!({}), -32601),
        ("tools/lists", json!({}), -32601),
        ("tools/call", json!({}), -32602),
        ("tools/call", json!({ "name": 5 }), -32602),
        ("tools/call", json!({ "name": "a__b", "arguments": [] }), -32602),
        ("tools/call", json!({ "name": "x".repeat(100_000) }), -32602),
        ("tools/list", json!({ "cursor": "nowhere" }), -32602),
        ("resources/read", json!({ "uri": "file:///etc/passwd" }), -32002),
        ("resources/read", json!({ "uri": "mitt://documents/none" }), -32002),
        ("resources/subscribe", json!({ "uri": "https://example.org" }), -32002),
        ("prompts/get", json!({ "name": "none" }), -32602),
        ("skills/get", json!({ "uri": "skill://none/SKILL.md" }), -32602),
        ("resources/directory/read", json!({ "uri": "skill://none" }), -32602),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "none" }, "argument": { "name": "a", "value": "" } }),
            -32602,
        ),
        ("subscriptions/listen", json!({ "notifications": {} }), -32601),
        ("tasks/get", json!({ "taskId": "none" }), -32021),
    ] {
        let answer = client.request(method, params);
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.len() < 1_000, "{method}: {} bytes", message.len());
    }
    is_alive(&mut client);
}

#[test]
fn what_comes_before_the_handshake_ends_nothing() {
    let skill = skill();
    let mut client = Client::start(&small(skill.path()));
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    client
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/other", "params": { "a": 1 } }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
    client.raw(b"garbage\n");
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    // Without a handshake, and without the metadata that replaces it.
    let answer = client.request("tools/list", json!({}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let answer = client.request("initialize", json!({ "capabilities": 5 }));
    assert!(answer.get("error").is_some(), "{answer}");
    let answer = client.request(
        "initialize",
        json!({
            "protocolVersion": "2024-11-05", "capabilities": {},
            "clientInfo": { "name": "old", "version": "1" },
        }),
    );
    // The requested revision has no structured results: the newest one with a handshake is offered.
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    assert_eq!(answer["result"]["serverInfo"]["name"], "mitt");
    assert_eq!(answer["result"]["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    is_alive(&mut client);
}

#[test]
fn a_flood_of_requests_is_answered_one_by_one() {
    let skill = skill();
    let mut client = Client::initialized(&small(skill.path()));
    let ids: Vec<u64> = (0..2_000).map(|_| client.begin("ping", json!({}))).collect();
    for id in ids {
        assert_eq!(client.answer(&json!(id))["result"], json!({}));
    }
    assert_eq!(client.all_within(Duration::from_millis(50)), Vec::<Value>::new());
}
