//! Documents of an event: inside of it, or named by their addresses.

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::fields::{Fields, wrong};
use super::function::Function;
use crate::commands::{MAX_PICTURE_BYTES, picture_of};
use mitt::value::Json;
use mitt::{
    DocumentOptions, Fetch, FetchRequest, Fetched, HttpBounds, HttpRequest, HttpResponse, Session,
};
use mitt_agent::model::Image;
use mitt_base::{Error, Resource, Result};

/// Problem of a file whose text is in pictures alone.
const NEEDS_OCR: &str = "needs-ocr";

/// A document of an event.
#[derive(Debug)]
pub(super) struct EventDocument {
    /// Where it stands in the event.
    place: String,
    source: DocumentSource,
}

#[derive(Debug)]
enum DocumentSource {
    Content {
        name: String,
        content: Vec<u8>,
    },
    /// Address of an object of S3, or one of the web on a host that the operator allows.
    Address {
        url: String,
        /// `None` if the address names it.
        name: Option<String>,
    },
}

/// What became of a document besides a document of the session.
#[derive(Debug, Default)]
pub(super) struct AddedDocument {
    pub(super) warning: Option<String>,
    /// The picture that it is.
    pub(super) image: Option<Image>,
}

impl EventDocument {
    /// Reads the document at `place`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - it has another form.
    pub(super) fn read(place: String, item: Json) -> Result<EventDocument> {
        let mut fields = Fields::of(place.as_str(), item)?;
        let name = fields.text("name")?;
        let (text, base64) = (fields.text("text")?, fields.text("base64")?);
        let url = fields.text("url")?;
        if name.is_none() && url.is_none() {
            return Err(fields.wrong("name", "missing, expected a string"));
        }
        let source = match (text, base64, url) {
            (None, None, Some(url)) => DocumentSource::Address { url, name },
            (Some(text), None, None) => {
                DocumentSource::Content { name: name.unwrap_or_default(), content: text.into() }
            }
            (None, Some(text), None) => {
                let content = STANDARD.decode(text.trim_ascii()).map_err(|error| {
                    fields
                        .wrong("base64", "not base64")
                        .hint("standard alphabet, with padding")
                        .caused_by(error)
                })?;
                DocumentSource::Content { name: name.unwrap_or_default(), content }
            }
            _ => return Err(wrong(&place, "expected one of `text`, `base64` and `url`")),
        };
        fields.finish()?;
        Ok(EventDocument { place, source })
    }

    /// Adds it to the session, a picture for files too. With `for_model`, a picture is returned for the model.
    ///
    /// # Errors
    ///
    /// It cannot be read, or its address may not be read.
    pub(super) async fn add(
        self,
        function: &Function,
        session: &Session,
        for_model: bool,
    ) -> Result<AddedDocument> {
        let EventDocument { place, source } = self;
        let added = match source {
            DocumentSource::Content { name, content } => add_content(session, &name, content).await,
            DocumentSource::Address { url, name } => {
                function.storage().check(&url).map_err(|error| error.at(&place))?;
                add_address(session, &url, name, for_model).await
            }
        };
        let mut added = added.map_err(|error| error.at(&place))?;
        added.warning = added.warning.map(|warning| format!("{place}: {warning}"));
        Ok(added)
    }
}

async fn add_content(session: &Session, name: &str, content: Vec<u8>) -> Result<AddedDocument> {
    let image = picture_of(&content);
    let mut warning = None;
    if image.is_some()
        && let Err(error) = session.add_picture(name, &content)
    {
        warning = Some(format!("files cannot show it: {error}"));
    }
    match session.add_document_bytes(name, content).await {
        // A tool may put it into a file.
        Err(error) if image.is_some() && error.input_problem() == Some(NEEDS_OCR) => {}
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    Ok(AddedDocument { warning, image })
}

async fn add_address(
    session: &Session,
    url: &str,
    name: Option<String>,
    for_model: bool,
) -> Result<AddedDocument> {
    let fetch = session.host().fetcher().cloned();
    let fetch = match (fetch, name) {
        (Some(fetch), Some(name)) => Some(Arc::new(Named { fetch, name }) as Arc<dyn Fetch>),
        (fetch, _) => fetch,
    };
    let mut options = DocumentOptions::default();
    options.fetch.clone_from(&fetch);
    let is_picture = match session.add_document_url(url, &options).await {
        Ok(document) => for_model && document.media_type.starts_with("image/"),
        // A tool may put it into a file.
        Err(error) if error.input_problem() == Some(NEEDS_OCR) => match fetch {
            Some(fetch) => return add_picture(session, &*fetch, url, Err(error)).await,
            None => return Err(error),
        },
        Err(error) => return Err(error),
    };
    match fetch {
        // The session kept it for files; a model gets it too.
        Some(fetch) if is_picture => add_picture(session, &*fetch, url, Ok(())).await,
        _ => Ok(AddedDocument::default()),
    }
}

/// Fetches a file again that may be a picture. If it is none, returns the error of reading it.
async fn add_picture(
    session: &Session,
    fetch: &dyn Fetch,
    url: &str,
    read: Result<()>,
) -> Result<AddedDocument> {
    let request = FetchRequest::new(url, session.tenant(), MAX_PICTURE_BYTES);
    let Fetched { name, mut body, .. } = match (fetch.fetch(&request).await, &read) {
        (Ok(fetched), _) => fetched,
        (Err(error), Ok(())) => {
            let warning = Some(format!("the model does not see it: {error}"));
            return Ok(AddedDocument { warning, image: None });
        }
        (Err(_), Err(error)) => return Err(error.clone()),
    };
    let mut content = Vec::new();
    while let Some(piece) = body.piece().await? {
        let size = (content.len() + piece.len()) as u64;
        if size > MAX_PICTURE_BYTES {
            return Err(Error::limit(Resource::Document, MAX_PICTURE_BYTES, size).at(url));
        }
        content.extend(piece);
    }
    let Some(image) = picture_of(&content) else {
        return read.map(|()| AddedDocument::default());
    };
    let mut warning = None;
    if read.is_err()
        && let Err(error) = session.add_picture(&name, &content)
    {
        warning = Some(format!("files cannot show it: {error}"));
    }
    Ok(AddedDocument { warning, image: Some(image) })
}

/// Fetches documents under a name that the event gives.
#[derive(Debug)]
struct Named {
    fetch: Arc<dyn Fetch>,
    name: String,
}

#[async_trait]
impl Fetch for Named {
    async fn fetch(&self, request: &FetchRequest<'_>) -> Result<Fetched> {
        let mut fetched = self.fetch.fetch(request).await?;
        fetched.name.clone_from(&self.name);
        Ok(fetched)
    }

    async fn exchange(
        &self,
        request: &HttpRequest,
        bounds: &HttpBounds<'_>,
    ) -> Result<HttpResponse> {
        self.fetch.exchange(request, bounds).await
    }

    fn hosts(&self, tenant: &str) -> Vec<String> {
        self.fetch.hosts(tenant)
    }
}
