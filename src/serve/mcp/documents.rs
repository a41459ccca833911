//! The tool `documents__add`, by which a client hands over documents. It is the host's own, since no plugin may make documents.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::client::ClientSession;
use super::server::Server;
use super::{calls, resources, results, uri};
use mitt::Document;
use mitt_base::{Error, ErrorKind, Result, plain_file, text};

/// Its name.
pub(super) const ADD: &str = "documents__add";

/// The tool.
pub(super) fn tool(folders: &[PathBuf]) -> Tool {
    let mut properties = json!({
        "name": {
            "type": "string", "minLength": 1,
            "description": "File name with its extension, such as `sales.csv`. Needed with `text` and `base64`.",
        },
        "text": { "type": "string", "description": "Content of a text file." },
        "base64": {
            "type": "string", "contentEncoding": "base64",
            "description": "Content of any other file, such as XLSX, DOCX or PPTX.",
        },
    });
    let mut description = "Give a document to the other tools: tables and text are read out of it. Exactly one of `text` and `base64` holds its \
         content."
        .to_owned();
    if !folders.is_empty() {
        let folders: Vec<_> = folders.iter().map(|it| format!("`{}`", it.display())).collect();
        properties["path"] = json!({
            "type": "string", "minLength": 1,
            "description": format!("A file below {}, instead of its content.", folders.join(" or ")),
        });
        description = description.replace(
            "`text` and `base64` holds its content",
            "`path`, `text` and `base64` says what it holds",
        );
    }
    let input =
        json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let output = json!({
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "description": "The name that other tools know it by; a number is added where it was taken.",
            },
            "uri": { "type": "string" },
            "media_type": { "type": "string" },
            "characters": { "type": "integer", "minimum": 0 },
            "tables": { "type": "integer", "minimum": 0 },
            "warnings": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["name", "uri", "media_type", "characters", "tables", "warnings"],
        "additionalProperties": false,
    });
    let annotations = ToolAnnotations::new()
        .read_only(false)
        .destructive(false)
        .idempotent(false)
        .open_world(false);
    Tool::new_with_raw(ADD, Some(description.into()), object(input))
        .with_title("Add a document")
        .with_raw_output_schema(object(output))
        .with_annotations(annotations)
}

fn object(value: Value) -> Arc<JsonObject> {
    Arc::new(match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    })
}

/// What is asked to be read.
enum Source {
    Content { name: String, bytes: Vec<u8> },
    File { name: String, file: File },
}

/// Read the document that `arguments` speak of.
pub(super) async fn add(
    server: &Server,
    client: &ClientSession,
    arguments: Option<JsonObject>,
) -> CallToolResult {
    let characters = server.host().session_limits().result_characters;
    if server.is_closing() {
        return results::failed(&calls::closing(), characters);
    }
    let read = match source(arguments.unwrap_or_default(), &server.options().folders) {
        Ok(source) => read(client, source).await,
        Err(error) => Err(error),
    };
    match read {
        Ok(document) => added(&document),
        Err(error) => results::failed(&error, characters),
    }
}

async fn read(client: &ClientSession, source: Source) -> Result<Arc<Document>> {
    match source {
        Source::Content { name, bytes } => client.session.add_document_bytes(&name, bytes).await,
        Source::File { name, file } => {
            let most = client.session.host().session_limits().document_bytes;
            let bytes = plain_file::content(file, most).map_err(|error| {
                Error::new(ErrorKind::Input, format!("cannot read `{name}`")).caused_by(error)
            })?;
            client.session.add_document_bytes(&name, bytes).await
        }
    }
}

fn added(document: &Document) -> CallToolResult {
    let structured = json!({
        "name": document.name,
        "uri": uri::document(&document.name),
        "media_type": document.media_type,
        "characters": document.characters,
        "tables": document.tables.len(),
        "warnings": document.warnings,
    });
    let link = ContentBlock::resource_link(resources::resource(document));
    let mut result =
        CallToolResult::success(vec![ContentBlock::text(structured.to_string()), link]);
    result.structured_content = Some(structured);
    result
}

/// What the arguments say, or all that is wrong with them.
fn source(mut arguments: JsonObject, folders: &[PathBuf]) -> Result<Source> {
    let mut problems = Vec::new();
    let mut take = |key: &str| match arguments.shift_remove(key) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(other) => {
            problems.push(format!("/{key}: a string expected, got {}", kind(&other)));
            None
        }
    };
    let (name, text, base64) = (take("name"), take("text"), take("base64"));
    let path = if folders.is_empty() { None } else { take("path") };
    let known: &[&str] = match folders.is_empty() {
        true => &["name", "text", "base64"],
        false => &["name", "text", "base64", "path"],
    };
    for key in arguments.keys() {
        let shown = text::one_line(text::cut_bytes(key, 64));
        problems.push(match text::nearest(key, known.iter().copied()).first() {
            Some(nearest) => format!("/{shown}: no such argument; did you mean `{nearest}`?"),
            None if key == "path" => {
                "/path: this server reads no files; send the content as `base64` or `text`"
                    .to_owned()
            }
            None => format!("/{shown}: no such argument; there are `{}`", known.join("`, `")),
        });
    }
    let given = [&text, &base64, &path].into_iter().filter(|it| it.is_some()).count();
    if given != 1 && problems.is_empty() {
        let choice = known.iter().filter(|key| **key != "name").map(|key| format!("`{key}`"));
        let choice = choice.collect::<Vec<_>>().join(", ");
        problems.push(format!("exactly one of {choice} expected, got {given}"));
    }
    if name.is_none() && path.is_none() && (text.is_some() || base64.is_some()) {
        problems.push("/name: missing; give the file's name with its extension".to_owned());
    }
    let mut bytes = text.map(String::into_bytes);
    if let Some(base64) = base64 {
        match STANDARD.decode(&base64) {
            Ok(decoded) => bytes = Some(decoded),
            Err(error) => problems.push(format!("/base64: {error}")),
        }
    }
    match (&problems[..], bytes, path) {
        ([], Some(bytes), None) => Ok(Source::Content { name: name.unwrap_or_default(), bytes }),
        ([], None, Some(path)) => allowed(&path, folders),
        ([only], ..) => Err(Error::new(ErrorKind::Arguments, only)),
        (several, ..) => {
            let message = format!("{} problems with the arguments", several.len());
            Err(several.iter().fold(Error::new(ErrorKind::Arguments, message), Error::detail))
        }
    }
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

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(arguments: Value, folders: &[PathBuf]) -> String {
        let Value::Object(arguments) = arguments else { unreachable!() };
        match source(arguments, folders) {
            Ok(Source::Content { name, bytes }) => {
                format!("{name}: {}", String::from_utf8_lossy(&bytes))
            }
            Ok(Source::File { name, .. }) => name,
            Err(error) => error.render(),
        }
    }

    #[test]
    fn contents() {
        assert_eq!(told(json!({"name": "a.csv", "text": "x"}), &[]), "a.csv: x");
        assert_eq!(told(json!({"name": "a.csv", "base64": "eHk="}), &[]), "a.csv: xy");
        for (arguments, problem) in [
            (json!({}), "exactly one of `text`, `base64` expected, got 0"),
            (
                json!({"name": "a", "text": "", "base64": ""}),
                "exactly one of `text`, `base64` expected, got 2",
            ),
            (json!({"text": "x"}), "/name: missing; give the file's name with its extension"),
            (
                json!({"name": 1, "texts": 2}),
                "2 problems with the arguments\n/name: a string expected, got a number\n/texts: no such argument; did you mean `text`?",
            ),
            (
                json!({"path": "/etc/passwd"}),
                "/path: this server reads no files; send the content as `base64` or `text`",
            ),
        ] {
            assert_eq!(told(arguments, &[]), problem);
        }
        assert!(told(json!({"name": "a", "base64": "?"}), &[]).starts_with("/base64: "));
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
                    Ok(Source::Content { .. }) => unreachable!(),
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
        let path = |path: &str| told(json!({ "path": path }), &folders);
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
