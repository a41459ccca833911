//! Bench of tables at real size, beside what people use instead.
//!
//! `cargo bench --bench tables` makes a CSV file of 100 000 rows and one of 1 000 000, ten columns each, and prints how long each
//! work takes: as the whole process that a user would start, with the most memory that it had, and the work alone in a process
//! that runs already. `PYTHON` names the interpreter of the peers; whichever of pandas, polars and duckdb it has are measured.
//! `MITT_BENCH_RUNS` is how often each is run, default 5; the median counts.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a bench prints, and starts its peers"
)]

#[path = "tables/data.rs"]
mod data;
#[path = "measured.rs"]
mod measured;
#[path = "tables/peers.rs"]
mod peers;
#[path = "python.rs"]
mod python;
#[path = "tables/work.rs"]
mod work;

use std::path::Path;
use std::time::Duration;

use measured::{Measured, median, seconds};
use peers::Python;
use work::{Mitt, Recorded};

/// Which peer this process is; none: the one that measures.
const ROLE: &str = "MITT_BENCH_ROLE";

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench-tables");
    if let Ok(role) = std::env::var(ROLE) {
        return peers::native(&role, &folder);
    }
    data::make(&folder);
    let mitt = Mitt::new(&folder);
    let python = Python::find(&folder);
    println!("| work | who | process | memory | work alone |\n|---|---|---|---|---|");
    for (name, work, recorded) in [
        ("CSV 100 000 x 10 -> group -> XLSX", "group", &[Recorded::Group][..]),
        (
            "CSV 1 000 000 x 10 -> join, group, pivot, top 10 -> XLSX",
            "report",
            &[Recorded::Report, Recorded::ReportSql],
        ),
    ] {
        for recorded in recorded {
            let alone = median(|| mitt.alone(*recorded));
            line(name, recorded.name(), &mitt.process(*recorded), Some(alone));
        }
        for library in ["pandas", "polars", "duckdb"] {
            python.line(name, library, work);
        }
    }
    workbooks(&mitt, &python, &folder);
    loops(&mitt, &python);
    passing(&mitt);
}

/// Workbooks of 100 000 x 10 cells, in and out.
fn workbooks(mitt: &Mitt, python: &Python, folder: &Path) {
    let name = "workbook 100 000 x 10 -> columns";
    let alone = median(|| mitt.read_book());
    line(name, "Mitt", &mitt.ingest("book.xlsx"), Some(alone));
    line(
        name,
        "calamine, native",
        &peers::native_process("read"),
        Some(median(|| peers::read(folder))),
    );
    python.line(name, "pandas", "read");
    let name = "1 000 000 cells -> XLSX";
    let alone = median(|| mitt.write_book());
    line(name, "Mitt, reading the CSV too", &mitt.create_excel(), Some(alone));
    let written = median(|| peers::write(folder));
    line(
        name,
        "rust_xlsxwriter, reading the CSV too",
        &peers::native_process("write"),
        Some(written),
    );
    for library in ["pandas", "polars"] {
        python.line(name, library, "write");
    }
}

/// Scripts over 100 000 rows.
fn loops(mitt: &Mitt, python: &Python) {
    let name = "loop over 100 000 rows, one column added up";
    for (how, script) in work::LOOPS {
        println!("| {name} | Mitt, {how} | | | {} |", seconds(median(|| mitt.script(script))));
    }
    python.line(name, "python", "loop");
}

/// What a table costs that only goes by.
fn passing(mitt: &Mitt) {
    let name = "1 000 000 cells from a tool to the next";
    println!("| {name} | Mitt | | | {} |", seconds(median(|| mitt.pass())));
    let name = "group of 12 rows, written out";
    println!("| {name} | Mitt | | | {} |", seconds(median(|| mitt.small())));
}

fn line(name: &str, who: &str, process: &Measured, alone: Option<Duration>) {
    let alone = alone.map(seconds).unwrap_or_default();
    let memory = process.memory >> 20;
    println!("| {name} | {who} | {} | {memory} MiB | {alone} |", seconds(process.time));
}
