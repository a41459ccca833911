//! Capabilities of an embedder: granted by name like Mitt's own, subject to the limits of the call, and reported where they
//! are missing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mitt::skill::{Manifest, TrustStore};
use mitt::wasmtime::{self, component::Linker};
use mitt::{CallContext, ErrorKind, Host, HostBuilder, Resource, SessionOptions};

use crate::support::{TestSkill, call, importing, kind, mitt, text};

const INTERFACE: &str = "acme:crm/customers@1.2.0";

/// A component whose tool `run` returns what `get` of the interface returns.
const ASKING: &str = r#"(component
    (import "acme:crm/customers@1.2.0" (instance $crm (export "get" (func (result u32)))))
    (core func $get (canon lower (func $crm "get")))
    (core module $m (import "" "get" (func $get (result i32)))
        (func (export "run") (result i32) (call $get)))
    (core instance $i (instantiate $m (with "" (instance (export "get" (func $get))))))
    (func (export "run") (result u32) (canon lift (core func $i "run"))))"#;

fn builder(skill: &TestSkill) -> HostBuilder {
    Host::builder().no_cache().bundled_skills(false).skills(skill.path())
}

fn seven(linker: &mut Linker<CallContext>) -> wasmtime::Result<()> {
    linker.instance(INTERFACE)?.func_wrap("get", |_, ()| Ok((7_u32,)))
}

fn with_crm(skill: &TestSkill) -> HostBuilder {
    builder(skill).capability("crm", [INTERFACE], seven)
}

#[tokio::test]
async fn what_is_granted_is_there_and_knows_its_caller() {
    let skill = TestSkill::new("asking", ASKING, "grants: [crm, log]");
    let host = builder(&skill).capability("crm", [INTERFACE], |linker| {
        linker.instance(INTERFACE)?.func_wrap("get", |call, ()| {
            let call = call.data();
            assert_eq!((call.tenant(), call.skill()), ("acme", "asking"));
            assert!(call.extension::<String>().is_none(), "it is no text");
            let number = call.extension::<u32>().map_or(0, |number| *number);
            Ok((number * 10 + u32::try_from(call.session()).unwrap(),))
        })
    });
    let host = host.build().unwrap();
    for (number, extension) in [Some(4_u32), None].into_iter().enumerate() {
        let session = host.session(SessionOptions {
            tenant: Some("acme".into()),
            extension: extension.map(|it| Arc::new(it) as _),
            ..SessionOptions::default()
        });
        let report = call(&session.unwrap(), "asking__run").await;
        let first = extension.unwrap_or_default() * 10;
        let expected = first + u32::try_from(number).unwrap();
        assert_eq!(report.result.unwrap().to_string(), expected.to_string());
    }
}

#[tokio::test]
async fn what_is_not_granted_is_refused_by_its_name() {
    for grants in ["", "grants: [log]"] {
        let skill = TestSkill::new("asking", ASKING, grants);
        let session = with_crm(&skill).build().unwrap().session(SessionOptions::default()).unwrap();
        let error = call(&session, "asking__run").await.result.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Denied);
        insta::allow_duplicates! {
            insta::assert_snapshot!(error.render(), @r"
            skill `asking`: the plugin imports `acme:crm/customers@1.2.0`, but its skill does not grant `crm`
            hint: add `crm` to `grants` in `skill.yaml` if the skill should have it
            ");
        }
    }
    // A component without a manifest is granted nothing.
    let host = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .component_bytes("asking", wat::parse_str(ASKING).unwrap())
        .capability("crm", [INTERFACE], seven);
    let session = host.build().unwrap().session(SessionOptions::default()).unwrap();
    assert_eq!(kind(&call(&session, "asking__run").await), ErrorKind::Denied);
}

#[tokio::test]
async fn what_the_host_does_not_have_is_told_with_what_it_has() {
    let skill = TestSkill::new("asking", ASKING, "grants: [crm]");
    let error = builder(&skill).build().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Load);
    let told = "skill.yaml: grants: expected one of catalog, documents, fetch, files, log, render, signing, tables, tools, workspace, got `crm`";
    assert!(error.to_string().ends_with(told), "{error}");
    // The name of the interface is not that of the capability.
    let skill = TestSkill::new("asking", ASKING, "grants: [customers]");
    let error = with_crm(&skill).build().unwrap_err().to_string();
    assert!(error.contains("workspace, crm, got `customers`"), "{error}");
    // An interface that nobody provides.
    let skill = TestSkill::new("other", &importing("acme:erp/orders@1.0.0"), "grants: [crm]");
    let session = with_crm(&skill).build().unwrap().session(SessionOptions::default()).unwrap();
    let error = call(&session, "other__run").await.result.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Load);
    assert!(error.render().contains("`HostBuilder::capability`"), "{}", error.render());
}

#[test]
fn names_that_clash_and_links_that_fail_are_refused_at_once() {
    for (name, interface, problem) in [
        ("log", INTERFACE, "capability `log`: every host has one of this name"),
        ("crm", "mitt:host/log@0.1.0", "an embedder cannot offer"),
        ("crm", "customers", "an interface such as"),
    ] {
        let host = Host::builder().no_cache().capability(name, [interface], |_| Ok(()));
        let error = host.build().unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Load);
        assert!(error.to_string().contains(problem), "{error}");
    }
    let twice = Host::builder().no_cache().capability("crm", [INTERFACE], |linker| {
        seven(linker)?;
        seven(linker)
    });
    let error = twice.build().unwrap_err().to_string();
    assert!(error.starts_with("capability `crm`: its functions cannot be linked"), "{error}");
}

#[tokio::test]
async fn another_type_than_the_plugins_is_no_crash() {
    let skill = TestSkill::new("asking", ASKING, "grants: [crm]");
    let host = builder(&skill).capability("crm", [INTERFACE], |linker| {
        linker.instance(INTERFACE)?.func_wrap("get", |_, ()| Ok((String::from("seven"),)))
    });
    let session = host.build().unwrap().session(SessionOptions::default()).unwrap();
    let error = call(&session, "asking__run").await.result.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Load);
    assert!(error.to_string().contains("imports cannot be satisfied"), "{error}");
}

/// Set when the future that holds it is dropped.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn the_deadline_ends_what_a_function_awaits() {
    let skill = TestSkill::new("asking", ASKING, "grants: [crm]\nlimits: {time: 200ms}");
    let is_dropped = Arc::<AtomicBool>::default();
    let dropped = is_dropped.clone();
    let host = builder(&skill).capability("crm", [INTERFACE], move |linker| {
        let dropped = dropped.clone();
        linker.instance(INTERFACE)?.func_wrap_async("get", move |_, ()| {
            let dropped = Dropped(dropped.clone());
            Box::new(async move {
                std::future::pending::<()>().await;
                drop(dropped);
                Ok((0_u32,))
            })
        })
    });
    let session = host.build().unwrap().session(SessionOptions::default()).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(20), call(&session, "asking__run")).await;
    match kind(&ended.expect("the deadline has passed")) {
        ErrorKind::Limit(limit) => assert_eq!((limit.what, limit.limit), (Resource::Time, 200)),
        kind => panic!("{kind:?}"),
    }
    assert!(is_dropped.load(Ordering::SeqCst));
}

#[tokio::test]
async fn an_error_of_a_function_ends_the_plugin_as_a_crash_does() {
    let skill = TestSkill::new("asking", ASKING, "grants: [crm]");
    let host = builder(&skill).capability("crm", [INTERFACE], |linker| {
        linker.instance(INTERFACE)?.func_wrap("get", |_, ()| -> wasmtime::Result<(u32,)> {
            Err(wasmtime::Error::msg("the database is away"))
        })
    });
    let session = host.build().unwrap().session(SessionOptions::default()).unwrap();
    let error = call(&session, "asking__run").await.result.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Trap);
    assert!(error.to_string().contains("the database is away"), "{error}");
}

#[tokio::test]
async fn an_approval_is_for_it_too() {
    let skill = TestSkill::new("asking", ASKING, "grants: [crm]");
    let file = skill.path().join("trust/approvals.json");
    let host = with_crm(&skill).trust(&file).build().unwrap();
    let session = || host.session(SessionOptions::default()).unwrap();
    let error = call(&session(), "asking__run").await.result.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Denied);
    assert!(error.to_string().ends_with("skill `asking` is not approved for `crm`"), "{error}");
    let mut store = TrustStore::read(&file).unwrap();
    let approval = store.approve(&host.registry().found("asking").unwrap()).unwrap();
    assert_eq!(approval.grants, ["crm"]);
    store.write(&file).unwrap();
    assert_eq!(host.reload().await.unwrap().added, ["asking"]);
    assert_eq!(call(&session(), "asking__run").await.result.unwrap().to_string(), "7");
}

#[test]
fn the_program_tells_that_it_is_unknown_here() {
    let manifest = "schema: 1\nname: a\nversion: 1.0.0\ndescription: x\ncomponent: a.wasm\n";
    let parsed = |grants: &str| Manifest::parse(&format!("{manifest}grants: {grants}\n"), "a");
    assert_eq!(parsed("[crm]").unwrap().grants[0].name(), "crm");
    let error = parsed("[{crm: {rows: 5}}]").unwrap_err().to_string();
    assert!(error.contains("`crm` has no bounds"), "{error}");

    let skill = TestSkill::new("asking", ASKING, "grants: [crm]");
    let run = |args: &[&str]| {
        let output = mitt(skill.path(), args);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (_, stdout, _) = run(&["skill", "check", "asking"]);
    for line in [
        "warning: skill.yaml: grants: expected one of catalog, documents, fetch, files, log, render, signing, tables, tools, workspace, got `crm`; a program that embeds",
        "warning: asking.wasm: the plugin imports `acme:crm/customers@1.2.0`, which this host does not have; a program that",
    ] {
        assert!(stdout.contains(line), "{stdout}");
    }
    assert!(!stdout.contains("error: asking.wasm: the plugin imports"), "{stdout}");
    let (code, stdout, stderr) = run(&["inspect", "asking"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("its skill grants `crm`, which is unknown here"), "{stdout}");
    let (code, _, stderr) = run(&["tools", "--skills", "."]);
    assert_eq!(code, Some(8));
    assert!(
        stderr.contains("grants: expected one of catalog, documents, fetch, files, log"),
        "{stderr}"
    );
}
