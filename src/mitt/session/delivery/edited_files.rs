//! Files that plugins edit: their content as it is, and delivery of edited copies.
//!
//! The host writes the bytes of a plugin and parses none of them: a reader in the sandbox shows the guard what they hold. The number
//! of pages of an edited PDF is unknown, by which previews recognise that the host did not make it: they show its text.

use std::sync::Arc;

use super::super::call_id::CallId;
use super::super::content::{Content, Requester};
use super::deliver::for_guest;
use super::stage::Staged;
use super::state::Delivery;
use crate::engine::CallClock;
use crate::host::INLINE_BYTES;
use crate::ingest::{FileType, edited_type};
use mitt_base::digest::sha256;
use mitt_base::file_name::check_file_name;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Result, text};
use mitt_render::Cancel;
use mitt_skill::capability::{Contents, ContentsInternal as _, EditedFile, ServiceError};

/// Most warnings about a file that are shown, and most characters of one.
const MAX_WARNINGS: usize = 100;
const MAX_WARNING: u64 = 1_000;

/// Most names that an error lists.
const MAX_NAMES: usize = 50;

/// Extensions that belong to another type than a file with an edited type. Anything else after a dot is part of the name.
const OTHER_EXTENSIONS: [&str; 29] = [
    "csv", "doc", "docm", "docx", "dotm", "dotx", "eml", "html", "jpg", "msg", "json", "md", "odp",
    "ods", "odt", "pdf", "png", "potx", "ppt", "pptm", "pptx", "tsv", "txt", "xls", "xlsb", "xlsm",
    "xlsx", "xltx", "zip",
];

impl Delivery {
    /// Returns the content of the file of a document, a picture or an artifact. The copy of an artifact is added to `kept`. The
    /// guest may handle the inner error.
    pub(in crate::session) fn file(
        &self,
        name: &str,
        kept: &mut Charge,
    ) -> Result<Result<Arc<[u8]>, ServiceError>> {
        let found = match self.content.source_of(name) {
            Some(source) => Some(source),
            None => match self.content.picture(name) {
                Some(picture) => Some(picture),
                None => self.artifact_as_template(name, kept)?,
            },
        };
        Ok(found.ok_or_else(|| self.no_file(name)))
    }

    fn no_file(&self, name: &str) -> ServiceError {
        let shown = text::one_line(text::cut_bytes(name, 200));
        let artifacts = self.artifacts.list();
        let is_there = self.content.documents().iter().any(|document| document.name == *name);
        if is_there || artifacts.iter().any(|artifact| artifact.name == *name) {
            return ServiceError::Unsupported(format!(
                "the file of `{shown}` was not kept: the session must keep files, and the file must be a `.docx`, `.xlsx`, `.pptx`, `.pdf`, `.eml`, `.txt`, `.md`, `.csv` or `.tsv` of at most {} MiB from which no rule removed anything\nhint: make a new file from its text",
                Content::MAX_SOURCE >> 20
            ));
        }
        let artifacts = artifacts.into_iter().map(|artifact| artifact.name);
        let mut known: Vec<_> = self.content.sources().into_iter().chain(artifacts).collect();
        known.dedup();
        known.truncate(MAX_NAMES);
        let known = if known.is_empty() {
            "there are none".to_owned()
        } else {
            format!("there are `{}`", known.join("`, `"))
        };
        ServiceError::NotFound(format!("no document or artifact `{shown}`; of files {known}"))
    }

    /// Checks an edited file and writes it to the stage. The guest may handle the inner error; the outer one ends the call.
    /// `memory` is charged while rules are applied to the file.
    pub(in crate::session) async fn stage_edited(
        &self,
        file: EditedFile,
        clock: &Arc<CallClock>,
        (call, memory): (CallId, &Account),
        requester: &dyn Requester,
    ) -> Result<Result<Staged, ServiceError>> {
        let EditedFile { content, filename, warnings, charge: _charge } = file;
        let filename = self.guard.name(&filename)?;
        let is_small = content.len() as u64 <= INLINE_BYTES;
        let identify = move |cancel: Cancel| -> Result<(String, Vec<u8>, Result<FileType>)> {
            cancel.check()?;
            let file_type = edited_type(&filename, &content);
            Ok((filename, content, file_type))
        };
        let (filename, content, file_type) = if is_small {
            identify(Cancel::default())?
        } else {
            let permit = self.acquire_permit(Some(clock)).await?;
            self.rendered(permit, identify).await?
        };
        let file_type = match file_type {
            Ok(file_type) => file_type,
            Err(error) => return for_guest(error).map(Err),
        };
        let name = match named(&filename, &file_type) {
            Ok(name) => name,
            Err(problem) => return Ok(Err(ServiceError::InvalidArgument(problem))),
        };
        if !self.guard.rules().is_empty() {
            // The reader has limits of its own and may have to be compiled first, so the clock stands still.
            let _stopped = clock.stop();
            let file = (&*name, &file_type);
            let is_delivered = |content: &[u8]| {
                let digest = sha256(content);
                self.artifacts.list().iter().any(|artifact| artifact.sha256 == digest)
            };
            let checked =
                self.content.check_edited_file(file, &content, memory, requester, &is_delivered);
            if let Err(error) = Box::pin(checked).await {
                return for_guest(error).map(Err);
            }
        }
        let warnings = bounded(&warnings);
        let warnings: Vec<String> =
            warnings.iter().map(|warning| self.guard.line(warning).into_owned()).collect();
        let contents = Contents::new(None, Vec::new(), &warnings);
        self.open_folder()?;
        let written = self.artifacts.write(&name, file_type.media_type(), content, contents)?;
        Ok(written.map(|written| Staged { call, written, warnings }))
    }
}

/// Returns the name of a file with its extension. Adds a missing extension.
///
/// # Errors
///
/// The name is not allowed, or its extension is that of another type.
fn named(filename: &str, file_type: &FileType) -> Result<String, String> {
    check_file_name(filename)?;
    let expected = file_type.extension();
    let given = filename.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match given {
        Some(given) if given == expected => Ok(filename.to_owned()),
        // A table with tabs has the type of one with commas.
        Some(given) if given == "tsv" && *file_type == FileType::Csv => Ok(filename.to_owned()),
        Some(given) if OTHER_EXTENSIONS.contains(&&*given) => Err(format!(
            "file name `{filename}`: expected the extension of its content, `.{expected}`, got `.{given}`"
        )),
        // `contract` and `contract v1.2` get the extension.
        _ => {
            let name = format!("{filename}.{expected}");
            check_file_name(&name)?;
            Ok(name)
        }
    }
}

/// Returns warnings as lines of bounded length and number.
fn bounded(warnings: &[String]) -> Vec<String> {
    let line = |warning: &String| text::one_line(&text::truncate(warning, MAX_WARNING));
    let mut lines: Vec<String> = warnings.iter().take(MAX_WARNINGS).map(line).collect();
    let more = warnings.len().saturating_sub(MAX_WARNINGS);
    if more > 0 {
        lines.push(format!("and {more} more warnings"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_is_that_of_the_content() {
        let png = FileType::Picture { extension: "png", media_type: "image/png" };
        for (filename, file_type, expected) in [
            ("a.docx", FileType::Docx, Ok("a.docx")),
            ("A.DOCX", FileType::Docx, Ok("A.DOCX")),
            ("合同.v2", FileType::Docx, Ok("合同.v2.docx")),
            ("budget", FileType::Xlsx, Ok("budget.xlsx")),
            ("page-1.png", png.clone(), Ok("page-1.png")),
            ("page-1", png.clone(), Ok("page-1.png")),
            ("page-1.jpg", png, Err("the extension of its content, `.png`, got `.jpg`")),
            ("deck v1.2", FileType::Pptx, Ok("deck v1.2.pptx")),
            ("a.docx", FileType::Xlsx, Err("the extension of its content, `.xlsx`, got `.docx`")),
            ("a.docm", FileType::Docx, Err("`.docx`, got `.docm`")),
            ("a.pdf", FileType::Docx, Err("`.docx`, got `.pdf`")),
            ("a.tsv", FileType::Csv, Ok("a.tsv")),
            ("a.csv", FileType::Csv, Ok("a.csv")),
            ("a.tsv", FileType::Text, Err("`.txt`, got `.tsv`")),
            ("../a.docx", FileType::Docx, Err("is a path")),
            ("", FileType::Docx, Err("is empty")),
            ("con.docx", FileType::Docx, Err("is a device")),
        ] {
            match (named(filename, &file_type), expected) {
                (Ok(name), Ok(expected)) => assert_eq!(name, expected),
                (Err(problem), Err(expected)) => assert!(problem.contains(expected), "{problem}"),
                (named, _) => panic!("{filename}: {named:?}"),
            }
        }
    }

    #[test]
    fn warnings_are_short_lines() {
        assert_eq!(bounded(&["a\nb".to_owned()]), ["a\\nb"]);
        let lines = bounded(&vec!["长".repeat(5_000); 103]);
        assert_eq!((lines.len(), lines[100].as_str()), (101, "and 3 more warnings"));
        assert!(lines[0].chars().count() < 1_100, "{}", lines[0].chars().count());
    }
}
