//! Files that arrive in several requests, until they are whole.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use super::super::{Blob, StoreError, StoreResult};
use super::index::Index;
use super::keys::{check_name, is_id, is_name};
use super::owners;
use super::places::{Effect, Places};
use super::totals;
use mitt_base::digest::sha256_of;
use mitt_base::{Error, ErrorKind, lock, plain_file};

/// Time after the last append at which a file is deleted.
const LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The files of a store that are not whole. All methods block.
pub(super) struct Partials {
    places: Places,
    /// Locks of the files that are used at this moment. One is held for each change of a file.
    used: Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>,
}

impl Partials {
    pub(super) fn new(places: Places) -> Partials {
        Partials { places, used: Mutex::default() }
    }

    /// Appends bytes at `offset`, which must be the size. `now` is the time after 1970.
    pub(super) fn append(
        &self,
        (tenant, id): (&str, &str),
        offset: u64,
        bytes: &[u8],
        now: Duration,
    ) -> StoreResult<u64> {
        check_name("tenant", tenant)?;
        if !is_id(id) {
            return Err(Error::input("expected an identifier of the store").at("id").into());
        }
        self.with(&self.places.partial(tenant, id), |path| {
            let size = size(path)?.unwrap_or(0);
            if size != offset {
                return Err(StoreError::Conflict(size));
            }
            let mut file = self.places.open_partial(tenant, id).map_err(failed)?;
            let written = file.write_all(bytes).and_then(|()| {
                // By the store's clock, which is not always the system's.
                file.set_modified(UNIX_EPOCH + now)
            });
            if let Err(error) = written {
                file.set_len(size).map_err(failed)?;
                return Err(failed(error));
            }
            Ok(size + bytes.len() as u64)
        })
    }

    /// Returns the size of a file.
    pub(super) fn size(&self, (tenant, id): (&str, &str)) -> StoreResult<u64> {
        if !is_name(tenant) || !is_id(id) {
            return Err(StoreError::Missing);
        }
        size(&self.places.partial(tenant, id))?.ok_or(StoreError::Missing)
    }

    /// Makes a stored file of a file.
    pub(super) fn finish(
        &self,
        index: &Index,
        (tenant, id): (&str, &str),
        owner: &str,
    ) -> StoreResult<Blob> {
        check_name("owner", owner)?;
        self.size((tenant, id))?;
        self.with(&self.places.partial(tenant, id), |path| {
            let file = match plain_file::open_plain(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(StoreError::Missing);
                }
                file => file.map_err(failed)?,
            };
            let sha256 = sha256_of(&file, u64::MAX).map_err(failed)?;
            let size = file.metadata().map_err(failed)?.len();
            sync(&file, path).map_err(failed)?;
            let name = (tenant.to_owned(), id.to_owned(), sha256.clone(), owner.to_owned());
            index.write_blocking(move |batch| {
                let (tenant, id, sha256, owner) = name;
                let effect = if owners::has(batch.rows(), &tenant, &sha256)? {
                    Effect::RemovePartial { tenant: tenant.clone(), id }
                } else {
                    totals::file_appeared(batch, (&tenant, &sha256), size)?;
                    let (tenant, sha256) = (tenant.clone(), sha256.clone());
                    Effect::PlacePartial { tenant, sha256, id }
                };
                batch.effect(effect)?;
                owners::put(batch, (&tenant, &sha256, &owner))
            })?;
            Ok(Blob { sha256, size })
        })
    }

    /// Deletes a file; returns whether it was there.
    pub(super) fn delete(&self, (tenant, id): (&str, &str)) -> StoreResult<bool> {
        if !is_name(tenant) || !is_id(id) {
            return Ok(false);
        }
        self.with(&self.places.partial(tenant, id), removed)
    }

    /// Deletes the files to which nothing was appended for some days. `now` is the time after 1970.
    pub(super) fn sweep(&self, now: Duration) -> StoreResult<()> {
        let Some(before) = now.checked_sub(LIFE) else { return Ok(()) };
        let is_old = |path: &Path| {
            let modified = fs::symlink_metadata(path)?.modified()?;
            Ok(modified.duration_since(UNIX_EPOCH).is_ok_and(|modified| modified <= before))
        };
        for tenant in fs::read_dir(self.places.partials()).map_err(failed)? {
            let tenant = tenant.map_err(failed)?.path();
            for entry in fs::read_dir(&tenant).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                self.with(&path, |path| match is_old(path) {
                    Ok(true) => removed(path).map(drop),
                    Ok(false) => Ok(()),
                    // It was finished or deleted just now.
                    Err(error) => gone(Err(error)).map(drop).map_err(failed),
                })?;
            }
        }
        Ok(())
    }

    /// Does `work` while nobody else uses the file.
    fn with<T>(&self, path: &Path, work: impl FnOnce(&Path) -> StoreResult<T>) -> StoreResult<T> {
        let used = lock(&self.used).entry(path.to_owned()).or_default().clone();
        let result = {
            let _guard = lock(&used);
            work(path)
        };
        let mut all = lock(&self.used);
        // The one in the map, and this one.
        if Arc::strong_count(&used) == 2 {
            all.remove(path);
        }
        result
    }
}

fn size(path: &Path) -> StoreResult<Option<u64>> {
    match fs::symlink_metadata(path) {
        Ok(data) => Ok(Some(data.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn removed(path: &Path) -> StoreResult<bool> {
    gone(fs::remove_file(path)).map_err(failed)
}

/// Returns `false` if the file was not there.
fn gone(result: io::Result<()>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Waits until the disk has a file, so that its final name never points at half of it.
fn sync(file: &File, path: &Path) -> io::Result<()> {
    // Windows does this only for a file that is open to be written.
    if cfg!(windows) { File::options().write(true).open(path)?.sync_all() } else { file.sync_all() }
}

#[cold]
fn failed(error: io::Error) -> StoreError {
    let message = "a file that arrives cannot be read or written";
    let error = Error::new(ErrorKind::Host, message).caused_by(error);
    StoreError::Failed(error.hint("see that the disk of the store has room"))
}
