//! Agents: what a read-only agent cannot do in a real engine, and agents on the command line.

use std::fs;
use std::path::Path;

use mitt::skill::ToolFilter;
use mitt::{CallReport, Session};
use serde_json::{Value, json};

use crate::models::{Server, run};
use crate::support::session;

/// Returns the error of a script; empty if there is none.
async fn script(session: &Session, code: &str) -> String {
    let report = session.run_script("python", code, None).await.unwrap();
    let CallReport { result, script_error, .. } = report;
    match (result, script_error) {
        (Err(error), _) | (_, Some(error)) => error.render(),
        (Ok(_), None) => String::new(),
    }
}

#[tokio::test]
async fn a_script_of_a_reader_changes_nothing() {
    let writer = session();
    let reader = writer.for_agent(ToolFilter::new().read_only());
    assert_eq!(script(&writer, "open('mine.txt', 'w').write('mine')").await, "");
    for (code, told) in [
        ("open('mine.txt', 'w').write('changed')", "for reading only"),
        ("open('new.txt', 'w').write('x')", "for reading only"),
        ("open('mine.txt', 'a').write('x')", "for reading only"),
        ("import os\nos.remove('mine.txt')", "for reading only"),
        ("import excel_tool", "excel_tool"),
        ("import report", "report"),
        ("import chart_tool\nchart_tool.draw_chart", "chart_tool"),
        ("import mitt_tools\nmitt_tools.call('report__deliver', '{}')", "mitt_tools"),
        ("print(open('mine.txt').read())", ""),
        ("import table_tool\ntable_tool.sort([{'a': 2}, {'a': 1}], [{'column': 'a'}])", ""),
    ] {
        let error = script(&reader, code).await;
        assert!(error.contains(told) && error.is_empty() == told.is_empty(), "{code}: {error}");
    }
    // Overlong output is not kept as a file.
    let long = "for _ in range(20000):\n    print('a line that is long enough')";
    assert_eq!(script(&reader, long).await, "");
    let report =
        reader.call("report__deliver", r##"{"markdown": "# a", "filename": "a.md"}"##).await;
    assert!(report.result.unwrap_err().render().contains("Unknown tool: report__deliver"));
    let files: Vec<_> = writer.deliver_workspace().into_iter().map(|(name, _)| name).collect();
    assert_eq!(files, ["mine.txt"]);
    assert_eq!(writer.artifact_content("mine.txt").unwrap(), b"mine");
    // The writer has lost nothing.
    assert_eq!(script(&writer, "import report\nopen('new.txt', 'w').write('x')").await, "");
}

#[tokio::test]
async fn variables_of_a_reader_are_its_own() {
    let writer = session();
    let reader = writer.for_agent(ToolFilter::new().read_only());
    let keep = async |session: &Session, code: &str| {
        let arguments = json!({ "code": code, "state": "session" }).to_string();
        let report = session.call("python__run", &arguments).await;
        report.result.unwrap().to_string()
    };
    keep(&writer, "secret = 'plum'\ndef total(x):\n    return sum(x)").await;
    let seen =
        keep(&reader, "print('secret' in globals())\ntotal = lambda x: open('stolen.txt', 'w')")
            .await;
    assert!(seen.contains("False"), "{seen}");
    let again = keep(&reader, "print(callable(total))").await;
    assert!(again.contains("True"), "{again}");
    let total = keep(&writer, "print(total([1, 2]))").await;
    assert!(total.contains('3'), "{total}");
    assert!(writer.deliver_workspace().is_empty());
}

fn agent(folder: &Path, name: &str, rest: &str) {
    let text =
        format!("---\nname: {name}\ndescription: The {name}.\n{rest}---\nYou are the {name}.\n");
    fs::write(folder.join(format!("{name}.md")), text).unwrap();
}

#[test]
fn agents_are_listed_with_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let agents = folder.path().join("agents");
    fs::create_dir(&agents).unwrap();
    agent(&agents, "explorer", "tools: Read, Nothing, table-tool\ncolor: red\n");
    agent(&agents, "searcher", "tools: WebSearch, WebFetch\n");
    fs::write(agents.join("wrong.md"), "---\nname: Wrong\n---\n").unwrap();
    let (code, stdout, stderr) = run(folder.path(), &["agents", "--agents", "agents", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let json: Value = serde_json::from_str(&stdout).unwrap();
    let names: Vec<_> = json["agents"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["explorer", "general-purpose"]);
    assert_eq!(json["agents"][0]["tools"], json!(["document-tool", "Nothing", "table-tool"]));
    let problems = json["problems"].to_string();
    for told in [
        "wrong.md:2: name: expected 1 to 64",
        "no instructions",
        "there is no tool or skill `Nothing`",
        "searcher.md: left out: it has only tools of another program",
    ] {
        assert!(problems.contains(told), "{told}: {problems}");
    }
    let notes = json["notes"].to_string();
    assert!(notes.contains("takes the place of that of built in"), "{notes}");
    assert!(notes.contains("`color` has no effect here"), "{notes}");
    assert!(notes.contains("`document-tool` takes the place of `Read`"), "{notes}");
    // No agents are offered by default.
    let (_, stdout, stderr) = run(folder.path(), &["agents"]);
    assert!(stdout.contains("explorer") && stdout.contains("reads only; all tools"), "{stdout}");
    assert!(stderr.contains("`--agents built-in`"), "{stderr}");
    // A project names its folder.
    fs::write(folder.path().join("mitt.toml"), "agents = [\"agents\"]\n").unwrap();
    let (_, stdout, _) = run(folder.path(), &["agents", "--json"]);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&json["offered"], &json["agents"][0]["read_only"]), (&json!(true), &json!(false)));
    fs::remove_file(folder.path().join("mitt.toml")).unwrap();
    // The folder beside its settings counts too.
    fs::write(folder.path().join("mitt.toml"), "").unwrap();
    fs::create_dir(folder.path().join(".mitt")).unwrap();
    fs::rename(agents, folder.path().join(".mitt/agents")).unwrap();
    let (_, stdout, _) = run(folder.path(), &["agents", "--json"]);
    assert!(stdout.contains(".mitt"), "{stdout}");
    let (code, _, stderr) = run(folder.path(), &["agents", "--agents", "gone"]);
    assert_eq!(
        (code, stderr.contains("cannot read the folder of agents gone")),
        (8, true),
        "{stderr}"
    );
}

#[test]
fn a_run_gives_a_task_shows_who_works_and_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sales.csv"), "month,revenue\nJanuary,12\n").unwrap();
    let call = |name: &str, arguments: Value| json!({ "calls": [{ "id": "c", "name": name, "arguments": arguments.to_string() }] });
    let explore =
        json!({ "agent": "explorer", "task": "What is the revenue?", "inputs": ["sales.csv"] });
    let server = Server::start(vec![
        call("delegate", explore),
        call("document_tool__read_table", json!({ "name": "sales.csv" })),
        json!({ "text": "January: 12." }),
        json!({ "text": "It was 12." }),
    ]);
    let args = [
        "run",
        "-m",
        &server.model(),
        "--agents",
        "built-in",
        "--tools",
        "all",
        "-d",
        "sales.csv",
        "What was the revenue?",
    ];
    let (code, stdout, stderr) = run(folder.path(), &args);
    assert_eq!((code, stdout.trim()), (0, "It was 12."), "{stderr}");
    assert!(stderr.contains("agents: explorer, general-purpose"), "{stderr}");
    assert!(stderr.contains("agent   explorer 1 begins: What is the revenue?"), "{stderr}");
    assert!(stderr.contains("call    explorer 1 | document_tool__read_table"), "{stderr}");
    assert!(stderr.contains("agent   explorer 1 done  (2 turns"), "{stderr}");
    let tools = |index: usize| server.body(index)["tools"].to_string();
    assert!(tools(0).contains("delegate") && tools(0).contains("excel_tool__create_excel"));
    assert!(!tools(1).contains("delegate") && !tools(1).contains("excel_tool__create_excel"));
    let told = server.body(3).to_string();
    assert!(told.contains(r#"\"summary\":\"January: 12.\""#), "{told}");
    let (code, stdout, stderr) = run(folder.path(), &["replay", "last"]);
    assert_eq!(
        (code, stdout.contains("1 call made again, 1 without a result")),
        (0, true),
        "{stdout}{stderr}"
    );
}

#[test]
fn a_run_that_is_resumed_has_the_agents_that_it_was_started_with() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(Vec::new());
    let args = ["run", "-m", &server.model(), "--agents", "built-in", "What was the revenue?"];
    let (code, _, stderr) = run(folder.path(), &args);
    assert_ne!(code, 0, "{stderr}");
    let server = Server::start(vec![json!({ "text": "It was 12." })]);
    let model = server.model();
    let (code, stdout, stderr) = run(folder.path(), &["run", "-m", &model, "--resume"]);
    assert_eq!((code, stdout.trim()), (0, "It was 12."), "{stderr}");
    assert!(stderr.contains("agents: explorer, general-purpose"), "{stderr}");
    assert!(server.body(0)["tools"].to_string().contains("delegate"));
}

/// Another model than that of the run may be asked before a start, or none.
#[test]
fn who_is_asked_before_something_is_started_can_be_said() {
    let folder = tempfile::tempdir().unwrap();
    let call = |name: &str, arguments: Value| json!({ "calls": [{ "id": "c", "name": name, "arguments": arguments.to_string() }] });
    let work = json!({ "agent": "general-purpose", "task": "Write a report" });
    let answers = || {
        vec![
            call("delegate", work.clone()),
            json!({ "text": "It is written." }),
            json!({ "text": "Done." }),
        ]
    };
    let no = r#"{"needs_data_operation": false, "reason": "a question"}"#;
    let ask = |server: &Server, options: &[&str]| {
        let model = server.model();
        let args = ["run", "-m", &model, "--agents", "built-in", "--tools", "all"];
        let said = ["python excel"];
        run(folder.path(), &[&args[..], options, &said].concat())
    };
    // Another model is asked, and says no.
    let (server, small) = (Server::start(answers()), Server::start(vec![json!({ "text": no })]));
    let (_, _, stderr) = ask(&server, &["--guardrail-model", &small.model()]);
    assert!(small.body(0).to_string().contains("needs_data_operation"), "{stderr}");
    let told = server.body(1).to_string();
    assert!(told.contains("the guardrail says"), "{told}");
    // Not asked at all: the agent begins.
    let server = Server::start(answers());
    let (code, stdout, stderr) = ask(&server, &["--guardrail", "off"]);
    assert_eq!((code, stdout.trim()), (0, "Done."), "{stderr}");
    for (options, problem) in [
        (&["--guardrail", "sometimes"][..], "expected one of off, blocking, parallel"),
        (&["--guardrail-model", "nobody/x"], "--guardrail-model"),
    ] {
        let (code, _, stderr) = ask(&server, options);
        assert!(code != 0 && stderr.contains(problem), "{problem}: {stderr}");
    }
}
