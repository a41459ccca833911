//! Delivery of files: the host renders what a plugin described. A file is staged with its call, and becomes an artifact of the
//! session when the call succeeds.
//!
//! Does not know formats: see [`Deliver`].

use std::sync::Arc;

use super::super::call_id::CallId;
use super::super::event::Event;
use super::draw::{Deliver, Drawing, Rendered, Rendering};
use super::formats::format_of;
use super::stage::Staged;
use super::state::Delivery;
use crate::engine::CallClock;
use mitt_base::formulas::{FormulaFields, Formulas, in_csv};
use mitt_base::memory::Account;
use mitt_base::{Error, ErrorKind, Result};
use mitt_render::{Cancel, LeftOut};
use mitt_skill::capability::{Contents, ContentsInternal as _, Deliverable, ServiceError};

/// A file after the guard has seen it, with a warning about it, and what was left out of its tree.
type Guarded = (Box<dyn Deliver>, (Option<String>, LeftOut));

impl Delivery {
    /// Renders a file and writes it to the stage, with a picture of its first page if one was requested. The guest may handle the
    /// inner error; the outer one ends the call. `memory` is charged.
    pub(in crate::session) async fn stage(
        self: &Arc<Delivery>,
        what: Deliverable,
        filename: &str,
        how: Rendering,
        (call, memory): (CallId, &Account),
    ) -> Result<Result<(Staged, Option<Staged>), ServiceError>> {
        let filename = &*self.guard.name(filename)?;
        let named = what.file_name(filename);
        let preview = named.as_ref().ok().and_then(|(name, _)| what.preview(name));
        let guarded = self.guarded(format_of(what), filename, how.clock.as_ref(), memory);
        let (mut what, (redacted, left_out)) = guarded.await?;
        let mut kept = memory.charge(what.bytes()).map_err(Error::reached)?;
        let (name, format) = match named {
            Ok(named) => named,
            Err(problem) => return Ok(Err(ServiceError::InvalidArgument(problem))),
        };
        let formulas = match what.plain_text() {
            Some(text) => self.without_formulas(text, format.extension, memory)?,
            None => Ok(None),
        };
        let formulas = match formulas {
            Ok(warning) => warning,
            Err(problem) => return Ok(Err(ServiceError::InvalidArgument(problem))),
        };
        let template = what.template();
        let has_template = template.is_some();
        if let Some(template) = template
            && let Err(problem) = self.find_template(template, &mut kept)?
        {
            return Ok(Err(problem));
        }
        let Rendering { clock, created, rows } = how;
        let drawing = Drawing {
            delivery: self.clone(),
            clock: clock.clone(),
            created: created.unwrap_or_else(|| self.context.now()),
            rows,
            left_out,
            memory: memory.clone(),
            kept,
        };
        let mut rendered = match what.draw(drawing).await {
            Ok(rendered) => rendered,
            Err(error) => return for_guest(error).map(Err),
        };
        rendered.warnings.extend(redacted.into_iter().chain(formulas));
        if has_template && !self.guard.rules().is_empty() {
            rendered = match self.guarded_filled(rendered, filename, clock.as_ref(), memory).await {
                Ok(rendered) => rendered,
                Err(error) => return for_guest(error).map(Err),
            };
        }
        let Rendered { content, warnings, pages, sheets, preview: picture, kept: _kept } = rendered;
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

    /// Applies the guard to the content of a file; for long content as blocking work.
    async fn guarded(
        &self,
        mut what: Box<dyn Deliver>,
        filename: &str,
        clock: Option<&Arc<CallClock>>,
        memory: &Account,
    ) -> Result<Guarded> {
        if !what.is_long() || self.guard.rules().is_empty() {
            let redact = |check: &mut _| what.redact(check, memory, &Cancel::default());
            let found = self.guard.file(filename, redact)?;
            return Ok((what, found));
        }
        let permit = self.acquire_permit(clock).await?;
        let (guard, filename, memory) = (self.guard.clone(), filename.to_owned(), memory.clone());
        let check = move |cancel: Cancel| {
            cancel.check()?;
            let found = guard.file(&filename, |check| what.redact(check, &memory, &cancel))?;
            Ok((what, found))
        };
        self.rendered(permit, check).await
    }

    /// Applies the guard to a filled template: two values may be adjacent there, and the template has texts of its own.
    async fn guarded_filled(
        &self,
        mut rendered: Rendered,
        filename: &str,
        clock: Option<&Arc<CallClock>>,
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
        self.rendered(permit, check).await
    }

    /// Handles fields of a CSV file that a spreadsheet would calculate. Returns a warning about them; the inner error refuses the
    /// file.
    pub(super) fn without_formulas(
        &self,
        text: &mut String,
        extension: &str,
        memory: &Account,
    ) -> Result<Result<Option<String>, String>> {
        if extension != "csv" || self.csv_formulas == Formulas::Kept {
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
}

/// Converts an error that the guest may handle. Any other error is returned and ends the guest.
pub(super) fn for_guest(error: Error) -> Result<ServiceError> {
    match error.kind() {
        ErrorKind::Arguments => Ok(ServiceError::InvalidArgument(error.render())),
        // The file cannot be used, or its format is not compiled in.
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
        let least = format_of(what()).bytes() + drawing;
        for (limit, fits) in [(least, true), (least - 1, false)] {
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
