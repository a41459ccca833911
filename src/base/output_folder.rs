//! An output folder, which another user may have filled before.
//!
//! The folder is opened once, and every file in it is reached through that descriptor by a plain name. So nothing changes if
//! the path of the folder is later moved or replaced, and no link in the folder is followed. Before it is appended to, a
//! file must be a plain file of this user without a second name (hard link): a line of the journal never lands in another
//! file.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use serde_json::Value;

use crate::lock;
use crate::scratch::Scratch;

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readable {
    /// Only its owner, because it may hold content of documents.
    Owner,
    /// Everybody whom the user's umask allows.
    Umask,
}

/// A folder that files are written to.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    /// The current writer of temporary files; dropped with the last of its files.
    scratch: Mutex<Weak<Scratch>>,
    #[cfg(unix)]
    folder: std::os::fd::OwnedFd,
}

/// A file under a temporary name, removed on drop. It is closed, because a call may write more files than a process may have
/// open.
#[derive(Debug)]
pub struct Temporary {
    folder: Arc<OutputFolder>,
    scratch: Arc<Scratch>,
    /// `None` once the file has its final name.
    name: Option<String>,
}

/// Keeps the announcement of a file that has its final name, until it is dropped.
#[derive(Debug)]
pub struct Announced {
    _scratch: Arc<Scratch>,
}

impl Temporary {
    /// Records the next step, for the process that cleans up if this one is killed before it is done.
    pub fn announce(&self, step: &Value) -> io::Result<()> {
        self.scratch.announce(step)
    }

    /// Gives the file its final name. An existing file is replaced only if `replace`; an existing link is replaced, not
    /// followed.
    pub fn persist(mut self, name: &OsStr, replace: bool) -> io::Result<Announced> {
        if let Some(temporary) = &self.name {
            self.folder.rename(OsStr::new(temporary), name, replace)?;
            self.name = None;
        }
        Ok(Announced { _scratch: self.scratch.clone() })
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = self.folder.remove(OsStr::new(name));
        }
    }
}

impl OutputFolder {
    /// Opens the folder `path`, and makes it if it is missing. It must not be a link: another user could have put the link
    /// there.
    pub fn create(path: &Path) -> io::Result<OutputFolder> {
        std::fs::create_dir_all(path)?;
        OutputFolder::open(path, false)
    }

    /// Opens the existing folder `path`, which the user named; a link is followed.
    pub fn existing(path: &Path) -> io::Result<OutputFolder> {
        OutputFolder::open(path, true)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file under a temporary name.
    pub fn write(
        self: &Arc<OutputFolder>,
        content: &[u8],
        readable: Readable,
    ) -> io::Result<Temporary> {
        use std::io::Write as _;

        let scratch = self.scratch()?;
        // The name has 120 random bits, so an existing file of that name was put there on purpose.
        let name = scratch.name()?;
        let mut file = self.create_new(OsStr::new(&name), readable)?;
        let temporary = Temporary { folder: self.clone(), scratch, name: Some(name) };
        file.write_all(content)?;
        // Some systems report a full disk only here. It also keeps the name from pointing at half a file after a power
        // failure.
        file.sync_all()?;
        Ok(temporary)
    }

    /// Returns the current writer of temporary files. One lock serves many files, because a process may not have thousands
    /// open.
    fn scratch(self: &Arc<OutputFolder>) -> io::Result<Arc<Scratch>> {
        let mut known = lock(&self.scratch);
        if let Some(scratch) = known.upgrade().filter(|scratch| !scratch.is_full()) {
            return Ok(scratch);
        }
        let scratch = Arc::new(Scratch::within(self.clone())?);
        *known = Arc::downgrade(&scratch);
        Ok(scratch)
    }
}

#[cold]
fn refused(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

#[cfg(unix)]
mod system {
    use std::os::unix::fs::MetadataExt as _;

    use rustix::fs::{AtFlags, FileType, Mode, OFlags};
    use rustix::io::Errno;

    use super::*;

    impl Readable {
        fn mode(self) -> Mode {
            match self {
                Readable::Owner => Mode::from_raw_mode(0o600),
                Readable::Umask => Mode::from_raw_mode(0o666),
            }
        }
    }

    /// Translates the system's "too many levels", which stands for a link that was not to be followed.
    fn from_errno(errno: Errno) -> io::Error {
        match errno {
            Errno::LOOP | Errno::MLINK => refused("it is a link, which is not followed here"),
            errno => errno.into(),
        }
    }

    impl OutputFolder {
        pub(super) fn open(path: &Path, follow: bool) -> io::Result<OutputFolder> {
            let mut flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            // For `out/` the system would follow the link in spite of the flag.
            let plain: PathBuf = path.components().collect();
            let path = if plain.as_os_str().is_empty() { PathBuf::from(".") } else { plain };
            if !follow {
                if path.symlink_metadata()?.is_symlink() {
                    return Err(refused("it is a link, which is not followed here"));
                }
                flags |= OFlags::NOFOLLOW;
            }
            let folder = rustix::fs::open(&path, flags, Mode::empty()).map_err(from_errno)?;
            Ok(OutputFolder { path, scratch: Mutex::default(), folder })
        }

        /// Opens a folder in this one, and makes it if it is missing. It must not be a link.
        pub fn subfolder(&self, name: &OsStr) -> io::Result<OutputFolder> {
            match rustix::fs::mkdirat(&self.folder, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            let folder = rustix::fs::openat(&self.folder, name, flags, Mode::empty());
            let is_link = || self.kind(name).is_ok_and(|kind| kind == FileType::Symlink);
            let folder = folder
                .map_err(|errno| if is_link() { from_errno(Errno::LOOP) } else { errno.into() })?;
            Ok(OutputFolder { path: self.path.join(name), scratch: Mutex::default(), folder })
        }

        /// Returns `true` if the name exists, even as a dangling link.
        pub fn has(&self, name: &OsStr) -> bool {
            !matches!(self.kind(name), Err(Errno::NOENT))
        }

        fn kind(&self, name: &OsStr) -> Result<FileType, Errno> {
            let stat = rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(FileType::from_raw_mode(stat.st_mode))
        }

        /// Opens a plain file of this user to read it and to append to it; makes it if it is missing.
        pub fn append(&self, name: &OsStr, readable: Readable) -> io::Result<File> {
            let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
            self.own(name, flags, readable)
        }

        /// Opens a plain file of this user to read and to lock it; makes it if it is missing.
        pub fn read_or_create(&self, name: &OsStr, readable: Readable) -> io::Result<File> {
            self.own(name, OFlags::RDWR | OFlags::CREATE, readable)
        }

        /// Opens a plain file to read it.
        pub fn read(&self, name: &OsStr) -> io::Result<File> {
            let file = self.open_plain(name, OFlags::RDONLY, Readable::Owner)?;
            if file.metadata()?.is_file() { Ok(file) } else { Err(refused("it is no plain file")) }
        }

        /// Opens a file to write in place, which must be a plain file of this user without a second name elsewhere.
        fn own(&self, name: &OsStr, flags: OFlags, readable: Readable) -> io::Result<File> {
            let file = self.open_plain(name, flags, readable)?;
            let data = file.metadata()?;
            if !data.is_file() {
                return Err(refused("it is no plain file"));
            }
            if data.nlink() > 1 {
                return Err(refused(
                    "it has a second name (a hard link), so that something else would be written to",
                ));
            }
            if data.uid() != rustix::process::geteuid().as_raw() {
                return Err(refused("it belongs to another user"));
            }
            Ok(file)
        }

        fn open_plain(&self, name: &OsStr, flags: OFlags, readable: Readable) -> io::Result<File> {
            // Opening a device can have effects of its own, so the type is checked first.
            match self.kind(name) {
                Ok(FileType::RegularFile) | Err(_) => {}
                Ok(FileType::Symlink) => return Err(from_errno(Errno::LOOP)),
                Ok(_) => return Err(refused("it is no plain file")),
            }
            // The file may be replaced at this moment: do not wait for a pipe, and do not follow a link.
            let flags =
                flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            let file = rustix::fs::openat(&self.folder, name, flags, readable.mode());
            Ok(file.map_err(from_errno)?.into())
        }

        /// Makes a new file; an existing name is an error.
        pub fn create_new(&self, name: &OsStr, readable: Readable) -> io::Result<File> {
            let flags =
                OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(rustix::fs::openat(&self.folder, name, flags, readable.mode())?.into())
        }

        pub(super) fn rename(&self, from: &OsStr, to: &OsStr, replace: bool) -> io::Result<()> {
            if !replace {
                // `linkat` fails if the new name exists; then the old name is removed.
                match rustix::fs::linkat(&self.folder, from, &self.folder, to, AtFlags::empty()) {
                    Ok(()) => {
                        let _ = self.remove(from);
                        return Ok(());
                    }
                    Err(Errno::EXIST) => return Err(Errno::EXIST.into()),
                    // On a file system without hard links: check, then rename.
                    Err(_) if self.has(to) => return Err(Errno::EXIST.into()),
                    Err(_) => {}
                }
            }
            Ok(rustix::fs::renameat(&self.folder, from, &self.folder, to)?)
        }

        /// Removes a file; of a link, the link itself.
        pub fn remove(&self, name: &OsStr) -> io::Result<()> {
            Ok(rustix::fs::unlinkat(&self.folder, name, AtFlags::empty())?)
        }
    }
}

/// For systems without descriptors of folders: each path is checked before it is opened, which leaves a short race.
#[cfg(not(unix))]
mod system {
    use super::*;

    fn no_link(path: &Path) -> io::Result<()> {
        match path.symlink_metadata() {
            Ok(data) if data.is_symlink() => {
                Err(refused("it is a link, which is not followed here"))
            }
            _ => Ok(()),
        }
    }

    impl OutputFolder {
        pub(super) fn open(path: &Path, follow: bool) -> io::Result<OutputFolder> {
            if !follow {
                no_link(path)?;
            }
            if path.as_os_str().is_empty() || path.is_dir() {
                Ok(OutputFolder { path: path.to_owned(), scratch: Mutex::default() })
            } else {
                Err(io::ErrorKind::NotADirectory.into())
            }
        }

        pub fn subfolder(&self, name: &OsStr) -> io::Result<OutputFolder> {
            OutputFolder::create(&self.path.join(name))
        }

        pub fn has(&self, name: &OsStr) -> bool {
            self.path.join(name).symlink_metadata().is_ok()
        }

        pub fn append(&self, name: &OsStr, _: Readable) -> io::Result<File> {
            let path = self.path.join(name);
            no_link(&path)?;
            plain(File::options().read(true).append(true).create(true).open(path)?)
        }

        pub fn read_or_create(&self, name: &OsStr, _: Readable) -> io::Result<File> {
            let path = self.path.join(name);
            no_link(&path)?;
            let mut options = File::options();
            plain(options.read(true).write(true).create(true).truncate(false).open(path)?)
        }

        pub fn read(&self, name: &OsStr) -> io::Result<File> {
            let path = self.path.join(name);
            no_link(&path)?;
            plain(File::open(path)?)
        }

        pub fn create_new(&self, name: &OsStr, _: Readable) -> io::Result<File> {
            File::create_new(self.path.join(name))
        }

        pub(super) fn rename(&self, from: &OsStr, to: &OsStr, replace: bool) -> io::Result<()> {
            if !replace && self.has(to) {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            std::fs::rename(self.path.join(from), self.path.join(to))
        }

        pub fn remove(&self, name: &OsStr) -> io::Result<()> {
            std::fs::remove_file(self.path.join(name))
        }
    }

    fn plain(file: File) -> io::Result<File> {
        if file.metadata()?.is_file() { Ok(file) } else { Err(refused("it is no plain file")) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder() -> (tempfile::TempDir, Arc<OutputFolder>) {
        let root = tempfile::tempdir().unwrap();
        let folder = OutputFolder::create(&root.path().join("deep/out")).unwrap();
        (root, Arc::new(folder))
    }

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let (_root, folder) = folder();
        drop(folder.write(b"x", Readable::Umask).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let name = OsStr::new("a.txt");
        folder.write(b"one", Readable::Umask).unwrap().persist(name, false).unwrap();
        assert!(folder.write(b"two", Readable::Umask).unwrap().persist(name, false).is_err());
        assert_eq!(fs::read(folder.path().join("a.txt")).unwrap(), b"one");
        folder.write(b"two", Readable::Umask).unwrap().persist(name, true).unwrap();
        assert_eq!(fs::read(folder.path().join("a.txt")).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn what_becomes_of_the_path_changes_nothing() {
        let (root, folder) = folder();
        let (moved, trap) = (root.path().join("moved"), root.path().join("trap"));
        fs::create_dir(&trap).unwrap();
        fs::rename(folder.path(), &moved).unwrap();
        std::os::unix::fs::symlink(&trap, folder.path()).unwrap();
        let name = OsStr::new("a.txt");
        folder.write(b"x", Readable::Umask).unwrap().persist(name, false).unwrap();
        assert!(moved.join("a.txt").is_file() && fs::read_dir(&trap).unwrap().next().is_none());
        assert!(OutputFolder::create(folder.path()).is_err(), "a link is no folder to write to");
        assert!(OutputFolder::create(&folder.path().join("")).is_err(), "also with a slash behind");
    }

    #[cfg(unix)]
    #[test]
    fn only_plain_files_of_our_own_are_written_to() {
        let (root, folder) = folder();
        let outside = root.path().join("bashrc");
        fs::write(&outside, "mine").unwrap();
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink(&outside, at("link")).unwrap();
        std::os::unix::fs::symlink(root.path().join("nowhere"), at("dangling")).unwrap();
        fs::hard_link(&outside, at("hard")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        crate::plain_file::make_pipe(&at("pipe"));
        for name in ["link", "dangling", "hard", "folder", "pipe"] {
            let name = OsStr::new(name);
            assert!(folder.append(name, Readable::Owner).is_err(), "{name:?}");
            assert!(folder.read_or_create(name, Readable::Owner).is_err(), "{name:?}");
        }
        assert!(folder.read(OsStr::new("link")).is_err());
        assert!(folder.subfolder(OsStr::new("link")).is_err());
        assert!(!root.path().join("nowhere").exists());
        assert!(folder.append(OsStr::new("fresh"), Readable::Owner).is_ok());
    }
}
