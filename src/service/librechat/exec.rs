//! `/exec`: each script runs in a session of its own, with the files that the request names.

use std::time::Duration;

use serde_json::Value;

use super::wire::{Exec, ExecResult, FileRef, checked_id, time, typed};
use crate::code::{NewSandbox, SandboxFile, Script, file_name};
use crate::http::{Answered, Request, json, schema_of};
use crate::problem::Problem;
use crate::service::Service;

/// Time after the last use at which a session is deleted with its files. Clients upload again after 23 hours.
pub(super) const LIFE: Duration = Duration::from_hours(24);

/// Most files that a request may name.
const MOST_FILES: usize = 200;

/// Answers `POST /exec`.
pub(super) async fn exec(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let body = request.lenient_json::<Value>().await?;
    let exec: Exec = typed(body.value.clone(), schema_of::<Exec>)?;
    service.room(&tenant).await?.check(1)?;
    let files = files(&service, &tenant, exec.files.unwrap_or_default()).await?;
    let script = Script {
        language: exec.lang,
        code: exec.code,
        arguments: exec.args.map(|it| it.into_list()).unwrap_or_default(),
        time: time(exec.timeout),
        ..Script::default()
    };
    let sandboxes = service.sandboxes();
    let apart = sandboxes.run_apart(&tenant, &files, &script, None).await?;
    let (id, result) = sandboxes.keep(&tenant, apart, new_session()).await?;
    Ok(json(200, &ExecResult::new(id, result)))
}

/// Returns a new session.
pub(super) fn new_session() -> NewSandbox {
    NewSandbox { name: "librechat".to_owned(), prefix: "", life: LIFE }
}

/// Returns the files that a request names. Of two files of the same name, the later one counts.
pub(super) async fn files(
    service: &Service,
    tenant: &str,
    named: Vec<FileRef>,
) -> Result<Vec<SandboxFile>, Problem> {
    if named.len() > MOST_FILES {
        let detail = format!("expected at most {MOST_FILES} files, got {}", named.len());
        return Err(Problem::new(422, "too_many_files", detail));
    }
    let mut files: Vec<SandboxFile> = Vec::new();
    for named in named {
        let session = checked_id("the session of a file", named.session())?;
        let id = checked_id("the id of a file", &named.id)?;
        let mut file = service.sandboxes().file(tenant, session, id).await?;
        if let Some(name) = named.name.as_deref().filter(|it| !it.is_empty()) {
            file.name = file_name(name)?;
        }
        files.retain(|it| it.name != file.name);
        files.push(file);
    }
    Ok(files)
}
