//! `Promise.all` over tools: which calls run at the same time, and what a second run does within a batch.

use std::sync::Arc;

use mitt::{CacheDir, Decision, ErrorKind, Host, Session, SessionOptions};
use serde_json::json;

use super::{answer, run, value};
use crate::script_approval::wiper;
use crate::support::{cache, script};
use crate::tool_batches::Crew;

fn open(crew: &Arc<Crew>) -> Session {
    let host = crew.on(Host::builder().cache(CacheDir::new(cache()))).build().unwrap();
    host.session(SessionOptions::default()).unwrap()
}

#[tokio::test]
async fn calls_of_promise_all_run_at_the_same_time() {
    let crew = Crew::new();
    let session = open(&crew);
    // Each ends when the other has begun.
    for code in [
        "await Promise.all([tools.crew.read('meet'), tools.crew.read('meet')])",
        "const a = tools.crew.read('meet'), b = tools.crew.read('meet'); [await a, await b]",
        "import { read } from 'crew'; const one = async () => await read('meet'); await Promise.all([one(), one()])",
        "(await Promise.allSettled([tools.crew.read('meet'), mitt.call('crew__read', { what: 'meet' })])).map((it) => it.value)",
    ] {
        assert_eq!(value(&session, code).await, json!(["meet", "meet"]), "{code}");
    }
    let code = "await Promise.all(['first', 'second'].map((what) => tools.crew.read(what)))";
    assert_eq!(value(&session, code).await, json!(["first", "second"]));
    let code = "const all = Array.from({ length: 20 }, (_, n) => tools.crew.read(String(n))); (await Promise.all(all)).join()";
    let names: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    assert_eq!(value(&session, code).await, names.join(","));
    assert_eq!(*crew.most.lock().unwrap(), 8);
    let done = run(&session, code).await;
    assert_eq!(done["calls"].as_array().unwrap().len(), 20);
}

#[tokio::test]
async fn calls_that_may_change_something_are_made_one_after_another() {
    let crew = Crew::new();
    let session = open(&crew);
    let code = "await Promise.all(['b', 'a', 'c'].map((what) => tools.crew.write(what)))";
    assert_eq!(value(&session, code).await, json!(["b", "a", "c"]));
    assert_eq!(*crew.most.lock().unwrap(), 1);
    let order = ["b begins", "b ends", "a begins", "a ends", "c begins", "c ends"];
    assert_eq!(*crew.log.lock().unwrap(), order);
    // A call is made even if nothing waits for it.
    let code = "tools.crew.write('d'); tools.crew.write('e'); exit()";
    assert_eq!(run(&session, code).await["status"], "success");
    assert_eq!(crew.log.lock().unwrap().last().unwrap(), "e ends");
}

#[tokio::test]
async fn a_failed_call_rejects_its_promise_only() {
    let crew = Crew::new();
    let session = open(&crew);
    let code = "const all = ['a', 'fail', 'b'].map((what) => tools.crew.read(what));\n\
        (await Promise.allSettled(all)).map((one) => one.value ?? one.reason.kind)";
    assert_eq!(value(&session, code).await, json!(["a", "arguments", "b"]));
    let code = "const a = tools.crew.read('a');\nconst b = tools.crew.read('fail');\nawait Promise.all([a, b])";
    let done = run(&session, code).await;
    assert_eq!((&done["error_kind"], &done["line"]), (&json!("ToolError"), &json!(2)), "{done}");
    assert_eq!(done["calls"].as_array().unwrap().len(), 2);
    // A script cannot handle what ends it.
    let code =
        "try { await Promise.all([tools.crew.read('a'), tools.crew.read('end')]) } catch { 5 }";
    let done = run(&session, code).await;
    assert_eq!(done["status"], "sandbox_error", "{done}");
}

#[tokio::test]
async fn tables_of_a_batch_are_those_of_its_calls() {
    let session = super::with_table().await;
    // More results than a session keeps.
    let code = "const table = documents['a.csv'].tables[0];\n\
        const all = Array.from({ length: 150 }, (_, n) =>\n\
          tools.table_tool.sort(table, { keys: [{ column: n % 2 ? 'DAU' : 'Month' }] }));\n\
        const months = (await Promise.all(all)).map(({ data }) => data[0].Month);\n\
        [months.length, months.every((month, n) => month === (n % 2 ? 'Jan' : 'Feb'))]";
    assert_eq!(value(&session, code).await, json!([150, true]));
}

#[tokio::test]
async fn a_second_run_goes_on_within_a_batch() {
    let (skill, crew) = (wiper(), Crew::new());
    let host = Host::builder().cache(CacheDir::new(cache())).skills(skill.path());
    let host = crew.on(host).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let code = "console.log('before');\n\
        const all = [tools.crew.write('a'), tools.crew.read('b'), tools.wiper.run(), tools.crew.write('c'), tools.crew.read('d')];\n\
        (await Promise.all(all)).join()";
    let paused = script(&session, "javascript", code).await;
    assert_eq!(*paused.script_error.as_ref().unwrap().kind(), ErrorKind::Paused);
    assert_eq!(answer(&paused)["stdout"], "before\n");
    let before = ["a begins", "a ends", "b begins", "b ends"];
    assert_eq!(*crew.log.lock().unwrap(), before);
    let id = paused.approval.unwrap().id;
    let done = answer(&session.resume(&id, Decision::Approve).await);
    assert_eq!(
        (&done["status"], &done["result"]),
        (&json!("success"), &json!("a,b,,c,d")),
        "{done}"
    );
    // Nothing was done twice.
    let whole = [&before[..], &["c begins", "c ends", "d begins", "d ends"]].concat();
    assert_eq!(*crew.log.lock().unwrap(), whole);
    let calls = done["calls"].as_array().unwrap();
    let tools: Vec<_> = calls.iter().map(|call| call["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["crew__write", "crew__read", "wiper__run", "crew__write", "crew__read"]);
    // A script that is refused gets no results of the calls behind.
    crew.log.lock().unwrap().clear();
    let paused = script(&session, "javascript", code).await;
    let decision = Decision::Deny("not today".to_owned());
    let denied = answer(&session.resume(&paused.approval.unwrap().id, decision).await);
    assert!(denied["error_message"].as_str().unwrap().contains("not today"), "{denied}");
    assert_eq!(*crew.log.lock().unwrap(), before);
}
