//! Hostile components: disabled proposals, code that takes long to compile, and what instances keep besides their memories.

mod charge;

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use mitt::ErrorKind;

use crate::support::{TestSkill, call, command, text};

/// Returns a component of one core module, whose function `run` is the tool.
fn module(body: &str) -> String {
    format!(
        r#"(component
            (core module $m {body})
            (core instance $i (instantiate $m))
            (func (export "run") (canon lift (core func $i "run"))))"#
    )
}

/// Returns the program in its own process, calling the tool of a component: an abort ends only that process.
fn program(folder: &tempfile::TempDir, wat: &str) -> Command {
    fs::write(folder.path().join("x.wasm"), wat::parse_str(wat).unwrap()).unwrap();
    let call = [
        "call",
        "x__run",
        "--json",
        "{}",
        "--component",
        "x.wasm",
        "--no-bundled-skills",
        "--no-cache",
        "--quiet",
    ];
    command(folder.path(), &call)
}

/// Returns why a component is refused. The refusal must come sooner than Cranelift would be done.
async fn refused(wat: &str) -> String {
    let component = wat::parse_str(wat).unwrap_or_else(|error| panic!("{error}"));
    let start = Instant::now();
    let skill = TestSkill::from_bytes("hostile", &component, "");
    let error = call(&skill.session(), "hostile__run").await.result.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Load, "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}: {error:?}", start.elapsed());
    error.render()
}

/// Calls of a library function of wasmtime that this build lacks: it is `unreachable!()` in a function that cannot unwind,
/// and aborts the process with code 134.
const ABORTING: [&str; 6] = [
    // RUSTSEC-2026-0570, in 121 bytes.
    r#"(type $a (sub (func))) (type $b (sub $a (func))) (type $run (func))
       (table 1 funcref) (elem (i32.const 0) $g) (func $g (type $b))
       (func (export "run") (type $run) (call_indirect (type $a) (i32.const 0)))"#,
    // With parameters and results, and several tables.
    r#"(type $a (sub (func (param i32 i64) (result f32)))) (type $b (sub $a (func (param i32 i64) (result f32)))) (type $run (func))
       (table 2 funcref) (table $t 9 funcref) (elem (table $t) (i32.const 3) func $g $g)
       (func $g (type $b) (f32.const 1))
       (func (export "run") (type $run)
           (drop (call_indirect $t (type $a) (i32.const 1) (i64.const 2) (i32.const 3))))"#,
    // A type that fits but is not final, which is compared first.
    r#"(type $a (sub (func))) (type $run (func)) (table 1 funcref) (elem (i32.const 0) $g) (func $g (type $a))
       (func (export "run") (type $run) (call_indirect (type $a) (i32.const 0)))"#,
    // A type that does not fit.
    r#"(type $a (sub (func))) (type $run (func)) (table 1 funcref) (elem (i32.const 0) $run) (func $run (export "run") (type $run)
           (call_indirect (type $a) (i32.const 0)))"#,
    // In a recursion group, further down the chain.
    r#"(rec (type $a (sub (func))) (type $b (sub $a (func))) (type $c (sub final $b (func)))) (type $run (func))
       (table 1 funcref) (elem (i32.const 0) $g) (func $g (type $c))
       (func (export "run") (type $run) (call_indirect (type $a) (i32.const 0)))"#,
    // In a start function, before any call.
    r#"(type $a (sub (func))) (type $b (sub $a (func))) (type $run (func))
       (table 1 funcref) (elem (i32.const 0) $g) (func $g (type $b))
       (func $s (type $run) (call_indirect (type $a) (i32.const 0))) (start $s)
       (func (export "run") (type $run))"#,
];

#[test]
fn a_call_through_a_subtype_does_not_end_the_process() {
    let folder = tempfile::tempdir().unwrap();
    for body in ABORTING {
        let output = program(&folder, &module(body)).output().unwrap();
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(8), "{body}: {stderr}");
        assert!(stderr.contains("the WebAssembly proposal `gc`"), "{body}: {stderr}");
        assert!(stderr.contains("hint: build it for linear memory"), "{body}: {stderr}");
    }
}

/// Nested instance types, three bytes each: readers of components recurse for each.
fn nested_types(levels: usize, holder: u8) -> Vec<u8> {
    let mut types = vec![1];
    types.extend([holder, 1, 1].repeat(levels));
    types.extend([holder, 0]);
    let mut component = b"\0asm\x0d\0\x01\0\x07".to_vec();
    let mut size = types.len();
    while size >= 0x80 {
        component.push(size as u8 | 0x80);
        size >>= 7;
    }
    component.push(size as u8);
    component.extend(types);
    component
}

#[test]
fn types_in_one_another_do_not_end_the_process() {
    let folder = tempfile::tempdir().unwrap();
    for (levels, holder) in [(1_000, 0x42), (1_000, 0x41), (300_000, 0x42)] {
        fs::write(folder.path().join("x.wasm"), nested_types(levels, holder)).unwrap();
        for arguments in
            [&["tools", "--component", "x.wasm", "--no-bundled-skills"][..], &["inspect", "x.wasm"]]
        {
            let output = command(folder.path(), arguments).output().unwrap();
            let stderr = text(&output.stderr);
            assert_eq!(output.status.code(), Some(8), "{levels}, {arguments:?}: {stderr}");
            assert!(
                stderr.contains("types of instances and components, in one another"),
                "{stderr}"
            );
        }
    }
}

#[tokio::test]
async fn every_core_proposal_that_is_off_is_refused_by_name() {
    for (name, body) in [
        ("gc", "(type (sub (func)))"),
        ("gc", "(type (struct (field i32)))"),
        ("gc", "(type (array i8))"),
        ("gc", "(func (param anyref))"),
        ("gc", "(func (param externref))"),
        ("gc", "(table 1 externref)"),
        ("gc", "(func (drop (ref.i31 (i32.const 0))))"),
        ("gc", "(rec (type (func)) (type (func)))"),
        ("function-references", "(type $f (func)) (func (param (ref $f)))"),
        ("function-references", "(type $f (func)) (func (call_ref $f (ref.null $f)))"),
        ("function-references", "(func (param (ref func)))"),
        ("threads", "(memory 1 1 shared)"),
        ("threads", "(memory 1) (func (drop (i32.atomic.load (i32.const 0))))"),
        ("threads", "(memory 1) (func (drop (memory.atomic.notify (i32.const 0) (i32.const 1))))"),
        (
            "threads",
            "(memory 1) (func (drop (memory.atomic.wait32 (i32.const 0) (i32.const 1) (i64.const 1))))",
        ),
        ("threads", "(func (atomic.fence))"),
        ("shared-everything-threads", "(global (shared i32) (i32.const 0))"),
        ("exceptions", "(tag)"),
        ("exceptions", "(func (throw_ref (ref.null exn)))"),
        ("exceptions", "(func (block (try_table (catch_all 0))))"),
        ("memory64", "(memory i64 1)"),
        ("memory64", "(table i64 1 funcref)"),
        ("tail-call", "(func $f (return_call $f))"),
        ("tail-call", "(table 1 funcref) (func (return_call_indirect (i32.const 0)))"),
        ("custom-page-sizes", "(memory 1 (pagesize 1))"),
        ("stack-switching", "(type $f (func)) (type (cont $f))"),
        (
            "relaxed-simd",
            "(func (param v128) (drop (i8x16.relaxed_swizzle (local.get 0) (local.get 0))))",
        ),
        (
            "wide-arithmetic",
            "(func (param i64) (drop (drop (i64.add128 (local.get 0) (local.get 0) (local.get 0) (local.get 0)))))",
        ),
    ] {
        let error = refused(&module(&format!(r#"{body} (func (export "run"))"#))).await;
        assert!(error.contains(&format!("proposal `{name}`, which")), "{name}, {body}: {error}");
        assert!(error.contains("\nhint: "), "{name}: {error}");
    }
}

#[tokio::test]
async fn every_component_proposal_that_is_off_is_refused_by_name() {
    let run = r#"(core module $m (func (export "run"))) (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run")))"#;
    for (name, body) in [
        ("component-model-async", "(type (stream u8))"),
        ("component-model-async", "(type (future))"),
        ("component-model-async", "(type (func async))"),
        ("component-model-async", "(core func (canon task.cancel))"),
        ("component-model-error-context", "(type error-context)"),
        ("component-model-fixed-length-lists", "(type (list u8 4))"),
        ("component-model-map", "(type (map string u32))"),
        ("component-model-values", r#"(import "v" (value u32))"#),
    ] {
        let error = refused(&format!("(component {body} {run})")).await;
        assert!(error.contains(&format!("proposal `{name}`, which")), "{name}, {body}: {error}");
    }
}

#[tokio::test]
async fn what_compilers_use_is_on() {
    let body = r#"
        (memory 1) (memory $two 1) (table $t 2 funcref) (global $g (mut i32) (i32.const 0))
        (global $k i32 (i32.add (i32.const 1) (i32.const 2)))
        (data $d "abc") (elem $e func $f)
        (func $f) (func $pair (result i32 i32) (i32.const 1) (i32.const 2))
        (func (export "run") (local $v v128)
            (local.set $v (i8x16.add (v128.const i32x4 1 2 3 4) (v128.const i32x4 1 2 3 4)))
            (drop (i8x16.extract_lane_s 0 (local.get $v)))
            (drop (i32.trunc_sat_f64_s (f64.const 1e300)))
            (drop (i32.extend8_s (i32.const 200)))
            (memory.init $d (i32.const 0) (i32.const 0) (i32.const 3))
            (memory.copy $two 0 (i32.const 0) (i32.const 0) (i32.const 3))
            (memory.fill (i32.const 0) (i32.const 1) (i32.const 9))
            (data.drop $d)
            (table.init $t $e (i32.const 0) (i32.const 0) (i32.const 1))
            (drop (table.grow $t (ref.func $f) (i32.const 1)))
            (drop (ref.is_null (table.get $t (i32.const 1))))
            (call_indirect $t (i32.const 0))
            (call $pair) (drop) (drop)
            (block (result i32 i32) (call $pair)) (drop) (drop)
            (global.set $g (global.get $k)))"#;
    let skill = TestSkill::new("useful", &module(body), "");
    let report = call(&skill.session(), "useful__run").await;
    assert!(report.result.is_ok(), "{:?}", report.result);
}

/// Two components in one. The inner ones have a memory each, and a string goes from one to the other through code that
/// wasmtime generates, with two memories in one module.
#[tokio::test]
async fn compositions_that_hand_strings_on_work() {
    let libc = r#"(core module $libc (memory (export "memory") 1)
        (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))"#;
    let wat = format!(
        r#"(component
            (component $a {libc} (core instance $l (instantiate $libc))
                (core module $m (func (export "length") (param i32 i32) (result i32) (local.get 1)))
                (core instance $i (instantiate $m))
                (func (export "length") (param "s" string) (result u32)
                    (canon lift (core func $i "length") (memory (core memory $l "memory")) (realloc (core func $l "realloc")))))
            (component $b (import "length" (func $length (param "s" string) (result u32)))
                {libc} (core instance $l (instantiate $libc))
                (core func $lowered (canon lower (func $length) (memory (core memory $l "memory"))))
                (core module $m (import "" "length" (func $length (param i32 i32) (result i32)))
                    (func (export "run") (result i32) (call $length (i32.const 0) (i32.const 7))))
                (core instance $i (instantiate $m (with "" (instance (export "length" (func $lowered))))))
                (func (export "run") (result u32) (canon lift (core func $i "run"))))
            (instance $one (instantiate $a))
            (instance $two (instantiate $b (with "length" (func $one "length"))))
            (export "run" (func $two "run")))"#
    );
    let skill = TestSkill::new("composed", &wat, "");
    let report = call(&skill.session(), "composed__run").await;
    assert_eq!(report.result.unwrap().to_string(), "7");
    // Four modules of the composition are instantiated, and their memory is reported.
    assert!(report.usage.peak_memory_bytes > 2 * 65_536 + 4 * 1_024, "{:?}", report.usage);
}

/// Repeats a text `n` times.
fn times(n: usize, part: &str) -> String {
    part.repeat(n)
}

/// Returns a function with this body.
fn function(body: &str) -> String {
    module(&format!(r#"(func (export "run") {body})"#))
}

#[tokio::test]
async fn functions_that_take_long_to_compile_are_refused() {
    let locals = |n: usize| format!("(local {})", times(n, "i32 "));
    // Values alive across many branches: the same area in several shapes.
    let increments = |n: usize, of: usize, open: &str, close: &str| -> String {
        let step = |i: usize| {
            format!(
                "{open} local.get {} i32.const 1 i32.add local.tee {} {close} ",
                i % of,
                (i * 7 + 3) % of
            )
        };
        (0..n).map(step).collect()
    };
    let many_loops =
        format!("{}{}", locals(1_000), increments(8_000, 1_000, "loop", "br_if 0 end"));
    let few_locals = format!("{}{}", locals(10), increments(12_000, 10, "loop", "br_if 0 end"));
    let many_ifs = format!("{}{}", locals(2_000), increments(6_000, 2_000, "", "if end"));
    let on_the_stack = format!(
        "{} {} {}",
        times(6_000, "i32.const 0 i32.load "),
        times(2_000, "i32.const 0 i32.load if end "),
        times(6_000, "drop ")
    );
    let moved = times(128, "i32 ");
    let calls = format!(
        r#"(func $f (param {moved}) (result {moved}) {})
           (func (export "run") {} {} {})"#,
        (0..128).map(|i| format!("local.get {i} ")).collect::<String>(),
        times(128, "i32.const 0 "),
        times(2_000, "call $f "),
        times(128, "drop "),
    );
    let table = format!(
        "(local i32) {} local.get 0 br_table {} 0 {}",
        times(100, "block "),
        times(9_000, "3 "),
        times(100, "end "),
    );
    let tables_with_values = format!(
        r#"(type $t (func (result {moved}))) (func (export "run") (local i32)
            {} {})"#,
        times(
            4,
            &format!(
                "(block (type $t) {} local.get 0 br_table {} 0)",
                times(128, "i32.const 0 "),
                times(1_000, "0 ")
            )
        ),
        times(4 * 128, "drop "),
    );
    for (wanted, wat) in [
        ("expected at most 1048576 bytes of code", function(&times(1_100_000, "nop "))),
        ("units of work", module(&calls)),
        ("units of work", module(&tables_with_values)),
        (" live values times branches, got ", function(&many_loops)),
        (" live values times branches, got ", function(&few_locals)),
        (" live values times branches, got ", function(&many_ifs)),
        (
            " live values times branches, got ",
            module(&format!(r#"(memory 1) (func (export "run") {on_the_stack})"#)),
        ),
        ("expected at most 10000 locals, got 10001", function(&locals(10_001))),
        ("expected at most 8192 targets of a `br_table`, got 9000", function(&table)),
        (
            "at most 4096 blocks in one another",
            function(&format!("{}{}", times(5_000, "block "), times(5_000, "end "))),
        ),
        (
            "expected at most 64 loops in one another, got 65",
            function(&format!("{}{}", times(65, "loop "), times(65, "end "))),
        ),
        ("at most 40000 branches, blocks and calls", function(&times(25_000, "block end "))),
        (
            "at most 256 parameters and results",
            module(&format!(
                r#"(type (func (param {}))) (func (export "run"))"#,
                times(300, "i32 ")
            )),
        ),
    ] {
        let error = refused(&wat).await;
        assert!(error.contains(wanted), "expected `{wanted}`: {error}");
        assert!(error.contains("core module 0"), "{error}");
        assert!(error.contains("\nhint: make the component smaller"), "{error}");
    }
}

#[tokio::test]
async fn the_place_of_what_is_too_large_is_named() {
    let wat = format!(
        r#"(component (core module) (core module $m (func) (func) (func (local {})) (func (export "run")))
            (core instance $i (instantiate $m)) (func (export "run") (canon lift (core func $i "run"))))"#,
        times(10_001, "i32 ")
    );
    insta::assert_snapshot!(refused(&wat).await, @r#"
    skill `hostile`: core module 1, function 2: expected at most 10000 locals, got 10001
    hint: make the component smaller: split it, or build it with `opt-level = "s"`; what is larger takes too long to compile
    "#);
}

#[tokio::test]
async fn modules_of_too_many_parts_are_refused() {
    let run = r#"(func (export "run"))"#;
    let exports: String = (0..40_000).map(|i| format!("(export \"{i}\" (func 0))")).collect();
    for (wanted, body) in [
        ("32768 functions", times(70_000, "(func)")),
        (
            "16384 types",
            (0..20_000)
                .map(|i| format!("(type (func (param {})))", times(i % 200, "i32 ")))
                .collect(),
        ),
        ("32768 globals", times(40_000, "(global i32 (i32.const 0))")),
        ("16 tables", times(20, "(table 1 funcref)")),
        ("262144 elements of tables", "(table 300000 funcref)".into()),
        ("262144 elements of tables", times(10, "(table 30000 funcref)")),
        ("16 memories", times(20, "(memory 1)")),
        ("65536 data segments", times(70_000, "(data \"\")")),
        ("4096 element segments", times(5_000, "(elem func)")),
        (
            "131072 items of element segments",
            format!("(func $f) (elem func {})", times(140_000, "$f ")),
        ),
        (
            "131072 operators of constant expressions",
            format!("(global i32 (i32.const 0 {}))", times(200_000, "i32.const 1 i32.add ")),
        ),
        ("32768 imports or exports", exports),
    ] {
        let error = refused(&module(&format!("{body} {run}"))).await;
        assert!(error.contains(&format!("at most {wanted}")), "expected `{wanted}`: {error}");
    }
}

#[tokio::test]
async fn first_contents_that_are_mostly_gaps_are_refused() {
    // One byte at each end of 16 MiB, which are laid out as a whole: 12 modules of 40 bytes would become 192 MiB.
    let gap =
        r#"(core module (memory 1000) (data (i32.const 0) "a") (data (i32.const 16777000) "b"))"#;
    let run = r#"(core module $m (func (export "run"))) (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run")))"#;
    let error = refused(&format!("(component {} {run})", times(12, gap))).await;
    assert!(
        error.contains("at most 134217728 bytes from the first to the last data segment"),
        "{error}"
    );
    // As many memories in one module.
    let memories: String = (0..12)
        .map(|i| format!(r#"(memory $m{i} 1000) (data (memory $m{i}) (i32.const 1) "a") (data (memory $m{i}) (i32.const 16777000) "b")"#))
        .collect();
    let error = refused(&module(&format!(r#"{memories} (func (export "run"))"#))).await;
    assert!(error.contains("at most 134217728 bytes"), "{error}");
}

#[tokio::test]
async fn components_of_too_many_parts_are_refused() {
    let run = r#"(core module $m (func (export "run"))) (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run")))"#;
    // Each component instantiates the one before twice: 2^40 instances from a kilobyte.
    let doubling = |inner: &str| {
        let mut text = format!("(component $c0 {inner})");
        for i in 1..=40 {
            let before = i - 1;
            text.push_str(&format!(
                "(component $c{i} (alias outer 1 $c{before} (component $c)) (instance (instantiate $c)) (instance (instantiate $c)))"
            ));
        }
        text + "(instance (instantiate $c40))"
    };
    let fields: String = (0..3_000).map(|i| format!("(field \"f{i}\" u8)")).collect();
    let names: String = (0..3_000).map(|i| format!("\"n{i}\" ")).collect();
    for (wanted, body) in [
        ("256 core modules", times(300, "(core module)")),
        ("256 components", times(300, "(component)")),
        ("16 components in one another", format!("{}{}", times(20, "(component "), times(20, ")"))),
        (
            "512 core instances",
            format!("(core module $e) {}", times(600, "(core instance (instantiate $e))")),
        ),
        ("512 core instances", doubling("(core module $e) (core instance (instantiate $e))")),
        ("1024 component instances", doubling("")),
        ("65536 definitions", doubling(&times(9_000, "(type u8)"))),
        ("2048 fields", format!("(type (record {fields}))")),
        ("2048 fields", format!("(type (enum {names}))")),
        ("2048 fields", format!("(type (tuple {}))", times(3_000, "u8 "))),
        (
            "65536 parts of interface types",
            times(40, &format!("(type (tuple {}))", times(2_000, "u8 "))),
        ),
        // In the type of an instance, where nothing is instantiated.
        ("2048 fields", format!("(type (instance (type (tuple {}))))", times(3_000, "u8 "))),
    ] {
        let error = refused(&format!("(component {body} {run})")).await;
        assert!(error.contains(&format!("at most {wanted}")), "expected `{wanted}`: {error}");
    }
}

#[tokio::test]
async fn modules_and_components_from_elsewhere_are_refused() {
    let run = r#"(core module $m (func (export "run"))) (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run")))"#;
    for body in [
        r#"(import "m" (core module))"#,
        r#"(import "c" (component))"#,
        r#"(component (import "m" (core module $m)) (core instance (instantiate $m)))"#,
        r#"(component $c (core module $m) (export "m" (core module $m))) (instance $n (instantiate $c))
           (alias export $n "m" (core module $e)) (core instance (instantiate $e))"#,
    ] {
        let error = refused(&format!("(component {body} {run})")).await;
        assert!(error.contains("that is imported, or exported by an instance"), "{body}: {error}");
    }
}

/// The most expensive shape that was found (loops over many values), at half of the limit. It takes three seconds on an idle
/// machine; the bound here only tells seconds from minutes on a busy one.
#[tokio::test]
async fn the_worst_that_is_allowed_compiles_in_time() {
    let locals = 300;
    let step = |i: usize| {
        format!(
            "loop local.get {} i32.const 1 i32.add local.tee {} br_if 0 end ",
            (i * 13) % locals,
            (i * 7 + 3) % locals
        )
    };
    let body: String = (0..4_600).map(step).collect();
    let wat = function(&format!("(local {}) {body}", times(locals, "i32 ")));
    let start = Instant::now();
    let skill = TestSkill::new("slow", &wat, "");
    let session = skill.session();
    // Loading does not count as time of the call.
    let report = call(&session, "slow__run").await;
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
    assert!(
        !matches!(&report.result, Err(error) if *error.kind() == ErrorKind::Load),
        "{report:?}"
    );
}
