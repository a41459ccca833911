//! Bench of reading: every file of the corpora, what comes of it, and how long it takes beside what people use instead.
//!
//! `cargo bench --bench ingest` reads the files below `MITT_CORPORA`, default `../shared/corpora` beside the repository, in a
//! process of its own with as many readers at a time as there are processors, and prints for each format how many were read, how
//! the others ended, the slowest file and the most memory that a reader needed. `PYTHON` names an interpreter: with it the texts
//! are compared with what other programs find in the same files (`ingest/recall.py` says which), and markitdown and docling read
//! them too, if it has them. `MITT_NATIVE_READERS` names the program that `tests/bench/native-readers/build.sh` makes: the
//! same readers without a sandbox. `MITT_BENCH_RUNS` is how often Mitt is run, default 3; the median counts.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a bench prints, and starts its peers"
)]

#[allow(dead_code, reason = "each bench uses a part")]
#[path = "figures.rs"]
mod figures;
#[path = "ingest/files.rs"]
mod files;
#[allow(dead_code, reason = "each bench uses a part")]
#[path = "measured.rs"]
mod measured;
#[path = "ingest/mitt.rs"]
mod mitt_readers;
#[path = "ingest/peers.rs"]
mod peers;
#[path = "agents/process.rs"]
mod process;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use figures::{Figures, Text};
use files::{corpora, format_of};
use mitt_readers::{Read, Whole, warmed};
use peers::Python;

/// Which part this process plays; none: the one that measures.
const ROLE: &str = "MITT_BENCH_ROLE";

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let folder = root().join("target/bench-ingest");
    std::fs::create_dir_all(&folder).unwrap();
    if std::env::var(ROLE).is_ok() {
        return mitt_readers::child();
    }
    let python = Python::find(&folder);
    match corpora() {
        Some(paths) => all(&paths, &folder, &python),
        None => eprintln!("skipped: no corpora; `MITT_CORPORA` names their folder"),
    }
    long_files(&folder, &python);
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Everything that there is to say of the corpora.
fn all(paths: &[PathBuf], folder: &Path, python: &Python) {
    let texts = folder.join("mitt");
    let whole = warmed(paths, Some(&texts));
    outcomes(&whole);
    python.recall("mitt");
    for library in ["markitdown", "docling"] {
        let Some(theirs) = python.read(library, paths) else { continue };
        python.recall(library);
        let figures = compared(library, &theirs, &whole, python.version(library));
        match library {
            "markitdown" => figures.finish(),
            _ => figures.print(),
        }
    }
    if let Some(native) = peers::native(paths) {
        sandbox(&native, &whole);
    }
}

/// How files ended, format by format.
fn outcomes(whole: &Whole) {
    let mut formats: BTreeMap<String, Vec<&Read>> = BTreeMap::new();
    for read in &whole.files {
        formats.entry(format_of(&read.path)).or_default().push(read);
    }
    println!("\n| format | files | read | others | readers' time | slowest | most memory |");
    println!("|---|---|---|---|---|---|---|");
    for (format, all) in &formats {
        let mut others: BTreeMap<&str, usize> = BTreeMap::new();
        for read in all.iter().filter(|read| read.outcome != "read") {
            *others.entry(&read.outcome).or_default() += 1;
        }
        let others: Vec<_> = others.iter().map(|(name, n)| format!("{n} {name}")).collect();
        let n_read = all.iter().filter(|read| read.outcome == "read").count();
        let time: f64 = all.iter().map(|read| read.seconds).sum();
        let Some(slowest) = all.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds)) else {
            continue;
        };
        let memory = all.iter().map(|read| read.memory).max().unwrap_or_default() >> 20;
        println!(
            "| {format} | {} | {n_read} | {} | {time:.2} s | {:.2} s, {} | {memory} MiB |",
            all.len(),
            others.join(", "),
            slowest.seconds,
            slowest.path.file_name().unwrap_or_default().to_string_lossy(),
        );
    }
    let Whole { files, wall, cpu, memory, memory_after } = whole;
    let (most, after) = (memory >> 20, memory_after >> 20);
    println!(
        "\n{} files in {wall:.2} s of wall clock, {cpu:.2} s of processor time; memory of the process at most {most} MiB, then {after}",
        files.len()
    );
}

/// Compares a peer and Mitt over the files that both read: the peer's calls alone against all that Mitt did.
fn compared(library: &str, theirs: &Whole, ours: &Whole, version: String) -> Figures {
    let has_read = |whole: &Whole| -> HashSet<PathBuf> {
        let read = whole.files.iter().filter(|read| read.outcome == "read");
        read.map(|read| read.path.clone()).collect()
    };
    let (their_files, our_files) = (has_read(theirs), has_read(ours));
    let mut common: Vec<_> = their_files.intersection(&our_files).cloned().collect();
    common.sort();
    let asked = theirs.files.len();
    println!(
        "\n{library}: reads {} of {asked} files that it takes, Mitt {} of them",
        their_files.len(),
        theirs.files.iter().filter(|read| our_files.contains(&read.path)).count()
    );
    let columns: [Text; 4] = [
        ("files that both read", "双方都能读取的文件").into(),
        library.into(),
        "Mitt".into(),
        ("times as fast", "倍数").into(),
    ];
    let mut figures = Figures::new("reading", columns);
    figures.beside(format!("{library} {version}"));
    let mut formats: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in &common {
        formats.entry(format_of(path)).or_default().push(path.clone());
    }
    let all = ("all".to_owned(), common);
    for (format, paths) in formats.iter().chain([(&all.0, &all.1)]) {
        let wanted: HashSet<_> = paths.iter().collect();
        let of_theirs = theirs.files.iter().filter(|read| wanted.contains(&read.path));
        let theirs: f64 = of_theirs.map(|read| read.seconds).sum();
        let ours = median(|| warmed(paths, None).wall);
        let count = paths.len();
        let files = match format.as_str() {
            "all" => (&*format!("all {count}"), &*format!("全部 {count}")),
            _ => (&*format!("{count} {format}"), &*format!("{count} 个 {format}")),
        };
        figures.row([
            files.into(),
            format!("{theirs:.2} s").into(),
            format!("{ours:.2} s").into(),
            format!("{:.1}", theirs / ours).into(),
        ]);
    }
    figures
}

/// The same readers without a sandbox: time in readers against time in readers, one after the other.
fn sandbox(native: &Whole, sandboxed: &Whole) {
    let times: BTreeMap<_, _> = sandboxed.files.iter().map(|read| (&read.path, read)).collect();
    let mut formats: BTreeMap<String, (usize, f64, f64)> = BTreeMap::new();
    for read in native.files.iter().filter(|read| read.outcome == "read") {
        let Some(ours) = times.get(&read.path).filter(|ours| ours.outcome == "read") else {
            continue;
        };
        for format in [format_of(&read.path), "all".to_owned()] {
            let sums = formats.entry(format).or_default();
            *sums = (sums.0 + 1, sums.1 + read.seconds, sums.2 + ours.in_reader);
        }
    }
    println!(
        "\n| format | files | reader natively | in the sandbox | times as long |\n|---|---|---|---|---|"
    );
    for (format, (n, native, ours)) in formats {
        println!("| {format} | {n} | {native:.2} s | {ours:.2} s | {:.2} |", ours / native);
    }
}

/// Measures whole processes of `mitt ingest` over long files, on one processor and on all, beside the calls of the peers alone.
fn long_files(folder: &Path, python: &Python) {
    let mut figures = Figures::new(
        "long-files",
        [
            ("`mitt ingest`", "`mitt ingest`"),
            ("one processor", "一个处理器"),
            ("all processors", "全部处理器"),
            ("most memory", "内存峰值"),
            ("markitdown, its call alone", "markitdown，仅其调用"),
        ],
    );
    let markitdown = python.version("markitdown");
    if !markitdown.is_empty() {
        figures.beside(format!("markitdown {markitdown}"));
    }
    for (name, path) in files::long(folder) {
        let run = |one_processor| {
            let measured = measured::processes(|| mitt_readers::program(&path, one_processor));
            let error = String::from_utf8_lossy(&measured.output.stderr);
            assert!(measured.output.status.success(), "{error}");
            measured
        };
        let all = run(false);
        let one = Command::new("taskset").arg("--version").output().map(|_| run(true));
        let theirs = python.read("markitdown", std::slice::from_ref(&path));
        let theirs = theirs.filter(|whole| whole.files.iter().all(|read| read.outcome == "read"));
        let theirs: Option<f64> =
            theirs.map(|whole| whole.files.iter().map(|read| read.seconds).sum());
        figures.row([
            name,
            one.map_or_else(|_| String::new(), |one| measured::seconds(one.time)).into(),
            measured::seconds(all.time).into(),
            format!("{} MiB", all.memory >> 20).into(),
            theirs.map_or_else(String::new, |seconds| format!("{seconds:.2} s")).into(),
        ]);
    }
    figures.finish();
}

/// The median of some runs.
fn median(mut work: impl FnMut() -> f64) -> f64 {
    let runs = std::env::var("MITT_BENCH_RUNS").ok().and_then(|runs| runs.parse().ok());
    let mut times: Vec<_> = (0..runs.unwrap_or(3).max(1)).map(|_| work()).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}
