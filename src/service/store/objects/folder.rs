//! Objects in a folder, such as one of a network file system that all servers mount.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use mitt_base::{Error, ErrorKind, Result};

use super::spool::read_exact_at;
use crate::store::new_id;

/// End of the name of an object that is not whole.
const PART: &str = ".part";

/// File that tells the folder from the empty one that is there while it is not mounted. Its content is random.
pub(super) const MARK: &str = "mitt-objects";

/// Most bytes that are read of the file [`MARK`].
const MAX_MARK_BYTES: u64 = 100;

/// A folder of objects.
pub(super) struct Folder {
    path: PathBuf,
    /// Content of the file [`MARK`] when the folder was opened.
    mark: String,
}

/// An object that arrives.
pub(super) struct Upload {
    file: File,
    path: PathBuf,
}

impl Folder {
    /// Opens the folder, and makes it and its mark if they are not there.
    pub(super) async fn open(path: PathBuf) -> Result<Folder> {
        let new = new_id("objects-")?;
        let mark = blocking(path.clone(), move |path| {
            fs::create_dir_all(path)?;
            let mark = path.join(MARK);
            match OpenOptions::new().write(true).create_new(true).open(&mark) {
                Ok(mut file) => {
                    file.write_all(new.as_bytes())?;
                    file.sync_all()?;
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            read_mark(path)
        });
        Ok(Folder { mark: mark.await?, path })
    }

    /// Returns a check that fails while the folder is not mounted, or another one is there in its place.
    fn is_there(&self) -> impl FnOnce() -> io::Result<()> + Send + use<> {
        let (path, mark) = (self.path.clone(), self.mark.clone());
        move || match read_mark(&path) {
            Ok(there) if there == mark => Ok(()),
            Ok(_) => Err(io::Error::other(format!("the file {MARK} is that of another folder"))),
            Err(error) => Err(error),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Begins an object. Its name is one that Mitt made.
    pub(super) async fn begin(&self, name: &str) -> Result<Upload> {
        let is_there = self.is_there();
        blocking(self.path.join(name), |path| {
            is_there()?;
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
        let is_there = self.is_there();
        blocking(self.path.join(name), move |path| {
            let file = match mitt_base::plain_file::open_plain(path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return is_there().map(|()| None);
                }
                Err(error) => return Err(error),
            };
            read_exact_at(&file, start, length).map(Some)
        })
        .await
    }

    /// Deletes an object, also one that is not whole.
    pub(super) async fn delete(&self, name: &str) -> Result<()> {
        let is_there = self.is_there();
        blocking(self.path.join(name), |path| {
            is_there()?;
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

fn read_mark(folder: &Path) -> io::Result<String> {
    let mut mark = String::new();
    let file = mitt_base::plain_file::open_plain(&folder.join(MARK))?;
    file.take(MAX_MARK_BYTES).read_to_string(&mut mark)?;
    Ok(mark)
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
