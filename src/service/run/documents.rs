//! Documents of a run: from the store or an address into a session, and what was fetched into the store.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::entry::{DocumentOrigin, NewDocument};
use super::writer::owner_of;
use crate::store::{Blob, RunKey, Store, StoreError, StoreResult, read_whole, write_whole};
use mitt::{
    Document, DocumentOptions, Fetch, FetchRequest, Fetched, FetchedBody, HttpBounds, HttpRequest,
    HttpResponse, Session,
};
use mitt_agent::model::Image;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Resource, Result, lock};

/// Most bytes of the pictures of one instruction; the limits of services vary, and the log has them in one line. Further
/// pictures are documents.
pub(super) const MAX_PICTURE_BYTES: u64 = 10 * MIB;

/// What became of a document.
pub(super) enum Added {
    /// The session has it.
    Document {
        /// As it was read.
        document: Arc<Document>,
        /// The document as it is stored now.
        stored: NewDocument,
    },
    /// It is a picture, which the model looks at.
    Picture(Image),
}

/// Adds a document to a session. A picture of at most `picture_bytes` is none: the model looks at it.
///
/// # Errors
///
/// Those of [`Session::add_document_bytes`] and [`Session::add_document_url`]. [`ErrorKind::Host`] - the store failed.
pub(super) async fn add(
    store: &dyn Store,
    key: &RunKey,
    session: &Session,
    new: &NewDocument,
    picture_bytes: u64,
) -> Result<Added> {
    let most = session.host().session_limits().document_bytes;
    match &new.origin {
        DocumentOrigin::Stored => {
            if new.size > most {
                return Err(Error::limit(Resource::Document, most, new.size).at(&new.name));
            }
            let content =
                read_whole(store, &key.tenant, &new.sha256).await.map_err(gone(&new.name))?;
            if let Some(image) = picture(&content, picture_bytes) {
                session.add_picture(&new.name, &image.data)?;
                return Ok(Added::Picture(image));
            }
            let document = session.add_document_bytes(&new.name, content).await?;
            let stored = NewDocument { name: document.name.clone(), ..new.clone() };
            Ok(Added::Document { document, stored })
        }
        DocumentOrigin::Fetched { url, media_type } => {
            let content =
                read_whole(store, &key.tenant, &new.sha256).await.map_err(gone(&new.name))?;
            let fetcher = Kept {
                url: url.clone(),
                name: new.name.clone(),
                media_type: media_type.clone(),
                content,
            };
            let mut options = DocumentOptions::default();
            options.fetch = Some(Arc::new(fetcher));
            let document = session.add_document_url(url, &options).await?;
            let stored = NewDocument { name: document.name.clone(), ..new.clone() };
            Ok(Added::Document { document, stored })
        }
        DocumentOrigin::Url { url, name } => {
            let keeping = session.host().fetcher().map(|inner| {
                Arc::new(Keeping {
                    inner: inner.clone(),
                    name: name.clone(),
                    kept: Mutex::default(),
                })
            });
            let fetch = keeping.clone().map(|keeping| keeping as Arc<dyn Fetch>);
            let mut options = DocumentOptions::default();
            options.fetch = fetch;
            let document = session.add_document_url(url, &options).await?;
            let kept = keeping.and_then(|keeping| lock(&keeping.kept).take());
            let kept = kept.ok_or_else(|| Error::bug("a document was read and not fetched"))?;
            let Blob { sha256, size } =
                write(store, key, &kept.content).await.map_err(gone(&document.name))?;
            let origin = DocumentOrigin::Fetched { url: kept.url, media_type: kept.media_type };
            let stored = NewDocument { name: document.name.clone(), sha256, size, origin };
            Ok(Added::Document { document, stored })
        }
    }
}

/// Returns the error of a document that a store does not have.
fn gone(name: &str) -> impl FnOnce(StoreError) -> Error {
    let name = name.to_owned();
    move |error| match error {
        StoreError::Failed(error) => error,
        _ => Error::new(ErrorKind::Host, "the content is not stored any more").at(name),
    }
}

/// Stores a file that the run owns.
pub(super) async fn write(store: &dyn Store, key: &RunKey, content: &[u8]) -> StoreResult<Blob> {
    write_whole(store, &key.tenant, content, &owner_of(&key.id)).await
}

/// Returns the picture in a file; `None` if it is none, or has more than `most` bytes.
fn picture(content: &[u8], most: u64) -> Option<Image> {
    let media_type = picture_type(content).filter(|_| content.len() as u64 <= most)?;
    Some(Image { media_type: media_type.to_owned(), data: content.into() })
}

/// Returns the media type of a picture from its first bytes, if services accept it.
fn picture_type(content: &[u8]) -> Option<&'static str> {
    match content {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// What was fetched.
#[derive(Debug)]
struct Kept {
    url: String,
    name: String,
    media_type: Option<String>,
    content: Vec<u8>,
}

/// Fetches a document and keeps its content.
#[derive(Debug)]
struct Keeping {
    inner: Arc<dyn Fetch>,
    /// Name that the client wants for it.
    name: Option<String>,
    kept: Mutex<Option<Kept>>,
}

#[async_trait]
impl Fetch for Keeping {
    async fn fetch(&self, request: &FetchRequest<'_>) -> Result<Fetched> {
        let mut fetched = self.inner.fetch(request).await?;
        let mut content = Vec::new();
        while let Some(piece) = fetched.body.piece().await? {
            let size = (content.len() + piece.len()) as u64;
            if size > request.bytes {
                return Err(Error::limit(Resource::Document, request.bytes, size));
            }
            content.extend_from_slice(&piece);
        }
        let kept = Kept {
            url: fetched.url.clone(),
            name: self.name.clone().unwrap_or(fetched.name),
            media_type: fetched.media_type,
            content,
        };
        let again = kept.fetched();
        *lock(&self.kept) = Some(kept);
        Ok(again)
    }

    fn hosts(&self, tenant: &str) -> Vec<String> {
        self.inner.hosts(tenant)
    }

    async fn exchange(
        &self,
        request: &HttpRequest,
        bounds: &HttpBounds<'_>,
    ) -> Result<HttpResponse> {
        self.inner.exchange(request, bounds).await
    }
}

impl Kept {
    fn fetched(&self) -> Fetched {
        let body = Box::new(Whole(Some(self.content.clone())));
        let mut fetched = Fetched::new(self.url.clone(), self.name.clone(), body);
        fetched.media_type.clone_from(&self.media_type);
        fetched
    }
}

#[async_trait]
impl Fetch for Kept {
    async fn fetch(&self, _: &FetchRequest<'_>) -> Result<Fetched> {
        Ok(self.fetched())
    }

    fn hosts(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

/// A body that is there already.
struct Whole(Option<Vec<u8>>);

#[async_trait]
impl FetchedBody for Whole {
    async fn piece(&mut self) -> Result<Option<Vec<u8>>> {
        Ok(self.0.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_known_by_their_content_and_bounded() {
        for (content, media_type) in [
            (&b"\x89PNG\r\n\x1a\n..."[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"GIF89a", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"%PDF-1.7", None),
            (b"", None),
        ] {
            let image = picture(content, 100);
            assert_eq!(image.map(|it| it.media_type).as_deref(), media_type);
        }
        assert!(picture(b"GIF89a", 6).is_some() && picture(b"GIF89a", 5).is_none());
    }
}
