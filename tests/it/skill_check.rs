//! `mitt skill check`: reports everything that is wrong with a skill folder at once.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{TestSkill, mitt, root, text};
#[cfg(target_os = "linux")]
use crate::support::{command, on_terminal};

/// A component that exports `run` at its root, without documentation.
const BARE: &str = r#"(component
    (core module $m (func (export "run")))
    (core instance $i (instantiate $m))
    (func (export "run") (canon lift (core func $i "run"))))"#;

/// Returns exit code and standard output.
fn check(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = mitt(folder, &[&["skill", "check"], arguments].concat());
    assert!(!text(&output.stderr).contains("panicked"), "{}", text(&output.stderr));
    (output.status.code().unwrap(), text(&output.stdout))
}

fn described(folder: &Path, name: &str, content: &str) {
    fs::create_dir_all(folder.join(name)).unwrap();
    fs::write(folder.join(name).join("SKILL.md"), content).unwrap();
}

#[test]
fn our_own_skills_pass_without_a_warning() {
    let mut folders: Vec<_> = fs::read_dir(root().join("skills"))
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.path().is_dir())
        .map(|entry| format!("skills/{}", entry.file_name().to_str().unwrap()))
        .collect();
    folders.sort();
    let arguments: Vec<&str> = folders.iter().map(String::as_str).collect();
    let (code, stdout) = check(root(), &arguments);
    let wanted: String = folders.iter().map(|folder| format!("{folder}: ok\n")).collect();
    assert_eq!((code, stdout), (0, wanted));
}

#[test]
fn a_folder_with_only_a_skill_md_is_a_skill() {
    let folder = tempfile::tempdir().unwrap();
    described(
        folder.path(),
        "pdf",
        "---\nname: pdf\ndescription: Reads PDF files for you.\n---\nDo it.\n",
    );
    assert_eq!(check(folder.path(), &["pdf"]), (0, "pdf: ok\n".into()));
    assert_eq!(check(&folder.path().join("pdf"), &["."]), (0, ".: ok\n".into()));
}

#[test]
fn warnings_do_not_fail() {
    let folder = tempfile::tempdir().unwrap();
    let body = format!(
        "{}[a](references/a.md) [b](../b.md) [c](https://c.example) [d](#d)\n",
        "年".repeat(5_001)
    );
    let content = format!("---\nname: pdf\ndescription: Reads.\n---\n{body}{}", "x\n".repeat(500));
    described(folder.path(), "pdf", &content);
    fs::write(folder.path().join("pdf/.DS_Store"), "").unwrap();
    fs::write(folder.path().join("pdf/old.wasm"), "").unwrap();
    let (code, stdout) = check(folder.path(), &["pdf"]);
    assert_eq!(code, 0);
    insta::assert_snapshot!(stdout, @r"
    pdf: ok, 7 warnings
      warning: .DS_Store: a hidden file or folder, which is not packed; remove it, or keep it outside of the skill's folder
      warning: SKILL.md: at most 500 lines recommended, got 505; move details to files beside it, such as `references/details.md`; they are read when needed
      warning: SKILL.md: instructions of at most 5000 tokens recommended, got about 5267; move details to files beside it, such as `references/details.md`; they are read when needed
      warning: SKILL.md: description: 6 characters are too few to choose the skill by; say what it does and when to use it
      warning: SKILL.md: link `references/a.md` leads nowhere; write the path from the skill's folder
      warning: SKILL.md: link `../b.md` leads out of the skill; bring the file into the skill's folder
      warning: old.wasm: a component that no `skill.yaml` names; name it in a `skill.yaml`: `component: …`
    ");
}

#[test]
fn everything_is_reported_at_once() {
    let yaml = "grants: [render]\ntools:\n  - name: runn\n  - name: run\n    inputSchema: { properties: { x: { minimum: 1 } } }";
    let skill = TestSkill::new("greedy", BARE, yaml);
    described(skill.path(), "greedy", "---\nname: other\ndescription: |\n\n---\n");
    let (code, stdout) = check(skill.path(), &["greedy"]);
    assert_eq!(code, 1);
    insta::assert_snapshot!(stdout, @r"
    greedy: 5 errors, 1 warning
      error: SKILL.md:2: name: expected the folder's name `greedy`, got `other`; rename the folder or the skill
      error: SKILL.md:3: description: expected a text, got nothing; say what the skill does and when to use it, in one or two sentences
      error: greedy.wasm: function `run` has no documentation, which is all that a model knows of it; write `description` of it under `tools` in `skill.yaml`, or `///` above it in the WIT file; the template of a new skill shows how that gets into the component
      warning: skill.yaml: grants: `render` is granted, but the plugin does not import it; grant only what is needed
      error: skill.yaml: tools: the plugin exports no function `runn`; did you mean `run`?
      error: skill.yaml: tools: run: inputSchema.properties: no parameter `x`; there are none
    ");
}

/// What a component does not say itself, as those of componentize-py do not, its manifest says.
#[test]
fn a_manifest_describes_what_a_component_does_not() {
    let wat = r#"(component
        (core module $m (memory (export "memory") 1) (func (export "run") (param i32)))
        (core instance $i (instantiate $m))
        (func (export "run") (param "how-many" u32) (canon lift (core func $i "run"))))"#;
    const BULLET: &str =
        "tools:\n- name: run\n  description: |\n    Runs.\n\n    - `how-many`: times\n";
    const SCHEMA: &str = "tools: [{name: run, description: Runs., inputSchema: {properties: {how_many: {description: times, maximum: 3}}}}]";
    for yaml in [BULLET, SCHEMA] {
        let skill = TestSkill::new("x", wat, yaml);
        let (code, stdout) = check(skill.path(), &["x"]);
        assert!(code == 0 && !stdout.contains("documentation"), "{yaml}: {stdout}");
        let output =
            mitt(skill.path(), &["tools", "--no-bundled-skills", "--skills", ".", "--json"]);
        let tools: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(tools[0]["description"].as_str().unwrap().starts_with("Runs."), "{tools}");
        let parameter = &tools[0]["input_schema"]["properties"]["how_many"];
        assert_eq!(parameter["description"], "times");
        let output = mitt(skill.path(), &["inspect", "x"]);
        let shown = text(&output.stdout);
        assert!(shown.contains("Runs.") && !shown.contains("undocumented"), "{shown}");
    }
    // Where another entry is wrong, this one counts all the same.
    let skill = TestSkill::new("x", wat, &format!("{BULLET}- name: nun\n"));
    let (code, stdout) = check(skill.path(), &["x"]);
    assert!(code == 1 && !stdout.contains("documentation"), "{stdout}");
    assert!(
        stdout.contains("the plugin exports no function `nun`; did you mean `run`?"),
        "{stdout}"
    );
    // A parameter that nothing is said of, and a part that belongs to plug-ins of Extism.
    for (yaml, wanted) in [
        (
            "tools: [{name: run, description: Runs.}]",
            "parameter `how-many` of function `run` has no documentation",
        ),
        (
            "tools: [{name: run, description: Runs., output: text}]",
            "are said of functions of an Extism plug-in; a component has types in their place",
        ),
    ] {
        let skill = TestSkill::new("x", wat, yaml);
        let (code, stdout) = check(skill.path(), &["x"]);
        assert!(code == 1 && stdout.contains(wanted), "{yaml}: {stdout}");
    }
}

/// The caller hears of it at once, and again as long as it takes.
#[test]
fn the_caller_hears_that_a_component_is_compiled() {
    let skill = TestSkill::new("x", BARE, "");
    let engine = mitt::Engine::new(mitt::EngineOptions::default()).unwrap();
    let told = std::sync::Mutex::new(Vec::new());
    let sink = |it: mitt::skill::Compiling| told.lock().unwrap().push(it.elapsed);
    mitt::skill::author::check_with_progress(&engine, &skill.path().join("x"), &sink).unwrap();
    let told = told.into_inner().unwrap();
    assert!(!told.is_empty() && told.is_sorted(), "{told:?}");
}

/// On a terminal it is seen, elsewhere nothing that is quick is said.
#[test]
#[cfg(target_os = "linux")]
fn compiling_is_shown_on_a_terminal_only() {
    let folder = tempfile::tempdir().unwrap();
    let skill = root().join("skills/excel-tool");
    for name in ["check", "pack"] {
        let cold = folder.path().join(name);
        let line = format!("skill {name} {} --cache-dir {}", skill.display(), cold.display());
        let Some(shown) = on_terminal(folder.path(), &line) else { return };
        assert!(shown.contains("compiling") && shown.contains("for this machine, once"), "{shown}");
        // Now it is in the cache.
        let output = command(folder.path(), &["skill", name, skill.to_str().unwrap()])
            .args(["--cache-dir", cold.to_str().unwrap()])
            .args(if name == "pack" { &["--force"][..] } else { &[] })
            .output()
            .unwrap();
        assert!(!text(&output.stderr).contains("compil"), "{}", text(&output.stderr));
    }
}

#[test]
fn imports_without_a_grant_are_all_named() {
    let wat = r#"(component
        (import "mitt:host/render@0.1.0" (instance (export "f" (func))))
        (import "mitt:host/workspace@0.1.0" (instance (export "f" (func))))
        (import "other:thing/api@1.0.0" (instance (export "f" (func)))))"#;
    let skill = TestSkill::new("greedy", wat, "");
    let (code, stdout) = check(skill.path(), &["greedy"]);
    assert_eq!(code, 1);
    insta::assert_snapshot!(stdout, @r"
    greedy: 4 errors, 2 warnings
      warning: SKILL.md: description: 6 characters are too few to choose the skill by; say what it does and when to use it
      warning: SKILL.md:5: no instructions; tell the model below the front matter what to do
      error: greedy.wasm: the plugin imports `mitt:host/render@0.1.0`, but its skill does not grant `render`; add `render` to `grants` in `skill.yaml` if the skill should have it
      error: greedy.wasm: the plugin imports `mitt:host/workspace@0.1.0`, but its skill does not grant `workspace`; add `workspace` to `grants` in `skill.yaml` if the skill should have it
      error: greedy.wasm: the plugin imports `other:thing/api@1.0.0`, which this host does not have; a skill can be granted `catalog`, `documents`, `files`, `log`, `render`, `signing`, `tables`, `tools`, `workspace` of `mitt:host`; a program that embeds mitt can offer it as a capability of its own: `HostBuilder::capability`
      error: greedy.wasm: no exported function that could be a tool; export a function of an interface
    ");
}

#[test]
fn broken_parts_are_named() {
    for (file, content, wanted) in [
        ("skill.yaml", "schema: 1\nname: x\ngrant: [log]\n", "error: skill.yaml: "),
        ("skill.yaml", "\u{0}", "error: skill.yaml: "),
        ("x.wasm", "no component", "error: x.wasm: the bytes are not a valid component"),
        ("x.wasm", "\0asm\x01\0\0\0", "error: x.wasm: expected a component or an Extism plug-in"),
        ("SKILL.md", "no front matter", "error: SKILL.md:1: expected front matter"),
        (
            "skill.yaml",
            "schema: 1\nname: y\nversion: 0.1.0\ndescription: a test\ncomponent: x.wasm\n",
            "error: skill.yaml: name: expected the name in SKILL.md `x`, got `y`",
        ),
    ] {
        let skill = TestSkill::new("x", BARE, "");
        fs::write(skill.path().join("x").join(file), content).unwrap();
        let (code, stdout) = check(skill.path(), &["x"]);
        assert_eq!(code, 1, "{file}: {stdout}");
        assert!(stdout.contains(wanted), "{file}: {stdout}");
    }
    let skill = TestSkill::new("x", BARE, "");
    fs::remove_file(skill.path().join("x/SKILL.md")).unwrap();
    let (code, stdout) = check(skill.path(), &["x"]);
    assert!(code == 1 && stdout.contains("SKILL.md: the file is not there"), "{stdout}");
}

#[test]
fn a_missing_folder_is_no_finding() {
    let folder = tempfile::tempdir().unwrap();
    let output = mitt(folder.path(), &["skill", "check", "nowhere"]);
    assert_eq!(output.status.code(), Some(3));
    insta::assert_snapshot!(text(&output.stderr), @r"
    error: cannot read the folder nowhere
      cause: No such file or directory (os error 2)
    hint: name an existing skill folder that you may read
    ");
}

#[test]
fn machines_get_json() {
    let folder = tempfile::tempdir().unwrap();
    described(
        folder.path(),
        "a",
        "---\nname: a\ndescription: Reads PDF files for you.\n---\nDo it.\n",
    );
    described(
        folder.path(),
        "b",
        "---\nname: c\ndescription: Reads PDF files for you.\n---\nDo it.\n",
    );
    let (code, stdout) = check(folder.path(), &["a", "b", "--json"]);
    assert_eq!(code, 1);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        json[0],
        serde_json::json!({
            "folder": "a", "name": "a", "version": null, "passed": true, "findings": [],
        })
    );
    assert_eq!(json[1]["passed"], false);
    assert_eq!(
        json[1]["findings"][0],
        serde_json::json!({
            "severity": "error", "file": "SKILL.md", "line": 2,
            "message": "name: expected the folder's name `b`, got `c`", "hint": "rename the folder or the skill",
        })
    );
}

#[test]
#[cfg(unix)]
fn links_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    described(
        folder.path(),
        "pdf",
        "---\nname: pdf\ndescription: Reads PDF files for you.\n---\nDo it.\n",
    );
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("pdf/data.txt")).unwrap();
    let (code, stdout) = check(folder.path(), &["pdf"]);
    assert!(
        code == 1 && stdout.contains("data.txt: expected a file or folder, got a link"),
        "{stdout}"
    );
}

#[test]
fn the_help_tells_the_exit_codes() {
    let help = text(&mitt(root(), &["skill", "check", "--help"]).stdout);
    assert!(
        help.contains("Exit code 1 if there are errors, 0 if there are none or only"),
        "{help}"
    );
}
