//! Bench of edits: one change in a large workbook and in a long Word file, and the calculation of many formulas, beside what people
//! use instead.
//!
//! `cargo bench --bench edits` prints how long each takes as the whole process that a user would start, with the most memory that
//! the process had. `PYTHON` names an interpreter with xlsxwriter, which makes the workbooks, and with openpyxl and python-docx. LibreOffice is
//! measured if `soffice` is installed: it opens the file and writes it again, without a change; its memory is not measured, because
//! another process does the work. `MITT_BENCH_RUNS` is how often each is run, default 5; the median counts.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, and starts its peers"
)]

#[allow(dead_code, reason = "each bench uses a part")]
#[path = "figures.rs"]
mod figures;
#[allow(dead_code, reason = "each bench uses a part")]
#[path = "measured.rs"]
mod measured;
#[allow(dead_code, reason = "each bench uses a part")]
#[path = "documents/source.rs"]
mod source;

use std::path::Path;
use std::process::Command;

use figures::{Figures, interpreter, package_version};
use measured::{Measured, processes, seconds};
use serde_json::{Value, json};

/// Exit code of a peer that cannot make a change.
const CANNOT: i32 = 2;

/// A change: its name, its name in both languages, the file, and the edits of Mitt.
struct Operation {
    name: &'static str,
    text: (&'static str, &'static str),
    source: &'static str,
    edits: Value,
}

fn operations() -> [Operation; 3] {
    let cell = |at: &str, value: u32| json!([{ "tag": "set-cells", "val": [{ "at": at, "value": value }] }]);
    [
        Operation {
            name: "workbook",
            text: (
                "one cell in a workbook of 100 000 x 20",
                "修改 100 000 x 20 工作簿中的一个单元格",
            ),
            source: "book.xlsx",
            edits: cell("Data!B50000", 42),
        },
        Operation {
            name: "word",
            text: (
                "one phrase everywhere in a Word file of 300 pages",
                "替换 300 页 Word 文件中的一个短语（全部出现处）",
            ),
            source: "report.docx",
            edits: json!([{ "tag": "replace-everywhere", "val": {
                "find": "获客成本下降了 12.5%", "replacement": "获客成本下降了 13.5%",
            } }]),
        },
        Operation {
            name: "recalculate",
            text: (
                "one input that 100 000 formulas depend on",
                "修改一个输入，重新计算依赖它的 100 000 个公式",
            ),
            source: "formulas.xlsx",
            edits: cell("Data!F1", 3),
        },
    ]
}

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench-edits");
    std::fs::create_dir_all(&folder).unwrap();
    let has_workbooks = inputs(&folder);
    let columns = [
        ("change", "修改"),
        ("who", "程序"),
        ("whole process", "整个进程"),
        ("most memory", "内存峰值"),
    ];
    let mut figures = Figures::new("edits", columns);
    for operation in operations() {
        if operation.source.ends_with(".xlsx") && !has_workbooks {
            println!("skipped: {}: PYTHON has no xlsxwriter", operation.name);
            continue;
        }
        let edits = format!("{}.json", operation.name);
        std::fs::write(folder.join(&edits), operation.edits.to_string()).unwrap();
        let kind = operation.source.rsplit('.').next().unwrap_or_default();
        let measured = processes(|| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_mitt"));
            command.current_dir(&folder).args(["edit", operation.source, "--edits", &edits]);
            command.args(["-o", &format!("edited.{kind}"), "--force"]);
            command
        });
        row(&mut figures, &operation, "Mitt", &measured);
        for who in ["openpyxl", "python-docx", "libreoffice"] {
            peer(&mut figures, &folder, &operation, who);
        }
    }
    figures.finish();
}

/// Writes the files. Returns `false` if there are no workbooks, because the interpreter has no library for them.
fn inputs(folder: &Path) -> bool {
    // Three long reports have about 300 pages.
    std::fs::write(folder.join("report.md"), source::report(3 * source::LONG)).unwrap();
    let mut render = Command::new(env!("CARGO_BIN_EXE_mitt"));
    render.current_dir(folder).args(["render", "report.md", "-o", "report.docx", "--force"]);
    assert!(render.status().unwrap().success());
    script(folder, &["make"]).status().is_ok_and(|status| status.success())
}

fn script(folder: &Path, arguments: &[&str]) -> Command {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bench/edits/peer.py");
    let mut command = Command::new(interpreter());
    command.current_dir(folder).arg(script).args(arguments);
    command
}

/// Measures a peer if it is installed and can make the change.
fn peer(figures: &mut Figures, folder: &Path, operation: &Operation, who: &str) {
    if version(who).is_empty() {
        println!("skipped: {who} is not installed");
        return;
    }
    let measured = processes(|| script(folder, &[who, operation.name]));
    if measured.output.status.code() == Some(CANNOT) {
        return;
    }
    figures.beside(version(who));
    row(figures, operation, who, &measured);
}

/// Returns the name and version of a peer.
fn version(who: &str) -> String {
    if who == "libreoffice" {
        let output = Command::new("soffice").arg("--version").output().ok();
        let all = output.map_or_else(String::new, |it| String::from_utf8_lossy(&it.stdout).into());
        return all.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    }
    let version = package_version(&interpreter(), who);
    version.map_or_else(String::new, |version| format!("{who} {version}"))
}

fn row(figures: &mut Figures, operation: &Operation, who: &str, measured: &Measured) {
    let message = String::from_utf8_lossy(&measured.output.stderr);
    assert!(measured.output.status.success(), "{who} {}: {message}", operation.name);
    let memory = match who {
        "libreoffice" => String::new(),
        _ => format!("{} MiB", measured.memory >> 20),
    };
    figures.row([operation.text.into(), who.into(), seconds(measured.time).into(), memory.into()]);
}
