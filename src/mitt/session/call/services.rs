//! The session as one attempt of a call sees it: the services that it may use, the calls that it makes, the files that it
//! produces.
//!
//! Knows sessions and tools. `run.rs` knows what a call is, `dispatch.rs` how often it is attempted.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use wasmtime::component::Val;

use super::super::agent_view::AgentView;
use super::super::call_id::CallId;
use super::super::content::{Requester, TableResults};
use super::super::delivery::{Rendering, Stage};
use super::super::event::{Event, RowStep};
use super::super::inner_calls::InnerCalls;
use super::super::script::ScriptRun;
use super::caller::{Caller, RootCall};
use super::inner::Inner;
use crate::engine::{CallClock, CallOutput};
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_base::{Error, Limit, Resource, Result, lock};
use mitt_render::TextPages;
use mitt_skill::{
    Registry, Skill, Tool, ToolInternal as _,
    capability::{
        Artifact, Capability, Deliverable, Documents, EditedFile, Files, Log, LogLevel, Origin,
        Render, ServiceError, Services, Workspace,
    },
};
use mitt_types::Document;
use mitt_wit::value::val_bytes;

/// View of the session for one attempt of a call.
pub(super) struct CallServices {
    session: Arc<Inner>,
    call: CallId,
    tool: String,
    /// Skill whose plugin runs: the tool's own, or the script engine's.
    skill: String,
    /// Maker of the calls inside of this one.
    inside: Caller,
    /// `true` if an enclosing call runs in a resident instance.
    has_turn: bool,
    clock: Arc<CallClock>,
    /// Files of this attempt, which are delivered if it succeeds.
    stage: Arc<Stage>,
    /// Stage of the enclosing attempt, which receives the files then. `None` if the session does.
    outer: Option<Arc<Stage>>,
    /// How the maker of the call is shown tables.
    shows_tables: TableResults,
    /// Calls that the attempt made, and all files that it produced.
    calls: Arc<InnerCalls>,
    /// `true` if it has called a tool that must not be called twice.
    is_spent: AtomicBool,
    /// `true` if the tool signs with keys of the operator.
    signs: bool,
    /// `true` if it has signed.
    has_signed: AtomicBool,
    /// Charge for the result, until the attempt's caller has it.
    result: Mutex<Option<Charge>>,
    /// Charge for the copy of the artifact that was read last.
    read_file: Mutex<Option<Charge>>,
    /// Charge for the results of the batch of calls that was made last.
    batch: Mutex<Option<Charge>>,
}

/// Attempt of a call.
#[derive(Clone, Copy)]
pub(super) struct AttemptContext<'a> {
    pub(super) call: CallId,
    pub(super) tool: &'a Tool,
    pub(super) caller: &'a Caller,
    /// `true` if another attempt may follow.
    pub(super) is_repeatable: bool,
}

impl CallServices {
    /// Returns the services for one attempt. A repeatable attempt may have to be rolled back.
    pub(super) fn new(session: &Arc<Inner>, attempt: AttemptContext<'_>) -> CallServices {
        let AttemptContext { call, tool, caller, is_repeatable } = attempt;
        let stage = Arc::<Stage>::default();
        let is_undone = is_repeatable || caller.stage.is_some();
        let clock = CallClock::inside(caller.clock.clone());
        let own_stage = is_undone.then(|| stage.clone());
        CallServices {
            session: session.clone(),
            call,
            tool: tool.name.to_string(),
            skill: tool.owner().to_owned(),
            inside: caller.inside(call, tool.uses_handles(), own_stage, clock.clone()),
            has_turn: caller.has_turn,
            clock,
            stage,
            outer: caller.stage.clone(),
            shows_tables: caller.tables,
            calls: caller.root.inner_calls(),
            is_spent: AtomicBool::new(false),
            signs: tool.needs_signing_key(),
            has_signed: AtomicBool::new(false),
            result: Mutex::default(),
            read_file: Mutex::default(),
            batch: Mutex::default(),
        }
    }

    /// Returns the services for one attempt of a script.
    pub(super) fn of_script(
        session: &Arc<Inner>,
        attempt: AttemptContext<'_>,
        engine: &Skill,
        run: Arc<ScriptRun>,
    ) -> CallServices {
        let services = CallServices::new(session, attempt);
        let manifest = engine.manifest();
        let skill = manifest.name.clone();
        // An engine that cannot open tables receives their cells.
        let tables = if manifest.grants.contains(&Capability::Catalog) {
            TableResults::SCRIPT
        } else {
            TableResults::Whole
        };
        CallServices { skill, inside: services.inside.in_script(run, tables), ..services }
    }

    /// Returns the services for the destructor of the resource of `handle`. The session runs it in the plugin of `skill`, as if
    /// `caller` had called it.
    pub(super) fn of_destructor(
        session: &Arc<Inner>,
        handle: &str,
        skill: &str,
        caller: &Caller,
    ) -> CallServices {
        let call = session.calls.next(None);
        let clock = CallClock::inside(None);
        CallServices {
            session: session.clone(),
            call,
            tool: handle.to_owned(),
            skill: skill.to_owned(),
            has_turn: true,
            stage: Arc::default(),
            outer: None,
            shows_tables: TableResults::Whole,
            calls: caller.root.inner_calls(),
            inside: caller.inside(call, true, None, clock.clone()),
            clock,
            is_spent: AtomicBool::new(false),
            signs: false,
            has_signed: AtomicBool::new(false),
            result: Mutex::default(),
            read_file: Mutex::default(),
            batch: Mutex::default(),
        }
    }

    /// Returns the services of the session that the call's maker has, before the call's own grants are applied.
    pub(super) fn session_services(self: &Arc<CallServices>) -> Services {
        let all = Services::of(self);
        match self.inside.agent_view() {
            Some(view) => view.services(all),
            None => all,
        }
    }

    /// Returns the skills that the call sees.
    pub(super) fn registry(&self) -> Registry {
        self.session.registry_for(self.inside.agent_view())
    }

    /// Returns the restrictions of the call's maker; `None` if it has the whole session.
    pub(super) fn agent_view(&self) -> Option<&Arc<AgentView>> {
        self.inside.root.agent_view.as_ref()
    }

    /// Sends an event to the listeners of the call and the session.
    pub(super) fn emit(&self, event: &Event) {
        self.inside.emit(&self.session.context, event);
    }

    /// Returns a reporter of rows that the call reads from a file or writes to it.
    pub(super) fn rows(&self, step: RowStep, name: String, of: Option<u64>) -> Rows {
        let (context, inside) = (Arc::downgrade(&self.session.context), self.inside.clone());
        let call = Some(self.call);
        Rows::new(move |rows| {
            let event = Event::Rows { call, name: name.clone(), step, rows, of };
            if let Some(context) = context.upgrade() {
                inside.emit(&context, &event);
            }
        })
    }

    /// Returns the id of the call.
    pub(super) fn call(&self) -> CallId {
        self.call
    }

    /// Charges for the result of the call: the value, and its JSON.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`], [`ErrorKind::Busy`] - there is no memory for it.
    pub(super) fn hold_result(&self, value: Option<&Val>) -> Result<()> {
        let bytes = 2 * value.map_or(0, val_bytes);
        let charge = self.memory().charge(bytes).map_err(Error::reached)?;
        *lock(&self.result) = Some(charge);
        Ok(())
    }

    /// Keeps a charge for the results of a batch of calls, which are copied to the guest after the batch has ended, until the next
    /// batch or the end.
    pub(super) fn hold_batch(&self, charge: Charge) {
        *lock(&self.batch) = Some(charge);
    }

    /// Returns the session.
    pub(super) fn session(&self) -> &Arc<Inner> {
        &self.session
    }

    /// Returns the maker of the calls inside of this one.
    pub(super) fn inside(&self) -> &Caller {
        &self.inside
    }

    /// Notes that the attempt calls a tool that must not be called twice.
    pub(super) fn spend(&self) {
        self.is_spent.store(true, Ordering::Relaxed);
    }

    /// Returns the name of the tool.
    pub(super) fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns `true` if the tool signs with keys of the operator.
    pub(super) fn signs(&self) -> bool {
        self.signs
    }

    /// Returns `true` for the first signature of the attempt.
    pub(super) fn take_signature(&self) -> bool {
        !self.has_signed.swap(true, Ordering::Relaxed)
    }

    /// Returns how the maker of the call is shown tables.
    pub(super) fn shows_tables(&self) -> TableResults {
        self.shows_tables
    }

    /// Returns the clock of the attempt.
    pub(super) fn clock(&self) -> &Arc<CallClock> {
        &self.clock
    }

    /// Returns the account for memory that the attempt uses while it runs.
    pub(super) fn memory(&self) -> &Account {
        &self.inside.root.memory
    }

    /// Returns the root call: an enclosing one, or this one.
    pub(super) fn root(&self) -> &RootCall {
        &self.inside.root
    }

    /// Returns the calls that the attempt made.
    pub(super) fn calls(&self) -> &Arc<InnerCalls> {
        &self.calls
    }

    /// Returns whether an enclosing call runs in a resident instance.
    pub(super) fn has_turn(&self) -> bool {
        self.has_turn
    }

    /// Ends the attempt. Delivers its files if it succeeded, and discards them otherwise. Returns the files that it produced,
    /// including inner calls.
    pub(super) fn end<R>(&self, mut output: CallOutput<R>) -> (CallOutput<R>, Vec<Artifact>) {
        if output.result.is_ok()
            && let Err(error) = self.deliver_staged()
        {
            output.result = Err(error);
        }
        // Another attempt would repeat the inner calls.
        if self.is_spent.load(Ordering::Relaxed) {
            output.result = output.result.map_err(|error| error.retryable(false));
        }
        // Files that inner calls of a failed attempt have delivered stay, unless they were on this attempt's stage.
        let is_kept = output.result.is_ok() || self.inside.stage.is_none();
        let artifacts = if is_kept { self.calls.take_artifacts() } else { Vec::new() };
        (output, artifacts)
    }

    fn deliver_staged(&self) -> Result<()> {
        for staged in self.stage.take() {
            let artifact = staged.artifact().clone();
            match &self.outer {
                Some(outer) => outer.add(staged),
                None => self.session.delivery.publish(staged, |event| self.emit(event))?,
            }
            self.calls.add_artifact(artifact);
        }
        Ok(())
    }
}

impl Requester for CallServices {
    fn call(&self) -> Option<CallId> {
        Some(self.call)
    }

    fn emit(&self, event: &Event) {
        CallServices::emit(self, event);
    }

    fn registry(&self) -> Registry {
        CallServices::registry(self)
    }

    fn rows_read(&self, name: String) -> Rows {
        self.rows(RowStep::Reading, name, None)
    }
}

impl Origin for CallServices {
    fn tenant(&self) -> &str {
        self.session.context.tenant()
    }

    fn session(&self) -> u64 {
        self.session.context.number()
    }

    fn skill(&self) -> &str {
        &self.skill
    }

    fn extension(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.session.context.extension()
    }
}

impl Documents for CallServices {
    fn documents(&self) -> Vec<Arc<Document>> {
        self.session.content.documents()
    }
}

impl Workspace for CallServices {
    fn workspace_list(&self) -> Vec<(String, u64)> {
        self.session.content.workspace(|workspace| workspace.list())
    }

    fn workspace_read(&self, name: &str) -> Result<Arc<Vec<u8>>, ServiceError> {
        self.session.content.workspace(|workspace| workspace.read(name))
    }

    fn workspace_write(&self, name: &str, content: Vec<u8>) -> Result<(), ServiceError> {
        self.session.content.workspace(|workspace| workspace.write(name, content))
    }

    fn workspace_remove(&self, name: &str) -> Result<(), ServiceError> {
        self.session.content.workspace(|workspace| workspace.remove(name))
    }
}

impl Render for CallServices {
    fn deliver(
        &self,
        what: Deliverable,
        filename: String,
    ) -> BoxFuture<'_, Result<Result<Artifact, ServiceError>>> {
        Box::pin(async move {
            let clock = Some(self.clock.clone());
            let rows = match &what {
                Deliverable::Workbook(book, _) => {
                    self.rows(RowStep::Writing, filename.clone(), Some(book.row_count()))
                }
                _ => Rows::default(),
            };
            let created = self.inside.root.options.created;
            let how = Rendering { clock, created, rows };
            let staged = self
                .session
                .delivery
                .stage(what, &filename, how, (self.call, self.memory()))
                .await?;
            Ok(staged.map(|(staged, preview)| {
                let artifact = staged.artifact().clone();
                std::iter::once(staged).chain(preview).for_each(|staged| self.stage.add(staged));
                artifact
            }))
        })
    }
}

impl Files for CallServices {
    fn read_file(&self, name: &str) -> Result<Result<Arc<[u8]>, ServiceError>> {
        let mut charge = self.memory().nothing();
        let content = self.session.delivery.file(name, &mut charge)?;
        // The content is copied to the guest after this returns, so the charge stays until the next file or the end.
        *lock(&self.read_file) = Some(charge);
        Ok(content)
    }

    fn charge_file(&self, bytes: u64) -> Result<Result<Charge, ServiceError>> {
        let most = self.session.context.host().session_limits().artifact_bytes;
        if bytes > most {
            let limit = Limit::new(Resource::Artifact, most, bytes);
            return Ok(Err(ServiceError::Quota(limit.to_string())));
        }
        self.memory().charge(bytes).map(Ok).map_err(Error::reached)
    }

    fn deliver_file(
        &self,
        file: EditedFile,
    ) -> BoxFuture<'_, Result<Result<Artifact, ServiceError>>> {
        Box::pin(async move {
            let how = (self.call, self.memory());
            let staged = self.session.delivery.stage_edited(file, &self.clock, how, self).await?;
            Ok(staged.map(|staged| {
                let artifact = staged.artifact().clone();
                self.stage.add(staged);
                artifact
            }))
        })
    }

    fn text_pages(&self, pages: TextPages) -> BoxFuture<'_, Result<Result<Vec<u8>, ServiceError>>> {
        Box::pin(async move {
            self.session.delivery.text_pages(pages, &self.clock, self.memory()).await
        })
    }

    fn chinese_font(
        &self,
        bold: bool,
    ) -> BoxFuture<'_, Result<Result<&'static [u8], ServiceError>>> {
        Box::pin(async move { self.session.delivery.chinese_font(bold, &self.clock).await })
    }
}

impl Log for CallServices {
    fn log(&self, level: LogLevel, message: &str) {
        let message = &*self.session.guard.line(message);
        let context = &self.session.context;
        context.journal().log((self.call, &self.tool), level, message, context.now());
        let event = Event::Log {
            call: self.call,
            tool: self.tool.clone(),
            level,
            message: message.to_owned(),
        };
        self.emit(&event);
    }
}
