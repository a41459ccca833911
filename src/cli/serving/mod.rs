//! The servers: `mitt mcp` and `mitt serve`, with their options, logs and traces; and `mitt token`.

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

use super::args::{Global, ServingCommand};
use super::output::Output;

pub(super) async fn run(
    global: &Global,
    command: ServingCommand,
    output: &Output,
) -> Result<ExitCode> {
    match command {
        ServingCommand::Mcp(command) => mcp::mcp(global, &command).await,
        ServingCommand::Serve(command) => serve::serve(global, command).await,
        ServingCommand::Token(command) => serve::token(&command, output),
    }
}
