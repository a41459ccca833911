//! The session as one attempt of a call sees it: what it may ask, the calls that it makes, the files that it leaves.
//!
//! Knows sessions and tools. What a call is and how often it is attempted is in `call.rs`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use wasmtime::component::Val;

use super::call::{CallReport, Caller};
use super::script::ScriptRun;
use super::stage::Stage;
use super::{Event, Inner};
use crate::capability::{
    Artifact, Deliverable, LogLevel, ServiceError, Services, ToolFailure, ToolInfo,
};
use crate::document::Document;
use crate::engine::{CallClock, CallOutput};
use crate::script::CalledTool;
use crate::skill::Tool;
use mitt_base::memory::Charge;
use mitt_base::{Error, ErrorKind, Resource, Result};
use mitt_wit::value::val_bytes;

/// The session as one attempt of a call sees it.
pub(super) struct CallServices {
    session: Arc<Inner>,
    tool: String,
    pub(super) inside: Caller,
    // Whether the call is inside another one that is in a resident instance.
    pub(super) has_turn: bool,
    // Files of this attempt, which are delivered when it succeeds.
    stage: Arc<Stage>,
    // Where they go then, if not to the session.
    outer: Option<Arc<Stage>>,
    // Files of calls inside this one.
    artifacts: Mutex<Vec<Artifact>>,
    // What it called, and the files that came of each.
    called: Mutex<Vec<(CalledTool, Vec<Artifact>)>>,
    // Whether a tool was called that must not be called twice.
    is_spent: AtomicBool,
    // Of the result, until the attempt's caller has it.
    result: Mutex<Option<Charge>>,
    // Of the list of what it called.
    record: Mutex<Charge>,
}

/// What a call inside of one leaves in its record, in bytes: itself, and each file that came of it.
const RECORD_BYTES: u64 = 256;
const RECORD_FILE_BYTES: u64 = 512;

impl CallServices {
    pub(super) fn new(
        session: &Arc<Inner>,
        tool: &Tool,
        caller: &Caller,
        is_repeatable: bool,
        run: Option<Arc<ScriptRun>>,
    ) -> CallServices {
        let stage = Arc::<Stage>::default();
        let is_undone = is_repeatable || caller.stage.is_some();
        let inside = Caller {
            depth: caller.depth + 1,
            calls: caller.calls.clone(),
            has_turn: caller.has_turn || tool.uses_handles,
            stage: is_undone.then(|| stage.clone()),
            clock: Some(CallClock::inside(caller.clock.clone())),
            has_kept: caller.has_kept || run.as_ref().is_some_and(|run| run.keeps_state),
            run: run.or_else(|| caller.run.clone()),
            resumption: None,
            decided: caller.decided.clone(),
            paused: caller.paused.clone(),
            memory: caller.memory.clone(),
        };
        CallServices {
            session: session.clone(),
            tool: tool.name.to_string(),
            record: Mutex::new(inside.memory.nothing()),
            inside,
            has_turn: caller.has_turn,
            stage,
            outer: caller.stage.clone(),
            artifacts: Mutex::default(),
            called: Mutex::default(),
            is_spent: AtomicBool::new(false),
            result: Mutex::default(),
        }
    }

    /// Charge what the call gave: the value, and the JSON that is made of it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`], [`ErrorKind::Busy`] - there is no memory for it.
    pub(super) fn hold_result(&self, value: Option<&Val>) -> Result<()> {
        let bytes = 2 * value.map_or(0, val_bytes);
        let charge = self.inside.memory.charge(bytes).map_err(Error::reached)?;
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(charge);
        Ok(())
    }

    /// The clock of the attempt.
    pub(super) fn clock(&self) -> Option<Arc<CallClock>> {
        self.inside.clock.clone()
    }

    /// How many tools it called.
    pub(super) fn n_called(&self) -> usize {
        self.called().len()
    }

    /// The tools that it called after the first `n`, with their files.
    pub(super) fn called_since(&self, n: usize) -> Vec<(CalledTool, Vec<Artifact>)> {
        self.called().get(n..).unwrap_or_default().to_vec()
    }

    /// Count calls that were made before a pause, and are not made again.
    ///
    /// # Errors
    ///
    /// As the call itself, of which there may be too many.
    pub(super) fn called_before(&self, called: Vec<(CalledTool, Vec<Artifact>)>) -> Result<()> {
        for (called, artifacts) in called {
            self.count_call()?;
            artifacts.iter().for_each(|artifact| self.add_artifact(artifact.clone()));
            self.called().push((called, artifacts));
        }
        Ok(())
    }

    /// The files that are there because of it so far.
    pub(super) fn artifacts(&self) -> Vec<Artifact> {
        self.artifacts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn called(&self) -> std::sync::MutexGuard<'_, Vec<(CalledTool, Vec<Artifact>)>> {
        self.called.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count_call(&self) -> Result<()> {
        let limit = self.session.host.session_limits().tool_calls;
        let calls = self.inside.calls.fetch_add(1, Ordering::Relaxed) + 1;
        match calls > limit {
            true => Err(Error::limit(Resource::ToolCalls, limit, calls)),
            false => Ok(()),
        }
    }

    /// Services for the destructor of the resource of `handle`, which the session itself runs.
    pub(super) fn of_session(session: &Arc<Inner>, handle: &str) -> CallServices {
        CallServices {
            session: session.clone(),
            tool: handle.to_owned(),
            record: Mutex::default(),
            inside: Caller { depth: 1, has_turn: true, ..Caller::outermost(session) },
            has_turn: true,
            stage: Arc::default(),
            outer: None,
            artifacts: Mutex::default(),
            called: Mutex::default(),
            is_spent: AtomicBool::new(false),
            result: Mutex::default(),
        }
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
        let artifacts = if is_kept { self.take_artifacts() } else { Vec::new() };
        (output, artifacts)
    }

    fn deliver_staged(&self) -> Result<()> {
        for staged in self.stage.take() {
            let artifact = staged.artifact().clone();
            match &self.outer {
                Some(outer) => outer.add(staged),
                None => self.session.publish(staged)?,
            }
            self.add_artifact(artifact);
        }
        Ok(())
    }

    fn take_artifacts(&self) -> Vec<Artifact> {
        std::mem::take(&mut *self.artifacts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add_artifact(&self, artifact: Artifact) {
        let mut artifacts = self.artifacts.lock().unwrap_or_else(PoisonError::into_inner);
        artifacts.retain(|other| other.name != artifact.name);
        artifacts.push(artifact);
    }
}

#[async_trait]
impl Services for CallServices {
    fn documents(&self) -> Vec<Arc<Document>> {
        self.session.documents()
    }

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

    async fn deliver(
        &self,
        what: Deliverable,
        filename: String,
    ) -> Result<Result<Artifact, ServiceError>> {
        let memory = &self.inside.memory;
        let staged = self.session.stage(what, &filename, self.clock(), memory).await?;
        Ok(staged.map(|staged| {
            let artifact = staged.artifact().clone();
            self.stage.add(staged);
            artifact
        }))
    }

    async fn tools(&self) -> Result<Vec<ToolInfo>> {
        let tools = self.session.registry().tools().await;
        // A script that called itself would only count levels.
        let tools = tools.iter().filter(|tool| tool.name.as_str() != self.tool);
        Ok(tools.filter(|tool| !tool.is_for_models_only()).map(tool_info).collect())
    }

    async fn call_tool(&self, name: &str, arguments: &str) -> Result<Result<String, ToolFailure>> {
        self.count_call()?;
        if self.session.registry().tool(name).await.is_ok_and(|it| !it.policy().is_repeatable()) {
            self.is_spent.store(true, Ordering::Relaxed);
        }
        let report = Box::pin(self.session.call(name, arguments, &self.inside)).await;
        let left = RECORD_BYTES + RECORD_FILE_BYTES * report.artifacts.len() as u64;
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        record.grow(left).map_err(Error::reached)?;
        drop(record);
        self.called().push((called(&report), report.artifacts.clone()));
        for artifact in report.artifacts {
            self.add_artifact(artifact);
        }
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

    fn log(&self, level: LogLevel, message: &str) {
        self.session.journal.log(&self.tool, level, message, self.session.host.environment().now());
        self.session.emit(&Event::Log {
            tool: self.tool.clone(),
            level,
            message: message.to_owned(),
        });
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
