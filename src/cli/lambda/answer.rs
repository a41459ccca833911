//! The answer to a direct event: the result, what was printed, what it cost, and the files, within what Lambda accepts.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Value, json};

use super::function::{Function, Task};
use super::payload::MAX_PAYLOAD_BYTES;
use crate::delivery::Delivery;
use mitt::value::Json;
use mitt::{Artifact, Session, Usage};
use mitt_base::digest::sha256;
use mitt_base::{Error, Resource, Result};

/// Bytes around the content of a file in the answer: the key, quotes and a comma.
const AROUND_CONTENT: u64 = 16;

/// An answer that fits.
#[derive(Debug)]
pub(super) struct Answer {
    json: Json,
    /// Names of the files.
    files: Vec<String>,
    /// Size of the files together, in bytes.
    file_bytes: u64,
}

/// A file that was made.
struct MadeFile {
    name: String,
    media_type: String,
    size: u64,
    sha256: String,
    warnings: Vec<String>,
    /// Where it was written; `None` if its content goes into the answer.
    path: Option<String>,
}

impl Answer {
    /// Returns the answer to a call or a script, whose files are in `folder` if there is one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - it would be larger than Lambda accepts.
    pub(super) fn of_session(
        (session, folder): (&Session, Option<&Path>),
        result: Json,
        usage: Usage,
        printed: String,
        warnings: Vec<String>,
    ) -> Result<Answer> {
        let mut members = vec![("result".to_owned(), result)];
        if !printed.is_empty() {
            members.push(("printed".to_owned(), printed.into()));
        }
        push_warnings(&mut members, warnings);
        let usage = json!({
            "fuel": usage.fuel,
            "peak_memory_bytes": usage.peak_memory_bytes,
            "duration_ms": usage.duration.as_secs_f64() * 1_000.0,
        });
        members.push(("usage".to_owned(), usage.into()));
        let file = |artifact: Artifact| MadeFile {
            path: folder.map(|it| it.join(&artifact.name).display().to_string()),
            warnings: artifact.contents.warning_lines().collect(),
            name: artifact.name,
            media_type: artifact.media_type,
            size: artifact.size,
            sha256: artifact.sha256,
        };
        let files = session.artifacts().into_iter().map(file).collect();
        Answer::with_files(members, files, |name| session.artifact_content(name))
    }

    /// Returns the answer to a text that was made a file, and writes the file if the function has a folder.
    ///
    /// # Errors
    ///
    /// Those of [`Answer::of_session`]; the folder cannot be written.
    pub(super) fn of_file(
        function: &Function,
        task: &Task<'_>,
        (name, content): (String, Vec<u8>),
        result: Value,
        warnings: Vec<String>,
    ) -> Result<Answer> {
        let mut path = None;
        if let Some(folder) = function.folder(task) {
            std::fs::create_dir_all(&folder).map_err(|error| {
                let message = format!("cannot make the folder {}", folder.display());
                Error::new(mitt_base::ErrorKind::Host, message).caused_by(error)
            })?;
            let target = folder.join(&name);
            // The folder belongs to this invocation alone.
            Delivery::new(None, true).write(&target, &content)?;
            path = Some(target.display().to_string());
        }
        let file = MadeFile {
            media_type: media_type(&name).to_owned(),
            size: content.len() as u64,
            sha256: sha256(&content),
            warnings,
            path,
            name,
        };
        let members = vec![("result".to_owned(), result.into())];
        Answer::with_files(members, vec![file], move |_| Ok(content.clone()))
    }

    fn with_files(
        mut members: Vec<(String, Json)>,
        files: Vec<MadeFile>,
        content: impl Fn(&str) -> Result<Vec<u8>>,
    ) -> Result<Answer> {
        let without = Json::Object(members.clone()).to_string().len() as u64;
        check_size(without, &files)?;
        let names = files.iter().map(|file| file.name.clone()).collect();
        let file_bytes = files.iter().map(|file| file.size).sum();
        let files = files.into_iter().map(|file| file.into_json(&content));
        members.push(("files".to_owned(), Json::Array(files.collect::<Result<_>>()?)));
        Ok(Answer { json: Json::Object(members), files: names, file_bytes })
    }

    /// Returns the names of the files and their size, for the log.
    pub(super) fn summary(&self) -> Value {
        json!({ "files": self.files.len(), "fileBytes": self.file_bytes })
    }

    /// Returns the names of the files.
    pub(super) fn file_names(&self) -> &[String] {
        &self.files
    }

    /// Returns the answer as Lambda takes it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - names and warnings of the files made it too large.
    pub(super) fn into_bytes(self) -> Result<Bytes> {
        let bytes = self.json.to_string().into_bytes();
        match bytes.len() > MAX_PAYLOAD_BYTES {
            true => Err(too_large("answer", bytes.len() as u64)),
            false => Ok(bytes.into()),
        }
    }
}

impl MadeFile {
    /// Returns the bytes that its content takes in the answer.
    fn encoded(&self) -> u64 {
        match self.path {
            Some(_) => 0,
            None => self.size.div_ceil(3).saturating_mul(4).saturating_add(AROUND_CONTENT),
        }
    }

    fn into_json(self, content: impl Fn(&str) -> Result<Vec<u8>>) -> Result<Json> {
        let place = match self.path {
            Some(path) => ("path", path),
            None => ("base64", STANDARD.encode(content(&self.name)?)),
        };
        let mut members = vec![
            ("name".to_owned(), self.name.into()),
            ("media_type".to_owned(), self.media_type.into()),
            ("size".to_owned(), self.size.into()),
            ("sha256".to_owned(), self.sha256.into()),
        ];
        push_warnings(&mut members, self.warnings);
        members.push((place.0.to_owned(), place.1.into()));
        Ok(Json::Object(members))
    }
}

fn push_warnings(members: &mut Vec<(String, Json)>, warnings: Vec<String>) {
    if !warnings.is_empty() {
        let warnings = warnings.into_iter().map(Json::from).collect();
        members.push(("warnings".to_owned(), Json::Array(warnings)));
    }
}

/// Checks the size of an answer before files are encoded.
///
/// # Errors
///
/// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - the result alone, or with the files, is too large. The largest file is
/// named.
fn check_size(without: u64, files: &[MadeFile]) -> Result<()> {
    if without > MAX_PAYLOAD_BYTES as u64 {
        return Err(too_large("result", without).hint("let the tool write a file, or return less"));
    }
    let all = files.iter().fold(without, |all, file| all.saturating_add(file.encoded()));
    if all <= MAX_PAYLOAD_BYTES as u64 {
        return Ok(());
    }
    let Some(largest) = files.iter().max_by_key(|file| file.encoded()) else { return Ok(()) };
    let MadeFile { name, size, .. } = largest;
    let error = too_large("answer", all);
    let error = error.detail(format!(
        "the largest file is `{name}` with {size} bytes, {} as base64",
        largest.encoded()
    ));
    Err(error.hint("make it smaller, or mount a file system and name it with `mitt lambda --out`"))
}

fn too_large(what: &str, got: u64) -> Error {
    Error::limit(Resource::Transfer, MAX_PAYLOAD_BYTES as u64, got).at(what)
}

/// Returns the media type of a file that a text was made.
fn media_type(name: &str) -> &'static str {
    let extension = Path::new(name).extension().map(|it| it.to_ascii_lowercase());
    match extension.as_ref().and_then(|it| it.to_str()) {
        Some("pdf") => "application/pdf",
        Some("docx") => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        Some("pptx") => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        Some("xlsx") => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        Some("html") => "text/html; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, size: u64, path: Option<&str>) -> MadeFile {
        let (name, path) = (name.to_owned(), path.map(str::to_owned));
        MadeFile {
            media_type: String::new(),
            size,
            sha256: String::new(),
            warnings: Vec::new(),
            path,
            name,
        }
    }

    #[test]
    fn an_answer_that_is_too_large_names_its_largest_file() {
        let half = MAX_PAYLOAD_BYTES as u64 / 2;
        assert!(check_size(100, &[file("a.pdf", half, None)]).is_ok());
        let files = [file("a.pdf", half, None), file("b.xlsx", half + 1, None)];
        let error = check_size(100, &files).unwrap_err().render();
        let named = format!("the largest file is `b.xlsx` with {} bytes", half + 1);
        assert!(error.contains(&named) && error.contains("6291556"), "{error}");
        assert!(check_size(100, &[file("a.pdf", u64::MAX, Some("/mnt/a.pdf"))]).is_ok());
        let error = check_size(MAX_PAYLOAD_BYTES as u64 + 1, &[]).unwrap_err().render();
        assert!(error.starts_with("result: "), "{error}");
        assert!(check_size(1, &[file("a", u64::MAX, None), file("b", u64::MAX, None)]).is_err());
    }

    #[test]
    fn a_file_is_in_the_answer_or_on_the_disk() {
        let files = vec![file("a.txt", 2, None), file("b.txt", 2, Some("/mnt/b.txt"))];
        let answer = Answer::with_files(Vec::new(), files, |_| Ok(b"hi".to_vec())).unwrap();
        assert_eq!(answer.summary(), json!({ "files": 2, "fileBytes": 4 }));
        let json: Value = serde_json::from_slice(&answer.into_bytes().unwrap()).unwrap();
        assert_eq!(
            (&json["files"][0]["base64"], &json["files"][1]["path"]),
            (&json!("aGk="), &json!("/mnt/b.txt"))
        );
        assert!(json["files"][1].get("base64").is_none());
    }
}
