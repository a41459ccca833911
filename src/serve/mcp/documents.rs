//! The tools `documents__add`, with which a client hands over documents, and `documents__list`. The host implements them,
//! because plugins must not make documents.

use std::fs::File;
use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use super::folders::{FolderFile, Folders};
use super::tool_lists::ADD_DOCUMENT;
use super::{resources, uri};
use mitt::CallReport;
use mitt::skill::{HostCall, HostFunction, HostTool, ToolPolicy};
use mitt::value::{Field, Json, RecordType, Type};
use mitt::{Document, Session};
use mitt_base::digest::sha256;
use mitt_base::file_name::check_file_name;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Remedy, Result, plain_file};

/// Most hosts that are named to a model.
const HOSTS: usize = 10;
/// Why it reads no files.
const WITHOUT_FOLDER: &str = "the server was started without a folder";

/// The tool `documents__add` of one server.
pub(super) struct AddDocument {
    described: HostFunction,
    reach: Reach,
    document_bytes: u64,
}

/// Where documents may come from, besides the call itself.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Folders below which clients may name files.
    pub(super) folders: Folders,
    /// Hosts that documents may be fetched from, in words; empty if none are allowed.
    pub(super) hosts: Vec<String>,
}

impl Reach {
    /// Returns the names of the arguments, of which exactly one must be given.
    fn choice(&self) -> String {
        let mut choice = "`text`, `base64`".to_owned();
        for (name, is_there) in
            [("path", !self.folders.is_empty()), ("url", !self.hosts.is_empty())]
        {
            if is_there {
                choice.push_str(&format!(", `{name}`"));
            }
        }
        choice
    }
}

impl AddDocument {
    /// Makes a tool that accepts files of at most `document_bytes`, and reads those within `reach`.
    ///
    /// # Errors
    ///
    /// Only by a mistake in this file.
    pub(super) fn new(reach: Reach, document_bytes: u64) -> Result<AddDocument> {
        let described = function(&reach)?
            // The size of a document as base64.
            .arguments_bytes(document_bytes / 3 * 4 + MIB);
        Ok(AddDocument { described, reach, document_bytes })
    }
}

#[async_trait]
impl HostTool for AddDocument {
    fn function(&self) -> HostFunction {
        self.described.clone()
    }

    async fn run(&self, call: &dyn HostCall, arguments: Json) -> Result<Json> {
        let (name, content) = match source(arguments, &self.reach)? {
            Source::Address(url) => {
                return Ok(described(&*call.add_document_url(&url).await?, None));
            }
            Source::Content { name, bytes } => (name, bytes),
            Source::File { name, file } => {
                let bytes = plain_file::content(file, self.document_bytes).map_err(|error| {
                    Error::new(ErrorKind::Input, format!("cannot read `{name}`")).caused_by(error)
                })?;
                (name, bytes)
            }
        };
        // A model that has forgotten a document adds it again.
        let digest = sha256(&content);
        if let Some(known) =
            call.documents().iter().find(|it| it.name == name && it.sha256 == digest)
        {
            return Ok(described(known, None));
        }
        Ok(described(&*call.add_document(&name, content).await?, None))
    }
}

/// Returns the function as a model sees it.
fn function(reach: &Reach) -> Result<HostFunction> {
    let Reach { folders, hosts } = reach;
    let text = |name: &str, docs: &str| {
        Field::new(name, Type::Option(Arc::new(Type::String)), Some(docs.to_owned()))
    };
    let mut docs = "Give a document to the other tools: tables and text are read out of it. Exactly one of `text` and `base64` holds its \
         content; this server reads no `path`, as it was started without a folder."
        .to_owned();
    let bounds = json!({ "name": { "minLength": 1 }, "path": { "minLength": 1 } });
    let mut path = format!("Not read here: {WITHOUT_FOLDER}.");
    if !folders.is_empty() {
        path = format!("A file below {}, instead of its content.", folders.shown());
        "Give a document to the other tools: tables and text are read out of it. Exactly one of `path`, `text` and `base64` says \
         what it holds. Other tools read a file of the folder when they are given its name; `documents__list` lists the files."
            .clone_into(&mut docs);
    }
    let mut params = vec![
        text(
            "name",
            "File name with its extension, such as `sales.csv`. Needed with `text` and `base64`.",
        ),
        text("text", "Content of a text file."),
        text("base64", "Content of any other file, such as XLSX, DOCX or PPTX, as base64."),
        text("path", &path),
    ];
    if !hosts.is_empty() {
        let more = hosts.len().saturating_sub(HOSTS);
        let mut named =
            hosts.iter().take(HOSTS).map(|host| format!("`{host}`")).collect::<Vec<_>>();
        if more > 0 {
            named.push(format!("{more} more"));
        }
        let url = format!(
            "An `https` address to fetch it from, instead of its content; hosts: {}.",
            named.join(", ")
        );
        params.push(text("url", &url));
        docs.push_str(" Or `url` does.");
    }
    let policy = ToolPolicy { title: Some("Add a document".to_owned()), ..ToolPolicy::default() };
    let function = HostFunction::new("documents", "add", docs)?;
    params
        .into_iter()
        .fold(function, HostFunction::param)
        .result(result())
        .policy(policy)
        // Documents come from the client: a plugin that could make them could feed itself any text.
        .for_models_only()
        .narrowed(&json!({ "properties": bounds }))
}

/// Returns the type of [`described`].
fn result() -> Type {
    let field =
        |name: &str, ty: Type, docs: Option<&str>| Field::new(name, ty, docs.map(str::to_owned));
    let name = "The name that other tools know it by; a number is added where it was taken.";
    Type::Record(Arc::new(RecordType {
        name: "added".to_owned(),
        docs: None,
        fields: vec![
            field("name", Type::String, Some(name)),
            field("uri", Type::String, None),
            field("media-type", Type::String, None),
            field("characters", Type::U32, None),
            field("tables", Type::U32, None),
            field("warnings", Type::List(Arc::new(Type::String)), None),
        ],
    }))
}

/// Returns the JSON that describes an added document to the client. `warning` follows the document's own warnings.
pub(super) fn described(document: &Document, warning: Option<&str>) -> Json {
    let warnings: Vec<_> = document.warnings.iter().map(String::as_str).chain(warning).collect();
    json!({
        "name": document.name,
        "uri": uri::document(&document.name),
        "media_type": document.media_type,
        "characters": document.characters,
        "tables": document.tables.len(),
        "warnings": warnings,
    })
    .into()
}

/// The tool `documents__list` of one server. Servers without folders have none, because a client knows the documents that it
/// added.
pub(super) struct ListDocuments {
    described: HostFunction,
    folders: Folders,
}

impl ListDocuments {
    /// Makes a tool that lists the documents and the files below `folders`.
    ///
    /// # Errors
    ///
    /// Only by a mistake in this file.
    pub(super) fn new(folders: Folders) -> Result<ListDocuments> {
        let docs = format!(
            "List the documents, and the files below {} that are read as documents when a tool is given their names.",
            folders.shown()
        );
        let policy = ToolPolicy {
            title: Some("List documents".to_owned()),
            read_only: true,
            ..ToolPolicy::default()
        };
        let described = HostFunction::new("documents", "list", docs)?
            .result(listed_type())
            .policy(policy)
            .for_models_only();
        Ok(ListDocuments { described, folders })
    }
}

#[async_trait]
impl HostTool for ListDocuments {
    fn function(&self) -> HostFunction {
        self.described.clone()
    }

    async fn run(&self, call: &dyn HostCall, _: Json) -> Result<Json> {
        let documents = call.documents();
        let mut listing = self.folders.list();
        listing.files.retain(|file| documents.iter().all(|it| it.name != file.name));
        let document = |it: &Arc<Document>| json!({ "name": it.name, "characters": it.characters, "tables": it.tables.len() });
        let file = |it: &FolderFile| json!({ "name": it.name, "bytes": it.bytes });
        Ok(json!({
            "documents": documents.iter().map(document).collect::<Vec<_>>(),
            "files": listing.files.iter().map(file).collect::<Vec<_>>(),
            "has_more": listing.has_more,
        })
        .into())
    }
}

/// Returns the type of the result of [`ListDocuments`].
fn listed_type() -> Type {
    let field =
        |name: &str, ty: Type, docs: Option<&str>| Field::new(name, ty, docs.map(str::to_owned));
    let record = |name: &str, fields: Vec<Field>| {
        Type::Record(Arc::new(RecordType { name: name.to_owned(), docs: None, fields }))
    };
    let list = |item: Type| Type::List(Arc::new(item));
    let name = || field("name", Type::String, None);
    let document =
        vec![name(), field("characters", Type::U32, None), field("tables", Type::U32, None)];
    let file = vec![name(), field("bytes", Type::U64, None)];
    let files = "Files that were not read yet; their paths below the folder are their names.";
    record(
        "listed",
        vec![
            field("documents", list(record("document", document)), None),
            field("files", list(record("file", file)), Some(files)),
            field("has-more", Type::Bool, Some("Whether there are more files than are listed.")),
        ],
    )
}

/// Returns the link to the document that a call has added, if it added one.
pub(super) fn link(report: &CallReport, session: &Session) -> Option<ContentBlock> {
    if report.tool != ADD_DOCUMENT {
        return None;
    }
    let name = report.result.as_ref().ok()?.get("name")?.as_str()?;
    let document = session.documents().into_iter().find(|document| document.name == name)?;
    Some(ContentBlock::resource_link(resources::resource(&document)))
}

/// Returns the answer to a call over HTTP that gives a name and no content: an upload link, so that the content need not
/// pass through the model. `url` makes the link. `None` for all other arguments.
pub(super) fn upload(arguments: &str, url: impl Fn(&str) -> String) -> Option<CallToolResult> {
    let arguments: serde_json::Map<String, Value> = serde_json::from_str(arguments).ok()?;
    let mut given = arguments.into_iter().filter(|(_, value)| !value.is_null());
    let (key, Value::String(name)) = given.next()? else { return None };
    if key != "name" || given.next().is_some() {
        return None;
    }
    if let Err(problem) = check_file_name(&name) {
        let error = Error::new(ErrorKind::Arguments, format!("/name: {problem}"));
        return Some(CallToolResult::error(vec![ContentBlock::text(error.render())]));
    }
    let url = url(&name);
    let quoted = name.replace('\'', r"'\''");
    let way = format!(
        "not there yet: upload it with `curl -T '{quoted}' '{url}'`, or any other PUT of the file; then use it by its name"
    );
    let answer = json!({
        "name": name, "uri": uri::document(&name), "media_type": "", "characters": 0, "tables": 0, "warnings": [way],
    });
    Some(CallToolResult::structured(answer))
}

/// Where the document comes from.
enum Source {
    Content { name: String, bytes: Vec<u8> },
    Address(String),
    File { name: String, file: File },
}

/// Reads the arguments, whose types were checked. The error lists all that is wrong with them.
fn source(arguments: Json, reach: &Reach) -> Result<Source> {
    let folders = &reach.folders;
    let (mut name, mut text, mut base64, mut path, mut url) = (None, None, None, None, None);
    let Json::Object(members) = arguments else { return Err(none_given(reach, 0)) };
    for (key, value) in members {
        // Moved, because it may be large.
        let Json::String(value) = value else { continue };
        match key.as_str() {
            "name" => name = Some(value),
            "text" => text = Some(value),
            "base64" => base64 = Some(value),
            "path" => path = Some(value),
            "url" => url = Some(value),
            _ => {}
        }
    }
    let given = [&text, &base64, &path, &url].into_iter().filter(|it| it.is_some()).count();
    if path.is_some() && folders.is_empty() {
        return Err(without_folder());
    }
    if given != 1 {
        return Err(none_given(reach, given));
    }
    if let Some(path) = path {
        let (own, file) = folders.open(&path)?;
        return Ok(Source::File { name: name.unwrap_or(own), file });
    }
    if let Some(url) = url {
        return Ok(Source::Address(url));
    }
    let missing = || {
        let problem = "/name: missing; give the file's name with its extension";
        Error::new(ErrorKind::Arguments, problem)
    };
    let name = name.ok_or_else(missing)?;
    let bytes = match base64 {
        None => text.unwrap_or_default().into_bytes(),
        Some(base64) => STANDARD
            .decode(&base64)
            .map_err(|error| Error::new(ErrorKind::Arguments, format!("/base64: {error}")))?,
    };
    Ok(Source::Content { name, bytes })
}

/// Returns the refusal of a call that gives no source, or more than one.
fn none_given(reach: &Reach, given: usize) -> Error {
    let choice = reach.choice();
    Error::new(ErrorKind::Arguments, format!("expected exactly one of {choice}, got {given}"))
}

/// Returns the refusal of a path if there is no folder.
#[cold]
fn without_folder() -> Error {
    Error::new(ErrorKind::Denied, format!("/path: no file is read: {WITHOUT_FOLDER}"))
        .hint("send the content as `base64` or `text`")
        .remedy(Remedy::ServeFolder)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn read(arguments: Value, folders: &[PathBuf]) -> String {
        let reach = Reach { folders: Folders::new(folders, None), hosts: Vec::new() };
        match source(arguments.into(), &reach) {
            Ok(Source::Content { name, bytes }) => {
                format!("{name}: {}", String::from_utf8_lossy(&bytes))
            }
            Ok(Source::File { name, .. }) => name,
            Ok(Source::Address(url)) => url,
            Err(error) => error.render(),
        }
    }

    #[test]
    fn contents() {
        assert_eq!(read(json!({"name": "a.csv", "text": "x"}), &[]), "a.csv: x");
        assert_eq!(read(json!({"name": "a.csv", "base64": "eHk="}), &[]), "a.csv: xy");
        for (arguments, problem) in [
            (json!({}), "expected exactly one of `text`, `base64`, got 0"),
            (
                json!({"name": "a", "text": "", "base64": ""}),
                "expected exactly one of `text`, `base64`, got 2",
            ),
            (json!({"text": "x"}), "/name: missing; give the file's name with its extension"),
        ] {
            assert_eq!(read(arguments, &[]), problem);
        }
        assert!(read(json!({"name": "a", "base64": "?"}), &[]).starts_with("/base64: "));
        for path in [json!({"path": "a.csv"}), json!({"path": "a.csv", "text": "x", "name": "b"})] {
            let refused = read(path, &[]);
            assert!(refused.contains(&Remedy::ServeFolder.to_string()), "{refused}");
        }
        let described = |folders: &[PathBuf]| {
            let add = AddDocument::new(
                Reach { folders: Folders::new(folders, None), hosts: Vec::new() },
                1_000,
            )
            .unwrap()
            .function();
            format!("{:?}", add)
        };
        assert!(described(&[]).contains("without a folder"));
        assert!(!described(&[PathBuf::from("in")]).contains("without a folder"));
    }

    #[test]
    fn files_only_below_the_folders() {
        let outside = tempfile::tempdir().unwrap();
        let inside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.txt"), "s").unwrap();
        std::fs::create_dir(inside.path().join("sub")).unwrap();
        std::fs::write(inside.path().join("sub/a.txt"), "a").unwrap();
        let folders = [inside.path().to_owned()];
        let path = |path: &str| read(json!({ "path": path }), &folders);
        assert_eq!(path("sub/a.txt"), "a.txt");
        assert_eq!(path(&inside.path().join("sub/a.txt").display().to_string()), "a.txt");
        let mut wrong = vec![
            "sub".to_owned(),
            "../secret.txt".to_owned(),
            "missing.txt".to_owned(),
            outside.path().join("secret.txt").display().to_string(),
        ];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outside.path(), inside.path().join("link")).unwrap();
            wrong.push("link/secret.txt".to_owned());
            // A link that stays inside is another name of the file.
            std::os::unix::fs::symlink("a.txt", inside.path().join("sub/b.txt")).unwrap();
            assert_eq!(path("sub/b.txt"), "a.txt");
        }
        for wrong in wrong {
            assert!(path(&wrong).starts_with("/path: no file `"), "{wrong}: {}", path(&wrong));
        }
    }
}
