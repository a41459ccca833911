//! Interface to the fetcher that an embedder supplies. Knows no protocol, and not which addresses are allowed.

use std::path::Path;

use async_trait::async_trait;

use mitt_base::{Error, ErrorKind, InputProblem, Result};

/// Fetches documents by address and decides which addresses are allowed. `mitt-net` implements it for HTTPS.
///
/// Dropping a returned future or body ends the transfer.
#[async_trait]
pub trait Fetch: std::fmt::Debug + Send + Sync {
    /// Requests a document. [`FetchedBody::piece`] returns its content.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] with [`InputProblem::FetchRefused`] if the address is not allowed, or with
    /// [`InputProblem::FetchFailed`] if the document cannot be fetched.
    async fn fetch(&self, request: &FetchRequest<'_>) -> Result<Fetched>;

    /// Sends an HTTP request of a plug-in and returns the response, whatever its status. Redirects are not followed.
    ///
    /// The default implementation refuses every request.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - requests are not sent at all, or not to this host, or not with these headers. [`ErrorKind::Input`]
    /// with [`InputProblem::FetchFailed`] - there was no response.
    async fn exchange(
        &self,
        request: &HttpRequest,
        bounds: &HttpBounds<'_>,
    ) -> Result<HttpResponse> {
        let _ = (request, bounds);
        Err(Error::new(ErrorKind::Denied, "requests of plug-ins are not sent here"))
    }

    /// Returns the hosts that a tenant may fetch from, as text for a model, such as `*.example.com`. Empty if there are none.
    fn hosts(&self, tenant: &str) -> Vec<String>;
}

/// Request for a document.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FetchRequest<'a> {
    /// Address of the document.
    pub url: &'a str,
    /// Tenant of the session that requests it.
    pub tenant: &'a str,
    /// Most bytes that the caller accepts, after decompression. A document whose server declares a larger size need not be
    /// transferred.
    pub bytes: u64,
}

impl<'a> FetchRequest<'a> {
    /// Returns a request for the document at `url`.
    pub fn new(url: &'a str, tenant: &'a str, bytes: u64) -> FetchRequest<'a> {
        FetchRequest { url, tenant, bytes }
    }
}

/// HTTP request of a plug-in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpRequest {
    /// URL of the request.
    pub url: String,
    /// The method, in upper case.
    pub method: String,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// Body of the request; `None` if it has none.
    pub body: Option<Vec<u8>>,
}

/// Limits of a plug-in's HTTP request.
#[derive(Clone, Copy, Debug)]
pub struct HttpBounds<'a> {
    /// Tenant of the session that sends it.
    pub tenant: &'a str,
    /// Hosts that may be contacted, in addition to the operator's own rules: `example.com`, `*.example.com`, with a port if it is
    /// not 443.
    pub hosts: &'a [String],
    /// Most bytes of the response body, after decompression.
    pub bytes: u64,
}

/// Response to an HTTP request of a plug-in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// Status code, such as 200.
    pub status: u16,
    /// Header names in lower case, and their values.
    pub headers: Vec<(String, String)>,
    /// Body of the response.
    pub body: Vec<u8>,
}

/// Document whose transfer has begun.
#[non_exhaustive]
pub struct Fetched {
    /// Final URL, after redirects.
    pub url: String,
    /// File name for the document, without folders.
    pub name: String,
    /// Media type that the server declares, in lower case and without parameters.
    pub media_type: Option<String>,
    /// Content of the document.
    pub body: Box<dyn FetchedBody>,
}

impl Fetched {
    /// Returns a document at `url`, without a media type.
    pub fn new(url: String, name: String, body: Box<dyn FetchedBody>) -> Fetched {
        Fetched { url, name, media_type: None, body }
    }
}

/// Content of a document that is being transferred.
#[async_trait]
pub trait FetchedBody: Send {
    /// Returns the next chunk, at most some megabytes; `None` at the end.
    ///
    /// # Errors
    ///
    /// Those of [`Fetch::fetch`].
    async fn piece(&mut self) -> Result<Option<Vec<u8>>>;
}

/// Address and declared media type of a fetched document.
#[derive(Clone, Debug)]
pub struct FetchedFrom {
    /// Final URL, after redirects.
    pub url: String,
    /// Media type that the server declares.
    pub media_type: Option<String>,
}

impl FetchedFrom {
    /// Returns a warning if the server's media type contradicts the type that was found.
    pub fn disagrees(&self, found: &str) -> Option<String> {
        let said = self.media_type.as_deref()?;
        let of_text = |it: &str| it.starts_with("text/") && it != "text/html";
        // These types say nothing, or only how the content is packed.
        let is_generic =
            matches!(said, "text/plain" | "application/octet-stream" | "application/zip")
                || !(said.contains('/') && is_known(said));
        let differs = said != found && !(of_text(said) && of_text(found)) && !is_generic;
        differs.then(|| format!("its server calls it {said}, but the content is {found}"))
    }
}

/// Returns whether Mitt reads files of this media type.
fn is_known(media_type: &str) -> bool {
    [
        "text/",
        "image/",
        "application/pdf",
        "application/vnd.",
        "application/msword",
        "application/json",
    ]
    .iter()
    .any(|beginning| media_type.starts_with(beginning))
}

/// Returns the path as a URL if it is an `http` or `https` address: users may name either where a document is expected.
pub fn url_of(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let (scheme, rest) = text.split_once("://")?;
    let is_web = ["https", "http"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    (is_web && !rest.is_empty()).then_some(text)
}

/// Returns the error for a fetch in a host that has no fetcher or no allowed host.
#[cold]
pub fn refused() -> Error {
    Error::new(ErrorKind::Input, "documents are not fetched here: no host was allowed")
        .with_problem(InputProblem::FetchRefused)
        .hint("download it and name the file, or allow its host")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_say_something_else_are_told() {
        let xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
        for (said, found, expected) in [
            ("application/pdf", "text/html", true),
            ("text/html", "application/pdf", true),
            ("text/csv", "text/html", true),
            (xlsx, "text/csv", true),
            ("image/png", "image/jpeg", true),
            ("text/plain", "text/csv", false),
            ("text/csv", "text/plain", false),
            ("text/html", "text/html", false),
            ("application/octet-stream", "application/pdf", false),
            ("application/zip", xlsx, false),
            ("application/x-download", xlsx, false),
            ("nonsense", "text/html", false),
        ] {
            let origin = FetchedFrom { url: String::new(), media_type: Some(said.to_owned()) };
            assert_eq!(origin.disagrees(found).is_some(), expected, "{said} {found}");
        }
        let origin = FetchedFrom { url: String::new(), media_type: None };
        assert_eq!(origin.disagrees("text/html"), None);
    }
}
