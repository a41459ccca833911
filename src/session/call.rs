//! A call, from its JSON to its record in the journal: check, run, note.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

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
use crate::{Error, ErrorKind, Resource, Result};

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
    /// What it used.
    pub usage: Usage,
    /// What the plugin printed.
    pub printed: String,
    /// The files that it delivered, calls within it included.
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
}

impl Session {
    /// Call a tool with arguments as a JSON object.
    ///
    /// The report is there whether or not the call succeeded; nothing was instantiated unless the arguments fit.
    pub async fn call(&self, tool: &str, arguments: &str) -> CallReport {
        let caller = Caller { depth: 0, calls: Arc::default(), has_turn: false };
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
            usage: Usage::default(),
            printed: String::new(),
            artifacts: Vec::new(),
            script_error: None,
        };
        match self.parsed(tool, arguments, caller).await {
            Ok((tool, arguments)) => {
                let services = Arc::new(CallServices::new(self, &report.tool, caller, &tool));
                let output = match tool.uses_handles {
                    true => {
                        let services = services.clone();
                        self.call_with_handles(&tool, arguments, caller.has_turn, services).await
                    }
                    false => self.call_alone(&tool, arguments, services.clone()).await,
                };
                report.artifacts = services.take_artifacts();
                report.usage = output.usage;
                report.printed = output.printed;
                report.result = output.result;
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

    /// Call a function without handles, in an instance of its own.
    async fn call_alone(
        &self,
        tool: &Tool,
        arguments: Json,
        services: Arc<CallServices>,
    ) -> CallOutput<Json> {
        let call = UntypedCall { name: tool.name.as_str(), arguments };
        let args = match call.check(&tool.function) {
            Ok(call) => call.into_args(),
            Err(error) => return CallOutput::failed(error),
        };
        let limits = self.host.limits_of(&tool.skill.manifest().limits);
        let core = StoreCore::new(&limits, self.host.environment());
        let state = CallState::new(core, services);
        let CallOutput { result, usage, printed } =
            tool.prepared.call(state, &limits, &tool.function, args).await;
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

/// The session as one call sees it.
pub(super) struct CallServices {
    session: Arc<Inner>,
    tool: String,
    inside: Caller,
    artifacts: Mutex<Vec<Artifact>>,
}

impl CallServices {
    fn new(session: &Arc<Inner>, name: &str, caller: &Caller, tool: &Tool) -> CallServices {
        let inside = Caller {
            depth: caller.depth + 1,
            calls: caller.calls.clone(),
            has_turn: caller.has_turn || tool.uses_handles,
        };
        let (session, tool) = (session.clone(), name.to_owned());
        CallServices { session, tool, inside, artifacts: Mutex::default() }
    }

    /// Services for the destructor of the resource of `handle`, which the session itself runs.
    pub(super) fn of_session(session: &Arc<Inner>, handle: &str) -> CallServices {
        let inside = Caller { depth: 1, calls: Arc::default(), has_turn: true };
        let (session, tool) = (session.clone(), handle.to_owned());
        CallServices { session, tool, inside, artifacts: Mutex::default() }
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
        let delivered = self.session.deliver(what, &filename).await?;
        if let Ok(artifact) = &delivered {
            self.add_artifact(artifact.clone());
        }
        Ok(delivered)
    }

    async fn tools(&self) -> Result<Vec<ToolInfo>> {
        let tools = self.session.registry().tools().await?;
        // A script that called itself would only count levels.
        Ok(tools.iter().filter(|tool| tool.name.as_str() != self.tool).map(tool_info).collect())
    }

    async fn call_tool(&self, name: &str, arguments: &str) -> Result<Result<String, ToolFailure>> {
        let limit = self.session.host.session_limits().tool_calls;
        let calls = self.inside.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if calls > limit {
            return Err(Error::limit(Resource::ToolCalls, limit, calls));
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
            // Limits, refusals and faults are not for a guest to catch: they end it too.
            _ => Err(error.at(format!("tool `{name}`"))),
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
