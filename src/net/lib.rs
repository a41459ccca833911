//! What leaves the machine: documents are fetched by their addresses, from hosts that were allowed.
//!
//! ```
//! use mitt_net::{FetchPolicy, Fetcher};
//!
//! let policy = FetchPolicy::new().host("reports.example.com")?.host("*.example.org")?;
//! let fetcher = Fetcher::new(policy);
//! # let _ = fetcher;
//! # Ok::<(), mitt_base::Error>(())
//! ```
//!
//! A [`Fetcher`] is for [`HostBuilder::fetch`](mitt::HostBuilder::fetch). What may be fetched is said by a [`FetchPolicy`]: nothing, until
//! hosts are named.
//!
//! # What is refused
//!
//! - Hosts that no rule names, also after a redirect; ports other than 443 that no rule names; `http` where a rule does not say it.
//! - Names of which one address is not public ([`is_public`]): this machine, private and link-local networks, services with metadata of
//!   clouds, whatever way the address is written. The addresses that were checked are those that are connected to, so that a name
//!   which changes in between (DNS rebinding) gains nothing. Networks that are to be reached all the same are named one by one.
//! - Names and passwords inside of an address.
//!
//! No cookies, no credentials, no proxies: a proxy would look up names itself, after the check.

#![forbid(unsafe_code)]

mod address;
mod causes;
mod exchange;
mod fetcher;
mod name;
mod packed;
mod policy;
mod resolve;
mod tls;

pub use address::is_public;
pub use causes::causes;
pub use fetcher::Fetcher;
pub use policy::{DEFAULT_REDIRECTS, DEFAULT_TIME, FetchPolicy};
pub use tls::{UNKNOWN_ISSUER, tls_config};
