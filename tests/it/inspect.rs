//! `mitt inspect`: bundled skills, foreign components, and files that are not components.

use std::fs;

use serde_json::Value;

use crate::support::{TestSkill, mitt, root, text};

fn run(args: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), args)
}

fn run_in(folder: &std::path::Path, args: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, args);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A foreign component: an import that nobody provides, a capability, and two functions without documentation.
const FOREIGN: &str = r#"(component
    (import "acme:shop/orders@1.0.0" (instance (export "count" (func (result u32)))))
    (import "mitt:host/log@0.1.0" (instance (export "write" (func))))
    (core module $m (func (export "f") (param i32) (result i32) (local.get 0)))
    (core instance $i (instantiate $m))
    (func (export "double-it") (param "n" u32) (result u32) (canon lift (core func $i "f")))
    (func (export "is-even") (param "n" u32) (result bool) (canon lift (core func $i "f"))))"#;

fn foreign(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), wat::parse_str(FOREIGN).unwrap()).unwrap();
    folder
}

#[test]
fn a_foreign_component() {
    let folder = foreign("My_Numbers.wasm");
    let (code, stdout, stderr) = run_in(folder.path(), &["inspect", "My_Numbers.wasm"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    insta::assert_snapshot!(stdout, @r##"
    my-numbers: component of 273 B

    exports at the root
      double-it: func(n: u32) -> u32
        tool: my_numbers__double_it
      is-even: func(n: u32) -> bool
        tool: my_numbers__is_even

    imports
      mitt:host/log@0.1.0: a capability that must be granted
      acme:shop/orders@1.0.0: NOBODY OFFERS IT

    needs in `skill.yaml`
      grants: [log]

    cannot be loaded
      nobody offers its import `acme:shop/orders@1.0.0`; build the component without it, or compose it with one that exports it; a program that embeds mitt can offer it as a capability of its own: `HostBuilder::capability`

    lints: 6
      no-error: if it fails it can only trap, and a model never learns why; return `result<_, string>` or a variant of errors, if it can fail
        `my_numbers__double_it`
        `my_numbers__is_even`
      undocumented-function: a model does not know when to call it; write `description` of it under `tools` in `skill.yaml`, or a `///` comment in the WIT and keep it in the component as the template of a new skill shows
        `my_numbers__double_it`
        `my_numbers__is_even`
      undocumented-parameter: a model guesses what to give; add a line such as ``- `name`: what it is, default …`` to the documentation of the function
        parameter `n` of `my_numbers__double_it`
        parameter `n` of `my_numbers__is_even`
    "##);
    let (code, _, _) = run_in(folder.path(), &["inspect", "My_Numbers.wasm", "--strict"]);
    assert_eq!(code, 1);
}

#[test]
fn schemas_are_printed_on_request() {
    let folder = foreign("numbers.wasm");
    let (code, stdout, _) = run_in(folder.path(), &["inspect", "--schemas", "./numbers.wasm"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("    arguments: {\n      \"type\": \"object\","), "{stdout}");
    assert!(stdout.contains("    result: {\n      \"type\": \"boolean\""), "{stdout}");
}

#[test]
fn json_for_machines() {
    let folder = foreign("numbers.wasm");
    let (code, stdout, stderr) = run_in(folder.path(), &["inspect", "numbers.wasm", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(json["name"], "numbers");
    assert_eq!(json["grants"], serde_json::json!(["log"]));
    assert_eq!(json["exports"][0]["interface"], Value::Null);
    let function = &json["exports"][0]["functions"][0];
    assert_eq!(function["tool"], "numbers__double_it");
    assert_eq!(function["signature"], "double-it: func(n: u32) -> u32");
    assert_eq!(function["input_schema"]["properties"]["n"]["maximum"], u32::MAX);
    assert_eq!(function["output_schema"]["type"], "integer");
    assert_eq!(json["imports"][0]["provider"], "nobody");
    assert_eq!(json["obstacles"].as_array().unwrap().len(), 1);
    assert!(json["lints"].as_array().unwrap().iter().any(|lint| lint["name"] == "no-error"));
}

/// The bundled skills by name, by folder and by file; their grants are exactly what they need.
#[test]
fn bundled_skills_are_sound() {
    for entry in fs::read_dir(root().join("skills")).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let name = folder.file_name().unwrap().to_str().unwrap();
        let (code, by_name, stderr) = run(&["inspect", name, "--json"]);
        assert_eq!(code, 0, "{stderr}");
        let (_, by_folder, _) = run(&["inspect", folder.to_str().unwrap(), "--json"]);
        assert_eq!(by_name, by_folder);
        let json: Value = serde_json::from_str(&by_name).unwrap();
        assert_eq!(json["obstacles"], serde_json::json!([]), "{name}");
        for lint in json["lints"].as_array().unwrap() {
            let lint_name = lint["name"].as_str().unwrap();
            // The table of a chart on a new slide; in strict mode, providers get the tool without strictness.
            let is_deck = name == "deck-tool" && lint_name == "deep-parameters";
            let is_known = ["large-integer", "no-error"].contains(&lint_name);
            assert!(is_known || is_deck, "{name}: {lint}");
        }
        let component = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let component = component
            .filter(|path| path.to_str().unwrap().contains(".wasm"))
            .find(|path| !path.to_str().unwrap().ends_with(".json"))
            .unwrap();
        let (code, by_file, stderr) = run(&["inspect", component.to_str().unwrap(), "--json"]);
        assert_eq!(code, 0, "{stderr}");
        let by_file: Value = serde_json::from_str(&by_file).unwrap();
        assert_eq!(by_file["exports"], json["exports"], "{name}");
        assert_eq!(by_file["grants"], json["grants"], "{name}");
    }
}

#[test]
fn what_is_no_component_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("empty.wasm"), b"").unwrap();
    fs::write(folder.path().join("module.wasm"), b"\0asm\x01\0\0\0").unwrap();
    for (args, code, message, hint) in [
        (
            ["inspect", "module.wasm"],
            8,
            "module.wasm: expected a component or an Extism plug-in, got a core module that is neither: it imports nothing",
            "build it for `wasm32-wasip2`",
        ),
        (
            ["inspect", "empty.wasm"],
            8,
            "empty.wasm: expected a component, got an empty file",
            "again",
        ),
        (["inspect", "missing.wasm"], 3, "cannot read missing.wasm", "name an existing"),
        (["inspect", "excel-tol"], 8, "no skill `excel-tol`", "did you mean `excel-tool`?"),
        (["inspect", "."], 3, "cannot read .", "name an existing"),
    ] {
        let (got, stdout, stderr) = run_in(folder.path(), &args);
        assert_eq!((got, stdout.as_str()), (code, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(message) && stderr.contains(hint), "{args:?}: {stderr}");
    }
    let (code, stdout, _) = run_in(folder.path(), &["inspect", "module.wasm", "--json"]);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &json["error"]["kind"]), (8, &"load".into()));
}

/// What `skill.yaml` sets for a tool is in its schema; an entry without a tool is an obstacle.
#[test]
fn manifests_are_heeded() {
    let tools = |tools: &str| {
        let skill = TestSkill::new("numbers", FOREIGN, &format!("grants: [tools]\ntools: {tools}"));
        let folder = skill.path().join("numbers");
        let (code, stdout, stderr) = run(&["inspect", folder.to_str().unwrap(), "--json"]);
        assert_eq!(code, 0, "{stderr}");
        serde_json::from_str::<Value>(&stdout).unwrap()
    };
    let json = tools("[{ name: double-it, inputSchema: { properties: { n: { maximum: 10 } } } }]");
    let function = &json["exports"][0]["functions"][0];
    assert_eq!(function["input_schema"]["properties"]["n"]["maximum"], 10);
    assert_eq!(
        json["obstacles"][1],
        "its skill does not grant `log`; add it to `grants` in `skill.yaml` if the skill should have it"
    );
    assert!(json["lints"].as_array().unwrap().iter().any(|lint| lint["name"] == "unused-grant"));

    let json = tools("[{ name: triple-it }]");
    assert_eq!(
        json["obstacles"][2],
        "skill.yaml: tools: the plugin exports no function `triple-it`; it exports `double-it`, `is-even`"
    );
}
