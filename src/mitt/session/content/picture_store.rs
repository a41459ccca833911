//! Pictures that were added to a session for use in documents, with their charges and limits. Knows nothing of the texts that
//! name them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use mitt_base::lock;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, Resource, Result};
use mitt_render::{MAX_PICTURE_BYTES, MAX_PICTURES, MAX_PICTURES_BYTES};

/// Pictures that were added to a session, by name.
pub(in crate::session) struct PictureStore {
    kept: Mutex<BTreeMap<String, StoredPicture>>,
    /// Account for everything that documents keep.
    account: Account,
}

struct StoredPicture {
    file: Arc<[u8]>,
    _charge: Charge,
}

/// Picture with a charge that has no name yet.
pub(in crate::session) struct ChargedPicture(StoredPicture);

impl PictureStore {
    pub(in crate::session) fn new(account: Account) -> PictureStore {
        PictureStore { kept: Mutex::default(), account }
    }

    /// Charges for a file if it is a picture that documents can show. Returns `None` for any other file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - it is too large, or there is no memory for it.
    pub(in crate::session) fn charge(&self, bytes: &[u8]) -> Result<Option<ChargedPicture>> {
        if !is_picture(bytes) {
            return Ok(None);
        }
        let size = bytes.len() as u64;
        if size > MAX_PICTURE_BYTES {
            return Err(Error::limit(Resource::Document, MAX_PICTURE_BYTES, size));
        }
        let charge = self.account.charge(size).map_err(Error::reached)?;
        Ok(Some(ChargedPicture(StoredPicture { file: bytes.into(), _charge: charge })))
    }

    /// Keeps a picture under a name, and replaces an existing one of that name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - there are too many pictures, or their total size is too large.
    pub(in crate::session) fn keep(
        &self,
        name: &str,
        ChargedPicture(picture): ChargedPicture,
    ) -> Result<()> {
        let mut kept = lock(&self.kept);
        let others = kept.iter().filter(|(other, _)| *other != name);
        let (count, bytes) = others
            .fold((1, picture.file.len() as u64), |(count, bytes), (_, it)| {
                (count + 1, bytes + it.file.len() as u64)
            });
        if count > MAX_PICTURES as u64 {
            return Err(Error::limit(Resource::DocumentFiles, MAX_PICTURES as u64, count));
        }
        if bytes > MAX_PICTURES_BYTES {
            return Err(Error::limit(Resource::Documents, MAX_PICTURES_BYTES, bytes));
        }
        kept.insert(name.to_owned(), picture);
        Ok(())
    }

    /// Returns `true` if a picture has this content.
    pub(super) fn has(&self, content: &[u8]) -> bool {
        lock(&self.kept).values().any(|kept| *kept.file == *content)
    }

    pub(in crate::session) fn get(&self, name: &str) -> Option<Arc<[u8]>> {
        lock(&self.kept).get(name).map(|kept| kept.file.clone())
    }
}

/// Returns whether a file begins like a raster picture. Whether it is valid shows when a document uses it.
fn is_picture(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0x89, b'P', b'N', b'G', ..]
            | [0xFF, 0xD8, 0xFF, ..]
            | [b'G', b'I', b'F', b'8', ..]
            | [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..]
    )
}
