//! Malicious scripts in every installed engine: each ends with an answer that a model can read.
//!
//! `hostile/scripts.txt` has the scripts and the expected results. `MITT_HOSTILE=regular cargo test hostile` runs those
//! whose name contains the word, and prints their answers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use mitt::{CacheDir, CallLimits, Host, SessionOptions};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::support::{cache, engines, outcome};

const SCRIPTS: &str = include_str!("hostile/scripts.txt");

/// How a script may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Success,
    /// An exception.
    Error,
    /// Success or an exception.
    Ends,
    /// Like `Ends`, or a limit.
    Limit,
    /// Like `Limit`, or the instance crashes, which affects nothing else.
    Crash,
}

struct Script {
    name: &'static str,
    code: &'static str,
    expected: &'static str,
}

impl Script {
    /// Returns how an engine must end, and the allowed exceptions; empty allows any.
    fn expected(&self, engine: &str) -> (End, Vec<&'static str>) {
        let own = self.expected.split(';').skip(1).find_map(|part| {
            let (name, expected) = part.split_once(':')?;
            (name.trim() == engine).then_some(expected)
        });
        let general = self.expected.split(';').next().unwrap_or_default();
        let mut words = own.unwrap_or(general).split_whitespace();
        let end = match words.next() {
            Some("success") => End::Success,
            Some("error") => End::Error,
            Some("ends") => End::Ends,
            Some("limit") => End::Limit,
            Some("crash") => End::Crash,
            other => panic!("{}: {other:?} is no expectation", self.name),
        };
        (end, words.collect())
    }
}

fn scripts() -> Vec<Script> {
    let mut scripts = Vec::new();
    for block in SCRIPTS.split("\n#### ").skip(1) {
        let (head, code) = block.split_once('\n').unwrap_or((block, ""));
        let (name, expected) = head.split_once(": ").unwrap_or_else(|| panic!("{head}"));
        scripts.push(Script { name, code, expected });
    }
    scripts
}

/// Half a second of fuel: scripts that end by themselves need less, and others should not take long.
fn hostile_host() -> Host {
    let limits =
        CallLimits { fuel: 2_500_000_000, time: Duration::from_secs(20), ..CallLimits::script() };
    Host::builder().cache(CacheDir::new(cache())).call_limits(limits).build().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_hostile_script_ends_as_it_is_listed() {
    let only = std::env::var("MITT_HOSTILE").ok();
    let scripts = scripts();
    let names: BTreeSet<_> = scripts.iter().map(|script| script.name).collect();
    assert_eq!(names.len(), scripts.len(), "each name once");
    assert!(scripts.len() >= 240, "{} scripts", scripts.len());
    let host = hostile_host();
    let places = Arc::new(Semaphore::new(2));
    let mut runs = JoinSet::new();
    for engine in engines() {
        for script in scripts.iter().filter(|s| only.as_ref().is_none_or(|o| s.name.contains(o))) {
            let (end, classes) = script.expected(&engine);
            let (name, code) = (script.name, script.code);
            let (host, engine, places) = (host.clone(), engine.clone(), places.clone());
            let show = only.is_some();
            runs.spawn(async move {
                let _place = places.acquire_owned().await.unwrap();
                let session = host.session(SessionOptions::default()).unwrap();
                let report = session.run_script(&engine, code, None).await.unwrap();
                let answer = match report.result {
                    Ok(answer) => Value::from(answer),
                    Err(error) => {
                        json!({ "status": "fault of the host", "error_kind": error.render() })
                    }
                };
                if show {
                    eprintln!("{engine}: {name}: {answer:#}");
                }
                problem(&answer, end, &classes)
                    .map(|problem| format!("{engine}: {name}: {problem}"))
            });
        }
    }
    let mut problems: Vec<String> = runs.join_all().await.into_iter().flatten().collect();
    problems.sort();
    assert!(problems.is_empty(), "{} of them:\n{}", problems.len(), problems.join("\n"));
    // The host is unaffected.
    let session = host.session(SessionOptions::default()).unwrap();
    for engine in engines() {
        assert_eq!(outcome(&session, &engine, "1 + 1").await["result"], 2);
    }
}

/// Returns what is wrong with an answer.
fn problem(answer: &Value, end: End, classes: &[&str]) -> Option<String> {
    let status = answer["status"].as_str().unwrap_or_default();
    let kind = answer["error_kind"].as_str().unwrap_or_default();
    let ended = match status {
        "success" => matches!(end, End::Success | End::Ends | End::Limit | End::Crash),
        "error" => end != End::Success && (classes.is_empty() || classes.contains(&kind)),
        "timeout" => matches!(end, End::Limit | End::Crash),
        "sandbox_error" => match kind.strip_prefix("limit:") {
            Some(_) => matches!(end, End::Limit | End::Crash),
            None => end == End::Crash && kind == "trap",
        },
        _ => false,
    };
    let message = answer["error_message"].as_str().unwrap_or_default();
    // An exception has its class, and is short enough for a model.
    let told = status != "error"
        || (!kind.is_empty() && message.contains(kind) && message.chars().count() <= 8_192);
    if ended && told {
        return None;
    }
    let last = message.lines().last().unwrap_or_default();
    let shown: String = last.chars().take(160).collect();
    Some(format!("expected {end:?} {classes:?}, got {status} {kind}: {shown}"))
}
