//! Artifacts: the files that a session delivers. A file has a temporary name until it is complete and its call has succeeded.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use super::super::journal::{FileRecord, FileRecords, JOURNAL, announcement, cannot_write};
use mitt_base::digest::sha256;
use mitt_base::memory::{Account, Charge};
use mitt_base::output_folder::{Announced, OutputFolder, Readable, Temporary};
use mitt_base::{Error, ErrorKind, Limit, Resource, Result, SessionLimits, lock};
use mitt_skill::capability::{Artifact, Contents, ContentsInternal as _, ServiceError};

pub(super) struct Artifacts {
    folder: OnceLock<Arc<OutputFolder>>,
    /// Folder that is opened when the first file is written.
    later: Mutex<Option<PathBuf>>,
    max_bytes: u64,
    shares: Arc<Shares>,
    state: Mutex<State>,
    // Held while a file gets its name and its record, and while a file is compared with its record.
    naming: Mutex<()>,
}

/// Limits shared by all artifacts of a session.
struct Shares {
    max_bytes: u64,
    max_files: u64,
    used: Mutex<Used>,
    budget: Account,
}

/// Bytes of memory charged for a file in addition to its content and description: name, media type, digest.
const FILE_BYTES: u64 = 1_024;

#[derive(Clone, Copy, Default)]
struct Used {
    bytes: u64,
    files: u64,
}

impl Shares {
    /// Reserves room for one more file, of which `in_memory` bytes are in memory. Returns the limit that the file would exceed
    /// otherwise.
    fn take(self: &Arc<Shares>, bytes: u64, in_memory: u64) -> std::result::Result<Share, Limit> {
        let charge = self.budget.charge(in_memory + FILE_BYTES)?;
        let mut used = lock(&self.used);
        let after = Used { bytes: used.bytes.saturating_add(bytes), files: used.files + 1 };
        if after.bytes > self.max_bytes {
            return Err(Limit::new(Resource::Artifacts, self.max_bytes, after.bytes));
        }
        if after.files > self.max_files {
            return Err(Limit::new(Resource::ArtifactFiles, self.max_files, after.files));
        }
        *used = after;
        Ok(Share { of: self.clone(), bytes, _charge: charge })
    }
}

/// Room reserved for one file. Dropped, it is released: when another file replaces this one, or its call fails.
struct Share {
    of: Arc<Shares>,
    bytes: u64,
    _charge: Charge,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut used = lock(&self.of.used);
        used.bytes -= self.bytes;
        used.files -= 1;
    }
}

struct State {
    stored: Vec<Stored>,
    // Files of the folder that earlier sessions wrote. They may be replaced as long as they are unchanged.
    own: FileRecords,
}

struct Stored {
    artifact: Artifact,
    content: Content,
    _share: Share,
}

/// Complete file that is not registered yet. Dropping it removes the file.
pub(in crate::session) struct Written {
    pub(in crate::session) artifact: Artifact,
    content: Unnamed,
    share: Share,
}

/// Content without a final name.
enum Unnamed {
    Memory(Vec<u8>),
    File(Arc<OutputFolder>, Temporary),
}

/// Location of an artifact's content.
#[derive(Clone)]
enum Content {
    Memory(Vec<u8>),
    File(Arc<OutputFolder>),
}

/// File under its final name. It is dropped after the journal has an entry for it; until then the folder holds a note about it.
#[must_use]
pub(super) struct Registered {
    _announced: Option<Announced>,
}

impl Artifacts {
    pub(super) fn open(
        folder: Option<Arc<OutputFolder>>,
        own: FileRecords,
        limits: &SessionLimits,
        budget: &Account,
    ) -> Artifacts {
        let state = State { stored: Vec::new(), own };
        let shares = Shares {
            max_bytes: limits.artifacts_bytes,
            max_files: limits.artifact_files,
            used: Mutex::default(),
            budget: budget.clone(),
        };
        Artifacts {
            folder: folder.map_or_else(OnceLock::new, OnceLock::from),
            later: Mutex::default(),
            max_bytes: limits.artifact_bytes,
            shares: Arc::new(shares),
            state: Mutex::new(state),
            naming: Mutex::default(),
        }
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.get().map(|folder| folder.path())
    }

    /// Opens the folder at `path` when the first file is written.
    pub(super) fn opens_later(&self, path: PathBuf) {
        *lock(&self.later) = Some(path);
    }

    /// Opens the folder of [`Artifacts::opens_later`] unless it is open. `open` returns the folder and the records of its files.
    ///
    /// # Errors
    ///
    /// The errors of `open`.
    pub(super) fn open_now(
        &self,
        open: impl FnOnce(&Path) -> Result<(Arc<OutputFolder>, FileRecords)>,
    ) -> Result<()> {
        let mut later = lock(&self.later);
        let Some(path) = later.as_deref() else { return Ok(()) };
        let (folder, own) = open(path)?;
        self.with(|state| state.own = own);
        let _ = self.folder.set(folder);
        *later = None;
        Ok(())
    }

    pub(super) fn list(&self) -> Vec<Artifact> {
        self.with(|state| state.stored.iter().map(|stored| stored.artifact.clone()).collect())
    }

    pub(super) fn content(&self, name: &str) -> Result<Vec<u8>> {
        let found = self.with(|state| {
            let stored = state.stored.iter().find(|stored| stored.artifact.name == name)?;
            Some(stored.content.clone())
        });
        match found {
            None => {
                Err(Error::new(ErrorKind::Input, format!("no artifact `{name}` in this session")))
            }
            Some(Content::Memory(content)) => Ok(content),
            Some(Content::File(folder)) => read(&folder, name),
        }
    }

    /// Writes a file under a temporary name, or keeps it in memory if there is no folder. The caller has checked `name`.
    pub(super) fn write(
        &self,
        name: &str,
        media_type: &str,
        content: Vec<u8>,
        contents: Contents,
    ) -> Result<std::result::Result<Written, ServiceError>> {
        let size = content.len() as u64;
        if size > self.max_bytes {
            let limit = Limit::new(Resource::Artifact, self.max_bytes, size);
            return Ok(Err(ServiceError::Quota(limit.to_string())));
        }
        let in_memory = if self.folder.get().is_none() { size } else { 0 };
        let share = match self.shares.take(size, in_memory + contents.bytes()) {
            Ok(share) => share,
            Err(limit) => {
                return Ok(Err(ServiceError::Quota(Error::reached(limit).to_string())));
            }
        };
        let artifact = Artifact {
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            size,
            sha256: sha256(&content),
            contents,
        };
        let content = match self.folder.get() {
            None => Unnamed::Memory(content),
            Some(folder) => {
                let naming = self.naming();
                if let Err(refusal) = self.replaces(folder, name) {
                    return Ok(Err(ServiceError::InvalidArgument(refusal)));
                }
                drop(naming);
                let written = folder.write(&content, Readable::Umask);
                let written = written.map_err(|error| cannot_write(folder.path(), name, error))?;
                Unnamed::File(folder.clone(), written)
            }
        };
        Ok(Ok(Written { artifact, content, share }))
    }

    /// Gives a written file its final name and registers it.
    ///
    /// If this fails, the folder holds either the old file of this name or the new one, complete.
    pub(super) fn register(&self, written: Written) -> Result<Registered> {
        let Written { artifact, content, share } = written;
        let name = artifact.name.clone();
        let _naming = self.naming();
        let (content, announced) = match content {
            Unnamed::Memory(content) => (Content::Memory(content), None),
            Unnamed::File(folder, file) => {
                // The file may have appeared while the call ran.
                let replaces = self
                    .replaces(&folder, &name)
                    .map_err(|refusal| Error::new(ErrorKind::Host, refusal))?;
                // If the process is killed before the journal has its entry, this note identifies the file as Mitt's.
                let announced = file
                    .announce(&announcement(&artifact))
                    .and_then(|()| file.persist(OsStr::new(&name), replaces))
                    .map_err(|error| cannot_write(folder.path(), &name, error))?;
                (Content::File(folder), Some(announced))
            }
        };
        self.with(|state| {
            state.own.insert(name.clone(), FileRecord::of(&artifact));
            let stored = Stored { artifact, content, _share: share };
            match state.stored.iter_mut().find(|stored| stored.artifact.name == name) {
                Some(old) => *old = stored,
                None => state.stored.push(stored),
            }
        });
        Ok(Registered { _announced: announced })
    }

    /// Returns whether a file of this name exists that may be replaced. Models choose the names, so the error refuses to replace
    /// a file that Mitt did not write or that the user has changed since.
    fn replaces(&self, folder: &OutputFolder, name: &str) -> std::result::Result<bool, String> {
        if name.eq_ignore_ascii_case(JOURNAL) {
            return Err(format!("`{name}` is the session's journal; use another name"));
        }
        // A link counts as a file, wherever it points.
        if !folder.has(OsStr::new(name)) {
            return Ok(false);
        }
        let recorded = self.with(|state| state.own.get(name).cloned());
        if recorded.is_some_and(|recorded| recorded.is_in(folder, name, self.max_bytes)) {
            return Ok(true);
        }
        // Either the journal does not list the file, or somebody changed it since: it belongs to the user.
        Err(format!(
            "a file `{name}` is in the output folder already and was not made by mitt, or was changed since; use another name"
        ))
    }

    fn naming(&self) -> MutexGuard<'_, ()> {
        lock(&self.naming)
    }

    fn with<R>(&self, f: impl FnOnce(&mut State) -> R) -> R {
        f(&mut lock(&self.state))
    }
}

fn read(folder: &OutputFolder, name: &str) -> Result<Vec<u8>> {
    let read = || {
        let mut content = Vec::new();
        folder.read(OsStr::new(name))?.read_to_end(&mut content)?;
        Ok(content)
    };
    read().map_err(|error: std::io::Error| {
        let path = folder.path().join(name);
        Error::new(ErrorKind::Host, format!("cannot read the artifact {}", path.display()))
            .caused_by(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifacts(artifacts_bytes: u64, artifact_files: u64) -> Artifacts {
        let limits = SessionLimits { artifacts_bytes, artifact_files, ..SessionLimits::default() };
        let budget = Account::root(Resource::SessionMemory, u64::MAX);
        Artifacts::open(None, FileRecords::new(), &limits, &budget)
    }

    fn written(artifacts: &Artifacts, name: &str, bytes: usize) -> Option<Written> {
        match artifacts.write(name, "text/plain", vec![0; bytes], Contents::default()).unwrap() {
            Ok(written) => Some(written),
            Err(ServiceError::Quota(_)) => None,
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn files_share_the_room_of_their_session_from_the_moment_they_are_written() {
        let artifacts = artifacts(100, 10);
        let first = written(&artifacts, "a.txt", 60).unwrap();
        assert!(written(&artifacts, "b.txt", 41).is_none());
        let second = written(&artifacts, "b.txt", 40).unwrap();
        // Dropped as if its call had failed.
        drop(second);
        drop(artifacts.register(first).unwrap());
        drop(artifacts.register(written(&artifacts, "a.txt", 30).unwrap()).unwrap());
        // The replaced file no longer counts.
        drop(artifacts.register(written(&artifacts, "c.txt", 70).unwrap()).unwrap());
        assert!(written(&artifacts, "d.txt", 1).is_none());
        assert!(written(&artifacts, "d.txt", 0).is_some());
    }

    #[test]
    fn empty_files_are_counted_too() {
        let artifacts = artifacts(100, 2);
        let kept = [written(&artifacts, "a.txt", 0), written(&artifacts, "b.txt", 0)];
        let Err(ServiceError::Quota(message)) =
            artifacts.write("c.txt", "text/plain", Vec::new(), Contents::default()).unwrap()
        else {
            panic!("a third file");
        };
        assert_eq!(message, "artifact-files limit of 2 files reached: 3 files");
        drop(kept);
        assert!(written(&artifacts, "c.txt", 0).is_some());
    }
}
