//! Files of a call without a sandbox: uploaded ones become documents of its session, delivered ones become uploaded files.

use std::time::Duration;

use super::arguments::{self, MOST_FILES, NamedFile};
use super::outcome::DeliveredFile;
use crate::files::{Files, UploadedFile};
use crate::problem::{BodyProblem, Problem};
use crate::service::Service;
use crate::store::{Blob, read_whole, write_whole};
use mitt::value::Weight;
use mitt::{Artifact, Session};
use mitt_base::{Error, Resource};

/// Least time for which a delivered file is kept.
const LEAST_LIFE: Duration = Duration::from_secs(60 * 60);

/// What a delivered file is for, as lists of files show it.
const PURPOSE: &str = "tool_output";

/// Adds the uploaded files that `arguments` name to the documents of a session, and returns the arguments with the names of
/// the documents.
///
/// # Errors
///
/// A file does not exist, is too large, or cannot be read.
pub(super) async fn with_documents(
    service: &Service,
    session: &Session,
    arguments: String,
) -> Result<String, Problem> {
    if !arguments::may_name_files(&arguments) {
        return Ok(arguments);
    }
    let weight = Weight::of(arguments.as_bytes()).message_and_text_bytes();
    let _parsed = service.host().charge(session.tenant(), weight)?;
    // The call reports what is wrong with it.
    let Ok(mut value) = arguments::parsed(&arguments) else { return Ok(arguments) };
    let named = arguments::named_files(&value);
    let found = found(service.files(), session.tenant(), named).await?;
    let mut names = Vec::with_capacity(found.len());
    for file in found {
        let document = added(service, session, &file).await?;
        names.push((file.id, document));
    }
    if names.is_empty() {
        return Ok(arguments);
    }
    arguments::rename(&mut value, &names);
    Ok(value.to_string())
}

/// Returns the files of these identifiers. What is only part of a text and names no file is left as it is.
async fn found(
    files: &Files,
    tenant: &str,
    named: Vec<NamedFile>,
) -> Result<Vec<UploadedFile>, Problem> {
    if named.len() > MOST_FILES {
        let detail = format!("a call names at most {MOST_FILES} uploaded files");
        let hint = "add the files to a sandbox, and name it in `X-Mitt-Session`";
        return Err(Problem::new(422, "too_many_files", detail).hint(hint));
    }
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for NamedFile { id, pointer, is_alone } in named {
        match files.get(tenant, &id).await {
            Ok(file) => found.push(file),
            Err(problem) if problem.code != "not_found" => return Err(problem),
            Err(_) if is_alone => {
                missing.push(BodyProblem { pointer, detail: format!("there is no file `{id}`") });
            }
            Err(_) => {}
        }
    }
    if missing.is_empty() {
        return Ok(found);
    }
    let mut problem = Problem::new(422, "arguments", "the arguments name files that do not exist")
        .hint("upload the files first");
    problem.errors = missing;
    Err(problem)
}

/// Adds an uploaded file to the documents, and returns its name there.
async fn added(
    service: &Service,
    session: &Session,
    file: &UploadedFile,
) -> Result<String, Problem> {
    let most = service.host().session_limits().document_bytes;
    if file.size > most {
        return Err(Error::limit(Resource::Document, most, file.size).at(&file.name).into());
    }
    let charge = service.host().charge(session.tenant(), file.size)?;
    let content = read_whole(&**service.store(), session.tenant(), &file.sha256).await?;
    // The session charges what it keeps.
    drop(charge);
    let document = Box::pin(session.add_document_bytes(&file.name, content)).await?;
    Ok(document.name.clone())
}

/// Stores files that a call delivered as uploaded files, which expire.
///
/// # Errors
///
/// The store failed, or there is no memory for a file.
pub(super) async fn delivered(
    service: &Service,
    session: &Session,
    base: &str,
    artifacts: &[Artifact],
) -> Result<Vec<DeliveredFile>, Problem> {
    let mut delivered = Vec::with_capacity(artifacts.len());
    for artifact in artifacts {
        let file = stored(service, session, artifact).await?;
        let named = (file.name.as_str(), file.media_type.as_str(), file.sha256.as_str());
        let link = service.links().make(session.tenant(), named, service.now());
        delivered.push(DeliveredFile {
            url: format!("{base}{link}"),
            size: file.size,
            id: Some(file.id),
            name: file.name,
            media_type: file.media_type,
            warnings: warnings(artifact),
        });
    }
    Ok(delivered)
}

/// Returns the warnings about a file, and how many there are beyond those.
pub(super) fn warnings(artifact: &Artifact) -> Vec<String> {
    let mut warnings = artifact.contents.warnings.clone();
    if artifact.contents.more_warnings > 0 {
        warnings.push(format!("and {} more", artifact.contents.more_warnings));
    }
    warnings
}

async fn stored(
    service: &Service,
    session: &Session,
    artifact: &Artifact,
) -> Result<UploadedFile, Problem> {
    let tenant = session.tenant();
    let id = Files::new_id()?;
    let _charge = service.host().charge(tenant, artifact.size)?;
    let content = session.artifact_content(&artifact.name)?;
    let Blob { sha256, size } = write_whole(&**service.store(), tenant, &content, &id).await?;
    let life = service.link_life().max(LEAST_LIFE);
    let created_ms = service.now_ms();
    let life_ms = u64::try_from(life.as_millis()).unwrap_or(u64::MAX);
    let file = UploadedFile {
        id,
        name: artifact.name.clone(),
        media_type: artifact.media_type.clone(),
        sha256,
        size,
        created_ms,
        expires_ms: Some(created_ms.saturating_add(life_ms)),
        purpose: PURPOSE.to_owned(),
    };
    service.files().enter(tenant, file, Some(life)).await
}
