//! The index: rows of bytes in one `redb` file, changed by one thread.
//!
//! All waiting changes are made together in one transaction. It is written to the [`RedoLog`] and then made in memory; the
//! file follows when the log is large, with the only `fsync`. See the module's documentation for what survives what.

use std::ffi::OsStr;
use std::io;
use std::ops::Bound;
use std::sync::{Arc, RwLock};
use std::thread::JoinHandle;

use redb::backends::FileBackend;
use redb::{
    Database, Durability, ReadableDatabase as _, ReadableTable, TableDefinition, WriteTransaction,
};
use tokio::sync::{mpsc, oneshot};

use super::super::{StoreError, StoreResult};
use super::keys::{Key, Parts, Table, damaged};
use super::places::Effect;
use super::redo_log::{RedoLog, Rows};
use mitt_base::limits::MIB;
use mitt_base::output_folder::{OutputFolder, Readable};
use mitt_base::{Error, ErrorKind, unpoisoned};

/// All rows. One table is opened in a transaction; the parts of the index have different keys.
const ROWS: TableDefinition<'static, &'static [u8], &'static [u8]> = TableDefinition::new("rows");

/// Version of the rows' form.
const FORMAT: &[u8] = b"2";

/// The version before, in which runs waited in the order of their creation alone.
const FORMAT_BEFORE: &[u8] = b"1";

/// Size of the redo log at which the index's file is brought up to date. Larger logs make that rarer, and the pause longer:
/// of 1, 4 and 16 MiB, 4 had the best mean in the measurement of the module's documentation.
const MAX_LOG_BYTES: u64 = 4 * MIB;

/// Memory for pages of the index. The system caches its file too.
const CACHE_BYTES: usize = 32 << 20;

/// Most changes that wait for the thread. Further callers wait for a place.
const MAX_WAITING: usize = 64;

type BytesTable<'a> = redb::Table<'a, &'static [u8], &'static [u8]>;

/// Opens the file of the index, at the start and after a failure of the disk.
pub(super) type Opener = Box<dyn Fn() -> Result<Database, redb::DatabaseError> + Send + Sync>;

/// Does a change of files.
pub(super) type Perform = Box<dyn Fn(&Effect) -> io::Result<()> + Send>;

/// Returns the answer to a caller, once it is known whether its change is kept.
type Reply = Box<dyn FnOnce(Option<Error>) + Send>;

/// A change that waits, or learns why no change can be made. It returns an error if the index itself failed.
type Job = Box<dyn FnOnce(Result<&mut Batch<'_>, Error>) -> (Option<Error>, Reply) + Send>;

/// The index of a store.
pub(super) struct Index {
    database: Arc<Opened>,
    /// `None` while it is dropped.
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

struct Opened {
    /// `None` after a failure, until it is open again.
    database: RwLock<Option<Database>>,
    opener: Opener,
}

/// Looks at the key and the value of a row, and returns `false` if it wants no more.
pub(super) type Visit<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> StoreResult<bool>;

/// Rows that can be read.
pub(super) trait Read {
    /// Returns the value of a row.
    fn get(&self, key: &Key) -> StoreResult<Option<Vec<u8>>>;

    /// Calls `visit` with rows in the order of their keys, or backwards, until it returns `false`.
    fn walk(
        &self,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        is_backwards: bool,
        visit: Visit<'_>,
    ) -> StoreResult<()>;

    /// Returns `true` if there is a row.
    fn has(&self, key: &Key) -> StoreResult<bool> {
        Ok(self.get(key)?.is_some())
    }

    /// Does what [`Read::walk`] does for all keys that begin with `prefix`, which ends with a table or a text.
    fn walk_in(&self, prefix: &Key, visit: Visit<'_>) -> StoreResult<()> {
        let end = prefix.end();
        self.walk((Bound::Included(prefix.bytes()), Bound::Excluded(end.bytes())), false, visit)
    }

    /// Returns the first row whose key begins with `prefix`, which ends with a table or a text.
    fn first(&self, prefix: &Key) -> StoreResult<Option<(Vec<u8>, Vec<u8>)>> {
        let mut first = None;
        self.walk_in(prefix, &mut |key, value| {
            first = Some((key.to_vec(), value.to_vec()));
            Ok(false)
        })?;
        Ok(first)
    }
}

impl<T: ReadableTable<&'static [u8], &'static [u8]>> Read for T {
    fn get(&self, key: &Key) -> StoreResult<Option<Vec<u8>>> {
        let value = ReadableTable::get(self, key.bytes()).map_err(broken)?;
        Ok(value.map(|value| value.value().to_vec()))
    }

    fn walk(
        &self,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        is_backwards: bool,
        visit: Visit<'_>,
    ) -> StoreResult<()> {
        let mut rows = self.range::<&[u8]>(range).map_err(broken)?;
        while let Some(row) = if is_backwards { rows.next_back() } else { rows.next() } {
            let (key, value) = row.map_err(broken)?;
            if !visit(key.value(), value.value())? {
                break;
            }
        }
        Ok(())
    }
}

/// A change of the index that is being made. A job checks everything first and changes then: if it refuses a request, the
/// other changes of the batch are kept.
pub(super) struct Batch<'a> {
    table: BytesTable<'a>,
    changes: Changes,
    /// Number of the job that runs.
    job: usize,
}

/// What the jobs of a batch changed.
#[derive(Default)]
struct Changes {
    rows: Rows,
    next_effect: u64,
    effects: Vec<NumberedEffect>,
    after: Vec<After>,
}

/// The number of a job, that of its effect, and the effect.
type NumberedEffect = (usize, u64, Effect);

/// What is done when a change is kept.
type After = Box<dyn FnOnce() + Send>;

impl<'a> Batch<'a> {
    /// Returns the rows as they are by now.
    pub(super) fn rows(&self) -> &BytesTable<'a> {
        &self.table
    }

    /// Writes a row.
    pub(super) fn put(&mut self, key: &Key, value: &[u8]) -> StoreResult<()> {
        self.table.insert(key.bytes(), value).map_err(broken)?;
        self.changes.rows.push((key.bytes(), Some(value)));
        Ok(())
    }

    /// Removes a row if it is there.
    pub(super) fn remove(&mut self, key: &Key) -> StoreResult<()> {
        if self.table.remove(key.bytes()).map_err(broken)?.is_some() {
            self.changes.rows.push((key.bytes(), None));
        }
        Ok(())
    }

    /// Has files changed when the change of the index is kept, before the caller gets its answer.
    pub(super) fn effect(&mut self, effect: Effect) -> StoreResult<()> {
        let number = self.changes.next_effect;
        let row = serde_json::to_vec(&effect).map_err(Error::bug)?;
        self.put(&Key::of(Table::Effects).number(number), &row)?;
        self.changes.next_effect += 1;
        self.changes.effects.push((self.job, number, effect));
        Ok(())
    }

    /// Has `work` done when the change of the index is kept.
    pub(super) fn after(&mut self, work: impl FnOnce() + Send + 'static) {
        self.changes.after.push(Box::new(work));
    }
}

impl Index {
    /// Opens the index, makes the changes of the redo log again, and then the changes of files that belong to them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the file cannot be opened, or was written by another version.
    pub(super) fn open(opener: Opener, mut log: RedoLog, perform: Perform) -> Result<Index, Error> {
        let (database, number) = open_database(&opener, &mut log)?;
        let mut effects = Vec::new();
        {
            let rows = database.begin_read().map_err(broken)?.open_table(ROWS).map_err(broken)?;
            let effect = |key: &[u8], value: &[u8]| {
                let effect = serde_json::from_slice(value).map_err(|_| damaged())?;
                effects.push((Parts::of_key(key).number()?, effect));
                Ok(true)
            };
            rows.walk_in(&Key::of(Table::Effects), &mut { effect }).map_err(into_error)?;
        }
        let next_effect = effects.last().map_or(0, |(number, _)| number + 1);
        let mut done = Vec::new();
        for (number, effect) in effects {
            match perform(&effect) {
                Ok(()) => done.push(number),
                // What was arriving is lost, which only a power failure can do.
                Err(error) if error.kind() == io::ErrorKind::NotFound => done.push(number),
                Err(error) => tracing::warn!(%error, "files of the store cannot be changed"),
            }
        }
        let database = Arc::new(Opened { database: RwLock::new(Some(database)), opener });
        let (sender, jobs) = mpsc::channel(MAX_WAITING);
        let opened = database.clone();
        let mut writer =
            Writer { opened, log, perform, number, next_effect, done, is_suspect: false };
        // A thread of its own, because a transaction of redb belongs to one thread, and waits for the disk.
        let thread = std::thread::Builder::new()
            .name("mitt-store".to_owned())
            .spawn(move || writer.run(jobs))
            .map_err(|error| {
                Error::new(ErrorKind::Host, "the thread of the store cannot be started")
                    .caused_by(error)
            })?;
        Ok(Index { database, jobs: Some(sender), thread: Some(thread) })
    }

    /// Writes and removes the rows that `made` returns, before any other change, in the file itself. To be called right after
    /// [`Index::open`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the file cannot be read or written.
    pub(super) fn prepare(
        &self,
        made: impl FnOnce(&dyn Read) -> StoreResult<Vec<(Key, Option<Vec<u8>>)>>,
    ) -> Result<(), Error> {
        let rows = self.read(made).map_err(into_error)?;
        if rows.is_empty() {
            return Ok(());
        }
        let database = unpoisoned(self.database.database.read());
        let transaction = begin(database.as_ref().ok_or_else(closed)?, true)?;
        {
            let mut table = transaction.open_table(ROWS).map_err(broken)?;
            for (key, value) in &rows {
                match value {
                    Some(value) => {
                        drop(table.insert(key.bytes(), value.as_slice()).map_err(broken)?);
                    }
                    None => drop(table.remove(key.bytes()).map_err(broken)?),
                }
            }
        }
        transaction.commit().map_err(broken)
    }

    /// Reads rows as they are now. Takes some microseconds for a few rows, because pages come from memory; a caller that
    /// reads many does it in `spawn_blocking`.
    pub(super) fn read<T>(&self, work: impl FnOnce(&dyn Read) -> StoreResult<T>) -> StoreResult<T> {
        let database = unpoisoned(self.database.database.read());
        let Some(database) = &*database else { return Err(closed().into()) };
        let rows = database.begin_read().map_err(broken)?.open_table(ROWS).map_err(broken)?;
        work(&rows)
    }

    /// Changes rows. The change is kept or not as a whole, also if the caller does not wait for it.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Batch<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (job, answer) = job(work);
        let Some(jobs) = &self.jobs else { return Err(closed().into()) };
        jobs.send(job).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    /// Does what [`Index::write`] does on a thread that may block.
    pub(super) fn write_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Batch<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (job, answer) = job(work);
        let Some(jobs) = &self.jobs else { return Err(closed().into()) };
        jobs.blocking_send(job).map_err(|_| closed())?;
        answer.blocking_recv().map_err(|_| closed())?
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn job<T: Send + 'static>(
    work: impl FnOnce(&mut Batch<'_>) -> StoreResult<T> + Send + 'static,
) -> (Job, oneshot::Receiver<StoreResult<T>>) {
    let (sender, answer) = oneshot::channel();
    let job = move |batch: Result<&mut Batch<'_>, Error>| {
        let result = batch.map_err(StoreError::Failed).and_then(work);
        let failure = match &result {
            Err(StoreError::Failed(error)) => Some(error.clone()),
            _ => None,
        };
        let reply: Reply = Box::new(move |failure| {
            let _ = sender.send(failure.map_or(result, |error| Err(error.into())));
        });
        (failure, reply)
    };
    (Box::new(job), answer)
}

/// What the thread has.
struct Writer {
    opened: Arc<Opened>,
    log: RedoLog,
    perform: Perform,
    /// Number of the last entry of the log.
    number: u64,
    next_effect: u64,
    /// Effects that were done, whose rows go with the next change.
    done: Vec<u64>,
    /// `true` after a failure: redb refuses everything then until it is opened again.
    is_suspect: bool,
}

impl Writer {
    fn run(&mut self, mut jobs: mpsc::Receiver<Job>) {
        while let Some(job) = jobs.blocking_recv() {
            let mut waiting = vec![job];
            while waiting.len() < MAX_WAITING
                && let Ok(job) = jobs.try_recv()
            {
                waiting.push(job);
            }
            self.change(waiting);
        }
        // Not needed for correctness: the next start would read the log.
        if self.log.length() > 0 && !self.is_suspect {
            let _ = self.commit(&mut Vec::new().into_iter(), true, &mut Vec::new());
        }
    }

    fn change(&mut self, jobs: Vec<Job>) {
        let mut replies = Vec::with_capacity(jobs.len());
        let (mut jobs, is_durable) = (jobs.into_iter(), self.log.length() > MAX_LOG_BYTES);
        match self.commit(&mut jobs, is_durable, &mut replies) {
            Ok((effects, after)) => {
                let mut failures: Vec<Option<Error>> = vec![None; replies.len()];
                for (job, number, effect) in effects {
                    match (self.perform)(&effect) {
                        Ok(()) => self.done.push(number),
                        // It is tried again at the next start.
                        Err(error) => {
                            let message = "files of the store cannot be changed";
                            let error = Error::new(ErrorKind::Host, message).caused_by(error);
                            if let Some(failure) = failures.get_mut(job) {
                                *failure = Some(error);
                            }
                        }
                    }
                }
                after.into_iter().for_each(|work| work());
                for (reply, failure) in replies.into_iter().zip(failures) {
                    reply(failure);
                }
            }
            Err(error) => {
                self.is_suspect = true;
                replies.extend(jobs.map(|job| job(Err(error.clone())).1));
                replies.into_iter().for_each(|reply| reply(Some(error.clone())));
            }
        }
    }

    fn commit(
        &mut self,
        jobs: &mut std::vec::IntoIter<Job>,
        is_durable: bool,
        replies: &mut Vec<Reply>,
    ) -> Result<(Vec<NumberedEffect>, Vec<After>), Error> {
        if self.is_suspect {
            self.reopen()?;
        }
        let database = unpoisoned(self.opened.database.read());
        let database = database.as_ref().ok_or_else(closed)?;
        let transaction = begin(database, is_durable)?;
        let number = self.number + 1;
        let Changes { rows, next_effect, effects, after } =
            self.run_jobs(&transaction, jobs, replies, number)?;
        if rows.is_empty() && !is_durable {
            return Ok((effects, after));
        }
        let before = self.log.length();
        if !rows.is_empty() {
            self.log.append(number, &rows).map_err(not_logged)?;
        }
        if let Err(error) = transaction.commit() {
            // Otherwise the change would come back after it was reported as failed.
            self.log.cut(before).map_err(not_logged)?;
            return Err(broken(error));
        }
        if is_durable {
            self.log.cut(0).map_err(not_logged)?;
        }
        self.done.clear();
        (self.number, self.next_effect) = (number, next_effect);
        Ok((effects, after))
    }

    /// Makes the changes of jobs in a transaction, as change `number`.
    fn run_jobs(
        &self,
        transaction: &WriteTransaction,
        jobs: &mut std::vec::IntoIter<Job>,
        replies: &mut Vec<Reply>,
        number: u64,
    ) -> Result<Changes, Error> {
        let mut batch = Batch {
            table: transaction.open_table(ROWS).map_err(broken)?,
            changes: Changes { next_effect: self.next_effect, ..Changes::default() },
            job: 0,
        };
        for number in &self.done {
            batch.remove(&Key::of(Table::Effects).number(*number)).map_err(into_error)?;
        }
        for (number, job) in jobs.enumerate() {
            batch.job = number;
            let (failure, reply) = job(Ok(&mut batch));
            replies.push(reply);
            if let Some(error) = failure {
                return Err(error);
            }
        }
        let number = number.to_be_bytes();
        batch.table.insert(last_change().bytes(), number.as_slice()).map_err(broken)?;
        Ok(batch.changes)
    }

    /// Opens the file again after a failure, with all that was kept.
    fn reopen(&mut self) -> Result<(), Error> {
        let mut database = unpoisoned(self.opened.database.write());
        *database = None;
        let (opened, number) = open_database(&self.opened.opener, &mut self.log)?;
        *database = Some(opened);
        // A number must not be used twice: an entry of the log with a lower one is not read.
        (self.number, self.is_suspect) = (self.number.max(number), false);
        Ok(())
    }
}

/// Opens the file of the index in a store's folder.
pub(super) fn open_file(folder: &OutputFolder) -> Result<Database, redb::DatabaseError> {
    // Through the folder, so that the file is private and no link is followed.
    let file = folder.read_or_create(OsStr::new("index.redb"), Readable::Owner)?;
    redb::Builder::new().set_cache_size(CACHE_BYTES).create_with_backend(FileBackend::new(file)?)
}

/// Begins a transaction. Commits are in memory until the next durable one, which leaves the file so that it need not be
/// checked page by page after a crash.
fn begin(database: &Database, is_durable: bool) -> Result<WriteTransaction, Error> {
    let mut transaction = database.begin_write().map_err(broken)?;
    if is_durable {
        transaction.set_quick_repair(true);
    } else {
        transaction.set_durability(Durability::None).map_err(broken)?;
    }
    Ok(transaction)
}

/// Opens the file, makes the changes of the log again, and empties the log. Returns the number of the last change too.
fn open_database(opener: &Opener, log: &mut RedoLog) -> Result<(Database, u64), Error> {
    let database = opener().map_err(broken)?;
    let transaction = begin(&database, true)?;
    let mut number = 0;
    {
        let mut table = transaction.open_table(ROWS).map_err(broken)?;
        let format = format_key();
        match Read::get(&table, &format).map_err(into_error)? {
            // What [`Index::prepare`] makes of it has the form of this version.
            Some(found) if found == FORMAT || found == FORMAT_BEFORE => {}
            Some(_) => {
                let message = "the folder of the store was written by a newer version";
                return Err(Error::new(ErrorKind::Host, message).hint("use that version"));
            }
            None => drop(table.insert(format.bytes(), FORMAT).map_err(broken)?),
        }
        if let Some(value) = Read::get(&table, &last_change()).map_err(into_error)? {
            number = Parts::of_value(&value).number().map_err(into_error)?;
        }
        log.read(|entry, rows| {
            // The file was written, and the process ended before the log was emptied.
            if entry <= number {
                return Ok(());
            }
            for (key, value) in rows {
                match value {
                    Some(value) => drop(table.insert(key, value).map_err(Failure::index)?),
                    None => drop(table.remove(key).map_err(Failure::index)?),
                }
            }
            number = entry;
            Ok(())
        })
        .map_err(|Failure(error)| error)?;
        table.insert(last_change().bytes(), number.to_be_bytes().as_slice()).map_err(broken)?;
    }
    transaction.commit().map_err(broken)?;
    log.cut(0).map_err(not_logged)?;
    Ok((database, number))
}

/// An error of the log or of the index.
struct Failure(Error);

impl Failure {
    fn index(error: redb::StorageError) -> Failure {
        Failure(broken(error))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure(not_logged(error))
    }
}

/// Returns the rows that make an index of the version before one of this version; nothing if it is one already.
pub(super) fn converted(
    rows: &dyn Read,
    convert: impl FnOnce(&dyn Read) -> StoreResult<Vec<(Key, Option<Vec<u8>>)>>,
) -> StoreResult<Vec<(Key, Option<Vec<u8>>)>> {
    if rows.get(&format_key())?.is_none_or(|found| found != FORMAT_BEFORE) {
        return Ok(Vec::new());
    }
    let mut made = convert(rows)?;
    made.push((format_key(), Some(FORMAT.to_vec())));
    Ok(made)
}

/// Returns the key of the version of the rows' form.
fn format_key() -> Key {
    Key::of(Table::Meta).text("format")
}

/// Returns the key of the number of the last change that the file has.
fn last_change() -> Key {
    Key::of(Table::Meta).text("last change")
}

#[cold]
fn broken(error: impl Into<redb::Error>) -> Error {
    Error::new(ErrorKind::Host, "the index of the store cannot be read or written")
        .hint("see that its disk has room, and that the process may write to its folder")
        .caused_by(error.into())
}

#[cold]
fn not_logged(error: io::Error) -> Error {
    Error::new(ErrorKind::Host, "the log of the store cannot be read or written")
        .hint("see that its disk has room, and that the process may write to its folder")
        .caused_by(error)
}

#[cold]
fn closed() -> Error {
    Error::new(ErrorKind::Host, "the store is closed after an error")
}

/// Returns the error of a row that can only be missing or damaged.
fn into_error(error: StoreError) -> Error {
    match error {
        StoreError::Failed(error) => error,
        other => Error::bug(format!("the index returned {other:?}")),
    }
}
