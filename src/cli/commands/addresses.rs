//! Documents given by address: which addresses the options and the settings allow to fetch.

use std::sync::Arc;

use crate::args::Global;
use mitt::Fetch;
use mitt_base::Result;
use mitt_net::{FetchPolicy, Fetcher};

/// The fetcher of a command, which shares connections and root certificates.
#[derive(Clone)]
pub(super) struct Addresses {
    fetcher: Fetcher,
    /// `true` if a host is allowed that the user did not type as an address.
    is_any: bool,
}

impl Addresses {
    /// Returns the addresses that the options and the settings allow.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - a host or a network is malformed.
    pub(super) fn of(global: &Global) -> Result<Addresses> {
        let mut policy = FetchPolicy::new();
        for host in &global.fetch_hosts {
            policy = policy.host(host).map_err(|error| error.at("--fetch-host"))?;
        }
        for network in &global.fetch_networks {
            policy = policy.network(network).map_err(|error| error.at("--fetch-network"))?;
        }
        let is_any = !policy.is_empty();
        Ok(Addresses { fetcher: Fetcher::new(policy), is_any })
    }

    /// Returns the fetcher for others than the user of this program, such as clients of its server; `None` if no host is
    /// allowed.
    pub(super) fn fetcher(&self) -> Option<Arc<dyn Fetch>> {
        self.is_any.then(|| Arc::new(self.fetcher.clone()) as Arc<dyn Fetch>)
    }

    /// Returns the fetcher for an address that the user typed, which allows its host.
    pub(super) fn typed(&self, url: &str) -> Option<Arc<dyn Fetch>> {
        Some(Arc::new(self.fetcher.typed(url)))
    }
}
