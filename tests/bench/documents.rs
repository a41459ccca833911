//! Bench of documents, beside what people use instead.
//!
//! `cargo bench --bench documents` writes a Chinese report of about a hundred pages and one of two, and prints how long each
//! format takes: as the whole process that a user would start, with the most memory that it had and the size of the file, and
//! the work alone in a process that runs already. `PYTHON` names an interpreter with python-docx; `pandoc`, and `typst` or
//! `weasyprint` for its PDF, are measured where they are found. `MITT_BENCH_RUNS` is how often each is run, default 5; the
//! median counts.
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
#[path = "measured.rs"]
mod measured;
#[path = "documents/peers.rs"]
mod peers;
#[path = "documents/source.rs"]
mod source;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use figures::Figures;
use measured::{Measured, median, processes, seconds, timed};
use mitt::render::{
    CommonOptions, DocxOptions, HtmlOptions, PdfBackend as _, PdfOptions, TypstBackend, markdown,
};

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench-documents");
    std::fs::create_dir_all(&folder).unwrap();
    let mut figures = Figures::new(
        "documents",
        [
            ("document", "文档"),
            ("who", "程序"),
            ("whole process", "整个进程"),
            ("most memory", "内存峰值"),
            ("file", "文件"),
            ("the work alone", "仅工作本身"),
        ],
    );
    for version in peers::versions() {
        figures.beside(version);
    }
    for (name, chapters) in [("long", source::LONG), ("short", source::SHORT)] {
        let text = source::report(chapters);
        std::fs::write(folder.join(format!("{name}.md")), &text).unwrap();
        for format in ["pdf", "docx", "html"] {
            let made = folder.join(format!("{name}.{format}"));
            let measured = process(&folder, name, format);
            let alone = median(|| alone(&text, format));
            line(&mut figures, (name, format), "Mitt", &measured, &made, Some(alone));
            peers::lines(&mut figures, &folder, name, format);
        }
    }
    figures.finish();
    memory_between(&source::report(source::LONG));
}

/// `mitt render`.
fn process(folder: &Path, name: &str, format: &str) -> Measured {
    let measured = processes(|| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mitt"));
        let target = format!("{name}.{format}");
        command.current_dir(folder).args(["render", &format!("{name}.md"), "-o", &target]);
        command.args(["--contents", "--force"]);
        command
    });
    let told = String::from_utf8_lossy(&measured.output.stderr);
    assert!(measured.output.status.success(), "{told}");
    measured
}

/// The work in this process, Markdown read included.
fn alone(text: &str, format: &str) -> Duration {
    timed(|| {
        let doc = markdown(text).unwrap();
        match format {
            "pdf" => {
                let options = PdfOptions {
                    common: CommonOptions { contents: true, ..CommonOptions::default() },
                    ..PdfOptions::default()
                };
                TypstBackend.render(&doc, &options).unwrap().bytes.len()
            }
            "docx" => {
                let options = DocxOptions {
                    common: CommonOptions { contents: true, ..CommonOptions::default() },
                    ..DocxOptions::default()
                };
                mitt::render::docx(&doc, &options).unwrap().bytes.len()
            }
            _ => {
                let options = HtmlOptions {
                    common: CommonOptions { contents: true, ..CommonOptions::default() },
                };
                mitt::render::html(&doc, &options).unwrap().text.len()
            }
        }
    })
    .1
}

/// What a process that runs keeps between documents: memory after one, five and ten of a hundred pages.
fn memory_between(text: &str) {
    for count in 1..=10 {
        alone(text, "pdf");
        if [1, 5, 10].contains(&count) {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
            println!("after {count} long PDFs in one process: {}", line.unwrap_or("?").trim());
        }
    }
}

fn line(
    figures: &mut Figures,
    (name, format): (&str, &str),
    who: &str,
    process: &Measured,
    made: &Path,
    alone: Option<Duration>,
) {
    let alone = alone.map(seconds).unwrap_or_default();
    let memory = format!("{} MiB", process.memory >> 20);
    let size = format!("{} KiB", std::fs::metadata(made).map_or(0, |file| file.len() >> 10));
    let chinese = if name == "long" { "长报告" } else { "短报告" };
    let name = [format!("{name} report as {format}"), format!("{chinese}，{format}")];
    let time = seconds(process.time);
    let name = (&*name[0], &*name[1]).into();
    figures.row([name, who.into(), time.into(), memory.into(), size.into(), alone.into()]);
}
