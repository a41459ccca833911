//! New skills from `mitt skill new`: complete, and working without a change.

use std::fs;
use std::path::Path;
use std::process::Command;

use mitt::skill::author;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::support::{mitt, root, text};

/// The plugin of a new skill `word-count`, compiled for `wasm32-unknown-unknown` as its README says, with paths mapped away.
const MODULE: &[u8] = include_bytes!("../golden/word-count.module.wasm");

/// Digests of its sources. If this test fails, compile it again.
const SOURCES: [(&str, &str); 3] = [
    ("Cargo.toml", "94c50fae98cdf9b6378edb4fc49dc95280d68b786c26d8a69abcdd5ce0f1e971"),
    ("src/lib.rs", "882bc3065e303ad20d23d431ab13bb658a28f9b06ceb0a4b43a0b4bb91079bd5"),
    ("wit/world.wit", "ae8415b38c430a57d04032eb363eed0c254d532ed4fe9340dd6f6b7bc6b615a3"),
];

/// Returns a new skill with its component, in `folder`.
fn built(folder: &Path) -> author::Created {
    let created = author::create("word-count", folder).unwrap();
    let component = wit_component::ComponentEncoder::default()
        .module(MODULE)
        .unwrap()
        .validate(true)
        .encode()
        .unwrap();
    fs::write(created.skill.join("word-count.wasm"), component).unwrap();
    created
}

#[test]
fn the_module_belongs_to_the_template() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = author::create("word-count", folder.path()).unwrap().plugin;
    for (file, wanted) in SOURCES {
        let content = fs::read(plugin.join(file)).unwrap();
        let digest: String =
            Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, wanted, "{file}: compile tests/golden/word-count.module.wasm again");
    }
}

#[test]
fn a_new_skill_passes_its_check_and_can_be_called() {
    let folder = tempfile::tempdir().unwrap();
    built(folder.path());
    let output = mitt(folder.path(), &["skill", "check", "skills/word-count"]);
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(0), "skills/word-count: ok\n")
    );

    let arguments = r#"{"text": "one two\n三 四 five\n"}"#;
    let output = mitt(
        folder.path(),
        &["call", "word_count__count", "--skills", "skills", "--json", arguments],
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result, serde_json::json!({ "characters": 17, "words": 5, "lines": 2 }));

    let output = mitt(
        folder.path(),
        &["call", "word_count__count", "--skills", "skills", "--json", r#"{"text": ""}"#],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("text: at least one character expected, got none"));

    // `skill.yaml` is narrower than its WIT.
    let long = format!("{{\"text\": \"{}\"}}", "a".repeat(100_001));
    fs::write(folder.path().join("long.json"), long).unwrap();
    let output = mitt(
        folder.path(),
        &["call", "word_count__count", "--skills", "skills", "--json", "@long.json"],
    );
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
}

#[test]
fn the_documentation_of_a_new_skill_reaches_the_model() {
    let folder = tempfile::tempdir().unwrap();
    built(folder.path());
    let output =
        mitt(folder.path(), &["tools", "--no-bundled-skills", "--skills", "skills", "--json"]);
    let tools: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        tools[0]["description"],
        "Count the characters, words and lines of a text.\n\n- `text`: the whole text as it stands.\n\n\
         Fails with `invalid-argument` when the text is empty."
    );
    assert_eq!(
        tools[0]["input_schema"]["properties"]["text"]["description"],
        "the whole text as it stands."
    );
    let words = &tools[0]["output_schema"].to_string();
    assert!(words.contains("Number of words: what white space separates."), "{words}");
}

#[test]
fn a_skill_without_its_component_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let output = mitt(folder.path(), &["skill", "new", "word-count"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).lines().any(|line| line.ends_with("word-count/src/lib.rs")));
    let output = mitt(folder.path(), &["skill", "check", "skills/word-count"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(&output.stdout), @r"
    skills/word-count: 1 error
      error: word-count.wasm: the component is not there; build the plugin and copy it here, or leave out `component`
    ");
    let output = mitt(folder.path(), &["skill", "new", "word-count"]);
    assert_eq!(output.status.code(), Some(3));
    insta::assert_snapshot!(text(&output.stderr), @r"
    error: ./skills/word-count is there already
    hint: choose another name, or another folder with `--to`; nothing is ever overwritten
    ");
}

/// Takes a minute and needs the registry, so it runs only on request: `MITT_TEST_NEW=1 cargo test --test it skill_new`.
#[test]
fn the_crate_of_a_new_skill_builds_and_passes_its_own_test() {
    if std::env::var_os("MITT_TEST_NEW").is_none() {
        eprintln!("skipped: MITT_TEST_NEW is not set");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let plugin = author::create("list-2b", folder.path()).unwrap().plugin;
    let cargo = |arguments: &[&str]| {
        let target = root().join("target/new-skill");
        let status = Command::new("cargo")
            .args(arguments)
            .current_dir(&plugin)
            .env("CARGO_TARGET_DIR", target)
            .status();
        assert!(status.unwrap().success(), "cargo {arguments:?}");
    };
    cargo(&["test"]);
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let target = Path::new(text(&sysroot.stdout).trim()).join("lib/rustlib/wasm32-wasip2");
    if !target.is_dir() {
        eprintln!("skipped in part: the target wasm32-wasip2 is not installed");
        return;
    }
    cargo(&["build", "--release", "--target", "wasm32-wasip2"]);
    let component = root().join("target/new-skill/wasm32-wasip2/release/list_2b_plugin.wasm");
    fs::copy(component, folder.path().join("skills/list-2b/list-2b.wasm")).unwrap();
    let output = mitt(folder.path(), &["skill", "check", "skills/list-2b"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}
