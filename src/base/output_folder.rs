//! An output folder, which another user may have filled before.
//!
//! The folder is opened once, and every file in it is reached through that descriptor by a plain name. So nothing changes if
//! the path of the folder is later moved or replaced, and no link in the folder is followed. Before it is appended to, a
//! file must be a plain file of this user without a second name (hard link): a line of the journal never lands in another
//! file.

use std::ffi::OsStr;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};

use serde_json::Value;

use crate::lock;
use crate::scratch::Scratch;

pub use crate::open_folder::{OpenFolder, Readable};

/// A folder that files are written to.
#[derive(Debug)]
pub struct OutputFolder {
    folder: Arc<OpenFolder>,
    /// The current writer of temporary files; dropped with the last of its files.
    scratch: Mutex<Weak<Scratch>>,
}

/// A file under a temporary name, removed on drop. It is closed, because a call may write more files than a process may have
/// open.
#[derive(Debug)]
pub struct Temporary {
    folder: Arc<OpenFolder>,
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
        OpenFolder::open(path, false).map(OutputFolder::of)
    }

    /// Opens the existing folder `path`, which the user named; a link is followed.
    pub fn existing(path: &Path) -> io::Result<OutputFolder> {
        OpenFolder::open(path, true).map(OutputFolder::of)
    }

    fn of(folder: OpenFolder) -> OutputFolder {
        OutputFolder { folder: Arc::new(folder), scratch: Mutex::default() }
    }

    /// Opens a folder in this one, and makes it if it is missing. It must not be a link.
    pub fn subfolder(&self, name: &OsStr) -> io::Result<OutputFolder> {
        self.folder.subfolder(name).map(OutputFolder::of)
    }

    /// Writes a file under a temporary name.
    pub fn write(&self, content: &[u8], readable: Readable) -> io::Result<Temporary> {
        use std::io::Write as _;

        let scratch = self.scratch()?;
        // The name has 120 random bits, so an existing file of that name was put there on purpose.
        let name = scratch.name()?;
        let mut file = self.folder.create_new(OsStr::new(&name), readable)?;
        let temporary = Temporary { folder: self.folder.clone(), scratch, name: Some(name) };
        file.write_all(content)?;
        // Some systems report a full disk only here. It also keeps the name from pointing at half a file after a power
        // failure.
        file.sync_all()?;
        Ok(temporary)
    }

    /// Returns the current writer of temporary files. One lock serves many files, because a process may not have thousands
    /// open.
    fn scratch(&self) -> io::Result<Arc<Scratch>> {
        let mut known = lock(&self.scratch);
        if let Some(scratch) = known.upgrade().filter(|scratch| !scratch.is_full()) {
            return Ok(scratch);
        }
        let scratch = Arc::new(Scratch::within(self.folder.clone())?);
        *known = Arc::downgrade(&scratch);
        Ok(scratch)
    }
}

/// Files are read, appended to and removed as in any open folder.
impl Deref for OutputFolder {
    type Target = OpenFolder;

    fn deref(&self) -> &OpenFolder {
        &self.folder
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
