//! Bytes of a component, with the hash that names its native code in the cache.

use std::borrow::Cow;
use std::sync::OnceLock;

/// Bytes of a component as they are stored, with their hash, which is computed once.
#[derive(Clone, Debug)]
pub struct StoredComponent {
    bytes: Cow<'static, [u8]>,
    hash: OnceLock<blake3::Hash>,
}

impl StoredComponent {
    /// Makes a component whose hash is already known if it is in `hash`.
    pub(crate) fn hashed(bytes: Cow<'static, [u8]>, hash: OnceLock<blake3::Hash>) -> Self {
        StoredComponent { bytes, hash }
    }

    /// Returns the BLAKE3 hash of the bytes.
    pub(crate) fn hash(&self) -> blake3::Hash {
        *self.hash.get_or_init(|| blake3::hash(&self.bytes))
    }
}

impl<B: Into<Cow<'static, [u8]>>> From<B> for StoredComponent {
    fn from(bytes: B) -> StoredComponent {
        StoredComponent { bytes: bytes.into(), hash: OnceLock::new() }
    }
}

impl std::ops::Deref for StoredComponent {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}
