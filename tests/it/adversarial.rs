//! Hostile components: each ends with its own kind of error, in time, and the host serves the next call. Other attacks are
//! in the folder `adversarial`, one file for each kind.

mod crash;
mod engine;
mod extism;
mod memory;
mod native_code;
mod native_files;
mod output;
mod rendering;
mod tenants;
mod terminal;
mod trust;
mod worker;

use std::time::{Duration, Instant};

use mitt::{ErrorKind, Limit, Resource, Session};

use crate::support::{TestSkill, call, importing, kind};

/// Returns a component of one core module without imports, whose function `run` is the tool.
fn module(body: &str) -> String {
    format!(
        r#"(component
            (core module $m {body})
            (core instance $i (instantiate $m))
            (func (export "run") (canon lift (core func $i "run")))
            (core module $p (func (export "ping")))
            (core instance $j (instantiate $p))
            (func (export "ping") (canon lift (core func $j "ping"))))"#
    )
}

/// Calls `run`, and checks that it ends in time with a limit on `what`, and that the host still answers.
async fn check_limit(wat: &str, manifest: &str, what: Resource) -> Limit {
    let skill = TestSkill::new("hostile", wat, manifest);
    let session = skill.session();
    let start = Instant::now();
    let report = call(&session, "hostile__run").await;
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let ErrorKind::Limit(limit) = kind(&report) else { panic!("{:?}", report.result) };
    assert_eq!(limit.what, what);
    assert!(limit.used >= limit.limit, "{limit:?}");
    still_serves(&session).await;
    limit
}

async fn still_serves(session: &Session) {
    let report = call(session, "hostile__ping").await;
    assert!(report.result.is_ok(), "{:?}", report.result);
}

#[tokio::test]
async fn a_loop_runs_out_of_fuel() {
    let limit = check_limit(
        &module(r#"(func (export "run") (loop (br 0)))"#),
        "limits: { fuel: 1000000 }",
        Resource::Fuel,
    )
    .await;
    assert_eq!(limit.limit, 1_000_000);
}

#[tokio::test]
async fn a_loop_with_fuel_runs_out_of_time() {
    let limit = check_limit(
        &module(r#"(func (export "run") (loop (br 0)))"#),
        "limits: { fuel: 100000000000, time: 200ms }",
        Resource::Time,
    )
    .await;
    assert_eq!(limit.limit, 200);
}

#[tokio::test]
async fn one_memory_cannot_grow_past_the_limit() {
    let wat = module(
        r#"(memory 1)
           (func (export "run") (loop (drop (memory.grow (i32.const 16))) (br 0)))"#,
    );
    let limit = check_limit(&wat, "limits: { memory: 4MiB }", Resource::Memory).await;
    assert_eq!(limit.limit, 4 * 1024 * 1024);
}

#[tokio::test]
async fn several_memories_are_added_up() {
    // Each is below 1 MiB; together they exceed 4 MiB.
    let memories = "(memory 15)".repeat(5);
    let wat = module(&format!(r#"{memories} (func (export "run"))"#));
    let skill = TestSkill::new("hostile", &wat, "limits: { memory: 4MiB }");
    let report = call(&skill.session(), "hostile__run").await;
    assert!(
        matches!(kind(&report), ErrorKind::Limit(limit) if limit.what == Resource::Memory),
        "{report:?}"
    );

    let fits = module(&format!(r#"{} (func (export "run"))"#, "(memory 15)".repeat(4)));
    let skill = TestSkill::new("hostile", &fits, "limits: { memory: 4MiB }");
    let report = call(&skill.session(), "hostile__run").await;
    assert!(report.result.is_ok(), "{:?}", report.result);
    // The host's memory for the instances counts too.
    let beside = report.usage.peak_memory_bytes - 4 * 15 * 65_536;
    assert!((1..64 * 1024).contains(&beside), "{beside}");
}

#[tokio::test]
async fn several_growing_memories_are_added_up() {
    let wat = module(
        r#"(memory $a 1) (memory $b 1) (memory $c 1)
           (func (export "run") (loop
               (drop (memory.grow $a (i32.const 1)))
               (drop (memory.grow $b (i32.const 1)))
               (drop (memory.grow $c (i32.const 1)))
               (br 0)))"#,
    );
    let limit = check_limit(&wat, "limits: { memory: 4MiB }", Resource::Memory).await;
    assert!(limit.used <= 4 * 1024 * 1024 + 65_536, "{limit:?}");
}

#[tokio::test]
async fn tables_cannot_grow_past_the_limit() {
    let wat = module(
        r#"(table $a 10 funcref) (table $b 10 funcref)
           (func (export "run") (loop
               (drop (table.grow $a (ref.null func) (i32.const 1000)))
               (drop (table.grow $b (ref.null func) (i32.const 1000)))
               (br 0)))"#,
    );
    let limit = check_limit(&wat, "", Resource::TableElements).await;
    assert_eq!(limit.limit, 100_000);
}

#[tokio::test]
async fn endless_recursion_runs_out_of_stack() {
    check_limit(&module(r#"(func $f (export "run") (call $f))"#), "", Resource::Stack).await;
}

#[tokio::test]
async fn too_many_core_instances() {
    let instances = "(core instance (instantiate $m))".repeat(70);
    let wat = format!(
        r#"(component
            (core module $m (func (export "run")))
            (core instance $i (instantiate $m))
            {instances}
            (func (export "run") (canon lift (core func $i "run"))))"#
    );
    let skill = TestSkill::new("hostile", &wat, "");
    let report = call(&skill.session(), "hostile__run").await;
    assert!(
        matches!(kind(&report), ErrorKind::Limit(limit) if limit.what == Resource::Instances),
        "{report:?}"
    );
}

#[tokio::test]
async fn resource_handles_are_counted() {
    let wat = r#"(component
        (type $r (resource (rep i32)))
        (core func $new (canon resource.new $r))
        (core module $m
            (import "" "new" (func $new (param i32) (result i32)))
            (func (export "run") (loop (drop (call $new (i32.const 1))) (br 0)))
            (func (export "ping")))
        (core instance $i (instantiate $m (with "" (instance (export "new" (func $new))))))
        (func (export "run") (canon lift (core func $i "run")))
        (func (export "ping") (canon lift (core func $i "ping"))))"#;
    check_limit(wat, "", Resource::Handles).await;
}

#[tokio::test]
async fn a_huge_result_is_not_copied() {
    // 70 MiB of zeros are valid UTF-8, fit into the store's memory, and exceed what a call may hand over.
    let wat = r#"(component
        (core module $m
            (memory (export "memory") 1200)
            (func (export "run") (result i32)
                (i32.store (i32.const 4) (i32.const 73400320))
                (i32.const 0))
            (func (export "ping")))
        (core instance $i (instantiate $m))
        (func (export "run") (result string) (canon lift (core func $i "run") (memory (core memory $i "memory"))))
        (func (export "ping") (canon lift (core func $i "ping"))))"#;
    let limit = check_limit(wat, "", Resource::Transfer).await;
    assert_eq!(limit.limit, 64 * 1024 * 1024);
}

const STDOUT: &str = r#"(component
    (import "wasi:io/error@0.2.0" (instance $error (export "error" (type (sub resource)))))
    (alias export $error "error" (type $err))
    (import "wasi:io/streams@0.2.0" (instance $streams
        (export "output-stream" (type $os (sub resource)))
        (alias outer 1 $err (type $outer-err))
        (export "error" (type $e (eq $outer-err)))
        (type $variant (variant (case "last-operation-failed" (own $e)) (case "closed")))
        (export "stream-error" (type $se (eq $variant)))
        (export "[method]output-stream.blocking-write-and-flush"
            (func (param "self" (borrow $os)) (param "contents" (list u8)) (result (result (error $se)))))))
    (alias export $streams "output-stream" (type $stream))
    (import "wasi:cli/stdout@0.2.0" (instance $stdout
        (alias outer 1 $stream (type $outer-stream))
        (export "output-stream" (type $o (eq $outer-stream)))
        (export "get-stdout" (func (result (own $o))))))
    (core module $mem (memory (export "memory") 1))
    (core instance $mem (instantiate $mem))
    (core func $get (canon lower (func $stdout "get-stdout")))
    (core func $write (canon lower (func $streams "[method]output-stream.blocking-write-and-flush")
        (memory (core memory $mem "memory"))))
    (core module $m
        (import "" "get" (func $get (result i32)))
        (import "" "write" (func $write (param i32 i32 i32 i32)))
        (func (export "run") (local $s i32)
            (local.set $s (call $get))
            (loop (call $write (local.get $s) (i32.const 0) (i32.const 1024) (i32.const 2048)) (br 0)))
        (func (export "ping")))
    (core instance $i (instantiate $m (with "" (instance (export "get" (func $get)) (export "write" (func $write))))))
    (func (export "run") (canon lift (core func $i "run")))
    (func (export "ping") (canon lift (core func $i "ping"))))"#;

#[tokio::test]
async fn a_flood_of_output_is_bounded_while_it_is_produced() {
    let limit = check_limit(STDOUT, "", Resource::Output).await;
    assert_eq!((limit.limit, limit.used), (64 * 1024, 64 * 1024 + 1024));
}

const LOG: &str = r#"(component
    (import "mitt:host/log@0.1.0" (instance $log
        (type $enum (enum "debug" "info" "warn" "error"))
        (export "level" (type $level (eq $enum)))
        (export "write" (func (param "level" $level) (param "message" string)))))
    (core module $mem (memory (export "memory") 1))
    (core instance $mem (instantiate $mem))
    (core func $write (canon lower (func $log "write") (memory (core memory $mem "memory"))))
    (core module $m
        (import "" "write" (func $write (param i32 i32 i32)))
        (import "" "memory" (memory 1))
        (data (i32.const 0) "all is lost")
        (func (export "run") (loop (call $write (i32.const 1) (i32.const 64) (i32.const 4000)) (br 0)))
        (func (export "crash") (call $write (i32.const 3) (i32.const 0) (i32.const 11)) (unreachable))
        (func (export "ping")))
    (core instance $i (instantiate $m (with "" (instance
        (export "write" (func $write)) (export "memory" (memory $mem "memory"))))))
    (func (export "run") (canon lift (core func $i "run")))
    (func (export "crash") (canon lift (core func $i "crash")))
    (func (export "ping") (canon lift (core func $i "ping"))))"#;

#[tokio::test]
async fn a_flood_of_log_messages_counts_as_output() {
    check_limit(LOG, "grants: [log]", Resource::Output).await;
}

#[tokio::test]
async fn a_crash_tells_the_last_words() {
    let skill = TestSkill::new("hostile", LOG, "grants: [log]");
    let session = skill.session();
    let report = call(&session, "hostile__crash").await;
    assert_eq!(kind(&report), ErrorKind::Trap);
    insta::assert_snapshot!(
        report.result.unwrap_err(),
        @"the plugin crashed: wasm trap: wasm `unreachable` instruction executed; it said: all is lost"
    );
    still_serves(&session).await;
}

#[tokio::test]
async fn a_trap_is_a_trap() {
    let skill = TestSkill::new("hostile", &module(r#"(func (export "run") (unreachable))"#), "");
    let session = skill.session();
    let report = call(&session, "hostile__run").await;
    assert_eq!(kind(&report), ErrorKind::Trap);
    still_serves(&session).await;
}

/// Waits for an hour inside a host function.
const SLEEP: &str = r#"(component
    (import "wasi:io/poll@0.2.0" (instance $poll
        (export "pollable" (type $p (sub resource)))
        (export "[method]pollable.block" (func (param "self" (borrow $p))))))
    (alias export $poll "pollable" (type $pollable))
    (import "wasi:clocks/monotonic-clock@0.2.0" (instance $clock
        (alias outer 1 $pollable (type $outer))
        (export "pollable" (type $p (eq $outer)))
        (export "subscribe-duration" (func (param "when" u64) (result (own $p))))))
    (core func $subscribe (canon lower (func $clock "subscribe-duration")))
    (core func $block (canon lower (func $poll "[method]pollable.block")))
    (core module $m
        (import "" "subscribe" (func $subscribe (param i64) (result i32)))
        (import "" "block" (func $block (param i32)))
        (func (export "run") (call $block (call $subscribe (i64.const 3600000000000))))
        (func (export "ping")))
    (core instance $i (instantiate $m (with "" (instance
        (export "subscribe" (func $subscribe)) (export "block" (func $block))))))
    (func (export "run") (canon lift (core func $i "run")))
    (func (export "ping") (canon lift (core func $i "ping"))))"#;

#[tokio::test]
async fn the_deadline_also_ends_a_host_function() {
    check_limit(SLEEP, "limits: { time: 300ms }", Resource::Time).await;
}

#[tokio::test]
async fn what_is_not_granted_is_not_linked() {
    let skill = TestSkill::new("hostile", LOG, "grants: [documents]");
    let report = call(&skill.session(), "hostile__run").await;
    assert_eq!(kind(&report), ErrorKind::Denied);
    insta::assert_snapshot!(report.result.unwrap_err().render(), @r"
    skill `hostile`: the plugin imports `mitt:host/log@0.1.0`, but its skill does not grant `log`
    hint: add `log` to `grants` in `skill.yaml` if the skill should have it
    ");
}

#[tokio::test]
async fn every_capability_is_refused_without_its_grant() {
    // HTTP requests have no interface that a component could import: see `requests_need_the_grant_and_go_by_its_hosts`.
    let interfaces = mitt::Capability::ALL.into_iter().filter(|it| *it != mitt::Capability::Fetch);
    for capability in interfaces {
        let skill = TestSkill::new(
            "hostile",
            &importing(&format!("mitt:host/{}@0.1.0", capability.name())),
            "",
        );
        let report = call(&skill.session(), "hostile__run").await;
        assert_eq!(kind(&report), ErrorKind::Denied, "{}", capability.name());
    }
}

#[tokio::test]
async fn unknown_imports_are_refused_by_name() {
    for interface in
        ["wasi:http/outgoing-handler@0.2.0", "mitt:host/shell@0.1.0", "evil:corp/exfiltrate@1.0.0"]
    {
        let skill = TestSkill::new("hostile", &importing(interface), "");
        let report = call(&skill.session(), "hostile__run").await;
        assert_eq!(kind(&report), ErrorKind::Load, "{interface}");
        let text = report.result.unwrap_err().render();
        assert!(text.contains(interface), "{text}");
    }
}

/// A name lookup, as a language runtime might do it.
const SOCKETS: &str = r#"(component
    (import "wasi:sockets/instance-network@0.2.0" (instance $n
        (export "network" (type $t (sub resource)))
        (export "instance-network" (func (result (own $t))))))
    (core func $get (canon lower (func $n "instance-network")))
    (core module $m
        (import "" "get" (func $get (result i32)))
        (func (export "run") (drop (call $get)))
        (func (export "ping")))
    (core instance $i (instantiate $m (with "" (instance (export "get" (func $get))))))
    (func (export "run") (canon lift (core func $i "run")))
    (func (export "ping") (canon lift (core func $i "ping"))))"#;

#[tokio::test]
async fn sockets_are_stubs_that_refuse() {
    let skill = TestSkill::new("hostile", SOCKETS, "");
    let session = skill.session();
    let report = call(&session, "hostile__run").await;
    assert_eq!(kind(&report), ErrorKind::Denied);
    insta::assert_snapshot!(report.result.unwrap_err().render(), @r"
    the plugin called `instance-network` of `wasi:sockets/instance-network@0.2.0`, but a plugin has no network
    hint: nothing here reaches a network: give it what it needs as arguments, or as documents of the session
    ");
    still_serves(&session).await;
}

#[tokio::test]
async fn what_is_no_component_is_refused() {
    for bytes in [&b""[..], b"\0asm\x01\0\0\0", b"not wasm", b"\0asm\x0d\0\x01\0garbage"] {
        let skill = TestSkill::from_bytes("hostile", bytes, "");
        let report = call(&skill.session(), "hostile__run").await;
        assert!(
            matches!(kind(&report), ErrorKind::Load | ErrorKind::UnknownTool),
            "{bytes:?} {report:?}"
        );
    }
}

#[tokio::test]
async fn arguments_are_bounded_before_they_are_parsed() {
    let skill = TestSkill::new("hostile", &module(r#"(func (export "run"))"#), "");
    let session = skill.session();
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(1024 * 1024));
    let report = session.call("hostile__run", &large).await;
    assert!(
        matches!(kind(&report), ErrorKind::Limit(limit) if limit.what == Resource::Arguments),
        "{report:?}"
    );
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(100), "]".repeat(100));
    let report = session.call("hostile__run", &deep).await;
    assert!(
        matches!(kind(&report), ErrorKind::Limit(limit) if limit.what == Resource::ArgumentsDepth),
        "{report:?}"
    );
    assert_eq!(report.usage.fuel, 0, "nothing may be instantiated");
    still_serves(&session).await;
}

#[tokio::test]
async fn a_host_lowers_what_a_skill_allows_itself() {
    let skill = TestSkill::new(
        "hostile",
        &module(r#"(func (export "run") (loop (br 0)))"#),
        "limits: { time: 60s }",
    );
    let limits =
        mitt::CallLimits { time: Duration::from_millis(100), ..mitt::CallLimits::default() };
    let host = mitt::Host::builder()
        .no_cache()
        .bundled_skills(false)
        .skills(skill.path())
        .call_limits(limits)
        .build()
        .unwrap();
    let session = host.session(mitt::SessionOptions::default()).unwrap();
    let report = call(&session, "hostile__run").await;
    assert!(matches!(kind(&report), ErrorKind::Limit(limit) if limit.limit == 100), "{report:?}");
}
