//! Pages of foreign PDF files, which the skill `page-pictures` draws in the sandbox, under the limits of a call.
//!
//! A rule about content cannot check a picture, so that pages are not drawn while there are rules.

use std::path::Path;

use serde_json::{Value, json};
use tokio::sync::Mutex;

use mitt::render::PageSize;
use mitt::{DocumentOptions, Session};
use mitt_base::{Error, ErrorKind, Result};

const SIZES: &str = "page_pictures__read_page_sizes";
const DRAW: &str = "page_pictures__draw_pages";

/// Name of each picture in the session of its file. The next one replaces it.
const PICTURE: &str = "page.png";

/// Least width of a page in pixels.
const MIN_WIDTH_PX: u32 = 100;

/// Most bytes of a picture. One of a scan in colour has some 6 MB.
const MAX_PICTURE_BYTES: u64 = 8 * 1024 * 1024;

/// Most times that a picture that is too large is drawn again, at half the width.
const SMALLER: u32 = 3;

/// The pages of a PDF that was added to a session.
pub(super) struct SandboxPages {
    /// Name of the document in the session.
    document: String,
    sizes: Vec<PageSize>,
    /// Warnings of the outline.
    pub(super) warnings: Vec<String>,
    /// Held while a page is drawn, because all pictures have one name.
    turn: Mutex<()>,
}

impl SandboxPages {
    /// Reads the sizes of the pages. Returns `None` if they cannot be drawn: the skill is missing, or the file is damaged.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] - no place is left now.
    pub(super) async fn open(session: &Session, document: &str) -> Result<Option<SandboxPages>> {
        let arguments = json!({ "document": document }).to_string();
        let read = match session.call(SIZES, &arguments).await.result {
            Ok(read) => Value::from(read),
            Err(error) if matches!(error.kind(), ErrorKind::Busy { .. }) => return Err(error),
            Err(error) => {
                tracing::debug!(%error, "a PDF is shown as text");
                return Ok(None);
            }
        };
        let sizes: Vec<PageSize> =
            read["sizes"].as_array().into_iter().flatten().filter_map(size).collect();
        if sizes.is_empty() {
            return Ok(None);
        }
        let count = read["page_count"].as_u64().unwrap_or(0);
        let is_cut = count > sizes.len() as u64;
        let warning = format!("only the first {} of {count} pages are shown", sizes.len());
        Ok(Some(SandboxPages {
            document: document.to_owned(),
            sizes,
            warnings: is_cut.then_some(warning).into_iter().collect(),
            turn: Mutex::default(),
        }))
    }

    /// Returns the sizes of the pages, in order.
    pub(super) fn sizes(&self) -> &[PageSize] {
        &self.sizes
    }

    /// Returns the page at `index` as a PNG picture, whose width is halved until it has at most [`MAX_PICTURE_BYTES`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - the width is out of range. Those of the call: the page is damaged, or reaches a limit.
    pub(super) async fn draw(
        &self,
        session: &Session,
        index: usize,
        width_px: u32,
    ) -> Result<Vec<u8>> {
        if width_px < MIN_WIDTH_PX {
            let message = format!("expected a width from {MIN_WIDTH_PX} pixels on, got {width_px}");
            return Err(Error::new(ErrorKind::Arguments, message));
        }
        let _turn = self.turn.lock().await;
        let mut size = 0;
        for halved in 0..=SMALLER {
            let arguments = json!({
                "document": self.document,
                "pages": (index + 1).to_string(),
                "width": (width_px >> halved).max(MIN_WIDTH_PX),
                "filename": PICTURE,
            });
            let drawn = Value::from(session.call(DRAW, &arguments.to_string()).await.result?);
            size = drawn["pictures"][0]["file"]["size"].as_u64().unwrap_or(u64::MAX);
            // The content is copied out of the session, so its size is looked at first.
            if size <= MAX_PICTURE_BYTES {
                return session.artifact_content(PICTURE);
            }
        }
        let message = format!(
            "the picture of page {} has {size} bytes, and at most {MAX_PICTURE_BYTES} are shown",
            index + 1
        );
        Err(Error::new(ErrorKind::Input, message).hint("download the file"))
    }
}

fn size(size: &Value) -> Option<PageSize> {
    let side = |name: &str| size[name].as_f64().map(|it| it as f32);
    Some(PageSize { width: side("width")?, height: side("height")? })
}

/// Returns `true` if a file of this name and type may be a PDF, whose content the session must keep for the skill.
pub(super) fn may_be_pdf(name: &str, media_type: &str) -> bool {
    let extension = Path::new(name).extension();
    media_type == "application/pdf" || extension.is_some_and(|it| it.eq_ignore_ascii_case("pdf"))
}

/// Adds a file without text, such as a scan or a damaged one, to `session`. Returns its name there; `None` if that fails, too.
///
/// # Errors
///
/// [`ErrorKind::Busy`] - no place is left now.
pub(super) async fn add_unread(
    session: &Session,
    name: &str,
    bytes: Vec<u8>,
) -> Result<Option<String>> {
    let mut options = DocumentOptions::default();
    options.keeps_unread = true;
    match session.add_document_bytes_with(name, bytes, &options).await {
        Ok(document) => Ok(Some(document.name.clone())),
        Err(error) if matches!(error.kind(), ErrorKind::Busy { .. }) => Err(error),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_a_pdf_is_kept() {
        for (name, media_type, expected) in [
            ("a.PDF", "", true),
            ("a", "application/pdf", true),
            ("a.docx", "", false),
            ("pdf", "application/octet-stream", false),
        ] {
            assert_eq!(may_be_pdf(name, media_type), expected, "{name}");
        }
    }

    #[test]
    fn sizes_need_both_sides() {
        let both = size(&json!({ "width": 595.0, "height": 842.5 })).unwrap();
        assert_eq!((both.width, both.height), (595.0, 842.5));
        assert!(size(&json!({ "width": 595.0 })).is_none());
    }
}
