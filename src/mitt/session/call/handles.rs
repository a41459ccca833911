//! Table of resource handles of a session, and the instances that they keep alive.
//!
//! A skill has at most one resident instance in a session. The first call of a function that uses handles creates it. It ends
//! with its last live handle, with the session, or when a call in it fails. An Extism plug-in that keeps its state for the
//! session has a resident instance without handles. Calls in resident instances take turns, one at a time in a session, so that
//! no two of them can wait for each other.
//!
//! Knows numbers, owners and stores. `value` defines how a handle is written and where it may occur; `resident_calls.rs` makes
//! the calls.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use wasmtime::component::ResourceAny;

use crate::engine::Resident;
use mitt_base::{Error, ErrorKind, Resource, Result, lock};
use mitt_skill::capability::{CallContext, CallContextInternal as _, Services};
use mitt_wit::value::{self, ResourceType, handle, parse_handle};

/// Number of ended handles whose fate is remembered for error messages.
const REMEMBERED: usize = 4_096;

/// Handles of a session.
pub(super) struct HandleTable {
    pub(super) limit: u64,
    /// Held by the call with handles whose turn it is.
    pub(super) turn: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    live: BTreeMap<u64, Live>,
    gone: BTreeMap<u64, Fate>,
    /// Resident instances by skill; `None` while a call is in the instance.
    residents: HashMap<String, Option<Resident<CallContext>>>,
}

struct Live {
    skill: String,
    ty: Arc<ResourceType>,
    resource: ResourceAny,
}

/// How a handle ended.
#[derive(Clone, Copy)]
pub(super) enum Fate {
    Consumed,
    Dropped,
    Died,
    Replaced,
}

impl Fate {
    fn explanation(self) -> &'static str {
        match self {
            Fate::Consumed => "which an earlier call consumed",
            Fate::Dropped => "which was dropped",
            Fate::Replaced => "which is gone since its skill was replaced",
            Fate::Died => "which is gone since a call with handles of its skill failed",
        }
    }
}

impl HandleTable {
    pub(super) fn new(limit: u64) -> HandleTable {
        HandleTable { limit, turn: tokio::sync::Mutex::default(), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one step, so the state is valid at every point.
        lock(&self.state)
    }

    pub(super) fn count(&self) -> u64 {
        self.state().live.len() as u64
    }

    /// Takes a live handle out of the table in order to drop it: its resource, the instance that owns it, and the lease of the
    /// instance. `None` if `text` is not a live handle.
    pub(super) fn take_out(&self, text: &str) -> Result<Option<TakenOut<'_>>> {
        let Some((number, skill)) = self.find(text) else { return Ok(None) };
        let mut lease = self.lease(&skill)?;
        // The caller has the turn, so the instance is idle, and a live handle implies that it exists.
        let taken = lease.resident.take().zip(self.state().end(number, Fate::Dropped));
        Ok(taken.map(|(resident, live)| (lease, resident, live.resource)))
    }

    /// Returns number and skill of a live handle.
    fn find(&self, text: &str) -> Option<(u64, String)> {
        let (name, number) = parse_handle(text)?;
        let state = self.state();
        let live = state.live.get(&number).filter(|live| live.ty.name == name)?;
        Some((number, live.skill.clone()))
    }

    /// Returns all live handles, in the order in which they were created.
    pub(super) fn list(&self) -> Vec<String> {
        self.state().live.iter().map(|(number, live)| handle(&live.ty, *number)).collect()
    }

    /// Ends these handles.
    pub(super) fn end(&self, numbers: &[u64], fate: Fate) {
        let mut state = self.state();
        for number in numbers {
            state.end(*number, fate);
        }
    }

    /// Ends all handles of `skill`.
    pub(super) fn end_all(&self, skill: &str, fate: Fate) {
        self.state().end_all(skill, fate);
    }

    /// Returns the right to call into the resident instance of `skill`, with the instance if it exists.
    pub(super) fn lease(&self, skill: &str) -> Result<Lease<'_>> {
        let mut state = self.state();
        let resident = match state.residents.get_mut(skill) {
            None => None,
            Some(idle @ Some(_)) => idle.take(),
            // Calls take turns, so only an enclosing call can be in it.
            Some(None) => {
                let message = format!(
                    "skill `{skill}` is busy: a call with its handles cannot be made from inside of another one"
                );
                return Err(Error::new(ErrorKind::Arguments, message)
                    .hint("make the call after the one that it is inside of has returned"));
            }
        };
        state.residents.insert(skill.to_owned(), None);
        drop(state);
        Ok(Lease { table: self, skill: skill.to_owned(), resident, stays: false })
    }
}

impl State {
    fn end_all(&mut self, skill: &str, fate: Fate) {
        let of_skill = self.live.iter().filter(|(_, live)| live.skill == skill);
        let numbers: Vec<u64> = of_skill.map(|(number, _)| *number).collect();
        for number in numbers {
            self.end(number, fate);
        }
    }

    fn end(&mut self, number: u64, fate: Fate) -> Option<Live> {
        let live = self.live.remove(&number)?;
        self.gone.insert(number, fate);
        if self.gone.len() > REMEMBERED {
            self.gone.pop_first();
        }
        Some(live)
    }
}

/// Lease of a skill's resident instance during a call. Unless the call gives the instance back, it ends with the lease and its
/// handles die: after a trap, a limit, or when the call is dropped.
pub(super) struct Lease<'t> {
    table: &'t HandleTable,
    skill: String,
    /// `None` before the first call, and while a call is in the instance.
    pub(super) resident: Option<Resident<CallContext>>,
    /// `true` if the instance is kept without handles.
    stays: bool,
}

impl Lease<'_> {
    pub(super) fn skill(&self) -> &str {
        &self.skill
    }

    pub(super) fn give_back(&mut self, mut resident: Resident<CallContext>) {
        // The services of a call end with it; they also hold the session, which holds the instance.
        resident.data_mut().serve(Services::none());
        self.resident = Some(resident);
    }
}

#[cfg(feature = "extism")]
impl Lease<'_> {
    /// Like [`Lease::give_back`], for an instance that lives as long as the session, with or without live handles.
    pub(super) fn keep(&mut self, resident: Resident<CallContext>) {
        self.give_back(resident);
        self.stays = true;
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut state = self.table.state();
        let has_handles = state.live.values().any(|live| live.skill == self.skill);
        match self.resident.take() {
            Some(resident) if has_handles || self.stays => {
                state.residents.insert(std::mem::take(&mut self.skill), Some(resident));
            }
            resident => {
                state.residents.remove(&self.skill);
                state.end_all(&self.skill, Fate::Died);
                drop(state);
                // Unmapping a large memory takes a while, so it is done without the lock.
                drop(resident);
            }
        }
    }
}

/// Resource to drop, with the instance that owns it.
pub(super) type TakenOut<'t> = (Lease<'t>, Resident<CallContext>, ResourceAny);

/// The table as calls of one skill see it.
pub(super) struct View<'t> {
    pub(super) table: &'t HandleTable,
    pub(super) skill: &'t str,
    /// Numbers of the handles that this call created.
    pub(super) given: Vec<u64>,
}

impl value::Handles for View<'_> {
    fn find(&self, number: u64, ty: &ResourceType) -> Result<ResourceAny, String> {
        let state = self.table.state();
        let Some(live) = state.live.get(&number) else {
            return Err(state.gone.get(&number).map_or("", |fate| fate.explanation()).to_owned());
        };
        if live.skill != self.skill {
            return Err(format!("which belongs to skill `{}`", live.skill));
        }
        if *live.ty == *ty {
            return Ok(live.resource);
        }
        let instance = live.ty.instance.as_deref().unwrap_or("the component");
        Err(if live.ty.name == ty.name {
            format!("which is a `{}` of `{instance}`", live.ty.name)
        } else {
            format!("which stands for a `{}`", live.ty.name)
        })
    }

    fn live(&self, ty: &ResourceType) -> Vec<u64> {
        let state = self.table.state();
        let own = state.live.iter().filter(|(_, live)| live.skill == self.skill && *live.ty == *ty);
        own.map(|(number, _)| *number).collect()
    }

    fn give(&mut self, ty: &Arc<ResourceType>, resource: ResourceAny) -> Result<u64> {
        let mut state = self.table.state();
        let count = state.live.len() as u64;
        if count >= self.table.limit {
            return Err(Error::limit(Resource::Handles, self.table.limit, count.saturating_add(1)));
        }
        state.last += 1;
        let number = state.last;
        let skill = self.skill.to_owned();
        state.live.insert(number, Live { skill, ty: ty.clone(), resource });
        self.given.push(number);
        Ok(number)
    }
}
