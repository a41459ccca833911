//! What `mitt mcp` and `mitt serve` have in common, and `mitt mcp`.

use std::path::PathBuf;
use std::time::Duration;

use super::super::duration;

/// Options of every server.
#[derive(Debug, clap::Args)]
pub(crate) struct Serving {
    /// A document that every session has from its beginning. May be given several times
    #[arg(short, long = "doc", value_name = "FILE")]
    pub(crate) docs: Vec<PathBuf>,
    /// A folder whose files clients may read as documents by naming them (`documents__add` with `path`); without it they
    /// send contents. May be given several times
    #[arg(long = "folder", value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// Do not look for changes in the folders of skills
    #[arg(long)]
    pub(crate) no_watch: bool,
}

/// `mitt mcp`
#[derive(Debug, clap::Args)]
pub(crate) struct Mcp {
    /// Where to write the files and the journal; no link [default: in memory; clients read the files as resources]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Whose skills the client sees, where overlays differ
    #[arg(long, value_name = "NAME")]
    pub(crate) tenant: Option<String>,
    /// What running calls get to end in when the server is stopped
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration)]
    pub(crate) grace: Duration,
    #[command(flatten)]
    pub(crate) serving: Serving,
}
