//! Bench of PDF files that exist: joining, splitting, filling and redacting 300 pages, beside what people use instead.
//!
//! `cargo bench --bench pdf` renders a Chinese report of about 300 pages and writes a form of 300 pages with 1 200 fields. It prints
//! how long each operation takes as the whole process that a user would start, with the most memory that the process had, and
//! the size of the result. `PYTHON` names an interpreter with pikepdf, pypdf or PyMuPDF; `qpdf` is measured if it is installed.
//! `MITT_BENCH_RUNS` is how often each is run, default 5; the median counts.
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
#[allow(dead_code, reason = "each bench uses a part")]
#[path = "measured.rs"]
mod measured;
#[allow(dead_code, reason = "each bench uses a part")]
#[path = "documents/source.rs"]
mod source;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use figures::{Figures, interpreter, package_version};
use measured::{Measured, processes, seconds};
use mitt::render::{CommonOptions, PdfBackend as _, PdfOptions, TypstBackend, markdown};

/// Pages of the form.
const PAGES: usize = 300;
/// Fields on each page of the form.
const FIELDS: usize = 4;
/// A phrase that each chapter of the report has.
const WORD: &str = "营业收入";

/// An operation: its name, its Chinese name, and the file or folder that it writes.
type Operation = (&'static str, &'static str, &'static str);

const OPERATIONS: [Operation; 4] = [
    ("merge", "合并两份 300 页报告", "merged.pdf"),
    ("split", "拆成两页一份的文件", "pages"),
    ("fill", "填写 300 页、1200 个字段的表单", "filled.pdf"),
    ("redact", "彻底删除一个词", "redacted.pdf"),
];

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench-pdf");
    std::fs::create_dir_all(&folder).unwrap();
    inputs(&folder);
    let mut figures = Figures::new(
        "pdf",
        [
            ("operation", "操作"),
            ("who", "程序"),
            ("whole process", "整个进程"),
            ("most memory", "内存峰值"),
            ("result", "结果"),
        ],
    );
    for operation in OPERATIONS {
        let arguments: &[&str] = match operation.0 {
            "merge" => &["pdf", "merge", "report.pdf", "report.pdf", "-o", "merged.pdf"],
            "split" => &["pdf", "split", "report.pdf", "--every", "2", "-o", "pages"],
            "fill" => &["fill", "form.pdf", "--data", "values.json", "-o", "filled.pdf"],
            _ => &["redact", "report.pdf", "--word", WORD, "-o", "redacted.pdf"],
        };
        let mitt = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_mitt"));
            command.current_dir(&folder).args(arguments).arg("--force");
            command
        };
        row(&mut figures, &folder, operation, "Mitt", &processes(mitt));
        if let Some(arguments) = qpdf(operation.0) {
            peer(&mut figures, &folder, operation, "qpdf", || {
                let mut command = Command::new("qpdf");
                command.current_dir(&folder).args(arguments);
                command
            });
        }
        for library in ["pikepdf", "pypdf", "pymupdf"] {
            let script =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bench/pdf/peer.py");
            peer(&mut figures, &folder, operation, library, || {
                let mut command = Command::new(interpreter());
                command.current_dir(&folder).arg(&script).args([library, operation.0, WORD]);
                command
            });
        }
    }
    figures.finish();
}

/// Writes the report, the form, and the values for its fields.
fn inputs(folder: &Path) {
    // One and a half long reports have about 150 pages, and a document of 300 has more elements than Mitt renders at once.
    let doc = markdown(&source::report(source::LONG * 3 / 2)).unwrap();
    let options = PdfOptions {
        common: CommonOptions { contents: true, ..CommonOptions::default() },
        ..PdfOptions::default()
    };
    std::fs::write(folder.join("half.pdf"), TypstBackend.render(&doc, &options).unwrap().bytes)
        .unwrap();
    let mut merge = Command::new(env!("CARGO_BIN_EXE_mitt"));
    merge.current_dir(folder);
    merge.args(["pdf", "merge", "half.pdf", "half.pdf", "-o", "report.pdf", "--force"]);
    assert!(merge.status().unwrap().success());
    std::fs::write(folder.join("form.pdf"), form()).unwrap();
    let values: Vec<_> =
        (0..PAGES * FIELDS).map(|at| format!("\"f{at}\": \"第 {at} 项 {}\"", at * 37)).collect();
    std::fs::write(folder.join("values.json"), format!("{{{}}}", values.join(","))).unwrap();
}

/// Returns a form with text fields that have no appearances yet.
fn form() -> Vec<u8> {
    let field = |page: usize, at: usize| 5 + page * (FIELDS + 1) + 1 + at;
    let mut objects = vec![
        String::new(),
        String::new(),
        "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>".to_owned(),
        "<</Length 44>>\nstream\nBT /F1 12 Tf 72 760 Td (A page of a form.) Tj ET\n\nendstream"
            .to_owned(),
    ];
    let (mut pages, mut fields) = (String::new(), String::new());
    for page in 0..PAGES {
        let number = 5 + page * (FIELDS + 1);
        let _ = write!(pages, "{number} 0 R ");
        let own: Vec<_> = (0..FIELDS).map(|at| format!("{} 0 R", field(page, at))).collect();
        let own = own.join(" ");
        let _ = write!(fields, "{own} ");
        objects.push(format!(
            "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
             /Resources <</Font <</F1 3 0 R>>>> /Annots [{own}]>>"
        ));
        for at in 0..FIELDS {
            let (name, top) = (page * FIELDS + at, 700 - 40 * at);
            objects.push(format!(
                "<</Type /Annot /Subtype /Widget /FT /Tx /T (f{name}) /P {number} 0 R /F 4 \
                 /DA (/F1 11 Tf 0 g) /Rect [72 {top} 400 {}]>>",
                top + 20
            ));
        }
    }
    objects[0] = format!(
        "<</Type /Catalog /Pages 2 0 R /AcroForm <</Fields [{fields}] /DR <</Font <</F1 3 0 R>>>>>>>>"
    );
    objects[1] = format!("<</Type /Pages /Count {PAGES} /Kids [{pages}]>>");
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut places = String::new();
    for (at, object) in objects.iter().enumerate() {
        let _ = writeln!(places, "{:010} 00000 n ", out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", at + 1).bytes());
    }
    let (start, size) = (out.len(), objects.len() + 1);
    out.extend(
        format!(
            "xref\n0 {size}\n0000000000 65535 f \n{places}trailer <</Root 1 0 R /Size {size}>>\n\
             startxref\n{start}\n%%EOF\n"
        )
        .bytes(),
    );
    out
}

/// Returns the arguments of qpdf for an operation. `None` if qpdf cannot do it.
fn qpdf(operation: &str) -> Option<&'static [&'static str]> {
    match operation {
        "merge" => {
            Some(&["--empty", "--pages", "report.pdf", "report.pdf", "--", "qpdf/merged.pdf"])
        }
        "split" => Some(&["--split-pages=2", "report.pdf", "qpdf/pages/page.pdf"]),
        _ => None,
    }
}

/// Measures a peer if it is installed and can do the operation. A peer writes below a folder of its name.
fn peer(
    figures: &mut Figures,
    folder: &Path,
    operation: Operation,
    who: &str,
    command: impl Fn() -> Command,
) {
    std::fs::create_dir_all(folder.join(who).join("pages")).unwrap();
    let first = command().stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !first.is_ok_and(|it| it.success()) {
        println!("skipped: {who} is not installed or cannot {}", operation.0);
        return;
    }
    figures.beside(version(who));
    row(figures, &folder.join(who), operation, who, &processes(command));
}

/// Returns the name and version of a peer.
fn version(who: &str) -> String {
    if who == "qpdf" {
        let output = Command::new("qpdf").arg("--version").output().ok();
        let all = output.map_or_else(String::new, |it| String::from_utf8_lossy(&it.stdout).into());
        return all.lines().next().unwrap_or_default().replace(" version", "");
    }
    let version = package_version(&interpreter(), who);
    version.map_or_else(String::new, |version| format!("{who} {version}"))
}

fn row(
    figures: &mut Figures,
    folder: &Path,
    (name, chinese, result): Operation,
    who: &str,
    measured: &Measured,
) {
    let message = String::from_utf8_lossy(&measured.output.stderr);
    assert!(measured.output.status.success(), "{who} {name}: {message}");
    let path = folder.join(result);
    let size = if path.is_dir() {
        let files: Vec<_> = std::fs::read_dir(&path).unwrap().flatten().collect();
        let bytes: u64 = files.iter().filter_map(|it| it.metadata().ok()).map(|it| it.len()).sum();
        format!("{} × {} KiB", files.len(), (bytes >> 10) / files.len().max(1) as u64)
    } else {
        format!("{} KiB", std::fs::metadata(&path).map_or(0, |it| it.len() >> 10))
    };
    let english = match name {
        "merge" => "join two reports of 300 pages",
        "split" => "a file for each two pages",
        "fill" => "fill 1 200 fields on 300 pages",
        _ => "remove a word for good",
    };
    let memory = format!("{} MiB", measured.memory >> 20);
    figures.row([
        (english, chinese).into(),
        who.into(),
        seconds(measured.time).into(),
        memory.into(),
        size.into(),
    ]);
}
