//! The capability `fetch`: HTTP requests by the `http_request` of Extism plug-ins. Components have no such interface.
//!
//! A request must be allowed twice: by the hosts in the grant, and by the operator. The host's [`Fetch`](mitt_types::Fetch) sends it.

use futures_util::future::BoxFuture;
use std::sync::Arc;

use super::shared::Nobody;
use mitt_base::{Error, ErrorKind, Result};
use mitt_types::fetch::{HttpRequest, HttpResponse};

/// Interface to the session.
#[cfg_attr(not(feature = "extism"), allow(dead_code, reason = "used only by Extism plug-ins"))]
pub trait Web: Send + Sync + 'static {
    /// Sends a request to one of these hosts and returns the response.
    fn request<'a>(
        &'a self,
        request: HttpRequest,
        hosts: &'a [String],
    ) -> BoxFuture<'a, Result<HttpResponse>>;
}

impl Web for Nobody {
    fn request<'a>(
        &'a self,
        _: HttpRequest,
        _: &'a [String],
    ) -> BoxFuture<'a, Result<HttpResponse>> {
        Box::pin(async move { Err(Error::new(ErrorKind::Denied, "there is no session")) })
    }
}

/// Bounds of the grant `fetch`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FetchBounds {
    /// Allowed hosts, in the syntax of [`FetchPolicy`]: `api.example.com`, `*.example.com`. Default: none.
    ///
    /// [`FetchPolicy`]: https://docs.rs/mitt-net
    pub hosts: Vec<String>,
}

impl FetchBounds {
    pub(super) fn describe(&self) -> Vec<String> {
        if self.hosts.is_empty() {
            Vec::new()
        } else {
            vec![format!("only {}", self.hosts.join(", "))]
        }
    }

    pub(super) fn bound(&self, web: Arc<dyn Web>) -> Arc<dyn Web> {
        Arc::new(Bounded { web, hosts: self.hosts.clone() })
    }
}

#[cfg_attr(not(feature = "extism"), allow(dead_code, reason = "used only by Extism plug-ins"))]
struct Bounded {
    web: Arc<dyn Web>,
    hosts: Vec<String>,
}

impl Web for Bounded {
    fn request<'a>(
        &'a self,
        request: HttpRequest,
        _: &'a [String],
    ) -> BoxFuture<'a, Result<HttpResponse>> {
        Box::pin(async move { self.web.request(request, &self.hosts).await })
    }
}
