//! Selects the files in a mail that are kept.

use std::collections::HashSet;

use crate::letter::{Letter, push_block};
use crate::tnef;

/// Bytes below which a picture in the text is decoration: a logo, a line, a smiley.
const DECORATION: usize = 24 << 10;

/// Decides which files are kept, and counts the others.
pub(crate) struct Inside<'a> {
    /// Identifiers of the pictures in the text.
    shown: &'a HashSet<String>,
    pictures: usize,
    signatures: usize,
}

impl<'a> Inside<'a> {
    pub(crate) fn new(shown: &'a HashSet<String>) -> Self {
        Self { shown, pictures: 0, signatures: 0 }
    }

    /// Keeps or counts a file with this name, media type and identifier.
    pub(crate) fn take(
        &mut self,
        letter: &mut Letter,
        (name, kind, id): (&str, &str, Option<&str>),
        bytes: Vec<u8>,
    ) {
        let is_signature = [
            "application/pgp-signature",
            "application/pkcs7-signature",
            "application/x-pkcs7-signature",
        ]
        .contains(&kind);
        if is_signature {
            self.signatures += 1;
            return;
        }
        let id = id.map(|id| id.trim_matches(['<', '>', ' ']));
        let is_shown = id.is_some_and(|id| self.shown.contains(id));
        if is_shown && kind.starts_with("image/") && bytes.len() <= DECORATION {
            self.pictures += 1;
            return;
        }
        let is_tnef = kind == "application/ms-tnef" || name.eq_ignore_ascii_case("winmail.dat");
        if is_tnef && let Some(unpacked) = tnef::read(&bytes) {
            letter.parts.extend(unpacked.parts);
            letter.warnings.extend(unpacked.warnings);
            if letter.body.trim().is_empty() {
                push_block(&mut letter.body, &unpacked.body);
                letter.tables.extend(unpacked.tables);
            }
            return;
        }
        letter.attach(name, bytes);
    }

    pub(crate) fn warn(self, warnings: &mut Vec<String>) {
        if self.pictures > 0 {
            warnings
                .push(format!("small pictures in the text that were left out: {}", self.pictures));
        }
        if self.signatures > 0 {
            warnings.push("the signature was not checked".into());
        }
    }
}

/// Returns the file extension of a media type.
pub(crate) fn extension_of(kind: &str) -> &'static str {
    match kind {
        "application/pdf" => ".pdf",
        "application/zip" | "application/x-zip-compressed" => ".zip",
        "application/msword" => ".doc",
        "application/vnd.ms-excel" => ".xls",
        "application/vnd.ms-powerpoint" => ".ppt",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => ".docx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => ".xlsx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation" => ".pptx",
        "image/gif" => ".gif",
        "image/jpeg" | "image/jpg" => ".jpg",
        "image/png" => ".png",
        "text/calendar" => ".ics",
        "text/csv" => ".csv",
        "text/html" => ".html",
        "text/plain" => ".txt",
        "text/vcard" | "text/x-vcard" => ".vcf",
        _ => "",
    }
}
