//! The servers of a file: `{"mcpServers": {"<name>": {…}}}`, as Claude, Cursor and others write it.
//!
//! Starts nothing and reads no variable: `${NAME}` stays in the text until a server is started.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use mitt_base::{Error, ErrorKind, Remedy, Result, text};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::name::is_name;

/// Largest file, in bytes.
pub const MAX_CONFIG_BYTES: u64 = 256 * 1024;

/// Most servers of one file.
pub const MAX_SERVERS: usize = 32;

/// Most problems that one error lists.
const MAX_PROBLEMS: usize = 20;

/// Default time until a server has introduced itself.
const DEFAULT_START_TIMEOUT: Duration = Duration::from_secs(60);

/// Default time of a call.
const DEFAULT_CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// Keys of other programs that are ignored here, because other settings decide what they ask for.
const FOREIGN: [&str; 6] =
    ["disabled", "alwaysAllow", "icon", "metadata", "sse-endpoint", "version"];

/// How to reach a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// A program that is started, and that speaks over its standard input and output.
    Stdio {
        /// The program, looked up in `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its environment, in addition to the few variables that every program needs (`PATH`, `HOME` and the like). No
        /// others are passed on.
        env: BTreeMap<String, String>,
        /// Its working folder; `None` for that of Mitt.
        folder: Option<String>,
    },
    /// Streamable HTTP.
    Http {
        /// `https`, or `http` on this machine.
        url: String,
        /// Headers of each request, such as `Authorization`.
        headers: BTreeMap<String, String>,
    },
}

/// A server as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Server {
    /// Lower-case words joined by `-`.
    pub name: String,
    /// `true` if the file says `"enabled": true`. Otherwise the server is not used.
    pub enabled: bool,
    /// How to reach it.
    pub transport: Transport,
    /// Its purpose, in the words of the file.
    pub description: Option<String>,
    /// The tools to offer, by the server's names; `None` for all.
    pub tools: Option<Vec<String>>,
    /// The only agents that get its tools; `None` for every agent and for sessions without one.
    pub agents: Option<Vec<String>>,
    /// The tools whose calls need no approval each, by the server's names; `*` stands for all.
    pub auto_approve: Vec<String>,
    /// Longest time to start. Default 60 s.
    pub start: Duration,
    /// Longest time of a call. Default 60 s.
    pub call: Duration,
    /// The program that starts its program; see [`Servers::supervised`].
    pub supervisor: Option<PathBuf>,
}

/// The servers of one or several files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Servers {
    list: Vec<Server>,
    warnings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wire {
    #[serde(rename = "type")]
    kind: Option<String>,
    enabled: Option<bool>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<String>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    description: Option<String>,
    tools: Option<Vec<String>>,
    agents: Option<Vec<String>>,
    #[serde(default)]
    auto_approve: Vec<String>,
    /// In seconds.
    startup_timeout: Option<u64>,
    /// In seconds.
    timeout: Option<u64>,
}

impl Servers {
    /// Parses the servers of a file. Errors call it `file`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the text is not JSON of this form; the error lists all problems.
    pub fn parse(text: &str, file: &str) -> Result<Servers> {
        let error = |problems: Vec<String>| {
            let more = problems.len().saturating_sub(MAX_PROBLEMS);
            let mut lines: Vec<_> = problems.into_iter().take(MAX_PROBLEMS).collect();
            if more > 0 {
                lines.push(format!("and {more} more"));
            }
            let message = format!("{file}: {}", lines.join("\n"));
            Error::new(ErrorKind::Input, message).hint(
                "such as `{\"mcpServers\": {\"notes\": {\"enabled\": true, \"command\": \"notes-server\"}}}`",
            )
        };
        if text.len() as u64 > MAX_CONFIG_BYTES {
            return Err(error(vec![format!(
                "expected at most {MAX_CONFIG_BYTES} bytes, got more"
            )]));
        }
        let parsed: Value = serde_json::from_str(text)
            .map_err(|problem| error(vec![text::single_line(&problem.to_string())]))?;
        let Some(named) = parsed.get("mcpServers").and_then(Value::as_object) else {
            return Err(error(vec!["expected an object with `mcpServers`".to_owned()]));
        };
        if named.len() > MAX_SERVERS {
            let got = named.len();
            return Err(error(vec![format!("expected at most {MAX_SERVERS} servers, got {got}")]));
        }
        let (mut servers, mut problems) = (Servers::default(), Vec::new());
        for (name, value) in named {
            match server(name, value, &mut servers.warnings) {
                Ok(server) => servers.list.push(server),
                Err(problem) => {
                    let name = text::one_line(text::cut_bytes(name, 64));
                    problems.push(format!("mcpServers.{name}: {problem}"));
                }
            }
        }
        if problems.is_empty() { Ok(servers) } else { Err(error(problems)) }
    }

    /// Adds the servers of `later`, which win: a server of the same name or with the same address replaces the earlier one.
    #[must_use]
    pub fn merged(mut self, later: Servers) -> Servers {
        for server in later.list {
            let is_same = |it: &Server| it.name == server.name || it.has_address_of(&server);
            match self.list.iter_mut().find(|it| is_same(it)) {
                Some(earlier) => *earlier = server,
                None => self.list.push(server),
            }
        }
        self.warnings.extend(later.warnings);
        self
    }

    /// Starts the programs of these servers through `supervisor`, a program that calls [`supervise`](crate::supervise) at
    /// the start of its `main` if [`is_supervisor`](crate::is_supervisor) returns `true`. On Linux it ends everything that a
    /// server's program has started, also in sessions of its own, and also if this process is killed. Other systems do not
    /// use it: there, a process that leaves its group outlives the server.
    #[must_use]
    pub fn supervised(mut self, supervisor: impl Into<PathBuf>) -> Servers {
        let supervisor = supervisor.into();
        for server in &mut self.list {
            server.supervisor = Some(supervisor.clone());
        }
        self
    }

    /// Returns all servers, enabled or not, in the order of the files.
    pub fn iter(&self) -> impl Iterator<Item = &Server> {
        self.list.iter()
    }

    /// Returns the server of this name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there is no such server; the hint names the nearest.
    pub fn named(&self, name: &str) -> Result<&Server> {
        self.list.iter().find(|server| server.name == name).ok_or_else(|| {
            let error = Error::new(ErrorKind::Input, format!("no MCP server `{name}`"));
            let names = self.list.iter().map(|server| server.name.as_str());
            match text::nearest(name, names).first() {
                Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
                None => error.remedy(Remedy::SourceFile),
            }
        })
    }

    /// Returns warnings about the files.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Server {
    fn has_address_of(&self, other: &Server) -> bool {
        match (&self.transport, &other.transport) {
            (Transport::Http { url, .. }, Transport::Http { url: of_other, .. }) => url == of_other,
            _ => false,
        }
    }

    /// Returns what identifies the program or service. It contains no secrets, because these may change without making it
    /// another server.
    pub(crate) fn identity(&self) -> String {
        let identity = match &self.transport {
            Transport::Stdio { command, args, folder, .. } => {
                serde_json::json!(["stdio", command, args, folder])
            }
            Transport::Http { url, .. } => serde_json::json!(["http", url]),
        };
        mitt_base::digest::sha256(identity.to_string().as_bytes())
    }

    /// Returns `true` if calls of this tool need no approval each.
    pub(crate) fn approves(&self, tool: &str) -> bool {
        self.auto_approve.iter().any(|name| name == "*" || name == tool)
    }

    /// Returns `true` if this tool is to be offered.
    pub(crate) fn offers(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.iter().any(|name| name == tool))
    }
}

/// Parses the server of an entry, or returns what is wrong with it.
fn server(name: &str, value: &Value, warnings: &mut Vec<String>) -> Result<Server, String> {
    if !is_name(name) {
        return Err("expected a name of lower-case words joined by `-`, of at most 32 characters"
            .to_owned());
    }
    let mut known: Map<String, Value> = value.as_object().cloned().ok_or("expected an object")?;
    let is_disabled = known.get("disabled") == Some(&Value::Bool(true));
    let has_sse = known.get("sse-endpoint").is_some() || known.get("type") == Some(&"sse".into());
    for key in FOREIGN {
        if known.remove(key).is_some() && !matches!(key, "disabled" | "sse-endpoint") {
            warnings.push(format!("MCP server `{name}`: `{key}` has no effect here"));
        }
    }
    if has_sse {
        warnings.push(format!(
            "MCP server `{name}`: servers over HTTP+SSE of 2024-11-05 are not supported; its address is asked by streamable HTTP"
        ));
        known.insert("type".to_owned(), "http".into());
    }
    let wire: Wire =
        serde_json::from_value(Value::Object(known)).map_err(|error| error.to_string())?;
    let transport = transport(&wire)?;
    let seconds = |given: Option<u64>, default: Duration, key: &str| match given {
        None => Ok(default),
        Some(seconds @ 1..=3600) => Ok(Duration::from_secs(seconds)),
        Some(other) => Err(format!("{key}: expected 1 to 3600 seconds, got {other}")),
    };
    Ok(Server {
        name: name.to_owned(),
        enabled: wire.enabled == Some(true) && !is_disabled,
        start: seconds(wire.startup_timeout, DEFAULT_START_TIMEOUT, "startupTimeout")?,
        call: seconds(wire.timeout, DEFAULT_CALL_TIMEOUT, "timeout")?,
        transport,
        description: wire.description,
        tools: wire.tools,
        agents: wire.agents,
        auto_approve: wire.auto_approve,
        supervisor: None,
    })
}

fn transport(wire: &Wire) -> Result<Transport, String> {
    let kind = wire.kind.as_deref();
    match (kind, &wire.command, &wire.url) {
        (None | Some("stdio"), Some(command), None) if !command.is_empty() => {
            Ok(Transport::Stdio {
                command: command.clone(),
                args: wire.args.clone(),
                env: wire.env.clone(),
                folder: wire.cwd.clone(),
            })
        }
        (None | Some("http" | "streamable-http" | "streamableHttp"), None, Some(url)) => {
            Ok(Transport::Http { url: url.clone(), headers: wire.headers.clone() })
        }
        (_, Some(_), Some(_)) => Err("expected either `command` or `url`, got both".to_owned()),
        (Some(kind @ ("stdio" | "http")), ..) => {
            let wanted = if kind == "stdio" { "command" } else { "url" };
            Err(format!("expected `{wanted}` for the type `{kind}`"))
        }
        (Some(kind), ..) => {
            Err(format!("expected the type `stdio` or `http`, got `{}`", text::shortened(kind, 40)))
        }
        (None, ..) => Err("expected `command` (a program) or `url` (an address)".to_owned()),
    }
}
