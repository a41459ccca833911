//! Skills change under a connected client, which is notified of each change once, and of nothing else.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Client, small};

/// Longer than changes are collected, with a margin for a busy machine.
const QUIET: Duration = Duration::from_millis(2_500);

/// Returns a component whose tool `run` returns a number of this type.
fn component(ty: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
            (core module $m (func (export "run") (result i32) i32.const 1))
            (core instance $i (instantiate $m))
            (func (export "run") (result {ty}) (canon lift (core func $i "run"))))"#
    );
    wat::parse_str(text).unwrap()
}

/// Returns a component whose tool takes a number.
fn with_parameter() -> Vec<u8> {
    let text = r#"(component
        (core module $m (func (export "run") (param i32) (result i32) local.get 0))
        (core instance $i (instantiate $m))
        (func (export "run") (param "number" u32) (result u32) (canon lift (core func $i "run"))))"#;
    wat::parse_str(text).unwrap()
}

/// Replaces a file atomically, as careful editors do.
fn put(path: &Path, content: impl AsRef<[u8]>) {
    let beside = path.with_extension("new");
    std::fs::write(&beside, content).unwrap();
    std::fs::rename(beside, path).unwrap();
}

fn write(root: &Path, name: &str, ty: &str, description: &str) {
    let folder = root.join(name);
    std::fs::create_dir_all(folder.join("references")).unwrap();
    put(&folder.join("plugin.wasm"), component(ty));
    put(
        &folder.join("SKILL.md"),
        format!("---\nname: {name}\ndescription: {description}\n---\n\nDo it.\n"),
    );
    put(&folder.join("references/a.md"), "one");
    put(
        &folder.join("skill.yaml"),
        format!(
            "schema: 1\nname: {name}\nversion: 0.1.0\ndescription: a test\ncomponent: plugin.wasm\n"
        ),
    );
}

/// Returns the notifications from now on, by method, with URIs.
fn told(client: &mut Client) -> Vec<String> {
    let all = client.all_within(QUIET);
    let line = |message: &Value| {
        let method =
            message["method"].as_str().unwrap().trim_start_matches("notifications/").to_owned();
        match message["params"]["uri"].as_str() {
            Some(uri) => format!("{method} {uri}"),
            None => method,
        }
    };
    let mut told: Vec<String> = all.iter().map(line).collect();
    told.sort();
    told
}

#[test]
fn each_list_is_told_of_once_and_only_when_it_changed() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "one", "u32", "first");
    let mut client = Client::initialized(&small(root.path()));
    let listed = |client: &mut Client| {
        let answer = client.request("tools/list", json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap().clone();
        let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
        (names.collect::<Vec<_>>(), tools)
    };
    assert_eq!(listed(&mut client).0, ["documents__add", "one__run"]);
    for uri in ["skill://one/SKILL.md", "skill://one/references/a.md"] {
        assert_eq!(
            client.request("resources/subscribe", json!({ "uri": uri }))["result"],
            json!({})
        );
    }
    // The folders are watched once the skills are loaded.
    assert_eq!(told(&mut client), Vec::<String>::new());

    // The interface changes: the tools do, and nothing else.
    put(&root.path().join("one/plugin.wasm"), component("s16"));
    assert_eq!(told(&mut client), ["tools/list_changed"]);
    let (_, tools) = listed(&mut client);
    assert_eq!(tools[1]["outputSchema"]["properties"]["result"]["maximum"], 32767);

    // The instructions change: the prompt, the list entry and the subscribed resource do. Manifests are read together with
    // them.
    put(
        &root.path().join("one/SKILL.md"),
        "---\nname: one\ndescription: second\n---\n\nDo it well.\n",
    );
    assert_eq!(
        told(&mut client),
        [
            "prompts/list_changed",
            "resources/list_changed",
            "resources/updated skill://one/SKILL.md"
        ]
    );
    let prompt = client.request("prompts/get", json!({ "name": "one" }));
    assert!(
        prompt["result"]["messages"][0]["content"]["text"]
            .as_str()
            .unwrap()
            .starts_with("Do it well.")
    );

    // A new skill: one notification each for tools, prompts and resources.
    write(root.path(), "two", "u8", "another");
    assert_eq!(
        told(&mut client),
        ["prompts/list_changed", "resources/list_changed", "tools/list_changed"]
    );
    assert_eq!(listed(&mut client).0, ["documents__add", "one__run", "two__run"]);

    // After unsubscribing, there are no notifications about single files.
    client.request("resources/unsubscribe", json!({ "uri": "skill://one/SKILL.md" }));
    put(
        &root.path().join("one/SKILL.md"),
        "---\nname: one\ndescription: second\n---\n\nDo it at once.\n",
    );
    let list = told(&mut client);
    assert!(list.contains(&"prompts/list_changed".to_owned()), "{list:?}");
    assert!(!list.iter().any(|it| it.starts_with("resources/updated")), "{list:?}");

    // A version that does not load is not announced; the last valid one stays.
    put(&root.path().join("two/skill.yaml"), "schema: 1\nname: two\n");
    assert_eq!(told(&mut client), Vec::<String>::new());
    assert_eq!(client.call("two__run", json!({}))["result"]["isError"], false);
}

#[test]
fn only_what_is_listed_is_told_of() {
    let root = tempfile::tempdir().unwrap();
    for name in ["one", "two"] {
        write(root.path(), name, "u32", "first");
    }
    let mut args = small(root.path());
    args.extend(["--tools", "catalogue"].map(str::to_owned));
    let mut client = Client::initialized(&args);
    client.call("open_skill", json!({ "skill": "one" }));
    // The folders are watched once the skills are loaded.
    assert_eq!(told(&mut client), ["tools/list_changed"]);
    put(&root.path().join("two/plugin.wasm"), with_parameter());
    assert_eq!(told(&mut client), Vec::<String>::new());
    put(&root.path().join("one/plugin.wasm"), with_parameter());
    assert_eq!(told(&mut client), ["tools/list_changed"]);
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(tools[3]["inputSchema"]["properties"]["number"].is_object(), "{tools:?}");
    // A removed skill disappears from the lists, and comes back with its folder.
    std::fs::rename(root.path().join("one"), root.path().join(".one")).unwrap();
    let list = told(&mut client);
    assert!(list.contains(&"tools/list_changed".to_owned()), "{list:?}");
    let names = |client: &mut Client| client.request("tools/list", json!({})).to_string();
    assert!(!names(&mut client).contains("one__run"));
    std::fs::rename(root.path().join(".one"), root.path().join("one")).unwrap();
    told(&mut client);
    assert!(names(&mut client).contains("one__run"));
}

#[test]
fn without_watching_nothing_is_told() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "one", "u32", "first");
    let mut args = small(root.path());
    args.push("--no-watch".into());
    let mut client = Client::initialized(&args);
    client.request("tools/list", json!({}));
    write(root.path(), "two", "u32", "first");
    assert_eq!(told(&mut client), Vec::<String>::new());
}

#[test]
fn streams_of_2026_07_28_hear_only_what_they_asked_for() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "one", "u32", "first");
    let mut client = Client::start(&small(root.path()));
    client.modern("tools/list", json!({}));
    let tools = client.begin_modern(
        "subscriptions/listen",
        json!({ "notifications": { "toolsListChanged": true } }),
    );
    let rest = client.begin_modern(
        "subscriptions/listen",
        json!({ "notifications": {
            "promptsListChanged": true, "resourceSubscriptions": ["skill://one/SKILL.md", "https://example.org/"],
        } }),
    );
    let first = client.told("notifications/subscriptions/acknowledged");
    let second = client.told("notifications/subscriptions/acknowledged");
    let id = |message: &Value| {
        message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].clone()
    };
    let ids = [id(&first), id(&second)];
    assert!(ids.contains(&json!(tools)) && ids.contains(&json!(rest)), "{ids:?}");
    let of_rest = if id(&first) == rest { &first } else { &second };
    assert_eq!(
        of_rest["params"]["notifications"]["resourceSubscriptions"],
        json!(["skill://one/SKILL.md"])
    );
    std::thread::sleep(QUIET);
    put(&root.path().join("one/plugin.wasm"), component("s16"));
    let changed = client.told("notifications/tools/list_changed");
    assert_eq!(id(&changed), tools);
    put(&root.path().join("one/SKILL.md"), "---\nname: one\ndescription: second\n---\nx\n");
    let changed = client.told("notifications/prompts/list_changed");
    assert_eq!(id(&changed), rest);
    let changed = client.told("notifications/resources/updated");
    assert_eq!(
        (id(&changed), &changed["params"]["uri"]),
        (json!(rest), &json!("skill://one/SKILL.md"))
    );
    assert_eq!(client.all_within(QUIET), Vec::<Value>::new());
    // A stream that has ended is silent.
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": tools },
    }));
    put(&root.path().join("one/plugin.wasm"), component("s8"));
    assert!(told(&mut client).iter().all(|it| it != "tools/list_changed"));
    // Open streams do not keep the program alive.
    let begun = std::time::Instant::now();
    assert_eq!(client.end().0, Some(0));
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
}

/// The skill is replaced while a user considers the call. The requested version runs, and its result is wrapped according to
/// that version, not to its successor, which returns nothing.
#[test]
fn a_result_has_the_shape_of_the_version_that_ran() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "one", "u32", "first");
    let folder = root.path().join("one");
    let manifest = std::fs::read_to_string(folder.join("skill.yaml")).unwrap();
    put(
        &folder.join("skill.yaml"),
        format!("{manifest}grants: [workspace]\ntools: [{{name: run, destructive: true}}]\n"),
    );
    let mut client =
        Client::initialized_with(&small(root.path()), json!({ "elicitation": { "form": {} } }));
    let schema = |client: &mut Client| {
        let answer = client.request("tools/list", json!({}));
        answer["result"]["tools"][1]["outputSchema"].clone()
    };
    assert!(schema(&mut client)["properties"]["result"].is_object());
    // The folders are watched once the skills are loaded.
    assert_eq!(told(&mut client), Vec::<String>::new());

    let id = client.begin("tools/call", json!({ "name": "one__run" }));
    let question = client.told("elicitation/create");
    let silent = r#"(component
        (core module $m (func (export "run")))
        (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run"))))"#;
    put(&folder.join("plugin.wasm"), wat::parse_str(silent).unwrap());
    client.told("notifications/tools/list_changed");
    assert_eq!(schema(&mut client), Value::Null);
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes }));
    let answer = client.answer(&json!(id));
    assert_eq!(answer["result"]["structuredContent"], json!({ "result": 1 }), "{answer}");
}
