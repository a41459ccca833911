//! Instances of script engines that stay in the session between scripts.
//!
//! An instance lives as long as its session. Fuel, time and output are limited for each script, everything else over the whole
//! life of the instance. It ends when a script in it reaches a limit, crashes or is refused something, and when its engine is
//! replaced. Scripts in it take turns. Its memory is charged to the session. When the session, the tenant or the host needs
//! memory, the tenant's instances that have been idle longest are given up, and the next script gets a message about it. The
//! reasons: variables can be computed again, but documents and files cannot; and abandoned sessions of a tenant must not block
//! its other work.
//!
//! Knows turns and the shelf. `variables.rs` uses the instances.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::host::{Idle, SessionBudget, Shelved};
use mitt_base::{Error, Resource, Result, lock};
use mitt_skill::{Skill, capability::ScriptInstance};

pub(in crate::session) type Slot = Arc<KeptSlot>;

/// Place of an engine's instance in a session.
#[derive(Default)]
pub(in crate::session) struct KeptSlot {
    kept: tokio::sync::Mutex<Kept>,
}

#[derive(Default)]
pub(in crate::session) struct Kept {
    instance: Option<ScriptInstance>,
    /// Its place on the shelf, while it is idle.
    shelved: Option<Shelved>,
    /// `true` if the instance was given up since the last script.
    pub(in crate::session) is_lost: bool,
}

impl Kept {
    /// Takes the instance, if there is one, and marks it as in use.
    pub(in crate::session) fn take(&mut self) -> Option<ScriptInstance> {
        self.shelved = None;
        self.instance.take()
    }

    /// Returns an instance to `slot`, where it is idle. The caller holds the turn.
    pub(in crate::session) fn rest(
        &mut self,
        slot: &Slot,
        budget: &SessionBudget,
        instance: ScriptInstance,
    ) {
        let idle: Arc<dyn Idle> = slot.clone();
        self.instance = Some(instance);
        self.shelved = Some(budget.put(Arc::downgrade(&idle)));
    }
}

impl Idle for KeptSlot {
    fn give_up(&self) -> bool {
        // If the lock is held, the instance is in use.
        let Ok(mut kept) = self.kept.try_lock() else { return false };
        let Some(instance) = kept.instance.take() else { return false };
        kept.is_lost = true;
        // The shelf has removed its place already.
        kept.shelved = None;
        drop(kept);
        drop(instance);
        true
    }
}

/// Kept instances of a session, by name of the engine.
#[derive(Default)]
pub(in crate::session) struct KeptInstances {
    slots: Mutex<HashMap<String, Slot>>,
}

impl KeptInstances {
    /// Returns whether no script ever kept anything.
    pub(in crate::session) fn is_empty(&self) -> bool {
        lock(&self.slots).is_empty()
    }

    pub(in crate::session) fn slot(&self, engine: &Skill) -> Slot {
        let mut slots = lock(&self.slots);
        slots.entry(engine.manifest().name.clone()).or_default().clone()
    }
}

/// Waits for the turn to use the instance of an engine.
pub(in crate::session) async fn turn(
    slot: &Slot,
    time: Duration,
) -> Result<tokio::sync::MutexGuard<'_, Kept>> {
    tokio::time::timeout(time, slot.kept.lock()).await.map_err(|_| {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let error = Error::limit(Resource::Time, millis, millis);
        error.at("waiting for the other scripts that keep their variables")
    })
}
