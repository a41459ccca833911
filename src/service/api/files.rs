//! Files that a run delivered, and signed links to files.

use hyper::Method;
use schemars::JsonSchema;
use serde::Serialize;

use super::outcome::{ZIP, archived};
use super::viewer::Viewer;
use crate::http::{ANY_FILE, Answered, Download, Request, Responds, download, json, schema_of};
use crate::problem::Problem;
use crate::run::RunFile;
use crate::service::{Endpoint, Service};
use crate::store::StoreError;
use mitt_serve::AUDIT_TARGET;

/// Files of a run.
#[derive(JsonSchema, Serialize)]
struct RunFiles {
    /// The delivered files, each with a signed link.
    files: Vec<RunFile>,
    /// With `versions=true`, earlier versions of these files, oldest first: at most 19 of a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    versions: Vec<RunFile>,
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let of_run = |path: &str, operation: &str, summary: &str| {
        (format!("/v1/runs/{{run}}/{path}"), operation.to_owned(), summary.to_owned())
    };
    let (path, operation, summary) =
        of_run("files", "list_run_files", "Lists the files that a run delivered.");
    let list = Endpoint::new("runs", Method::GET, &path, &operation, &summary, list)
        .query(&[("versions", "`true`: with the versions that later files replaced.")])
        .responds(Responds::Json(200, schema_of::<RunFiles>()));
    let (path, operation, summary) =
        of_run("files/{name...}", "get_run_file", "Downloads a file that a run delivered.");
    let get = Endpoint::new("runs", Method::GET, &path, &operation, &summary, get)
        .describe("`Range` names a part of it.")
        .query(&[("version", "SHA-256 of the version. Default: the last one.")])
        .downloads(ANY_FILE);
    let (path, operation, summary) =
        of_run("files.zip", "get_run_archive", "Downloads all files and the answer as one ZIP.");
    let all = Endpoint::new("runs", Method::GET, &path, &operation, &summary, all)
        .responds(Responds::File(&[ZIP]));
    let summary = "Downloads a file by its signed link.";
    let path = "/v1/links/{token}/{name...}";
    let link = Endpoint::new("links", Method::GET, path, "get_linked_file", summary, follow)
        .describe("Needs no token. `Range` names a part of it.")
        .downloads(ANY_FILE)
        .public();
    vec![list, get, all, link]
}

async fn list(service: Service, request: Request) -> Answered {
    let viewer = Viewer::of(&service, &request);
    let state = service.runs().get(&viewer.tenant, request.parameter("run")).await?;
    let versions = if request.query_flag("versions") {
        service.runs().earlier_files(&viewer.tenant, &state.id).await?
    } else {
        Vec::new()
    };
    let linked = |files: Vec<RunFile>| -> Vec<RunFile> {
        files.into_iter().map(|file| viewer.file(file)).collect()
    };
    Ok(json(200, &RunFiles { files: linked(state.files), versions: linked(versions) }))
}

async fn get(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let (run, name, version) =
        (request.parameter("run"), request.parameter("name"), request.query("version"));
    let file = service.runs().file(&tenant, run, name, version.as_deref()).await?;
    let named = (file.name.as_str(), file.media_type.as_str(), file.sha256.as_str());
    send(&service, &request, &tenant, named).await
}

async fn all(service: Service, request: Request) -> Answered {
    let viewer = Viewer::of(&service, &request);
    let state = service.runs().get(&viewer.tenant, request.parameter("run")).await?;
    Ok(archived(&viewer, state))
}

async fn follow(service: Service, request: Request) -> Answered {
    let file = service.links().follow(request.parameter("token"), service.now())?;
    // With another name, a link could pretend to be something else.
    if file.name != request.parameter("name") {
        return Err(Problem::new(404, "not_found", "there is no such file"));
    }
    let named = (file.name.as_str(), file.media_type.as_str(), file.sha256.as_str());
    let sent = send(&service, &request, &file.tenant, named).await?;
    let (tenant, sha256) = (&file.tenant, &file.sha256);
    tracing::info!(target: AUDIT_TARGET, tenant, sha256, "a file was downloaded by its link");
    Ok(sent)
}

async fn send(
    service: &Service,
    request: &Request,
    tenant: &str,
    (name, media_type, sha256): (&str, &str, &str),
) -> Answered {
    let content = service.store().blob(tenant, sha256).await.map_err(|error| match error {
        StoreError::Missing => Problem::new(404, "not_found", "the file was deleted"),
        error => error.into(),
    })?;
    Ok(download(request, Download { name, media_type, sha256, content }))
}
