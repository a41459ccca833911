//! Delivery: the host renders what a plugin described. The file is staged with its call first, and becomes an artifact of the
//! session when the call has succeeded.

use std::sync::Arc;

use super::call_id::CallId;
use super::caller::Caller;
use super::event::Event;
use super::stage::Staged;
use super::state::Inner;
use crate::capability::{Deliverable, ServiceError};
use crate::engine::CallClock;
use mitt_base::file_name::check_file_name;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, ErrorKind, Result};

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
    /// Of what it was made of, until it is written.
    _kept: Option<Charge>,
}

impl Rendered {
    /// Text as it is.
    fn text(text: String, kept: Charge) -> Rendered {
        Rendered { content: text.into_bytes(), warnings: Vec::new(), _kept: Some(kept) }
    }
}

impl Inner {
    /// Render and write. The inner error is the caller's to handle, the outer one ends it. `clock` is that of the
    /// call, and `memory` is charged for it.
    pub(super) async fn stage(
        self: &Arc<Inner>,
        what: Deliverable,
        filename: &str,
        clock: Option<Arc<CallClock>>,
        (call, memory): (CallId, &Account),
    ) -> Result<Result<Staged, ServiceError>> {
        let kept = memory.charge(what.bytes()).map_err(Error::reached)?;
        let (name, media_type) = match file_name_for(&what, filename) {
            Ok(named) => named,
            Err(problem) => return Ok(Err(ServiceError::InvalidArgument(problem))),
        };
        let rendered = match self.render(what, clock, memory, kept).await {
            Ok(rendered) => rendered,
            Err(error) if *error.kind() == ErrorKind::Arguments => {
                return Ok(Err(ServiceError::InvalidArgument(error.render())));
            }
            Err(error) => return Err(error),
        };
        let written = self.artifacts.write(&name, media_type, rendered.content)?;
        Ok(written.map(|written| Staged { call, written, warnings: rendered.warnings }))
    }

    /// Register a file and tell of it.
    pub(super) fn publish(&self, staged: Staged, caller: &Caller) -> Result<()> {
        let Staged { call, written, warnings } = staged;
        let artifact = written.artifact.clone();
        let _announced = self.artifacts.register(written)?;
        self.journal.artifact(call, &artifact, &warnings, self.host.environment().now());
        caller.tell(self, &Event::Delivered { call, artifact, warnings });
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
        memory: &Account,
        kept: Charge,
    ) -> Result<Rendered> {
        match what {
            Deliverable::Text(text) => Ok(Rendered::text(text, kept)),
            #[cfg(any(feature = "xlsx", feature = "pdf"))]
            what => native::render(self, what, clock, memory, kept).await,
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

    #[cfg(feature = "xlsx")]
    use super::super::host::RENDERING;
    use super::{Inner, Rendered, check_file_name};
    use crate::capability::Deliverable;
    use crate::engine::CallClock;
    #[cfg(feature = "xlsx")]
    use mitt_base::Error;
    use mitt_base::Result;
    use mitt_base::memory::{Account, Charge};

    /// Extensions that say what a file is; anything else behind a dot is part of a name.
    const KNOWN: [&str; 10] =
        ["xlsx", "xls", "pdf", "docx", "doc", "md", "txt", "csv", "json", "html"];

    /// Rendering is pure computation of up to seconds, not for the executor's threads. It has a place among the blocking
    /// work until it has ended, also when the call that wanted it has gone. The clock of the call stands still while it
    /// waits for that place: who has it is not the guest's doing.
    ///
    /// `kept` is the charge of what is rendered, and goes with the work: that goes on when nobody waits for it any more.
    pub(super) async fn render(
        session: &Inner,
        what: Deliverable,
        clock: Option<Arc<CallClock>>,
        memory: &Account,
        kept: Charge,
    ) -> Result<Rendered> {
        let blocking = session.host.blocking();
        let stopped = clock.as_ref().map(CallClock::stop);
        let place = blocking.enter(&session.tenant).await?;
        drop(stopped);
        let created = session.host.environment().now();
        match what {
            #[cfg(feature = "xlsx")]
            Deliverable::Workbook(book) => {
                let memory = memory.clone();
                let draw = move |cancel| {
                    let bytes = mitt_render::xlsx_bytes(&book, &cancel)?;
                    let _drawing = memory.charge(bytes).map_err(Error::reached)?;
                    let options = mitt_render::XlsxOptions { created, cancel };
                    Ok((mitt_render::xlsx(&book, &options)?, kept))
                };
                let (content, kept) = blocking.here(RENDERING, place, draw).await?;
                Ok(Rendered { content, warnings: Vec::new(), _kept: Some(kept) })
            }
            #[cfg(feature = "pdf")]
            Deliverable::Pdf { markdown, mut options } => {
                options.created = created;
                options.fonts = session.host.fonts().clone();
                let pdf = blocking.typeset((place, kept), markdown, *options).await?;
                Ok(Rendered { content: pdf.bytes, warnings: pdf.warnings, _kept: None })
            }
            Deliverable::Text(text) => Ok(Rendered::text(text, kept)),
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

#[cfg(all(test, feature = "xlsx"))]
mod tests {
    use super::*;
    use crate::{Host, SessionOptions};
    use mitt_base::Resource;
    use mitt_render::{Cancel, Sheet, SheetCell, SheetColumn, SheetRow, Workbook};

    #[tokio::test]
    async fn drawing_a_workbook_is_charged_beside_the_workbook() {
        let host = Host::builder().bundled_skills(false).build().unwrap();
        let session = host.session(SessionOptions::default()).unwrap();
        let cells = vec![SheetCell::Text("some text".into())];
        let column = SheetColumn { header: "a".into(), width: 10.0, ..SheetColumn::default() };
        let sheet = Sheet {
            name: "A".into(),
            columns: vec![column],
            rows: vec![SheetRow { cells, ..SheetRow::default() }; 2_000],
            ..Sheet::default()
        };
        let book = Workbook { title: None, sheets: vec![sheet] };
        let drawing = mitt_render::xlsx_bytes(&book, &Cancel::default()).unwrap();
        assert!(drawing > 1_000_000, "{drawing}");
        let call = session.inner.next_call(None);
        let what = || Deliverable::Workbook(Box::new(book.clone()));
        for (limit, fits) in
            [(what().bytes() + drawing, true), (what().bytes() + drawing - 1, false)]
        {
            let memory = Account::root(Resource::Memory, limit);
            let staged = session.inner.stage(what(), "a.xlsx", None, (call, &memory)).await;
            assert_eq!(staged.is_ok_and(|staged| staged.is_ok()), fits);
            assert_eq!(memory.usage().used, 0);
        }
    }
}
