//! Batches of calls: which of them run at the same time, the order of their results, and what ends them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use mitt::skill::{HostCall, HostFunction, HostTool, ToolPolicy};
use mitt::value::{Field, Json, Type};
use mitt::{
    CallReport, Error, ErrorKind, Fetch, FetchRequest, Fetched, Host, HostBuilder, HttpBounds,
    HttpRequest, HttpResponse, Resource, Result, Session, SessionLimits, SessionOptions,
};
use serde_json::{Value, json};
use tokio::sync::{Barrier, Notify};

use crate::support::{TestSkill, kind};

/// What the tools of a host share.
pub(crate) struct Crew {
    /// Beginnings and ends of calls, in order.
    pub(crate) log: Mutex<Vec<String>>,
    running: Mutex<usize>,
    /// Most calls that ran at the same time.
    pub(crate) most: Mutex<usize>,
    /// Opens when two wait.
    pair: Barrier,
    second: Notify,
}

impl Crew {
    pub(crate) fn new() -> Arc<Crew> {
        Arc::new(Crew {
            log: Mutex::default(),
            running: Mutex::default(),
            most: Mutex::default(),
            pair: Barrier::new(2),
            second: Notify::new(),
        })
    }

    /// Adds the tools `crew__read`, which only reads, and `crew__write`.
    pub(crate) fn on(self: &Arc<Crew>, host: HostBuilder) -> HostBuilder {
        let tool = |name, read_only| CrewTool { crew: self.clone(), name, read_only };
        host.tool(tool("read", true)).tool(tool("write", false))
    }

    fn note(&self, what: String) {
        self.log.lock().unwrap().push(what);
    }
}

struct CrewTool {
    crew: Arc<Crew>,
    name: &'static str,
    read_only: bool,
}

#[async_trait]
impl HostTool for CrewTool {
    fn function(&self) -> HostFunction {
        let policy = ToolPolicy { read_only: self.read_only, ..ToolPolicy::default() };
        HostFunction::new("crew", self.name, "Does what its argument says.")
            .unwrap()
            .param(Field::new("what", Type::String, None))
            .result(Type::String)
            .policy(policy)
            .time(Duration::from_secs(20))
    }

    async fn run(&self, _: &dyn HostCall, arguments: Json) -> Result<Json> {
        let crew = &self.crew;
        let what = arguments.get("what").and_then(Json::as_str).unwrap_or_default();
        match what {
            "meet" => {
                crew.pair.wait().await;
            }
            // Ends after `second`.
            "first" => crew.second.notified().await,
            "second" => crew.second.notify_one(),
            "fail" => return Err(Error::new(ErrorKind::Arguments, "it fails")),
            "end" => return Err(Error::new(ErrorKind::Host, "it ends")),
            "long" => return Ok(Json::from("x".repeat(1 << 20).as_str())),
            _ => {
                crew.note(format!("{what} begins"));
                {
                    let mut running = crew.running.lock().unwrap();
                    *running += 1;
                    let mut most = crew.most.lock().unwrap();
                    *most = (*most).max(*running);
                }
                for _ in 0..10 {
                    tokio::task::yield_now().await;
                }
                *crew.running.lock().unwrap() -= 1;
                crew.note(format!("{what} ends"));
            }
        }
        Ok(Json::from(what))
    }
}

/// A component whose tool `run` makes a batch of the calls that it gets.
const RELAY: &str = r#"(component
    (import "mitt:host/tools@0.1.0" (instance $tools
        (type $k (enum "unknown-tool" "arguments" "plugin" "trap"))
        (export "failure-kind" (type $kind (eq $k)))
        (type $f (record (field "kind" $kind) (field "message" string)))
        (export "failure" (type (eq $f)))))
    (alias export $tools "failure" (type $failure))
    (import "mitt:host/tool-batches@0.1.0" (instance $batches
        (alias outer 1 $failure (type $f))
        (export "failure" (type $failure (eq $f)))
        (type $c (record (field "name" string) (field "arguments" string)))
        (export "tool-call" (type $call (eq $c)))
        (export "call-all" (func (param "calls" (list $call))
            (result (list (result string (error $failure))))))))
    (alias export $batches "tool-call" (type $call))
    (core module $memory
        (memory (export "memory") 256)
        (global $next (mut i32) (i32.const 65536))
        (func (export "realloc") (param i32 i32 i32 i32) (result i32)
            (local $at i32)
            (local.set $at (global.get $next))
            (global.set $next (i32.and
                (i32.add (i32.add (global.get $next) (local.get 3)) (i32.const 7)) (i32.const -8)))
            (local.get $at)))
    (core instance $m (instantiate $memory))
    (core func $call_all (canon lower (func $batches "call-all")
        (memory (core memory $m "memory")) (realloc (core func $m "realloc"))))
    (core module $run
        (import "m" "call-all" (func $call_all (param i32 i32 i32)))
        (func (export "run") (param i32 i32) (result i32)
            (call $call_all (local.get 0) (local.get 1) (i32.const 16))
            (i32.const 16)))
    (core instance $i (instantiate $run
        (with "m" (instance (export "call-all" (func $call_all))))))
    (func (export "run") (param "calls" (list $call)) (result (list (result string (error $failure))))
        (canon lift (core func $i "run")
            (memory (core memory $m "memory")) (realloc (core func $m "realloc")))))"#;

/// A session with `crew` and the skill `relay`.
fn session(crew: &Arc<Crew>, limits: SessionLimits) -> (TestSkill, Session) {
    let skill = TestSkill::new("relay", RELAY, "grants: [tools]");
    let host = Host::builder().no_cache().bundled_skills(false).session_limits(limits);
    let host = crew.on(host.skills(skill.path())).build().unwrap();
    (skill, host.session(SessionOptions::default()).unwrap())
}

async fn batch(session: &Session, calls: &[(&str, &str)]) -> CallReport {
    let call = |(tool, what): &(&str, &str)| json!({ "name": format!("crew__{tool}"), "arguments": json!({ "what": what }).to_string() });
    let calls: Vec<Value> = calls.iter().map(call).collect();
    session.call("relay__run", &json!({ "calls": calls }).to_string()).await
}

/// Returns the results, or the kind and the message of what failed.
fn results(report: &CallReport) -> Vec<String> {
    let results: Value =
        report.result.as_ref().unwrap_or_else(|error| panic!("{error}")).clone().into();
    let shown = |result: &Value| match result["tag"].as_str() {
        Some("ok") => result["val"].as_str().unwrap().trim_matches('"').to_owned(),
        _ => format!("{}: {}", result["val"]["kind"], result["val"]["message"]),
    };
    results.as_array().unwrap().iter().map(shown).collect()
}

#[tokio::test]
async fn calls_that_wait_outside_run_at_the_same_time() {
    let crew = Crew::new();
    let (_skill, session) = session(&crew, SessionLimits::default());
    // Each ends when the other has begun.
    let met = batch(&session, &[("read", "meet"), ("read", "meet")]).await;
    assert_eq!(results(&met), ["meet", "meet"]);
    // The first one ends last.
    let report = batch(&session, &[("read", "first"), ("read", "second")]).await;
    assert_eq!(results(&report), ["first", "second"]);
    // Eight at the same time, and no more.
    let names: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    let calls: Vec<_> = names.iter().map(|name| ("read", name.as_str())).collect();
    assert_eq!(results(&batch(&session, &calls).await), names);
    assert_eq!(*crew.most.lock().unwrap(), 8);
    // Numbers of calls are in the order of the batch.
    let journal = session.journal();
    let mut numbers: Vec<u64> = journal
        .iter()
        .filter(|entry| entry["kind"] == "call" && entry["tool"] == "crew__read")
        .map(|entry| entry["call"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers.len(), 24);
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 24);
}

#[tokio::test]
async fn calls_that_may_change_something_are_made_one_after_another() {
    let crew = Crew::new();
    let (_skill, session) = session(&crew, SessionLimits::default());
    let report = batch(&session, &[("write", "a"), ("write", "b"), ("write", "c")]).await;
    assert_eq!(results(&report), ["a", "b", "c"]);
    assert_eq!(*crew.most.lock().unwrap(), 1);
    let order = ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"];
    assert_eq!(std::mem::take(&mut *crew.log.lock().unwrap()), order);
    // Those that read run beside each other, and not beside one that writes.
    let calls = [("read", "a"), ("read", "b"), ("write", "c"), ("read", "d"), ("read", "e")];
    assert_eq!(results(&batch(&session, &calls).await), ["a", "b", "c", "d", "e"]);
    let order = [
        "a begins", "b begins", "a ends", "b ends", "c begins", "c ends", "d begins", "e begins",
        "d ends", "e ends",
    ];
    assert_eq!(*crew.log.lock().unwrap(), order);
}

#[tokio::test]
async fn a_failure_is_the_result_of_its_call() {
    let crew = Crew::new();
    let (_skill, session) = session(&crew, SessionLimits::default());
    for tool in ["read", "write"] {
        let calls = [(tool, "a"), (tool, "fail"), ("gone", "b"), (tool, "c")];
        let report = batch(&session, &calls).await;
        let results = results(&report);
        assert_eq!((results.len(), &*results[0], &*results[3]), (4, "a", "c"));
        assert!(results[1].contains("arguments") && results[1].contains("it fails"));
        assert!(results[2].contains("unknown-tool") && results[2].contains("crew__gone"));
    }
    // What a plugin cannot handle ends it, and no later call is made.
    for tool in ["read", "write"] {
        crew.log.lock().unwrap().clear();
        let report = batch(&session, &[(tool, "a"), (tool, "end"), ("write", "c")]).await;
        assert_eq!(kind(&report), ErrorKind::Host);
        assert_eq!(*crew.log.lock().unwrap(), ["a begins", "a ends"]);
    }
}

#[tokio::test]
async fn a_batch_ends_at_the_limits_of_calls() {
    let crew = Crew::new();
    let limits = SessionLimits { tool_calls: 3, ..SessionLimits::default() };
    let (_skill, session) = session(&crew, limits);
    for tool in ["read", "write"] {
        crew.log.lock().unwrap().clear();
        let report = batch(&session, &[(tool, "a"), (tool, "b"), (tool, "c"), (tool, "d")]).await;
        let error = report.result.as_ref().unwrap_err();
        assert_eq!(error.limit_reached().unwrap().what, Resource::ToolCalls, "{error}");
        let log = crew.log.lock().unwrap();
        assert_eq!((log.len(), log.contains(&"c ends".to_owned())), (6, true), "{log:?}");
    }
}

#[tokio::test]
async fn a_batch_is_bounded() {
    let crew = Crew::new();
    let limits = SessionLimits { tool_calls: 10_000, ..SessionLimits::default() };
    let (_skill, session) = session(&crew, limits);
    let report = batch(&session, &vec![("read", "a"); 1_001]).await;
    let error = report.result.as_ref().unwrap_err().render();
    assert!(error.contains("expected at most 1000 calls in `call-all`, got 1001"), "{error}");
    assert!(crew.log.lock().unwrap().is_empty());
    assert_eq!(results(&batch(&session, &vec![("read", "a"); 1_000]).await).len(), 1_000);
    // The plugin makes the other calls when it has read the results of these: four mebibytes, and those that ran already.
    assert_eq!(results(&batch(&session, &[("write", "long"); 8]).await).len(), 4);
    assert_eq!(results(&batch(&session, &[("read", "long"); 12]).await).len(), 11);
}

/// Answers requests when two wait.
#[derive(Debug)]
struct Web(Barrier);

#[async_trait]
impl Fetch for Web {
    async fn fetch(&self, _: &FetchRequest<'_>) -> Result<Fetched> {
        unreachable!("nothing here asks for documents")
    }

    async fn exchange(&self, asked: &HttpRequest, _: &HttpBounds<'_>) -> Result<HttpResponse> {
        self.0.wait().await;
        let body = asked.url.clone().into();
        Ok(HttpResponse { status: 201, headers: Vec::new(), body })
    }

    fn hosts(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

#[tokio::test]
async fn requests_of_plug_ins_that_only_read_wait_at_the_same_time() {
    let grants =
        "grants: [{fetch: {hosts: [api.example.com]}}]\ntools: [{name: ask, readOnly: true}]";
    let (plug_in, relay) = (
        TestSkill::new("asks", crate::plug_ins::ASKS, grants),
        TestSkill::new("relay", RELAY, "grants: [tools]"),
    );
    let host = Host::builder().no_cache().bundled_skills(false).skills(plug_in.path());
    let web = Arc::new(Web(Barrier::new(2)));
    let host = host.skills(relay.path()).fetch(web).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let call = |path: &str| {
        let request = json!({ "url": format!("https://api.example.com/{path}") });
        json!({ "name": "asks__ask", "arguments": json!({ "input": request.to_string() }).to_string() })
    };
    let calls = json!({ "calls": [call("a"), call("b")] });
    let report = session.call("relay__run", &calls.to_string()).await;
    assert_eq!(results(&report), ["https://api.example.com/a", "https://api.example.com/b"]);
}
