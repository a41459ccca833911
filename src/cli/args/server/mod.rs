//! The commands that serve agents.

mod serve;
mod serving;

use clap::Subcommand;

pub(crate) use serve::{MakeToken, Serve};
pub(crate) use serving::{Mcp, Serving};

/// What `mitt` serves with.
#[derive(Debug, Subcommand)]
pub(crate) enum ServerCommand {
    /// Serve an agent over standard input and output (MCP)
    Mcp(Mcp),
    /// Serve agents over HTTP (MCP), with health, readiness and metrics
    Serve(Serve),
    /// Make a token for a client of `mitt serve`: the token on standard output, its line of the file on standard error
    Token(MakeToken),
}

impl ServerCommand {
    /// Whether it runs until somebody ends it.
    pub(crate) fn serves(&self) -> bool {
        !matches!(self, ServerCommand::Token(_))
    }
}
