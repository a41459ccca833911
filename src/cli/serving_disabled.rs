//! This build has no servers.

use std::process::ExitCode;

use mitt_base::Result;

use super::args::{Global, ServingCommand};
use super::output::Output;

pub(super) async fn run(_: &Global, command: ServingCommand, _: &Output) -> Result<ExitCode> {
    match command {}
}
