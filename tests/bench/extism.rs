//! Bench of plug-ins of Extism: one call in a fresh instance, as every call of Mitt is, and one in an instance that a session keeps,
//! beside Extism's own SDK for Python with a plug-in that is made anew for each call (compiled before) and one that is kept.
//!
//! `cargo bench -p mitt --bench extism --no-default-features --features compile,extism` measures them in turns on the same machine and prints the
//! medians. `PYTHON` names an interpreter that has the SDK (`tests/extism/run` makes one below `target/extism/venv`).
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, and starts its peer"
)]

#[allow(dead_code, reason = "each bench uses a part")]
#[path = "figures.rs"]
mod figures;

use std::process::Command;
use std::time::{Duration, Instant};

use figures::{Figures, interpreter, package_version};
use mitt::{Host, Session, SessionOptions};

/// The plug-in of `mitt skill new --extism rust`.
const PLUG_IN: &[u8] = include_bytes!("../golden/word-count.extism-rust.wasm");

const TEXT: &str = r#"{"text": "one two three four"}"#;
const ROUNDS: usize = 7;
const CALLS: u32 = 2_000;

/// Prints the time of one call in nanoseconds, fresh and kept.
const PEER: &str = r#"
import sys, time, extism
from extism.extism import CompiledPlugin
wasm, text, calls = open(sys.argv[1], 'rb').read(), sys.argv[2], int(sys.argv[3])
manifest = {"wasm": [{"data": wasm}]}
compiled = CompiledPlugin(manifest, wasi=False)
def timed(call, n):
    for _ in range(n // 10): call()
    start = time.perf_counter_ns()
    for _ in range(n): call()
    return (time.perf_counter_ns() - start) // n
def fresh():
    with extism.Plugin(compiled) as plugin: plugin.call("count", text)
kept = extism.Plugin(compiled)
print(timed(fresh, calls // 4), timed(lambda: kept.call("count", text), calls))
"#;

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plug-in.wasm");
    std::fs::write(&file, PLUG_IN).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let fresh = session(folder.path(), "fresh", "");
    let kept = session(folder.path(), "kept", "state: session\n");
    let arguments = serde_json::json!({ "input": TEXT }).to_string();
    let ours = |session: &Session, tool: &str| {
        runtime.block_on(async {
            let mut took = Duration::ZERO;
            for n in 0..CALLS + CALLS / 10 {
                let start = Instant::now();
                session.call(tool, &arguments).await.result.unwrap();
                took += if n < CALLS / 10 { Duration::ZERO } else { start.elapsed() };
            }
            u64::try_from((took / CALLS).as_nanos()).unwrap()
        })
    };
    let python = interpreter();
    let theirs = || -> Option<(u64, u64)> {
        let calls = CALLS.to_string();
        let done =
            Command::new(&python).args(["-c", PEER]).arg(&file).args([TEXT, &calls]).output();
        let text = String::from_utf8(done.ok()?.stdout).ok()?;
        let (fresh, kept) = text.trim().split_once(' ')?;
        Some((fresh.parse().ok()?, kept.parse().ok()?))
    };
    let mut rounds: [Vec<u64>; 4] = Default::default();
    for _ in 0..ROUNDS {
        rounds[0].push(ours(&fresh, "fresh__count"));
        rounds[1].push(ours(&kept, "kept__count"));
        if let Some((fresh, kept)) = theirs() {
            rounds[2].push(fresh);
            rounds[3].push(kept);
        }
    }
    let [fresh_mitt, kept_mitt, fresh_sdk, kept_sdk] = rounds.map(|mut times| {
        times.sort_unstable();
        let median = times.get(times.len() / 2);
        median.map_or_else(String::new, |median| format!("{:.1} µs", *median as f64 / 1_000.0))
    });
    let columns = [
        ("one call", "一次调用"),
        ("Mitt", "Mitt"),
        ("Extism's SDK for Python", "Extism 的 Python SDK"),
    ];
    let mut figures = Figures::new("extism", columns);
    let fresh = ("in a fresh instance of a compiled plug-in", "在已编译插件的全新实例中");
    figures.row([fresh.into(), fresh_mitt.into(), fresh_sdk.into()]);
    let kept =
        ("in an instance that is kept (`state: session`)", "在保留的实例中（`state: session`）");
    figures.row([kept.into(), kept_mitt.into(), kept_sdk.into()]);
    match package_version(&python, "extism") {
        Some(version) => figures.beside(format!("extism {version}")),
        None => println!("skipped: `{}` has no SDK of Extism", python.display()),
    }
    figures.finish();
}

/// A session with the plug-in as a skill of this name.
fn session(folder: &std::path::Path, name: &str, more: &str) -> Session {
    let skills = folder.join(name);
    let skill = skills.join(name);
    std::fs::create_dir_all(&skill).unwrap();
    std::fs::write(skill.join("plug-in.wasm"), PLUG_IN).unwrap();
    let about = format!("name: {name}\nversion: 0.1.0\ndescription: a bench\n");
    let yaml = format!("schema: 1\n{about}component: plug-in.wasm\n{more}");
    std::fs::write(skill.join("skill.yaml"), yaml).unwrap();
    let text = format!("---\nname: {name}\ndescription: a bench\n---\n");
    std::fs::write(skill.join("SKILL.md"), text).unwrap();
    let host = Host::builder().no_cache().bundled_skills(false).skills(skills).build().unwrap();
    // A session may make so many calls of a model and no more.
    host.session(SessionOptions::default()).unwrap()
}
