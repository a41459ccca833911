//! How a result names the files that its call delivered: in the data, in the text, and as links.
//!
//! Clients differ in what they show a model: some only the data, some only the first text, and some refuse links. So each
//! file is in both the data and the text, and links are optional.

use std::path::Path;

use rmcp::model::{ContentBlock, Resource};
use serde_json::{Value, json};

use super::options::ResourceLinks;
use super::uri;
use mitt::Artifact;
use mitt::render::SheetRows;
use mitt::value::{Function, Json, Type};

/// The member of a result that lists the files.
pub(super) const FILES: &str = "files";
/// Its name if the result already has a member `files`.
const OTHER_FILES: &str = "mitt_files";

/// The name of clients made with the Python SDK, unless their authors set one.
pub(super) const UNNAMED: &str = "mcp";

/// Clients that pass links to resources on to the model as JSON, or as an error; the data and the text name the files
/// anyway.
const NO_LINKS: [&str; 8] = [
    UNNAMED,
    "fastmcp",
    "ai-sdk-mcp-client",
    "continue-cli-client",
    "continue-client",
    "@cline/core",
    "google-adk",
    "mcp-use",
];

/// The warning for a file that is stored nowhere.
const IN_MEMORY: &str = "in memory only, until the session ends";

/// The places of files, and how to report them to the client.
#[derive(Clone, Copy)]
pub(super) struct FileReporting<'a> {
    /// The folder of artifacts; `None` if they are in memory.
    pub(super) folder: Option<&'a Path>,
    /// Returns a link to the file with this name, for a browser.
    pub(super) url: &'a dyn Fn(&str) -> Option<String>,
    pub(super) has_links: bool,
}

/// Returns `true` if a client with this name gets links to resources.
pub(super) fn has_links(wanted: ResourceLinks, client: Option<&str>) -> bool {
    match wanted {
        ResourceLinks::Always => true,
        ResourceLinks::Never => false,
        // LangChain and smolagents call themselves `mcp`; LangChain turns links into blocks that chat models refuse.
        ResourceLinks::Auto => client.is_none_or(|name| !NO_LINKS.contains(&name)),
    }
}

/// Returns the member that lists the files in results of `function`.
pub(super) fn member(function: &Function) -> &'static str {
    match function.success().map(Type::target) {
        Some(Type::Record(record)) if record.fields.iter().any(|it| it.key == FILES) => OTHER_FILES,
        _ => FILES,
    }
}

/// Returns its schema.
pub(super) fn schema() -> Value {
    json!({
        "description": "Files that were delivered.",
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "uri": { "description": "To be read as a resource.", "type": "string" },
                "path": { "description": "Where it is written.", "type": "string" },
                "url": { "description": "For a browser; expires.", "type": "string" },
                "pages": { "type": "integer" },
                "sheets": { "type": "array", "items": { "type": "object" } },
                "more_sheets": { "type": "integer" },
                "warnings": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["name", "uri"],
            "additionalProperties": false,
        },
    })
}

impl FileReporting<'_> {
    /// Returns the files as data.
    pub(super) fn data(&self, artifacts: &[Artifact]) -> Json {
        let file = |artifact: &Artifact| {
            let mut members = vec![
                ("name", Json::from(artifact.name.as_str())),
                ("uri", uri::artifact(&artifact.name).into()),
            ];
            let (path, url) = (self.path(artifact), (self.url)(&artifact.name));
            let kept = (path.is_none() && url.is_none()).then_some(IN_MEMORY);
            members.extend(path.map(|path| ("path", path.into())));
            members.extend(url.map(|url| ("url", url.into())));
            members.extend(contents(artifact, kept));
            Json::object(members)
        };
        Json::Array(artifacts.iter().map(file).collect())
    }

    /// Returns the files as text, one per line, for results that are text too.
    pub(super) fn lines(&self, artifacts: &[Artifact]) -> String {
        let line = |artifact: &Artifact| {
            let mut line =
                format!("\ndelivered {}: {}", artifact.name, uri::artifact(&artifact.name));
            let (path, url) = (self.path(artifact), (self.url)(&artifact.name));
            if path.is_none() && url.is_none() {
                line.push_str(&format!(", {IN_MEMORY}"));
            }
            if let Some(path) = path {
                line.push_str(&format!(", written to {path}"));
            }
            if let Some(url) = url {
                line.push_str(&format!(", download: {url}"));
            }
            if let Some(contents) = artifact.contents.line() {
                line.push_str(&format!("; {contents}"));
            }
            line
        };
        artifacts.iter().map(line).collect()
    }

    /// Returns the files as links, if the client accepts them.
    pub(super) fn links(&self, artifacts: &[Artifact]) -> Vec<ContentBlock> {
        let block = |artifact: &Artifact| {
            let mut link = link(artifact);
            if let Some(path) = self.path(artifact) {
                link = link.with_description(format!("Written to {path}"));
            }
            ContentBlock::resource_link(link)
        };
        if self.has_links { artifacts.iter().map(block).collect() } else { Vec::new() }
    }

    /// Returns the path at which the user finds an artifact.
    fn path(&self, artifact: &Artifact) -> Option<String> {
        let folder = std::path::absolute(self.folder?).ok()?;
        Some(folder.join(&artifact.name).display().to_string())
    }
}

/// Returns the known facts about a file's content, with another warning.
fn contents<'a>(
    artifact: &'a Artifact,
    warning: Option<&'a str>,
) -> impl Iterator<Item = (&'static str, Json)> {
    let contents = &artifact.contents;
    let sheet = |sheet: &SheetRows| {
        Json::object([("name", Json::from(sheet.name.as_str())), ("rows", sheet.rows.into())])
    };
    let sheets: Vec<Json> = contents.sheets.iter().map(sheet).collect();
    let warnings: Vec<Json> =
        contents.warning_lines().map(Json::from).chain(warning.map(Json::from)).collect();
    let pages = contents.pages.map(|pages| ("pages", pages.into()));
    let sheets = (!sheets.is_empty()).then(|| ("sheets", sheets.into()));
    let more = (contents.more_sheets > 0).then(|| ("more_sheets", contents.more_sheets.into()));
    let warnings = (!warnings.is_empty()).then(|| ("warnings", warnings.into()));
    pages.into_iter().chain(sheets).chain(more).chain(warnings)
}

/// Returns an artifact as a link.
pub(super) fn link(artifact: &Artifact) -> Resource {
    Resource::new(uri::artifact(&artifact.name), artifact.name.clone())
        .with_mime_type(artifact.media_type.clone())
        .with_size(artifact.size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_for_clients_that_can_have_them() {
        for (wanted, client, expected) in [
            (ResourceLinks::Auto, Some("mcp"), false),
            (ResourceLinks::Auto, Some("google-adk"), false),
            (ResourceLinks::Auto, Some("claude-code"), true),
            (ResourceLinks::Auto, None, true),
            (ResourceLinks::Always, Some("mcp"), true),
            (ResourceLinks::Never, Some("claude-code"), false),
        ] {
            assert_eq!(has_links(wanted, client), expected, "{wanted:?} {client:?}");
        }
    }
}
