//! Options of an HTTP server, set by its operator.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::limits::HttpLimits;

/// Options of an [`HttpServer`](super::HttpServer).
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address to listen on. Default `127.0.0.1:6488`.
    pub listen: SocketAddr,
    /// File of tokens; see the README. Required if `listen` is not loopback. Default `None`: everybody who reaches the port
    /// is the one client `local`.
    pub tokens: Option<PathBuf>,
    /// Names that a request's `Host` may have, besides `localhost` and addresses. Default none.
    pub hosts: Vec<String>,
    /// Origins of web pages that may use the server. Default none; local programs need none.
    pub origins: Vec<String>,
    /// The address at which browsers reach the server, such as `https://mcp.example.org`, which is the prefix of links to
    /// files. Required behind a proxy that terminates TLS. Default `None`: `http://` and the `Host` of the client's request.
    pub public_url: Option<String>,
    /// Limits.
    pub limits: HttpLimits,
}

impl Default for HttpOptions {
    fn default() -> HttpOptions {
        HttpOptions {
            listen: SocketAddr::from(([127, 0, 0, 1], 6488)),
            tokens: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            public_url: None,
            limits: HttpLimits::default(),
        }
    }
}
