//! Bench of short commands as whole processes: start, work, end. What a user of the edge, a serverless function or a shell waits for.
//!
//! `cargo bench --bench start` runs each command beside the interpreter of Python that would do the same in a container, in turns, with
//! a warm cache. `MITT_PROGRAM` names the program to measure, by default the one of this build. `MITT_EDGE` names a build of profile
//! `edge`: its skills are compiled by the other program. `MITT_BENCH_RUNS` is the number of rounds, default 31; the median counts.
//! `MITT_BENCH_WRITE` writes the tables into the documentation.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a bench prints, and starts programs"
)]

#[allow(dead_code, reason = "each bench uses a part")]
#[path = "figures.rs"]
mod figures;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use figures::{Figures, Text, python};

/// A command that is measured.
struct Work {
    name: Text,
    command: Box<dyn Fn() -> Command>,
}

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench-start");
    fs::create_dir_all(&folder).unwrap();
    let folder = folder.canonicalize().unwrap();
    // Each command reads the journal of the folder into which it delivers; one of earlier benches would make it slower.
    let _ = fs::remove_dir_all(folder.join("out"));
    fs::write(folder.join("one.py"), "1+1\n").unwrap();
    fs::write(folder.join("page.md"), "# 报告\n\nOne page.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
        .unwrap();
    fs::write(folder.join("rows.json"), r#"{"data": [{"月份": "1月", "收入": 12.5}]}"#).unwrap();
    let mut works = Vec::new();
    let mut figures = Figures::new(
        "start",
        [
            ("command", "命令"),
            ("time", "时间"),
            ("most memory", "内存峰值"),
            ("of python3's time", "与 python3 之比"),
        ],
    );
    let python = python();
    let is_compared = python.is_some();
    match python {
        Some((program, version)) => {
            figures.beside(version);
            works.push(Work {
                name: "`python3 -c 1+1`".into(),
                command: Box::new(move || {
                    let mut command = Command::new(&program);
                    command.args(["-c", "1+1"]);
                    command
                }),
            });
        }
        None => eprintln!("skipped: no python3 to compare with"),
    }
    let program = std::env::var_os("MITT_PROGRAM").unwrap_or(env!("CARGO_BIN_EXE_mitt").into());
    works.extend(commands(Path::new(&program), &folder, &[], "", &WORKS));
    if let Some(edge) = std::env::var_os("MITT_EDGE") {
        let options = compiled(Path::new(&program), &folder);
        works.extend(commands(Path::new(&edge), &folder, &options, "edge: ", &WORKS[..5]));
    } else {
        eprintln!("skipped: `MITT_EDGE` names no build of profile `edge`");
    }
    let times = in_turns(&works);
    for (index, (work, time)) in works.iter().zip(&times).enumerate() {
        let ratio = if is_compared && index > 0 {
            format!("{:.1}", time.as_secs_f64() / times[0].as_secs_f64())
        } else {
            String::new()
        };
        let memory = format!("{:.0} MiB", memory(&mut (work.command)()) as f64 / 1_048_576.0);
        let time = format!("{:.1} ms", time.as_secs_f64() * 1_000.0);
        figures.row([work.name.clone(), time.into(), memory.into(), ratio.into()]);
    }
    figures.finish();
}

/// Names and arguments of the commands.
type Named = ((&'static str, &'static str), &'static [&'static str]);
static WORKS: [Named; 7] = [
    (("`mitt --version`", "`mitt --version`"), &["--version"]),
    (
        ("a call of `document-tool`", "调用 `document-tool`"),
        &["call", "document_tool__list_documents", "--quiet"],
    ),
    (
        ("`create-excel` with one row", "`create-excel`，一行数据"),
        &["call", "excel_tool__create_excel", "--json", "@rows.json", "--quiet"],
    ),
    (("script `1+1` by CPython", "脚本 `1+1`（CPython）"), &["exec", "one.py", "--quiet"]),
    (
        ("script `1+1` by `python-lite`", "脚本 `1+1`（`python-lite`）"),
        &["exec", "one.py", "--engine", "python-lite", "--quiet"],
    ),
    (("read a page of Markdown", "读取一页 Markdown"), &["ingest", "page.md", "--quiet"]),
    (
        ("a page of Markdown to PDF", "一页 Markdown 转 PDF"),
        &["render", "page.md", "-o", "page.pdf", "--force", "--quiet"],
    ),
];

fn commands(
    program: &Path,
    folder: &Path,
    options: &[String],
    before: &str,
    works: &'static [Named],
) -> Vec<Work> {
    let work = |((english, chinese), arguments): &'static Named| {
        let (program, options, folder) = (program.to_owned(), options.to_vec(), folder.to_owned());
        let names = [format!("{before}{english}"), format!("{before}{chinese}")];
        Work {
            name: (&*names[0], &*names[1]).into(),
            command: Box::new(move || {
                let mut command = Command::new(&program);
                command.args(*arguments).current_dir(&folder);
                if arguments.len() > 1 {
                    command.args(&options);
                }
                command
            }),
        }
    };
    works.iter().map(work).collect()
}

/// Compiles the skills for the edge build, and returns the options that name them.
fn compiled(program: &Path, folder: &Path) -> Vec<String> {
    let (key, out) = (folder.join("key"), folder.join("precompiled"));
    let run = |arguments: &[&str]| {
        let status = Command::new(program).args(arguments).stderr(Stdio::null()).status();
        assert!(status.unwrap().success(), "{arguments:?}");
    };
    let [key_path, out_path] = [&key, &out].map(|path| path.to_str().unwrap());
    if !key.exists() {
        run(&["compile", "--new-key", key_path]);
    }
    let skills = ["document-tool", "excel-tool", "python", "python-lite"];
    let options = ["-o", out_path, "--sign-key", key_path, "--force"];
    run(&[&["compile"][..], &options, &skills].concat());
    let public = format!("{key_path}.pub");
    let options = ["--skills", out_path, "--precompiled-key", &public, "--trust-skills"];
    options.map(str::to_owned).to_vec()
}

/// Runs the commands in turns, so that other work on the machine meets all of them. Returns the median time of each.
fn in_turns(works: &[Work]) -> Vec<Duration> {
    let rounds = std::env::var("MITT_BENCH_RUNS").ok().and_then(|text| text.parse().ok());
    let mut times = vec![Vec::new(); works.len()];
    // The first round fills the caches of Mitt and of the system.
    for round in 0..=rounds.unwrap_or(31_usize).max(1) {
        for (work, times) in works.iter().zip(&mut times) {
            let begun = Instant::now();
            let output = (work.command)().stdin(Stdio::null()).output().unwrap();
            let time = begun.elapsed();
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{:?}: {message}", (work.command)());
            if round > 0 {
                times.push(time);
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort());
    times.iter().map(|times| times[times.len() / 2]).collect()
}

/// Runs a command once more and returns its peak memory in bytes; 0 where the system does not report it.
fn memory(command: &mut Command) -> u64 {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        most = most.max(kib.unwrap_or(0) * 1024);
    }
    most
}
