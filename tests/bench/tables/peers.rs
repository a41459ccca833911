//! What people use instead: programs in Python, and the libraries of Rust without a sandbox.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use calamine::Reader as _;

use super::python::interpreter;
use super::{ROLE, data, line, runs, timed};

/// A process that ran to its end.
pub(crate) struct Measured {
    pub(crate) time: Duration,
    /// The most memory that it had, in bytes; 0 where the system does not say.
    pub(crate) memory: u64,
    pub(crate) output: Output,
}

/// Run a program several times: the one of the middle.
pub(crate) fn processes(mut command: impl FnMut() -> Command) -> Measured {
    let mut all: Vec<_> = (0..runs()).map(|_| process(command())).collect();
    all.sort_by_key(|measured| measured.time);
    let middle = all.len() / 2;
    all.swap_remove(middle)
}

fn process(mut command: Command) -> Measured {
    let start = Instant::now();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let watch = std::thread::spawn(move || {
        let mut most = 0;
        // The status of a process that has ended and was not waited for has no such line.
        while let Some(peak) = peak_memory(pid) {
            most = most.max(peak);
            std::thread::sleep(Duration::from_millis(5));
        }
        most
    });
    let output = child.wait_with_output().unwrap();
    let time = start.elapsed();
    Measured { time, memory: watch.join().unwrap(), output }
}

fn peak_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The interpreter of the peers.
pub(crate) struct Python {
    program: PathBuf,
    folder: PathBuf,
}

impl Python {
    pub(crate) fn find(folder: &Path) -> Python {
        Python { program: interpreter(), folder: folder.to_owned() }
    }

    /// A line of figures, unless the library is not there or has no part in the work.
    pub(crate) fn line(&self, name: &str, library: &str, work: &str) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bench/tables/peer.py");
        let command = || {
            let mut command = Command::new(&self.program);
            command.arg(&script).args([library, work]).arg(&self.folder);
            command
        };
        let first = command().output();
        if !first.as_ref().is_ok_and(|first| first.status.success()) {
            let why = first.map(|first| String::from_utf8_lossy(&first.stderr).into_owned());
            let why = why.unwrap_or_else(|error| error.to_string());
            eprintln!("skipped: {library}: {}", why.lines().last().unwrap_or_default());
            return;
        }
        let measured = processes(command);
        let alone = String::from_utf8_lossy(&measured.output.stdout).trim().parse().ok();
        line(name, library, &measured, alone.map(Duration::from_secs_f64));
    }
}

/// This program again, as one of the libraries of Rust.
pub(crate) fn native_process(role: &str) -> Measured {
    processes(|| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env(ROLE, role);
        command
    })
}

pub(crate) fn native(role: &str, folder: &Path) {
    match role {
        "read" => drop(read(folder)),
        "write" => drop(write(folder)),
        other => panic!("no role `{other}`"),
    }
}

/// The cells of the workbook by calamine.
pub(crate) fn read(folder: &Path) -> Duration {
    let (rows, time) = timed(|| {
        let mut book: calamine::Xlsx<_> =
            calamine::open_workbook(folder.join("book.xlsx")).unwrap();
        book.worksheet_range("Sheet1").unwrap().height()
    });
    assert_eq!(rows, 100_001);
    time
}

/// The workbook by rust_xlsxwriter.
pub(crate) fn write(folder: &Path) -> Duration {
    let csv = std::fs::read_to_string(folder.join("small.csv")).unwrap();
    timed(|| data::write_book(&csv).save_to_buffer().unwrap()).1
}
