//! Files of the service that become documents of a run: delivered files, and those of containers.

use std::time::Duration;

use super::error::at;
use super::files::{INTERNAL, find, is_delivered};
use super::request::Asked;
use super::tools::Container;
use crate::code::{NewSandbox, SandboxFile, SandboxState, Sandboxes};
use crate::files::{Files, UploadedFile};
use crate::problem::Problem;
use crate::run::{DocumentSource, RunState};
use crate::service::Service;
use crate::store::Blob;

/// Time after the last use at which a container of a response is deleted, as OpenAI has it.
const CONTAINER_LIFE: Duration = Duration::from_secs(20 * 60);
/// Most files of a container that become documents: a request has at most 100 documents.
const MOST_DOCUMENTS: usize = 100;
/// Endings of readable files beside those that the readers name.
const READABLE: [&str; 7] = ["htm", "jpeg", "log", "tif", "tsv", "yaml", "yml"];
/// Time that a run has to take a file over.
const INTERNAL_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// Makes uploaded files of delivered ones, which a run can take.
pub(super) async fn resolve(
    service: &Service,
    tenant: &str,
    documents: Vec<DocumentSource>,
) -> Result<Vec<DocumentSource>, Problem> {
    let mut resolved = Vec::with_capacity(documents.len());
    for document in documents {
        resolved.push(match document {
            DocumentSource::File { file, name } if is_delivered(&file) => {
                let found = find(service, tenant, &file).await?;
                let name = name.unwrap_or_else(|| found.name.clone());
                let blob = Blob { sha256: found.sha256, size: found.size };
                internal(service, tenant, (&name, &found.media_type), blob).await?
            }
            other => other,
        });
    }
    Ok(resolved)
}

/// Returns the container in which a run goes on, and the documents of the request and of the container. `is_message` says that the
/// request has an instruction.
pub(super) async fn container_and_files(
    service: &Service,
    tenant: &str,
    asked: &Asked,
    (state, mut container, is_message): (&RunState, Option<String>, bool),
) -> Result<(Option<String>, Vec<DocumentSource>), Problem> {
    let mut files = resolve(service, tenant, asked.input.documents.clone()).await?;
    match &asked.tools.container {
        Some(wanted) if is_message => {
            let (known, others) = ((container.as_deref(), Some(state)), files.len());
            let of_container = of_container(service, tenant, wanted, known, others);
            let (id, more) = of_container.await?;
            container = Some(id);
            files.extend(more);
        }
        Some(Container::Id(id)) if container.as_ref() != Some(id) => {
            let detail = "an instruction goes on in the container in which it began";
            return Err(at("/tools/container", "container_changed", detail)
                .hint("name the same container, or send a message with it"));
        }
        _ => {}
    }
    Ok((container, files))
}

/// Returns the container of a response, and those of its files that become documents of the run beside `others`: files that a
/// reader reads, and that the run does not have yet. Scripts find all files of the container.
pub(super) async fn of_container(
    service: &Service,
    tenant: &str,
    wanted: &Container,
    (previous, run): (Option<&str>, Option<&RunState>),
    others: usize,
) -> Result<(String, Vec<DocumentSource>), Problem> {
    let sandbox = match (wanted, previous) {
        (Container::Id(id), _) => service.sandboxes().get(tenant, id).await?,
        (Container::Auto { file_ids }, previous) => {
            let known = match previous {
                Some(id) => service.sandboxes().get(tenant, id).await.ok(),
                None => None,
            };
            let sandbox = match known {
                Some(sandbox) => sandbox,
                None => new_container(service, tenant).await?,
            };
            for file in file_ids {
                add(service, tenant, &sandbox, file).await?;
            }
            service.sandboxes().get(tenant, &sandbox.id).await?
        }
    };
    let most_bytes = service.host().session_limits().document_bytes;
    let is_known = |sha256: &String| {
        run.is_some_and(|run| {
            let read = run.documents.iter().map(|it| &it.sha256);
            read.chain(run.files.iter().map(|it| &it.sha256)).any(|it| it == sha256)
        })
    };
    let is_document = |file: &&SandboxFile| {
        file.size <= most_bytes && is_readable(service, &file.name) && !is_known(&file.sha256)
    };
    let room = MOST_DOCUMENTS.saturating_sub(others);
    let files: Vec<&SandboxFile> = sandbox.files.iter().filter(is_document).take(room).collect();
    let mut documents = Vec::new();
    for file in files {
        let blob = Blob { sha256: file.sha256.clone(), size: file.size };
        // A document has no folders.
        let name = file.name.rsplit('/').next().unwrap_or_default();
        let named = (name, file.media_type.as_str());
        documents.push(internal(service, tenant, named, blob).await?);
    }
    Ok((sandbox.id, documents))
}

/// Returns `true` if files of this name can be read as documents.
fn is_readable(service: &Service, name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let extension = extension.to_ascii_lowercase();
    let is_read = READABLE.contains(&extension.as_str());
    is_read
        || service.host().registry().skills().any(|skill| {
            let reader = skill.manifest().reader();
            reader.is_some_and(|it| it.extensions.contains(&extension))
        })
}

async fn new_container(service: &Service, tenant: &str) -> Result<SandboxState, Problem> {
    let new = NewSandbox { name: "auto".to_owned(), prefix: "cntr_", life: CONTAINER_LIFE };
    service.sandboxes().create(tenant, new).await
}

/// Adds an uploaded file to a container.
async fn add(
    service: &Service,
    tenant: &str,
    sandbox: &SandboxState,
    file: &str,
) -> Result<(), Problem> {
    let file = find(service, tenant, file).await.map_err(|problem| match problem.status {
        404 => at("/tools/container/file_ids", "not_found", problem.detail.clone()),
        _ => problem,
    })?;
    if sandbox.files.iter().any(|it| it.name == file.name && it.sha256 == file.sha256) {
        return Ok(());
    }
    let id = Sandboxes::new_file_id()?;
    service.store().keep(tenant, &file.sha256, &id).await?;
    let blob = Blob { sha256: file.sha256, size: file.size };
    let (name, media_type) = (&file.name, &file.media_type);
    let added =
        service.sandboxes().add_file(tenant, &sandbox.id, id.clone(), name, media_type, blob).await;
    if let Err(problem) = added {
        let _ = service.store().release(tenant, &id).await;
        return Err(problem);
    }
    Ok(())
}

/// Deletes the entries that were made for a run, which has taken the contents over.
pub(super) async fn discard(service: &Service, tenant: &str, documents: &[DocumentSource]) {
    for document in documents {
        if let DocumentSource::File { file, .. } = document
            && let Ok(entry) = service.files().get(tenant, file).await
            && entry.purpose == INTERNAL
        {
            // Otherwise it is gone after a day.
            let _ = service.files().delete(tenant, file).await;
        }
    }
}

/// Enters a file that only a run needs. It is not listed, and is gone after a day; the run keeps the content.
async fn internal(
    service: &Service,
    tenant: &str,
    (name, media_type): (&str, &str),
    blob: Blob,
) -> Result<DocumentSource, Problem> {
    let id = Files::new_id()?;
    service.store().keep(tenant, &blob.sha256, &id).await?;
    let created_ms = service.now_ms();
    let file = UploadedFile {
        id: id.clone(),
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        sha256: blob.sha256,
        size: blob.size,
        created_ms,
        expires_ms: Some(
            created_ms.saturating_add(u64::try_from(INTERNAL_LIFE.as_millis()).unwrap_or(u64::MAX)),
        ),
        purpose: INTERNAL.to_owned(),
    };
    if let Err(problem) = service.files().enter(tenant, file, Some(INTERNAL_LIFE)).await {
        let _ = service.store().release(tenant, &id).await;
        return Err(problem);
    }
    Ok(DocumentSource::File { file: id, name: Some(name.to_owned()) })
}
