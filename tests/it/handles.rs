//! Handles of resources: who may use which, what consumes them, and that calls in a resident instance stay in bounds.

use std::time::{Duration, Instant};

use mitt::{CallReport, ErrorKind, Host, Resource, Session, SessionLimits, SessionOptions};

use crate::support::{TestSkill, kind};

/// A component that exports the resource `counter` from `test:skill/counters@1.0.0`, and `ping` from its root.
const COUNTERS: &str = r#"(component
    (core module $state
        (global $dropped (mut i32) (i32.const 0))
        (func (export "dtor") (param i32) (global.set $dropped (i32.add (global.get $dropped) (i32.const 1))))
        (func (export "dropped") (result i32) (global.get $dropped)))
    (core instance $state (instantiate $state))
    (type $r (resource (rep i32) (dtor (core func $state "dtor"))))
    (core func $new (canon resource.new $r))
    (core func $rep (canon resource.rep $r))
    (core func $drop (canon resource.drop $r))
    (core module $m
        (import "" "new" (func $new (param i32) (result i32)))
        (import "" "rep" (func $rep (param i32) (result i32)))
        (import "" "drop" (func $drop (param i32)))
        (import "" "dropped" (func $dropped (result i32)))
        (memory (export "memory") 4)
        (global $top (mut i32) (i32.const 1024))
        (func $make (export "make") (param $start i32) (result i32) (local $at i32)
            (local.set $at (global.get $top))
            (global.set $top (i32.add (local.get $at) (i32.const 4)))
            (i32.store (local.get $at) (local.get $start))
            (call $new (local.get $at)))
        (func (export "zero") (result i32) (call $make (i32.const 0)))
        (func (export "next") (param $rep i32) (result i32)
            (i32.store (local.get $rep) (i32.add (i32.load (local.get $rep)) (i32.const 1)))
            (i32.load (local.get $rep)))
        (func (export "peek") (param $rep i32) (result i32) (i32.load (local.get $rep)))
        (func (export "dropped") (param i32) (result i32) (call $dropped))
        (func (export "finish") (param $own i32) (result i32) (local $value i32)
            (local.set $value (i32.load (call $rep (local.get $own))))
            (call $drop (local.get $own))
            (local.get $value))
        (func (export "merge") (param $a i32) (param $b i32) (result i32) (local $sum i32)
            (local.set $sum (i32.add
                (i32.load (call $rep (local.get $a))) (i32.load (call $rep (local.get $b)))))
            (call $drop (local.get $a))
            (call $drop (local.get $b))
            (call $make (local.get $sum)))
        (func (export "sum") (param $at i32) (param $length i32) (result i32) (local $sum i32)
            (block $done (loop $next
                (br_if $done (i32.eqz (local.get $length)))
                (local.set $sum (i32.add (local.get $sum) (i32.load (i32.load (local.get $at)))))
                (local.set $at (i32.add (local.get $at) (i32.const 4)))
                (local.set $length (i32.sub (local.get $length) (i32.const 1)))
                (br $next)))
            (local.get $sum))
        (func (export "many") (param $n i32) (result i32) (local $at i32)
            (i32.store (i32.const 0) (i32.const 65536))
            (i32.store (i32.const 4) (local.get $n))
            (local.set $at (i32.const 65536))
            (block $done (loop $next
                (br_if $done (i32.eqz (local.get $n)))
                (i32.store (local.get $at) (call $make (local.get $n)))
                (local.set $at (i32.add (local.get $at) (i32.const 4)))
                (local.set $n (i32.sub (local.get $n) (i32.const 1)))
                (br $next)))
            (i32.const 0))
        (func (export "try-make") (param $ok i32) (result i32)
            (if (local.get $ok)
                (then
                    (i32.store (i32.const 0) (i32.const 0))
                    (i32.store (i32.const 4) (call $make (i32.const 7))))
                (else
                    (i32.store (i32.const 0) (i32.const 1))
                    (i32.store (i32.const 4) (i32.const 1))))
            (i32.const 0))
        (func (export "crash") (param i32) (unreachable))
        (func (export "spin") (param i32) (loop (br 0)))
        (func (export "grow") (param i32) (result i32) (memory.grow (i32.const 16)))
        (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 131072))
        (func (export "ping") (result i32) (global.get $top)))
    (core instance $i (instantiate $m (with "" (instance
        (export "new" (func $new)) (export "rep" (func $rep)) (export "drop" (func $drop))
        (export "dropped" (func $state "dropped"))))))
    (alias core export $i "memory" (core memory $memory))
    (alias core export $i "realloc" (core func $realloc))
    (func $make (param "start" u32) (result (own $r)) (canon lift (core func $i "make")))
    (func $zero (result (own $r)) (canon lift (core func $i "zero")))
    (func $next (param "self" (borrow $r)) (result u32) (canon lift (core func $i "next")))
    (func $peek (param "it" (borrow $r)) (result u32) (canon lift (core func $i "peek")))
    (func $dropped (param "self" (borrow $r)) (result u32) (canon lift (core func $i "dropped")))
    (func $finish (param "it" (own $r)) (result u32) (canon lift (core func $i "finish")))
    (func $merge (param "a" (own $r)) (param "b" (own $r)) (result (own $r))
        (canon lift (core func $i "merge")))
    (func $sum (param "all" (list (borrow $r))) (result u32)
        (canon lift (core func $i "sum") (memory $memory) (realloc $realloc)))
    (func $many (param "n" u32) (result (list (own $r)))
        (canon lift (core func $i "many") (memory $memory)))
    (func $try-make (param "ok" bool) (result (result (own $r) (error u32)))
        (canon lift (core func $i "try-make") (memory $memory)))
    (func $crash (param "self" (borrow $r)) (canon lift (core func $i "crash")))
    (func $spin (param "self" (borrow $r)) (canon lift (core func $i "spin")))
    (func $grow (param "self" (borrow $r)) (result s32) (canon lift (core func $i "grow")))
    (func (export "ping") (result u32) (canon lift (core func $i "ping")))
    (component $counters
        (import "r" (type $r (sub resource)))
        (import "make" (func $make (param "start" u32) (result (own $r))))
        (import "zero" (func $zero (result (own $r))))
        (import "next" (func $next (param "self" (borrow $r)) (result u32)))
        (import "peek" (func $peek (param "it" (borrow $r)) (result u32)))
        (import "dropped" (func $dropped (param "self" (borrow $r)) (result u32)))
        (import "finish" (func $finish (param "it" (own $r)) (result u32)))
        (import "merge" (func $merge (param "a" (own $r)) (param "b" (own $r)) (result (own $r))))
        (import "sum" (func $sum (param "all" (list (borrow $r))) (result u32)))
        (import "many" (func $many (param "n" u32) (result (list (own $r)))))
        (import "try-make" (func $try-make (param "ok" bool) (result (result (own $r) (error u32)))))
        (import "crash" (func $crash (param "self" (borrow $r))))
        (import "spin" (func $spin (param "self" (borrow $r))))
        (import "grow" (func $grow (param "self" (borrow $r)) (result s32)))
        (export $c "counter" (type $r))
        (export "[constructor]counter" (func $make) (func (param "start" u32) (result (own $c))))
        (export "[static]counter.zero" (func $zero) (func (result (own $c))))
        (export "[method]counter.next" (func $next) (func (param "self" (borrow $c)) (result u32)))
        (export "[method]counter.dropped" (func $dropped) (func (param "self" (borrow $c)) (result u32)))
        (export "[method]counter.crash" (func $crash) (func (param "self" (borrow $c))))
        (export "[method]counter.spin" (func $spin) (func (param "self" (borrow $c))))
        (export "[method]counter.grow" (func $grow) (func (param "self" (borrow $c)) (result s32)))
        (export "peek" (func $peek) (func (param "it" (borrow $c)) (result u32)))
        (export "finish" (func $finish) (func (param "it" (own $c)) (result u32)))
        (export "merge" (func $merge)
            (func (param "a" (own $c)) (param "b" (own $c)) (result (own $c))))
        (export "sum" (func $sum) (func (param "all" (list (borrow $c))) (result u32)))
        (export "many" (func $many) (func (param "n" u32) (result (list (own $c)))))
        (export "try-make" (func $try-make)
            (func (param "ok" bool) (result (result (own $c) (error u32))))))
    (instance $out (instantiate $counters
        (with "r" (type $r)) (with "make" (func $make)) (with "zero" (func $zero)) (with "next" (func $next))
        (with "peek" (func $peek)) (with "dropped" (func $dropped)) (with "finish" (func $finish))
        (with "merge" (func $merge)) (with "sum" (func $sum)) (with "many" (func $many))
        (with "try-make" (func $try-make)) (with "crash" (func $crash)) (with "spin" (func $spin))
        (with "grow" (func $grow))))
    (export "test:skill/counters@1.0.0" (instance $out)))"#;

/// A component with a resource whose method calls any tool, and tells what came of it.
const RELAY: &str = r#"(component
    (import "mitt:host/tools@0.1.0" (instance $tools
        (type $kind-enum (enum "unknown-tool" "arguments" "plugin" "trap"))
        (export "failure-kind" (type $kind (eq $kind-enum)))
        (type $failure-record (record (field "kind" $kind) (field "message" string)))
        (export "failure" (type $failure (eq $failure-record)))
        (export "call" (func (param "name" string) (param "arguments" string)
            (result (result string (error $failure)))))))
    (core module $memory
        (memory (export "memory") 2)
        (global $top (mut i32) (i32.const 4096))
        (func (export "realloc") (param i32 i32 i32) (param $size i32) (result i32) (local $at i32)
            (local.set $at (global.get $top))
            (global.set $top (i32.and
                (i32.add (i32.add (local.get $at) (local.get $size)) (i32.const 7)) (i32.const -8)))
            (local.get $at)))
    (core instance $memory (instantiate $memory))
    (alias core export $memory "memory" (core memory $mem))
    (alias core export $memory "realloc" (core func $realloc))
    (core func $call (canon lower (func $tools "call") (memory $mem) (realloc $realloc)))
    (type $r (resource (rep i32)))
    (core func $new (canon resource.new $r))
    (core module $m
        (import "" "new" (func $new (param i32) (result i32)))
        (import "" "call" (func $call (param i32 i32 i32 i32 i32)))
        (import "" "memory" (memory 1))
        (func (export "make") (result i32) (call $new (i32.const 1)))
        (func (export "ask") (param i32 i32 i32 i32 i32) (result i32)
            (call $call (local.get 1) (local.get 2) (local.get 3) (local.get 4) (i32.const 16))
            (if (result i32) (i32.load8_u (i32.const 16))
                (then (i32.const 24))
                (else (i32.const 20)))))
    (core instance $i (instantiate $m (with "" (instance
        (export "new" (func $new)) (export "call" (func $call)) (export "memory" (memory $mem))))))
    (func $make (result (own $r)) (canon lift (core func $i "make")))
    (func $ask (param "self" (borrow $r)) (param "tool" string) (param "arguments" string) (result string)
        (canon lift (core func $i "ask") (memory $mem) (realloc $realloc)))
    (component $relays
        (import "r" (type $r (sub resource)))
        (import "make" (func $make (result (own $r))))
        (import "ask" (func $ask (param "self" (borrow $r)) (param "tool" string) (param "arguments" string)
            (result string)))
        (export $relay "relay" (type $r))
        (export "[constructor]relay" (func $make) (func (result (own $relay))))
        (export "[method]relay.ask" (func $ask) (func (param "self" (borrow $relay)) (param "tool" string)
            (param "arguments" string) (result string))))
    (instance $out (instantiate $relays
        (with "r" (type $r)) (with "make" (func $make)) (with "ask" (func $ask))))
    (export "test:skill/relays@1.0.0" (instance $out)))"#;

fn counters() -> TestSkill {
    TestSkill::new("counters", COUNTERS, "limits: { fuel: 10000000, memory: 4MiB, time: 2s }")
}

/// A session of the skills `counters`, `others` (the same component) and `relay`.
fn three_skills() -> (Vec<TestSkill>, Host) {
    let skills = vec![
        counters(),
        TestSkill::new("others", COUNTERS, ""),
        TestSkill::new("relay", RELAY, "grants: [tools]"),
    ];
    let mut host = Host::builder().bundled_skills(false);
    for skill in &skills {
        host = host.skills(skill.path());
    }
    (skills, host.build().unwrap())
}

fn open(host: &Host) -> Session {
    host.session(SessionOptions::default()).unwrap()
}

/// The result of a call that succeeds.
async fn done(session: &Session, tool: &str, arguments: &str) -> String {
    let report = session.call(tool, arguments).await;
    match report.result {
        Ok(result) => result.to_string(),
        Err(error) => panic!("{tool} {arguments}: {error:?}"),
    }
}

/// The message of a call whose arguments are refused.
async fn refused(session: &Session, tool: &str, arguments: &str) -> String {
    let report = session.call(tool, arguments).await;
    assert_eq!(kind(&report), ErrorKind::Arguments, "{report:?}");
    report.result.unwrap_err().render()
}

async fn make(session: &Session, start: u32) -> String {
    done(session, "counters__counter", &format!("{{\"start\": {start}}}")).await
}

fn limit_of(report: &CallReport) -> Resource {
    match kind(report) {
        ErrorKind::Limit(limit) => limit.what,
        other => panic!("expected a limit, got {other:?}"),
    }
}

#[tokio::test]
async fn a_resource_is_called_through_its_handle() {
    let skill = counters();
    let session = skill.session();
    let names: Vec<String> = session
        .host()
        .registry()
        .tools()
        .await
        .unwrap()
        .iter()
        .map(|tool| tool.name.to_string())
        .collect();
    assert_eq!(
        names,
        [
            "counters__counter",
            "counters__counter__crash",
            "counters__counter__dropped",
            "counters__counter__grow",
            "counters__counter__next",
            "counters__counter__spin",
            "counters__counter__zero",
            "counters__finish",
            "counters__many",
            "counters__merge",
            "counters__peek",
            "counters__ping",
            "counters__sum",
            "counters__try_make",
        ]
    );
    assert_eq!(make(&session, 41).await, r#""h:counter:1""#);
    assert_eq!(done(&session, "counters__counter__next", r#"{"self": "h:counter:1"}"#).await, "42");
    assert_eq!(done(&session, "counters__counter__next", r#"{"self": "h:counter:1"}"#).await, "43");
    assert_eq!(done(&session, "counters__counter__zero", "{}").await, r#""h:counter:2""#);
    assert_eq!(done(&session, "counters__peek", r#"{"it": "h:counter:1"}"#).await, "43");
    assert_eq!(done(&session, "counters__peek", r#"{"it": "h:counter:2"}"#).await, "0");
    assert_eq!(session.handles(), ["h:counter:1", "h:counter:2"]);
    let all = r#"{"all": ["h:counter:1", "h:counter:2", "h:counter:1"]}"#;
    assert_eq!(done(&session, "counters__sum", all).await, "86");
}

#[tokio::test]
async fn an_owned_argument_is_consumed() {
    let skill = counters();
    let session = skill.session();
    make(&session, 5).await;
    make(&session, 6).await;
    let both = r#"{"a": "h:counter:1", "b": "h:counter:2"}"#;
    assert_eq!(done(&session, "counters__merge", both).await, r#""h:counter:3""#);
    assert_eq!(session.handles(), ["h:counter:3"]);
    insta::assert_snapshot!(
        refused(&session, "counters__peek", r#"{"it": "h:counter:1"}"#).await,
        @r#"/it: expected borrow<counter> (a handle), got string "h:counter:1", which an earlier call consumed; the live handles are: `h:counter:3`"#
    );
    let twice = r#"{"a": "h:counter:3", "b": "h:counter:3"}"#;
    insta::assert_snapshot!(
        refused(&session, "counters__merge", twice).await,
        @r#"/b: the handle string "h:counter:3" is given twice, but the call consumes it"#
    );
    // What was refused was not consumed.
    assert_eq!(done(&session, "counters__finish", r#"{"it": "h:counter:3"}"#).await, "11");
    insta::assert_snapshot!(
        refused(&session, "counters__finish", r#"{"it": "h:counter:3"}"#).await,
        @r#"/it: expected counter (a handle), got string "h:counter:3", which an earlier call consumed; no handle of a `counter` is live"#
    );
}

#[tokio::test]
async fn what_is_no_live_handle_is_refused_with_those_that_are() {
    let skill = counters();
    let session = skill.session();
    insta::assert_snapshot!(
        refused(&session, "counters__counter__next", r#"{"self": "h:counter:1"}"#).await,
        @r#"/self: expected borrow<counter> (a handle), got string "h:counter:1"; no handle of a `counter` is live"#
    );
    make(&session, 0).await;
    make(&session, 0).await;
    let wrong = [
        "\"h:counter:9\"",
        "\"h:reader:1\"",
        "\"h:counter:01\"",
        "\"h:counter:+1\"",
        "\"h:counter:\"",
        "\"h::1\"",
        "\"counter:1\"",
        "\"h:counter:1 \"",
        "\"1\"",
        "\"\"",
        "1",
        "null",
        "[\"h:counter:1\"]",
        "{}",
        "\"h:counter:18446744073709551616\"",
    ];
    for wrong in wrong {
        let text =
            refused(&session, "counters__counter__next", &format!("{{\"self\": {wrong}}}")).await;
        assert!(text.starts_with("/self: expected borrow<counter> (a handle), got "), "{text}");
        assert!(text.ends_with("; the live handles are: `h:counter:1`, `h:counter:2`"), "{text}");
    }
    for _ in 0..20 {
        make(&session, 0).await;
    }
    let text = refused(&session, "counters__counter__next", r#"{"self": ""}"#).await;
    assert!(text.ends_with("`h:counter:12`, …"), "{text}");
    let report = session.call("counters__counter__next", r#"{"self": "h:counter:99"}"#).await;
    assert_eq!(report.usage.fuel, 0, "nothing may be called");
}

#[tokio::test]
async fn handles_cross_neither_sessions_nor_skills() {
    let (_skills, host) = three_skills();
    let (here, there) = (open(&host), open(&host));
    make(&here, 1).await;
    insta::assert_snapshot!(
        refused(&there, "counters__peek", r#"{"it": "h:counter:1"}"#).await,
        @r#"/it: expected borrow<counter> (a handle), got string "h:counter:1"; no handle of a `counter` is live"#
    );
    make(&there, 100).await;
    assert_eq!(done(&there, "counters__peek", r#"{"it": "h:counter:1"}"#).await, "100");
    assert_eq!(done(&here, "counters__peek", r#"{"it": "h:counter:1"}"#).await, "1");

    insta::assert_snapshot!(
        refused(&here, "others__peek", r#"{"it": "h:counter:1"}"#).await,
        @r#"/it: expected borrow<counter> (a handle), got string "h:counter:1", which belongs to skill `counters`; no handle of a `counter` is live"#
    );
    assert_eq!(done(&here, "others__counter", r#"{"start": 2}"#).await, r#""h:counter:2""#);
    assert_eq!(done(&here, "others__peek", r#"{"it": "h:counter:2"}"#).await, "2");
    let text = refused(&here, "others__finish", r#"{"it": "h:counter:1"}"#).await;
    assert!(text.ends_with("`counters`; the live handles are: `h:counter:2`"), "{text}");
    assert_eq!(done(&here, "relay__relay", "{}").await, r#""h:relay:3""#);
    let text = refused(&here, "counters__peek", r#"{"it": "h:relay:3"}"#).await;
    assert!(text.ends_with("the live handles are: `h:counter:1`"), "{text}");
    assert_eq!(here.handles(), ["h:counter:1", "h:counter:2", "h:relay:3"]);
}

#[tokio::test]
async fn only_functions_with_handles_share_an_instance() {
    let skill = counters();
    let session = skill.session();
    assert_eq!(done(&session, "counters__ping", "{}").await, "1024");
    make(&session, 0).await;
    make(&session, 0).await;
    assert_eq!(done(&session, "counters__ping", "{}").await, "1024");
    // The first instance ends with its last handle: the next one has seen no destructor run.
    for handle in ["h:counter:1", "h:counter:2"] {
        done(&session, "counters__finish", &format!("{{\"it\": \"{handle}\"}}")).await;
    }
    make(&session, 0).await;
    let dropped = done(&session, "counters__counter__dropped", r#"{"self": "h:counter:3"}"#).await;
    assert_eq!(dropped, "0");
}

#[tokio::test]
async fn a_failed_call_takes_the_handles_of_its_skill_along() {
    let (_skills, host) = three_skills();
    let session = open(&host);
    for (number, tool, what) in [
        (1, "counters__counter__crash", None),
        (3, "counters__counter__spin", Some(Resource::Fuel)),
    ] {
        make(&session, 0).await;
        done(&session, "others__counter", r#"{"start": 0}"#).await;
        let report = session.call(tool, &format!("{{\"self\": \"h:counter:{number}\"}}")).await;
        match what {
            None => assert_eq!(kind(&report), ErrorKind::Trap),
            Some(what) => assert_eq!(limit_of(&report), what),
        }
        let next = format!("{{\"self\": \"h:counter:{number}\"}}");
        let text = refused(&session, "counters__counter__next", &next).await;
        assert!(
            text.ends_with(", which is gone since a call with handles of its skill failed; no handle of a `counter` is live"),
            "{text}"
        );
    }
    assert_eq!(session.handles(), ["h:counter:2", "h:counter:4"], "of the other skill");
    assert_eq!(make(&session, 8).await, r#""h:counter:5""#);
    assert_eq!(done(&session, "counters__peek", r#"{"it": "h:counter:5"}"#).await, "8");
}

#[tokio::test]
async fn each_call_has_fuel_and_time_of_its_own_and_memory_is_added_up() {
    let skill = TestSkill::new("counters", COUNTERS, "limits: { fuel: 40000, memory: 4MiB }");
    let session = skill.session();
    make(&session, 0).await;
    let mut fuel = 0;
    while fuel < 100_000 {
        let report = session.call("counters__many", r#"{"n": 100}"#).await;
        let result = serde_json::Value::from(report.result.unwrap());
        assert!(report.usage.fuel > 0);
        fuel += report.usage.fuel;
        for index in 0..100 {
            let handle = result[index].as_str().unwrap();
            let report =
                session.call("counters__finish", &format!("{{\"it\": \"{handle}\"}}")).await;
            assert!(report.result.is_ok(), "{report:?}");
        }
    }
    // Four pages at the start, sixteen more each time: 64 are the limit.
    let grow = r#"{"self": "h:counter:1"}"#;
    for pages in [4, 20, 36] {
        assert_eq!(done(&session, "counters__counter__grow", grow).await, pages.to_string());
    }
    let report = session.call("counters__counter__grow", grow).await;
    assert_eq!(limit_of(&report), Resource::Memory);
    assert!(session.handles().is_empty());
}

#[tokio::test]
async fn the_deadline_ends_a_call_in_a_resident_instance() {
    let manifest = "limits: { fuel: 100000000000, time: 200ms }";
    let skill = TestSkill::new("counters", COUNTERS, manifest);
    let session = skill.session();
    make(&session, 0).await;
    let start = Instant::now();
    let report = session.call("counters__counter__spin", r#"{"self": "h:counter:1"}"#).await;
    assert_eq!(limit_of(&report), Resource::Time);
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(session.handles().is_empty());
    make(&session, 0).await;
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_ends_its_instance() {
    let manifest = "limits: { fuel: 100000000000 }";
    let skill = TestSkill::new("counters", COUNTERS, manifest);
    let session = skill.session();
    make(&session, 0).await;
    let spin = session.call("counters__counter__spin", r#"{"self": "h:counter:1"}"#);
    assert!(tokio::time::timeout(Duration::from_millis(100), spin).await.is_err());
    assert!(session.handles().is_empty());
    assert_eq!(make(&session, 3).await, r#""h:counter:2""#);
}

#[tokio::test]
async fn handles_are_counted_over_the_session() {
    let (_skills, host) = three_skills();
    drop(host);
    let limits = SessionLimits { handles: 3, ..SessionLimits::default() };
    let mut host = Host::builder().bundled_skills(false).session_limits(limits);
    for skill in &_skills {
        host = host.skills(skill.path());
    }
    let session = open(&host.build().unwrap());
    make(&session, 1).await;
    done(&session, "others__counter", r#"{"start": 2}"#).await;
    make(&session, 3).await;
    // Full: refused before the call, so that nothing is lost.
    let report = session.call("counters__counter", r#"{"start": 4}"#).await;
    insta::assert_snapshot!(
        report.result.unwrap_err(),
        @"handles limit of 3 handles reached: 4 handles"
    );
    assert_eq!(session.handles().len(), 3);
    // A call that consumes as many as it gives fits.
    let both = r#"{"a": "h:counter:1", "b": "h:counter:3"}"#;
    assert_eq!(done(&session, "counters__merge", both).await, r#""h:counter:4""#);
    // A result that holds too many ends the instance that made them, and only that.
    let report = session.call("counters__many", r#"{"n": 2}"#).await;
    assert_eq!(limit_of(&report), Resource::Handles);
    assert_eq!(session.handles(), ["h:counter:2"]);
    assert_eq!(make(&session, 1).await, r#""h:counter:6""#);
}

#[tokio::test]
async fn handles_of_one_store_are_counted_too() {
    let skill = counters();
    let session = skill.session();
    let report = session.call("counters__many", r#"{"n": 1025}"#).await;
    assert_eq!(limit_of(&report), Resource::Handles);
    assert!(session.handles().is_empty());
}

#[tokio::test]
async fn an_error_of_the_plugin_keeps_the_instance() {
    let skill = counters();
    let session = skill.session();
    make(&session, 1).await;
    let report = session.call("counters__try_make", r#"{"ok": false}"#).await;
    assert_eq!(kind(&report), ErrorKind::Plugin);
    assert_eq!(done(&session, "counters__try_make", r#"{"ok": true}"#).await, r#""h:counter:2""#);
    assert_eq!(done(&session, "counters__peek", r#"{"it": "h:counter:1"}"#).await, "1");
    assert_eq!(done(&session, "counters__peek", r#"{"it": "h:counter:2"}"#).await, "7");
}

#[tokio::test]
async fn a_dropped_handle_runs_its_destructor() {
    let skill = counters();
    let session = skill.session();
    make(&session, 0).await;
    make(&session, 0).await;
    session.drop_handle("h:counter:1").await.unwrap();
    assert_eq!(
        done(&session, "counters__counter__dropped", r#"{"self": "h:counter:2"}"#).await,
        "1"
    );
    let text = refused(&session, "counters__peek", r#"{"it": "h:counter:1"}"#).await;
    assert!(text.contains("\"h:counter:1\", which was dropped; the live"), "{text}");
    for wrong in ["h:counter:1", "h:other:2", "h:counter:3", "", "counter"] {
        let error = session.drop_handle(wrong).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Arguments);
    }
    session.drop_handle("h:counter:2").await.unwrap();
    assert!(session.handles().is_empty());
}

#[tokio::test]
async fn calls_within_calls_do_not_wait_for_themselves() {
    let (_skills, host) = three_skills();
    let session = open(&host);
    make(&session, 4).await;
    done(&session, "relay__relay", "{}").await;
    let ask = |tool: &str, arguments: &str| {
        serde_json::json!({ "self": "h:relay:2", "tool": tool, "arguments": arguments }).to_string()
    };
    // Another skill's instance is free.
    let next = ask("counters__counter__next", r#"{"self": "h:counter:1"}"#);
    assert_eq!(done(&session, "relay__relay__ask", &next).await, r#""5""#);
    // Its own is not.
    let again = done(&session, "relay__relay__ask", &ask("relay__relay", "{}")).await;
    assert!(
        again.starts_with("\"skill `relay` is busy: a call with its handles cannot be made from inside of another one"),
        "{again}"
    );
    // And it is still there.
    assert_eq!(done(&session, "relay__relay__ask", &next).await, r#""6""#);
    // Nor is it through a third.
    let inner = ask("relay__relay", "{}");
    assert!(
        done(&session, "relay__relay__ask", &ask("relay__relay__ask", &inner))
            .await
            .contains("busy")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_at_the_same_time_take_turns() {
    let (_skills, host) = three_skills();
    let session = open(&host);
    make(&session, 0).await;
    done(&session, "relay__relay", "{}").await;
    let ask = serde_json::json!({
        "self": "h:relay:2", "tool": "counters__counter__next", "arguments": r#"{"self": "h:counter:1"}"#
    })
    .to_string();
    let mut calls = Vec::new();
    for index in 0..40 {
        let (session, ask) = (session.clone(), ask.clone());
        calls.push(tokio::spawn(async move {
            match index % 2 {
                0 => session.call("relay__relay__ask", &ask).await,
                _ => session.call("counters__counter__next", r#"{"self": "h:counter:1"}"#).await,
            }
        }));
    }
    let all = async {
        for call in calls {
            let report = call.await.unwrap();
            assert!(report.result.is_ok(), "{report:?}");
        }
    };
    tokio::time::timeout(Duration::from_secs(20), all).await.unwrap();
    assert_eq!(done(&session, "counters__peek", r#"{"it": "h:counter:1"}"#).await, "40");
}

#[tokio::test]
async fn instances_do_not_keep_their_session_alive() {
    let (_skills, host) = three_skills();
    let alive = std::sync::Arc::new(());
    let held = alive.clone();
    let events = std::sync::Arc::new(move |_: &mitt::Event| {
        let _ = &held;
    });
    let session =
        host.session(SessionOptions { events: Some(events), ..SessionOptions::default() }).unwrap();
    done(&session, "relay__relay", "{}").await;
    make(&session, 0).await;
    assert_eq!(std::sync::Arc::strong_count(&alive), 2);
    drop(session);
    assert_eq!(std::sync::Arc::strong_count(&alive), 1);
}
