//! Replaces `sources.rs` in builds without MCP clients.

use std::process::ExitCode;

use crate::args::{Global, SourceCommand};
use crate::output::Output;
use mitt::HostBuilder;
use mitt_base::{Error, ErrorKind, Result};

/// Refuses options that name servers.
pub(super) fn with_sources(host: HostBuilder, global: &Global) -> Result<HostBuilder> {
    if global.mcp_configs.is_empty() {
        Ok(host)
    } else {
        Err(disabled().hint("or leave out `--mcp-config`"))
    }
}

/// `mitt source`
pub(crate) async fn source(_: &Global, _: SourceCommand, _: &Output) -> Result<ExitCode> {
    Err(disabled())
}

fn disabled() -> Error {
    let message = "this build of mitt uses no tools of MCP servers";
    Error::new(ErrorKind::Disabled("sources"), message)
        .hint("use a build with the feature `sources`")
}
