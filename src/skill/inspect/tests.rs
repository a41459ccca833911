//! Lints of interfaces in WIT text, and recognition of files that are not components.

use std::collections::HashSet;
use std::fmt::Write as _;

use std::fs;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::*;

/// Returns the interface of a world that exports these items.
fn read(items: &str) -> Interface {
    let types = mitt_contract::FILES.iter().find(|(name, _)| *name == "types.wit").unwrap();
    let text = format!(
        "package test:skill@1.0.0;\n
        interface tools {{\nuse mitt:host/types@0.1.0.{{cell, table, decimal, error, artifact}};\n{items}\n}}\n
        world test {{ export tools; }}"
    );
    Interface::from_wit(&[*types, ("test.wit", &text)], "test").unwrap()
}

/// Inspects a component that exports an interface of these items.
fn inspect(items: &str) -> Inspection {
    let interface = read(items);
    Inspection::of_interface("test", None, (1, 1), &interface, &HashSet::new())
}

fn lints(items: &str) -> String {
    let mut report = String::new();
    for Lint { name, place, detail, .. } in inspect(items).lints {
        let _ = writeln!(report, "{name}: {place}: {detail}");
    }
    report
}

const GOOD: &str = "
    /// How to sort.
    enum order { ascending, descending }

    /// Sort it.
    ///
    /// - `rows`: what to sort
    /// - `order`: which way
    sort: func(rows: table, order: option<order>) -> result<table, string>;
";

#[test]
fn nothing_to_say() {
    let inspection = inspect(GOOD);
    assert_eq!(inspection.lints, []);
    assert_eq!(inspection.obstacles.len(), 1, "{:?}", inspection.obstacles);
    let [export] = &inspection.exports[..] else { panic!("expected one interface") };
    assert_eq!(export.interface.as_deref(), Some("test:skill/tools@1.0.0"));
    let [function] = &export.functions[..] else { panic!("expected one function") };
    assert_eq!(
        function.signature.as_deref(),
        Some("sort: func(rows: table, order: option<order>) -> result<table, string>")
    );
    assert_eq!(function.tool.as_deref(), Some("test__sort"));
    assert_eq!(function.reason, None);
    assert_eq!(function.input_schema.as_ref().unwrap()["required"][0], "rows");
    assert_eq!(inspection.types, ["enum order { ascending, descending }"]);
}

#[test]
fn every_lint() {
    let deep = "list<".repeat(9) + "bool" + &">".repeat(9);
    let deeper = "list<".repeat(11) + "bool" + &">".repeat(11);
    let many: String = (0..21).map(|at| format!("p{at}: bool,")).collect();
    let long = "long-name-".repeat(6);
    let report = lints(&format!(
        "
        flags only {{ one }}
        enum single {{ case }}
        record point {{ at: tuple<f64, f64>, id: u64, only: only }}
        variant shape {{ none, points(list<point>), raw(list<u8>) }}
        type pair = tuple<u8, u8>;

        bare: func(x: u8);
        /// Documented.
        shapes: func(shape: shape, pair: pair, single: single) -> result<tuple<u8, pair>, string>;
        /// Documented.
        again: func(shape: shape) -> result<list<point>, string>;
        /// Documented.
        bytes: func(bytes: option<list<u8>>, size: s64) -> result<list<u8>>;
        /// Documented.
        deep: func(ok: {deep}, bad: {deeper}) -> result<_, string>;
        /// Documented.
        many: func({many}) -> result<_, string>;
        /// Documented.
        parse-JSON: func(the-URL: string) -> result<_, string>;
        /// Documented.
        {long}x: func() -> result<_, string>;
        /// Documented.
        later: func(x: stream<u8>) -> result<_, string>;
        resource lost {{ /// Documented.
            next: func() -> result<u8, string>; }}
        resource found {{ /// Documented.
            constructor(); /// Documented.
            next: func() -> result<u64, string>; }}
        "
    ));
    let many = |line: &&str| !line.starts_with("undocumented-parameter: parameter `p");
    let report: Vec<_> = report.lines().filter(many).map(str::trim_end).collect();
    insta::assert_snapshot!(report.join("\n"), @r##"
    bytes-argument: case `raw` of `shape`:
    bytes-argument: parameter `bytes` of `test__bytes`:
    deep-parameters: parameter `bad` of `test__deep`: 12 levels
    large-integer: field `id` of `point`: u64
    large-integer: parameter `size` of `test__bytes`: s64
    long-tool-name: function `long-name-long-name-long-name-long-name-long-name-long-name-x`: a tool name of at most 64 characters is needed, and `test` with the function's name is longer
    many-parameters: `test__many`: 21 parameters
    name-not-kebab: `test__parse_JSON`: `parse-JSON`
    name-not-kebab: parameter `the-URL` of `test__parse_JSON`:
    no-error: `test__bare`:
    no-error: `test__bytes`:
    not-callable: function `later`: `stream<u8>` has no JSON form
    not-callable: function `[method]lost.next`: it needs a handle of `lost`, and no function that can be called gives one out
    single-case: flags `only`:
    single-case: enum `single`:
    tuple: field `at` of `point`: tuple<f64, f64>
    tuple: type `pair`: tuple<u8, u8>
    tuple: result of `test__shapes`: tuple<u8, pair>
    undocumented-function: `test__bare`:
    undocumented-parameter: parameter `x` of `test__bare`:
    undocumented-parameter: parameter `shape` of `test__shapes`:
    undocumented-parameter: parameter `single` of `test__shapes`:
    undocumented-parameter: parameter `shape` of `test__again`:
    undocumented-parameter: parameter `bytes` of `test__bytes`:
    undocumented-parameter: parameter `size` of `test__bytes`:
    undocumented-parameter: parameter `ok` of `test__deep`:
    undocumented-parameter: parameter `bad` of `test__deep`:
    undocumented-parameter: parameter `the-URL` of `test__parse_JSON`:
    "##);
}

#[test]
fn a_component_without_tools() {
    let inspection = inspect("f: func(x: future<u8>);");
    let names: Vec<_> = inspection.lints.iter().map(|lint| lint.name).collect();
    assert_eq!(names, ["no-tools", "not-callable"]);
    let function = &inspection.exports[0].functions[0];
    assert_eq!((&function.tool, &function.signature), (&None, &None));
    assert_eq!(function.reason.as_deref(), Some("`future<u8>` has no JSON form"));
}

#[test]
fn imports_and_grants() {
    let interface = Interface {
        imports: [
            "mitt:host/log@0.1.0",
            "mitt:host/types@0.1.0",
            "mitt:host/documents@0.1.3",
            "mitt:host/render@0.2.0",
            "mitt:host/mail@0.1.0",
            "wasi:io/poll@0.2.3",
            "wasi:sockets/tcp@0.2.3",
            "wasi:http/types@0.2.3",
            "acme:shop/orders",
        ]
        .map(str::to_owned)
        .to_vec(),
        ..read(GOOD)
    };
    let types = HashSet::from(["mitt:host/types@0.1.0".to_owned()]);
    let inspection = Inspection::of_interface("test", None, (1, 1), &interface, &types);
    assert_eq!(inspection.grants, ["documents", "log"]);
    use Provider::{Capability, Nobody, Types, Wasi};
    let providers: Vec<_> = inspection.imports.iter().map(|import| import.provider).collect();
    assert_eq!(
        providers,
        [Capability, Types, Capability, Nobody, Nobody, Wasi, Wasi, Nobody, Nobody]
    );
    insta::assert_snapshot!(inspection.obstacles.join("\n"), @r##"
    nobody offers its import `mitt:host/render@0.2.0`; of `mitt:host` there are `catalog`, `documents`, `files`, `log`, `render`, `signing`, `tables`, `tools`, `workspace`, each in version 0.1.x
    nobody offers its import `mitt:host/mail@0.1.0`; of `mitt:host` there are `catalog`, `documents`, `files`, `log`, `render`, `signing`, `tables`, `tools`, `workspace`, each in version 0.1.x
    nobody offers its import `wasi:http/types@0.2.3`; nothing here reaches a network: give it what it needs as arguments, or as documents of the session
    nobody offers its import `acme:shop/orders`; build the component without it, or compose it with one that exports it; a program that embeds mitt can offer it as a capability of its own: `HostBuilder::capability`
    "##);

    let manifest = "schema: 1\nname: test\nversion: 0.1.0\ndescription: x\ncomponent: test.wasm\ngrants: [log, tools]\n";
    let manifest = Manifest::parse(manifest, "test").unwrap();
    let interface = Interface {
        imports: interface.imports[..3].to_vec(),
        functions: interface.functions,
        ..Interface::default()
    };
    let inspection = Inspection::of_interface("test", Some(&manifest), (1, 1), &interface, &types);
    assert_eq!(
        inspection.obstacles,
        [
            "its skill does not grant `documents`; add it to `grants` in `skill.yaml` if the skill should have it"
        ]
    );
    assert_eq!(inspection.lints.len(), 1);
    assert_eq!(
        (inspection.lints[0].name, &*inspection.lints[0].place),
        ("unused-grant", "grant `tools`")
    );
}

#[test]
fn names_that_collide_are_an_obstacle() {
    let mut interface = read(GOOD);
    let mut twin = interface.functions[0].clone();
    twin.instance = Some("test:skill/tools@2.0.0".to_owned());
    interface.functions.push(twin);
    interface.imports.clear();
    let inspection = Inspection::of_interface("test", None, (1, 1), &interface, &HashSet::new());
    let [obstacle] = &inspection.obstacles[..] else { panic!("{:?}", inspection.obstacles) };
    assert!(obstacle.contains("test__tools__sort"), "{obstacle}");
}

/// Files that are not components: what they are, and the advice.
#[test]
fn other_files() {
    let wit = wat::parse_str(
        r#"(component (type (component (type (instance (export "f" (func)))) (export "a:b/c" (instance (type 0)))))
            (export "c" (type 0)) (@custom "wit-component-encoding" "\04\00"))"#,
    )
    .unwrap();
    let component = wat::parse_str("(component (core module) (core module))").unwrap();
    let damaged = [&component[..8], &[99, 1, 0]].concat();
    let files: [(&str, &[u8]); 18] = [
        ("empty", b""),
        ("header", &component[..6]),
        ("truncated", &component[..component.len() - 3]),
        ("damaged", &damaged),
        ("module", b"\0asm\x01\0\0\0"),
        ("future", b"\0asm\x0e\0\x01\0"),
        ("wit package", &wit),
        ("wit", b"// what it does\npackage a:b;\n"),
        ("wat", b"(component)"),
        ("manifest", b"schema: 1\nname: x\n"),
        ("markdown", "# 报告\n".as_bytes()),
        ("elf", b"\x7fELF\x02\x01"),
        ("zip", b"PK\x03\x04...."),
        ("gzip", b"\x1f\x8b\x08\x00"),
        ("zstd", &[0x28, 0xb5, 0x2f, 0xfd, 0, 0]),
        ("picture", b"\x89PNG\r\n\x1a\n\0\0"),
        ("zeros", &[0; 100]),
        ("short", b"\0as"),
    ];
    let mut report = String::new();
    for (name, bytes) in files {
        let error = Inspection::of_file(bytes, "x.wasm").unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Load, "{name}");
        let _ = writeln!(report, "{name}: {}", error.render().replace('\n', "\n    "));
    }
    insta::assert_snapshot!(report, @r##"
    empty: expected a component, got an empty file
        hint: copy or build the component again
    header: expected a component, got a file that ends within its header
        hint: copy or build the component again
    truncated: the bytes are not a valid component
          cause: unexpected end-of-file (at offset 0x18)
        hint: the file ends early: copy or build the component again
    damaged: the bytes are not a valid component
          cause: malformed section id: 99 (at offset 0xa)
        hint: look closer with `wasm-tools validate --features all`; it may be damaged, or need newer tools
    module: expected a component or an Extism plug-in, got a core module that is neither: it imports nothing
        hint: build it for `wasm32-wasip2`, which makes components, or with an Extism PDK
    future: expected a component, got a WebAssembly binary of an unknown version
        hint: build it with current tools, as a component
    wit package: expected a component, got a WIT package
        hint: it holds only types: name the component that was built from it
    wit: expected a component, got WIT text
        hint: name the component that was built from it
    wat: expected a component, got WebAssembly in text form
        hint: make a binary of it with `wasm-tools parse`; of a module, then a component with `wasm-tools component new`
    manifest: expected a component, got a manifest
        hint: name the folder of the skill, or the component in it
    markdown: expected a component, got a text file
        hint: name a `.wasm` or `.wasm.zst` file
    elf: expected a component, got native code
        hint: name the `.wasm` that it was made of
    zip: expected a component, got an archive
        hint: unpack it and name the component inside; only zstd is unpacked here
    gzip: expected a component, got an archive
        hint: unpack it and name the component inside; only zstd is unpacked here
    zstd: the compressed component is damaged: Failed to parse/decode block body: Error while reading the block header
        hint: copy the skill folder again
    picture: expected a component, got no WebAssembly at all
        hint: name a `.wasm` or `.wasm.zst` file
    zeros: expected a component, got no WebAssembly at all
        hint: name a `.wasm` or `.wasm.zst` file
    short: expected a component, got a file that ends within its header
        hint: copy or build the component again
    "##);
}

/// Every prefix of a component is refused, or has nothing to call if it ends between two sections; none causes a panic.
#[test]
fn truncated_components() {
    let component =
        fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../skills/report/report.wasm")).unwrap();
    let whole = Inspection::of_file(&component, "report.wasm").unwrap();
    assert_eq!(whole.exports[0].functions[0].tool.as_deref(), Some("report__deliver"));
    for length in (0..component.len()).step_by(component.len() / 50) {
        match Inspection::of_file(&component[..length], "report.wasm") {
            Err(error) => {
                let text = error.render();
                assert!(text.contains("copy or build the component again"), "{length}: {text}");
            }
            Ok(begun) => assert!(begun.exports.is_empty(), "{length}"),
        }
    }
}

/// Damaged components are read or refused.
#[test]
fn damaged_components() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../skills/excel-tool/excel-tool.wasm");
    let sound = fs::read(path).unwrap();
    let mut random = StdRng::seed_from_u64(0xc0_ffee);
    for _ in 0..40 {
        let mut bytes = sound.clone();
        for _ in 0..4 {
            // The types and names are at the end.
            let place = bytes.len() - 1 - random.random_range(0..20_000);
            bytes[place] ^= 1 << random.random_range(0..8);
        }
        if let Err(error) = Inspection::of_file(&bytes, "x.wasm") {
            assert_eq!(*error.kind(), ErrorKind::Load);
        }
    }
}

#[test]
fn skills_are_named_after_files() {
    let component = wat::parse_str("(component)").unwrap();
    for (file, name) in [
        ("My_Adder.wasm", "my-adder"),
        ("a.wasm.zst", "a"),
        ("加.wasm", "component"),
        ("2.wasm", "component"),
    ] {
        assert_eq!(Inspection::of_file(&component, file).unwrap().name, name);
    }
}
