//! The session as one attempt of a call sees it: what it may ask, the calls that it makes, the files that it leaves.
//!
//! Knows sessions and tools. What a call is and how often it is attempted is in `call.rs`.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use wasmtime::component::Val;

use super::call_id::CallId;
use super::caller::{Caller, Outermost};
use super::deliver::Rendering;
use super::event::{Event, RowStep};
use super::inner_calls::InnerCalls;
use super::narrowed::Narrowed;
use super::report::CallReport;
use super::results::TableResults;
use super::script::ScriptRun;
use super::stage::Stage;
use super::state::Inner;
use crate::capability::{
    Artifact, Capability, Deliverable, Documents, Log, LogLevel, Origin, Render, ServiceError,
    Services, ToolFailure, ToolInfo, Tools, Workspace,
};
use crate::document::Document;
use crate::engine::{CallClock, CallOutput};
use crate::script::CalledTool;
use crate::skill::{Registry, Skill, Tool};
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_base::{Error, ErrorKind, Result, lock};
use mitt_wit::value::val_bytes;

/// The session as one attempt of a call sees it.
pub(super) struct CallServices {
    session: Arc<Inner>,
    call: CallId,
    tool: String,
    /// Whose plugin runs: of a tool its own, of a script the engine.
    skill: String,
    /// Who makes the calls inside of it.
    inside: Caller,
    /// Whether the call is inside another one that is in a resident instance.
    has_turn: bool,
    clock: Arc<CallClock>,
    /// Files of this attempt, which are delivered when it succeeds.
    stage: Arc<Stage>,
    /// Where they go then, if not to the session.
    outer: Option<Arc<Stage>>,
    /// How whoever made the call is shown tables.
    shows_tables: TableResults,
    /// What it called, and the files that came of it.
    calls: Arc<InnerCalls>,
    /// Whether a tool was called that must not be called twice.
    is_spent: AtomicBool,
    /// Of the result, until the attempt's caller has it.
    result: Mutex<Option<Charge>>,
}

/// An attempt of a call.
#[derive(Clone, Copy)]
pub(super) struct Attempting<'a> {
    pub(super) call: CallId,
    pub(super) tool: &'a Tool,
    pub(super) caller: &'a Caller,
    /// Whether there may be another one after it.
    pub(super) is_repeatable: bool,
}

impl CallServices {
    /// Of an attempt, which may have to be undone if it is repeatable.
    pub(super) fn new(session: &Arc<Inner>, attempt: Attempting<'_>) -> CallServices {
        let Attempting { call, tool, caller, is_repeatable } = attempt;
        let stage = Arc::<Stage>::default();
        let is_undone = is_repeatable || caller.stage.is_some();
        let clock = CallClock::inside(caller.clock.clone());
        let own_stage = is_undone.then(|| stage.clone());
        CallServices {
            session: session.clone(),
            call,
            tool: tool.name.to_string(),
            skill: tool.owner().to_owned(),
            inside: caller.inside(call, tool.uses_handles, own_stage, clock.clone()),
            has_turn: caller.has_turn,
            clock,
            stage,
            outer: caller.stage.clone(),
            shows_tables: caller.tables,
            calls: caller.outermost.inner_calls(),
            is_spent: AtomicBool::new(false),
            result: Mutex::default(),
        }
    }

    /// The same, of a script.
    pub(super) fn of_script(
        session: &Arc<Inner>,
        attempt: Attempting<'_>,
        engine: &Skill,
        run: Arc<ScriptRun>,
    ) -> CallServices {
        let services = CallServices::new(session, attempt);
        let manifest = engine.manifest();
        let skill = manifest.name.clone();
        // An engine that cannot open a table is given its cells.
        let tables = match manifest.grants.contains(&Capability::Catalog) {
            true => TableResults::SCRIPT,
            false => TableResults::Whole,
        };
        CallServices { skill, inside: services.inside.in_script(run, tables), ..services }
    }

    /// Of the destructor of the resource of `handle`, which the session itself runs in the plugin of `skill`, as if `caller` had
    /// called it.
    pub(super) fn of_destructor(
        session: &Arc<Inner>,
        handle: &str,
        skill: &str,
        caller: &Caller,
    ) -> CallServices {
        let call = session.next_call(None);
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
            calls: caller.outermost.inner_calls(),
            inside: caller.inside(call, true, None, clock.clone()),
            clock,
            is_spent: AtomicBool::new(false),
            result: Mutex::default(),
        }
    }

    /// What the call may ask of its session, before the bounds of its grants: all, or what whoever makes it has.
    pub(super) fn asked(self: &Arc<CallServices>) -> Services {
        let all = Services::of(self);
        match self.inside.narrowed() {
            Some(narrowed) => narrowed.services(all),
            None => all,
        }
    }

    /// The skills that it sees.
    pub(super) fn registry(&self) -> Registry {
        self.session.registry_for(self.inside.narrowed())
    }

    /// What of the session whoever makes the call has; none is all of it.
    pub(super) fn narrowed(&self) -> Option<&Arc<Narrowed>> {
        self.inside.outermost.narrowed.as_ref()
    }

    /// Tell of a step of the call, whoever listens.
    pub(super) fn tell(&self, event: &Event) {
        self.inside.tell(&self.session, event);
    }

    /// Tells of rows of a file as they are read or written in the call.
    pub(super) fn rows(&self, step: RowStep, name: String, of: Option<u64>) -> Rows {
        let (session, inside) = (Arc::downgrade(&self.session), self.inside.clone());
        let call = Some(self.call);
        Rows::new(move |rows| {
            let event = Event::Rows { call, name: name.clone(), step, rows, of };
            if let Some(session) = session.upgrade() {
                inside.tell(&session, &event);
            }
        })
    }

    /// Which call it is.
    pub(super) fn call(&self) -> CallId {
        self.call
    }

    /// Charge what the call gave: the value, and the JSON that is made of it.
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

    /// The session.
    pub(super) fn session(&self) -> &Inner {
        &self.session
    }

    /// The tool that was called.
    pub(super) fn tool(&self) -> &str {
        &self.tool
    }

    /// How whoever made the call is shown tables.
    pub(super) fn shows_tables(&self) -> TableResults {
        self.shows_tables
    }

    /// The clock of the attempt.
    pub(super) fn clock(&self) -> &Arc<CallClock> {
        &self.clock
    }

    /// Who is charged for what is there while the attempt runs.
    pub(super) fn memory(&self) -> &Account {
        &self.inside.outermost.memory
    }

    /// The outermost call that it is inside of, or is.
    pub(super) fn outermost(&self) -> &Outermost {
        &self.inside.outermost
    }

    /// What it called.
    pub(super) fn calls(&self) -> &Arc<InnerCalls> {
        &self.calls
    }

    /// Whether the call is inside another one that is in a resident instance.
    pub(super) fn has_turn(&self) -> bool {
        self.has_turn
    }

    /// The attempt is over. If it succeeded its files are delivered; otherwise nobody ever hears of them. Gives the files
    /// that are there because of it.
    pub(super) fn end<R>(&self, mut output: CallOutput<R>) -> (CallOutput<R>, Vec<Artifact>) {
        if output.result.is_ok()
            && let Err(error) = self.deliver_staged()
        {
            output.result = Err(error);
        }
        // Another attempt would make the calls inside again.
        if self.is_spent.load(Ordering::Relaxed) {
            output.result = output.result.map_err(|error| error.passing(false));
        }
        // What calls inside a failed attempt have delivered stays, unless it was on this attempt's stage.
        let is_kept = output.result.is_ok() || self.inside.stage.is_none();
        let artifacts = if is_kept { self.calls.take_artifacts() } else { Vec::new() };
        (output, artifacts)
    }

    fn deliver_staged(&self) -> Result<()> {
        for staged in self.stage.take() {
            let artifact = staged.artifact().clone();
            match &self.outer {
                Some(outer) => outer.add(staged),
                None => self.session.publish(staged, &self.inside)?,
            }
            self.calls.add_artifact(artifact);
        }
        Ok(())
    }
}

impl Origin for CallServices {
    fn tenant(&self) -> &str {
        &self.session.tenant
    }

    fn session(&self) -> u64 {
        self.session.number
    }

    fn skill(&self) -> &str {
        &self.skill
    }

    fn extension(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.session.extension.clone()
    }
}

impl Documents for CallServices {
    fn documents(&self) -> Vec<Arc<Document>> {
        self.session.documents()
    }
}

impl Workspace for CallServices {
    fn workspace_list(&self) -> Vec<(String, u64)> {
        self.session.workspace(|workspace| workspace.list())
    }

    fn workspace_read(&self, name: &str) -> Result<Arc<Vec<u8>>, ServiceError> {
        self.session.workspace(|workspace| workspace.read(name))
    }

    fn workspace_write(&self, name: &str, content: Vec<u8>) -> Result<(), ServiceError> {
        self.session.workspace(|workspace| workspace.write(name, content))
    }

    fn workspace_remove(&self, name: &str) -> Result<(), ServiceError> {
        self.session.workspace(|workspace| workspace.remove(name))
    }
}

#[async_trait]
impl Render for CallServices {
    async fn deliver(
        &self,
        what: Deliverable,
        filename: String,
    ) -> Result<Result<Artifact, ServiceError>> {
        let clock = Some(self.clock.clone());
        let rows = match &what {
            Deliverable::Workbook(book) => {
                self.rows(RowStep::Writing, filename.clone(), Some(book.row_count()))
            }
            _ => Rows::default(),
        };
        let created = self.inside.outermost.options.created;
        let how = Rendering { clock, created, rows };
        let staged = self.session.stage(what, &filename, how, (self.call, self.memory())).await?;
        Ok(staged.map(|staged| {
            let artifact = staged.artifact().clone();
            self.stage.add(staged);
            artifact
        }))
    }
}

#[async_trait]
impl Tools for CallServices {
    async fn tools(&self) -> Result<Vec<ToolInfo>> {
        let tools = self.registry().tools().await;
        // A script that called itself would only count levels.
        let tools = tools.iter().filter(|tool| tool.name.as_str() != self.tool);
        Ok(tools.filter(|tool| !tool.is_for_models_only()).map(tool_info).collect())
    }

    async fn call_tool(&self, name: &str, arguments: &str) -> Result<Result<String, ToolFailure>> {
        self.calls.begin()?;
        if self.registry().tool(name).await.is_ok_and(|it| !it.policy().is_repeatable()) {
            self.is_spent.store(true, Ordering::Relaxed);
        }
        let call = self.session.next_call(self.inside.parent);
        let report = Box::pin(self.session.call(call, name, arguments, &self.inside)).await;
        self.calls.note(called(&report), &report.artifacts)?;
        let error = match report.result {
            Ok(result) => return Ok(Ok(result.to_string())),
            Err(error) => error,
        };
        let text = error.render();
        match error.kind() {
            ErrorKind::UnknownTool => Ok(Err(ToolFailure::UnknownTool(text))),
            ErrorKind::Arguments => Ok(Err(ToolFailure::Arguments(text))),
            ErrorKind::Plugin => Ok(Err(ToolFailure::Plugin(text))),
            ErrorKind::Trap => Ok(Err(ToolFailure::Trap(text))),
            ErrorKind::Paused => Err(error),
            // Limits, refusals and faults are not for a guest to catch: they end it too. A limit of the inner call is no
            // reason to make the outer one again: the inner one was attempted as often as its own policy says.
            _ => Err(error.at(format!("tool `{name}`")).passing(false)),
        }
    }
}

impl Log for CallServices {
    fn log(&self, level: LogLevel, message: &str) {
        let message = &*self.session.guarded_line(message);
        let now = self.session.host.environment().now();
        self.session.journal.log((self.call, &self.tool), level, message, now);
        let event = Event::Log {
            call: self.call,
            tool: self.tool.clone(),
            level,
            message: message.to_owned(),
        };
        self.inside.tell(&self.session, &event);
    }
}

fn tool_info(tool: &Tool) -> ToolInfo {
    ToolInfo {
        name: tool.name.to_string(),
        skill: tool.name.skill().to_owned(),
        function: tool.name.function().to_owned(),
        description: tool.function.docs.clone(),
        parameters: tool.parameters(),
    }
}

fn called(report: &CallReport) -> CalledTool {
    CalledTool {
        // Whoever names tools that are not there can name long ones.
        tool: mitt_base::text::one_line(mitt_base::text::cut_bytes(&report.tool, 128)),
        kind: report.failure().map(|(kind, _)| kind.to_owned()),
        duration: report.usage.duration,
        fuel: report.usage.fuel,
    }
}
