//! The host, which all sessions of a process share: skills, places for calls and blocking work, memory, clock.
//!
//! Knows tenants by name. Does not know sessions; they call it.

mod admission;
mod ahead;
mod blocking;
mod budget;
#[cfg(all(test, feature = "bundled", feature = "compile"))]
mod bundled_tests;
mod changes;
mod from_outside;
mod guards;
mod native_code;
mod outside;
mod pace;
#[cfg(feature = "extism")]
mod plug_ins;
mod shared;
mod tenants;
#[cfg(feature = "watch")]
mod watch;
#[cfg(not(feature = "watch"))]
#[path = "watch_disabled.rs"]
mod watch;

pub use admission::{Admission, Permit};
pub use ahead::Ahead;
pub use blocking::engine_alone;
pub use budget::TenantCharge;
pub use changes::Changes;
pub use guards::GuardSource;
pub use shared::{Host, HostBuilder};
pub use watch::Watch;

pub(crate) use blocking::{Blocking, INLINE_BYTES, RENDERING};
pub(crate) use budget::{Idle, SessionBudget, Shelved};
