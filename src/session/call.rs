//! A call, from its JSON to its record in the journal: check, run, note.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use super::admission::Place;
use super::attempts::{Attempt, Attempts, Plan, Tried};
use super::granted::granted;
use super::stage::Stage;
use super::{Event, Inner, Session};
use crate::capability::{
    Artifact, CallState, Deliverable, LogLevel, Parameter, ServiceError, Services, ToolFailure,
    ToolInfo,
};
use crate::digest::sha256;
use crate::document::Document;
use crate::engine::{CallOutput, StoreCore, Usage};
use crate::skill::{Tool, to_snake};
use crate::value::{self, Json, UntypedCall};
use crate::{CallLimits, Error, ErrorKind, Resource, Result};

/// How a call ended.
#[derive(Debug)]
pub struct CallReport {
    /// The tool, as it was named.
    pub tool: String,
    /// How many calls it was inside of; 0 for a call by a model or a user.
    pub depth: u64,
    /// SHA-256 of the arguments as they were given.
    pub arguments_sha256: String,
    /// The result, or why there is none.
    pub result: Result<Json>,
    /// Its attempts in order. None when it was refused before the first.
    pub attempts: Vec<Attempt>,
    /// What it used, all attempts together. Delays between them are not counted.
    pub usage: Usage,
    /// What the plugin printed, in the last attempt.
    pub printed: String,
    /// The files that it delivered, calls within it included. An attempt that failed has delivered nothing itself.
    pub artifacts: Vec<Artifact>,
    /// Set when the call itself succeeded but the script that it ran did not: what a model sees of the exception.
    pub script_error: Option<String>,
}

impl CallReport {
    /// Kind and message of what went wrong, in the call or in the script that it ran.
    pub fn failure(&self) -> Option<(&'static str, String)> {
        match (&self.result, &self.script_error) {
            (Err(error), _) => Some((error.kind().name(), error.to_string())),
            (Ok(_), Some(error)) => {
                // The last line of a traceback says what happened; the rest says where.
                Some((
                    ErrorKind::Plugin.name(),
                    error.trim_end().lines().last().unwrap_or_default().to_owned(),
                ))
            }
            (Ok(_), None) => None,
        }
    }
}

/// Who makes a call: how deep it is, and how many calls those around it may still make.
#[derive(Clone)]
struct Caller {
    depth: u64,
    // Shared by all calls inside one outermost call.
    calls: Arc<AtomicU64>,
    // Whether one of those around it is in a resident instance.
    has_turn: bool,
    // Where files go when the attempt around it may be repeated: they are its own until it succeeds.
    stage: Option<Arc<Stage>>,
}

/// A call whose tool is known, ready to be attempted.
#[derive(Clone)]
enum Ready {
    /// In an instance of its own, with arguments that fit.
    Alone(value::TypedCall),
    /// In the resident instance, where the arguments are checked against the handles that live when its turn comes.
    WithHandles(Json),
}

impl Session {
    /// Call a tool with arguments as a JSON object.
    ///
    /// The report is there whether or not the call succeeded; nothing was instantiated unless the arguments fit. A call
    /// waits for a place where the host's [`ConcurrencyLimits`](crate::ConcurrencyLimits) want it, and is refused with
    /// [`ErrorKind::Busy`] if it gets none. It is attempted as the tool's [`ToolPolicy`](crate::skill::ToolPolicy) says.
    /// To cancel it, drop the future: its store, its files that are not delivered yet and its place go with it.
    pub async fn call(&self, tool: &str, arguments: &str) -> CallReport {
        let caller = Caller { depth: 0, calls: Arc::default(), has_turn: false, stage: None };
        self.inner.call(tool, arguments, &caller).await
    }
}

impl Inner {
    async fn call(self: &Arc<Inner>, tool: &str, arguments: &str, caller: &Caller) -> CallReport {
        self.emit(&Event::CallStarted { tool: tool.to_owned(), depth: caller.depth });
        let mut report = CallReport {
            tool: tool.to_owned(),
            depth: caller.depth,
            arguments_sha256: sha256(arguments.as_bytes()),
            result: Err(Error::bug("the call was not made")),
            attempts: Vec::new(),
            usage: Usage::default(),
            printed: String::new(),
            artifacts: Vec::new(),
            script_error: None,
        };
        match self.admitted(tool, arguments, caller).await {
            Ok((_place, tool, ready)) => {
                let Attempts { log, last } = self.attempts(&tool, ready, caller).await;
                report.attempts = log;
                report.usage = last.output.usage;
                report.printed = last.output.printed;
                report.result = last.output.result;
                report.artifacts = last.artifacts;
                if tool.skill.manifest().script.is_some() {
                    report.script_error = report.result.as_ref().ok().and_then(script_error);
                }
            }
            Err(error) => report.result = Err(error),
        }
        self.journal.call(&report, self.host.environment().now());
        self.emit(&Event::CallFinished {
            tool: report.tool.clone(),
            depth: report.depth,
            usage: report.usage.clone(),
            failure: report.failure(),
        });
        report
    }

    /// A place for the call, and what was checked. A call inside another one has the place of the outermost: were it to
    /// wait for one of its own, both could wait forever.
    async fn admitted(
        &self,
        tool: &str,
        arguments: &str,
        caller: &Caller,
    ) -> Result<(Option<Place>, Tool, Ready)> {
        let place = match caller.depth {
            0 => Some(self.host.admission().enter(&self.tenant).await?),
            _ => None,
        };
        let (tool, arguments) = self.parsed(tool, arguments, caller).await?;
        if tool.uses_handles {
            return Ok((place, tool, Ready::WithHandles(arguments)));
        }
        let call = UntypedCall { name: tool.name.as_str(), arguments }.check(&tool.function)?;
        Ok((place, tool, Ready::Alone(call)))
    }

    /// Call a tool as often as its policy says.
    async fn attempts(self: &Arc<Inner>, tool: &Tool, ready: Ready, caller: &Caller) -> Attempts {
        let policy = tool.policy();
        let name = tool.name.as_str();
        let limits = policy.attempt_limits(&self.host.limits_of(&tool.skill.manifest().limits));
        // The handles that an attempt consumes are gone, and a crash ends the instance that the others live in.
        let max_attempts = if tool.uses_handles { 1 } else { policy.max_attempts() };
        let is_repeatable = max_attempts > 1;
        let plan = Plan {
            tool: name,
            max_attempts,
            retry: &policy.retry,
            limits,
            deadline: self.deadline,
        };
        // Arguments may be large: only those that may be needed again are copied.
        let mut ready = Some(ready);
        let attempt = |limits| {
            let services = Arc::new(CallServices::new(self, tool, caller, is_repeatable));
            let ready = if is_repeatable { ready.clone() } else { ready.take() };
            async move {
                let output = match ready {
                    Some(ready) => self.attempt(tool, ready, &limits, services.clone()).await,
                    None => CallOutput::failed(Error::bug("a call was attempted twice")),
                };
                let (output, artifacts) = services.end(output);
                Tried { output, artifacts }
            }
        };
        let noted = |ended: &Attempt| {
            if is_repeatable {
                self.journal.attempt(name, caller.depth, ended, self.host.environment().now());
                self.emit(&Event::AttemptEnded {
                    tool: name.to_owned(),
                    depth: caller.depth,
                    attempt: ended.clone(),
                });
            }
        };
        let mut attempts = plan.carry_out(attempt, || self.random(), noted).await;
        let refused = attempts.last.output.result.as_ref().err();
        if refused.is_some_and(|error| *error.kind() == ErrorKind::Arguments) {
            // Handles that do not fit are found only when the call has its turn; nothing ran.
            attempts.log.clear();
        }
        attempts
    }

    async fn attempt(
        &self,
        tool: &Tool,
        ready: Ready,
        limits: &CallLimits,
        services: Arc<CallServices>,
    ) -> CallOutput<Json> {
        let call = match ready {
            Ready::Alone(call) => call,
            Ready::WithHandles(arguments) => {
                return self.call_with_handles(tool, arguments, limits, services).await;
            }
        };
        let core = StoreCore::new(limits, self.host.environment());
        let services = granted(services, &tool.skill.manifest().bounds);
        let state = CallState::new(core, services);
        let CallOutput { result, usage, printed } =
            tool.prepared.call(state, limits, &tool.function, call.into_args()).await;
        let result = result.and_then(|value| value::result(&tool.function, value));
        CallOutput { result, usage, printed }
    }

    /// The tool and the arguments, which parse but were not checked yet.
    async fn parsed(&self, tool: &str, arguments: &str, caller: &Caller) -> Result<(Tool, Json)> {
        let limits = self.host.session_limits();
        if caller.depth > limits.call_depth {
            return Err(Error::limit(Resource::CallDepth, limits.call_depth, caller.depth));
        }
        let tool = self.registry().tool(tool).await?;
        let bytes =
            if caller.depth == 0 { limits.arguments_bytes } else { limits.nested_arguments_bytes };
        let arguments = Json::parse(arguments, bytes, limits.arguments_depth)?;
        Ok((tool, arguments))
    }
}

/// The error of a script whose own call succeeded.
fn script_error(outcome: &Json) -> Option<String> {
    let text = |key| match outcome.get(key) {
        Some(Json::String(text)) => Some(text.to_string()),
        _ => None,
    };
    match text("status")?.as_str() {
        "success" => None,
        status => Some(
            text("error_message")
                .unwrap_or_else(|| format!("the script ended with status `{status}`")),
        ),
    }
}

/// The session as one attempt of a call sees it.
pub(super) struct CallServices {
    session: Arc<Inner>,
    tool: String,
    inside: Caller,
    // Whether the call is inside another one that is in a resident instance.
    pub(super) has_turn: bool,
    // Files of this attempt, which are delivered when it succeeds.
    stage: Arc<Stage>,
    // Where they go then, if not to the session.
    outer: Option<Arc<Stage>>,
    // Files of calls inside this one.
    artifacts: Mutex<Vec<Artifact>>,
    // Whether a tool was called that must not be called twice.
    is_spent: AtomicBool,
}

impl CallServices {
    fn new(
        session: &Arc<Inner>,
        tool: &Tool,
        caller: &Caller,
        is_repeatable: bool,
    ) -> CallServices {
        let stage = Arc::<Stage>::default();
        let is_undone = is_repeatable || caller.stage.is_some();
        let inside = Caller {
            depth: caller.depth + 1,
            calls: caller.calls.clone(),
            has_turn: caller.has_turn || tool.uses_handles,
            stage: is_undone.then(|| stage.clone()),
        };
        CallServices {
            session: session.clone(),
            tool: tool.name.to_string(),
            inside,
            has_turn: caller.has_turn,
            stage,
            outer: caller.stage.clone(),
            artifacts: Mutex::default(),
            is_spent: AtomicBool::new(false),
        }
    }

    /// Services for the destructor of the resource of `handle`, which the session itself runs.
    pub(super) fn of_session(session: &Arc<Inner>, handle: &str) -> CallServices {
        CallServices {
            session: session.clone(),
            tool: handle.to_owned(),
            inside: Caller { depth: 1, calls: Arc::default(), has_turn: true, stage: None },
            has_turn: true,
            stage: Arc::default(),
            outer: None,
            artifacts: Mutex::default(),
            is_spent: AtomicBool::new(false),
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

    fn workspace_read(&self, name: &str) -> Result<Vec<u8>, ServiceError> {
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
        let staged = self.session.stage(what, &filename).await?;
        Ok(staged.map(|staged| {
            let artifact = staged.artifact().clone();
            self.stage.add(staged);
            artifact
        }))
    }

    async fn tools(&self) -> Result<Vec<ToolInfo>> {
        let tools = self.session.registry().tools().await;
        // A script that called itself would only count levels.
        Ok(tools.iter().filter(|tool| tool.name.as_str() != self.tool).map(tool_info).collect())
    }

    async fn call_tool(&self, name: &str, arguments: &str) -> Result<Result<String, ToolFailure>> {
        let limit = self.session.host.session_limits().tool_calls;
        let calls = self.inside.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if calls > limit {
            return Err(Error::limit(Resource::ToolCalls, limit, calls));
        }
        if self.session.registry().tool(name).await.is_ok_and(|it| !it.policy().is_repeatable()) {
            self.is_spent.store(true, Ordering::Relaxed);
        }
        let report = Box::pin(self.session.call(name, arguments, &self.inside)).await;
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
    let parameters = tool
        .function
        .params
        .iter()
        .map(|param| Parameter {
            name: to_snake(&param.name),
            ty: param.ty.to_string(),
            required: param.required(),
        })
        .collect();
    ToolInfo {
        name: tool.name.to_string(),
        skill: tool.name.skill().to_owned(),
        function: tool.name.function().to_owned(),
        description: tool.function.docs.clone(),
        parameters,
    }
}
