//! `/v1/containers`: sandboxes with their files, as OpenAI's code interpreter has them.

use std::time::Duration;

use hyper::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::at;
use super::files;
use crate::code::{NewSandbox, SandboxFile, SandboxState, Sandboxes};
use crate::http::{
    ANY_FILE, Answered, Body, Download, FormField, Request, Responds, download, json, schema_of,
};
use crate::problem::Problem;
use crate::service::{Endpoint, Service};
use crate::store::Blob;

/// Prefix of the identifiers of containers.
const PREFIX: &str = "cntr_";
/// Folder of the files.
const FOLDER: &str = "/mnt/data/";
/// Memory of a container's session.
const MEMORY: &str = "1g";
/// Memory that clients may ask for.
const MEMORIES: [&str; 4] = ["1g", "4g", "16g", "64g"];
/// Minutes after the last use at which a container is deleted: default and range.
const LIFE_MINUTES: u64 = 20;
const LIFE_RANGE: std::ops::RangeInclusive<u64> = 1..=43_200;
/// Most files with which a container begins.
const MOST_FILE_IDS: usize = 50;
/// Entries of a page: default and range.
const LISTED: u64 = 20;
const LIST_RANGE: std::ops::RangeInclusive<u64> = 1..=100;
/// Containers of a tenant that are looked at for a list.
const MOST_CONTAINERS: usize = 10_000;
/// Containers that are read from the store at once.
const PAGE: usize = 200;
/// Bytes of a form beside the file.
const FORM_BYTES: u64 = 64 * 1024;

/// A new container.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "OpenAiNewContainer")]
struct NewContainer {
    /// Name.
    name: String,
    /// When it is deleted. Default: 20 minutes after its last use.
    #[serde(default)]
    expires_after: Option<ExpiresAfter>,
    /// Uploaded files that it begins with, at most 50.
    #[serde(default)]
    file_ids: Option<Vec<String>>,
    /// `1g`, `4g`, `16g` or `64g`. A container has the memory of a session, which is 1 GiB unless the operator sets another
    /// one.
    #[serde(default)]
    memory_limit: Option<String>,
    /// `{"type": "disabled"}`: a container has no network.
    #[serde(default)]
    network_policy: Option<NetworkPolicy>,
    /// Not supported.
    #[serde(default)]
    skills: Option<Vec<serde_json::Value>>,
}

/// When a container is deleted.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "OpenAiExpiresAfter")]
struct ExpiresAfter {
    /// Always `last_active_at`.
    anchor: String,
    /// Minutes after its last use, from 1 to 43200.
    minutes: u64,
}

/// Access of a container to the network.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "OpenAiNetworkPolicy")]
struct NetworkPolicy {
    /// Always `disabled`.
    #[serde(rename = "type")]
    kind: String,
}

/// A container.
#[derive(Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "OpenAiContainer")]
struct Container {
    /// Identifier.
    id: String,
    /// Always `container`.
    object: &'static str,
    /// Time of creation in seconds after 1970.
    created_at: u64,
    /// Always `running`.
    status: &'static str,
    /// When it is deleted.
    expires_after: ExpiresAfter,
    /// Time of the last use in seconds after 1970.
    last_active_at: u64,
    /// Memory.
    memory_limit: &'static str,
    /// Access to the network.
    network_policy: NetworkPolicy,
    /// Name.
    name: String,
}

/// A file of a container.
#[derive(Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "OpenAiContainerFile")]
struct ContainerFile {
    /// Identifier.
    id: String,
    /// Always `container.file`.
    object: &'static str,
    /// Time at which it was added, in seconds after 1970.
    created_at: u64,
    /// Size in bytes.
    bytes: u64,
    /// The container.
    container_id: String,
    /// Path for scripts, such as `/mnt/data/sales.csv`.
    path: String,
    /// `user` if the client added it, `assistant` if a script or a tool wrote it.
    source: &'static str,
}

/// A page.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenAiPageOf{T}")]
struct Page<T> {
    /// Always `list`.
    object: &'static str,
    /// The entries.
    data: Vec<T>,
    /// Identifier of the first entry.
    first_id: Option<String>,
    /// Identifier of the last entry, for `after`.
    last_id: Option<String>,
    /// `true` if there are further entries.
    has_more: bool,
}

/// What was deleted.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenAiDeletedContainer")]
struct Deleted {
    /// Identifier.
    id: String,
    /// `container.deleted` or `container.file.deleted`.
    object: &'static str,
    /// Always `true`.
    deleted: bool,
}

/// An uploaded file that a container gets.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "OpenAiNewContainerFile")]
struct NewFile {
    /// Identifier of the uploaded file.
    file_id: String,
}

/// A form that adds a file.
#[derive(JsonSchema)]
#[schemars(rename = "OpenAiContainerUpload")]
#[expect(dead_code, reason = "only its schema is used: forms are read piece by piece")]
struct Upload {
    /// The file.
    #[schemars(extend("format" = "binary"))]
    file: Option<String>,
    /// Identifier of an uploaded file instead.
    file_id: Option<String>,
}

impl From<SandboxState> for Container {
    fn from(state: SandboxState) -> Container {
        Container {
            object: "container",
            created_at: state.created_ms / 1_000,
            status: "running",
            expires_after: ExpiresAfter {
                anchor: "last_active_at".to_owned(),
                minutes: state.life_seconds.div_ceil(60),
            },
            last_active_at: state.used_ms / 1_000,
            memory_limit: MEMORY,
            network_policy: NetworkPolicy { kind: "disabled".to_owned() },
            name: state.name,
            id: state.id,
        }
    }
}

impl ContainerFile {
    fn new(container: &str, file: SandboxFile) -> ContainerFile {
        ContainerFile {
            object: "container.file",
            created_at: file.created_ms / 1_000,
            bytes: file.size,
            container_id: container.to_owned(),
            path: format!("{FOLDER}{}", file.name),
            source: if file.is_written { "assistant" } else { "user" },
            id: file.id,
        }
    }
}

pub(crate) fn endpoints(_service: &Service) -> Vec<Endpoint> {
    let container = || Responds::Json(200, schema_of::<Container>());
    let file = || Responds::Json(200, schema_of::<ContainerFile>());
    let deleted = || Responds::Json(200, schema_of::<Deleted>());
    const PAGE_QUERY: &[(&str, &str)] = &[
        ("after", "Identifier of the last entry of the page before."),
        ("limit", "Most entries, from 1 to 100. Default: 20."),
        ("order", "`desc`, which begins with the newest, or `asc`. Default: `desc`."),
        ("name", "Only containers of this name."),
    ];
    let new = |method: Method, path: &str, operation: &str, summary: &str, handler: Handler| {
        Endpoint::new("openai", method, path, operation, summary, handler)
    };
    const ALL: &str = "/v1/containers";
    const ONE: &str = "/v1/containers/{container}";
    const FILES: &str = "/v1/containers/{container}/files";
    const FILE: &str = "/v1/containers/{container}/files/{file}";
    const CONTENT: &str = "/v1/containers/{container}/files/{file}/content";
    let body = || Body::JsonOrForm(schema_of::<NewFile>(), schema_of::<Upload>());
    vec![
        new(Method::POST, ALL, "openai_create_container", "Makes a container", |service, request| {
            Box::pin(create(service, request))
        })
        .describe("A container runs scripts of the code interpreter in Python or JavaScript, and keeps their files and variables.")
        .reads(Body::Json(schema_of::<NewContainer>()))
        .responds(container()),
        new(Method::GET, ALL, "openai_list_containers", "Lists containers", |service, request| {
            Box::pin(list(service, request))
        })
        .query(PAGE_QUERY)
        .responds(Responds::Json(200, schema_of::<Page<Container>>())),
        new(Method::GET, ONE, "openai_get_container", "Returns a container", |service, request| {
            Box::pin(get(service, request))
        })
        .responds(container()),
        new(Method::DELETE, ONE, "openai_delete_container", "Deletes a container", |service, request| {
            Box::pin(delete(service, request))
        })
        .responds(deleted()),
        new(Method::POST, FILES, "openai_add_container_file", "Adds a file", |service, request| {
            Box::pin(add_file(service, request))
        })
        .reads(body())
        .responds(file()),
        new(Method::GET, FILES, "openai_list_container_files", "Lists files", |service, request| {
            Box::pin(list_files(service, request))
        })
        .query(&PAGE_QUERY[..3])
        .responds(Responds::Json(200, schema_of::<Page<ContainerFile>>())),
        new(Method::GET, FILE, "openai_get_container_file", "Returns a file", |service, request| {
            Box::pin(get_file(service, request))
        })
        .responds(file()),
        new(Method::GET, CONTENT, "openai_get_container_file_content", "Downloads a file", |service, request| {
            Box::pin(content(service, request))
        })
        .downloads(ANY_FILE),
        new(Method::DELETE, FILE, "openai_delete_container_file", "Deletes a file", |service, request| {
            Box::pin(delete_file(service, request))
        })
        .responds(deleted()),
    ]
}

type Handler = fn(Service, Request) -> std::pin::Pin<Box<dyn Future<Output = Answered> + Send>>;

async fn create(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let body = request.json::<NewContainer>(&schema_of::<NewContainer>()).await?;
    let new = &body.value;
    let life = checked(new)?;
    let sandboxes = service.sandboxes();
    let sandbox = NewSandbox { name: new.name.clone(), prefix: PREFIX, life };
    let mut state = sandboxes.create(&tenant, sandbox).await?;
    for id in new.file_ids.iter().flatten() {
        match add_uploaded(&service, (&tenant, &state.id), id).await {
            Ok(file) => state.files.push(file),
            Err(problem) => {
                sandboxes.delete(&tenant, &state.id).await?;
                return Err(problem);
            }
        }
    }
    Ok(json(200, &Container::from(state)))
}

/// Checks a new container, and returns its life.
fn checked(new: &NewContainer) -> Result<Duration, Problem> {
    if new.name.is_empty() {
        return Err(at("/name", "invalid_value", "expected a name"));
    }
    if let Some(memory) = new.memory_limit.as_deref()
        && !MEMORIES.contains(&memory)
    {
        let detail = format!("expected one of {}", MEMORIES.join(", "));
        return Err(at("/memory_limit", "unsupported_value", &detail));
    }
    if new.network_policy.as_ref().is_some_and(|it| it.kind != "disabled") {
        let detail = "expected `disabled`: a container has no network";
        return Err(at("/network_policy/type", "unsupported_value", detail));
    }
    if new.skills.as_ref().is_some_and(|it| !it.is_empty()) {
        let detail = "skills of the client are not supported; those of the operator are there";
        return Err(at("/skills", "unsupported_value", detail));
    }
    if new.file_ids.as_ref().is_some_and(|it| it.len() > MOST_FILE_IDS) {
        let detail = format!("expected at most {MOST_FILE_IDS} files");
        return Err(at("/file_ids", "invalid_value", &detail));
    }
    let Some(ExpiresAfter { anchor, minutes }) = &new.expires_after else {
        return Ok(Duration::from_mins(LIFE_MINUTES));
    };
    if anchor != "last_active_at" {
        return Err(at("/expires_after/anchor", "unsupported_value", "expected `last_active_at`"));
    }
    if !LIFE_RANGE.contains(minutes) {
        let (least, most) = (LIFE_RANGE.start(), LIFE_RANGE.end());
        let detail = format!("expected {least} to {most} minutes, got {minutes}");
        return Err(at("/expires_after/minutes", "invalid_value", &detail));
    }
    Ok(Duration::from_mins(*minutes))
}

/// Adds a file that was uploaded to `/v1/files`, or that a run delivered.
async fn add_uploaded(
    service: &Service,
    (tenant, container): (&str, &str),
    id: &str,
) -> Result<SandboxFile, Problem> {
    let file = files::find(service, tenant, id).await?;
    let owner = Sandboxes::new_file_id()?;
    service.store().keep(tenant, &file.sha256, &owner).await?;
    let content = Blob { sha256: file.sha256, size: file.size };
    let name = file.name.rsplit('/').next().unwrap_or_default();
    let sandboxes = service.sandboxes();
    sandboxes.add_file(tenant, container, owner, name, &file.media_type, content).await
}

async fn list(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let name = request.query("name");
    let mut containers: Vec<Container> = Vec::new();
    let mut after = PREFIX.to_owned();
    let mut looked_at = 0;
    while looked_at < MOST_CONTAINERS {
        let page = service.sandboxes().list(&tenant, Some(&after), PAGE).await?;
        let Some(last) = page.last() else { break };
        after.clone_from(&last.id);
        looked_at += page.len();
        let is_end = page.len() < PAGE || !after.starts_with(PREFIX);
        let found = page.into_iter().filter(|it| it.id.starts_with(PREFIX));
        containers.extend(
            found
                .filter(|it| name.as_ref().is_none_or(|name| it.name == *name))
                .map(Container::from),
        );
        if is_end {
            break;
        }
    }
    containers.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    Ok(json(200, &page(&request, containers, |it| &it.id)?))
}

/// Returns the part of a list, sorted with the oldest first, that a request wants.
fn page<T>(request: &Request, mut all: Vec<T>, id: fn(&T) -> &String) -> Result<Page<T>, Problem> {
    let limit = request.query_number("limit")?.unwrap_or(LISTED);
    if !LIST_RANGE.contains(&limit) {
        let (least, most) = (LIST_RANGE.start(), LIST_RANGE.end());
        let detail = format!("expected {least} to {most}, got {limit}");
        return Err(at("/limit", "invalid_value", &detail));
    }
    match request.query("order").as_deref() {
        None | Some("desc") => all.reverse(),
        Some("asc") => {}
        Some(_) => return Err(at("/order", "unsupported_value", "expected `asc` or `desc`")),
    }
    Ok(part(all, request.query("after").as_deref(), usize::try_from(limit).unwrap_or(0), id))
}

fn part<T>(mut all: Vec<T>, after: Option<&str>, limit: usize, id: fn(&T) -> &String) -> Page<T> {
    if let Some(after) = after {
        let at = all.iter().position(|it| id(it) == after).map_or(all.len(), |at| at + 1);
        all.drain(..at);
    }
    let has_more = all.len() > limit;
    all.truncate(limit);
    let first_id = all.first().map(|it| id(it).clone());
    let last_id = all.last().map(|it| id(it).clone());
    Page { object: "list", data: all, first_id, last_id, has_more }
}

/// Returns the container of a path.
async fn container(service: &Service, request: &Request) -> Result<SandboxState, Problem> {
    let id = request.parameter("container");
    let missing = || Problem::not_found("container", id);
    if !id.starts_with(PREFIX) {
        return Err(missing());
    }
    let found = service.sandboxes().get(&request.tenant(), id).await;
    found.map_err(|problem| if problem.status == 404 { missing() } else { problem })
}

/// Returns the file of a path, with its container.
async fn file(service: &Service, request: &Request) -> Result<(String, SandboxFile), Problem> {
    let state = container(service, request).await?;
    let id = request.parameter("file");
    let file = state.files.into_iter().find(|it| it.id == id);
    Ok((state.id, file.ok_or_else(|| Problem::not_found("file", id))?))
}

async fn get(service: Service, request: Request) -> Answered {
    Ok(json(200, &Container::from(container(&service, &request).await?)))
}

async fn delete(service: Service, request: Request) -> Answered {
    let state = container(&service, &request).await?;
    service.sandboxes().delete(&request.tenant(), &state.id).await?;
    Ok(json(200, &Deleted { id: state.id, object: "container.deleted", deleted: true }))
}

async fn add_file(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let id = container(&service, &request).await?.id;
    let added = if request.has_form() {
        let mut form = request.form(service.upload_bytes().saturating_add(FORM_BYTES))?;
        let mut added = None;
        while let Some(field) = form.next().await? {
            match field.name.as_str() {
                "file" | "file_id" if added.is_some() => {
                    return Err(at("/file", "invalid_value", "expected one file, got several"));
                }
                "file" => added = Some(store(&service, (&tenant, &id), field).await?),
                "file_id" => {
                    let file = field.text().await?;
                    added = Some(add_uploaded(&service, (&tenant, &id), &file).await?);
                }
                _ => {
                    field.text().await?;
                }
            }
        }
        added
    } else {
        let body = request.json::<NewFile>(&schema_of::<NewFile>()).await?;
        Some(add_uploaded(&service, (&tenant, &id), &body.value.file_id).await?)
    };
    let missing = || at("/file", "missing_required_parameter", "expected `file` or `file_id`");
    Ok(json(200, &ContainerFile::new(&id, added.ok_or_else(missing)?)))
}

/// Stores a file of a form in a container.
async fn store(
    service: &Service,
    (tenant, container): (&str, &str),
    mut field: FormField,
) -> Result<SandboxFile, Problem> {
    let name = field.file_name.clone().unwrap_or_default();
    let media_type = field.media_type.clone().unwrap_or_default();
    let most = service.upload_bytes();
    let id = Sandboxes::new_file_id()?;
    let room = service.room(tenant).await?;
    let mut writer = service.store().blob_writer(tenant).await?;
    let mut size = 0_u64;
    while let Some(piece) = field.piece().await? {
        size = size.saturating_add(piece.len() as u64);
        if size > most {
            let detail = format!("a file has at most {most} bytes");
            return Err(Problem::new(413, "too_large", detail));
        }
        room.check(size)?;
        writer.write(&piece).await?;
    }
    let content = writer.finish(&id).await?;
    service.sandboxes().add_file(tenant, container, id, &name, &media_type, content).await
}

async fn list_files(service: Service, request: Request) -> Answered {
    let state = container(&service, &request).await?;
    let id = state.id;
    let files = state.files.into_iter().map(|it| ContainerFile::new(&id, it)).collect();
    Ok(json(200, &page(&request, files, |it| &it.id)?))
}

async fn get_file(service: Service, request: Request) -> Answered {
    let (id, file) = file(&service, &request).await?;
    Ok(json(200, &ContainerFile::new(&id, file)))
}

async fn content(service: Service, request: Request) -> Answered {
    let (_, file) = file(&service, &request).await?;
    let content = service.store().blob(&request.tenant(), &file.sha256).await?;
    let name = file.name.rsplit('/').next().unwrap_or_default();
    let (media_type, sha256) = (file.media_type.as_str(), file.sha256.as_str());
    Ok(download(&request, Download { name, media_type, sha256, content }))
}

async fn delete_file(service: Service, request: Request) -> Answered {
    let (id, file) = file(&service, &request).await?;
    service.sandboxes().delete_file(&request.tenant(), &id, &file.id).await?;
    Ok(json(200, &Deleted { id: file.id, object: "container.file.deleted", deleted: true }))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn new(fields: Value) -> NewContainer {
        let mut body = json!({ "name": "a" });
        for (key, value) in fields.as_object().unwrap() {
            body[key] = value.clone();
        }
        serde_json::from_value(body).unwrap()
    }

    #[test]
    fn lives_are_bounded_and_count_from_the_last_use() {
        let after = |anchor: &str, minutes: u64| {
            checked(&new(json!({ "expires_after": { "anchor": anchor, "minutes": minutes } })))
        };
        assert_eq!(checked(&new(json!({}))).unwrap(), Duration::from_mins(20));
        assert_eq!(after("last_active_at", 1).unwrap(), Duration::from_mins(1));
        assert_eq!(after("last_active_at", 43_200).unwrap(), Duration::from_mins(43_200));
        for (anchor, minutes) in
            [("created_at", 1), ("last_active_at", 0), ("last_active_at", 43_201)]
        {
            assert!(matches!(after(anchor, minutes).unwrap_err().status, 400 | 422));
        }
    }

    #[test]
    fn what_a_container_cannot_have_is_refused() {
        let files = vec!["file-a"; MOST_FILE_IDS + 1];
        for wrong in [
            json!({ "name": "" }),
            json!({ "memory_limit": "2g" }),
            json!({ "network_policy": { "type": "allowlist", "allowed_domains": ["a.example"] } }),
            json!({ "skills": [{ "type": "inline" }] }),
            json!({ "file_ids": files }),
        ] {
            let problem = checked(&new(wrong.clone())).unwrap_err();
            assert!(matches!(problem.status, 400 | 422), "{wrong}");
        }
        let all =
            json!({ "memory_limit": "4g", "network_policy": { "type": "disabled" }, "skills": [] });
        assert!(checked(&new(all)).is_ok());
    }

    #[test]
    fn pages_follow_each_other() {
        let all = || ["a", "b", "c"].map(str::to_owned).to_vec();
        let first = part(all(), None, 2, |it| it);
        assert_eq!(
            (first.data.len(), first.has_more, first.last_id.as_deref()),
            (2, true, Some("b"))
        );
        let second = part(all(), first.last_id.as_deref(), 2, |it| it);
        assert_eq!((second.data, second.has_more), (vec!["c".to_owned()], false));
        assert!(part(all(), Some("x"), 2, |it| it).data.is_empty(), "an unknown place is the end");
    }
}
