//! How a server works, who its clients are, and who is told of their calls: plain data that the operator gives.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mitt::offer::ToolMode;

/// Most sessions at once.
const MAX_SESSIONS: usize = 256;
/// Most sessions of one tenant.
const MAX_SESSIONS_OF_TENANT: usize = 128;
/// Most sessions of one client.
const MAX_SESSIONS_OF_CLIENT: usize = 64;
/// How long links to files are good.
const LINK_LIFE: Duration = Duration::from_secs(60 * 60);
/// After how long a session that nobody uses is dropped.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// After how long a call becomes a task. Claude Code takes every task for work in the background and ends its turn without the result.
const TASK_AFTER: Duration = Duration::from_secs(30);

/// How a [`Server`](super::Server) works. The default: no documents, no folders, everything in memory.
#[derive(Clone)]
pub struct ServerOptions {
    /// Files that every session has as documents from its beginning. Default none.
    pub documents: Vec<PathBuf>,
    /// Folders below which clients may name files to be read as documents. Default none: clients send contents.
    pub folders: Vec<PathBuf>,
    /// Where artifacts and the journal are written. For a server of one client only. Default none: in memory.
    pub folder: Option<PathBuf>,
    /// Where the files of all sessions are written, for a server of many clients: below a folder for each tenant, each session that delivers
    /// a file has a folder of its own. Nothing in it is ever removed. Default none: files are in memory as long as their session is open,
    /// and after its end in a temporary folder as long as there are links to them.
    pub files: Option<PathBuf>,
    /// Whether the connections of a client that has an id share one session, as its requests of 2026-07-28 do. Default no: each
    /// connection has a session of its own. For clients that connect anew for each call.
    pub shares_sessions: bool,
    /// Most sessions at once. Default 256. One more is refused as busy; no client's sessions make room for another's. A
    /// tenant with more than eight has at most as many as are free, so that a tenant without any finds a place.
    pub max_sessions: usize,
    /// Most sessions of one tenant, of all its clients together. Default 128.
    pub max_sessions_per_tenant: usize,
    /// Most sessions of one client that has an id. Default 64. For one more, that of its own which it used longest ago makes
    /// room, if it is idle and a request without a connection opened it; otherwise it is refused as busy.
    pub max_sessions_per_client: usize,
    /// After how long a session that requests without a connection share is dropped when nobody uses it. Default 30 min.
    pub idle: Duration,
    /// Which tools clients are shown. Default [`ToolMode::All`].
    pub tools: ToolMode,
    /// How the schemas of tools are written. Default [`Schemas::Portable`].
    pub schemas: Schemas,
    /// Whether results carry links to resources. Default [`ResourceLinks::Auto`].
    pub resource_links: ResourceLinks,
    /// Whether results show PNG files as pictures. Default [`Images::Auto`].
    pub images: Images,
    /// How long the links are good by which a browser gets a file over HTTP. Default 1 h; zero: there are none.
    pub link_life: Duration,
    /// After how long a call becomes a task, for clients of 2026-07-28 that know tasks. Default 30 s. `documents__add` never does: the
    /// model needs the document for its next step.
    pub task_after: Duration,
    /// Told of every call that ended. Default none.
    pub observer: Option<Observer>,
}

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions {
            documents: Vec::new(),
            folders: Vec::new(),
            folder: None,
            files: None,
            shares_sessions: false,
            max_sessions: MAX_SESSIONS,
            max_sessions_per_tenant: MAX_SESSIONS_OF_TENANT,
            max_sessions_per_client: MAX_SESSIONS_OF_CLIENT,
            idle: IDLE,
            tools: ToolMode::All,
            schemas: Schemas::default(),
            resource_links: ResourceLinks::default(),
            images: Images::default(),
            link_life: LINK_LIFE,
            task_after: TASK_AFTER,
            observer: None,
        }
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("documents", &self.documents)
            .field("folders", &self.folders)
            .field("folder", &self.folder)
            .field("files", &self.files)
            .field("shares_sessions", &self.shares_sessions)
            .field("max_sessions", &self.max_sessions)
            .field("max_sessions_per_tenant", &self.max_sessions_per_tenant)
            .field("max_sessions_per_client", &self.max_sessions_per_client)
            .field("idle", &self.idle)
            .field("schemas", &self.schemas)
            .field("resource_links", &self.resource_links)
            .field("images", &self.images)
            .field("link_life", &self.link_life)
            .field("task_after", &self.task_after)
            .finish_non_exhaustive()
    }
}

/// How the schemas of tools are written. Whatever they say, a call is checked against the types of its tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schemas {
    /// As all clients can read them: [`Dialect::Portable`](mitt::schema::lower::Dialect::Portable).
    #[default]
    Portable,
    /// Arguments as OpenAI's strict mode wants them, with every property required and null for what may be left out:
    /// [`Dialect::OpenaiStrict`](mitt::schema::lower::Dialect::OpenaiStrict). Results as in `Portable`.
    Strict,
    /// All that is accepted and given, with every bound, in JSON Schema 2020-12.
    Exact,
}

/// Whether results carry links to resources beside their text and data, which name the same files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResourceLinks {
    /// Not for clients without a name of their own (`mcp`, which the Python SDK gives them), nor for others that are known to pass links on
    /// as text. LangChain is one of the first: its file blocks are refused by most chat models.
    #[default]
    Auto,
    /// For every client.
    Always,
    /// For none.
    Never,
}

/// Whether results show the PNG files that a call delivered as pictures of at most 800 pixels and 64 kB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Images {
    /// For clients that are known to show pictures or to hand them to the model as pictures. Others put the bytes into the next
    /// request as text.
    #[default]
    Auto,
    /// For every client.
    Always,
    /// For none.
    Never,
}

/// Who is on the other side, as the transport knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Client {
    /// Whose skills and places for calls it uses. Default `local`.
    pub tenant: Option<String>,
    /// Who it is, such as the id of a token; never the token. Requests of 2026-07-28 by the same client share one session.
    /// Default none: the connection is the client.
    pub id: Option<String>,
}

/// Called for every call that ended. Must return quickly.
pub type Observer = Arc<dyn Fn(&Observed<'_>) + Send + Sync>;

/// A call that ended, for whoever counts them.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Observed<'a> {
    /// The tool, as it was named; any text if there is no such tool.
    pub tool: &'a str,
    /// Whose call it was.
    pub tenant: &'a str,
    /// `ok`, `cancelled`, or the name of an [`ErrorKind`](mitt_base::ErrorKind).
    pub outcome: &'static str,
    /// From the request to the answer, waiting for a place included.
    pub duration: Duration,
    /// Fuel that all its attempts used; 0 for one that was cancelled.
    pub fuel: u64,
    /// Most memory at any time, in bytes; 0 for one that was cancelled.
    pub peak_memory_bytes: u64,
}
