//! Artifacts: the files that a session delivers. Each has a temporary name until it is whole and its call has succeeded.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use super::folder::{self, cannot_write};
use super::own_files::{Recorded, Records, announcement};
use crate::capability::{Artifact, Contents, ServiceError};
use mitt_base::digest::sha256;
use mitt_base::memory::{Account, Charge};
use mitt_base::output_folder::{Announced, OutputFolder, Readable, Temporary};
use mitt_base::{Error, ErrorKind, Limit, Resource, Result, SessionLimits, lock};

pub(super) struct Artifacts {
    folder: OnceLock<Arc<OutputFolder>>,
    /// The folder that is opened for the first file.
    later: Mutex<Option<PathBuf>>,
    max_bytes: u64,
    shares: Arc<Shares>,
    state: Mutex<State>,
    // Held while a file gets its name and its record, and while it is compared with it.
    naming: Mutex<()>,
}

/// What all artifacts of a session may have together.
struct Shares {
    max_bytes: u64,
    max_files: u64,
    used: Mutex<Used>,
    budget: Account,
}

/// What a file costs in memory beside its content and what is told of it, in bytes: name, media type, digest.
const FILE_BYTES: u64 = 1_024;

#[derive(Clone, Copy, Default)]
struct Used {
    bytes: u64,
    files: u64,
}

impl Shares {
    /// Room for one more file, of which `in_memory` bytes are in memory; otherwise the limit that it would break.
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

/// The room of one file, given back when the file is dropped: replaced by another, or of a call that failed.
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
    // Files of the folder that Mitt wrote before, and may replace as long as they are as it wrote them.
    own: Records,
}

struct Stored {
    artifact: Artifact,
    content: Content,
    _share: Share,
}

/// A file that is whole, and is not registered yet. Dropped, it leaves no trace.
pub(super) struct Written {
    pub(super) artifact: Artifact,
    content: Unnamed,
    share: Share,
}

/// Content that has no name yet.
enum Unnamed {
    Memory(Vec<u8>),
    File(Arc<OutputFolder>, Temporary),
}

/// Where the content of an artifact is.
#[derive(Clone)]
enum Content {
    Memory(Vec<u8>),
    File(Arc<OutputFolder>),
}

/// A file that has its name. Dropped when the journal says so: until then the folder holds a note of it.
#[must_use]
pub(super) struct Registered {
    _announced: Option<Announced>,
}

impl Artifacts {
    pub(super) fn open(
        folder: Option<Arc<OutputFolder>>,
        own: Records,
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

    /// Opens the folder of [`Artifacts::opens_later`], if it is not open yet. `open` gives what is known of the files in it.
    ///
    /// # Errors
    ///
    /// As `open`.
    pub(super) fn open_now(
        &self,
        open: impl FnOnce(&Path) -> Result<(Arc<OutputFolder>, Records)>,
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

    /// Write a file that holds `contents` under a temporary name, or keep it in memory where there is no folder. `name` was checked
    /// already.
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

    /// Give a written file its name and register it.
    ///
    /// Whatever fails, the folder holds either the old file of this name or the new one.
    pub(super) fn register(&self, written: Written) -> Result<Registered> {
        let Written { artifact, content, share } = written;
        let name = artifact.name.clone();
        let _naming = self.naming();
        let (content, announced) = match content {
            Unnamed::Memory(content) => (Content::Memory(content), None),
            Unnamed::File(folder, file) => {
                // It may have appeared while the call ran.
                let replaces = self
                    .replaces(&folder, &name)
                    .map_err(|refusal| Error::new(ErrorKind::Host, refusal))?;
                // Whoever finds the file and no line of the journal, because we were killed in between, knows it by this.
                let announced = file
                    .announce(&announcement(&artifact))
                    .and_then(|()| file.persist(OsStr::new(&name), replaces))
                    .map_err(|error| cannot_write(folder.path(), &name, error))?;
                (Content::File(folder), Some(announced))
            }
        };
        self.with(|state| {
            state.own.insert(name.clone(), Recorded::of(&artifact));
            let stored = Stored { artifact, content, _share: share };
            match state.stored.iter_mut().find(|stored| stored.artifact.name == name) {
                Some(old) => *old = stored,
                None => state.stored.push(stored),
            }
        });
        Ok(Registered { _announced: announced })
    }

    /// Whether a file of this name is there that may be replaced. A model chooses the names, so it must not be able to replace
    /// a file that Mitt did not make, or that its user has changed since: the error says so.
    fn replaces(&self, folder: &OutputFolder, name: &str) -> std::result::Result<bool, String> {
        if name.eq_ignore_ascii_case(folder::JOURNAL) {
            return Err(format!("`{name}` is the session's journal; use another name"));
        }
        // A link counts as a file, wherever it leads.
        if !folder.has(OsStr::new(name)) {
            return Ok(false);
        }
        let recorded = self.with(|state| state.own.get(name).cloned());
        match recorded.is_some_and(|recorded| recorded.is_in(folder, name, self.max_bytes)) {
            true => Ok(true),
            // Either the journal does not have the file, or somebody changed it since: in both cases it belongs to the user.
            false => Err(format!(
                "a file `{name}` is in the output folder already and was not made by mitt, or was changed since; use another name"
            )),
        }
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
        Artifacts::open(None, Records::new(), &limits, &budget)
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
        // Of a call that failed.
        drop(second);
        drop(artifacts.register(first).unwrap());
        drop(artifacts.register(written(&artifacts, "a.txt", 30).unwrap()).unwrap());
        // The file that was replaced takes no room any more.
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
