//! A component that fails, crashes, sleeps and delivers on request. Each call has its own instance, so it counts attempts in
//! the session's workspace: a file has one byte for each.

use std::path::Path;
use std::sync::OnceLock;

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::support::{TestSkill, root};

/// The part of WASI that is needed to sleep.
const WASI: [(&str, &str); 2] = [
    ("io.wit", "package wasi:io@0.2.0; interface poll { resource pollable { block: func(); } }"),
    (
        "clocks.wit",
        "package wasi:clocks@0.2.0; interface monotonic-clock { use wasi:io/poll@0.2.0.{pollable}; \
         subscribe-duration: func(when: u64) -> pollable; }",
    ),
];

const WIT: &str = r#"
package test:exec;

interface api {
    variant trouble { unavailable(string), broken(string) }
    /// Not available the first `fails` times. Gives the number of attempts.
    flaky: func(fails: u32) -> result<u32, trouble>;
    /// Always broken.
    broken: func() -> result<u32, trouble>;
    /// Crash the first `fails` times.
    crash: func(fails: u32) -> u32;
    /// Sleep, and only then do what must not happen after a timeout.
    slow: func(ms: u32) -> u32;
    /// Deliver `kept.md`, and crash the first `fails` times.
    deliver: func(fails: u32);
    /// Call another tool, and crash the first `fails` times.
    outer: func(tool: string, arguments: string, fails: u32) -> string;
    /// Attempts of all other functions.
    attempts: func() -> u32;
    /// How often `slow` has slept enough.
    late: func() -> u32;
}

world exec {
    import mitt:host/workspace@0.1.0;
    import mitt:host/render@0.1.0;
    import mitt:host/tools@0.1.0;
    import wasi:io/poll@0.2.0;
    import wasi:clocks/monotonic-clock@0.2.0;
    export api;
}
"#;

const MODULE: &str = r#"(module
    (import "mitt:host/workspace@0.1.0" "read" (func $read (param i32 i32 i32)))
    (import "mitt:host/workspace@0.1.0" "write" (func $write (param i32 i32 i32 i32 i32)))
    (import "mitt:host/render@0.1.0" "text" (func $text (param i32 i32 i32 i32 i32)))
    (import "mitt:host/tools@0.1.0" "call" (func $call (param i32 i32 i32 i32 i32)))
    (import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32)))
    (import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $subscribe (param i64) (result i32)))
    (memory (export "memory") 2)
    (data (i32.const 1024) "nlotry later..it is brokenkept.md")
    (global $heap (mut i32) (i32.const 4096))
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
        (global.set $heap (i32.and (i32.add (global.get $heap) (i32.const 15)) (i32.const -16)))
        (global.get $heap)
        (global.set $heap (i32.add (global.get $heap) (local.get 3))))
    ;; Length of the file whose name is one letter at $name.
    (func $length (param $name i32) (result i32)
        (call $read (local.get $name) (i32.const 1) (i32.const 64))
        (if (result i32) (i32.load8_u (i32.const 64)) (then (i32.const 0)) (else (i32.load (i32.const 72)))))
    ;; Make it longer by a byte; gives the length that it had.
    (func $count (param $name i32) (result i32) (local $before i32)
        (local.set $before (call $length (local.get $name)))
        (call $write (local.get $name) (i32.const 1) (i32.const 0) (i32.add (local.get $before) (i32.const 1)) (i32.const 64))
        (if (i32.load8_u (i32.const 64)) (then (unreachable)))
        (local.get $before))
    (func $crash_before (param $fails i32) (local $before i32)
        (local.set $before (call $count (i32.const 1024)))
        (if (i32.lt_u (local.get $before) (local.get $fails)) (then (unreachable))))
    (func (export "test:exec/api#flaky") (param $fails i32) (result i32) (local $before i32)
        (local.set $before (call $count (i32.const 1024)))
        (if (i32.lt_u (local.get $before) (local.get $fails))
            (then
                (i32.store (i32.const 128) (i32.const 1))
                (i32.store (i32.const 132) (i32.const 0))
                (i32.store (i32.const 136) (i32.const 1027))
                (i32.store (i32.const 140) (i32.const 9)))
            (else
                (i32.store (i32.const 128) (i32.const 0))
                (i32.store (i32.const 132) (i32.add (local.get $before) (i32.const 1)))))
        (i32.const 128))
    (func (export "test:exec/api#broken") (result i32)
        (drop (call $count (i32.const 1024)))
        (i32.store (i32.const 128) (i32.const 1))
        (i32.store (i32.const 132) (i32.const 1))
        (i32.store (i32.const 136) (i32.const 1038))
        (i32.store (i32.const 140) (i32.const 12))
        (i32.const 128))
    (func (export "test:exec/api#crash") (param $fails i32) (result i32)
        (call $crash_before (local.get $fails))
        (call $length (i32.const 1024)))
    (func (export "test:exec/api#slow") (param $ms i32) (result i32)
        (drop (call $count (i32.const 1024)))
        (call $block (call $subscribe (i64.mul (i64.extend_i32_u (local.get $ms)) (i64.const 1000000))))
        (drop (call $count (i32.const 1025)))
        (call $length (i32.const 1025)))
    (func (export "test:exec/api#deliver") (param $fails i32)
        (call $text (i32.const 1027) (i32.const 9) (i32.const 1050) (i32.const 7) (i32.const 64))
        (if (i32.load8_u (i32.const 64)) (then (unreachable)))
        (call $crash_before (local.get $fails)))
    (func (export "test:exec/api#outer") (param $tool i32) (param $tool_len i32) (param $args i32) (param $args_len i32)
        (param $fails i32) (result i32)
        (call $call (local.get $tool) (local.get $tool_len) (local.get $args) (local.get $args_len) (i32.const 256))
        (if (i32.load8_u (i32.const 256)) (then (unreachable)))
        (if (i32.lt_u (call $count (i32.const 1026)) (local.get $fails)) (then (unreachable)))
        (i32.const 260))
    (func (export "test:exec/api#attempts") (result i32)
        (i32.add (call $length (i32.const 1024)) (call $length (i32.const 1026))))
    (func (export "test:exec/api#late") (result i32) (call $length (i32.const 1025))))"#;

fn component() -> Vec<u8> {
    static COMPONENT: OnceLock<Vec<u8>> = OnceLock::new();
    let make = || {
        let mut resolve = Resolve::default();
        resolve.push_dir(Path::new(root()).join("wit")).unwrap();
        for (name, wit) in WASI {
            resolve.push_str(name, wit).unwrap();
        }
        let package = resolve.push_str("exec.wit", WIT).unwrap();
        let world = resolve.select_world(&[package], Some("exec")).unwrap();
        let mut module = wat::parse_str(MODULE).unwrap();
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
        ComponentEncoder::default().validate(true).module(&module).unwrap().encode().unwrap()
    };
    COMPONENT.get_or_init(make).clone()
}

/// Returns the skill `exec`, with `tools` as the entries of its `skill.yaml`.
pub(super) fn skill(manifest: &str) -> TestSkill {
    let manifest = format!("grants: [workspace, render, tools]\n{manifest}");
    TestSkill::from_bytes("exec", &component(), &manifest)
}
