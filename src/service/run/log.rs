//! The log of `mitt-agent` in the store: each line is durable before the next step, and only the owner of the run writes.

use std::io;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tokio::runtime::Handle;

use super::control::{Control, Stop};
use crate::store::{RunKey, Store, StoreError, StoreResult, Stream};
use mitt_agent::{LoggedRun, MAX_LOG_BYTES};
use mitt_base::{Result, lock};

/// Records that are read at once.
const AT_ONCE: usize = 256;

/// The log of a run. A cheap handle.
#[derive(Clone)]
pub(super) struct StoreLog {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn Store>,
    key: RunKey,
    control: Arc<Control>,
    runtime: Handle,
    end: Mutex<End>,
    /// Receives each line after it was stored.
    listener: Box<dyn Fn(&str) + Send + Sync>,
}

#[derive(Clone, Copy, Debug, Default)]
struct End {
    /// Number of the last record.
    last: u64,
    /// Bytes of all lines.
    bytes: u64,
}

impl StoreLog {
    /// Opens the log of a run; `listener` receives each further line after it was stored.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub(super) async fn open(
        store: Arc<dyn Store>,
        key: RunKey,
        control: Arc<Control>,
        listener: impl Fn(&str) + Send + Sync + 'static,
    ) -> StoreResult<(StoreLog, Option<Vec<u8>>)> {
        let (mut end, mut text) = (End::default(), Vec::new());
        loop {
            let records = store.read(&key, Stream::Log, end.last, AT_ONCE).await?;
            if records.is_empty() {
                break;
            }
            end.last += records.len() as u64;
            for record in records {
                text.extend_from_slice(&record);
                text.push(b'\n');
            }
            if text.len() as u64 > MAX_LOG_BYTES {
                break;
            }
        }
        end.bytes = text.len() as u64;
        let (runtime, listener) = (Handle::current(), Box::new(listener));
        let inner = Inner { store, key, control, runtime, end: Mutex::new(end), listener };
        let text = (!text.is_empty()).then_some(text);
        Ok((StoreLog { inner: Arc::new(inner) }, text))
    }

    /// Returns the number of the last record.
    pub(super) fn last(&self) -> u64 {
        lock(&self.inner.end).last
    }

    /// Returns the length of the log in bytes.
    pub(super) fn bytes(&self) -> u64 {
        lock(&self.inner.end).bytes
    }

    /// Reads the log from the store.
    ///
    /// # Errors
    ///
    /// Those of [`LoggedRun::read`]; the store failed.
    pub(super) async fn read(&self) -> Result<Option<LoggedRun>> {
        let Inner { store, key, control, .. } = &*self.inner;
        let opened = StoreLog::open(store.clone(), key.clone(), control.clone(), |_| {}).await;
        match opened {
            Ok((_, text)) => text.map(|text| LoggedRun::read(&*text)).transpose(),
            Err(StoreError::Failed(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Reads the lines of the log from the store.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub(super) async fn lines(&self) -> StoreResult<Vec<Bytes>> {
        let Inner { store, key, .. } = &*self.inner;
        let mut lines = Vec::new();
        loop {
            let more = store.read(key, Stream::Log, lines.len() as u64, AT_ONCE).await?;
            if more.is_empty() {
                return Ok(lines);
            }
            lines.extend(more);
        }
    }

    /// Returns a writer at the end of the log.
    pub(super) fn writer(&self) -> LogWriter {
        LogWriter { log: self.clone(), line: Vec::new() }
    }

    /// Stores a line.
    fn append(&self, line: &[u8]) -> io::Result<()> {
        let inner = &*self.inner;
        if inner.control.is_silent() {
            return Err(io::Error::other("the run has another owner"));
        }
        // Held while the line is stored: lines have an order.
        let mut end = lock(&inner.end);
        let records = [Bytes::copy_from_slice(line)];
        let appended = inner.store.append(&inner.key, Stream::Log, Some(end.last), &records);
        match tokio::task::block_in_place(|| inner.runtime.block_on(appended)) {
            Ok(last) => {
                *end = End { last, bytes: end.bytes + line.len() as u64 + 1 };
                drop(end);
                (inner.listener)(&String::from_utf8_lossy(line));
                Ok(())
            }
            Err(StoreError::Failed(error)) => {
                inner.control.stop(Stop::Failed(error));
                Err(io::Error::other("the store failed"))
            }
            Err(_) => {
                inner.control.stop(Stop::Lost);
                Err(io::Error::other("the run has another owner"))
            }
        }
    }
}

/// Writes lines to a log.
pub(super) struct LogWriter {
    log: StoreLog,
    /// Beginning of a line. `RunLog` bounds it, and writes whole lines.
    line: Vec<u8>,
}

impl io::Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        while let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
            let rest = self.line.split_off(end + 1);
            let line = std::mem::replace(&mut self.line, rest);
            self.log.append(line.strip_suffix(b"\n").unwrap_or(&line))?;
        }
        Ok(())
    }
}
