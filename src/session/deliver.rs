//! Delivery: a description from a plugin becomes a file of the session.

use std::sync::Arc;

use super::{Event, Inner, check_file_name};
use crate::capability::{Artifact, Deliverable, ServiceError};
use crate::render::Cancel;
use crate::{Error, ErrorKind, Result};

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
    /// Render, write and register. The inner error is the caller's to handle, the outer one ends it.
    pub(super) async fn deliver(
        self: &Arc<Inner>,
        what: Deliverable,
        filename: &str,
    ) -> Result<Result<Artifact, ServiceError>> {
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
        if let Ok(artifact) = &written {
            self.journal.artifact(artifact, &rendered.warnings, self.host.environment().now());
            self.emit(&Event::Delivered {
                artifact: artifact.clone(),
                warnings: rendered.warnings,
            });
        }
        Ok(written)
    }

    /// Rendering is pure computation of up to seconds: not on the executor's threads, and told to stop when the call
    /// that wants it is dropped.
    async fn render(self: &Arc<Inner>, what: Deliverable) -> Result<Rendered> {
        if let Deliverable::Text(text) = what {
            return Ok(Rendered { content: text.into_bytes(), warnings: Vec::new() });
        }
        let cancel = Cancel::default();
        let _cancelled_on_drop = CancelOnDrop(cancel.clone());
        let session = self.clone();
        tokio::task::spawn_blocking(move || session.render_blocking(what, cancel))
            .await
            .map_err(|error| Error::bug(format!("rendering panicked: {error}")))?
    }

    #[cfg_attr(
        not(any(feature = "xlsx", feature = "pdf")),
        allow(unused_variables, reason = "there is nothing to render")
    )]
    fn render_blocking(&self, what: Deliverable, cancel: Cancel) -> Result<Rendered> {
        match what {
            #[cfg(feature = "xlsx")]
            Deliverable::Workbook(book) => {
                let options =
                    crate::render::XlsxOptions { created: self.host.environment().now(), cancel };
                Ok(Rendered {
                    content: crate::render::xlsx(&book, &options)?,
                    warnings: Vec::new(),
                })
            }
            #[cfg(feature = "pdf")]
            Deliverable::Pdf { markdown, mut options } => {
                use crate::render::PdfBackend as _;

                options.created = self.host.environment().now();
                options.cancel = cancel;
                options.fonts = crate::render::FontSet::with_extra(self.host.fonts());
                let doc = crate::render::markdown(&markdown)?;
                let pdf = crate::render::TypstBackend.render(&doc, &options)?;
                Ok(Rendered { content: pdf.bytes, warnings: pdf.warnings })
            }
            Deliverable::Text(text) => {
                Ok(Rendered { content: text.into_bytes(), warnings: Vec::new() })
            }
        }
    }
}

struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The name of a file of this kind and its media type: a missing extension is added, a wrong one refused.
fn file_name_for(what: &Deliverable, filename: &str) -> Result<(String, &'static str), String> {
    check_file_name(filename)?;
    let extension = filename.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let extension = extension.as_deref();
    let (wanted, media_type) = match what {
        #[cfg(feature = "xlsx")]
        Deliverable::Workbook(_) => {
            ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
        }
        #[cfg(feature = "pdf")]
        Deliverable::Pdf { .. } => ("pdf", "application/pdf"),
        Deliverable::Text(_) => {
            if let Some((_, media_type)) =
                TEXT_TYPES.iter().find(|(known, _)| extension == Some(*known))
            {
                return Ok((filename.to_owned(), media_type));
            }
            let known: Vec<_> = TEXT_TYPES.iter().map(|(known, _)| format!("`.{known}`")).collect();
            return Err(format!(
                "file name `{filename}`: an extension {} expected",
                known.join(", ")
            ));
        }
    };
    const KNOWN: [&str; 10] =
        ["xlsx", "xls", "pdf", "docx", "doc", "md", "txt", "csv", "json", "html"];
    match extension {
        Some(extension) if extension == wanted => Ok((filename.to_owned(), media_type)),
        Some(extension) if KNOWN.contains(&extension) => Err(format!(
            "file name `{filename}`: the extension `.{wanted}` expected, got `.{extension}`"
        )),
        // `report v1.2` has a dot but no extension.
        _ => {
            let name = format!("{filename}.{wanted}");
            check_file_name(&name)?;
            Ok((name, media_type))
        }
    }
}
