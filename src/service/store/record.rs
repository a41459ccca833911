//! The record of a run, as a store keeps it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Names a run of a tenant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunKey {
    /// Tenant that owns the run.
    pub tenant: String,
    /// Identifier of the run.
    pub id: String,
}

/// What a store must know of a run, and the rest as JSON.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Record {
    /// Tenant that owns the run.
    pub tenant: String,
    /// Identifier, unique in the store.
    pub id: String,
    /// Number of changes, from 1; 0 before it is stored.
    pub version: u64,
    /// Time of creation in milliseconds after 1970.
    pub created_ms: u64,
    /// Status by name. `queued` and `running` have a meaning for [`Store::claim`](super::Store::claim).
    pub status: String,
    /// The worker that owns the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// End of the owner's lease in milliseconds after 1970.
    #[serde(default)]
    pub lease_until_ms: u64,
    /// Everything else.
    pub body: Map<String, Value>,
}

impl Record {
    /// Returns the key of the run.
    pub fn key(&self) -> RunKey {
        RunKey { tenant: self.tenant.clone(), id: self.id.clone() }
    }
}
