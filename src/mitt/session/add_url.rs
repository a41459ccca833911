//! Adding of documents by address. Charges memory for them during the transfer; the [`Fetch`] of the host decides which addresses
//! may be fetched, and how.

use std::sync::Arc;

use super::add_document::{DocumentOptions, check_name};
use super::event::Event;
use super::services::CallServices;
use super::state::Session;
use crate::document::Document;
use crate::fetch::{self, Fetch, FetchRequest, Fetched, FetchedFrom};
use mitt_base::memory::Charge;
use mitt_base::{Error, Resource, Result};

/// File that was fetched.
struct FetchedFile {
    name: String,
    bytes: Vec<u8>,
    origin: FetchedFrom,
    /// Charge for the bytes, until the document has a charge of its own.
    _charge: Charge,
}

impl Session {
    /// Fetches a document and adds it to the documents. Its first metadata entry is `url`, its address. If the server declares
    /// another media type than the content has, the document gets a warning.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) with the outcome `fetch-refused` - the host, its address or the protocol
    /// is not allowed, or there is no fetcher ([`HostBuilder::fetch`](crate::HostBuilder::fetch), [`DocumentOptions::fetch`]).
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) with the outcome `fetch-failed` - the document could not be fetched.
    /// Otherwise the same as [`Session::add_document`].
    pub async fn add_document_url(
        &self,
        url: &str,
        options: &DocumentOptions,
    ) -> Result<Arc<Document>> {
        let fetcher = options.fetch.as_ref().or(self.host().fetcher());
        let file = self.fetch(url, fetcher, None).await?;
        let said = (options.password.as_deref(), Some(&file.origin));
        check_name(&file.name, false)?;
        let added = self.add_bytes(&file.name, file.bytes, said, None);
        let added = self.inner.scheduler.run(Box::pin(added));
        mitt_base::panics::caught("reading the document", added).await?
    }

    /// Like [`Session::add_document_url`], within the call of `services`.
    pub(super) async fn add_document_url_inside(
        &self,
        url: &str,
        services: &CallServices,
    ) -> Result<Arc<Document>> {
        let file = self.fetch(url, self.host().fetcher(), Some(services)).await?;
        check_name(&file.name, false)?;
        self.add_bytes(&file.name, file.bytes, (None, Some(&file.origin)), Some(services)).await
    }

    async fn fetch(
        &self,
        url: &str,
        fetcher: Option<&Arc<dyn Fetch>>,
        inside: Option<&CallServices>,
    ) -> Result<FetchedFile> {
        let fetcher = fetcher.ok_or_else(fetch::refused)?;
        // The query and the fragment may hold secrets.
        let shown = url.split(['?', '#']).next().unwrap_or_default().to_owned();
        let at = |error: Error| error.at(&shown);
        // A blocked address is neither recorded nor requested.
        self.inner.guarded_address(url)?;
        let event = Event::Fetching { call: inside.map(CallServices::call), url: shown.clone() };
        match inside {
            Some(services) => services.emit(&event),
            None => self.emit(&event),
        }
        let most = self.host().session_limits().document_bytes;
        let request = FetchRequest::new(url, &self.inner.tenant, most);
        let Fetched { url, name, media_type, mut body } =
            fetcher.fetch(&request).await.map_err(at)?;
        let mut charge = self.inner.budget.call().nothing();
        let mut bytes = Vec::new();
        while let Some(piece) = body.piece().await.map_err(at)? {
            let size = (bytes.len() + piece.len()) as u64;
            if size > most {
                return Err(at(Error::limit(Resource::Document, most, size)));
            }
            // Growing copies the bytes, so up to twice as many exist for a moment.
            charge.grow(2 * piece.len() as u64).map_err(|limit| at(Error::reached(limit)))?;
            bytes.extend(piece);
        }
        Ok(FetchedFile { name, bytes, origin: FetchedFrom { url, media_type }, _charge: charge })
    }
}
