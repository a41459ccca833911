//! The servers: `mitt mcp` and `mitt serve`, with their options, logs and traces; and `mitt token`.

mod args;
mod mcp;
mod serve;
mod start;
mod telemetry;
#[cfg(feature = "otel")]
mod traces;
#[cfg(not(feature = "otel"))]
#[path = "traces_disabled.rs"]
mod traces;

use std::process::ExitCode;

use mitt_base::Result;

use super::args::Global;
use super::output::Output;
use args::{MakeToken, Mcp, Serve};

/// The commands.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Serve an agent over standard input and output (MCP)
    Mcp(Mcp),
    /// Serve agents over HTTP (MCP), with health, readiness and metrics
    Serve(Serve),
    /// Make a token for a client of `mitt serve`: the token on standard output, its line of the file on standard error
    Token(MakeToken),
}

impl Command {
    /// Returns `true` if it serves clients until it is ended.
    pub(super) fn serves(&self) -> bool {
        !matches!(self, Command::Token(_))
    }
}

pub(super) async fn run(global: &Global, command: Command, output: &Output) -> Result<ExitCode> {
    match command {
        Command::Mcp(command) => mcp::mcp(global, &command).await,
        Command::Serve(command) => serve::serve(global, command).await,
        Command::Token(command) => serve::token(&command, output),
    }
}
