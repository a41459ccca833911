//! Resolves names, and checks each address before anything connects to it.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::policy::FetchPolicy;

/// Resolves a name.
pub(crate) type LookUp =
    Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// Resolves names with the system's resolver.
pub(crate) fn of_system() -> LookUp {
    Arc::new(|name| {
        Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) })
    })
}

/// A resolver that returns only addresses that may be reached. The client connects to exactly these addresses.
pub(crate) struct CheckedResolver {
    pub(crate) policy: Arc<FetchPolicy>,
    pub(crate) look_up: LookUp,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (policy, name) = (self.policy.clone(), name.as_str().to_owned());
        let found = (self.look_up)(name.clone());
        Box::pin(async move {
            let found = found.await?;
            // A private address among public ones is no accident, and nobody controls which one the client would choose.
            if let Some(address) =
                found.iter().map(SocketAddr::ip).find(|ip| !policy.may_reach(*ip))
            {
                return Err(NotPublic { name, address }.into());
            }
            let addresses: Addrs = Box::new(found.into_iter());
            Ok(addresses)
        })
    }
}

/// A name with an address that may not be reached.
#[derive(Debug)]
pub(crate) struct NotPublic {
    pub(crate) name: String,
    pub(crate) address: IpAddr,
}

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is at {}, which may not be reached", self.name, self.address)
    }
}

impl std::error::Error for NotPublic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_inside_of_a_network_is_refused_with_its_address() {
        let refused = NotPublic { name: "intranet.test".into(), address: [10, 0, 0, 7].into() };
        assert_eq!(refused.to_string(), "intranet.test is at 10.0.0.7, which may not be reached");
    }
}
