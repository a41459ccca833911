//! The capability `fetch`: requests over HTTP, for plug-ins of Extism, whose `http_request` it answers. Components have no such
//! interface.
//!
//! A grant names hosts, and the operator allows hosts: a request needs both. What is sent and by whom is for the host's
//! [`Fetch`](crate::Fetch) to do.

use async_trait::async_trait;
use std::sync::Arc;

use super::shared::Nobody;
use crate::fetch::{Answer, Asked};
use mitt_base::{Error, ErrorKind, Result};

/// What it asks of a session.
#[cfg_attr(
    not(feature = "extism"),
    allow(dead_code, reason = "plug-ins of Extism alone ask for it")
)]
#[async_trait]
pub(crate) trait Web: Send + Sync + 'static {
    /// Send a request to one of these hosts, and wait for the answer.
    async fn request(&self, asked: Asked, hosts: &[String]) -> Result<Answer>;
}

#[async_trait]
impl Web for Nobody {
    async fn request(&self, _: Asked, _: &[String]) -> Result<Answer> {
        Err(Error::new(ErrorKind::Denied, "there is no session"))
    }
}

/// How far the grant `fetch` goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FetchBounds {
    /// The hosts that may be asked, as [`FetchPolicy`] reads them: `api.example.com`, `*.example.com`. Default none.
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

#[cfg_attr(
    not(feature = "extism"),
    allow(dead_code, reason = "plug-ins of Extism alone ask for it")
)]
struct Bounded {
    web: Arc<dyn Web>,
    hosts: Vec<String>,
}

#[async_trait]
impl Web for Bounded {
    async fn request(&self, asked: Asked, _: &[String]) -> Result<Answer> {
        self.web.request(asked, &self.hosts).await
    }
}
