//! Artifacts: files under a temporary name until they are whole, then renamed.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::journal;
use crate::capability::{Artifact, ServiceError};
use crate::digest::sha256;
use crate::{Error, ErrorKind, Limit, Resource, Result};

pub(super) struct Artifacts {
    folder: Option<PathBuf>,
    max_bytes: u64,
    state: Mutex<State>,
}

struct State {
    stored: Vec<Stored>,
    // Files of the folder that Mitt wrote before, and so may replace.
    own: BTreeSet<String>,
}

struct Stored {
    artifact: Artifact,
    // Only where there is no folder.
    content: Option<Vec<u8>>,
}

impl Artifacts {
    pub(super) fn open(folder: Option<&Path>, own: Vec<String>, max_bytes: u64) -> Artifacts {
        let state = State { stored: Vec::new(), own: own.into_iter().collect() };
        Artifacts { folder: folder.map(Path::to_owned), max_bytes, state: Mutex::new(state) }
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

    /// Write a file and register it. `name` was checked already.
    ///
    /// Whatever fails, the folder holds either the old file of this name or the new one.
    pub(super) fn write(
        &self,
        name: &str,
        media_type: &str,
        content: Vec<u8>,
    ) -> Result<std::result::Result<Artifact, ServiceError>> {
        let size = content.len() as u64;
        if size > self.max_bytes {
            let limit = Limit::new(Resource::Artifact, self.max_bytes, size);
            return Ok(Err(ServiceError::Quota(limit.to_string())));
        }
        let artifact = Artifact {
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            size,
            sha256: sha256(&content),
        };
        if let Some(folder) = &self.folder {
            if let Some(refusal) = self.refuse_foreign(folder, name) {
                return Ok(Err(refusal));
            }
            write_whole(folder, name, &content)?;
        }
        let content = self.folder.is_none().then_some(content);
        self.with(|state| {
            state.own.insert(name.to_owned());
            let stored = Stored { artifact: artifact.clone(), content };
            match state.stored.iter_mut().find(|stored| stored.artifact.name == name) {
                Some(old) => *old = stored,
                None => state.stored.push(stored),
            }
        });
        Ok(Ok(artifact))
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

/// Write a file under a temporary name beside the target and rename it. On any failure the temporary file is removed.
pub(crate) fn write_whole(folder: &Path, name: &str, content: &[u8]) -> Result<()> {
    let failed = |error: std::io::Error| {
        Error::new(ErrorKind::Host, format!("cannot write {}", folder.join(name).display()))
            .hint("free some disk space, or name another folder with `--out`; nothing was left half-written")
            .caused_by(error)
    };
    let mut file = tempfile::Builder::new().prefix(".mitt-").tempfile_in(folder).map_err(failed)?;
    file.write_all(content).map_err(failed)?;
    // A full disk may show only now.
    file.as_file().sync_all().map_err(failed)?;
    allow_reading(file.as_file()).map_err(failed)?;
    file.persist(folder.join(name)).map_err(|error| failed(error.error))?;
    Ok(())
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
