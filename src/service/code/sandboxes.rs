//! Makes, uses and ends sandboxes.

use std::sync::Arc;
use std::time::Duration;

use super::language;
use super::live::Live;
use super::prelude::{CallerTools, Prelude};
use super::records::{NewFile, Records};
use super::state::{NewSandbox, SandboxFile, SandboxState, Script, ScriptResult};
use super::work::{Changes, JAVASCRIPT, Work, Written};
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::store::{Blob, Document, Store, new_id};
use mitt::{CallOptions, CallReport, Host};

/// Options of [`Sandboxes`].
#[derive(Clone)]
pub(crate) struct SandboxOptions {
    /// Storage of the files.
    pub(crate) store: Arc<dyn Store>,
    /// Skills and limits.
    pub(crate) host: Host,
    /// Sessions in memory at the same time. The one that was used longest ago ends when another one is needed.
    pub(crate) sessions: usize,
    /// Time after the last use at which a session in memory ends. Its files stay.
    pub(crate) idle: Duration,
    /// Files of one sandbox. Default of the program: 200.
    pub(crate) most_files: usize,
    /// Bytes of all files of one sandbox. Default of the program: 512 MiB.
    pub(crate) most_bytes: u64,
    /// Counts scripts.
    pub(crate) metrics: Arc<Metrics>,
}

/// The sandboxes of all tenants. A cheap handle.
#[derive(Clone)]
pub(crate) struct Sandboxes {
    inner: Arc<Inner>,
}

struct Inner {
    records: Records,
    live: Arc<Live>,
    metrics: Arc<Metrics>,
}

/// A call of a tool in a sandbox, which has ended.
pub(crate) struct SandboxCall {
    /// Its report.
    pub(crate) report: CallReport,
    /// Files that it delivered or wrote, which the sandbox has now.
    pub(crate) files: Vec<SandboxFile>,
}

/// A script that ran apart from any sandbox, with files that are not stored yet.
pub(crate) struct Apart {
    /// Its result without files.
    pub(crate) result: ScriptResult,
    written: Vec<Written>,
}

impl Sandboxes {
    /// Returns the sandboxes of a store.
    pub(crate) fn new(options: SandboxOptions) -> Sandboxes {
        let SandboxOptions { store, host, sessions, idle, most_files, most_bytes, metrics } =
            options;
        let records = Records { store, host, most_files, most_bytes };
        let live = Arc::new(Live::new(sessions, idle));
        Sandboxes { inner: Arc::new(Inner { records, live, metrics }) }
    }

    pub(super) fn records(&self) -> &Records {
        &self.inner.records
    }

    pub(super) fn live(&self) -> &Arc<Live> {
        &self.inner.live
    }

    /// Counts a script by its failure.
    pub(super) fn count(&self, failure: Option<&str>) {
        self.inner.metrics.script(failure);
    }

    /// Makes a sandbox.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub(crate) async fn create(
        &self,
        tenant: &str,
        new: NewSandbox,
    ) -> Result<SandboxState, Problem> {
        self.records().create(tenant, new, Vec::new()).await
    }

    /// Returns a sandbox.
    ///
    /// # Errors
    ///
    /// The tenant has no such sandbox.
    pub(crate) async fn get(&self, tenant: &str, id: &str) -> Result<SandboxState, Problem> {
        Ok(self.records().read(tenant, id).await?.0)
    }

    /// Returns sandboxes in the order of their identifiers, after the identifier `after`.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub(crate) async fn list(
        &self,
        tenant: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<SandboxState>, Problem> {
        self.records().list(tenant, after, limit).await
    }

    /// Deletes a sandbox with its files.
    ///
    /// # Errors
    ///
    /// The tenant has no such sandbox.
    pub(crate) async fn delete(&self, tenant: &str, id: &str) -> Result<(), Problem> {
        self.inner.live.forget(tenant, id);
        self.records().delete(tenant, id).await
    }

    /// Releases the files of a sandbox whose life has ended. Call it with what [`Store::sweep`] returned; documents of other
    /// tables are ignored.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub(crate) async fn swept(
        &self,
        tenant: &str,
        table: &str,
        document: &Document,
    ) -> Result<(), Problem> {
        self.inner.live.forget(tenant, &document.key);
        self.records().swept(tenant, table, document).await
    }

    /// Returns the identifier of a file that is about to be stored, which is the owner of its content in the store.
    ///
    /// # Errors
    ///
    /// The system has no random numbers.
    pub(crate) fn new_file_id() -> Result<String, Problem> {
        Ok(new_id("")?)
    }

    /// Adds a file whose content `id` owns in the store. On failure, the content is released.
    ///
    /// # Errors
    ///
    /// The tenant has no such sandbox, it has too many files or bytes, or the name is not a plain one.
    pub(crate) async fn add_file(
        &self,
        tenant: &str,
        sandbox: &str,
        id: String,
        name: &str,
        media_type: &str,
        content: Blob,
    ) -> Result<SandboxFile, Problem> {
        let (name, media_type) = (name.to_owned(), media_type.to_owned());
        let file = NewFile { id, name, media_type, content, is_written: false };
        let (_, added) = self.records().add(tenant, sandbox, &[file], &[]).await?;
        added.into_iter().next().ok_or_else(|| Problem::not_found("sandbox", sandbox))
    }

    /// Returns a file.
    ///
    /// # Errors
    ///
    /// The tenant has no such sandbox, or it has no such file.
    pub(crate) async fn file(
        &self,
        tenant: &str,
        sandbox: &str,
        file: &str,
    ) -> Result<SandboxFile, Problem> {
        let state = self.get(tenant, sandbox).await?;
        let found = state.files.into_iter().find(|it| it.id == file);
        found.ok_or_else(|| Problem::not_found("file", file))
    }

    /// Deletes a file.
    ///
    /// # Errors
    ///
    /// The sandbox has no such file.
    pub(crate) async fn delete_file(
        &self,
        tenant: &str,
        sandbox: &str,
        file: &str,
    ) -> Result<(), Problem> {
        self.records().remove(tenant, sandbox, file).await.map(|_| ())
    }

    /// Runs a script. One script of a sandbox runs at a time; others wait.
    ///
    /// # Errors
    ///
    /// The tenant has no such sandbox, there is no such language (`unsupported_capability`), or the service is busy. An
    /// error of the script itself is in the result.
    pub(crate) async fn run(
        &self,
        tenant: &str,
        sandbox: &str,
        script: Script,
    ) -> Result<ScriptResult, Problem> {
        // Before a place is taken for a sandbox that does not exist.
        self.get(tenant, sandbox).await?;
        let place = self.inner.live.place(tenant, sandbox)?;
        let result = self.run_in(tenant, sandbox, &script, &place).await;
        self.inner.live.leave(tenant, sandbox, &place);
        if let Ok(result) = &result {
            self.count(result.failure.as_deref());
        }
        result
    }

    async fn run_in(
        &self,
        tenant: &str,
        sandbox: &str,
        script: &Script,
        place: &tokio::sync::Mutex<Option<Work>>,
    ) -> Result<ScriptResult, Problem> {
        let mut turn = place.lock().await;
        let state = self.get(tenant, sandbox).await?;
        let mut note = None;
        let mut work = match turn.take_if(|_| script.keeps_variables) {
            Some(work)
                if work.uses_documents(&script.code) && work.has_old_documents(&state.files) =>
            {
                note = Some(
                    "variables are gone, because documents of the session were replaced".to_owned(),
                );
                Work::open(&self.records().host, tenant)?
            }
            Some(work) => work,
            None => Work::open(&self.records().host, tenant)?,
        };
        let (mut result, mut changes) =
            self.run_with(&mut work, tenant, &state.files, script, None).await?;
        result.warnings.extend(note);
        let delivered = std::mem::take(&mut changes.delivered);
        let state = self.store(tenant, sandbox, state, changes, &mut result).await?;
        if script.keeps_variables {
            work.settle(&result.files, &delivered, &result.deleted);
            *turn = Some(work);
        }
        self.records().touch(tenant, state).await?;
        Ok(result)
    }

    /// Loads the files that a script may use, and runs it.
    async fn run_with(
        &self,
        work: &mut Work,
        tenant: &str,
        files: &[SandboxFile],
        script: &Script,
        tools: Option<CallerTools>,
    ) -> Result<(ScriptResult, Changes), Problem> {
        let engine = language::engine(&script.language, work.session())?;
        let has_modules = files.iter().any(|it| it.name.ends_with(".py"));
        let mut prelude = Prelude::for_script(&script.code, has_modules);
        if let Some(tools) = tools {
            prelude = prelude.with_tools(tools);
        }
        let mut warnings = Vec::new();
        let as_documents = work.uses_documents(&script.code);
        // Scripts in JavaScript reach files through functions that no text gives away, such as `load`.
        let has_files = engine == JAVASCRIPT || prelude.has_files();
        if (as_documents || has_files) && !(files.is_empty() && work.is_empty()) {
            let how = (script.code.as_str(), as_documents);
            warnings = work.load((self.records(), tenant), files, how).await?;
        }
        let (mut result, artifacts) = work.run(engine, script, &prelude).await?;
        let mut changes = work.changes(&artifacts);
        result.warnings.append(&mut warnings);
        result.warnings.append(&mut changes.warnings);
        result.left_out.append(&mut changes.left_out);
        Ok((result, changes))
    }

    /// Stores the files of a script in its sandbox.
    pub(super) async fn store(
        &self,
        tenant: &str,
        sandbox: &str,
        state: SandboxState,
        changes: Changes,
        result: &mut ScriptResult,
    ) -> Result<SandboxState, Problem> {
        let Changes { mut written, deleted, .. } = changes;
        result.deleted = deleted;
        self.leave_out(&state.files, &mut written, &mut result.left_out);
        if written.is_empty() && result.deleted.is_empty() {
            return Ok(state);
        }
        let files = self.store_all(tenant, written).await?;
        let added = self.records().add(tenant, sandbox, &files, &result.deleted).await?;
        let (state, added) = added;
        result.files = added;
        Ok(state)
    }

    /// Takes out the files for which a sandbox with `before` has no room.
    fn leave_out(
        &self,
        before: &[SandboxFile],
        written: &mut Vec<Written>,
        left_out: &mut Vec<String>,
    ) {
        let Records { most_files, most_bytes, .. } = self.records();
        let replaced = |it: &SandboxFile| written.iter().any(|new| new.name == it.name);
        let stay: Vec<&SandboxFile> = before.iter().filter(|it| !replaced(it)).collect();
        let (mut files, mut bytes) = (stay.len(), stay.iter().map(|it| it.size).sum::<u64>());
        written.retain(|it| {
            let size = it.content.len() as u64;
            let problem = if files >= *most_files {
                format!("`{}`: a sandbox has at most {most_files} files", it.name)
            } else if bytes.saturating_add(size) > *most_bytes {
                format!("`{}`: the files of a sandbox have at most {most_bytes} bytes", it.name)
            } else {
                files += 1;
                bytes += size;
                return true;
            };
            left_out.push(problem);
            false
        });
    }

    async fn store_all(
        &self,
        tenant: &str,
        written: Vec<Written>,
    ) -> Result<Vec<NewFile>, Problem> {
        let mut files = Vec::new();
        for Written { name, media_type, content } in written {
            match self.records().store(tenant, (&name, &media_type), &content).await {
                Ok(file) => files.push(file),
                Err(problem) => {
                    let owners = files.iter().map(|it: &NewFile| it.id.as_str());
                    self.records().release(tenant, owners).await?;
                    return Err(problem);
                }
            }
        }
        Ok(files)
    }

    /// Calls a tool in the session of a sandbox, with its files as documents.
    ///
    /// # Errors
    ///
    /// The tenant has no such sandbox, or the service is busy. An error of the tool is in the report.
    pub(crate) async fn call(
        &self,
        tenant: &str,
        sandbox: &str,
        tool: &str,
        arguments: &str,
        options: CallOptions,
    ) -> Result<SandboxCall, Problem> {
        self.get(tenant, sandbox).await?;
        let place = self.inner.live.place(tenant, sandbox)?;
        let called = self.call_in((tenant, sandbox), (tool, arguments), options, &place).await;
        self.inner.live.leave(tenant, sandbox, &place);
        called
    }

    async fn call_in(
        &self,
        (tenant, sandbox): (&str, &str),
        (tool, arguments): (&str, &str),
        options: CallOptions,
        place: &tokio::sync::Mutex<Option<Work>>,
    ) -> Result<SandboxCall, Problem> {
        let mut turn = place.lock().await;
        let state = self.get(tenant, sandbox).await?;
        let mut work = match turn.take() {
            Some(work) if !work.has_old_documents(&state.files) => work,
            _ => Work::open(&self.records().host, tenant)?,
        };
        work.load((self.records(), tenant), &state.files, (arguments, true)).await?;
        let report = Box::pin(work.session().call_with(tool, arguments, options)).await;
        let mut changes = work.changes(&report.artifacts);
        let delivered = std::mem::take(&mut changes.delivered);
        let mut result = ScriptResult::default();
        let state = self.store(tenant, sandbox, state, changes, &mut result).await?;
        work.settle(&result.files, &delivered, &result.deleted);
        *turn = Some(work);
        self.records().touch(tenant, state).await?;
        Ok(SandboxCall { report, files: result.files })
    }

    /// Runs a script in a session of its own, with files of any sandboxes of the tenant. Nothing is stored.
    ///
    /// # Errors
    ///
    /// There is no such language (`unsupported_capability`), or the service is busy.
    pub(crate) async fn run_apart(
        &self,
        tenant: &str,
        files: &[SandboxFile],
        script: &Script,
        tools: Option<(&Host, CallerTools)>,
    ) -> Result<Apart, Problem> {
        let host = tools.as_ref().map_or(&self.records().host, |(host, _)| host);
        let mut work = Work::open(host, tenant)?;
        if tools.is_some() {
            work.leave_other_servers();
        }
        let tools = tools.map(|(_, tools)| tools);
        let (mut result, changes) = self.run_with(&mut work, tenant, files, script, tools).await?;
        result.deleted = changes.deleted;
        Ok(Apart { result, written: changes.written })
    }

    /// Stores the files of a script that ran apart in a new sandbox. Returns its identifier; if there are no files, it names
    /// no sandbox.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub(crate) async fn keep(
        &self,
        tenant: &str,
        apart: Apart,
        new: NewSandbox,
    ) -> Result<(String, ScriptResult), Problem> {
        let Apart { mut result, mut written } = apart;
        self.count(result.failure.as_deref());
        self.leave_out(&[], &mut written, &mut result.left_out);
        if written.is_empty() {
            return Ok((new_id(new.prefix)?, result));
        }
        let files = self.store_all(tenant, written).await?;
        let state = self.records().create(tenant, new, files).await?;
        result.files = state.files;
        Ok((state.id, result))
    }
}
