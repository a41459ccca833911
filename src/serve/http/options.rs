//! How the server is opened to the world: what its operator says.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::limits::HttpLimits;

/// How an [`HttpServer`](super::HttpServer) is opened to the world.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Where to listen. Default `127.0.0.1:6488`.
    pub listen: SocketAddr,
    /// File of tokens; see the README. Needed where `listen` is not loopback. Default none: whoever reaches the port is the
    /// one client `local`.
    pub tokens: Option<PathBuf>,
    /// Names, beside `localhost` and addresses, that a request's `Host` may have. Default none.
    pub hosts: Vec<String>,
    /// Origins of web pages that may use the server. Default none; programs of this machine need none.
    pub origins: Vec<String>,
    /// Where browsers reach the server, such as `https://mcp.example.org`: links to files begin with it. Needed behind a proxy
    /// that speaks TLS. Default none: `http://` and the `Host` of the client's request.
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
