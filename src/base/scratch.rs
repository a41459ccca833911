//! Scratch files, written under a temporary name and then renamed, and the cleanup after a process that was killed.
//!
//! A temporary name is `.mitt-<token>-<random>`. Beside it stands `.mitt-<token>.lock`, which its writer keeps locked as
//! long as it lives. The system releases the lock however the process ends, for every machine and container that shares the
//! folder. [`sweep`] removes the files of locks that nobody holds, and nothing else. On a file system without locks, nothing
//! is ever removed. Knows no final names.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tempfile::{NamedTempFile, TempDir};

use crate::open_folder::{OpenFolder, Readable};
use crate::plain_file;

/// Prefix of every temporary name. No artifact has such a name, because names of artifacts do not begin with a dot.
const PREFIX: &str = ".mitt-";

/// Suffix of the name of a lock.
const LOCK: &str = ".lock";

/// Letters and digits that the names of one writer share; two writers never choose the same.
const TOKEN_CHARS: usize = 16;

/// Letters and digits that distinguish the files of a writer.
const RANDOM_CHARS: usize = 8;

/// How often a writer tries to make a lock. One attempt fails only if a sweep finds the file before it is locked.
const ATTEMPTS: usize = 16;

/// Names that one sweep examines. An attacker may fill the folder; the rest waits for the next sweep.
const MAX_SWEPT: usize = 65_536;

/// Locks of ended processes that one sweep settles. An attacker may fill the folder; the rest waits for the next sweep.
const MAX_RECOVERED: usize = 256;

/// Bytes that are read of the announcements of one lock, more than its writer makes; see [`MAX_ANNOUNCED`].
const MAX_ANNOUNCEMENTS_BYTES: u64 = 256 * 1024;

/// Files of one writer, which bounds its announcements. Names have at most 255 bytes.
const MAX_ANNOUNCED: usize = 64;

/// The temporary files of one writer in one folder. Drop or rename its files before it is dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: Arc<OpenFolder>,
    token: String,
    /// The locked file.
    lock: File,
    files: AtomicUsize,
}

impl Scratch {
    /// Starts to write in `folder`, which exists and was named by the user.
    pub fn new(folder: &Path) -> io::Result<Scratch> {
        Scratch::within(Arc::new(OpenFolder::open(folder, true)?))
    }

    /// Starts to write in `folder`.
    pub(crate) fn within(folder: Arc<OpenFolder>) -> io::Result<Scratch> {
        for _ in 0..ATTEMPTS {
            let token = random(TOKEN_CHARS)?;
            let name = format!("{PREFIX}{token}{LOCK}");
            let lock = match folder.create_new(OsStr::new(&name), Readable::Owner) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                lock => lock?,
            };
            match lock.try_lock() {
                // On a file system without locks, no sweep can take the lock either.
                Ok(()) | Err(TryLockError::Error(_)) => {}
                Err(TryLockError::WouldBlock) => continue,
            }
            if is_linked(&lock) {
                return Ok(Scratch { folder, token, lock, files: AtomicUsize::new(0) });
            }
        }
        Err(io::Error::other("no temporary file could be locked"))
    }

    /// Returns a name for one more file. The caller makes the file and removes it.
    pub fn name(&self) -> io::Result<String> {
        self.files.fetch_add(1, Ordering::Relaxed);
        Ok(format!("{PREFIX}{}-{}", self.token, random(RANDOM_CHARS)?))
    }

    /// Makes a file that only this user may read, and that is removed on drop.
    pub fn file(&self) -> io::Result<NamedTempFile> {
        self.files.fetch_add(1, Ordering::Relaxed);
        let prefix = format!("{PREFIX}{}-", self.token);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).rand_bytes(RANDOM_CHARS).tempfile_in(self.folder.path())
    }

    /// Makes a folder that only this user may read, and that is removed with its content on drop.
    pub fn subfolder(&self) -> io::Result<TempDir> {
        let prefix = format!("{PREFIX}{}-", self.token);
        tempfile::Builder::new()
            .prefix(&prefix)
            .rand_bytes(RANDOM_CHARS)
            .tempdir_in(self.folder.path())
    }

    /// Returns `true` if it had as many files as its announcements have room for.
    pub fn is_full(&self) -> bool {
        self.files.load(Ordering::Relaxed) >= MAX_ANNOUNCED
    }

    /// Records the next step, for a sweep to settle if this process is interrupted.
    pub fn announce(&self, step: &Value) -> io::Result<()> {
        (&self.lock).write_all(format!("{step}\n").as_bytes())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Remove it before closing it: nobody can take the lock while it has a name.
        let _ = self.folder.remove(OsStr::new(&format!("{PREFIX}{}{LOCK}", self.token)));
    }
}

/// Returns letters and digits that nobody has chosen before.
fn random(chars: usize) -> io::Result<String> {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut bytes = vec![0; chars];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect())
}

/// Writes a file under a temporary name and renames it when it is complete, so that a reader sees either the old file or the
/// new one.
pub fn write_whole(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let scratch = Scratch::new(folder)?;
    let mut file = scratch.file()?;
    file.write_all(content)?;
    file.persist(folder.join(name))?;
    Ok(())
}

/// Removes the temporary files in `folder` that no living process holds.
///
/// Files with announcements are left for a caller that can [`recover`] them.
pub fn sweep(folder: &Path) {
    sweep_with(folder, None);
}

/// Does what [`sweep`] does, and first calls `on_step` with each announced step and the files of its writer.
pub fn recover(folder: &Path, mut on_step: impl FnMut(Value, &[PathBuf])) {
    sweep_with(folder, Some(&mut on_step));
}

/// Called with an announced step and the files of the writer that announced it.
type StepHandler<'a> = &'a mut dyn FnMut(Value, &[PathBuf]);

fn sweep_with(folder: &Path, mut on_step: Option<StepHandler<'_>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in entries.map_while(io::Result::ok).take(MAX_SWEPT) {
        let name = entry.file_name();
        let Some((token, is_lock)) = name.to_str().and_then(parse) else { continue };
        let files = found.entry(token.to_owned()).or_default();
        if !is_lock {
            files.push(entry.path());
        }
    }
    let mut recovered = 0;
    for (token, files) in found {
        let lock = format!("{PREFIX}{token}{LOCK}");
        let Some(held) = take_over(folder, &lock) else { continue };
        recovered += 1;
        if recovered > MAX_RECOVERED {
            break;
        }
        let steps = announced(&held);
        match &mut on_step {
            Some(on_step) => steps.into_iter().for_each(|step| on_step(step, &files)),
            None if steps.is_empty() => {}
            None => continue,
        }
        files.iter().for_each(|path| remove_own(path));
        // Removed last, so that the next sweep finds the rest if this one is interrupted.
        let _ = fs::remove_file(folder.join(&lock));
    }
}

/// Returns the token of a name, and whether the name is that of a lock. `None` if it does not have exactly this form.
fn parse(name: &str) -> Option<(&str, bool)> {
    let is_random =
        |text: &str, chars| text.len() == chars && text.bytes().all(|b| b.is_ascii_alphanumeric());
    let (token, rest) = name.strip_prefix(PREFIX)?.split_at_checked(TOKEN_CHARS)?;
    let is_lock = rest == LOCK;
    let is_file = rest.strip_prefix('-').is_some_and(|rest| is_random(rest, RANDOM_CHARS));
    (is_random(token, TOKEN_CHARS) && (is_lock || is_file)).then_some((token, is_lock))
}

/// Takes the lock of a writer that is gone. `None` if the writer lives, the lock belongs to another user, or it has
/// vanished.
fn take_over(folder: &Path, name: &str) -> Option<File> {
    // Opening a device can have effects of its own, so the type is checked first.
    fs::symlink_metadata(folder.join(name)).ok().filter(|it| it.is_file() && is_own(it))?;
    let file = plain_file::open_beneath(folder, Path::new(name)).ok()?;
    file.metadata().ok().filter(is_own)?;
    // Fails while its writer or another sweep holds it, and where there are no locks.
    file.try_lock().ok()?;
    is_linked(&file).then_some(file)
}

fn announced(lock: &File) -> Vec<Value> {
    let mut text = Vec::new();
    // An announcement that cannot be read is treated as none.
    let _ = lock.take(MAX_ANNOUNCEMENTS_BYTES).read_to_end(&mut text);
    let lines = text.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).take(MAX_ANNOUNCED).collect()
}

/// Removes a file or a folder of this user. Links are not followed: `remove_dir_all` removes the links themselves.
fn remove_own(path: &Path) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    if !is_own(&metadata) {
        return;
    }
    // The next sweep tries again what cannot be removed now.
    let _ = match metadata.file_type() {
        it if it.is_file() => fs::remove_file(path),
        it if it.is_dir() => fs::remove_dir_all(path),
        _ => Ok(()),
    };
}

#[cfg(unix)]
fn is_own(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Returns `true` if the file still has its name: a sweep may have removed it before it was locked.
#[cfg(unix)]
fn is_linked(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    file.metadata().is_ok_and(|metadata| metadata.nlink() > 0)
}

// Windows does not let anybody remove a file that another process has open.
#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

#[cfg(not(unix))]
fn is_linked(_: &File) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Leaves the scratch files as a killed process does: nothing is dropped, and nobody holds the lock.
    fn killed(scratch: Scratch, file: Option<NamedTempFile>) {
        let scratch = std::mem::ManuallyDrop::new(scratch);
        scratch.lock.unlock().unwrap();
        if let Some(file) = file {
            file.keep().unwrap();
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn of_many_locks_only_so_many_are_settled_at_once() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..MAX_RECOVERED + 10 {
            let lock = format!("{PREFIX}{number:016}{LOCK}");
            fs::write(folder.path().join(lock), "[1]\n[2]\n").unwrap();
        }
        for steps in [2 * MAX_RECOVERED, 20, 0] {
            let mut calls = 0;
            recover(folder.path(), |_, _| calls += 1);
            assert_eq!(calls, steps);
        }
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn what_nobody_holds_is_removed_and_what_lives_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (living, dead) =
            (Scratch::new(folder.path()).unwrap(), Scratch::new(folder.path()).unwrap());
        let (kept, file) = (living.file().unwrap(), dead.file().unwrap());
        let inside = dead.subfolder().unwrap();
        fs::write(inside.path().join("f"), "x").unwrap();
        let _left_behind = inside.keep();
        killed(dead, Some(file));
        assert_eq!(names(folder.path()).len(), 5);
        sweep(folder.path());
        assert_eq!(names(folder.path()).len(), 2, "{:?}", names(folder.path()));
        assert!(kept.path().exists());
        kept.persist(folder.path().join("a.txt")).unwrap();
        drop(living);
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn files_of_others_with_a_similar_name_stay() {
        let folder = tempfile::tempdir().unwrap();
        let similar = [
            ".mitt-trust.json",
            ".mitt-0123456789abcdef",
            ".mitt-0123456789abcdef.lock.txt",
            ".mitt-0123456789abcdef-1234567",
            ".mitt-0123456789abcdef-12345678.md",
            ".mitt-0123456789abcde\u{e9}.lock",
            ".mitt-.123456789abcdef.lock",
            // A file without a lock may belong to any writer.
            ".mitt-0123456789abcdee-12345678",
            "mitt-0123456789abcdef.lock",
        ];
        for name in similar {
            fs::write(folder.path().join(name), name).unwrap();
        }
        sweep(folder.path());
        assert_eq!(names(folder.path()).len(), similar.len());
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed_and_no_pipe_waited_for() {
        use std::os::unix::fs::symlink;

        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let outside = other.path().join("f");
        fs::write(&outside, "x").unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink(&outside, at(".mitt-aaaaaaaaaaaaaaaa.lock")).unwrap();
        fs::write(at(".mitt-aaaaaaaaaaaaaaaa-12345678"), "").unwrap();
        fs::write(at(".mitt-bbbbbbbbbbbbbbbb.lock"), "").unwrap();
        symlink(other.path(), at(".mitt-bbbbbbbbbbbbbbbb-12345678")).unwrap();
        let pipe = at(".mitt-cccccccccccccccc.lock");
        plain_file::make_pipe(&pipe);
        sweep(folder.path());
        assert_eq!(fs::read_to_string(outside).unwrap(), "x");
        assert!(pipe.exists() && at(".mitt-aaaaaaaaaaaaaaaa-12345678").exists());
        assert!(at(".mitt-bbbbbbbbbbbbbbbb-12345678").symlink_metadata().is_ok());
    }

    #[test]
    fn what_was_announced_is_settled_once_and_by_whoever_can() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(folder.path()).unwrap();
        scratch.announce(&json!({ "name": "a.md" })).unwrap();
        scratch.announce(&json!({ "name": "b.md" })).unwrap();
        // The process was killed while it wrote a third line.
        (&scratch.lock).write_all(b"{\"name\": \"c").unwrap();
        killed(scratch, None);
        sweep(folder.path());
        assert_eq!(names(folder.path()).len(), 1);
        let mut steps = Vec::new();
        for _ in 0..2 {
            recover(folder.path(), |step, _| steps.push(step));
        }
        assert_eq!(steps, [json!({ "name": "a.md" }), json!({ "name": "b.md" })]);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_sweep_beside_many_writers_takes_nothing_from_them() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let folder = folder.path();
                scope.spawn(move || {
                    for number in 0..100 {
                        write_whole(folder, &format!("{writer}-{number}"), b"x").unwrap();
                    }
                });
            }
            for _ in 0..200 {
                sweep(folder.path());
            }
        });
        assert_eq!(names(folder.path()).len(), 400);
    }
}
