//! New skills from `mitt skill new`: complete, and working without a change.

use std::fs;
use std::path::Path;
use std::process::Command;

use mitt::skill::author;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::support::{command, mitt, root, text};

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

/// What builds the plugin and is not installed is named at once, with the command that installs it.
#[test]
#[cfg(unix)]
fn missing_tools_are_named_with_what_installs_them() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let program = |tools: &str, name: &str, text: &str| {
        let file = folder.path().join(tools).join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    };
    fs::create_dir(folder.path().join("nothing")).unwrap();
    program("debian", "rustc", "echo /nowhere/$4");
    for name in ["rustc", "rustup"] {
        program("rustup", name, "echo /nowhere/$4");
    }
    program("broken", "rustc", "exit 1");
    for name in ["npm", "componentize-py"] {
        program("all", name, "");
    }
    program("all", "rustc", &format!("[ $2 = target-libdir ] && echo {}", folder.path().display()));
    let said = |tools: &str, arguments: &[&str]| {
        let to = tempfile::tempdir().unwrap();
        let mut command =
            command(to.path(), &[&["skill", "new", "word-count"], arguments].concat());
        let output = command.env("PATH", folder.path().join(tools)).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    for (tools, arguments, wanted) in [
        (
            "nothing",
            &[][..],
            Some(
                "the Rust compiler is not installed, and building needs it\nhint: install Rust from https://rustup.rs, then: rustup target add wasm32-wasip2",
            ),
        ),
        (
            "debian",
            &[],
            Some(
                "the Rust target `wasm32-wasip2` is not installed, and building needs it\nhint: install Rust from https://rustup.rs, then",
            ),
        ),
        ("broken", &[], Some("the Rust target `wasm32-wasip2` is not installed")),
        ("rustup", &[], Some("building needs it\nhint: rustup target add wasm32-wasip2\n")),
        ("rustup", &["--extism", "rust"], Some("hint: rustup target add wasm32-unknown-unknown\n")),
        ("nothing", &["--extism", "assemblyscript"], Some("npm is not installed")),
        (
            "nothing",
            &["--python"],
            Some(
                "componentize-py is not installed, and building needs it\nhint: in the folder of the plugin: python3 -m venv venv && venv/bin/pip install -r requirements.txt",
            ),
        ),
        ("all", &[], None),
        ("all", &["--extism", "rust"], None),
        ("all", &["--extism", "assemblyscript"], None),
        ("all", &["--python"], None),
    ] {
        let (_, stderr) = said(tools, arguments);
        match wanted {
            Some(wanted) => assert!(stderr.contains(wanted), "{tools} {arguments:?}: {stderr}"),
            None => assert!(!stderr.contains("warning"), "{tools} {arguments:?}: {stderr}"),
        }
    }
    let (stdout, _) = said("rustup", &["--json"]);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(json["missing"]["install"], "rustup target add wasm32-wasip2");
    let (stdout, _) = said("all", &["--json"]);
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap()["missing"], Value::Null);
}

/// The Python beside a componentize-py; a printed reason if none is there.
fn python() -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let venv = std::env::var_os("MITT_TEST_VENV").map(|venv| Path::new(&venv).join("bin"));
    let mut folders = venv.into_iter().chain(std::env::split_paths(&path));
    let found =
        folders.find(|it| it.join("componentize-py").is_file() && it.join("python3").exists());
    if found.is_none() {
        eprintln!(
            "skipped: no componentize-py; name a venv that has requirements.txt of the template with MITT_TEST_VENV"
        );
    }
    found.map(|folder| folder.join("python3"))
}

/// As its README says, with the componentize-py that is installed.
#[test]
fn a_new_skill_in_python_builds_passes_its_check_and_can_be_called() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let output = mitt(folder.path(), &["skill", "new", "word-count", "--python"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let plugin = folder.path().join("plugins/word-count");
    for arguments in [&["-B", "-m", "unittest"][..], &["-B", "build.py"]] {
        let output = Command::new(&python).args(arguments).current_dir(&plugin).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    }
    let output = mitt(folder.path(), &["skill", "check", "skills/word-count"]);
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(0), "skills/word-count: ok\n")
    );
    let call = |json: &str| {
        mitt(folder.path(), &["call", "word_count__count", "--skills", "skills", "--json", json])
    };
    let output = call(r#"{"text": "one two\n三 四 five\n"}"#);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result, serde_json::json!({ "characters": 17, "words": 5, "lines": 2 }));
    let output = call(r#"{"text": ""}"#);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("text: at least one character expected, got none"));
    // The comments of the WIT, which componentize-py leaves out.
    let output =
        mitt(folder.path(), &["tools", "--no-bundled-skills", "--skills", "skills", "--json"]);
    let tools: Value = serde_json::from_slice(&output.stdout).unwrap();
    let described = &tools[0]["input_schema"]["properties"]["text"]["description"];
    assert_eq!(described, "the whole text as it stands.");
    let output = mitt(folder.path(), &["skill", "pack", "skills/word-count"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(folder.path().join("word-count-0.1.0.skill.tar.zst").is_file());
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
