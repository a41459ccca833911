//! The OpenAPI document of the tools alone.
//!
//! It is what a tool server of Open WebUI and an action of ChatGPT read: one POST operation for each tool. Generators name
//! their classes by the schemas of arguments and results, which hold no further references. Open WebUI shows a model the
//! description, or the summary if there is no description.

use serde_json::{Map, Value, json};

use super::catalogue::ListedTool;
use super::schemas;
use crate::http::schema_of;
use crate::problem::Problem;

/// Introduction for people.
const DESCRIPTION: &str = "\
Each operation calls one tool of Mitt. The body has the arguments. An argument that names a document takes the id of an \
uploaded file, `file-…`. Delivered files are listed in `files` with links.

Every call has a session of its own. To keep documents, tables and variables from one call to the next, create a sandbox \
with `POST /v1/containers`, and send its id in the header `X-Mitt-Session`. Its files are the documents of the call, and \
delivered files are added to it.

A call that may replace or remove data needs the header `X-Mitt-Approve: true`. Without it, nothing is called, and the \
response of status 409 lists what would happen.";

/// Ends of the names of schemas.
pub(super) const ARGUMENTS: &str = "Arguments";
pub(super) const RESULT: &str = "Result";

/// Statuses of problems with their meanings.
const PROBLEMS: [(&str, &str); 7] = [
    ("401", "The token is missing or wrong."),
    ("403", "The call is not allowed."),
    ("404", "There is no such tool or session."),
    ("409", "The call needs an approval."),
    ("422", "The arguments are wrong, or the tool reported an error."),
    ("503", "The service is busy; try again after `Retry-After`."),
    ("504", "The call took longer than it may."),
];

/// Returns the path of a tool.
pub(super) fn path(tool: &str) -> String {
    format!("/v1/tools/{tool}")
}

/// Returns the description of an operation: the whole text, or nothing if the summary says it all.
pub(super) fn description(tool: &ListedTool) -> &str {
    if tool.summary == tool.description { "" } else { &tool.description }
}

/// Returns the name of a schema for a tool: `TableToolSortArguments`.
pub(super) fn schema_name(tool: &str, what: &str) -> String {
    let words = tool.split(['_', '-']).filter(|word| !word.is_empty());
    let words = words.map(|word| {
        let mut characters = word.chars();
        let first = characters.next().map(|it| it.to_ascii_uppercase());
        first.into_iter().chain(characters).collect::<String>()
    });
    words.chain([what.to_owned()]).collect()
}

/// Returns the document for a server at `base`. With `is_short`, operations have summaries alone, because ChatGPT refuses
/// descriptions of more than 300 characters.
pub(super) fn document(tools: &[ListedTool], base: &str, is_short: bool) -> Value {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for tool in tools {
        let mut add = |what: &str, schema: &Value| {
            let name = schema_name(&tool.name, what);
            // `a__b_c` and `a_b__c` have one name.
            if schemas.contains_key(&name) {
                return schema.clone();
            }
            let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
            schemas.insert(name, schema.clone());
            reference
        };
        let arguments = add(ARGUMENTS, &tool.input_schema);
        let result = add(RESULT, &tool.output_schema);
        let operation = operation(tool, (arguments, result), is_short);
        paths.insert(path(&tool.name), json!({ "post": operation }));
    }
    let problem = schemas::inlined((*schema_of::<Problem>().schema).clone());
    schemas.insert("Problem".to_owned(), problem);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Mitt tools",
            "description": DESCRIPTION,
            "version": env!("CARGO_PKG_VERSION"),
        },
        "servers": [{ "url": if base.is_empty() { "/" } else { base } }],
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn operation(tool: &ListedTool, (arguments, result): (Value, Value), is_short: bool) -> Value {
    let mut responses = Map::new();
    responses.insert(
        "200".to_owned(),
        json!({
            "description": "The result.",
            "content": {
                "application/json": { "schema": result },
            },
        }),
    );
    for (status, meaning) in PROBLEMS {
        let problem = json!({ "$ref": "#/components/schemas/Problem" });
        responses.insert(
            status.to_owned(),
            json!({
                "description": meaning,
                "content": { "application/problem+json": { "schema": problem } },
            }),
        );
    }
    let mut operation = json!({
        "operationId": tool.name,
        "summary": tool.summary,
        "tags": [tool.skill],
        "x-openai-isConsequential": tool.is_destructive,
        "requestBody": {
            "required": true,
            "content": {
                "application/json": { "schema": arguments },
            },
        },
        "responses": responses,
    });
    let description = description(tool);
    if !is_short && !description.is_empty() {
        operation["description"] = description.into();
    }
    operation
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(description: &str) -> ListedTool {
        ListedTool {
            name: "table_tool__sort".into(),
            skill: "table-tool".into(),
            title: "Sort".into(),
            summary: "Sorts a table.".into(),
            description: description.into(),
            input_schema: json!({ "type": "object", "properties": { "n": { "type": "integer" } } }),
            output_schema: json!({ "type": "object", "properties": {} }),
            reads_only: true,
            is_destructive: false,
            is_idempotent: true,
            grants: Vec::new(),
            limits: Default::default(),
        }
    }

    #[test]
    fn each_tool_is_an_operation() {
        let long = tool("Sorts a table.\n\nBy columns.");
        let document = document(&[long], "https://mitt.example.org", false);
        assert_eq!(document["servers"][0]["url"], "https://mitt.example.org");
        let operation = &document["paths"]["/v1/tools/table_tool__sort"]["post"];
        assert_eq!(operation["operationId"], "table_tool__sort");
        assert_eq!(operation["summary"], "Sorts a table.");
        assert_eq!(operation["description"], "Sorts a table.\n\nBy columns.");
        let schema = |at: &Value| at["content"]["application/json"]["schema"]["$ref"].clone();
        let of = |name: &str| format!("#/components/schemas/{name}");
        assert_eq!(schema(&operation["requestBody"]), of("TableToolSortArguments"));
        assert_eq!(schema(&operation["responses"]["200"]), of("TableToolSortResult"));
        let arguments = &document["components"]["schemas"]["TableToolSortArguments"];
        assert_eq!(arguments["properties"]["n"]["type"], "integer");
        let parameters = operation["parameters"].as_array();
        assert_eq!(parameters, None, "a model could set the approval");
        assert_eq!(operation["x-openai-isConsequential"], false);
    }

    #[test]
    fn tools_of_one_schema_name_keep_their_own_schemas() {
        let other = ListedTool {
            name: "table__tool_sort".into(),
            input_schema: json!({ "type": "object", "properties": {} }),
            ..tool("")
        };
        let document = document(&[tool(""), other], "", false);
        let schema = |tool: &str| {
            let body = &document["paths"][path(tool)]["post"]["requestBody"];
            body["content"]["application/json"]["schema"].clone()
        };
        let reference = json!({ "$ref": "#/components/schemas/TableToolSortArguments" });
        assert_eq!(schema("table_tool__sort"), reference);
        assert_eq!(schema("table__tool_sort"), json!({ "type": "object", "properties": {} }));
    }

    #[test]
    fn short_documents_have_summaries_alone() {
        let long = tool("Sorts a table.\n\nBy columns.");
        let document = document(&[long], "", true);
        let operation = &document["paths"]["/v1/tools/table_tool__sort"]["post"];
        assert_eq!(operation.get("description"), None);
        assert_eq!(document["servers"][0]["url"], "/");
        assert_eq!(description(&tool("Sorts a table.")), "");
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = document(&[tool("")], "", false);
        let text = document.to_string();
        let mut references = text.split("\"$ref\":\"#").skip(1);
        assert!(references.all(|it| document.pointer(it.split('"').next().unwrap()).is_some()));
    }
}
