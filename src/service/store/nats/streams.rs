//! Streams of runs: one subject for each, whose last message says how far the stream has come.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use bytes::{BufMut as _, Bytes, BytesMut};
use serde::{Deserialize, Serialize};

use super::super::checks::{Append, is_name};
use super::super::{RunKey, StoreError, Stream};
use super::connection::{Failure, Message, Place, StoredMessage, Tried, tried};
use super::contents::{self, MAX_INLINE, Segment};
use super::entries::{self, ENTRY, TOKEN};
use super::records;
use super::shared::Shared;
use mitt_base::limits::MIB;
use mitt_base::{Error, lock};

/// Most bytes that one read returns, unless one record is longer.
const MAX_READ_BYTES: u64 = 4 * MIB;

/// Most messages that are read at once.
const AT_ONCE: usize = 256;

/// Records that are passed over rather than looked for.
const NEAR: u64 = 256;

/// Most streams whose ends, or places of records, are kept in memory.
const MAX_KNOWN: usize = 10_000;

/// Most places of records that are kept of a stream.
const MAX_PLACES: usize = 16;

/// What a message of a stream says beside its records.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Frame {
    /// Number of the last record so far.
    last: u64,
    /// Records of this message.
    count: u64,
    /// Bytes of all records so far.
    bytes: u64,
    /// Number of the owner that may append to the log and the events.
    fence: i64,
    /// The run was deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_closed: bool,
    /// Where the records are if they are too long for the payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    segment: Option<Segment>,
}

/// End of a stream.
#[derive(Clone, Debug, Default)]
struct Head {
    sequence: u64,
    frame: Frame,
}

type Slot = Arc<tokio::sync::Mutex<Option<Head>>>;

/// Records for one message.
struct Packed {
    payload: Bytes,
    segment: Option<Segment>,
}

/// What earlier tries of an append know.
#[derive(Default)]
pub(super) struct Attempt {
    /// A try that expected this sequence may have succeeded.
    expected: Option<u64>,
    /// What is in memory was wrong.
    is_sure: bool,
    /// The records, stored below the unique name of the run.
    packed: Option<(String, Packed)>,
}

#[cfg(test)]
impl Attempt {
    /// Makes this the state after a try that expected this sequence, and whose result was lost.
    pub(super) fn may_have_been_made(&mut self, expected: u64) {
        self.expected = Some(expected);
    }
}

/// The streams that this process reads or writes.
#[derive(Default)]
pub(super) struct Streams {
    /// Ends of streams; the lock lets one append of this process at a time go on.
    heads: Mutex<HashMap<String, Slot>>,
    /// For some numbers of records of a subject, a sequence from which the next record is found.
    places: Mutex<HashMap<String, BTreeMap<u64, u64>>>,
}

/// Returns the unique name of a run. The index may be late, so that a caller who finds that it is wrong is `sure`.
async fn uid_of(shared: &Shared, run: &RunKey, is_sure: bool) -> Tried<String> {
    if !is_name(&run.tenant) || !is_name(&run.id) {
        return Err(StoreError::Missing.into());
    }
    if !is_sure && let Some(uid) = shared.index.look(|view| Some(view.find(run)?.1.to_owned())) {
        return Ok(uid);
    }
    Ok(records::entry(shared, run).await?.uid)
}

async fn head_of(shared: &Shared, subject: &str) -> Tried<Head> {
    match shared.connection.last(Place::Data, subject).await? {
        None => Ok(Head::default()),
        Some(message) => Ok(Head { sequence: message.sequence, frame: frame_of(&message)? }),
    }
}

fn frame_of(message: &StoredMessage) -> Tried<Frame> {
    let text = message.header(ENTRY).unwrap_or_default();
    Ok(serde_json::from_str(text).map_err(Error::bug)?)
}

fn message(
    subject: &str,
    frame: &Frame,
    packed: Bytes,
    (expected, token): (u64, &str),
) -> Tried<Message> {
    let text = serde_json::to_string(frame).map_err(Error::bug)?;
    Ok(Message {
        subject: subject.to_owned(),
        headers: vec![(ENTRY, text), (TOKEN, token.to_owned())],
        payload: packed,
        expected,
        life: None,
    })
}

/// Puts records one after the other, each with its length.
fn packed(records: &[Bytes]) -> Bytes {
    let length = records.iter().map(|record| record.len() + 4).sum();
    let mut packed = BytesMut::with_capacity(length);
    for record in records {
        // A record has at most 16 MiB.
        packed.put_u32(u32::try_from(record.len()).unwrap_or(u32::MAX));
        packed.extend_from_slice(record);
    }
    packed.freeze()
}

fn unpacked(mut packed: Bytes) -> Tried<Vec<Bytes>> {
    let mut records = Vec::new();
    while !packed.is_empty() {
        let length = packed.first_chunk().map(|length| u32::from_be_bytes(*length) as usize);
        let length = length.filter(|length| packed.len() - 4 >= *length);
        let length = length.ok_or_else(|| Error::bug("a message of a stream is cut off"))?;
        let record = packed.split_off(4);
        packed = record.slice(length..);
        records.push(record.slice(..length));
    }
    Ok(records)
}

impl Streams {
    fn slot(&self, subject: &str) -> Slot {
        let mut heads = lock(&self.heads);
        if heads.len() > MAX_KNOWN {
            heads.retain(|_, slot| Arc::strong_count(slot) > 1);
        }
        heads.entry(subject.to_owned()).or_default().clone()
    }

    /// Appends records. `fence` is the number by which this process owned the run last, 0 for none; `token` names this
    /// append.
    pub(super) async fn append(
        &self,
        shared: &Shared,
        run: &RunKey,
        append: Append<'_>,
        (fence, token): (i64, &str),
        attempt: &mut Attempt,
    ) -> Tried<u64> {
        let fence = if append.stream == Stream::Inbox { 0 } else { fence };
        let connection = &shared.connection;
        loop {
            let uid = uid_of(shared, run, attempt.is_sure).await?;
            let subject = entries::lines(connection, &uid, append.stream);
            let slot = self.slot(&subject);
            let mut slot = slot.lock().await;
            let head = match &*slot {
                Some(head) if !attempt.is_sure && attempt.expected.is_none() => head.clone(),
                _ => head_of(shared, &subject).await?,
            };
            // After the end was read: what arrives later does not have the expected sequence.
            if let Some(expected) = attempt.expected.filter(|expected| head.sequence > *expected) {
                let after = connection.next(Place::Data, &subject, expected + 1).await?;
                if let Some(ours) = after.filter(|after| after.header(TOKEN) == Some(token)) {
                    return Ok(frame_of(&ours)?.last);
                }
            }
            let refusal = match head.frame {
                Frame { is_closed: true, .. } => Err(StoreError::Missing),
                Frame { last, fence: owner, .. } if owner != fence => {
                    // Another process has the run. A wrong number and a stream that is full come first.
                    append.check_end(last, head.frame.bytes).and(Err(StoreError::Conflict(last)))
                }
                Frame { last, bytes, .. } => append.check_end(last, bytes),
            };
            if let Err(refusal) = refusal {
                if attempt.is_sure {
                    return Err(refusal.into());
                }
                *slot = None;
                attempt.is_sure = true;
                continue;
            }
            if append.records.is_empty() {
                if attempt.is_sure {
                    return Ok(head.frame.last);
                }
                attempt.is_sure = true;
                continue;
            }
            let packed = self.pack(shared, &uid, append.records, (token, attempt)).await?;
            let count = append.records.len() as u64;
            let frame = Frame {
                last: head.frame.last + count,
                count,
                bytes: head.frame.bytes + append.bytes(),
                fence: head.frame.fence,
                is_closed: false,
                segment: packed.segment.clone(),
            };
            let message =
                message(&subject, &frame, packed.payload.clone(), (head.sequence, token))?;
            attempt.expected = Some(head.sequence);
            *slot = None;
            let sequence = connection.publish(message).await?;
            let last = frame.last;
            *slot = Some(Head { sequence, frame });
            return Ok(last);
        }
    }

    /// Packs records, and stores them in pieces if they are long.
    async fn pack<'a>(
        &self,
        shared: &Shared,
        uid: &str,
        records: &[Bytes],
        (token, attempt): (&str, &'a mut Attempt),
    ) -> Tried<&'a Packed> {
        if attempt.packed.as_ref().is_none_or(|(root, _)| root != uid) {
            let payload = packed(records);
            let packed = if payload.len() <= MAX_INLINE {
                Packed { payload, segment: None }
            } else {
                contents::store_pieces(&shared.connection, (uid, token, 0), &payload).await?;
                let segment = Segment { name: token.to_owned(), size: payload.len() as u64 };
                Packed { payload: Bytes::new(), segment: Some(segment) }
            };
            attempt.packed = Some((uid.to_owned(), packed));
        }
        let packed = attempt.packed.as_ref().map(|(_, packed)| packed);
        Ok(packed.ok_or_else(|| Error::bug("records were not packed"))?)
    }

    /// Lets only owner `fence` append to the log and the events of a run, unless a later one has it.
    pub(super) async fn set_fence(
        &self,
        shared: &Shared,
        uid: &str,
        fence: i64,
    ) -> Result<(), StoreError> {
        for stream in [Stream::Log, Stream::Events] {
            let subject = entries::lines(&shared.connection, uid, stream);
            self.mark(shared, &subject, |frame| {
                (!frame.is_closed && frame.fence < fence).then_some(Frame { fence, ..frame })
            })
            .await?;
        }
        Ok(())
    }

    /// Ends the streams of a run that was deleted, for processes that do not know that yet.
    pub(super) async fn close(&self, shared: &Shared, uid: &str) -> Result<(), StoreError> {
        for stream in [Stream::Log, Stream::Events, Stream::Inbox] {
            let subject = entries::lines(&shared.connection, uid, stream);
            self.mark(shared, &subject, |frame| {
                (!frame.is_closed).then_some(Frame { is_closed: true, ..frame })
            })
            .await?;
            lock(&self.places).remove(&subject);
        }
        Ok(())
    }

    /// Appends a message without records; `change` returns what it says, or `None` if that is said already.
    async fn mark(
        &self,
        shared: &Shared,
        subject: &str,
        change: impl Fn(Frame) -> Option<Frame> + Send + Sync,
    ) -> Result<(), StoreError> {
        let slot = self.slot(subject);
        let mut slot = slot.lock().await;
        *slot = None;
        tried!(shared.connection, async {
            let head = head_of(shared, subject).await?;
            let plain = Frame { count: 0, segment: None, ..head.frame };
            let Some(frame) = change(plain) else { return Ok(()) };
            let message = message(subject, &frame, Bytes::new(), (head.sequence, ""))?;
            shared.connection.publish(message).await.map(drop)
        })
    }

    /// Returns the end of a stream, and its subject. A run that was deleted, and made again, is looked for twice.
    async fn end(
        &self,
        shared: &Shared,
        run: &RunKey,
        stream: Stream,
    ) -> Tried<(Head, String, String)> {
        for is_sure in [false, true] {
            let uid = uid_of(shared, run, is_sure).await?;
            let subject = entries::lines(&shared.connection, &uid, stream);
            let head = head_of(shared, &subject).await?;
            if !head.frame.is_closed {
                return Ok((head, subject, uid));
            }
        }
        Err(StoreError::Missing.into())
    }

    /// Returns the number of the last record.
    pub(super) async fn last(&self, shared: &Shared, run: &RunKey, stream: Stream) -> Tried<u64> {
        Ok(self.end(shared, run, stream).await?.0.frame.last)
    }

    /// Returns records after number `after`.
    pub(super) async fn read(
        &self,
        shared: &Shared,
        run: &RunKey,
        stream: Stream,
        (after, most): (u64, usize),
    ) -> Tried<Vec<Bytes>> {
        let (head, subject, uid) = self.end(shared, run, stream).await?;
        let mut page =
            Page { next: after + u64::from(after < u64::MAX), most, bytes: 0, records: Vec::new() };
        if head.frame.last <= after || most == 0 {
            return Ok(page.records);
        }
        let (mut sequence, mut is_late) = (self.find(shared, &subject, &head, after).await?, false);
        while page.next <= head.frame.last {
            let wanted = (most - page.records.len()).clamp(1, AT_ONCE);
            let messages = if is_late {
                shared.connection.next(Place::Data, &subject, sequence).await?.into_iter().collect()
            } else {
                let from = (subject.as_str(), sequence);
                shared.connection.batch(Place::Data, from, (wanted, MAX_READ_BYTES)).await?
            };
            let before = sequence;
            for message in messages {
                let frame = frame_of(&message)?;
                // Records that are missing here are on another server.
                if frame.last - frame.count >= page.next {
                    break;
                }
                let is_full = if frame.last < page.next {
                    false
                } else {
                    page.take(&frame, records_of(shared, &uid, &frame, message.payload).await?)
                };
                if is_full {
                    self.remember(&subject, page.next - 1, message.sequence);
                    return Ok(page.records);
                }
                sequence = message.sequence + 1;
            }
            if sequence == before {
                if is_late {
                    return Err(Failure::Contended);
                }
                is_late = true;
            }
        }
        self.remember(&subject, page.next - 1, sequence);
        Ok(page.records)
    }

    fn remember(&self, subject: &str, number: u64, sequence: u64) {
        let mut places = lock(&self.places);
        if places.len() > MAX_KNOWN {
            places.clear();
        }
        let places = places.entry(subject.to_owned()).or_default();
        places.insert(number, sequence);
        if places.len() > MAX_PLACES {
            places.pop_first();
        }
    }

    /// Returns a sequence from which the record after number `after` is found soon.
    async fn find(&self, shared: &Shared, subject: &str, head: &Head, after: u64) -> Tried<u64> {
        let known = lock(&self.places).get(subject).and_then(|places| {
            places.range(..=after).next_back().map(|(number, sequence)| (*number, *sequence))
        });
        // The record after `number` is at `low` or later, and the wanted one between `low` and `high`.
        let (mut number, mut low) = known.unwrap_or((0, 1));
        let mut high = head.sequence;
        while after - number > NEAR && low < high {
            let middle = low + (high - low) / 2;
            let message = shared.connection.next(Place::Data, subject, middle).await?;
            let Some(message) = message else { break };
            let frame = frame_of(&message)?;
            if frame.last - frame.count > after {
                high = middle - 1;
            } else if frame.last > after {
                return Ok(message.sequence);
            } else {
                (number, low) = (frame.last, message.sequence + 1);
            }
        }
        Ok(low)
    }
}

/// Records that are read.
struct Page {
    /// Number of the next record.
    next: u64,
    most: usize,
    bytes: u64,
    records: Vec<Bytes>,
}

impl Page {
    /// Takes records of a message; returns `true` if no more are wanted.
    fn take(&mut self, frame: &Frame, records: Vec<Bytes>) -> bool {
        let first = frame.last - frame.count + 1;
        let skipped = usize::try_from(self.next - first).unwrap_or(usize::MAX);
        for record in records.into_iter().skip(skipped) {
            let length = record.len() as u64;
            let is_full = self.records.len() >= self.most || self.bytes + length > MAX_READ_BYTES;
            if is_full && !self.records.is_empty() {
                return true;
            }
            self.bytes += length;
            self.next += 1;
            self.records.push(record);
        }
        self.records.len() >= self.most
    }
}

/// Returns the records of a message.
async fn records_of(
    shared: &Shared,
    uid: &str,
    frame: &Frame,
    payload: Bytes,
) -> Tried<Vec<Bytes>> {
    match &frame.segment {
        None => unpacked(payload),
        Some(segment) => {
            let segments = std::slice::from_ref(segment);
            let bytes =
                contents::range(&shared.connection, (uid, segments), (0, segment.size)).await?;
            unpacked(bytes)
        }
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn records_are_unpacked_as_they_were_packed() {
        let records: Vec<Bytes> =
            ["a", "", "月\u{0}"].iter().map(|text| Bytes::from_static(text.as_bytes())).collect();
        let bytes = packed(&records);
        assert_eq!(unpacked(bytes.clone()).unwrap(), records);
        assert!(unpacked(bytes.slice(..bytes.len() - 1)).is_err());
        assert!(unpacked(Bytes::from_static(b"\0\0")).is_err());
    }
}
