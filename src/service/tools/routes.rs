//! The routes of the tools.

use hyper::Method;
use serde_json::json;

use super::call::call;
use super::catalogue::{self, ListedTool, ToolList};
use super::document;
use crate::http::{
    Answered, Body, Request, Responds, Schema, document_schema, json as respond, schema_of,
};
use crate::problem::Problem;
use crate::service::{Endpoint, Service};

const TAG: &str = "tools";

/// Words about a call of any tool.
const CALL: &str = "\
The body has the arguments as one JSON object; `GET /v1/tools` lists their schemas. Numbers keep all of their digits. \
An argument that names a document may have the id of an uploaded file, `file-…`. Delivered files are listed in `files` \
with links, and are kept as uploaded files for a time.

Without a sandbox, every call has a session of its own. With a sandbox of `POST /v1/containers` in the header \
`X-Mitt-Session` or the parameter `session`, its files are the documents of the call, and delivered files are added to it. \
References to earlier results, such as `t:1`, are good as long as its session is in memory.

A call that may replace or remove data needs the header `X-Mitt-Approve: true`. Without it, nothing is called, and the \
response is a problem `approval_required` of status 409, which lists what would happen.";

/// Returns the endpoints of the interface. The list of tools is read when a client asks, because skills may be replaced
/// while the service runs.
pub(crate) async fn endpoints(_service: &Service) -> Vec<Endpoint> {
    let arguments = json!({ "type": "object", "additionalProperties": true });
    let result = json!({
        "type": "object",
        "description": "The result in the form of the tool, which `GET /v1/tools` describes, with delivered files in `files`.",
        "additionalProperties": true,
    });
    vec![
        Endpoint::new(TAG, Method::GET, "/v1/tools", "list_tools", "List all tools", list)
            .describe("Names, descriptions and schemas of the tools that exist now.")
            .responds(Responds::Json(200, schema_of::<ToolList>())),
        Endpoint::new(
            TAG,
            Method::GET,
            "/v1/tools/openapi.json",
            "get_tools_document",
            "OpenAPI document of the tools",
            openapi,
        )
        .describe(
            "One operation for each tool that exists now, for tool servers of chat programs and for \
             generators of clients.",
        )
        .query(&[
            ("tools", "Names of tools or skills with commas between them. Default: all."),
            ("short", "`true` leaves out long descriptions, which some programs refuse."),
        ])
        .responds(Responds::Json(200, document_schema())),
        Endpoint::new(TAG, Method::POST, "/v1/tools/{tool}", "call_tool", "Call a tool", call)
            .describe(CALL)
            .query(&[("session", "Sandbox of the call, in place of the header `X-Mitt-Session`.")])
            .reads(Body::Json(Schema::named("ToolArguments", arguments)))
            .responds(Responds::Json(200, Schema::named("ToolResult", result))),
    ]
}

/// Returns an endpoint for each tool that exists now, for the OpenAPI document of the whole service. The generic endpoint
/// answers their requests.
#[allow(dead_code, reason = "the OpenAPI document of the whole service may append them")]
pub(crate) async fn documented(service: &Service) -> Vec<Endpoint> {
    let tools = catalogue::listed(&service.host().registry()).await;
    tools.into_iter().map(endpoint).collect()
}

fn endpoint(tool: ListedTool) -> Endpoint {
    let name = |what: &str| document::schema_name(&tool.name, what);
    let (arguments, result) = (name(document::ARGUMENTS), name(document::RESULT));
    let summary = if tool.summary.is_empty() { &tool.title } else { &tool.summary };
    Endpoint::new(TAG, Method::POST, &document::path(&tool.name), &tool.name, summary, call)
        .describe(document::description(&tool))
        .reads(Body::Json(Schema::named(&arguments, tool.input_schema)))
        .responds(Responds::Json(200, Schema::named(&result, tool.output_schema)))
}

async fn list(service: Service, request: Request) -> Answered {
    let registry = catalogue::registry(service.host(), &request.tenant())?;
    Ok(respond(200, &ToolList { tools: catalogue::listed(&registry).await }))
}

async fn openapi(service: Service, request: Request) -> Answered {
    let registry = catalogue::registry(service.host(), &request.tenant())?;
    let tools = catalogue::listed(&registry).await;
    let tools = match request.query("tools") {
        None => tools,
        Some(names) => chosen(tools, &names)?,
    };
    Ok(respond(200, &document::document(&tools, &request.base(), request.query_flag("short"))))
}

/// Returns the tools of these names or skills.
///
/// # Errors
///
/// There is no tool or skill of a name.
fn chosen(tools: Vec<ListedTool>, names: &str) -> Result<Vec<ListedTool>, Problem> {
    let names: Vec<&str> =
        names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let is_named = |tool: &ListedTool, name: &str| {
        tool.name == name || tool.skill.replace('-', "_") == name.replace('-', "_")
    };
    for name in &names {
        if !tools.iter().any(|tool| is_named(tool, name)) {
            return Err(Problem::not_found("tool or skill", name));
        }
    }
    Ok(tools.into_iter().filter(|tool| names.iter().any(|name| is_named(tool, name))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, skill: &str) -> ListedTool {
        ListedTool {
            name: name.into(),
            skill: skill.into(),
            title: "Title".into(),
            summary: String::new(),
            description: String::new(),
            input_schema: json!({ "type": "object" }),
            output_schema: json!({ "type": "object" }),
            reads_only: true,
            is_destructive: false,
            is_idempotent: true,
            grants: Vec::new(),
            limits: Default::default(),
        }
    }

    #[test]
    fn tools_are_chosen_by_name_or_skill() {
        let tools = || {
            vec![
                tool("table_tool__sort", "table-tool"),
                tool("table_tool__growth", "table-tool"),
                tool("report__build", "report"),
            ]
        };
        let names = |wanted: &str| -> Vec<String> {
            chosen(tools(), wanted).unwrap().into_iter().map(|it| it.name).collect()
        };
        assert_eq!(names("table_tool"), ["table_tool__sort", "table_tool__growth"]);
        assert_eq!(
            names("report__build, table_tool__sort,"),
            ["table_tool__sort", "report__build"]
        );
        assert_eq!(chosen(tools(), "report,tabel").unwrap_err().status, 404);
    }

    #[test]
    fn each_tool_is_an_endpoint_of_its_own() {
        let endpoints = [endpoint(tool("a__b", "a")), endpoint(tool("a__c", "a"))];
        let document = crate::http::checked(&endpoints);
        let operation = &document["paths"]["/v1/tools/a__b"]["post"];
        assert_eq!(
            (&operation["operationId"], &operation["summary"]),
            (&json!("a__b"), &json!("Title"))
        );
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(schema["$ref"], "#/components/schemas/ABArguments");
    }
}
