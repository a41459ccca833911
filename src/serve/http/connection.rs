//! Accepts connections: at most a number in all, and at most a number from one address.
//!
//! If all slots are taken, a new connection replaces the one that has been idle longest. So unused sockets of an attacker
//! keep nobody out.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mitt_base::{lock, unpoisoned};
use tokio_util::sync::CancellationToken;

/// A connection that has been idle for so long may have to make room. It gives a new client time to send a request.
const MIN_IDLE_TIME: Duration = Duration::from_secs(1);

/// The open connections.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    max: usize,
    max_per_address: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
    last: u64,
    /// Idle connections by the moment since when.
    idle: BTreeMap<(Instant, u64), Idle>,
}

#[derive(Debug)]
struct Idle {
    address: Option<IpAddr>,
    ended: CancellationToken,
}

/// Slot of an open connection, given back on drop.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    connections: Connections,
    address: Option<IpAddr>,
    number: u64,
    state: Mutex<State>,
    /// Cancelled when the connection has to make room.
    ended: CancellationToken,
}

#[derive(Debug)]
struct State {
    /// Requests that are being answered.
    requests: usize,
    since: Instant,
}

/// A request that is being answered; its connection does not have to make room.
#[derive(Debug)]
pub(super) struct ActiveRequest(Arc<ConnectionSlot>);

impl Connections {
    pub(super) fn new(max: usize, max_per_address: usize) -> Connections {
        let open = Mutex::default();
        Connections { inner: Arc::new(Inner { max, max_per_address, open }) }
    }

    /// Takes a slot for a connection from `address`, or returns why there is none.
    pub(super) fn take(&self, address: IpAddr) -> Result<ConnectionSlot, &'static str> {
        let address = network(address);
        let mut open = self.open();
        let of_address = address.map_or(0, |it| open.by_address.get(&it).copied().unwrap_or(0));
        if address.is_some() && of_address >= self.inner.max_per_address {
            if !open.make_room(|idle| idle.address == address) {
                return Err("connections-of-address");
            }
        } else if open.all >= self.inner.max && !open.make_room(|_| true) {
            return Err("connections");
        }
        if let Some(address) = address {
            *open.by_address.entry(address).or_default() += 1;
        }
        open.all += 1;
        open.last += 1;
        let (number, since, ended) = (open.last, Instant::now(), CancellationToken::new());
        open.idle.insert((since, number), Idle { address, ended: ended.clone() });
        let state = Mutex::new(State { requests: 0, since });
        Ok(ConnectionSlot { connections: self.clone(), address, number, state, ended })
    }

    pub(super) fn len(&self) -> usize {
        self.open().all
    }

    fn open(&self) -> std::sync::MutexGuard<'_, Open> {
        lock(&self.inner.open)
    }
}

impl Open {
    /// Ends the connection that has been idle longest among those that satisfy `which`.
    fn make_room(&mut self, which: impl Fn(&Idle) -> bool) -> bool {
        let mut idle = self.idle.iter().filter(|(_, idle)| which(idle));
        let Some((key, _)) = idle.next().filter(|((since, _), _)| since.elapsed() >= MIN_IDLE_TIME)
        else {
            return false;
        };
        let key = *key;
        if let Some(gone) = self.idle.remove(&key) {
            self.leave(gone.address);
            gone.ended.cancel();
        }
        true
    }

    fn leave(&mut self, address: Option<IpAddr>) {
        self.all -= 1;
        if let Some(address) = address
            && let Some(count) = self.by_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&address);
            }
        }
    }
}

impl ConnectionSlot {
    /// Waits until the connection has to make room.
    pub(super) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Marks a new request. `None` if the connection is about to end.
    pub(super) fn begin(self: &Arc<ConnectionSlot>) -> Option<ActiveRequest> {
        let mut open = self.connections.open();
        let mut state = lock(&self.state);
        if state.requests == 0 && open.idle.remove(&(state.since, self.number)).is_none() {
            return None;
        }
        state.requests += 1;
        Some(ActiveRequest(self.clone()))
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let mut open = self.0.connections.open();
        let mut state = lock(&self.0.state);
        state.requests -= 1;
        if state.requests == 0 {
            state.since = Instant::now();
            let idle = Idle { address: self.0.address, ended: self.0.ended.clone() };
            open.idle.insert((state.since, self.0.number), idle);
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        let since = unpoisoned(self.state.get_mut()).since;
        // If it is missing, another connection has already taken the slot.
        if open.idle.remove(&(since, self.number)).is_some() {
            open.leave(self.address);
        }
    }
}

/// Returns the network that counts as one address. `None` for loopback.
fn network(address: IpAddr) -> Option<IpAddr> {
    let address = address.to_canonical();
    match address {
        _ if address.is_loopback() => None,
        IpAddr::V4(_) => Some(address),
        IpAddr::V6(address) => Some(IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn places_are_bounded_and_given_back() {
        let connections = Connections::new(4, 2);
        let first = connections.take(ip("10.0.0.1")).unwrap();
        let _second = connections.take(ip("::ffff:10.0.0.1")).unwrap();
        assert_eq!(connections.take(ip("10.0.0.1")).unwrap_err(), "connections-of-address");
        let _a = connections.take(ip("2001:db8::1")).unwrap();
        drop(first);
        let _again = connections.take(ip("10.0.0.1")).unwrap();
        let _b = connections.take(ip("2001:db8::2")).unwrap();
        assert_eq!(connections.take(ip("127.0.0.1")).unwrap_err(), "connections");
        assert_eq!(connections.len(), 4);
    }

    #[test]
    fn who_has_waited_long_makes_room_and_who_is_answered_does_not() {
        let connections = Connections::new(3, 2);
        let slots: Vec<_> =
            (0..3).map(|_| Arc::new(connections.take(ip("127.0.0.1")).unwrap())).collect();
        // No connection has been idle for long yet.
        assert_eq!(connections.take(ip("127.0.0.1")).unwrap_err(), "connections");
        let busy = slots[0].begin().unwrap();
        std::thread::sleep(MIN_IDLE_TIME + Duration::from_millis(50));
        let fourth = connections.take(ip("10.0.0.1")).unwrap();
        assert!(slots[1].ended.is_cancelled());
        assert!(!slots[0].ended.is_cancelled() && !slots[2].ended.is_cancelled());
        // Too late: another connection has its slot.
        assert!(slots[1].begin().is_none());
        let _fifth = connections.take(ip("10.0.0.1")).unwrap();
        assert!(slots[2].ended.is_cancelled());
        assert_eq!(connections.take(ip("10.0.0.1")).unwrap_err(), "connections-of-address");
        assert_eq!(connections.len(), 3);
        drop((slots, fourth));
        // The request is still being answered.
        assert_eq!(connections.len(), 2);
        drop(busy);
        assert_eq!(connections.len(), 1);
        assert_eq!(connections.open().idle.len(), 1);
    }

    #[test]
    fn an_address_makes_room_of_its_own() {
        let connections = Connections::new(10, 2);
        let one = Arc::new(connections.take(ip("10.0.0.1")).unwrap());
        let other = Arc::new(connections.take(ip("10.0.0.2")).unwrap());
        let _two = connections.take(ip("10.0.0.1")).unwrap();
        std::thread::sleep(MIN_IDLE_TIME + Duration::from_millis(50));
        let _three = connections.take(ip("10.0.0.1")).unwrap();
        assert!(one.ended.is_cancelled() && !other.ended.is_cancelled());
        assert_eq!(connections.len(), 3);
    }

    #[test]
    fn one_network_is_one_address_and_loopback_is_none() {
        let connections = Connections::new(100, 1);
        let _a = connections.take(ip("2001:db8::1")).unwrap();
        assert!(connections.take(ip("2001:db8::ffff:1")).is_err());
        let _b = connections.take(ip("2001:db8:0:1::1")).unwrap();
        let _loopback: Vec<_> =
            (0..10).map(|_| connections.take(ip("127.0.0.1")).unwrap()).collect();
        drop(_loopback);
        assert_eq!(connections.len(), 2);
        assert_eq!(connections.open().by_address.len(), 2);
    }
}
