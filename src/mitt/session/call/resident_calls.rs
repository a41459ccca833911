//! Calls of functions that use handles, in the skill's resident instance, and destructors of resources.
//!
//! `handles.rs` knows which instance that is, and when it ends.

use std::sync::Arc;

use wasmtime::component::Val;

use super::super::agent_view::AgentView;
use super::super::content::SessionTables;
use super::super::options::CallOptions;
use super::caller::{Caller, RootCall};
use super::handles::{Fate, View};
use super::inner::Inner;
#[cfg(feature = "extism")]
use super::plug_in::call_plug_in;
use super::services::CallServices;
use crate::engine::{CallOutput, Prepared, Returned, StoreCore};
use mitt_base::{CallLimits, Error, ErrorKind, Resource, Result};
use mitt_skill::{
    Skill, Tool, ToolInternal as _,
    capability::{CallContext, CallContextInternal as _, Services},
};
use mitt_wit::value::{Json, Scope, UntypedCall};

impl Inner {
    /// Drops a handle for the session, or for its agent of `agent_view`. The resource's destructor runs under the limits of a call.
    ///
    /// # Errors
    ///
    /// Those of [`Session::drop_handle`](crate::Session::drop_handle).
    pub(in crate::session) async fn drop_handle(
        self: &Arc<Inner>,
        handle: &str,
        agent_view: Option<Arc<AgentView>>,
    ) -> Result<()> {
        let table = &self.calls.handles;
        let _turn = table.turn.lock().await;
        let Some((mut lease, mut resident, resource)) = table.take_out(handle)? else {
            let error =
                format!("no live handle {}", Json::from(mitt_base::text::cut_bytes(handle, 128)));
            return Err(Error::new(ErrorKind::Arguments, error));
        };
        let root = RootCall::new(&self.context, CallOptions::default(), agent_view);
        let caller = Caller::new(root);
        let services = CallServices::of_destructor(self, handle, lease.skill(), &caller);
        let services = Arc::new(services);
        // The grants of a skill that was removed are unknown.
        let granted = match services.registry().found(lease.skill()) {
            Some(skill) => services.session_services().within(&skill.manifest().bounds),
            None => Services::none(),
        };
        resident.data_mut().serve(granted);
        let (output, _) = services.end(resident.drop_resource(resource).await);
        output.result?;
        lease.give_back(resident);
        Ok(())
    }

    /// Calls a function that uses handles, in the skill's resident instance.
    pub(super) async fn call_with_handles(
        &self,
        tool: &Tool,
        plugin: (&Skill, &Prepared<CallContext>),
        arguments: Json,
        limits: &CallLimits,
        services: &Arc<CallServices>,
    ) -> CallOutput<Json> {
        let table = &self.calls.handles;
        // An inner call runs within the turn of its enclosing call; waiting for the turn would be a deadlock.
        let _turn = if services.has_turn() {
            None
        } else {
            match tokio::time::timeout(limits.time, table.turn.lock()).await {
                Ok(turn) => Some(turn),
                Err(_) => {
                    let millis = u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX);
                    let error = Error::limit(Resource::Time, millis, millis);
                    return CallOutput::failed(
                        error.at("waiting for the other calls with handles"),
                    );
                }
            }
        };
        match self.enter_resident(tool, plugin, arguments, limits, services).await {
            Ok(output) => output,
            Err(error) => CallOutput::failed(error),
        }
    }

    async fn enter_resident(
        &self,
        tool: &Tool,
        plugin: (&Skill, &Prepared<CallContext>),
        arguments: Json,
        limits: &CallLimits,
        services: &Arc<CallServices>,
    ) -> Result<CallOutput<Json>> {
        let table = &self.calls.handles;
        let (skill, prepared) = plugin;
        let manifest = skill.manifest();
        let (skill, bounds) = (&manifest.name, &manifest.bounds);
        let mut lease = table.lease(skill)?;
        if lease.resident.as_ref().is_some_and(|resident| !resident.is_of(prepared)) {
            // Another version has other types and other grants.
            lease.resident = None;
            table.end_all(skill, Fate::Replaced);
        }
        let mut view = View { table, skill, given: Vec::new() };
        let scope = Scope { handles: Some(&view), tables: Some(&SessionTables(&self.content)) };
        let call =
            UntypedCall { name: tool.name.as_str(), arguments }.check_in(&tool.function, scope)?;
        // A call that would certainly exceed the limit is refused before it costs the skill its other handles.
        let kept = table.count().saturating_sub(call.consumed().len() as u64);
        if tool.gives_handles() && kept >= table.limit {
            return Err(Error::limit(Resource::Handles, table.limit, kept.saturating_add(1)));
        }
        // From here on the handles count as consumed, however the call ends.
        table.end(call.consumed(), Fate::Consumed);
        let mut resident = match lease.resident.take() {
            Some(resident) => resident,
            None => {
                // The instance serves other tools, too, whose timeouts may be longer, so the limits are those of the skill.
                let limits = self.context.host().limits_of(&manifest.limits);
                let core = StoreCore::new(&limits, self.context.host().environment())
                    .charged_to(self.context.account());
                let services = services.session_services().within(bounds);
                prepared.resident(CallContext::new(core, services), &limits)
            }
        };
        resident.limit_time(limits.time);
        resident.set_clock(Some(services.clock().clone()));
        resident.data_mut().serve(services.session_services().within(bounds));
        #[cfg(feature = "extism")]
        if let Some(contract) = tool.contract() {
            let called = call_plug_in(&mut resident, (tool, contract), call, services).await;
            let error = called.result.as_ref().err();
            let is_sound = error.is_none_or(|error| *error.kind() == ErrorKind::Plugin);
            if is_sound && !resident.is_over() {
                lease.keep(resident);
            }
            return Ok(called);
        }
        let CallOutput { result, usage, printed } = resident.call(&tool.function, call).await;
        let result = match result {
            // If there is no memory for the result, usage and printed text are reported nevertheless.
            Ok(Returned { mut value, tables }) => {
                let (name, how) = (tool.name.as_str(), services.shows_tables());
                self.content
                    .show_tables(name, &tool.function, (&mut value, tables), how)
                    .and_then(|()| services.hold_result(value.as_ref()))
                    .and_then(|()| outcome(tool, value, &mut view))
            }
            Err(error) => return Ok(CallOutput { result: Err(error), usage, printed }),
        };
        // The instance is intact if the plugin returned an error of its own or broke a promise of a type.
        if result.as_ref().err().is_none_or(|error| *error.kind() == ErrorKind::Plugin) {
            lease.give_back(resident);
        }
        Ok(CallOutput { result, usage, printed })
    }
}

/// Converts what a call returned to JSON. If that fails, the new handles are withdrawn, since nobody receives them; their
/// resources live until the instance ends.
fn outcome(tool: &Tool, result: Option<Val>, view: &mut View<'_>) -> Result<Json> {
    let outcome = tool.function.outcome_with(result, view);
    if outcome.is_err() {
        view.table.end(&std::mem::take(&mut view.given), Fate::Dropped);
    }
    outcome?.into_result()
}
