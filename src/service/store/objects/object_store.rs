//! The place of the objects.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mitt_base::{Error, ErrorKind, Result, text};
use mitt_net::s3::{S3Address, S3Client, S3Settings, S3Upload};
use tokio::sync::Semaphore;

use super::super::new_id;
use super::folder::{self, Folder};

/// Longest file that stays in the database, in bytes. It is one piece there, and a request to an object store takes longer.
const INLINE_BYTES: usize = 256 * 1024;

/// Length of the parts of an upload, in bytes. S3 wants at least 5 MiB.
pub(super) const PART_BYTES: u64 = 8 * 1024 * 1024;

/// Uploads at the same time, of which each has one part in memory. Further ones wait.
const MAX_UPLOADS: usize = 8;

/// An object store that several servers share. A cheap handle.
#[derive(Clone)]
pub struct ObjectStore {
    backend: Arc<Backend>,
    inline_bytes: usize,
    pub(super) uploads: Arc<Semaphore>,
}

/// What keeps the objects.
enum Backend {
    S3(S3Client),
    Folder(Folder),
}

/// An object that arrives in parts.
pub(super) enum Upload {
    S3(S3Upload),
    Folder(folder::Upload),
}

impl fmt::Debug for ObjectStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectStore({})", self.address())
    }
}

impl ObjectStore {
    /// Opens the object store at `address`, and checks that this process may write, read and delete there:
    /// `s3://bucket/prefix`, or `file:///folder` for a folder that all servers share. `variable` returns a variable of the
    /// environment, from which [`S3Settings`] reads the server and the key; `clock` returns the time after 1970.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - this is no address, or a variable is missing or malformed.
    /// [`ErrorKind::Host`] - the object store cannot be reached or refuses. No message has a secret.
    pub async fn open(
        address: &str,
        variable: impl Fn(&str) -> Option<String>,
        clock: Arc<dyn Fn() -> Duration + Send + Sync>,
    ) -> Result<ObjectStore> {
        let backend = match address.split_once("://") {
            Some(("s3", _)) => {
                let settings = S3Settings::from_variables(variable)?;
                Backend::S3(S3Client::new(&S3Address::parse(address)?, &settings, clock)?)
            }
            Some(("file", path)) if path.starts_with('/') => {
                Backend::Folder(Folder::open(PathBuf::from(path)).await?)
            }
            _ => {
                let address = text::one_line(&text::shortened(address, 100));
                let message =
                    format!("expected `s3://bucket/prefix` or `file:///folder`, got `{address}`");
                return Err(Error::input(message)
                    .hint("a folder is named from the root on, with three slashes"));
            }
        };
        let store = ObjectStore {
            backend: Arc::new(backend),
            inline_bytes: INLINE_BYTES,
            uploads: Arc::new(Semaphore::new(MAX_UPLOADS)),
        };
        store.check().await?;
        Ok(store)
    }

    /// Keeps files of at most `bytes` in the database, for tests.
    #[cfg(test)]
    pub(in crate::store) fn inline_bytes_for_tests(mut self, bytes: usize) -> ObjectStore {
        self.inline_bytes = bytes;
        self
    }

    /// Returns the length up to which files stay in the database.
    pub(in crate::store) fn inline_bytes(&self) -> usize {
        self.inline_bytes
    }

    /// Returns the address.
    pub fn address(&self) -> String {
        match &*self.backend {
            Backend::S3(client) => client.address().to_string(),
            Backend::Folder(folder) => format!("file://{}", folder.path().display()),
        }
    }

    /// Returns the address of an object.
    pub(super) fn address_of(&self, name: &str) -> String {
        format!("{}/{name}", self.address())
    }

    /// Writes, reads and deletes a small object, so that a server that could not do it does not start.
    async fn check(&self) -> Result<()> {
        const CONTENT: &[u8] = b"Mitt checks that it may write, read and delete here.\n";
        let name = new_id("check-")?;
        self.put(&name, Bytes::from_static(CONTENT)).await?;
        let read = self.range(&name, 0, CONTENT.len() as u64).await;
        let deleted = self.delete(&name).await;
        if read?.as_deref() != Some(CONTENT) {
            let error = Error::new(ErrorKind::Host, "an object was not there after it was stored");
            let hint = "Mitt needs a store in which a new object can be read at once";
            return Err(error.at(self.address_of(&name)).hint(hint));
        }
        deleted
    }

    /// Stores a short object.
    pub(in crate::store) async fn put(&self, name: &str, content: Bytes) -> Result<()> {
        match &*self.backend {
            Backend::S3(client) => client.put(name, content).await,
            Backend::Folder(folder) => {
                let mut upload = folder.begin(name).await?;
                upload.add(content).await?;
                upload.complete().await
            }
        }
    }

    /// Begins an object that arrives in parts of [`PART_BYTES`].
    pub(super) async fn begin(&self, name: &str) -> Result<Upload> {
        Ok(match &*self.backend {
            Backend::S3(client) => Upload::S3(client.begin(name).await?),
            Backend::Folder(folder) => Upload::Folder(folder.begin(name).await?),
        })
    }

    /// Adds a part.
    pub(super) async fn add(&self, upload: &mut Upload, part: Bytes) -> Result<()> {
        match (&*self.backend, upload) {
            (Backend::S3(client), Upload::S3(upload)) => client.add(upload, part).await,
            (_, Upload::Folder(upload)) => upload.add(part).await,
            _ => Err(Error::bug("an upload to another object store")),
        }
    }

    /// Makes an object of the parts.
    pub(super) async fn complete(&self, upload: Upload) -> Result<()> {
        match (&*self.backend, upload) {
            (Backend::S3(client), Upload::S3(upload)) => client.complete(&upload).await,
            (_, Upload::Folder(upload)) => upload.complete().await,
            _ => Err(Error::bug("an upload to another object store")),
        }
    }

    /// Deletes the parts of an object that will not be completed.
    pub(super) async fn abort(&self, upload: Upload) {
        if let (Backend::S3(client), Upload::S3(upload)) = (&*self.backend, upload)
            && let Err(error) = client.abort(&upload).await
        {
            let error = error.render();
            tracing::warn!(
                error,
                "parts of an upload stay; let the bucket delete them after some days"
            );
        }
        // A part in a folder goes with the object.
    }

    /// Returns `length` bytes of an object from `start`; `None` if there is no such object.
    pub(super) async fn range(&self, name: &str, start: u64, length: u64) -> Result<Option<Bytes>> {
        match &*self.backend {
            Backend::S3(client) => client.range(name, start, length).await,
            Backend::Folder(folder) => folder.range(name, start, length).await,
        }
    }

    /// Deletes the object with this name. Succeeds if no such object exists.
    pub(in crate::store) async fn delete(&self, name: &str) -> Result<()> {
        match &*self.backend {
            Backend::S3(client) => client.delete(name).await,
            Backend::Folder(folder) => folder.delete(name).await,
        }
    }
}

/// Returns the error of a file whose content is in an object store that this process was not given.
#[cold]
pub(in crate::store) fn no_object_store(name: &str) -> Error {
    let message = "the content of this file is in an object store, and this server has none";
    let hint = "start all servers with the object store in which the file was stored";
    Error::new(ErrorKind::Host, message).at(name).hint(hint)
}
