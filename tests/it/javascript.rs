//! Scripts in JavaScript: tools, documents, numbers, approvals, kept variables, limits, the program, and what models are offered.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mitt::offer::ToolMode;
use mitt::{CacheDir, CallLimits, CallReport, Decision, ErrorKind, Host, Session, SessionOptions};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::script_approval::wiper;
use crate::support::{cache, command, kind, mitt, outcome, root, script, session, text};

mod batches;
mod scripts;

const CSV: &str = "Month,DAU,Id\nJan,1180.5,123456789012345678\nFeb,1210.25,2\n";

async fn with_table() -> Session {
    let session = session();
    session.add_document_bytes("a.csv", CSV.into()).await.unwrap();
    session
}

async fn run(session: &Session, code: &str) -> Value {
    outcome(session, "javascript", code).await
}

/// Returns the result of a script that succeeds.
async fn value(session: &Session, code: &str) -> Value {
    let done = run(session, code).await;
    assert_eq!(done["status"], "success", "{code}\n{done}");
    done["result"].clone()
}

#[tokio::test]
async fn tools_are_called_in_every_form_that_models_know() {
    let session = with_table().await;
    let by_name = "{ keys: [{ column: 'DAU', order: 'descending' }] }";
    for call in [
        format!("await tools.table_tool.sort(table, {by_name})"),
        "await tools.table_tool.sort({ data: table, keys: [{ column: 'DAU', order: 'descending' }] })".to_owned(),
        format!("await tools.tableTool.sort(table, {by_name})"),
        format!("await codemode.table_tool__sort({{ data: table, ...{by_name} }})"),
        format!("await mitt.call('table_tool__sort', {{ data: table, ...{by_name} }})"),
        format!("await require('table-tool').sort(table, {by_name})"),
        format!("await (await import('table-tool')).sort(table, {by_name})"),
    ] {
        let code = format!("const table = documents['a.csv'].tables[0];\nconst {{ data }} = {call};\ndata[0].Month");
        assert_eq!(value(&session, &code).await, "Feb", "{call}");
    }
    for import in [
        "import { sort } from 'table-tool'",
        "import * as t from 'table_tool'; const sort = t.sort",
        "import t from 'table-tool'; const { sort } = t",
    ] {
        let code = format!(
            "{import}\nconst made = await sort(documents['a.csv'].tables[0], {by_name});\nmade.data.length"
        );
        assert_eq!(value(&session, &code).await, 2, "{import}");
    }
    let all = "const t = documents['a.csv'].tables[0];\n\
        const all = await Promise.all(['DAU', 'Month'].map((column) => tools.table_tool.sort(t, { keys: [{ column }] })));\n\
        all.map((made) => made.data[0].Month)";
    assert_eq!(value(&session, all).await, json!(["Jan", "Feb"]));
    // The caller learns which calls there were.
    let done = run(&session, all).await;
    let tools: Vec<_> = done["calls"].as_array().unwrap().iter().map(|it| &it["tool"]).collect();
    assert_eq!(tools, ["table_tool__sort", "table_tool__sort"]);
}

#[tokio::test]
async fn a_failed_call_names_the_tool_and_the_line() {
    let session = with_table().await;
    let done = run(
        &session,
        "const a = 1;\nawait tools.table_tool.sort({ data: [{ n: 1 }], keys: [{ column: 'm' }] });",
    )
    .await;
    assert_eq!((&done["status"], &done["line"]), (&json!("error"), &json!(2)), "{done}");
    let message = done["error_message"].as_str().unwrap();
    assert!(
        message.contains("ToolError") && message.contains("line 2") && message.contains('^'),
        "{message}"
    );
    // A script may react to it.
    let code = "try { await tools.table_tool.sort({ data: [{ n: 1 }], keys: [{ column: 'm' }] }) }\n\
        catch (error) { [error instanceof ToolError, error.tool, typeof error.kind] }";
    assert_eq!(value(&session, code).await, json!([true, "table_tool__sort", "string"]));
    for (code, wanted) in [
        ("await tools.table_tool.srot({})", "sort"),
        ("await tools.tabel_tool.sort({})", "table_tool"),
        ("await tools.table_tool.sort({ dta: [] })", "data"),
        ("documents['b.csv']", "a.csv"),
        ("documents['a.csv'].tables[3].columns", "undefined"),
        ("documents['a.csv'].tables[0].column('DUA')", "DAU"),
    ] {
        let done = run(&session, code).await;
        let message = done["error_message"].as_str().unwrap_or_default();
        assert!(done["status"] == "error" && message.contains(wanted), "{code}: {done}");
    }
}

#[tokio::test]
async fn numbers_keep_their_digits() {
    let session = with_table().await;
    let code = "const [row] = documents['a.csv'].tables[0]; [row.Id, typeof row.Id, row.DAU, 0.1 + 0.2, 12345678901234567890n, 1e21]";
    let done = run(&session, code).await["result"].to_string();
    assert_eq!(
        done,
        r#"[123456789012345678,"bigint",1180.5,0.30000000000000004,12345678901234567890,1e+21]"#
    );
    let inputs = json!({ "big": 9_007_199_254_740_993_u64, "half": 0.1 });
    let report =
        session.run_script("javascript", "[typeof big, big, half]", inputs.as_object()).await;
    let done: Value = report.unwrap().result.unwrap().into();
    assert_eq!(done["result"].to_string(), r#"["bigint",9007199254740993,0.1]"#);
    // A table that is passed on stays in the host.
    let code = "const { data } = await tools.table_tool.select(documents['a.csv'].tables[0], { columns: ['Id'] }); data";
    assert!(value(&session, code).await.to_string().contains("123456789012345678"));
}

#[tokio::test]
async fn an_error_has_line_column_and_caret() {
    let done = run(&session(), "const 名 = 1;\nfunction f(x) {\n  return x.a.b;\n}\nf({});").await;
    assert_eq!((&done["error_kind"], &done["line"]), (&json!("TypeError"), &json!(3)), "{done}");
    let message = done["error_message"].as_str().unwrap();
    assert!(message.contains("return x.a.b;") && message.contains("line 5"), "{message}");
    for (code, line) in [("let a = ;", 1), ("1;\nlet a = [1, 2", 2), ("\n\n'a' 'b'", 3)] {
        let done = run(&session(), code).await;
        assert_eq!(
            (&done["error_kind"], &done["line"]),
            (&json!("SyntaxError"), &json!(line)),
            "{done}"
        );
    }
}

#[tokio::test]
async fn types_are_removed_and_what_is_more_than_a_type_is_refused() {
    let session = with_table().await;
    let code = "import { sort } from 'table-tool';\nimport type { Table as T } from 'mitt';\n\
        interface Row { Month: string; DAU?: number }\ntype Names = ReadonlyArray<string>;\n\
        const first = async <R extends Row>(table: Table, names: Names): Promise<R> => {\n\
          const { data } = await sort(table, { keys: names.map((column) => ({ column } as const)) });\n\
          return data[0] as unknown as R;\n};\n\
        const row = await first<Row>(documents['a.csv'].tables[0]!, ['DAU'] satisfies Names);\nrow.Month";
    assert_eq!(value(&session, code).await, "Jan");
    // An error has the place of the source.
    let done =
        run(&session, "type A = {\n  b: string;\n};\nconst a: A | null = null;\na!.b;").await;
    assert_eq!((&done["error_kind"], &done["line"]), (&json!("TypeError"), &json!(5)), "{done}");
    for (code, line, wanted) in [
        ("const a: number = 1;\nenum Color { Red, Green }", 2, "as const"),
        ("namespace N { export const a = 1 }\nconst b: N = 1", 1, "object"),
        ("class A { constructor(private b: string) {} }", 1, "this."),
    ] {
        let done = run(&session, code).await;
        let message = done["error_message"].as_str().unwrap_or_default();
        assert!(message.contains(wanted) && message.contains('^'), "{code}: {message}");
        assert_eq!((&done["error_kind"], &done["line"]), (&json!("SyntaxError"), &json!(line)));
    }
}

#[tokio::test]
async fn what_a_script_lacks_is_named_with_what_to_use() {
    for (code, wanted) in [
        ("await fetch('http://a.example')", "network"),
        ("require('fs').readFileSync('a')", "mitt.read"),
        ("import fs from 'node:fs'", "mitt.read"),
        ("process.argv", "mitt.arguments"),
        ("Buffer.from('a')", "Uint8Array"),
        ("new Intl.NumberFormat('de')", "zh"),
        ("require('xlsx')", "excel_tool"),
    ] {
        let done = run(&session(), code).await;
        let message = done["error_message"].as_str().unwrap_or_default();
        assert!(done["status"] == "error" && message.contains(wanted), "{code}: {done}");
    }
}

#[tokio::test]
async fn only_allowed_modules_can_be_used() {
    let session = with_table().await;
    let allowed =
        |code: &str| json!({ "code": code, "allowed_modules": ["table-tool"] }).to_string();
    let code = "(await tools.table_tool.describe(documents['a.csv'].tables[0])) !== null";
    let done: Value = session.call("javascript__run", &allowed(code)).await.result.unwrap().into();
    assert_eq!(done["result"], true, "{done}");
    for code in [
        "await tools.report.deliver({ markdown: '# x', filename: 'x.md' })",
        "import { deliver } from 'report'; await deliver({ markdown: '# x', filename: 'x.md' })",
        "await mitt.call('report__deliver', { markdown: '# x', filename: 'x.md' })",
    ] {
        let report = session.call("javascript__run", &allowed(code)).await;
        let done: Value = report.result.unwrap().into();
        assert_ne!(done["status"], "success", "{code}: {done}");
        assert!(report.artifacts.is_empty());
    }
}

fn answer(report: &CallReport) -> Value {
    report.result.as_ref().unwrap().clone().into()
}

#[tokio::test]
async fn a_script_pauses_before_a_destructive_tool_and_goes_on() {
    let skill = wiper();
    let host = Host::builder().cache(CacheDir::new(cache())).skills(skill.path()).build().unwrap();
    // With types too, which are removed again when the script is run again.
    for declared in [
        "const n = Number(await load('n') ?? 0);",
        "const n: number = Number(await load('n') ?? 0);",
    ] {
        let session = host.session(SessionOptions::default()).unwrap();
        let code = format!(
            "{declared}\n\
            await store('n', n + 1);\n\
            console.log(n, Math.random(), Date.now(), crypto.randomUUID());\n\
            await tools.report.deliver({{ markdown: '# x', filename: 'x.md' }});\n\
            await tools.wiper.run();\n\
            await load('n')"
        );
        let paused = script(&session, "javascript", &code).await;
        assert_eq!(*paused.script_error.as_ref().unwrap().kind(), ErrorKind::Paused);
        let before = answer(&paused)["stdout"].clone();
        assert!(before.as_str().unwrap().starts_with("0 "), "{before}");
        let request = paused.approval.unwrap();
        assert_eq!((&*request.tool, request.depth), ("wiper__run", 1));
        let resumed = session.resume(&request.id, Decision::Approve).await;
        let done = answer(&resumed);
        // The second run had the same files, clock and random numbers, and delivered nothing again.
        assert_eq!((&done["stdout"], &done["result"]), (&before, &json!(1)), "{done}");
        let entries = session.journal();
        let artifacts = entries.iter().filter(|entry| entry["kind"] == "artifact").count();
        assert_eq!(artifacts, 1);
        let denied = script(&session, "javascript", "await tools.wiper.run()").await;
        let decision = Decision::Deny("not today".to_owned());
        let denied = answer(&session.resume(&denied.approval.unwrap().id, decision).await);
        assert!(denied["error_message"].as_str().unwrap().contains("not today"), "{denied}");
    }
}

#[tokio::test]
async fn variables_stay_in_a_session_that_keeps_them() {
    let kept = async |session: &Session, code: &str| -> Value {
        let arguments = json!({ "code": code, "state": "session", "timeout_seconds": 3 });
        session.call("javascript__run", &arguments.to_string()).await.result.unwrap().into()
    };
    let session = session();
    kept(&session, "let x = [1]; const f = (y) => y + x.length; class A {}").await;
    kept(&session, "x.push(2)").await;
    assert_eq!(kept(&session, "[x, f(1)]").await["result"], json!([[1, 2], 3]));
    // A name may be declared again, and an exception does not change the others.
    assert_eq!(kept(&session, "const f = () => 7; f()").await["result"], 7);
    assert_eq!(kept(&session, "x.push(3); null.a").await["error_kind"], "TypeError");
    assert_eq!(kept(&session, "x").await["result"], json!([1, 2, 3]));
    // Neither other scripts nor other sessions see them.
    assert_eq!(run(&session, "typeof x").await["result"], "undefined");
    assert_eq!(kept(&crate::support::session(), "typeof x").await["result"], "undefined");
    session.add_document_bytes("a.csv", CSV.into()).await.unwrap();
    assert_eq!(kept(&session, "documents.names").await["result"], json!(["a.csv"]));
    let ended = kept(&session, "console.log('before'); for (;;) {}").await;
    assert_eq!((&ended["status"], &ended["stdout"]), (&json!("timeout"), &json!("before\n")));
    assert_eq!(kept(&session, "typeof x").await["result"], "undefined");
}

#[tokio::test]
async fn the_limits_of_a_script_hold() {
    let session = session();
    let arguments =
        json!({ "code": "console.log('before'); while (true) {}", "timeout_seconds": 1 });
    let report = session.call("javascript__run", &arguments.to_string()).await;
    assert!(report.script_error.as_ref().unwrap().limit_reached().is_some());
    assert_eq!(answer(&report)["stdout"], "before\n");
    let done = run(&session, "const a = []; for (;;) a.push(new Array(1e5).fill(a.length))").await;
    assert_ne!(done["status"], "success", "{done}");
    let done = run(&session, "for (let i = 0; i < 1e5; i++) console.log('x'.repeat(100)); 1").await;
    assert!(
        done["truncated"] == true && done["stdout"].as_str().unwrap().chars().count() <= 33_000
    );
    // Each call of a tool is counted.
    let code = "let n = 0; for (;; n++) await tools.table_tool.describe([{ n }])";
    let done = run(&session, code).await;
    assert!(done["status"] != "success" && done["calls"].as_array().unwrap().len() <= 1_000);
}

/// Scripts that do harm end with an answer, and the next script works.
#[tokio::test(flavor = "multi_thread")]
async fn every_hostile_script_in_javascript_ends() {
    let limits =
        CallLimits { fuel: 2_500_000_000, time: Duration::from_secs(20), ..CallLimits::script() };
    let host = Host::builder().cache(CacheDir::new(cache())).call_limits(limits).build().unwrap();
    let permits = Arc::new(Semaphore::new(2));
    let mut set = JoinSet::new();
    for code in include_str!("javascript/hostile.txt").lines().skip(1) {
        let (host, permits) = (host.clone(), permits.clone());
        set.spawn(async move {
            let _permit = permits.acquire().await.unwrap();
            let session = host.session(SessionOptions::default()).unwrap();
            let report = script(&session, "javascript", code).await;
            let done = answer(&report);
            let message = done["error_message"].as_str();
            assert!(
                done["status"] == "success" || message.is_some_and(|it| !it.is_empty()),
                "{code}: {done}"
            );
            assert_eq!(run(&session, "1 + 1").await["result"], 2, "{code}");
        });
    }
    assert!(set.len() > 25);
    set.join_all().await;
}

#[test]
fn the_story_works_in_javascript() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["2024年经营报告.xlsx", "2025年经营报告.docx"] {
        fs::copy(root().join("examples/yoy").join(name), folder.path().join(name)).unwrap();
    }
    fs::copy(root().join("tests/it/javascript/yoy.js"), folder.path().join("yoy.js")).unwrap();
    let args = [
        "exec",
        "yoy.js",
        "--doc",
        "2024年经营报告.xlsx",
        "--doc",
        "2025年经营报告.docx",
        "--json",
    ];
    let output = mitt(folder.path(), &args);
    let done: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    let result = &done["result"]["result"];
    assert_eq!(result.to_string(), r#"["11月","41.12%",0.225525,173410]"#, "{done}");
    let pdf = fs::read(folder.path().join("out/2024-2025年经营总结.pdf")).unwrap();
    let pdf = crate::render::pdf_text(&pdf);
    assert!(pdf.contains("38.47%") && pdf.contains("173,410.00"), "{pdf}");
    let book = fs::read(folder.path().join("out/2024-2025年经营对比.xlsx")).unwrap();
    let mut book =
        <calamine::Xlsx<_> as calamine::Reader<_>>::new(std::io::Cursor::new(book)).unwrap();
    let sheet = calamine::Reader::worksheet_range(&mut book, "按月对比").unwrap();
    assert_eq!(sheet.get_value((12, 6)), Some(&calamine::Data::Float(0.410_899)));
}

#[test]
fn the_program_takes_the_language_from_the_name_of_the_file_and_from_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["a.js", "a.mjs", "a.CJS"] {
        fs::write(at(name), "\u{feff}[1, 2].map((it) => it * 2).concat(mitt.arguments)").unwrap();
        let output = mitt(folder.path(), &["exec", name, "x"]);
        assert_eq!(text(&output.stdout).trim(), r#"[2,4,"x"]"#, "{}", text(&output.stderr));
    }
    let engine = |args: &[&str]| {
        let output = mitt(folder.path(), &[&["exec", "--engine", "javascript"], args].concat());
        (text(&output.stdout).trim().to_owned(), text(&output.stderr))
    };
    let (stdout, stderr) = engine(&["-c", "`${1 + 1}`"]);
    assert_eq!(stdout, "2", "{stderr}");
    for language in ["javascript", "js", "ts", "typescript"] {
        let code = "const a: number[] = [1, 2]; a.length as number";
        let output = mitt(folder.path(), &["exec", "--language", language, "-c", code]);
        assert_eq!(text(&output.stdout).trim(), "2", "{language}: {}", text(&output.stderr));
    }
    fs::write(at("a.ts"), "interface A { b: string }\nconst a: A = { b: 'c' };\na!.b").unwrap();
    assert_eq!(text(&mitt(folder.path(), &["exec", "a.ts"]).stdout).trim(), "c");
    // The name of a file goes before the engine.
    fs::write(at("a.py"), "print('py' if True else 1)").unwrap();
    assert_eq!(engine(&["a.py"]).0, "py");
    let mut piped = command(folder.path(), &["exec", "-", "--engine", "python-lite,javascript"]);
    piped.stdin(fs::File::open(at("a.py")).unwrap());
    assert_eq!(text(&piped.output().unwrap().stdout).trim(), "py");
    let wrong = mitt(folder.path(), &["exec", "-c", "1", "--engine", "cobol"]);
    assert!(!wrong.status.success() && text(&wrong.stderr).contains("cobol"));
}

/// The tools that a model sees first, by their names.
async fn shown(host: &Host) -> Vec<String> {
    let registry = host.registry();
    let tools = registry.tools().await;
    let shown = tools.iter().filter(|tool| ToolMode::Script.shows(tool));
    shown.map(|tool| tool.name.to_string()).filter(|name| name.ends_with("__run")).collect()
}

#[tokio::test]
async fn models_are_offered_the_languages_that_a_setting_names() {
    let host = |engines: &[&str]| {
        let host = Host::builder().cache(CacheDir::new(cache()));
        engines.iter().fold(host, |host, engine| host.script_engine(*engine)).build().unwrap()
    };
    assert_eq!(shown(&host(&[])).await, ["python__run"]);
    assert_eq!(shown(&host(&["javascript"])).await, ["javascript__run"]);
    assert_eq!(shown(&host(&["python", "javascript"])).await, ["javascript__run", "python__run"]);
    // Whatever is offered, each language runs.
    for engines in [&[][..], &["javascript"], &["python-lite"]] {
        let session = host(engines).session(SessionOptions::default()).unwrap();
        assert_eq!(run(&session, "1 + 1").await["result"], 2);
        assert_eq!(outcome(&session, "python-lite", "1 + 1").await["result"], 2);
        let report = session.call("javascript__run", r#"{"code": "1", "language": "cobol"}"#).await;
        assert_eq!(kind(&report), ErrorKind::Arguments);
    }
}

/// A run in which the model writes JavaScript: what it is sent, and what its script makes.
#[test]
fn a_run_with_the_engine_offers_and_runs_javascript() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), CSV).unwrap();
    let call = json!({ "calls": [{ "id": "1", "name": "javascript__run", "arguments": {
        "code": "await tools.report.deliver({ markdown: `# ${documents['a.csv'].tables[0].length}`, filename: 'x.md' })" } }] });
    let format = json!({ "format": "mitt-recording@1", "model": "recorded" });
    let model = format!("{format}\n{call}\n{}\n", json!({ "text": "Done." }));
    fs::write(folder.path().join("model.jsonl"), model).unwrap();
    let task =
        "schema: 1\ninstruction: Write it.\ndocuments: [a.csv]\nmodel: { replay: model.jsonl }\n";
    fs::write(folder.path().join("task.yaml"), task).unwrap();
    let args = ["run", ".", "--engine", "javascript"];
    let output = mitt(folder.path(), &args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(folder.path().join(Path::new("out/x.md"))).unwrap(), "# 2");
    assert!(text(&output.stderr).contains("javascript__run"), "{}", text(&output.stderr));
}

/// Returns a folder with the skill `my-rows`, which has only files for scripts.
fn skill_of_files(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("my-rows");
    let front = "---\nname: my-rows\ndescription: a test\n---\n";
    for (name, text) in [("SKILL.md", front)].iter().chain(files) {
        let path = skill.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[tokio::test]
async fn a_skill_ships_files_that_scripts_import() {
    let folder = skill_of_files(&[
        ("scripts/index.js", "export { double } from './rows';\nexport const ANSWER = 42;\n"),
        ("scripts/rows.ts", "export function double(x: number): number {\n  return 2 * x;\n}\n"),
        ("scripts/numbers.py", "def double(x):\n    return 3 * x\n"),
        ("scripts/rows.d.ts", "export declare function double(x: number): number;\n"),
    ]);
    let host = Host::builder().cache(CacheDir::new(cache())).skills(folder.path()).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let code = "import { ANSWER, double } from 'my-rows';\nimport { double as twice } from 'my-rows/rows.ts';\n\
        [ANSWER, double(1), twice(4), tools.my_rows.double(2)]";
    assert_eq!(value(&session, code).await, json!([42, 2, 8, 4]));
    // Scripts in each language find the files of theirs.
    let code = "from my_rows import numbers\nnumbers.double(1)";
    assert_eq!(outcome(&session, "python-lite", code).await["result"], 3);
    let noted: Vec<Value> =
        session.journal().iter().filter(|entry| entry["kind"] == "helpers").cloned().collect();
    assert_eq!(noted.len(), 2, "one for each engine: {noted:?}");
    assert_eq!(noted[0]["files"], 3);
}

#[test]
fn files_of_a_skill_need_an_approval_and_are_shown() {
    let folder = skill_of_files(&[("scripts/rows.js", "export const A = 1;\n")]);
    fs::write(folder.path().join("a.js"), "import { A } from 'my-rows/rows.js'; A").unwrap();
    let at = folder.path();
    let refused = mitt(at, &["exec", "a.js", "--skills", "."]);
    let stderr = text(&refused.stderr);
    assert!(
        !refused.status.success()
            && stderr.contains("is not approved for `JavaScript files in scripts`"),
        "{stderr}"
    );
    let shown = mitt(at, &["skill", "show", "my-rows", "--skills", ".", "--trust-skills"]);
    let stdout = text(&shown.stdout);
    assert!(stdout.contains("javascript  my-rows/rows.js  (20 bytes"), "{stdout}");
    let done = mitt(at, &["exec", "a.js", "--skills", ".", "--trust-skills"]);
    assert_eq!(text(&done.stdout).trim(), "1", "{}", text(&done.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_as_models_write_them_give_what_they_should() {
    let only = std::env::var("MITT_SCRIPTS").ok();
    let permits = Arc::new(Semaphore::new(2));
    let (mut problems, mut total) = (Vec::new(), 0);
    for (file, text) in scripts::FILES {
        let (mut set, mut faults) = (JoinSet::new(), 0);
        for script in scripts::Script::all(text) {
            let is_chosen = only.as_ref().is_some_and(|word| script.name.contains(word));
            if script.has_fault() && !is_chosen {
                faults += 1;
                continue;
            }
            if only.is_some() && !is_chosen {
                continue;
            }
            let permits = permits.clone();
            set.spawn(async move {
                let _permit = permits.acquire().await.unwrap();
                let answer = script.run().await;
                if is_chosen {
                    eprintln!("{}: {answer:#}", script.name);
                }
                script.problems(&answer)
            });
        }
        total += set.len() + faults;
        eprintln!("{file}: {} scripts run, {faults} skipped for a fault of the engine", set.len());
        problems.extend(set.join_all().await.into_iter().flatten());
    }
    assert!(problems.is_empty(), "{} of them:\n{}", problems.len(), problems.join("\n"));
    assert!(only.is_some() || total >= 300, "{total} scripts");
}
