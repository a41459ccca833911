//! The context of a call: concurrent and nested calls are distinguished by ids, and each call brings its own listener and
//! approver.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mitt::{
    ApprovalRequest, Approver, CallId, CallOptions, CallReport, Decision, ErrorKind, Event,
    Session, SessionOptions,
};
use serde_json::Value;

use super::{all, skill};
use crate::support::{TestSkill, kind, script};

/// Events that one listener received: what happened, in which call, and to which tool or file.
type Heard = Arc<Mutex<Vec<(&'static str, CallId, String)>>>;

fn listener(heard: &Heard) -> impl Fn(&Event) + Send + Sync + 'static {
    let heard = heard.clone();
    move |event| {
        let entry = match event {
            Event::CallStarted { call, tool, .. } => ("started", *call, tool.clone()),
            Event::AttemptEnded { call, tool, .. } => ("attempt", *call, tool.clone()),
            Event::CallFinished { call, tool, .. } => ("finished", *call, tool.clone()),
            Event::Delivered { call, artifact, .. } => ("delivered", *call, artifact.name.clone()),
            _ => return,
        };
        heard.lock().unwrap().push(entry);
    }
}

fn open(skill: &TestSkill, heard: &Heard) -> Session {
    let events = Some(Arc::new(listener(heard)) as _);
    skill.host().session(SessionOptions { events, ..SessionOptions::default() }).unwrap()
}

fn id(number: u64, parent: Option<u64>) -> (u64, Option<u64>) {
    (number, parent)
}

fn ids(call: CallId) -> (u64, Option<u64>) {
    (call.number, call.parent)
}

/// Returns entries of the journal that belong to calls: kind, tool or file, ids.
fn noted(session: &Session) -> Vec<(String, String, (u64, Option<u64>))> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let journal = session.journal();
    let of_calls = journal.iter().filter(|entry| entry["kind"] != "session");
    of_calls
        .map(|entry| {
            let what = if entry["kind"] == "artifact" { &entry["name"] } else { &entry["tool"] };
            assert!(entry.get("parent").is_some(), "{entry}");
            let ids = (entry["call"].as_u64().unwrap(), entry["parent"].as_u64());
            (text(&entry["kind"]), text(what), ids)
        })
        .collect()
}

const OUTER: &str = r#"{"tool": "exec__deliver", "arguments": "{\"fails\": 0}", "fails": 0}"#;

#[tokio::test(start_paused = true)]
async fn ids_are_counted_in_the_order_in_which_calls_begin() {
    let skill = skill("");
    let heard = Heard::default();
    let session = open(&skill, &heard);
    let reports = [
        session.call("exec__outer", OUTER).await,
        session.call("exec__missing", "{}").await,
        session.call_wave("exec/attempts(").await,
        session.call("exec__attempts", "{}").await,
    ];
    let calls: Vec<_> = reports.iter().map(|report| ids(report.call)).collect();
    assert_eq!(calls, [id(1, None), id(3, None), id(4, None), id(5, None)]);
    let heard = heard.lock().unwrap();
    let first: Vec<_> = heard[..5].iter().map(|(what, call, _)| (*what, ids(*call))).collect();
    assert_eq!(
        first,
        [
            ("started", id(1, None)),
            ("started", id(2, Some(1))),
            ("delivered", id(2, Some(1))),
            ("finished", id(2, Some(1))),
            ("finished", id(1, None)),
        ]
    );
    let noted = noted(&session);
    let kinds: Vec<_> = noted.iter().map(|(kind, _, ids)| (&**kind, *ids)).collect();
    assert_eq!(
        kinds,
        [
            ("artifact", id(2, Some(1))),
            ("call", id(2, Some(1))),
            ("call", id(1, None)),
            ("call", id(3, None)),
            ("call", id(4, None)),
            ("call", id(5, None)),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn calls_at_once_and_inside_one_another_are_told_apart() {
    let skill = all("idempotent: true, retry: {maxAttempts: 2}");
    let everything = Heard::default();
    let session = open(&skill, &everything);
    let (left, right) = (Heard::default(), Heard::default());
    let slow = r#"{"tool": "exec__slow", "arguments": "{\"ms\": 200}", "fails": 0}"#;
    let hearing = |heard: &Heard| CallOptions::new().events(listener(heard));
    let (outer, alone) = tokio::join!(
        session.call_with("exec__outer", slow, hearing(&left)),
        session.call_with("exec__slow", r#"{"ms": 100}"#, hearing(&right)),
    );
    assert!(outer.result.is_ok() && alone.result.is_ok(), "{outer:?} {alone:?}");
    assert_eq!((outer.call.parent, alone.call.parent), (None, None));
    let numbers = |heard: &Heard| -> BTreeMap<u64, (Option<u64>, String)> {
        let heard = heard.lock().unwrap();
        let calls = heard.iter().map(|(_, call, tool)| (call.number, (call.parent, tool.clone())));
        calls.collect()
    };
    // Each listener gets the events of its own call and of nested ones, the session's those of all.
    let inside = *numbers(&left).keys().find(|number| **number != outer.call.number).unwrap();
    let of_outer = BTreeMap::from([
        (outer.call.number, (None, "exec__outer".to_owned())),
        (inside, (Some(outer.call.number), "exec__slow".to_owned())),
    ]);
    assert_eq!(numbers(&left), of_outer);
    let of_alone = BTreeMap::from([(alone.call.number, (None, "exec__slow".to_owned()))]);
    assert_eq!(numbers(&right), of_alone);
    let of_all: BTreeMap<_, _> = of_outer.into_iter().chain(of_alone).collect();
    assert_eq!(numbers(&everything), of_all);
    assert!(of_all.keys().copied().eq(1..=3), "{of_all:?}");
    // They ran concurrently: one began before the other ended.
    let events = everything.lock().unwrap();
    let at = |what: &str, number: u64| {
        events.iter().position(|(it, call, _)| (*it, call.number) == (what, number)).unwrap()
    };
    assert!(at("started", inside) < at("finished", alone.call.number));
    assert!(at("finished", alone.call.number) < at("finished", outer.call.number));
    for number in 1..=3 {
        at("attempt", number);
    }
    // The same holds for the journal.
    let noted = noted(&session);
    for kind in ["attempt", "call"] {
        let entries = noted.iter().filter(|(it, ..)| it == kind);
        let by_id: BTreeMap<_, _> =
            entries.map(|(_, tool, (number, parent))| (*number, (*parent, tool.clone()))).collect();
        assert_eq!(by_id, of_all, "{kind}");
    }
}

const NOTHING: &str = r#"(component
    (core module $m (func (export "run")))
    (core instance $i (instantiate $m))
    (func (export "run") (canon lift (core func $i "run"))))"#;

fn wiper() -> TestSkill {
    TestSkill::new("wiper", NOTHING, "tools: [{name: run, destructive: true}]")
}

/// Always makes the same decision, and records the requests.
struct Always(Decision, Mutex<Vec<ApprovalRequest>>);

impl Always {
    fn new(decision: Decision) -> Arc<Always> {
        Arc::new(Always(decision, Mutex::default()))
    }

    fn n_asked(&self) -> usize {
        self.1.lock().unwrap().len()
    }
}

#[async_trait]
impl Approver for Always {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        self.1.lock().unwrap().push(request.clone());
        tokio::task::yield_now().await;
        self.0.clone()
    }
}

fn refusal() -> Arc<Always> {
    Always::new(Decision::Deny("no".to_owned()))
}

async fn wipe(session: &Session, approver: &Arc<Always>) -> CallReport {
    let options = CallOptions::new().approver(approver.clone());
    session.call_with("wiper__run", "{}", options).await
}

#[tokio::test]
async fn an_approver_given_with_a_call_decides_about_that_call_only() {
    let skill = wiper();
    let host = skill.host();
    let own = Always::new(Decision::Approve);
    let approver: Option<Arc<dyn Approver>> = Some(own.clone());
    let session = host.session(SessionOptions { approver, ..SessionOptions::default() }).unwrap();
    let (no, yes) = (refusal(), Always::new(Decision::Approve));
    let (refused, made) = tokio::join!(wipe(&session, &no), wipe(&session, &yes));
    assert_eq!(kind(&refused), ErrorKind::Denied);
    assert!(made.result.is_ok(), "{made:?}");
    assert_eq!((no.n_asked(), yes.n_asked(), own.n_asked()), (1, 1, 0));
    assert_eq!(no.1.lock().unwrap()[0].call, refused.call);
    // The session decides about the others.
    assert!(session.call("wiper__run", "{}").await.result.is_ok());
    assert_eq!((no.n_asked(), yes.n_asked(), own.n_asked()), (1, 1, 1));
    // Without an approver, calls by a user are made.
    let session = skill.session();
    assert_eq!(kind(&wipe(&session, &no).await), ErrorKind::Denied);
    assert!(session.call("wiper__run", "{}").await.result.is_ok());
    assert_eq!(no.n_asked(), 2);
    let approvals: Vec<_> =
        noted(&session).into_iter().filter(|(kind, ..)| kind == "approval").collect();
    assert_eq!(approvals, [("approval".to_owned(), "wiper__run".to_owned(), id(1, None))]);
}

#[tokio::test]
async fn scripts_and_their_second_runs_have_a_context_too() {
    let skill = wiper();
    let cache = mitt::CacheDir::new(crate::support::cache());
    let host = mitt::Host::builder().cache(Some(cache)).skills(skill.path()).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let code = "import wiper\nwiper.run()";
    let (yes, heard) = (Always::new(Decision::Approve), Heard::default());
    let options = CallOptions::new().approver(yes.clone()).events(listener(&heard));
    let made = session.run_script_with("python", code, None, options).await.unwrap();
    assert!(made.approval.is_none() && made.script_error.is_none(), "{made:?}");
    assert_eq!(ids(yes.1.lock().unwrap()[0].call), id(2, Some(made.call.number)));
    assert_eq!(heard.lock().unwrap().len(), 4);
    // Nobody is asked about this one, which waits; its second run has other listeners.
    let paused = script(&session, "python", code).await;
    assert_eq!(ids(paused.call), id(3, None));
    let request = paused.approval.unwrap();
    assert_eq!(ids(request.call), id(4, Some(3)));
    let heard = Heard::default();
    let options = CallOptions::new().events(listener(&heard));
    let resumed = session.resume_with(&request.id, Decision::Approve, options).await;
    assert!(resumed.script_error.is_none(), "{resumed:?}");
    let heard = heard.lock().unwrap();
    let calls: Vec<_> = heard.iter().map(|(what, call, _)| (*what, ids(*call))).collect();
    assert_eq!(
        calls,
        [
            ("started", id(5, None)),
            ("started", id(6, Some(5))),
            ("finished", id(6, Some(5))),
            ("finished", id(5, None)),
        ]
    );
    // The decision is about the call that waited.
    let approvals: Vec<_> =
        noted(&session).into_iter().filter(|(kind, ..)| kind == "approval").collect();
    let ids: Vec<_> = approvals.into_iter().map(|(.., ids)| ids).collect();
    assert_eq!(ids, [id(2, Some(1)), id(4, Some(3)), id(4, Some(3))]);
}
