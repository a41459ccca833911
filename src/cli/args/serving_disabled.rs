//! This build has no servers.

/// No commands.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ServingCommand {}

impl ServingCommand {
    pub(crate) fn serves(&self) -> bool {
        match *self {}
    }
}
