//! A file that is kept while people look at it: a session that read it, what it shows, and its document.
//!
//! Each is read when it is first needed, once for all who wait for it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use tokio::sync::OnceCell;

use super::content::{Content, picture_type};
use super::sandbox_pages::{self, SandboxPages};
use super::workbook::Workbook;
use mitt::internal::TenantCharge;
use mitt::render::PdfPages;
use mitt::{Document, Host, Session, SessionOptions};
use mitt_base::{Error, ErrorKind, Resource, Result, panics};

const PDF: &str = "application/pdf";

/// A file that a person wants to look at. The caller has checked that it belongs to the tenant.
#[derive(Clone, Copy, Debug)]
pub struct PreviewFile<'a> {
    /// Tenant that owns the file and is charged for what is kept of it.
    pub tenant: &'a str,
    /// Name. Its extension distinguishes kinds of text.
    pub name: &'a str,
    /// Media type as far as it is known; may be empty.
    pub media_type: &'a str,
    /// SHA-256 of the content.
    pub sha256: &'a str,
    /// Size in bytes.
    pub size: u64,
    /// `true` if Mitt rendered it. Only then the host draws the pages of a PDF. Those of one that a user gave, or that a tool or
    /// a script wrote, are drawn in the sandbox.
    pub is_rendered: bool,
}

impl PreviewFile<'_> {
    fn draws_pages(&self) -> bool {
        self.is_rendered && self.media_type == PDF
    }
}

/// Key of a file among those that are kept. A file is read in the same way for the same key.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct FileKey {
    tenant: String,
    sha256: String,
    name: String,
    draws_pages: bool,
}

impl FileKey {
    pub(super) fn of(file: &PreviewFile<'_>) -> FileKey {
        FileKey {
            tenant: file.tenant.to_owned(),
            sha256: file.sha256.to_owned(),
            name: file.name.to_owned(),
            draws_pages: file.draws_pages(),
        }
    }

    pub(super) fn is_of(&self, tenant: &str) -> bool {
        self.tenant == tenant
    }
}

/// A file that is kept.
pub(super) struct KeptFile {
    /// Session that reads the file, and is charged for what is kept of it.
    session: Session,
    pub(super) name: String,
    pub(super) media_type: String,
    pub(super) sha256: String,
    pub(super) size: u64,
    draws_pages: bool,
    content: OnceCell<Arc<Content>>,
    /// The document, or why it can never be read.
    document: OnceCell<Result<Arc<Document>>>,
}

impl KeptFile {
    /// Opens the session for a file.
    ///
    /// # Errors
    ///
    /// Those of [`Host::session`].
    pub(super) fn new(host: &Host, file: &PreviewFile<'_>) -> Result<KeptFile> {
        let tenant = Some(file.tenant.to_owned());
        let keeps_sources =
            !file.draws_pages() && sandbox_pages::may_be_pdf(file.name, file.media_type);
        let options = SessionOptions { tenant, keeps_sources, ..SessionOptions::default() };
        Ok(KeptFile {
            session: host.session(options)?,
            name: file.name.to_owned(),
            media_type: file.media_type.to_owned(),
            sha256: file.sha256.to_owned(),
            size: file.size,
            draws_pages: file.draws_pages(),
            content: OnceCell::new(),
            document: OnceCell::new(),
        })
    }

    /// Returns what the file shows. `load` returns its bytes, and is called only if they are needed.
    ///
    /// # Errors
    ///
    /// Those of `load`. [`ErrorKind::Busy`], [`ErrorKind::Limit`] - no place or no memory is left now.
    /// [`ErrorKind::Blocked`] - a rule about content does not let it pass.
    pub(super) async fn content<F, E>(&self, load: impl FnOnce() -> F) -> Result<Arc<Content>, E>
    where
        F: Future<Output = Result<Vec<u8>, E>>,
        E: From<Error>,
    {
        let read = || Box::pin(self.read_content(load));
        self.content.get_or_try_init(read).await.cloned()
    }

    /// Returns the document of the file. `load` returns its bytes, and is called only if they are needed.
    ///
    /// # Errors
    ///
    /// Those of `load` and of [`Session::add_document_bytes`].
    pub(super) async fn document<F, E>(&self, load: impl FnOnce() -> F) -> Result<Arc<Document>, E>
    where
        F: Future<Output = Result<Vec<u8>, E>>,
        E: From<Error>,
    {
        let read = || Box::pin(self.read_loaded(load));
        self.document.get_or_try_init(read).await?.clone().map_err(E::from)
    }

    /// Returns the session that read the file.
    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the tenant that owns the file.
    pub(super) fn tenant(&self) -> &str {
        self.session.tenant()
    }

    /// Returns the bytes that are kept of the file.
    pub(super) fn kept_bytes(&self) -> u64 {
        let drawn = match self.content.get().map(|content| &**content) {
            Some(Content::Pages { .. }) => self.size,
            _ => 0,
        };
        self.session.memory().used.saturating_add(drawn)
    }

    /// Charges the tenant for the bytes of the file.
    fn charge(&self) -> Result<TenantCharge> {
        self.session.host().charge(self.session.tenant(), self.size)
    }

    async fn read_content<F, E>(&self, load: impl FnOnce() -> F) -> Result<Arc<Content>, E>
    where
        F: Future<Output = Result<Vec<u8>, E>>,
        E: From<Error>,
    {
        let most = self.session.host().session_limits().document_bytes;
        if self.size > most {
            let error = Error::limit(Resource::Document, most, self.size);
            return Ok(Arc::new(Content::nothing(&error)));
        }
        let charge = self.charge()?;
        let bytes = load().await?;
        Ok(Arc::new(self.read(bytes, charge).await?))
    }

    async fn read_loaded<F, E>(&self, load: impl FnOnce() -> F) -> Result<Result<Arc<Document>>, E>
    where
        F: Future<Output = Result<Vec<u8>, E>>,
        E: From<Error>,
    {
        let most = self.session.host().session_limits().document_bytes;
        if self.size > most {
            return Ok(Err(Error::limit(Resource::Document, most, self.size)));
        }
        let _charge = self.charge()?;
        let bytes = load().await?;
        Ok(self.read_document(bytes).await?)
    }

    async fn read(&self, bytes: Vec<u8>, charge: TenantCharge) -> Result<Content> {
        if let Some(media_type) = picture_type(&bytes) {
            return Ok(Content::Picture(media_type));
        }
        let mut bytes = Arc::new(bytes);
        if self.draws_pages && bytes.starts_with(b"%PDF-") {
            let file = bytes.clone();
            let opened = tokio::task::spawn_blocking(move || PdfPages::open(file)).await;
            match opened.map_err(|_| panics::noticed("opening a PDF"))? {
                Ok(pages) => return Ok(Content::Pages { pages, _charge: charge }),
                Err(error) => tracing::debug!(%error, "a PDF is shown as text"),
            }
        }
        if !self.draws_pages
            && sandbox_pages::may_be_pdf(&self.name, &self.media_type)
            && bytes.starts_with(b"%PDF-")
            && self.session.guard().is_empty()
        {
            let file = std::mem::take(Arc::make_mut(&mut bytes));
            return Box::pin(self.read_foreign_pdf(file)).await;
        }
        match self.session.workbook_view(&self.name, &bytes).await {
            Ok(Some(view)) => match Workbook::new(view) {
                Ok(workbook) => return Ok(Content::Workbook(Box::new(workbook))),
                Err(error) => tracing::warn!(%error, "a workbook is shown without its looks"),
            },
            Ok(None) => {}
            Err(error) if matches!(error.kind(), ErrorKind::Blocked | ErrorKind::Busy { .. }) => {
                return Err(error);
            }
            // Its tables may still be read. If not, that error says why.
            Err(error) => tracing::debug!(%error, "a workbook is shown without its looks"),
        }
        let bytes = std::mem::take(Arc::make_mut(&mut bytes));
        let read = || Box::pin(self.read_document(bytes));
        Ok(match self.document.get_or_try_init(read).await? {
            Ok(document) => Content::of_document(document.clone()),
            Err(error) => Content::nothing(error),
        })
    }

    /// Reads a PDF that Mitt did not render. It is shown as text if its pages cannot be drawn.
    async fn read_foreign_pdf(&self, bytes: Vec<u8>) -> Result<Content> {
        let copy = bytes.clone();
        let read = || Box::pin(self.read_document(copy));
        let document = self.document.get_or_try_init(read).await?;
        let name = match document {
            Ok(document) => Some(document.name.clone()),
            // A scan has pages to show, too.
            Err(_) => sandbox_pages::add_unread(&self.session, &self.name, bytes).await?,
        };
        let pages = match name {
            Some(name) => SandboxPages::open(&self.session, &name).await?,
            None => None,
        };
        Ok(match (pages, document) {
            (Some(pages), document) => Content::SandboxPages {
                pages: Box::new(pages),
                document: document.as_ref().ok().cloned(),
            },
            (None, Ok(document)) => Content::of_document(document.clone()),
            (None, Err(error)) => Content::nothing(error),
        })
    }

    /// Reads the document. The inner error is one that the file itself causes, every time.
    async fn read_document(&self, bytes: Vec<u8>) -> Result<Result<Arc<Document>>> {
        match self.session.add_document_bytes(&self.name, bytes).await {
            Err(error) if is_lasting(&error) => Ok(Err(error)),
            read => read.map(Ok),
        }
    }
}

/// Returns `true` if reading the same file again would fail again.
fn is_lasting(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Input | ErrorKind::Limit(_)) && !error.is_retryable()
}

/// A document that was read. What it needs stays in memory as long as this.
#[derive(Clone)]
pub struct ReadDocument {
    document: Arc<Document>,
    _file: Arc<KeptFile>,
}

impl ReadDocument {
    pub(super) fn new(file: Arc<KeptFile>, document: Arc<Document>) -> ReadDocument {
        ReadDocument { document, _file: file }
    }
}

impl Deref for ReadDocument {
    type Target = Document;

    fn deref(&self) -> &Document {
        &self.document
    }
}

impl fmt::Debug for ReadDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadDocument").field("name", &self.document.name).finish_non_exhaustive()
    }
}
