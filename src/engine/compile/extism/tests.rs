use super::*;
use crate::extism::MAX_NAME_BYTES;

fn wasm(wat: &str) -> Vec<u8> {
    wat::parse_str(wat).unwrap()
}

/// Returns the interface of the component that is made from these modules, after the usual check.
fn interface(modules: &[(&str, &str)]) -> Result<Interface> {
    let modules: Vec<_> =
        modules.iter().map(|(name, wat)| ((*name).to_owned(), wasm(wat))).collect();
    let borrowed: Vec<(String, &[u8])> =
        modules.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())).collect();
    let component = link(&borrowed, &BTreeMap::new())?;
    let checked = super::super::check::Checked::new(&component)?;
    let mut interface = Interface::from_component(checked.bytes())?;
    named(&mut interface);
    Ok(interface)
}

fn functions(interface: &Interface) -> Vec<&str> {
    interface.functions.iter().map(|function| function.name.as_str()).collect()
}

#[test]
fn functions_without_parameters_are_called_and_runtimes_are_left_alone() {
    let interface = interface(&[(
        "main",
        r#"(module
            (import "extism:host/env" "input_length" (func (result i64)))
            (memory (export "memory") 1)
            (func (export "run") (result i32) (i32.const 0))
            (func (export "countVowels"))
            (func (export "_initialize")) (func (export "_start")) (func (export "__wasm_call_ctors"))
            (func (export "hs_init") (param i32 i32)) (func (export "asyncify_stop_unwind"))
            (func (export "malloc") (param i32) (result i32) (i32.const 0))
            (func (export "wide") (result i64) (i64.const 0)))"#,
    )])
    .unwrap();
    assert_eq!(functions(&interface), ["countVowels", "run"]);
    assert_eq!(interface.functions[0].instance.as_deref(), Some(PLUGIN));
    assert_eq!(interface.imports, [crate::extism::HOST]);
}

#[test]
fn a_runtime_begins_in_its_own_order() {
    for (exports, expected) in [
        (&["_initialize"][..], &["_initialize"][..]),
        (&["__wasm_call_ctors"], &["__wasm_call_ctors"]),
        (&["__wasm_call_ctors", "_initialize"], &["_initialize"]),
        (&["hs_init", "_initialize"], &["_initialize", "hs_init"]),
        (&["hs_init"], &["hs_init"]),
        (&[], &[]),
    ] {
        let exports: String = exports
            .iter()
            .map(|name| match *name {
                "hs_init" => r#"(func (export "hs_init") (param i32 i32))"#.to_owned(),
                name => format!(r#"(func (export "{name}"))"#),
            })
            .collect();
        let bytes = wasm(&format!("(module {exports})"));
        let module = Module::new("main", &bytes).unwrap();
        let begins: Vec<&str> =
            frame::beginnings(&module).into_iter().map(|(name, _)| name).collect();
        assert_eq!(begins, expected, "{exports}");
    }
}

#[test]
fn modules_import_each_other_in_any_order_but_not_in_a_circle() {
    const A: &str = r#"(module (import "b" "two" (func (result i32))) (export "run" (func 0)))"#;
    const B: &str =
        r#"(module (import "c" "m" (memory 1)) (func (export "two") (result i32) (i32.const 2)))"#;
    const C: &str = r#"(module (memory (export "m") 1))"#;
    for order in [[("b", B), ("c", C), ("a", A)], [("c", C), ("b", B), ("a", A)]] {
        assert_eq!(functions(&interface(&order).unwrap()), ["run"]);
    }
    let circle = r#"(module (import "a" "run" (func (result i32))) (export "two" (func 0)))"#;
    for (modules, problem) in [
        (&[("b", circle), ("a", A)][..], "imports from itself, by way of others"),
        (&[("a", A)], "imports `two` of `b`, which nothing here offers"),
        (&[("b", B), ("b", B), ("a", A)], "two modules are named `b`"),
        (&[("extism:host/env", C), ("a", A)], "two modules are named `extism:host/env`"),
        (
            &[("a", r#"(module (import "wasi_unstable" "x" (func)))"#)],
            "imports `x` of `wasi_unstable`",
        ),
        (
            &[(
                "a",
                r#"(module (import "wasi_snapshot_preview1" "fly" (func)) (memory (export "memory") 1))"#,
            )],
            "imports `fly` of `wasi_snapshot_preview1`, which is not there",
        ),
        (
            &[("a", r#"(module (import "wasi_snapshot_preview1" "sched_yield" (func)))"#)],
            "imports `sched_yield` of `wasi_snapshot_preview1`, which is not there, or is of another type",
        ),
        (
            &[(
                "a",
                r#"(module (import "wasi_snapshot_preview1" "random_get" (func (param i32 i32) (result i32))))"#,
            )],
            "`a` imports `random_get` of `wasi_snapshot_preview1`, and has no memory",
        ),
    ] {
        let error = interface(modules).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Load);
        assert!(error.render().contains(problem), "{problem}: {}", error.render());
    }
    let many: Vec<(&str, &str)> = vec![("x", C); 17];
    assert!(interface(&many).unwrap_err().to_string().contains("expected 1 to 15 modules, got 17"));
}

/// Several modules can use WASI, with a memory of their own, that of another module, or none.
#[test]
fn modules_with_wasi_share_what_they_like() {
    const YIELD: &str =
        r#"(import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))"#;
    let own = format!(
        r#"(module {YIELD} (memory (export "memory") 1) (func (export "_initialize")) (export "two" (func $yield)))"#
    );
    let shared = format!(
        r#"(module {YIELD} (import "b" "memory" (memory 1)) (import "b" "two" (func (result i32))) (export "memory" (memory 0)) (func (export "run")))"#
    );
    let none =
        format!(r#"(module {YIELD} (import "b" "two" (func (result i32))) (func (export "run")))"#);
    for main in [shared, none] {
        let interface = interface(&[("b", &own), ("a", &main)]).unwrap();
        assert_eq!(functions(&interface), ["run"]);
        assert_eq!(interface.imports, [crate::extism::HOST, crate::extism::WASI_HOST]);
    }
}

/// The renaming avoids names that other imports have, and ignores custom sections.
#[test]
fn functions_that_are_imported_twice_are_told_apart() {
    const B: &str = r#"(module (func (export "f")) (func (export "f 1")) (memory (export "m") 1))"#;
    let twice = r#"(import "b" "f" (func)) (import "b" "f" (func)) (import "b" "f" (func))"#;
    let many = twice.repeat(300);
    for more in ["", &many, r#"(import "b" "f 1" (func))"#, r#"(@custom "name" "\ff\ff")"#] {
        let main = format!(r#"(module {twice} {more} (func (export "run")))"#);
        assert_eq!(functions(&interface(&[("b", B), ("a", &main)]).unwrap()), ["run"], "{more}");
    }
}

#[test]
fn a_program_has_one_function() {
    let begins = r#"(module (func (export "_start")) (func (export "_initialize")))"#;
    assert_eq!(functions(&interface(&[("main", begins)]).unwrap()), ["_start"]);
}

/// A module with the name under which the embedder's functions are imported replaces them.
#[test]
fn a_module_can_stand_in_for_an_embedder() {
    let stands_in =
        r#"(module (func (export "shout") (param i64 i32) (result i64) (i64.const 0)))"#;
    let asks = r#"(module (import "extism:host/user" "shout" (func (param i64 i32) (result i64))) (func (export "run")))"#;
    let interface = interface(&[(USER, stands_in), ("main", asks)]).unwrap();
    assert!(interface.imports.iter().all(|import| import != USER));
}

#[test]
fn what_is_no_plug_in_stays_as_it_is_or_is_refused() {
    let component_bytes = wasm("(component)");
    let same = component(Cow::Borrowed(&component_bytes)).unwrap();
    assert_eq!(*same, *component_bytes);
    assert!(component(Cow::Borrowed(b"")).unwrap().is_empty());
    let long = "x".repeat(MAX_NAME_BYTES + 1);
    for (wat, problem) in [
        ("(module)".to_owned(), "it imports nothing"),
        (r#"(module (import "env" "x" (func)))"#.to_owned(), "it imports `env`"),
        (format!(r#"(module (import "extism:host/env" "{long}" (func)))"#), "more than 128 bytes"),
    ] {
        let bytes = wasm(&wat);
        let error = component(Cow::Borrowed(&bytes)).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
    }
    // The kernel itself is not a plug-in.
    assert!(component(Cow::Borrowed(frame::KERNEL)).is_err());
}

/// Every function that plug-ins can import exists in the kernel, with the type in the list.
#[test]
fn the_kernel_has_what_it_should() {
    let kernel = Module::new("kernel", frame::KERNEL).unwrap();
    assert!(kernel.imports.is_empty());
    for (name, params, results) in FUNCTIONS {
        let ty = &kernel.functions[name];
        assert_eq!((ty.params(), ty.results()), (params, results), "{name}");
    }
    let all = wasi::tests::as_imports();
    let bytes =
        wasm(&format!(r#"(module {all} (memory (export "memory") 1) (func (export "run")))"#));
    let component = link(&[("main".to_owned(), &bytes)], &BTreeMap::new()).unwrap();
    super::super::check::Checked::new(&component).unwrap();
}
