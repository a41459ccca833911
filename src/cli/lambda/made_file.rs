//! A file of an answer: what is said of it, and where its content is.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::payload::Reader;
use super::storage::StoredFile;
use mitt::value::Json;
use mitt_base::Result;

/// Bytes around the content of a file in the answer: the key, quotes, which may be escaped, and a comma.
const AROUND_CONTENT: u64 = 24;

/// A file that was made.
#[derive(Debug)]
pub(super) struct MadeFile {
    pub(super) name: String,
    pub(super) media_type: String,
    pub(super) size: u64,
    pub(super) sha256: String,
    pub(super) warnings: Vec<String>,
    pub(super) place: FilePlace,
}

/// Where the content of a file is.
#[derive(Debug)]
pub(super) enum FilePlace {
    Answer,
    /// Path of a file that was written.
    Folder(String),
    Object(StoredFile),
}

impl MadeFile {
    /// Returns the bytes that it takes in the answer.
    pub(super) fn encoded(&self, reader: Reader) -> u64 {
        let description = Json::Object(self.description()).to_string();
        let content = match &self.place {
            FilePlace::Answer => self.content_bytes(),
            FilePlace::Folder(path) => reader.size(path) * 2,
            FilePlace::Object(object) => {
                let mut link = Vec::new();
                push_object(&mut link, object.clone());
                reader.size(&Json::Object(link).to_string())
            }
        };
        reader.size(&description).saturating_add(content).saturating_add(AROUND_CONTENT)
    }

    /// Returns the bytes of its content as base64.
    pub(super) fn content_bytes(&self) -> u64 {
        self.size.div_ceil(3).saturating_mul(4)
    }

    fn description(&self) -> Vec<(String, Json)> {
        let mut members = vec![
            ("name".to_owned(), self.name.as_str().into()),
            ("media_type".to_owned(), self.media_type.as_str().into()),
            ("size".to_owned(), self.size.into()),
            ("sha256".to_owned(), self.sha256.as_str().into()),
        ];
        push_warnings(&mut members, self.warnings.clone());
        members
    }

    /// Returns it as the answer has it. `content` returns the content of a file that goes into the answer.
    ///
    /// # Errors
    ///
    /// Those of `content`.
    pub(super) fn into_json(self, content: impl Fn(&str) -> Result<Vec<u8>>) -> Result<Json> {
        let mut members = self.description();
        match self.place {
            FilePlace::Folder(path) => members.push(("path".to_owned(), path.into())),
            FilePlace::Object(object) => push_object(&mut members, object),
            FilePlace::Answer => {
                let content = STANDARD.encode(content(&self.name)?);
                members.push(("base64".to_owned(), content.into()));
            }
        }
        Ok(Json::Object(members))
    }
}

/// Adds where an object is, and its link.
pub(super) fn push_object(members: &mut Vec<(String, Json)>, object: StoredFile) {
    let StoredFile { address, link, expires } = object;
    for (key, value) in [("s3", address), ("url", link), ("expires", expires)] {
        members.push((key.to_owned(), value.into()));
    }
}

/// Adds warnings, if there are any.
pub(super) fn push_warnings(members: &mut Vec<(String, Json)>, warnings: Vec<String>) {
    if !warnings.is_empty() {
        let warnings = warnings.into_iter().map(Json::from).collect();
        members.push(("warnings".to_owned(), Json::Array(warnings)));
    }
}

/// Returns the media type of a file by its name.
pub(super) fn media_type(name: &str) -> &'static str {
    let extension = Path::new(name).extension().map(|it| it.to_ascii_lowercase());
    match extension.as_ref().and_then(|it| it.to_str()) {
        Some("pdf") => "application/pdf",
        Some("docx") => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        Some("pptx") => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        Some("xlsx") => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        Some("html") => "text/html; charset=utf-8",
        Some("xlsm") => "application/vnd.ms-excel.sheet.macroEnabled.12",
        Some("csv") => "text/csv; charset=utf-8",
        Some("json") => "application/json",
        Some("md") => "text/markdown; charset=utf-8",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Returns a file for tests.
#[cfg(test)]
pub(super) fn file(name: &str, size: u64, path: Option<&str>) -> MadeFile {
    MadeFile {
        name: name.to_owned(),
        media_type: String::new(),
        size,
        sha256: String::new(),
        warnings: Vec::new(),
        place: path.map_or(FilePlace::Answer, |path| FilePlace::Folder(path.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_file_is_in_the_answer_on_the_disk_or_in_s3() {
        let content = |_: &str| Ok(b"hi".to_vec());
        let json = |file: MadeFile| -> Value {
            serde_json::from_str(&file.into_json(content).unwrap().to_string()).unwrap()
        };
        let inside = json(file("a.txt", 2, None));
        assert_eq!((&inside["base64"], inside.get("path")), (&json!("aGk="), None));
        let on_disk = json(file("b.txt", 2, Some("/mnt/b.txt")));
        assert_eq!((&on_disk["path"], on_disk.get("base64")), (&json!("/mnt/b.txt"), None));
        let (address, link) =
            ("s3://bucket/id/files/c.txt", "https://bucket/c.txt?X-Amz-Signature=0");
        let object = StoredFile {
            address: address.to_owned(),
            link: link.to_owned(),
            expires: "2026-11-30T07:00:00Z".to_owned(),
        };
        let stored = MadeFile { place: FilePlace::Object(object), ..file("c.txt", 2, None) };
        let stored = json(stored);
        assert_eq!((&stored["s3"], &stored["url"]), (&json!(address), &json!(link)));
        assert_eq!(
            (&stored["expires"], &stored["size"]),
            (&json!("2026-11-30T07:00:00Z"), &json!(2))
        );
        assert!(stored.get("base64").is_none());
    }
}
