//! What a call needs before its first attempt: its tool, its arguments, its plugin, and an approval.
//!
//! Knows what kinds of tools there are. `dispatch.rs` runs them.

use std::sync::Arc;

use super::super::call_id::CallId;
use super::super::compile_progress::CompileProgress;
use super::super::content::SessionTables;
use super::super::event::Event;
use super::caller::Caller;
use super::inner::Inner;
use super::retries::Deadline;
use super::script_call::ScriptCall;
use super::signatures::no_key;
use crate::engine::{CallClock, Prepared};
use mitt_base::memory::Charge;
use mitt_base::{Error, Resource, Result};
use mitt_skill::{
    RegisteredTool, RegistryInternal as _, Runs, Skill, SkillInternal as _, Tool,
    ToolInternal as _, capability::CallContext,
};
use mitt_wit::value::{self, Json, Scope, UntypedCall};

/// Call whose tool is known and that can be attempted.
#[derive(Clone)]
pub(super) enum PreparedCall {
    /// Runs in an instance of its own, with checked arguments.
    Alone(Arc<Skill>, Prepared<CallContext>, value::TypedCall),
    /// Runs in the resident instance. When its turn comes, the arguments are checked against the handles that exist then.
    WithHandles(Arc<Skill>, Prepared<CallContext>, Json),
    /// Runs a script in a script engine.
    Script(Arc<ScriptCall>),
    /// Runs code of the embedding program, with checked arguments.
    Host(Arc<RegisteredTool>, Json),
}

impl Inner {
    /// Obtains approval for a call, if its tool needs one.
    ///
    /// # Errors
    ///
    /// Those of [`ApprovalGate::approved`](super::super::approval::ApprovalGate::approved).
    async fn approve(
        &self,
        tool: &Tool,
        arguments: &str,
        id: CallId,
        caller: &Caller,
    ) -> Result<()> {
        // A document comes before a delivered file of the same name.
        let find = |name: &str| {
            let documents = self.content.documents();
            let document = documents.iter().find(|it| it.name == name).map(|it| it.sha256.clone());
            let delivered = || {
                let files = self.delivery.list();
                files.into_iter().find(|it| it.name == name).map(|it| it.sha256)
            };
            document.or_else(delivered)
        };
        self.approvals.approved(tool, arguments, id, caller, &find).await
    }

    /// Checks a call that has its place. An inner call has the place of the root call.
    pub(super) async fn prepare_call(
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
        // Nobody is asked to approve what cannot be done.
        if tool.needs_signing_key() && self.context.signing_keys().is_empty() {
            return Err(no_key());
        }
        let prepared_call = match tool.runs() {
            Runs::Plugin(skill) if tool.uses_handles() => {
                let prepared = self.load_plugin(id, skill, caller).await?;
                self.approve(&tool, arguments, id, caller).await?;
                PreparedCall::WithHandles(skill.clone(), prepared, parsed)
            }
            Runs::Plugin(skill) => {
                let call = UntypedCall { name: tool.name.as_str(), arguments: parsed };
                // Arguments are checked first: nothing is compiled for a call that is invalid, and no approval is requested for a
                // plugin that does not load.
                let scope = Scope { handles: None, tables: Some(&SessionTables(&self.content)) };
                let call = call.check_in(&tool.function, scope)?;
                let prepared = self.load_plugin(id, skill, caller).await?;
                self.approve(&tool, arguments, id, caller).await?;
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
                self.approve(&tool, arguments, id, caller).await?;
                PreparedCall::Host(registered.clone(), registered.arguments(call)?)
            }
        };
        if tool.has_lasting_effect() && caller.root.begin_effect() {
            // The maker of the call may have learnt that it must not make it. It drops the call here.
            tokio::task::yield_now().await;
        }
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
        let progress =
            CompileProgress::new(Some(id), |event: &Event| caller.emit(&self.context, event));
        let on_compiling = |compiling| progress.compiling(&skill.manifest().name, compiling);
        let prepared = skill.prepared_tools(&on_compiling);
        let prepared = Deadline::bounded(self.calls.deadline, prepared).await?.clone();
        progress.ended();
        Ok(prepared)
    }

    /// Returns the tool and the parsed arguments, which are not checked against its interface yet.
    async fn parse_arguments(
        &self,
        tool: &str,
        arguments: &str,
        caller: &Caller,
    ) -> Result<(Tool, Json, Charge)> {
        let limits = self.context.host().session_limits();
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
        let tool = Deadline::bounded(self.calls.deadline, found).await?;
        drop(stopped);
        let bytes =
            if caller.depth == 0 { limits.arguments_bytes } else { limits.nested_arguments_bytes };
        let bytes = tool.arguments_bytes().map_or(bytes, |own| own.max(bytes));
        // Arguments that are too long are refused without being measured.
        let made = if arguments.len() as u64 > bytes {
            0
        } else {
            value::Weight::of(arguments.as_bytes()).arguments_bytes()
        };
        let memory = caller.root.memory.charge(made).map_err(Error::reached)?;
        let arguments = Json::parse(arguments, bytes, limits.arguments_depth)?;
        Ok((tool, arguments, memory))
    }
}
