//! Converts the result of a server to JSON for the caller. Pictures and files become documents of the session; nothing is
//! dropped silently.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mitt::skill::HostCall;
use mitt::value::Json;
use mitt_base::{Error, Result, text};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// Files of one result that become documents.
const MAX_FILES: usize = 16;

/// Longest error that is passed on, in characters.
const MAX_ERROR_CHARACTERS: usize = 2_000;

/// What was taken from a result.
#[derive(Default)]
struct ResultContent {
    text: String,
    documents: Vec<String>,
    left_out: Vec<String>,
}

/// Returns the result as JSON: the structured content if there is some, otherwise the text. If there are files, it is an
/// object of `text`, `documents` and `left_out`. `tool` is used in the names of documents.
///
/// # Errors
///
/// [`ErrorKind::Plugin`](mitt_base::ErrorKind::Plugin) - the server says that the call failed.
pub(crate) async fn result(call: &dyn HostCall, tool: &str, given: CallToolResult) -> Result<Json> {
    if given.is_error == Some(true) {
        let texts: Vec<&str> = given.content.iter().filter_map(said).collect();
        let said = texts.join("\n");
        let said = if said.trim().is_empty() { "it failed and did not say why" } else { &said };
        return Err(Error::tool(text::shortened(said, MAX_ERROR_CHARACTERS)));
    }
    let mut taken = ResultContent::default();
    for block in given.content {
        taken.add(call, tool, block).await;
    }
    let ResultContent { text, documents, left_out } = taken;
    let value = match given.structured_content {
        Some(value) => Json::from(value),
        None => Json::String(text),
    };
    if documents.is_empty() && left_out.is_empty() {
        return Ok(value);
    }
    let names = |names: Vec<String>| Json::Array(names.into_iter().map(Json::from).collect());
    let mut entries = vec![("result", value)];
    if !documents.is_empty() {
        entries.push(("documents", names(documents)));
    }
    if !left_out.is_empty() {
        entries.push(("left_out", names(left_out)));
    }
    Ok(Json::object(entries))
}

fn said(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Text(it) => Some(&it.text),
        _ => None,
    }
}

impl ResultContent {
    async fn add(&mut self, call: &dyn HostCall, tool: &str, block: ContentBlock) {
        match block {
            ContentBlock::Text(it) => self.line(&it.text),
            ContentBlock::Image(it) => {
                self.file(call, tool, &it.mime_type, &it.data).await;
            }
            ContentBlock::Audio(it) => {
                self.left_out.push(format!("sound ({})", text::shortened(&it.mime_type, 60)));
            }
            ContentBlock::ResourceLink(it) => {
                self.line(&format!("{} ({})", it.uri, it.name));
            }
            ContentBlock::Resource(it) => match it.resource {
                ResourceContents::TextResourceContents { text, .. } => self.line(&text),
                ResourceContents::BlobResourceContents { mime_type, blob, .. } => {
                    let kind = mime_type.unwrap_or_default();
                    self.file(call, tool, &kind, &blob).await;
                }
                _ => self.left_out.push("content of a kind that is not known".to_owned()),
            },
            _ => self.left_out.push("content of a kind that is not known".to_owned()),
        }
    }

    fn line(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }

    /// Adds a file as a document of the session, or says why it cannot.
    async fn file(&mut self, call: &dyn HostCall, tool: &str, kind: &str, data: &str) {
        let number = self.documents.len() + self.left_out.len() + 1;
        let end = extension(kind);
        let name = format!("{}-{number}.{end}", tool.replace("__", "-"));
        if self.documents.len() >= MAX_FILES {
            self.left_out.push(format!("{name}: expected at most {MAX_FILES} files"));
            return;
        }
        let Ok(content) = BASE64_STANDARD.decode(data.trim()) else {
            self.left_out.push(format!("{name}: it is not in base64"));
            return;
        };
        match call.add_document(&name, content).await {
            Ok(document) => self.documents.push(document.name.clone()),
            Err(error) => {
                self.left_out.push(format!("{name}: {}", text::shortened(&error.to_string(), 200)));
            }
        }
    }
}

/// Returns the extension for a media type.
fn extension(media_type: &str) -> &'static str {
    match media_type.split(';').next().unwrap_or_default().trim() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "application/pdf" => "pdf",
        "text/csv" => "csv",
        "text/html" => "html",
        "text/plain" => "txt",
        "application/json" => "json",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        _ => "bin",
    }
}
