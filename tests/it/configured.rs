//! What users of skills with a `skill.yaml` expect, and mistakes of other hosts of skills.

use std::fs;
use std::path::Path;

use mitt::{ErrorKind, Host, SessionOptions};
use serde_json::Value;

use crate::support::{TestSkill, call, mitt, text};

/// A tool that counts its calls in its own memory.
const COUNTER: &str = r#"(component
    (core module $m
        (global $calls (mut i32) (i32.const 0))
        (func (export "run") (result i32)
            (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
            (global.get $calls)))
    (core instance $i (instantiate $m))
    (func (export "run") (result u32) (canon lift (core func $i "run")))
    (func (export "again") (result u32) (canon lift (core func $i "run"))))"#;

fn write(root: &Path, folder: &str, name: &str, more: &str) {
    let folder = root.join(folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("plugin.wasm"), wat::parse_str(COUNTER).unwrap()).unwrap();
    fs::write(folder.join("SKILL.md"), "").unwrap();
    let manifest = format!(
        "schema: 1\nname: {name}\nversion: 0.1.0\ndescription: a test\ncomponent: plugin.wasm\n{more}\n"
    );
    fs::write(folder.join("skill.yaml"), manifest).unwrap();
}

fn host(root: &Path) -> Host {
    Host::builder().no_cache().bundled_skills(false).skills(root).build().unwrap()
}

async fn tools(host: &Host) -> Vec<String> {
    host.registry().tools().await.iter().map(|tool| tool.name.to_string()).collect()
}

#[tokio::test]
async fn a_folder_with_a_manifest_is_a_skill() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "one", "one", "enabled: true\ntags: [a]\ndepends_on: []\ntools: []");
    assert_eq!(tools(&host(root.path())).await, ["one__again", "one__run"]);
    fs::rename(root.path().join("one/skill.yaml"), root.path().join("one/skill.yml")).unwrap();
    let error =
        Host::builder().no_cache().bundled_skills(false).skills(root.path()).build().unwrap_err();
    assert!(error.render().contains("expected the file `skill.yaml`"), "{}", error.render());
}

#[tokio::test]
async fn a_disabled_skill_is_listed_and_blocks_its_dependants() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "switched", "switched", "enabled: false\ndepends_on: [nothing]");
    write(root.path(), "user", "user", "depends_on: [switched]");
    let host = host(root.path());
    assert!(tools(&host).await.is_empty());
    let states: Vec<_> = host
        .registry()
        .states()
        .iter()
        .map(|state| format!("{} {}", state.name, state.blocked.as_ref().unwrap()))
        .collect();
    assert_eq!(states, ["switched is disabled", "user depends on `switched`, which is disabled"]);
}

#[test]
fn two_skills_of_one_name_are_both_named() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "a", "twin", "");
    write(root.path(), "b", "twin", "");
    let error =
        Host::builder().no_cache().bundled_skills(false).skills(root.path()).build().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Load);
    let report = error.render();
    assert!(report.contains("two skills are named `twin`"), "{report}");
    assert!(report.contains("/a") && report.contains("/b"), "{report}");
}

/// Two readers of one file type, or two tools with one name: both are named. Engines for one language may coexist.
#[test]
fn two_skills_for_one_type_of_file_or_one_tool_name_are_both_named() {
    let built = |name: &str, more: &str| {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), name, name, more);
        Host::builder().no_cache().skills(root.path()).build()
    };
    let error = built("aaa", "reader: { extensions: [xlsx] }").unwrap_err();
    assert_eq!(error.to_string(), "skill `aaa` and `reader-sheet` both read xlsx files");
    let error = built("cobol", "").and_then(|_| built("aaa", "script: { language: excel-tool }"));
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "skill `aaa` and `excel-tool` both have tools named `excel_tool__...`");
    // A rank does not displace a bundled engine; naming the other engine does.
    let engines = built("aaa", "script: { language: python, rank: 1000 }").unwrap().registry();
    assert_eq!(engines.script("python").unwrap().manifest().name, "python");
    assert_eq!(engines.script("aaa").unwrap().manifest().name, "aaa");
}

#[tokio::test]
async fn all_tools_of_a_skill_go_with_it() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "one", "one", "");
    write(root.path(), "two", "two", "");
    let host = host(root.path());
    assert_eq!(tools(&host).await, ["one__again", "one__run", "two__again", "two__run"]);
    fs::remove_dir_all(root.path().join("one")).unwrap();
    host.reload().await.unwrap();
    assert_eq!(tools(&host).await, ["two__again", "two__run"]);
}

#[test]
fn tools_are_listed_with_schemas_and_annotations() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "one", "one", "tools: [{name: run, title: Count, readOnly: true}]");
    let path = root.path().to_str().unwrap();
    let output = mitt(root.path(), &["tools", "--json", "--no-bundled-skills", "--skills", path]);
    let tools: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    insta::assert_snapshot!(tools[1], @r#"{"name":"one__run","title":"Count","skill":"one","description":"","input_schema":{"type":"object","properties":{},"required":[],"additionalProperties":false},"output_schema":{"type":"integer","minimum":0,"maximum":4294967295},"annotations":{"read_only":true,"idempotent":false,"destructive":false}}"#);
}

/// Nothing is initialised or destroyed between calls: no state of one call reaches the next.
#[tokio::test]
async fn an_instance_lives_for_one_call() {
    let skill = TestSkill::new("counter", COUNTER, "");
    let session = skill.session();
    for _ in 0..3 {
        assert_eq!(call(&session, "counter__run").await.result.unwrap().to_string(), "1");
    }
}

#[tokio::test]
async fn a_skill_without_dependencies_loads() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "one", "one", "");
    assert_eq!(tools(&host(root.path())).await.len(), 2);
}

#[tokio::test]
async fn keys_of_a_manifest_are_read_as_they_are_documented() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "base", "base", "");
    write(
        root.path(),
        "one",
        "one",
        "depends_on:\n- name: base\n  version: '>=0.1, <1'\ntools:\n- { name: run, inputSchema: { type: object } }",
    );
    assert_eq!(tools(&host(root.path())).await.len(), 4);
    // Spellings of other hosts are reported, not ignored.
    write(root.path(), "one", "one", "dependsOn: [base]");
    let error =
        Host::builder().no_cache().bundled_skills(false).skills(root.path()).build().unwrap_err();
    assert!(error.render().contains("did you mean `depends_on`?"), "{}", error.render());
}

#[tokio::test]
async fn a_skill_may_depend_on_one_in_a_later_folder() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "data-skill", "data-skill", "depends_on: [search-skill]");
    write(root.path(), "search-skill", "search-skill", "");
    assert_eq!(tools(&host(root.path())).await.len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_a_folder_holds_ends_the_watching() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "one", "one", "");
    let host = host(root.path());
    let _watch = host.watch().await.unwrap();
    let mut changes = host.changes();
    for broken in ["depends_on: [nothing]", "depends_on: [one]", "enabled: {", "grants: [nothing]"]
    {
        write(root.path(), "one", "one", broken);
        tokio::time::timeout(std::time::Duration::from_secs(60), changes.next())
            .await
            .unwrap()
            .unwrap();
    }
    fs::write(root.path().join("one/skill.yaml"), [0xff, 0xfe, 0]).unwrap();
    fs::create_dir(root.path().join("two")).unwrap();
    fs::create_dir(root.path().join("two/SKILL.md")).unwrap();
    write(root.path(), "three", "three", "");
    // Much more than it takes: other tests may keep the machine busy.
    for _ in 0..1_200 {
        if host.registry().skill("three").is_ok() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("nobody watches any more");
}

#[tokio::test]
async fn a_skill_that_fails_to_load_leaves_no_tool_behind() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "one", "one", "tools: [{name: run}, {name: walk}]");
    let host = host(root.path());
    // One missing tool takes the others with it, each time they are requested.
    for _ in 0..2 {
        let session = host.session(SessionOptions::default()).unwrap();
        let error = call(&session, "one__run").await.result.unwrap_err();
        assert!(error.to_string().contains("exports no function `walk`"), "{error}");
    }
}

#[tokio::test]
async fn a_skill_of_a_later_place_hides_the_whole_earlier_one() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(first.path(), "one", "one", "");
    write(second.path(), "one", "one", "");
    fs::write(
        second.path().join("one/plugin.wasm"),
        wat::parse_str(COUNTER.replace(r#"(export "again")"#, r#"(export "other")"#)).unwrap(),
    )
    .unwrap();
    let host = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .skills(first.path())
        .skills(second.path())
        .build()
        .unwrap();
    assert_eq!(tools(&host).await, ["one__other", "one__run"], "not a mixture of both");
    fs::remove_dir_all(second.path().join("one")).unwrap();
    host.reload().await.unwrap();
    assert_eq!(tools(&host).await, ["one__again", "one__run"], "the hidden one is there again");
}

#[tokio::test]
async fn skills_are_listed_in_the_same_order_each_time() {
    let root = tempfile::tempdir().unwrap();
    for name in ["zeta", "data-analysis", "alpha", "web-search"] {
        write(root.path(), name, name, "");
    }
    let wanted = ["alpha", "data-analysis", "web-search", "zeta"];
    for _ in 0..3 {
        let registry = host(root.path()).registry();
        let names: Vec<_> = registry.skills().map(|skill| skill.manifest().name.clone()).collect();
        assert_eq!(names, wanted);
    }
}
