//! How calls are made: timeouts, attempts, what failed ones leave behind, and how many run at once. Time is virtual: it
//! passes only while everything waits.

#[path = "execution/component.rs"]
mod component;
#[path = "execution/context.rs"]
mod context;

use std::time::Duration;

use component::skill;
use mitt::skill::Jitter;
use mitt::{
    CallLimits, CallReport, ConcurrencyLimits, Environment, ErrorKind, Host, Resource, Session,
    SessionOptions,
};
use serde_json::Value;
use tokio::time::Instant;

use crate::support::{TestSkill, kind, mitt, text};

/// A session with the folder of its skill.
struct Open {
    session: Session,
    _skill: TestSkill,
}

impl std::ops::Deref for Open {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

fn open(skill: TestSkill) -> Open {
    Open { session: skill.session(), _skill: skill }
}

/// Opens a session of a skill in which every tool has these entries.
fn session(policy: &str) -> Open {
    open(all(policy))
}

fn all(policy: &str) -> TestSkill {
    let names = ["flaky", "broken", "crash", "slow", "deliver", "outer"];
    let tools = names.map(|name| format!("- {{name: {name}, {policy}}}\n"));
    skill(&format!("tools:\n{}", tools.concat()))
}

fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

/// Makes a call; returns its report and the seconds that it took.
async fn timed(session: &Session, tool: &str, arguments: &str) -> (CallReport, f64) {
    let start = Instant::now();
    let report = session.call(tool, arguments).await;
    (report, seconds(start.elapsed()))
}

async fn number(session: &Session, tool: &str) -> u64 {
    session.call(tool, "{}").await.result.unwrap().to_string().parse().unwrap()
}

/// Returns the attempts that were really made, as counted by the tools themselves.
async fn attempts(session: &Session) -> u64 {
    number(session, "exec__attempts").await
}

fn message(report: &CallReport) -> String {
    report.result.as_ref().unwrap_err().to_string()
}

/// Returns the entries of one kind in a session's journal.
fn journal(session: &Session, kind: &str) -> Vec<Value> {
    session.journal().into_iter().filter(|entry| entry["kind"] == kind).collect()
}

#[tokio::test(start_paused = true)]
async fn a_timeout_holds_and_only_lowers_the_limit() {
    for (manifest, expected) in [
        ("", 30.0),
        ("tools: [{name: slow, timeout: 500ms}]", 0.5),
        ("tools: [{name: slow, timeout: 15s}]", 15.0),
        ("tools: [{name: slow, timeout: 1m30s}]", 30.0),
        ("limits: {time: 60s}\ntools: [{name: slow, timeout: 45s}]", 45.0),
        ("limits: {time: 2s}\ntools: [{name: slow, timeout: 1h}]", 2.0),
        // The entry belongs to another tool.
        ("tools: [{name: flaky, timeout: 1s}]", 30.0),
    ] {
        let session = open(skill(manifest));
        let (report, took) = timed(&session, "exec__slow", r#"{"ms": 3600000}"#).await;
        let ErrorKind::Limit(limit) = kind(&report) else { panic!("{:?}", report.result) };
        assert_eq!(
            (limit.what, limit.limit as f64 / 1e3),
            (Resource::Time, expected),
            "{manifest}"
        );
        assert!((took - expected).abs() < 0.01, "{manifest}: {took}");
        let (report, took) = timed(&session, "exec__slow", r#"{"ms": 400}"#).await;
        assert!(report.result.is_ok() && (0.4..0.5).contains(&took), "{took}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_lowers_timeouts_further() {
    let skill = skill("tools: [{name: slow, timeout: 5s}]");
    let limits = CallLimits { time: Duration::from_secs(2), ..CallLimits::default() };
    let host =
        Host::builder().no_cache().bundled_skills(false).skills(skill.path()).call_limits(limits);
    let session = host.build().unwrap().session(SessionOptions::default()).unwrap();
    let (report, took) = timed(&session, "exec__slow", r#"{"ms": 3600000}"#).await;
    assert!(report.result.is_err() && (2.0..2.1).contains(&took), "{took}");
}

#[tokio::test(start_paused = true)]
async fn there_is_one_attempt_by_default() {
    let session = session("idempotent: true");
    let (report, took) = timed(&session, "exec__flaky", r#"{"fails": 1}"#).await;
    assert_eq!(message(&report), "unavailable: try later");
    assert!(report.attempts.len() == 1 && took < 0.01);
    assert_eq!(attempts(&session).await, 1);
}

#[tokio::test(start_paused = true)]
async fn retries_follow_the_configuration() {
    for (retry, expected) in [
        ("maxAttempts: 3", [0.0, 1.0, 2.0]),
        ("maxAttempts: 3, backoff: fixed, initialDelay: 200ms", [0.0, 0.2, 0.4]),
        ("maxAttempts: 3, backoff: exponential, initialDelay: 2s", [0.0, 2.0, 6.0]),
        ("maxAttempts: 9, backoff: exponential, initialDelay: 2s, maxDelay: 3s", [0.0, 2.0, 5.0]),
        ("maxAttempts: 3, initialDelay: 0s", [0.0, 0.0, 0.0]),
    ] {
        let session = session(&format!("readOnly: true, retry: {{{retry}}}"));
        let (report, took) = timed(&session, "exec__flaky", r#"{"fails": 2}"#).await;
        assert_eq!(report.result.as_ref().unwrap().to_string(), "3", "{retry}");
        assert!((took - expected[2]).abs() < 0.05, "{retry}: {took}");
        let delays: Vec<_> = report.attempts.iter().map(|attempt| attempt.delay).collect();
        for (delay, expected) in delays.iter().zip(expected.windows(2)) {
            let wanted = expected[1] - expected[0];
            assert!((seconds(delay.unwrap()) - wanted).abs() < 1e-6, "{retry}");
        }
        assert_eq!((delays.len(), delays[2]), (3, None));
    }
}

/// Crashes, timeouts and errors with a retryable case may be retried. Everything else is attempted once.
#[tokio::test(start_paused = true)]
async fn only_retryable_errors_are_tried_again() {
    let session =
        session("idempotent: true, timeout: 1s, retry: {maxAttempts: 3, initialDelay: 10ms}");
    let mut before = 0;
    for (tool, arguments, kind, expected) in [
        ("exec__flaky", r#"{"fails": 1000}"#, "plugin", 3),
        ("exec__crash", r#"{"fails": 1000}"#, "trap", 3),
        ("exec__slow", r#"{"ms": 60000}"#, "limit", 3),
        ("exec__broken", "{}", "plugin", 1),
        ("exec__flaky", r#"{"fails": -1}"#, "arguments", 0),
        ("exec__flaky", "[", "arguments", 0),
        ("exec__flakey", "{}", "unknown-tool", 0),
    ] {
        let report = session.call(tool, arguments).await;
        assert_eq!(report.failure().unwrap().0, kind, "{tool}");
        let now = attempts(&session).await;
        assert_eq!((report.attempts.len() as u64, now - before), (expected, expected), "{tool}");
        before = now;
    }
    // A limit other than the time of an attempt.
    let skill = skill(
        "limits: {fuel: 10}\ntools: [{name: flaky, idempotent: true, retry: {maxAttempts: 3}}]",
    );
    let report = skill.session().call("exec__flaky", r#"{"fails": 0}"#).await;
    assert!(matches!(kind(&report), ErrorKind::Limit(limit) if limit.what == Resource::Fuel));
    assert_eq!(report.attempts.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_not_idempotent_is_attempted_once() {
    let session = session("destructive: true, timeout: 1s, retry: {maxAttempts: 5}");
    for (tool, arguments) in [
        ("exec__flaky", r#"{"fails": 1000}"#),
        ("exec__crash", r#"{"fails": 1000}"#),
        ("exec__slow", r#"{"ms": 60000}"#),
    ] {
        let before = attempts(&session).await;
        let report = session.call(tool, arguments).await;
        assert!(report.result.is_err() && !message(&report).contains("attempts"), "{tool}");
        assert_eq!((report.attempts.len(), attempts(&session).await - before), (1, 1), "{tool}");
    }
    // The list of tools says so.
    let folder = tempfile::tempdir().unwrap();
    let path = all("retry: {maxAttempts: 5}");
    let arguments = ["tools", "--no-bundled-skills", "--skills", path.path().to_str().unwrap()];
    let output = text(&mitt(folder.path(), &arguments).stderr);
    let warning = "warning: skill `exec`: tools: flaky: retry: maxAttempts of 5 has no effect: the tool is neither \
                   `idempotent` nor `readOnly`";
    assert!(output.contains(warning), "{output}");
}

#[tokio::test(start_paused = true)]
async fn exponential_backoff_doubles_each_delay() {
    let session = session("idempotent: true, retry: {maxAttempts: 5, backoff: exponential}");
    let (report, took) = timed(&session, "exec__crash", r#"{"fails": 1000}"#).await;
    let delays: Vec<_> = report.attempts.iter().map(|attempt| attempt.delay.map(seconds)).collect();
    assert_eq!(delays, [Some(1.0), Some(2.0), Some(4.0), Some(8.0), None]);
    assert!((15.0..15.1).contains(&took), "{took}");
}

#[tokio::test(start_paused = true)]
async fn a_failure_says_how_often_the_tool_was_tried() {
    let session = session("idempotent: true, retry: {maxAttempts: 3, initialDelay: 250ms}");
    let report = session.call("exec__flaky", r#"{"fails": 1000}"#).await;
    insta::assert_snapshot!(message(&report), @"Tool 'exec__flaky' failed after 3 attempts: unavailable: try later");
    assert_eq!(kind(&report), ErrorKind::Plugin);
    let entries: Vec<_> = journal(&session, "attempt")
        .iter()
        .map(|entry| {
            assert!(entry["duration_us"].is_u64() && entry["fuel"].as_u64() > Some(0));
            format!(
                "{} {} {} {} {}",
                entry["tool"],
                entry["number"],
                entry["outcome"],
                entry["message"],
                entry["delay_us"]
            )
        })
        .collect();
    insta::assert_snapshot!(entries.join("\n"), @r#"
    "exec__flaky" 1 "plugin" "`unavailable`, and a text of 22 characters" 250000
    "exec__flaky" 2 "plugin" "`unavailable`, and a text of 22 characters" 250000
    "exec__flaky" 3 "plugin" "`unavailable`, and a text of 22 characters" null
    "#);
    assert_eq!(journal(&session, "call")[0]["attempts"], 3);
    // An unknown tool is its own kind of error.
    let report = session.call("exec__nothing", "{}").await;
    assert_eq!(kind(&report), ErrorKind::UnknownTool);
    assert!(report.attempts.is_empty());
}

/// Durations that are easily misread: each is exact or refused.
#[tokio::test(start_paused = true)]
async fn durations_are_exact_or_refused() {
    for (time, expected) in [("500ms", 0.5), ("1s500ms", 1.5), ("15s", 15.0), ("1m", 30.0)] {
        let session = session(&format!("timeout: {time}"));
        let (_, took) = timed(&session, "exec__slow", r#"{"ms": 3600000}"#).await;
        assert!((took - expected).abs() < 0.01, "{time}: {took}");
    }
    for time in ["1.5s", "-5s", "15", "5 s", "99999999999s"] {
        refused(
            &format!("tools: [{{name: slow, timeout: {time}}}]"),
            "timeout: expected a duration ",
        );
    }
}

#[track_caller]
fn refused(manifest: &str, message: &str) {
    let skill = skill(manifest);
    let host = Host::builder().no_cache().bundled_skills(false).skills(skill.path()).build();
    let error = host.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Load);
    assert!(error.to_string().contains(message), "{manifest}: {error}");
    assert!(error.to_string().contains("skill.yaml"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn backoff_delay_cap_and_jitter_are_not_ignored() {
    let retry =
        "retry: {maxAttempts: 4, backoff: exponential, initialDelay: 100ms, maxDelay: 300ms";
    let first = session(&format!("idempotent: true, {retry}}}"));
    let (_, took) = timed(&first, "exec__crash", r#"{"fails": 9}"#).await;
    assert!((took - 0.6).abs() < 0.05, "{took}");

    // Jitter comes from the host's random numbers, so it is reproducible.
    let skill = all(&format!("idempotent: true, {retry}, jitter: full}}"));
    let run = async |seed| {
        let environment = Environment { clock: None, seed: Some(seed) };
        let host = Host::builder().no_cache().bundled_skills(false).skills(skill.path());
        let host = host.environment(environment).build().unwrap();
        let retry = host.registry().tool("exec__crash").await.unwrap().policy().retry.clone();
        assert_eq!(retry.jitter, Jitter::Full);
        let session = host.session(SessionOptions::default()).unwrap();
        let report = session.call("exec__crash", r#"{"fails": 9}"#).await;
        report.attempts.iter().filter_map(|attempt| attempt.delay).collect::<Vec<_>>()
    };
    let delays = run(7).await;
    assert_eq!(delays, run(7).await);
    assert_ne!(delays, run(8).await);
    for (delay, most) in delays.iter().zip([100, 200, 300]) {
        assert!(*delay < Duration::from_millis(most), "{delays:?}");
    }
    assert_eq!(delays.len(), 3);
}

#[test]
fn numbers_out_of_range_are_errors_of_the_manifest() {
    refused(
        "tools: [{name: slow, timeout: 99999999999s}]",
        "timeout: expected a duration from 1ms to 3600s",
    );
    refused(
        "tools: [{name: slow, timeout: 99999999999999999999999s}]",
        "timeout: expected a duration such as",
    );
    for number in ["0", "-1", "11", "99999999999999999999", "1.5", "many"] {
        let manifest = format!("tools: [{{name: slow, retry: {{maxAttempts: {number}}}}}]");
        refused(&manifest, "retry.maxAttempts: expected 1 to 10, got");
    }
}

/// A crash is handled like any other failure: it is retried, and the host continues.
#[tokio::test(start_paused = true)]
async fn a_crash_ends_as_an_error_of_its_own_kind() {
    let session = session("idempotent: true, retry: {maxAttempts: 2, initialDelay: 0s}");
    let report = session.call("exec__crash", r#"{"fails": 1000}"#).await;
    assert_eq!(kind(&report), ErrorKind::Trap);
    insta::assert_snapshot!(
        message(&report),
        @"Tool 'exec__crash' failed after 2 attempts: the plugin crashed: wasm trap: wasm `unreachable` instruction executed"
    );
    assert_eq!(attempts(&session).await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_timed_out_attempt_is_dead_before_the_next_begins() {
    let slow = r#"{"ms": 2000}"#;
    // Each attempt would act after 2 s, and ends after 1 s.
    for (flags, expected) in [("", 1), ("idempotent: true", 3)] {
        let session = session(&format!(
            "timeout: 1s, retry: {{maxAttempts: 3, initialDelay: 5s}}{}{flags}",
            if flags.is_empty() { "" } else { ", " }
        ));
        let (report, took) = timed(&session, "exec__slow", slow).await;
        assert!(matches!(kind(&report), ErrorKind::Limit(limit) if limit.what == Resource::Time));
        assert_eq!(report.attempts.len() as u64, expected);
        let all = expected as f64 + 5.0 * (expected - 1) as f64;
        assert!((took - all).abs() < 0.05, "{took}");
        // Much later, the effect has still not happened, not even once.
        tokio::time::sleep(Duration::from_secs(3_600)).await;
        assert_eq!(number(&session, "exec__late").await, 0);
        assert_eq!(attempts(&session).await, expected);
    }
    // An attempt that is in time acts once.
    let session = session("idempotent: true, timeout: 3s, retry: {maxAttempts: 3}");
    assert!(session.call("exec__slow", slow).await.result.is_ok());
    assert_eq!(number(&session, "exec__late").await, 1);
}

/// In real time: a plugin that never yields is stopped anyway, each time.
#[tokio::test]
async fn an_attempt_that_never_waits_is_ended_too() {
    let spin = r#"(component
        (core module $m (func (export "run") (loop (br 0))))
        (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run"))))"#;
    let manifest = "limits: {fuel: 100000000000}\ntools: [{name: run, timeout: 100ms, readOnly: true, \
                    retry: {maxAttempts: 3, initialDelay: 20ms}}]";
    let session = open(TestSkill::new("spin", spin, manifest));
    let (report, took) = timed(&session, "spin__run", "{}").await;
    assert_eq!(report.attempts.len(), 3);
    let text = message(&report);
    assert!(
        text.starts_with(
            "Tool 'spin__run' failed after 3 attempts: time limit of 100 ms reached: "
        ),
        "{text}"
    );
    assert!((0.34..10.0).contains(&took), "{took}");
    // Attempts did not overlap.
    let busy: f64 = report.attempts.iter().map(|attempt| seconds(attempt.usage.duration)).sum();
    assert!(busy <= took, "{busy} {took}");
}

#[tokio::test(start_paused = true)]
async fn arguments_are_checked_reported_errors_are_retried_and_reports_are_complete() {
    let skill = skill(
        "tools:\n- name: flaky\n  idempotent: true\n  timeout: 5s\n  retry: {maxAttempts: 3, initialDelay: 1ms}\n  \
         inputSchema: {properties: {fails: {maximum: 10}}}\n",
    );
    let session = skill.session();
    let report = session.call("exec__flaky", r#"{"fails": 11}"#).await;
    assert_eq!(kind(&report), ErrorKind::Arguments);
    assert_eq!(attempts(&session).await, 0, "nothing ran");
    let report = session.call("exec__flaky", r#"{"fails": 2}"#).await;
    assert_eq!(report.result.unwrap().to_string(), "3");
    assert_eq!(report.attempts.len(), 3);
    let fuel: u64 = report.attempts.iter().map(|attempt| attempt.usage.fuel).sum();
    assert!(report.usage.fuel == fuel && fuel > 0 && report.usage.peak_memory_bytes >= 2 * 65_536);
    // A timeout is reported as one.
    let report = session.call("exec__slow", r#"{"ms": 31000}"#).await;
    assert!(matches!(kind(&report), ErrorKind::Limit(limit) if limit.what == Resource::Time));
}

const KEPT: &str = "idempotent: true, retry: {maxAttempts: 2, initialDelay: 10ms}";

/// A file is delivered once, by the successful attempt; a failed attempt leaves nothing that looks delivered.
#[tokio::test(start_paused = true)]
async fn a_failed_attempt_delivers_nothing() {
    let skill = all(KEPT);
    for (tool, arguments) in [
        ("exec__deliver", r#"{"fails": 1}"#),
        ("exec__outer", r#"{"tool": "exec__deliver", "arguments": "{\"fails\": 0}", "fails": 1}"#),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let options =
            SessionOptions { folder: Some(folder.path().to_owned()), ..SessionOptions::default() };
        let session = skill.host().session(options).unwrap();
        let report = session.call(tool, arguments).await;
        assert!(report.result.is_ok(), "{report:?}");
        assert_eq!(report.attempts.len(), 2);
        assert_eq!(report.artifacts.len(), 1);
        assert_eq!(names(folder.path()), ["journal.jsonl", "kept.md"]);
        assert_eq!(journal(&session, "artifact").len(), 1);

        let failing = arguments.replace("\"fails\": 1}", "\"fails\": 9}");
        let folder = tempfile::tempdir().unwrap();
        let options =
            SessionOptions { folder: Some(folder.path().to_owned()), ..SessionOptions::default() };
        let session = skill.host().session(options).unwrap();
        let report = session.call(tool, &failing).await;
        assert_eq!(kind(&report), ErrorKind::Trap);
        assert!(report.artifacts.is_empty() && session.artifacts().is_empty());
        assert_eq!(names(folder.path()), ["journal.jsonl"]);
        assert!(journal(&session, "artifact").is_empty());
    }
}

/// If the outer call is attempted once, files delivered by a nested call stay, as a script's files do.
#[tokio::test(start_paused = true)]
async fn files_of_a_call_inside_a_single_attempt_stay() {
    let session = session("retry: {maxAttempts: 1}");
    let arguments = r#"{"tool": "exec__deliver", "arguments": "{\"fails\": 0}", "fails": 1}"#;
    let report = session.call("exec__outer", arguments).await;
    assert_eq!(kind(&report), ErrorKind::Trap);
    assert_eq!(report.artifacts, session.artifacts());
    assert_eq!(session.artifacts().len(), 1);
    // Its own file does not stay.
    let session = open(all("retry: {maxAttempts: 1}"));
    let report = session.call("exec__deliver", r#"{"fails": 1}"#).await;
    assert_eq!(kind(&report), ErrorKind::Trap);
    assert!(session.artifacts().is_empty());
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A nested call has its own attempts; its limit is no reason to repeat the outer call.
#[tokio::test(start_paused = true)]
async fn attempts_do_not_multiply() {
    let session =
        session("idempotent: true, timeout: 5s, retry: {maxAttempts: 2, initialDelay: 10ms}");
    // The outer call has 5 s for both attempts of the inner one, each of which would take 5 s.
    let arguments = r#"{"tool": "exec__slow", "arguments": "{\"ms\": 60000}", "fails": 0}"#;
    let report = session.call("exec__outer", arguments).await;
    assert!(report.result.is_err());
    let quick = open(skill(
        "tools: [{name: outer, idempotent: true, retry: {maxAttempts: 3}}, {name: slow, timeout: 1s}]",
    ));
    let report = quick.call("exec__outer", arguments).await;
    assert!(matches!(kind(&report), ErrorKind::Limit(limit) if limit.what == Resource::Time));
    assert_eq!(report.attempts.len(), 1);
    assert_eq!(attempts(&quick).await, 1, "the inner call was attempted once");
}

/// A repeatable tool that called one which is not repeatable is not retried, whatever happens afterwards.
#[tokio::test(start_paused = true)]
async fn what_must_not_happen_twice_does_not_happen_twice_inside() {
    let arguments = r#"{"tool": "exec__flaky", "arguments": "{\"fails\": 0}", "fails": 1}"#;
    let retry = "idempotent: true, retry: {maxAttempts: 3, initialDelay: 10ms}";
    let once = open(skill(&format!("tools: [{{name: outer, {retry}}}]")));
    let report = once.call("exec__outer", arguments).await;
    assert_eq!((kind(&report), report.attempts.len()), (ErrorKind::Trap, 1));
    let again =
        open(skill(&format!("tools: [{{name: outer, {retry}}}, {{name: flaky, readOnly: true}}]")));
    let report = again.call("exec__outer", arguments).await;
    assert!(report.result.is_ok(), "{:?}", report.result);
    assert_eq!(report.attempts.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_sessions_time_bounds_all_attempts() {
    let skill = all("idempotent: true, timeout: 4s, retry: {maxAttempts: 5, initialDelay: 1s}");
    let options =
        SessionOptions { time: Some(Duration::from_secs(12)), ..SessionOptions::default() };
    let session = skill.host().session(options).unwrap();
    // The plugin is loaded before the clock matters.
    let start = Instant::now();
    let report = session.call("exec__slow", r#"{"ms": 60000}"#).await;
    assert!(start.elapsed() <= Duration::from_millis(12_010), "{:?}", start.elapsed());
    assert_eq!(report.attempts.len(), 3, "the third has 2 s");
    assert!(
        matches!(kind(&report), ErrorKind::Limit(limit) if limit.what == Resource::SessionTime),
        "{report:?}"
    );
    let report = session.call("exec__attempts", "{}").await;
    insta::assert_snapshot!(message(&report), @"session-time limit of 12000 ms reached: 12000 ms");
    assert!(report.attempts.is_empty());
}

fn host(skill: &TestSkill, limits: ConcurrencyLimits) -> Host {
    let host = Host::builder().no_cache().bundled_skills(false).skills(skill.path());
    host.concurrency(limits).build().unwrap()
}

fn of(host: &Host, tenant: &str) -> Session {
    let options = SessionOptions { tenant: Some(tenant.into()), ..SessionOptions::default() };
    host.session(options).unwrap()
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_bounds_wait_and_then_are_busy() {
    let skill = skill("");
    let limits =
        ConcurrencyLimits { total: 2, per_tenant: 1, queue: 1, wait: Duration::from_secs(10) };
    let host = host(&skill, limits);
    let call = |tenant: &str, ms: u32| {
        let session = of(&host, tenant);
        tokio::spawn(
            async move { timed(&session, "exec__slow", &format!(r#"{{"ms": {ms}}}"#)).await },
        )
    };
    of(&host, "x").call("exec__attempts", "{}").await.result.unwrap();
    let [first, second, third] = [call("a", 5_000), call("a", 1_000), call("b", 1_000)];
    tokio::time::sleep(Duration::from_millis(100)).await;
    // The queue is full.
    let (refused, took) = call("a", 0).await.unwrap();
    assert!(matches!(kind(&refused), ErrorKind::Busy { .. }) && took < 0.01);
    let hint = refused.result.unwrap_err().hints()[0].clone();
    assert!(hint.starts_with("retry after ") && hint.ends_with(" ms"), "{hint}");
    assert!(refused.attempts.is_empty());
    assert_eq!(refused.usage.fuel, 0, "nothing ran");
    for (call, expected) in [(first, 5.0), (second, 6.0), (third, 1.0)] {
        let (report, took) = call.await.unwrap();
        assert!(report.result.is_ok() && (took - expected).abs() < 0.1, "{took}");
    }
    // This one waits too long.
    let long = call("a", 20_000);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (report, took) = call("a", 0).await.unwrap();
    assert!(matches!(kind(&report), ErrorKind::Busy { .. }) && (9.9..10.1).contains(&took));
    assert_eq!(report.failure().unwrap().0, "busy");
    assert!(long.await.unwrap().0.result.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_call_inside_another_one_needs_no_place_of_its_own() {
    let skill = skill("");
    let limits = ConcurrencyLimits { total: 1, per_tenant: 1, ..ConcurrencyLimits::default() };
    let host = host(&skill, limits);
    let arguments = r#"{"tool": "exec__flaky", "arguments": "{\"fails\": 0}", "fails": 0}"#;
    let (report, took) = timed(&of(&host, "a"), "exec__outer", arguments).await;
    assert_eq!(report.result.unwrap().to_string(), "\"1\"");
    assert!(took < 0.01);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_frees_its_place() {
    let skill = all("idempotent: true, retry: {maxAttempts: 3, initialDelay: 20s}");
    let limits = ConcurrencyLimits { total: 1, per_tenant: 1, ..ConcurrencyLimits::default() };
    let session = of(&host(&skill, limits), "a");
    for (tool, arguments) in
        [("exec__slow", r#"{"ms": 9000}"#), ("exec__crash", r#"{"fails": 1000}"#)]
    {
        // In the middle of an attempt, and between two.
        let call = tokio::time::timeout(Duration::from_secs(1), session.call(tool, arguments));
        assert!(call.await.is_err());
        let (report, took) = timed(&session, "exec__late", "{}").await;
        assert_eq!(report.result.unwrap().to_string(), "0");
        assert!(took < 0.01, "{took}");
    }
    tokio::time::sleep(Duration::from_secs(100)).await;
    assert_eq!(attempts(&session).await, 2, "nothing goes on without its call");
}

/// 32 tasks of 4 tenants on real threads: every call ends, and none is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_tenants_at_once_all_get_their_turn() {
    let skill = skill("");
    let limits = ConcurrencyLimits { total: 3, per_tenant: 2, ..ConcurrencyLimits::default() };
    let host = host(&skill, limits);
    let sessions = ["a", "b", "c", "d"].map(|tenant| of(&host, tenant));
    let tasks: Vec<_> = (0..32)
        .map(|task| {
            let session = sessions[task % 4].clone();
            tokio::spawn(async move {
                for _ in 0..20 {
                    let report = session.call("exec__slow", r#"{"ms": 1}"#).await;
                    report.result.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    for session in &sessions {
        assert_eq!(journal(session, "call").len(), 160);
    }
}
