//! The capability `fetch`: HTTP requests by the `http_request` of Extism plug-ins. Components have no such interface.
//!
//! A request must be allowed twice: by the hosts in the grant, and by the operator. The host's [`Fetch`](crate::Fetch) sends it.

use async_trait::async_trait;
use std::sync::Arc;

use super::shared::Nobody;
use crate::fetch::{HttpRequest, HttpResponse};
use mitt_base::{Error, ErrorKind, Result};

/// Interface to the session.
#[cfg_attr(not(feature = "extism"), allow(dead_code, reason = "used only by Extism plug-ins"))]
#[async_trait]
pub(crate) trait Web: Send + Sync + 'static {
    /// Sends a request to one of these hosts and returns the response.
    async fn request(&self, request: HttpRequest, hosts: &[String]) -> Result<HttpResponse>;
}

#[async_trait]
impl Web for Nobody {
    async fn request(&self, _: HttpRequest, _: &[String]) -> Result<HttpResponse> {
        Err(Error::new(ErrorKind::Denied, "there is no session"))
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
        match self.hosts.is_empty() {
            true => Vec::new(),
            false => vec![format!("only {}", self.hosts.join(", "))],
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

#[async_trait]
impl Web for Bounded {
    async fn request(&self, request: HttpRequest, _: &[String]) -> Result<HttpResponse> {
        self.web.request(request, &self.hosts).await
    }
}
