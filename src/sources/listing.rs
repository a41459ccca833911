//! What a server says of its tools.

use std::collections::BTreeSet;

use mitt::value::Field;
use mitt_base::visible::{Lines, visible};
use mitt_base::{Error, Result, digest, text};
use rmcp::model::Tool;
use serde_json::{Map, Value, json};

use super::config::Server;
use super::connection::Connection;
use super::name;
use mitt::schema;

/// Most tools of one server; of one that has more, the others are left out, which is told.
pub const MAX_TOOLS: usize = 128;

/// Most characters of what a tool says of itself that a model is shown.
pub const MAX_DESCRIPTION: usize = 1_000;

/// Largest `inputSchema` of a tool, in bytes.
const MAX_SCHEMA_BYTES: usize = 32 * 1024;

/// What a server offers now.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Listing {
    /// The name and version that the server gives itself.
    pub server: String,
    /// The tools that can be called.
    pub tools: Vec<OfferedTool>,
    /// Those that cannot, and what else is odd.
    pub problems: Vec<String>,
}

/// A tool, in the server's words.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OfferedTool {
    /// As the server calls it.
    pub name: String,
    /// As a model sees it, such as `mcp_notes__create_note`.
    pub tool: String,
    /// What it says of itself, whole, with what misleads made visible.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Map<String, Value>,
    /// It says that it changes nothing.
    pub says_read_only: bool,
    /// It says, or does not deny, that it may destroy something.
    pub may_destroy: bool,
    /// Of all that a model or a person could be misled by: name, title, description, schemas, annotations.
    pub sha256: String,
}

impl Listing {
    /// Start the server, or connect to it, ask for its tools, and end it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - what the file says of it cannot be used, such as a variable that is not set.
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it cannot be started or reached, or does not speak MCP.
    pub async fn of(server: &Server) -> Result<Listing> {
        let connection = Connection::new(server.clone());
        let listing = connection.listing().await;
        connection.close().await;
        listing
    }

    pub(crate) fn new(server: &Server, name: String, tools: Vec<Tool>) -> Listing {
        let mut listing = Listing { server: name, ..Listing::default() };
        let mut taken = BTreeSet::new();
        let n_left_out = tools.len().saturating_sub(MAX_TOOLS);
        for tool in tools.into_iter().take(MAX_TOOLS) {
            let called = text::one_line(text::cut_bytes(&tool.name, 128));
            match OfferedTool::new(server, tool) {
                Ok(tool) if !taken.insert(tool.tool.clone()) => {
                    let other = &tool.tool;
                    listing.problems.push(format!("`{called}`: another tool is `{other}` already"));
                }
                Ok(tool) => listing.tools.push(tool),
                Err(problem) => listing.problems.push(format!("`{called}`: {problem}")),
            }
        }
        if n_left_out > 0 {
            let problem =
                format!("{n_left_out} more tools are left out, at most {MAX_TOOLS} expected");
            listing.problems.push(problem);
        }
        listing
    }

    /// The tool that the server calls so.
    pub(crate) fn named(&self, name: &str) -> Option<&OfferedTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

impl OfferedTool {
    fn new(server: &Server, tool: Tool) -> Result<OfferedTool, String> {
        let function = name::function(&server.name, &tool.name)
            .ok_or("its name has neither a letter nor a digit")?;
        let schema_bytes = serde_json::to_string(&tool.input_schema).map_or(0, |text| text.len());
        if schema_bytes > MAX_SCHEMA_BYTES {
            return Err(format!(
                "its schema has {schema_bytes} bytes, at most {MAX_SCHEMA_BYTES} expected"
            ));
        }
        schema::params(&tool.input_schema)?;
        let annotations = tool.annotations.clone().unwrap_or_default();
        let says_read_only = annotations.read_only_hint == Some(true);
        let all = json!([
            tool.name,
            tool.title,
            tool.description,
            tool.input_schema,
            tool.output_schema,
            tool.annotations,
        ]);
        let prefix = name::prefix(&server.name).replace('-', "_");
        Ok(OfferedTool {
            tool: format!("{prefix}__{}", function.replace('-', "_")),
            name: tool.name.into_owned(),
            description: visible(tool.description.as_deref().unwrap_or_default(), Lines::Many)
                .into_owned(),
            input_schema: Map::clone(&tool.input_schema),
            says_read_only,
            // What MCP says of a tool that says nothing.
            may_destroy: !says_read_only && annotations.destructive_hint.unwrap_or(true),
            sha256: digest::sha256(all.to_string().as_bytes()),
        })
    }
}

/// The parameters of a tool that was listed, and so can be called.
pub(crate) fn params(input_schema: &Map<String, Value>) -> Result<Vec<Field>> {
    schema::params(input_schema).map_err(Error::tool)
}

/// What a stranger says, for a model: in one paragraph, with what misleads made visible, and not longer than this.
pub(crate) fn shown(said: &str, limit: usize) -> String {
    let words: Vec<&str> = said.split_whitespace().collect();
    text::shortened(&visible(&words.join(" "), Lines::One), limit)
}
