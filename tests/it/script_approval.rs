//! Approvals: a script pauses before a destructive tool, and continues as if it had not.

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mitt::{
    ApprovalRequest, Approver, CacheDir, CallReport, Decision, ErrorKind, Host, MemoryLimits,
    Resource, Session, SessionOptions,
};
use serde_json::{Value, json};

use crate::support::{TestSkill, cache, engines, kind, outcome, script};

const NOTHING: &str = r#"(component
    (core module $m (func (export "run")))
    (core instance $i (instantiate $m))
    (func (export "run") (canon lift (core func $i "run"))))"#;

pub(crate) fn wiper() -> TestSkill {
    TestSkill::new("wiper", NOTHING, "tools: [{name: run, title: Wipe all, destructive: true}]")
}

fn host(folder: &Path) -> Host {
    Host::builder().cache(CacheDir::new(cache())).skills(folder).build().unwrap()
}

fn open(host: &Host, approver: Option<Arc<dyn Approver>>) -> Session {
    host.session(SessionOptions { approver, ..SessionOptions::default() }).unwrap()
}

fn answer(report: &CallReport) -> Value {
    report.result.as_ref().unwrap().clone().into()
}

/// Returns the number of calls of a tool in the journal.
fn made(session: &Session, tool: &str) -> usize {
    let journal = session.journal();
    journal
        .iter()
        .filter(|entry| {
            entry["kind"] == "call" && entry["tool"] == tool && entry["outcome"] == "ok"
        })
        .count()
}

/// Always makes the same decision, and records the requests.
struct Always(Decision, Mutex<Vec<ApprovalRequest>>);

impl Always {
    fn new(decision: Decision) -> Arc<Always> {
        Arc::new(Always(decision, Mutex::default()))
    }
}

#[async_trait]
impl Approver for Always {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        self.1.lock().unwrap().push(request.clone());
        self.0.clone()
    }
}

#[tokio::test]
async fn a_script_pauses_and_goes_on_with_what_it_had() {
    let skill = wiper();
    let host = host(skill.path());
    for engine in engines() {
        let session = open(&host, None);
        let code = "import wiper, report\n\
            report.deliver(markdown='# x', filename='x.md')\n\
            print('before')\n\
            wiper.run()\n\
            print('after')\n\
            'done'";
        let paused = script(&session, &engine, code).await;
        assert_eq!(*paused.script_error.as_ref().unwrap().kind(), ErrorKind::Paused);
        let request = paused.approval.clone().unwrap();
        assert_eq!(
            (&*request.tool, request.title.as_deref(), request.depth),
            ("wiper__run", Some("Wipe all"), 1)
        );
        let told = answer(&paused);
        assert_eq!(
            (&told["status"], &told["error_kind"], &told["stdout"]),
            (&json!("sandbox_error"), &json!("paused"), &json!("before\n")),
            "{engine}"
        );
        assert_eq!(
            (&told["approval"]["id"], &told["approval"]["tool"]),
            (&json!(request.id), &json!("wiper__run"))
        );
        assert_eq!(session.pending(), std::slice::from_ref(&request));
        assert_eq!((made(&session, "wiper__run"), made(&session, "report__deliver")), (0, 1));

        // Not decided yet.
        let still = session.resume(&request.id, Decision::Pause).await;
        assert_eq!(kind(&still), ErrorKind::Paused);
        let resumed = session.resume(&request.id, Decision::Approve).await;
        let told = answer(&resumed);
        assert_eq!(
            (&told["status"], &told["result"], &told["stdout"]),
            (&json!("success"), &json!("done"), &json!("before\nafter\n")),
            "{engine}: {told}"
        );
        // Nothing was done twice, and everything is reported.
        assert_eq!((made(&session, "wiper__run"), made(&session, "report__deliver")), (1, 1));
        assert_eq!(session.journal().iter().filter(|entry| entry["kind"] == "artifact").count(), 1);
        assert_eq!(told["artifacts"][0]["name"], "x.md");
        let tools: Vec<_> =
            told["calls"].as_array().unwrap().iter().map(|call| call["tool"].clone()).collect();
        assert_eq!(tools, ["report__deliver", "wiper__run"]);
        // An approval can be used only once.
        assert!(session.pending().is_empty());
        let again = session.resume(&request.id, Decision::Approve).await;
        assert_eq!(kind(&again), ErrorKind::Arguments);
        let decisions: Vec<_> = session
            .journal()
            .iter()
            .filter(|entry| entry["kind"] == "approval")
            .map(|entry| entry["decision"].clone())
            .collect();
        assert_eq!(decisions, ["paused", "approved"]);
    }
}

#[tokio::test]
async fn a_second_run_reads_the_same_files_clocks_and_random_numbers() {
    let skill = wiper();
    let host = host(skill.path());
    let code = "import random, time, wiper\n\
        try:\n    n = int(open('n.txt').read())\nexcept OSError:\n    n = 0\n\
        f = open('n.txt', 'w')\nf.write(str(n + 1))\nf.close()\n\
        print(n, random.random(), time.time(), time.monotonic())\n\
        wiper.run()\n\
        int(open('n.txt').read())";
    let session = open(&host, None);
    let paused = script(&session, "python", code).await;
    let before = answer(&paused)["stdout"].clone();
    assert!(before.as_str().unwrap().starts_with("0 "), "{before}");
    let resumed = session.resume(&paused.approval.unwrap().id, Decision::Approve).await;
    let told = answer(&resumed);
    assert_eq!((&told["stdout"], &told["result"]), (&before, &json!(1)), "{told}");
}

#[tokio::test]
async fn a_script_with_two_such_calls_pauses_twice() {
    let skill = wiper();
    let host = host(skill.path());
    for engine in engines() {
        let session = open(&host, None);
        let code = "import wiper\nfor i in range(2):\n    wiper.run()\n    print(i)\n'end'";
        let first = script(&session, &engine, code).await.approval.unwrap();
        let report = session.resume(&first.id, Decision::Approve).await;
        assert_eq!(answer(&report)["stdout"], "0\n", "{engine}");
        let second = report.approval.unwrap();
        assert_ne!(second.id, first.id);
        let report = session.resume(&second.id, Decision::Approve).await;
        assert_eq!(
            (&answer(&report)["stdout"], &answer(&report)["result"]),
            (&json!("0\n1\n"), &json!("end"))
        );
        assert_eq!(made(&session, "wiper__run"), 2);
    }
}

#[tokio::test]
async fn what_is_denied_cannot_be_caught() {
    let skill = wiper();
    let host = host(skill.path());
    let code = "import wiper\nprint('before')\ntry:\n    wiper.run()\nexcept BaseException:\n    print('caught')";
    for engine in engines() {
        let session = open(&host, None);
        let paused = script(&session, &engine, code).await;
        let report =
            session.resume(&paused.approval.unwrap().id, Decision::Deny("not today".into())).await;
        let told = answer(&report);
        assert_eq!(
            (&told["error_kind"], &told["stdout"]),
            (&json!("denied"), &json!("before\n")),
            "{engine}: {told}"
        );
        assert!(told["error_message"].as_str().unwrap().contains("not today"), "{told}");
        assert_eq!(made(&session, "wiper__run"), 0);
    }
}

#[tokio::test]
async fn an_approver_decides_at_once() {
    let skill = wiper();
    let host = host(skill.path());
    for engine in engines() {
        let approver = Always::new(Decision::Approve);
        let session = open(&host, Some(approver.clone()));
        let done = outcome(&session, &engine, "import wiper\nwiper.run()\n1").await;
        assert_eq!(done["result"], 1, "{engine}: {done}");
        // Calls by a model need an approval too, because there is somebody to ask.
        assert!(session.call("wiper__run", "{}").await.result.is_ok());
        let depths: Vec<_> =
            approver.1.lock().unwrap().iter().map(|request| request.depth).collect();
        assert_eq!(depths, [1, 0]);
        let session = open(&host, Some(Always::new(Decision::Deny("no".into()))));
        assert_eq!(kind(&session.call("wiper__run", "{}").await), ErrorKind::Denied);
    }
}

#[tokio::test]
async fn a_call_by_a_model_can_be_paused_too() {
    let skill = wiper();
    let host = host(skill.path());
    let session = open(&host, Some(Always::new(Decision::Pause)));
    let report = session.call("wiper__run", "{}").await;
    assert_eq!(kind(&report), ErrorKind::Paused);
    let resumed = session.resume(&report.approval.unwrap().id, Decision::Approve).await;
    assert!(resumed.result.is_ok(), "{:?}", resumed.result);
    assert_eq!(made(&session, "wiper__run"), 1);
    // Without anybody to ask, it is made.
    assert!(open(&host, None).call("wiper__run", "{}").await.result.is_ok());
}

#[tokio::test]
async fn an_approval_is_of_one_version() {
    let skill = wiper();
    let host = host(skill.path());
    let session = open(&host, None);
    let paused = script(&session, "python", "import wiper\nwiper.run()").await;
    let yaml = skill.path().join("wiper/skill.yaml");
    let text = std::fs::read_to_string(&yaml).unwrap().replace("version: 0.1.0", "version: 0.2.0");
    std::fs::write(&yaml, text).unwrap();
    assert!(host.reload().await.is_some());
    let report = session.resume(&paused.approval.unwrap().id, Decision::Approve).await;
    let told = answer(&report);
    assert_eq!(told["error_kind"], "denied", "{told}");
    assert!(told["error_message"].as_str().unwrap().contains("was replaced"), "{told}");
    assert_eq!(made(&session, "wiper__run"), 0);
}

#[tokio::test]
async fn a_second_run_that_does_something_else_is_ended() {
    let skill = wiper();
    let value = skill.path().join("wiper/scripts/value.py");
    std::fs::create_dir_all(value.parent().unwrap()).unwrap();
    std::fs::write(&value, "NAME = 'a.md'\n").unwrap();
    let host = host(skill.path());
    for engine in engines() {
        std::fs::write(&value, "NAME = 'a.md'\n").unwrap();
        host.reload().await;
        let session = open(&host, None);
        let code = "import wiper, report\nfrom wiper import value\n\
            report.deliver(markdown='# x', filename=value.NAME)\nwiper.run()";
        let paused = script(&session, &engine, code).await;
        std::fs::write(&value, "NAME = 'other.md'\n").unwrap();
        assert!(host.reload().await.is_some());
        let report = session.resume(&paused.approval.unwrap().id, Decision::Approve).await;
        let told = answer(&report);
        assert!(
            told["error_message"]
                .as_str()
                .unwrap()
                .contains("did something else than before it was paused"),
            "{engine}: {told}"
        );
        assert_eq!(session.artifacts().len(), 1);
        assert_eq!(made(&session, "wiper__run"), 0);
    }
}

#[tokio::test]
async fn only_so_many_calls_wait() {
    let skill = wiper();
    let host = host(skill.path());
    let session = open(&host, Some(Always::new(Decision::Pause)));
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(session.call("wiper__run", "{}").await.approval.unwrap().id);
    }
    let waiting: Vec<_> = session.pending().into_iter().map(|request| request.id).collect();
    assert_eq!(waiting, ids[4..]);
}

/// A call that cannot be kept does not wait: no invalid id is handed out.
#[tokio::test]
async fn a_call_for_which_there_is_no_memory_does_not_wait() {
    let skill = wiper();
    let memory = MemoryLimits { per_session: 1_000, ..MemoryLimits::default() };
    let host = Host::builder()
        .cache(CacheDir::new(cache()))
        .skills(skill.path())
        .memory(memory)
        .build()
        .unwrap();
    let session = open(&host, Some(Always::new(Decision::Pause)));
    let report = session.call("wiper__run", "{}").await;
    let error = report.result.as_ref().unwrap_err();
    let what = error.limit_reached().map(|it| it.what);
    assert_eq!((what, &report.approval), (Some(Resource::SessionMemory), &None), "{error}");
    assert!(error.to_string().starts_with("a call that waits for an approval: "), "{error}");
    assert!(session.pending().is_empty());
}
