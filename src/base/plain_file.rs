//! Reads files of other users: only plain files, only up to a size, and on request only below a folder.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path};

/// Returns the content of a plain file: at most one byte more than `max_bytes`, so that the caller can detect a longer file.
///
/// Links are followed. Anything but a plain file is refused, because a pipe or a device could block the reader or never end.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    content(open_plain(path)?, max_bytes)
}

/// Opens a file that [`read`] would read.
///
/// # Errors
///
/// The file is missing or is not a plain file.
pub fn open_plain(path: &Path) -> io::Result<File> {
    checked(open(path)?)
}

/// Does what [`read`] does for an open file.
pub fn content(file: File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut content)?;
    Ok(content)
}

/// Checks that only the owner of a file can have written it, and that the owner is the user of this process or root. Callers
/// trust the content only then. Always succeeds on systems other than Unix.
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

/// Checks that no other user can read a file. Always succeeds on systems other than Unix.
///
/// # Errors
///
/// [`io::ErrorKind::PermissionDenied`] - other users may read it.
pub fn check_private(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;

        if file.metadata()?.mode() & 0o077 != 0 {
            let message = "other users may read it";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// Opens the plain file at `relative` below `root`. Links below `root` are not followed, not even one that replaces a folder
/// at this moment: each folder is opened inside the one before, and the file inside the last.
///
/// The same code serves every system, without `openat2`: for a path of plain names it would refuse nothing more.
///
/// # Errors
///
/// The file is missing or is not a plain file, or `relative` is not a path of plain names.
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
    // Without `NONBLOCK`, opening a pipe would wait for its writer.
    let file =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(&at, name, file, Mode::empty())?.into())
}

/// Without descriptors of folders, each part is checked before the file is opened, which leaves a short race.
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

/// Checks the file that was opened, not what the path named a moment before.
fn checked(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"))
    }
}

/// Makes a pipe, which blocks its opener, for tests of code that must not block.
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
