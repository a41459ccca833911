//! Handles of resources: the session's table of them, and the instances that they keep alive.
//!
//! A skill has at most one resident instance in a session: made by the first call of a function that uses handles, kept
//! while a handle of it is live, and gone with the last one, with the session, or with a call in it that failed. Calls in
//! resident instances take turns, one at a time in a session, so that no two of them can wait for each other.
//!
//! Knows numbers, owners and stores. How a handle is written and where one may stand is `value`'s part.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wasmtime::component::{ResourceAny, Val};

use super::granted::granted;
use super::services::CallServices;
use super::{Inner, Session};
use crate::capability::{CallState, NoServices, Services};
use crate::engine::{CallOutput, Resident, StoreCore};
use crate::skill::{Runs, Tool};
use mitt_base::{CallLimits, Error, ErrorKind, Resource, Result};
use mitt_wit::value::{self, Json, ResourceType, UntypedCall, handle, parse_handle};

/// Handles that are gone whose fate is remembered, so that a problem can tell it. Of older ones nothing is told.
const REMEMBERED: usize = 4_096;

/// The handles of a session.
pub(super) struct HandleTable {
    limit: u64,
    turn: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    live: BTreeMap<u64, Live>,
    gone: BTreeMap<u64, Fate>,
    /// By skill. None while a call is in it.
    residents: HashMap<String, Option<Resident<CallState>>>,
}

struct Live {
    skill: String,
    ty: Arc<ResourceType>,
    resource: ResourceAny,
}

#[derive(Clone, Copy)]
enum Fate {
    Consumed,
    Dropped,
    Died,
    Replaced,
}

impl Fate {
    fn told(self) -> &'static str {
        match self {
            Fate::Consumed => "which an earlier call consumed",
            Fate::Dropped => "which was dropped",
            Fate::Replaced => "which is gone since its skill was replaced",
            Fate::Died => "which is gone since a call with handles of its skill failed",
        }
    }
}

impl Session {
    /// The live handles of resources, in the order in which they were given out, such as `h:reader:1`.
    pub fn handles(&self) -> Vec<String> {
        let state = self.inner.handles.state();
        state.live.iter().map(|(number, live)| handle(&live.ty, *number)).collect()
    }

    /// Drop a handle: the resource's destructor runs under the limits of a call, and an instance without handles ends.
    ///
    /// Handles that nobody drops, and that no call consumes, live until the session ends; destructors do not run then.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Arguments`] - no such handle is live.
    /// - [`ErrorKind::Trap`], [`ErrorKind::Limit`] - the destructor crashed or reached a limit; all handles of its skill
    ///   are gone then.
    pub async fn drop_handle(&self, handle: &str) -> Result<()> {
        let table = &self.inner.handles;
        let _turn = table.turn.lock().await;
        let Some((number, skill, resource)) = table.remove(handle, Fate::Dropped) else {
            let error =
                format!("no live handle {}", Json::from(mitt_base::text::cut_bytes(handle, 128)));
            return Err(Error::new(ErrorKind::Arguments, error));
        };
        let mut lease = table.lease(&skill)?;
        let Some(mut resident) = lease.resident.take() else {
            return Err(Error::bug(format!("handle {number} has no instance")));
        };
        let services = Arc::new(CallServices::of_session(&self.inner, handle));
        // Of a skill that is gone nobody knows any more what it was granted.
        let granted: Arc<dyn Services> = match self.registry().found(&skill) {
            Some(skill) => granted(services.clone(), &skill.manifest().bounds),
            None => Arc::new(NoServices),
        };
        resident.data_mut().serve(granted);
        let (output, _) = services.end(resident.drop_resource(resource).await);
        output.result?;
        lease.give_back(resident);
        Ok(())
    }
}

impl Inner {
    /// Call a function that uses handles, in the skill's resident instance.
    pub(super) async fn call_with_handles(
        &self,
        tool: &Tool,
        arguments: Json,
        limits: &CallLimits,
        services: Arc<CallServices>,
    ) -> CallOutput<Json> {
        let table = &self.handles;
        // Who is inside of a turn has it already; to wait for it would be to wait for oneself.
        let _turn = match services.has_turn {
            true => None,
            false => match tokio::time::timeout(limits.time, table.turn.lock()).await {
                Ok(turn) => Some(turn),
                Err(_) => {
                    let millis = u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX);
                    let error = Error::limit(Resource::Time, millis, millis);
                    return CallOutput::failed(
                        error.at("waiting for the other calls with handles"),
                    );
                }
            },
        };
        match self.enter_resident(tool, arguments, limits, services).await {
            Ok(output) => output,
            Err(error) => CallOutput::failed(error),
        }
    }

    async fn enter_resident(
        &self,
        tool: &Tool,
        arguments: Json,
        limits: &CallLimits,
        services: Arc<CallServices>,
    ) -> Result<CallOutput<Json>> {
        let table = &self.handles;
        let Runs::Plugin(skill, prepared) = &tool.runs else {
            return Err(Error::bug("a script was called as a function"));
        };
        let manifest = skill.manifest();
        let (skill, bounds) = (&manifest.name, &manifest.bounds);
        let mut lease = table.lease(skill)?;
        if lease.resident.as_ref().is_some_and(|resident| !resident.is_of(prepared)) {
            // Another version has other types and other grants.
            lease.resident = None;
            table.state().end_all(skill, Fate::Replaced);
        }
        let mut view = View { table, skill, given: Vec::new() };
        let call = UntypedCall { name: tool.name.as_str(), arguments }
            .check_with(&tool.function, &view)?;
        // What would surely be too much is refused before it costs the skill its other handles.
        let kept = table.count().saturating_sub(call.consumed().len() as u64);
        if tool.gives_handles && kept >= table.limit {
            return Err(Error::limit(Resource::Handles, table.limit, kept.saturating_add(1)));
        }
        // From here on the handles are consumed, however the call ends.
        for number in call.consumed() {
            table.state().end(*number, Fate::Consumed);
        }
        let mut resident = match lease.resident.take() {
            Some(resident) => resident,
            None => {
                // The instance serves other tools too, whose timeouts may be longer: the limits are those of the skill.
                let limits = self.host.limits_of(&manifest.limits);
                let core = StoreCore::new(&limits, self.host.environment())
                    .charged_to(&self.budget.account);
                prepared.resident(CallState::new(core, granted(services.clone(), bounds)), &limits)
            }
        };
        resident.limit_time(limits.time);
        resident.set_clock(services.clock());
        resident.data_mut().serve(granted(services.clone(), bounds));
        let CallOutput { result, usage, printed } =
            resident.call(&tool.function, call.into_args()).await;
        let result = match result {
            // What it cost and printed is told, too, where there is no memory for what it gave.
            Ok(result) => services
                .hold_result(result.as_ref())
                .and_then(|()| outcome(tool, result, &mut view)),
            Err(error) => return Ok(CallOutput { result: Err(error), usage, printed }),
        };
        // A plugin that reported an error of its own, or broke a promise of a type, is sound.
        if result.as_ref().err().is_none_or(|error| *error.kind() == ErrorKind::Plugin) {
            lease.give_back(resident);
        }
        Ok(CallOutput { result, usage, printed })
    }
}

/// JSON of what a call returned. Handles that nobody will hear of are taken back; what they stood for ends with the
/// instance.
fn outcome(tool: &Tool, result: Option<Val>, view: &mut View<'_>) -> Result<Json> {
    let outcome = tool.function.outcome_with(result, view);
    if outcome.is_err() {
        let mut state = view.table.state();
        for number in view.given.drain(..) {
            state.end(number, Fate::Dropped);
        }
    }
    outcome?.into_result()
}

impl HandleTable {
    pub(super) fn new(limit: u64) -> HandleTable {
        HandleTable { limit, turn: tokio::sync::Mutex::default(), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one step, so that the state is valid at every point.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) -> u64 {
        self.state().live.len() as u64
    }

    /// Take a live handle out, if `text` is one: its number, skill and resource.
    fn remove(&self, text: &str, fate: Fate) -> Option<(u64, String, ResourceAny)> {
        let (name, number) = parse_handle(text)?;
        let mut state = self.state();
        state.live.get(&number).filter(|live| live.ty.name == name)?;
        let Live { skill, resource, .. } = state.end(number, fate)?;
        Some((number, skill, resource))
    }

    /// The right to call in the resident instance of `skill`, with the instance if there is one.
    fn lease(&self, skill: &str) -> Result<Lease<'_>> {
        let mut state = self.state();
        let resident = match state.residents.get_mut(skill) {
            None => None,
            Some(idle @ Some(_)) => idle.take(),
            // Calls take turns, so that only a call around this one can be in it.
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
        Ok(Lease { table: self, skill: skill.to_owned(), resident })
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

/// The resident instance of a skill while a call may be in it. Unless it is given back, the instance ends with the
/// lease, and its handles die: after a trap, a limit, or when nobody waits for the call any more.
struct Lease<'t> {
    table: &'t HandleTable,
    skill: String,
    /// None before the first call, and while a call is in it.
    resident: Option<Resident<CallState>>,
}

impl Lease<'_> {
    fn give_back(&mut self, mut resident: Resident<CallState>) {
        // What a call may use ends with it; and services hold the session, which holds the instance.
        resident.data_mut().serve(Arc::new(NoServices));
        self.resident = Some(resident);
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut state = self.table.state();
        let has_handles = state.live.values().any(|live| live.skill == self.skill);
        match self.resident.take() {
            Some(resident) if has_handles => {
                state.residents.insert(std::mem::take(&mut self.skill), Some(resident));
            }
            resident => {
                state.residents.remove(&self.skill);
                let dead: Vec<u64> = state
                    .live
                    .iter()
                    .filter(|(_, live)| live.skill == self.skill)
                    .map(|(number, _)| *number)
                    .collect();
                for number in dead {
                    state.end(number, Fate::Died);
                }
                drop(state);
                // Unmapping a large memory takes a while; others need not wait.
                drop(resident);
            }
        }
    }
}

/// The table as a call of one skill sees it.
struct View<'t> {
    table: &'t HandleTable,
    skill: &'t str,
    /// What this call gave out.
    given: Vec<u64>,
}

impl value::Handles for View<'_> {
    fn find(&self, number: u64, ty: &ResourceType) -> Result<ResourceAny, String> {
        let state = self.table.state();
        let Some(live) = state.live.get(&number) else {
            return Err(state.gone.get(&number).map_or("", |fate| fate.told()).to_owned());
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
