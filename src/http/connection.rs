//! Which connections are taken: so many in all, and so many of one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// The connections that are open.
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
}

/// A place; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    connections: Connections,
    address: Option<IpAddr>,
}

impl Connections {
    pub(super) fn new(max: usize, max_per_address: usize) -> Connections {
        let open = Mutex::default();
        Connections { inner: Arc::new(Inner { max, max_per_address, open }) }
    }

    /// A place for a connection from `address`; otherwise why there is none.
    pub(super) fn take(&self, address: IpAddr) -> Result<Place, &'static str> {
        let address = network(address);
        let mut open = self.open();
        if open.all >= self.inner.max {
            return Err("connections");
        }
        if let Some(address) = address {
            let count = open.by_address.entry(address).or_default();
            if *count >= self.inner.max_per_address {
                return Err("connections-of-address");
            }
            *count += 1;
        }
        open.all += 1;
        Ok(Place { connections: self.clone(), address })
    }

    pub(super) fn len(&self) -> usize {
        self.open().all
    }

    fn open(&self) -> std::sync::MutexGuard<'_, Open> {
        self.inner.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        open.all -= 1;
        if let Some(address) = self.address
            && let Some(count) = open.by_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                open.by_address.remove(&address);
            }
        }
    }
}

/// What counts as one address. None for loopback.
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
