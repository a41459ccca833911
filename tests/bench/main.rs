//! Benches: what a call costs, beside the process that a user would start instead.
//!
//! `cargo bench` runs all of them. The peer is `python3 -c 1+1` by its real path, as a version manager's shim costs time of its own; set
//! `PYTHON` to choose another. Ratios are printed at the end; nothing is asserted.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a bench prints, and starts its peer"
)]

#[allow(dead_code, reason = "each bench uses a part")]
mod figures;
mod neighbour;
mod script;

use std::hint::black_box;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use figures::{Figures, python};
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
    let mut host = Host::builder().cache(CacheDir::new(cache()));
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
    let mut figures = Figures::new(
        "calls",
        [
            ("in a process that runs", "在已运行的进程内"),
            ("time", "时间"),
            ("of python3's start", "与启动 python3 之比"),
        ],
    );
    let peer = python().map(|(program, version)| {
        figures.beside(version);
        median(40, || {
            assert!(Command::new(&program).args(["-c", "1+1"]).status().unwrap().success());
        })
    });
    let javascript = script::javascript_peers();
    for peer in &javascript {
        figures.beside(peer.version.as_str());
    }
    let mut row = |name: (&str, &str), time: Duration| {
        let ratio = peer.map(|peer| format!("{:.3}", time.as_secs_f64() / peer.as_secs_f64()));
        figures.row([name.into(), shown(time).into(), ratio.unwrap_or_default().into()]);
    };
    row(
        ("call of an empty tool, JSON to JSON, fresh instance", "调用空工具：JSON 进出，全新实例"),
        median(400, || drop(call("empty__run", "{}"))),
    );
    row(
        ("call of a tool with 1 000 records", "带 1 000 条记录的调用"),
        median(100, || drop(lower())),
    );
    row(
        ("`create-excel` with 1 000 rows", "`create-excel`，1 000 行"),
        median(40, || drop(call("excel_tool__create_excel", &large))),
    );
    let names = [
        ("script `1+1`", "脚本 `1+1`"),
        ("script with 100 rows and one tool call", "100 行数据、一次工具调用的脚本"),
        ("script with 1 000 tool calls", "1 000 次工具调用的脚本"),
    ];
    for script::Engine { name: engine, growth, calls } in script::ENGINES {
        for (name, (source, runs)) in
            names.into_iter().zip([("1+1", 100), (growth, 100), (calls, 5)])
        {
            let time = median(runs, || script::run(&runtime, &session, engine, source));
            row((&format!("{}, `{engine}`", name.0), &format!("{}，`{engine}`", name.1)), time);
        }
    }
    for peer in &javascript {
        for (name, time) in names.into_iter().zip(peer.times()) {
            row(
                (&format!("{}, {}", name.0, peer.name), &format!("{}，{}", name.1, peer.name)),
                time,
            );
        }
    }
    if let Some(peer) = peer {
        row(("start of `python3 -c 1+1`", "启动 `python3 -c 1+1`"), peer);
    }
    figures.finish();
}

/// Writes a time with three digits.
fn shown(time: Duration) -> String {
    match time.as_secs_f64() * 1_000.0 {
        long if long >= 100.0 => format!("{long:.0} ms"),
        long if long >= 10.0 => format!("{long:.1} ms"),
        long if long >= 1.0 => format!("{long:.2} ms"),
        short => format!("{:.1} µs", short * 1_000.0),
    }
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
        let host = Host::builder().cache(CacheDir::new(cache())).bundled_skills(false);
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
