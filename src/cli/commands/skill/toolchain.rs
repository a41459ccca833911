//! Checks that the tools for building a new plugin exist, so that the user learns it at once and not from a failing build.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mitt::skill::author::NewPlugin;

/// Time for `rustc` to print the folder of its targets. A toolchain that rustup must fetch first takes longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Interval at which the end of `rustc` is checked.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A missing tool, and how to install it.
pub(super) struct Missing {
    pub(super) what: String,
    pub(super) install: String,
}

impl Missing {
    fn new(what: impl Into<String>, install: impl Into<String>) -> Missing {
        Missing { what: what.into(), install: install.into() }
    }
}

/// Returns what is missing to build the plugin in `folder`; `None` if nothing is known to be missing.
pub(super) fn missing(kind: NewPlugin, folder: &Path) -> Option<Missing> {
    match kind {
        NewPlugin::Component => target("wasm32-wasip2", folder),
        NewPlugin::ExtismRust => target("wasm32-unknown-unknown", folder),
        NewPlugin::ExtismAssemblyScript if on_path("npm").is_none() => {
            Some(Missing::new("npm", "install Node.js from https://nodejs.org"))
        }
        NewPlugin::Python if on_path("componentize-py").is_none() => Some(Missing::new(
            "componentize-py",
            "in the folder of the plugin: python3 -m venv venv && venv/bin/pip install -r requirements.txt",
        )),
        _ => None,
    }
}

/// Checks a target of the Rust compiler that is used in `folder`.
fn target(target: &str, folder: &Path) -> Option<Missing> {
    if on_path("rustc").is_none() {
        let install =
            format!("install Rust from https://rustup.rs, then: rustup target add {target}");
        return Some(Missing::new("the Rust compiler", install));
    }
    let what = format!("the Rust target `{target}`");
    match libraries(target, folder) {
        Some(libraries) if libraries.is_dir() => None,
        // Only rustup installs targets.
        _ if on_path("rustup").is_none() => {
            let install =
                format!("install Rust from https://rustup.rs, then: rustup target add {target}");
            Some(Missing::new(what, install))
        }
        _ => Some(Missing::new(what, format!("rustup target add {target}"))),
    }
}

/// Returns the folder in which the compiler looks for the libraries of a target; `None` if it does not print one.
#[expect(
    clippy::disallowed_methods,
    reason = "the compiler is asked, where a plugin for it was written"
)]
fn libraries(target: &str, folder: &Path) -> Option<PathBuf> {
    let mut child = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", target])
        // The toolchain can depend on the folder.
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let begun = Instant::now();
    // The line fits into the pipe, so it need not be read meanwhile.
    while child.try_wait().ok()?.is_none() {
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(LOOK_EVERY);
    }
    let said = child.wait_with_output().ok()?;
    let line = String::from_utf8(said.stdout).ok()?;
    (said.status.success() && !line.trim().is_empty()).then(|| PathBuf::from(line.trim()))
}

/// Returns the path of a program in `PATH`.
fn on_path(program: &str) -> Option<PathBuf> {
    let names: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat"] } else { &[""] };
    let path = std::env::var_os("PATH")?;
    let mut folders = std::env::split_paths(&path);
    folders.find_map(|folder| {
        let mut files = names.iter().map(|ending| folder.join(format!("{program}{ending}")));
        files.find(|file| file.is_file())
    })
}
