//! Bench of tables at real size, beside what people use instead.
//!
//! `cargo bench --bench tables` makes a CSV file of 100 000 rows and one of 1 000 000, ten columns each, and prints how long each
//! work takes: as the whole process that a user would start, with the most memory that it had, and the work alone in a process
//! that runs already. `PYTHON` names the interpreter of the peers; whichever of pandas, polars and duckdb it has are measured.
//! `MITT_BENCH_RUNS` is how often each is run, default 5; the median counts. `MITT_BENCH_WRITE` writes the table into the documentation.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a bench prints, and starts its peers"
)]

#[path = "tables/data.rs"]
mod data;
#[allow(dead_code, reason = "each bench uses a part")]
#[path = "figures.rs"]
mod figures;
#[path = "measured.rs"]
mod measured;
#[path = "tables/peers.rs"]
mod peers;
#[path = "tables/work.rs"]
mod work;

use std::path::Path;
use std::time::Duration;

use figures::{Figures, Text};
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
    let mut figures = Figures::new(
        "tables",
        [
            ("work", "工作"),
            ("who", "程序"),
            ("whole process", "整个进程"),
            ("most memory", "内存峰值"),
            ("the work alone", "仅工作本身"),
        ],
    );
    for version in python.versions() {
        figures.beside(version);
    }
    for (name, work, recorded) in [
        (
            ("CSV 100 000 x 10: group, XLSX", "CSV 100 000 x 10：分组，XLSX"),
            "group",
            &[Recorded::Group][..],
        ),
        (
            (
                "CSV 1 000 000 x 10: join, group, pivot, top 10, XLSX",
                "CSV 1 000 000 x 10：连接、分组、透视、前 10，XLSX",
            ),
            "report",
            &[Recorded::Report, Recorded::ReportSql],
        ),
    ] {
        for recorded in recorded {
            let alone = median(|| mitt.alone(*recorded));
            line(&mut figures, name, recorded.name(), &mitt.process(*recorded), Some(alone));
        }
        for library in ["pandas", "polars", "duckdb"] {
            python.line(&mut figures, name, library, work);
        }
    }
    workbooks(&mut figures, &mitt, &python, &folder);
    loops(&mut figures, &mitt, &python);
    passing(&mut figures, &mitt);
    figures.finish();
}

/// Workbooks of 100 000 x 10 cells, in and out.
fn workbooks(figures: &mut Figures, mitt: &Mitt, python: &Python, folder: &Path) {
    let name = ("workbook 100 000 x 10, read into columns", "工作簿 100 000 x 10，按列读取");
    let alone = median(|| mitt.read_book());
    line(figures, name, "Mitt", &mitt.ingest("book.xlsx"), Some(alone));
    let native = median(|| peers::read(folder));
    line(figures, name, "calamine", &peers::native_process("read"), Some(native));
    python.line(figures, name, "pandas", "read");
    let name = ("CSV to XLSX, 1 000 000 cells", "CSV 转 XLSX，1 000 000 个单元格");
    let alone = median(|| mitt.write_book());
    line(figures, name, "Mitt", &mitt.create_excel(), Some(alone));
    let native = median(|| peers::write(folder));
    line(figures, name, "rust_xlsxwriter", &peers::native_process("write"), Some(native));
    for library in ["pandas", "polars"] {
        python.line(figures, name, library, "write");
    }
}

/// Scripts over 100 000 rows.
fn loops(figures: &mut Figures, mitt: &Mitt, python: &Python) {
    let name = ("one column of 100 000 rows, added up in a script", "脚本累加 100 000 行的一列");
    for (how, script) in work::LOOPS {
        let time = seconds(median(|| mitt.script(script)));
        figures.row([
            name.into(),
            format!("Mitt, {how}").into(),
            "".into(),
            "".into(),
            time.into(),
        ]);
    }
    python.line(figures, name, "python", "loop");
}

/// What a table costs that only goes by.
fn passing(figures: &mut Figures, mitt: &Mitt) {
    let passed = seconds(median(|| mitt.pass()));
    let small = seconds(median(|| mitt.small()));
    for (name, time) in [
        (
            ("1 000 000 cells from a tool to the next", "1 000 000 个单元格从一个工具传给下一个"),
            passed,
        ),
        (("group of 12 rows, written out", "12 行分组，写出"), small),
    ] {
        figures.row([name.into(), "Mitt".into(), "".into(), "".into(), time.into()]);
    }
}

fn line(
    figures: &mut Figures,
    name: impl Into<Text>,
    who: &str,
    process: &Measured,
    alone: Option<Duration>,
) {
    let alone = alone.map(seconds).unwrap_or_default();
    let memory = format!("{} MiB", process.memory >> 20);
    let time = seconds(process.time);
    figures.row([name.into(), who.into(), time.into(), memory.into(), alone.into()]);
}
