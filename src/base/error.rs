//! The one error type of the crate.
//!
//! Knows no other room: kinds are plain data, and what a lower layer reported is kept as text or as `source()`, never
//! as a public conversion from a private dependency.

mod parts;

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use parts::ErrorParts;

/// Result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call, a load or a rendering did not finish.
///
/// `Display` is one line. [`Error::render`] adds details, causes and hints, one line each. Both are safe to show to a
/// model or a client: they name documents, tools and skills, and a path only where the caller gave that path.
pub struct Error(Box<Inner>);

/// When to try again if others hold the memory: most calls take less time than this.
const MEMORY_RETRY: Duration = Duration::from_secs(2);

/// Ends what is said of a fault of the host itself.
const REPORT: &str = "this is a fault in mitt, please report it";

struct Inner {
    kind: ErrorKind,
    message: String,
    /// The message for a journal: without what was given.
    kept: Option<String>,
    details: Vec<String>,
    hints: Vec<String>,
    may_pass: bool,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// Class of an [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No tool of this name; the hints name the nearest.
    UnknownTool,
    /// The arguments of a call do not fit the tool's interface.
    Arguments,
    /// A capability or an action that was not granted.
    Denied,
    /// A limit was reached. It ends the store, and the guest cannot catch it. A call is tried again only after two of them:
    /// the time of one attempt of a tool that may be repeated, and memory that other sessions of the tenant hold.
    Limit(Limit),
    /// The plugin crashed. Ends the store.
    Trap,
    /// The plugin ran and reported an error of its own.
    Plugin,
    /// A document or file given by the user is missing, unreadable, damaged or of an unsupported type.
    Input,
    /// A manifest, a skill or a component cannot be loaded.
    Load,
    /// The model, or the recording that stands for one, failed.
    Model,
    /// A feature that this build does not have.
    Disabled(&'static str),
    /// A call waits for a decision: [`Session::resume`](mitt::Session::resume) goes on with it.
    Paused,
    /// Too many calls are running or waiting, and nothing was run; or the host's memory is in use, by others too.
    Busy {
        /// After how long a place may be free.
        retry_after: Duration,
    },
    /// The file system or the host itself failed.
    Host,
}

impl ErrorKind {
    /// What the program `mitt` exits with, so that a shell script can tell what went wrong:
    ///
    /// | code | meaning |
    /// |---|---|
    /// | 0 | done |
    /// | 1 | a tool or a script reported an error of its own; `skill check` or `inspect --strict` found something |
    /// | 2 | the command line is wrong |
    /// | 3 | an input is missing, unreadable, damaged or unsupported |
    /// | 4 | unknown tool, or arguments that do not fit it |
    /// | 5 | a capability that was not granted |
    /// | 6 | a limit was reached |
    /// | 7 | a plugin crashed |
    /// | 8 | a skill cannot be loaded, or this build lacks a feature |
    /// | 9 | the model failed |
    /// | 10 | too many calls are running or waiting; try again later |
    /// | 11 | a call waits for an approval |
    /// | 70 | the file system or the host itself failed |
    pub fn exit_code(&self) -> u8 {
        match self {
            ErrorKind::Plugin => 1,
            ErrorKind::Input => 3,
            ErrorKind::UnknownTool | ErrorKind::Arguments => 4,
            ErrorKind::Denied => 5,
            ErrorKind::Limit(_) => 6,
            ErrorKind::Trap => 7,
            ErrorKind::Load | ErrorKind::Disabled(_) => 8,
            ErrorKind::Model => 9,
            ErrorKind::Busy { .. } => 10,
            ErrorKind::Paused => 11,
            ErrorKind::Host => 70,
        }
    }

    /// Name of the class, as it appears in JSON and in the journal.
    pub fn name(&self) -> &'static str {
        match self {
            ErrorKind::UnknownTool => "unknown-tool",
            ErrorKind::Arguments => "arguments",
            ErrorKind::Denied => "denied",
            ErrorKind::Limit(_) => "limit",
            ErrorKind::Trap => "trap",
            ErrorKind::Plugin => "plugin",
            ErrorKind::Input => "input",
            ErrorKind::Load => "load",
            ErrorKind::Model => "model",
            ErrorKind::Disabled(_) => "disabled",
            ErrorKind::Paused => "paused",
            ErrorKind::Busy { .. } => "busy",
            ErrorKind::Host => "host",
        }
    }
}

/// A limit that was reached: what, how much was allowed, how much was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// The resource; it gives the unit.
    pub what: Resource,
    /// The most that is allowed.
    pub limit: u64,
    /// What was used or would have been used.
    pub used: u64,
}

impl Limit {
    /// A limit on `what` of `limit`, of which `used` were asked for.
    pub fn new(what: Resource, limit: u64, used: u64) -> Limit {
        Limit { what, limit, used }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = self.what.unit();
        write!(
            f,
            "{} limit of {} {unit} reached: {} {unit}",
            self.what.name(),
            self.limit,
            self.used
        )
    }
}

/// What a [`Limit`] bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Resource {
    /// Wall clock of a call, host functions included; milliseconds.
    Time,
    /// Fuel of a call; units of fuel, about one per instruction.
    Fuel,
    /// All linear memories of a store together; bytes.
    Memory,
    /// All tables of a store together; elements.
    TableElements,
    /// Core instances of a store.
    Instances,
    /// Linear memories of a store.
    Memories,
    /// Tables of a store.
    Tables,
    /// Resource handles of a store, or live ones of a session.
    Handles,
    /// Native stack of the guest; bytes.
    Stack,
    /// Captured output and log messages; bytes.
    Output,
    /// Bytes handed from the guest to the host by one call.
    Transfer,
    /// Size of a call's arguments; bytes.
    Arguments,
    /// Nesting of a call's arguments; levels.
    ArgumentsDepth,
    /// Tool calls by one script.
    ToolCalls,
    /// Calls within calls; levels.
    CallDepth,
    /// Size of one artifact; bytes.
    Artifact,
    /// Size of all artifacts of a session together; bytes.
    Artifacts,
    /// Artifacts of a session.
    ArtifactFiles,
    /// Size of the session's workspace; bytes.
    Workspace,
    /// Files in the session's workspace.
    WorkspaceFiles,
    /// Size of one input document; bytes.
    Document,
    /// Memory of all documents of a session together, as they are kept; bytes.
    Documents,
    /// Documents of a session.
    DocumentFiles,
    /// Turns of a model in one run.
    ModelTurns,
    /// Wall clock of a whole session; milliseconds.
    SessionTime,
    /// Memory of one call on the host's side, its stores and those of calls inside of it included; bytes.
    CallMemory,
    /// Memory of one session; bytes.
    SessionMemory,
    /// Memory of all sessions of a tenant; bytes.
    TenantMemory,
    /// Memory of all tenants; bytes.
    HostMemory,
    /// What is made of one message of a client while it is read; bytes.
    Message,
}

impl Resource {
    /// Its name in messages and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Resource::Time => "time",
            Resource::Fuel => "fuel",
            Resource::Memory => "memory",
            Resource::TableElements => "table-elements",
            Resource::Instances => "instances",
            Resource::Memories => "memories",
            Resource::Tables => "tables",
            Resource::Handles => "handles",
            Resource::Stack => "stack",
            Resource::Output => "output",
            Resource::Transfer => "transfer",
            Resource::Arguments => "arguments",
            Resource::ArgumentsDepth => "arguments-depth",
            Resource::ToolCalls => "tool-calls",
            Resource::CallDepth => "call-depth",
            Resource::Artifact => "artifact",
            Resource::Artifacts => "artifacts",
            Resource::ArtifactFiles => "artifact-files",
            Resource::Workspace => "workspace",
            Resource::WorkspaceFiles => "workspace-files",
            Resource::Document => "document",
            Resource::Documents => "documents",
            Resource::DocumentFiles => "document-files",
            Resource::ModelTurns => "model-turns",
            Resource::SessionTime => "session-time",
            Resource::CallMemory => "call-memory",
            Resource::SessionMemory => "session-memory",
            Resource::TenantMemory => "tenant-memory",
            Resource::HostMemory => "host-memory",
            Resource::Message => "message",
        }
    }

    /// What a model can do about it, where it can.
    fn hint(self) -> Option<&'static str> {
        Some(match self {
            Resource::Time | Resource::Fuel | Resource::Memory => {
                "do less in one call, such as fewer rows at a time; a call cannot raise the limit"
            }
            Resource::Arguments => "send less in one call, such as the rows in several parts",
            Resource::ArgumentsDepth => "nest arrays and objects less deeply",
            Resource::ToolCalls => {
                "make fewer calls, such as one for many rows instead of one for each"
            }
            Resource::Artifact => "write less into one file",
            Resource::Artifacts | Resource::ArtifactFiles => {
                "go on in a new session; what was delivered stays"
            }
            Resource::Workspace | Resource::WorkspaceFiles => {
                "remove files that are no longer needed"
            }
            Resource::Documents | Resource::DocumentFiles => {
                "go on in a new session with fewer documents, or give only the parts that are needed"
            }
            Resource::CallMemory => {
                "do less in one call, such as fewer rows at a time; a call cannot raise the limit"
            }
            Resource::SessionMemory => {
                "remove files of the workspace, keep fewer variables, or go on in a new session; its operator can raise the \
                 limit"
            }
            Resource::TenantMemory => {
                "end sessions that are no longer needed, or call again later; the operator can raise the limit"
            }
            Resource::Message => {
                "send less in one message, such as the rows in several parts, or a document by `documents__add`"
            }
            _ => return None,
        })
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Resource::Time | Resource::SessionTime => "ms",
            Resource::Fuel => "units",
            Resource::Memory
            | Resource::Stack
            | Resource::Output
            | Resource::Transfer
            | Resource::Arguments
            | Resource::Artifact
            | Resource::Artifacts
            | Resource::Workspace
            | Resource::Document
            | Resource::Documents
            | Resource::CallMemory
            | Resource::SessionMemory
            | Resource::TenantMemory
            | Resource::HostMemory
            | Resource::Message => "bytes",
            Resource::DocumentFiles => "documents",
            Resource::TableElements => "elements",
            Resource::Instances => "instances",
            Resource::Memories => "memories",
            Resource::Tables => "tables",
            Resource::Handles => "handles",
            Resource::ArgumentsDepth | Resource::CallDepth => "levels",
            Resource::ToolCalls => "calls",
            Resource::ArtifactFiles | Resource::WorkspaceFiles => "files",
            Resource::ModelTurns => "turns",
        }
    }
}

impl Error {
    /// An error of `kind` that says `message`: lower case, no final period, literals in backticks.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        let may_pass = match &kind {
            ErrorKind::Trap | ErrorKind::Busy { .. } => true,
            // Other sessions of the tenant may end.
            ErrorKind::Limit(limit) => {
                matches!(limit.what, Resource::Time | Resource::TenantMemory)
            }
            _ => false,
        };
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            kept: None,
            details: Vec::new(),
            hints: Vec::new(),
            may_pass,
            source: None,
        }))
    }

    /// A limit that was reached.
    #[cold]
    pub fn limit(what: Resource, limit: u64, used: u64) -> Error {
        Error::reached(Limit::new(what, limit, used))
    }

    /// A limit that was reached, as something below reported it.
    #[cold]
    pub fn reached(limit: Limit) -> Error {
        if limit.what == Resource::HostMemory {
            // The message has no numbers: they would show to one tenant what others use.
            return Error::new(
                ErrorKind::Busy { retry_after: MEMORY_RETRY },
                "the memory of the host is in use",
            )
            .hint("call again later; its operator can raise the limit `host-memory`");
        }
        let message = limit.to_string();
        let hint = limit.what.hint();
        let error = Error::new(ErrorKind::Limit(limit), message);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    /// A fault of the host itself, which no caller can have caused.
    #[cold]
    pub fn bug(message: impl fmt::Display) -> Error {
        Error::new(ErrorKind::Host, format!("{message}; {REPORT}"))
    }

    /// Whether it is a fault of the host itself, perhaps told by another process.
    pub fn is_bug(&self) -> bool {
        *self.kind() == ErrorKind::Host && self.0.message.ends_with(REPORT)
    }

    /// Say what a journal keeps of the message: nothing that a caller, a document or a plugin gave.
    #[must_use]
    pub fn kept_as(mut self, text: impl Into<String>) -> Error {
        self.0.kept = Some(text.into());
        self
    }

    /// The message without the values that were given, which may be personal data: place, expected type and length are
    /// told, the value is not. Of kinds that quote what was given, it is only the kind where nothing better is known.
    pub fn without_values(&self) -> &str {
        match (&self.0.kept, &self.0.kind) {
            (Some(kept), _) => kept,
            (None, ErrorKind::Arguments) => "the arguments do not fit",
            (None, ErrorKind::Plugin) => "the plugin reported an error",
            (None, ErrorKind::Trap) => "the plugin crashed",
            (None, ErrorKind::UnknownTool) => "there is no such tool",
            _ => &self.0.message,
        }
    }

    /// Add one of the several things that the message sums up.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Error {
        self.0.details.push(detail.into());
        self
    }

    /// Add what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.0.hints.push(hint.into());
        self
    }

    /// Add the cause. Its text must not be part of the message.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        self.0.source = Some(source.into());
        self
    }

    /// Say where it happened: `place: message`.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Error {
        self.0.message = format!("{place}: {}", self.0.message);
        if let Some(kept) = &mut self.0.kept {
            *kept = format!("{place}: {kept}");
        }
        self
    }

    /// Say whether the same call may succeed later.
    #[must_use]
    pub fn passing(mut self, may_pass: bool) -> Error {
        self.0.may_pass = may_pass;
        self
    }

    /// Whether the same call may succeed when it is made again later: the host was busy, the plugin crashed, an attempt
    /// took too long, or the plugin reported an error whose case says so, such as `unavailable`.
    pub fn may_pass(&self) -> bool {
        self.0.may_pass
    }

    /// Its class.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The limit that was reached, if that is what happened.
    pub fn limit_reached(&self) -> Option<&Limit> {
        match &self.0.kind {
            ErrorKind::Limit(limit) => Some(limit),
            _ => None,
        }
    }

    /// What the message sums up, one line each: the problems of a call's arguments if there are several.
    pub fn details(&self) -> &[String] {
        &self.0.details
    }

    /// What to do about it, one sentence each.
    pub fn hints(&self) -> &[String] {
        &self.0.hints
    }

    /// Message, details, causes and hints, one line each.
    pub fn render(&self) -> String {
        let mut text = self.0.message.clone();
        for detail in &self.0.details {
            text.push('\n');
            text.push_str(detail);
        }
        let mut cause = self.source();
        while let Some(error) = cause {
            let line = error.to_string();
            // Causes often repeat the text of what they wrap.
            if !text.contains(&line) {
                text.push_str("\n  cause: ");
                text.push_str(&line);
            }
            cause = error.source();
        }
        for hint in &self.0.hints {
            text.push_str("\nhint: ");
            text.push_str(hint);
        }
        text
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.kind, self.render())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
