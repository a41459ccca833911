//! This build has no servers.

use std::process::ExitCode;

use mitt_base::Result;

use super::args::Global;
use super::output::Output;

/// No commands.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {}

impl Command {
    pub(super) fn serves(&self) -> bool {
        match *self {}
    }
}

pub(super) async fn run(_: &Global, command: Command, _: &Output) -> Result<ExitCode> {
    match command {}
}
