//! Variables that scripts keep: an engine's instance that stays in the session between scripts, and its variables as bytes for
//! another session.
//!
//! An instance lives as long as its session. Fuel, time and output are limited for each script, everything else over the whole life
//! of the instance. It ends when a script in it reaches a limit, crashes or is refused something, and when its engine is replaced.
//! Scripts in it take turns. Its memory is charged to the session. When the session, the tenant or the host needs memory, those
//! instances of the tenant that were idle longest are given up, and the next script is told. The reasons: variables can be made
//! again, documents and files cannot; and sessions that a tenant has forgotten must not block all of its work.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::super::host::{Idle, Shelved};
use super::super::services::CallServices;
use super::super::{Inner, Session};
use super::attempt::fresh;
use crate::capability::{
    NoServices, PreparedScript, ScriptHost, ScriptInstance, ScriptRequest, ScriptValue, Services,
    Uncaught,
};
use crate::engine::CallOutput;
use crate::skill::Skill;
use mitt_base::limits::{CallLimits, MIB};
use mitt_base::{Error, ErrorKind, Resource, Result};

/// Largest sealed state.
const MAX_STATE_BYTES: usize = 64 * MIB as usize;

/// How sealed states begin: what they are, and the version of their form.
const MAGIC: &[u8; 12] = b"mitt-state-1";

/// What the key of sealed states is made for.
const CONTEXT: &str = "mitt 2026-11-21 state of scripts";

/// What a script is told whose variables were given up, on its standard error.
const GIVEN_UP: &str =
    "[SYSTEM: the variables of earlier scripts were given up, because their memory was needed]\n";

type Slot = Arc<KeptSlot>;

/// The place of an engine's instance in a session.
#[derive(Default)]
struct KeptSlot {
    kept: tokio::sync::Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    instance: Option<ScriptInstance>,
    /// Its place on the shelf, while it is idle.
    shelved: Option<Shelved>,
    /// Whether it was given up since the last script.
    is_lost: bool,
}

impl Kept {
    /// The instance, if there is one; it is not idle any more.
    fn take(&mut self) -> Option<ScriptInstance> {
        self.shelved = None;
        self.instance.take()
    }
}

impl Idle for KeptSlot {
    fn give_up(&self) -> bool {
        // Whoever holds it uses the instance.
        let Ok(mut kept) = self.kept.try_lock() else { return false };
        let Some(instance) = kept.instance.take() else { return false };
        kept.is_lost = true;
        // Its place on the shelf is gone already.
        kept.shelved = None;
        drop(kept);
        drop(instance);
        true
    }
}

/// The kept instances of a session, by the engine's name.
#[derive(Default)]
pub(in crate::session) struct KeptInstances {
    slots: Mutex<HashMap<String, Slot>>,
}

impl KeptInstances {
    /// Whether no script ever kept anything.
    pub(in crate::session) fn is_empty(&self) -> bool {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn slot(&self, engine: &Skill) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.entry(engine.manifest().name.clone()).or_default().clone()
    }
}

impl Inner {
    /// Run a script in the kept instance of its engine. The outer error is that it never began.
    pub(in crate::session) async fn run_kept(
        &self,
        skill: &Skill,
        engine: &PreparedScript,
        limits: &CallLimits,
        (services, host): (Arc<dyn Services>, Arc<dyn ScriptHost>),
        call: &CallServices,
        request: ScriptRequest,
    ) -> Result<CallOutput<Result<ScriptValue, Uncaught>>> {
        let slot = self.kept.slot(skill);
        let mut kept = turn(&slot, limits.time).await?;
        if std::mem::take(&mut kept.is_lost)
            && let Some(run) = &call.inside.run
        {
            run.output.stderr().write(GIVEN_UP);
        }
        // If nobody waits for the script any more, the instance goes with it.
        let mut instance = match kept.take().filter(|instance| instance.is_of(engine)) {
            Some(mut instance) => {
                instance.resident_mut().data_mut().serve(services, host);
                instance
            }
            None => fresh(self, skill, engine, (services, host)),
        };
        let resident = instance.resident_mut();
        resident.limit_time(limits.time);
        resident.set_clock(call.clock());
        let output = instance.run(request).await;
        if output.result.is_ok() {
            self.rest(&slot, &mut kept, rested(instance));
        }
        Ok(output)
    }

    /// Leave an instance idle.
    fn rest(&self, slot: &Slot, kept: &mut Kept, instance: ScriptInstance) {
        let idle: Arc<dyn Idle> = slot.clone();
        kept.instance = Some(instance);
        kept.shelved = Some(self.budget.put(Arc::downgrade(&idle)));
    }
}

/// The right to use the instance of an engine.
async fn turn(slot: &Slot, time: Duration) -> Result<tokio::sync::MutexGuard<'_, Kept>> {
    tokio::time::timeout(time, slot.kept.lock()).await.map_err(|_| {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let error = Error::limit(Resource::Time, millis, millis);
        error.at("waiting for the other scripts that keep their variables")
    })
}

/// An instance between two scripts. What a script may use ends with it; and services hold the session, which holds the
/// instance.
fn rested(mut instance: ScriptInstance) -> ScriptInstance {
    instance.resident_mut().data_mut().serve(Arc::new(NoServices), Arc::new(NoServices));
    instance
}

impl Session {
    /// The variables that scripts with `state: session` left in `engine`, sealed for [`Session::load_script_state`]. None when
    /// there are none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Plugin`] - the engine cannot write its variables down, or one of them has no such form.
    /// [`ErrorKind::Host`] - there is no private cache folder, whose secret seals them.
    /// [`ErrorKind::Limit`], [`ErrorKind::Trap`] - the engine reached a limit or crashed; the variables are gone then.
    /// [`ErrorKind::Load`] - there is no such engine.
    pub async fn dump_script_state(&self, engine: &str) -> Result<Option<Vec<u8>>> {
        let skill = self.registry().script(engine)?;
        let key = self.state_key()?;
        let limits = self.host().limits_of(&skill.manifest().limits);
        let slot = self.inner.kept.slot(&skill);
        let mut kept = turn(&slot, limits.time).await?;
        let Some(mut instance) = kept.take() else { return Ok(None) };
        let dumped = instance.dump().await.result?;
        self.inner.rest(&slot, &mut kept, instance);
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

    /// Begin with variables that [`Session::dump_script_state`] gave: scripts with `state: session` find them. Those that were
    /// there are gone.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - the bytes are not what this user's Mitt sealed, or were sealed for another version of the
    /// engine. Otherwise as [`Session::dump_script_state`].
    pub async fn load_script_state(&self, engine: &str, sealed: &[u8]) -> Result<()> {
        let skill = self.registry().script(engine)?;
        let key = self.state_key()?;
        let state = unseal(&key, &skill.component_digest()?, sealed)?;
        let prepared = skill.prepared_script().await?.clone();
        let limits = self.host().limits_of(&skill.manifest().limits);
        let slot = self.inner.kept.slot(&skill);
        let mut kept = turn(&slot, limits.time).await?;
        let nobody: (Arc<dyn Services>, Arc<dyn ScriptHost>) =
            (Arc::new(NoServices), Arc::new(NoServices));
        let mut instance = fresh(&self.inner, &skill, &prepared, nobody);
        drop(kept.take());
        instance.load(state.to_vec()).await.result?.map_err(|problem| {
            Error::new(ErrorKind::Plugin, format!("the variables cannot be read: {problem}"))
        })?;
        kept.is_lost = false;
        self.inner.rest(&slot, &mut kept, instance);
        Ok(())
    }

    fn state_key(&self) -> Result<[u8; 32]> {
        let cache = self.host().engine().options().cache.as_ref();
        cache.and_then(|cache| cache.derived_key(CONTEXT)).ok_or_else(|| {
            Error::new(ErrorKind::Host, "there is no private cache folder, whose secret seals the variables of scripts")
                .hint("leave out `--no-cache`, or give a folder that only you can read with `--cache-dir`")
        })
    }
}

/// `state`, with what shows that this user's Mitt wrote it, and for which component.
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
    match mac(key, component, state) == blake3::Hash::from_bytes(given) {
        true => Ok(state),
        false => Err(refused()),
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
