//! Bytes that are too long for one message: pieces below a root, and the garbage that they become.
//!
//! Before the first piece is stored, an entry says that the root is garbage after a while. The change that refers to the
//! root deletes this entry, in one batch with itself. So nothing that is referred to is ever deleted, and all else goes.

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};

use super::super::{StoreError, new_id};
use super::connection::{Connection, Failure, Message, Place, Tried, tried};
use super::entries::{self, GarbageEntry, Long};
use super::shared::Shared;
use mitt_base::Error;

/// Length of each piece but the last one of a segment, in bytes. The smallest `max_payload` of a server is above it.
pub(super) const PIECE_BYTES: usize = 256 * 1024;

/// Longest payload of an entry, in bytes. What is longer is in pieces.
pub(super) const MAX_INLINE: usize = 256 * 1024;

/// Pieces that are stored or read at the same time.
const AT_ONCE: usize = 8;

/// Time after which pieces that nothing refers to are garbage.
pub(super) const ARRIVING_MS: u64 = 60 * 60 * 1000;

/// Time for which garbage can still be read by those who read it already.
const READ_MS: u64 = 5 * 60 * 1000;

/// Bytes that were stored at once, below the root of a file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Segment {
    #[serde(rename = "n")]
    pub(super) name: String,
    #[serde(rename = "s")]
    pub(super) size: u64,
}

/// Stores pieces from number `first` on.
pub(super) async fn store_pieces(
    connection: &Connection,
    (root, segment, first): (&str, &str, u64),
    bytes: &Bytes,
) -> Result<(), StoreError> {
    let count = bytes.len().div_ceil(PIECE_BYTES);
    let pieces = (0..count).map(|number| {
        let begin = number * PIECE_BYTES;
        let piece = bytes.slice(begin..bytes.len().min(begin + PIECE_BYTES));
        (entries::piece(connection, root, segment, first + number as u64), piece)
    });
    let stored = stream::iter(pieces).map(Ok::<_, StoreError>);
    stored
        .try_for_each_concurrent(AT_ONCE, async |(subject, piece)| {
            tried!(connection, async {
                let message = Message {
                    subject: subject.clone(),
                    headers: Vec::new(),
                    payload: piece.clone(),
                    expected: 0,
                    life: None,
                };
                match connection.publish(message).await {
                    Ok(_) => Ok(()),
                    // An earlier try stored it; the name is used once.
                    Err(Failure::Contended) => {
                        match connection.last(Place::Data, &subject).await? {
                            Some(_) => Ok(()),
                            None => Err(Failure::Contended),
                        }
                    }
                    Err(failure) => Err(failure),
                }
            })
        })
        .await
}

/// Returns the bytes of segments from `start` to `end`, which are within them.
pub(super) async fn range(
    connection: &Connection,
    (root, segments): (&str, &[Segment]),
    (start, end): (u64, u64),
) -> Tried<Bytes> {
    const PIECE: u64 = PIECE_BYTES as u64;
    let mut wanted = Vec::new();
    let mut begin = 0;
    for segment in segments {
        let until = begin + segment.size;
        let (from, to) = (start.max(begin), end.min(until));
        if from < to {
            let (first, last) = ((from - begin) / PIECE, (to - begin - 1) / PIECE);
            for number in first..=last {
                let at = begin + number * PIECE;
                let skipped = from.saturating_sub(at);
                let stop = (to - at).min(PIECE);
                wanted.push((
                    entries::piece(connection, root, &segment.name, number),
                    skipped,
                    stop,
                ));
            }
        }
        begin = until;
    }
    let pieces = stream::iter(wanted).map(|(subject, skipped, stop)| async move {
        let piece = connection.unchanging(Place::Data, &subject).await?;
        let piece = piece.ok_or(StoreError::Missing)?;
        let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let (skipped, stop) = (place(skipped), place(stop));
        if stop <= piece.len() && skipped <= stop {
            Ok(piece.slice(skipped..stop))
        } else {
            Err(Failure::from(Error::bug("a piece of a file is too short")))
        }
    });
    let length = usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX);
    let mut pieces = pieces.buffered(AT_ONCE);
    let mut bytes = BytesMut::new();
    while let Some(piece) = pieces.try_next().await? {
        if piece.len() == length {
            return Ok(piece);
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes.freeze())
}

/// A root that nothing refers to yet, and the entry that deletes it.
#[derive(Clone, Debug)]
pub(super) struct Arriving {
    pub(super) root: String,
    /// The object that goes with the root.
    object: Option<String>,
    sequence: u64,
}

impl Arriving {
    /// Makes a root.
    pub(super) async fn begin(shared: &Shared) -> Result<Arriving, StoreError> {
        Arriving::begin_with(shared, None).await
    }

    /// Makes a root with an object.
    pub(super) async fn begin_with(
        shared: &Shared,
        object: Option<&str>,
    ) -> Result<Arriving, StoreError> {
        let root = new_id("")?;
        let sequence = Arriving::write(shared, (&root, object), 0).await?;
        Ok(Arriving { root, object: object.map(str::to_owned), sequence })
    }

    /// Puts off the time at which the root is garbage.
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`] - it was garbage already.
    pub(super) async fn touch(&mut self, shared: &Shared) -> Result<(), StoreError> {
        let what = (self.root.as_str(), self.object.as_deref());
        self.sequence = Arriving::write(shared, what, self.sequence).await?;
        Ok(())
    }

    async fn write(
        shared: &Shared,
        what: (&str, Option<&str>),
        expected: u64,
    ) -> Result<u64, StoreError> {
        let (connection, token) = (&shared.connection, new_id("")?);
        tried!(connection, async {
            let due_ms = shared.now_ms().await? + ARRIVING_MS;
            let change = (expected, token.as_str());
            match connection.publish(entries::discard(connection, what, due_ms, change)?).await {
                Err(Failure::Contended) => {
                    let known = entries::read::<GarbageEntry>(connection, what.0).await?;
                    if known.token == token {
                        Ok(known.sequence)
                    } else {
                        Err(StoreError::Missing.into())
                    }
                }
                result => result,
            }
        })
    }

    /// Returns the message that keeps what is below the root. It is a part of the change that refers to it.
    pub(super) fn kept(&self, connection: &Connection, token: &str) -> Tried<Message> {
        let entry = GarbageEntry {
            root: self.root.clone(),
            due_ms: 0,
            run: None,
            object: self.object.clone(),
            is_going: false,
        };
        entries::delete(connection, &entry, (self.sequence, token))
    }

    /// Returns `true` if the entry that deletes the root is the one that this process wrote.
    pub(super) async fn is_there(&self, connection: &Connection) -> Tried<bool> {
        let known = entries::read::<GarbageEntry>(connection, &self.root).await?;
        Ok(known.sequence == self.sequence)
    }
}

/// Bytes in pieces that nothing refers to yet.
pub(super) struct Stored {
    pub(super) long: Long,
    arriving: Arriving,
}

impl Stored {
    /// See [`Arriving::kept`].
    pub(super) fn kept(&self, connection: &Connection, token: &str) -> Tried<Message> {
        self.arriving.kept(connection, token)
    }
}

/// Name of the segment of bytes that were stored at once.
pub(super) const ONLY: &str = "0";

/// Stores bytes in pieces.
pub(super) async fn store_long(shared: &Shared, bytes: &Bytes) -> Tried<Stored> {
    let arriving = Arriving::begin(shared).await?;
    store_pieces(&shared.connection, (&arriving.root, ONLY, 0), bytes).await?;
    let long = Long { root: arriving.root.clone(), size: bytes.len() as u64 };
    Ok(Stored { long, arriving })
}

/// Returns bytes that are in pieces.
pub(super) async fn read_long(connection: &Connection, long: &Long) -> Tried<Bytes> {
    let segments = [Segment { name: ONLY.to_owned(), size: long.size }];
    match range(connection, (&long.root, &segments), (0, long.size)).await {
        // What referred to it was changed meanwhile.
        Err(Failure::Store(StoreError::Missing)) => Err(Failure::Contended),
        result => result,
    }
}

/// Returns the message that makes a root garbage, which those who read it may still read for a while.
pub(super) async fn discard(shared: &Shared, root: &str, token: &str) -> Tried<Message> {
    discard_with(shared, (root, None), token).await
}

/// Does what [`discard`] does for a root with an object.
pub(super) async fn discard_with(
    shared: &Shared,
    what: (&str, Option<&str>),
    token: &str,
) -> Tried<Message> {
    let known = entries::read::<GarbageEntry>(&shared.connection, what.0).await?;
    let due_ms = shared.now_ms().await? + READ_MS;
    entries::discard(&shared.connection, what, due_ms, (known.sequence, token))
}
