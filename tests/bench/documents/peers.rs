//! What people use instead: pandoc with an engine for PDF, and a program around python-docx.

use std::path::Path;
use std::process::{Command, Stdio};

use super::figures::{Figures, interpreter, package_version};
use super::line;
use super::measured::processes;

/// Returns the names and versions of the peers that are there.
pub(crate) fn versions() -> Vec<String> {
    let of_program = |program: &str| {
        let output = Command::new(program).arg("--version").output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        text.lines().next().map(str::to_owned)
    };
    let docx = package_version(&interpreter(), "python-docx");
    let docx = docx.map(|version| format!("python-docx {version}"));
    ["pandoc", "typst", "weasyprint"].into_iter().filter_map(of_program).chain(docx).collect()
}

/// A line of figures for each peer that can write the format and is there.
pub(crate) fn lines(figures: &mut Figures, folder: &Path, name: &str, format: &str) {
    match format {
        "pdf" => {
            for engine in ["typst", "weasyprint"] {
                let with = format!("pandoc with {engine}");
                pandoc(
                    figures,
                    (folder, name, format),
                    &with,
                    &[&format!("--pdf-engine={engine}")],
                );
            }
        }
        "docx" => {
            pandoc(figures, (folder, name, format), "pandoc", &[]);
            python(figures, folder, name);
        }
        _ => pandoc(figures, (folder, name, format), "pandoc", &["--standalone"]),
    }
}

fn pandoc(
    figures: &mut Figures,
    (folder, name, format): (&Path, &str, &str),
    who: &str,
    with: &[&str],
) {
    let target = format!("{name}-pandoc.{format}");
    let command = || {
        let mut command = Command::new("pandoc");
        command.current_dir(folder).arg(format!("{name}.md")).args(["--toc", "-o", &target]);
        // The fonts that Debian has; without them there is no Chinese.
        command.args(["-V", "mainfont=Noto Sans CJK SC"]).args(with);
        command
    };
    measure(figures, (name, format), who, command, &folder.join(&target));
}

fn python(figures: &mut Figures, folder: &Path, name: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bench/documents/peer.py");
    let target = folder.join(format!("{name}-python.docx"));
    let command = || {
        let mut command = Command::new(interpreter());
        command.arg(&script).arg(folder.join(format!("{name}.md"))).arg(&target);
        command
    };
    measure(figures, (name, "docx"), "python-docx", command, &target);
}

/// Run once to see whether it is there, then as often as is measured.
fn measure(
    figures: &mut Figures,
    what: (&str, &str),
    who: &str,
    command: impl Fn() -> Command,
    made: &Path,
) {
    let first = command().stdout(Stdio::null()).output();
    if !first.as_ref().is_ok_and(|first| first.status.success()) {
        let why = first.map(|first| String::from_utf8_lossy(&first.stderr).into_owned());
        let why = why.unwrap_or_else(|error| error.to_string());
        eprintln!("skipped: {who}: {}", why.lines().last().unwrap_or_default());
        return;
    }
    line(figures, what, who, &processes(command), made, None);
}
