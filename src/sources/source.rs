//! All servers together: the tools that they provide, and why some provide none.

use std::sync::Arc;

use mitt::skill::HostTool;
use mitt_base::Remedy;

use super::approved::Approved;
use super::config::Servers;
use super::connection::Connection;
use super::tool::SourceTool;

/// The approved tools of the enabled servers. A cheap handle; its clones share the running servers.
#[derive(Clone, Default)]
pub struct Sources {
    tools: Vec<SourceTool>,
    problems: Vec<String>,
}

impl Sources {
    /// Makes the tools of the servers that are enabled and approved. Starts no server.
    pub fn new(servers: &Servers, approved: &Approved) -> Sources {
        let mut sources = Sources { tools: Vec::new(), problems: servers.warnings().to_vec() };
        for server in servers.iter() {
            let name = &server.name;
            let approved_tools = match (server.enabled, approved.tools(server)) {
                (true, Some(tools)) => tools,
                (false, _) => {
                    sources.problems.push(format!(
                        "MCP server `{name}` is not used; write `\"enabled\": true` to use it"
                    ));
                    continue;
                }
                (true, None) => {
                    let what = if approved.knows(server) {
                        "another program or address than the one that was approved"
                    } else {
                        "not approved"
                    };
                    let approve = Remedy::ApproveSource { name: name.clone() }.text();
                    sources.problems.push(format!("MCP server `{name}` is {what}; {approve}"));
                    continue;
                }
            };
            let connection = Arc::new(Connection::new(server.clone()));
            for tool in approved_tools {
                if !server.offers(&tool.name) {
                    continue;
                }
                match SourceTool::new(server, tool.clone(), connection.clone()) {
                    Ok(tool) => sources.tools.push(tool),
                    Err(error) => {
                        let tool = mitt_base::text::one_line(&tool.name);
                        sources.problems.push(format!(
                            "MCP server `{name}`: its tool `{tool}` is left out: {error}"
                        ));
                    }
                }
            }
        }
        sources
    }

    /// Returns the tools, for [`HostBuilder::tool`](mitt::HostBuilder::tool).
    pub fn tools(&self) -> Vec<impl HostTool + use<>> {
        self.tools.clone()
    }

    /// Returns warnings about the servers, and why some of them provide no tools, one sentence each.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}
