//! Links with which a browser gets a file without a token. Everybody who has a link may read this one file for a time.
//!
//! A link names a session, a file and an expiry time, and is signed with a key that is made at the start and never leaves
//! the process. It is useless for another file, another session or a later time. It outlives its session, but not the token
//! of its client.
#![cfg_attr(not(feature = "http"), allow(dead_code, reason = "links are followed over HTTP alone"))]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::client::ClientSession;
use super::documents;
use super::kept_files::{
    Keeper, KeepsFiles, KeptFiles, LINK_ID as ID, MAX_BYTES, MAX_BYTES_OF_TENANT,
};
use super::options::Client;
use super::uri;
use mitt::value::Json;
use mitt::{Artifact, Session};
use mitt_base::{Error, ErrorKind, Result, lock};

/// Path of links to files.
pub(crate) const PATH: &str = "/files/";
/// Path of links for uploads of documents.
pub(crate) const UPLOAD_PATH: &str = "/documents/";

/// Bytes of the expiry time, in seconds.
const EXPIRY_BYTES: usize = 5;
/// Bytes of the signature.
const SIGNATURE_BYTES: usize = 16;
/// Sessions up to which ended ones are not searched for.
const MIN_SWEEP_SESSIONS: usize = 64;

/// Makes and follows links.
pub(crate) struct Links {
    key: [u8; 32],
    upload_key: [u8; 32],
    /// How long a link is valid.
    life: Duration,
    sessions: Mutex<Known>,
    keeper: Keeper,
}

/// The sessions to which links exist.
#[derive(Default)]
struct Known {
    sessions: BTreeMap<[u8; ID], Linking>,
    /// Clients whose tokens were revoked.
    revoked: BTreeSet<Client>,
    /// At this number, sessions without valid links are removed.
    most: usize,
}

/// A session with links to its files.
struct Linking {
    files: Files,
    /// The time when the last link expires.
    until: Duration,
}

#[derive(Clone)]
enum Files {
    Open(Weak<ClientSession>),
    /// The session has ended, and its files are being written.
    Ending(Session, Client),
    Kept(Arc<KeptFiles>),
}

/// Why a link does not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoFile {
    /// It is not one of ours.
    Wrong,
    Expired,
    /// The token of its client was revoked, the file was removed, or files of other sessions needed the room.
    Gone,
}

/// The file of a link.
pub(crate) struct Linked {
    pub(crate) artifact: Artifact,
    source: Source,
}

enum Source {
    Session(Session),
    Kept(Arc<KeptFiles>),
}

/// A session that accepts a document by a link.
pub(crate) struct Upload {
    client: Arc<ClientSession>,
    name: String,
}

impl Links {
    /// Makes links that are valid for `life`, with a new key.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the system has no random numbers.
    pub(super) fn new(life: Duration) -> Result<Links> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| {
            Error::new(ErrorKind::Host, "the system has no random numbers").caused_by(error)
        })?;
        let upload_key = blake3::derive_key("mitt 2026-11-26 links for uploads", &key);
        Ok(Links { key, upload_key, life, sessions: Mutex::default(), keeper: Keeper::default() })
    }

    /// Returns a link to the file `name` of `client`, on the server at `base`.
    pub(super) fn url(&self, base: &str, client: &Arc<ClientSession>, name: &str) -> String {
        self.signed((base, PATH), client, name)
    }

    /// Returns a link with which the document `name` can be uploaded for `client`.
    pub(super) fn upload_url(&self, base: &str, client: &Arc<ClientSession>, name: &str) -> String {
        self.signed((base, UPLOAD_PATH), client, name)
    }

    fn signed(
        &self,
        (base, path): (&str, &str),
        client: &Arc<ClientSession>,
        name: &str,
    ) -> String {
        let now = now(&client.session);
        let until = now + self.life;
        self.know(client, now, until);
        let until = until.as_secs().to_be_bytes();
        let mut bytes = client.link_id().to_vec();
        bytes.extend_from_slice(&until[8 - EXPIRY_BYTES..]);
        let signature = self.signature(path, &bytes, name);
        bytes.extend_from_slice(&signature);
        format!("{base}{path}{}/{}", URL_SAFE_NO_PAD.encode(bytes), encoded(name))
    }

    /// Returns the file of the link with this path, at the time `now`.
    pub(crate) fn follow(&self, path: &str, now: Duration) -> Result<Linked, NoFile> {
        let (files, name) = self.read(PATH, path, now)?;
        let session = match files {
            Files::Open(session) => session.upgrade().ok_or(NoFile::Gone)?.session.clone(),
            Files::Ending(session, _) => session,
            Files::Kept(kept) => {
                let artifact = kept.find(&name).ok_or(NoFile::Gone)?.clone();
                return Ok(Linked { artifact, source: Source::Kept(kept) });
            }
        };
        let mut artifacts = session.artifacts().into_iter();
        let artifact = artifacts.find(|artifact| artifact.name == name).ok_or(NoFile::Gone)?;
        Ok(Linked { artifact, source: Source::Session(session) })
    }

    /// Returns the session that accepts the document of the upload link with this path, at the time `now`.
    pub(crate) fn upload(&self, path: &str, now: Duration) -> Result<Upload, NoFile> {
        match self.read(UPLOAD_PATH, path, now)? {
            (Files::Open(session), name) => {
                let client = session.upgrade().filter(|it| !it.ended().is_cancelled());
                Ok(Upload { client: client.ok_or(NoFile::Gone)?, name })
            }
            _ => Err(NoFile::Gone),
        }
    }

    /// Returns the target of a link with the path `prefix`, and the name in it.
    fn read(&self, prefix: &str, path: &str, now: Duration) -> Result<(Files, String), NoFile> {
        let (bytes, name) = read(prefix, path).ok_or(NoFile::Wrong)?;
        let (said, signature) = bytes.split_at(ID + EXPIRY_BYTES);
        let right = self.signature(prefix, said, &name);
        // Compare in constant time.
        let difference = right.iter().zip(signature).fold(0, |all, (a, b)| all | (a ^ b));
        if difference != 0 {
            return Err(NoFile::Wrong);
        }
        let (id, until) = said.split_at(ID);
        let until = until.iter().fold(0, |all, byte| (all << 8) | u64::from(*byte));
        if now.as_secs() >= until {
            return Err(NoFile::Expired);
        }
        let files = lock(&self.sessions).sessions.get(id).map(|it| it.files.clone());
        Ok((files.ok_or(NoFile::Gone)?, name))
    }

    /// Writes the files of a session that has ended, so that its memory is freed.
    fn write(&self, id: [u8; ID], client: Client, session: &Session) {
        let now = now(session);
        let until = match lock(&self.sessions).sessions.get(&id) {
            Some(linking) => linking.until,
            None => return,
        };
        let kept = self.keeper.keep(session, client, until);
        let kept = kept.inspect_err(|error| {
            tracing::warn!(error = %error.render(), "links of a session lead nowhere after its end");
        });
        let mut known = lock(&self.sessions);
        let mut removed = known.expired(now);
        match kept {
            Ok(kept) => {
                removed.extend(known.make_room(&kept));
                // A client that was revoked meanwhile has no links any more.
                if let Some(linking) = known.sessions.get_mut(&id) {
                    linking.files = Files::Kept(Arc::new(kept));
                }
            }
            Err(_) => drop(known.sessions.remove(&id)),
        }
        drop(known);
        // Dropped outside of the lock, because files are removed.
        drop(removed);
    }

    /// Invalidates the links of a client whose token was revoked.
    pub(super) fn forget(&self, client: &Client) {
        let mut known = lock(&self.sessions);
        known.revoked.insert(client.clone());
        let gone = known.take(|linking| match &linking.files {
            Files::Open(session) => session.upgrade().is_none_or(|it| it.client() == client),
            Files::Ending(_, of) => of == client,
            Files::Kept(kept) => kept.client == *client,
        });
        drop(known);
        drop(gone);
    }

    fn signature(&self, prefix: &str, said: &[u8], name: &str) -> [u8; SIGNATURE_BYTES] {
        let key = if prefix == UPLOAD_PATH { &self.upload_key } else { &self.key };
        // The signed prefix has a fixed length, so no two pairs give the same text.
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(said).update(name.as_bytes());
        let mut signature = [0; SIGNATURE_BYTES];
        hasher.finalize_xof().fill(&mut signature);
        signature
    }

    fn know(&self, client: &Arc<ClientSession>, now: Duration, until: Duration) {
        let mut known = lock(&self.sessions);
        // The client has a token again.
        known.revoked.remove(client.client());
        let expired = if known.sessions.len() >= known.most {
            let expired = known.expired(now);
            known.most = known.sessions.len().saturating_mul(2).max(MIN_SWEEP_SESSIONS);
            expired
        } else {
            Vec::new()
        };
        let open = || Linking { files: Files::Open(Arc::downgrade(client)), until };
        let linking = known.sessions.entry(client.link_id()).or_insert_with(open);
        linking.until = linking.until.max(until);
        drop(known);
        drop(expired);
    }
}

impl KeepsFiles for Links {
    fn keep(self: Arc<Links>, id: [u8; ID], client: &Client, session: &Session) {
        {
            let mut known = lock(&self.sessions);
            let is_revoked = known.revoked.contains(client);
            let Some(linking) = known.sessions.get_mut(&id) else { return };
            if is_revoked || session.artifacts().is_empty() {
                known.sessions.remove(&id);
                return;
            }
            linking.files = Files::Ending(session.clone(), client.clone());
        }
        let (client, session) = (client.clone(), session.clone());
        let write = move || self.write(id, client, &session);
        // Files are written in the background. Outside of a runtime nobody waits.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(write)),
            Err(_) => write(),
        }
    }
}

impl Known {
    /// Removes and returns the sessions for which `is_wanted` returns `true`.
    fn take(&mut self, mut is_wanted: impl FnMut(&Linking) -> bool) -> Vec<Linking> {
        self.sessions.extract_if(.., |_, linking| is_wanted(linking)).map(|(_, it)| it).collect()
    }

    /// Removes and returns the sessions without a link that is valid at `now`.
    fn expired(&mut self, now: Duration) -> Vec<Linking> {
        self.take(|linking| linking.until <= now && !matches!(linking.files, Files::Ending(..)))
    }

    /// Removes and returns the oldest files, to make room for `new`.
    fn make_room(&mut self, new: &KeptFiles) -> Vec<Linking> {
        let mut removed = Vec::new();
        loop {
            let (mut all, mut own) = (new.temporary_bytes(), new.temporary_bytes());
            let mut oldest: [Option<([u8; ID], Duration)>; 2] = [None; 2];
            for (id, linking) in &self.sessions {
                let Files::Kept(kept) = &linking.files else { continue };
                let bytes = kept.temporary_bytes();
                all += bytes;
                let is_own = kept.tenant == new.tenant;
                own += if is_own { bytes } else { 0 };
                for (at, counts) in [true, is_own].into_iter().enumerate() {
                    if counts && bytes > 0 && oldest[at].is_none_or(|(_, time)| kept.until < time) {
                        oldest[at] = Some((*id, kept.until));
                    }
                }
            }
            let one = match (all > MAX_BYTES, own > MAX_BYTES_OF_TENANT) {
                (_, true) => oldest[1],
                (true, false) => oldest[0],
                (false, false) => return removed,
            };
            // A single session has less than the limit.
            let Some((id, _)) = one else { return removed };
            removed.extend(self.sessions.remove(&id));
        }
    }
}

impl Upload {
    /// Returns the client of the session.
    pub(crate) fn client(&self) -> &Client {
        self.client.client()
    }

    /// Adds the document, and returns [`documents::described`] for it.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document_bytes`].
    pub(crate) async fn add(&self, content: Vec<u8>) -> Result<Json> {
        add(&self.client, &self.name, content).await
    }
}

/// Adds a document to the session of `client`.
///
/// # Errors
///
/// Those of [`Session::add_document_bytes`].
pub(super) async fn add(client: &ClientSession, name: &str, content: Vec<u8>) -> Result<Json> {
    let document = Box::pin(client.session.add_document_bytes(name, content)).await?;
    let renamed = (document.name != name)
        .then(|| format!("`{name}` was there already and stays: this one is `{}`", document.name));
    Ok(documents::described(&document, renamed.as_deref()))
}

impl Linked {
    /// Returns the tenant whose memory its content takes.
    pub(crate) fn tenant(&self) -> &str {
        match &self.source {
            Source::Session(session) => session.tenant(),
            Source::Kept(kept) => &kept.tenant,
        }
    }

    /// Returns the whole content.
    ///
    /// # Errors
    ///
    /// Those of [`Session::artifact_content`].
    pub(crate) fn content(&self) -> Result<Vec<u8>> {
        match &self.source {
            Source::Session(session) => session.artifact_content(&self.artifact.name),
            Source::Kept(kept) => kept.content(&self.artifact.name),
        }
    }
}

/// Returns a name as a segment of a URI.
pub(crate) fn encoded(name: &str) -> String {
    uri::encoded("", name)
}

fn now(session: &Session) -> Duration {
    session.host().environment().now()
}

/// Splits a path into the bytes before the name, and the name.
fn read(prefix: &str, path: &str) -> Option<([u8; ID + EXPIRY_BYTES + SIGNATURE_BYTES], String)> {
    let (bytes, name) = path.strip_prefix(prefix)?.split_once('/')?;
    let bytes = URL_SAFE_NO_PAD.decode(bytes).ok()?.try_into().ok()?;
    Some((bytes, uri::decoded(name).filter(|_| !name.contains('/'))?))
}

#[cfg(test)]
mod tests {
    use mitt_base::limits::{GIB, MIB};

    use super::*;

    /// Keeps files as a session that ends does. Returns the tenants and times of the sessions that made room.
    fn keep(known: &mut Known, tenant: &str, until: u64, bytes: u64) -> Vec<(String, u64)> {
        let kept = KeptFiles::of_size(tenant, Duration::from_secs(until), bytes);
        let removed = known.make_room(&kept);
        let id = (known.sessions.len() as u64 + until * 1_000).to_be_bytes();
        let linking = Linking { until: kept.until, files: Files::Kept(Arc::new(kept)) };
        known.sessions.insert(id, linking);
        let removed = removed.iter().map(|linking| match &linking.files {
            Files::Kept(kept) => (kept.tenant.clone(), kept.until.as_secs()),
            _ => unreachable!("only kept files make room"),
        });
        removed.collect()
    }

    #[test]
    fn a_tenant_keeps_one_gibibyte() {
        let mut known = Known::default();
        assert_eq!(keep(&mut known, "b", 1, GIB), []);
        // The order in which they come is not that in which they expire.
        for (until, bytes) in [(30, 256), (10, 256), (20, 512)] {
            assert_eq!(keep(&mut known, "a", until, bytes * MIB), [], "{until}");
        }
        assert_eq!(keep(&mut known, "a", 40, 1), [("a".to_owned(), 10)]);
        let both = [("a".to_owned(), 20), ("a".to_owned(), 30)];
        assert_eq!(keep(&mut known, "a", 50, GIB - 1), both);
        // Another tenant's older files were not asked to make room.
        assert!(known.sessions.values().any(|it| it.until == Duration::from_secs(1)));
    }

    #[test]
    fn all_tenants_keep_four_gibibytes() {
        let mut known = Known::default();
        for tenant in 0..4 {
            assert_eq!(keep(&mut known, &format!("t{tenant}"), 10 + tenant, GIB), [], "{tenant}");
        }
        assert_eq!(keep(&mut known, "new", 5, 1), [("t0".to_owned(), 10)]);
        assert_eq!(keep(&mut known, "newer", 6, GIB - 1), []);
        let oldest = [("new".to_owned(), 5), ("newer".to_owned(), 6)];
        assert_eq!(keep(&mut known, "newest", 50, GIB), oldest);
    }
}
