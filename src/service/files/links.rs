//! Signed links to stored files: everybody who has one may read this file of this tenant for a time. They survive a restart.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::store::{Store, StoreError};

/// Path of the links.
pub(crate) const PATH: &str = "/v1/links/";

/// Bytes of the signature: a keyed BLAKE3 hash, cut.
const SIGNATURE_BYTES: usize = 16;

/// Tenant and table of the key in the store. No client has a tenant without a name.
const OWNER: &str = "";
const TABLE: &str = "keys";
const KEY: &str = "links";

/// Makes and follows links.
#[derive(Clone)]
pub struct Links {
    key: [u8; 32],
    life: Duration,
}

/// The file that a link leads to.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct LinkedFile {
    /// Tenant that owns the file.
    #[serde(rename = "t")]
    pub tenant: String,
    /// SHA-256 of the content.
    #[serde(rename = "d")]
    pub sha256: String,
    /// Name for the download.
    #[serde(rename = "n")]
    pub name: String,
    /// Media type.
    #[serde(rename = "m")]
    pub media_type: String,
    /// Time at which the link expires, in seconds after 1970.
    #[serde(rename = "e")]
    expires: u64,
}

impl Links {
    /// Returns the links of a store, with the key that is kept there. Links that are made are good for `life`.
    ///
    /// # Errors
    ///
    /// The store failed, or the system has no random numbers.
    pub async fn of(store: &dyn Store, life: Duration) -> Result<Links, Problem> {
        loop {
            match store.document(OWNER, TABLE, KEY).await {
                Ok(document) => {
                    let key = <[u8; 32]>::try_from(document.value.as_ref()).map_err(|_| {
                        Problem::internal(&mitt_base::Error::new(
                            mitt_base::ErrorKind::Host,
                            "the key of the links in the store is damaged",
                        ))
                    })?;
                    return Ok(Links { key, life });
                }
                Err(StoreError::Missing) => {
                    let mut key = [0_u8; 32];
                    getrandom::fill(&mut key).map_err(|error| {
                        let message = "the system has no random numbers";
                        mitt_base::Error::new(mitt_base::ErrorKind::Host, message).caused_by(error)
                    })?;
                    let made = store
                        .put_document(OWNER, TABLE, KEY, key.to_vec().into(), Some(0), None)
                        .await;
                    match made {
                        // Another process may have made one just now.
                        Ok(_) | Err(StoreError::Conflict(_)) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns the path of a link to a file of a tenant. `now` is the time after 1970.
    pub fn make(
        &self,
        tenant: &str,
        (name, media_type, sha256): (&str, &str, &str),
        now: Duration,
    ) -> String {
        let file = LinkedFile {
            tenant: tenant.to_owned(),
            sha256: sha256.to_owned(),
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            expires: now.saturating_add(self.life).as_secs(),
        };
        let mut token = serde_json::to_vec(&file).unwrap_or_default();
        token.extend_from_slice(&self.signature(&token));
        let (token, name) =
            (URL_SAFE_NO_PAD.encode(&token), utf8_percent_encode(name, NON_ALPHANUMERIC));
        format!("{PATH}{token}/{name}")
    }

    /// Returns the file of a link's token.
    ///
    /// # Errors
    ///
    /// The link is not one of ours (404), or has expired (410).
    pub fn follow(&self, token: &str, now: Duration) -> Result<LinkedFile, Problem> {
        let wrong = || Problem::new(404, "not_found", "there is no such file");
        let token = URL_SAFE_NO_PAD.decode(token).map_err(|_| wrong())?;
        let cut = token.len().checked_sub(SIGNATURE_BYTES).ok_or_else(wrong)?;
        let (content, signature) = token.split_at(cut);
        // Every byte is compared, so that the time says nothing.
        let differs =
            self.signature(content).iter().zip(signature).fold(0, |sum, (a, b)| sum | (a ^ b));
        if differs != 0 {
            return Err(wrong());
        }
        let file: LinkedFile = serde_json::from_slice(content).map_err(|_| wrong())?;
        if now.as_secs() >= file.expires {
            return Err(Problem::new(410, "link_expired", "the link has expired")
                .hint("ask for the run or the file again, which gives a new link"));
        }
        Ok(file)
    }

    fn signature(&self, content: &[u8]) -> [u8; SIGNATURE_BYTES] {
        let hash = blake3::keyed_hash(&self.key, content);
        let mut signature = [0; SIGNATURE_BYTES];
        signature.copy_from_slice(&hash.as_bytes()[..SIGNATURE_BYTES]);
        signature
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_for_one_file_and_a_time() {
        let links = Links { key: [7; 32], life: Duration::from_secs(60) };
        let now = Duration::from_secs(1_000);
        let path = links.make("alice", ("月报.pdf", "application/pdf", "abc"), now);
        let token = path.strip_prefix(PATH).unwrap().split('/').next().unwrap();
        let file = links.follow(token, now).unwrap();
        assert_eq!((file.tenant.as_str(), file.name.as_str()), ("alice", "月报.pdf"));
        assert_eq!(links.follow(token, Duration::from_secs(1_060)).unwrap_err().status, 410);
        let other = Links { key: [8; 32], ..links.clone() };
        assert_eq!(other.follow(token, now).unwrap_err().status, 404);
        for (at, _) in token.char_indices() {
            let changed = if &token[at..=at] == "A" { "B" } else { "A" };
            let wrong = format!("{}{changed}{}", &token[..at], &token[at + 1..]);
            // The last character of base64 may have bits that do not count.
            if links.follow(&wrong, now).is_ok() {
                assert_eq!(at + 1, token.len());
            }
        }
    }
}
