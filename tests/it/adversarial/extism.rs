//! The attacks of components as Extism plugins, and attacks that only such a plugin can try: it lies about offsets. Each
//! ends with its limit or its reason, in time, and the host serves the next call.

use std::time::{Duration, Instant};

use mitt::{ErrorKind, Resource};

use crate::support::TestSkill;

/// Everything that a plugin can import.
const IMPORTS: &str = r#"
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "free" (func $free (param i64)))
    (import "extism:host/env" "length" (func $length (param i64) (result i64)))
    (import "extism:host/env" "load_u8" (func $load (param i64) (result i32)))
    (import "extism:host/env" "load_u64" (func $load64 (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
    (import "extism:host/env" "store_u64" (func $store64 (param i64 i64)))
    (import "extism:host/env" "input_offset" (func $input (result i64)))
    (import "extism:host/env" "input_length" (func $input_length (result i64)))
    (import "extism:host/env" "input_set" (func $input_set (param i64 i64)))
    (import "extism:host/env" "input_load_u8" (func $input_load (param i64) (result i32)))
    (import "extism:host/env" "input_load_u64" (func $input_load64 (param i64) (result i64)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    (import "extism:host/env" "error_set" (func $error (param i64)))
    (import "extism:host/env" "error_get" (func $error_get (result i64)))
    (import "extism:host/env" "reset" (func $reset))
    (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
    (import "extism:host/env" "var_get" (func $get (param i64) (result i64)))
    (import "extism:host/env" "var_set" (func $set (param i64 i64)))
    (import "extism:host/env" "log_error" (func $log (param i64)))
    (import "extism:host/env" "http_request" (func $http (param i64 i64) (result i64)))
    (import "extism:host/env" "http_headers" (func $headers (result i64)))
"#;

/// Returns a plugin whose function `run` is the attack; `ping` does nothing.
fn plug_in(body: &str) -> String {
    format!(r#"(module {IMPORTS} {body} (func (export "ping")))"#)
}

/// Returns how a call of `run` ends, and checks that the host serves the next one.
async fn ended(wat: &str, manifest: &str) -> mitt::Result<String> {
    let skill = TestSkill::new("hostile", wat, manifest);
    let session = skill.session();
    let start = Instant::now();
    let report = session.call("hostile__run", r#"{"input":"hello"}"#).await;
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    // A plugin that attacks at its start has no other function.
    let begins_so = ["(start ", "_initialize", "hs_init"].iter().any(|it| wat.contains(it));
    let served = session.call("hostile__ping", r#"{"input":""}"#).await;
    assert!(served.result.is_ok() || begins_so, "{:?}", served.result);
    report.result.map(|result| result.to_string())
}

#[tokio::test]
async fn limits_hold_for_plug_ins_too() {
    const SMALL: &str = "limits: { fuel: 2000000, memory: 4MiB }";
    const LONG: &str = "limits: { fuel: 100000000000, time: 300ms, memory: 4MiB }";
    let spin = r#"(func (export "run") (loop (br 0)))"#;
    for (body, manifest, what) in [
        (spin, SMALL, Resource::Fuel),
        (spin, LONG, Resource::Time),
        // Before any of its functions is called.
        (r#"(func $s (loop (br 0))) (start $s) (func (export "run"))"#, SMALL, Resource::Fuel),
        (
            r#"(func (export "_initialize") (loop (br 0))) (func (export "run"))"#,
            SMALL,
            Resource::Fuel,
        ),
        (
            r#"(func (export "hs_init") (param i32 i32) (loop (br 0))) (func (export "run"))"#,
            SMALL,
            Resource::Fuel,
        ),
        (r#"(func $r (export "run") (call $r))"#, "", Resource::Stack),
        // Its own memory and the kernel's count together.
        (
            r#"(memory 1) (func (export "run") (loop (drop (memory.grow (i32.const 8))) (br 0)))"#,
            LONG,
            Resource::Memory,
        ),
        (
            r#"(func (export "run") (loop (drop (call $alloc (i64.const 100000))) (br 0)))"#,
            LONG,
            Resource::Memory,
        ),
        (
            r#"(memory 40) (func (export "run") (loop (drop (call $alloc (i64.const 100000))) (br 0)))"#,
            LONG,
            Resource::Memory,
        ),
        (
            r#"(func (export "run") (drop (call $alloc (i64.const 4000000000))) unreachable)"#,
            LONG,
            Resource::Memory,
        ),
        (
            r#"(table 1 funcref) (func (export "run") (loop (drop (table.grow (ref.null func) (i32.const 100000))) (br 0)))"#,
            LONG,
            Resource::TableElements,
        ),
        // Variables count as the plugin's memory.
        (
            r#"(func (export "run") (local $k i64) (local $n i64) (loop
            (local.set $k (call $alloc (i64.const 8)))
            (call $store64 (local.get $k) (local.get $n))
            (local.set $n (i64.add (local.get $n) (i64.const 1)))
            (call $set (local.get $k) (call $alloc (i64.const 60000)))
            (br 0)))"#,
            LONG,
            Resource::Memory,
        ),
        (
            r#"(func (export "run") (local $m i64) (loop
            (local.set $m (call $alloc (i64.const 4000)))
            (call $log (local.get $m)) (br 0)))"#,
            LONG,
            Resource::Output,
        ),
    ] {
        let ended = ended(&plug_in(body), manifest).await;
        match ended.as_ref().map_err(mitt::Error::kind) {
            Err(ErrorKind::Limit(limit)) if limit.what == what => {}
            // Missing memory is a trap for code that needs it.
            Err(ErrorKind::Trap) if what == Resource::Memory => {}
            _ => panic!("{body}: {ended:?}"),
        }
    }
}

#[tokio::test]
async fn offsets_that_lie_end_the_call_with_a_reason() {
    for (body, reason) in [
        ("(call $output (i64.const 100) (i64.const 4))", "`output_set` a range"),
        ("(call $output (call $input) (i64.const 100000000))", "`output_set` a range"),
        ("(call $output (i64.const -1) (i64.const 2))", "`output_set` a range"),
        ("(call $output (i64.const 4294967296) (i64.const 1))", "`output_set` a range"),
        ("(call $input_set (i64.const 0) (i64.const -1))", "`input_set` a range"),
        ("(call $error (i64.const 12345))", "`error_set` an offset"),
        ("(call $error (i64.add (call $input) (i64.const 1)))", "`error_set` an offset"),
        ("(call $log (i64.const 16))", "`log_*` an offset"),
        ("(call $log (i64.const -16))", "`log_*` an offset"),
        ("(drop (call $config (i64.const 4294967295)))", "`config_get` an offset"),
        ("(drop (call $get (i64.const 7)))", "`var_get` or `var_set` an offset"),
        ("(call $set (call $alloc (i64.const 1)) (i64.const 99999999))", "`var_set` an offset"),
        ("(drop (call $http (i64.const 3) (i64.const 0)))", "`http_request` an offset"),
        ("(drop (call $http (call $input) (i64.const 3)))", "`http_request` an offset"),
    ] {
        let error = ended(&plug_in(&format!(r#"(func (export "run") {body})"#)), "").await;
        let error = error.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Trap, "{body}: {error}");
        assert!(error.to_string().contains(reason), "{body}: {error}");
    }
}

/// Whatever a plugin writes over the headers of blocks, and whatever it requests, affects only its own call.
#[tokio::test]
async fn nonsense_harms_nobody_else() {
    for (body, given) in [
        // Nothing is there, and nothing is written there.
        (
            "(drop (call $load (i64.const -1))) (drop (call $load64 (i64.const 9999999999)))",
            Some(r#""""#),
        ),
        (
            "(call $store (i64.const 0) (i32.const 1)) (call $store64 (i64.const 8) (i64.const -1)) (call $store64 (i64.const -8) (i64.const 1))",
            Some(r#""""#),
        ),
        (
            "(drop (call $input_load (i64.const 5))) (drop (call $input_load64 (i64.const -4)))",
            Some(r#""""#),
        ),
        (
            "(drop (call $length (i64.const 77))) (call $free (i64.const 77)) (call $free (i64.const -1))",
            Some(r#""""#),
        ),
        (
            "(drop (call $alloc (i64.const 0))) (drop (call $alloc (i64.const -1))) (drop (call $headers))",
            Some(r#""""#),
        ),
        // An offset twice, and the input.
        (
            "(call $free (call $input)) (call $free (call $input)) (drop (call $input_length))",
            Some(r#""""#),
        ),
        ("(call $reset) (call $reset) (drop (call $alloc (i64.const 10)))", Some(r#""""#)),
        // Parts of the input, and of its own block.
        ("(call $output (i64.add (call $input) (i64.const 1)) (i64.const 3))", Some(r#""ell""#)),
        (
            "(call $input_set (i64.add (call $input) (i64.const 2)) (i64.const 2)) (call $output (call $input) (call $input_length))",
            Some(r#""ll""#),
        ),
        ("(call $error (call $input)) (call $error (i64.const 0))", Some(r#""""#)),
    ] {
        let ended = ended(&plug_in(&format!(r#"(func (export "run") {body})"#)), "").await;
        assert_eq!(ended.ok().as_deref(), given, "{body}");
    }
    // Overwrite every word around a block, then allocate, free, walk and keep blocks.
    for word in
        [0_u64, 1, u64::MAX, 0x4d69_7474_4d69_7474, 0x6672_6565_6672_6565, 1 << 31, 0xffff_fff0]
    {
        let body = format!(
            r#"(func (export "run") (local $at i64) (local $block i64) (local $left i32)
                (local.set $block (call $alloc (i64.const 40)))
                (call $set (call $alloc (i64.const 3)) (call $alloc (i64.const 5)))
                (call $free (call $alloc (i64.const 20)))
                (local.set $at (i64.sub (local.get $block) (i64.const 256)))
                (local.set $left (i32.const 128))
                (loop
                    (call $store64 (local.get $at) (i64.const {word}))
                    (local.set $at (i64.add (local.get $at) (i64.const 8)))
                    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
                    (br_if 0 (local.get $left)))
                (call $free (local.get $block))
                (drop (call $alloc (i64.const 16)))
                (drop (call $alloc (i64.const 40)))
                (drop (call $get (call $alloc (i64.const 3))))
                (call $reset)
                (drop (call $alloc (i64.const 64)))
                (call $set (call $alloc (i64.const 3)) (call $alloc (i64.const 5))))"#,
            word = word.cast_signed()
        );
        let manifest = "state: session\nlimits: { fuel: 5000000, memory: 8MiB }";
        let skill = TestSkill::new("hostile", &plug_in(&body), manifest);
        let session = skill.session();
        for _ in 0..3 {
            let report = session.call("hostile__run", r#"{"input":"hello"}"#).await;
            let kind = report.result.err().map(|error| error.kind().clone());
            let is_own = matches!(kind, None | Some(ErrorKind::Trap | ErrorKind::Limit(_)));
            assert!(is_own, "{word:x}: {kind:?}");
        }
        let ping = session.call("hostile__ping", r#"{"input":""}"#).await;
        let other = session.host().session(mitt::SessionOptions::default()).unwrap();
        assert!(other.call("hostile__ping", r#"{"input":""}"#).await.result.is_ok());
        drop(ping);
    }
}

/// Sizes that no plugin needs, and imports that do not exist, are refused before anything is compiled.
#[tokio::test]
async fn what_is_too_much_is_refused_at_once() {
    use std::fmt::Write as _;

    let mut imports = String::new();
    for n in 0..1_001 {
        let _ = write!(imports, r#"(import "extism:host/user" "f{n}" (func (param i64)))"#);
    }
    let mut exports = String::new();
    for n in 0..1_001 {
        let _ = write!(exports, r#"(func (export "f{n}"))"#);
    }
    let long = "x".repeat(129);
    for (body, problem) in [
        (imports, "expected at most 1000 imports"),
        (plug_in(&exports), "expected at most 1000 exports"),
        (plug_in(&format!(r#"(func (export "{long}"))"#)), "more than 128 bytes"),
        (
            plug_in(r#"(import "extism:host/env" "memory" (memory 1))"#).replacen(IMPORTS, "", 1),
            "which is not there",
        ),
        (
            plug_in(&format!(
                r#"(import "extism:host/user" "f" (func (param {})))"#,
                "i64 ".repeat(17)
            ))
            .replacen(IMPORTS, "", 1),
            "with a type that is not supported",
        ),
    ] {
        let wat = if body.starts_with("(module") { body } else { format!("(module {body})") };
        // A single import of the kernel identifies an Extism plugin.
        let wat = wat.replacen(
            "(module",
            r#"(module (import "extism:host/env" "reset" (func $told))"#,
            1,
        );
        let skill = TestSkill::new("hostile", &wat, "");
        let report = skill.session().call("hostile__run", "{}").await;
        let error = report.result.unwrap_err().render();
        assert!(error.contains(problem), "{problem}: {error}");
    }
}
