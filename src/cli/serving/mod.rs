//! The servers: `mitt mcp`, `mitt serve` and `mitt open`, with their options, logs and traces; and `mitt token`.

#[cfg(feature = "service")]
mod managed_models;
mod mcp;
#[cfg(feature = "service")]
mod open;
#[cfg(feature = "service")]
mod operator_models;
mod serve;
#[cfg(feature = "service")]
mod service;
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
        ServingCommand::Serve(command) => serve::serve(global, *command).await,
        #[cfg(feature = "service")]
        ServingCommand::Open(command) => open::open(global, *command, output).await,
        ServingCommand::Token(command) => serve::token(&command, output),
    }
}
