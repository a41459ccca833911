//! Overlays: how tenants and sessions see the same skills differently.

use std::collections::BTreeMap;
use std::path::Path;

use mitt::skill::{Layer, Overlay};
use mitt::{ErrorKind, Host, HostBuilder, Session, SessionOptions};

use crate::support::kind;

/// Returns a tool `run` that returns the larger of its argument and `least`.
fn component(least: u32) -> Vec<u8> {
    let text = format!(
        r#"(component
            (core module $m (func (export "run") (param i32) (result i32)
                (select (local.get 0) (i32.const {least}) (i32.gt_u (local.get 0) (i32.const {least})))))
            (core instance $i (instantiate $m))
            (func (export "run") (param "n" u32) (result u32) (canon lift (core func $i "run"))))"#
    );
    wat::parse_str(text).unwrap()
}

fn write(root: &Path, name: &str, version: &str, least: u32, more: &str) {
    let folder = root.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("plugin.wasm"), component(least)).unwrap();
    std::fs::write(folder.join("SKILL.md"), "").unwrap();
    let manifest = format!(
        "schema: 1\nname: {name}\nversion: {version}\ndescription: a test\ncomponent: plugin.wasm\n{more}\n"
    );
    std::fs::write(folder.join("skill.yaml"), manifest).unwrap();
}

/// Version 1.0.0 of `one` and `two` in one folder, 2.0.0 of `one` in a later one.
struct Places(tempfile::TempDir, tempfile::TempDir);

impl Places {
    fn new() -> Places {
        let places = Places(tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(places.0.path(), "one", "1.0.0", 1, "");
        write(places.0.path(), "two", "1.0.0", 0, "depends_on: [one]");
        write(places.1.path(), "one", "2.0.0", 2, "limits: { time: 10s }");
        places
    }

    fn builder(&self) -> HostBuilder {
        Host::builder().no_cache().bundled_skills(false).skills(self.0.path()).skills(self.1.path())
    }
}

fn overlay(yaml: &str) -> Overlay {
    Overlay::parse(yaml, "overlay.yaml").unwrap()
}

fn session(host: &Host, tenant: &str, assignment: &str) -> Session {
    let options = SessionOptions {
        tenant: Some(tenant.to_owned()),
        assignment: Some(assignment.to_owned()),
        ..SessionOptions::default()
    };
    host.session(options).unwrap()
}

async fn run(session: &Session, tool: &str, n: u32) -> String {
    let report = session.call(tool, &format!("{{\"n\": {n}}}")).await;
    report.result.map_or_else(|error| error.to_string(), |json| json.to_string())
}

#[tokio::test]
async fn each_tenant_sees_its_own_skills() {
    let places = Places::new();
    let host = places
        .builder()
        .overlay(Layer::User, overlay("{schema: 1, disable: [two]}"))
        .tenant("pinned", overlay("{schema: 1, pin: {one: '<2'}}"))
        .tenant("wide", overlay("{schema: 1, enable: [two]}"))
        .tenant("without", overlay("{schema: 1, disable: [one], enable: [two]}"))
        .tenant(
            "narrow",
            overlay("{schema: 1, tools: [{name: one__run, inputSchema: {properties: {n: {maximum: 9, default: 7}}}}]}"),
        )
        .build()
        .unwrap();
    let see = |tenant: &str| session(&host, tenant, "");
    assert_eq!(run(&see("anyone"), "one__run", 0).await, "2");
    assert_eq!(run(&see("pinned"), "one__run", 0).await, "1");
    assert!(run(&see("anyone"), "two__run", 0).await.contains("skill `two` is disabled"));
    assert_eq!(run(&see("wide"), "two__run", 5).await, "5");
    let without = run(&see("without"), "two__run", 5).await;
    assert!(without.contains("depends on `one`, which is disabled"), "{without}");
    assert!(run(&see("narrow"), "one__run", 10).await.contains("at most 9"));
    assert_eq!(see("narrow").call("one__run", "{}").await.result.unwrap().to_string(), "7");
    // Others are not narrowed by it.
    assert_eq!(run(&see("anyone"), "one__run", 10).await, "10");
    // Sessions of a tenant share prepared skills.
    let (a, b) = (see("narrow").registry(), see("narrow").registry());
    assert!(std::sync::Arc::ptr_eq(&a.skill("one").unwrap(), &b.skill("one").unwrap()));
}

#[tokio::test]
async fn limits_are_lowered_and_never_raised() {
    let places = Places::new();
    let host = places
        .builder()
        .tenant("slow", overlay("{schema: 1, limits: {one: {fuel: 1}}}"))
        .build()
        .unwrap();
    let report = session(&host, "slow", "").call("one__run", r#"{"n": 1}"#).await;
    assert!(matches!(kind(&report), ErrorKind::Limit(limit) if limit.limit == 1));
    assert_eq!(run(&session(&host, "other", ""), "one__run", 3).await, "3");
    let error = places
        .builder()
        .tenant("greedy", overlay("{schema: 1, limits: {one: {time: 11s}}}"))
        .build()
        .unwrap_err();
    insta::assert_snapshot!(error.render(), @r##"
    tenant `greedy`: skill `one` cannot be adjusted: overlay: one: limits.time: expected at most the skill's own limit; an overlay only lowers
    hint: add or correct what it needs, or remove or disable the skill
    "##);
}

#[test]
fn a_pin_that_nothing_fits_is_refused() {
    let places = Places::new();
    let error = places
        .builder()
        .overlay(Layer::System, overlay("{schema: 1, pin: {one: '^3'}}"))
        .build()
        .unwrap_err();
    insta::assert_snapshot!(error.render(), @r##"
    skill `one` is pinned to other versions than `1.0.0`, `2.0.0`
    hint: add or correct what it needs, or remove or disable the skill
    "##);
}

#[tokio::test]
async fn experiments_are_stable_for_a_session() {
    let places = Places::new();
    let experiment = "{schema: 1, experiments: [{skill: one, variants: [{version: '^1', weight: 1}, {version: '^2', weight: 1}]}]}";
    let host = places.builder().overlay(Layer::Project, overlay(experiment)).build().unwrap();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for number in 0..40 {
        let assignment = format!("user {number}");
        let first = run(&session(&host, "a", &assignment), "one__run", 0).await;
        for _ in 0..3 {
            assert_eq!(run(&session(&host, "a", &assignment), "one__run", 0).await, first);
        }
        *counts.entry(first).or_default() += 1;
    }
    assert!(counts.len() == 2 && counts.values().all(|count| *count >= 8), "{counts:?}");
}

/// A misspelled overlay would disable nothing, so it is refused at the start.
#[test]
fn overlays_of_what_is_not_there_are_refused() {
    let places = Places::new();
    for (yaml, problem) in [
        ("{schema: 1, disable: [One]}", "overlay: no skill `One`"),
        ("{schema: 1, pin: {three: '*'}}", "overlay: no skill `three`"),
        (
            "{schema: 1, experiments: [{skill: one, variants: [{version: '^9', weight: 1}]}]}",
            "no version `^9` of `one`",
        ),
    ] {
        let error = places.builder().overlay(Layer::User, overlay(yaml)).build().unwrap_err();
        assert!(error.render().contains(problem), "{}", error.render());
        let error = places.builder().tenant("t", overlay(yaml)).build().unwrap_err();
        assert!(error.render().starts_with("tenant `t`: overlay"), "{}", error.render());
    }
}

/// A change reaches the sessions of tenants too.
#[tokio::test]
async fn views_follow_a_reload() {
    let places = Places::new();
    let host =
        places.builder().tenant("t", overlay("{schema: 1, pin: {one: '^2'}}")).build().unwrap();
    let session = session(&host, "t", "");
    assert_eq!(run(&session, "one__run", 0).await, "2");
    write(places.1.path(), "one", "2.1.0", 21, "");
    host.reload().await.unwrap();
    assert_eq!(run(&session, "one__run", 0).await, "21");
    std::fs::remove_dir_all(places.1.path().join("one")).unwrap();
    host.reload().await.unwrap();
    assert!(
        run(&session, "one__run", 0).await.contains("is pinned to other versions than `1.0.0`")
    );
}
