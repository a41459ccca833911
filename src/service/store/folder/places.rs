//! Where files of a store lie, and the changes of files that belong to a change of the index.
//!
//! Every folder is private to the user of this process. Names of folders are made from a tenant's name by [`folder_of`].

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub(super) use super::super::checks::stream_file;
use super::super::{RunKey, Stream};
use mitt_base::digest::sha256;
use mitt_base::output_folder::{OutputFolder, Readable};

/// Longest name of a tenant's folder, in bytes. A longer one is a digest.
const MAX_FOLDER_BYTES: usize = 120;

/// A change of files. It is done after the change of the index that it belongs to, and again after a crash.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Effect {
    /// A file that has arrived gets its place.
    Place { tenant: String, sha256: String, arrived: String },
    /// A file that has arrived in several requests gets its place.
    PlacePartial { tenant: String, sha256: String, id: String },
    /// A file that has arrived in several requests is removed, because there is one of its content.
    RemovePartial { tenant: String, id: String },
    /// A file that nobody owns is removed.
    RemoveBlob { tenant: String, sha256: String },
    /// A deleted run's streams are removed.
    RemoveRun { tenant: String, id: String },
}

/// The folders of a store.
#[derive(Clone, Debug)]
pub(super) struct Places {
    root: PathBuf,
}

impl Places {
    /// Makes the folders below `root`, which exists.
    ///
    /// # Errors
    ///
    /// A folder is a link, belongs to another user than `owned`, or cannot be made.
    pub(super) fn make(root: PathBuf, owned: &File) -> io::Result<Places> {
        let places = Places { root };
        let folders = [places.runs(), places.blobs(), places.arriving(), places.partials()];
        for folder in folders {
            make_private(&folder)?;
            check_private(&folder, owned)?;
        }
        Ok(places)
    }

    fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    fn blobs(&self) -> PathBuf {
        self.root.join("blobs")
    }

    /// Returns the folder of files that are being stored. No tenant's folder has this name.
    pub(super) fn arriving(&self) -> PathBuf {
        self.blobs().join("arriving")
    }

    /// Returns the folder of files that arrive in several requests, with a folder for each tenant.
    pub(super) fn partials(&self) -> PathBuf {
        self.root.join("partial")
    }

    /// Returns the path of a file that arrives in several requests.
    pub(super) fn partial(&self, tenant: &str, id: &str) -> PathBuf {
        self.partials().join(folder_of(tenant)).join(id)
    }

    /// Opens a file that arrives in several requests to append to it, and makes it if it is missing.
    pub(super) fn open_partial(&self, tenant: &str, id: &str) -> io::Result<File> {
        let path = self.partials().join(folder_of(tenant));
        make_private(&path)?;
        OutputFolder::existing(&path)?.append(OsStr::new(id), Readable::Owner)
    }

    /// Returns the folder of a run's streams.
    pub(super) fn run(&self, run: &RunKey) -> PathBuf {
        self.runs().join(folder_of(&run.tenant)).join(&run.id)
    }

    /// Returns the path of a stored file.
    pub(super) fn blob(&self, tenant: &str, sha256: &str) -> PathBuf {
        let first = sha256.get(..2).unwrap_or(sha256);
        self.blobs().join(folder_of(tenant)).join(first).join(sha256)
    }

    /// Opens a stream to read it and to append to it. `None` if it does not exist and is not to be made.
    pub(super) fn open_stream(
        &self,
        run: &RunKey,
        stream: Stream,
        makes: bool,
    ) -> io::Result<Option<File>> {
        let (path, name) = (self.run(run), OsStr::new(stream_file(stream)));
        if makes {
            make_private(&path)?;
        }
        let folder = match OutputFolder::existing(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            folder => folder?,
        };
        if !makes && !folder.has(name) {
            return Ok(None);
        }
        folder.append(name, Readable::Owner).map(Some)
    }

    /// Does a change of files, or finds that it was done before.
    pub(super) fn perform(&self, effect: &Effect) -> io::Result<()> {
        match effect {
            Effect::Place { tenant, sha256, arrived } => {
                place(&self.arriving().join(arrived), &self.blob(tenant, sha256))
            }
            Effect::PlacePartial { tenant, sha256, id } => {
                place(&self.partial(tenant, id), &self.blob(tenant, sha256))
            }
            Effect::RemovePartial { tenant, id } => gone(fs::remove_file(self.partial(tenant, id))),
            Effect::RemoveBlob { tenant, sha256 } => {
                let path = self.blob(tenant, sha256);
                gone(fs::remove_file(&path))?;
                // Only an empty folder can be removed. No other thread makes them.
                for folder in path.ancestors().skip(1).take(2) {
                    if fs::remove_dir(folder).is_err() {
                        break;
                    }
                }
                Ok(())
            }
            Effect::RemoveRun { tenant, id } => {
                let run = RunKey { tenant: tenant.clone(), id: id.clone() };
                gone(fs::remove_dir_all(self.run(&run)))
            }
        }
    }

    /// Removes what was arriving when an earlier process ended.
    pub(super) fn remove_arriving(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.arriving())? {
            gone(fs::remove_file(entry?.path()))?;
        }
        Ok(())
    }
}

fn place(from: &Path, to: &Path) -> io::Result<()> {
    let Some(folder) = to.parent() else { return Ok(()) };
    make_private(folder)?;
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && to.is_file() => {}
        result => result?,
    }
    sync_folder(folder)
}

fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Returns the name of a tenant's folder: `t-` and the name with percent codes, or `h-` and a digest if that is too long.
/// Capital letters have codes too, because some file systems do not distinguish them.
fn folder_of(tenant: &str) -> String {
    let mut name = String::from("t-");
    for byte in tenant.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' => name.push(char::from(byte)),
            byte => {
                name.push('%');
                name.push_str(&mitt_base::digest::hex(&[byte]));
            }
        }
        if name.len() > MAX_FOLDER_BYTES {
            return format!("h-{}", sha256(tenant.as_bytes()));
        }
    }
    name
}

/// Makes a folder, and those above it, that only their owner may read.
pub(super) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Checks that a folder is no link and belongs to the owner of `owned`, and closes it to everybody else. Then nobody else
/// can put a link below it.
#[cfg(unix)]
fn check_private(folder: &Path, owned: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    let data = folder.symlink_metadata()?;
    if !data.is_dir() || data.uid() != owned.metadata()?.uid() {
        let message = format!("`{}` is a link or belongs to another user", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    if data.mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_private(folder: &Path, _: &File) -> io::Result<()> {
    if folder.symlink_metadata()?.is_dir() {
        Ok(())
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

/// Makes a rename in a folder survive a power failure. Systems other than Unix have no such call.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Reads up to a full buffer at a place of a file, and returns how much there was. Other threads may read the same file.
pub(in crate::store) fn read_at(
    file: &File,
    mut place: u64,
    buffer: &mut [u8],
) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(file, &mut buffer[filled..], place);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(file, &mut buffer[filled..], place);
        match read {
            Ok(0) => break,
            Ok(length) => {
                filled += length;
                place += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tenant_has_a_folder_of_its_own_with_a_safe_short_name() {
        let long = "月".repeat(300);
        let tenants = [
            "",
            ".",
            "..",
            "a",
            "A",
            "a/b",
            "a%2fb",
            "con",
            "..\\x",
            "é",
            "h-x",
            "t-a",
            "\n",
            &long,
            &long[3..],
            "arriving",
        ];
        let names: std::collections::BTreeSet<_> =
            tenants.iter().map(|tenant| folder_of(tenant).to_lowercase()).collect();
        assert_eq!(names.len(), tenants.len());
        for name in names {
            assert!(
                name.len() <= MAX_FOLDER_BYTES
                    && (name.starts_with("t-") || name.starts_with("h-"))
            );
            assert!(
                name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_%".contains(&b)),
                "{name}"
            );
        }
        assert_eq!(folder_of("Ab c"), "t-%41b%20c");
    }

    #[test]
    fn an_effect_that_was_done_is_done_again_without_harm() {
        let root = tempfile::tempdir().unwrap();
        let file = tempfile::tempfile().unwrap();
        let places = Places::make(root.path().to_owned(), &file).unwrap();
        fs::write(places.arriving().join("x"), "content").unwrap();
        let (tenant, sha256) = ("a".to_owned(), sha256(b"content"));
        let place = Effect::Place {
            tenant: tenant.clone(),
            sha256: sha256.clone(),
            arrived: "x".to_owned(),
        };
        places.perform(&place).unwrap();
        places.perform(&place).unwrap();
        let path = places.blob("a", &sha256);
        assert_eq!(fs::read(&path).unwrap(), b"content");
        let remove = Effect::RemoveBlob { tenant, sha256 };
        places.perform(&remove).unwrap();
        places.perform(&remove).unwrap();
        assert!(!path.parent().unwrap().parent().unwrap().exists(), "empty folders go too");
        let missing = places.perform(&place);
        assert!(missing.is_err(), "content that is lost is not taken for placed");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_place_of_a_folder_is_refused() {
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(other.path(), root.path().join("runs")).unwrap();
        let file = tempfile::tempfile().unwrap();
        let error = Places::make(root.path().to_owned(), &file).unwrap_err();
        assert!(error.to_string().contains("is a link"), "{error}");
    }
}
