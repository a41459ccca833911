//! Scripts that keep their variables: runs them in an instance that stays, and saves and restores the variables as bytes.
//!
//! `kept_instances.rs` knows which instance that is, and when it ends.

use std::sync::Arc;

use super::super::compile_progress::CompileProgress;
use super::super::context::SessionContext;
use super::super::event::Event;
use super::kept_instances::{Slot, turn};
use super::run::ScriptRun;
use super::scripts::Scripts;
use crate::engine::{CacheDirInternal as _, CallClock, CallOutput, StoreCore};
use crate::script::OutputStream;
use mitt_base::limits::{CallLimits, MIB};
use mitt_base::{Error, ErrorKind, Remedy, Resource, Result};
use mitt_skill::{
    Skill, SkillInternal as _,
    capability::{
        CallContext, CallContextInternal as _, PreparedScript, ScriptInstance, ScriptRequest,
        ScriptValue, Services, Uncaught,
    },
};

/// Largest sealed state, in bytes.
const MAX_STATE_BYTES: usize = 64 * MIB as usize;

/// First bytes of a sealed state: its type and the version of its format.
const MAGIC: &[u8; 12] = b"mitt-state-1";

/// Context from which the key of sealed states is derived.
const CONTEXT: &str = "mitt 2026-11-21 state of scripts";

/// Written to the standard error of a script whose variables were given up.
const GIVEN_UP: &str =
    "[SYSTEM: the variables of earlier scripts were given up, because their memory was needed]\n";

impl Scripts {
    /// Runs a script in the kept instance of its engine. The outer error means that it never began.
    pub(in crate::session) async fn run_kept(
        &self,
        (skill, slot): (&Skill, &Slot),
        engine: &PreparedScript,
        limits: &CallLimits,
        services: Services,
        (run, clock): (&ScriptRun, &Arc<CallClock>),
        request: ScriptRequest,
    ) -> Result<CallOutput<Result<ScriptValue, Uncaught>>> {
        let mut kept = turn(slot, limits.time).await?;
        if std::mem::take(&mut kept.is_lost) {
            run.output.write(OutputStream::Stderr, GIVEN_UP)?;
        }
        // If the call is dropped, the instance goes with it.
        let mut instance = match kept.take().filter(|instance| instance.is_of(engine)) {
            Some(mut instance) => {
                instance.resident_mut().data_mut().serve(services);
                instance
            }
            None => fresh(&self.context, skill, engine, services),
        };
        let resident = instance.resident_mut();
        resident.limit_time(limits.time);
        resident.set_clock(Some(clock.clone()));
        let output = instance.run(request).await;
        if output.result.is_ok() {
            kept.rest(slot, self.context.budget(), rested(instance));
        }
        Ok(output)
    }
}

/// Returns a new instance for scripts that keep their variables.
fn fresh(
    context: &SessionContext,
    skill: &Skill,
    engine: &PreparedScript,
    services: Services,
) -> ScriptInstance {
    // The instance serves further scripts, whose timeouts may be longer, so the limits are those of the skill.
    let limits = context.host().limits_of(&skill.manifest().limits);
    // The instance outlives the call, so its memory is charged to the session.
    let core = StoreCore::new(&limits, context.host().environment()).charged_to(context.account());
    engine.resident(CallContext::new(core, services), &limits)
}

/// Returns an instance for the time between two scripts, without services: they end with the script, and they hold the session,
/// which holds the instance.
fn rested(mut instance: ScriptInstance) -> ScriptInstance {
    instance.resident_mut().data_mut().serve(Services::none());
    instance
}

impl Scripts {
    /// Returns the variables that scripts left in `skill`, an engine, sealed for [`Scripts::load_state`]. `None` if there are none.
    ///
    /// # Errors
    ///
    /// Those of [`Session::dump_script_state`](crate::Session::dump_script_state).
    pub(in crate::session) async fn dump_state(&self, skill: &Skill) -> Result<Option<Vec<u8>>> {
        let key = self.state_key()?;
        let limits = self.context.host().limits_of(&skill.manifest().limits);
        let slot = self.kept.slot(skill);
        let mut kept = turn(&slot, limits.time).await?;
        let Some(mut instance) = kept.take() else { return Ok(None) };
        let dumped = instance.dump().await.result?;
        kept.rest(&slot, self.context.budget(), instance);
        let state = dumped.map_err(|problem| {
            Error::new(
                ErrorKind::Plugin,
                format!("the variables cannot be written down: {problem}"),
            )
        })?;
        if state.len() > MAX_STATE_BYTES {
            let (most, got) = (MAX_STATE_BYTES as u64, state.len() as u64);
            return Err(Error::limit(Resource::Transfer, most, got).at("the variables"));
        }
        Ok(Some(seal(&key, &skill.component_digest()?, &state)))
    }

    /// Restores variables from [`Scripts::dump_state`] in `skill`, an engine. `emit` receives the progress of its compilation.
    ///
    /// # Errors
    ///
    /// Those of [`Session::load_script_state`](crate::Session::load_script_state).
    pub(in crate::session) async fn load_state(
        &self,
        skill: &Arc<Skill>,
        sealed: &[u8],
        emit: impl Fn(&Event) + Sync,
    ) -> Result<()> {
        let key = self.state_key()?;
        let state = unseal(&key, &skill.component_digest()?, sealed)?;
        let progress = CompileProgress::new(None, emit);
        let on_compiling = |compiling| progress.compiling(&skill.manifest().name, compiling);
        let prepared = skill.prepared_script(&on_compiling).await?.clone();
        progress.ended();
        let limits = self.context.host().limits_of(&skill.manifest().limits);
        let slot = self.kept.slot(skill);
        let mut kept = turn(&slot, limits.time).await?;
        let mut instance = fresh(&self.context, skill, &prepared, Services::none());
        drop(kept.take());
        instance.load(state.to_vec()).await.result?.map_err(|problem| {
            Error::new(ErrorKind::Plugin, format!("the variables cannot be read: {problem}"))
        })?;
        kept.is_lost = false;
        kept.rest(&slot, self.context.budget(), instance);
        Ok(())
    }

    fn state_key(&self) -> Result<[u8; 32]> {
        let cache = self.context.host().engine().options().cache.as_ref();
        cache.and_then(|cache| cache.derived_key(CONTEXT)).ok_or_else(|| {
            Error::new(
                ErrorKind::Host,
                "there is no private cache folder, whose secret seals the variables of scripts",
            )
            .remedy(Remedy::SecretFolder)
        })
    }
}

/// Returns `state` with a proof that this user's Mitt wrote it for this component.
fn seal(key: &[u8; 32], component: &str, state: &[u8]) -> Vec<u8> {
    let mut sealed = MAGIC.to_vec();
    sealed.extend_from_slice(mac(key, component, state).as_bytes());
    sealed.extend_from_slice(state);
    sealed
}

fn unseal<'s>(key: &[u8; 32], component: &str, sealed: &'s [u8]) -> Result<&'s [u8]> {
    let refused = || {
        let message = "the variables were not written by this user's mitt for this version of the engine, or were changed";
        Error::new(ErrorKind::Denied, message).hint("remove the file to begin without variables")
    };
    let rest = sealed.strip_prefix(MAGIC).ok_or_else(refused)?;
    let (given, state) = rest.split_at_checked(blake3::OUT_LEN).ok_or_else(refused)?;
    let given = <[u8; blake3::OUT_LEN]>::try_from(given).map_err(|_| refused())?;
    // `blake3::Hash` compares in constant time.
    if mac(key, component, state) == blake3::Hash::from_bytes(given) {
        Ok(state)
    } else {
        Err(refused())
    }
}

fn mac(key: &[u8; 32], component: &str, state: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(MAGIC).update(&(component.len() as u64).to_le_bytes());
    hasher.update(component.as_bytes()).update(state).finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_sealed_with_the_key_for_the_component_is_opened() {
        let (key, other) = ([1; 32], [2; 32]);
        let sealed = seal(&key, "c", b"state");
        assert_eq!(unseal(&key, "c", &sealed).unwrap(), b"state");
        assert_eq!(*unseal(&other, "c", &sealed).unwrap_err().kind(), ErrorKind::Denied);
        assert!(unseal(&key, "d", &sealed).is_err());
        for at in 0..sealed.len() {
            let mut forged = sealed.clone();
            forged[at] ^= 1;
            assert!(unseal(&key, "c", &forged).is_err(), "{at}");
        }
        for length in 0..sealed.len() {
            assert!(unseal(&key, "c", &sealed[..length]).is_err(), "{length}");
        }
    }
}
