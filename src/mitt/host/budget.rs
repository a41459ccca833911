//! Memory accounts of a host, its tenants, sessions and calls; and the shelf of idle instances, which are given up when a tenant
//! needs their memory.
//!
//! Knows accounts and names. Code that keeps something charges for it; `src/engine/store.rs` does so for the memories of stores.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use mitt_base::limits::MemoryLimits;
use mitt_base::memory::{Account, Charge, MemoryUsage, Relief};
use mitt_base::{Error, Resource, Result, lock};

/// Least number of tenants at which accounts without users are removed.
const SWEPT_FROM: usize = 64;

/// Memory budget of a host.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: MemoryLimits,
    all: Account,
    tenants: Mutex<Tenants>,
}

#[derive(Debug, Default)]
struct Tenants {
    known: HashMap<String, Weak<TenantBudget>>,
    /// Number of tenants at which accounts without users are removed next.
    sweep_at: usize,
}

/// Memory budget of a tenant. It lives while the tenant has a session or anything is charged to it.
pub(crate) struct TenantBudget {
    pub(crate) account: Account,
    shelf: Arc<Shelf>,
}

impl Budget {
    pub(crate) fn new(limits: MemoryLimits) -> Budget {
        let all = Account::root(Resource::HostMemory, limits.host);
        Budget { limits, all, tenants: Mutex::default() }
    }

    pub(crate) fn limits(&self) -> &MemoryLimits {
        &self.limits
    }

    pub(crate) fn usage(&self) -> MemoryUsage {
        self.all.usage()
    }

    pub(crate) fn of(&self, tenant: &str) -> Arc<TenantBudget> {
        let mut tenants = lock(&self.tenants);
        if let Some(known) = tenants.known.get(tenant).and_then(Weak::upgrade) {
            return known;
        }
        if tenants.known.len() >= tenants.sweep_at.max(SWEPT_FROM) {
            tenants.known.retain(|_, tenant| tenant.strong_count() > 0);
            tenants.sweep_at = 2 * tenants.known.len();
        }
        let account = self.all.below(Resource::TenantMemory, self.limits.per_tenant);
        let shelf = Arc::<Shelf>::default();
        let relief: Arc<dyn Relief> = shelf.clone();
        account.relieved_by(Arc::downgrade(&relief));
        let made = Arc::new(TenantBudget { account, shelf });
        tenants.known.insert(tenant.to_owned(), Arc::downgrade(&made));
        made
    }
}

impl TenantBudget {
    /// Charges memory that belongs to no session of the tenant.
    pub(crate) fn charge(self: &Arc<TenantBudget>, bytes: u64) -> Result<TenantCharge> {
        let charge = self.account.charge(bytes).map_err(Error::reached)?;
        Ok(TenantCharge { _charge: charge, _tenant: self.clone() })
    }
}

/// Charge to a tenant. It keeps the tenant's account alive: if the account were recreated while something is charged to it, the
/// charge would not count.
#[derive(Debug)]
pub struct TenantCharge {
    _charge: Charge,
    _tenant: Arc<TenantBudget>,
}

impl std::fmt::Debug for TenantBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.account.fmt(f)
    }
}

/// Memory budget of a session.
pub(crate) struct SessionBudget {
    pub(crate) account: Account,
    per_call: u64,
    tenant: Arc<TenantBudget>,
    /// Number of the session, which marks its entries on the shelf.
    number: u64,
    /// Kept alive because the account asks it for relief.
    _own: Arc<dyn Relief>,
}

impl SessionBudget {
    pub(crate) fn new(tenant: Arc<TenantBudget>, limits: &MemoryLimits) -> SessionBudget {
        let account = tenant.account.below(Resource::SessionMemory, limits.per_session);
        let number = tenant.shelf.next();
        let own: Arc<dyn Relief> = Arc::new(OwnShelf { shelf: tenant.shelf.clone(), number });
        account.relieved_by(Arc::downgrade(&own));
        SessionBudget { account, per_call: limits.per_call, tenant, number, _own: own }
    }

    /// Returns an account for one call and its inner calls.
    pub(crate) fn call(&self) -> Account {
        self.account.below(Resource::CallMemory, self.per_call)
    }

    /// Puts an idle object of this session on the shelf. Drop the result when the object is used again.
    pub(crate) fn put(&self, idle: Weak<dyn Idle>) -> Shelved {
        let stamp = self.tenant.shelf.next();
        self.tenant.shelf.state().idle.insert(stamp, (self.number, idle));
        Shelved { shelf: self.tenant.shelf.clone(), stamp }
    }
}

/// Object that is kept while nobody uses it, and can be given up.
pub(crate) trait Idle: Send + Sync {
    /// Gives the object up, unless somebody uses it. Never waits. Returns whether it was given up.
    fn give_up(&self) -> bool;
}

/// Idle objects of a tenant; the one that has been idle longest comes first.
#[derive(Default)]
struct Shelf {
    state: Mutex<Shelves>,
}

#[derive(Default)]
struct Shelves {
    last: u64,
    idle: BTreeMap<u64, (u64, Weak<dyn Idle>)>,
}

impl Shelf {
    fn state(&self) -> MutexGuard<'_, Shelves> {
        lock(&self.state)
    }

    fn next(&self) -> u64 {
        let mut state = self.state();
        state.last += 1;
        state.last
    }

    fn relieve(&self, wanted: impl Fn(u64) -> bool) -> bool {
        let mut next = 0;
        loop {
            let (stamp, idle) = {
                let state = self.state();
                let mut idle = state.idle.range(next..).filter(|(_, (number, _))| wanted(*number));
                let Some((stamp, (_, idle))) = idle.next() else { return false };
                (*stamp, idle.upgrade())
            };
            next = stamp + 1;
            // Called without the lock, because dropping an instance unmaps its memory. An object in use keeps its place, since it
            // may be idle again soon.
            let is_given_up = idle.as_ref().is_some_and(|idle| idle.give_up());
            if is_given_up || idle.is_none() {
                self.state().idle.remove(&stamp);
            }
            if is_given_up {
                return true;
            }
        }
    }
}

impl Relief for Shelf {
    fn relieve(&self) -> bool {
        self.relieve(|_| true)
    }
}

/// Objects of one session.
struct OwnShelf {
    shelf: Arc<Shelf>,
    number: u64,
}

impl Relief for OwnShelf {
    fn relieve(&self) -> bool {
        self.shelf.relieve(|number| number == self.number)
    }
}

/// Place on the shelf. Dropping it takes the object off the shelf.
pub(crate) struct Shelved {
    shelf: Arc<Shelf>,
    stamp: u64,
}

impl Drop for Shelved {
    fn drop(&mut self) {
        self.shelf.state().idle.remove(&self.stamp);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    struct Thing {
        charge: Mutex<Option<Charge>>,
        in_use: AtomicBool,
    }

    impl Idle for Thing {
        fn give_up(&self) -> bool {
            !self.in_use.load(Ordering::Relaxed) && self.charge.lock().unwrap().take().is_some()
        }
    }

    fn budget() -> Budget {
        Budget::new(MemoryLimits { per_call: 50, per_session: 60, per_tenant: 100, host: 150 })
    }

    fn thing(session: &SessionBudget, bytes: u64) -> (Arc<Thing>, Shelved) {
        let charge = Mutex::new(Some(session.account.charge(bytes).unwrap()));
        let thing = Arc::new(Thing { charge, in_use: AtomicBool::new(false) });
        let idle: Arc<dyn Idle> = thing.clone();
        let shelved = session.put(Arc::downgrade(&idle));
        (thing, shelved)
    }

    fn is_there(thing: &(Arc<Thing>, Shelved)) -> bool {
        thing.0.charge.lock().unwrap().is_some()
    }

    #[test]
    fn what_is_idle_longest_is_given_up_first_and_only_the_tenants_own() {
        let budget = budget();
        let session = |tenant: &str| SessionBudget::new(budget.of(tenant), budget.limits());
        let (a1, a2, b) = (session("a"), session("a"), session("b"));
        let other = thing(&b, 30);
        let (first, second, third) = (thing(&a1, 30), thing(&a2, 30), thing(&a1, 30));
        first.0.in_use.store(true, Ordering::Relaxed);
        // The tenant has 10 left. The first object is in use, so the second one is given up.
        let _more = a2.account.charge(20).unwrap();
        assert!(is_there(&first) && !is_there(&second) && is_there(&third) && is_there(&other));
        // The first one keeps its place for when it is idle again.
        let in_use = |is_used| first.0.in_use.store(is_used, Ordering::Relaxed);
        in_use(false);
        assert!(a1.tenant.shelf.relieve(|_| true) && !is_there(&first) && is_there(&third));
        *first.0.charge.lock().unwrap() = Some(a1.account.charge(30).unwrap());
        in_use(true);
        // The host has 60 left. The tenant may not use all of it and has nothing to give up but the third object.
        let _rest = b.account.charge(30).unwrap();
        assert!(a2.account.charge(30).is_ok());
        assert!(is_there(&other));
    }

    #[test]
    fn a_session_gives_up_its_own_for_its_own_limit() {
        let budget = budget();
        let session = |tenant: &str| SessionBudget::new(budget.of(tenant), budget.limits());
        let (a1, a2) = (session("a"), session("a"));
        let (foreign, own) = (thing(&a2, 10), thing(&a1, 40));
        let _charge = a1.account.charge(30).unwrap();
        assert!(is_there(&foreign) && !is_there(&own));
        let limit = a1.account.charge(40).unwrap_err();
        assert_eq!(limit.what, Resource::SessionMemory);
        assert_eq!(a1.call().charge(51).unwrap_err().what, Resource::CallMemory);
    }

    #[test]
    fn what_is_charged_keeps_the_account_of_a_tenant_without_sessions() {
        let budget = budget();
        let first = budget.of("a").charge(60).unwrap();
        assert_eq!(budget.of("a").account.usage().used, 60);
        let refused = budget.of("a").charge(60).unwrap_err();
        assert_eq!(refused.limit_reached().unwrap().what, Resource::TenantMemory);
        drop(first);
        drop(budget.of("a").charge(60).unwrap());
        assert!(budget.tenants.lock().unwrap().known["a"].upgrade().is_none());
    }

    #[test]
    fn tenants_that_are_gone_are_forgotten() {
        let budget = budget();
        let stays = budget.of("stays");
        for number in 0..1_000 {
            budget.of(&number.to_string());
        }
        assert!(budget.tenants.lock().unwrap().known.len() <= 2 * SWEPT_FROM);
        assert!(Arc::ptr_eq(&stays, &budget.of("stays")));
    }
}
