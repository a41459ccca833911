//! Files of native code that were compared with their hash before, and folders that the operator trusts like the program. Neither
//! are read completely at every start: a mapped file is loaded page by page as it runs.
//!
//! A file is recognised by metadata that its owner cannot forge: device, number, length, and both times, of which nobody can set
//! the time of the last change of content, name or mode. This holds only if nobody else may write to the file: writes through a
//! shared mapping do not update the times.
//!
//! Knows files. The callers know what they should contain.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use mitt_base::scratch::write_whole;

/// Seconds since its last change after which a file may be marked: changes within one clock tick of a file system get the same
/// time.
const SETTLED_SECONDS: i64 = 2;

/// Most marks that are kept. Beyond that the oldest are removed.
const MAX_MARKS: usize = 512;

/// Bytes of a file that are hashed at once: many blocks, which the processor hashes in parallel.
const READ_BYTES: usize = 1024 * 1024;

/// Metadata that identifies an unchanged file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity([i128; 5]);

impl Identity {
    /// Returns the identity of an open file. `None` if somebody else may write to it, or if the system does not provide the
    /// metadata.
    #[cfg(unix)]
    pub(super) fn of(file: &File) -> Option<Identity> {
        use std::os::unix::fs::MetadataExt as _;

        let data = file.metadata().ok()?;
        let nanoseconds =
            |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        is_ours(&data).then(|| {
            Identity([
                data.dev().into(),
                data.ino().into(),
                data.len().into(),
                nanoseconds(data.mtime(), data.mtime_nsec()),
                nanoseconds(data.ctime(), data.ctime_nsec()),
            ])
        })
    }

    /// Other systems have no time that the owner of a file cannot set.
    #[cfg(not(unix))]
    pub(super) fn of(_: &File) -> Option<Identity> {
        None
    }

    /// Returns whether any later change would alter the metadata.
    #[allow(
        clippy::disallowed_methods,
        reason = "compared with times of files, which are in system time; no guest sees it"
    )]
    fn is_settled(&self) -> bool {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let Ok(now) = now.map(|now| i128::from(now.as_secs())) else { return false };
        let [.., changed] = self.0;
        changed / 1_000_000_000 + i128::from(SETTLED_SECONDS) < now
    }

    /// Returns the name of the mark that says that this file holds `content`. It cannot be computed without the secret of the
    /// folder.
    fn mark(&self, key: &[u8; 32], content: &[u8; 32]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(content);
        for number in self.0 {
            hasher.update(&number.to_le_bytes());
        }
        format!("{}.seen", hasher.finalize().to_hex())
    }
}

/// Marks of files that were compared, in a private folder and with its key.
pub(super) struct Marks<'a> {
    pub(super) folder: &'a Path,
    pub(super) key: [u8; 32],
}

impl Marks<'_> {
    /// Context from which the key is derived.
    pub(super) const CONTEXT: &'static str = "mitt 2026-11 native code that was compared";

    /// Returns whether the file of this identity was found to hold `content` before. `content` is a hash of the file, or of all
    /// that must belong together.
    pub(super) fn has(&self, file: &Identity, content: &[u8; 32]) -> bool {
        fs::symlink_metadata(self.folder.join(file.mark(&self.key, content))).is_ok()
    }

    /// Marks the file. If this fails, it is compared again next time.
    pub(super) fn keep(&self, file: &Identity, content: &[u8; 32]) {
        if file.is_settled()
            && write_whole(self.folder, &file.mark(&self.key, content), b"").is_ok()
        {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&self) {
        let mut marks: Vec<_> = fs::read_dir(self.folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|it| it == "seen"))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        marks.sort();
        let surplus = marks.len().saturating_sub(MAX_MARKS);
        for (_, path) in &marks[..surplus] {
            let _ = fs::remove_file(path);
        }
    }
}

/// Feeds the rest of a file to a hash.
pub(super) fn hash_of(mut file: &File, hasher: &mut blake3::Hasher) -> io::Result<()> {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            read => hasher.update(&buffer[..read]),
        };
    }
}

/// Position of a file relative to the folders whose native code is trusted without being read: those that the operator named,
/// provided that only this user and the administrator can change them. Anybody who could change the code there could change the
/// program as well.
#[derive(Debug)]
pub(super) enum FolderTrust {
    /// In none of the folders.
    Outside,
    /// In one of them; the real path of the file.
    Trusted(PathBuf),
    /// In one of them, but others can write to this path.
    OpenToOthers(PathBuf),
}

impl FolderTrust {
    /// Returns the position of the file at `path`.
    pub(super) fn of(path: &Path, trusted: &[PathBuf]) -> FolderTrust {
        if trusted.is_empty() {
            return FolderTrust::Outside;
        }
        let Ok(real) = path.canonicalize() else { return FolderTrust::Outside };
        let is_inside =
            |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| real.starts_with(folder));
        if !trusted.iter().any(is_inside) {
            return FolderTrust::Outside;
        }
        match open_to_others(&real) {
            Some(open) => FolderTrust::OpenToOthers(open),
            None => FolderTrust::Trusted(real),
        }
    }
}

/// Returns the first path that somebody else can change: the file, or a folder above it.
#[cfg(unix)]
fn open_to_others(real: &Path) -> Option<PathBuf> {
    use rustix::fs::{StatVfsMountFlags, statvfs};

    // Files on a read-only mount cannot be changed from here; they may belong to the maker of the image.
    let is_fixed = |path: &Path| {
        statvfs(path).is_ok_and(|data| data.f_flag.contains(StatVfsMountFlags::RDONLY))
    };
    let is_closed =
        |path: &Path| path.symlink_metadata().is_ok_and(|data| is_ours(&data)) || is_fixed(path);
    real.ancestors().find(|path| !is_closed(path)).map(Path::to_owned)
}

/// Other systems do not report who can write.
#[cfg(not(unix))]
fn open_to_others(real: &Path) -> Option<PathBuf> {
    Some(real.to_owned())
}

/// Returns whether only this user and the administrator can change it. In a folder with the sticky bit, others can add but not
/// replace.
#[cfg(unix)]
fn is_ours(data: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    const STICKY: u32 = 0o1000;
    let owners = [0, rustix::process::geteuid().as_raw()];
    let is_sticky = data.is_dir() && data.mode() & STICKY != 0;
    owners.contains(&data.uid()) && (data.mode() & 0o022 == 0 || is_sticky)
}
