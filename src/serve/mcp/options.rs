//! Options of a server, its clients and its observer: plain data from the operator.

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
/// How long links to files are valid.
const DEFAULT_LINK_LIFE: Duration = Duration::from_secs(60 * 60);
/// Idle time after which a session is dropped.
const DEFAULT_IDLE_TIME: Duration = Duration::from_secs(30 * 60);

/// Time after which a call becomes a task. Claude Code treats every task as background work and ends its turn without the
/// result.
const DEFAULT_TASK_AFTER: Duration = Duration::from_secs(30);

/// Options of a [`Server`](super::Server). Default: no documents, no folders, everything in memory.
#[derive(Clone)]
pub struct ServerOptions {
    /// Files that every session has as documents from the beginning. Default none.
    pub documents: Vec<PathBuf>,
    /// Folders below which clients may name files to be read as documents. Default none: clients send contents.
    pub folders: Vec<PathBuf>,
    /// The folder for artifacts and the journal, for a server with one client only. Default `None`: in memory.
    pub folder: Option<PathBuf>,
    /// The folder for the files of all sessions, for a server with many clients. Below a folder for each tenant, each
    /// session that delivers a file gets its own folder. Nothing is ever removed. Default `None`: files are in memory as
    /// long as their session is open, and after its end in a temporary folder as long as there are links to them.
    pub files: Option<PathBuf>,
    /// `true` if the connections of a client with an id share one session, as its requests of 2026-07-28 do. Default
    /// `false`: each connection has its own session. For clients that connect anew for each call.
    pub shares_sessions: bool,
    /// Most sessions at once. Default 256. A further one is refused as busy; sessions of other clients are never ended to
    /// make room. A tenant with more than eight has at most as many as are free, so that a tenant without any finds a place.
    pub max_sessions: usize,
    /// Most sessions of all clients of one tenant. Default 128.
    pub max_sessions_per_tenant: usize,
    /// Most sessions of one client with an id. Default 64. For a further one, the client's least recently used session is
    /// ended if it is idle and was opened by a request without a connection; otherwise the new one is refused as busy.
    pub max_sessions_per_client: usize,
    /// Idle time after which a session shared by requests without a connection is dropped. Default 30 min.
    pub idle: Duration,
    /// Which tools are listed for clients. Default [`ToolMode::All`].
    pub tools: ToolMode,
    /// The form of the tools' schemas. Default [`Schemas::Portable`].
    pub schemas: Schemas,
    /// Which clients get links to resources. Default [`ResourceLinks::Auto`].
    pub resource_links: ResourceLinks,
    /// Which clients get PNG files as pictures. Default [`Images::Auto`].
    pub images: Images,
    /// How long links with which a browser gets a file over HTTP are valid. Default 1 h; zero disables links.
    pub link_life: Duration,
    /// Time after which a call becomes a task, for clients of 2026-07-28 that support tasks. Default 30 s. `documents__add`
    /// never does, because the model needs the document for its next step.
    pub task_after: Duration,
    /// Called for every call that ended. Default `None`.
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
            idle: DEFAULT_IDLE_TIME,
            tools: ToolMode::All,
            schemas: Schemas::default(),
            resource_links: ResourceLinks::default(),
            images: Images::default(),
            link_life: DEFAULT_LINK_LIFE,
            task_after: DEFAULT_TASK_AFTER,
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

/// The form of the tools' schemas. In every form, calls are checked against the types of the tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schemas {
    /// A form that all clients can read: [`Dialect::Portable`](mitt::schema::lower::Dialect::Portable).
    #[default]
    Portable,
    /// Arguments for OpenAI's strict mode, with every property required and null for optional ones:
    /// [`Dialect::OpenaiStrict`](mitt::schema::lower::Dialect::OpenaiStrict). Results as in `Portable`.
    Strict,
    /// The exact schemas with every bound, in JSON Schema 2020-12.
    Exact,
}

/// Which clients get links to resources, besides the text and the data, which name the same files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResourceLinks {
    /// All clients except those without their own name (`mcp`, from the Python SDK) and others that are known to pass links
    /// on as text. LangChain is one of the former; most chat models refuse its file blocks.
    #[default]
    Auto,
    /// All clients.
    Always,
    /// No client.
    Never,
}

/// Which clients get the PNG files of a call as pictures of at most 800 pixels and 64 kB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Images {
    /// Clients that are known to display pictures or to pass them to the model as pictures. Others put the bytes into the
    /// next request as text.
    #[default]
    Auto,
    /// All clients.
    Always,
    /// No client.
    Never,
}

/// The client as the transport knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Client {
    /// The tenant whose skills and places it uses. Default `local`.
    pub tenant: Option<String>,
    /// The identity of the client, such as the id of a token (never the token). Requests of 2026-07-28 by the same client
    /// share one session. Default `None`: the connection is the client.
    pub id: Option<String>,
}

/// Called for every call that ended. Must return quickly.
pub type Observer = Arc<dyn Fn(&Observed<'_>) + Send + Sync>;

/// A call that ended, for an observer.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Observed<'a> {
    /// The tool as the client named it; any text if there is no such tool.
    pub tool: &'a str,
    /// The tenant of the call.
    pub tenant: &'a str,
    /// `ok`, `cancelled`, or the name of an [`ErrorKind`](mitt_base::ErrorKind).
    pub outcome: &'static str,
    /// Time from the request to the answer, including the wait for a place.
    pub duration: Duration,
    /// Fuel of all its attempts; 0 if it was cancelled.
    pub fuel: u64,
    /// Peak memory in bytes; 0 if it was cancelled.
    pub peak_memory_bytes: u64,
}
