//! Delivery: a description from a plugin becomes a file on the stage of its call, and then one of the session.

use std::sync::Arc;

use super::stage::Staged;
use super::{Event, Inner, check_file_name};
use crate::capability::{Deliverable, ServiceError};
use crate::engine::CallClock;
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
    /// Render and write. The inner error is the caller's to handle, the outer one ends it. `clock` is that of the call.
    pub(super) async fn stage(
        self: &Arc<Inner>,
        what: Deliverable,
        filename: &str,
        clock: Option<Arc<CallClock>>,
    ) -> Result<Result<Staged, ServiceError>> {
        let (name, media_type) = match file_name_for(&what, filename) {
            Ok(named) => named,
            Err(problem) => return Ok(Err(ServiceError::InvalidArgument(problem))),
        };
        let rendered = match self.render(what, clock).await {
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

    #[cfg_attr(
        not(any(feature = "xlsx", feature = "pdf")),
        allow(unused_variables, reason = "text is not rendered")
    )]
    async fn render(
        self: &Arc<Inner>,
        what: Deliverable,
        clock: Option<Arc<CallClock>>,
    ) -> Result<Rendered> {
        match what {
            Deliverable::Text(text) => {
                Ok(Rendered { content: text.into_bytes(), warnings: Vec::new() })
            }
            #[cfg(any(feature = "xlsx", feature = "pdf"))]
            what => native::render(self, what, clock).await,
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
    use crate::Result;
    use crate::capability::Deliverable;
    use crate::engine::CallClock;

    /// Extensions that say what a file is; anything else behind a dot is part of a name.
    const KNOWN: [&str; 10] =
        ["xlsx", "xls", "pdf", "docx", "doc", "md", "txt", "csv", "json", "html"];

    /// Rendering is pure computation of up to seconds, not for the executor's threads. It has a place among the blocking
    /// work until it has ended, also when the call that wanted it has gone. The clock of the call stands still while it
    /// waits for that place: who has it is not the guest's doing.
    pub(super) async fn render(
        session: &Inner,
        what: Deliverable,
        clock: Option<Arc<CallClock>>,
    ) -> Result<Rendered> {
        let blocking = session.host.blocking();
        let stopped = clock.as_ref().map(CallClock::stop);
        let place = blocking.enter(&session.tenant).await?;
        drop(stopped);
        let created = session.host.environment().now();
        match what {
            #[cfg(feature = "xlsx")]
            Deliverable::Workbook(book) => {
                let draw = move |cancel| {
                    crate::render::xlsx(&book, &crate::render::XlsxOptions { created, cancel })
                };
                let content = blocking.here(place, draw).await?;
                Ok(Rendered { content, warnings: Vec::new() })
            }
            #[cfg(feature = "pdf")]
            Deliverable::Pdf { markdown, mut options } => {
                options.created = created;
                options.fonts = session.host.fonts().clone();
                let pdf = blocking.typeset(place, markdown, *options).await?;
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
