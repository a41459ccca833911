//! `/v1/containers/{container}/scripts`: runs scripts in a container, whose variables and files stay for the next one.

use std::time::Duration;

use hyper::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::viewer::Viewer;
use crate::code::{SandboxFile, Script, ScriptResult};
use crate::http::{Answered, Body, Request, Responds, Schema, json, schema_of};
use crate::run::RunFile;
use crate::service::{Endpoint, Service};

/// A script to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RunScript {
    /// Source text.
    #[schemars(length(min = 1, max = 1_000_000))]
    code: String,
    /// Language or engine: `python` (default), `python-lite` or `javascript`, also named `js` and `ts`.
    #[serde(default = "python")]
    language: String,
    /// `sys.argv[1:]`; `mitt.arguments` in JavaScript.
    #[serde(default)]
    #[schemars(length(max = 1_000))]
    arguments: Vec<String>,
    /// Variables of the script.
    #[serde(default)]
    inputs: Map<String, Value>,
    /// `true` if variables stay for the next script. They are in memory: after five minutes without a script, or a restart of
    /// the service, they are gone. Files stay.
    #[serde(default)]
    keep_variables: bool,
    /// Time limit in seconds. Default: the limit of the tool.
    #[serde(default)]
    #[schemars(range(min = 1, max = 3_600))]
    seconds: Option<u64>,
}

fn python() -> String {
    "python".to_owned()
}

/// What a script did.
#[derive(JsonSchema, Serialize)]
struct ScriptOutcome {
    /// What it printed.
    stdout: String,
    /// What it wrote to standard error, with the traceback of its exception.
    stderr: String,
    /// Value of its last line: JSON as text, or its `repr` if JSON has no form for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    /// `error`, `timeout` or `sandbox_error`; missing if the script succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    /// Class of the exception, or the reason for which the script was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_kind: Option<String>,
    /// The way out.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Files that it wrote or that its tools delivered, with links.
    files: Vec<RunFile>,
    /// Names of files of the container that it removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    deleted: Vec<String>,
    /// Reasons why a written file is not among `files`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    /// What was changed in a file, or could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let body = schema_of::<RunScript>();
    let schema = body.clone();
    let handler = move |service, request| run(service, request, schema.clone());
    let path = "/v1/containers/{container}/scripts";
    let summary = "Runs a script in a container.";
    let endpoint = Endpoint::new("scripts", Method::POST, path, "run_script", summary, handler)
        .describe(
            "The script finds the files of the container below `/mnt/data/` and by their names. What it writes there becomes a \
             file of the container. One script of a container runs at a time; others wait. An error of the script is a result, \
             not a problem.",
        )
        .reads(Body::Json(body))
        .responds(Responds::Json(200, schema_of::<ScriptOutcome>()));
    vec![endpoint]
}

async fn run(service: Service, request: Request, schema: Schema) -> Answered {
    let (tenant, container) = (request.tenant(), request.parameter("container").to_owned());
    let viewer = Viewer::of(&service, &request);
    let RunScript { code, language, arguments, inputs, keep_variables, seconds } =
        request.json(&schema).await?.value;
    service.room(&tenant).await?.check(1)?;
    let time = seconds.map(Duration::from_secs);
    let script =
        Script { language, code, arguments, inputs, keeps_variables: keep_variables, time };
    let done = service.sandboxes().run(&tenant, &container, script).await?;
    Ok(json(200, &outcome(done, &viewer)))
}

fn outcome(done: ScriptResult, viewer: &Viewer) -> ScriptOutcome {
    let linked = |file: SandboxFile| {
        let SandboxFile { name, media_type, sha256, size, .. } = file;
        viewer.file(RunFile { name, media_type, sha256, size, pages: None, url: None })
    };
    ScriptOutcome {
        stdout: done.stdout,
        stderr: done.stderr,
        result: done.result,
        failure: done.failure,
        error_kind: done.error_kind,
        hint: done.hint,
        files: done.files.into_iter().map(linked).collect(),
        deleted: done.deleted,
        left_out: done.left_out,
        warnings: done.warnings,
    }
}
