//! Delivery of files: the host renders what a plugin described. A file is staged with its call, and becomes an artifact of the
//! session when the call succeeds.

use std::sync::Arc;
use std::time::Duration;

use super::super::call_id::CallId;
use super::super::event::Event;
use super::stage::Staged;
use super::state::Delivery;
use crate::capability::{Change, Contents, Deliverable, Filling, ServiceError, Word};
use crate::engine::CallClock;
use crate::fill::FillOrder;
use crate::host::{INLINE_BYTES, Permit, RENDERING};
use crate::worker::FillJob;
use mitt_base::formulas::{FormulaFields, Formulas, in_csv};
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_base::{Error, ErrorKind, Result};
use mitt_render::{Cancel, LeftOut, SheetRows};

/// Warning for a workbook for which a table of contents was requested.
const NO_CONTENTS: &str =
    "contents are left out: a workbook has none, each of its tables has a sheet of its own";

/// Workbooks up to this many rows are checked at once, without a place for blocking work, as texts up to [`INLINE_BYTES`] are.
const INLINE_ROWS: u64 = 1_000;

/// A rendered file.
#[derive(Default)]
struct Rendered {
    content: Vec<u8>,
    warnings: Vec<String>,
    /// Number of pages, if known.
    pages: Option<u64>,
    /// Rows of each sheet, for a new workbook.
    sheets: Vec<SheetRows>,
    /// Picture of the first page, if one was requested.
    preview: Option<Vec<u8>>,
    /// Charge for the source of the file, until the file is written.
    _kept: Option<Charge>,
}

impl Rendered {
    fn new(content: Vec<u8>, warnings: Vec<String>, kept: Option<Charge>) -> Rendered {
        Rendered { content, warnings, _kept: kept, ..Rendered::default() }
    }
}

/// Settings for rendering one file.
#[derive(Default)]
pub(in crate::session) struct Rendering {
    /// Clock of the call.
    pub(in crate::session) clock: Option<Arc<CallClock>>,
    /// Creation time that the file states; `None` for the time of the host.
    pub(in crate::session) created: Option<Duration>,
    pub(in crate::session) rows: Rows,
}

impl Delivery {
    /// Renders a file and writes it to the stage, with a picture of its first page if one was requested. The guest may handle the
    /// inner error; the outer one ends the call. `memory` is charged.
    pub(in crate::session) async fn stage(
        self: &Arc<Delivery>,
        mut what: Deliverable,
        filename: &str,
        how: Rendering,
        (call, memory): (CallId, &Account),
    ) -> Result<Result<(Staged, Option<Staged>), ServiceError>> {
        let filename = &*self.guard.name(filename)?;
        let (redacted, left_out) = self.guarded(&mut what, filename, &how, memory).await?;
        let clock = how.clock.clone();
        let mut kept = memory.charge(what.bytes()).map_err(Error::reached)?;
        let (name, format) = match what.file_name(filename) {
            Ok(named) => named,
            Err(problem) => return Ok(Err(ServiceError::InvalidArgument(problem))),
        };
        let formulas = match self.without_formulas(&mut what, format.extension, memory)? {
            Ok(warning) => warning,
            Err(problem) => return Ok(Err(ServiceError::InvalidArgument(problem))),
        };
        if let Err(problem) = self.with_template(&mut what, &mut kept)? {
            return Ok(Err(problem));
        }
        let preview = what.preview(&name);
        let has_template = match &what {
            Deliverable::Filling(_) => true,
            Deliverable::Word(word) => word.options.template.is_some(),
            _ => false,
        };
        let mut rendered = match self.render(what, how, left_out, (memory, kept)).await {
            Ok(rendered) => rendered,
            Err(error) => return for_guest(error).map(Err),
        };
        rendered.warnings.extend(redacted.into_iter().chain(formulas));
        if has_template && !self.guard.rules().is_empty() {
            rendered = match self.guarded_filled(rendered, filename, clock, memory).await {
                Ok(rendered) => rendered,
                Err(error) => return for_guest(error).map(Err),
            };
        }
        let Rendered { content, warnings, pages, sheets, preview: picture, _kept } = rendered;
        let mut contents = Contents::new(pages, sheets, &warnings);
        // A warning may quote a template, which the guard has not checked.
        contents.texts().for_each(|text| *text = self.guard.line(text).into_owned());
        self.open_folder()?;
        let written = match self.artifacts.write(&name, format.media_type, content, contents)? {
            Ok(written) => written,
            Err(error) => return Ok(Err(error)),
        };
        let staged = Staged { call, written, warnings };
        let (Some(picture), Some((format, name))) = (picture, preview) else {
            return Ok(Ok((staged, None)));
        };
        let nothing = Contents::default();
        let written = self.artifacts.write(&name, format.media_type, picture, nothing)?;
        let beside = |written| (staged, Some(Staged { call, written, warnings: Vec::new() }));
        Ok(written.map(beside))
    }

    /// Applies the guard to the content of a file; for long content as blocking work. Returns a warning and what was left out.
    async fn guarded(
        self: &Arc<Delivery>,
        what: &mut Deliverable,
        filename: &str,
        how: &Rendering,
        memory: &Account,
    ) -> Result<(Option<String>, LeftOut)> {
        let is_long = match &*what {
            Deliverable::Workbook(book, _) => book.row_count() > INLINE_ROWS,
            Deliverable::Pdf { .. }
            | Deliverable::Word(_)
            | Deliverable::Html { .. }
            | Deliverable::Tables { .. }
            | Deliverable::Filling(_)
            | Deliverable::Text(_)
            | Deliverable::Chart(_) => what.bytes() > INLINE_BYTES,
        };
        if !is_long || self.guard.rules().is_empty() {
            return self.guard.file(what, filename, memory, &Cancel::default());
        }
        let permit = self.acquire_permit(how.clock.clone()).await?;
        let mut taken = std::mem::replace(what, Deliverable::Text(String::new()));
        let (guard, filename, memory) = (self.guard.clone(), filename.to_owned(), memory.clone());
        let check = move |cancel: Cancel| {
            cancel.check()?;
            let found = guard.file(&mut taken, &filename, &memory, &cancel)?;
            Ok((taken, found))
        };
        let (checked, found) =
            self.context.host().blocking().here(RENDERING, permit, check).await?;
        *what = checked;
        Ok(found)
    }

    /// Applies the guard to a filled template: two values may be adjacent there, and the template has texts of its own.
    async fn guarded_filled(
        self: &Arc<Delivery>,
        mut rendered: Rendered,
        filename: &str,
        clock: Option<Arc<CallClock>>,
        memory: &Account,
    ) -> Result<Rendered> {
        let permit = self.acquire_permit(clock).await?;
        let (guard, filename, memory) = (self.guard.clone(), filename.to_owned(), memory.clone());
        let check = move |cancel: Cancel| {
            cancel.check()?;
            let warnings = guard.bytes(&mut rendered.content, &filename, &memory)?;
            rendered.warnings.extend(warnings);
            Ok(rendered)
        };
        self.context.host().blocking().here(RENDERING, permit, check).await
    }

    /// Handles fields of a CSV file that a spreadsheet would calculate. Returns a warning about them; the inner error refuses the
    /// file.
    pub(super) fn without_formulas(
        &self,
        what: &mut Deliverable,
        extension: &str,
        memory: &Account,
    ) -> Result<Result<Option<String>, String>> {
        let (Deliverable::Text(text), "csv") = (what, extension) else { return Ok(Ok(None)) };
        if self.csv_formulas == Formulas::Kept {
            return Ok(Ok(None));
        }
        // Charge for the copy, while both texts exist.
        let _copy = memory.charge(text.len() as u64).map_err(Error::reached)?;
        let Some(FormulaFields { count, first: (line, field), harmless }) = in_csv(text) else {
            return Ok(Ok(None));
        };
        if self.csv_formulas == Formulas::Refused {
            return Ok(Err(format!(
                "line {line}, field {field}: expected text that no spreadsheet would calculate; it begins with `=`, `+`, `-`, `@`, a tab \
                 or a carriage return; such fields in all: {count}; hint: deliver a workbook, where text is never a formula"
            )));
        }
        *text = harmless;
        Ok(Ok(Some(format!(
            "{count} fields begin with an apostrophe now, because a spreadsheet would have calculated them; the first is in line {line}, \
             field {field}"
        ))))
    }

    /// Registers a file, records it in the journal and gives `emit` an event about it.
    pub(in crate::session) fn publish(
        &self,
        staged: Staged,
        emit: impl FnOnce(&Event),
    ) -> Result<()> {
        let Staged { call, written, warnings } = staged;
        let artifact = written.artifact.clone();
        let _announced = self.artifacts.register(written)?;
        self.context.journal().artifact(call, &artifact, &warnings, self.context.now());
        emit(&Event::Delivered { call, artifact, warnings });
        Ok(())
    }

    /// Renders a file. `kept` is the charge for its source; it moves into the work, which may outlive its caller.
    async fn render(
        self: &Arc<Delivery>,
        what: Deliverable,
        Rendering { clock, created, rows }: Rendering,
        left_out: LeftOut,
        (memory, kept): (&Account, Charge),
    ) -> Result<Rendered> {
        let created = created.unwrap_or_else(|| self.context.now());
        let blocking = self.context.host().blocking();
        match what {
            Deliverable::Text(text) => Ok(Rendered::new(text.into_bytes(), Vec::new(), Some(kept))),
            Deliverable::Workbook(mut book, pictures) => {
                let permit = self.acquire_permit(clock).await?;
                let (session, memory) = (self.clone(), memory.clone());
                let draw = move |cancel| {
                    let charges = session.with_pictures(&mut book, &pictures, &memory)?;
                    let mut warnings = book.shorten_headers();
                    let memory = Some(memory);
                    let options = mitt_render::XlsxOptions { created, cancel, memory, rows };
                    let file = mitt_render::xlsx(&book, &options)?;
                    warnings.extend(file.warnings.iter().cloned());
                    Ok((mitt_render::Xlsx { warnings, ..file }, (kept, charges)))
                };
                let (file, (kept, _)) = blocking.here(RENDERING, permit, draw).await?;
                let sheets = file.sheets;
                Ok(Rendered { sheets, ..Rendered::new(file.bytes, file.warnings, Some(kept)) })
            }
            Deliverable::Chart(chart) => {
                let permit = self.acquire_permit(clock).await?;
                let draw = move |cancel: Cancel| {
                    cancel.check()?;
                    Ok((chart.draw()?, kept))
                };
                let ((content, warnings), kept) = blocking.here(RENDERING, permit, draw).await?;
                Ok(Rendered::new(content, warnings, Some(kept)))
            }
            Deliverable::Word(mut word) => {
                let permit = self.acquire_permit(clock).await?;
                word.options.created = Some(created);
                let (session, memory) = (self.clone(), memory.clone());
                let draw = move |cancel: Cancel| {
                    let text = word.markdown.as_deref().unwrap_or_default();
                    let found = session.pictures_in(text, &memory, &cancel)?;
                    word.options.pictures = found.pictures;
                    Ok((word_file(*word, &left_out, cancel)?, (kept, found.charges)))
                };
                let (word, (kept, _)) = blocking.here(RENDERING, permit, draw).await?;
                Ok(Rendered::new(word.bytes, word.warnings, Some(kept)))
            }
            Deliverable::Html { markdown, mut options } => {
                let permit = self.acquire_permit(clock).await?;
                let (session, memory) = (self.clone(), memory.clone());
                let draw = move |cancel: Cancel| {
                    let found = session.pictures_in(&markdown, &memory, &cancel)?;
                    options.pictures = found.pictures;
                    let mut doc = mitt_render::markdown_unless(&markdown, &cancel)?;
                    doc.leave_out(&left_out);
                    options.cancel = cancel;
                    Ok((mitt_render::html(&doc, &options)?, (kept, found.charges)))
                };
                let (page, (kept, _)) = blocking.here(RENDERING, permit, draw).await?;
                let content = page.text.into_bytes();
                Ok(Rendered::new(content, page.warnings, Some(kept)))
            }
            Deliverable::Tables { markdown, title, language, paper, contents } => {
                let permit = self.acquire_permit(clock).await?;
                let memory = memory.clone();
                let draw = move |cancel: Cancel| {
                    let mut doc = mitt_render::markdown_unless(&markdown, &cancel)?;
                    doc.leave_out(&left_out);
                    doc.meta.language = language.or(doc.meta.language);
                    doc.meta.paper = paper.or(doc.meta.paper);
                    let mut sheets = mitt_render::sheets(&doc)?;
                    sheets.book.title = title.or(sheets.book.title);
                    let memory = Some(memory);
                    let options = mitt_render::XlsxOptions { created, cancel, memory, rows };
                    let file = mitt_render::xlsx(&sheets.book, &options)?;
                    let no_contents = contents.then(|| NO_CONTENTS.to_owned());
                    let warnings = sheets.warnings.into_iter().chain(no_contents);
                    let warnings = warnings.chain(file.warnings.iter().cloned()).collect();
                    Ok((mitt_render::Xlsx { warnings, ..file }, kept))
                };
                let (file, kept) = blocking.here(RENDERING, permit, draw).await?;
                let sheets = file.sheets;
                Ok(Rendered { sheets, ..Rendered::new(file.bytes, file.warnings, Some(kept)) })
            }
            Deliverable::Filling(filling) => {
                let permit = self.acquire_permit(clock).await?;
                let mut kept = kept;
                let pack = move |cancel: Cancel| {
                    cancel.check()?;
                    let job = fill_job(*filling)?;
                    kept.grow(job.bytes()).map_err(Error::reached)?;
                    Ok(((permit, kept), job))
                };
                let (permit, job) = blocking.here(RENDERING, (), pack).await?;
                let filled = blocking.fill(permit, job).await?;
                Ok(Rendered::new(filled.bytes, filled.warnings, None))
            }
            Deliverable::Pdf { markdown, mut options } => {
                let mut permit = self.acquire_permit(clock).await?;
                options.created = created;
                options.fonts = self.context.host().fonts().clone();
                let mut markdown = markdown;
                let mut charges = Vec::new();
                // The worker parses the Markdown again. Here it is searched only for pictures.
                if markdown.contains("![") {
                    let (session, memory) = (self.clone(), memory.clone());
                    let collect = move |cancel: Cancel| {
                        let found = session.pictures_of(&markdown, &memory, &cancel)?;
                        Ok((permit, markdown, found))
                    };
                    let (back, text, found) = blocking.here(RENDERING, (), collect).await?;
                    (permit, markdown) = (back, text);
                    (options.pictures, charges) = (found.pictures, found.charges);
                }
                let pdf = blocking
                    .typeset((permit, kept, charges), (markdown, left_out), *options)
                    .await?;
                let rendered = Rendered::new(pdf.bytes, pdf.warnings, None);
                Ok(Rendered { pages: Some(pdf.pages as u64), preview: pdf.preview, ..rendered })
            }
        }
    }

    /// Waits for a place for blocking work: rendering computes for up to seconds and must not block the executor's threads. The
    /// work holds the place until it ends, even if the call has been dropped. The clock of the call stands still while it waits,
    /// since the guest does not cause the wait.
    async fn acquire_permit(&self, clock: Option<Arc<CallClock>>) -> Result<Permit> {
        let _stopped = clock.as_ref().map(CallClock::stop);
        self.context.host().blocking().acquire(self.context.tenant()).await
    }
}

/// Returns the change of an existing workbook as a job for a worker.
fn fill_job(filling: Filling) -> Result<FillJob> {
    let Some(source) = filling.source else { return Err(Error::bug("a workbook of nothing")) };
    let order = match filling.change {
        Change::Fill(values) => FillOrder::Fill(values),
        Change::Append { sheet, rows } => FillOrder::Append { sheet, rows },
    };
    FillJob::as_xlsx(&source, &order)
}

/// Renders a Word file, from a template or from Mitt's own styles.
fn word_file(word: Word, left_out: &LeftOut, cancel: Cancel) -> Result<mitt_render::Docx> {
    let Word { markdown, mut options, is_filling, .. } = word;
    let doc = markdown.map(|text| mitt_render::markdown_unless(&text, &cancel)).transpose()?;
    let doc = doc.map(|mut doc| {
        doc.leave_out(left_out);
        doc
    });
    options.cancel = cancel;
    match (is_filling, options.template.take(), doc) {
        (true, Some(template), doc) => {
            let values = std::mem::take(&mut options.values);
            mitt_render::fill_docx(&template, &values, doc.as_ref(), &options)
        }
        (_, template, Some(doc)) => {
            options.template = template;
            mitt_render::docx(&doc, &options)
        }
        (_, _, None) => Err(Error::bug("a Word file of nothing")),
    }
}

/// Converts an error of rendering that the guest may handle; any other error is returned and ends the guest.
fn for_guest(error: Error) -> Result<ServiceError> {
    match error.kind() {
        ErrorKind::Arguments => Ok(ServiceError::InvalidArgument(error.render())),
        // The file is not usable as a template, or its format is not compiled in.
        ErrorKind::Disabled(_) | ErrorKind::Input => Ok(ServiceError::Unsupported(error.render())),
        _ => Err(error),
    }
}

#[cfg(all(test, feature = "xlsx"))]
mod tests {
    use super::*;
    use crate::{Host, SessionOptions};
    use mitt_base::Resource;
    use mitt_render::{Sheet, SheetBlock, SheetCell, SheetColumn, SheetRow, Workbook};

    #[test]
    fn what_a_build_cannot_write_is_the_guests_to_handle() {
        let error = |kind| Error::new(kind, "no").hint("because");
        let text = "no\nhint: because".to_owned();
        for kind in [ErrorKind::Disabled("pdf"), ErrorKind::Input] {
            let expected = ServiceError::Unsupported(text.clone());
            assert_eq!(for_guest(error(kind)).unwrap(), expected);
        }
        assert_eq!(
            for_guest(error(ErrorKind::Arguments)).unwrap(),
            ServiceError::InvalidArgument(text)
        );
        assert_eq!(*for_guest(error(ErrorKind::Host)).unwrap_err().kind(), ErrorKind::Host);
    }

    #[tokio::test]
    async fn texts_of_csv_files_are_never_formulas_unless_somebody_says_so() {
        let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
        let given = "a,b\n=1+1,-12.5\n@x,\"-1-2\"\n";
        for (csv_formulas, expected) in [
            (Formulas::Harmless, Some("a,b\n'=1+1,-12.5\n'@x,\"'-1-2\"\n")),
            (Formulas::Kept, Some(given)),
            (Formulas::Refused, None),
        ] {
            let csv_formulas = Some(csv_formulas);
            let session =
                host.session(SessionOptions { csv_formulas, ..Default::default() }).unwrap();
            let memory = Account::root(Resource::Memory, u64::MAX);
            let stage = async |name: &str| {
                let what = Deliverable::Text(given.into());
                let how = (CallId::NONE, &memory);
                session.inner.delivery.stage(what, name, Rendering::default(), how).await.unwrap()
            };
            // In another format the text is not a formula.
            assert!(stage("a.txt").await.is_ok_and(|(staged, _)| staged.warnings.is_empty()));
            match (stage("A.CSV").await, expected) {
                (Ok((staged, None)), Some(expected)) => {
                    let is_changed = expected != given;
                    assert_eq!(staged.written.artifact.size, expected.len() as u64);
                    assert_eq!(staged.warnings.len(), usize::from(is_changed));
                    let all = staged.warnings.join("");
                    assert!(
                        !is_changed
                            || all.starts_with("3 fields") && all.ends_with("line 2, field 1"),
                        "{all}"
                    );
                }
                (Err(ServiceError::InvalidArgument(problem)), None) => {
                    assert!(problem.starts_with("line 2, field 1: "), "{problem}");
                }
                (staged, _) => panic!("{csv_formulas:?}: {:?}", staged.is_ok()),
            }
        }
    }

    #[tokio::test]
    async fn drawing_a_workbook_is_charged_beside_the_workbook() {
        let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
        let session = host.session(SessionOptions::default()).unwrap();
        let cells = vec![SheetCell::Text("some text".into())];
        let column = SheetColumn { header: "a".into(), width: 10.0, ..SheetColumn::default() };
        let block = SheetBlock {
            columns: vec![column],
            rows: vec![SheetRow { cells, ..SheetRow::default() }; 2_000],
            ..SheetBlock::default()
        };
        let sheet = Sheet { name: "A".into(), blocks: vec![block], ..Sheet::default() };
        let book = Workbook { sheets: vec![sheet], ..Workbook::default() };
        let all = Account::root(Resource::Memory, u64::MAX);
        let options = mitt_render::XlsxOptions { memory: Some(all.clone()), ..Default::default() };
        mitt_render::xlsx(&book, &options).unwrap();
        let drawing = all.usage().peak;
        assert!(drawing > 500_000, "{drawing}");
        let what = || Deliverable::Workbook(Box::new(book.clone()), Vec::new());
        for (limit, fits) in
            [(what().bytes() + drawing, true), (what().bytes() + drawing - 1, false)]
        {
            let memory = Account::root(Resource::Memory, limit);
            let staged = session
                .inner
                .delivery
                .stage(what(), "a.xlsx", Rendering::default(), (CallId::NONE, &memory))
                .await;
            assert_eq!(staged.is_ok_and(|staged| staged.is_ok()), fits);
            assert_eq!(memory.usage().used, 0);
        }
    }
}
