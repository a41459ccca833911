//! The arguments of `mitt lambda`.

use std::path::PathBuf;

#[cfg(feature = "serve")]
use crate::agent_args::tool_mode;
#[cfg(feature = "serve")]
use mitt::offer::ToolMode;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt lambda --skills precompiled --trust-precompiled precompiled --precompiled-key key.pub --trust-skills\n  mitt lambda --out /mnt/files"
)]
pub(crate) struct Lambda {
    /// Where to write the files of an invocation, such as a mounted file system: each has its own folder below it, named by its
    /// request [default: files are in the answer, which has at most 6 MB]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Which tools clients of MCP see: `script` the one that runs Python and a line for each function, `all` every tool with its
    /// schema, `catalogue` one tool that opens a skill
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "MODE", default_value = "script", value_parser = tool_mode)]
    pub(crate) tools: ToolMode,
}
