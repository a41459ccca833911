//! The memory budget: a tree of accounts (one for each call, session and tenant, and one for the host) and charges, which
//! are given back when they are dropped.
//!
//! Code that keeps data which a caller can make grow holds a [`Charge`] for it. A charge counts in its account and in all
//! accounts above; the first of them whose limit it would exceed refuses it. This module knows only numbers: other code
//! decides what is measured and what happens after a refusal. Sizes are those requested from the allocator; its own overhead
//! is charged to nobody.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use crate::{Limit, Resource};

/// Usage and limit of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUsage {
    /// Bytes charged now.
    pub used: u64,
    /// Most bytes charged at any time.
    pub peak: u64,
    /// The limit, in bytes.
    pub limit: u64,
}

/// An owner of data that an account is charged for and that can be given up.
pub trait Relief: Send + Sync {
    /// Gives up the oldest of it. Returns `false` if there is nothing to give up. Never waits.
    fn relieve(&self) -> bool;
}

/// An account. A cheap handle; clones refer to the same account.
#[derive(Clone)]
pub struct Account(Arc<Inner>);

struct Inner {
    what: Resource,
    limit: u64,
    used: AtomicU64,
    peak: AtomicU64,
    above: Option<Account>,
    relief: OnceLock<Weak<dyn Relief>>,
}

impl Account {
    /// Makes the account at the top.
    pub fn root(what: Resource, limit: u64) -> Account {
        Account::new(what, limit, None)
    }

    /// Makes an account below this one: what is charged to it is charged to this one too.
    pub fn below(&self, what: Resource, limit: u64) -> Account {
        Account::new(what, limit, Some(self.clone()))
    }

    fn new(what: Resource, limit: u64, above: Option<Account>) -> Account {
        Account(Arc::new(Inner {
            what,
            limit,
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            above,
            relief: OnceLock::new(),
        }))
    }

    /// Asks `relief` from now on before refusing a charge to this account or to one below it. Only the first call has an
    /// effect.
    pub fn relieved_by(&self, relief: Weak<dyn Relief>) {
        let _ = self.0.relief.set(relief);
    }

    /// Charges `bytes`, until the returned charge is dropped.
    pub fn charge(&self, bytes: u64) -> Result<Charge, Limit> {
        let mut charge = self.nothing();
        charge.grow(bytes)?;
        Ok(charge)
    }

    /// Returns an empty charge that can grow.
    pub fn nothing(&self) -> Charge {
        Charge { account: Some(self.clone()), bytes: 0 }
    }

    /// Returns `true` if `bytes` could be charged here and in all accounts above, once `given_back` of their charges are
    /// given back.
    pub fn would_hold(&self, bytes: u64, given_back: u64) -> bool {
        self.path().all(|Account(account)| {
            let used = account.used.load(Ordering::Relaxed).saturating_sub(given_back);
            used.saturating_add(bytes) <= account.limit
        })
    }

    /// Returns usage, peak and limit.
    pub fn usage(&self) -> MemoryUsage {
        MemoryUsage {
            used: self.0.used.load(Ordering::Relaxed),
            peak: self.0.peak.load(Ordering::Relaxed),
            limit: self.0.limit,
        }
    }

    /// Returns this account and those above it.
    fn path(&self) -> impl Iterator<Item = &Account> {
        std::iter::successors(Some(self), |account| account.0.above.as_ref())
    }

    fn add(&self, bytes: u64) -> Result<(), Limit> {
        loop {
            let Err((level, limit)) = self.try_add(bytes) else { return Ok(()) };
            // Ask the highest account that can help: a tenant has more to give up than one of its sessions.
            let helpers = self.path().take(level + 1).filter_map(|it| it.0.relief.get()?.upgrade());
            if !helpers.last().is_some_and(|relief| relief.relieve()) {
                return Err(limit);
            }
        }
    }

    /// Adds at all levels or at none. The error names the level that refused.
    fn try_add(&self, bytes: u64) -> Result<(), (usize, Limit)> {
        for (level, account) in self.path().enumerate() {
            if let Err(limit) = account.add_here(bytes) {
                self.path().take(level).for_each(|below| below.subtract_here(bytes));
                return Err((level, limit));
            }
        }
        for Account(account) in self.path() {
            account.peak.fetch_max(account.used.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        Ok(())
    }

    fn add_here(&self, bytes: u64) -> Result<(), Limit> {
        let Inner { what, limit, used, .. } = &*self.0;
        let fits = |used: u64| used.checked_add(bytes).filter(|after| after <= limit);
        used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .map(|_| ())
            .map_err(|before| Limit::new(*what, *limit, before.saturating_add(bytes)))
    }

    /// Gives back from the top, the reverse of charging: no account ever holds more than is charged to those below it, not
    /// even for a moment.
    fn subtract(&self, bytes: u64) {
        if let Some(above) = &self.0.above {
            above.subtract(bytes);
        }
        self.subtract_here(bytes);
    }

    fn subtract_here(&self, bytes: u64) {
        self.0.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemoryUsage { used, limit, .. } = self.usage();
        write!(f, "{}: {used} of {limit}", self.0.what.name())
    }
}

/// A charge to an account and to all above it, which is given back on drop.
pub struct Charge {
    /// `None` if nobody is charged.
    account: Option<Account>,
    bytes: u64,
}

impl Charge {
    /// Makes a charge to nobody, for data of no session, such as an instance that is made only to check that it can be.
    pub fn nobodys() -> Charge {
        Charge { account: None, bytes: 0 }
    }

    /// Charges `bytes` more. If that would exceed a limit, returns it and changes nothing.
    pub fn grow(&mut self, bytes: u64) -> Result<(), Limit> {
        if let Some(account) = &self.account {
            account.add(bytes)?;
        }
        self.bytes = self.bytes.saturating_add(bytes);
        Ok(())
    }

    /// Gives back `bytes`, or everything if less is charged.
    pub fn shrink(&mut self, bytes: u64) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        if let Some(account) = &self.account {
            account.subtract(bytes);
        }
    }

    /// Returns the bytes that are charged.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Changes the charge to `bytes`.
    pub fn resize(&mut self, bytes: u64) -> Result<(), Limit> {
        match bytes.checked_sub(self.bytes) {
            Some(more) => self.grow(more),
            None => {
                self.shrink(self.bytes - bytes);
                Ok(())
            }
        }
    }
}

impl Default for Charge {
    fn default() -> Charge {
        Charge::nobodys()
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.shrink(self.bytes);
    }
}

impl fmt::Debug for Charge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Charge({})", self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn tree() -> (Account, Account, Account) {
        let host = Account::root(Resource::HostMemory, 100);
        let tenant = host.below(Resource::TenantMemory, 80);
        let session = tenant.below(Resource::SessionMemory, 60);
        (host, tenant, session)
    }

    fn used(accounts: &(Account, Account, Account)) -> [u64; 3] {
        [&accounts.0, &accounts.1, &accounts.2].map(|account| account.usage().used)
    }

    #[test]
    fn a_charge_counts_at_every_level_until_it_is_dropped() {
        let accounts = tree();
        let mut charge = accounts.2.charge(30).unwrap();
        charge.grow(10).unwrap();
        assert_eq!(used(&accounts), [40, 40, 40]);
        charge.shrink(15);
        assert_eq!(used(&accounts), [25, 25, 25]);
        charge.resize(50).unwrap();
        charge.resize(5).unwrap();
        assert_eq!(used(&accounts), [5, 5, 5]);
        drop(charge);
        assert_eq!(used(&accounts), [0, 0, 0]);
        assert_eq!(accounts.0.usage().peak, 50);
    }

    #[test]
    fn the_first_that_cannot_have_it_refuses_and_nothing_is_left_of_it() {
        let accounts = tree();
        let limit = accounts.2.charge(61).unwrap_err();
        assert_eq!(limit, Limit::new(Resource::SessionMemory, 60, 61));
        let _other = accounts.1.charge(30).unwrap();
        let limit = accounts.2.charge(51).unwrap_err();
        assert_eq!(limit, Limit::new(Resource::TenantMemory, 80, 81));
        let _others = accounts.0.charge(50).unwrap();
        let mut charge = accounts.2.charge(20).unwrap();
        assert_eq!(charge.grow(1).unwrap_err().what, Resource::HostMemory);
        assert_eq!(charge.grow(u64::MAX).unwrap_err().what, Resource::SessionMemory);
        assert_eq!(used(&accounts), [100, 50, 20]);
        assert_eq!(accounts.2.usage().peak, 20, "what was refused was never there");
    }

    /// Keeps charges that it can give up.
    struct Shelf(Mutex<Vec<Charge>>);

    impl Relief for Shelf {
        fn relieve(&self) -> bool {
            self.0.lock().unwrap().pop().is_some()
        }
    }

    #[test]
    fn what_can_be_given_up_is_before_anything_is_refused() {
        let accounts = tree();
        let shelf = Arc::new(Shelf(Mutex::default()));
        let weak: Weak<dyn Relief> = Arc::downgrade(&(shelf.clone() as Arc<dyn Relief>));
        accounts.1.relieved_by(weak);
        for _ in 0..4 {
            shelf.0.lock().unwrap().push(accounts.1.charge(20).unwrap());
        }
        let _charge = accounts.2.charge(30).unwrap();
        assert_eq!((used(&accounts), shelf.0.lock().unwrap().len()), ([70, 70, 30], 2));
        // Giving up what the tenant keeps does not help against the limit of one session.
        assert!(accounts.2.charge(40).is_err());
        assert_eq!(shelf.0.lock().unwrap().len(), 2);
    }

    #[test]
    fn many_at_once_never_get_more_than_there_is() {
        let (host, tenant, _) = tree();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        let charge = tenant.charge(30);
                        assert!(host.usage().used <= 80);
                        drop(charge);
                    }
                });
            }
        });
        assert_eq!((host.usage().used, tenant.usage().used), (0, 0));
        assert!(tenant.usage().peak <= 80);
    }
}
