//! Models that people add while the service runs.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// Adds and removes models. A change counts at once for new runs and further instructions.
#[async_trait]
pub trait ManagedModels: Send + Sync {
    /// Returns all models, the default one first. May block for some milliseconds.
    fn list(&self) -> Vec<ModelEntry>;

    /// Adds a model.
    ///
    /// # Errors
    ///
    /// 422 `invalid_body` - it cannot be used, or its name is in use.
    async fn add(&self, model: NewModel) -> Result<ModelEntry, Problem>;

    /// Removes a model with its key.
    ///
    /// # Errors
    ///
    /// 404 - there is no such model; 409 - it is the operator's.
    async fn remove(&self, name: &str) -> Result<(), Problem>;

    /// Makes a model the default, or no longer the default.
    ///
    /// # Errors
    ///
    /// 404 - there is no such model.
    async fn set_default(&self, name: &str, is_default: bool) -> Result<ModelEntry, Problem>;

    /// Looks for model servers on this machine. Sends requests to this machine alone.
    async fn find(&self) -> FoundServers;
}

/// A model as people see it.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct ModelEntry {
    /// Name for clients.
    pub name: String,
    /// The model as it was added, such as `ollama/qwen3`; `null` for one of the operator.
    pub model: Option<String>,
    /// Who provides it, such as `ollama`.
    pub provider: String,
    /// `true` for the model of runs that name none.
    pub is_default: bool,
    /// `true` if it can be removed.
    pub managed: bool,
    /// `true` if a key is kept with it. No response has the key itself.
    pub has_key: bool,
    /// Why it cannot be used; `null` if it may be usable.
    pub problem: Option<String>,
}

/// A model to add.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewModel {
    /// Name for clients.
    #[schemars(length(min = 1, max = 64))]
    pub name: String,
    /// Service and model, such as `ollama/qwen3`, or an address such as `http://127.0.0.1:8080/v1#qwen3`.
    #[schemars(length(min = 1, max = 500))]
    pub model: String,
    /// Key of the model's service. Default: the one in the environment of the service, if there is one.
    #[serde(default)]
    #[schemars(length(max = 4_096))]
    pub key: Option<String>,
    /// `true` if it becomes the model of runs that name none.
    #[serde(default)]
    pub is_default: bool,
}

/// Result of a check of a model.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct ModelCheck {
    /// `true` if the model answered.
    pub ok: bool,
    /// Its answer, or why there was none.
    pub detail: String,
    /// Duration in milliseconds.
    pub milliseconds: u64,
}

/// Model servers on the machine of the service.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct FoundServers {
    /// The servers that answered.
    pub found: Vec<FoundServer>,
    /// Names of the servers that were looked for.
    pub checked: Vec<String>,
}

/// A model server on the machine of the service.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct FoundServer {
    /// Name of its kind, such as `ollama`.
    pub provider: String,
    /// Address.
    pub address: String,
    /// Names of its models.
    pub models: Vec<String>,
}
