//! All servers together: the tools that they bring, and why others bring none.

use std::sync::Arc;

use async_trait::async_trait;
use mitt::skill::{HostCall, HostFunction, HostTool};
use mitt::value::Json;
use mitt_base::Result;

use super::approved::Approved;
use super::config::Servers;
use super::connection::Connection;
use super::tool::SourceTool;

/// The approved tools of the enabled servers. A cheap handle: its clones share the servers that run.
#[derive(Clone, Default)]
pub struct Sources {
    tools: Vec<Arc<SourceTool>>,
    problems: Vec<String>,
}

/// A tool of a server, which hosts can share.
struct Shared(Arc<SourceTool>);

impl Sources {
    /// The tools of the servers that are enabled and approved. No server is started.
    pub fn new(servers: &Servers, approved: &Approved) -> Sources {
        let mut sources = Sources { tools: Vec::new(), problems: servers.warnings().to_vec() };
        for server in servers.iter() {
            let name = &server.name;
            let approve = format!("look at its tools with `mitt source approve {name}`");
            let problem = match (server.enabled, approved.tools(server)) {
                (false, _) => Some(format!(
                    "MCP server `{name}` is not used; write `\"enabled\": true` to use it"
                )),
                (true, Some(_)) => None,
                (true, None) if approved.knows(server) => Some(format!(
                    "MCP server `{name}` is another program or address than the one that was approved; {approve}"
                )),
                (true, None) => Some(format!("MCP server `{name}` is not approved; {approve}")),
            };
            if let Some(problem) = problem {
                sources.problems.push(problem);
                continue;
            }
            let connection = Arc::new(Connection::new(server.clone()));
            for tool in approved.tools(server).unwrap_or_default() {
                if !server.offers(&tool.name) {
                    continue;
                }
                match SourceTool::new(server, tool.clone(), connection.clone()) {
                    Ok(tool) => sources.tools.push(Arc::new(tool)),
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

    /// The tools, for [`HostBuilder::tool`](mitt::HostBuilder::tool).
    pub fn tools(&self) -> Vec<impl HostTool + use<>> {
        self.tools.iter().cloned().map(Shared).collect()
    }

    /// What is odd about the servers, and why some of them bring no tools; a sentence each.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

#[async_trait]
impl HostTool for Shared {
    fn function(&self) -> HostFunction {
        self.0.function()
    }

    async fn run(&self, call: &dyn HostCall, arguments: Json) -> Result<Json> {
        self.0.run(call, arguments).await
    }
}
