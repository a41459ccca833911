//! What people use instead: libraries of Python; and the same readers without a sandbox.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::figures::{interpreter, package_version};
use super::mitt_readers::{Whole, finished, list};
use super::root;

/// The interpreter of the peers, and where texts go.
pub(crate) struct Python {
    program: PathBuf,
    folder: PathBuf,
}

impl Python {
    pub(crate) fn find(folder: &Path) -> Python {
        Python { program: interpreter(), folder: folder.to_owned() }
    }

    fn script(&self, name: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(root().join("tests/bench/ingest").join(name));
        command
    }

    /// The files by a library, one after the other in one process. None if it is not there.
    pub(crate) fn read(&self, library: &str, paths: &[PathBuf]) -> Option<Whole> {
        let check =
            self.script("peer.py").args([library, "--check"]).stderr(Stdio::null()).status();
        if !check.is_ok_and(|status| status.success()) {
            eprintln!("skipped: `PYTHON` has no {library}");
            return None;
        }
        let list = list(paths);
        let mut command = self.script("peer.py");
        command.arg(library).arg(list.path()).arg(self.folder.join(library));
        Some(finished(command))
    }

    /// Returns the version of an installed library, or an empty text.
    pub(crate) fn version(&self, library: &str) -> String {
        package_version(&self.program, library).unwrap_or_default()
    }

    /// Compare the texts of somebody with what other programs find in the files, and print that.
    pub(crate) fn recall(&self, whose: &str) {
        println!("\nWords of the files in the texts of {whose}:\n");
        let status = self.script("recall.py").arg(self.folder.join(whose)).status();
        if !status.is_ok_and(|status| status.success()) {
            eprintln!("skipped: recall; `PYTHON` names an interpreter of Python 3");
        }
    }
}

/// The readers without a sandbox, if their program was built.
pub(crate) fn native(paths: &[PathBuf]) -> Option<Whole> {
    let Some(program) = std::env::var_os("MITT_NATIVE_READERS") else {
        eprintln!("skipped: no native readers; `MITT_NATIVE_READERS` names their program");
        return None;
    };
    let list = list(paths);
    let mut command = Command::new(program);
    command.arg(list.path());
    Some(finished(command))
}
