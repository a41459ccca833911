//! Handles of resources: who may use them, what consumes them, and the limits of calls in a resident instance.

pub(crate) mod components;

use std::time::{Duration, Instant};

use mitt::{CallReport, ErrorKind, Host, Resource, Session, SessionLimits, SessionOptions};

use components::{COUNTERS, RELAY, TWINS, VOICE};

use crate::support::{TestSkill, kind};

pub(crate) fn counters() -> TestSkill {
    TestSkill::new("counters", COUNTERS, "limits: { fuel: 10000000, memory: 4MiB, time: 2s }")
}

/// Makes a host with the skills `counters`, `others` (the same component) and `relay`.
fn three_skills() -> (Vec<TestSkill>, Host) {
    let skills = vec![
        counters(),
        TestSkill::new("others", COUNTERS, ""),
        TestSkill::new("relay", RELAY, "grants: [tools]"),
    ];
    let mut host = Host::builder().no_cache().bundled_skills(false);
    for skill in &skills {
        host = host.skills(skill.path());
    }
    (skills, host.build().unwrap())
}

fn open(host: &Host) -> Session {
    host.session(SessionOptions::default()).unwrap()
}

/// Returns the result of a call that succeeds.
async fn done(session: &Session, tool: &str, arguments: &str) -> String {
    let report = session.call(tool, arguments).await;
    match report.result {
        Ok(result) => result.to_string(),
        Err(error) => panic!("{tool} {arguments}: {error:?}"),
    }
}

/// Returns the message of a call whose arguments are refused.
async fn refused(session: &Session, tool: &str, arguments: &str) -> String {
    let report = session.call(tool, arguments).await;
    assert_eq!(kind(&report), ErrorKind::Arguments, "{report:?}");
    report.result.unwrap_err().render()
}

async fn make(session: &Session, start: u32) -> String {
    done(session, "counters__counter", &format!("{{\"start\": {start}}}")).await
}

/// Another version of a skill has other types and grants, so handles of the earlier one are gone.
#[tokio::test]
async fn a_replaced_skill_ends_its_handles() {
    let skill = counters();
    let host = skill.host();
    let session = open(&host);
    let old = make(&session, 5).await;
    let old = old.trim_matches('"').to_owned();
    let component =
        wat::parse_str(COUNTERS.replacen("(component", "(component (core module)", 1)).unwrap();
    std::fs::write(skill.path().join("counters/counters.wasm"), component).unwrap();
    assert_eq!(host.reload().await.unwrap().changed, ["counters"]);
    let new = make(&session, 7).await;
    assert_ne!(new.trim_matches('"'), old);
    let error =
        refused(&session, "counters__counter__next", &format!("{{\"self\": \"{old}\"}}")).await;
    assert!(error.contains("since its skill was replaced"), "{error}");
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
    let names: Vec<String> =
        session.host().registry().tools().await.iter().map(|tool| tool.name.to_string()).collect();
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
            "counters__refuse",
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
        @r#"/b: expected counter (a handle), got string "h:counter:3", which is given twice, although the call consumes it; the live handles are: `h:counter:3`"#
    );
    // A refused handle was not consumed.
    assert_eq!(done(&session, "counters__finish", r#"{"it": "h:counter:3"}"#).await, "11");
    insta::assert_snapshot!(
        refused(&session, "counters__finish", r#"{"it": "h:counter:3"}"#).await,
        @r#"/it: expected counter (a handle), got string "h:counter:3", which an earlier call consumed; no handle of `counter` is live"#
    );
}

#[tokio::test]
async fn an_owned_argument_is_consumed_even_if_the_call_fails() {
    let skill = counters();
    let session = skill.session();
    make(&session, 5).await;
    make(&session, 6).await;
    let report = session.call("counters__refuse", r#"{"it": "h:counter:1"}"#).await;
    assert_eq!(kind(&report), ErrorKind::Plugin);
    let text = refused(&session, "counters__peek", r#"{"it": "h:counter:1"}"#).await;
    assert!(text.contains("which an earlier call consumed"), "{text}");
    assert_eq!(done(&session, "counters__peek", r#"{"it": "h:counter:2"}"#).await, "6");
}

#[tokio::test]
async fn what_is_no_live_handle_is_refused_with_those_that_are() {
    let skill = counters();
    let session = skill.session();
    insta::assert_snapshot!(
        refused(&session, "counters__counter__next", r#"{"self": "h:counter:1"}"#).await,
        @r#"/self: expected borrow<counter> (a handle), got string "h:counter:1"; no handle of `counter` is live"#
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
        @r#"/it: expected borrow<counter> (a handle), got string "h:counter:1"; no handle of `counter` is live"#
    );
    make(&there, 100).await;
    assert_eq!(done(&there, "counters__peek", r#"{"it": "h:counter:1"}"#).await, "100");
    assert_eq!(done(&here, "counters__peek", r#"{"it": "h:counter:1"}"#).await, "1");

    insta::assert_snapshot!(
        refused(&here, "others__peek", r#"{"it": "h:counter:1"}"#).await,
        @r#"/it: expected borrow<counter> (a handle), got string "h:counter:1", which belongs to skill `counters`; no handle of `counter` is live"#
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
async fn resources_of_the_same_name_are_told_apart() {
    let skill = TestSkill::new("twins", TWINS, "");
    let session = skill.session();
    assert_eq!(done(&session, "twins__one__reader", "{}").await, r#""h:reader:1""#);
    assert_eq!(done(&session, "twins__two__reader", "{}").await, r#""h:reader:2""#);
    let (first, second) = (r#"{"self": "h:reader:1"}"#, r#"{"self": "h:reader:2"}"#);
    assert_eq!(done(&session, "twins__one__reader__get", first).await, "11");
    assert_eq!(done(&session, "twins__two__reader__get", second).await, "22");
    insta::assert_snapshot!(
        refused(&session, "twins__two__reader__get", first).await,
        @r#"/self: expected borrow<reader> (a handle), got string "h:reader:1", which is a `reader` of `test:skill/one@1.0.0`; the live handles are: `h:reader:2`"#
    );
}

/// Every handle, tried everywhere, works only where it was given out, and only until it is consumed.
#[tokio::test]
async fn a_handle_works_only_where_it_was_given_out() {
    let (_skills, host) = three_skills();
    let sessions = [open(&host), open(&host)];
    // By session and number: the skill and the value; `None` once it is consumed.
    let mut model = [Vec::new(), Vec::new()];
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    for _ in 0..600 {
        let (place, skill) = (random(2), ["counters", "others"][random(2)]);
        let (session, known): (_, &mut Vec<Option<(&str, u32)>>) =
            (&sessions[place], &mut model[place]);
        let mut pick = || (random(12) + known.len().saturating_sub(8)).max(1);
        let (one, other, action) = (pick(), pick(), random(4));
        let value = |number: usize| {
            let found: Option<(&str, u32)> = known.get(number - 1).copied().flatten();
            found.filter(|(owner, _)| *owner == skill).map(|(_, value)| value)
        };
        let (function, arguments, expected) = match action {
            0 => ("counter", format!("{{\"start\": {one}}}"), None),
            1 => ("peek", format!("{{\"it\": \"h:counter:{one}\"}}"), value(one)),
            2 => ("finish", format!("{{\"it\": \"h:counter:{one}\"}}"), value(one)),
            _ => {
                let sum = value(one).zip(value(other)).filter(|_| one != other);
                let both = format!("{{\"a\": \"h:counter:{one}\", \"b\": \"h:counter:{other}\"}}");
                ("merge", both, sum.map(|(a, b)| a + b))
            }
        };
        let report = session.call(&format!("{skill}__{function}"), &arguments).await;
        if action > 0 && expected.is_none() {
            assert_eq!(kind(&report), ErrorKind::Arguments, "{function} {arguments}");
            continue;
        }
        let result = report.result.unwrap().to_string();
        let given = format!("\"h:counter:{}\"", known.len() + 1);
        match (action, expected) {
            (0, _) => {
                assert_eq!(result, given);
                known.push(Some((skill, u32::try_from(one).unwrap())));
            }
            (3, Some(sum)) => {
                assert_eq!(result, given);
                (known[one - 1], known[other - 1]) = (None, None);
                known.push(Some((skill, sum)));
            }
            (_, Some(value)) => {
                assert_eq!(result, value.to_string());
                if action == 2 {
                    known[one - 1] = None;
                }
            }
            (_, None) => {}
        }
        let live: Vec<String> = (1..=known.len())
            .filter(|number| known[number - 1].is_some())
            .map(|number| format!("h:counter:{number}"))
            .collect();
        assert_eq!(session.handles(), live);
    }
    assert!(model.iter().all(|known| known.len() > 60), "{model:?}");
}

#[tokio::test]
async fn only_functions_with_handles_share_an_instance() {
    let skill = counters();
    let session = skill.session();
    assert_eq!(done(&session, "counters__ping", "{}").await, "1024");
    make(&session, 0).await;
    make(&session, 0).await;
    assert_eq!(done(&session, "counters__ping", "{}").await, "1024");
    // The first instance ends with its last handle: the next one shows that no destructor ran.
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
            text.ends_with(", which is gone since a call with handles of its skill failed; no handle of `counter` is live"),
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
    let mut fuel = Vec::new();
    for _ in 0..30 {
        let report = session.call("counters__many", r#"{"n": 100}"#).await;
        let result = serde_json::Value::from(report.result.unwrap());
        fuel.push(report.usage.fuel);
        for index in 0..100 {
            let handle = result[index].as_str().unwrap();
            done(&session, "counters__finish", &format!("{{\"it\": \"{handle}\"}}")).await;
        }
    }
    // The first call also made the instance's tables.
    assert!(fuel[1..].iter().all(|used| *used == fuel[1]), "{fuel:?}");
    assert!(fuel.iter().sum::<u64>() > 40_000, "{fuel:?}");
    // Four pages at the start, sixteen more each time; the limit is 64.
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

/// A tool's timeout applies in a resident instance too, to its own calls only. Nothing is retried there, whatever the
/// manifest says: a failed call ends the instance in which the handles live.
#[tokio::test]
async fn a_call_with_handles_is_attempted_once() {
    let manifest = "limits: { fuel: 100000000000, time: 20s }\ntools:\n\
                    - { name: \"[constructor]counter\", timeout: 500ms }\n\
                    - { name: counter__spin, timeout: 700ms, idempotent: true, retry: { maxAttempts: 3 } }\n\
                    - { name: peek, idempotent: true, retry: { maxAttempts: 3 } }";
    let skill = TestSkill::new("counters", COUNTERS, manifest);
    let session = skill.session();
    make(&session, 0).await;
    let report = session.call("counters__peek", r#"{"it": "h:counter:7"}"#).await;
    assert_eq!(kind(&report), ErrorKind::Arguments);
    assert!(report.attempts.is_empty(), "nothing ran");
    let report = session.call("counters__counter__spin", r#"{"self": "h:counter:1"}"#).await;
    assert!(
        matches!(kind(&report), ErrorKind::Limit(limit) if limit.what == Resource::Time && limit.limit == 700),
        "{report:?}"
    );
    assert_eq!(report.attempts.len(), 1);
    assert!(!report.result.unwrap_err().to_string().contains("attempts"));
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
    let mut host = Host::builder().no_cache().bundled_skills(false).session_limits(limits);
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
    // A call that consumes as many as it returns fits.
    let both = r#"{"a": "h:counter:1", "b": "h:counter:3"}"#;
    assert_eq!(done(&session, "counters__merge", both).await, r#""h:counter:4""#);
    // A result with too many handles ends the instance that made them, and only that.
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
async fn output_and_services_are_those_of_each_call() {
    let skill = TestSkill::new("voice", VOICE, "grants: [log]");
    let session = skill.session();
    done(&session, "voice__voice", "{}").await;
    // More than half of what a call may print, each time.
    for tool in ["voice__voice__say", "voice__say_it", "voice__voice__say"] {
        done(&session, tool, r#"{"self": "h:voice:1"}"#).await;
    }
    session.drop_handle("h:voice:1").await.unwrap();
    let journal = session.journal();
    let tools: Vec<_> = journal
        .iter()
        .filter(|entry| entry["message"].is_string())
        .map(|entry| entry["tool"].as_str().unwrap())
        .collect();
    assert!(tools.chunks(10).all(|call| call.iter().all(|tool| *tool == call[0])), "{tools:?}");
    let tools: Vec<_> = tools.into_iter().step_by(10).collect();
    assert_eq!(tools, ["voice__voice__say", "voice__say_it", "voice__voice__say", "h:voice:1"]);
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
    // Its own instance is busy.
    let again = done(&session, "relay__relay__ask", &ask("relay__relay", "{}")).await;
    assert!(
        again.starts_with("\"skill `relay` is busy: a call with its handles cannot be made from inside of another one"),
        "{again}"
    );
    // It still exists afterwards.
    assert_eq!(done(&session, "relay__relay__ask", &next).await, r#""6""#);
    // It is busy through a third skill too.
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
