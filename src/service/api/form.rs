//! Forms with files: text fields become the fields of a JSON body, and files become uploaded files that it names.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::file_name::safe_name;
use super::viewer::Viewer;
use crate::files::{Files, UploadedFile};
use crate::http::{Form, FormField, Request, Schema, refusal};
use crate::problem::{BodyProblem, Problem};
use crate::store::{Blob, ID_CHARACTERS};

/// Names of fields for files. Clients write lists in different ways.
const FILE_FIELDS: [&str; 6] = ["document", "documents", "file", "files", "file[]", "files[]"];
/// Most files of a form; as many as a run has documents.
const MOST_FILES: usize = 100;
/// Time that a file of a form is kept as an uploaded file. The run keeps its content itself.
const LIFE: Duration = Duration::from_secs(24 * 60 * 60);
/// Media type of a file whose client named none.
const OCTETS: &str = "application/octet-stream";

/// How the text of a field is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    Text,
    Json,
}

/// The fields of a form beside its files.
pub(super) type Fields = &'static [(&'static str, FieldKind)];

/// Files that a form brought.
#[derive(Default)]
pub(super) struct Received {
    files: Vec<UploadedFile>,
    /// Identifiers of those that were not there before.
    new: Vec<String>,
}

/// Reads a form into a value of `schema`, whose `documents` name the files of the form. If it fails, no file stays.
pub(super) async fn read<T: DeserializeOwned>(
    viewer: &Viewer,
    request: Request,
    fields: Fields,
    schema: &Schema,
    idempotency: Option<&str>,
) -> Result<(T, Received), Problem> {
    let form = request.form(viewer.service().upload_bytes())?;
    let mut received = Received::default();
    let value = match fill(viewer, form, fields, idempotency, &mut received).await {
        Ok((value, problems)) => checked(value, problems, schema),
        Err(problem) => Err(problem),
    };
    match value {
        Ok(value) => Ok((value, received)),
        Err(problem) => {
            received.discard(viewer).await;
            Err(problem)
        }
    }
}

impl Received {
    /// Deletes the files that came with a request which failed.
    pub(super) async fn discard(self, viewer: &Viewer) {
        for id in self.new {
            if let Err(problem) = viewer.service().files().delete(&viewer.tenant, &id).await {
                tracing::warn!(detail = problem.detail, "a file of a refused form stays");
            }
        }
    }
}

async fn fill(
    viewer: &Viewer,
    mut form: Form,
    fields: Fields,
    idempotency: Option<&str>,
    received: &mut Received,
) -> Result<(Map<String, Value>, Vec<BodyProblem>), Problem> {
    let mut value = Map::new();
    let mut problems = Vec::new();
    while let Some(field) = form.next().await? {
        let name = field.name.clone();
        let is_file = field.file_name.is_some();
        let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(&name, 100));
        let mut wrong = |detail: String| {
            problems.push(BodyProblem { pointer: format!("/{}", pointer_part(&shown)), detail });
        };
        let kind = fields.iter().find(|(it, _)| *it == name).map(|(_, kind)| *kind);
        if is_file && FILE_FIELDS.contains(&name.as_str()) {
            if problems.is_empty() {
                store(viewer, field, idempotency, received).await?;
            } else {
                // The form is refused anyway; the rest is read for its problems alone.
                field.skip().await?;
            }
        } else if is_file {
            field.skip().await?;
            wrong("unknown field; files are sent in `document`".to_owned());
        } else if let Some(kind) = kind {
            let text = field.text().await?;
            match (kind, value.contains_key(&name)) {
                (_, true) => wrong("is there twice".to_owned()),
                (FieldKind::Text, false) => {
                    value.insert(name, text.into());
                }
                (FieldKind::Json, false) => match serde_json::from_str(&text) {
                    Ok(json) => {
                        value.insert(name, json);
                    }
                    Err(error) => wrong(format!("expected JSON: {error}")),
                },
            }
        } else if FILE_FIELDS.contains(&name.as_str()) {
            field.skip().await?;
            wrong(
                "expected a file with a name, such as `document=@report.xlsx` of curl".to_owned(),
            );
        } else {
            field.skip().await?;
            wrong("unknown field".to_owned());
        }
    }
    if !received.files.is_empty() {
        let named = received.files.iter().map(|file| json!({ "file": file.id }));
        // The schema reports another type.
        if let Value::Array(documents) = value.entry("documents").or_insert_with(|| json!([])) {
            documents.extend(named);
        }
    }
    Ok((value, problems))
}

/// Checks the value of a form, and reports all of its problems.
fn checked<T: DeserializeOwned>(
    value: Map<String, Value>,
    mut problems: Vec<BodyProblem>,
    schema: &Schema,
) -> Result<T, Problem> {
    let value = Value::Object(value);
    if let Err(problem) = schema.check(&value) {
        if problem.errors.is_empty() {
            return Err(problem);
        }
        problems.extend(problem.errors.clone());
    }
    refusal(problems)?;
    serde_json::from_value(value)
        .map_err(|error| Problem::new(422, "invalid_body", error.to_string()))
}

/// Stores the file of a field.
async fn store(
    viewer: &Viewer,
    mut field: FormField,
    idempotency: Option<&str>,
    received: &mut Received,
) -> Result<(), Problem> {
    let (service, tenant) = (viewer.service(), viewer.tenant.as_str());
    let sent_name = field.file_name.clone().unwrap_or_default();
    let media_type = media_type(field.media_type.as_deref());
    let room = service.room(tenant).await?;
    let mut writer = service.store().blob_writer(tenant).await?;
    let mut bytes = 0_u64;
    while let Some(piece) = field.piece().await? {
        bytes = bytes.saturating_add(piece.len() as u64);
        // What is sent again is there already.
        if idempotency.is_none() {
            room.check(bytes)?;
        }
        writer.write(&piece).await?;
    }
    let owner = Files::new_id()?;
    let Blob { sha256, size } = writer.finish(&owner).await?;
    // A browser sends an empty file for a field in which no file was chosen.
    if sent_name.is_empty() && size == 0 {
        return Ok(service.store().release(tenant, &owner).await?);
    }
    if received.files.len() >= MOST_FILES {
        service.store().release(tenant, &owner).await?;
        let detail = format!("a form has at most {MOST_FILES} files");
        return Err(Problem::new(413, "too_large", detail));
    }
    let mut file = UploadedFile {
        id: owner.clone(),
        name: safe_name(&sent_name),
        media_type,
        sha256,
        size,
        created_ms: service.now_ms(),
        expires_ms: Some(service.now_ms().saturating_add(millis(LIFE))),
        purpose: "run".to_owned(),
    };
    if let Some(key) = idempotency {
        // The same request, sent again, must name the same files.
        file.id = repeated_id(key, received.files.len(), &file);
        let kept = service.store().keep(tenant, &file.sha256, &file.id).await;
        service.store().release(tenant, &owner).await?;
        kept?;
        if let Ok(known) = service.files().get(tenant, &file.id).await {
            received.files.push(known);
            return Ok(());
        }
        if let Err(problem) = room.check(size) {
            service.store().release(tenant, &file.id).await?;
            return Err(problem);
        }
    }
    match service.files().enter(tenant, file.clone(), Some(LIFE)).await {
        Ok(file) => {
            received.new.push(file.id.clone());
            received.files.push(file);
            Ok(())
        }
        Err(problem) => {
            service.store().release(tenant, &file.id).await?;
            Err(problem)
        }
    }
}

/// Returns the identifier of a file in a request with an idempotency key: the same one for the same content and place.
fn repeated_id(key: &str, index: usize, file: &UploadedFile) -> String {
    let content = json!([key, index, file.name, file.media_type, file.sha256]).to_string();
    let hash = URL_SAFE_NO_PAD.encode(blake3::hash(content.as_bytes()).as_bytes());
    format!("file-{}", mitt_base::text::cut_bytes(&hash, ID_CHARACTERS))
}

/// Returns the media type that a client named for a file.
pub(super) fn media_type(named: Option<&str>) -> String {
    let named = named.map(str::trim).unwrap_or_default();
    let is_plain = (1..=200).contains(&named.len())
        && named.contains('/')
        && named.bytes().all(|it| (b' '..=b'~').contains(&it));
    if is_plain { named.to_owned() } else { OCTETS.to_owned() }
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Returns a name as a part of a JSON Pointer.
fn pointer_part(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Returns the schema of a form: the properties of `schema` that are fields of the form, and files.
pub(super) fn form_schema(name: &str, schema: &Schema, fields: Fields) -> Schema {
    let mut form = (*schema.schema).clone();
    if let Some(form) = form.as_object_mut() {
        if let Some(Value::Object(properties)) = form.get_mut("properties") {
            properties.retain(|name, _| fields.iter().any(|(it, _)| it == name));
            let file = json!({ "type": "string", "format": "binary" });
            properties.insert(
                "document".to_owned(),
                json!({
                    "description": "Files, each in a field of its own. `file` and `files[]` are the same.",
                    "type": "array",
                    "items": file,
                }),
            );
        }
        form.remove("additionalProperties");
    }
    Schema::named(name, form)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::schema_of;
    use crate::run::CreateRun;

    fn file(name: &str, sha256: &str) -> UploadedFile {
        UploadedFile {
            id: String::new(),
            name: name.to_owned(),
            media_type: OCTETS.to_owned(),
            sha256: sha256.to_owned(),
            size: 1,
            created_ms: 1,
            expires_ms: None,
            purpose: String::new(),
        }
    }

    #[test]
    fn a_repeated_request_names_the_same_files() {
        let id = repeated_id("k", 0, &file("a.csv", "1"));
        assert_eq!(id.len(), "file-".len() + ID_CHARACTERS);
        assert_eq!(id, repeated_id("k", 0, &file("a.csv", "1")));
        for other in [
            repeated_id("l", 0, &file("a.csv", "1")),
            repeated_id("k", 1, &file("a.csv", "1")),
            repeated_id("k", 0, &file("b.csv", "1")),
            repeated_id("k", 0, &file("a.csv", "2")),
        ] {
            assert_ne!(id, other);
        }
    }

    #[test]
    fn problems_of_fields_and_of_the_body_are_reported_together() {
        let mut value = Map::new();
        value.insert("title".to_owned(), json!("x".repeat(300)));
        let of_form = BodyProblem { pointer: "/x".to_owned(), detail: "unknown field".to_owned() };
        let found = checked::<CreateRun>(value, vec![of_form], &schema_of::<CreateRun>());
        let problem = found.unwrap_err();
        let places: Vec<&str> = problem.errors.iter().map(|it| it.pointer.as_str()).collect();
        assert_eq!((problem.status, places.len()), (422, 3), "{problem:?}");
        assert!(places.contains(&"/x") && places.contains(&"/title") && places.contains(&""));
    }

    #[test]
    fn media_types_that_are_none_are_replaced() {
        for (named, expected) in [
            (Some("text/csv"), "text/csv"),
            (Some("text/csv\r\nx: y"), OCTETS),
            (Some("csv"), OCTETS),
            (Some(""), OCTETS),
            (None, OCTETS),
        ] {
            assert_eq!(media_type(named), expected);
        }
        assert_eq!(media_type(Some(&format!("a/{}", "x".repeat(300)))), OCTETS);
    }
}
