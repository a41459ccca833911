//! What people use instead: pandoc with an engine for PDF, and a program around python-docx.

use std::path::Path;
use std::process::{Command, Stdio};

use super::line;
use super::measured::processes;
use super::python::interpreter;

/// A line of figures for each peer that can write the format and is there.
pub(crate) fn lines(folder: &Path, name: &str, format: &str) {
    match format {
        "pdf" => {
            for engine in ["typst", "weasyprint"] {
                let with = format!("pandoc with {engine}");
                pandoc(folder, name, format, &with, &[&format!("--pdf-engine={engine}")]);
            }
        }
        "docx" => {
            pandoc(folder, name, format, "pandoc", &[]);
            python(folder, name);
        }
        _ => pandoc(folder, name, format, "pandoc", &["--standalone"]),
    }
}

fn pandoc(folder: &Path, name: &str, format: &str, who: &str, with: &[&str]) {
    let target = format!("{name}-pandoc.{format}");
    let command = || {
        let mut command = Command::new("pandoc");
        command.current_dir(folder).arg(format!("{name}.md")).args(["--toc", "-o", &target]);
        // The fonts that Debian has; without them there is no Chinese.
        command.args(["-V", "mainfont=Noto Sans CJK SC"]).args(with);
        command
    };
    measure(&format!("{name} report as {format}"), who, command, &folder.join(&target));
}

fn python(folder: &Path, name: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bench/documents/peer.py");
    let target = folder.join(format!("{name}-python.docx"));
    let command = || {
        let mut command = Command::new(interpreter());
        command.arg(&script).arg(folder.join(format!("{name}.md"))).arg(&target);
        command
    };
    measure(&format!("{name} report as docx"), "python-docx", command, &target);
}

/// Run once to see whether it is there, then as often as is measured.
fn measure(what: &str, who: &str, command: impl Fn() -> Command, made: &Path) {
    let first = command().stdout(Stdio::null()).output();
    if !first.as_ref().is_ok_and(|first| first.status.success()) {
        let why = first.map(|first| String::from_utf8_lossy(&first.stderr).into_owned());
        let why = why.unwrap_or_else(|error| error.to_string());
        eprintln!("skipped: {who}: {}", why.lines().last().unwrap_or_default());
        return;
    }
    line(what, who, &processes(command), made, None);
}
