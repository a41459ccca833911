//! The tool `documents__add`, by which a client hands over documents. It is the host's own, since no plugin may make documents.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::ContentBlock;
use serde_json::json;

use super::shown::ADD_DOCUMENT;
use super::{resources, uri};
use mitt::CallReport;
use mitt::skill::{HostCall, HostFunction, HostTool, ToolPolicy};
use mitt::value::{Field, Json, RecordType, Type};
use mitt::{Document, Session};
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result, plain_file, text};

/// Hosts that a model is told of.
const HOSTS: usize = 10;
/// Why it reads no files.
const WITHOUT_FOLDER: &str = "the server was started without `--folder`";

/// The tool of one server.
pub(super) struct AddDocument {
    described: HostFunction,
    reach: Reach,
    document_bytes: u64,
}

/// Where documents may lie beside the call itself.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Folders below which clients may name files.
    pub(super) folders: Vec<PathBuf>,
    /// Hosts that documents are fetched from, in words; empty where nothing is fetched.
    pub(super) hosts: Vec<String>,
}

impl Reach {
    /// The arguments of which exactly one is to be given.
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
    /// A tool that takes files of at most `document_bytes`, and reads those within `reach`.
    ///
    /// # Errors
    ///
    /// Only through a mistake in this file.
    pub(super) fn new(reach: Reach, document_bytes: u64) -> Result<AddDocument> {
        let described = described(&reach)?
            // As much as a document takes as base64.
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
            Source::Address(url) => return Ok(added(&*call.add_document_url(&url).await?)),
            Source::Content { name, bytes } => (name, bytes),
            Source::File { name, file } => {
                let bytes = plain_file::content(file, self.document_bytes).map_err(|error| {
                    Error::new(ErrorKind::Input, format!("cannot read `{name}`")).caused_by(error)
                })?;
                (name, bytes)
            }
        };
        Ok(added(&*call.add_document(&name, content).await?))
    }
}

/// What a model is told of it.
fn described(reach: &Reach) -> Result<HostFunction> {
    let Reach { folders, hosts } = reach;
    let text = |name: &str, docs: &str| {
        Field::new(name, Type::Option(Arc::new(Type::String)), Some(docs.to_owned()))
    };
    let mut docs = "Give a document to the other tools: tables and text are read out of it. Exactly one of `text` and `base64` holds its \
         content; this server reads no `path`, as it was started without `--folder`."
        .to_owned();
    let bounds = json!({ "name": { "minLength": 1 }, "path": { "minLength": 1 } });
    let mut path = format!("Not read here: {WITHOUT_FOLDER}.");
    if !folders.is_empty() {
        let folders: Vec<_> = folders.iter().map(|it| format!("`{}`", it.display())).collect();
        path = format!("A file below {}, instead of its content.", folders.join(" or "));
        "Give a document to the other tools: tables and text are read out of it. Exactly one of `path`, `text` and `base64` says \
         what it holds."
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
        // Documents come from the client: a plugin that could make them could give itself what it likes to read.
        .for_models_only()
        .narrowed(&json!({ "properties": bounds }))
}

/// What [`added`] makes.
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

fn added(document: &Document) -> Json {
    json!({
        "name": document.name,
        "uri": uri::document(&document.name),
        "media_type": document.media_type,
        "characters": document.characters,
        "tables": document.tables.len(),
        "warnings": document.warnings,
    })
    .into()
}

/// The link to the document that a call has added, if it is one that adds documents.
pub(super) fn link(report: &CallReport, session: &Session) -> Option<ContentBlock> {
    if report.tool != ADD_DOCUMENT {
        return None;
    }
    let name = report.result.as_ref().ok()?.get("name")?.as_str()?;
    let document = session.documents().into_iter().find(|document| document.name == name)?;
    Some(ContentBlock::resource_link(resources::resource(&document)))
}

/// What is asked to be read.
enum Source {
    Content { name: String, bytes: Vec<u8> },
    Address(String),
    File { name: String, file: File },
}

/// What the arguments say, which are of the right types, or all that is wrong with them.
fn source(arguments: Json, reach: &Reach) -> Result<Source> {
    let folders = &reach.folders;
    let (mut name, mut text, mut base64, mut path, mut url) = (None, None, None, None, None);
    let Json::Object(members) = arguments else { return Err(none_given(reach, 0)) };
    for (key, value) in members {
        // Taken, as it may be large.
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
        return allowed(&path, folders);
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

/// The refusal of a call that says nothing of a document, or more than one thing.
fn none_given(reach: &Reach, given: usize) -> Error {
    let choice = reach.choice();
    Error::new(ErrorKind::Arguments, format!("exactly one of {choice} expected, got {given}"))
}

/// The refusal of a path where no folder is open.
#[cold]
fn without_folder() -> Error {
    Error::new(ErrorKind::Denied, format!("/path: no file is read: {WITHOUT_FOLDER}"))
        .hint("send the content as `base64` or `text`")
        .hint("or have the server started with `--folder <folder>`, and name a file below that")
}

/// The file itself, open, if it is below one of the folders.
///
/// Links are followed while it is looked where the file lies, and none afterwards: what is opened lies below the folder, even
/// if somebody puts a link in the place of one of its folders in between.
fn allowed(path: &str, folders: &[PathBuf]) -> Result<Source> {
    // Whether a file outside exists is nobody's business, so that there is one answer for both.
    let refused = || {
        let folders: Vec<_> = folders.iter().map(|it| format!("`{}`", it.display())).collect();
        let shown = text::one_line(text::cut_bytes(path, 256));
        Error::new(
            ErrorKind::Denied,
            format!("/path: no file `{shown}` below {}", folders.join(" or ")),
        )
        .hint("name a file inside, or send its content as `base64` or `text`")
    };
    let roots: Vec<PathBuf> = folders.iter().filter_map(|it| it.canonicalize().ok()).collect();
    let candidates = roots.iter().map(|root| root.join(path));
    let mut found = candidates.filter_map(|candidate| candidate.canonicalize().ok());
    let open = |file: PathBuf| {
        let inside = |root: &PathBuf| {
            let relative = file.strip_prefix(root).ok()?;
            plain_file::open_beneath(root, relative).ok()
        };
        let name = file.file_name()?.to_string_lossy().into_owned();
        Some(Source::File { name, file: roots.iter().find_map(inside)? })
    };
    found.find_map(open).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read(arguments: Value, folders: &[PathBuf]) -> String {
        let reach = Reach { folders: folders.to_vec(), hosts: Vec::new() };
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
            (json!({}), "exactly one of `text`, `base64` expected, got 0"),
            (
                json!({"name": "a", "text": "", "base64": ""}),
                "exactly one of `text`, `base64` expected, got 2",
            ),
            (json!({"text": "x"}), "/name: missing; give the file's name with its extension"),
        ] {
            assert_eq!(read(arguments, &[]), problem);
        }
        assert!(read(json!({"name": "a", "base64": "?"}), &[]).starts_with("/base64: "));
        for path in [json!({"path": "a.csv"}), json!({"path": "a.csv", "text": "x", "name": "b"})] {
            let refused = read(path, &[]);
            assert!(refused.contains("--folder <folder>"), "{refused}");
        }
        let described = |folders: &[PathBuf]| {
            let add =
                AddDocument::new(Reach { folders: folders.to_vec(), hosts: Vec::new() }, 1_000)
                    .unwrap()
                    .function();
            format!("{:?}", add)
        };
        assert!(described(&[]).contains("--folder"));
        assert!(!described(&[PathBuf::from("in")]).contains("--folder"));
    }

    /// Somebody puts a link in the place of a folder and takes it away again, all the time.
    #[cfg(unix)]
    #[test]
    fn a_folder_that_becomes_a_link_leads_nowhere() {
        use std::sync::atomic::{AtomicBool, Ordering};

        let outside = tempfile::tempdir().unwrap();
        let inside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("a.txt"), "secret").unwrap();
        std::fs::create_dir(inside.path().join("real")).unwrap();
        std::fs::write(inside.path().join("real/a.txt"), "public").unwrap();
        std::os::unix::fs::symlink(outside.path(), inside.path().join("trap")).unwrap();
        let done = AtomicBool::new(false);
        let at = |name: &str| inside.path().join(name);
        let (mut read, mut refused) = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    for name in ["real", "trap"] {
                        std::fs::rename(at(name), at("sub")).unwrap();
                        std::thread::yield_now();
                        std::fs::rename(at("sub"), at(name)).unwrap();
                    }
                }
            });
            let begun = std::time::Instant::now();
            while begun.elapsed() < std::time::Duration::from_millis(1_500) {
                match allowed("sub/a.txt", &[inside.path().to_owned()]) {
                    Ok(Source::File { file, .. }) => {
                        assert_eq!(plain_file::content(file, 100).unwrap(), b"public");
                        read += 1;
                    }
                    Ok(Source::Content { .. } | Source::Address(_)) => unreachable!(),
                    Err(_) => refused += 1,
                }
            }
            done.store(true, Ordering::Relaxed);
        });
        assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
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
            // A link that stays inside is one more name of the file.
            std::os::unix::fs::symlink("a.txt", inside.path().join("sub/b.txt")).unwrap();
            assert_eq!(path("sub/b.txt"), "a.txt");
        }
        for wrong in wrong {
            assert!(path(&wrong).starts_with("/path: no file `"), "{wrong}: {}", path(&wrong));
        }
    }
}
