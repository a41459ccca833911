//! Limits that were reached: the resource, the limit, and the amount that was requested.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A limit that was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// The resource; it gives the unit.
    pub what: Resource,
    /// The most that is allowed.
    pub limit: u64,
    /// The amount that was used or would have been used.
    pub used: u64,
}

impl Limit {
    /// Makes a limit of `limit` on `what`, with `used` as the amount that was requested.
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
    /// Wall-clock time of a call, including host functions; milliseconds.
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
    /// Captured output and log messages together; bytes.
    Output,
    /// Bytes that one call hands from the guest to the host.
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
    /// Time for reading a document and the files nested in it; milliseconds.
    PartsTime,
    /// Fuel for reading a document and the files nested in it; units of fuel.
    PartsFuel,
    /// Size of all files nested in a document together, unpacked; bytes.
    PartsSize,
    /// Files nested in a document at any depth.
    PartsFiles,
    /// Turns of a model in one run.
    ModelTurns,
    /// Calls that a model requests in one run.
    ModelCalls,
    /// Tokens of one run, of requests and answers together.
    ModelTokens,
    /// Price of one run at the model's service; millionths of a dollar.
    ModelCost,
    /// Wall-clock time of one run; milliseconds.
    ModelTime,
    /// Wall-clock time of a whole session; milliseconds.
    SessionTime,
    /// Memory of one call on the host's side, including its stores and those of nested calls; bytes.
    CallMemory,
    /// Memory of one session; bytes.
    SessionMemory,
    /// Memory of all sessions of a tenant; bytes.
    TenantMemory,
    /// Memory of all tenants; bytes.
    HostMemory,
    /// Memory that one message of a client takes while it is read; bytes.
    Message,
}

impl Resource {
    /// Returns the name in messages and JSON.
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
            Resource::PartsTime => "parts-time",
            Resource::PartsFuel => "parts-fuel",
            Resource::PartsSize => "parts-size",
            Resource::PartsFiles => "parts-files",
            Resource::ModelTurns => "model-turns",
            Resource::ModelCalls => "model-calls",
            Resource::ModelTokens => "model-tokens",
            Resource::ModelCost => "model-cost",
            Resource::ModelTime => "model-time",
            Resource::SessionTime => "session-time",
            Resource::CallMemory => "call-memory",
            Resource::SessionMemory => "session-memory",
            Resource::TenantMemory => "tenant-memory",
            Resource::HostMemory => "host-memory",
            Resource::Message => "message",
        }
    }

    /// Returns advice that a model can follow, if there is any. That for documents is
    /// [`Remedy::DocumentSize`](super::Remedy::DocumentSize).
    pub(super) fn hint(self) -> Option<&'static str> {
        Some(match self {
            Resource::Time | Resource::Fuel | Resource::Memory => {
                "do less in one call, such as fewer rows of a table or a smaller part of a file; a call cannot raise the limit"
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
            Resource::PartsTime
            | Resource::PartsFuel
            | Resource::PartsSize
            | Resource::PartsFiles => {
                "unpack it, and give the files that matter one by one; the operator can raise the limit"
            }
            Resource::CallMemory => {
                "do less in one call, such as fewer rows of a table or a smaller part of a file; a call cannot raise the limit"
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

    /// Returns the unit.
    pub fn unit(self) -> &'static str {
        match self {
            Resource::Time | Resource::SessionTime | Resource::ModelTime | Resource::PartsTime => {
                "ms"
            }
            Resource::Fuel | Resource::PartsFuel => "units",
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
            | Resource::PartsSize
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
            Resource::ToolCalls | Resource::ModelCalls => "calls",
            Resource::ArtifactFiles | Resource::WorkspaceFiles | Resource::PartsFiles => "files",
            Resource::ModelTurns => "turns",
            Resource::ModelTokens => "tokens",
            Resource::ModelCost => "millionths of a dollar",
        }
    }
}
