//! Documents, artifacts and files of skills as resources.
//!
//! A document is its text as Markdown, and parts of it are characters. An artifact is text if its type is, and otherwise a
//! blob; a part of it is always a blob of bytes. Large resources are read in parts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::ErrorData;
use rmcp::model::{MetaObject, Resource, ResourceContents, ResourceTemplate, SKILL_MD};
use serde_json::{Value, json};

use super::catalogue::Catalogue;
use super::folders::{FolderFile, Folders};
use super::uri::{self, Range, Target};
use super::{files, results};
use mitt::{Document, Session};
use mitt_base::ErrorKind;
use mitt_base::limits::MIB;

/// Most bytes of an artifact in one answer.
const MAX_BYTES: u64 = 4 * MIB;
/// Most characters of a document in one answer.
const MAX_CHARACTERS: u64 = 100_000;
/// Most files of folders that are listed.
const MAX_FILES: usize = 200;
/// The field in `_meta` that describes a part: `offset`, `length`, and `size` of the whole.
const PART: &str = "mitt/part";

pub(super) const DOCUMENTS: &str = "mitt://documents/{name}{?offset,length}";
pub(super) const ARTIFACTS: &str = "mitt://artifacts/{name}{?offset,length}";
pub(super) const SKILLS: &str = "skill://{skill}/SKILL.md";

/// Lists everything: documents, files of the server's folders that are not documents yet, artifacts, then skills by name.
pub(super) fn list(session: &Session, catalogue: &Catalogue, folders: &Folders) -> Vec<Resource> {
    let documents = session.documents();
    let mut list: Vec<Resource> = documents.iter().map(|document| resource(document)).collect();
    if !folders.is_empty() {
        let files = folders.list().files.into_iter();
        let files = files.filter(|file| documents.iter().all(|it| it.name != file.name));
        list.extend(files.take(MAX_FILES).map(|file| unread(&file)));
    }
    list.extend(
        session
            .artifacts()
            .iter()
            .map(|artifact| files::link(artifact).with_description("File that a tool delivered")),
    );
    // List skills that a model can use: a reader has no tools, and its instructions say so.
    let has_prompt = |name: &str| catalogue.prompts.iter().any(|it| it.prompt.name == name);
    for skill in catalogue.skills.iter().filter(|skill| has_prompt(skill.name())) {
        let main = skill.files.iter().filter(|file| file.uri == skill.entry.uri);
        let name = || format!("{}/{}", skill.name(), SKILL_MD);
        let description = &skill.entry.frontmatter.description;
        list.extend(main.map(|file| file.resource(name()).with_description(description.clone())));
    }
    list
}

/// Returns the list entry of a document. Its size is that of the text that is read, not of the file.
pub(super) fn resource(document: &Document) -> Resource {
    let resource = Resource::new(uri::document(&document.name), document.name.clone())
        .with_mime_type("text/markdown")
        .with_size(document.text.len() as u64)
        .with_description(format!(
            "Document ({}, {} characters, {} tables)",
            document.media_type,
            document.characters,
            document.tables.len()
        ));
    match &document.title {
        Some(title) => resource.with_title(title.clone()),
        None => resource,
    }
}

/// Returns the list entry of a file that becomes a document when it is first read. The size of its text is not known yet.
fn unread(file: &FolderFile) -> Resource {
    Resource::new(uri::document(&file.name), file.name.clone())
        .with_mime_type("text/markdown")
        .with_description("File of the folder, read when it is used first")
}

/// Returns the templates of URIs.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(ARTIFACTS, "artifact")
            .with_title("File that a tool delivered")
            .with_description("`offset` and `length` are bytes; a part is a blob"),
        ResourceTemplate::new(DOCUMENTS, "document")
            .with_title("Text of a document")
            .with_description("`offset` and `length` are characters")
            .with_mime_type("text/markdown"),
        ResourceTemplate::new(SKILLS, "skill")
            .with_title("Instructions of a skill")
            .with_mime_type("text/markdown"),
    ]
}

/// Returns the content of a resource, or of a part of it.
pub(super) fn read(
    session: &Session,
    catalogue: &Catalogue,
    uri: &str,
) -> Result<ResourceContents, ErrorData> {
    let (target, range) = uri::parse(uri).map_err(|problem| missing(uri, &problem))?;
    match target {
        Target::Document(name) => {
            let documents = session.documents();
            let Some(document) = documents.iter().find(|document| document.name == name) else {
                return Err(missing(uri, "there is no such document"));
            };
            text_of(document, uri, range)
        }
        Target::Artifact(name) => artifact(session, &name, uri, range),
        Target::Skill(address) => {
            let mut files = catalogue.skills.iter().flat_map(|skill| &skill.files);
            let Some(file) = files.find(|file| file.uri == address) else {
                return Err(missing(uri, "no skill has such a file"));
            };
            if range.is_some() {
                return Err(wrong(uri, "files of skills are read whole"));
            }
            Ok(contents(uri, file.media_type, file.content.clone()))
        }
    }
}

/// Checks that a resource can change, whether or not it exists yet.
pub(super) fn check_subscription(uri: &str) -> Result<(), ErrorData> {
    match uri::parse(uri) {
        Ok((_, None)) if uri.len() <= 1_024 => Ok(()),
        Ok(_) => Err(ErrorData::invalid_params(
            "expected a whole resource, not a part of one",
            Some(json!({ "uri": uri })),
        )),
        Err(problem) => Err(ErrorData::resource_not_found(
            format!("resource not found: {problem}"),
            Some(json!({ "uri": uri })),
        )),
    }
}

fn text_of(
    document: &Document,
    uri: &str,
    range: Option<Range>,
) -> Result<ResourceContents, ErrorData> {
    let Range { offset, length } = range.unwrap_or_default();
    let wanted = length.unwrap_or(document.characters.saturating_sub(offset));
    if offset > document.characters {
        return Err(past_end(uri, "characters", document.characters));
    }
    if wanted.min(document.characters - offset) > MAX_CHARACTERS {
        return Err(too_long(uri, "characters", document.characters, MAX_CHARACTERS));
    }
    let text = document.text_range(offset, wanted).to_owned();
    let got = text.chars().count() as u64;
    let contents = ResourceContents::text(text, uri).with_mime_type("text/markdown");
    Ok(match range {
        None => contents,
        Some(_) => contents.with_meta(part(offset, got, document.characters)),
    })
}

fn artifact(
    session: &Session,
    name: &str,
    uri: &str,
    range: Option<Range>,
) -> Result<ResourceContents, ErrorData> {
    let artifacts = session.artifacts();
    let Some(artifact) = artifacts.iter().find(|artifact| artifact.name == name) else {
        return Err(missing(uri, "there is no such file"));
    };
    let size = artifact.size;
    let Range { offset, length } = range.unwrap_or_default();
    if offset > size {
        return Err(past_end(uri, "bytes", size));
    }
    let wanted = length.unwrap_or(size - offset).min(size - offset);
    if wanted > MAX_BYTES {
        return Err(too_long(uri, "bytes", size, MAX_BYTES));
    }
    let content = session.artifact_content(name).map_err(|error| match error.kind() {
        ErrorKind::Input => missing(uri, "there is no such file"),
        _ => results::refused(&error),
    })?;
    if range.is_none() {
        return Ok(contents(uri, &artifact.media_type, content));
    }
    let index = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).min(content.len());
    let bytes = &content[index(offset)..index(offset + wanted)];
    Ok(ResourceContents::blob(STANDARD.encode(bytes), uri)
        .with_mime_type(artifact.media_type.clone())
        .with_meta(part(offset, bytes.len() as u64, size)))
}

/// Returns text if the type is text and the bytes are UTF-8, otherwise a blob.
fn contents(uri: &str, media_type: &str, content: Vec<u8>) -> ResourceContents {
    let is_text = media_type.starts_with("text/")
        || ["application/json", "application/yaml", "image/svg+xml"].contains(&media_type);
    let contents = match String::from_utf8(content) {
        Ok(text) if is_text => ResourceContents::text(text, uri),
        Ok(other) => ResourceContents::blob(STANDARD.encode(other), uri),
        Err(error) => ResourceContents::blob(STANDARD.encode(error.as_bytes()), uri),
    };
    contents.with_mime_type(media_type)
}

fn part(offset: u64, length: u64, size: u64) -> MetaObject {
    let mut meta = MetaObject::new();
    meta.insert(PART.to_owned(), json!({ "offset": offset, "length": length, "size": size }));
    meta
}

fn at(uri: &str) -> Option<Value> {
    Some(json!({ "uri": uri }))
}

fn missing(uri: &str, problem: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("resource not found: {problem}"), at(uri))
}

fn wrong(uri: &str, problem: &str) -> ErrorData {
    ErrorData::invalid_params(problem.to_owned(), at(uri))
}

fn past_end(uri: &str, unit: &str, size: u64) -> ErrorData {
    wrong(uri, &format!("`offset`: expected at most {size}, which is how many {unit} there are"))
}

fn too_long(uri: &str, unit: &str, size: u64, most: u64) -> ErrorData {
    let path = uri.split('?').next().unwrap_or(uri);
    wrong(
        uri,
        &format!(
            "it has {size} {unit}, of which one answer holds {most}; read parts: `{path}?offset=0&length={most}`"
        ),
    )
}
