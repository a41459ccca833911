//! Skills as an operator sees them: listed, shown, description only, with overlays, and the schema of their manifest.

use std::fs;
use std::path::Path;

use mitt::Host;
use mitt::skill::Manifest;
use serde_json::Value;

use crate::support::{TestSkill, mitt, text};

const EMPTY: &str = r#"(component
    (core module $m (func (export "run")))
    (core instance $i (instantiate $m))
    (func (export "run") (canon lift (core func $i "run"))))"#;

fn out(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, args);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A folder with only a `SKILL.md` is a skill without tools; problems are reported.
#[test]
fn a_described_skill_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [
        (
            "house-style",
            "---\nname: house-style\ndescription: How reports are written here.\n---\nWrite short sentences.\n",
        ),
        ("Loose", "---\ndescription: Use: often\n---\nText.\n"),
    ] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("SKILL.md"), content).unwrap();
    }
    fs::create_dir(folder.path().join(".mitt-install-1")).unwrap();
    fs::write(folder.path().join(".mitt-install-1/SKILL.md"), "half").unwrap();
    let host =
        Host::builder().no_cache().bundled_skills(false).skills(folder.path()).build().unwrap();
    let registry = host.registry();
    let names: Vec<_> = registry.skills().map(|skill| skill.manifest().name.clone()).collect();
    assert_eq!(names, ["house-style", "loose"]);
    let skill = registry.skill("house-style").unwrap();
    assert_eq!(skill.manifest().description, "How reports are written here.");
    let text = skill.instructions();
    assert!(text.starts_with("---\n") && text.ends_with("Write short sentences.\n"), "{text:?}");
    assert!(skill.warnings().is_empty() && !registry.skill("loose").unwrap().warnings().is_empty());
    let path = folder.path().to_str().unwrap();
    let (code, stdout, stderr) =
        out(folder.path(), &["tools", "--no-bundled-skills", "--skills", path]);
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert!(stderr.contains("warning: skill `loose`"), "{stderr}");
    let (code, stdout, _) = out(folder.path(), &["skill", "show", "house-style", "--skills", path]);
    assert_eq!(code, 0);
    assert!(stdout.contains("grants      none"), "{stdout}");
}

#[test]
fn skills_are_listed_and_shown() {
    let skill = TestSkill::new(
        "shown",
        EMPTY,
        "tags: [a, b]\ndepends_on: [{name: table-tool, version: '^0.1'}]\nlimits: {time: 5s}\n\
         tools: [{name: run, readOnly: true, timeout: 2s, retry: {maxAttempts: 3}}]",
    );
    let path = skill.path().to_str().unwrap();
    let (code, stdout, _) = out(skill.path(), &["skill", "show", "shown", "--skills", path]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = stdout
        .lines()
        .filter(|line| !line.starts_with("source") && !line.starts_with("runs"))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    shown 0.1.0
      a test
    grants      none
    depends on  table-tool ^0.1
    limits      5s, fuel 10000000000, memory 134217728 bytes
    tags        a, b
    tool        shown__run  (reads only, timeout 2s, up to 3 attempts)
    ");
    let (code, stdout, _) =
        out(skill.path(), &["skill", "show", "shown", "--json", "--skills", path]);
    let shown: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (code, &shown["limits"]["time_ms"], &shown["tools"][0]["attempts"]),
        (0, &5_000.into(), &3.into())
    );
    let (code, _, stderr) = out(skill.path(), &["skill", "show", "shwon", "--skills", path]);
    assert!(code == 8 && stderr.contains("did you mean `shown`?"), "{stderr}");

    fs::write(skill.path().join("o.yaml"), "schema: 1\ndisable: [table-tool]\n").unwrap();
    let overlay = ["--overlay", "o.yaml", "--skills", path];
    let (code, stdout, _) = out(skill.path(), &[&["skill", "list"], &overlay[..]].concat());
    assert_eq!(code, 0);
    assert!(stdout.contains("(depends on `table-tool`, which is disabled)"), "{stdout}");
    assert!(stdout.contains("excel-tool        0.1.0  bundled\n"), "{stdout}");
    let (code, stdout, _) =
        out(skill.path(), &[&["skill", "list", "--json"], &overlay[..]].concat());
    let listed: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(code, 0);
    assert_eq!(listed["skills"].as_array().unwrap().len(), 28);
    let (code, _, stderr) = out(skill.path(), &["skill", "list", "--overlay", "missing.yaml"]);
    assert!(code == 8 && stderr.contains("cannot read the overlay missing.yaml"), "{stderr}");
}

/// The published schema accepts what the host accepts, as far as the form goes.
#[test]
fn the_schema_of_manifests_is_theirs() {
    let (code, stdout, _) = out(Path::new("."), &["skill", "schema"]);
    assert_eq!((code, stdout.as_str()), (0, Manifest::JSON_SCHEMA));
    let schema: Value = serde_json::from_str(&stdout).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let base = r#""schema": 1, "name": "a-b", "version": "1.0.0", "description": "x""#;
    let with = |more: &str| format!("{{{base}, {more}}}");
    for (manifest, is_one) in [
        (with(r#""component": "a.wasm""#), true),
        (with(r#""component": "a.wasm.zst", "enabled": false, "tags": ["a"]"#), true),
        (format!("{{{base}}}"), true),
        (with(r#""component": "../a.wasm""#), false),
        (with(r#""component": "a.exe""#), false),
        (with(r#""component": "a.wasm", "grants": ["log", "render"]"#), true),
        (with(r#""component": "a.wasm", "grants": ["of-an-embedder"]"#), true),
        (with(r#""component": "a.wasm", "grants": ["Shell"]"#), false),
        (
            with(
                r#""component": "a.wasm", "grants": [{"workspace": {"bytes": "1MiB", "files": 2, "readOnly": true}}]"#,
            ),
            true,
        ),
        (
            with(
                r#""component": "a.wasm", "grants": [{"render": {"formats": ["pdf"], "files": 1}}, {"tools": {"only": ["b"]}}]"#,
            ),
            true,
        ),
        (with(r#""component": "a.wasm", "grants": [{"log": {}}]"#), false),
        (with(r#""component": "a.wasm", "grants": [{"render": {"pages": 1}}]"#), false),
        (with(r#""component": "a.wasm", "grants": [{"workspace": {}, "render": {}}]"#), false),
        (
            with(
                r#""component": "a.wasm", "limits": {"time": "1m", "fuel": 5, "memory": "64MiB"}"#,
            ),
            true,
        ),
        (with(r#""component": "a.wasm", "limits": {"time": "5"}"#), false),
        (with(r#""component": "a.wasm", "limits": {"fuel": 0}"#), false),
        (with(r#""component": "a.wasm", "limits": {"memory": "64MB"}"#), false),
        (with(r#""component": "a.wasm", "reader": {"extensions": ["x"]}"#), true),
        (with(r#""component": "a.wasm", "script": {"language": "x"}"#), true),
        (with(r#""component": "a.wasm", "script": {}"#), false),
        (with(r#""depends_on": ["b", {"name": "c", "version": "^1"}]"#), true),
        (with(r#""depends_on": [{"version": "^1"}]"#), false),
        (with(r#""unknown": 1"#), false),
        (
            with(
                r#""component": "a.wasm", "tools": [{"name": "f", "title": "F", "timeout": "5s", "idempotent": true, "readOnly": true}]"#,
            ),
            true,
        ),
        (
            with(
                r#""component": "a.wasm", "tools": [{"name": "f", "retry": {"maxAttempts": 3, "backoff": "exponential", "initialDelay": "1s", "maxDelay": "30s", "jitter": "full"}}]"#,
            ),
            true,
        ),
        (
            with(r#""component": "a.wasm", "tools": [{"name": "f", "retry": {"maxAttempts": 0}}]"#),
            false,
        ),
        (
            with(
                r#""component": "a.wasm", "tools": [{"name": "f", "retry": {"backoff": "random"}}]"#,
            ),
            false,
        ),
        (with(r#""component": "a.wasm", "tools": [{"title": "F"}]"#), false),
        (r#"{"schema": 2, "name": "a", "version": "1.0.0", "description": "x"}"#.to_owned(), false),
        (r#"{"schema": 1, "name": "A", "version": "1.0.0", "description": "x"}"#.to_owned(), false),
        (r#"{"schema": 1, "name": "a", "version": "1.0", "description": "x"}"#.to_owned(), false),
        (r#"{"schema": 1, "name": "a", "version": "1.0.0"}"#.to_owned(), false),
    ] {
        let value: Value = serde_json::from_str(&manifest).unwrap();
        assert_eq!(validator.is_valid(&value), is_one, "schema: {manifest}");
        assert_eq!(Manifest::parse(&manifest, "skill.yaml").is_ok(), is_one, "host: {manifest}");
    }
    for key in
        ["grants: [log]", "tools: [{name: f}]", "limits: {time: 1s}", "reader: {extensions: [x]}"]
    {
        let yaml = format!("schema: 1\nname: a\nversion: 1.0.0\ndescription: x\n{key}\n");
        let error = Manifest::parse(&yaml, "skill.yaml").unwrap_err();
        assert!(error.to_string().contains("needs a `component`"), "{error}");
    }
}
