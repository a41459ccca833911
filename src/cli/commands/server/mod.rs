//! The commands that serve agents: `mitt mcp`, `mitt serve`, `mitt token`.

mod mcp;
mod serve;
mod serving;
mod telemetry;

use std::process::ExitCode;

use crate::args::Global;
use crate::args::server::ServerCommand;
use crate::output::Output;
use mitt_base::Result;

/// Serve, until somebody ends it; or make a token.
pub(crate) async fn server(
    global: &Global,
    command: ServerCommand,
    output: &Output,
) -> Result<ExitCode> {
    match command {
        ServerCommand::Mcp(command) => mcp::mcp(global, &command).await,
        ServerCommand::Serve(command) => serve::serve(global, command).await,
        ServerCommand::Token(command) => serve::token(&command, output),
    }
}
