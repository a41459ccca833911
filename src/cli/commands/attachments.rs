//! Attachments of a PDF: its source text, and files that the user names.

use std::path::Path;

use crate::args::Render;
use mitt::internal::Check;
use mitt::render::{Attachment, MAX_ATTACHED_BYTES, PdfStandard, Relation};
use mitt_base::file_name::check_file_name;
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// Media types by the ending of a file name.
const TYPES: [(&str, &str); 16] = [
    ("csv", "text/csv"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("parquet", "application/vnd.apache.parquet"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("tsv", "text/tab-separated-values"),
    ("txt", "text/plain"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
];

/// Returns the files of `--attach`, preceded by the source text if the PDF standard is one for archives that allows
/// attachments. The rules of `--words` apply to text.
///
/// # Errors
///
/// [`ErrorKind::Input`] - a file cannot be read, or is too large. Also those of the guard.
pub(super) fn attachments(
    command: &Render,
    markdown: &str,
    mut check: Option<&mut Check>,
) -> Result<Vec<Attachment>> {
    let mut all = Vec::new();
    let is_archive =
        |standard: &PdfStandard| standard.takes_files() && *standard != PdfStandard::Ua1;
    if command.pdf_standard.iter().any(is_archive) {
        let name = command.file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let name = if check_file_name(name).is_ok() && name != "-" { name } else { "source.md" };
        all.push(Attachment {
            name: name.to_owned(),
            media_type: "text/markdown".to_owned(),
            relation: Relation::Source,
            description: "the text that this document was made of".to_owned(),
            bytes: markdown.as_bytes().into(),
        });
    }
    let mut left = MAX_ATTACHED_BYTES as u64;
    for path in &command.attach {
        let bytes = read(path, left)?;
        left = left.saturating_sub(bytes.len() as u64);
        let bytes = match String::from_utf8(bytes) {
            Ok(mut text) => {
                if let Some(check) = &mut check {
                    let place = format!("--attach {}", path.display());
                    check.text(&mut text).map_err(|error| error.at(place))?;
                }
                text.into_bytes()
            }
            Err(error) => error.into_bytes(),
        };
        all.push(Attachment {
            name: path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            media_type: media_type(path).to_owned(),
            relation: Relation::Data,
            description: String::new(),
            bytes: bytes.into(),
        });
    }
    Ok(all)
}

fn read(path: &Path, left: u64) -> Result<Vec<u8>> {
    let bytes = plain_file::read(path, left).map_err(|error| {
        Error::new(ErrorKind::Input, format!("--attach: cannot read {}", path.display()))
            .hint("name a file that you may read")
            .caused_by(error)
    })?;
    if bytes.len() as u64 > left {
        let message = format!(
            "--attach: expected files of at most {MAX_ATTACHED_BYTES} bytes together, got more with {}",
            path.display()
        );
        return Err(Error::new(ErrorKind::Input, message));
    }
    Ok(bytes)
}

fn media_type(path: &Path) -> &'static str {
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let known = TYPES.iter().find(|(end, _)| end.eq_ignore_ascii_case(extension));
    known.map_or("application/octet-stream", |(_, known)| known)
}
