//! `mitt serve` and `mitt token`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::super::{duration, size};
use super::serving::Serving;

/// `mitt serve`
#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    /// Address and port to listen on; whatever is not loopback needs `--tokens`
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:6488")]
    pub(crate) listen: SocketAddr,
    /// File with the tokens of clients (YAML or JSON; `mitt token` makes lines of it). Read again when it changes and on
    /// SIGHUP; sessions and calls of tokens that are gone end
    #[arg(long, value_name = "FILE")]
    pub(crate) tokens: Option<PathBuf>,
    /// A name that requests may have in `Host`, beside `localhost` and addresses. May be given several times
    #[arg(long = "allow-host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// An origin whose web pages may use the server, such as `https://app.example.org`. May be given several times
    #[arg(long = "allow-origin", value_name = "ORIGIN")]
    pub(crate) origins: Vec<String>,
    /// Most open connections
    #[arg(long, value_name = "NUMBER", default_value_t = 512)]
    pub(crate) max_connections: usize,
    /// Most sessions of all clients
    #[arg(long, value_name = "NUMBER", default_value_t = 256)]
    pub(crate) max_sessions: usize,
    /// Most sessions of one tenant
    #[arg(long, value_name = "NUMBER", default_value_t = 128)]
    pub(crate) max_sessions_per_tenant: usize,
    /// Most sessions of one client
    #[arg(long, value_name = "NUMBER", default_value_t = 64)]
    pub(crate) max_sessions_per_client: usize,
    /// Largest body of a request
    #[arg(long, value_name = "SIZE", default_value = "4MiB", value_parser = size)]
    pub(crate) max_body: u64,
    /// End sessions in which nothing happened for so long
    #[arg(long, value_name = "DURATION", default_value = "30m", value_parser = duration)]
    pub(crate) session_idle: Duration,
    /// What running calls get to end in when the server is stopped
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    pub(crate) grace: Duration,
    #[command(flatten)]
    pub(crate) serving: Serving,
}

/// `mitt token`
#[derive(Debug, clap::Args)]
pub(crate) struct MakeToken {
    /// Whose token it is
    #[arg(value_name = "TENANT")]
    pub(crate) tenant: String,
}
