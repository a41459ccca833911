//! The file of `mitt exec --state`.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::LANGUAGE;
use crate::output::note;
use mitt::Session;
use mitt::internal::state_file;
use mitt_base::{Error, ErrorKind, Result};

/// Largest file with kept variables, slightly more than the host writes.
const MAX_STATE_BYTES: u64 = 65 * 1024 * 1024;

/// The file that keeps variables from one script to the next, locked against other processes.
pub(super) struct StateFile {
    path: PathBuf,
    /// The locked file.
    file: File,
}

impl StateFile {
    pub(super) fn open(path: &Path) -> Result<StateFile> {
        let failed = |error: io::Error| {
            Error::new(ErrorKind::Host, format!("cannot open {}", path.display()))
                .hint("name a file of your own that you may write to, and no link")
                .caused_by(error)
        };
        let (folder, name) = parts(path);
        loop {
            let file = state_file(folder, name).map_err(failed)?;
            file.try_lock().map_err(|error| match error {
                std::fs::TryLockError::WouldBlock => {
                    let message = format!("{} is used by another mitt", path.display());
                    let retry_after = std::time::Duration::from_secs(1);
                    Error::new(ErrorKind::Busy { retry_after }, message)
                        .hint("wait until it has ended")
                }
                std::fs::TryLockError::Error(error) => failed(error),
            })?;
            // Another process may have replaced the file just before.
            if is_same(&file, path) {
                return Ok(StateFile { path: path.to_owned(), file });
            }
        }
    }

    pub(super) async fn load(&self, session: &Session) -> Result<()> {
        let failed = |error: io::Error| {
            Error::new(ErrorKind::Host, format!("cannot read {}", self.path.display()))
                .caused_by(error)
        };
        let mut sealed = Vec::new();
        (&self.file).take(MAX_STATE_BYTES).read_to_end(&mut sealed).map_err(failed)?;
        if sealed.is_empty() {
            Ok(())
        } else {
            session
                .load_script_state(LANGUAGE, &sealed)
                .await
                .map_err(|error| error.at(self.path.display()))
        }
    }

    pub(super) async fn save(self, session: &Session) -> Result<()> {
        let Some(sealed) = session.dump_script_state(LANGUAGE).await? else {
            note(&format!(
                "the script was ended: {} keeps the variables of before",
                self.path.display()
            ));
            return Ok(());
        };
        let (folder, name) = parts(&self.path);
        mitt::internal::write_private(folder, &name.to_string_lossy(), &sealed)
    }
}

/// Returns the folder of a file, and its name there.
fn parts(path: &Path) -> (&Path, &std::ffi::OsStr) {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    (folder, path.file_name().unwrap_or_default())
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(open), Ok(there)) => (open.dev(), open.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same(_: &File, _: &Path) -> bool {
    true
}
