//! Benches: what a call costs, beside the process that a user would start instead.
//!
//! `cargo bench` runs all of them. The peer is `python3 -c pass` by its real path, as a version manager's shim costs
//! time of its own; set `PYTHON` to choose another. Ratios are printed at the end; nothing is asserted.
#![allow(
    missing_docs,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a bench prints, and starts its peer"
)]

mod neighbour;
mod python;
mod script;

use std::hint::black_box;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use mitt::value::{Json, UntypedCall};
use mitt::{CacheDir, Host, Session, SessionOptions};
use tokio::runtime::Runtime;

const EMPTY: &str = r#"(component
    (core module $m (func (export "run")))
    (core instance $i (instantiate $m))
    (func (export "run") (canon lift (core func $i "run"))))"#;

/// A tool that takes a list of records and counts them: a call is parsing, checking, lowering and starting an instance.
const ROWS: &str = r#"(component
    (component $inner
        (type $row-type (record (field "month" string) (field "users" u32) (field "revenue" float64) (field "note" string)))
        (export $row "row" (type $row-type))
        (core module $m
            (memory (export "memory") 64)
            (global $next (mut i32) (i32.const 8))
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) (local $place i32)
                (local.set $place (i32.and
                    (i32.add (global.get $next) (i32.sub (local.get 2) (i32.const 1)))
                    (i32.sub (i32.const 0) (local.get 2))))
                (global.set $next (i32.add (local.get $place) (local.get 3)))
                (local.get $place))
            (func (export "run") (param i32 i32) (result i32) (local.get 1)))
        (core instance $i (instantiate $m))
        (func (export "run") (param "rows" (list $row)) (result u32)
            (canon lift (core func $i "run") (memory (core memory $i "memory")) (realloc (core func $i "realloc")))))
    (instance $tools (instantiate $inner))
    (export "test:rows/tools" (instance $tools)))"#;

fn cache() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/mitt-cache")
}

fn session(skills: Option<&std::path::Path>) -> Session {
    let mut host = Host::builder().cache(Some(CacheDir::new(cache())));
    if let Some(folder) = skills {
        host = host.skills(folder);
    }
    host.build().unwrap().session(SessionOptions::default()).unwrap()
}

fn test_skills() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, component) in [("empty", EMPTY), ("rows", ROWS)] {
        let skill = folder.path().join(name);
        std::fs::create_dir(&skill).unwrap();
        let manifest = format!(
            "schema: 1\nname: {name}\nversion: 0.1.0\ndescription: nothing\ncomponent: {name}.wasm\n"
        );
        std::fs::write(skill.join("skill.yaml"), manifest).unwrap();
        std::fs::write(skill.join("SKILL.md"), "").unwrap();
        std::fs::write(skill.join(format!("{name}.wasm")), wat::parse_str(component).unwrap())
            .unwrap();
    }
    folder
}

fn table(rows: usize) -> String {
    let rows: Vec<_> = (0..rows)
        .map(|n| serde_json::json!({ "月份": format!("{n}月"), "收入": n as f64 * 1.5, "用户": n, "备注": "正常" }))
        .collect();
    serde_json::json!({ "data": rows }).to_string()
}

/// The same as records.
fn records(rows: usize) -> String {
    let rows: Vec<_> = (0..rows)
        .map(|n| serde_json::json!({ "month": format!("{n}月"), "revenue": n as f64 * 1.5, "users": n, "note": "正常" }))
        .collect();
    serde_json::json!({ "rows": rows }).to_string()
}

fn python() -> Option<PathBuf> {
    let output = Command::new(python::interpreter())
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    std::fs::canonicalize(path).ok()
}

/// Median of several runs, for the ratios.
fn median(runs: usize, mut f: impl FnMut()) -> Duration {
    f();
    let mut times: Vec<_> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn calls(c: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let folder = test_skills();
    let session = session(Some(folder.path()));
    let call = |tool: &str, arguments: &str| {
        let report = runtime.block_on(session.call(tool, arguments));
        report.result.unwrap()
    };
    let script = || {
        let report = runtime.block_on(session.run_script("python", "1+1", None)).unwrap();
        assert!(report.script_error.is_none());
    };
    let large = table(1_000);
    c.bench_function("call an empty tool, JSON to JSON", |b| b.iter(|| call("empty__run", "{}")));
    c.bench_function("create-excel with 1000 rows", |b| {
        b.iter(|| call("excel_tool__create_excel", &large))
    });
    c.bench_function("script 1+1", |b| b.iter(script));

    let tool =
        runtime.block_on(session.host().registry().tool("excel_tool__create_excel")).unwrap();
    let check = || {
        let arguments = Json::parse(&large, u64::MAX, 64).unwrap();
        UntypedCall { name: "excel_tool__create_excel", arguments }.check(&tool.function).unwrap()
    };
    let to_value = || serde_json::from_str::<serde_json::Value>(&large).unwrap();
    c.bench_function("parse and check 1000 rows", |b| b.iter(check));
    c.bench_function("serde_json::Value of 1000 rows", |b| b.iter(|| black_box(to_value())));
    let rows = records(1_000);
    let lower = || call("rows__run", &rows);
    c.bench_function("call a tool with 1000 records", |b| b.iter(lower));
    let value = median(200, || drop(to_value())).as_secs_f64();
    let times = |time: Duration| time.as_secs_f64() / value;
    eprintln!("1000 rows to serde_json::Value take {value:.6} s; times that long:");
    eprintln!("  {:.2} to parse and check", times(median(200, || drop(check()))));
    eprintln!("  {:.2} to call a tool with them", times(median(200, || drop(lower()))));
    let empty = runtime.block_on(session.host().registry().tool("empty__run")).unwrap();
    c.bench_function("instantiate only", |b| {
        b.iter(|| runtime.block_on(empty.instantiate()).unwrap())
    });

    let program = env!("CARGO_BIN_EXE_mitt");
    let out = tempfile::tempdir().unwrap();
    let cold = || {
        let status = Command::new(program)
            .args(["call", "document_tool__list_documents", "--quiet"])
            .current_dir(out.path())
            .env("MITT_CACHE_DIR", cache())
            .stdout(std::process::Stdio::null())
            .status();
        assert!(status.unwrap().success());
    };
    c.bench_function("process to first result, warm cache", |b| b.iter(cold));
    let Some(python) = python() else {
        eprintln!("skipped: no python3 to compare with");
        return;
    };
    let peer = || assert!(Command::new(&python).args(["-c", "pass"]).status().unwrap().success());
    c.bench_function("python3 -c pass", |b| b.iter(peer));

    let peer = median(40, peer);
    let ratio = |time: Duration| peer.as_secs_f64() / time.as_secs_f64();
    eprintln!("{} takes {peer:?}; in that time:", python.display());
    eprintln!(
        "  {:.0} calls of an empty tool",
        ratio(median(200, || drop(call("empty__run", "{}"))))
    );
    eprintln!("  {:.1} scripts `1+1`", ratio(median(40, script)));
    eprintln!("  {:.2} processes to their first result", ratio(median(40, cold)));
}

/// A host with 200 skills in folders: from nothing to all tools listed, one changed skill, one look-up.
fn skills(c: &mut Criterion) {
    const SKILLS: u32 = 200;
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let write = |number: u32, result: u32| {
        let skill = folder.path().join(format!("skill-{number}"));
        std::fs::create_dir_all(&skill).unwrap();
        let manifest = format!(
            "schema: 1\nname: skill-{number}\nversion: 0.1.0\ndescription: one of many\ncomponent: plugin.wasm\n"
        );
        let component = format!(
            r#"(component
                (core module $m (func (export "run") (result i32) i32.const {result}))
                (core instance $i (instantiate $m))
                (func (export "run") (result u32) (canon lift (core func $i "run"))))"#
        );
        std::fs::write(skill.join("skill.yaml"), manifest).unwrap();
        std::fs::write(skill.join("SKILL.md"), "").unwrap();
        std::fs::write(skill.join("plugin.wasm"), wat::parse_str(component).unwrap()).unwrap();
    };
    for number in 0..SKILLS {
        write(number, number);
    }
    let load = || {
        let host = Host::builder().cache(Some(CacheDir::new(cache()))).bundled_skills(false);
        let host = host.skills(folder.path()).build().unwrap();
        let tools = runtime.block_on(host.registry().tools());
        assert_eq!(tools.len(), SKILLS as usize);
        host
    };
    load();
    c.bench_function("load 200 skills, warm cache", |b| b.iter(load));
    let host = load();
    let mut result = SKILLS;
    c.bench_function("reload one of 200 skills", |b| {
        b.iter(|| {
            result += 1;
            write(7, result);
            assert_eq!(runtime.block_on(host.reload()).unwrap().changed.len(), 1);
        });
    });
    c.bench_function("look up a tool among 200", |b| {
        b.iter(|| runtime.block_on(host.registry().tool("skill_123__run")).unwrap())
    });
}

criterion_group!(benches, calls, neighbour::neighbour, script::scripts, skills);
criterion_main!(benches);
