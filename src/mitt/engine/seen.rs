//! Files of native code that were compared with their hash before, and folders that the operator trusts as the program: neither
//! is read whole at every start. What is mapped then comes into memory page by page, as it is run.
//!
//! A file is known again by what the system keeps of it and its owner cannot set: device, number, length, and both times, of
//! which that of the last change of content, name or mode can be set by nobody. That is worth something only where nobody else
//! may write to the file: with pages that others have mapped for writing, times say nothing.
//!
//! Knows files. What their content should be, the callers know.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use mitt_base::scratch::write_whole;

/// How long a file must have been left alone before it is compared, in seconds: changes within one tick of the clock of a file
/// system leave the same time.
const SETTLED_SECONDS: i64 = 2;

/// Most marks kept; beyond that the oldest are removed.
const MAX_MARKS: usize = 512;

/// How much of a file is hashed at once: many blocks, which the processor works on side by side.
const READ_BYTES: usize = 1024 * 1024;

/// What says that a file is the one that it was, with nothing changed in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity([i128; 5]);

impl Identity {
    /// Of an open file; none if somebody else may write to it, or where the system does not tell.
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

    /// Elsewhere a file has no time that its owner cannot set.
    #[cfg(not(unix))]
    pub(super) fn of(_: &File) -> Option<Identity> {
        None
    }

    /// Whether another change from now on would show.
    #[allow(
        clippy::disallowed_methods,
        reason = "compared with the times of files, which are of the system's clock; no guest sees it"
    )]
    fn is_settled(&self) -> bool {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let Ok(now) = now.map(|now| i128::from(now.as_secs())) else { return false };
        let [.., changed] = self.0;
        changed / 1_000_000_000 + i128::from(SETTLED_SECONDS) < now
    }

    /// The name of the mark that says that this file holds `content`: nobody makes one without the secret of the folder.
    fn mark(&self, key: &[u8; 32], content: &[u8; 32]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(content);
        for number in self.0 {
            hasher.update(&number.to_le_bytes());
        }
        format!("{}.seen", hasher.finalize().to_hex())
    }
}

/// What was compared, as far as a private folder and its key say so.
pub(super) struct Marks<'a> {
    pub(super) folder: &'a Path,
    pub(super) key: [u8; 32],
}

impl Marks<'_> {
    /// What their key is derived for.
    pub(super) const CONTEXT: &'static str = "mitt 2026-11 native code that was compared";

    /// Whether the file of this identity was found to hold `content` before. That is whatever says it all for the caller: a hash,
    /// or a hash of what must belong together.
    pub(super) fn has(&self, file: &Identity, content: &[u8; 32]) -> bool {
        fs::symlink_metadata(self.folder.join(file.mark(&self.key, content))).is_ok()
    }

    /// Remember it. Best effort: what cannot be remembered is compared again.
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

/// Feed the rest of a file to a hash.
pub(super) fn hash_of(mut file: &File, hasher: &mut blake3::Hasher) -> io::Result<()> {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            read => hasher.update(&buffer[..read]),
        };
    }
}

/// The folders in which native code is believed without being read: those that the operator named, in which nobody but this user
/// and the system's administrator can change anything, so that who could change the code could change the program as well.
#[derive(Debug)]
pub(super) enum Place {
    /// None of the folders.
    Elsewhere,
    /// One of them, and the file under its real name.
    Trusted(PathBuf),
    /// One of them, in which others can write: what they can write to.
    Open(PathBuf),
}

impl Place {
    /// Where the file at `path` lies.
    pub(super) fn of(path: &Path, trusted: &[PathBuf]) -> Place {
        if trusted.is_empty() {
            return Place::Elsewhere;
        }
        let Ok(real) = path.canonicalize() else { return Place::Elsewhere };
        let is_inside =
            |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| real.starts_with(folder));
        if !trusted.iter().any(is_inside) {
            return Place::Elsewhere;
        }
        match open_to_others(&real) {
            Some(open) => Place::Open(open),
            None => Place::Trusted(real),
        }
    }
}

/// The first of a file and the folders above it that somebody else can change.
#[cfg(unix)]
fn open_to_others(real: &Path) -> Option<PathBuf> {
    use rustix::fs::{StatVfsMountFlags, statvfs};

    // What is mounted for reading only, nobody changes from here; there files may belong to whoever made the image.
    let is_fixed = |path: &Path| {
        statvfs(path).is_ok_and(|data| data.f_flag.contains(StatVfsMountFlags::RDONLY))
    };
    let is_closed =
        |path: &Path| path.symlink_metadata().is_ok_and(|data| is_ours(&data)) || is_fixed(path);
    real.ancestors().find(|path| !is_closed(path)).map(Path::to_owned)
}

/// Nobody here can say who else may write.
#[cfg(not(unix))]
fn open_to_others(real: &Path) -> Option<PathBuf> {
    Some(real.to_owned())
}

/// Whether only this user and the administrator can change it. In a folder with the sticky bit, others can add but not replace.
#[cfg(unix)]
fn is_ours(data: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    const STICKY: u32 = 0o1000;
    let owners = [0, rustix::process::geteuid().as_raw()];
    let is_sticky = data.is_dir() && data.mode() & STICKY != 0;
    owners.contains(&data.uid()) && (data.mode() & 0o022 == 0 || is_sticky)
}
