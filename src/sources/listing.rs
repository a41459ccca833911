//! A server's description of its tools.

use std::collections::BTreeSet;

use mitt::value::Field;
use mitt_base::visible::{Lines, visible};
use mitt_base::{Error, Result, digest, text};
use rmcp::model::Tool;
use serde_json::{Map, Value, json};

use super::config::Server;
use super::name;
use mitt::schema;

/// Most tools of one server; further ones are left out, with a warning.
pub const MAX_TOOLS: usize = 128;

/// Most characters of a tool's description that a model gets.
pub const MAX_DESCRIPTION: usize = 1_000;

/// Largest `inputSchema` of a tool, in bytes.
const MAX_SCHEMA_BYTES: usize = 32 * 1024;

/// What a server offers now.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Listing {
    /// Name and version of the server, in its own words.
    pub server: String,
    /// The tools that can be called.
    pub tools: Vec<OfferedTool>,
    /// The tools that cannot be called, and other warnings.
    pub problems: Vec<String>,
}

/// A tool in the server's words.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OfferedTool {
    /// The server's name of the tool.
    pub name: String,
    /// The name that a model sees, such as `mcp_notes__create_note`.
    pub tool: String,
    /// The whole description, with misleading characters escaped.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Map<String, Value>,
    /// The server says that the tool changes nothing.
    pub says_read_only: bool,
    /// The server says, or does not deny, that the tool may destroy something.
    pub may_destroy: bool,
    /// Digest of everything that could mislead a model or a person: name, title, description, schemas, annotations.
    pub sha256: String,
}

impl Listing {
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
                format!("{n_left_out} more tools are left out, expected at most {MAX_TOOLS}");
            listing.problems.push(problem);
        }
        listing
    }

    /// Returns the tool with this name on the server.
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
                "expected a schema of at most {MAX_SCHEMA_BYTES} bytes, got {schema_bytes}"
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
            // MCP's default for a tool without annotations.
            may_destroy: !says_read_only && annotations.destructive_hint.unwrap_or(true),
            sha256: digest::sha256(all.to_string().as_bytes()),
        })
    }
}

/// Returns the parameters of a tool of a listing, which therefore can be called.
pub(crate) fn params(input_schema: &Map<String, Value>) -> Result<Vec<Field>> {
    schema::params(input_schema).map_err(Error::tool)
}

/// Returns text of a server for a model: one paragraph, with misleading characters escaped, and at most `limit` characters.
pub(crate) fn shown(said: &str, limit: usize) -> String {
    let words: Vec<&str> = said.split_whitespace().collect();
    text::shortened(&visible(&words.join(" "), Lines::One), limit)
}
