//! Reads interfaces from WIT text, which is quicker to write than components, and from components.

use super::super::types::{Function, Interface, ResourceType, Type};
use super::{Reader, docs_section};
use mitt_base::error::Result;
use serde_json::{Value, json};
use wit_parser::Resolve;

/// Returns the interface of a world that exports the interface `tools` with these `items`.
pub(crate) fn read(items: &str, docs: Value) -> Result<Interface> {
    let mut resolve = Resolve { all_features: true, ..Default::default() };
    resolve.push_str("types.wit", include_str!("../../../../wit/types.wit")).unwrap();
    let text = format!(
        "package test:skill@1.0.0;\n
        interface tools {{\nuse mitt:host/types@0.1.0.{{cell, table, decimal, error, artifact}};\n{items}\n}}\n
        world test {{ export tools; }}"
    );
    let package = match resolve.push_str("test.wit", &text) {
        Ok(package) => package,
        Err(error) => panic!("{error:?}"),
    };
    let world = resolve.packages[package].worlds["test"];
    Reader::new(&resolve, docs).interface(world)
}

/// Returns the interface of `items`.
pub(crate) fn interface_of(items: &str) -> Interface {
    read(items, Value::Null).unwrap()
}

/// Returns the only function of `items`.
pub(crate) fn function(items: &str) -> Function {
    read(items, Value::Null).unwrap().functions.remove(0)
}

#[test]
fn names_and_notation() {
    let interface = read(
        "
        /// Make it.
        ///
        /// - `file-name`: how it is called,
        ///   with its extension
        /// * `sheet_rows` — the rows
        /// - other text
        make-it: func(file-name: string, sheet-rows: list<list<u32>>) -> result<artifact, error>;
        bare: func();
        ",
        Value::Null,
    )
    .unwrap();
    let make = interface.function(Some("test:skill/tools@1.0.0"), "make-it").unwrap();
    assert!(interface.function(None, "make-it").is_none());
    assert!(make.docs.starts_with("Make it."));
    assert_eq!(make.params[0].docs.as_deref(), Some("how it is called, with its extension"));
    assert_eq!(make.params[1].docs.as_deref(), Some("the rows"));
    assert_eq!(make.params[1].key, "sheet_rows");
    assert_eq!(make.params[1].ty.to_string(), "list<list<u32>>");
    assert_eq!(make.result.as_ref().unwrap().to_string(), "result<artifact, error>");
    assert_eq!(make.success().unwrap().to_string(), "artifact");
    assert_eq!(interface.functions[1].name, "bare");
    assert_eq!(interface.functions[1].success(), None);
    assert_eq!(interface.imports, ["mitt:host/types@0.1.0"]);
}

#[test]
fn types_of_every_kind() {
    let line = |ty: &str| {
        function(&format!("type point = tuple<f32, f64>; f: func(x: {ty});")).params.remove(0).ty
    };
    for notation in [
        "bool",
        "u8",
        "u16",
        "u32",
        "u64",
        "s8",
        "s16",
        "s32",
        "s64",
        "f32",
        "f64",
        "char",
        "string",
        "list<u8>",
        "list<list<u8>>",
        "list<s8, 4>",
        "map<string, u32>",
        "map<u8, list<bool>>",
        "tuple<u8, string>",
        "option<u32>",
        "option<option<cell>>",
        "result",
        "result<u8>",
        "result<_, string>",
        "result<u8, error>",
        "cell",
        "table",
        "decimal",
        "artifact",
        "point",
        "list<point>",
    ] {
        assert_eq!(line(notation).to_string(), notation);
    }
    assert_eq!(line("list<u8>"), Type::Bytes);
    assert_eq!(line("cell"), Type::Cell);
    assert_eq!(line("table"), Type::Table);
    assert_eq!(line("decimal"), Type::Decimal);
    assert!(matches!(line("point"), Type::Alias(alias) if alias.name == "point"));
    assert_eq!(line("list<cell>").unsupported(), None);
}

/// Returns names and reasons of what is skipped.
fn skipped(items: &str) -> String {
    let interface = read(items, Value::Null).unwrap();
    let lines = interface.skipped.iter().map(|it| format!("{}: {}", it.name, it.reason));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_json_cannot_carry_is_skipped() {
    insta::assert_snapshot!(skipped(
        "
        f: func(x: stream<u8>);
        g: func() -> option<future<u32>>;
        h: func(x: list<error-context>);
        later: async func();
        fine: func();
        "
    ), @r"
    later: async functions are not supported
    f: `stream<u8>` has no JSON form
    g: `future<u32>` has no JSON form
    h: `error-context` has no JSON form
    ");
}

#[test]
fn functions_of_resources() {
    let interface = read(
        "
        /// A thing.
        resource thing {
            constructor();
            /// Go on.
            next: func(by: u32) -> u32;
            open: static func() -> result<thing, error>;
        }
        type other = thing;
        take: func(it: borrow<other>, all: list<other>) -> thing;
        ",
        Value::Null,
    )
    .unwrap();
    assert_eq!(interface.skipped, []);
    let lines = interface.functions.iter().map(|function| {
        let params = function.params.iter().map(|param| format!("{}: {}", param.name, param.ty));
        let params: Vec<String> = params.collect();
        let result = function.result.as_ref().unwrap();
        format!("{}({}) -> {result} `{}`", function.name, params.join(", "), function.docs)
    });
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r"
    [constructor]thing() -> thing `A thing.`
    [method]thing.next(self: borrow<thing>, by: u32) -> u32 `Go on.`
    [static]thing.open() -> result<thing, error> ``
    take(it: borrow<thing>, all: list<thing>) -> thing ``
    ");
    let [make, next, open, take] = &interface.functions[..] else { panic!("expected four") };
    assert_eq!(make.of_resource(), Some(("thing", None)));
    assert_eq!(next.of_resource(), Some(("thing", Some("next"))));
    assert_eq!(open.of_resource(), Some(("thing", Some("open"))));
    assert_eq!(take.of_resource(), None);
    assert!(interface.functions.iter().all(Function::uses_handles));
    let thing =
        ResourceType { name: "thing".into(), instance: Some("test:skill/tools@1.0.0".into()) };
    assert_eq!(take.params[0].ty, Type::Borrow(thing.into()));
}

#[test]
fn handles_that_nothing_gives_out_are_told() {
    insta::assert_snapshot!(skipped(
        "
        resource lonely { next: func() -> u32; make: static func(other: lonely) -> lonely; }
        resource made { next: func() -> u32; }
        resource later { peek: func(); }
        make: func() -> list<option<made>>;
        from-lonely: func(it: borrow<lonely>) -> later;
        of-both: func(a: made, b: later);
        variant choice { none, it(lonely) }
        optional: func(a: option<borrow<lonely>>, b: list<later>, c: choice, d: result<u32, lonely>);
        tuples: func(a: tuple<u32, lonely>);
        "
    ), @r"
    [method]lonely.next: it needs a handle of `lonely`, and no function that can be called gives one out
    [static]lonely.make: it needs a handle of `lonely`, and no function that can be called gives one out
    [method]later.peek: it needs a handle of `later`, and no function that can be called gives one out
    from-lonely: it needs a handle of `lonely`, and no function that can be called gives one out
    of-both: it needs a handle of `later`, and no function that can be called gives one out
    tuples: it needs a handle of `lonely`, and no function that can be called gives one out
    ");
}

#[test]
fn resources_of_imports_are_skipped() {
    let mut resolve = Resolve::default();
    let package = resolve
        .push_str(
            "test.wit",
            "package test:skill@1.0.0;
            interface files { resource file { constructor(); } }
            interface tools {
                use files.{file};
                open: func() -> file;
                close: func(it: borrow<file>);
                look: func(it: option<borrow<file>>);
                fine: func();
            }
            world test { import files; export tools; }
            world both { export files; export tools; }",
        )
        .unwrap();
    let read = |world: &str| {
        let world = resolve.packages[package].worlds[world];
        Reader::new(&resolve, Value::Null).interface(world).unwrap()
    };
    let interface = read("test");
    let names: Vec<&str> = interface.functions.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["look", "fine"]);
    let reasons: Vec<&str> = interface.skipped.iter().map(|it| it.reason.as_str()).collect();
    let reason = "`file` is a resource of the imported interface `test:skill/files@1.0.0`, of which nothing here can make a handle";
    assert_eq!(reasons, [reason, reason]);
    // The same resource, exported: the other interface uses it.
    let interface = read("both");
    assert_eq!((interface.functions.len(), interface.skipped.len()), (5, 0));
    assert_eq!(interface.functions[0].result, interface.functions[1].result);
}

/// Each function depends on the one before it; quadratic work would take minutes.
#[test]
fn long_chains_of_resources_are_sorted_quickly() {
    let items: Vec<String> = (0..3_000)
        .map(|at| {
            let param = if at == 0 { String::new() } else { format!("x: r{}", at - 1) };
            format!("resource r{at} {{}} g{at}: func({param}) -> r{at};")
        })
        .collect();
    let start = std::time::Instant::now();
    let interface = read(&items.join("\n"), Value::Null).unwrap();
    assert_eq!(interface.functions.len(), 3_000);
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn documentation_of_the_section_and_junk() {
    let items = "
        /// Old.
        record row { a: u32, b: option<string> }
        f: func(x: row);";
    let docs = json!({"test:skill@1.0.0": {"interfaces": {"tools": {
        "funcs": {"f": {"docs": "Do it.\n\n- `x`: a row"}},
        "types": {"row": {"docs": "A row.", "items": {"a": "First."}}}
    }}}});
    let function = read(items, docs).unwrap().functions.remove(0);
    assert_eq!(function.docs, "Do it.\n\n- `x`: a row");
    assert_eq!(function.params[0].docs.as_deref(), Some("a row"));
    let Type::Record(row) = &function.params[0].ty else { panic!("expected a record") };
    assert_eq!(row.docs.as_deref(), Some("A row."));
    assert_eq!(row.fields[0].docs.as_deref(), Some("First."));
    assert_eq!(row.fields[1].docs, None);
    for junk in [
        json!(7),
        json!([]),
        json!({"test:skill@1.0.0": 1}),
        json!({"test:skill@1.0.0": {"interfaces": {"tools": []}}}),
    ] {
        assert_eq!(read(items, junk).unwrap().functions[0].docs, "");
    }
}

#[test]
fn look_alikes_are_not_well_known() {
    let mut resolve = Resolve::default();
    let package = resolve
        .push_str(
            "host.wit",
            "package mitt:host@9.0.0;
            interface types {
                variant cell { null, text(string) }
                record table { columns: list<string>, rows: list<list<cell>> }
                type decimal = u32;
            }
            interface tools { use types.{cell, table, decimal}; f: func(a: cell, b: table, c: decimal); }
            world test { export tools; }",
        )
        .unwrap();
    let world = resolve.packages[package].worlds["test"];
    let interface = Reader::new(&resolve, Value::Null).interface(world).unwrap();
    let [a, b, c] = &interface.functions[0].params[..] else { panic!("expected three") };
    assert!(
        matches!(a.ty, Type::Variant(_))
            && matches!(b.ty, Type::Record(_))
            && matches!(c.ty, Type::Alias(_))
    );
}

#[test]
fn large_and_deep_types_are_refused() {
    let doubling = |levels: usize| {
        let types: Vec<String> = (1..=levels)
            .map(|level| format!("type t{level} = tuple<t{0}, t{0}>;", level - 1))
            .collect();
        format!("type t0 = u8; {} f: func(x: t{levels});", types.join("\n"))
    };
    assert!(read(&doubling(8), Value::Null).is_ok());
    let interface = read(&doubling(14), Value::Null).unwrap();
    assert!(interface.functions.is_empty());
    insta::assert_snapshot!(interface.skipped[0].reason, @"types of more than 10000 parts are not supported, these have 49151");
    // All functions together are bounded too.
    let many: String = (0..20).map(|number| format!("g{number}: func(x: t11);\n")).collect();
    let interface = read(&format!("{}\n{many}", doubling(11)), Value::Null).unwrap();
    assert!(
        interface.functions.len() >= 12 && interface.skipped.len() >= 4,
        "{}",
        interface.functions.len()
    );
    assert!(interface.skipped[0].reason.contains("together may have types of 100000 parts"));
    let nested =
        |levels: usize| format!("f: func(x: {}u32{});", "list<".repeat(levels), ">".repeat(levels));
    assert!(read(&nested(90), Value::Null).is_ok());
    let chain = |levels: usize| {
        let types: Vec<String> =
            (1..=levels).map(|level| format!("type t{level} = list<t{}>;", level - 1)).collect();
        format!("type t0 = u32; {} f: func(x: t{levels});", types.join("\n"))
    };
    assert!(read(&chain(90), Value::Null).is_ok());
    let error = read(&chain(500), Value::Null).unwrap_err();
    insta::assert_snapshot!(error, @r##"function `f` of `test:skill/tools@1.0.0`: types nested over 100 levels are not supported"##);
}

#[test]
fn serialised_and_back() {
    let items = "
        /// One of many.
        enum colour { red, dark-blue }
        flags style { bold, italic }
        record row { a: colour, b: option<style>, c: list<colour>, d: tuple<u8, char>, e: map<string, f64> }
        variant shape { none, round(f32), named(row) }
        type date = string;
        resource thing { constructor(); take: func(other: thing); }
        /// Do it.
        f: func(x: row, y: shape, z: list<u8, 3>, when: date, t: table) -> result<list<row>, error>;
        g: func(x: option<option<cell>>) -> u64;";
    let interface = read(items, Value::Null).unwrap();
    let text = serde_json::to_string(&interface).unwrap();
    let back: Interface = serde_json::from_str(&text).unwrap();
    assert_eq!(back, interface);
    assert_eq!(text.matches("dark-blue").count(), 1, "definitions are shared");
    for broken in [
        r#"{"types":[{"list":0}],"functions":[],"imports":[],"skipped":[]}"#,
        r#"{"types":["bool",{"list":7}],"functions":[],"imports":[],"skipped":[]}"#,
        r#"{"types":[],"functions":[{"instance":null,"name":"f","docs":"","params":[],"result":0}],"imports":[],"skipped":[]}"#,
    ] {
        assert!(serde_json::from_str::<Interface>(broken).is_err(), "{broken}");
    }
    let deep: Vec<String> = (0..5_000).map(|at| format!("{{\"option\":{at}}}")).collect();
    let deep = format!(
        r#"{{"types":["bool",{}],"functions":[],"imports":[],"skipped":[]}}"#,
        deep.join(",")
    );
    assert!(
        serde_json::from_str::<Interface>(&deep)
            .unwrap_err()
            .to_string()
            .contains("nested too deeply")
    );
}

#[test]
fn components() {
    let component = wat::parse_str(
        r#"(component
            (core module $m
                (memory (export "memory") 1)
                (func (export "f") (param i32 i32 i32) (result i32) i32.const 0)
                (func (export "realloc") (param i32 i32 i32 i32) (result i32) i32.const 16))
            (core instance $i (instantiate $m))
            (type $f (func (param "the-names" (list string)) (param "n" u32) (result string)))
            (func $lifted (type $f)
                (canon lift (core func $i "f") (memory (core memory $i "memory")) (realloc (core func $i "realloc"))))
            (export "at-root" (func $lifted))
            (instance $tools (export "do-it" (func $lifted)))
            (export "test:skill/tools@1.0.0" (instance $tools))
            (export "wasi:cli/run@0.2.0" (instance $tools))
        )"#,
    )
    .unwrap();
    let interface = Interface::from_component(&component).unwrap();
    let names: Vec<(Option<&str>, &str)> =
        interface.functions.iter().map(|it| (it.instance.as_deref(), it.name.as_str())).collect();
    assert_eq!(names, [(None, "at-root"), (Some("test:skill/tools@1.0.0"), "do-it")]);
    assert_eq!(interface.functions[0].params[0].ty.to_string(), "list<string>");
    assert_eq!(interface.skipped.len(), 1);

    for junk in [
        &b""[..],
        b"\0asm",
        b"\0asm\x01\0\0\0",
        b"not wasm at all",
        &component[..component.len() - 3],
        &component[..40],
    ] {
        assert!(Interface::from_component(junk).is_err(), "{junk:?}");
    }

    let mut documented = component.clone();
    let body = [&[9][..], b"mitt-docs", br#"{"a:b":{"docs":"x"}}"#].concat();
    documented.extend([0, u8::try_from(body.len()).unwrap()]);
    documented.extend(body);
    assert_eq!(docs_section(&documented)["a:b"]["docs"], "x");
    assert!(Interface::from_component(&documented).is_ok());
    for end in component.len()..documented.len() {
        assert_eq!(docs_section(&documented[..end]), Value::Null);
    }
}

/// The plugins in the repository, which carry their own documentation.
#[test]
fn committed_plugins() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills");
    let Ok(skills) = std::fs::read_dir(folder) else { return };
    for skill in skills.flatten() {
        for file in std::fs::read_dir(skill.path()).into_iter().flatten().flatten() {
            if file.path().extension().is_some_and(|extension| extension == "wasm") {
                let interface =
                    Interface::from_component(&std::fs::read(file.path()).unwrap()).unwrap();
                for function in &interface.functions {
                    assert!(
                        !function.docs.is_empty(),
                        "`{}` of {:?} has no documentation",
                        function.name,
                        file.path()
                    );
                    assert_eq!(crate::schema::arguments(function)["type"], "object");
                }
                let text = serde_json::to_string(&interface).unwrap();
                assert_eq!(serde_json::from_str::<Interface>(&text).unwrap(), interface);
            }
        }
    }
}

/// A valid component that the WIT parser cannot describe.
#[test]
fn types_at_the_root_are_told_as_that() {
    let component =
        wat::parse_str(r#"(component (type $e (enum "a" "b")) (export "e" (type $e)))"#).unwrap();
    let error = Interface::from_component(&component).unwrap_err();
    assert!(error.to_string().contains("exports a type at its root"), "{}", error.render());
}
