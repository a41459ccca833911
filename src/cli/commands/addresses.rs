//! Documents that are named by an address: what the options and the settings let be fetched.

use std::sync::Arc;

use crate::args::Global;
use mitt::Fetch;
use mitt_base::Result;
use mitt_net::{FetchPolicy, Fetcher};

/// What may be fetched, and who does it: one for all of a command, so that connections and root certificates are shared.
#[derive(Clone)]
pub(super) struct Addresses {
    fetcher: Fetcher,
    /// Whether a host is allowed that nobody typed.
    is_any: bool,
}

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
        let is_any = !policy.is_empty();
        Ok(Addresses { fetcher: Fetcher::new(policy), is_any })
    }

    /// Who fetches for whoever is no user of this program, such as a client of its server; none where no host is allowed.
    pub(super) fn fetcher(&self) -> Option<Arc<dyn Fetch>> {
        self.is_any.then(|| Arc::new(self.fetcher.clone()) as Arc<dyn Fetch>)
    }

    /// Who fetches an address that the user typed: its host is allowed by that.
    pub(super) fn typed(&self, url: &str) -> Option<Arc<dyn Fetch>> {
        Some(Arc::new(self.fetcher.typed(url)))
    }
}
