//! The arguments of `mitt source`.

use clap::Subcommand;

use super::Json;

#[derive(Debug, Subcommand)]
pub(crate) enum SourceCommand {
    /// List the MCP servers of the files that `--mcp-config` names, and their approved tools; none is started
    List(Json),
    /// Start a server, show its tools' descriptions of themselves, and approve them as they are now
    Approve(SourceApprove),
    /// Take the approval of a server back
    Revoke(SourceRevoke),
}

impl SourceCommand {
    pub(super) fn wants_json(&self) -> bool {
        match self {
            SourceCommand::List(json) => json.json,
            SourceCommand::Approve(command) => command.json.json,
            SourceCommand::Revoke(command) => command.json.json,
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mitt source approve notes --mcp-config mcp.json")]
pub(crate) struct SourceApprove {
    /// Name of the server
    pub(crate) name: String,
    /// Do not ask; needed without a terminal
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SourceRevoke {
    /// Name of the server
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) json: Json,
}
