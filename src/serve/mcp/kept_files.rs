//! Keeps the files of ended sessions as long as there are links to them: most clients end their session when they exit, and
//! users open the links afterwards.
//!
//! Files that a session had in memory are written to a temporary folder of this process, which is removed when the process
//! ends. Files in a folder of the operator stay there.
#![cfg_attr(not(feature = "http"), allow(dead_code, reason = "links are followed over HTTP alone"))]

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mitt_base::limits::GIB;
use mitt_base::output_folder::OutputFolder;
use mitt_base::scratch::{self, Scratch};
use mitt_base::time::timestamp;
use mitt_base::{Error, ErrorKind, Remedy, Result, lock};
use tempfile::TempDir;

use super::options::Client;
use super::uri;
use mitt::{Artifact, Session};

/// Bytes that identify a session in links to files.
pub(super) const LINK_ID: usize = 8;

/// Keeps the files of sessions that end.
pub(super) trait KeepsFiles: Send + Sync {
    /// Keeps the files of the session with this id, which has ended, if there may still be links to them.
    fn keep(self: Arc<Self>, id: [u8; LINK_ID], client: &Client, session: &Session);
}

/// Most bytes in the temporary folder for one tenant. The oldest files are removed to make room.
pub(super) const MAX_BYTES_OF_TENANT: u64 = GIB;
/// Most bytes in the temporary folder.
pub(super) const MAX_BYTES: u64 = 4 * GIB;

/// Returns the folder for the files of a session that begins at `now`, below `files`: `<tenant>/<time>-<id>`.
pub(super) fn folder(files: &Path, tenant: Option<&str>, now: Duration, id: &[u8]) -> PathBuf {
    let tenant = tenant.unwrap_or(mitt::internal::DEFAULT_TENANT);
    // A name of dots alone would be another folder.
    let tenant = if tenant.bytes().all(|byte| byte == b'.') {
        tenant.replace('.', "%2E")
    } else {
        uri::encoded("", tenant)
    };
    let time: String = timestamp(now).chars().filter(char::is_ascii_digit).take(14).collect();
    let id: String = id.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    files.join(tenant).join(format!("{time}-{id}"))
}

/// The files of one session.
pub(super) struct KeptFiles {
    pub(super) client: Client,
    pub(super) tenant: String,
    /// The time when the last link to them expires.
    pub(super) until: Duration,
    artifacts: Vec<Artifact>,
    place: KeptPlace,
}

/// The place of the files.
enum KeptPlace {
    /// In a folder of the operator, under their names.
    Folder(PathBuf),
    /// In a temporary folder, which is removed on drop; the files are numbered.
    Temporary(TempDir),
}

/// Writes the files of ended sessions.
#[derive(Default)]
pub(super) struct Keeper {
    /// Made on first use.
    scratch: Mutex<Option<Arc<Scratch>>>,
}

impl Keeper {
    /// Keeps the files of `session`, which has ended.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the files cannot be written.
    pub(super) fn keep(
        &self,
        session: &Session,
        client: Client,
        until: Duration,
    ) -> Result<KeptFiles> {
        let tenant = session.tenant().to_owned();
        let mut artifacts = session.artifacts();
        let place = match session.folder() {
            Some(folder) => KeptPlace::Folder(folder.to_owned()),
            None => {
                let temporary = self.temporary().map_err(unwritten)?;
                for (number, artifact) in artifacts.iter().enumerate() {
                    let content = session.artifact_content(&artifact.name)?;
                    fs::write(temporary.path().join(number.to_string()), content)
                        .map_err(unwritten)?;
                }
                KeptPlace::Temporary(temporary)
            }
        };
        artifacts.shrink_to_fit();
        Ok(KeptFiles { client, tenant, until, artifacts, place })
    }

    fn temporary(&self) -> io::Result<TempDir> {
        let mut scratch = lock(&self.scratch);
        let scratch = match &*scratch {
            Some(scratch) => scratch,
            None => {
                let folder = std::env::temp_dir();
                // Remove the files of processes that were killed.
                scratch::sweep(&folder);
                scratch.insert(Arc::new(Scratch::new(&folder)?))
            }
        };
        scratch.subfolder()
    }
}

#[cold]
fn unwritten(error: io::Error) -> Error {
    Error::new(ErrorKind::Host, "the files of a session that has ended cannot be kept")
        .remedy(Remedy::FilesFolder)
        .caused_by(error)
}

impl KeptFiles {
    /// Returns the file with this name.
    pub(super) fn find(&self, name: &str) -> Option<&Artifact> {
        self.artifacts.iter().find(|artifact| artifact.name == name)
    }

    /// Returns the content of a file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - it was removed or changed by another process.
    pub(super) fn content(&self, name: &str) -> Result<Vec<u8>> {
        let gone = || Error::new(ErrorKind::Input, format!("the file `{name}` is gone"));
        let number = self.artifacts.iter().position(|artifact| artifact.name == name);
        let (number, artifact) =
            number.and_then(|it| Some((it, self.artifacts.get(it)?))).ok_or_else(gone)?;
        let read = || {
            let file = match &self.place {
                KeptPlace::Folder(folder) => {
                    OutputFolder::existing(folder)?.read(OsStr::new(name))?
                }
                KeptPlace::Temporary(folder) => {
                    fs::File::open(folder.path().join(number.to_string()))?
                }
            };
            let mut content = Vec::new();
            file.take(artifact.size.saturating_add(1)).read_to_end(&mut content)?;
            io::Result::Ok(content)
        };
        let content = read().map_err(|error| gone().caused_by(error))?;
        if content.len() as u64 == artifact.size { Ok(content) } else { Err(gone()) }
    }

    /// Returns the bytes in the temporary folder.
    pub(super) fn temporary_bytes(&self) -> u64 {
        match self.place {
            KeptPlace::Folder(_) => 0,
            KeptPlace::Temporary(_) => self.artifacts.iter().map(|it| it.size).sum(),
        }
    }
}

#[cfg(test)]
impl KeptFiles {
    /// Returns files of `tenant` that take `bytes` of the temporary folder by their record. Writes nothing.
    pub(super) fn of_size(tenant: &str, until: Duration, bytes: u64) -> KeptFiles {
        let artifact = Artifact {
            name: "a.pdf".to_owned(),
            media_type: "application/pdf".to_owned(),
            size: bytes,
            sha256: "0".repeat(64),
            contents: mitt::Contents::default(),
        };
        let place = KeptPlace::Temporary(TempDir::new().unwrap());
        let client = Client { tenant: Some(tenant.to_owned()), id: None };
        KeptFiles { client, tenant: tenant.to_owned(), until, artifacts: vec![artifact], place }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_tenants_lie_below_the_folder() {
        let now = Duration::from_secs(1_700_000_000);
        let at = |tenant| folder(Path::new("out"), tenant, now, &[1, 2, 3, 4, 5]);
        assert_eq!(at(Some("alice")), Path::new("out/alice/20231114221320-01020304"));
        assert_eq!(at(None), Path::new("out/local/20231114221320-01020304"));
        for (tenant, expected) in
            [("../x", "..%2Fx"), ("..", "%2E%2E"), ("一", "%E4%B8%80"), ("", "")]
        {
            let path = at(Some(tenant));
            let expected = Path::new("out").join(expected).join("20231114221320-01020304");
            assert_eq!(path, expected);
            assert!(path.components().all(|it| it != std::path::Component::ParentDir));
        }
    }
}
