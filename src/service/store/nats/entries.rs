//! What messages say, and their subjects.
//!
//! An entry is in a header, so that the consumer of the index gets it without the payload. Later versions may add fields,
//! and kinds of entries, which this one leaves alone.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::super::checks::is_name;
use super::super::{RunKey, Stream};
use super::connection::{Connection, Message, Place, StoredMessage, Tried};
use mitt_base::Error;

/// Version of bodies of records that this program writes. It reads this one and all before it.
pub(super) const FORM: u32 = 1;

/// Header with an entry as JSON.
pub(super) const ENTRY: &str = "Mitt-Entry";

/// Header that names the change which wrote a message.
pub(super) const TOKEN: &str = "Mitt-Token";

/// Header of an entry that was deleted.
pub(super) const GONE: &str = "Mitt-Gone";

/// Time for which an entry that was deleted is still there, so that who deleted it can know that.
const GONE_LIFE: Duration = Duration::from_secs(60 * 60);

/// Bytes of a hash in a subject. Names come from clients, so that collisions must be out of reach.
const HASH_BYTES: usize = 24;

/// An entry of a kind.
pub(super) trait Entry: Serialize + DeserializeOwned + Send + Sync {
    /// Kind in subjects.
    const KIND: &'static str;

    /// Returns the end of the subject.
    fn name(&self) -> String;
}

/// A run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct RunEntry {
    pub(super) tenant: String,
    pub(super) id: String,
    /// Names this run in subjects of its streams, and no later run of the same identifier.
    pub(super) uid: String,
    pub(super) version: u64,
    pub(super) created_ms: u64,
    pub(super) status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) owner: Option<String>,
    /// End of the lease by the clock of the servers; 0 for none.
    pub(super) lease_until_ms: u64,
    /// Counts owners.
    pub(super) fence: i64,
    /// When it began to wait for a worker.
    pub(super) queued_ms: u64,
    /// When a worker took it last.
    pub(super) served_ms: u64,
    /// The worker that ended the last work of the run and may still have its session open, and until when it is preferred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) warm: Option<(String, u64)>,
    /// Form of the body.
    pub(super) form: u32,
    /// End of the subject of its idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
    /// Where the body is if it is too long for the payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Long>,
}

/// An idempotency key.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct KeyEntry {
    pub(super) tenant: String,
    pub(super) key: String,
    /// Hash of the request.
    pub(super) request: String,
    /// The run that it stored.
    pub(super) id: String,
    pub(super) uid: String,
    pub(super) end_ms: u64,
}

/// A stored file. Its segments are in the payload, or the digests of the pieces of its object.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct FileEntry {
    pub(super) tenant: String,
    pub(super) sha256: String,
    pub(super) size: u64,
    /// Names its pieces.
    pub(super) root: String,
    /// Name of the object with its content; `None` if that is in pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) object: Option<String>,
}

/// An owner of a file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct OwnerEntry {
    pub(super) tenant: String,
    pub(super) sha256: String,
    pub(super) owner: String,
}

/// A document. Its value is the payload, unless it is too long.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct DocumentEntry {
    pub(super) tenant: String,
    pub(super) table: String,
    pub(super) key: String,
    pub(super) version: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) end_ms: Option<u64>,
    /// The process that hands it over after its end, and since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) holder: Option<(String, u64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Long>,
}

/// A file that arrives in several requests. Its segments are in the payload.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct PartialEntry {
    pub(super) tenant: String,
    pub(super) id: String,
    pub(super) size: u64,
    pub(super) touched_ms: u64,
    pub(super) root: String,
}

/// What is to be deleted at a time, unless this entry is gone by then.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct GarbageEntry {
    /// Names the pieces of a file, or the streams of a run.
    pub(super) root: String,
    pub(super) due_ms: u64,
    /// The run that was deleted, whose streams and files go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<(String, String)>,
    /// The object that goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) object: Option<String>,
    /// It is being deleted, so that nobody can keep it any more.
    #[serde(default)]
    pub(super) is_going: bool,
}

/// Bytes that are in pieces.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Long {
    pub(super) root: String,
    pub(super) size: u64,
}

impl Entry for RunEntry {
    const KIND: &'static str = "r";

    fn name(&self) -> String {
        hash(&[&self.tenant, &self.id])
    }
}

impl Entry for KeyEntry {
    const KIND: &'static str = "k";

    fn name(&self) -> String {
        hash(&[&self.tenant, &self.key])
    }
}

impl Entry for FileEntry {
    const KIND: &'static str = "f";

    fn name(&self) -> String {
        hash(&[&self.tenant, &self.sha256])
    }
}

impl Entry for OwnerEntry {
    const KIND: &'static str = "o";

    fn name(&self) -> String {
        hash(&[&self.tenant, &self.sha256, &self.owner])
    }
}

impl Entry for DocumentEntry {
    const KIND: &'static str = "d";

    fn name(&self) -> String {
        hash(&[&self.tenant, &self.table, &self.key])
    }
}

impl Entry for PartialEntry {
    const KIND: &'static str = "p";

    fn name(&self) -> String {
        hash(&[&self.tenant, &self.id])
    }
}

impl Entry for GarbageEntry {
    const KIND: &'static str = "g";

    fn name(&self) -> String {
        self.root.clone()
    }
}

/// Returns the hash of several names. A zero byte separates them, which no name contains.
pub(super) fn hash(names: &[&str]) -> String {
    debug_assert!(names.iter().all(|name| is_name(name)), "{names:?}");
    URL_SAFE_NO_PAD.encode(&Sha256::digest(names.join("\0"))[..HASH_BYTES])
}

/// Returns the subject of an entry.
pub(super) fn subject<E: Entry>(connection: &Connection, name: &str) -> String {
    format!("{}.m.{}.{name}", connection.name, E::KIND)
}

/// Returns the kind of the entry at a subject.
pub(super) fn kind_of(connection: &Connection, subject: &str) -> Option<String> {
    let rest = subject.strip_prefix(&*connection.name)?.strip_prefix(".m.")?;
    rest.split_once('.').map(|(kind, _)| kind.to_owned())
}

/// Returns the subject of a stream of a run.
pub(super) fn lines(connection: &Connection, uid: &str, stream: Stream) -> String {
    let number = match stream {
        Stream::Log => 0,
        Stream::Events => 1,
        Stream::Inbox => 2,
    };
    format!("{}.l.{uid}.{number}", connection.name)
}

/// Returns the subjects of all streams of a run.
pub(super) fn all_lines(connection: &Connection, uid: &str) -> String {
    format!("{}.l.{uid}.*", connection.name)
}

/// Returns the subject of a piece.
pub(super) fn piece(connection: &Connection, root: &str, segment: &str, number: u64) -> String {
    format!("{}.c.{root}.{segment}.{number}", connection.name)
}

/// Returns the subjects of all pieces of a segment.
pub(super) fn segment_pieces(connection: &Connection, root: &str, segment: &str) -> String {
    format!("{}.c.{root}.{segment}.*", connection.name)
}

/// Returns the subjects of all pieces below a root.
pub(super) fn all_pieces(connection: &Connection, root: &str) -> String {
    format!("{}.c.{root}.>", connection.name)
}

/// What is stored at the subject of an entry.
#[derive(Debug)]
pub(super) struct Known<E> {
    /// Sequence of the message; 0 if there is none.
    pub(super) sequence: u64,
    /// The change that wrote it.
    pub(super) token: String,
    /// The entry, also if it is gone.
    entry: Option<E>,
    is_gone: bool,
    pub(super) payload: Bytes,
}

impl<E> Known<E> {
    /// Returns the entry, unless it is gone.
    pub(super) fn live(&self) -> Option<&E> {
        self.entry.as_ref().filter(|_| !self.is_gone)
    }

    /// Returns `true` if this change deleted the entry.
    pub(super) fn is_gone_by(&self, token: &str) -> bool {
        self.is_gone && self.token == token
    }
}

/// Returns what is stored at the subject of an entry with this name.
pub(super) async fn read<E: Entry>(connection: &Connection, name: &str) -> Tried<Known<E>> {
    let found = connection.last(Place::Entries, &subject::<E>(connection, name)).await?;
    let Some(message) = found else {
        return Ok(Known {
            sequence: 0,
            token: String::new(),
            entry: None,
            is_gone: true,
            payload: Bytes::new(),
        });
    };
    known(message)
}

fn known<E: Entry>(message: StoredMessage) -> Tried<Known<E>> {
    let text = message.header(ENTRY).unwrap_or_default();
    let entry = serde_json::from_str(text).map_err(|error| {
        Error::new(mitt_base::ErrorKind::Host, "an entry was written in a form that is not known")
            .caused_by(error)
            .hint("start the version of Mitt that the other processes have")
    })?;
    Ok(Known {
        sequence: message.sequence,
        token: message.header(TOKEN).unwrap_or_default().to_owned(),
        is_gone: message.header(GONE).is_some(),
        entry: Some(entry),
        payload: message.payload,
    })
}

/// Returns the message that writes an entry after the one of sequence `expected`.
pub(super) fn put<E: Entry>(
    connection: &Connection,
    entry: &E,
    payload: Bytes,
    (expected, token): (u64, &str),
) -> Tried<Message> {
    let text = serde_json::to_string(entry).map_err(Error::bug)?;
    Ok(Message {
        subject: subject::<E>(connection, &entry.name()),
        headers: vec![(ENTRY, text), (TOKEN, token.to_owned())],
        payload,
        expected,
        life: None,
    })
}

/// Returns the message that deletes an entry of sequence `expected`.
pub(super) fn delete<E: Entry>(
    connection: &Connection,
    entry: &E,
    change: (u64, &str),
) -> Tried<Message> {
    let mut message = put(connection, entry, Bytes::new(), change)?;
    message.headers.push((GONE, "1".to_owned()));
    message.life = Some(GONE_LIFE);
    Ok(message)
}

/// Returns the message that makes pieces garbage, and an object; they go after a while.
pub(super) fn discard(
    connection: &Connection,
    (root, object): (&str, Option<&str>),
    due_ms: u64,
    change: (u64, &str),
) -> Tried<Message> {
    let entry = GarbageEntry {
        root: root.to_owned(),
        due_ms,
        run: None,
        object: object.map(str::to_owned),
        is_going: false,
    };
    put(connection, &entry, Bytes::new(), change)
}

impl RunEntry {
    pub(super) fn key(&self) -> RunKey {
        RunKey { tenant: self.tenant.clone(), id: self.id.clone() }
    }
}
