//! One call, from its JSON to its entry in the journal: it is checked, run and recorded.

use std::pin::Pin;
use std::sync::Arc;

use super::agent_view::AgentView;
use super::approval::ApprovalRequest;
use super::attempts::{Attempt, AttemptResult, Attempts, Deadline, Plan};
use super::call_id::CallId;
use super::caller::{Caller, RootCall};
use super::compile_progress::CompileProgress;
use super::event::Event;
use super::inner_calls::CallCount;
use super::options::CallOptions;
use super::pending_calls::Pending;
use super::report::CallReport;
use super::results::TableResults;
use super::script_execution::ScriptCall;
use super::services::{AttemptContext, CallServices};
use super::state::{Inner, Session};
use super::tables::SessionTables;
use crate::capability::CallContext;
use crate::engine::{CallClock, CallOutput, Prepared, Returned, StoreCore};
use crate::skill::{RegisteredTool, Runs, Skill, Tool};
use mitt_base::memory::Charge;
use mitt_base::{CallLimits, Error, ErrorKind, Resource, Result, panics};
use mitt_wit::value::{self, Json, Scope, UntypedCall};

/// Call whose tool is known and that can be attempted.
#[derive(Clone)]
enum PreparedCall {
    /// Runs in an instance of its own, with checked arguments.
    Alone(Arc<Skill>, Prepared<CallContext>, value::TypedCall),
    /// Runs in the resident instance. When its turn comes, the arguments are checked against the handles that exist then.
    WithHandles(Arc<Skill>, Prepared<CallContext>, Json),
    /// Runs a script in a script engine.
    Script(Arc<ScriptCall>),
    /// Runs code of the embedding program, with checked arguments.
    Host(Arc<RegisteredTool>, Json),
}

/// Guard for a running call. If it is dropped before [`Unfinished::finish`], because the caller dropped the future, it records
/// the cancellation in the journal.
struct Unfinished<'a> {
    session: &'a Inner,
    call: CallId,
    tool: &'a str,
    arguments: &'a str,
    depth: u64,
    agent: Option<u64>,
}

impl Unfinished<'_> {
    /// Disarms the guard: the call has ended, and its maker records the result.
    fn finish(self) {
        std::mem::forget(self);
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        // A panic is recorded where it is caught.
        if std::thread::panicking() {
            return;
        }
        let Unfinished { session, call, tool, arguments, depth, agent } = *self;
        let error = Error::new(ErrorKind::Cancelled, "the call was cancelled");
        let report =
            CallReport { depth, agent, ..CallReport::new(call, tool, arguments, Err(error)) };
        session.journal.call(&report, session.host.environment().now());
    }
}

impl Session {
    /// Calls a tool with arguments as a JSON object.
    ///
    /// Returns a report whether or not the call succeeds; nothing is instantiated unless the arguments are valid. The call waits
    /// for a place if the host's [`ConcurrencyLimits`](mitt_base::ConcurrencyLimits) require it, and fails with
    /// [`ErrorKind::Busy`] if it gets none. It is attempted as often as the tool's [`ToolPolicy`](crate::skill::ToolPolicy) says.
    /// To cancel it, drop the future: that drops its store, its undelivered files and its place, and the journal records the
    /// cancellation.
    pub async fn call(&self, tool: &str, arguments: &str) -> CallReport {
        self.call_with(tool, arguments, CallOptions::default()).await
    }

    /// Like [`Session::call`], with options for this call.
    ///
    /// # Errors
    ///
    /// None; the report holds the error of a failed call.
    pub async fn call_with(&self, tool: &str, arguments: &str, options: CallOptions) -> CallReport {
        let root = self.inner.root_call(options, self.agent_view.clone());
        self.inner.run_root_call(tool, arguments, root).await
    }
}

impl Inner {
    /// Returns a root call without any decision about it.
    pub(super) fn root_call(
        &self,
        options: CallOptions,
        agent_view: Option<Arc<AgentView>>,
    ) -> RootCall {
        let count = CallCount::new(self.host.session_limits().tool_calls);
        RootCall::new(options, count, self.budget.call(), agent_view)
    }

    /// Makes a call that is not inside of another one. Always returns a report, even after a panic; the guests compute for this
    /// session.
    pub(super) async fn run_root_call(
        self: &Arc<Inner>,
        tool: &str,
        arguments: &str,
        mut root: RootCall,
    ) -> CallReport {
        let is_model = root.options.tables != TableResults::Whole;
        let named = is_model.then(|| self.values.put_in(arguments, self.host.session_limits()));
        let named = named.transpose().unwrap_or_else(|error| {
            root.refusal = Some(error);
            None
        });
        let arguments = named.as_deref().unwrap_or(arguments);
        let (id, caller) = (self.next_call(None), Caller::new(root));
        let agent = caller.agent();
        // Boxed because it is large and passes through several layers; without its type so that the future types of all callers
        // stay short.
        let call: Pin<Box<dyn Future<Output = CallReport> + Send + '_>> =
            Box::pin(self.call(id, tool, arguments, &caller));
        let error = match panics::caught("the call", self.scheduler.run(call)).await {
            Ok(report) => return report,
            Err(error) => error,
        };
        let report = CallReport { agent, ..CallReport::new(id, tool, arguments, Err(error)) };
        let note = || self.journal.call(&report, self.host.environment().now());
        // The journal itself may have panicked.
        let _ = panics::caught_now("the journal", note);
        report
    }

    /// Makes the call with this id.
    pub(super) async fn call(
        self: &Arc<Inner>,
        id: CallId,
        tool: &str,
        arguments: &str,
        caller: &Caller,
    ) -> CallReport {
        let (call, depth) = (id, caller.depth);
        caller.emit(self, &Event::CallStarted { call, tool: tool.to_owned(), depth });
        let agent = caller.agent();
        let unfinished = Unfinished { session: self, call, tool, arguments, depth, agent };
        let permit = match depth {
            0 => self
                .host
                .admission()
                .acquire_for(&self.tenant, self.scheduler.session())
                .await
                .map(Some),
            // An inner call needs no place of its own: it and the root call could wait for each other forever.
            _ => Ok(None),
        };
        let (mut permit, prepared) = match permit {
            Ok(permit) => (permit, self.prepare_call(id, tool, arguments, caller).await),
            Err(error) => (None, Err(error)),
        };
        let mut report = match prepared {
            Ok((_memory, known, prepared_call)) => {
                let Attempts { log, last } = self.attempts(id, &known, prepared_call, caller).await;
                CallReport {
                    function: Some(known.function.clone()),
                    attempts: log,
                    usage: last.output.usage,
                    printed: last.output.printed,
                    artifacts: last.artifacts,
                    script_error: last.script_error,
                    ..CallReport::new(id, tool, arguments, last.output.result)
                }
            }
            Err(error) => CallReport::new(id, tool, arguments, Err(error)),
        };
        (report.depth, report.agent) = (depth, agent);
        if depth == 0 {
            self.guard_report(&mut report, caller);
        }
        report.name = self.keep_result(caller, &report);
        if let Some(permit) = &mut permit {
            permit.set_run_time(report.usage.duration);
        }
        unfinished.finish();
        if depth == 0 {
            match self.keep_pending(id, tool, arguments, caller) {
                Ok(approval) => report.approval = approval,
                Err(error) => report.result = Err(error),
            }
        }
        self.journal.call(&report, self.host.environment().now());
        let finished = Event::CallFinished {
            call,
            tool: report.tool.clone(),
            depth,
            usage: report.usage.clone(),
            failure: report.failure(),
        };
        caller.emit(self, &finished);
        report
    }

    /// Keeps the result of a model's call and returns the name by which later calls can refer to it.
    fn keep_result(&self, caller: &Caller, report: &CallReport) -> Option<String> {
        let is_model = caller.depth == 0 && caller.tables != TableResults::Whole;
        let result = report.result.as_ref().ok().filter(|_| is_model)?;
        self.values.keep(report.call.number, result, &self.budget.account)
    }

    /// Keeps a paused call until somebody decides about it, and returns its request. A script has been kept already.
    ///
    /// # Errors
    ///
    /// There is no memory to keep it, so the call fails.
    fn keep_pending(
        &self,
        id: CallId,
        tool: &str,
        arguments: &str,
        caller: &Caller,
    ) -> Result<Option<ApprovalRequest>> {
        let Some(request) = caller.root.paused() else { return Ok(None) };
        if request.depth == 0 {
            let pending = Pending {
                call: id,
                request: request.clone(),
                tool: tool.to_owned(),
                arguments: arguments.to_owned(),
                before: None,
                agent_view: caller.root.agent_view.clone(),
            };
            self.pending.add(pending, &self.budget.account)?;
        }
        Ok(Some(request))
    }

    /// Checks a call that has its place. An inner call has the place of the root call.
    async fn prepare_call(
        &self,
        id: CallId,
        tool: &str,
        arguments: &str,
        caller: &Caller,
    ) -> Result<(Charge, Tool, PreparedCall)> {
        let (tool, parsed, memory) = self.parse_arguments(tool, arguments, caller).await?;
        if let Some(error) = caller.root.refusal.as_ref().filter(|_| caller.depth == 0) {
            return Err(error.clone());
        }
        let prepared_call = match &tool.runs {
            Runs::Plugin(skill) if tool.uses_handles => {
                let prepared = self.load_plugin(id, skill, caller).await?;
                self.approved(&tool, arguments, (id, caller)).await?;
                PreparedCall::WithHandles(skill.clone(), prepared, parsed)
            }
            Runs::Plugin(skill) => {
                let call = UntypedCall { name: tool.name.as_str(), arguments: parsed };
                // Arguments are checked first: nothing is compiled for a call that is invalid, and no approval is requested for a
                // plugin that does not load.
                let scope = Scope { handles: None, tables: Some(&SessionTables(self)) };
                let call = call.check_in(&tool.function, scope)?;
                let prepared = self.load_plugin(id, skill, caller).await?;
                self.approved(&tool, arguments, (id, caller)).await?;
                PreparedCall::Alone(skill.clone(), prepared, call)
            }
            Runs::Script(engines) => {
                let call = UntypedCall { name: tool.name.as_str(), arguments: parsed };
                PreparedCall::Script(Arc::new(ScriptCall::new(
                    call, &tool, engines, arguments, caller,
                )?))
            }
            Runs::Host(registered) => {
                let call = UntypedCall { name: tool.name.as_str(), arguments: parsed };
                let call = call.check(&tool.function)?;
                self.approved(&tool, arguments, (id, caller)).await?;
                PreparedCall::Host(registered.clone(), registered.arguments(call)?)
            }
        };
        Ok((memory, tool, prepared_call))
    }

    /// Loads the plugin of a tool. Compiling may take longer than an enclosing call is allowed, so its clock stands still.
    async fn load_plugin(
        &self,
        id: CallId,
        skill: &Arc<Skill>,
        caller: &Caller,
    ) -> Result<Prepared<CallContext>> {
        let _stopped = caller.clock.as_ref().map(CallClock::stop);
        let progress = CompileProgress::new(Some(id), |event: &Event| caller.emit(self, event));
        let on_compiling = |compiling| progress.compiling(&skill.manifest().name, compiling);
        let prepared = skill.prepared_tools(&on_compiling);
        let prepared = Deadline::bounded(self.deadline, prepared).await?.clone();
        progress.ended();
        Ok(prepared)
    }

    /// Attempts a call as often as the policy of the tool says.
    async fn attempts(
        self: &Arc<Inner>,
        call: CallId,
        tool: &Tool,
        prepared_call: PreparedCall,
        caller: &Caller,
    ) -> Attempts {
        let policy = tool.policy();
        let name = tool.name.as_str();
        let own = match &prepared_call {
            PreparedCall::Script(script) => &script.engine.manifest().limits,
            _ => tool.limits(),
        };
        let mut limits = policy.attempt_limits(&self.host.limits_of(own));
        if let PreparedCall::Script(script) = &prepared_call {
            limits.time = script.arguments.timeout.map_or(limits.time, |it| it.min(limits.time));
        }
        let most = caller.root.options.max_time.filter(|_| caller.depth == 0);
        limits.time = most.map_or(limits.time, |it| it.min(limits.time));
        // A call that uses handles is never repeated: an attempt consumes its handles, and a crash ends the instance that the
        // others live in.
        let max_attempts = if tool.uses_handles { 1 } else { policy.max_attempts() };
        let is_repeatable = max_attempts > 1;
        let plan = Plan {
            tool: name,
            max_attempts,
            retry: &policy.retry,
            limits,
            deadline: self.deadline,
        };
        let context = AttemptContext { call, tool, caller, is_repeatable };
        let attempt = |limits, prepared_call| async move {
            self.attempt(context, prepared_call, &limits).await
        };
        let on_attempt = |ended: &Attempt| {
            if is_repeatable {
                let (depth, now) = (caller.depth, self.host.environment().now());
                let attempt = self.guarded_attempt(ended);
                self.journal.attempt((call, name, depth), &attempt, now);
                let tool = name.to_owned();
                caller.emit(self, &Event::AttemptEnded { call, tool, depth, attempt });
            }
        };
        let mut attempts =
            plan.carry_out(prepared_call, attempt, || self.random(), on_attempt).await;
        let refused = attempts.last.output.result.as_ref().err();
        if refused.is_some_and(|error| *error.kind() == ErrorKind::Arguments) {
            // Invalid handles are found only when the call has its turn. Nothing ran, so there was no attempt.
            attempts.log.clear();
        }
        attempts
    }

    async fn attempt(
        self: &Arc<Inner>,
        context: AttemptContext<'_>,
        prepared_call: PreparedCall,
        limits: &CallLimits,
    ) -> AttemptResult {
        let tool = context.tool;
        let services = || Arc::new(CallServices::new(self, context));
        let (services, output) = match prepared_call {
            PreparedCall::Alone(skill, prepared, call) => {
                let services = services();
                let plugin = (&*skill, &prepared);
                let output = self.call_alone(tool, plugin, call, limits, &services).await;
                (services, output)
            }
            PreparedCall::WithHandles(skill, prepared, arguments) => {
                let services = services();
                let plugin = (&*skill, &prepared);
                let called = self.call_with_handles(tool, plugin, arguments, limits, &services);
                let output = called.await;
                (services, output)
            }
            PreparedCall::Script(script) => {
                return self.attempt_script(context, &script, limits).await;
            }
            PreparedCall::Host(registered, arguments) => {
                let services = services();
                let called = self.attempt_host_tool(&registered, arguments, limits, &services);
                let output = called.await;
                (services, output)
            }
        };
        let (output, artifacts) = services.end(output);
        AttemptResult { output, artifacts, script_error: None }
    }

    /// Calls a function in an instance of its own.
    async fn call_alone(
        &self,
        tool: &Tool,
        (skill, prepared): (&Skill, &Prepared<CallContext>),
        call: value::TypedCall,
        limits: &CallLimits,
        services: &Arc<CallServices>,
    ) -> CallOutput<Json> {
        let core = StoreCore::new(limits, self.host.environment()).charged_to(services.memory());
        let granted = services.session_services().within(&skill.manifest().bounds);
        let state = CallContext::new(core, granted);
        let clock = Some(services.clock().clone());
        #[cfg(feature = "extism")]
        if let Some(contract) = &tool.contract {
            let mut alone = prepared.resident(state, limits);
            alone.set_clock(clock);
            return self.call_plug_in(&mut alone, (tool, contract), call, services).await;
        }
        let CallOutput { result, usage, printed } =
            prepared.call(state, limits, clock, &tool.function, call).await;
        let result = result.and_then(|Returned { mut value, tables }| {
            let how = services.shows_tables();
            self.show_tables(tool.name.as_str(), &tool.function, (&mut value, tables), how)?;
            services.hold_result(value.as_ref())?;
            value::result(&tool.function, value)
        });
        CallOutput { result, usage, printed }
    }

    /// Returns the tool and the parsed arguments, which are not checked against its interface yet.
    async fn parse_arguments(
        &self,
        tool: &str,
        arguments: &str,
        caller: &Caller,
    ) -> Result<(Tool, Json, Charge)> {
        let limits = self.host.session_limits();
        if caller.depth > limits.call_depth {
            return Err(Error::limit(Resource::CallDepth, limits.call_depth, caller.depth));
        }
        // Reading a component may take longer than an enclosing call is allowed, so its clock stands still.
        let stopped = caller.clock.as_ref().map(CallClock::stop);
        let registry = self.registry_for(caller.agent_view());
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
        // Arguments that are too long are refused without being measured.
        let made = match arguments.len() as u64 > bytes {
            true => 0,
            false => value::Weight::of(arguments.as_bytes()).arguments_bytes(),
        };
        let memory = caller.root.memory.charge(made).map_err(Error::reached)?;
        let arguments = Json::parse(arguments, bytes, limits.arguments_depth)?;
        Ok((tool, arguments, memory))
    }
}
