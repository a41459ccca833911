//! MCP Apps: clients that declare the extension show the viewer of documents in their own conversations.
//!
//! The extension is `io.modelcontextprotocol/ui`, specification 2026-01-26. The viewer is a resource, tools name it in their
//! `_meta`, and the result of a call carries in `_meta` what the viewer shows first, so that the model pays nothing for it. More
//! rows, text and pages come through tools that only the viewer sees. Everything is also in the result itself: a client may
//! fail to show the viewer.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ClientCapabilities, ContentBlock, JsonObject, MetaObject, Resource,
    ResourceContents, Tool, ToolAnnotations,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::client::ClientSession;
use super::results;
use super::uri;
use crate::preview::{OutlineKind, Preview, PreviewFile, Previews};
use crate::viewer;
use mitt::{Artifact, Session};
use mitt_base::digest::sha256;
use mitt_base::{Error, ErrorKind, Result};

/// Identifier of the extension.
const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// Media type of an app.
const MEDIA_TYPE: &str = "text/html;profile=mcp-app";
/// The viewer.
const VIEWER: &str = "ui://mitt/viewer.html";
/// The member of `_meta` that carries what the viewer shows.
const VIEW: &str = "mitt/view";
/// Tools that only the viewer sees.
const OUTLINE_TOOL: &str = "view__outline";
const ROWS_TOOL: &str = "view__rows";
const TEXT_TOOL: &str = "view__text";
const PAGE_TOOL: &str = "view__page";
/// Most files that one result shows.
const MAX_FILES: usize = 20;
/// Time for reading the files of a result before it goes without further previews. The viewer then asks for them.
const PREVIEW_TIME: Duration = Duration::from_secs(2);
/// Most bytes of what the viewer shows of a result, as JSON. More would delay the result, and clients keep it in memory.
const MAX_VIEW_BYTES: usize = 512 * 1024;
/// Most bytes of a table of these. It has fewer rows otherwise.
const MAX_TABLE_BYTES: usize = 128 * 1024;
/// Rows, characters and pixels that the result carries.
const FIRST_ROWS: u64 = 100;
const FIRST_CHARACTERS: u64 = 20_000;
const FIRST_WIDTH: u32 = 800;
/// Most rows of a table that is a result.
const MAX_TABLE_ROWS: usize = 1_000;
/// Most bytes of the first page in a result.
const MAX_PAGE_BYTES: usize = 200_000;
/// Largest picture that is sent to the viewer, in bytes.
const MAX_PICTURE_BYTES: u64 = 4 * 1024 * 1024;

/// The error for a file that is not the one of its name any more.
const REPLACED: &str = "a later file of the same name replaced this one";

/// Returns `true` if a client with these capabilities shows apps.
pub(super) fn shows_apps(capabilities: Option<&ClientCapabilities>) -> bool {
    let extensions = capabilities.and_then(|it| it.extensions.as_ref());
    let Some(settings) = extensions.and_then(|it| it.get(EXTENSION)) else { return false };
    match settings.get("mimeTypes").and_then(Value::as_array) {
        Some(types) => types.iter().any(|it| it == MEDIA_TYPE),
        None => true,
    }
}

/// Returns the viewer for lists of resources.
pub(super) fn resource() -> Resource {
    Resource::new(VIEWER, "viewer.html")
        .with_title("Viewer of documents")
        .with_mime_type(MEDIA_TYPE)
        .with_description("Shows files that tools delivered")
}

/// Returns the viewer if the URI is its own.
pub(super) fn read(uri: &str) -> Option<ResourceContents> {
    let mut meta = MetaObject::new();
    meta.insert("ui".to_owned(), json!({ "prefersBorder": true }));
    let contents = || ResourceContents::text(viewer::app(), VIEWER);
    (uri == VIEWER).then(|| contents().with_mime_type(MEDIA_TYPE).with_meta(meta))
}

/// Adds the viewer to a page of the list of tools, for a client that shows apps. `is_last` is `true` for the last page.
pub(super) fn add_to(
    tools: &mut Vec<Tool>,
    capabilities: Option<&ClientCapabilities>,
    is_last: bool,
) {
    if shows_apps(capabilities) {
        mark(tools);
        if is_last {
            tools.extend(self::tools());
        }
    }
}

/// Names the viewer in the tools whose results it shows: those that may deliver files, and those that return tables. It also
/// shows the arguments of a call that may destroy something, while the client asks its user.
fn mark(tools: &mut [Tool]) {
    for tool in tools {
        let reads = tool.annotations.as_ref().and_then(|it| it.read_only_hint).unwrap_or_default();
        if !reads || returns_table(tool) {
            let meta = tool.meta.get_or_insert_default();
            meta.insert("ui".to_owned(), ui(&["model", "app"]));
            // The name in earlier drafts, which some clients still read.
            meta.insert("ui/resourceUri".to_owned(), VIEWER.into());
        }
    }
}

/// Returns `true` if the schema of the tool's result has a table at its top or one level below.
fn returns_table(tool: &Tool) -> bool {
    let Some(schema) = &tool.output_schema else { return false };
    let Some(members) = schema.get("properties").and_then(Value::as_object) else { return false };
    let is_table =
        |members: &JsonObject| members.contains_key("columns") && members.contains_key("rows");
    let is_below =
        |member: &Value| member.get("properties").and_then(Value::as_object).is_some_and(is_table);
    is_table(members) || members.values().any(is_below)
}

/// Returns the table of a result, for the viewer: that of its top or one level below.
fn table_of(result: &JsonObject) -> Option<Value> {
    let is_table = |it: &JsonObject| {
        let has = |name: &str| it.get(name).is_some_and(Value::is_array);
        has("columns") && has("rows")
    };
    let (name, table) = if is_table(result) {
        (None, result)
    } else {
        let mut below = result.iter().filter_map(|(name, it)| Some((name, it.as_object()?)));
        let (name, table) = below.find(|(_, it)| is_table(it))?;
        (Some(name.as_str()), table)
    };
    let rows = table.get("rows")?.as_array()?;
    let mut room = Room(MAX_TABLE_BYTES);
    let name = room.take(&name)?;
    let columns = room.take(table.get("columns")?)?;
    let first = rows.iter().take(MAX_TABLE_ROWS).map_while(|row| room.take(row));
    let first: Vec<Value> = first.collect();
    Some(json!({ "name": name, "columns": columns, "rows": first, "total": rows.len() }))
}

/// Bytes that are left for what the viewer shows.
struct Room(usize);

impl Room {
    /// Returns a value as JSON, and takes its bytes off what is left; `None` if it has more.
    fn take(&mut self, value: &impl Serialize) -> Option<Value> {
        // Counted first, because a value takes several times the memory of its text.
        let mut left = Room(self.0);
        serde_json::to_writer(&mut left, value).ok()?;
        let value = serde_json::to_value(value).ok()?;
        // With the comma behind it.
        *self = Room(left.0.saturating_sub(1));
        Some(value)
    }
}

/// Counts what is written, and refuses more than is left.
impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.0.checked_sub(bytes.len());
        self.0 = left.ok_or_else(|| io::Error::from(io::ErrorKind::WriteZero))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the tools that only the viewer sees.
fn tools() -> Vec<Tool> {
    let number = |least: u64| json!({ "type": "integer", "minimum": least });
    let id = || ("id", json!({ "type": "string" }));
    vec![
        app_tool(OUTLINE_TOOL, "What a delivered file has to show.", vec![id()]),
        app_tool(
            ROWS_TOOL,
            "Rows of a sheet of a delivered file.",
            vec![id(), ("sheet", number(0)), ("from", number(0)), ("count", number(1))],
        ),
        app_tool(
            TEXT_TOOL,
            "A part of the text of a delivered file.",
            vec![id(), ("offset", number(0)), ("length", number(1))],
        ),
        app_tool(
            PAGE_TOOL,
            "A page of a delivered file as a picture.",
            vec![id(), ("page", number(1)), ("width", number(100))],
        ),
    ]
}

fn app_tool(name: &'static str, description: &'static str, fields: Vec<(&str, Value)>) -> Tool {
    let required: Vec<&str> = fields.iter().map(|it| it.0).collect();
    let required = json!(required);
    let properties: JsonObject =
        fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), required);
    let mut tool = Tool::new(name, description, Arc::new(schema));
    tool.annotations = Some(ToolAnnotations::new().read_only(true));
    tool.meta.get_or_insert_default().insert("ui".to_owned(), ui(&["app"]));
    tool
}

fn ui(visibility: &[&str]) -> Value {
    match visibility {
        ["app"] => json!({ "visibility": visibility }),
        _ => json!({ "resourceUri": VIEWER, "visibility": visibility }),
    }
}

/// Returns `true` for a tool that only the viewer sees.
pub(super) fn is_app_tool(name: &str) -> bool {
    [OUTLINE_TOOL, ROWS_TOOL, TEXT_TOOL, PAGE_TOOL].contains(&name)
}

/// Adds the table of a result to what the viewer shows.
pub(super) fn add_table(answer: &mut CallToolResult) {
    let table = answer.structured_content.as_ref().and_then(Value::as_object).and_then(table_of);
    let Some(table) = table else { return };
    let view = answer.meta.get_or_insert_default().entry(VIEW).or_insert_with(|| json!({}));
    if let Some(view) = view.as_object_mut() {
        view.insert("table".to_owned(), table);
    }
}

/// Returns what the viewer shows of the files that a call delivered; `None` if it delivered none. `url` returns a link to a file.
pub(super) fn view<'a>(
    previews: &'a Previews,
    session: &'a Session,
    artifacts: &'a [Artifact],
    url: &'a (dyn Fn(&str) -> Option<String> + Sync),
) -> BoxFuture<'a, Option<(String, Value)>> {
    // Without its type, because the types of rmcp's futures nest too deeply otherwise.
    viewed(previews, session, artifacts, url).boxed()
}

async fn viewed(
    previews: &Previews,
    session: &Session,
    artifacts: &[Artifact],
    url: &(dyn Fn(&str) -> Option<String> + Sync),
) -> Option<(String, Value)> {
    if artifacts.is_empty() {
        return None;
    }
    let deadline = Instant::now() + PREVIEW_TIME;
    // A table of the result comes later.
    let mut room = Room(MAX_VIEW_BYTES - MAX_TABLE_BYTES);
    let mut files = Vec::new();
    for artifact in artifacts.iter().take(MAX_FILES) {
        let file = json!({
            "id": id_of(artifact),
            "name": artifact.name,
            "media_type": artifact.media_type,
            "size": artifact.size,
            "uri": uri::artifact(&artifact.name),
            "url": url(&artifact.name),
        });
        let Some(mut file) = room.take(&file) else { break };
        if Instant::now() >= deadline {
            files.push(file);
            continue;
        }
        match timeout_at(deadline, first(previews, session, artifact, &mut room)).await {
            Ok(Ok(first)) => {
                if let Some(file) = file.as_object_mut() {
                    file.extend(first);
                }
            }
            Ok(Err(error)) => {
                tracing::debug!(error = %error.render(), "a result goes without a preview");
            }
            Err(_) => {}
        }
        files.push(file);
    }
    Some((VIEW.to_owned(), json!({ "files": files })))
}

/// Returns the outline of a file and the beginning of its content, as far as there is room for them.
async fn first(
    previews: &Previews,
    session: &Session,
    artifact: &Artifact,
    room: &mut Room,
) -> Result<JsonObject> {
    let preview = opened(previews, session, artifact).await?;
    beginning(&preview, room, || content(session.clone(), artifact.clone())).await
}

async fn beginning<F>(
    preview: &Preview,
    room: &mut Room,
    load: impl FnOnce() -> F,
) -> Result<JsonObject>
where
    F: Future<Output = Result<Vec<u8>>>,
{
    let mut members = JsonObject::new();
    let Some(outline) = room.take(&preview.outline()) else { return Ok(members) };
    members.insert("outline".to_owned(), outline);
    let (name, shown) = match preview.kind() {
        OutlineKind::Workbook => ("rows", room.take(&preview.rows(0, 0, FIRST_ROWS).await?)),
        OutlineKind::Text => {
            let text = preview.text::<_, Error>(0, FIRST_CHARACTERS, load).await?;
            ("text", room.take(&text))
        }
        OutlineKind::Pages => {
            let page = preview.page(1, FIRST_WIDTH).await?;
            let page = (page.len() <= MAX_PAGE_BYTES)
                .then(|| format!("data:image/png;base64,{}", STANDARD.encode(page)));
            ("page", page.and_then(|page| room.take(&page)))
        }
        _ => return Ok(members),
    };
    if let Some(shown) = shown {
        members.insert(name.to_owned(), shown);
    }
    Ok(members)
}

#[derive(Deserialize)]
struct OutlineArguments {
    id: String,
}

#[derive(Deserialize)]
struct RowsArguments {
    id: String,
    sheet: usize,
    from: u64,
    count: u64,
}

#[derive(Deserialize)]
struct TextArguments {
    id: String,
    offset: u64,
    length: u64,
}

#[derive(Deserialize)]
struct PageArguments {
    id: String,
    page: u64,
    width: u32,
}

/// Answers a call of a tool that only the viewer sees.
///
/// # Errors
///
/// The arguments have another form.
pub(super) fn call<'a>(
    previews: &'a Previews,
    client: &'a ClientSession,
    tool: &'a str,
    arguments: &'a str,
) -> BoxFuture<'a, Result<CallToolResult, ErrorData>> {
    called(previews, client, tool, arguments).boxed()
}

async fn called(
    previews: &Previews,
    client: &ClientSession,
    tool: &str,
    arguments: &str,
) -> Result<CallToolResult, ErrorData> {
    let session = &client.session;
    let answered = match tool {
        OUTLINE_TOOL => {
            let OutlineArguments { id } = parsed(arguments)?;
            outline(previews, session, &id).await
        }
        ROWS_TOOL => rows(previews, session, parsed(arguments)?).await,
        TEXT_TOOL => text(previews, session, parsed(arguments)?).await,
        _ => page(previews, session, parsed(arguments)?).await,
    };
    Ok(answered.unwrap_or_else(|error| results::failed(&error, u64::MAX)))
}

fn parsed<T: DeserializeOwned>(arguments: &str) -> Result<T, ErrorData> {
    serde_json::from_str(arguments)
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}

async fn outline(previews: &Previews, session: &Session, id: &str) -> Result<CallToolResult> {
    let preview = opened(previews, session, &artifact(session, id)?).await?;
    structured(&preview.outline())
}

async fn rows(
    previews: &Previews,
    session: &Session,
    wanted: RowsArguments,
) -> Result<CallToolResult> {
    let preview = opened(previews, session, &artifact(session, &wanted.id)?).await?;
    structured(&preview.rows(wanted.sheet, wanted.from, wanted.count).await?)
}

async fn text(
    previews: &Previews,
    session: &Session,
    wanted: TextArguments,
) -> Result<CallToolResult> {
    let artifact = artifact(session, &wanted.id)?;
    let preview = opened(previews, session, &artifact).await?;
    let load = || content(session.clone(), artifact.clone());
    structured(&preview.text::<_, Error>(wanted.offset, wanted.length, load).await?)
}

async fn page(
    previews: &Previews,
    session: &Session,
    wanted: PageArguments,
) -> Result<CallToolResult> {
    let artifact = artifact(session, &wanted.id)?;
    let preview = opened(previews, session, &artifact).await?;
    let (bytes, media_type) = if preview.kind() == OutlineKind::Picture {
        if artifact.size > MAX_PICTURE_BYTES {
            let limit = mitt_base::Resource::Document;
            return Err(Error::limit(limit, MAX_PICTURE_BYTES, artifact.size));
        }
        let bytes = content(session.clone(), artifact.clone()).await?;
        (bytes, preview.outline().media_type)
    } else {
        (preview.page(wanted.page, wanted.width).await?, "image/png".to_owned())
    };
    Ok(CallToolResult::success(vec![ContentBlock::image(STANDARD.encode(bytes), media_type)]))
}

/// Returns a result that only programs read.
fn structured(value: &impl Serialize) -> Result<CallToolResult> {
    let mut result = CallToolResult::success(Vec::new());
    result.structured_content = Some(serde_json::to_value(value).map_err(Error::bug)?);
    Ok(result)
}

/// Returns the identifier of a file for the viewer. It names one content, because a later file can have the same name.
fn id_of(artifact: &Artifact) -> String {
    let digest = artifact.sha256.get(..16).unwrap_or(&artifact.sha256);
    format!("{digest}:{}", artifact.name)
}

/// Returns the file with this identifier.
///
/// # Errors
///
/// [`ErrorKind::Input`] - there is none, or a later file of the name has replaced it.
fn artifact(session: &Session, id: &str) -> Result<Artifact> {
    let known = session.artifacts();
    if let Some(found) = known.iter().find(|it| id_of(it) == id) {
        return Ok(found.clone());
    }
    let name: Cow<'_, str> = id.split_once(':').map_or("".into(), |it| it.1.into());
    let message = if known.iter().any(|it| it.name == name) {
        REPLACED
    } else {
        "the file is not there any more"
    };
    Err(Error::new(ErrorKind::Input, message))
}

/// Returns the preview of a file.
async fn opened(previews: &Previews, session: &Session, artifact: &Artifact) -> Result<Preview> {
    let file = PreviewFile {
        tenant: session.tenant(),
        name: &artifact.name,
        media_type: &artifact.media_type,
        sha256: &artifact.sha256,
        size: artifact.size,
        is_rendered: artifact.contents.pages.is_some(),
    };
    previews.open(file, || content(session.clone(), artifact.clone())).await
}

/// Returns the bytes of a file.
///
/// # Errors
///
/// [`ErrorKind::Input`] - a later file of the name has replaced it meanwhile. Those of [`Session::artifact_content`].
async fn content(session: Session, artifact: Artifact) -> Result<Vec<u8>> {
    let read = tokio::task::spawn_blocking(move || {
        unchanged(session.artifact_content(&artifact.name)?, &artifact.sha256)
    });
    read.await.map_err(Error::bug)?
}

/// Returns the content of a file if it is the one that is meant. Previews keep it under its digest.
fn unchanged(content: Vec<u8>, digest: &str) -> Result<Vec<u8>> {
    if sha256(&content) == digest {
        Ok(content)
    } else {
        Err(Error::new(ErrorKind::Input, REPLACED))
    }
}

#[cfg(test)]
#[path = "apps_tests.rs"]
mod tests;
