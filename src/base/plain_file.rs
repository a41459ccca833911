//! Reading files that somebody else put there: only plain files, only up to a size, and on request only below a folder.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path};

/// The content of a plain file, one byte more than `max_bytes` at most, so that a longer one can be told.
///
/// A pipe or a device would keep the reader waiting or never end: what is no plain file, links followed, is refused.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    content(open_plain(path)?, max_bytes)
}

/// Open what [`read`] reads.
///
/// # Errors
///
/// It is not there, or no plain file.
pub fn open_plain(path: &Path) -> io::Result<File> {
    checked(open(path)?)
}

/// As [`read`], of an open file.
pub fn content(file: File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut content)?;
    Ok(content)
}

/// Whether nobody but its owner can have written what this file says, and the owner is the user of this process or root: what it says
/// is believed only then. Everywhere but on Unix it is believed.
///
/// # Errors
///
/// [`io::ErrorKind::PermissionDenied`] - another user owns it, or may write to it.
pub fn check_own(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;

        let data = file.metadata()?;
        let owners = [0, rustix::process::geteuid().as_raw()];
        if !owners.contains(&data.uid()) || data.mode() & 0o022 != 0 {
            let message = "another user owns it or may write to it";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// Open the plain file at `relative` below `root`. No link is followed below `root`, also none that takes the place of a folder
/// in this moment: each folder is opened in the one before, and the file in the last.
///
/// One way for every system, instead of `openat2` where the kernel has it: a path of plain names has nothing else to refuse.
///
/// # Errors
///
/// It is not there, is no plain file, or `relative` is not a path of plain names.
pub fn open_beneath(root: &Path, relative: &Path) -> io::Result<File> {
    let refused = || io::Error::new(io::ErrorKind::InvalidInput, "it is no path below the folder");
    let mut names = Vec::new();
    for part in relative.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(refused());
            }
        }
    }
    let (name, folders) = names.split_last().ok_or_else(refused)?;
    checked(beneath(root, folders, name)?)
}

#[cfg(unix)]
fn beneath(root: &Path, folders: &[&std::ffi::OsStr], name: &std::ffi::OsStr) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open, openat};

    let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut at = open(root, folder, Mode::empty())?;
    for name in folders {
        at = openat(&at, *name, folder | OFlags::NOFOLLOW, Mode::empty())?;
    }
    // A pipe must not keep us waiting until it is known to be one.
    let file =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(&at, name, file, Mode::empty())?.into())
}

/// Without descriptors of folders every part is looked at before the file is opened, which leaves a moment between.
#[cfg(not(unix))]
fn beneath(root: &Path, folders: &[&std::ffi::OsStr], name: &std::ffi::OsStr) -> io::Result<File> {
    let mut path = root.to_owned();
    for name in folders.iter().chain([&name]) {
        path.push(name);
        if path.symlink_metadata()?.is_symlink() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link"));
        }
    }
    File::open(path)
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};

    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// What was opened, and not what the path named a moment before.
fn checked(file: File) -> io::Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file")),
    }
}

/// A pipe, which keeps whoever opens it waiting: for tests of those who must not wait.
#[cfg(all(test, unix))]
pub fn make_pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    mknodat(CWD, path, FileType::Fifo, Mode::RUSR, 0).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_beneath(root: &Path, path: &str) -> Result<String, ()> {
        let content = open_beneath(root, Path::new(path)).and_then(|file| content(file, 10));
        content.map(|content| String::from_utf8(content).unwrap()).map_err(drop)
    }

    #[test]
    fn only_plain_files_below_the_folder() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("a/b")).unwrap();
        std::fs::write(root.path().join("a/b/c.txt"), "c").unwrap();
        std::fs::write(outside.path().join("s.txt"), "s").unwrap();
        assert_eq!(read_beneath(root.path(), "a/b/c.txt"), Ok("c".into()));
        assert_eq!(read_beneath(root.path(), "./a/./b/c.txt"), Ok("c".into()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(outside.path(), root.path().join("folder")).unwrap();
            symlink(outside.path().join("s.txt"), root.path().join("file")).unwrap();
            symlink("a", root.path().join("inside")).unwrap();
        }
        let absolute = outside.path().join("s.txt").display().to_string();
        let wrong = [
            "",
            ".",
            "a",
            "a/b",
            "../s.txt",
            "a/../a/b/c.txt",
            "missing",
            "folder/s.txt",
            "file",
            "inside/b/c.txt",
            "a/b/c.txt/x",
            &absolute,
        ];
        for wrong in wrong {
            assert_eq!(read_beneath(root.path(), wrong), Err(()), "{wrong}");
        }
    }

    /// Opening a pipe for reading waits for a writer that never comes.
    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_at_once() {
        let root = tempfile::tempdir().unwrap();
        let pipe = root.path().join("pipe");
        make_pipe(&pipe);
        assert!(read(&pipe, 10).is_err());
        assert!(open_beneath(root.path(), Path::new("pipe")).is_err());
    }
}
