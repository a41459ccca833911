//! Looks of workbooks, for people: read like documents, and kept by the caller alone.

use super::super::compile_progress::CompileProgress;
use super::super::event::Event;
use super::add_document::check_name;
use super::requester::Requester;
use super::state::Content;
use crate::ingest::{self, PartsBudget, Readers};
use crate::workbook_view::WorkbookView;
use mitt_base::{Error, Resource, Result};

impl Content {
    /// Reads how a workbook looks.
    ///
    /// # Errors
    ///
    /// Those of [`Session::workbook_view`](crate::Session::workbook_view).
    pub(in crate::session) async fn workbook_view(
        &self,
        name: &str,
        bytes: &[u8],
        requester: &dyn Requester,
    ) -> Result<Option<WorkbookView>> {
        check_name(name, false)?;
        let read = Box::pin(self.read_view(name, bytes, requester));
        let read = self.context.scheduler().run(read);
        // A panic while reading becomes an error: the caller always gets an answer.
        mitt_base::panics::caught("reading the workbook", read).await?
    }

    async fn read_view(
        &self,
        name: &str,
        bytes: &[u8],
        requester: &dyn Requester,
    ) -> Result<Option<WorkbookView>> {
        let name = &*self.guard.name(name)?;
        let host = self.context.host();
        let (size, most) = (bytes.len() as u64, host.session_limits().document_bytes);
        if size > most {
            return Err(Error::limit(Resource::Document, most, size));
        }
        if !ingest::has_view(name, bytes) {
            return Ok(None);
        }
        // Reading is work, so it needs a place as a call does.
        let session = self.context.scheduler().session();
        let mut permit = host.admission().acquire_for(self.context.tenant(), session).await?;
        let memory = self.context.budget().call();
        // Shared with the reader's call, which copies it.
        let copies = memory.charge(2 * size).map_err(Error::reached)?;
        let progress = CompileProgress::new(None, |event: &Event| requester.emit(event));
        let on_compiling = |skill: &str, compiling| progress.compiling(skill, compiling);
        let registry = requester.registry();
        let tables = self.documents.account();
        let rows = requester.rows_read(name.to_owned());
        let budget = PartsBudget::new(host.session_limits().parts.clone(), size);
        let readers = Readers {
            registry: &registry,
            environment: host.environment(),
            limits: &|limits| host.limits_of(limits),
            memory: &memory,
            tables: &tables,
            on_compiling: &on_compiling,
            rows: &rows,
            ocr: None,
            budget: &budget,
        };
        let read = ingest::read_view(&readers, name, bytes.into()).await?;
        progress.ended();
        drop(copies);
        let Some((mut view, usage)) = read else { return Ok(None) };
        permit.set_run_time(usage.duration);
        let Some(mut check) = self.guard.check() else { return Ok(Some(view)) };
        let place = format!("workbook `{name}`");
        let working = memory.clone();
        let checked = move || {
            check.view(&mut view, &working)?;
            view.charge_again()?;
            Ok((view, check))
        };
        let checked = self.elsewhere(checked).await;
        let (view, check) = checked.map_err(|error| error.at(&place))?;
        self.guard.note(&check, &place);
        Ok(Some(view))
    }
}
