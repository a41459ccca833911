//! Uploads, lists, downloads and deletion of files.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::ErrorBody;
use super::exec::new_session;
use super::wire::checked_id;
use crate::code::{SandboxFile, Sandboxes};
use crate::http::{Answered, Download, FormField, Request, download, json};
use crate::problem::Problem;
use crate::service::Service;

/// Bytes of a form beside its files.
const FORM_BYTES: u64 = 4 * 1024 * 1024;

/// Most files of one upload.
const MOST_FILES: usize = 200;

/// A form with files.
#[derive(JsonSchema)]
#[schemars(rename = "LibreChatUpload")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct UploadForm {
    /// The file; a batch has several.
    #[schemars(extend("format" = "binary"))]
    file: String,
    /// The client's name for the owner; ignored.
    entity_id: Option<String>,
}

/// Files that were stored.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LibreChatUploaded")]
pub(super) struct Uploaded {
    /// `success`, `partial_success` or `error`.
    message: &'static str,
    /// Session in which they are stored.
    session_id: String,
    /// Identifier of the session, which newer clients read in place of `session_id`.
    storage_session_id: String,
    /// One entry for each file.
    files: Vec<UploadedEntry>,
    /// Files that were stored.
    succeeded: usize,
    /// Files that were not.
    failed: usize,
}

/// A file of an upload.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LibreChatUploadedFile")]
struct UploadedEntry {
    /// `success` or `error`.
    status: &'static str,
    /// Name.
    filename: String,
    /// Identifier, if it was stored.
    #[serde(rename = "fileId", skip_serializing_if = "Option::is_none")]
    file_id: Option<String>,
    /// Why it was not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Why a batch stored no file: a reason for each file, or one for the whole request.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "LibreChatNoneUploaded")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum NoneUploaded {
    /// A reason for each file.
    Files(Uploaded),
    /// A reason for the whole request.
    Request(ErrorBody),
}

/// Files of a session, in the detail that the client wants.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LibreChatFileList")]
pub(super) struct FileList(Vec<ListedFile>);

/// A file of a session. Clients find it by a name that begins with session and identifier.
#[derive(JsonSchema, Serialize)]
#[serde(untagged)]
#[schemars(rename = "LibreChatListedFile")]
enum ListedFile {
    /// `simple`: session, identifier and extension.
    Simple(String),
    /// `full`.
    Full(FullFile),
    /// `normalized`.
    Normalized(NormalizedFile),
    /// `summary`.
    Summary(FileSummary),
}

/// What a list of detail `summary` has about a file.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LibreChatFileSummary")]
struct FileSummary {
    /// Session, identifier and extension.
    name: String,
    /// Size in bytes.
    size: u64,
    /// Time of the last change.
    #[serde(rename = "lastModified")]
    last_modified: String,
    /// SHA-256 of the content.
    etag: String,
}

/// What a list of detail `full` has about a file.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LibreChatFullFile")]
struct FullFile {
    /// Session, identifier and extension.
    name: String,
    /// Identifier.
    id: String,
    /// Session in which it is stored, for older clients.
    session_id: String,
    /// Session in which it is stored.
    storage_session_id: String,
    /// Size in bytes.
    size: u64,
    /// Time of the last change.
    #[serde(rename = "lastModified")]
    last_modified: String,
    /// SHA-256 of the content.
    etag: String,
    /// Media type.
    #[serde(rename = "contentType")]
    content_type: String,
    /// What the upload said.
    metadata: FileMetadata,
}

/// What an upload said of its file.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LibreChatFileMetadata")]
struct FileMetadata {
    /// Name.
    #[serde(rename = "original-filename")]
    original_filename: String,
    /// Media type.
    #[serde(rename = "content-type")]
    content_type: String,
}

/// What a list of detail `normalized` has about a file.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LibreChatNormalizedFile")]
struct NormalizedFile {
    /// Identifier.
    id: String,
    /// Name.
    name: String,
    /// Session in which it is stored.
    storage_session_id: String,
    /// Size in bytes.
    size: u64,
    /// Media type.
    #[serde(rename = "contentType")]
    content_type: String,
    /// Time of the last change.
    #[serde(rename = "lastModified")]
    last_modified: String,
}

/// What is known of a file.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LibreChatFileObject")]
pub(super) struct FileObject {
    #[serde(flatten)]
    file: FullFile,
    /// Name.
    #[serde(rename = "originalFilename")]
    original_filename: String,
    /// Always `false`.
    #[serde(rename = "readOnly")]
    read_only: bool,
}

/// A file that was deleted.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LibreChatDeletedFile")]
pub(super) struct DeletedFile {
    /// Says so.
    message: &'static str,
    /// Session in which it was stored.
    session_id: String,
    /// Identifier.
    #[serde(rename = "fileId")]
    file_id: String,
}

/// Answers `POST /upload`: one problem refuses all files.
pub(super) async fn upload(service: Service, request: Request) -> Answered {
    let (session, files) = receive(&service, request, true).await?;
    Ok(json(200, &uploaded(session, files)))
}

/// Answers `POST /upload/batch`: a problem of one file does not refuse the others.
pub(super) async fn upload_batch(service: Service, request: Request) -> Answered {
    let (session, files) = receive(&service, request, false).await?;
    let uploaded = uploaded(session, files);
    Ok(json(if uploaded.message == "error" { 400 } else { 200 }, &uploaded))
}

/// Stores the files of a form in a new session.
async fn receive(
    service: &Service,
    request: Request,
    all_or_none: bool,
) -> Result<(String, Vec<UploadedEntry>), Problem> {
    let tenant = request.tenant();
    let mut form = request.form(service.upload_bytes().saturating_add(FORM_BYTES))?;
    let mut session: Option<String> = None;
    let mut files = Vec::new();
    let received = async {
        while let Some(field) = form.next().await? {
            if field.file_name.is_none() {
                field.text().await?;
                continue;
            }
            if files.len() >= MOST_FILES {
                let detail = format!("an upload has at most {MOST_FILES} files");
                return Err(Problem::new(413, "too_many_files", detail));
            }
            let id = match &session {
                Some(id) => id.clone(),
                None => service.sandboxes().create(&tenant, new_session()).await?.id,
            };
            session = Some(id.clone());
            let filename = field.file_name.clone().unwrap_or_default();
            match store(service, (&tenant, &id), field).await {
                Ok(file) => files.push(UploadedEntry {
                    status: "success",
                    filename: file.name,
                    file_id: Some(file.id),
                    error: None,
                }),
                // The rest of the form cannot be read after a body that is too large or broken.
                Err(problem) if all_or_none || problem.status != 422 => return Err(problem),
                Err(problem) => files.push(UploadedEntry {
                    status: "error",
                    filename,
                    file_id: None,
                    error: Some(problem.detail.clone()),
                }),
            }
        }
        Ok(())
    };
    let received = received.await;
    if let (Err(_), Some(id)) = (&received, &session) {
        service.sandboxes().delete(&tenant, id).await?;
    }
    received?;
    match session {
        Some(session) => Ok((session, files)),
        None => Err(Problem::bad("invalid_body", "expected a form with at least one file")),
    }
}

/// Stores a file of a form in a session.
async fn store(
    service: &Service,
    (tenant, session): (&str, &str),
    mut field: FormField,
) -> Result<SandboxFile, Problem> {
    let name = field.file_name.clone().unwrap_or_default();
    let media_type = field.media_type.clone().unwrap_or_default();
    let most = service.upload_bytes();
    let id = Sandboxes::new_file_id()?;
    let room = service.room(tenant).await?;
    let mut writer = service.store().blob_writer(tenant).await?;
    let mut size = 0_u64;
    // Read to its end even if the name is wrong: the next file comes after it.
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
    service.sandboxes().add_file(tenant, session, id, &name, &media_type, content).await
}

fn uploaded(session: String, files: Vec<UploadedEntry>) -> Uploaded {
    let succeeded = files.iter().filter(|it| it.file_id.is_some()).count();
    let failed = files.len() - succeeded;
    let message = match (succeeded, failed) {
        (_, 0) => "success",
        (0, _) => "error",
        _ => "partial_success",
    };
    let storage_session_id = session.clone();
    Uploaded { message, session_id: session, storage_session_id, files, succeeded, failed }
}

/// Answers `GET /files/{session}`.
pub(super) async fn list(service: Service, request: Request) -> Answered {
    let session = checked_id("the session", request.parameter("session"))?;
    let state = service.sandboxes().get(&request.tenant(), session).await?;
    let detail = request.query("detail").unwrap_or_default();
    let files = state.files.into_iter().map(|file| entry(session, file, &detail));
    Ok(json(200, &FileList(files.collect())))
}

/// Returns a file in the detail that the client wants.
fn entry(session: &str, file: SandboxFile, detail: &str) -> ListedFile {
    match detail {
        "summary" => ListedFile::Summary(FileSummary {
            name: object_name(session, &file),
            last_modified: modified(&file),
            size: file.size,
            etag: file.sha256,
        }),
        "full" => ListedFile::Full(full(session, file)),
        "normalized" => ListedFile::Normalized(NormalizedFile {
            last_modified: modified(&file),
            id: file.id,
            name: file.name,
            storage_session_id: session.to_owned(),
            size: file.size,
            content_type: file.media_type,
        }),
        _ => ListedFile::Simple(object_name(session, &file)),
    }
}

fn full(session: &str, file: SandboxFile) -> FullFile {
    FullFile {
        name: object_name(session, &file),
        last_modified: modified(&file),
        id: file.id,
        session_id: session.to_owned(),
        storage_session_id: session.to_owned(),
        size: file.size,
        etag: file.sha256,
        content_type: file.media_type.clone(),
        metadata: FileMetadata { original_filename: file.name, content_type: file.media_type },
    }
}

/// Returns session, identifier and extension of a file.
fn object_name(session: &str, file: &SandboxFile) -> String {
    let base = file.name.rsplit('/').next().unwrap_or_default();
    let extension = base.rsplit_once('.').map_or(String::new(), |(_, it)| format!(".{it}"));
    format!("{session}/{}{extension}", file.id)
}

fn modified(file: &SandboxFile) -> String {
    mitt_base::time::timestamp(Duration::from_millis(file.created_ms))
}

/// Answers `GET /sessions/{session}/objects/{file}`.
pub(super) async fn metadata(service: Service, request: Request) -> Answered {
    let (session, file) = named(&service, &request).await?;
    let original_filename = file.name.clone();
    let object = FileObject { file: full(&session, file), original_filename, read_only: false };
    Ok(json(200, &object))
}

/// Answers `GET /download/{session}/{file}`.
pub(super) async fn get(service: Service, request: Request) -> Answered {
    let (_, file) = named(&service, &request).await?;
    let content = service.store().blob(&request.tenant(), &file.sha256).await?;
    let name = file.name.rsplit('/').next().unwrap_or_default();
    let (media_type, sha256) = (file.media_type.as_str(), file.sha256.as_str());
    Ok(download(&request, Download { name, media_type, sha256, content }))
}

/// Answers `DELETE /files/{session}/{file}`.
pub(super) async fn delete(service: Service, request: Request) -> Answered {
    let (session, file) = named(&service, &request).await?;
    service.sandboxes().delete_file(&request.tenant(), &session, &file.id).await?;
    let message = "File deleted successfully";
    Ok(json(200, &DeletedFile { message, session_id: session, file_id: file.id }))
}

/// Returns the session and the file of a path.
async fn named(service: &Service, request: &Request) -> Result<(String, SandboxFile), Problem> {
    let session = checked_id("the session", request.parameter("session"))?;
    let file = checked_id("the file", request.parameter("file"))?;
    let found = service.sandboxes().file(&request.tenant(), session, file).await?;
    Ok((session.to_owned(), found))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_detail_has_the_form_of_its_client() {
        let file = SandboxFile {
            id: "f".into(),
            name: "out/月报.xlsx".into(),
            media_type: "x/y".into(),
            sha256: "d".into(),
            size: 3,
            created_ms: 1_000,
            is_written: true,
        };
        let entry = |detail: &str| {
            serde_json::to_value(entry("s", file.clone(), detail)).expect("it is plain data")
        };
        assert_eq!(entry(""), json!("s/f.xlsx"));
        let summary = entry("summary");
        assert!(summary["name"].as_str().unwrap().starts_with("s/f"));
        assert_eq!(summary["lastModified"], "1970-01-01T00:00:01.000Z");
        let full = entry("full");
        assert_eq!(
            (&full["id"], &full["metadata"]["original-filename"]),
            (&json!("f"), &json!("out/月报.xlsx"))
        );
        assert_eq!(entry("normalized")["name"], "out/月报.xlsx");
    }

    #[test]
    fn an_upload_says_how_much_of_it_was_stored() {
        let entry = |is_stored: bool| UploadedEntry {
            status: if is_stored { "success" } else { "error" },
            filename: "a".into(),
            file_id: is_stored.then(|| "f".into()),
            error: None,
        };
        let of = |files: Vec<UploadedEntry>| uploaded("s".into(), files).message;
        assert_eq!(of(vec![entry(true)]), "success");
        assert_eq!(of(vec![entry(true), entry(false)]), "partial_success");
        assert_eq!(of(vec![entry(false)]), "error");
    }
}
