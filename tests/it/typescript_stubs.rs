//! `mitt exec --stubs --language typescript`, and what TypeScript's compiler says to the declarations of unusual skills.
//!
//! `tests/typescript/run` checks those of the bundled skills, and scripts that use them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use async_trait::async_trait;
use mitt::skill::{HostCall, HostFunction, HostTool};
use mitt::value::{Field, Json, Type};
use mitt::{Host, Result, SessionOptions};
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, Resolve};

use crate::support::{TestSkill, mitt, root, session, text};

/// A skill whose names are words of TypeScript, with every form of type.
const UNUSUAL: &str = "package test:unusual;
    interface api {
        variant shape { circle(f64), none, text(string) }
        enum table { wide, default }
        flags marks { bold, new-line }
        record options { default: option<string>, shape: shape, kind: table, size: u64 }
        delete: func(new: list<options>, in: option<option<u32>>) -> result<options, shape>;
        take-it: func(pairs: list<tuple<string, bool>>, marks: marks, bytes: list<u8>, big: s64, named: option<table>)
            -> tuple<u64, list<u8>, result<_, string>, list<shape>>;
        none: func();
    }
    world unusual { export api; }";

/// Returns a component with the functions of [`UNUSUAL`], which do nothing.
fn unusual() -> Vec<u8> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("unusual.wit", UNUSUAL).unwrap();
    let world = resolve.select_world(&[package], None).unwrap();
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().validate(true).module(&module).unwrap().encode().unwrap()
}

/// Uses all of it. Each line after `@ts-expect-error` must be wrong.
const SCRIPT: &str = r#"
import unusual, { delete as remove, takeIt, type Options, type OptionsInput, type Shape } from "class";

const given: OptionsInput = { shape: { tag: "circle", val: 1.5 }, kind: "default", size: 2n ** 60n };
const options: Options = await remove({ new: [given, { ...given, default: null }], in: { tag: "some", val: null } });
const shape: Shape = options.shape;
const area: number = shape.tag === "circle" ? 3.14 * shape.val ** 2 : shape.tag === "text" ? shape.val.length : 0;
BigInt(options.size) + BigInt(area);
await remove([options], { in: null });
const bytes = new Uint8Array([1, 2]);
const [big, base64, outcome, shapes] = await takeIt([["a", true]], ["new-line"], bytes, -5n, { named: "wide" });
outcome.tag === "err" ? outcome.val.length : base64.length + shapes.length + Number(big);
await tools.class.take_it({ pairs: [], marks: [], bytes: "", big: "12" });
await codemode.class__none();
await mitt.call("class__take_it", { pairs: [], marks: ["bold"], bytes, big: 3 });
await require("class").default.none();
await unusual.delete([]);
// @ts-expect-error
await remove({ in: null });
// @ts-expect-error
await remove([{ ...given, kind: "narrow" }]);
// @ts-expect-error
await takeIt([], ["italic"], bytes, 1);
// @ts-expect-error
await takeIt([["a"]], [], bytes, 1);
// @ts-expect-error
await takeIt([], [], bytes, 1.5, "wide", {});
// @ts-expect-error
await unusual.none("x");
// @ts-expect-error
shape.val;
// @ts-expect-error
await tools.class.create();
"#;

/// Returns the files in `folder` by name.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn declarations_of_all_skills_are_printed_or_written() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["exec", "--stubs", "--language", "typescript", "-q"];
    let printed = mitt(folder.path(), &args);
    assert_eq!(printed.status.code(), Some(0), "{}", text(&printed.stderr));
    let printed = text(&printed.stdout);
    for part in [
        "declare module \"table-tool\" {",
        "    readonly tableTool: typeof import(\"table-tool\");",
        "    export function create_excel(data: TableInput, filename?: string | null, options?: SheetOptionsInput | null): Promise<Artifact>;",
        "    export function create_excel(named: CreateExcelArguments): Promise<Artifact>;",
        "create_excel as createExcel",
        "declare const documents:",
        "declare class Table {",
    ] {
        assert!(printed.contains(part), "{part} is missing:\n{printed}");
    }
    // Every tool that a script can call is there.
    let tools = session().registry().tools().await;
    let tools = tools.iter().filter(|tool| tool.skill().is_some() && tool.name.function() != "run");
    for tool in tools {
        let line = format!("    readonly {}: (typeof import(", tool.name);
        assert!(printed.contains(&line), "{line} is missing");
    }
    assert_eq!(session().typescript_stubs().await.unwrap(), printed);

    for language in ["typescript", "ts", "javascript"] {
        let types = format!("--stubs={language}");
        let written = mitt(folder.path(), &["exec", &types, "--language", language, "-q"]);
        assert_eq!(written.status.code(), Some(0), "{}", text(&written.stderr));
        let names = names(&folder.path().join(language));
        assert!(names.contains("mitt.d.ts") && names.contains("table-tool.d.ts"), "{names:?}");
        assert!(names.iter().all(|name| name.ends_with(".d.ts")), "{names:?}");
        let main = fs::read_to_string(folder.path().join(language).join("mitt.d.ts")).unwrap();
        for name in names.iter().filter(|name| *name != "mitt.d.ts") {
            assert!(main.contains(&format!("/// <reference path=\"{name}\" />\n")), "{name}");
        }
        assert_eq!(text(&written.stdout).lines().count(), names.len());
    }
}

#[test]
fn a_language_is_known_and_belongs_to_stubs() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mitt.d.ts"), "mine").unwrap();
    for (args, code, expected) in [
        (&["--stubs", "--language", "cobol"][..], 2, "[possible values: python, javascript]"),
        (&["--stubs=.", "--language", "typescript"], 3, "mitt.d.ts is there already"),
    ] {
        let refused = mitt(folder.path(), &[&["exec", "-q"], args].concat());
        let stderr = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(code), "{args:?}: {stderr}");
        assert!(stderr.contains(expected), "{args:?}: {stderr}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("mitt.d.ts")).unwrap(), "mine");
    assert!(!folder.path().join("table-tool.d.ts").exists(), "half of the files were written");
    let python = mitt(folder.path(), &["exec", "--stubs", "--language", "python", "-q"]);
    assert!(text(&python.stdout).contains("class table_tool:"), "{}", text(&python.stderr));
}

#[tokio::test]
async fn the_compiler_accepts_unusual_skills_and_finds_wrong_calls() {
    let skill = TestSkill::from_bytes("class", &unusual(), "");
    let session = skill.session();
    let files = session.typescript_stub_files().await.unwrap();
    let (_, declared) = files.iter().find(|(name, _)| name == "class.d.ts").unwrap();
    for part in [
        "    function delete_(new_: readonly OptionsInput[], in_?: { tag: \"some\"; val: number | null } | null): Promise<Options>;",
        "    export { delete_ as delete, take_it as takeIt };",
        "    export type Table2 =\n        | \"wide\"\n        | \"default\";",
        "        named?: Table2 | null;",
        "        big: Int64Input;",
        "    export function none(): Promise<null>;",
    ] {
        assert!(declared.contains(part), "{part} is missing:\n{declared}");
    }

    let compiler = root().join("target/typescript/node_modules/.bin/tsc");
    if !compiler.exists() {
        eprintln!("skipped: no TypeScript, which tests/typescript/run installs");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in &files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::write(folder.path().join("script.ts"), SCRIPT).unwrap();
    let settings = fs::read(root().join("tests/typescript/tsconfig.json")).unwrap();
    fs::write(folder.path().join("settings.json"), settings).unwrap();
    fs::write(
        folder.path().join("tsconfig.json"),
        r#"{ "extends": "./settings.json", "files": ["mitt.d.ts", "script.ts"] }"#,
    )
    .unwrap();
    match Command::new(&compiler).current_dir(folder.path()).output() {
        Ok(output) => assert!(output.status.success(), "{}\n{declared}", text(&output.stdout)),
        Err(error) => eprintln!("skipped: {}: {error}", compiler.display()),
    }
}

/// `own_desk__<name>`
struct Desk {
    name: &'static str,
    is_for_models_only: bool,
}

#[async_trait]
impl HostTool for Desk {
    fn function(&self) -> HostFunction {
        let function = HostFunction::new("own-desk", self.name, "Ends */ no comment.")
            .unwrap()
            .param(Field::new("from", Type::Json, None))
            .result(Type::Json);
        if self.is_for_models_only { function.for_models_only() } else { function }
    }

    async fn run(&self, _: &dyn HostCall, _: Json) -> Result<Json> {
        Ok(Json::Null)
    }
}

#[tokio::test]
async fn tools_of_the_embedder_are_declared_if_scripts_may_call_them() {
    let host = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .tool(Desk { name: "do-it", is_for_models_only: false })
        .tool(Desk { name: "say-it", is_for_models_only: true })
        .build()
        .unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let typescript = session.typescript_stubs().await.unwrap();
    let python = session.python_stubs().await.unwrap();
    for (stubs, part) in [
        (&typescript, "    readonly own_desk__do_it: (typeof import(\"own-desk\"))[\"do_it\"];"),
        (
            &typescript,
            "    /** Ends *\\/ no comment. */\n    export function do_it(from: unknown): Promise<Json>;",
        ),
        (&python, "class own_desk:\n\n    @staticmethod\n    def do_it(from_: Any) -> Any:"),
    ] {
        assert!(stubs.contains(part), "{part} is missing:\n{stubs}");
        assert!(!stubs.contains("say_it"), "{stubs}");
    }
}
