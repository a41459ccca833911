//! What a file shows, and what kind of file that is.

use std::sync::Arc;

use super::sandbox_pages::SandboxPages;
use super::tables;
use super::workbook::Workbook;
use mitt::Document;
use mitt::internal::TenantCharge;
use mitt::render::PdfPages;
use mitt_base::Error;

/// What a file shows.
pub(super) enum Content {
    /// Sheets as a spreadsheet shows them.
    Workbook(Box<Workbook>),
    /// Tables of a document.
    Tables(Arc<Document>),
    /// Pages of a foreign PDF, which are drawn in the sandbox, and its document if it has text.
    SandboxPages { pages: Box<SandboxPages>, document: Option<Arc<Document>> },
    /// Pages that are drawn by the host.
    Pages {
        pages: PdfPages,
        /// Charge for the file.
        _charge: TenantCharge,
    },
    /// The text of a document.
    Text(Arc<Document>),
    /// A picture of this media type.
    Picture(&'static str),
    /// Nothing, for these reasons.
    Nothing(Vec<String>),
}

impl Content {
    /// Returns what a document shows.
    pub(super) fn of_document(document: Arc<Document>) -> Content {
        if tables::is_tabular(&document) {
            Content::Tables(document)
        } else {
            Content::Text(document)
        }
    }

    /// Returns the content of a file that cannot be read.
    pub(super) fn nothing(error: &Error) -> Content {
        let hints = error.hints().iter().cloned();
        Content::Nothing(std::iter::once(error.to_string()).chain(hints).collect())
    }
}

/// Returns the media type of a picture from its first bytes, if browsers show it and it cannot run scripts.
pub fn picture_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_known_by_their_first_bytes() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\n..."[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"GIF89a", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", None),
            (b"", None),
        ] {
            assert_eq!(picture_type(bytes), expected);
        }
    }
}
