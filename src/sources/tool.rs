//! A tool of a server as a tool of the host: checked, limited, reported and recorded like all others.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mitt::schema::without_absent;
use mitt::skill::{HostCall, HostFunction, HostTool, ToolPolicy};
use mitt::value::{Field, Json, Type};
use mitt_base::{Error, Result};
use serde_json::Value;

use super::approved::ApprovedTool;
use super::config::Server;
use super::connection::Connection;
use super::listing::{self, MAX_DESCRIPTION};
use super::name;
use super::result::result;

/// Added to the time limit around a call, so that the limit of the call itself ends it first, with its reason.
const CALL_MARGIN: Duration = Duration::from_secs(5);

/// An approved tool. Its clones share the server.
#[derive(Clone)]
pub(crate) struct SourceTool {
    function: HostFunction,
    /// Its name as models see it.
    tool: String,
    params: Vec<Field>,
    approved: ApprovedTool,
    connection: Arc<Connection>,
}

impl SourceTool {
    /// # Errors
    ///
    /// [`ErrorKind::Plugin`](mitt_base::ErrorKind::Plugin), [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - the approved
    /// description does not make a tool; an older version may have written it.
    pub(crate) fn new(
        server: &Server,
        approved: ApprovedTool,
        connection: Arc<Connection>,
    ) -> Result<SourceTool> {
        let params = listing::params(&approved.input_schema)?;
        let name = name::function(&server.name, &approved.name)
            .ok_or_else(|| Error::tool("its name has neither a letter nor a digit"))?;
        let docs = listing::shown(&approved.description, MAX_DESCRIPTION);
        let mut described =
            HostFunction::new(&name::prefix(&server.name), &name, docs)?.result(Type::Json);
        for param in &params {
            described = described.param(param.clone());
        }
        let policy = ToolPolicy {
            read_only: approved.says_read_only,
            destructive: approved.may_destroy && !server.approves(&approved.name),
            ..ToolPolicy::default()
        };
        let time = server.start + server.call + CALL_MARGIN;
        let mut function = described.policy(policy).time(time).of_server(server.name.as_str());
        if let Some(agents) = &server.agents {
            function = function.for_agents(agents.iter().map(String::as_str));
        }
        let tool = format!("{}__{name}", name::prefix(&server.name)).replace('-', "_");
        Ok(SourceTool { function, tool, params, approved, connection })
    }
}

#[async_trait]
impl HostTool for SourceTool {
    fn function(&self) -> HostFunction {
        self.function.clone()
    }

    async fn run(&self, call: &dyn HostCall, arguments: Json) -> Result<Json> {
        let ApprovedTool { name, sha256, .. } = &self.approved;
        let arguments = match without_absent(&self.params, arguments).into() {
            Value::Object(entries) => entries,
            _ => return Err(Error::bug("arguments of a call are no object")),
        };
        let given = self.connection.call(name, sha256, arguments).await?;
        result(call, &self.tool, given).await
    }
}
