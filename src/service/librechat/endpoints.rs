//! The routes: all below `/librechat`, and those of them whose paths are free also without it.

use hyper::Method;
use schemars::JsonSchema;
use serde::Serialize;

use super::paths::{PREFIX, is_ours};
use super::wire::{Exec, ExecResult, Programmatic};
use super::{exec, files, programmatic};
use crate::http::{ANY_FILE, Body, Content, Responds, schema_of};
use crate::service::{Endpoint, Service};

/// Group in the OpenAPI document.
const TAG: &str = "librechat";

/// What a client reads before it sends a script.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LibreChatHealth")]
struct Health {
    /// Always `ok`.
    status: &'static str,
}

/// Returns the endpoints of the interface.
pub(crate) fn endpoints(_service: &Service) -> Vec<Endpoint> {
    let mut endpoints = below(PREFIX, "librechat");
    let free = below("", "librechat_root");
    endpoints.extend(free.into_iter().filter(|it| is_ours(&it.path)));
    endpoints
}

fn below(prefix: &str, name: &str) -> Vec<Endpoint> {
    let at = |path: &str| format!("{prefix}{path}");
    let operation = |it: &str| format!("{name}_{it}");
    let (post, get, delete) = (Method::POST, Method::GET, Method::DELETE);
    vec![
        Endpoint::new(TAG, post.clone(), &at("/exec"), &operation("exec"), "Run a script", exec::exec)
            .describe("Runs a script in Python or JavaScript in a session of its own. Errors of the script are in `stderr`.")
            .reads(Body::Json(schema_of::<Exec>()))
            .responds(Responds::Json(200, schema_of::<ExecResult>())),
        Endpoint::new(
            TAG,
            post.clone(),
            &at("/exec/programmatic"),
            &operation("programmatic"),
            "Run a script that calls tools of the caller",
            programmatic::programmatic,
        )
        .describe(
            "The script is in Python. It runs until it needs results of tools. The response lists the calls, and the next request brings \
             their results. A script that waits for more than an hour is forgotten.",
        )
        .reads(Body::Json(schema_of::<Programmatic>()))
        .responds(Responds::Json(200, schema_of::<ExecResult>())),
        Endpoint::new(TAG, post.clone(), &at("/upload"), &operation("upload"), "Upload files", files::upload)
            .reads(Body::Form(schema_of::<files::UploadForm>()))
            .responds(Responds::Json(200, schema_of::<files::Uploaded>())),
        Endpoint::new(
            TAG,
            post,
            &at("/upload/batch"),
            &operation("upload_batch"),
            "Upload files, some of which may fail",
            files::upload_batch,
        )
        .reads(Body::Form(schema_of::<files::UploadForm>()))
        .responds(Responds::Json(200, schema_of::<files::Uploaded>()))
        .further(400, Content::Json(schema_of::<files::NoneUploaded>())),
        Endpoint::new(
            TAG,
            get.clone(),
            &at("/files/{session}"),
            &operation("files"),
            "List the files of a session",
            files::list,
        )
        .query(&[("detail", "`simple`, `summary`, `full` or `normalized`.")])
        .responds(Responds::Json(200, schema_of::<files::FileList>())),
        Endpoint::new(
            TAG,
            get.clone(),
            &at("/sessions/{session}/objects/{file}"),
            &operation("metadata"),
            "Get what is known of a file",
            files::metadata,
        )
        .responds(Responds::Json(200, schema_of::<files::FileObject>())),
        Endpoint::new(
            TAG,
            get.clone(),
            &at("/download/{session}/{file}"),
            &operation("download"),
            "Download a file",
            files::get,
        )
        .downloads(ANY_FILE),
        Endpoint::new(
            TAG,
            delete,
            &at("/files/{session}/{file}"),
            &operation("delete_file"),
            "Delete a file",
            files::delete,
        )
        .responds(Responds::Json(200, schema_of::<files::DeletedFile>())),
        Endpoint::new(TAG, get, &at("/health"), &operation("health"), "Say that the service is there", health)
            .responds(Responds::Json(200, schema_of::<Health>()))
            .public(),
    ]
}

async fn health(_service: Service, _request: crate::http::Request) -> crate::http::Answered {
    Ok(crate::http::json(200, &Health { status: "ok" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_others_stay_theirs() {
        for path in [
            "/librechat/files/s",
            "/exec",
            "/exec/programmatic",
            "/upload/batch",
            "/download/s/f",
            "/health",
        ] {
            assert!(is_ours(path), "{path}");
        }
        for path in ["/files/s/f", "/healthz", "/executive", "/librechats", "/v1/files", "/"] {
            assert!(!is_ours(path), "{path}");
        }
        let paths: Vec<String> =
            below("", "x").into_iter().map(|it| it.path).filter(|it| is_ours(it)).collect();
        assert_eq!(paths.len(), 7, "{paths:?}");
    }
}
