//! `/v1/files`: uploaded files, and the files that runs delivered.
//!
//! A delivered file has an identifier that names its run and itself, so it is found as long as the run exists, and nothing
//! has to be deleted beside the run.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::Method;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::at;
use crate::files::{Files, UploadedFile};
use crate::http::{
    ANY_FILE, Answered, Body, Download, Form, FormField, Request, Responds, download, json,
    schema_of,
};
use crate::problem::Problem;
use crate::service::{Endpoint, Service};
use crate::store::Blob;

/// Purposes that a client may name.
const PURPOSES: [&str; 6] = ["assistants", "batch", "evals", "fine-tune", "user_data", "vision"];
/// Purpose of files that the service itself keeps for a run; they are not listed.
pub(super) const INTERNAL: &str = "mitt_internal";
/// Prefix of the identifier of a delivered file.
const DELIVERED: &str = "file-run-";
/// Longest file name in bytes.
const MOST_NAME_BYTES: usize = 255;
/// Bytes of a form beside the file.
const FORM_BYTES: u64 = 64 * 1024;
/// Shortest and longest life of a file in seconds: 1 hour to 30 days.
const LIFE_SECONDS: std::ops::RangeInclusive<u64> = 3_600..=2_592_000;
/// Most files of a page, which is also the default, as OpenAI has it.
const MOST_LISTED: u64 = 10_000;
/// Files that are read from the store at once.
const PAGE: usize = 500;

/// A file.
#[derive(Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "OpenAiFile")]
pub(super) struct FileObject {
    /// Identifier.
    id: String,
    /// Always `file`.
    object: &'static str,
    /// Size in bytes.
    bytes: u64,
    /// Time of the upload in seconds after 1970.
    created_at: u64,
    /// Time at which it is deleted, in seconds after 1970.
    expires_at: Option<u64>,
    /// Name.
    filename: String,
    /// What it is for: `assistants_output` for a file that a run delivered.
    purpose: String,
    /// Always `processed`.
    status: &'static str,
}

/// A page of files, in the order of their identifiers.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenAiFileList")]
struct FileList {
    /// Always `list`.
    object: &'static str,
    /// The files.
    data: Vec<FileObject>,
    /// Identifier of the first file.
    first_id: Option<String>,
    /// Identifier of the last file, for `after`.
    last_id: Option<String>,
    /// `true` if there are further files.
    has_more: bool,
}

/// What was deleted.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenAiDeletedFile")]
struct DeletedFile {
    /// Identifier.
    id: String,
    /// Always `file`.
    object: &'static str,
    /// Always `true`.
    deleted: bool,
}

/// A form that uploads a file.
#[derive(JsonSchema)]
#[schemars(rename = "OpenAiUpload")]
#[expect(dead_code, reason = "only its schema is used: forms are read piece by piece")]
struct Upload {
    /// The file.
    #[schemars(extend("format" = "binary"))]
    file: String,
    /// What it is for: `user_data`, `assistants`, `vision`, `batch`, `fine-tune` or `evals`. All are treated alike.
    purpose: String,
    /// Seconds after the upload at which the file is deleted, from 3600 to 2592000. Default: it stays.
    #[serde(rename = "expires_after[seconds]")]
    seconds: Option<u64>,
    /// Always `created_at`.
    #[serde(rename = "expires_after[anchor]")]
    anchor: Option<String>,
}

impl From<UploadedFile> for FileObject {
    fn from(file: UploadedFile) -> FileObject {
        FileObject {
            id: file.id,
            object: "file",
            bytes: file.size,
            created_at: file.created_ms / 1_000,
            expires_at: file.expires_ms.map(|it| it / 1_000),
            filename: file.name,
            // Files of other interfaces have none.
            purpose: if file.purpose.is_empty() { "user_data".to_owned() } else { file.purpose },
            status: "processed",
        }
    }
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "openai",
            Method::POST,
            "/v1/files",
            "openai_upload_file",
            "Uploads a file",
            upload,
        )
        .reads(Body::Form(schema_of::<Upload>()))
        .responds(Responds::Json(200, schema_of::<FileObject>())),
        Endpoint::new("openai", Method::GET, "/v1/files", "openai_list_files", "Lists files", list)
            .describe(
                "Uploaded files in the order of their identifiers. Files that runs delivered are in their responses.",
            )
            .query(&[
                ("after", "Identifier of the last file of the page before."),
                ("limit", "Most files, from 1 to 10000. Default: 10000."),
                ("purpose", "Only files of this purpose."),
            ])
            .responds(Responds::Json(200, schema_of::<FileList>())),
        Endpoint::new(
            "openai",
            Method::GET,
            "/v1/files/{file}",
            "openai_get_file",
            "Returns what is known of a file",
            get,
        )
        .responds(Responds::Json(200, schema_of::<FileObject>())),
        Endpoint::new(
            "openai",
            Method::DELETE,
            "/v1/files/{file}",
            "openai_delete_file",
            "Deletes an uploaded file",
            delete,
        )
        .responds(Responds::Json(200, schema_of::<DeletedFile>())),
        Endpoint::new(
            "openai",
            Method::GET,
            "/v1/files/{file}/content",
            "openai_get_file_content",
            "Downloads a file, or a part of it",
            content,
        )
        .downloads(ANY_FILE),
    ]
}

/// Returns the identifier of a file that a run delivered.
pub(super) fn delivered_id(run: &str, name: &str) -> String {
    format!("{DELIVERED}{}", URL_SAFE_NO_PAD.encode(format!("{run}/{name}")))
}

fn delivered(id: &str) -> Option<(String, String)> {
    let token = URL_SAFE_NO_PAD.decode(id.strip_prefix(DELIVERED)?).ok()?;
    let token = String::from_utf8(token).ok()?;
    let (run, name) = token.split_once('/')?;
    Some((run.to_owned(), name.to_owned()))
}

/// Returns an uploaded or delivered file.
pub(super) async fn find(
    service: &Service,
    tenant: &str,
    id: &str,
) -> Result<UploadedFile, Problem> {
    let missing = match service.files().get(tenant, id).await {
        Err(problem) if problem.status == 404 => problem,
        other => return other,
    };
    let Some((run, name)) = delivered(id) else { return Err(missing) };
    let state = match service.runs().get(tenant, &run).await {
        Ok(state) => state,
        Err(problem) if problem.status == 404 => return Err(missing),
        Err(problem) => return Err(problem),
    };
    let file = state.files.into_iter().rev().find(|it| it.name == name).ok_or(missing)?;
    Ok(UploadedFile {
        id: id.to_owned(),
        name,
        media_type: file.media_type,
        sha256: file.sha256,
        size: file.size,
        created_ms: state.updated_ms,
        expires_ms: None,
        purpose: "assistants_output".to_owned(),
    })
}

/// Returns `true` if the identifier is one of a delivered file.
pub(super) fn is_delivered(id: &str) -> bool {
    delivered(id).is_some()
}

async fn upload(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let mut form = request.form(service.upload_bytes().saturating_add(FORM_BYTES))?;
    let id = Files::new_id()?;
    let file = read_form(&service, &tenant, &id, &mut form).await;
    let entered = match file {
        Ok((file, life)) => service.files().enter(&tenant, file, life).await,
        Err(problem) => Err(problem),
    };
    match entered {
        Ok(file) => Ok(json(200, &FileObject::from(file))),
        Err(problem) => {
            // The content may be there already when a later field is wrong.
            let _ = service.store().release(&tenant, &id).await;
            Err(problem)
        }
    }
}

async fn read_form(
    service: &Service,
    tenant: &str,
    id: &str,
    form: &mut Form,
) -> Result<(UploadedFile, Option<Duration>), Problem> {
    let (mut file, mut purpose, mut seconds) = (None, None, None);
    while let Some(field) = form.next().await? {
        match field.name.as_str() {
            "file" if file.is_some() => {
                return Err(at("/file", "invalid_body", "expected one file, got several"));
            }
            "file" => {
                let name = file_name(field.file_name.as_deref())?;
                let media_type = field.media_type.clone();
                file = Some((name, media_type, store(service, tenant, id, field).await?));
            }
            "purpose" => purpose = Some(checked_purpose(field.text().await?)?),
            "expires_after[seconds]" => seconds = Some(life_seconds(&field.text().await?)?),
            "expires_after[anchor]" => {
                if field.text().await? != "created_at" {
                    let detail = "expected `created_at`";
                    return Err(at("/expires_after/anchor", "unsupported_value", detail));
                }
            }
            _ => {
                field.text().await?;
            }
        }
    }
    let (name, media_type, blob) =
        file.ok_or_else(|| at("/file", "missing_required_parameter", "the form has no file"))?;
    let purpose = purpose.ok_or_else(|| {
        at("/purpose", "missing_required_parameter", "expected a purpose such as `user_data`")
    })?;
    let created_ms = service.now_ms();
    let file = UploadedFile {
        id: id.to_owned(),
        name,
        media_type: media_type.unwrap_or_else(|| "application/octet-stream".to_owned()),
        sha256: blob.sha256,
        size: blob.size,
        created_ms,
        expires_ms: seconds.map(|it| created_ms + it * 1_000),
        purpose,
    };
    Ok((file, seconds.map(Duration::from_secs)))
}

async fn store(
    service: &Service,
    tenant: &str,
    id: &str,
    mut field: FormField,
) -> Result<Blob, Problem> {
    let most = service.upload_bytes();
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
    Ok(writer.finish(id).await?)
}

/// Returns the name without folders.
fn file_name(name: Option<&str>) -> Result<String, Problem> {
    let name = name.unwrap_or_default().rsplit(['/', '\\']).next().unwrap_or_default();
    if name.is_empty() || name.len() > MOST_NAME_BYTES || name.chars().any(char::is_control) {
        let detail = format!("expected a file name of 1 to {MOST_NAME_BYTES} bytes");
        return Err(at("/file", "invalid_body", detail));
    }
    Ok(name.to_owned())
}

fn checked_purpose(purpose: String) -> Result<String, Problem> {
    if PURPOSES.contains(&purpose.as_str()) {
        return Ok(purpose);
    }
    let detail = format!("expected one of {}", PURPOSES.join(", "));
    Err(at("/purpose", "unsupported_value", detail))
}

fn life_seconds(text: &str) -> Result<u64, Problem> {
    text.parse().ok().filter(|it| LIFE_SECONDS.contains(it)).ok_or_else(|| {
        let (least, most) = (LIFE_SECONDS.start(), LIFE_SECONDS.end());
        let detail = format!("expected a number of seconds from {least} to {most}");
        at("/expires_after/seconds", "unsupported_value", detail)
    })
}

async fn list(service: Service, request: Request) -> Answered {
    let limit = request.query_number("limit")?.unwrap_or(MOST_LISTED);
    if !(1..=MOST_LISTED).contains(&limit) {
        let detail = format!("expected a number from 1 to {MOST_LISTED}, got {limit}");
        return Err(at("/limit", "invalid_query", detail));
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let (tenant, purpose) = (request.tenant(), request.query("purpose"));
    let mut after = request.query("after");
    let mut data: Vec<FileObject> = Vec::new();
    loop {
        let files = service.files().list(&tenant, after.as_deref(), PAGE).await?;
        let is_last = files.len() < PAGE;
        after = files.last().map(|it| it.id.clone());
        let listed = files
            .into_iter()
            .filter(|it| it.purpose != INTERNAL)
            .map(FileObject::from)
            .filter(|it| purpose.as_ref().is_none_or(|purpose| it.purpose == *purpose));
        data.extend(listed.take(limit + 1 - data.len()));
        if is_last || data.len() > limit {
            break;
        }
    }
    let has_more = data.len() > limit;
    data.truncate(limit);
    let id = |file: Option<&FileObject>| file.map(|it| it.id.clone());
    let (first_id, last_id) = (id(data.first()), id(data.last()));
    Ok(json(200, &FileList { object: "list", data, first_id, last_id, has_more }))
}

async fn get(service: Service, request: Request) -> Answered {
    let file = find(&service, &request.tenant(), request.parameter("file")).await?;
    Ok(json(200, &FileObject::from(file)))
}

async fn delete(service: Service, request: Request) -> Answered {
    let (tenant, id) = (request.tenant(), request.parameter("file"));
    match service.files().delete(&tenant, id).await {
        Ok(()) => Ok(json(200, &DeletedFile { id: id.to_owned(), object: "file", deleted: true })),
        Err(problem) if problem.status == 404 && is_delivered(id) => {
            find(&service, &tenant, id).await?;
            let detail = "the file belongs to a response, which was delivered with it";
            Err(Problem::bad("file_in_use", detail).hint("delete the response"))
        }
        Err(problem) => Err(problem),
    }
}

async fn content(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let file = find(&service, &tenant, request.parameter("file")).await?;
    let content = service.files().open(&tenant, &file).await?;
    let (name, media_type, sha256) = (&file.name, &file.media_type, &file.sha256);
    Ok(download(&request, Download { name, media_type, sha256, content }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivered_file_is_named_by_its_run() {
        let id = delivered_id("run_a", "月报/1.pdf");
        assert_eq!(delivered(&id), Some(("run_a".to_owned(), "月报/1.pdf".to_owned())));
        assert!(is_delivered(&id));
        for id in ["file-abc", "file-run-", "file-run-!", "file-run-YWJj"] {
            assert!(!is_delivered(id), "{id}");
        }
    }

    #[test]
    fn names_have_no_folders() {
        assert_eq!(file_name(Some("a.pdf")).unwrap(), "a.pdf");
        assert_eq!(file_name(Some("/etc/..\\a.pdf")).unwrap(), "a.pdf");
        assert_eq!(file_name(Some(&"a".repeat(255))).unwrap().len(), 255);
        for wrong in [None, Some(""), Some("a/"), Some("a\nb"), Some(&*"a".repeat(256))] {
            assert_eq!(file_name(wrong).unwrap_err().status, 400, "{wrong:?}");
        }
    }

    #[test]
    fn purposes_and_lives_have_bounds() {
        checked_purpose("user_data".into()).unwrap();
        assert!(checked_purpose("mitt_internal".into()).is_err());
        assert_eq!(life_seconds("3600").unwrap(), 3_600);
        assert_eq!(life_seconds("2592000").unwrap(), 2_592_000);
        for wrong in ["3599", "2592001", "", "1h"] {
            assert!(life_seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_of_another_interface_has_a_purpose() {
        let file = UploadedFile {
            id: "file-a".into(),
            name: "a".into(),
            media_type: "text/plain".into(),
            sha256: String::new(),
            size: 3,
            created_ms: 2_500,
            expires_ms: Some(4_000),
            purpose: String::new(),
        };
        let object = FileObject::from(file);
        assert_eq!((object.purpose.as_str(), object.created_at), ("user_data", 2));
        assert_eq!(object.expires_at, Some(4));
    }
}
