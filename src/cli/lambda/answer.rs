//! The answer to a direct event: the result, what was printed, what it cost, and the files, within what Lambda accepts.
//!
//! What does not fit goes to S3, if the operator named a place there.

use bytes::Bytes;
use serde_json::{Value, json};

use super::answer_plan::{FILES, Plan, RESULT, RESULT_KEY, Sizes, too_large};
use super::function::{Function, Task};
use super::made_file::{FilePlace, MadeFile, media_type, push_object, push_warnings};
use super::payload::Reader;
use super::storage::{Storage, StoredFile};
use super::transfer;
use crate::delivery::Delivery;
use mitt::value::Json;
use mitt::{Artifact, Session, Usage};
use mitt_base::digest::sha256;
use mitt_base::{Error, Result};

/// Way out of an answer that is too large.
const RESULTS: &str =
    "`mitt lambda --results s3://bucket/prefix` stores it, and the answer has a link to it";

/// An answer that fits.
#[derive(Debug)]
pub(super) struct Answer {
    json: Json,
    /// Names of the files.
    files: Vec<String>,
    /// Size of the files together, in bytes.
    file_bytes: u64,
    /// Addresses of the files and the result that went to S3.
    stored: Vec<String>,
    reader: Reader,
}

/// What a call, a script or a model answered.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) result: Json,
    /// `None` if it is not known.
    pub(super) usage: Option<Usage>,
    pub(super) printed: String,
    pub(super) warnings: Vec<String>,
}

impl Answer {
    /// Returns the answer to a call, a script or an instruction, with the files of its session.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - it would be larger than Lambda accepts.
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - a file cannot be written to S3.
    pub(super) async fn of_session(
        function: &Function,
        task: &Task<'_>,
        session: &Session,
        outcome: Outcome,
    ) -> Result<Answer> {
        let Outcome { result, usage, printed, warnings } = outcome;
        let mut members = vec![(RESULT_KEY.to_owned(), result)];
        if !printed.is_empty() {
            members.push(("printed".to_owned(), printed.into()));
        }
        push_warnings(&mut members, warnings);
        if let Some(usage) = usage {
            let usage = json!({
                "fuel": usage.fuel,
                "peak_memory_bytes": usage.peak_memory_bytes,
                "duration_ms": usage.duration.as_secs_f64() * 1_000.0,
            });
            members.push(("usage".to_owned(), usage.into()));
        }
        let folder = function.folder(task);
        let file = |artifact: Artifact| MadeFile {
            place: match &folder {
                Some(it) => FilePlace::Folder(it.join(&artifact.name).display().to_string()),
                None => FilePlace::Answer,
            },
            warnings: artifact.contents.warning_lines().collect(),
            name: artifact.name,
            media_type: artifact.media_type,
            size: artifact.size,
            sha256: artifact.sha256,
        };
        let files = session.artifacts().into_iter().map(file).collect();
        let place = (&**function.storage(), task);
        Answer::with_files(place, members, files, |name| session.artifact_content(name)).await
    }

    /// Returns the answer to a text that was made a file, and writes the file if the function has a folder.
    ///
    /// # Errors
    ///
    /// Those of [`Answer::of_session`]; the folder cannot be written.
    pub(super) async fn of_file(
        function: &Function,
        task: &Task<'_>,
        (name, content): (String, Vec<u8>),
        result: Value,
        warnings: Vec<String>,
    ) -> Result<Answer> {
        let mut place = FilePlace::Answer;
        if let Some(folder) = function.folder(task) {
            std::fs::create_dir_all(&folder).map_err(|error| {
                let message = format!("cannot make the folder {}", folder.display());
                Error::new(mitt_base::ErrorKind::Host, message).caused_by(error)
            })?;
            let target = folder.join(&name);
            // The folder belongs to this invocation alone.
            Delivery::new(None, true).write(&target, &content)?;
            place = FilePlace::Folder(target.display().to_string());
        }
        let file = MadeFile {
            media_type: media_type(&name).to_owned(),
            size: content.len() as u64,
            sha256: sha256(&content),
            warnings,
            place,
            name,
        };
        let members = vec![(RESULT_KEY.to_owned(), result.into())];
        let place = (&**function.storage(), task);
        Answer::with_files(place, members, vec![file], move |_| Ok(content.clone())).await
    }

    async fn with_files(
        (storage, task): (&Storage, &Task<'_>),
        mut members: Vec<(String, Json)>,
        mut files: Vec<MadeFile>,
        content: impl Fn(&str) -> Result<Vec<u8>>,
    ) -> Result<Answer> {
        let reader = task.reader;
        let mut stored = Vec::new();
        if storage.has_results() {
            let link_bytes = |folder: &[&str], name: &str| {
                let mut link = Vec::new();
                push_object(&mut link, storage.stored(&ids_in(task, folder), name)?);
                Ok(reader.size(&Json::Object(link).to_string()))
            };
            let plan = Plan::of(Sizes::of(&members, reader), &files, reader, link_bytes)?;
            if plan.has_result {
                stored.extend(store_result(storage, task, &mut members).await?);
            }
            for at in plan.files {
                let file = &mut files[at];
                let names = (file.name.as_str(), file.media_type.as_str());
                let content = content(&file.name)?;
                let object = keep(storage, task, &[FILES], names, content).await?;
                stored.push(object.address.clone());
                file.place = FilePlace::Object(object);
            }
        }
        let names = files.iter().map(|file| file.name.clone()).collect();
        let file_bytes = files.iter().fold(0, |all: u64, file| all.saturating_add(file.size));
        if reader != Reader::Nobody {
            let without = Sizes::of(&members, reader).all;
            check_size(without, &files, reader, storage.has_results())?;
        } else if !storage.has_results() {
            // No content is encoded, and the size of the answer does not matter.
            return Ok(Answer { json: Json::Null, files: names, file_bytes, stored, reader });
        }
        let files = files.into_iter().map(|file| file.into_json(&content));
        members.push(("files".to_owned(), Json::Array(files.collect::<Result<_>>()?)));
        Ok(Answer { json: Json::Object(members), files: names, file_bytes, stored, reader })
    }

    /// Returns the number of the files, their size, and what went to S3, for the log.
    pub(super) fn summary(&self) -> Value {
        let mut summary = json!({ "files": self.files.len(), "fileBytes": self.file_bytes });
        if !self.stored.is_empty() {
            summary["stored"] = json!(self.stored);
        }
        summary
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
        let size = bytes.len() as u64;
        if size > self.reader.most() {
            return Err(too_large("answer", self.reader, size));
        }
        Ok(bytes.into())
    }
}

/// Returns the ids of a task, and a folder below them.
fn ids_in<'a>(task: &Task<'a>, folder: &[&'a str]) -> Vec<&'a str> {
    task.ids.iter().chain(folder).copied().collect()
}

/// Writes a file to S3 before the deadline of the task.
async fn keep(
    storage: &Storage,
    task: &Task<'_>,
    folder: &[&str],
    names: (&str, &str),
    content: Vec<u8>,
) -> Result<StoredFile> {
    let ids = ids_in(task, folder);
    transfer(task.deadline, names.0, storage.keep(&ids, names, content)).await
}

/// Writes the result to S3, and puts its link in its place.
async fn store_result(
    storage: &Storage,
    task: &Task<'_>,
    members: &mut [(String, Json)],
) -> Result<Option<String>> {
    let Some((key, result)) = members.iter_mut().find(|(key, _)| key == RESULT_KEY) else {
        return Ok(None);
    };
    let content = std::mem::replace(result, Json::Null).to_string().into_bytes();
    let (size, digest) = (content.len() as u64, sha256(&content));
    let object = keep(storage, task, &[], RESULT, content).await?;
    let address = object.address.clone();
    let mut link = vec![("size".to_owned(), size.into()), ("sha256".to_owned(), digest.into())];
    push_object(&mut link, object);
    "result_file".clone_into(key);
    *result = Json::Object(link);
    Ok(Some(address))
}

/// Checks the size of an answer before files are encoded.
///
/// # Errors
///
/// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - the result alone, or with the files, is too large. The largest file is
/// named.
fn check_size(without: u64, files: &[MadeFile], reader: Reader, has_results: bool) -> Result<()> {
    // The option is not advised where it is set.
    let with_way_out = |error: Error| if has_results { error } else { error.hint(RESULTS) };
    if without > reader.most() {
        let error = too_large("result", reader, without);
        return Err(with_way_out(error.hint("return less, or let the tool write a file")));
    }
    let of_files = files.iter().map(|file| file.encoded(reader));
    let all = of_files.fold(without, u64::saturating_add);
    if all <= reader.most() {
        return Ok(());
    }
    let Some(largest) = files.iter().max_by_key(|file| file.encoded(reader)) else {
        return Ok(());
    };
    let MadeFile { name, size, .. } = largest;
    let error = too_large("answer", reader, all);
    let error = error.detail(format!(
        "the largest file is `{name}` with {size} bytes, {} as base64",
        largest.content_bytes()
    ));
    let hint = "make it smaller, or mount a file system and name it with `mitt lambda --out`";
    Err(with_way_out(error.hint(hint)))
}

#[cfg(test)]
mod tests {
    use super::super::made_file::file;
    use super::super::payload::MAX_PAYLOAD_BYTES;
    use super::*;

    #[test]
    fn an_answer_that_is_too_large_names_its_largest_file_and_the_ways_out() {
        let check = |without, files: &[MadeFile]| check_size(without, files, Reader::Caller, false);
        let half = MAX_PAYLOAD_BYTES as u64 / 2;
        assert!(check(100, &[file("a.pdf", half, None)]).is_ok());
        let files = [file("a.pdf", half, None), file("b.xlsx", half + 1, None)];
        let error = check(100, &files).unwrap_err().render();
        let named = format!("the largest file is `b.xlsx` with {} bytes", half + 1);
        assert!(error.contains(&named) && error.contains("6291556"), "{error}");
        assert!(error.contains("--out") && error.contains("--results"), "{error}");
        assert!(check(100, &[file("a.pdf", u64::MAX, Some("/mnt/a.pdf"))]).is_ok());
        let error = check(MAX_PAYLOAD_BYTES as u64 + 1, &[]).unwrap_err().render();
        assert!(error.starts_with("result: ") && error.contains("--results"), "{error}");
        assert!(check(1, &[file("a", u64::MAX, None), file("b", u64::MAX, None)]).is_err());
        // No option is advised that is set.
        for (without, files) in [(u64::MAX, &[][..]), (0, &files[..])] {
            let error = check_size(without, files, Reader::Caller, true).unwrap_err().render();
            assert!(!error.contains("--results"), "{error}");
        }
    }
}
