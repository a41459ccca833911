//! Attempts of a prepared call: each is handed to what runs the tool, which is an instance of its own, the resident instance of a
//! skill, a script engine, or the embedding program.
//!
//! Knows limits and services of an attempt. `retries.rs` knows when to try again.

use std::sync::Arc;

use super::super::attempt::Attempt;
use super::super::call_id::CallId;
use super::super::event::Event;
use super::caller::Caller;
use super::inner::Inner;
#[cfg(feature = "extism")]
use super::plug_in::call_plug_in;
use super::prepare::PreparedCall;
use super::retries::{AttemptResult, Attempts, Plan};
use super::services::{AttemptContext, CallServices};
use crate::engine::{CallOutput, Prepared, Returned, StoreCore};
use mitt_base::{CallLimits, ErrorKind};
use mitt_skill::{
    Skill, Tool, ToolInternal as _,
    capability::{CallContext, CallContextInternal as _},
};
use mitt_wit::value::{self, Json};

impl Inner {
    /// Attempts a call as often as the policy of the tool says.
    pub(super) async fn attempts(
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
        let mut limits = policy.attempt_limits(&self.context.host().limits_of(own));
        if let PreparedCall::Script(script) = &prepared_call {
            limits.time = script.arguments.timeout.map_or(limits.time, |it| it.min(limits.time));
        }
        let most = caller.root.options.max_time.filter(|_| caller.depth == 0);
        limits.time = most.map_or(limits.time, |it| it.min(limits.time));
        // A call that uses handles is never repeated: an attempt consumes its handles, and a crash ends the instance that the
        // others live in.
        let max_attempts = if tool.uses_handles() { 1 } else { policy.max_attempts() };
        let is_repeatable = max_attempts > 1;
        let plan = Plan {
            tool: name,
            max_attempts,
            retry: &policy.retry,
            limits,
            deadline: self.calls.deadline,
        };
        let context = AttemptContext { call, tool, caller, is_repeatable };
        let attempt = |limits, prepared_call| async move {
            self.attempt(context, prepared_call, &limits).await
        };
        let on_attempt = |ended: &Attempt| {
            if is_repeatable {
                let (context, depth) = (&*self.context, caller.depth);
                let now = context.now();
                let attempt = self.guard.attempt(ended);
                context.journal().attempt((call, name, depth), &attempt, now);
                let tool = name.to_owned();
                caller.emit(context, &Event::AttemptEnded { call, tool, depth, attempt });
            }
        };
        let mut attempts =
            plan.carry_out(prepared_call, attempt, || self.calls.random(), on_attempt).await;
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
        let core =
            StoreCore::new(limits, self.context.host().environment()).charged_to(services.memory());
        let granted = services.session_services().within(&skill.manifest().bounds);
        let state = CallContext::new(core, granted);
        let clock = Some(services.clock().clone());
        #[cfg(feature = "extism")]
        if let Some(contract) = tool.contract() {
            let mut alone = prepared.resident(state, limits);
            alone.set_clock(clock);
            return call_plug_in(&mut alone, (tool, contract), call, services).await;
        }
        let CallOutput { result, usage, printed } =
            prepared.call(state, limits, clock, &tool.function, call).await;
        let result = result.and_then(|Returned { mut value, tables }| {
            let how = services.shows_tables();
            self.content.show_tables(
                tool.name.as_str(),
                &tool.function,
                (&mut value, tables),
                how,
            )?;
            services.hold_result(value.as_ref())?;
            value::result(&tool.function, value)
        });
        CallOutput { result, usage, printed }
    }
}
