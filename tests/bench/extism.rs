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

use std::process::Command;
use std::time::{Duration, Instant};

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
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
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
    let names =
        ["mitt, fresh", "mitt, kept", "extism for Python, fresh", "extism for Python, kept"];
    for (name, times) in names.iter().zip(&mut rounds) {
        times.sort_unstable();
        match times.get(times.len() / 2) {
            Some(median) => println!("{name}: {:.1} µs a call", *median as f64 / 1_000.0),
            None => println!("{name}: skipped, `{python}` has no SDK"),
        }
    }
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
