//! Delivery: a description from a plugin becomes a file on the stage of its call, and then one of the session.

use std::sync::Arc;

use super::stage::Staged;
use super::{Event, Inner, check_file_name};
use crate::capability::{Deliverable, ServiceError};
use crate::{ErrorKind, Result};

/// Extensions of what is delivered as text, and their media types.
const TEXT_TYPES: [(&str, &str); 4] = [
    ("md", "text/markdown"),
    ("txt", "text/plain"),
    ("csv", "text/csv"),
    ("json", "application/json"),
];

/// A rendered file.
struct Rendered {
    content: Vec<u8>,
    warnings: Vec<String>,
}

impl Inner {
    /// Render and write. The inner error is the caller's to handle, the outer one ends it.
    pub(super) async fn stage(
        self: &Arc<Inner>,
        what: Deliverable,
        filename: &str,
    ) -> Result<Result<Staged, ServiceError>> {
        let (name, media_type) = match file_name_for(&what, filename) {
            Ok(named) => named,
            Err(problem) => return Ok(Err(ServiceError::InvalidArgument(problem))),
        };
        let rendered = match self.render(what).await {
            Ok(rendered) => rendered,
            Err(error) if *error.kind() == ErrorKind::Arguments => {
                return Ok(Err(ServiceError::InvalidArgument(error.render())));
            }
            Err(error) => return Err(error),
        };
        let written = self.artifacts.write(&name, media_type, rendered.content)?;
        Ok(written.map(|written| Staged { written, warnings: rendered.warnings }))
    }

    /// Register a file and tell of it.
    pub(super) fn publish(&self, staged: Staged) -> Result<()> {
        let Staged { written, warnings } = staged;
        let artifact = written.artifact.clone();
        let _announced = self.artifacts.register(written)?;
        self.journal.artifact(&artifact, &warnings, self.host.environment().now());
        self.emit(&Event::Delivered { artifact, warnings });
        Ok(())
    }

    async fn render(self: &Arc<Inner>, what: Deliverable) -> Result<Rendered> {
        match what {
            Deliverable::Text(text) => {
                Ok(Rendered { content: text.into_bytes(), warnings: Vec::new() })
            }
            #[cfg(any(feature = "xlsx", feature = "pdf"))]
            what => native::render(self, what).await,
        }
    }
}

/// The name of a file of this kind and its media type: a missing extension is added, a wrong one refused.
fn file_name_for(what: &Deliverable, filename: &str) -> Result<(String, &'static str), String> {
    check_file_name(filename)?;
    match what {
        #[cfg(feature = "xlsx")]
        Deliverable::Workbook(_) => native::file_name(
            filename,
            "xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ),
        #[cfg(feature = "pdf")]
        Deliverable::Pdf { .. } => native::file_name(filename, "pdf", "application/pdf"),
        Deliverable::Text(_) => text_name(filename),
    }
}

fn text_name(filename: &str) -> Result<(String, &'static str), String> {
    let extension = filename.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match TEXT_TYPES.iter().find(|(known, _)| extension.as_deref() == Some(*known)) {
        Some((_, media_type)) => Ok((filename.to_owned(), media_type)),
        None => {
            let known: Vec<_> = TEXT_TYPES.iter().map(|(known, _)| format!("`.{known}`")).collect();
            Err(format!("file name `{filename}`: an extension {} expected", known.join(", ")))
        }
    }
}

/// Files that the host draws itself.
#[cfg(any(feature = "xlsx", feature = "pdf"))]
mod native {
    use std::sync::Arc;

    use super::{Inner, Rendered, check_file_name};
    use crate::capability::Deliverable;
    use crate::render::Cancel;
    use crate::{Error, Result};

    /// Extensions that say what a file is; anything else behind a dot is part of a name.
    const KNOWN: [&str; 10] =
        ["xlsx", "xls", "pdf", "docx", "doc", "md", "txt", "csv", "json", "html"];

    struct CancelOnDrop(Cancel);

    impl Drop for CancelOnDrop {
        fn drop(&mut self) {
            self.0.cancel();
        }
    }

    /// Rendering is pure computation of up to seconds: not on the executor's threads, and told to stop when the call
    /// that wants it is dropped.
    pub(super) async fn render(session: &Arc<Inner>, what: Deliverable) -> Result<Rendered> {
        let cancel = Cancel::default();
        let _cancelled_on_drop = CancelOnDrop(cancel.clone());
        let session = session.clone();
        tokio::task::spawn_blocking(move || draw(&session, what, cancel))
            .await
            .map_err(|error| Error::bug(format!("rendering panicked: {error}")))?
    }

    fn draw(session: &Inner, what: Deliverable, cancel: Cancel) -> Result<Rendered> {
        let created = session.host.environment().now();
        match what {
            #[cfg(feature = "xlsx")]
            Deliverable::Workbook(book) => {
                let options = crate::render::XlsxOptions { created, cancel };
                let content = crate::render::xlsx(&book, &options)?;
                Ok(Rendered { content, warnings: Vec::new() })
            }
            #[cfg(feature = "pdf")]
            Deliverable::Pdf { markdown, mut options } => {
                use crate::render::PdfBackend as _;

                options.created = created;
                options.cancel = cancel;
                options.fonts = crate::render::FontSet::with_extra(session.host.fonts());
                let doc = crate::render::markdown(&markdown)?;
                let pdf = crate::render::TypstBackend.render(&doc, &options)?;
                Ok(Rendered { content: pdf.bytes, warnings: pdf.warnings })
            }
            Deliverable::Text(text) => {
                Ok(Rendered { content: text.into_bytes(), warnings: Vec::new() })
            }
        }
    }

    /// `report` and `report v1.2` get the extension, `report.pdf` is refused where `.xlsx` is wanted.
    pub(super) fn file_name(
        filename: &str,
        wanted: &str,
        media_type: &'static str,
    ) -> Result<(String, &'static str), String> {
        let extension =
            filename.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        match extension.as_deref() {
            Some(extension) if extension == wanted => Ok((filename.to_owned(), media_type)),
            Some(extension) if KNOWN.contains(&extension) => Err(format!(
                "file name `{filename}`: the extension `.{wanted}` expected, got `.{extension}`"
            )),
            _ => {
                let name = format!("{filename}.{wanted}");
                check_file_name(&name)?;
                Ok((name, media_type))
            }
        }
    }
}
