//! What people use instead: programs in Python, and the libraries of Rust without a sandbox.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use calamine::Reader as _;

use super::figures::{Figures, interpreter, python};
use super::measured::{Measured, processes, timed};
use super::{ROLE, data, line};

/// The interpreter of the peers.
pub(crate) struct Python {
    program: PathBuf,
    folder: PathBuf,
}

impl Python {
    pub(crate) fn find(folder: &Path) -> Python {
        Python { program: interpreter(), folder: folder.to_owned() }
    }

    /// Returns the names and versions of the interpreter and of its libraries.
    pub(crate) fn versions(&self) -> Vec<String> {
        let of_library = |name: &&str| {
            let code = format!("import {name}; print({name}.__version__)");
            let output = Command::new(&self.program).args(["-c", &code]).output().ok()?;
            let version = String::from_utf8(output.stdout).ok().filter(|it| !it.is_empty())?;
            Some(format!("{name} {}", version.trim()))
        };
        let libraries = ["pandas", "polars", "duckdb"];
        let python = python().map(|(_, version)| version);
        python.into_iter().chain(libraries.iter().filter_map(of_library)).collect()
    }

    /// A line of figures, unless the library is not there or has no part in the work.
    pub(crate) fn line(
        &self,
        figures: &mut Figures,
        name: (&'static str, &'static str),
        library: &str,
        work: &str,
    ) {
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
        line(figures, name, library, &measured, alone.map(Duration::from_secs_f64));
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
