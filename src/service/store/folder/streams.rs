//! The streams of runs: which of their files are open, and who may open, append and delete at the same time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use bytes::Bytes;

pub(super) use super::super::checks::Append;
use super::super::{RunKey, StoreError, StoreResult, Stream};
use super::line_file::{LineFile, Lines};
use super::places::Places;
use mitt_base::{Error, ErrorKind, lock};

/// Most runs whose files are open; each has up to three. Those that were not used for the longest time are closed.
const MAX_OPEN_RUNS: usize = 80;

/// Bytes up to which an append is done at once on an asynchronous thread.
const SHORT_BYTES: usize = 64 * 1024;

/// Locks of which one is held while a run is opened or deleted.
const LOCKS: usize = 64;

/// The open streams of a store.
pub(super) struct Streams {
    places: Places,
    open: Mutex<Open>,
    locks: [Mutex<()>; LOCKS],
}

#[derive(Default)]
struct Open {
    runs: HashMap<RunKey, (Arc<RunFiles>, u64)>,
    /// Counts uses, to find the run that was not used for the longest time.
    uses: u64,
}

/// The files of a run.
#[derive(Default)]
struct RunFiles {
    streams: [Mutex<FileState>; 3],
}

#[derive(Default)]
enum FileState {
    /// It was not opened yet, or does not exist yet.
    #[default]
    Unopened,
    Open(LineFile),
    /// The run is being deleted: a thread that still has this must look again.
    Closed,
}

fn append_to(file: &mut LineFile, append: Append<'_>) -> StoreResult<u64> {
    append.check_end(file.last(), file.length())?;
    file.append(append.records).map_err(failed)?;
    Ok(file.last())
}

impl Streams {
    /// Returns the streams of a store, none of them open.
    pub(super) fn new(places: Places) -> Streams {
        Streams { places, open: Mutex::default(), locks: std::array::from_fn(|_| Mutex::default()) }
    }

    /// Appends a few bytes to a file that is open and not in use, which takes as long as a system call that copies them.
    /// `None` if that is not so.
    pub(super) fn append_at_once(
        &self,
        run: &RunKey,
        append: Append<'_>,
    ) -> Option<StoreResult<u64>> {
        if append.bytes() > SHORT_BYTES as u64 {
            return None;
        }
        self.at_once(run, append.stream, |file| Some(append_to(file, append)))
    }

    /// Appends, on a thread that may block. `exists` says whether there is such a run.
    pub(super) fn append(
        &self,
        run: &RunKey,
        append: Append<'_>,
        exists: impl Fn() -> StoreResult<bool>,
    ) -> StoreResult<u64> {
        self.with(run, append.stream, exists, |state| {
            if let FileState::Unopened = state {
                let file = self.places.open_stream(run, append.stream, true).map_err(failed)?;
                let file = file.ok_or(StoreError::Missing)?;
                *state = FileState::Open(LineFile::open(file).map_err(failed)?);
            }
            match state {
                FileState::Open(file) => append_to(file, append),
                FileState::Unopened | FileState::Closed => Err(StoreError::Missing),
            }
        })
    }

    /// Returns the number of the last record of a file that is open and not in use.
    pub(super) fn last_at_once(&self, run: &RunKey, stream: Stream) -> Option<u64> {
        self.at_once(run, stream, |file| Some(file.last()))
    }

    /// Returns the number of the last record, on a thread that may block.
    pub(super) fn last(
        &self,
        run: &RunKey,
        stream: Stream,
        exists: impl Fn() -> StoreResult<bool>,
    ) -> StoreResult<u64> {
        self.with(run, stream, exists, |state| {
            Ok(self.opened(run, stream, state)?.map_or(0, |file| file.last()))
        })
    }

    /// Returns records that are in memory.
    pub(super) fn read_at_once(
        &self,
        run: &RunKey,
        stream: Stream,
        (after, most): (u64, usize),
    ) -> Option<Vec<Bytes>> {
        self.at_once(run, stream, |file| match file.lines(after, most) {
            Lines::Ready(lines) => Some(lines),
            Lines::InFile(_) => None,
        })
    }

    /// Returns records, on a thread that may block.
    pub(super) fn read(
        &self,
        run: &RunKey,
        stream: Stream,
        (after, most): (u64, usize),
        exists: impl Fn() -> StoreResult<bool>,
    ) -> StoreResult<Vec<Bytes>> {
        let lines = self.with(run, stream, exists, |state| {
            let file = self.opened(run, stream, state)?;
            Ok(file.map_or(Lines::Ready(Vec::new()), |file| file.lines(after, most)))
        })?;
        // Without the lock, so that the run goes on meanwhile.
        match lines {
            Lines::Ready(lines) => Ok(lines),
            Lines::InFile(scan) => scan.read().map_err(failed),
        }
    }

    /// Deletes a run by `delete`, on a thread that may block. Meanwhile nobody opens a file of the run, and none is open.
    pub(super) fn delete(
        &self,
        run: &RunKey,
        delete: impl FnOnce() -> StoreResult<()>,
    ) -> StoreResult<()> {
        let _guard = lock(self.lock_of(run));
        let files = lock(&self.open).runs.remove(run);
        for stream in files.iter().flat_map(|(files, _)| &files.streams) {
            *lock(stream) = FileState::Closed;
        }
        delete()
    }

    /// Returns the number of runs with open files.
    #[cfg(test)]
    pub(super) fn open_runs(&self) -> usize {
        lock(&self.open).runs.len()
    }

    fn opened<'a>(
        &self,
        run: &RunKey,
        stream: Stream,
        state: &'a mut FileState,
    ) -> StoreResult<Option<&'a mut LineFile>> {
        if let FileState::Unopened = state
            && let Some(file) = self.places.open_stream(run, stream, false).map_err(failed)?
        {
            *state = FileState::Open(LineFile::open(file).map_err(failed)?);
        }
        match state {
            FileState::Open(file) => Ok(Some(file)),
            FileState::Unopened | FileState::Closed => Ok(None),
        }
    }

    fn at_once<T>(
        &self,
        run: &RunKey,
        stream: Stream,
        work: impl FnOnce(&mut LineFile) -> Option<T>,
    ) -> Option<T> {
        let files = lock(&self.open).known(run)?;
        let mut state = match files.streams[stream as usize].try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        match &mut *state {
            FileState::Open(file) => work(file),
            FileState::Unopened | FileState::Closed => None,
        }
    }

    fn with<T>(
        &self,
        run: &RunKey,
        stream: Stream,
        exists: impl Fn() -> StoreResult<bool>,
        work: impl FnOnce(&mut FileState) -> StoreResult<T>,
    ) -> StoreResult<T> {
        loop {
            let files = self.files(run, &exists)?;
            let mut state: MutexGuard<'_, FileState> = lock(&files.streams[stream as usize]);
            if !matches!(*state, FileState::Closed) {
                return work(&mut state);
            }
            // It was deleted just now. The next look waits for the deletion and finds nothing.
        }
    }

    fn files(
        &self,
        run: &RunKey,
        exists: impl Fn() -> StoreResult<bool>,
    ) -> StoreResult<Arc<RunFiles>> {
        if let Some(files) = lock(&self.open).known(run) {
            return Ok(files);
        }
        let _guard = lock(self.lock_of(run));
        if !exists()? {
            return Err(StoreError::Missing);
        }
        let mut open = lock(&self.open);
        if let Some(files) = open.known(run) {
            return Ok(files);
        }
        while open.runs.len() >= MAX_OPEN_RUNS && open.close_one() {}
        open.uses += 1;
        let (files, uses) = (Arc::<RunFiles>::default(), open.uses);
        open.runs.insert(run.clone(), (files.clone(), uses));
        Ok(files)
    }

    fn lock_of(&self, run: &RunKey) -> &Mutex<()> {
        let mut hasher = DefaultHasher::new();
        run.hash(&mut hasher);
        let number = usize::try_from(hasher.finish() % LOCKS as u64).unwrap_or_default();
        &self.locks[number]
    }
}

impl Open {
    fn known(&mut self, run: &RunKey) -> Option<Arc<RunFiles>> {
        self.uses += 1;
        let (files, used) = self.runs.get_mut(run)?;
        *used = self.uses;
        Some(files.clone())
    }

    /// Closes the files of the run that was not used for the longest time, unless somebody uses them at this moment. Returns
    /// `false` if all are in use.
    fn close_one(&mut self) -> bool {
        let unused = self.runs.iter().filter(|(_, (files, _))| Arc::strong_count(files) == 1);
        let oldest = unused.min_by_key(|(_, (_, used))| *used).map(|(run, _)| run.clone());
        oldest.is_some_and(|run| self.runs.remove(&run).is_some())
    }
}

#[cold]
fn failed(error: io::Error) -> StoreError {
    let message = "a stream of a run cannot be read or written";
    let error = Error::new(ErrorKind::Host, message).caused_by(error);
    StoreError::Failed(error.hint("see that the disk of the store has room"))
}
