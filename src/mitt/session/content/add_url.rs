//! Adding of documents by address. Charges memory for them during the transfer; the [`Fetch`] of the host decides which addresses
//! may be fetched, and how.

use std::sync::Arc;

use super::super::event::Event;
use super::add_document::check_name;
use super::document_options::DocumentOptions;
use super::requester::Requester;
use super::state::Content;
use mitt_base::memory::Charge;
use mitt_base::{Error, Resource, Result};
use mitt_types::{
    Document,
    fetch::{self, Fetch, FetchRequest, Fetched, FetchedFrom},
};

/// File that was fetched.
struct FetchedFile {
    name: String,
    bytes: Vec<u8>,
    origin: FetchedFrom,
    /// Charge for the bytes, until the document has a charge of its own.
    _charge: Charge,
}

impl Content {
    /// Fetches a document and adds it to the documents for `requester`.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document_url`](crate::Session::add_document_url).
    pub(in crate::session) async fn add_url(
        &self,
        url: &str,
        options: &DocumentOptions,
        requester: &dyn Requester,
    ) -> Result<Arc<Document>> {
        let fetcher = options.fetch.as_ref().or(self.context.host().fetcher());
        let file = self.fetch(url, fetcher, requester).await?;
        let given = (options, Some(&file.origin));
        check_name(&file.name, false)?;
        self.add_scheduled(&file.name, file.bytes, given, requester).await
    }

    /// Does what [`Content::add_url`] does, for a call, which already has a place and computes for the session.
    pub(in crate::session) async fn add_url_inside(
        &self,
        url: &str,
        call: &dyn Requester,
    ) -> Result<Arc<Document>> {
        let file = self.fetch(url, self.context.host().fetcher(), call).await?;
        check_name(&file.name, false)?;
        let given = (&DocumentOptions::default(), Some(&file.origin));
        self.add_bytes(&file.name, file.bytes, given, call).await
    }

    async fn fetch(
        &self,
        url: &str,
        fetcher: Option<&Arc<dyn Fetch>>,
        requester: &dyn Requester,
    ) -> Result<FetchedFile> {
        let fetcher = fetcher.ok_or_else(fetch::refused)?;
        // The query and the fragment may hold secrets.
        let shown = url.split(['?', '#']).next().unwrap_or_default().to_owned();
        // A fetcher may have named the address already.
        let at = |error: Error| match error.place() {
            Some(place) if place == shown => error,
            _ => error.at(&shown),
        };
        // A blocked address is neither recorded nor requested.
        self.guard.address(url)?;
        requester.emit(&Event::Fetching { call: requester.call(), url: shown.clone() });
        let most = self.context.host().session_limits().document_bytes;
        let request = FetchRequest::new(url, self.context.tenant(), most);
        let Fetched { url, name, media_type, mut body, .. } =
            fetcher.fetch(&request).await.map_err(at)?;
        let mut charge = self.context.budget().call().nothing();
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
