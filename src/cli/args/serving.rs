//! The arguments of `mitt mcp`, `mitt serve` and `mitt token`.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;
use std::time::Duration;

use super::{duration, size};
use crate::agent_args::tool_mode;
use mitt::offer::ToolMode;
use mitt_serve::mcp::{Images, ResourceLinks, Schemas};

/// The commands of servers.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ServingCommand {
    /// Serve an agent over standard input and output (MCP)
    Mcp(Mcp),
    /// Serve over HTTP: MCP, runs of agents, sandboxes and tools, with health, readiness and metrics
    Serve(Box<Serve>),
    /// Open Mitt's page in the browser: starts a server on this machine, for this user alone
    #[cfg(feature = "service")]
    Open(Box<Open>),
    /// Make a token for a client of `mitt serve`: the token on standard output, its line of the file on standard error
    Token(MakeToken),
}

impl ServingCommand {
    /// Returns `true` if it serves clients until it is ended.
    pub(crate) fn serves(&self) -> bool {
        !matches!(self, ServingCommand::Token(_))
    }
}

/// Options of every server.
#[derive(Debug, clap::Args)]
pub(crate) struct Serving {
    /// A document that every session has from its beginning. May be given several times
    #[arg(short, long = "doc", value_name = "FILE")]
    pub(crate) docs: Vec<PathBuf>,
    /// A folder whose files clients may read as documents by naming them (`documents__add` with `path`); without it they
    /// send contents. May be given several times
    #[arg(long = "folder", value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// Which tools clients see: `script` the one that runs Python and a line for each function, `all` every tool with its
    /// schema (ten times as many tokens in each request; for weak models and inspectors), `catalogue` one tool that opens a
    /// skill
    #[arg(long, value_name = "MODE", default_value = "script", value_parser = tool_mode)]
    pub(crate) tools: ToolMode,
    /// How the schemas of tools are written: `portable` for all clients, `strict` with every property required (OpenAI's
    /// strict mode), `exact` with every bound
    #[arg(long, value_name = "FORM", default_value = "portable", value_parser = schemas)]
    pub(crate) schemas: Schemas,
    /// When results link to resources, besides the files in their data: `auto` (not for clients that are known to break on
    /// them, such as LangChain), `always` or `never`
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = resource_links)]
    pub(crate) resource_links: ResourceLinks,
    /// When results show PNG files as pictures of at most 800 pixels and 64 kB: `auto` (for clients that are known to show
    /// them), `always` or `never`
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = images)]
    pub(crate) images: Images,
    /// Time after which a call becomes a task that the client polls, for clients that know tasks (MCP 2026-07-28)
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration)]
    pub(crate) task_after: Duration,
    /// Do not look for changes in the folders of skills
    #[arg(long)]
    pub(crate) no_watch: bool,
    /// Do not compile ahead what the skills need; a component is then compiled when a call first needs it
    #[arg(long)]
    pub(crate) no_warm: bool,
}

/// `mitt mcp`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  claude mcp add mitt -- mitt mcp\n  mitt mcp --folder ~/reports --out ~/results"
)]
pub(crate) struct Mcp {
    /// Where to write the files and the journal; no link [default: the folder `Mitt` in the user's documents]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Keep the files in memory; clients read them as resources, and they are gone when the client ends the server
    #[arg(long, conflicts_with = "out")]
    pub(crate) no_out: bool,
    /// The tenant whose skills the client sees, if overlays differ
    #[arg(long, value_name = "NAME")]
    pub(crate) tenant: Option<String>,
    /// Time that running calls have to end when the server is stopped
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration)]
    pub(crate) grace: Duration,
    #[command(flatten)]
    pub(crate) serving: Serving,
}

/// `mitt serve`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt serve\n  mitt serve --model ollama/qwen3\n  mitt serve --listen 0.0.0.0:6488 --tokens tokens.yaml"
)]
pub(crate) struct Serve {
    /// Address and port to listen on; an address that is not loopback needs `--tokens`
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:6488", value_parser = address)]
    pub(crate) listen: SocketAddr,
    /// File with the tokens of clients (YAML or JSON; `mitt token` makes lines of it). Read again when it changes and on
    /// SIGHUP; sessions and calls of tokens that are gone end
    #[arg(long, value_name = "FILE")]
    pub(crate) tokens: Option<PathBuf>,
    /// A name that requests may have in `Host`, beside `localhost` and addresses. May be given several times
    #[arg(long = "allow-host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Where browsers reach the server, such as `https://mcp.example.org`, for links to files [default: `http://` and the
    /// `Host` of the client's request]
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Where to write the files of all sessions: `<tenant>/<session>/` below it. Nothing is removed there [default: files are kept as long
    /// as their session is open or there are links to them]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Let all connections of a token have one session: for clients that connect anew for each call, such as LangChain's `get_tools`
    #[arg(long)]
    pub(crate) share_sessions: bool,
    /// How long links to files are good; `0s`, with `--no-service` only: none are made
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = link_life)]
    pub(crate) link_life: Duration,
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
    /// Most requests of one client at once
    #[arg(long, value_name = "NUMBER", default_value_t = 64)]
    pub(crate) max_requests_per_client: usize,
    /// Most open connections of one address; loopback is not counted
    #[arg(long, value_name = "NUMBER", default_value_t = 64)]
    pub(crate) max_connections_per_address: usize,
    /// Largest body of a request
    #[arg(long, value_name = "SIZE", default_value = "4MiB", value_parser = size)]
    pub(crate) max_body: u64,
    /// End sessions in which nothing happened for so long
    #[arg(long, value_name = "DURATION", default_value = "30m", value_parser = duration)]
    pub(crate) session_idle: Duration,
    /// What running calls get to end in when the server is stopped
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    pub(crate) grace: Duration,
    /// `true` for `mitt open`.
    #[cfg(feature = "service")]
    #[arg(skip)]
    pub(crate) is_open: bool,
    #[cfg(feature = "service")]
    #[command(flatten)]
    pub(crate) service: ServiceArgs,
    #[command(flatten)]
    pub(crate) serving: Serving,
}

/// `mitt open`
#[cfg(feature = "service")]
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mitt open\n  mitt open --model ollama/qwen3")]
pub(crate) struct Open {
    /// Port to listen on, on 127.0.0.1; `0` for any that is free [default: 6488, or any if it is in use]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Print the link instead of starting a browser
    #[arg(long)]
    pub(crate) no_browser: bool,
    #[command(flatten)]
    pub(crate) service: ServiceArgs,
    #[command(flatten)]
    pub(crate) serving: Serving,
}

/// The options of `mitt serve`, for a server that another command starts.
#[cfg(feature = "service")]
#[derive(Debug, clap::Parser)]
struct ServeDefaults {
    #[command(flatten)]
    serve: Serve,
}

#[cfg(feature = "service")]
impl Serve {
    /// Returns the defaults of `mitt serve`.
    pub(crate) fn defaults() -> Serve {
        <ServeDefaults as clap::Parser>::parse_from(["mitt"]).serve
    }
}

/// Options of runs, sandboxes and tools over HTTP.
#[cfg(feature = "service")]
#[derive(Debug, clap::Args)]
pub(crate) struct ServiceArgs {
    /// A model that clients may name, as `MODEL` or `NAME=MODEL`, such as `ollama/qwen3` or `fast=openai/gpt-5-mini`. The first one is the
    /// default. Its key stays on the server. May be given several times [default: the model of the settings]
    #[arg(short, long = "model", value_name = "[NAME=]MODEL")]
    pub(crate) models: Vec<String>,
    /// Let models give work to agents: those of this folder, a file `<name>.md` each, and those that come with this version; `built-in` for
    /// these alone. May be given several times
    #[arg(long, value_name = "FOLDER")]
    pub(crate) agents: Vec<PathBuf>,
    /// Where runs, sandboxes and uploaded files are kept; one server at a time [default: MITT_SERVICE_STATE, else `service` in the folder of the user's
    /// state]
    #[arg(long, value_name = "FOLDER", conflicts_with = "no_service")]
    pub(crate) state: Option<PathBuf>,
    /// Keep runs, sandboxes and uploaded files in a PostgreSQL database that servers on several machines share, as
    /// `postgres://user:password@host/database`, or in NATS JetStream, as `nats://user:password@host:4222,host2:4222?replicas=3`; with a
    /// password rather by the variable, as others can see the arguments of a process [default: MITT_CLUSTER_URL, else the folder of --state]
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "ADDRESS", conflicts_with = "no_service")]
    pub(crate) cluster: Option<String>,
    /// Keep the content of files above 256 KiB in a bucket of S3 or a server with its interface, as `s3://bucket/prefix`, or in a folder
    /// that all servers of --cluster mount, as `file:///folder`. Key, region and server are those of AWS_ACCESS_KEY_ID,
    /// AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL_S3 [default: MITT_BLOBS, else the database]
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "ADDRESS", conflicts_with = "no_service")]
    pub(crate) blobs: Option<String>,
    /// What this server does of what servers with --cluster share: answer requests (`front`), work on runs (`worker`), or both
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "ROLE", default_value = "both", value_parser = role)]
    pub(crate) role: mitt_service::Role,
    /// Most runs that work at the same time; others wait
    #[arg(long, value_name = "NUMBER", default_value_t = 16, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub(crate) max_runs: usize,
    /// Largest uploaded file
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = size)]
    pub(crate) max_upload: u64,
    /// Serve MCP alone, without runs, sandboxes and tools over HTTP
    #[arg(long)]
    pub(crate) no_service: bool,
}

/// Parses an address with a port, or a name such as `localhost` that this machine can resolve; IPv4 is preferred.
fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let known: Vec<SocketAddr> = text
        .to_socket_addrs()
        .map_err(|error| {
            format!("expected an address and a port, such as `127.0.0.1:6488` or `localhost:6488`: {error}")
        })?
        .collect();
    let first = known.iter().find(|address| address.is_ipv4()).or(known.first());
    first.copied().ok_or_else(|| "this name has no address".to_owned())
}

/// `mitt token`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mitt token alice")]
pub(crate) struct MakeToken {
    /// Whose token it is
    #[arg(value_name = "TENANT")]
    pub(crate) tenant: String,
}

#[cfg(feature = "cluster")]
fn role(text: &str) -> Result<mitt_service::Role, String> {
    match text {
        "both" => Ok(mitt_service::Role::Both),
        "front" => Ok(mitt_service::Role::Front),
        "worker" => Ok(mitt_service::Role::Worker),
        _ => Err("expected `both`, `front` or `worker`".to_owned()),
    }
}

fn schemas(text: &str) -> Result<Schemas, String> {
    match text {
        "portable" => Ok(Schemas::Portable),
        "strict" => Ok(Schemas::Strict),
        "exact" => Ok(Schemas::Exact),
        _ => Err("expected `portable`, `strict` or `exact`".to_owned()),
    }
}

fn resource_links(text: &str) -> Result<ResourceLinks, String> {
    match text {
        "auto" => Ok(ResourceLinks::Auto),
        "always" => Ok(ResourceLinks::Always),
        "never" => Ok(ResourceLinks::Never),
        _ => Err("expected `auto`, `always` or `never`".to_owned()),
    }
}

fn images(text: &str) -> Result<Images, String> {
    match text {
        "auto" => Ok(Images::Auto),
        "always" => Ok(Images::Always),
        "never" => Ok(Images::Never),
        _ => Err("expected `auto`, `always` or `never`".to_owned()),
    }
}

/// Parses a duration, which may be zero.
fn link_life(text: &str) -> Result<Duration, String> {
    match text {
        "0" | "0s" => Ok(Duration::ZERO),
        _ => duration(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_listens_on_addresses_and_names() {
        for (text, expected) in [("127.0.0.1:1", "127.0.0.1:1"), ("[::1]:2", "[::1]:2")] {
            assert_eq!(address(text).unwrap(), expected.parse().unwrap());
        }
        let local = address("localhost:6488").unwrap();
        assert!(local.ip().is_loopback() && local.port() == 6488, "{local}");
        for wrong in ["localhost", "6488", "localhost:x", ""] {
            assert!(address(wrong).unwrap_err().contains("localhost:6488"), "{wrong}");
        }
    }

    #[cfg(feature = "service")]
    #[test]
    fn another_command_starts_a_server_with_the_defaults() {
        let serve = Serve::defaults();
        assert!(serve.listen.ip().is_loopback() && serve.tokens.is_none());
    }
}
