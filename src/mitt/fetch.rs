//! Addresses: what a session needs of whoever fetches documents for it. Knows no protocol, and not which addresses may be fetched.

use std::path::Path;

use async_trait::async_trait;

use mitt_base::{Error, ErrorKind, InputProblem, Result};

/// Fetches documents by their addresses, and decides which may be fetched. `mitt-net` has one for HTTPS.
///
/// Dropping a future or a body ends what it does.
#[async_trait]
pub trait Fetch: std::fmt::Debug + Send + Sync {
    /// Ask for a document. Its content comes with [`FetchedBody::piece`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`], named [`InputProblem::FetchRefused`] if the address may not be fetched, and
    /// [`InputProblem::FetchFailed`] if it cannot be.
    async fn fetch(&self, request: &FetchRequest<'_>) -> Result<Fetched>;

    /// Send a request of a plug-in, and wait for the answer, whatever its status is. Redirects are answers.
    ///
    /// By default none is sent.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - nobody sends requests here, or not to this host, or not with these headers.
    /// [`ErrorKind::Input`], named [`InputProblem::FetchFailed`] - there is no answer.
    async fn exchange(&self, asked: &Asked, bounds: &AskedBounds<'_>) -> Result<Answer> {
        let _ = (asked, bounds);
        Err(Error::new(ErrorKind::Denied, "requests of plug-ins are not sent here"))
    }

    /// Hosts that a tenant may fetch from, in words for a model, such as `*.example.com`. Empty if there are none.
    fn hosts(&self, tenant: &str) -> Vec<String>;
}

/// A document that is asked for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FetchRequest<'a> {
    /// Its address.
    pub url: &'a str,
    /// Whose session wants it.
    pub tenant: &'a str,
    /// Most bytes that will be taken, after decompression. What says beforehand that it is larger needs not to be sent.
    pub bytes: u64,
}

impl<'a> FetchRequest<'a> {
    /// A request for the document at `url`.
    pub fn new(url: &'a str, tenant: &'a str, bytes: u64) -> FetchRequest<'a> {
        FetchRequest { url, tenant, bytes }
    }
}

/// A request of a plug-in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Its address.
    pub url: String,
    /// The method, in upper case.
    pub method: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// What is sent.
    pub body: Option<Vec<u8>>,
}

/// Who asks, and how far that goes.
#[derive(Clone, Copy, Debug)]
pub struct AskedBounds<'a> {
    /// Whose session it is.
    pub tenant: &'a str,
    /// The hosts that may be asked, beside what the operator allows: `example.com`, `*.example.com`, with a port where it is not 443.
    pub hosts: &'a [String],
    /// Most bytes of the answer, after decompression.
    pub bytes: u64,
}

/// What is answered to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its status, such as 200.
    pub status: u16,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// Its content.
    pub body: Vec<u8>,
}

/// A document that comes.
#[non_exhaustive]
pub struct Fetched {
    /// Where it was in the end.
    pub url: String,
    /// A name for it, without any folder.
    pub name: String,
    /// The media type that its server says, without parameters, in lower case.
    pub media_type: Option<String>,
    /// Its content.
    pub body: Box<dyn FetchedBody>,
}

impl Fetched {
    /// A document at `url`.
    pub fn new(url: String, name: String, body: Box<dyn FetchedBody>) -> Fetched {
        Fetched { url, name, media_type: None, body }
    }
}

/// The content of a document that comes.
#[async_trait]
pub trait FetchedBody: Send {
    /// What comes next, at most some megabytes; none at the end.
    ///
    /// # Errors
    ///
    /// As [`Fetch::fetch`].
    async fn piece(&mut self) -> Result<Option<Vec<u8>>>;
}

/// Where a document was fetched.
#[derive(Clone, Debug)]
pub(crate) struct FetchedFrom {
    pub(crate) url: String,
    pub(crate) media_type: Option<String>,
}

impl FetchedFrom {
    /// A warning if the server says that it is something else than what was found.
    pub(crate) fn disagrees(&self, found: &str) -> Option<String> {
        let said = self.media_type.as_deref()?;
        let of_text = |it: &str| it.starts_with("text/") && it != "text/html";
        // Types that say nothing, or only how it is packed.
        let is_generic =
            matches!(said, "text/plain" | "application/octet-stream" | "application/zip")
                || !(said.contains('/') && is_known(said));
        let differs = said != found && !(of_text(said) && of_text(found)) && !is_generic;
        differs.then(|| format!("its server calls it {said}, but the content is {found}"))
    }
}

/// Whether a media type is one that files are known by here.
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

/// What is named, if it is an address of the web and no file: where people name documents, they may name either.
pub fn url_of(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let (scheme, rest) = text.split_once("://")?;
    let is_web = ["https", "http"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    (is_web && !rest.is_empty()).then_some(text)
}

/// The error of an address where nothing may be fetched.
#[cold]
pub(crate) fn refused() -> Error {
    Error::new(ErrorKind::Input, "documents are not fetched here: no host was allowed")
        .named(InputProblem::FetchRefused)
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
