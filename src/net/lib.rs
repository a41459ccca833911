//! Fetches documents by their addresses, from allowed hosts only.
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
//! A [`Fetcher`] is for `HostBuilder::fetch` of `mitt`. A [`FetchPolicy`] says what may be fetched:
//! nothing, until hosts are added.
//!
//! # What is refused
//!
//! - Hosts that no rule names, also after a redirect; ports other than 443 unless a rule names them; `http` unless a rule
//!   allows it.
//! - Names with an address that is not public ([`is_public`]): this machine, private and link-local networks, metadata
//!   services of clouds, in every notation. The client connects to the addresses that were checked, so changing the name in
//!   between (DNS rebinding) gains nothing. Networks that are not public can be allowed one by one.
//! - User names and passwords in an address.
//!
//! Sends no cookies and no credentials, and uses no proxies: a proxy would resolve names itself, after the check.
//!
//! With the feature `s3`, the module `s3` has a client of object stores. It is for a bucket that the operator names, and no policy.

#![forbid(unsafe_code)]

mod address;
mod causes;
mod exchange;
mod failures;
mod fetcher;
mod name;
mod packed;
mod policy;
mod resolve;
mod retry_after;
#[cfg(feature = "s3")]
pub mod s3;
mod tls;

pub use address::is_public;
pub use causes::causes;
pub use fetcher::Fetcher;
pub use name::file_name;
pub use policy::{DEFAULT_REDIRECTS, DEFAULT_TIME, FetchPolicy};
pub use retry_after::retry_after;
pub use tls::{UNKNOWN_ISSUER, tls_config};
