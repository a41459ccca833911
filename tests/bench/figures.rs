//! Figures of a bench, and the tables of the documentation that they fill.
//!
//! A table of `docs/speed.md`, `docs/service.md` or the README, and of its translation, stands between `<!-- figures: NAME -->` and `<!-- end of NAME -->`. The
//! bench prints it. If `MITT_BENCH_WRITE` is set, the bench writes it into the pages, with the machine, the date and the
//! versions. `tests/bench/run --write` does this for all benches.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Pages that have tables of figures, each with the index of its language.
const PAGES: [(&str, usize); 6] = [
    ("docs/speed.md", 0),
    ("docs/speed.zh-CN.md", 1),
    ("docs/service.md", 0),
    ("docs/service.zh-CN.md", 1),
    ("README.md", 0),
    ("README.zh-CN.md", 1),
];

/// A text in English and Chinese. One that is the same in both, such as a number, is made from a string.
#[derive(Clone)]
pub(crate) struct Text([String; 2]);

impl From<(&str, &str)> for Text {
    fn from((english, chinese): (&str, &str)) -> Text {
        Text([english.to_owned(), chinese.to_owned()])
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text([text.clone(), text])
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        text.to_owned().into()
    }
}

/// A table of figures.
pub(crate) struct Figures {
    name: &'static str,
    rows: Vec<Vec<Text>>,
    beside: Vec<String>,
}

impl Figures {
    /// Returns a table without rows. `name` is that of its place in the pages.
    pub(crate) fn new<T: Into<Text>>(
        name: &'static str,
        columns: impl IntoIterator<Item = T>,
    ) -> Figures {
        let columns = columns.into_iter().map(Into::into).collect();
        Figures { name, rows: vec![columns], beside: Vec::new() }
    }

    /// Adds a row with a cell for each column.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Text>) {
        let cells: Vec<_> = cells.into_iter().collect();
        assert_eq!(cells.len(), self.rows[0].len(), "a cell for each column of {}", self.name);
        self.rows.push(cells);
    }

    /// Names a program, with its version, that the figures compare with.
    pub(crate) fn beside(&mut self, program: impl Into<String>) {
        let program = program.into();
        if !program.is_empty() && !self.beside.contains(&program) {
            self.beside.push(program);
        }
    }

    /// Prints the table in English. If `MITT_BENCH_WRITE` is set, writes it into the pages that have a place for it.
    ///
    /// # Panics
    ///
    /// A page has the beginning of the place and not its end, or no page has the place.
    pub(crate) fn finish(&self) {
        self.print();
        if std::env::var_os("MITT_BENCH_WRITE").is_none() {
            return;
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let (begin, end) = (
            format!("<!-- figures: {} -->\n", self.name),
            format!("<!-- end of {} -->", self.name),
        );
        let mut written = 0;
        for (page, language) in PAGES {
            let path = root.join(page);
            let text = fs::read_to_string(&path).unwrap();
            let Some((before, rest)) = text.split_once(&begin) else { continue };
            let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{page}: no `{end}`"));
            fs::write(&path, format!("{before}{begin}{}{end}{after}", self.markdown(language)))
                .unwrap();
            written += 1;
        }
        assert!(written > 0, "no page has `{}`", begin.trim_end());
    }

    /// Prints the table in English.
    pub(crate) fn print(&self) {
        println!("\n{}", self.markdown(0));
    }

    fn markdown(&self, language: usize) -> String {
        let mut out = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            for cell in row {
                out.push_str("| ");
                out.push_str(&cell.0[language].replace('|', "\\|"));
                out.push(' ');
            }
            out.push_str("|\n");
            if index == 0 {
                out.push_str(&"|---".repeat(row.len()));
                out.push_str("|\n");
            }
        }
        let (date, machine, version) = (today(), machine(language), env!("CARGO_PKG_VERSION"));
        let beside = self.beside.join(if language == 0 { ", " } else { "、" });
        let line = match (language, beside.is_empty()) {
            (0, true) => format!("Measured on {date} with Mitt {version} on {machine}."),
            (0, false) => {
                format!("Measured on {date} with Mitt {version} on {machine}, beside {beside}.")
            }
            (_, true) => format!("{date} 实测：Mitt {version}，{machine}。"),
            (_, false) => format!("{date} 实测：Mitt {version}，{machine}；对照：{beside}。"),
        };
        format!("{out}\n{line}\n")
    }
}

/// Returns the real path of the interpreter that the peers run in, and its version. Version managers put a script before it that takes
/// several times as long as the interpreter itself. `None` if there is none.
pub(crate) fn python() -> Option<(PathBuf, String)> {
    let program = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let code = "import sys, platform; print(sys.executable); print(platform.python_version())";
    let output = Command::new(program).args(["-c", code]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (path, version) = text.trim().split_once('\n')?;
    Some((path.into(), format!("CPython {}", version.trim())))
}

/// Returns the interpreter of the peers: that of [`python`], or its name where it does not run.
pub(crate) fn interpreter() -> PathBuf {
    python().map_or_else(|| "python3".into(), |(program, _)| program)
}

/// Returns the version of a package that an interpreter of Python has. `None` without the package.
pub(crate) fn package_version(python: &Path, package: &str) -> Option<String> {
    let code = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))";
    let output = Command::new(python).args(["-c", code, package]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns the processor's model and the number of cores that this process may use.
fn machine(language: usize) -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match language {
        0 => format!("{cores} cores of {model}"),
        _ => format!("{model}，{cores} 核"),
    }
}

/// Returns the date in UTC, as `2026-11-26`.
fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    mitt_base::time::timestamp(now)[.."2026-11-26".len()].to_owned()
}
