//! Files that are kept while people look at them: a bounded number of them, the last ones that were used.
//!
//! Scrolling asks for the same file again and again. A file in use stays. Files that are not used any more go when
//! there are too many, and after some minutes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use super::kept_file::{FileKey, KeptFile, PreviewFile};
use super::places::Places;
use super::preview::Preview;
use mitt::Host;
use mitt_base::limits::MIB;
use mitt_base::{Error, Result, lock};

/// Bounds of what is kept.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    files: usize,
    bytes: u64,
    /// Time after the last use of a file.
    idle: Duration,
}

/// The bounds of a server: some people look at some files each.
const BOUNDS: Bounds = Bounds { files: 16, bytes: 256 * MIB, idle: Duration::from_secs(5 * 60) };

/// Checks in the time after which a file that nobody uses goes.
const CHECKS: u32 = 5;

/// Previews of the files of all tenants. A cheap handle; clones keep the same files.
#[derive(Clone)]
pub struct Previews {
    inner: Arc<Inner>,
}

struct Inner {
    host: Host,
    kept: Mutex<Kept>,
    places: Places,
}

struct Kept {
    bounds: Bounds,
    files: BTreeMap<FileKey, Entry>,
    /// Number of uses so far.
    uses: u64,
    /// `true` while a task forgets files that nobody uses.
    has_sweeper: bool,
}

struct Entry {
    file: Arc<KeptFile>,
    /// Number of the last use.
    use_number: u64,
    used: Instant,
}

impl Entry {
    /// Returns `true` if nobody but the table has the file.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.file) == 1
    }
}

impl Previews {
    /// Returns previews whose files sessions of `host` read.
    pub fn new(host: Host) -> Previews {
        Previews::within(host, BOUNDS)
    }

    fn within(host: Host, bounds: Bounds) -> Previews {
        let kept = Kept { bounds, files: BTreeMap::new(), uses: 0, has_sweeper: false };
        let kept = Mutex::new(kept);
        Previews { inner: Arc::new(Inner { host, kept, places: Places::new() }) }
    }

    /// Returns the preview of a file. `load` returns its bytes, and is called only if the file is not kept: all who open a
    /// file at once wait for one reading. A file that cannot be read has a preview too, which says why.
    ///
    /// # Errors
    ///
    /// Those of `load`. No place or no memory is left now, a rule about content does not let the file pass, or its reader
    /// crashed.
    pub async fn open<F, E>(
        &self,
        file: PreviewFile<'_>,
        load: impl FnOnce() -> F,
    ) -> Result<Preview, E>
    where
        F: Future<Output = Result<Vec<u8>, E>>,
        E: From<Error>,
    {
        let kept = self.kept_file(&file)?;
        let content = kept.content(load).await;
        self.tidy(&file, content.is_err());
        Ok(Preview::new(kept, content?, self.inner.places.clone()))
    }

    /// Forgets files that nobody has used for some minutes. A task does so from time to time, while files are kept.
    pub fn sweep(&self) {
        let gone = lock(&self.inner.kept).trimmed(Instant::now());
        // Dropped without the lock, because a session takes a while to end.
        drop(gone);
    }

    /// Returns the kept file, which may not be read yet.
    fn kept_file(&self, file: &PreviewFile<'_>) -> Result<Arc<KeptFile>> {
        let key = FileKey::of(file);
        if let Some(kept) = lock(&self.inner.kept).used(&key, Instant::now()) {
            return Ok(kept);
        }
        let made = Arc::new(KeptFile::new(&self.inner.host, file)?);
        let mut kept = lock(&self.inner.kept);
        let has_sweeper = std::mem::replace(&mut kept.has_sweeper, true);
        let interval = kept.bounds.idle / CHECKS;
        let added = kept.add(key, made, Instant::now());
        drop(kept);
        if !has_sweeper {
            tokio::spawn(swept(Arc::downgrade(&self.inner), interval));
        }
        Ok(added)
    }

    /// Makes room after a file was read. If that failed, other files of the tenant may have had the memory that it needed.
    fn tidy(&self, file: &PreviewFile<'_>, has_failed: bool) {
        let mut kept = lock(&self.inner.kept);
        let mut gone = kept.trimmed(Instant::now());
        if has_failed {
            gone.extend(kept.taken(|key, entry| key.is_of(file.tenant) && entry.is_idle()));
        }
        drop(kept);
        drop(gone);
    }
}

/// Forgets files that nobody uses, until none is kept or the previews are gone.
async fn swept(previews: Weak<Inner>, interval: Duration) {
    loop {
        tokio::time::sleep(interval).await;
        let Some(inner) = previews.upgrade() else { return };
        let previews = Previews { inner };
        previews.sweep();
        let mut kept = lock(&previews.inner.kept);
        if kept.files.is_empty() {
            kept.has_sweeper = false;
            return;
        }
    }
}

impl Kept {
    /// Returns a file and notes its use.
    fn used(&mut self, key: &FileKey, now: Instant) -> Option<Arc<KeptFile>> {
        let entry = self.files.get_mut(key)?;
        self.uses += 1;
        (entry.use_number, entry.used) = (self.uses, now);
        Some(entry.file.clone())
    }

    /// Adds a file, unless another request has added it meanwhile. Returns the one that is kept.
    fn add(&mut self, key: FileKey, file: Arc<KeptFile>, now: Instant) -> Arc<KeptFile> {
        if let Some(kept) = self.used(&key, now) {
            return kept;
        }
        self.uses += 1;
        let entry = Entry { file: file.clone(), use_number: self.uses, used: now };
        self.files.insert(key, entry);
        file
    }

    /// Takes out the files that are idle for long, then those that were used longest ago, until the bounds hold.
    fn trimmed(&mut self, now: Instant) -> Vec<Arc<KeptFile>> {
        let idle = self.bounds.idle;
        let is_old = |_: &FileKey, entry: &Entry| {
            entry.is_idle() && now.saturating_duration_since(entry.used) >= idle
        };
        let mut gone = self.taken(is_old);
        let mut bytes: u64 = self.files.values().map(|entry| entry.file.kept_bytes()).sum();
        while self.files.len() > self.bounds.files || bytes > self.bounds.bytes {
            let idle = self.files.iter().filter(|(_, entry)| entry.is_idle());
            let Some((key, _)) = idle.min_by_key(|(_, entry)| entry.use_number) else { break };
            let key = key.clone();
            let Some(entry) = self.files.remove(&key) else { break };
            bytes = bytes.saturating_sub(entry.file.kept_bytes());
            gone.push(entry.file);
        }
        gone
    }

    /// Takes out the files for which this holds.
    fn taken(&mut self, holds: impl Fn(&FileKey, &Entry) -> bool) -> Vec<Arc<KeptFile>> {
        let keys = self.files.iter().filter(|(key, entry)| holds(key, entry));
        let keys: Vec<FileKey> = keys.map(|(key, _)| key.clone()).collect();
        keys.iter().filter_map(|key| self.files.remove(key)).map(|entry| entry.file).collect()
    }
}

#[cfg(test)]
#[path = "previews_tests.rs"]
mod tests;
