//! Writes files of commands to places that the user names. An existing file is replaced only if Mitt wrote it and nobody has
//! changed it since, or with `--force`.
//!
//! Size and digest of each written path are recorded in the user's cache folder. Sessions use their journal for that; this
//! is for commands without a session.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::runs::make_private;
use mitt_base::digest::sha256;
use mitt_base::output_folder::{OutputFolder, Readable};
use mitt_base::{Error, ErrorKind, Result, plain_file, scratch};

/// Folder of the records, inside the cache folder.
const RECORDS: &str = "written";

/// Most records. The oldest are dropped first; their files then count as the user's own.
const MAX_RECORDS: usize = 4_096;

/// Largest record, in bytes: a digest and a size.
const MAX_RECORD_BYTES: u64 = 128;

/// Writes the files of one command.
pub(super) struct Delivery {
    /// `None` if the user wants no cache; then no existing file counts as Mitt's.
    records: Option<PathBuf>,
    force: bool,
}

impl Delivery {
    /// Makes a writer. `cache` is the user's cache folder; with `force` everything is replaced.
    pub(super) fn new(cache: Option<&Path>, force: bool) -> Delivery {
        Delivery { records: cache.map(|cache| cache.join(RECORDS)), force }
    }

    /// Checks that `path` may be written, before work that takes long.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - it is not the name of a file, or an existing file must not be replaced.
    pub(super) fn check(&self, path: &Path) -> Result<()> {
        let (folder, name) = parts(path)?;
        match OutputFolder::existing(folder) {
            Ok(folder) => self.replaces(&folder, name, path).map(drop),
            // Writing it makes the folder, or reports what is wrong.
            Err(_) => Ok(()),
        }
    }

    /// Writes a file, whole or not at all, and records it.
    ///
    /// # Errors
    ///
    /// Those of [`Delivery::check`]; [`ErrorKind::Host`] - the file cannot be written.
    pub(super) fn write(&self, path: &Path, content: &[u8]) -> Result<()> {
        let (folder, name) = parts(path)?;
        scratch::sweep(folder);
        let failed = |error: std::io::Error| {
            match error.kind() {
            // It appeared just now.
            std::io::ErrorKind::AlreadyExists => taken(path),
            _ => Error::new(ErrorKind::Host, format!("cannot write {}", path.display()))
                .hint("name a file in a folder that is there and that you may write to; nothing was left half-written")
                .caused_by(error),
        }
        };
        let folder = Arc::new(OutputFolder::existing(folder).map_err(failed)?);
        let replaces = self.replaces(&folder, name, path)?;
        let written = folder.write(content, Readable::Umask).map_err(failed)?;
        written.persist(name, replaces).map_err(failed)?;
        self.remember(path, content);
        Ok(())
    }

    /// Returns `true` if an existing file may be replaced.
    fn replaces(&self, folder: &OutputFolder, name: &OsStr, path: &Path) -> Result<bool> {
        if !folder.has(name) {
            return Ok(false);
        }
        if self.force || self.is_own(folder, name, path) { Ok(true) } else { Err(taken(path)) }
    }

    fn is_own(&self, folder: &OutputFolder, name: &OsStr, path: &Path) -> bool {
        let record = self.record(path).and_then(|at| plain_file::read(&at, MAX_RECORD_BYTES).ok());
        let Some(record) = record else { return false };
        // A link is not a file of ours, wherever it leads.
        let Ok(file) = folder.read(name) else { return false };
        let Ok(size) = file.metadata().map(|data| data.len()) else { return false };
        let is_as_long = record.starts_with(format!("{size} ").as_bytes());
        is_as_long
            && plain_file::content(file, size)
                .is_ok_and(|content| record == recorded(&content).as_bytes())
    }

    /// Returns the path of the record for `path`.
    fn record(&self, path: &Path) -> Option<PathBuf> {
        let (folder, name) = parts(path).ok()?;
        let whole = folder.canonicalize().ok()?.join(name);
        Some(self.records.as_ref()?.join(sha256(whole.as_os_str().as_encoded_bytes())))
    }

    /// Records a written file. If that fails, the file counts as the user's own and is not replaced later: nothing is lost.
    fn remember(&self, path: &Path, content: &[u8]) {
        let (Some(records), Some(record)) = (&self.records, self.record(path)) else { return };
        // Private, like everything in the cache.
        if make_private(records).is_err() {
            return;
        }
        let Ok(folder) = OutputFolder::create(records) else { return };
        forget_oldest(records);
        let written = Arc::new(folder).write(recorded(content).as_bytes(), Readable::Owner);
        if let (Ok(written), Some(name)) = (written, record.file_name()) {
            let _ = written.persist(name, true);
        }
    }
}

fn recorded(content: &[u8]) -> String {
    format!("{} {}", content.len(), sha256(content))
}

/// Makes room for one more record.
fn forget_oldest(records: &Path) {
    let Ok(entries) = std::fs::read_dir(records) else { return };
    let mut found: Vec<(SystemTime, PathBuf)> = entries
        .map_while(std::io::Result::ok)
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    if found.len() < MAX_RECORDS {
        return;
    }
    found.sort();
    // Removes a quarter at once, so that this is not needed for every file.
    for (_, path) in &found[..found.len() - MAX_RECORDS * 3 / 4] {
        let _ = std::fs::remove_file(path);
    }
}

/// Returns the folder of a file, and its name there.
fn parts(path: &Path) -> Result<(&Path, &OsStr)> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(name) = path.file_name() else {
        let message = format!("expected a file, got {}", path.display());
        return Err(Error::new(ErrorKind::Input, message).hint("name a file, such as `report.pdf`"));
    };
    Ok((folder, name))
}

#[cold]
fn taken(path: &Path) -> Error {
    let message = format!(
        "{} is there already, and was not written by mitt or was changed since",
        path.display()
    );
    Error::new(ErrorKind::Input, message).hint("name another file, or replace it with `--force`")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_what_mitt_wrote_and_nobody_changed_is_replaced() {
        let root = tempfile::tempdir().unwrap();
        let (cache, path) = (root.path().join("cache"), root.path().join("a.pdf"));
        let own = Delivery::new(Some(&cache), false);
        own.write(&path, b"one").unwrap();
        own.write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        for changed in [&b"twO"[..], b"two and more", b""] {
            fs::write(&path, changed).unwrap();
            for refused in [own.check(&path), own.write(&path, b"three")] {
                let refused = refused.unwrap_err();
                assert_eq!(refused.kind(), &ErrorKind::Input);
                assert!(refused.render().contains("--force"), "{}", refused.render());
            }
            assert_eq!(fs::read(&path).unwrap(), changed);
        }
        Delivery::new(Some(&cache), true).write(&path, b"three").unwrap();
        own.write(&path, b"four").unwrap();
        // Without records, no file is ours.
        assert!(Delivery::new(None, false).write(&path, b"five").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"four");
        let other = root.path().join("b.pdf");
        fs::copy(&path, &other).unwrap();
        assert!(own.write(&other, b"five").is_err(), "a copy is the user's");
        for none in ["/", "..", ""] {
            assert!(own.write(Path::new(none), b"").is_err(), "{none:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_never_followed() {
        let root = tempfile::tempdir().unwrap();
        let (cache, path) = (root.path().join("cache"), root.path().join("a.pdf"));
        let target = root.path().join("target");
        fs::write(&target, "precious").unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert!(Delivery::new(Some(&cache), false).write(&path, b"x").is_err());
        Delivery::new(Some(&cache), true).write(&path, b"x").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
        assert_eq!(fs::read(&path).unwrap(), b"x");
    }

    #[test]
    fn the_oldest_records_are_forgotten() {
        let root = tempfile::tempdir().unwrap();
        let records = root.path().join(RECORDS);
        fs::create_dir(&records).unwrap();
        for number in 0..MAX_RECORDS {
            fs::write(records.join(number.to_string()), "").unwrap();
        }
        let delivery = Delivery::new(Some(root.path()), false);
        let path = root.path().join("a.pdf");
        delivery.write(&path, b"one").unwrap();
        delivery.write(&path, b"two").unwrap();
        assert!(fs::read_dir(&records).unwrap().count() <= MAX_RECORDS);
    }
}
