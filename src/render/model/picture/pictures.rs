//! The pictures that the caller supplies by name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::place::{MAX_NAME_BYTES, picture_names};
use crate::Doc;
use mitt_base::text;

/// Most pictures of a document, each counted once.
pub const MAX_PICTURES: usize = 200;

/// Most bytes of a picture file: 20 MiB. A photo of 50 megapixels has 15 to 20.
pub const MAX_PICTURE_BYTES: u64 = 20 * 1024 * 1024;

/// Most bytes of all picture files of a document: 64 MiB.
pub const MAX_PICTURES_BYTES: u64 = 64 * 1024 * 1024;

/// Most bytes of a reason that are kept.
const MAX_REASON_BYTES: usize = 300;

/// The pictures of a document by name: the address in `![description](address)`, as written. Default: none, so that every
/// picture is shown as its description. Clones share the content.
///
/// Limited to [`MAX_PICTURES`] names, [`MAX_PICTURE_BYTES`] for each and [`MAX_PICTURES_BYTES`] for all. For a picture
/// beyond a limit, the reason is kept and becomes a warning. `data:` addresses need no entry, because they contain the
/// picture.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Pictures {
    by_name: BTreeMap<String, PictureSource>,
    bytes: u64,
}

/// A supplied picture.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum PictureSource {
    /// The content of its file.
    File(Arc<[u8]>),
    /// The reason why there is none.
    Missing(String),
}

impl Pictures {
    /// Calls `read` for each picture that a document names, in the order of the text, with its name and the number of bytes
    /// that are left. Its error is the reason why there is no picture.
    pub fn collect(
        doc: &Doc,
        mut read: impl FnMut(&str, u64) -> Result<Arc<[u8]>, String>,
    ) -> Pictures {
        let mut pictures = Pictures::default();
        for name in picture_names(doc).into_iter().take(MAX_PICTURES) {
            let most = MAX_PICTURE_BYTES.min(MAX_PICTURES_BYTES.saturating_sub(pictures.bytes));
            match read(name, most) {
                Ok(file) => pictures.insert(name, file),
                Err(reason) => pictures.insert_missing(name, &reason),
            }
        }
        pictures
    }

    /// Adds the content of a picture's file.
    pub fn insert(&mut self, name: &str, file: Arc<[u8]>) {
        let size = file.len() as u64;
        if size > MAX_PICTURE_BYTES {
            self.insert_missing(name, &too_large(MAX_PICTURE_BYTES, size));
        } else if self.bytes.saturating_add(size) > MAX_PICTURES_BYTES {
            let reason =
                format!("all pictures of a document have at most {MAX_PICTURES_BYTES} bytes");
            self.insert_missing(name, &reason);
        } else {
            self.put(name, PictureSource::File(file));
        }
    }

    /// Adds the reason why there is no picture of this name.
    pub fn insert_missing(&mut self, name: &str, reason: &str) {
        let reason = text::cut_bytes(reason, MAX_REASON_BYTES).to_owned();
        self.put(name, PictureSource::Missing(reason));
    }

    fn put(&mut self, name: &str, source: PictureSource) {
        if name.len() > MAX_NAME_BYTES
            || (self.by_name.len() >= MAX_PICTURES && !self.by_name.contains_key(name))
        {
            return;
        }
        self.bytes += size(&source);
        if let Some(before) = self.by_name.insert(name.to_owned(), source) {
            self.bytes -= size(&before);
        }
    }

    /// Returns the bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns `true` if nothing was added.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Returns the names in order, each with its file or the reason why there is none.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Result<&Arc<[u8]>, &str>)> {
        self.by_name.iter().map(|(name, source)| {
            let source = match source {
                PictureSource::File(file) => Ok(file),
                PictureSource::Missing(reason) => Err(reason.as_str()),
            };
            (name.as_str(), source)
        })
    }

    pub(crate) fn get(&self, name: &str) -> Option<&PictureSource> {
        self.by_name.get(name)
    }
}

fn size(source: &PictureSource) -> u64 {
    match source {
        PictureSource::File(file) => file.len() as u64,
        PictureSource::Missing(_) => 0,
    }
}

/// Returns the reason for a file that is too large.
pub(crate) fn too_large(most: u64, got: u64) -> String {
    format!("expected a file of at most {most} bytes, got {got}")
}

impl fmt::Debug for Pictures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pictures")
            .field("names", &self.by_name.keys())
            .field("bytes", &self.bytes)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_bounded_each_all_and_in_number() {
        let mut pictures = Pictures::default();
        let reason = |pictures: &Pictures, name: &str| match pictures.get(name) {
            Some(PictureSource::Missing(reason)) => reason.clone(),
            Some(PictureSource::File(file)) => format!("{} bytes", file.len()),
            None => "none".to_owned(),
        };
        let most = usize::try_from(MAX_PICTURE_BYTES).unwrap();
        let large: Arc<[u8]> = vec![0; most].into();
        pictures.insert("over", vec![0; most + 1].into());
        assert_eq!(
            reason(&pictures, "over"),
            "expected a file of at most 20971520 bytes, got 20971521"
        );
        for name in ["a", "b", "c", "d"] {
            pictures.insert(name, large.clone());
        }
        assert_eq!(reason(&pictures, "c"), "20971520 bytes");
        assert_eq!(
            reason(&pictures, "d"),
            "all pictures of a document have at most 67108864 bytes"
        );
        // A replaced picture frees its bytes.
        pictures.insert("a", vec![0; 1].into());
        pictures.insert("d", large);
        assert_eq!(reason(&pictures, "d"), "20971520 bytes");
        for number in 0..2 * MAX_PICTURES {
            pictures.insert(&number.to_string(), vec![0; 1].into());
        }
        assert_eq!(pictures.len(), MAX_PICTURES);
        pictures.insert(&"x".repeat(MAX_NAME_BYTES + 1), vec![0; 1].into());
        assert_eq!(pictures.len(), MAX_PICTURES);
    }

    #[test]
    fn as_many_are_read_as_there_is_room_for() {
        let source: String =
            (0..300).map(|n| format!("![a]({n}.png)\n\n![b](0.png)\n\n")).collect();
        let doc = crate::markdown(&source).unwrap();
        let mut asked = Vec::new();
        let pictures = Pictures::collect(&doc, |name, most| {
            asked.push((name.to_owned(), most));
            match name {
                "1.png" => Err("no".to_owned()),
                _ => Ok(vec![0; 1_000_000].into()),
            }
        });
        assert_eq!(asked.len(), MAX_PICTURES);
        assert_eq!(asked[0], ("0.png".to_owned(), MAX_PICTURE_BYTES));
        assert_eq!(asked[1].0, "1.png");
        assert_eq!(asked[60].1, MAX_PICTURES_BYTES - 59_000_000);
        assert!(pictures.bytes() <= MAX_PICTURES_BYTES);
    }
}
