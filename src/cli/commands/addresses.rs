//! Documents that are named by an address: what the options and the settings let be fetched.

use std::sync::Arc;

use crate::args::Global;
use mitt::Fetch;
use mitt_base::Result;
use mitt_net::{FetchPolicy, Fetcher};

/// What may be fetched.
#[derive(Clone)]
pub(super) struct Addresses(FetchPolicy);

impl Addresses {
    /// What the options and the settings say.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - a host or a network is written otherwise.
    pub(super) fn of(global: &Global) -> Result<Addresses> {
        let mut policy = FetchPolicy::new();
        for host in &global.fetch_hosts {
            policy = policy.host(host).map_err(|error| error.at("--fetch-host"))?;
        }
        for network in &global.fetch_networks {
            policy = policy.network(network).map_err(|error| error.at("--fetch-network"))?;
        }
        Ok(Addresses(policy))
    }

    /// Who fetches for whoever is no user of this program, such as a client of its server; none where no host is allowed.
    pub(super) fn fetcher(self) -> Option<Arc<dyn Fetch>> {
        (!self.0.is_empty()).then(|| Arc::new(Fetcher::new(self.0)) as Arc<dyn Fetch>)
    }

    /// Who fetches an address that the user typed: its host is allowed by that.
    pub(super) fn typed(&self, url: &str) -> Option<Arc<dyn Fetch>> {
        Some(Arc::new(Fetcher::new(self.0.clone().typed(url))))
    }
}
