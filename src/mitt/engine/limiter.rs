//! What one store may use, added up over all its memories, tables and instances.

use wasmtime::ResourceLimiter;

use mitt_base::limits::CallLimits;
use mitt_base::memory::{Account as Budget, Charge};
use mitt_base::{Limit, Resource};

/// Adds up what all memories, tables and instances of one store use, since wasmtime's own limiter looks at each alone.
pub(super) struct Limiter {
    memory: Account,
    elements: Account,
    instances: usize,
    /// What the memories have, as whoever runs the store is charged for it.
    charge: Charge,
}

struct Account {
    what: Resource,
    limit: u64,
    used: u64,
    peak: u64,
    // The last growth that was allowed, given back if the system then refuses it.
    last: u64,
}

impl Account {
    fn new(what: Resource, limit: u64) -> Account {
        Account { what, limit, used: 0, peak: 0, last: 0 }
    }

    fn grow(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let more = desired.saturating_sub(current) as u64;
        if maximum.is_some_and(|maximum| desired > maximum) {
            // Beyond what the component declares for itself: an ordinary failure that the guest sees, not our limit.
            return Ok(false);
        }
        let used = self.used.saturating_add(more);
        if used > self.limit {
            // An error traps. Were it refused, a guest could catch it and go on.
            return Err(LimitReached(Limit::new(self.what, self.limit, used)).into());
        }
        self.used = used;
        self.peak = self.peak.max(used);
        self.last = more;
        Ok(true)
    }

    fn give_back(&mut self) {
        self.used -= std::mem::take(&mut self.last);
    }
}

impl Limiter {
    pub(super) fn new(limits: &CallLimits) -> Limiter {
        Limiter {
            memory: Account::new(Resource::Memory, limits.memory_bytes),
            elements: Account::new(Resource::TableElements, limits.table_elements),
            instances: usize::try_from(limits.instances).unwrap_or(usize::MAX),
            charge: Charge::nobodys(),
        }
    }

    /// Charge what the memories grow by to `budget` too.
    pub(super) fn charge_to(&mut self, budget: &Budget) {
        self.charge = budget.nothing();
    }

    /// Count the peak of the memory anew.
    pub(super) fn begin_call(&mut self) {
        self.memory.peak = self.memory.used;
    }

    /// Count what the host keeps for an instance beside its memories and tables.
    pub(super) fn charge_instance(&mut self, bytes: u64) -> wasmtime::Result<()> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.memory_growing(0, bytes, None)?;
        // It is never given back: the instance lives as long as the store.
        self.memory.last = 0;
        Ok(())
    }

    /// Most memory that the store had at any time, in bytes.
    pub(super) fn peak_memory_bytes(&self) -> u64 {
        self.memory.peak
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if !self.memory.grow(current, desired, maximum)? {
            return Ok(false);
        }
        // The store's own limit was not reached, but that of its call, session, tenant or host.
        if let Err(limit) = self.charge.grow(self.memory.last) {
            self.memory.give_back();
            return Err(LimitReached(limit).into());
        }
        Ok(true)
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.charge.shrink(self.memory.last);
        self.memory.give_back();
        Ok(())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.elements.grow(current, desired, maximum)
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.elements.give_back();
        Ok(())
    }

    fn instances(&self) -> usize {
        self.instances
    }

    fn tables(&self) -> usize {
        self.instances
    }

    fn memories(&self) -> usize {
        self.instances
    }
}

/// A limit that was reached inside the store, on its way out through wasmtime.
#[derive(Debug)]
pub(super) struct LimitReached(pub(super) Limit);

impl std::fmt::Display for LimitReached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for LimitReached {}
