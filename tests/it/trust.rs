//! Grants are bound to a component: unapproved tools are not offered, and a changed component needs a new approval.

use mitt::skill::TrustStore;
use mitt::{ErrorKind, Host, Remedy, SessionOptions};

use crate::support::{TestSkill, kind};

/// Returns a tool that uses no capability but is granted one, and that differs by `number`.
fn component(number: u32) -> String {
    format!(
        r#"(component
            (core module $m (func (export "run") (result i32) i32.const {number}))
            (core instance $i (instantiate $m))
            (func (export "run") (result u32) (canon lift (core func $i "run"))))"#
    )
}

async fn call(host: &Host) -> Result<String, (ErrorKind, String)> {
    let session = host.session(SessionOptions::default()).unwrap();
    let report = session.call("granted__run", "{}").await;
    match &report.result {
        Ok(json) => Ok(json.to_string()),
        Err(error) => Err((kind(&report), error.render())),
    }
}

#[tokio::test]
async fn grants_bind_to_the_component() {
    let skill = TestSkill::new("granted", &component(1), "grants: [log, workspace]");
    let file = skill.path().join("trust/approvals.json");
    let host = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .skills(skill.path())
        .trust(&file)
        .build()
        .unwrap();
    let (kind, text) = call(&host).await.unwrap_err();
    assert_eq!(kind, ErrorKind::Denied);
    insta::assert_snapshot!(text, @r"
    Unknown tool: granted__run: skill `granted` is not approved for `workspace`
    hint: the host's operator can look at it, and approve it: `TrustStore::approve`
    ");
    assert!(host.registry().tools().await.is_empty(), "it is not offered either");

    let mut store = TrustStore::read(&file).unwrap();
    store.approve(&host.registry().found("granted").unwrap()).unwrap();
    store.write(&file).unwrap();
    assert_eq!(host.reload().await.unwrap().added, ["granted"]);
    assert_eq!(call(&host).await.unwrap(), "1");

    // Another component under the same name.
    let wasm = skill.path().join("granted/granted.wasm");
    std::fs::write(&wasm, wat::parse_str(component(2)).unwrap()).unwrap();
    assert_eq!(host.reload().await.unwrap().removed, ["granted"]);
    let (kind, text) = call(&host).await.unwrap_err();
    assert_eq!(kind, ErrorKind::Denied);
    assert!(text.contains("runs something else than what was approved for `workspace`"), "{text}");

    // Further grants of the approved component count only after their approval.
    std::fs::write(&wasm, wat::parse_str(component(1)).unwrap()).unwrap();
    let yaml = skill.path().join("granted/skill.yaml");
    let text = std::fs::read_to_string(&yaml).unwrap();
    std::fs::write(&yaml, text.replace("[log, workspace]", "[log, workspace, render]")).unwrap();
    host.reload().await;
    let (_, text) = call(&host).await.unwrap_err();
    assert!(text.contains("is not approved for `render`"), "{text}");
    std::fs::write(&yaml, text_without_grants(&yaml)).unwrap();
    host.reload().await.unwrap();
    assert_eq!(call(&host).await.unwrap(), "1", "no grants, no approval");
}

fn text_without_grants(yaml: &std::path::Path) -> String {
    let text = std::fs::read_to_string(yaml).unwrap();
    text.lines()
        .filter(|line| !line.starts_with("grants"))
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn a_damaged_file_of_approvals_is_refused() {
    let skill = TestSkill::new("granted", &component(1), "");
    let file = skill.path().join("approvals.json");
    for content in
        ["", "{}", r#"{"schema": 3, "approvals": {}}"#, r#"{"schema": 1, "approvals": {"a": 1}}"#]
    {
        std::fs::write(&file, content).unwrap();
        let error =
            Host::builder().no_cache().bundled_skills(false).trust(&file).build().unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Load, "{content}");
        assert!(error.remedies().eq([&Remedy::TrustAgain]), "{error:?}");
    }
    let mut store = TrustStore::default();
    assert!(store.approvals("granted").is_empty() && !store.revoke("granted"));
}

/// Skills in the binary need no approval.
#[tokio::test]
async fn bundled_skills_are_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::builder().no_cache().trust(folder.path().join("none.json")).build().unwrap();
    assert!(host.registry().skill("report").is_ok());
}
