//! A call, from its JSON to its entry in the journal: it is checked, run and recorded.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use super::admission::Place;
use super::approval::{ApprovalRequest, Decided, Pending};
use super::attempts::{Attempt, Attempts, Deadline, Plan, Tried};
use super::granted::granted;
use super::script::{Resumption, ScriptCall, ScriptRun};
use super::services::CallServices;
use super::stage::Stage;
use super::{Event, Inner, Session};
use crate::capability::{Artifact, CallState};
use crate::engine::{CallClock, CallOutput, StoreCore, Usage};
use crate::skill::{RegisteredTool, Runs, Tool};
use mitt_base::digest::sha256;
use mitt_base::memory::{Account, Charge};
use mitt_base::{CallLimits, Error, ErrorKind, Resource, Result, panics};
use mitt_wit::value::{self, Json, UntypedCall};

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
    /// Set when the call itself succeeded but the script that it ran did not: the exception, or the limit, refusal or crash
    /// that ended it. The result tells it too.
    pub script_error: Option<Error>,
    /// What the call waits for, if it was paused: [`Session::resume`] goes on with it.
    pub approval: Option<ApprovalRequest>,
}

impl CallReport {
    /// Kind and message of what went wrong, in the call or in the script that it ran.
    pub fn failure(&self) -> Option<(&'static str, String)> {
        self.failed().map(|error| (error.kind().name(), error.to_string()))
    }

    /// What went wrong, in the call or in the script that it ran.
    pub(super) fn failed(&self) -> Option<&Error> {
        self.result.as_ref().err().or(self.script_error.as_ref())
    }

    /// Of a call that left nothing but its result.
    pub(super) fn new(tool: &str, arguments: &str, result: Result<Json>) -> CallReport {
        CallReport {
            tool: tool.to_owned(),
            depth: 0,
            arguments_sha256: sha256(arguments.as_bytes()),
            result,
            attempts: Vec::new(),
            usage: Usage::default(),
            printed: String::new(),
            artifacts: Vec::new(),
            script_error: None,
            approval: None,
        }
    }
}

/// Who makes a call: how deep it is, and how many calls those around it may still make.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) depth: u64,
    // Shared by all calls inside one outermost call.
    pub(super) calls: Arc<AtomicU64>,
    // Whether one of those around it is in a resident instance.
    pub(super) has_turn: bool,
    // Whether one of those around it is a script that keeps its variables.
    pub(super) has_kept: bool,
    // Where files go when the attempt around it may be repeated: they are its own until it succeeds.
    pub(super) stage: Option<Arc<Stage>>,
    // Of the call around it.
    pub(super) clock: Option<Arc<CallClock>>,
    // The innermost script around it.
    pub(super) run: Option<Arc<ScriptRun>>,
    // What a script that is run again did before, and what was decided in the meantime.
    pub(super) resumption: Option<Arc<Resumption>>,
    pub(super) decided: Option<Arc<Decided>>,
    // What the outermost call waits for.
    pub(super) paused: Arc<Mutex<Option<ApprovalRequest>>>,
    // Who is charged for what is there while the outermost call runs.
    pub(super) memory: Account,
}

impl Caller {
    /// A model or a user.
    pub(super) fn outermost(session: &Inner) -> Caller {
        Caller {
            depth: 0,
            calls: Arc::default(),
            has_turn: false,
            has_kept: false,
            stage: None,
            clock: None,
            run: None,
            resumption: None,
            decided: None,
            paused: Arc::default(),
            memory: session.budget.call(),
        }
    }
}

/// A call whose tool is known, ready to be attempted.
#[derive(Clone)]
enum Ready {
    /// In an instance of its own, with arguments that fit.
    Alone(value::TypedCall),
    /// In the resident instance, where the arguments are checked against the handles that live when its turn comes.
    WithHandles(Json),
    /// A script, in an engine.
    Script(Arc<ScriptCall>),
    /// Code of the host, with arguments that fit.
    Host(Arc<RegisteredTool>, Json),
}

impl Session {
    /// Call a tool with arguments as a JSON object.
    ///
    /// The report is there whether or not the call succeeded; nothing was instantiated unless the arguments fit. A call
    /// waits for a place where the host's [`ConcurrencyLimits`](mitt_base::ConcurrencyLimits) want it, and is refused with
    /// [`ErrorKind::Busy`] if it gets none. It is attempted as the tool's [`ToolPolicy`](crate::skill::ToolPolicy) says.
    /// To cancel it, drop the future: its store, its files that are not delivered yet and its place go with it.
    pub async fn call(&self, tool: &str, arguments: &str) -> CallReport {
        let caller = Caller::outermost(&self.inner);
        // Boxed, as it is large, and handed on in several layers.
        let call = Box::pin(self.inner.call(tool, arguments, &caller));
        self.inner.answered_call(tool, arguments, call).await
    }
}

impl Inner {
    /// Carry out `call`, an outermost one. Whatever happens in it, there is a report; its guests compute for this session.
    pub(super) async fn answered_call(
        &self,
        tool: &str,
        arguments: &str,
        call: impl Future<Output = CallReport>,
    ) -> CallReport {
        let error = match panics::caught("the call", self.member.computing(call)).await {
            Ok(report) => return report,
            Err(error) => error,
        };
        let report = CallReport::new(tool, arguments, Err(error));
        let note = || self.journal.call(&report, self.host.environment().now());
        // It may be what has panicked.
        let _ = panics::caught_now("the journal", note);
        report
    }

    pub(super) async fn call(
        self: &Arc<Inner>,
        tool: &str,
        arguments: &str,
        caller: &Caller,
    ) -> CallReport {
        self.emit(&Event::CallStarted { tool: tool.to_owned(), depth: caller.depth });
        let mut report = match self.admitted(tool, arguments, caller).await {
            Ok((_place, _memory, known, ready)) => {
                let script = match &ready {
                    Ready::Script(script) => Some(script.clone()),
                    _ => None,
                };
                let Attempts { log, last } = self.attempts(&known, ready, caller).await;
                CallReport {
                    attempts: log,
                    usage: last.output.usage,
                    printed: last.output.printed,
                    artifacts: last.artifacts,
                    script_error: script.and_then(|script| script.take_error()),
                    ..CallReport::new(tool, arguments, last.output.result)
                }
            }
            Err(error) => CallReport::new(tool, arguments, Err(error)),
        };
        report.depth = caller.depth;
        if caller.depth == 0 {
            match self.left_waiting(tool, arguments, caller) {
                Ok(approval) => report.approval = approval,
                Err(error) => report.result = Err(error),
            }
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

    /// What the call waits for, if it was paused. It is kept until somebody decides; a script has been kept already.
    ///
    /// # Errors
    ///
    /// There is no memory to keep it: it does not wait.
    fn left_waiting(
        &self,
        tool: &str,
        arguments: &str,
        caller: &Caller,
    ) -> Result<Option<ApprovalRequest>> {
        let paused = caller.paused.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(request) = paused else { return Ok(None) };
        if request.depth == 0 {
            let pending = Pending {
                request: request.clone(),
                tool: tool.to_owned(),
                arguments: arguments.to_owned(),
                resumption: None,
            };
            self.pending.add(pending, &self.budget.account)?;
        }
        Ok(Some(request))
    }

    /// A place for the call, and what was checked. A call inside another one has the place of the outermost: were it to
    /// wait for one of its own, both could wait forever.
    async fn admitted(
        &self,
        tool: &str,
        arguments: &str,
        caller: &Caller,
    ) -> Result<(Option<Place>, Charge, Tool, Ready)> {
        let place = match caller.depth {
            0 => Some(self.host.admission().enter(&self.tenant).await?),
            _ => None,
        };
        let (tool, parsed, memory) = self.parsed(tool, arguments, caller).await?;
        if tool.uses_handles {
            self.approved(&tool, arguments, caller).await?;
            return Ok((place, memory, tool, Ready::WithHandles(parsed)));
        }
        let call = UntypedCall { name: tool.name.as_str(), arguments: parsed };
        if let Runs::Script(engines) = &tool.runs {
            let script = Arc::new(ScriptCall::new(call, &tool, engines, arguments, caller)?);
            return Ok((place, memory, tool, Ready::Script(script)));
        }
        let call = call.check(&tool.function)?;
        self.approved(&tool, arguments, caller).await?;
        let ready = match &tool.runs {
            Runs::Host(registered) => Ready::Host(registered.clone(), registered.arguments(call)?),
            Runs::Plugin(..) | Runs::Script(_) => Ready::Alone(call),
        };
        Ok((place, memory, tool, ready))
    }

    /// Call a tool as often as its policy says.
    async fn attempts(self: &Arc<Inner>, tool: &Tool, ready: Ready, caller: &Caller) -> Attempts {
        let policy = tool.policy();
        let name = tool.name.as_str();
        let own = match &ready {
            Ready::Script(script) => &script.engine.manifest().limits,
            _ => tool.limits(),
        };
        let mut limits = policy.attempt_limits(&self.host.limits_of(own));
        if let Ready::Script(script) = &ready {
            limits.time = script.arguments.timeout.map_or(limits.time, |it| it.min(limits.time));
        }
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
            let ready = if is_repeatable { ready.clone() } else { ready.take() };
            let run = match &ready {
                Some(Ready::Script(script)) => Some(ScriptRun::new(self, script, caller)),
                _ => None,
            };
            let services =
                Arc::new(CallServices::new(self, tool, caller, is_repeatable, run.clone()));
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
        self: &Arc<Inner>,
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
            Ready::Script(script) => {
                return self.attempt_script(&script, limits, services).await;
            }
            Ready::Host(registered, arguments) => {
                return self.attempt_host_tool(&registered, arguments, limits, services).await;
            }
        };
        let Runs::Plugin(skill, prepared) = &tool.runs else {
            return CallOutput::failed(Error::bug("a script was called as a function"));
        };
        let clock = services.clock();
        let core =
            StoreCore::new(limits, self.host.environment()).charged_to(&services.inside.memory);
        let inside = services.clone();
        let services = granted(services, &skill.manifest().bounds);
        let state = CallState::new(core, services);
        let CallOutput { result, usage, printed } =
            prepared.call(state, limits, clock, &tool.function, call.into_args()).await;
        let result = result.and_then(|value| {
            inside.hold_result(value.as_ref())?;
            value::result(&tool.function, value)
        });
        CallOutput { result, usage, printed }
    }

    /// The tool and the arguments, which parse but were not checked yet.
    async fn parsed(
        &self,
        tool: &str,
        arguments: &str,
        caller: &Caller,
    ) -> Result<(Tool, Json, Charge)> {
        let limits = self.host.session_limits();
        if caller.depth > limits.call_depth {
            return Err(Error::limit(Resource::CallDepth, limits.call_depth, caller.depth));
        }
        // Compiling a plugin takes longer than many a call around this one may.
        let stopped = caller.clock.as_ref().map(CallClock::stop);
        let registry = self.registry();
        let found = async {
            match caller.depth {
                0 => registry.tool(tool).await,
                _ => registry.tool_for_plugins(tool).await,
            }
        };
        let tool = Deadline::bounded(self.deadline, found).await?;
        drop(stopped);
        let bytes =
            if caller.depth == 0 { limits.arguments_bytes } else { limits.nested_arguments_bytes };
        let bytes = tool.arguments_bytes().map_or(bytes, |own| own.max(bytes));
        // Too long a text is not looked at.
        let made = match arguments.len() as u64 > bytes {
            true => 0,
            false => value::Weight::of(arguments.as_bytes()).arguments_bytes(),
        };
        let memory = caller.memory.charge(made).map_err(Error::reached)?;
        let arguments = Json::parse(arguments, bytes, limits.arguments_depth)?;
        Ok((tool, arguments, memory))
    }
}
