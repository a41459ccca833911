//! An open folder, every file of which is reached through its descriptor by a plain name.
//!
//! A link in the folder is not followed, and only a plain file of this user without a second name (hard link) is opened to
//! write in place. Knows no temporary files.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readable {
    /// Only its owner, because it may hold content of documents.
    Owner,
    /// Everybody whom the user's umask allows.
    Umask,
}

/// A folder that was opened once. It stays the same one if its path is later moved or replaced.
#[derive(Debug)]
pub struct OpenFolder {
    path: PathBuf,
    #[cfg(unix)]
    folder: std::os::fd::OwnedFd,
}

impl OpenFolder {
    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
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

    impl OpenFolder {
        pub(crate) fn open(path: &Path, follow: bool) -> io::Result<OpenFolder> {
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
            Ok(OpenFolder { path, folder })
        }

        /// Opens a folder in this one, and makes it if it is missing. It must not be a link.
        pub fn subfolder(&self, name: &OsStr) -> io::Result<OpenFolder> {
            match rustix::fs::mkdirat(&self.folder, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            let folder = rustix::fs::openat(&self.folder, name, flags, Mode::empty());
            let is_link = || self.kind(name).is_ok_and(|kind| kind == FileType::Symlink);
            let folder = folder
                .map_err(|errno| if is_link() { from_errno(Errno::LOOP) } else { errno.into() })?;
            Ok(OpenFolder { path: self.path.join(name), folder })
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

        pub(crate) fn rename(&self, from: &OsStr, to: &OsStr, replace: bool) -> io::Result<()> {
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

    impl OpenFolder {
        pub(crate) fn open(path: &Path, follow: bool) -> io::Result<OpenFolder> {
            if !follow {
                no_link(path)?;
            }
            if path.as_os_str().is_empty() || path.is_dir() {
                Ok(OpenFolder { path: path.to_owned() })
            } else {
                Err(io::ErrorKind::NotADirectory.into())
            }
        }

        pub fn subfolder(&self, name: &OsStr) -> io::Result<OpenFolder> {
            let path = self.path.join(name);
            std::fs::create_dir_all(&path)?;
            OpenFolder::open(&path, false)
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

        pub(crate) fn rename(&self, from: &OsStr, to: &OsStr, replace: bool) -> io::Result<()> {
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
