//! Ahead-of-time cache: native code of components in a folder that only this user can write to.
//!
//! Native code is not sandboxed. So nothing is loaded unless the folder belongs to this user alone and the file carries a keyed
//! hash made with the folder's own secret. What fails a check is compiled again; the cache never makes a load fail.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::compared_files::{Identity, Marks, hash_of};
use super::compile;
use super::native_load::{self, WASMTIME_VERSION};
use super::plugin::Plugin;
use super::stored::StoredComponent;
use mitt_base::scratch::{self, Scratch, write_whole};
use mitt_wit::value::Interface;

/// Most components that are kept. Beyond that, those that have been unused longest are removed.
const MAX_ENTRIES: usize = 128;

/// Folder with compiled components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheDir {
    path: PathBuf,
}

/// Version of the record next to native code. A change of [`Interface`]'s serialised form needs a new one.
const FORMAT: u32 = 3;

/// Record next to a `.cwasm` file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CacheRecord {
    /// Keyed BLAKE3 hash of the native code, of `instance_bytes`, and of `interface` as JSON.
    mac: String,
    /// Bytes of host memory that an instance takes in addition to its memories and tables.
    instance_bytes: u64,
    interface: Interface,
}

impl CacheDir {
    /// Returns a cache in `path`. The folder is created when it is first written to.
    pub fn new(path: impl Into<PathBuf>) -> CacheDir {
        CacheDir { path: path.into() }
    }

    /// Returns the user's own cache folder: `MITT_CACHE_DIR`, else `mitt` in the system's cache folder. `None` if the system has
    /// no such folder.
    pub fn of_user() -> Option<CacheDir> {
        if let Some(path) = std::env::var_os("MITT_CACHE_DIR").filter(|path| !path.is_empty()) {
            return Some(CacheDir::new(path));
        }
        Some(CacheDir::new(dirs::cache_dir()?.join("mitt")))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the compiled form of the component that is stored as `stored`, if it is in the cache and can be trusted.
    pub(super) fn load(
        &self,
        engine: &wasmtime::Engine,
        stored: &StoredComponent,
    ) -> Option<Plugin> {
        let secret = self.secret(false)?;
        let name = entry_name(engine, stored);
        let record = fs::read(self.path.join(format!("{name}.json"))).ok()?;
        let entry: CacheRecord = serde_json::from_slice(&record).ok()?;
        let code = File::open(self.path.join(format!("{name}.cwasm"))).ok()?;
        // Only this user can write to the folder, so a file that has not changed since its last check is not read again.
        let identity = Identity::of(&code);
        let belongs = *blake3::hash(&record).as_bytes();
        if !identity.is_some_and(|identity| self.has_seen(&identity, &belongs)) {
            let mac = mac_of_file(&secret, &code, (entry.instance_bytes, &entry.interface)).ok()?;
            // `blake3::Hash` compares in constant time.
            if blake3::Hash::from_hex(&entry.mac).ok()? != mac {
                return None;
            }
            if let Some(identity) = identity.filter(|it| Identity::of(&code) == Some(*it)) {
                self.remember(&identity, &belongs);
            }
        }
        let component = native_load::mapped(engine, &code).ok()?;
        Some(Plugin::new(component, entry.interface, entry.instance_bytes))
    }

    /// Waits for the turn to compile the component that is stored as `stored`, among all processes that use this folder. The
    /// system releases the turn of a process that ends. `None` if the folder cannot be used, or if another process keeps the turn
    /// for all of `time`.
    pub(super) fn turn(
        &self,
        engine: &wasmtime::Engine,
        stored: &StoredComponent,
        time: Duration,
    ) -> Option<File> {
        const LOCK_POLL: Duration = Duration::from_millis(50);
        self.secret(true)?;
        let path = self.path.join(format!("{}.lock", entry_name(engine, stored)));
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        // Anybody who can open the file could keep the turn.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).ok()?;
        let since = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Some(file),
                Err(TryLockError::WouldBlock) if since.elapsed() < time => thread::sleep(LOCK_POLL),
                Err(_) => return None,
            }
        }
    }

    /// Stores a compiled component.
    ///
    /// # Errors
    ///
    /// The folder is not private, cannot be created or written to, or the disk is full. Callers must not fail a call because of
    /// it.
    pub(super) fn store(
        &self,
        engine: &wasmtime::Engine,
        stored: &StoredComponent,
        code: &[u8],
        (instance_bytes, interface): (u64, &Interface),
    ) -> io::Result<()> {
        let secret = match self.secret(true) {
            Some(secret) => secret,
            None => return Err(self.why_not()),
        };
        let mac = mac(&secret, code, (instance_bytes, interface))?.to_hex().to_string();
        let interface = interface.clone();
        let name = entry_name(engine, stored);
        // The record is written first: code without a record is never read, and a record without code does no harm.
        write_whole(
            &self.path,
            &format!("{name}.json"),
            &serde_json::to_vec(&CacheRecord { mac, instance_bytes, interface })?,
        )?;
        write_whole(&self.path, &format!("{name}.cwasm"), code)?;
        self.prune()
    }

    /// Derives a key of this user for `context` from the folder's secret. `None` if the folder is not private.
    pub(crate) fn derived_key(&self, context: &str) -> Option<[u8; 32]> {
        self.secret(true).map(|secret| blake3::derive_key(context, &secret))
    }

    /// Like [`CacheDir::derived_key`], but does not create a secret, for callers that only compare.
    pub(super) fn known_key(&self, context: &str) -> Option<[u8; 32]> {
        self.secret(false).map(|secret| blake3::derive_key(context, &secret))
    }

    /// Returns whether a file was checked before; see [`Marks::has`].
    pub(super) fn has_seen(&self, file: &Identity, content: &[u8; 32]) -> bool {
        let key = self.known_key(Marks::CONTEXT);
        key.is_some_and(|key| Marks { folder: &self.path, key }.has(file, content))
    }

    /// Records that a file was checked; see [`Marks::keep`].
    pub(super) fn remember(&self, file: &Identity, content: &[u8; 32]) {
        if let Some(key) = self.derived_key(Marks::CONTEXT) {
            Marks { folder: &self.path, key }.keep(file, content);
        }
    }

    /// Returns the folder's secret, if the folder can be trusted. `create` creates a missing folder or secret.
    fn secret(&self, create: bool) -> Option<[u8; 32]> {
        if create {
            create_private(&self.path).ok()?;
        }
        is_private(&self.path).then_some(())?;
        let path = self.path.join("secret");
        if let Some(secret) = read_secret(&path) {
            return Some(secret);
        }
        if !create {
            return None;
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).ok()?;
        // If another process is first, its secret counts and this one is dropped.
        let scratch = Scratch::new(&self.path).ok()?;
        let mut file = scratch.file().ok()?;
        io::Write::write_all(&mut file, &secret).ok()?;
        match file.persist_noclobber(&path) {
            Ok(_) => Some(secret),
            Err(_) => read_secret(&path),
        }
    }

    /// Returns why there is no secret.
    #[cold]
    fn why_not(&self) -> io::Error {
        if let Err(error) = create_private(&self.path) {
            return error;
        }
        if !is_private(&self.path) {
            return io::Error::other("others can write to the folder, or it is not yours");
        }
        let probe = Scratch::new(&self.path).and_then(|scratch| scratch.file().map(drop));
        probe.err().unwrap_or_else(|| io::Error::other("its file `secret` cannot be read"))
    }

    /// Removes half-written files of processes that were killed.
    pub(super) fn sweep(&self) {
        if is_private(&self.path) {
            scratch::sweep(&self.path);
        }
    }

    fn prune(&self) -> io::Result<()> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|extension| extension == "cwasm") {
                entries.push((entry.metadata()?.modified()?, entry.path()));
            }
        }
        entries.sort();
        let surplus = entries.len().saturating_sub(MAX_ENTRIES);
        for (_, path) in &entries[..surplus] {
            let _ = fs::remove_file(path);
            let _ = fs::remove_file(path.with_extension("json"));
            // A process that holds this turn now compiles only for itself.
            let _ = fs::remove_file(path.with_extension("lock"));
        }
        Ok(())
    }
}

fn read_secret(path: &Path) -> Option<[u8; 32]> {
    fs::read(path).ok()?.try_into().ok()
}

/// Component, wasmtime version and configuration determine the native code; the version of this crate and [`FORMAT`] determine
/// the record.
fn entry_name(engine: &wasmtime::Engine, stored: &StoredComponent) -> String {
    use std::hash::Hasher;

    struct Feed(blake3::Hasher);
    impl Hasher for Feed {
        fn finish(&self) -> u64 {
            0
        }
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
    }
    let mut feed = Feed(blake3::Hasher::new());
    feed.0.update(stored.hash().as_bytes());
    compile::hash_around(stored, &mut feed);
    feed.0.update(concat!("mitt ", env!("CARGO_PKG_VERSION"), " wasmtime ").as_bytes());
    feed.0.update(WASMTIME_VERSION.as_bytes());
    feed.0.update(&FORMAT.to_le_bytes());
    compile::hash_settings(engine, &mut feed);
    feed.0.finalize().to_hex().to_string()
}

/// Returns the keyed hash of the code and its facts.
fn mac(secret: &[u8; 32], code: &[u8], facts: (u64, &Interface)) -> io::Result<blake3::Hash> {
    Ok(sealing(secret, facts)?.update(code).finalize())
}

/// Like [`mac`], for code in a file.
fn mac_of_file(
    secret: &[u8; 32],
    code: &File,
    facts: (u64, &Interface),
) -> io::Result<blake3::Hash> {
    let mut hasher = sealing(secret, facts)?;
    hash_of(code, &mut hasher)?;
    Ok(hasher.finalize())
}

fn sealing(
    secret: &[u8; 32],
    (instance_bytes, interface): (u64, &Interface),
) -> io::Result<blake3::Hasher> {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    hasher.update(&instance_bytes.to_le_bytes());
    let interface = serde_json::to_vec(interface)?;
    hasher.update(&(interface.len() as u64).to_le_bytes());
    hasher.update(&interface);
    Ok(hasher)
}

#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;

    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

#[cfg(unix)]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    // The path itself is checked and not its target, because the owner of a link could redirect it.
    fs::symlink_metadata(path).is_ok_and(|folder| {
        folder.is_dir()
            && folder.uid() == rustix::process::geteuid().as_raw()
            && folder.mode() & 0o022 == 0
    })
}

// On Windows the folder lies in the user's profile, whose access list excludes other users.
#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(not(unix))]
fn is_private(path: &Path) -> bool {
    path.is_dir()
}
