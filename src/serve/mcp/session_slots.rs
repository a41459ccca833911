//! Bounds on the sessions of a client, of a tenant and of all clients together.
//!
//! Knows numbers and names. The caller knows which sessions are idle and can be ended to make room.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use super::options::Client;
use mitt_base::{Error, ErrorKind, lock};

/// Sessions that a tenant may always have. Beyond them, it may have no more than are free: however many tenants take as much
/// as they can, a tenant without any finds a slot.
const GUARANTEED_SESSIONS: usize = 8;

/// The limits on sessions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quotas {
    pub(super) all: usize,
    pub(super) per_tenant: usize,
    pub(super) per_client: usize,
}

/// The sessions that a server has room for.
#[derive(Debug)]
pub(super) struct SessionSlots {
    quotas: Quotas,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    tenants: BTreeMap<String, usize>,
    clients: BTreeMap<Client, usize>,
}

/// Why there is no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotsFull {
    /// The client has the most that one may have.
    Client(usize),
    /// Its tenant has the most that one may have.
    Tenant(usize),
    /// Its tenant has more than are free.
    Reserve(usize),
    /// All clients together have the most.
    All(usize),
}

/// Slot of a session, given back on drop.
#[derive(Debug)]
pub(crate) struct SessionSlot {
    slots: Arc<SessionSlots>,
    client: Client,
}

impl SessionSlots {
    pub(super) fn new(quotas: Quotas) -> SessionSlots {
        let quotas = Quotas {
            all: quotas.all.max(1),
            per_tenant: quotas.per_tenant.max(1),
            per_client: quotas.per_client.max(1),
        };
        SessionSlots { quotas, taken: Mutex::default() }
    }

    /// Takes a slot for one more session of `client`.
    pub(super) fn take(
        self: &Arc<SessionSlots>,
        client: &Client,
    ) -> Result<SessionSlot, SlotsFull> {
        let Quotas { all, per_tenant, per_client } = self.quotas;
        let mut taken = self.taken();
        // An anonymous connection has one session, and its number is bounded by that of connections.
        let of_client = taken.clients.get(client).copied().filter(|_| client.id.is_some());
        if of_client.is_some_and(|count| count >= per_client) {
            return Err(SlotsFull::Client(per_client));
        }
        let of_tenant =
            client.tenant.as_ref().map(|it| taken.tenants.get(it).copied().unwrap_or_default());
        if of_tenant.is_some_and(|count| count >= per_tenant) {
            return Err(SlotsFull::Tenant(per_tenant));
        }
        let free = all.saturating_sub(taken.all);
        if free == 0 {
            return Err(SlotsFull::All(all));
        }
        let held = of_tenant.or(of_client).unwrap_or_default();
        if held >= GUARANTEED_SESSIONS && held >= free {
            return Err(SlotsFull::Reserve(held));
        }
        taken.all += 1;
        *taken.clients.entry(client.clone()).or_default() += 1;
        if let Some(tenant) = &client.tenant {
            *taken.tenants.entry(tenant.clone()).or_default() += 1;
        }
        Ok(SessionSlot { slots: self.clone(), client: client.clone() })
    }

    pub(super) fn len(&self) -> usize {
        self.taken().all
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        lock(&self.taken)
    }
}

impl Drop for SessionSlot {
    fn drop(&mut self) {
        let mut taken = self.slots.taken();
        taken.all -= 1;
        release(&mut taken.clients, &self.client);
        if let Some(tenant) = &self.client.tenant {
            release(&mut taken.tenants, tenant);
        }
    }
}

fn release<K: Ord>(counts: &mut BTreeMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

impl SlotsFull {
    /// Returns the error that the client receives. The client has no idle session, or the server would have closed that one.
    #[cold]
    pub(super) fn refused(self) -> Error {
        let message = match self {
            SlotsFull::Client(most) => {
                format!("all {most} sessions that a client may have are in use")
            }
            SlotsFull::Tenant(most) => {
                format!("all {most} sessions that a tenant may have are in use")
            }
            SlotsFull::Reserve(held) => {
                format!("the tenant has {held} sessions, and what is left is kept for others")
            }
            SlotsFull::All(most) => format!("all {most} sessions are in use"),
        };
        Error::new(ErrorKind::Busy { retry_after: Duration::from_secs(10) }, message)
            .hint("end a session that is no longer needed, or go on in one that is open")
            .hint("or try again when a call in one of them has ended")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(all: usize, per_tenant: usize, per_client: usize) -> Arc<SessionSlots> {
        Arc::new(SessionSlots::new(Quotas { all, per_tenant, per_client }))
    }

    fn client(tenant: &str, id: &str) -> Client {
        Client { tenant: Some(tenant.into()), id: Some(id.into()) }
    }

    #[test]
    fn each_has_its_own_bound() {
        let slots = slots(100, 3, 2);
        let (a, b, c) = (client("t", "a"), client("t", "b"), client("u", "c"));
        let one = slots.take(&a).unwrap();
        let _two = slots.take(&a).unwrap();
        assert_eq!(slots.take(&a).unwrap_err(), SlotsFull::Client(2));
        let _three = slots.take(&b).unwrap();
        assert_eq!(slots.take(&b).unwrap_err(), SlotsFull::Tenant(3));
        let _other = slots.take(&c).unwrap();
        drop(one);
        assert!(slots.take(&a).is_ok());
        assert_eq!(slots.len(), 3);
    }

    #[test]
    fn connections_of_nobody_are_bounded_by_all() {
        let slots = slots(20, 2, 1);
        let taken: Vec<_> = (0..20).map(|_| slots.take(&Client::default()).unwrap()).collect();
        assert_eq!(slots.take(&Client::default()).unwrap_err(), SlotsFull::All(20));
        drop(taken);
        let state = slots.taken();
        assert!(state.all == 0 && state.clients.is_empty() && state.tenants.is_empty());
    }

    /// However many sessions others open, a client without any finds a slot.
    #[test]
    fn there_is_always_a_place_for_who_has_none() {
        for greedy in [1, 2, 5, 20] {
            let slots = slots(256, 128, 64);
            let mut taken = Vec::new();
            for round in 0..256 {
                for tenant in 0..greedy {
                    let client = client(&tenant.to_string(), &(round % 4).to_string());
                    taken.extend(slots.take(&client));
                }
            }
            assert!(taken.len() < 256, "{greedy}");
            assert!(slots.take(&client("modest", "m")).is_ok(), "{greedy}");
        }
    }
}
