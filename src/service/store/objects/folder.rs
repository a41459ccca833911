//! Objects in a folder, such as one of a network file system that all servers mount.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use mitt_base::{Error, ErrorKind, Result};

use super::spool::read_exact_at;

/// End of the name of an object that is not whole.
const PART: &str = ".part";

/// A folder of objects.
pub(super) struct Folder {
    path: PathBuf,
}

/// An object that arrives.
pub(super) struct Upload {
    file: File,
    path: PathBuf,
}

impl Folder {
    pub(super) fn new(path: PathBuf) -> Folder {
        Folder { path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Begins an object. Its name is one that Mitt made.
    pub(super) async fn begin(&self, name: &str) -> Result<Upload> {
        let path = self.path.join(name);
        blocking(path, |path| {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let file =
                OpenOptions::new().write(true).create(true).truncate(true).open(part(path))?;
            Ok(Upload { file, path: path.to_owned() })
        })
        .await
    }

    /// Returns `length` bytes from `start`; `None` if there is no such object.
    pub(super) async fn range(&self, name: &str, start: u64, length: u64) -> Result<Option<Bytes>> {
        blocking(self.path.join(name), move |path| {
            let file = match mitt_base::plain_file::open_plain(path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
            read_exact_at(&file, start, length).map(Some)
        })
        .await
    }

    /// Deletes an object, also one that is not whole.
    pub(super) async fn delete(&self, name: &str) -> Result<()> {
        blocking(self.path.join(name), |path| {
            for path in [part(path), path.to_owned()] {
                match fs::remove_file(path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            Ok(())
        })
        .await
    }
}

impl Upload {
    /// Adds bytes.
    pub(super) async fn add(&mut self, bytes: Bytes) -> Result<()> {
        let mut file = self.file.try_clone().map_err(|error| failed(&self.path, error))?;
        blocking(self.path.clone(), move |_| file.write_all(&bytes)).await
    }

    /// Gives the object its name, after all of it is on the disk.
    pub(super) async fn complete(self) -> Result<()> {
        let file = self.file;
        blocking(self.path, move |path| {
            file.sync_all()?;
            fs::rename(part(path), path)?;
            // So that the name survives a power failure; not every system can do it for a folder.
            if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
                let _ = folder.sync_all();
            }
            Ok(())
        })
        .await
    }
}

fn part(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(PART);
    name.into()
}

async fn blocking<T: Send + 'static>(
    path: PathBuf,
    work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> Result<T> {
    let done =
        tokio::task::spawn_blocking(move || work(&path).map_err(|error| failed(&path, error)));
    done.await.map_err(Error::bug)?
}

#[cold]
fn failed(path: &Path, error: io::Error) -> Error {
    let is_for_later = error.kind() == io::ErrorKind::StorageFull;
    let error = Error::new(ErrorKind::Host, "an object cannot be read or written").caused_by(error);
    let error = error.at(format!("file://{}", path.display())).retryable(is_for_later);
    error.hint("see that the folder is mounted, has room, and belongs to the user of this process")
}
