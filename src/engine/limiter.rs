//! Limits of one store, summed over all its memories, tables and instances.

use wasmtime::ResourceLimiter;

use mitt_base::limits::CallLimits;
use mitt_base::memory::{Account as Budget, Charge};
use mitt_base::{Limit, Resource};

/// Sums up what all memories, tables and instances of one store use, since wasmtime's own limiter checks each separately.
pub(super) struct Limiter {
    memory: Account,
    elements: Account,
    instances: usize,
    /// Charge for the linear memories, on the caller's account.
    charge: Charge,
}

struct Account {
    what: Resource,
    limit: u64,
    used: u64,
    peak: u64,
    // Last growth that was allowed. It is released if the system then refuses it.
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
            // This exceeds the maximum that the component declares: an ordinary failure that the guest sees, not a limit of Mitt.
            return Ok(false);
        }
        let used = self.used.saturating_add(more);
        if used > self.limit {
            // An error traps. A guest could handle a refusal and go on.
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

    /// Also charges growth of the memories to `budget`.
    pub(super) fn charge_to(&mut self, budget: &Budget) {
        self.charge = budget.nothing();
    }

    /// Starts a new count of the peak memory.
    pub(super) fn begin_call(&mut self) {
        self.memory.peak = self.memory.used;
    }

    /// Counts host memory of an instance in addition to its memories and tables.
    pub(super) fn charge_instance(&mut self, bytes: u64) -> wasmtime::Result<()> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.memory_growing(0, bytes, None)?;
        // It is never released, because the instance lives as long as the store.
        self.memory.last = 0;
        Ok(())
    }

    /// Returns the most memory that the store had at any time, in bytes.
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
        // The store's own limit has room, but that of its call, session, tenant or host may not.
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

/// Limit that was reached inside the store, as an error that passes through wasmtime.
#[derive(Debug)]
pub(super) struct LimitReached(pub(super) Limit);

impl std::fmt::Display for LimitReached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for LimitReached {}
