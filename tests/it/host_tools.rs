//! Tools of the host: checked, limited, reported and recorded like those of skills, and no skill can take their names.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use mitt::skill::{HostCall, HostFunction, HostTool};
use mitt::value::{Field, Json, Type};
use mitt::{
    CallOptions, ConcurrencyLimits, ErrorKind, Event, Host, Resource, Result, SessionOptions,
};
use mitt_serve::mcp::{Server, ServerOptions};
use serde_json::{Value, json};

use crate::support::{component, host, kind, script};

/// `own_desk__<name>`: follows its argument.
struct Desk {
    name: &'static str,
    is_for_models_only: bool,
}

impl Desk {
    fn new(name: &'static str) -> Desk {
        Desk { name, is_for_models_only: false }
    }
}

#[async_trait]
impl HostTool for Desk {
    fn function(&self) -> HostFunction {
        let function = HostFunction::new("own-desk", self.name, "Does what it is told.")
            .unwrap()
            .param(Field::new("what", Type::String, None))
            .result(Type::Option(Arc::new(Type::String)))
            .time(Duration::from_millis(200));
        if self.is_for_models_only { function.for_models_only() } else { function }
    }

    async fn run(&self, call: &dyn HostCall, arguments: Json) -> Result<Json> {
        let what = arguments.get("what").and_then(Json::as_str).unwrap_or_default();
        match what.split_once(' ').unwrap_or((what, "")) {
            ("say", text) => Ok(Json::from(text)),
            ("add", name) => {
                let document = call.add_document(name, b"a,b\n1,2\n".to_vec()).await?;
                Ok(Json::from(document.name.as_str()))
            }
            ("call", tool) => {
                Ok(Json::from(call.call_tool(tool, r#"{"what":"say inside"}"#).await?.to_string()))
            }
            ("wait", _) => std::future::pending().await,
            _ => Ok(Json::from(7_u32)),
        }
    }
}

fn small() -> mitt::HostBuilder {
    Host::builder().no_cache().bundled_skills(false)
}

fn what(text: &str) -> String {
    json!({ "what": text }).to_string()
}

#[tokio::test]
async fn a_tool_of_the_host_is_checked_told_and_written_down() {
    let events = Arc::new(Mutex::new(Vec::new()));
    let heard = events.clone();
    let host = small().tool(Desk::new("do-it")).build().unwrap();
    let session = host
        .session(SessionOptions {
            events: Some(Arc::new(move |event: &Event| match event {
                Event::CallStarted { tool, .. } => heard.lock().unwrap().push(format!("> {tool}")),
                Event::CallFinished { tool, .. } => heard.lock().unwrap().push(format!("< {tool}")),
                _ => {}
            })),
            ..SessionOptions::default()
        })
        .unwrap();
    let tools = session.registry().tools().await;
    assert_eq!(tools.len(), 1);
    assert_eq!((tools[0].name.as_str(), tools[0].owner()), ("own_desk__do_it", "own_desk"));

    let report = session.call("own_desk__do_it", &what("say hello")).await;
    assert_eq!(report.result.unwrap().to_string(), r#""hello""#);
    assert_eq!(report.attempts.len(), 1);
    let report = session.call("own_desk__do_it", r#"{"waht":5}"#).await;
    assert_eq!(kind(&report), ErrorKind::Arguments);
    assert!(report.result.unwrap_err().render().contains("did you mean `what`?"));
    // Its result is checked too.
    let report = session.call("own_desk__do_it", &what("break it")).await;
    assert_eq!(kind(&report), ErrorKind::Host);
    let report = session.call("own_desk__do_if", "{}").await;
    assert!(report.result.unwrap_err().render().contains("did you mean `own_desk__do_it`?"));

    let journal = session.journal();
    let calls: Vec<&Value> = journal.iter().filter(|it| it["kind"] == "call").collect();
    assert_eq!(calls.len(), 4, "{journal:?}");
    assert_eq!(calls[0]["tool"], "own_desk__do_it");
    let events = events.lock().unwrap();
    assert_eq!(events[..2], ["> own_desk__do_it", "< own_desk__do_it"]);
}

#[tokio::test]
async fn the_first_effect_of_a_call_is_reported_before_it() {
    let session = small()
        .tool(Desk::new("do-it"))
        .build()
        .unwrap()
        .session(SessionOptions::default())
        .unwrap();
    assert!(session.registry().tools().await[0].has_lasting_effect(), "nobody knows what it does");
    for (arguments, expected) in [
        (what("say hello"), 1),
        // It calls itself: one root call has one report.
        (what("call own_desk__do_it"), 1),
        (r#"{"waht":5}"#.to_owned(), 0),
    ] {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        let options = CallOptions::new().before_effect(move || {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let _ = session.call_with("own_desk__do_it", &arguments, options).await;
        assert_eq!(count.load(Ordering::SeqCst), expected, "{arguments}");
    }
    // What Mitt brings along changes its own session at most.
    let bundled = host().registry().tools().await;
    assert!(bundled.iter().all(|tool| !tool.has_lasting_effect()));
}

#[tokio::test]
async fn a_tool_of_the_host_has_a_time_and_the_place_of_its_call() {
    let one = ConcurrencyLimits {
        total: 1,
        per_tenant: 1,
        wait: Duration::from_millis(50),
        ..ConcurrencyLimits::default()
    };
    let host = small().concurrency(one).tool(Desk::new("do-it")).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let report = session.call("own_desk__do_it", &what("wait")).await;
    let error = report.result.unwrap_err();
    assert_eq!(error.limit_reached().unwrap().what, Resource::Time, "{error}");
    // Reading a document and a nested call both run in the only place that there is.
    let report = session.call("own_desk__do_it", &what("add a.csv")).await;
    assert_eq!(report.result.unwrap().to_string(), r#""a.csv""#);
    assert_eq!(session.documents().len(), 1);
    let report = session.call("own_desk__do_it", &what("call own_desk__do_it")).await;
    assert_eq!(report.result.unwrap().as_str(), Some(r#""inside""#));
    let other = session.clone();
    let waiting =
        tokio::spawn(async move { other.call("own_desk__do_it", &what("wait")).await.result });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let report = session.call("own_desk__do_it", &what("say x")).await;
    assert!(matches!(kind(&report), ErrorKind::Busy { .. }));
    waiting.await.unwrap().unwrap_err();
}

#[tokio::test]
async fn what_is_for_models_is_not_there_for_plugins_and_scripts() {
    let host = host()
        .with_tool(Desk::new("do-it"))
        .unwrap()
        .with_tool(Desk { name: "only-me", is_for_models_only: true })
        .unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let report = session.call("own_desk__only_me", &what("say x")).await;
    assert!(report.result.is_ok());
    let report = session.call("own_desk__do_it", &what("call own_desk__only_me")).await;
    assert_eq!(kind(&report), ErrorKind::UnknownTool);
    // A script finds the others in a module.
    let code = "import own_desk\n[own_desk.do_it(what='say script'), hasattr(own_desk, 'only_me')]";
    let report = script(&session, "python", code).await;
    let outcome: Value = report.result.unwrap().into();
    assert_eq!(outcome["result"], json!(["script", false]), "{outcome}");
    // Sessions of a host without it do not see it.
    let report = script(&crate::support::session(), "python", "import own_desk").await;
    let outcome: Value = report.result.unwrap().into();
    assert_eq!(outcome["status"], "error", "{outcome}");
}

#[tokio::test]
async fn no_skill_takes_the_name_of_a_tool_of_the_host() {
    let plain = small()
        .component_bytes("own-desk", component(1))
        .component_bytes("other", component(2))
        .build()
        .unwrap();
    let session = plain.session(SessionOptions::default()).unwrap();
    assert!(session.call("own_desk__run", "{}").await.result.is_ok());

    let host = plain.with_tool(Desk::new("do-it")).unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let (tools, failures) = session.registry().listing().await;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["other__run", "own_desk__do_it"]);
    let told: Vec<String> = failures.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "skill `own-desk` would have tools named `own_desk__...`, and that name is the host's own; give it another one"
        ]
    );
    let report = session.call("own_desk__run", "{}").await;
    assert!(report.result.unwrap_err().to_string().contains("that name is the host's own"));
    assert!(session.call("own_desk__do_it", &what("say x")).await.result.is_ok());
    // Other hosts are unchanged.
    let session = plain.session(SessionOptions::default()).unwrap();
    assert!(session.call("own_desk__run", "{}").await.result.is_ok());
    let error = host.with_tool(Desk::new("do-it")).unwrap_err();
    assert_eq!(error.to_string(), "two tools of the host are named `own_desk__do_it`");
}

/// The server, and only the server, leaves out a skill named `documents`.
#[tokio::test]
async fn a_skill_cannot_shadow_the_tool_that_adds_documents() {
    let host = small().component_bytes("documents", component(1)).build().unwrap();
    let server = Server::new(host, ServerOptions::default()).unwrap();
    let session = server.host().session(SessionOptions::default()).unwrap();
    let added = r#"{"name":"a.txt","text":"hello"}"#;
    let report = session.call("documents__add", added).await;
    let result: Value = report.result.unwrap().into();
    assert_eq!(result["uri"], "mitt://documents/a.txt");
    let report = session.call("documents__run", "{}").await;
    assert!(report.result.unwrap_err().to_string().contains("that name is the host's own"));
    let journal = session.journal();
    assert!(journal.iter().any(|it| it["kind"] == "call" && it["tool"] == "documents__add"));
}
