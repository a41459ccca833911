//! `--tools`: shorter lists for clients, which can call all tools anyway.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, small, text_of};
use crate::support::TestSkill;

/// 3 000 tokens, at about four bytes of JSON each.
const SHORT: usize = 12_000;

/// Long enough for unsolicited messages.
const QUIET: Duration = Duration::from_millis(500);

const TWO: &str = r#"(component
    (core module $m
        (func (export "run") (result i32) i32.const 7)
        (func (export "spin") (loop (br 0))))
    (core instance $i (instantiate $m))
    (func (export "wipe") (result u32) (canon lift (core func $i "run")))
    (func (export "spin") (canon lift (core func $i "spin"))))"#;

fn two() -> TestSkill {
    TestSkill::new(
        "test-wipe",
        TWO,
        "grants: [workspace]\nlimits: { time: 60s, fuel: 100000000000 }\ntools: [{name: wipe, title: Wipe it, destructive: true}]",
    )
}

fn with(mode: &str, args: Vec<String>) -> Vec<String> {
    [vec!["--tools".to_owned(), mode.to_owned()], args].concat()
}

fn listed(client: &mut Client) -> Vec<Value> {
    let answer = client.request("tools/list", json!({}));
    answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn named<'t>(tools: &'t [Value], name: &str) -> &'t Value {
    tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn scripts_are_one_tool_with_a_line_for_each_function() {
    let mut client = Client::initialized(&with("script", vec![]));
    let tools = listed(&mut client);
    assert_eq!(names(&tools), ["documents__add", "python__run"]);
    let size = json!(tools).to_string().len();
    assert!((4_000..SHORT).contains(&size), "{size}");
    let description = named(&tools, "python__run")["description"].as_str().unwrap();
    for line in [
        "\n- growth(data, columns, order_by?",
        "\nsql_tool:\n- query(sql, tables?)",
        "\nreport:\n- deliver(markdown, filename",
    ] {
        assert!(description.contains(line), "{line}: {description}");
    }
    // Some clients cut descriptions.
    let beginning = &description[..2_000];
    assert!(
        beginning.contains("report, sheet_tool, sql_tool, table_tool, word_tool"),
        "{beginning}"
    );
    assert!(!description.contains("documents.add"), "scripts cannot call it");

    let script = |code: &str| json!({ "code": code });
    let answer = client.call("python__run", script("import table_tool\nhelp(table_tool.growth)"));
    let said = answer["result"]["structuredContent"]["stdout"].as_str().unwrap();
    assert!(said.contains("growth(") && said.contains("data"), "{said}");
    let answer = client.call("python__run", script("import table_tool\nhelp(table_tool.sort)"));
    let said = answer["result"]["structuredContent"]["stdout"].as_str().unwrap();
    assert!(said.contains("= {column: string"), "records have their fields: {said}");
    let code =
        "import table_tool\ntable_tool.sort([{'x': 2}, {'x': 1}], [{'column': 'x'}]).data.rows";
    let answer = client.call("python__run", script(code));
    assert_eq!(answer["result"]["structuredContent"]["result"], json!([[1], [2]]), "{answer}");
    // Tools that are not listed are not refused.
    let answer = client.call("document_tool__list_documents", json!({}));
    assert_eq!(answer["result"]["structuredContent"], json!({ "result": [] }), "{answer}");
    // Prompts refer to the tool as well.
    let prompt = client.request("prompts/get", json!({ "name": "sql-tool" }));
    let prompt = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(prompt.contains("for scripts of `python__run`: `sql_tool.query`."), "{prompt}");
    // This mode has no tools for activation.
    for tool in ["open_skill", "call_tool"] {
        assert_eq!(client.call(tool, json!({ "skill": "report" }))["error"]["code"], -32602);
    }
}

#[test]
fn what_is_to_be_approved_stands_beside_the_scripts() {
    let skill = two();
    let folder = skill.path().display().to_string();
    let args = ["--trust-skills", "--skills", &folder].map(str::to_owned);
    let mut client = Client::initialized(&with("script", args.into()));
    let tools = listed(&mut client);
    assert_eq!(names(&tools), ["documents__add", "python__run", "test_wipe__wipe"]);
    assert_eq!(named(&tools, "test_wipe__wipe")["annotations"]["destructiveHint"], true);
}

#[test]
fn without_python_all_tools_are_shown_and_the_operator_is_told() {
    let skill = two();
    let mut client = Client::initialized(&with("script", small(skill.path())));
    assert_eq!(
        names(&listed(&mut client)),
        ["documents__add", "test_wipe__spin", "test_wipe__wipe"]
    );
    let (_, _, errors) = client.end();
    assert!(errors.contains("no language for scripts: clients are shown all tools"), "{errors}");
}

#[test]
fn a_skill_brings_its_tools_to_the_end_of_the_list() {
    let mut client = Client::initialized(&with("catalogue", vec![]));
    let first = listed(&mut client);
    assert_eq!(names(&first), ["open_skill", "call_tool", "documents__add"]);
    let size = json!(first).to_string().len();
    assert!((2_000..SHORT).contains(&size), "{size}");
    let activate = named(&first, "open_skill");
    let offered = activate["inputSchema"]["properties"]["skill"]["enum"].as_array().unwrap();
    for skill in ["table-tool", "sql-tool", "python", "report"] {
        assert!(offered.contains(&json!(skill)), "{offered:?}");
        let line = format!("\n- {skill}: ");
        assert!(activate["description"].as_str().unwrap().contains(&line), "{activate}");
    }
    assert!(!offered.contains(&json!("reader-office")), "readers work by themselves");
    assert_eq!(activate["annotations"]["readOnlyHint"], true);
    assert_eq!(named(&first, "call_tool")["annotations"]["readOnlyHint"], false);
    assert_eq!(named(&first, "call_tool")["annotations"]["destructiveHint"], false);

    // The notification comes before the answer, which describes the parameters for clients that do not list again.
    let call = |skill: &str| json!({ "name": "open_skill", "arguments": { "skill": skill } });
    let id = client.begin("tools/call", call("sql_tool"));
    let before = client.until_answer(&json!(id));
    let told = |messages: &[Value]| {
        messages.iter().filter(|it| it["method"] == "notifications/tools/list_changed").count()
    };
    assert_eq!(told(&before), 1, "{before:?}");
    let second = listed(&mut client);
    assert_eq!(names(&second), ["open_skill", "call_tool", "documents__add", "sql_tool__query"]);
    assert_eq!(second[..3], first[..], "what a service has cached stays as it was");

    let id = client.begin("tools/call", call("report"));
    client.answer(&json!(id));
    let third = listed(&mut client);
    assert_eq!(
        names(&third)[3..],
        ["sql_tool__query", "report__convert_document", "report__deliver"]
    );
    assert_eq!(third[..4], second[..]);
    client.all_within(QUIET);
    let answer = client.request("tools/call", call("report"));
    let text = text_of(&answer);
    for part in [
        "with `call_tool` (name, arguments)",
        "- report__deliver: ",
        "\n  - markdown: string // ",
        // The instructions, without their front matter.
        "\n# ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("\nname: report"), "{text}");
    assert_eq!(told(&client.all_within(QUIET)), 0, "nothing has changed");

    for (arguments, problem) in [
        (json!({ "skill": "sql-tol" }), "no skill `sql-tol`; there are: chart-tool, deck-tool, "),
        (json!({ "skill": "reader-office" }), "no skill `reader-office`; there are: "),
        (json!({}), "missing field `skill`"),
        (json!({ "skill": "report", "more": 1 }), "unknown field `more`"),
    ] {
        let answer = client.call("open_skill", arguments);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(text_of(&answer).contains(problem), "{answer}");
        assert_eq!(answer["result"]["_meta"]["mitt/error"]["kind"], "arguments");
    }
    assert_eq!(listed(&mut client), third);
    // Another client has activated nothing.
    assert_eq!(listed(&mut Client::initialized(&with("catalogue", vec![]))), first);
}

/// Parameters and instructions of each skill fit into an answer.
#[test]
fn every_bundled_skill_is_told_whole() {
    let mut client = Client::initialized(&with("catalogue", vec![]));
    let tools = listed(&mut client);
    let skills = named(&tools, "open_skill")["inputSchema"]["properties"]["skill"]["enum"].clone();
    for skill in skills.as_array().unwrap() {
        let answer = client.call("open_skill", json!({ "skill": skill }));
        let text = text_of(&answer);
        assert!(text.len() < 20_000, "{skill}: {}", text.len());
        for wrong in ["Too long", "TRUNCATED"] {
            assert!(!text.contains(wrong), "{skill}: {text}");
        }
    }
    let mut all = listed(&mut Client::initialized(&[]));
    let mut brought = listed(&mut client).split_off(3);
    for tool in &mut all {
        tool.as_object_mut().unwrap().remove("outputSchema");
    }
    let mut hidden: Vec<Value> =
        all.into_iter().filter(|it| it["name"] != "documents__add").collect();
    let by_name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    brought.sort_by_key(by_name);
    hidden.sort_by_key(by_name);
    assert_eq!(brought, hidden);
}

#[test]
fn a_tool_that_is_not_listed_is_called_by_its_name_or_through_another() {
    let mut client = Client::initialized(&with("catalogue", vec![]));
    let mut through = |tool: &str, arguments: Value| {
        client.call("call_tool", json!({ "name": tool, "arguments": arguments }))
    };
    let rows = |answer: &Value| answer["result"]["structuredContent"]["data"]["rows"].clone();
    let arguments = json!({ "data": [{ "x": 2 }, { "x": 1 }], "keys": [{ "column": "x" }] });
    let answer = through("table_tool__sort", arguments.clone());
    assert_eq!(rows(&answer), json!([[1], [2]]), "{answer}");
    // Models whose decoders do not support open objects write a string.
    let answer = through("table_tool__sort", arguments.to_string().into());
    assert_eq!(rows(&answer), json!([[1], [2]]), "{answer}");
    let answer = through("documents__add", json!({ "name": "a.csv", "text": "a\n1\n" }));
    assert_eq!(answer["result"]["content"][1]["type"], "resource_link", "{answer}");
    // The model can fix everything that is wrong, and nothing is an error of the protocol.
    for (tool, arguments, problem) in [
        ("table_tool__srt", json!({}), "did you mean `table_tool__sort`"),
        ("call_tool", json!({}), "Unknown tool: call_tool"),
        ("table_tool__sort", json!({ "dat": [] }), "did you mean `data`?"),
        ("table_tool__sort", json!([]), "expected an object"),
        ("table_tool__sort", json!("nothing"), "arguments"),
    ] {
        let answer = through(tool, arguments);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(text_of(&answer).contains(problem), "{problem}: {answer}");
    }
    let answer = through("open_skill", json!({ "skill": "report" }));
    assert!(text_of(&answer).contains("- report__deliver: "), "{answer}");
    let answer = client.call("call_tool", json!({ "name": "report__deliver", "markdown": "# A" }));
    assert!(text_of(&answer).contains("unknown field `markdown`"), "{answer}");
    assert_eq!(rows(&client.call("table_tool__sort", arguments)), json!([[1], [2]]));
    // Digits that no `f64` can hold arrive, and duplicate keys are not dropped silently.
    client.raw(
        br#"{"jsonrpc":"2.0","id":"exact","method":"tools/call","params":{"name":"call_tool","arguments":{"name":"table_tool__sort","arguments":{"data":[{"x":2.00000000000000000001},{"x":1.5}],"keys":[{"column":"x"}]}}}}
{"jsonrpc":"2.0","id":"twice","method":"tools/call","params":{"name":"call_tool","arguments":{"name":"report__deliver","arguments":{"markdown":"a","markdown":"b"}}}}
"#,
    );
    let answer = client.answer(&json!("exact"));
    assert!(text_of(&answer).contains("[2.00000000000000000001]"), "{answer}");
    let answer = client.answer(&json!("twice"));
    assert!(text_of(&answer).contains("the key appears twice"), "{answer}");
}

#[test]
fn calls_through_another_tool_tell_their_steps_and_are_cancelled() {
    let mut client = Client::initialized(&with("catalogue", vec![]));
    let id = client.begin(
        "tools/call",
        json!({
            "name": "call_tool",
            "arguments": { "name": "report__deliver", "arguments": { "markdown": "# A", "filename": "a.md" } },
            "_meta": { "progressToken": "steps" },
        }),
    );
    let before = client.until_answer(&json!(id));
    assert!(
        before.iter().any(|it| it["params"]["message"] == "delivered a.md"
            && it["params"]["progressToken"] == "steps"),
        "{before:?}"
    );

    let skill = two();
    let mut client = Client::initialized(&with("catalogue", small(skill.path())));
    let spin = json!({ "name": "call_tool", "arguments": { "name": "test_wipe__spin" } });
    // They fill every place, and cancelling them frees all.
    let calls: Vec<u64> = (0..16).map(|_| client.begin("tools/call", spin.clone())).collect();
    std::thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    for id in &calls {
        client.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
        }));
    }
    let answer = client.call("test_wipe__wipe", json!({}));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[test]
fn a_call_through_another_tool_is_approved_as_itself() {
    let skill = two();
    let args = with("catalogue", small(skill.path()));
    let wipe = || json!({ "name": "call_tool", "arguments": { "name": "test_wipe__wipe" } });
    let yes = || json!({ "action": "accept", "content": { "approve": true } });

    let mut client = Client::initialized_with(&args, json!({ "elicitation": {} }));
    assert_eq!(named(&listed(&mut client), "call_tool")["annotations"]["destructiveHint"], true);
    for (reply, is_error) in [(yes(), false), (json!({ "action": "decline" }), true)] {
        let id = client.begin("tools/call", wipe());
        let question = client.told("elicitation/create");
        let message = question["params"]["message"].as_str().unwrap();
        assert!(message.contains("`test_wipe__wipe` (Wipe it)"), "{message}");
        client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": reply }));
        let answer = client.answer(&json!(id));
        assert_eq!(answer["result"]["isError"], is_error, "{answer}");
    }

    // In 2026-07-28 it is made again, and the answer is valid for no other call.
    let mut client = Client::start(&args);
    let mut call = |params: Value| {
        client.modern_with("tools/call", params, json!({ "elicitation": { "form": {} } }))
    };
    let asked = call(wipe());
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let again = |mut params: Value| {
        params["requestState"] = asked["result"]["requestState"].clone();
        params["inputResponses"] = json!({ "approval": yes() });
        params
    };
    let mut other = wipe();
    other["arguments"]["name"] = json!("test_wipe__spin");
    assert_eq!(call(again(other))["error"]["code"], -32602);
    let answer = call(again(wipe()));
    assert_eq!(answer["result"]["structuredContent"], json!({ "result": 7 }), "{answer}");
}

#[test]
fn requests_without_a_handshake_see_what_they_activated() {
    let skill = two();
    let mut client = Client::start(&with("catalogue", small(skill.path())));
    let list = |client: &mut Client| client.modern("tools/list", json!({}))["result"].clone();
    let first = list(&mut client);
    assert_eq!(first["tools"].as_array().unwrap().len(), 3, "{first}");
    // The next call can change the list.
    assert_eq!(first["ttlMs"], 0, "{first}");
    let stream = client.begin_modern(
        "subscriptions/listen",
        json!({ "notifications": { "toolsListChanged": true } }),
    );
    client.told("notifications/subscriptions/acknowledged");
    let activate = json!({ "name": "open_skill", "arguments": { "skill": "test-wipe" } });
    let answer = client.modern("tools/call", activate);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let changed = client.told("notifications/tools/list_changed");
    assert_eq!(changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], json!(stream));
    let second = list(&mut client);
    assert_eq!(
        names(second["tools"].as_array().unwrap())[3..],
        ["test_wipe__spin", "test_wipe__wipe"]
    );
}

/// The result of a script has what a model can use; measurements and defaults are left out if no schema requires them.
#[test]
fn results_of_scripts_are_short_where_their_schema_is_not_listed() {
    let arguments = json!({ "code": "import report\nreport.deliver('# A', 'a.md')\n1 + 1" });
    let mut client = Client::initialized(&with("script", vec![]));
    let answer = client.call("python__run", arguments.clone());
    let data = &answer["result"]["structuredContent"];
    let keys: Vec<_> = data.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["files", "status", "result"], "{answer}");
    let failed = client
        .call("python__run", json!({ "code": "import report\nreport.deliver('# A', 'a/b.md')" }));
    assert!(text_of(&failed).contains("\"calls\""), "{failed}");
    let mut client = Client::initialized(&with("all", vec![]));
    let answer = client.call("python__run", arguments);
    assert!(answer["result"]["structuredContent"]["fuel_used"].is_number(), "{answer}");
}

/// Codex removes all descriptions from a schema of more than 5 000 bytes.
#[test]
fn every_schema_is_small_enough_for_codex() {
    for mode in ["all", "script", "catalogue"] {
        let mut client = Client::initialized(&with(mode, vec![]));
        for tool in listed(&mut client) {
            let size = tool["inputSchema"].to_string().len();
            assert!(size <= 5_000, "{}: {size} bytes", tool["name"]);
        }
    }
}

/// The sizes in the documentation are those of the lists.
#[test]
fn the_documentation_names_the_sizes_of_the_lists() {
    let page = std::fs::read_to_string(crate::support::root().join("docs/mcp.md")).unwrap();
    let size = |mode: &str| {
        let mut client = Client::initialized(&with(mode, vec![]));
        let tools = listed(&mut client);
        let whole = json!(tools).to_string().len();
        let short: Vec<Value> = tools
            .into_iter()
            .map(|mut tool| {
                tool.as_object_mut().unwrap().remove("outputSchema");
                tool
            })
            .collect();
        [whole, json!(short).to_string().len()]
    };
    for mode in ["all", "script", "catalogue"] {
        let line = page.lines().find(|line| line.starts_with(&format!("| `{mode}`"))).unwrap();
        let [whole, short] = size(mode);
        let kilobytes = |text: &str| {
            let number = text.split(" kB").next().unwrap().rsplit(' ').next().unwrap();
            number.parse::<f64>().unwrap_or_else(|_| panic!("{line}")) * 1_000.0
        };
        let said = kilobytes(line);
        let is_near = |said: f64, real: usize| (said / real as f64 - 1.0).abs() < 0.05;
        assert!(is_near(said, whole), "{mode}: {whole} bytes: {line}");
        if mode == "all" {
            let (_, rest) = line.split_once("without the schemas of results").unwrap();
            assert!(is_near(kilobytes(rest), short), "{mode}: {short} bytes: {line}");
        }
    }
}
