//! Memory that a caller makes the host keep: documents, kept scripts, bodies, journals. All of it is charged to an account.

use std::fmt::Write as _;

use mitt::{
    CacheDir, CallLimits, ErrorKind, Host, HostBuilder, MemoryLimits, Resource, Session,
    SessionLimits, SessionOptions,
};
use serde_json::{Value, json};

use super::module;
use crate::handles::components::COUNTERS;
use crate::support::{TestSkill, cache, call, host, kind, root};

const MIB: u64 = 1024 * 1024;

fn builder() -> HostBuilder {
    Host::builder().cache(CacheDir::new(cache()))
}

fn of(host: &Host, tenant: &str) -> Session {
    let tenant = Some(tenant.to_owned());
    host.session(SessionOptions { tenant, ..SessionOptions::default() }).unwrap()
}

/// Returns the limit of an error.
#[track_caller]
fn limit<T: std::fmt::Debug>(result: Result<T, mitt::Error>) -> mitt::Limit {
    let error = result.expect_err("expected a limit");
    error.limit_reached().cloned().unwrap_or_else(|| panic!("{error:?}"))
}

// Documents.

/// Small files that take much memory: many one-character cells; one text in many cells; wide tables; many small tables.
fn bombs() -> Vec<(&'static str, Vec<u8>)> {
    let narrow = "x,y\n".repeat(60_000);
    let empty =
        format!("a{0}b\n{1}", ",".repeat(99), format!("1{}2\n", ",".repeat(99)).repeat(2_000));
    // A line of more than 16 384 values is refused by name.
    let wide = format!("{}\n{}\n", vec!["c"; 16_000].join(","), vec!["7"; 16_000].join(","));
    let mut tables = String::new();
    for number in 0..8_000 {
        let _ = write!(tables, "# {number}\n\n|a|b|\n|-|-|\n|1|2|\n\n");
    }
    vec![
        ("narrow.csv", narrow.into()),
        ("empty.csv", empty.into()),
        ("wide.csv", wide.into()),
        ("tables.md", tables.into()),
    ]
}

#[tokio::test]
async fn documents_are_charged_what_they_keep_not_the_size_of_the_file() {
    for (name, bytes) in bombs() {
        let session = of(&builder().build().unwrap(), "a");
        let size = bytes.len() as u64;
        let before = session.memory().used;
        session.add_document_bytes(name, bytes.clone()).await.unwrap();
        let kept = session.memory().used - before;
        assert!(kept > 2 * size, "{name}: {size} bytes keep {kept}");
        // As many as fit, and no more; a refused document keeps no memory.
        let limits =
            SessionLimits { documents_bytes: 3 * kept + kept / 2, ..SessionLimits::default() };
        let host = builder().session_limits(limits).build().unwrap();
        let session = of(&host, "a");
        for _ in 0..3 {
            session.add_document_bytes(name, bytes.clone()).await.unwrap();
        }
        let used = session.memory().used;
        let reached = limit(session.add_document_bytes(name, bytes.clone()).await);
        assert_eq!((reached.what, session.documents().len()), (Resource::Documents, 3), "{name}");
        assert!(reached.used > reached.limit && session.memory().used < used + 10_000, "{name}");
        drop(session);
        assert_eq!(host.memory().used, 0, "{name}");
    }
}

#[tokio::test]
async fn a_workbook_that_repeats_one_text_keeps_it_once() {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for row in 0..2_000 {
        for column in 0..20 {
            sheet
                .write(row, column, format!("the same long text in many cells {}", row % 2))
                .unwrap();
        }
    }
    let bytes = book.save_to_buffer().unwrap();
    let session = of(&host(), "a");
    let before = session.memory().used;
    let document = session.add_document_bytes("a.xlsx", bytes).await.unwrap();
    let kept = session.memory().used - before;
    let cells = document.tables[0].data.cell_count() as u64;
    // An index of a text for each cell, and the Markdown; separate texts would take 40 bytes more each.
    assert!((cells * 4..cells * 8 + 800_000).contains(&kept), "{kept} bytes for {cells} cells");
}

#[tokio::test]
async fn documents_are_counted() {
    let limits = SessionLimits { documents: 5, ..SessionLimits::default() };
    let session = of(&builder().session_limits(limits).build().unwrap(), "a");
    for _ in 0..5 {
        session.add_document_bytes("same.txt", "x".into()).await.unwrap();
    }
    let reached = limit(session.add_document_bytes("same.txt", "x".into()).await);
    assert_eq!((reached.what, reached.limit, reached.used), (Resource::DocumentFiles, 5, 6));
    // A document that could not be read takes no place.
    let limits = SessionLimits { documents: 1, ..SessionLimits::default() };
    let session = of(&builder().session_limits(limits).build().unwrap(), "a");
    for _ in 0..3 {
        assert!(session.add_document_bytes("empty.txt", Vec::new()).await.is_err());
    }
    session.add_document_bytes("a.txt", "x".into()).await.unwrap();
}

#[tokio::test]
async fn a_document_does_not_fit_a_session_a_tenant_or_a_host_that_is_full() {
    let bytes = || "1,2,3,4\n".repeat(40_000).into_bytes();
    let limits = |per_session, per_tenant, host| MemoryLimits {
        per_call: 64 * MIB,
        per_session,
        per_tenant,
        host,
    };
    let filled = async |memory: MemoryLimits, tenants: &[&str]| {
        let host = builder().memory(memory).build().unwrap();
        let sessions: Vec<Session> = tenants.iter().map(|tenant| of(&host, tenant)).collect();
        for number in 0..100 {
            let session = &sessions[number % sessions.len()];
            if let Err(error) = session.add_document_bytes("a.csv", bytes()).await {
                assert!(host.memory().used <= host.memory_limits().host);
                return error;
            }
        }
        panic!("a hundred documents fit");
    };
    let error = filled(limits(48 * MIB, 500 * MIB, 500 * MIB), &["a"]).await;
    assert_eq!(error.limit_reached().unwrap().what, Resource::SessionMemory);
    let error = filled(limits(48 * MIB, 60 * MIB, 500 * MIB), &["a", "a", "a"]).await;
    assert_eq!(error.limit_reached().unwrap().what, Resource::TenantMemory);
    // The error does not reveal what others hold.
    let error = filled(limits(48 * MIB, 48 * MIB, 70 * MIB), &["a", "b", "c"]).await;
    assert!(matches!(error.kind(), ErrorKind::Busy { .. }), "{error:?}");
    assert!(!error.render().contains("7340"), "{}", error.render());
}

#[tokio::test]
async fn a_document_of_64_mib_passes_by_default() {
    let line = "2024-12-31,Zürich,consulting services,1234.50,a remark of some length about it\n";
    let text = line.repeat(64 * 1024 * 1024 / line.len());
    let session = of(&host(), "large");
    let document = session.add_document_bytes("large.txt", text.into_bytes()).await.unwrap();
    assert_eq!(document.characters, session.host().session_limits().document_characters + 20);
}

// Stores.

/// Grows its memory page by page, up to 64 MiB.
const GROWS: &str = r#"(memory 1)
    (func (export "run") (loop (drop (memory.grow (i32.const 16))) (br_if 0 (i32.lt_u (memory.size) (i32.const 1024)))))"#;

#[tokio::test]
async fn a_store_that_grows_beyond_the_budget_ends_as_beyond_its_own_limit() {
    let skill = TestSkill::new("hostile", &module(GROWS), "");
    let check = async |memory: MemoryLimits| {
        let host = Host::builder()
            .no_cache()
            .bundled_skills(false)
            .skills(skill.path())
            .memory(memory)
            .build()
            .unwrap();
        let session = of(&host, "a");
        let report = call(&session, "hostile__run").await;
        assert!(call(&session, "hostile__ping").await.result.is_ok());
        let peak = session.memory().peak;
        drop(session);
        assert_eq!(host.memory().used, 0);
        (report, peak)
    };
    let all = MemoryLimits {
        per_call: 96 * MIB,
        per_session: 96 * MIB,
        per_tenant: 96 * MIB,
        host: 96 * MIB,
    };
    let (report, peak) = check(all.clone()).await;
    assert!(report.result.is_ok(), "{:?}", report.result);
    assert!(peak >= 64 * MIB, "{peak}");
    for (memory, what) in [
        (MemoryLimits { per_call: 32 * MIB, ..all.clone() }, Resource::CallMemory),
        (MemoryLimits { per_session: 32 * MIB, ..all.clone() }, Resource::SessionMemory),
        (MemoryLimits { per_tenant: 32 * MIB, ..all.clone() }, Resource::TenantMemory),
    ] {
        let (report, peak) = check(memory).await;
        let ErrorKind::Limit(limit) = kind(&report) else { panic!("{:?}", report.result) };
        assert_eq!((limit.what, limit.limit), (what, 32 * MIB));
        // The journal in memory is charged to the session too.
        assert!(peak <= 33 * MIB, "{peak}");
    }
    let (report, _) = check(MemoryLimits { host: 32 * MIB, ..all }).await;
    assert!(matches!(kind(&report), ErrorKind::Busy { .. }), "{:?}", report.result);
}

#[tokio::test]
async fn calls_at_once_share_the_budget_of_their_session() {
    let skill = TestSkill::new("hostile", &module(GROWS), "");
    let memory = MemoryLimits { per_session: 100 * MIB, ..MemoryLimits::default() };
    let host = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .skills(skill.path())
        .memory(memory)
        .build()
        .unwrap();
    let session = of(&host, "a");
    // Each would fit alone.
    let reports =
        futures_util::future::join_all((0..8).map(|_| call(&session, "hostile__run"))).await;
    assert!(session.memory().peak <= 100 * MIB);
    assert_eq!(session.memory().used - journal_bytes(&session), 0);
    for report in reports.into_iter().filter(|report| report.result.is_err()) {
        assert_eq!(limit(report.result).what, Resource::SessionMemory);
    }
}

/// Returns the bytes of the journal in memory, which is charged to the session too.
fn journal_bytes(session: &Session) -> u64 {
    let used = session.memory().used;
    assert!(used <= 64 * 1024, "{used}");
    used
}

// Kept scripts.

async fn kept(session: &Session, code: &str) -> Value {
    let arguments = json!({ "code": code, "language": "python-lite", "state": "session" });
    session.call("python__run", &arguments.to_string()).await.result.unwrap().into()
}

#[tokio::test]
async fn kept_scripts_are_charged_and_those_idle_longest_are_given_up() {
    let host = builder().build().unwrap();
    let session = of(&host, "a");
    assert_eq!(kept(&session, "x = 1").await["status"], "success");
    let one = session.memory().used;
    assert!(one > MIB, "a kept instance takes {one} bytes");
    drop(session);
    assert_eq!(host.memory().used, 0);

    // Three fit at a time, including what one needs while it runs.
    let memory = MemoryLimits { per_tenant: 3 * one + one / 2, ..MemoryLimits::default() };
    let host = builder().memory(memory).build().unwrap();
    let other = of(&host, "b");
    assert_eq!(kept(&other, "x = 'b'").await["status"], "success");
    let sessions: Vec<Session> = (0..12).map(|_| of(&host, "a")).collect();
    for (number, session) in sessions.iter().enumerate() {
        assert_eq!(kept(session, &format!("x = {number}")).await["status"], "success", "{number}");
        assert!(host.memory().used - other.memory().used <= 3 * one + one / 2);
    }
    // The variables of the last ones are kept; those of the first were dropped, which is reported once.
    let last = kept(&sessions[11], "x").await;
    assert_eq!((&last["result"], &last["stderr"]), (&json!(11), &json!("")));
    let first = kept(&sessions[0], "x").await;
    assert_eq!(first["error_kind"], "NameError");
    let told = first["stderr"].as_str().unwrap();
    assert!(told.starts_with("[SYSTEM: the variables of earlier scripts were given up"), "{told}");
    assert_eq!(kept(&sessions[0], "x = 0").await["stderr"], "");
    // Variables of another tenant are never dropped.
    let others = kept(&other, "x").await;
    assert_eq!((&others["result"], &others["stderr"]), (&json!("b"), &json!("")));
}

#[tokio::test]
async fn a_document_takes_the_room_of_variables_that_nobody_uses() {
    let host = builder().build().unwrap();
    let session = of(&host, "a");
    kept(&session, "x = 1").await;
    let one = session.memory().used;
    let bytes = || "1,2,3,4\n".repeat(40_000).into_bytes();
    let memory = MemoryLimits { per_session: one + 30 * MIB, ..MemoryLimits::default() };
    let host = builder().memory(memory).build().unwrap();
    let session = of(&host, "a");
    kept(&session, "x = 1").await;
    while session.memory().used < 20 * MIB + one / 2 {
        session.add_document_bytes("a.csv", bytes()).await.unwrap();
    }
    assert!(session.memory().peak <= one + 30 * MIB);
    // Until the memory of the variables is needed.
    let mut before = 0;
    while session.memory().used > before {
        before = session.memory().used;
        session.add_document_bytes("last.csv", bytes()).await.unwrap();
    }
    assert_eq!(kept(&session, "x").await["error_kind"], "NameError");
}

/// A resident call whose result exceeds the budget has had its effects anyway.
#[tokio::test]
async fn a_resident_call_over_the_budget_tells_what_it_used() {
    let skill = TestSkill::new("counters", COUNTERS, "");
    let memory = MemoryLimits { per_call: 20_000, ..MemoryLimits::default() };
    let host = Host::builder().no_cache().bundled_skills(false).skills(skill.path()).memory(memory);
    let session = host.build().unwrap().session(SessionOptions::default()).unwrap();
    for n in [500, 900] {
        let report = session.call("counters__many", &json!({ "n": n }).to_string()).await;
        assert!(report.usage.fuel > n * 10, "{:?}", report.usage);
        assert_eq!(limit(report.result).what, Resource::CallMemory, "{n}");
    }
    let report = session.call("counters__many", r#"{"n": 10}"#).await;
    assert!(report.result.is_ok(), "{:?}", report.result);
}

// Journals.

/// Writes messages of `length` bytes until it is ended.
fn logs(length: u32) -> String {
    format!(
        r#"(component
    (import "mitt:host/log@0.1.0" (instance $log
        (type $enum (enum "debug" "info" "warn" "error"))
        (export "level" (type $level (eq $enum)))
        (export "write" (func (param "level" $level) (param "message" string)))))
    (core module $mem (memory (export "memory") 1))
    (core instance $mem (instantiate $mem))
    (core func $write (canon lower (func $log "write") (memory (core memory $mem "memory"))))
    (core module $m
        (import "" "write" (func $write (param i32 i32 i32)))
        (func (export "run") (loop (call $write (i32.const 1) (i32.const 64) (i32.const {length})) (br 0))))
    (core instance $i (instantiate $m (with "" (instance (export "write" (func $write))))))
    (func (export "run") (canon lift (core func $i "run"))))"#
    )
}

#[tokio::test]
async fn messages_cost_however_short_they_are() {
    for length in [0, 1, 100, 4_096] {
        let skill = TestSkill::new("hostile", &logs(length), "grants: [log]");
        let session = skill.session();
        let report = call(&session, "hostile__run").await;
        assert_eq!(limit(report.result).what, Resource::Output, "{length}");
        let lines = session.journal().iter().filter(|entry| entry["kind"] == "log").count() as u64;
        assert_eq!(lines, CallLimits::default().output_bytes / u64::from(64 + length), "{length}");
    }
}

#[tokio::test]
async fn a_flooded_journal_ends_at_its_bound_and_the_work_goes_on() {
    let skill = TestSkill::new("hostile", &logs(0), "grants: [log]");
    let folder = tempfile::tempdir().unwrap();
    let limits = SessionLimits { journal_bytes: 200_000, ..SessionLimits::default() };
    let host = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .skills(skill.path())
        .session_limits(limits)
        .build()
        .unwrap();
    let options =
        SessionOptions { folder: Some(folder.path().to_owned()), ..SessionOptions::default() };
    let session = host.session(options).unwrap();
    let path = folder.path().join("journal.jsonl");
    for round in 0..4 {
        // With messages, with refused calls, and with long names.
        call(&session, "hostile__run").await;
        for _ in 0..300 {
            let report = session.call(&"n".repeat(100_000), "{}").await;
            assert_eq!(kind(&report), ErrorKind::UnknownTool);
        }
        let size = std::fs::metadata(&path).unwrap().len();
        assert!(size <= 200_000 + 500, "{round}: {size}");
    }
    session.note("turn", json!({ "text": "x".repeat(10_000_000) }));
    assert!(session.memory().used < 5 * MIB, "{}", session.memory().used);
    drop(session);
    let text = std::fs::read_to_string(&path).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["kind"], "journal");
    assert!(last["left_out"].as_u64() > Some(1_000), "{last}");
}

const SECRETS: [&str; 4] = ["Anna", "Schmidt", "756.1234", "Schizophrenie"];

#[track_caller]
fn no_secret_in(session: &Session) {
    let journal = serde_json::to_string(&session.journal()).unwrap();
    for secret in SECRETS {
        assert!(!journal.contains(secret), "{secret} in {journal}");
    }
}

#[tokio::test]
async fn the_journal_holds_no_values_that_errors_quote() {
    let session = of(&host(), "a");
    for (tool, arguments) in [
        ("table_tool__sort", r#"{"data": "Anna Schmidt", "keys": []}"#),
        ("table_tool__sort", r#"{"data": [{"a": {"Anna": 1}}], "keys": []}"#),
        ("table_tool__sort", r#"{"data": [{"Schmidt": [756.1234]}], "keys": []}"#),
        (
            "table_tool__sort",
            r#"{"data": [], "keys": [{"column": "a", "order": "Schizophrenie"}]}"#,
        ),
        ("table_tool__sort", r#"{"data": [], "keys": [], "Anna": 1}"#),
        ("table_tool__sort", r#"{"data": [], "keys": 756.1234, "Anna": 1}"#),
        ("table_tool__sort", r#"{"data": [], "data": "Anna""#),
        ("table_tool__sort", r#"{"Anna": 1, "Anna": 2}"#),
        // The plugin itself quotes values.
        ("table_tool__sort", r#"{"data": [{"a": 1}], "keys": [{"column": "Schmidt"}]}"#),
    ] {
        let report = session.call(tool, arguments).await;
        let said = report.result.unwrap_err().render();
        assert!(
            SECRETS.iter().any(|secret| said.contains(secret)) || said.contains("JSON"),
            "{said}"
        );
        no_secret_in(&session);
    }
    // Exceptions of a script itself, and of a tool that it calls.
    for code in [
        "raise ValueError('Anna Schmidt has 756.1234')",
        "import table_tool\ntable_tool.sort([{'a': 1}], [{'column': 'Schmidt'}])",
        "{}['Schizophrenie']",
    ] {
        let arguments = json!({ "code": code, "language": "python-lite" }).to_string();
        let report = session.call("python__run", &arguments).await;
        assert!(report.failure().is_some(), "{code}");
        no_secret_in(&session);
    }
    // In WAVE.
    session.call_wave("table-tool/sort([{a: Anna}], [{column: \"Schmidt\"}])").await;
    no_secret_in(&session);
    let journal = session.journal();
    let calls: Vec<_> = journal.iter().filter(|entry| entry["kind"] == "call").collect();
    assert_eq!(
        calls[0]["message"],
        "/data: expected table (an array of objects, {\"columns\", \"rows\"} or {\"$ref\"}), got string of 12 characters"
    );
    // A short text could be found by brute force if everybody could compute the hash.
    use sha2::{Digest as _, Sha256};
    let digest = Sha256::digest(r#"{"data": "Anna Schmidt", "keys": []}"#);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(!serde_json::to_string(&journal).unwrap().contains(&digest));
}

#[tokio::test]
async fn an_operator_can_have_the_messages_as_they_were_said() {
    let session = of(&builder().full_journals(true).build().unwrap(), "a");
    session.call("table_tool__sort", r#"{"data": "Anna", "keys": []}"#).await;
    let last = session.journal().pop().unwrap();
    assert!(last["message"].as_str().unwrap().contains("got string \"Anna\""), "{last}");
}

// Messages.

/// Bodies of 4 MiB whose trees would take hundreds of mebibytes.
fn heavy() -> impl Iterator<Item = String> {
    let items = ["[0]", r#"{"":0}"#, "0", "[]", "[[[[0]]]]", r#"{"a":{"b":{"c":1}}}"#, "\"\""];
    items.into_iter().map(|item| {
        let n = (4 * 1024 * 1024 - 4096) / (item.len() + 1);
        let values = vec![item; n].join(",");
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"x","arguments":{{"v":[{values}]}}}}}}"#
        )
    })
}

#[tokio::test]
async fn a_heavy_message_is_refused_over_http_before_a_tree_is_made() {
    use crate::http::client;

    let running = client::start(client::options()).await;
    let mut one = running.client().await;
    one.initialize().await;
    for body in heavy() {
        let reply = one.send(hyper::Method::POST, "/mcp", &[], body).await;
        let reply = client::read(reply).await;
        assert_eq!(reply.status, 413, "{reply:?}");
        let answer = reply.json();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32600)));
        let told = answer["error"]["message"].as_str().unwrap();
        assert!(told.starts_with("message limit of 100663296 bytes reached"), "{told}");
    }
    // An honest table of 100 000 cells is parsed; the error that the tool does not exist comes later.
    let rows = vec![json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]); 10_000];
    let answer = one.call("no_such__tool", json!({ "data": { "rows": rows } })).await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("Unknown tool"), "{answer}");
}

#[test]
fn a_heavy_message_is_refused_over_standard_input_in_little_memory() {
    use std::io::Write as _;
    use std::process::Stdio;

    let folder = tempfile::tempdir().unwrap();
    let mut command =
        crate::support::command(folder.path(), &["mcp", "--no-bundled-skills", "--no-watch"]);
    let mut input = tempfile::tempfile().unwrap();
    writeln!(
        input,
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#
    )
    .unwrap();
    let mut count = 0;
    for body in heavy() {
        writeln!(input, "{body}").unwrap();
        count += 1;
    }
    std::io::Seek::rewind(&mut input).unwrap();
    command.stdin(Stdio::from(input)).current_dir(root());
    let (output, peak) = crate::support::measured(command);
    let answers = String::from_utf8(output.stdout).unwrap();
    let refused =
        answers.lines().filter(|line| line.contains("message limit of 100663296")).count();
    assert_eq!(refused, count, "{answers}");
    // The program itself takes some 100 MiB; one such message would take 300 more.
    assert!(peak < 250 * MIB, "{peak}");
}
