//! Artifacts: files under a temporary name until they are whole and their call succeeded, then renamed.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{journal, recovery};
use crate::capability::{Artifact, ServiceError};
use crate::digest::sha256;
#[cfg(feature = "cli")]
use crate::scratch;
use crate::scratch::Scratch;
use crate::{Error, ErrorKind, Limit, Resource, Result, SessionLimits};

pub(super) struct Artifacts {
    folder: Option<PathBuf>,
    max_bytes: u64,
    shares: Arc<Shares>,
    state: Mutex<State>,
}

/// What all artifacts of a session may have together.
struct Shares {
    max_bytes: u64,
    max_files: u64,
    used: Mutex<Used>,
}

#[derive(Clone, Copy, Default)]
struct Used {
    bytes: u64,
    files: u64,
}

impl Shares {
    /// Room for one more file; otherwise the limit that it would break.
    fn take(self: &Arc<Shares>, bytes: u64) -> std::result::Result<Share, Limit> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let after = Used { bytes: used.bytes.saturating_add(bytes), files: used.files + 1 };
        if after.bytes > self.max_bytes {
            return Err(Limit::new(Resource::Artifacts, self.max_bytes, after.bytes));
        }
        if after.files > self.max_files {
            return Err(Limit::new(Resource::ArtifactFiles, self.max_files, after.files));
        }
        *used = after;
        Ok(Share { of: self.clone(), bytes })
    }
}

/// The room of one file, given back when the file is dropped: replaced by another, or of a call that failed.
struct Share {
    of: Arc<Shares>,
    bytes: u64,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut used = self.of.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.bytes -= self.bytes;
        used.files -= 1;
    }
}

struct State {
    stored: Vec<Stored>,
    // Files of the folder that Mitt wrote before, and so may replace.
    own: BTreeSet<String>,
    // Where files are written now; gone when none is left.
    scratch: Weak<Scratch>,
}

struct Stored {
    artifact: Artifact,
    // Only where there is no folder.
    content: Option<Vec<u8>>,
    _share: Share,
}

/// A file that is whole, and is not registered yet. Dropped, it leaves no trace.
pub(super) struct Written {
    pub(super) artifact: Artifact,
    content: Content,
    share: Share,
}

enum Content {
    Memory(Vec<u8>),
    // A path and not a file: a call may write more files than a process may have open. The path is dropped first.
    File(tempfile::TempPath, Arc<Scratch>),
}

/// A file that has its name. Dropped when the journal says so: until then the folder holds a note of it.
#[must_use]
pub(super) struct Registered {
    _announced: Option<Arc<Scratch>>,
}

impl Artifacts {
    pub(super) fn open(
        folder: Option<&Path>,
        own: Vec<String>,
        limits: &SessionLimits,
    ) -> Artifacts {
        let own = own.into_iter().collect();
        let state = State { stored: Vec::new(), own, scratch: Weak::new() };
        let shares = Shares {
            max_bytes: limits.artifacts_bytes,
            max_files: limits.artifact_files,
            used: Mutex::default(),
        };
        Artifacts {
            folder: folder.map(Path::to_owned),
            max_bytes: limits.artifact_bytes,
            shares: Arc::new(shares),
            state: Mutex::new(state),
        }
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
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
            Some(Some(content)) => Ok(content),
            Some(None) => {
                let path = self.folder.as_deref().unwrap_or(Path::new("")).join(name);
                std::fs::read(&path).map_err(|error| {
                    Error::new(
                        ErrorKind::Host,
                        format!("cannot read the artifact {}", path.display()),
                    )
                    .caused_by(error)
                })
            }
        }
    }

    /// Write a file under a temporary name, or keep it in memory where there is no folder. `name` was checked already.
    pub(super) fn write(
        &self,
        name: &str,
        media_type: &str,
        content: Vec<u8>,
    ) -> Result<std::result::Result<Written, ServiceError>> {
        let size = content.len() as u64;
        if size > self.max_bytes {
            let limit = Limit::new(Resource::Artifact, self.max_bytes, size);
            return Ok(Err(ServiceError::Quota(limit.to_string())));
        }
        let share = match self.shares.take(size) {
            Ok(share) => share,
            Err(limit) => return Ok(Err(ServiceError::Quota(limit.to_string()))),
        };
        let artifact = Artifact {
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            size,
            sha256: sha256(&content),
        };
        let content = match &self.folder {
            None => Content::Memory(content),
            Some(folder) => match self.refuse_foreign(folder, name) {
                Some(refusal) => return Ok(Err(refusal)),
                None => {
                    let scratch =
                        self.scratch(folder).map_err(|error| cannot_write(folder, name, error))?;
                    Content::File(write_temporary(&scratch, folder, name, &content)?, scratch)
                }
            },
        };
        Ok(Ok(Written { artifact, content, share }))
    }

    /// Give a written file its name and register it.
    ///
    /// Whatever fails, the folder holds either the old file of this name or the new one.
    pub(super) fn register(&self, written: Written) -> Result<Registered> {
        let Written { artifact, content, share } = written;
        let name = artifact.name.clone();
        let (content, announced) = match (content, &self.folder) {
            (Content::Memory(content), _) => (Some(content), None),
            (Content::File(file, scratch), Some(folder)) => {
                // It may have appeared while the call ran.
                if let Some(ServiceError::InvalidArgument(refusal)) =
                    self.refuse_foreign(folder, &name)
                {
                    return Err(Error::new(ErrorKind::Host, refusal));
                }
                // Whoever finds the file and no line of the journal, because we were killed in between, knows it by this.
                scratch
                    .announce(&recovery::announcement(&artifact))
                    .and_then(|()| Ok(file.persist(folder.join(&name))?))
                    .map_err(|error| cannot_write(folder, &name, error))?;
                (None, Some(scratch))
            }
            (Content::File(..), None) => return Err(Error::bug("a file without a folder")),
        };
        self.with(|state| {
            state.own.insert(name.clone());
            let stored = Stored { artifact, content, _share: share };
            match state.stored.iter_mut().find(|stored| stored.artifact.name == name) {
                Some(old) => *old = stored,
                None => state.stored.push(stored),
            }
        });
        Ok(Registered { _announced: announced })
    }

    /// Where the next file is written. One lock for many files: a process may not have thousands open.
    fn scratch(&self, folder: &Path) -> std::io::Result<Arc<Scratch>> {
        self.with(|state| {
            if let Some(scratch) = state.scratch.upgrade().filter(|it| !it.is_full()) {
                return Ok(scratch);
            }
            let scratch = Arc::new(Scratch::new(folder)?);
            state.scratch = Arc::downgrade(&scratch);
            Ok(scratch)
        })
    }

    /// A model chooses the names, so it must not be able to replace a file that it did not make.
    fn refuse_foreign(&self, folder: &Path, name: &str) -> Option<ServiceError> {
        let own = self.with(|state| state.own.contains(name));
        if name.eq_ignore_ascii_case(journal::FILE_NAME) {
            return Some(ServiceError::InvalidArgument(format!(
                "`{name}` is the session's journal; use another name"
            )));
        }
        // A link counts as a file, wherever it leads.
        let exists = folder.join(name).symlink_metadata().is_ok();
        (exists && !own).then(|| {
            ServiceError::InvalidArgument(format!(
                "a file `{name}` is in the output folder already and was not made by mitt; use another name"
            ))
        })
    }

    fn with<R>(&self, f: impl FnOnce(&mut State) -> R) -> R {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Write a file under a temporary name beside the target and rename it. On any failure the temporary file is removed; those
/// of processes that were killed are removed too.
#[cfg(feature = "cli")]
pub(crate) fn write_whole(folder: &Path, name: &str, content: &[u8]) -> Result<()> {
    scratch::sweep(folder);
    let scratch = Scratch::new(folder).map_err(|error| cannot_write(folder, name, error))?;
    let file = write_temporary(&scratch, folder, name, content)?;
    file.persist(folder.join(name)).map_err(|error| cannot_write(folder, name, error.error))
}

/// Write what will be the file `name` under a temporary name beside it.
fn write_temporary(
    scratch: &Scratch,
    folder: &Path,
    name: &str,
    content: &[u8],
) -> Result<tempfile::TempPath> {
    let failed = |error| cannot_write(folder, name, error);
    let mut file = scratch.file().map_err(failed)?;
    file.write_all(content).map_err(failed)?;
    // A full disk may show only now; and after a power failure the name never leads to less than the whole file.
    file.as_file().sync_all().map_err(failed)?;
    allow_reading(file.as_file()).map_err(failed)?;
    Ok(file.into_temp_path())
}

#[cold]
fn cannot_write(folder: &Path, name: &str, error: std::io::Error) -> Error {
    Error::new(ErrorKind::Host, format!("cannot write {}", folder.join(name).display()))
        .hint("free some disk space, or name another folder with `--out`; nothing was left half-written")
        .caused_by(error)
}

/// Temporary files are private; what is delivered is as readable as any other file of the user.
#[cfg(unix)]
fn allow_reading(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn allow_reading(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifacts(artifacts_bytes: u64, artifact_files: u64) -> Artifacts {
        let limits = SessionLimits { artifacts_bytes, artifact_files, ..SessionLimits::default() };
        Artifacts::open(None, Vec::new(), &limits)
    }

    fn written(artifacts: &Artifacts, name: &str, bytes: usize) -> Option<Written> {
        match artifacts.write(name, "text/plain", vec![0; bytes]).unwrap() {
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
        let _ = artifacts.register(first).unwrap();
        let _ = artifacts.register(written(&artifacts, "a.txt", 30).unwrap()).unwrap();
        // The file that was replaced takes no room any more.
        let _ = artifacts.register(written(&artifacts, "c.txt", 70).unwrap()).unwrap();
        assert!(written(&artifacts, "d.txt", 1).is_none());
        assert!(written(&artifacts, "d.txt", 0).is_some());
    }

    #[test]
    fn empty_files_are_counted_too() {
        let artifacts = artifacts(100, 2);
        let kept = [written(&artifacts, "a.txt", 0), written(&artifacts, "b.txt", 0)];
        let Err(ServiceError::Quota(message)) =
            artifacts.write("c.txt", "text/plain", Vec::new()).unwrap()
        else {
            panic!("a third file");
        };
        assert_eq!(message, "artifact-files limit of 2 files reached: 3 files");
        drop(kept);
        assert!(written(&artifacts, "c.txt", 0).is_some());
    }
}
