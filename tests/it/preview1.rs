//! Extism plugins that import WASI preview 1: the functions, the memory that they access, and how programs end.

use std::fs;
use std::time::{Duration, Instant};

use mitt::{ErrorKind, Host, Resource, SessionOptions};
use serde_json::{Value, json};

use crate::support::TestSkill;

/// The parts of the kernel and of WASI that the plugins below use.
const IMPORTS: &str = r#"
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "store_u64" (func $store (param i64 i64)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    (import "extism:host/env" "error_set" (func $error (param i64)))
    (import "extism:host/env" "input_length" (func $input_length (result i64)))
    (import "extism:host/env" "input_load_u8" (func $input (param i64) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_fdstat_get" (func $stat (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_prestat_get" (func $prestat (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_seek" (func $seek (param i32 i64 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "args_sizes_get" (func $args (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
    (import "wasi_snapshot_preview1" "clock_res_get" (func $resolution (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    ;; A second time, as Go's linker writes them.
    (import "wasi_snapshot_preview1" "fd_write" (func $again (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (func $give (param $number i64) (local $at i64)
        (local.set $at (call $alloc (i64.const 8)))
        (call $store (local.get $at) (local.get $number))
        (call $output (local.get $at) (i64.const 8)))
    (func $no (param i32) (if (local.get 0) (then unreachable)))
    (func $is (param i32 i32) (if (i32.ne (local.get 0) (local.get 1)) (then unreachable)))
    (func (export "ping"))
"#;

fn plug_in(body: &str) -> String {
    format!("(module {IMPORTS} {body})")
}

/// Returns how a call of `run` ends, and what it printed.
async fn ended(body: &str, manifest: &str) -> (mitt::Result<Value>, String) {
    let skill = TestSkill::new("guest", &plug_in(body), manifest);
    let report = skill.session().call("guest__run", r#"{"input":"a"}"#).await;
    (report.result.map(Value::from), report.printed)
}

/// The manifest of a plugin whose function returns bytes.
const BYTES: &str = "tools: [{name: run, description: Runs., output: bytes}]";

/// Prints, says whether its runtime has been initialised, and returns its input.
pub(crate) const PRINTS: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "path_open" (func $open
        (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
    (import "extism:host/env" "input_offset" (func $offset (result i64)))
    (import "extism:host/env" "input_length" (func $length (result i64)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    (memory (export "memory") 1)
    (data (i32.const 16) "printed\n/etc/passwd")
    (global $begun (mut i32) (i32.const 0))
    (func (export "_initialize") (global.set $begun (i32.add (i32.const 1) (global.get $begun))))
    (func (export "say") (result i32)
        (i32.store (i32.const 0) (i32.const 16))
        (i32.store (i32.const 4) (i32.const 8))
        (if (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable))
        (if (call $environ (i32.const 0) (i32.const 4)) (then unreachable))
        ;; An empty environment, and no folder to open a file in.
        (if (i32.load (i32.const 0)) (then unreachable))
        (if (i32.eqz (call $open (i32.const 3) (i32.const 0) (i32.const 24) (i32.const 11)
            (i32.const 0) (i64.const 0) (i64.const 0) (i32.const 0) (i32.const 8))) (then unreachable))
        (call $output (call $offset) (call $length))
        (i32.sub (global.get $begun) (i32.const 1))))"#;

#[tokio::test]
async fn wasi_is_there_in_its_smallest_form() {
    let skill = TestSkill::new("prints", PRINTS, "");
    let session = skill.session();
    for _ in 0..2 {
        let report = session.call("prints__say", r#"{"input":"字"}"#).await;
        assert_eq!(report.printed, "printed\n");
        assert_eq!(Value::from(report.result.unwrap()), json!("字"));
    }
    // Through a library, which has its own memory.
    let library = wat::parse_str(r#"(module (func (export "one") (result i64) (i64.const 1)))"#);
    let with_library = PRINTS.replacen(
        "(import",
        r#"(import "numbers" "one" (func $one (result i64))) (import"#,
        1,
    );
    let with_library = with_library.replace("(call $length))", "(call $one))");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("numbers.wasm"), library.unwrap()).unwrap();
    fs::write(folder.path().join("prints.wasm"), wat::parse_str(with_library).unwrap()).unwrap();
    let manifest = json!({ "wasm": [{ "path": "numbers.wasm", "name": "numbers" }, { "path": "prints.wasm" }] });
    let file = folder.path().join("prints.json");
    fs::write(&file, manifest.to_string()).unwrap();
    let host = Host::builder().no_cache().bundled_skills(false).component(&file).build().unwrap();
    assert_eq!(called(&host, "prints__say").await, json!("a"));
}

#[tokio::test]
async fn every_function_answers_as_the_definition_says() {
    for body in [
        // Streams that are at their end, cannot seek, or do not exist; no arguments, no folders.
        r#"(i32.store (i32.const 0) (i32.const 99))
        (call $no (call $read (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 0)))
        (call $no (i32.load (i32.const 0)))
        (call $is (call $read (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 0)) (i32.const 8))
        (call $is (call $write (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 0)) (i32.const 8))
        (call $is (call $write (i32.const 3) (i32.const 8) (i32.const 1) (i32.const 0)) (i32.const 8))
        (call $is (call $seek (i32.const 1) (i64.const 0) (i32.const 0) (i32.const 0)) (i32.const 70))
        (call $is (call $seek (i32.const 4) (i64.const 0) (i32.const 0) (i32.const 0)) (i32.const 8))
        (call $is (call $prestat (i32.const 3) (i32.const 0)) (i32.const 8))
        (call $no (call $stat (i32.const 1) (i32.const 0)))
        (call $is (i32.load (i32.const 8)) (i32.const 64))
        (i32.store (i32.const 0) (i32.const 9)) (i32.store (i32.const 4) (i32.const 9))
        (call $no (call $args (i32.const 0) (i32.const 4)))
        (call $no (i32.or (i32.load (i32.const 0)) (i32.load (i32.const 4))))"#,
        // Clocks: there are two, and the second one never goes back.
        r#"(call $no (call $clock (i32.const 0) (i64.const 0) (i32.const 0)))
        (if (i64.lt_u (i64.load (i32.const 0)) (i64.const 1700000000000000000)) (then unreachable))
        (call $no (call $clock (i32.const 1) (i64.const 0) (i32.const 0)))
        (call $no (call $clock (i32.const 1) (i64.const 0) (i32.const 8)))
        (if (i64.lt_u (i64.load (i32.const 8)) (i64.load (i32.const 0))) (then unreachable))
        (call $is (call $clock (i32.const 2) (i64.const 0) (i32.const 0)) (i32.const 8))
        (call $is (call $resolution (i32.const 7) (i32.const 0)) (i32.const 8))
        (call $no (call $resolution (i32.const 1) (i32.const 0)))
        (call $no (i64.ne (i64.load (i32.const 0)) (i64.const 1)))"#,
        // More random numbers than one chunk: the first and the last eight bytes are set, and those after them untouched.
        r#"(call $no (call $random (i32.const 8) (i32.const 20000)))
        (call $no (i64.eqz (i64.load (i32.const 8))))
        (call $no (i64.eqz (i64.load (i32.const 20000))))
        (call $no (i64.ne (i64.load (i32.const 20008)) (i64.const 0)))"#,
        // Waiting for nothing is an error; of a clock and a stream, the stream is ready at once.
        r#"(call $is (call $poll (i32.const 0) (i32.const 512) (i32.const 0) (i32.const 1024)) (i32.const 28))
        (i64.store (i32.const 0) (i64.const 7)) (i32.store (i32.const 16) (i32.const 1))
        (i64.store (i32.const 24) (i64.const 3600000000000))
        (i64.store (i32.const 48) (i64.const 8)) (i32.store8 (i32.const 56) (i32.const 2))
        (i32.store (i32.const 64) (i32.const 1))
        (call $no (call $poll (i32.const 0) (i32.const 512) (i32.const 2) (i32.const 1024)))
        (call $is (i32.load (i32.const 1024)) (i32.const 1))
        (call $is (i32.load (i32.const 512)) (i32.const 8))
        (call $is (i32.load16_u (i32.const 520)) (i32.const 0))
        (call $is (i32.load8_u (i32.const 522)) (i32.const 2))"#,
        // Of two times the shorter one; a missing clock is an error of that subscription.
        r#"(i64.store (i32.const 0) (i64.const 7)) (i32.store (i32.const 16) (i32.const 1))
        (i64.store (i32.const 24) (i64.const 3600000000000))
        (i64.store (i32.const 48) (i64.const 8)) (i32.store (i32.const 64) (i32.const 0))
        (i64.store (i32.const 72) (i64.const 1000000))
        (call $no (call $poll (i32.const 0) (i32.const 512) (i32.const 2) (i32.const 1024)))
        (call $is (i32.load (i32.const 1024)) (i32.const 1))
        (call $is (i32.load (i32.const 512)) (i32.const 8))
        (i32.store (i32.const 64) (i32.const 5))
        (call $no (call $poll (i32.const 0) (i32.const 512) (i32.const 2) (i32.const 1024)))
        (call $is (i32.load (i32.const 1024)) (i32.const 1))
        (call $is (i32.load16_u (i32.const 520)) (i32.const 8))"#,
    ] {
        let body = format!(r#"(func (export "run") {body})"#);
        let (result, _) = ended(&body, "").await;
        assert!(result.is_ok(), "{body}: {result:?}");
    }
}

/// Waiting takes the right time, in real time and until a time of day.
#[tokio::test]
async fn a_plug_in_can_wait() {
    for (clock, absolute) in [(1, 0), (1, 1), (0, 1)] {
        let body = format!(
            r#"(func (export "run")
            (call $no (call $clock (i32.const {clock}) (i64.const 0) (i32.const 100)))
            (i32.store (i32.const 16) (i32.const {clock}))
            (i64.store (i32.const 24) (i64.add (i64.const 50000000)
                (i64.mul (i64.load (i32.const 100)) (i64.const {absolute}))))
            (i32.store16 (i32.const 40) (i32.const {absolute}))
            (call $no (call $poll (i32.const 0) (i32.const 512) (i32.const 1) (i32.const 1024)))
            (call $is (i32.load (i32.const 1024)) (i32.const 1)))"#
        );
        let start = Instant::now();
        let (result, _) = ended(&body, "").await;
        assert!(result.is_ok(), "{clock} {absolute}: {result:?}");
        assert!(start.elapsed() >= Duration::from_millis(45), "{:?}", start.elapsed());
    }
}

/// Go assumes that new memory follows its old memory, so nothing of the host may be in between.
#[tokio::test]
async fn memory_that_grows_is_the_plug_ins_own() {
    let body = r#"(func (export "run") (local $at i32) (local $end i32)
        ;; Each function of WASI is called once, and the memory is as large as it was.
        (call $no (call $random (i32.const 0) (i32.const 8)))
        (call $no (call $clock (i32.const 1) (i64.const 0) (i32.const 0)))
        (call $is (memory.grow (i32.const 3)) (i32.const 1))
        (local.set $at (i32.const 65536))
        (local.set $end (i32.mul (memory.size) (i32.const 65536)))
        (loop $fill
            (call $no (i32.load (local.get $at)))
            (i32.store (local.get $at) (i32.const -1))
            (local.set $at (i32.add (local.get $at) (i32.const 4)))
            (br_if $fill (i32.lt_u (local.get $at) (local.get $end))))
        (i32.store (i32.const 0) (i32.const 200000))
        (i32.store (i32.const 4) (i32.const 2))
        (i32.store16 (i32.const 200000) (i32.const 0x6b6f))
        (call $no (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))
        (call $no (call $again (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))"#;
    let (result, printed) = ended(body, "").await;
    assert_eq!((result.unwrap(), printed.as_str()), (json!(""), "okok"));
}

/// The result of a program is what it wrote when it exits; an exit code is an error, in the plugin's words if there are any.
#[tokio::test]
async fn a_program_ends_by_an_exit_code() {
    let given = "(call $give (i64.const 0x64636261))";
    let said = "(call $give (i64.const 0)) (call $error (call $word))";
    let word = r#"(func $word (result i64) (local $at i64)
        (local.set $at (call $alloc (i64.const 4)))
        (call $store (local.get $at) (i64.const 0x656e6f6e))
        (local.get $at))"#;
    let exits = |what: &str, code: i32| {
        format!(
            r#"{word} (func (export "run") {what} (call $exit (i32.const {code})) unreachable)"#
        )
    };
    let (result, _) = ended(&exits(given, 0), BYTES).await;
    assert_eq!(result.unwrap(), json!("YWJjZAAAAAA="));
    for (body, kind, told) in [
        (exits("", 3), ErrorKind::Plugin, "the plug-in exited with code 3"),
        (exits(said, 3), ErrorKind::Plugin, "none"),
        (exits(said, 0), ErrorKind::Plugin, "none"),
        // The error includes what it wrote before a crash.
        (
            format!(r#"{word} (func (export "run") {said} unreachable)"#),
            ErrorKind::Trap,
            "it said: none",
        ),
        (
            format!(
                r#"{word} (func (export "run")) (func (export "_initialize") (call $error (call $word)) (call $exit (i32.const 4)))"#
            ),
            ErrorKind::Trap,
            "it exited with code 4; it said: none",
        ),
    ] {
        let (result, _) = ended(&body, "").await;
        let error = result.unwrap_err();
        assert_eq!(*error.kind(), kind, "{body}: {}", error.render());
        assert!(error.render().contains(told), "{told}: {}", error.render());
    }
    // A program has only its start function.
    let program = IMPORTS.replace(r#"(func (export "ping"))"#, "");
    let program = format!(
        r#"(module {program} (func (export "_start") (call $give (i64.const 0x31)) (call $exit (i32.const 0))))"#
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.wasm");
    fs::write(&file, wat::parse_str(program).unwrap()).unwrap();
    let host = Host::builder().no_cache().bundled_skills(false).component(&file).build().unwrap();
    let given = called(&host, "program__start").await;
    assert_eq!(given, json!("1\0\0\0\0\0\0\0"));
}

async fn called(host: &Host, tool: &str) -> Value {
    let session = host.session(SessionOptions::default()).unwrap();
    let report = session.call(tool, r#"{"input":"abc"}"#).await;
    report.result.map(Value::from).unwrap()
}

/// An instance that is kept for the session is not entered again after it has exited.
#[tokio::test]
async fn an_exit_ends_an_instance_that_is_kept() {
    let body = r#"(global $calls (mut i64) (i64.const 47))
        (func (export "run")
            (global.set $calls (i64.add (global.get $calls) (i64.const 1)))
            (call $give (global.get $calls))
            (if (i32.eq (call $input (i64.const 0)) (i32.const 120)) (then (call $exit (i32.const 0)))))"#;
    let skill = TestSkill::new("guest", &plug_in(body), &format!("state: session\n{BYTES}"));
    let session = skill.session();
    let mut given = Vec::new();
    for input in ["a", "a", "x", "a"] {
        let arguments = json!({ "input": input }).to_string();
        let report = session.call("guest__run", &arguments).await;
        given.push(Value::from(report.result.unwrap()));
    }
    let number = |last: char| json!(format!("M{last}AAAAAAAAA="));
    assert_eq!(given, ['A', 'Q', 'g', 'A'].map(number));
}

/// Each module of a plugin has its own memory and start function, which runs before those of the modules that import it.
#[tokio::test]
async fn several_modules_have_wasi() {
    let library = r#"(module
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1)
        (data (i32.const 16) "library\n")
        (global $begun (mut i32) (i32.const 0))
        (func (export "_initialize") (global.set $begun (i32.const 1)))
        (func (export "greet") (result i32)
            (i32.store (i32.const 0) (i32.const 16))
            (i32.store (i32.const 4) (i32.const 8))
            (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
            (global.get $begun)))"#;
    let main = PRINTS
        .replacen("(import", r#"(import "library" "greet" (func $greet (result i32))) (import"#, 1)
        .replace(
            r#"(func (export "_initialize")"#,
            r#"(func (export "_initialize") (if (i32.eqz (call $greet)) (then unreachable))"#,
        );
    let folder = tempfile::tempdir().unwrap();
    for (name, wat) in [("library", library), ("main", &main)] {
        fs::write(folder.path().join(name).with_extension("wasm"), wat::parse_str(wat).unwrap())
            .unwrap();
    }
    let manifest =
        json!({ "wasm": [{ "path": "library.wasm", "name": "library" }, { "path": "main.wasm" }] });
    let file = folder.path().join("both.json");
    fs::write(&file, manifest.to_string()).unwrap();
    let host = Host::builder().no_cache().bundled_skills(false).component(&file).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let report = session.call("both__say", r#"{"input":"abc"}"#).await;
    assert_eq!(report.printed, "library\nprinted\n");
    assert_eq!(Value::from(report.result.unwrap()), json!("abc"));
}

/// A plugin can overwrite free blocks, but gets only blocks that way: the kernel's own memory, which says how to reach the
/// memories of other modules, is never given out.
#[tokio::test]
async fn a_forged_list_of_free_blocks_leads_nowhere() {
    const FREE: &str = r#"(import "extism:host/env" "free" (func $free (param i64)))"#;
    // In the kernel's own memory, inside a block, behind all blocks.
    for place in [16_u64, 0x5130, 0x5134, 0x1_0008, 0x7fff_fff0] {
        let next = place << 32;
        let wat = format!(
            r#"(module {FREE} {IMPORTS} (func (export "run") (local $at i64)
                (local.set $at (call $alloc (i64.const 16)))
                (call $free (local.get $at))
                ;; Its head says that it is free, and which block is the next one.
                (call $store (i64.sub (local.get $at) (i64.const 8))
                    (i64.or (i64.xor (i64.const 0x66726565) (local.get $at)) (i64.const {next})))
                (if (i64.ne (call $alloc (i64.const 16)) (local.get $at)) (then unreachable))
                (if (i64.le_u (call $alloc (i64.const 7)) (local.get $at)) (then unreachable))))"#
        );
        let skill = TestSkill::new("guest", &wat, "");
        let report = skill.session().call("guest__run", r#"{"input":"a"}"#).await;
        assert!(report.result.is_ok(), "{place:x}: {:?}", report.result);
    }
}

/// Freed blocks are reused, whatever their size.
#[tokio::test]
async fn random_numbers_of_any_length_take_no_memory_for_good() {
    let body = r#"(func (export "run") (local $left i32)
        (local.set $left (i32.const 40000))
        (loop $more
            (call $no (call $random (i32.const 0) (i32.const 2100)))
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br_if $more (local.get $left))))"#;
    let (result, _) = ended(body, "limits: { memory: 4MiB, time: 60s }").await;
    assert!(result.is_ok(), "{result:?}");
}

/// A program starts once, even if its instance would be kept.
#[tokio::test]
async fn a_program_is_begun_anew_by_each_call() {
    let program = IMPORTS.replace(r#"(func (export "ping"))"#, "");
    let wat = format!(
        r#"(module {program} (global $begun (mut i32) (i32.const 0)) (func (export "_start")
            (if (global.get $begun) (then unreachable))
            (global.set $begun (i32.const 1))
            (call $give (i64.const 0x31))))"#
    );
    let skill = TestSkill::new("guest", &wat, "state: session");
    let session = skill.session();
    for _ in 0..3 {
        let report = session.call("guest__start", r#"{"input":"a"}"#).await;
        assert!(report.result.is_ok(), "{:?}", report.result);
    }
}

/// Wrong addresses in its memory and oversized requests end as for any other plugin.
#[tokio::test]
async fn attacks_on_wasi_end_with_a_limit_or_a_reason() {
    const SMALL: &str = "limits: { fuel: 3000000, time: 3s }";
    let limit = |what| Some(what);
    let list =
        "(i32.store (i32.const 0) (i32.const 16)) (i32.store (i32.const 4) (i32.const 40000))";
    let wait = "(i32.store (i32.const 16) (i32.const 1)) (i64.store (i32.const 24) (i64.const -1))";
    for (body, what) in [
        (format!("{list} (loop (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (br 0))"), limit(Resource::Output)),
        // Four billion empty parts.
        ("(drop (call $write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 8)))".into(), None),
        ("(drop (call $write (i32.const 1) (i32.const 65532) (i32.const 1) (i32.const 8)))".into(), None),
        ("(i32.store (i32.const 0) (i32.const -8)) (i32.store (i32.const 4) (i32.const -1)) (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))".into(), None),
        ("(drop (call $write (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 65534)))".into(), None),
        ("(drop (call $random (i32.const 65535) (i32.const 2)))".into(), None),
        ("(drop (call $random (i32.const 0) (i32.const -1)))".into(), None),
        ("(loop (drop (call $random (i32.const 0) (i32.const 60000))) (br 0))".into(), limit(Resource::Fuel)),
        ("(drop (call $poll (i32.const 0) (i32.const 0) (i32.const -1) (i32.const 0)))".into(), None),
        (format!("{wait} (drop (call $poll (i32.const 0) (i32.const 512) (i32.const 1) (i32.const 1024)))"), limit(Resource::Time)),
        ("(loop (drop (call $poll (i32.const 0) (i32.const 512) (i32.const 1) (i32.const 1024))) (br 0))".into(), limit(Resource::Fuel)),
    ] {
        let body = format!(r#"(func (export "run") {body})"#);
        let start = Instant::now();
        let (result, _) = ended(&body, SMALL).await;
        assert!(start.elapsed() < Duration::from_secs(20), "{body}: {:?}", start.elapsed());
        let error = result.unwrap_err();
        match (error.kind(), what) {
            (ErrorKind::Limit(limit), Some(what)) if limit.what == what => {}
            (ErrorKind::Trap, None) => {}
            _ => panic!("{body}: {}", error.render()),
        }
    }
}
