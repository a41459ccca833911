//! Links by which a browser gets a file without a token: whoever has one may read this one file for a time.
//!
//! A link names a session, a file and a moment, and is signed with a key that is made at the start and leaves the process
//! never. It is of no use for another file, another session or a later time, and ends with its session.
#![cfg_attr(not(feature = "http"), allow(dead_code, reason = "links are followed over HTTP alone"))]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::client::{ClientSession, LINK_ID as ID};
use super::uri;
use mitt::Artifact;
use mitt_base::{Error, ErrorKind, Result, lock};

/// Where they lead.
pub(crate) const PATH: &str = "/files/";

/// Bytes of the moment, in seconds.
const MOMENT: usize = 5;
/// Bytes of the signature.
const SIGNATURE: usize = 16;
/// So many sessions are known before those that have ended are looked for.
const FEW: usize = 64;

/// Makes links, and follows them.
pub(crate) struct Links {
    key: [u8; 32],
    /// How long a link is good.
    life: Duration,
    sessions: Mutex<Known>,
}

/// The sessions of which there are links.
#[derive(Default)]
struct Known {
    sessions: HashMap<[u8; ID], Weak<ClientSession>>,
    /// With so many, those that have ended are taken out: there are at most twice as many as are open.
    most: usize,
}

/// Why a link leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoFile {
    /// It is none of ours.
    Wrong,
    Expired,
    /// Its session has ended, or the file was removed.
    Gone,
}

/// A file to which a link led.
pub(crate) struct Linked {
    pub(crate) artifact: Artifact,
    session: Arc<ClientSession>,
}

impl Links {
    /// With a key of its own, for links that are good for `life`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the system has no random numbers.
    pub(super) fn new(life: Duration) -> Result<Links> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| {
            Error::new(ErrorKind::Host, "the system has no random numbers").caused_by(error)
        })?;
        Ok(Links { key, life, sessions: Mutex::default() })
    }

    /// A link to the file `name` of `client`, on the server that is reached at `base`.
    pub(super) fn url(&self, base: &str, client: &Arc<ClientSession>, name: &str) -> String {
        self.know(client);
        let until = (now(client) + self.life).as_secs().to_be_bytes();
        let mut bytes = client.link_id().to_vec();
        bytes.extend_from_slice(&until[8 - MOMENT..]);
        let signature = self.signature(&bytes, name);
        bytes.extend_from_slice(&signature);
        format!("{base}{PATH}{}/{}", URL_SAFE_NO_PAD.encode(bytes), encoded(name))
    }

    /// The file to which the link with this path leads.
    pub(crate) fn follow(&self, path: &str) -> Result<Linked, NoFile> {
        let (bytes, name) = read(path).ok_or(NoFile::Wrong)?;
        let (said, signature) = bytes.split_at(ID + MOMENT);
        let right = self.signature(said, &name);
        // In a time that tells nothing of the place of the first difference.
        let difference = right.iter().zip(signature).fold(0, |all, (a, b)| all | (a ^ b));
        if difference != 0 {
            return Err(NoFile::Wrong);
        }
        let (id, until) = said.split_at(ID);
        let until = until.iter().fold(0, |all, byte| (all << 8) | u64::from(*byte));
        let session = lock(&self.sessions).sessions.get(id).and_then(Weak::upgrade);
        let session = session.filter(|it| !it.ended().is_cancelled()).ok_or(NoFile::Gone)?;
        if now(&session).as_secs() >= until {
            return Err(NoFile::Expired);
        }
        let mut artifacts = session.session.artifacts().into_iter();
        let artifact = artifacts.find(|artifact| artifact.name == name).ok_or(NoFile::Gone)?;
        Ok(Linked { artifact, session })
    }

    fn signature(&self, said: &[u8], name: &str) -> [u8; SIGNATURE] {
        // What is said has one length, so that no two pairs are the same text.
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(said).update(name.as_bytes());
        let mut signature = [0; SIGNATURE];
        hasher.finalize_xof().fill(&mut signature);
        signature
    }

    fn know(&self, client: &Arc<ClientSession>) {
        let mut known = lock(&self.sessions);
        let Known { sessions, most } = &mut *known;
        if sessions.len() >= *most {
            sessions.retain(|_, session| session.strong_count() > 0);
            *most = sessions.len().saturating_mul(2).max(FEW);
        }
        sessions.entry(client.link_id()).or_insert_with(|| Arc::downgrade(client));
    }
}

impl Linked {
    /// Whose memory its content takes.
    pub(crate) fn tenant(&self) -> &str {
        self.session.session.tenant()
    }

    /// The whole of it.
    ///
    /// # Errors
    ///
    /// As [`Session::artifact_content`](mitt::Session::artifact_content).
    pub(crate) fn content(&self) -> Result<Vec<u8>> {
        self.session.session.artifact_content(&self.artifact.name)
    }
}

/// A name as a segment of an address.
pub(crate) fn encoded(name: &str) -> String {
    uri::encoded("", name)
}

fn now(client: &ClientSession) -> Duration {
    client.session.host().environment().now()
}

/// What a path says: the bytes before the name, and the name.
fn read(path: &str) -> Option<([u8; ID + MOMENT + SIGNATURE], String)> {
    let (bytes, name) = path.strip_prefix(PATH)?.split_once('/')?;
    let bytes = URL_SAFE_NO_PAD.decode(bytes).ok()?.try_into().ok()?;
    Some((bytes, uri::decoded(name).filter(|_| !name.contains('/'))?))
}
