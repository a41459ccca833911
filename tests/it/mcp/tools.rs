//! Tools: how they are listed, called, refused and cancelled.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, small, text_of};
use crate::support::TestSkill;

/// One tool that returns a number, and one that never ends.
const SPIN: &str = r#"(component
    (core module $m
        (func (export "run") (result i32) i32.const 7)
        (func (export "spin") (loop (br 0)))
        (func (export "crash") unreachable))
    (core instance $i (instantiate $m))
    (func (export "run") (result u32) (canon lift (core func $i "run")))
    (func (export "spin") (canon lift (core func $i "spin")))
    (func (export "crash") (canon lift (core func $i "crash"))))"#;

fn spin() -> TestSkill {
    TestSkill::new("test-spin", SPIN, "limits: { time: 60s, fuel: 100000000000 }")
}

/// As a result of the tool, a model could use it to fix its call.
#[test]
fn what_a_rule_blocks_is_an_error_of_the_protocol() {
    let folder = tempfile::tempdir().unwrap();
    let words = folder.path().join("words.txt");
    std::fs::write(&words, "机密文件\n").unwrap();
    let mut client = Client::initialized(&["--words".into(), words.display().to_string()]);
    let add = |text: &str| json!({ "name": "a.txt", "text": text });
    let answer = client.call("documents__add", add("這是機密文件"));
    assert_eq!(answer["error"]["data"]["kind"], "blocked", "{answer}");
    assert!(!answer.to_string().contains("密文"), "{answer}");
    assert!(client.call("documents__add", add("hello"))["result"].is_object());
}

#[test]
fn tools_are_listed_in_order_with_schemas_and_annotations() {
    let mut client = Client::initialized(&[]);
    let answer = client.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.is_sorted(), "{names:?}");
    for name in ["documents__add", "excel_tool__create_excel", "python__run", "table_tool__growth"]
    {
        assert!(names.contains(&name), "{name} of {names:?}");
    }
    for tool in tools {
        let name = &tool["name"];
        assert!(tool["title"].as_str().is_some_and(|title| !title.is_empty()), "{name}");
        assert!(tool["description"].as_str().is_some_and(|it| it.len() > 20), "{name}");
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            assert_eq!(schema["type"], "object", "{name}");
            assert!(schema.get("$schema").is_none(), "{name}");
            jsonschema::draft202012::meta::validate(schema).unwrap();
        }
        assert_eq!(tool["annotations"]["openWorldHint"], false, "{name}");
    }
    let annotations = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        tool["annotations"].clone()
    };
    // It has no capability but `log`, so it can only calculate.
    assert_eq!(annotations("table_tool__growth")["readOnlyHint"], true);
    assert_eq!(annotations("table_tool__growth")["idempotentHint"], true);
    assert_eq!(annotations("excel_tool__create_excel")["readOnlyHint"], false);
    assert_eq!(annotations("excel_tool__create_excel")["destructiveHint"], false);
    // The list is the same each time.
    assert_eq!(
        client.request("tools/list", json!({}))["result"]["tools"],
        answer["result"]["tools"]
    );
}

#[test]
fn results_are_text_and_data_that_fits_the_schema() {
    let mut client = Client::initialized(&[]);
    let listed = client.request("tools/list", json!({}));
    let schema = |name: &str| {
        let tools = listed["result"]["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap()["outputSchema"].clone()
    };
    // Digits that no `f64` can hold survive; sent as text, because `json!` would round them.
    client.raw(
        br#"{"jsonrpc":"2.0","id":"exact","method":"tools/call","params":{"name":"table_tool__sort","arguments":{"data":[{"x":2.00000000000000000001},{"x":1.5}],"keys":[{"column":"x"}]}}}
"#,
    );
    let answer = client.answer(&json!("exact"));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(
        text_of(&answer),
        r#"{"data":{"columns":["x"],"rows":[[1.5],[2.00000000000000000001]],"$ref":"t:1"},"warnings":[]}"#
    );
    let data = &answer["result"]["structuredContent"];
    assert_eq!(data["data"]["rows"], json!([[1.5], ["2.00000000000000000001"]]));
    jsonschema::validate(&schema("table_tool__sort"), data).unwrap();

    let answer = client.call("document_tool__list_documents", json!({}));
    assert_eq!(text_of(&answer), "[]");
    let data = &answer["result"]["structuredContent"];
    assert_eq!(*data, json!({ "result": [] }));
    jsonschema::validate(&schema("document_tool__list_documents"), data).unwrap();
}

#[test]
fn schemas_are_portable_and_true_of_what_is_given() {
    let list = |args: &[&str]| {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let mut client = Client::initialized(&args);
        let listed = client.request("tools/list", json!({}));
        (client, listed["result"]["tools"].as_array().unwrap().clone())
    };
    let (mut client, tools) = list(&[]);
    let text = Value::Array(tools.clone()).to_string();
    for wrong in ["\"type\":[", "18446744073709551615", "prefixItems", "\"const\"", "$schema"] {
        assert!(!text.contains(wrong), "{wrong}");
    }
    for tool in &tools {
        let size = tool["inputSchema"].to_string().len();
        // One tool makes all changes of a kind of file, in place of some twenty tools.
        let edits = tool["name"].as_str().unwrap().contains("__edit_");
        let most = if edits { 15_000 } else { 4_900 };
        assert!(size <= most, "{}: {size} bytes", tool["name"]);
    }
    // Both forms of a table are accepted in every mode, and 64-bit integers are exact.
    for data in [json!([{ "x": 2 }]), json!({ "columns": ["x"], "rows": [[2]] })] {
        let answer =
            client.call("table_tool__sort", json!({ "data": data, "keys": [{ "column": "x" }] }));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    let output = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        tool["outputSchema"].clone()
    };
    for (name, arguments) in [
        ("report__deliver", json!({ "markdown": "# A", "filename": "a.md" })),
        ("python__run", json!({ "language": "python-lite", "code": "1 + 1" })),
        ("python__run", json!({ "language": "python-lite", "code": "[1, {'a': None}]" })),
        (
            "python__run",
            json!({ "language": "python-lite", "code": "import report\nreport.deliver('# B', 'b.md')" }),
        ),
        ("documents__add", json!({ "name": "a.csv", "text": "a,b\n1,2\n" })),
        ("document_tool__list_documents", json!({})),
    ] {
        let answer = client.call(name, arguments);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        let data = &answer["result"]["structuredContent"];
        if let Err(error) = jsonschema::validate(&output(name), data) {
            panic!("{name}: {error}\n{data}");
        }
    }
    let (_, strict) = list(&["--schemas", "strict"]);
    let required = |tools: &[Value]| {
        tools.iter().all(|tool| {
            let schema = &tool["inputSchema"];
            let all = schema["properties"].as_object().unwrap().len();
            schema["required"].as_array().unwrap().len() == all
        })
    };
    assert!(required(&strict) && !required(&tools));
    let (_, exact) = list(&["--schemas", "exact"]);
    assert!(Value::Array(exact).to_string().contains("18446744073709551615"));
}

#[test]
fn a_path_without_a_folder_is_told_the_option() {
    let mut client = Client::initialized(&[]);
    let listed = client.request("tools/list", json!({})).to_string();
    assert!(listed.contains("it was started without a folder"));
    let answer = client.call("documents__add", json!({ "path": "sales.csv" }));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(text_of(&answer).contains("`--folder <folder>`"), "{answer}");
}

#[test]
fn errors_can_be_repaired_in_one_turn() {
    let mut client = Client::initialized(&[]);
    let answer = client.call("report__deliver", json!({ "markdwn": "x", "filename": 5 }));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = text_of(&answer);
    for part in
        ["3 problems", "/markdwn", "did you mean `markdown`?", "/filename", "/markdown: missing"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(answer["result"].get("structuredContent").is_none());
    assert_eq!(answer["result"]["_meta"]["mitt/error"]["kind"], "arguments");
    let answer = client.call("report__deliver", json!({ "markdown": "# A", "filename": "a.exe" }));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(answer["result"]["_meta"]["mitt/error"]["kind"], "plugin");
    // Duplicate keys are not dropped silently.
    client.raw(
        b"{\"jsonrpc\":\"2.0\",\"id\":\"twice\",\"method\":\"tools/call\",\"params\":{\"name\":\"report__deliver\",\"arguments\":{\"markdown\":\"a\",\"markdown\":\"b\"}}}\n",
    );
    let answer = client.answer(&json!("twice"));
    assert!(text_of(&answer).contains("the key appears twice"), "{answer}");
    let answer = client.call("report__delivr", json!({}));
    assert_eq!(answer["error"]["code"], -32602);
    assert!(
        answer["error"]["message"].as_str().unwrap().contains("did you mean `report__deliver`?")
    );
}

#[test]
fn crashes_and_limits_are_results_too() {
    let skill = TestSkill::new("test-spin", SPIN, "limits: { fuel: 1000000 }");
    let mut client = Client::initialized(&small(skill.path()));
    for (tool, kind) in [("test_spin__crash", "trap"), ("test_spin__spin", "limit")] {
        let answer = client.call(tool, json!({}));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(answer["result"]["_meta"]["mitt/error"]["kind"], kind);
    }
    let answer = client.call("test_spin__run", json!({}));
    assert_eq!(answer["result"]["structuredContent"], json!({ "result": 7 }));
}

/// Sixteen calls fill every place of a tenant. Cancelling them frees the places at once, because their guests are gone.
#[test]
fn a_cancelled_call_is_gone_and_its_place_free() {
    let skill = spin();
    let mut client = Client::initialized(&small(skill.path()));
    client.call("test_spin__run", json!({}));
    let calls: Vec<u64> =
        (0..16).map(|_| client.begin("tools/call", json!({ "name": "test_spin__spin" }))).collect();
    std::thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    for id in &calls {
        client.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
        }));
    }
    let answer = client.call("test_spin__run", json!({}));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    // Cancelled requests get no answer.
    let rest = client.all_within(Duration::from_millis(300));
    assert!(rest.is_empty(), "{rest:?}");
    let (code, ..) = client.end();
    assert_eq!(code, Some(0));
}

#[test]
fn steps_are_told_to_who_asks_for_them() {
    let mut client = Client::initialized(&[]);
    let id = client.begin(
        "tools/call",
        json!({
            "name": "report__deliver",
            "arguments": { "markdown": "# A\n\ntext", "filename": "a.md" },
            "_meta": { "progressToken": "token-1" },
        }),
    );
    let answer = client.answer(&json!(id));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let link = &answer["result"]["content"][1];
    assert_eq!(
        (&link["type"], &link["uri"]),
        (&json!("resource_link"), &json!("mitt://artifacts/a.md"))
    );
    let told: Vec<Value> = client.all_within(Duration::from_millis(300));
    let progress: Vec<&Value> =
        told.iter().filter(|it| it["method"] == "notifications/progress").collect();
    assert!(!progress.is_empty(), "{told:?}");
    let mut last = 0.0;
    for step in progress {
        assert_eq!(step["params"]["progressToken"], "token-1");
        assert!(step["params"]["progress"].as_f64().unwrap() > last);
        last = step["params"]["progress"].as_f64().unwrap();
        assert!(step["params"]["message"].is_string());
    }
    // For a document of the client, too.
    let id = client.begin(
        "tools/call",
        json!({
            "name": "documents__add",
            "arguments": { "name": "a.csv", "text": "a,b\n1,2\n" },
            "_meta": { "progressToken": "token-2" },
        }),
    );
    let answer = client.answer(&json!(id));
    assert_eq!(answer["result"]["content"][1]["type"], "resource_link", "{answer}");
    let told: Vec<Value> = client.all_within(Duration::from_millis(300));
    assert!(told.iter().any(|it| it["params"]["message"] == "reading a.csv"), "{told:?}");
    // Without a progress token, no steps are reported.
    client.call("table_tool__describe", json!({ "data": [{ "a": 1 }] }));
    let told = client.all_within(Duration::from_millis(200));
    assert!(told.iter().all(|it| it["method"] != "notifications/progress"), "{told:?}");
}

/// The table grows until it takes long enough on this machine.
#[test]
fn rows_are_told_to_who_asks_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--folder", folder.path().to_str().unwrap()].map(str::to_owned);
    let mut client = Client::initialized(&args);
    let mut told_of = |name: &str, meta: Value| -> Vec<String> {
        let path = folder.path().join(name);
        let arguments = json!({ "path": path });
        let call = json!({ "name": "documents__add", "arguments": arguments, "_meta": meta });
        let id = client.begin("tools/call", call);
        let before = client.until_answer(&json!(id));
        let progress = before.iter().filter(|it| it["method"] == "notifications/progress");
        let messages = progress.map(|it| it["params"]["message"].as_str().unwrap_or_default());
        messages.filter(|message| message.ends_with(" rows")).map(str::to_owned).collect()
    };
    for rows in (0..7).map(|twice| 150_000_usize << twice) {
        let name = format!("{rows}.csv");
        let text = format!("n,name\n{}", "1,x\n".repeat(rows));
        std::fs::write(folder.path().join(&name), text).unwrap();
        let told = told_of(&name, json!({ "progressToken": name }));
        if let Some(first) = told.first() {
            let number = first.strip_prefix(&format!("reading {name}: ")).unwrap();
            assert!(number.starts_with(|c: char| c.is_ascii_digit()), "{first}");
            assert_eq!(told_of(&name, json!({})), [""; 0]);
            return;
        }
    }
    panic!("nothing is told");
}

#[test]
fn the_end_of_input_ends_the_program_after_the_answers() {
    let skill = spin();
    let mut client = Client::initialized(&small(skill.path()));
    let id = client.begin("tools/call", json!({ "name": "test_spin__run" }));
    let (code, rest, errors) = client.end();
    assert_eq!(code, Some(0), "{errors}");
    assert!(rest.iter().any(|it| it["id"] == id), "{rest:?}");
    // Logs to a pipe are JSON, for machines.
    for line in errors.lines() {
        serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_program_though_calls_run() {
    let skill = spin();
    let mut args = small(skill.path());
    args.extend(["--grace", "300ms"].map(str::to_owned));
    let mut client = Client::initialized(&args);
    client.call("test_spin__run", json!({}));
    client.begin("tools/call", json!({ "name": "test_spin__spin" }));
    std::thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    let status = std::process::Command::new("kill").arg(client.id().to_string()).status().unwrap();
    assert!(status.success());
    let (code, ..) = client.ended();
    assert_eq!(code, Some(0));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn what_is_not_there_is_told_to_the_operator_and_nothing_to_the_client() {
    for (args, told) in [
        (["--doc", "missing.xlsx"], "no document missing.xlsx"),
        (["--folder", "missing"], "no folder missing"),
        (["--skills", "missing"], "missing"),
    ] {
        let client = Client::start(&args.map(str::to_owned));
        let (code, said, errors) = client.ended();
        assert!(matches!(code, Some(3 | 8)), "{args:?}: {code:?}");
        assert!(said.is_empty(), "{said:?}");
        assert!(errors.contains(told) && errors.contains("hint: "), "{errors}");
    }
}

/// A user sees it in the conversation; the link is there as for every file. Clients that are not known to show pictures get
/// none.
#[test]
fn a_picture_is_content_of_the_result() {
    let data = json!([{ "a": "x", "b": 1 }, { "a": "y", "b": 2 }]);
    let mut unknown = Client::initialized(&[]);
    let answer = unknown.call("chart_tool__draw_chart", json!({ "data": data, "form": "bar" }));
    let content = answer["result"]["content"].as_array().unwrap();
    assert!(content.iter().all(|it| it["type"] != "image"), "{answer}");
    let mut client = Client::initialized(&["--images".into(), "always".into()]);
    let data = json!([{ "a": "x", "b": 1 }, { "a": "y", "b": 2 }]);
    let answer = client.call("chart_tool__draw_chart", json!({ "data": data, "form": "bar" }));
    let content = answer["result"]["content"].as_array().unwrap();
    let kinds: Vec<&str> = content.iter().map(|it| it["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "resource_link", "image"], "{answer}");
    assert_eq!(content[2]["mimeType"], "image/png");
    let picture = content[2]["data"].as_str().unwrap();
    assert!(picture.starts_with("iVBORw0KGgo") && picture.len() < 90_000, "{}", picture.len());
    let page = json!({ "markdown": "# A\n\ntext", "filename": "a.pdf", "preview": true });
    let answer = client.call("report__deliver", page);
    let kinds = answer["result"]["content"].as_array().unwrap().iter().map(|it| &it["type"]);
    let expected = ["text", "resource_link", "resource_link", "image"];
    assert_eq!(kinds.collect::<Vec<_>>(), expected, "{answer}");
    let files = &answer["result"]["structuredContent"]["files"];
    assert_eq!((&files[0]["name"], &files[0]["pages"]), (&json!("a.pdf"), &json!(1)), "{answer}");
    assert_eq!(files[1]["name"], "a-page-1.png");
    // Codex passes on only data if there is some, and would lose the picture.
    let mut codex = Client::start(&["--images".into(), "auto".into()]);
    codex.request(
        "initialize",
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "codex-mcp-client", "version": "1" } }),
    );
    let shown = codex.call("chart_tool__draw_chart", json!({ "data": data, "form": "bar" }));
    assert!(shown["result"]["structuredContent"].is_null(), "{shown}");
    assert!(shown["result"]["content"].to_string().contains("image/png"), "{shown}");
    let drawing = json!({ "data": data, "form": "bar", "filename": "a.svg" });
    let answer = client.call("chart_tool__draw_chart", drawing);
    assert_eq!(answer["result"]["content"].as_array().unwrap().len(), 2, "{answer}");
}
