//! Files that are read and become no document: looks of workbooks, for people, and files inside of a file. The caller keeps the result.

use super::super::compile_progress::CompileProgress;
use super::super::event::Event;
use super::add_document::{check_name, part_name};
use super::requester::Requester;
use super::state::Content;
use crate::host::{Host, Permit};
use crate::ingest::{self, OnCompiling, PartsBudget, Readers};
use mitt_base::limits::CallLimits;
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_base::{Error, ErrorKind, Resource, Result};
use mitt_skill::Registry;
use mitt_types::{
    EmbeddedFile, EmbeddedFiles, EmbeddedFilesInternal as _, WorkbookView,
    WorkbookViewInternal as _,
};

/// What a reader needs for a file that becomes no document.
struct ReadAside {
    permit: Permit,
    memory: Account,
    /// Charge for the bytes, which are shared with the reader's call, and for its copy.
    copies: Charge,
    registry: Registry,
    tables: Account,
    rows: Rows,
    budget: PartsBudget,
}

impl ReadAside {
    fn readers<'a>(
        &'a self,
        host: &'a Host,
        limits: &'a (dyn Fn(&CallLimits) -> CallLimits + Sync),
        on_compiling: OnCompiling<'a>,
    ) -> Readers<'a> {
        Readers {
            registry: &self.registry,
            environment: host.environment(),
            limits,
            memory: &self.memory,
            tables: &self.tables,
            on_compiling,
            rows: &self.rows,
            ocr: None,
            budget: &self.budget,
        }
    }
}

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

    /// Reads the files inside of a file.
    ///
    /// # Errors
    ///
    /// Those of [`Session::embedded_files`](crate::Session::embedded_files).
    pub(in crate::session) async fn embedded_files(
        &self,
        name: &str,
        bytes: &[u8],
        password: Option<&str>,
        requester: &dyn Requester,
    ) -> Result<EmbeddedFiles> {
        check_name(name, false)?;
        let read = Box::pin(self.read_embedded(name, bytes, password, requester));
        let read = self.context.scheduler().run(read);
        mitt_base::panics::caught("reading the files inside of a file", read).await?
    }

    /// Waits for a place, because reading is work as a call is, and charges for the bytes.
    async fn read_aside(
        &self,
        name: &str,
        bytes: &[u8],
        requester: &dyn Requester,
    ) -> Result<ReadAside> {
        let host = self.context.host();
        let size = self.checked_size(bytes)?;
        let session = self.context.scheduler().session();
        let permit = host.admission().acquire_for(self.context.tenant(), session).await?;
        let memory = self.context.budget().call();
        let copies = memory.charge(2 * size).map_err(Error::reached)?;
        Ok(ReadAside {
            permit,
            memory,
            copies,
            registry: requester.registry(),
            tables: self.documents.account(),
            rows: requester.rows_read(name.to_owned()),
            budget: PartsBudget::new(host.session_limits().parts.clone(), size),
        })
    }

    fn checked_size(&self, bytes: &[u8]) -> Result<u64> {
        let (size, most) =
            (bytes.len() as u64, self.context.host().session_limits().document_bytes);
        if size > most { Err(Error::limit(Resource::Document, most, size)) } else { Ok(size) }
    }

    async fn read_view(
        &self,
        name: &str,
        bytes: &[u8],
        requester: &dyn Requester,
    ) -> Result<Option<WorkbookView>> {
        let name = &*self.guard.name(name)?;
        let host = self.context.host();
        self.checked_size(bytes)?;
        if !ingest::has_view(name, bytes) {
            return Ok(None);
        }
        let mut aside = self.read_aside(name, bytes, requester).await?;
        let progress = CompileProgress::new(None, |event: &Event| requester.emit(event));
        let on_compiling = |skill: &str, compiling| progress.compiling(skill, compiling);
        let limits = |limits: &CallLimits| host.limits_of(limits);
        let readers = aside.readers(host, &limits, &on_compiling);
        let read = ingest::read_view(&readers, name, bytes.into()).await?;
        progress.ended();
        let Some((mut view, usage)) = read else { return Ok(None) };
        aside.permit.set_run_time(usage.duration);
        drop(aside.copies);
        let Some(mut check) = self.guard.check() else { return Ok(Some(view)) };
        let place = format!("workbook `{name}`");
        let working = aside.memory.clone();
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

    async fn read_embedded(
        &self,
        name: &str,
        bytes: &[u8],
        password: Option<&str>,
        requester: &dyn Requester,
    ) -> Result<EmbeddedFiles> {
        let name = &*self.guard.name(name)?;
        if self.guard.check().is_some() {
            let message = "files inside of a file are not given out while rules about content exist, because rules do not look at their bytes";
            return Err(Error::new(ErrorKind::Blocked, message)
                .hint("add the file as a document: its inner files are read and checked"));
        }
        let host = self.context.host();
        let mut aside = self.read_aside(name, bytes, requester).await?;
        let progress = CompileProgress::new(None, |event: &Event| requester.emit(event));
        let on_compiling = |skill: &str, compiling| progress.compiling(skill, compiling);
        let limits = |limits: &CallLimits| host.limits_of(limits);
        let readers = aside.readers(host, &limits, &on_compiling);
        let read = ingest::read_embedded(&readers, name, bytes.into(), password).await;
        progress.ended();
        let (parts, warnings, usage) = read.map_err(|error| error.at(name))?;
        aside.permit.set_run_time(usage.duration);
        let files = parts.files.into_iter();
        let files = files.map(|(name, bytes)| EmbeddedFile { name: part_name(&name), bytes });
        Ok(EmbeddedFiles::new(files.collect(), warnings, parts.charge))
    }
}
