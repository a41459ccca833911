//! What every store accepts, and how long it keeps things.

use std::time::Duration;

use bytes::Bytes;

use super::{Record, StoreError, StoreResult, Stream};
use mitt_base::Error;
use mitt_base::limits::{GIB, MIB};

/// Longest name of a tenant, table, document, owner or idempotency key, in bytes. Longer ones are refused.
pub(super) const MAX_NAME_BYTES: usize = 1024;

/// Longest identifier of a run, in bytes. It is the name of a folder.
pub(super) const MAX_ID_BYTES: usize = 100;

/// Largest record as JSON, in bytes.
pub(super) const MAX_RUN_BYTES: u64 = 4 * MIB;

/// Time for which an idempotency key is known.
pub(super) const KEY_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// Most records or documents that one call returns.
pub(super) const MAX_LISTED: usize = 1000;

/// Largest content of a document, in bytes.
pub(super) const MAX_DOCUMENT_BYTES: u64 = MIB;

/// Largest record of a stream, in bytes.
pub(super) const MAX_LINE_BYTES: u64 = 16 * MIB;

/// Largest inbox, in bytes: everybody appends to it. The log's own limit is the one of its writer.
const MAX_INBOX_BYTES: u64 = 64 * MIB;

/// Largest stream of events, in bytes.
const MAX_EVENTS_BYTES: u64 = GIB;

/// Statuses that [`Store::claim`](super::Store::claim) knows.
const QUEUED: &str = "queued";
/// See [`QUEUED`].
pub(super) const RUNNING: &str = "running";

/// Time for which a store prefers the worker that ended the last work of a run. A worker keeps the session of a run for 60 s.
#[cfg(feature = "cluster")]
pub(super) const WARM: Duration = Duration::from_mins(1);

/// Time for which a waiting run is left to the worker that is preferred. Then any other one may take it.
#[cfg(feature = "cluster")]
pub(super) const HEAD_START: Duration = Duration::from_millis(500);

/// Returns milliseconds.
pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Refuses a record that cannot be stored.
pub(super) fn check_record(record: &Record) -> StoreResult<()> {
    check_name("tenant", &record.tenant)?;
    check_name("status", &record.status)?;
    if !is_id(&record.id) {
        let message = "expected an identifier of up to 100 letters, digits, `_` and `-`";
        return Err(Error::input(message).at("id").into());
    }
    // Counted without making the text, which the thread of the index makes.
    let mut length = Counted(0);
    serde_json::to_writer(&mut length, record).map_err(Error::bug)?;
    if length.0 > MAX_RUN_BYTES {
        let message = format!("expected at most {MAX_RUN_BYTES} bytes, got {}", length.0);
        return Err(Error::input(message).at("record of a run").into());
    }
    Ok(())
}

struct Counted(u64);

impl std::io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns `true` if a worker may take the run, or will be able to when its lease has ended.
pub(super) fn is_for_workers(record: &Record) -> bool {
    is_status_for_workers(&record.status)
}

/// Returns `true` if a worker may take a run of this status, or will be able to when its lease has ended.
pub(super) fn is_status_for_workers(status: &str) -> bool {
    matches!(status, QUEUED | RUNNING)
}

/// Returns `true` if a change that leaves a run in this status, with this lease, ends the work of its owner.
#[cfg(feature = "cluster")]
pub(super) fn ends_work(status: &str, lease: Option<Duration>) -> bool {
    lease.is_none() && !is_status_for_workers(status)
}

/// Returns `true` if a text can be in a key.
pub(super) fn is_name(text: &str) -> bool {
    text.len() <= MAX_NAME_BYTES && !text.contains('\0')
}

/// Refuses a text that cannot be in a key.
pub(super) fn check_name(what: &str, text: &str) -> Result<(), StoreError> {
    if is_name(text) {
        return Ok(());
    }
    let problem = match text.len() {
        length if length > MAX_NAME_BYTES => {
            format!("expected at most {MAX_NAME_BYTES} bytes, got {length}")
        }
        _ => "expected no zero byte".to_owned(),
    };
    Err(Error::input(problem).at(what).into())
}

/// Returns `true` if a text can be the identifier of a run, and so the name of its folder.
pub(super) fn is_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !text.is_empty() && text.len() <= MAX_ID_BYTES && text.bytes().all(is_plain)
}

/// Returns `true` if a text is a SHA-256 as the store writes it.
pub(super) fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Refuses a document that cannot be stored.
pub(super) fn check_document(
    (tenant, table, key): (&str, &str, &str),
    value: &Bytes,
) -> StoreResult<()> {
    check_name("tenant", tenant)?;
    check_name("table", table)?;
    check_name("key of a document", key)?;
    let length = value.len() as u64;
    if length > MAX_DOCUMENT_BYTES {
        let message = format!("expected at most {MAX_DOCUMENT_BYTES} bytes, got {length}");
        return Err(Error::input(message).at("document").into());
    }
    Ok(())
}

/// Returns the name of a stream's file.
pub(super) fn stream_file(stream: Stream) -> &'static str {
    match stream {
        Stream::Log => "log.jsonl",
        Stream::Events => "events.jsonl",
        Stream::Inbox => "inbox.jsonl",
    }
}

/// What is appended.
#[derive(Clone, Copy)]
pub(super) struct Append<'a> {
    pub(super) stream: Stream,
    /// Number of the last record so far; `None` for any.
    pub(super) expected: Option<u64>,
    pub(super) records: &'a [Bytes],
}

impl Append<'_> {
    /// Refuses records that are too long, or would be several lines.
    pub(super) fn check(&self) -> StoreResult<()> {
        for record in self.records {
            let length = record.len() as u64;
            if length > MAX_LINE_BYTES {
                let message = format!("expected at most {MAX_LINE_BYTES} bytes, got {length}");
                return Err(Error::input(message).at("record of a stream").into());
            }
            if record.contains(&b'\n') {
                let message = "expected no line break";
                return Err(Error::input(message).at("record of a stream").into());
            }
        }
        Ok(())
    }

    /// Returns the length of all records with their ends.
    pub(super) fn bytes(&self) -> u64 {
        self.records.iter().map(|record| record.len() as u64 + 1).sum()
    }

    /// Returns the largest length of the stream in bytes.
    pub(super) fn most_bytes(&self) -> u64 {
        match self.stream {
            Stream::Log => i64::MAX.unsigned_abs(),
            Stream::Events => MAX_EVENTS_BYTES,
            Stream::Inbox => MAX_INBOX_BYTES,
        }
    }

    /// Refuses to append after record `last` to a stream of `length` bytes.
    pub(super) fn check_end(&self, last: u64, length: u64) -> StoreResult<()> {
        if self.expected.is_some_and(|expected| expected != last) {
            return Err(StoreError::Conflict(last));
        }
        let (most, length) = (self.most_bytes(), length + self.bytes());
        if length > most {
            let message = format!("expected at most {most} bytes, got {length}");
            return Err(Error::input(message).at(stream_file(self.stream)).into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_fit_are_accepted() {
        assert!(check_name("tenant", &"x".repeat(MAX_NAME_BYTES)).is_ok());
        let long = check_name("tenant", &"x".repeat(MAX_NAME_BYTES + 1)).unwrap_err();
        let StoreError::Failed(long) = long else { panic!("{long:?}") };
        assert_eq!(long.to_string(), "tenant: expected at most 1024 bytes, got 1025");
        assert!(check_name("tenant", "a\0b").is_err());
        assert!(is_id("run_a-B9") && is_id(&"x".repeat(MAX_ID_BYTES)));
        for id in ["", ".", "..", "a/b", "a b", "月", "a\0", &"x".repeat(MAX_ID_BYTES + 1)] {
            assert!(!is_id(id), "{id}");
        }
        assert!(is_digest(&"0f".repeat(32)) && !is_digest(&"0F".repeat(32)) && !is_digest("00"));
    }
}
